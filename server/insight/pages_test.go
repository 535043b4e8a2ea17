package insight

import (
	"math/big"
	"testing"

	"svc/server/schema"
)

// A day far above the usual is compared in money, others in per cent.
func TestOnUsual(t *testing.T) {
	p := Pulse{Currency: "gbp"}
	for value, want := range map[int64]string{
		109: ", +9 % on your usual Saturday", 100: ", as on your usual Saturday", 75: ", -25 % on your usual Saturday",
		300: ", +200 % on your usual Saturday", 301: "; your usual Saturday brings £100",
	} {
		k := KPI{Unit: Money, Value: big.NewRat(value, 1), Previous: big.NewRat(100, 1), ComparedTo: "the 7 days before"}
		if got := p.onUsual(k, k.Change(), "Saturday"); got != want {
			t.Errorf("%d: %q, want %q", value, got, want)
		}
	}
	k := KPI{Unit: Money, Value: big.NewRat(2463, 1), Previous: big.NewRat(100, 1), ComparedTo: "the 7 days before"}
	if got, want := p.against(k), "far more than the 7 days before (£100)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A day of another year is told with it.
func TestDaysHaveTheirYearUnlessItIsThis(t *testing.T) {
	day, today := parseDay("2025-12-28"), parseDay("2026-01-02")
	if got := weekdayText(day, today); got != "Sunday 28 December 2025" {
		t.Error(got)
	}
	if got := weekdayText(today, today); got != "Friday 2 January" {
		t.Error(got)
	}
	stale := Pulse{Currency: "gbp", Freshness: Freshness{Stale: true, AgeDays: 5}, KPIs: []KPI{{Key: "revenue_7_days", Unit: Money, Value: big.NewRat(700, 1)}}}
	_, more := stale.morning(sources{sales: &schema.Source{}, newest: day, today: today})
	if want := "The newest is of Sunday 28 December 2025."; more != want {
		t.Errorf("%q, want %q", more, want)
	}
}

package insight

import (
	"math/big"
	"testing"
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

package insight_test

import (
	"testing"
	"time"
)

// thin makes the alert of a kind fire on the least evidence, part of which is gone on the
// next day.
type thin struct {
	kind string
	fire func(testing.TB, *market)
}

// each records a sale on each of a run of days before today.
func (m *market) each(t testing.TB, first, last int, l lot) {
	t.Helper()
	for n := first; n >= last; n-- {
		m.sell(t, n, l)
	}
}

var thins = []thin{
	{"stock_out", func(t testing.TB, m *market) {
		m.item(t, "jam", 4)
		for _, n := range []int{111, 60, 50, 40} {
			m.sell(t, n, lot{name: "jam", pieces: 1})
		}
	}},
	{"days_of_cover", func(t testing.TB, m *market) {
		m.item(t, "jam", 11)
		m.item(t, "tea", 100)
		m.each(t, 30, 1, lot{name: "tea", pieces: 1})
		for _, n := range []int{27, 20, 15, 10, 5} {
			m.sell(t, n, lot{name: "jam", pieces: 2})
		}
	}},
	{"sales_drop", func(t testing.TB, m *market) {
		m.each(t, 63, 8, lot{name: "tea", pieces: 1})
		m.sell(t, 63, times(4, lot{name: "tea", pieces: 1})...)
		for _, n := range []int{5, 3, 1} {
			m.sell(t, n, lot{name: "tea", pieces: 1})
		}
	}},
	{"margin_drop", func(t testing.TB, m *market) {
		m.each(t, 111, 28, lot{name: "tea", pieces: 1})
		m.each(t, 26, 1, lot{name: "tea", pieces: 1, cost: 800})
		m.sell(t, 27, times(4, lot{name: "tea", pieces: 1, cost: 800})...)
	}},
	{"dead_stock", func(t testing.TB, m *market) {
		m.item(t, "urn", 5)
		m.item(t, "tea", 40)
		m.Exec(t, `UPDATE items SET created_at = created_at - 200 * 86400000`)
		m.sell(t, 100, lot{name: "tea", pieces: 1})
		m.sell(t, 89, times(2, lot{name: "tea", pieces: 1})...)
		m.each(t, 28, 1, lot{name: "tea", pieces: 1})
	}},
	{"refund_spike", func(t testing.TB, m *market) {
		m.sell(t, 98, times(2, lot{name: "tea", pieces: 1})...)
		m.each(t, 42, 1, lot{name: "tea", pieces: 1})
		m.sell(t, 3, times(4, lot{name: "tea", pieces: -1})...)
	}},
}

// The least evidence is for firing: an alert does not end because a day of it is too long
// ago, while its figure has not recovered.
func TestAlertOutlivesItsLeastEvidence(t *testing.T) {
	t.Parallel()
	for _, c := range thins {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			c.fire(t, m)
			first := m.expect(t, c.kind, "firing", 1)
			m.Clock.Advance(24 * time.Hour)
			if still := m.expect(t, c.kind, "firing", 1); still.ID != first.ID {
				t.Errorf("another alert: %+v", still)
			}
		})
	}
}

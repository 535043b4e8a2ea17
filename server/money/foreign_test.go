package money_test

import (
	"testing"

	"svc/server/money"
)

func TestForeign(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ number, code, want string }{
		{"4.20", "gbp", ""}, {"£4.20", "gbp", ""}, {"4.20 GBP", "gbp", ""}, {"(£4.20)", "gbp", ""},
		{"€4.20", "gbp", "€"}, {"4,20 €", "gbp", "€"}, {"4.20 EUR", "gbp", "EUR"}, {"$4", "gbp", "$"}, {"US$4", "gbp", "US$"},
		{"$4", "usd", ""}, {"$4", "aud", ""}, {"A$4", "aud", ""}, {"CA$4", "aud", "CA$"}, {"US$4", "aud", "US$"},
		{"¥400", "cny", ""}, {"¥400", "jpy", ""}, {"£4", "egp", ""}, {"42 kr", "nok", ""}, {"42 kr.", "dkk", ""}, {"42 kr", "gbp", "kr"},
		{"Rs. 40", "pkr", ""}, {"₹40", "pkr", "₹"}, {"4 SFr.", "chf", ""}, {"4 лв.", "bgn", ""},
		{"₸400", "kzt", ""}, {"₸400", "gbp", "₸"}, {"€4", "", ""}, {"€4", "xyz", ""}, {"1.5E+3", "gbp", ""},
	} {
		if got := money.Foreign(c.number, c.code); got != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.number, c.code, got, c.want)
		}
	}
}

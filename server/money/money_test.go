package money

import "testing"

func TestFormat(t *testing.T) {
	for _, row := range []struct {
		amount int64
		code   string
		want   string
	}{
		{100, "gbp", "GBP 1.00"}, {5, "gbp", "GBP 0.05"}, {0, "usd", "USD 0.00"}, {123456789, "eur", "EUR 1,234,567.89"},
		{500, "jpy", "JPY 500"}, {10_000_000, "JPY", "JPY 10,000,000"}, {1250, "kwd", "KWD 1.250"}, {7, "kwd", "KWD 0.007"},
		{10000, "isk", "ISK 100.00"}, {10000, "ugx", "UGX 100.00"}, {-1234, "gbp", "GBP -12.34"}, {-123456, "krw", "KRW -123,456"},
	} {
		if got := Format(row.amount, row.code); got != row.want {
			t.Errorf("%d %s: %q, want %q", row.amount, row.code, got, row.want)
		}
	}
}

func TestCurrency(t *testing.T) {
	for given, want := range map[string]string{"gbp": "gbp", "GBP": "gbp", "Jpy": "jpy", "KWD": "kwd", "ugx": "ugx"} {
		if got, ok := Currency(given); !ok || got != want {
			t.Errorf("%q: %q %v", given, got, ok)
		}
	}
	for _, given := range []string{"", "gb", "gbpp", "xxx", "btc", "gbp ", "£", "xau", "ＧＢＰ"} {
		if _, ok := Currency(given); ok {
			t.Errorf("%q is accepted", given)
		}
	}
}

// Each code stands in one list only, and has three letters.
func TestEveryCurrencyOnce(t *testing.T) {
	all := map[string]int{}
	for _, list := range []map[string]bool{withTwo, withThree, withoutDecimals} {
		for code := range list {
			all[code]++
			if len(code) != 3 || all[code] > 1 {
				t.Errorf("%q", code)
			}
		}
	}
	if len(all) < 130 {
		t.Errorf("only %d currencies", len(all))
	}
}

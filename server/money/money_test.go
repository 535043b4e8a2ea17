package money

import (
	"strings"
	"testing"
)

func TestFormat(t *testing.T) {
	for _, row := range []struct {
		amount int64
		code   string
		want   string
	}{
		{100, "gbp", "£1.00"}, {5, "GBP", "£0.05"}, {0, "usd", "$0.00"}, {-2, "usd", "-$0.02"}, {123456789, "eur", "€1,234,567.89"},
		{500, "jpy", "¥500"}, {10_000_000, "JPY", "¥10,000,000"}, {1250, "kwd", "KWD 1.250"}, {7, "kwd", "KWD 0.007"}, {100, "cad", "CAD 1.00"},
		{10000, "isk", "ISK 100.00"}, {10000, "ugx", "UGX 100.00"}, {-1234, "gbp", "-£12.34"}, {-123456, "krw", "-KRW 123,456"},
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

func TestKnown(t *testing.T) {
	for given, want := range map[string]string{"gbp": "gbp", "Jpy": "jpy", "LYD": "lyd", "std": "std"} {
		if got, ok := Known(given); !ok || got != want {
			t.Errorf("%q: %q %v", given, got, ok)
		}
	}
	for _, given := range []string{"", "zzz", "gb", "gbpp", "gbp ", "£"} {
		if _, ok := Known(given); ok {
			t.Errorf("%q is known", given)
		}
	}
}

func TestDecimals(t *testing.T) {
	for code, want := range map[string]int{"gbp": 2, "JPY": 0, "kwd": 3, "ugx": 2, "std": 2, "lyd": 2, "xxx": 2, "": 2} {
		if got := Decimals(code); got != want {
			t.Errorf("Decimals(%q) = %d, want %d", code, got, want)
		}
	}
}

func TestTableHasEachCodeAndSignOnce(t *testing.T) {
	entries, accepted, seen := 0, 0, map[string]bool{}
	for _, group := range table {
		for entry := range strings.FieldsSeq(group.codes) {
			entries++
			if code := entry[:3]; strings.Trim(code, "abcdefghijklmnopqrstuvwxyz") != "" || code != strings.TrimRight(entry[:min(4, len(entry))], ":=") {
				t.Errorf("entry %q does not begin with a code", entry)
			}
		}
	}
	for _, c := range currencies {
		if c.accepted {
			accepted++
		}
	}
	if len(currencies) != entries || accepted != 141 {
		t.Errorf("%d codes in %d entries, %d accepted", len(currencies), entries, accepted)
	}
	for _, s := range signs {
		if seen[s.text] {
			t.Errorf("sign %q has two entries", s.text)
		}
		seen[s.text] = true
	}
}

func TestSign(t *testing.T) {
	for code, want := range map[string]string{"gbp": "£", "USD": "$", "eur": "€", "inr": "₹", "jpy": "¥", "krw": "", "aud": "", "xxx": "", "": ""} {
		if got := Sign(code); got != want {
			t.Errorf("Sign(%q) = %q, want %q", code, got, want)
		}
		if got := OfSign(want); want != "" && got != strings.ToLower(code) {
			t.Errorf("OfSign(%q) = %q, want %q", want, got, code)
		}
	}
	for _, text := range []string{"", "US$", "₩", "Rs", "kr", "££", "gbp"} {
		if got := OfSign(text); got != "" {
			t.Errorf("OfSign(%q) = %q, want none", text, got)
		}
	}
}

func TestFind(t *testing.T) {
	for number, want := range map[string]string{
		"£5": "gbp", "5 €": "eur", "$5": "usd", "US$ 5": "usd", "CA$5": "cad", "C$5": "cad", "A$5": "aud", "AU$5": "aud", "NT$5": "twd",
		"S$5": "sgd", "HK$5": "hkd", "R$ 5,00": "brl", "Rs. 5": "inr", "RM5": "myr", "5 zł": "pln", "₩500": "krw", "GBP 5": "gbp", "5 CHF": "chf",
		"5": "", "5 kr": "", "1e3": "", "5 chf": "", "Fr. 5": "",
	} {
		if got := Find(number); got != want {
			t.Errorf("Find(%q) = %q, want %q", number, got, want)
		}
	}
}

func TestPrefix(t *testing.T) {
	for text, want := range map[string]int{
		"£5": 2, "₿5": 3, "US$5": 3, "CA$ 5": 3, "NT$5": 3, "kr. 5": 3, "kr 5": 2, "kroner": 0, "Rs.5": 3, "лв. 5": 5, "Fr. 5": 3, "Fr 5": 0,
		"GBP 5": 3, "GBP": 3, "GBPX": 0, "gbp 5": 0, "Gbp 5": 0, "ZWL5": 3, "STD 5": 0, "XXX 5": 0, "GB": 0, "": 0, "5 GBP": 0, "лв": 4,
	} {
		if got := Prefix(text); got != want {
			t.Errorf("Prefix(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, row := range []struct {
		text, code string
		want       int64
	}{
		{"12.50", "usd", 1250}, {"12.5", "usd", 1250}, {"12", "usd", 1200}, {"0", "usd", 0}, {"0.07", "usd", 7}, {"-3", "usd", -300},
		{" $1,234.50 ", "usd", 123_450}, {"-$5", "usd", -500}, {"USD 5", "usd", 500}, {"1234567.89", "usd", 123_456_789},
		{"500", "jpy", 500}, {"1,000,000", "krw", 1_000_000}, {"1.25", "kwd", 1250}, {"1,25", "kwd", 1250}, {"1,234,567", "kwd", 1_234_567_000}, {"£18.50", "gbp", 1850},
		{"12,50", "eur", 1250}, {"12,5", "eur", 1250}, {"€ 1.234,50", "eur", 123_450}, {"-0,07", "usd", -7}, {"1,250", "eur", 125_000}, {"1.234.567,89", "eur", 123_456_789}, {"92233720368547758.07", "usd", 9_223_372_036_854_775_807},
	} {
		if got, err := Parse(row.text, row.code); got != row.want || err != nil {
			t.Errorf("%q in %s: %d, %v, want %d", row.text, row.code, got, err, row.want)
		}
	}
	for _, text := range []string{"", " ", "-", ".", "5.", ".5", ",5", "5,", "12.34,50", "1.234,5,0", "1,23,456", "1,2345", ",500", "1 000", "1e3", "0x5", "£5", "5$", "--5", "+5", "१", "12.505", "92233720368547758.08", "NaN", "1.2.3"} {
		if got, err := Parse(text, "usd"); err == nil {
			t.Errorf("%q: %d, want an error", text, got)
		}
	}
	if _, err := Parse("1.5", "jpy"); err == nil || err.Error() != "must have no decimals" {
		t.Errorf("decimals of JPY: %v", err)
	}
	if n, err := Parse("1,234", "kwd"); err == nil {
		t.Errorf("1,234 KWD is %d, and may be 1.234", n)
	}
}

package sheet

import (
	"errors"
	"math/big"
	"strconv"
	"strings"
	"testing"
)

// Unambiguous numbers are parsed alike in any column.
func TestParseDecimal(t *testing.T) {
	for in, want := range map[string]string{
		"0": "0", "7": "7", "007": "7", "-7": "-7", "+7": "7", "  7\u00a0": "7", "7.": "7", ".5": "0.5", ",5": "0.5", "-.5": "-0.5",
		"4.5": "4.5", "4,5": "4.5", "4.50": "4.5", "0.125": "0.125", "0,125": "0.125", "1234.567": "1234.567", "1234,567": "1234.567",
		"12.3456": "12.3456", "1,50": "1.5", "100": "100", "1000000": "1000000",
		"1,234.50": "1234.5", "1.234,50": "1234.5", "1,234,567": "1234567", "1.234.567": "1234567", "1,234,567.891": "1234567.891",
		"1 800,00": "1800", "1\u00a0800,00": "1800", "1\u202f234\u202f567.8": "1234567.8", "1 234": "1234", "1'234.50": "1234.5", "1’234’567": "1234567", "1 234.567": "1234.567",
		"$4,53,375.00": "453375", " $5,29,550.00 ": "529550", "1,00,00,000": "10000000", "₹1,23,456.7": "123456.7",
		"$3.00 ": "3", "£1,234.50": "1234.5", "€ 1.234,50": "1234.5", "1.234,50 €": "1234.5", "R$ 18,90": "18.9", "US$ 5": "5", "kr 5,50": "5.5", "5,50 kr.": "5.5",
		"12,50 zł": "12.5", "CHF 12.50": "12.5", "EUR12,50": "12.5", "12.50EUR": "12.5", "Rs. 120": "120", "120 руб.": "120", "¥1200": "1200", "-$5.00": "-5", "$-5.00": "-5", "- 5": "-5",
		"(1,234.50)": "-1234.5", "($5.00)": "-5", "$(5.00)": "-5", "( 5 )": "-5", "5.00-": "-5", "\u22125": "-5",
		"$-": "0", " $ -   ": "0", "€ –": "0", "-€": "0",
		"12,-": "12", "12,–": "12", "12,—": "12", "12,--": "12", "5.–": "5", "3.-": "3", "SFr. 12.–": "12", "CHF 12.—": "12", "CHF 1'200.–": "1200", "kr. 1.234,-": "1234",
		"-12,-": "-12", "(5.-)": "-5", "12,- €": "12", "1,234.-": "1234", "12-": "-12", "12,50-": "-12.5", "12,50 -": "-12.5", "12 -": "-12",
		"20%": "0.2", "20.00 %": "0.2", "-2,5%": "-0.025", "100%": "1", "(5%)": "-0.05",
		"5.01E+12": "5010000000000", "1e3": "1000", "1.5E-3": "0.0015", "2E0": "2",
		"999999999999999999": "999999999999999999", "0.000000000000000001": "0.000000000000000001",
	} {
		for name, n := range map[string]*Numbers{"alone": nil, "comma": {Fallback: ','}, "point": {Fallback: '.'}, "mixed": {commas: 1, points: 1}} {
			got, err := n.ParseDecimal(in)
			if err != nil || got.String() != want {
				t.Errorf("%s: ParseDecimal(%q) = %s, %v; want %s", name, in, got, err, want)
			}
		}
	}
}

func TestParseDecimalRefusesOtherTexts(t *testing.T) {
	for _, in := range []string{
		"", " ", "-", "–", "$", "€", "%", "()", "(-)", "abc", "12abc", "abc12", "5 pcs", "5 PCS", "3 cup", "2 Try", "1.2.3", "1,2,3", "12.03.2024", "2024-03-12", "03/12/24",
		"9:30", "1,23,45", "1,2345,678", "12 34", "1  234", "1 2345", "1,,234", "1..5", "1,234,5", "1.234.5", "1.234,5,6", "1,234.5.6", "1,234.567.890", "1 234,567,890", "1'23",
		"--5", "-(5)", "5-5", "-5-", "+-5", "(5", "5)", "((5))", "$5$", "$€5", "$20%", "5%%", "%5", "5+", "1e", "e5", "1e5e5", "1E999", "1,5E", "0x10", "½", "٥", "1_000", "#N/A", "NaN", "Inf",
		"12,-5", "12,50,-", "12.50.-", "1.234.-", "12,--5", ",-", ".–", "020 7946 0958", "4006381-333931", "12345678901234567890123", "EURO 5", "5 EURX", "A$$5", "1'234,56'7",
	} {
		if got, err := new(Numbers).ParseDecimal(in); err == nil {
			t.Errorf("ParseDecimal(%q) = %s, want an error", in, got)
		}
	}
}

func TestParseDecimalUsesTheColumn(t *testing.T) {
	for name, c := range map[string]struct {
		column   []string
		fallback rune
		want     string // what "1,234" and "1.234" are, or "?"
	}{
		"Nothing":        {nil, 0, "1234 1.234"},
		"NothingComma":   {nil, ',', "1.234 1234"},
		"Whole":          {[]string{"5", "17", "x"}, ',', "1.234 1234"},
		"Points":         {[]string{"4.50", "5"}, ',', "1234 1.234"},
		"Commas":         {[]string{"4,50", "5"}, 0, "1.234 1234"},
		"CommaGroups":    {[]string{"1,234,567"}, ',', "1234 1.234"},
		"PointGroups":    {[]string{"1.234.567"}, 0, "1.234 1234"},
		"Both":           {[]string{"1,234.50"}, ',', "1234 1.234"},
		"OpenAreNoProof": {[]string{"2,345", "3.456"}, ',', "1.234 1234"},
		"Contradiction":  {[]string{"4,50", "4.50"}, 0, "? ?"},
		"FewSlips":       {[]string{"4,50", "1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5", "10.5"}, ',', "1234 1.234"},
		"TooManySlips":   {[]string{"4,50", "1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5"}, ',', "? ?"},
		"CommaDash":      {[]string{"12,-"}, '.', "1.234 1234"},
		"PointDash":      {[]string{"12.–"}, ',', "1234 1.234"},
		"Indian":         {[]string{"4,53,375"}, ',', "1234 1.234"},
		"Percent":        {[]string{"20,00%"}, 0, "1.234 1234"},
	} {
		t.Run(name, func(t *testing.T) {
			n := Numbers{Fallback: c.fallback}
			for _, text := range c.column {
				n.Observe(text)
			}
			var got []string
			for _, text := range []string{"1,234", "1.234"} {
				d, err := n.ParseDecimal(text)
				if err != nil {
					got = append(got, "?")
				} else {
					got = append(got, d.String())
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
		})
	}
}

func TestParseDecimalErrors(t *testing.T) {
	mixed := &Numbers{}
	mixed.Observe("1,5")
	mixed.Observe("1.5")
	for in, want := range map[string]string{
		"abc":                       `"abc" is not a number`,
		strings.Repeat("x", 50):     `"` + strings.Repeat("x", 39) + `…" is not a number`,
		"1,234":                     `"1,234" can be read in two ways, since other cells of the column have a comma before the decimals, and others a point`,
		"1234567890123456789012345": `"1234567890123456789012345": the number has too many digits`,
	} {
		if _, err := mixed.ParseDecimal(in); err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", in, err, want)
		}
	}
}

func TestDecimalUnits(t *testing.T) {
	for _, c := range []struct {
		d      Decimal
		places int
		want   int64
		err    error
	}{
		{Decimal{0, 0}, 2, 0, nil},
		{Decimal{45, -1}, 2, 450, nil},
		{Decimal{-45, -1}, 2, -450, nil},
		{Decimal{125, -1}, 0, 0, ErrPlaces},
		{Decimal{1234, -3}, 2, 0, ErrPlaces},
		{Decimal{1230, -3}, 2, 123, nil},
		{Decimal{1234, -3}, 3, 1234, nil},
		{Decimal{5, 3}, 2, 500_000, nil},
		{Decimal{9, 18}, 0, 9_000_000_000_000_000_000, nil},
		{Decimal{9, 18}, 1, 0, ErrRange},
		{Decimal{-9, 18}, 1, 0, ErrRange},
		{Decimal{1, 99}, 2, 0, ErrRange},
		{Decimal{1, -99}, 2, 0, ErrPlaces},
	} {
		if got, err := c.d.Units(c.places); got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%v.Units(%d) = %d, %v; want %d, %v", c.d, c.places, got, err, c.want, c.err)
		}
	}
}

func TestParseDecimalIsCanonical(t *testing.T) {
	n := new(Numbers)
	first, _ := n.ParseDecimal("1200")
	for _, text := range []string{"1200.00", "1.2E3", "120000%", "$1,200.0", "01200"} {
		if d, err := n.ParseDecimal(text); err != nil || d != first {
			t.Errorf("ParseDecimal(%s) = %+v, %v; want %+v", text, d, err, first)
		}
	}
}

// FuzzNumber checks that a parsed number has the digits of the text in their order, can be
// formatted and parsed again, and equals the result of math/big for texts that both
// accept.
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{"1,234.50", "$4,53,375.00", "(5)", "1 800,00", "20%", "5.01E+12", "R$ -", "1.234", "-,5", "1’234", "0,0,0", "kr.5", "5.", "99999999999999999999"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, comma bool) {
		n := Numbers{}
		if comma {
			n.Fallback = ','
		}
		n.Observe(text)
		d, err := n.ParseDecimal(text)
		if err != nil {
			return
		}
		if d.Mantissa != 0 && d.Mantissa%10 == 0 {
			t.Fatalf("%q: got %+v, want no zeros at the end of the mantissa", text, d)
		}
		if again, err := new(Numbers).ParseDecimal(plainForm(d)); err != nil || again != d {
			t.Fatalf("%q: got %s, which is parsed as %s, %v", text, d, again, err)
		}
		if !strings.ContainsAny(text, "eE") && !strings.Contains(digitsOf(text), strings.TrimLeft(digitsOf(strconv.FormatInt(d.Mantissa, 10)), "0")) {
			t.Fatalf("%q: got %+v with other digits", text, d)
		}
		if strings.Trim(text, "0123456789.-") == "" && !comma {
			if want, ok := new(big.Rat).SetString(text); ok && rat(d).Cmp(want) != 0 {
				t.Fatalf("%q: got %s, want %s", text, d, want)
			}
		}
	})
}

// plainForm returns an unambiguous text of the number, with an exponent.
func plainForm(d Decimal) string {
	return strconv.FormatInt(d.Mantissa, 10) + "E" + strconv.Itoa(d.Exponent)
}

func digitsOf(text string) string {
	return strings.Map(func(r rune) rune {
		if isDigit(r) {
			return r
		}
		return -1
	}, text)
}

func rat(d Decimal) *big.Rat {
	r, _ := new(big.Rat).SetString(plainForm(d))
	return r
}

func BenchmarkParseDecimal(b *testing.B) {
	n := new(Numbers)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := n.ParseDecimal("$1,234.50"); err != nil {
			b.Fatal(err)
		}
	}
}

package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// sizesOf returns the sizes of a name as text, such as "250 weight".
func sizesOf(name string) string {
	var out []string
	for _, s := range parse(name).sizes {
		out = append(out, fmt.Sprintf("%.4g %s", s.value, dimensionNames[s.dim]))
	}
	return strings.Join(out, ", ")
}

// sizeTests maps names to their sizes.
var sizeTests = map[string]string{
	"Tea 250g":               "250 weight",
	"Tea 250 g":              "250 weight",
	"Tea 250-g":              "250 weight",
	"Tea 250 gr. bag":        "250 weight",
	"Tea 0.25kg":             "250 weight",
	"Tea 0,25 kg":            "250 weight",
	"Tea 0,250 kg":           "250 weight",
	"Tea .25 kg":             "250 weight",
	"Tea 1,000 g":            "1000 weight",
	"Tea 1.000,5 g":          "1000 weight",
	"Tea 1,000.5 g":          "1000 weight",
	"Tea 1.000.000 g":        "1e+06 weight",
	"Tea 8.8 oz":             "249.5 weight",
	"Tea 8.8 oun":            "249.5 weight",
	"Tea bags 8 cou":         "8 pack",
	"Tea bags 8 pac":         "8 pack",
	"Tea 1 lb. tin":          "453.6 weight",
	"Tea 500mg":              "0.5 weight",
	"чай 250 г":              "250 weight",
	"茶 250克":                 "250 weight",
	"شاي ٢٥٠ g":              "250 weight",
	"Cola 330ml":             "330 volume",
	"Cola 33cl":              "330 volume",
	"Cola 0.33 L":            "330 volume",
	"Cola 1/2 l":             "500 volume",
	"Cola ½ l":               "500 volume",
	"Cola 1½l":               "1500 volume",
	"Cola 1 1/2 liter":       "1500 volume",
	"Cola 12 fl oz":          "354.9 volume",
	"Cola 12 fl. oz.":        "354.9 volume",
	"Cola 12floz":            "354.9 volume",
	"Cola 12 fluid ounces":   "354.9 volume",
	"Milk 1 gal":             "3785 volume",
	"Milk 1/2 Gallon":        "1893 volume",
	"Milk 1 pint":            "473.2 volume",
	"Cable 10ft":             "3048 length",
	"Cable 3 m":              "3000 length",
	`TV 52"`:                 "1321 length",
	"TV 52″":                 "1321 length",
	"TV 52 inch":             "1321 length",
	"TV 52-in. black":        "1321 length",
	"Towel 50 x 100 cm":      "500 length, 1000 length",
	"Lens 18-70mm":           "18 length, 70 length",
	"Ruler 12 in":            "304.8 length",
	"Grill 22-1/2 inch":      "571.5 length",
	"Bulb 60W":               "60 power",
	"Kettle 1.5kW":           "1500 power",
	"Stick 2GB":              "2000 storage",
	"Stick 2048 MB":          "2000 storage",
	"Disk 250GB":             "2.5e+05 storage",
	"Disk 1 TB":              "1e+06 storage",
	"Bank 10Ah":              "1e+04 charge",
	"Phone 5.8 GHz":          "5800 frequency",
	"Battery 9V":             "9 voltage",
	"Camera 12MP":            "12 resolution",
	"Milk 2%":                "2 percentage",
	"Milk 2 percent":         "2 percentage",
	"Cola 6 x 330ml":         "330 volume, 6 pack",
	"Cola 6x330ml":           "330 volume, 6 pack",
	"Cola 6 × 330 ml":        "330 volume, 6 pack",
	"Cola 6*330ml":           "330 volume, 6 pack",
	"Cola 330ml x 6":         "330 volume, 6 pack",
	"Cola 330ml x6":          "330 volume, 6 pack",
	"Cola 330ml (6 pack)":    "330 volume, 6 pack",
	"Cola 4 x 6 x 330ml":     "330 volume, 24 pack",
	"Cola 1 x 330ml":         "330 volume",
	"Eggs 12ct":              "12 pack",
	"Eggs 12 Count":          "12 pack",
	"Eggs 1 dozen":           "12 pack",
	"Eggs 12-pack":           "12 pack",
	"Eggs 12 pk":             "12 pack",
	"Eggs pack of 12":        "12 pack",
	"Eggs (box of 12)":       "12 pack",
	"Eggs x12":               "12 pack",
	"Eier 6er-Pack":          "6 pack",
	"Eier 6er Packung":       "6 pack",
	"Eier 6 Stück":           "6 pack",
	"Twin pack eggs":         "2 pack",
	"Six-pack of beer":       "6 pack",
	"Wipes 2 x 80 pcs":       "160 pack",
	"Tea/500g":               "500 weight",
	"Tea 100 g, pack of 4":   "100 weight, 4 pack",
	"Tea pack of 4 100 g":    "100 weight, 4 pack",
	"Tea 250g 0.25 kg":       "250 weight",
	"Cola 24 cans 330ml":     "330 volume, 24 pack",
	"Tissue 9 Rolls":         "9 pack",
	"Cola 1 000 g":           "1000 weight",
	"Cola 10\u00a0000 mAh":   "1e+04 charge",
	"Cola 2 500 g":           "500 weight",
	"Cola 1.5 000 g":         "",
	"Cola 1 000.5 g":         "0.5 weight",
	"Cola 1 000 Joghurt":     "",
	"iPad 9 tablet":          "",
	"Tea":                    "",
	"18-in-1 soap":           "",
	"3 in 1 soap":            "",
	"24/7 cat litter":        "",
	"10/100 switch":          "",
	"7.2 channel":            "",
	"802.11 g router":        "",
	"KX5L":                   "",
	"Tea 0 g":                "",
	"Tea 1.5 pack":           "",
	"Tea 1,2,3.4 g":          "123.4 weight",
	"Tea 1.2,3,4 g":          "",
	"x x x":                  "",
	"6 x":                    "",
	"pack of":                "",
	"1/0 l":                  "",
	"99999999999999 pack":    "",
	"Tea " + nines + " g":    "",
	"1 x 2 x 3 x 4 x 5 x 6":  "",
	"Gauze 99999 x 99 g":     "99 weight",
	"Set of 4 x 50 ml":       "50 volume, 4 pack",
	"Battery 2 x 3000mAh":    "3000 charge, 2 pack",
	"Battery 4 pack 3000mAh": "3000 charge, 4 pack",
}

func TestParseSizes(t *testing.T) {
	t.Parallel()
	for name, want := range sizeTests {
		if got := sizesOf(name); got != want {
			t.Errorf("sizes of %.40q: got %q, want %q", name, got, want)
		}
	}
}

var nines = strings.Repeat("9", 400)

func TestParseWords(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Crème Brûlée":                   "creme brulee",
		"Chili w/ Beans":                 "chili with beans",
		"Peas w/o salt":                  "peas without salt",
		"Peas w/out salt":                "peas without salt",
		"Wi-Fi W/B 2":                    "wi fi with b 2",
		"CREME\u0301 BRU\u0302LE\u0301E": "creme brulee",
		"Weißwurst":                      "weisswurst",
		"ﬁne ﬂour":                       "fine flour",
		"Ærø Œuf Łódź smørrebrød":        "aero oeuf lodz smorrebrod",
		"İstanbul ısı":                   "istanbul isi",
		"ΟΔΟΣ οδός":                      "οδοσ",
		"ガラス":                            "カ\u3099ラス",
		"हिन्दी":                         "हिन्दी",
		"שָׁלוֹם":                        "שלום",
		"Ｆｕｌｌ　１２３":                       "full 123",
		"Brand™ Name® ©2020":             "brand name 2020",
		"zero\u200bwidth so\u00adft":     "zerowidth soft",
		"👩\u200d🍳 pan":                   "pan",
		"Kellogg's Ben & Jerry’s":        "kelloggs ben jerrys",
		"<b>Tea</b>&amp;<br/>Cake":       "tea cake",
		"a < b <3 <":                     "a b 3",
		"<unclosed tea":                  "unclosed tea",
		"Wireless-G 5-Port win/mac":      "wireless g 5 port win mac",
		"F8N044-SLV f8n044slv":           "f8n044slv",
		"KX-TG4323B":                     "kxtg4323b",
		"010-10747-03":                   "0101074703",
		"1EE0.052.02":                    "1ee005202",
		"htz515/xaa":                     "htz515xaa",
		"7.10 v10 10.0":                  "7.10 10 10",
		"32/32":                          "32 32",
		"cs3 cs3 5% 5%":                  "cs3 5%",
		"S21+ 4+ C++ a+b + 5 +":          "s21 plus 4 c a b 5",
		"cs3 mp3 4x4":                    "cs3 mp3 4x4",
		"24/7":                           "24 7",
		"2% Milk 12.50 percent":          "2% milk 12.5%",
		"tea tea TEA":                    "tea",
		"\xff\xfetea\x80":                "tea",
		"":                               "",
		"'''":                            "",
		"rock'":                          "rock",
		"it's-1a":                        "its1a",
		"Cards 2007 Win 98 Me/2000/XP":   "cards 2007 win",
		"Cards Windows XP":               "cards windows xp",
		"Cards win98 and xp and more":    "cards win and more",
		"No. 5 no sugar":                 "5 no sugar",
		"Polish for windows 8 10 oz":     "polish for windows 8",
	} {
		got := parse(name)
		if joined := strings.Join(got.words, " "); joined != want {
			t.Errorf("words of %q: got %q, want %q", name, joined, want)
		}
	}
}

func TestParseIsBounded(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"word ", "x1 ", "1 x ", "6 x 330ml ", "-", "'", "<b>", "&amp;", "½", "1/2 ", "\u0301", "ﷺ", "ab-1/", "語"} {
		long := strings.Repeat(unit, 100_000/len(unit))
		if folded := fold(long); len(folded) > 20*maxName || len(lex(folded)) > maxLexemes {
			t.Errorf("%q: %d bytes, %d lexemes, want bounded", unit, len(folded), len(lex(folded)))
		}
		got := parse(long)
		if len(got.words) > maxWords || len(got.sizes) > maxSizes {
			t.Errorf("%q: %d words, %d sizes, want bounded", unit, len(got.words), len(got.sizes))
		}
		for _, w := range got.words {
			if len(w) > maxWord {
				t.Errorf("%q: got a word of %d bytes, want at most %d", unit, len(w), maxWord)
			}
		}
	}
	for n := range 12 { // truncate must not cut within a character
		if got := truncate("aé語😀", n); !strings.HasPrefix("aé語😀", got) || strings.ToValidUTF8(got, "?") != got || len(got) > n {
			t.Errorf("truncate to %d: got %q", n, got)
		}
	}
}

func TestKeyIsEqualForOtherSpellings(t *testing.T) {
	t.Parallel()
	for _, same := range [][]string{
		{"Cola 6 x 330 ml", "COLA 33cl (pack of 6)", "cola, 0.33l x 6", "6x 330 ml cola"},
		{"Krönung 1/2 kg", "kronung 500g", "KRÖNUNG ½ kg"},
		{"Sleeve F8N044-SLV", "sleeve f8n044slv"},
	} {
		for _, other := range same[1:] {
			if a, b := parse(same[0]).key(), parse(other).key(); a != b {
				t.Errorf("key of %q is %q, of %q is %q, want the same", same[0], a, other, b)
			}
		}
	}
	keys := []string{"cola 6 x 330ml", "cola 330ml", "cola", "cola 6", "cola 330 g", "zero cola", "cola zero", "cola z ero", "windows 7 8", "windows 10 11"}
	seen := map[string]string{}
	for _, name := range keys {
		k := parse(name).key()
		if other, ok := seen[k]; ok {
			t.Errorf("%q and %q have the same key", name, other)
		}
		seen[k] = name
	}
	if k := parse("500 g").key(); k != "" {
		t.Errorf("key of a size without words is %q, want none", k)
	}
}

func TestCompareSizes(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b  string
		agree int
		left  int
		right int
		clash string
	}{
		{"1 l", "1000ml", 1, 0, 0, ""},
		{"1 l", "1.019 l", 1, 0, 0, ""},
		{"1 l", "1.03 l", 0, 0, 0, "volume"},
		{"250 g", "500 g", 0, 0, 0, "weight"},
		{"250 g", "", 0, 1, 0, ""},
		{"", "250 g", 0, 0, 1, ""},
		{"250 g", "250 ml", 0, 1, 1, ""},
		{"12 oz", "12 fl oz", 1, 0, 0, ""},
		{"355 ml", "12 oz", 1, 0, 0, ""},
		{"12 oz", "1 l", 0, 0, 0, "volume"},
		{"12 oz", "340 g", 1, 0, 0, ""},
		{"12 oz 340 g", "355 ml", 1, 0, 0, ""},
		{"12 oz 1 kg", "355 ml", 1, 1, 0, ""},
		{"6 x 330ml", "330ml x 6", 2, 0, 0, ""},
		{"6 x 330ml", "330ml", 1, 0, 0, "pack"},
		{"330ml", "6 x 330ml", 1, 0, 0, "pack"},
		{"6 x 330ml", "4 x 330ml", 1, 0, 0, "pack"},
		{"4 x 250 ml", "1 l", 0, 0, 0, "pack"},
		{"6 pack", "330ml", 0, 0, 1, "pack"},
		{"6 pack", "2 m", 0, 1, 1, ""},
		{"6 pack", "", 0, 1, 0, ""},
		{"50 x 100 cm", "100 x 50 cm", 1, 0, 0, ""},
		{"50 x 100 cm", "100 cm", 1, 0, 0, ""},
		{"50 x 100 cm", "50 x 120 cm", 0, 0, 0, "length"},
		{"2% 1 l", "1% 1 l", 1, 0, 0, "percentage"},
		{"", "", 0, 0, 0, ""},
	} {
		for k, got := range []sizeComparison{compareSizes(parse(test.a).sizes, parse(test.b).sizes), compareSizes(parse(test.b).sizes, parse(test.a).sizes)} {
			if k == 1 {
				got.onlyLeft, got.onlyRight = got.onlyRight, got.onlyLeft
			}
			want := sizeComparison{agree: test.agree, onlyLeft: test.left, onlyRight: test.right, conflict: test.clash != ""}
			if want.conflict {
				want.dim = dimension(slices.Index(dimensionNames[:], test.clash))
			}
			if got != want {
				t.Errorf("%q, %q (swapped: %v): %+v, want %+v", test.a, test.b, k == 1, got, want)
			}
		}
	}
}

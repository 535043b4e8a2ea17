package money

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type currency struct {
	decimals int    // of an amount, as Stripe counts; 2 if Stripe does not accept the currency
	accepted bool   // by Stripe (E6)
	inUse    bool   // Prefix accepts its code in files
	sign     string // before amounts in answers; empty: they have the code
}

// table has each currency once. After the code come the signs that files write: with an
// equals sign if answers write the sign, too, else with a colon.
var table = []struct {
	currency
	codes string
}{
	// ISK and UGX are here because Stripe counts hundredths of them.
	{currency{decimals: 2, accepted: true, inUse: true}, `
		aed afn all amd ang aoa ars aud:A$:AU$ awg azn bam bbd bdt bgn bmd bnd bob brl:R$ bsd btn bwp byn bzd
		cad:C$:CA$ cdf chf cny cop crc cve czk:Kč dkk dop dzd egp etb eur=€ fjd fkp gbp=£ gel gip gmd gtq gyd
		hkd:HK$ hnl htg huf:Ft idr ils:₪ inr=₹:Rs:Rs. isk jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl mad mdl
		mkd mmk mnt mop mur mvr mwk mxn:MX$ myr:RM mzn nad ngn:₦ nio nok npr nzd:NZ$ pab pen pgk php:₱ pkr
		pln:zł qar ron rsd rub:₽ sar sbd scr sek sgd:S$ shp sle sos srd szl thb:฿ tjs top try:₺ ttd twd:NT$ tzs
		uah:₴ ugx usd=$:US$ uyu uzs wst xcd yer zar zmw`},
	{currency{decimals: 0, accepted: true, inUse: true}, "bif clp djf gnf jpy=¥ kmf krw:₩ mga pyg rwf vnd:₫ vuv xaf xof xpf"},
	{currency{decimals: 3, accepted: true, inUse: true}, "bhd jod kwd omr tnd"},
	{currency{decimals: 2, accepted: true}, "std svc"},
	{currency{decimals: 2, inUse: true}, "cup ern ghs iqd irr kpw lyd mru sdg ssp stn syp tmt ves zwl"},
}

// sharedSigns are signs in files that do not tell the currency: most belong to several.
const sharedSigns = "kr. kr lei лв. лв руб. руб SFr. Fr. Rp Lt"

type sign struct{ text, code string } // no code: one of sharedSigns

// currencies has the table by code in lower case. signs has all signs, the longest first,
// so that a sign within another (A$ in CA$) is not found.
var currencies, signs = index()

func index() (map[string]currency, []sign) {
	byCode, signs := map[string]currency{}, []sign{}
	for _, group := range table {
		for entry := range strings.FieldsSeq(group.codes) {
			c, code := group.currency, entry[:3]
			marks := strings.Split(entry[3:], ":")
			c.sign = strings.TrimPrefix(marks[0], "=")
			byCode[code], marks[0] = c, c.sign
			for _, mark := range marks {
				if mark != "" {
					signs = append(signs, sign{mark, code})
				}
			}
		}
	}
	for text := range strings.FieldsSeq(sharedSigns) {
		signs = append(signs, sign{text, ""})
	}
	slices.SortStableFunc(signs, func(a, b sign) int { return len(b.text) - len(a.text) })
	return byCode, signs
}

// Currency returns a code in lower case and reports whether Stripe accepts it (E6).
func Currency(code string) (string, bool) {
	code = strings.ToLower(code)
	return code, currencies[code].accepted
}

// Known returns a code in lower case and reports whether it is in the table.
func Known(code string) (string, bool) {
	code = strings.ToLower(code)
	_, ok := currencies[code]
	return code, ok
}

// Codes returns all codes of the table in order, in lower case.
func Codes() []string { return slices.Sorted(maps.Keys(currencies)) }

// Decimals returns how many digits an amount has after the point: 2 for a code that
// is not in the table.
func Decimals(code string) int {
	if c, ok := currencies[strings.ToLower(code)]; ok {
		return c.decimals
	}
	return 2
}

// Sign returns the sign that answers write before an amount, like "£" for "gbp", or
// "" if they write the code.
func Sign(code string) string { return currencies[strings.ToLower(code)].sign }

// OfSign returns the code whose Sign is text, or "".
func OfSign(text string) string {
	for _, s := range signs {
		if s.text == text && Sign(s.code) == text {
			return s.code
		}
	}
	return ""
}

// Find returns the code of the currency that the text of a number names, like "gbp" for
// "£ 5.00" and "5 GBP", or "".
func Find(number string) string {
	for _, s := range signs {
		if s.code != "" && strings.Contains(number, s.text) {
			return s.code
		}
	}
	letters := strings.TrimFunc(number, func(r rune) bool { return !unicode.IsLetter(r) })
	if len(letters) == 3 && letters == strings.ToUpper(letters) {
		return strings.ToLower(letters)
	}
	return ""
}

// Prefix returns the length in bytes of the sign or the code in capitals that text begins
// with, or 0. Before another letter it is not a sign or code.
func Prefix(text string) int {
	r, size := utf8.DecodeRuneInString(text)
	if unicode.Is(unicode.Sc, r) {
		return size
	}
	for _, s := range signs {
		if strings.HasPrefix(text, s.text) && !startsWithLetter(text[len(s.text):]) {
			return len(s.text)
		}
	}
	if len(text) >= 3 && strings.ToUpper(text[:3]) == text[:3] && currencies[strings.ToLower(text[:3])].inUse && !startsWithLetter(text[3:]) {
		return 3
	}
	return 0
}

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLetter(r)
}

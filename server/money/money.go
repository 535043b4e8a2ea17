// Package money has the one table of currencies: their codes, decimals and signs, and
// which of them Stripe accepts. It writes amounts, and finds the currency that a file
// writes beside them. Amounts are int64 minor units everywhere, as Stripe counts them.
package money

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// currency is what the table knows of one.
type currency struct {
	decimals int    // of its minor unit, as Stripe counts; 2 where Stripe does not accept it
	accepted bool   // by Stripe (E6)
	inUse    bool   // as cash, so that files write its code
	sign     string // with which answers show its amounts; empty: they show the code
}

// table has each currency once. Behind the code are the signs that files write, each
// with a colon before it, or with an equals sign if answers write it, too.
var table = []struct {
	currency
	codes string
}{
	// ISK and UGX have hundredths at Stripe, though nobody pays with them.
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

// sharedSigns are the signs in files that several currencies have, or that are not
// taken for one.
const sharedSigns = "kr. kr lei лв. лв руб. руб SFr. Fr. Rp Lt"

// sign is how a file marks an amount; code is empty for sharedSigns.
type sign struct{ text, code string }

// currencies has the rows of table by code in lower case, signs has all signs with
// the longest first, so that none is found in a longer one.
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

// Find returns the code of the currency that a number in a file is written with, like
// "gbp" for "£ 5.00" or "5 GBP", or "" if it names none.
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

// Prefix returns the length in bytes of the sign or the code in capital letters that
// text begins with, or 0. A letter after it makes it another word.
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

// Format writes an amount in minor units, like "GBP 1,234.50" or "JPY 500" (E6).
func Format(amount int64, code string) string {
	return strings.ToUpper(code) + " " + Digits(amount, Decimals(code))
}

// Plain is Format without the code, like "1,234.50".
func Plain(amount int64, code string) string {
	return Digits(amount, Decimals(code))
}

// Digits writes an integer that counts units of 10^-places, with a comma between
// thousands.
func Digits(n int64, places int) string {
	sign := ""
	digits := strconv.FormatInt(n, 10)
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	whole, rest := digits[:len(digits)-places], digits[len(digits)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest == "" {
		return sign + whole
	}
	return sign + whole + "." + rest
}

// Number writes an integer that counts units of 10^-places as JSON does: 450 with two
// places is 4.5.
func Number(n int64, places int) string {
	digits := strings.ReplaceAll(Digits(n, places), ",", "")
	if places == 0 {
		return digits
	}
	return strings.TrimRight(strings.TrimRight(digits, "0"), ".")
}

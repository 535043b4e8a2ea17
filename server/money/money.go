// Package money knows currencies: which there are, how many decimals their amounts
// have, and how an amount is written. Amounts are int64 minor units everywhere, as
// Stripe counts them.
package money

import (
	"strconv"
	"strings"
)

// withoutDecimals and withThree are the currencies whose minor unit is not a
// hundredth, as Stripe counts them: ISK and UGX have hundredths there, though
// nobody pays with them.
var (
	withoutDecimals = codes("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf")
	withThree       = codes("bhd jod kwd omr tnd")
)

// withTwo are all others that Stripe accepts.
var withTwo = codes(`
aed afn all amd ang aoa ars aud awg azn bam bbd bdt bgn bmd bnd bob brl bsd btn bwp byn bzd
cad cdf chf cny cop crc cve czk dkk dop dzd egp etb eur fjd fkp gbp gel gip gmd gtq gyd
hkd hnl htg huf idr ils inr isk jmd kes kgs khr kyd kzt lak lbp lkr lrd lsl
mad mdl mkd mmk mnt mop mur mvr mwk mxn myr mzn nad ngn nio nok npr nzd
pab pen pgk php pkr pln qar ron rsd rub sar sbd scr sek sgd shp sle sos srd std svc szl
thb tjs top try ttd twd tzs uah ugx usd uyu uzs wst xcd yer zar zmw`)

func codes(list string) map[string]bool {
	set := map[string]bool{}
	for _, code := range strings.Fields(list) {
		set[code] = true
	}
	return set
}

// Currency reads a code in any case and returns it in lower case; false for one
// that Stripe does not accept (E6).
func Currency(code string) (string, bool) {
	code = strings.ToLower(code)
	return code, withTwo[code] || withoutDecimals[code] || withThree[code]
}

// Decimals is how many digits stand after the point.
func Decimals(code string) int {
	code = strings.ToLower(code)
	switch {
	case withoutDecimals[code]:
		return 0
	case withThree[code]:
		return 3
	}
	return 2
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

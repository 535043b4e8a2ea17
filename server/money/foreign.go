package money

import (
	"slices"
	"strings"
	"unicode"
)

// shared are the signs that stand for several currencies, with all of them: in a shop of one of
// these the sign is its own. Find takes such a sign for the best known of them, or for none.
var shared = map[string][]string{
	"$": codesOf("usd ars aud bbd bmd bnd bsd bzd cad clp cop cve dop fjd gyd hkd jmd kyd lrd mop mxn nad nio nzd sbd sgd srd top ttd twd uyu wst xcd zwl"),
	"£": codesOf("gbp egp fkp gip lbp sdg shp ssp syp"), "¥": codesOf("jpy cny"), "Rs": codesOf("inr idr lkr mur npr pkr scr"),
	"kr": codesOf("sek nok dkk isk"), "lei": codesOf("ron mdl"), "лв": codesOf("bgn"), "руб": codesOf("rub byn"), "Rp": codesOf("idr"),
	"Fr": codesOf("chf bif djf gnf kmf rwf xaf xof xpf"), "SFr": codesOf("chf"), "Lt": nil,
}

func codesOf(text string) []string { return strings.Fields(text) }

// Foreign returns the sign or the code, as it is written, that the text of a number has if it
// cannot be that of a currency: "€" of "€4.20" for "gbp". It is empty if there is none, and for
// a currency that is not known. A sign that several currencies have, such as $, is each one's.
func Foreign(number, code string) string {
	code, ok := Known(code)
	if !ok {
		return ""
	}
	for _, s := range signs {
		if !strings.Contains(number, s.text) {
			continue
		}
		of, isShared := shared[strings.TrimRight(s.text, ".")]
		if s.code == code || isShared && slices.Contains(of, code) {
			return ""
		}
		return s.text
	}
	letters := strings.TrimFunc(number, func(r rune) bool { return !unicode.IsLetter(r) })
	if named, ok := Known(letters); ok && letters == strings.ToUpper(letters) {
		if named == code {
			return ""
		}
		return letters
	}
	// A sign that the table does not have may be that of a currency without one.
	if at := strings.IndexFunc(number, func(r rune) bool { return unicode.Is(unicode.Sc, r) }); at >= 0 && Sign(code) != "" {
		for _, r := range number[at:] {
			return string(r)
		}
	}
	return ""
}

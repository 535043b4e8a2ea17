// Package header compares the headings of columns as merchants write them: it
// folds spelling away, so that a list of words in small letters finds "UnitPrice",
// "unit_price" and "Unit Price (GBP)". Which words mean what is the business of the
// capabilities.
package header

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold writes a heading in small letters without accents, with one space for
// anything else than letters and digits, and between words that are written
// together: "UnitPrice" and "unit_price" are "unit price". A sign behind a word is one:
// "Item #" is "item number".
func Fold(heading string) string {
	var b strings.Builder
	var last rune
	for _, r := range norm.NFD.String(ligatures.Replace(heading)) {
		switch {
		case unicode.Is(unicode.Mn, r):
			continue
		case r == '#' && strings.TrimSpace(b.String()) != "":
			b.WriteString(" number")
			r = ' '
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			r = ' '
		case unicode.IsUpper(r) && unicode.IsLower(last):
			b.WriteByte(' ')
		}
		last = r
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ø", "o", "Ø", "O")

// Loose is Fold without what stands in brackets, and without the code of a common
// currency at the end: "Price (GBP)" and "Price EUR" are "price".
func Loose(heading string) string { return withoutCurrency(Fold(withoutBrackets(heading))) }

// withoutBrackets cuts what stands in brackets: "Price (GBP)", "In stock [Shop]".
func withoutBrackets(heading string) string {
	for _, pair := range []string{"()", "[]"} {
		for {
			i := strings.IndexByte(heading, pair[0])
			if i < 0 {
				break
			}
			j := strings.IndexByte(heading[i:], pair[1])
			if j < 0 {
				break
			}
			heading = heading[:i] + " " + heading[i+j+1:]
		}
	}
	return heading
}

func withoutCurrency(folded string) string {
	for _, code := range []string{" eur", " euro", " gbp", " usd", " chf", " brl", " inr", " cad", " aud", " mxn"} {
		if short, ok := strings.CutSuffix(folded, code); ok {
			return short
		}
	}
	return folded
}

// Words cuts a list of folded headings at its bars.
func Words(list string) []string {
	all := strings.Split(list, "|")
	for i, word := range all {
		all[i] = strings.TrimSpace(word)
	}
	return all
}

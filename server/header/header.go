// Package header normalizes the column names in a file's header row, so that lists of
// lower-case names match "UnitPrice", "unit_price" and "Unit Price (GBP)". The lists
// belong to the capabilities.
package header

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns name in lower case without accents. Everything except letters and digits
// becomes one space, and camel case is split: "UnitPrice" and "unit_price" become
// "unit price". A "#" after a word becomes "number": "Item #" is "item number". Initials
// lose their points: "R.R.P." is "rrp".
func Fold(name string) string {
	name = initials.ReplaceAllStringFunc(name, func(s string) string { return strings.ReplaceAll(s, ".", "") })
	var b strings.Builder
	var last rune
	for _, r := range norm.NFD.String(ligatures.Replace(name)) {
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

var initials = regexp.MustCompile(`\b(\p{L}\.){2,}`)

var ligatures = strings.NewReplacer("ß", "ss", "æ", "ae", "Æ", "Ae", "œ", "oe", "Œ", "Oe", "ø", "o", "Ø", "O")

// Loose is Fold without text in brackets, and without a common currency code at the
// end: "Price (GBP)" and "Price EUR" become "price".
func Loose(name string) string {
	name = squareBrackets.ReplaceAllString(brackets.ReplaceAllString(name, " "), " ")
	return currency.ReplaceAllString(Fold(name), "")
}

var (
	brackets       = regexp.MustCompile(`\([^)]*\)`)  // Price (GBP)
	squareBrackets = regexp.MustCompile(`\[[^\]]*\]`) // In stock [Shop]
	currency       = regexp.MustCompile(` (` + codes + `)$`)
	bracketed      = regexp.MustCompile(`(?i)[(\[]\s*(` + codes + `)\s*[)\]]`)
)

// codes are of currencies that headings end with, and no words.
const codes = "eur|euro|gbp|usd|chf|brl|inr|cad|aud|mxn|nzd|jpy|cny|sek|nok|dkk|pln|czk|huf|zar|ngn|kes|aed|sar|sgd|hkd"

// Currency returns the sign or the code of the currency that a heading names, like "€" of
// "Price (€)" and "USD" of "price_usd"; "" if it names none. A code stands last or in brackets.
func Currency(name string) string {
	if at := strings.IndexFunc(name, func(r rune) bool { return unicode.Is(unicode.Sc, r) }); at >= 0 {
		_, size := utf8.DecodeRuneInString(name[at:])
		return name[at : at+size]
	}
	code := bracketed.FindStringSubmatch(name)
	if code == nil {
		code = currency.FindStringSubmatch(Fold(name))
	}
	if code == nil {
		return ""
	}
	return strings.ToUpper(code[1][:3]) // of "euro", too
}

// Words returns the names in a list that separates them with "|".
func Words(list string) []string {
	all := strings.Split(list, "|")
	for i, name := range all {
		all[i] = strings.TrimSpace(name)
	}
	return all
}

// Set returns the set of the words of a text.
func Set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}

package tell

import (
	"math/big"
	"regexp"
	"slices"
	"strings"

	"svc/server/ask/compute"
)

// Figures are what a text may say: computed numbers, and names, dates and words of the
// question that have digits.
type Figures struct {
	Numbers []*big.Rat
	Names   []string
}

var (
	numberText = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)
	clockText  = regexp.MustCompile(`\b\d{1,2}:\d{2}\b`)
)

// Grounded returns the numbers in a text that are none of the figures (H1); if empty, the
// text may be shown. A number may be rounded to its own decimals, and its sign may be in
// words.
func Grounded(text string, f Figures) []string {
	names := slices.Clone(f.Names)
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) })
	for _, name := range names {
		if strings.ContainsAny(name, "0123456789") {
			text = without(text, name)
		}
	}
	text = clockText.ReplaceAllString(text, " ")
	var bad []string
	for _, written := range numberText.FindAllString(text, -1) {
		if !f.has(written) {
			bad = append(bad, written)
		}
	}
	return bad
}

// without removes a name from a text, except inside a longer number.
func without(text, name string) string {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return text
		}
		i += from
		end := i + len(name)
		if i > 0 && digitOrSign(text[i-1:i]) || end < len(text) && digitOrSign(text[end:end+1]) && end+1 < len(text) && isDigit(text[end+1]) || end < len(text) && isDigit(text[end]) {
			from = end
			continue
		}
		text = text[:i] + " " + text[end:]
		from = i + 1
	}
}

func digitOrSign(s string) bool { return strings.ContainsAny(s, "0123456789,.") }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func (f Figures) has(written string) bool {
	plain := strings.ReplaceAll(written, ",", "")
	places := 0
	if _, decimals, ok := strings.Cut(plain, "."); ok {
		places = len(decimals)
	}
	want, ok := new(big.Rat).SetString(plain)
	if !ok {
		return false
	}
	return slices.ContainsFunc(f.Numbers, func(n *big.Rat) bool {
		return n != nil && compute.Rounded(new(big.Rat).Abs(n), places).Cmp(compute.Rounded(want, places)) == 0
	})
}

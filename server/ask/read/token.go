package read

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"svc/server/ask/plan"
)

// token is a word or a number of a question.
type token struct {
	text   string // folded: lower case, no accents, no apostrophes
	stem   string
	raw    string // unchanged
	number float64
	kind   numberKind
}

// numberKind is how a number is written.
type numberKind int

const (
	noNumber numberKind = iota
	plainNumber
	moneyNumber
	percentNumber
	ordinalNumber
)

// plainText returns a text without accents and apostrophes.
func plainText(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(s, "ß", "ss")) {
		if !unicode.Is(unicode.Mn, r) && r != '\'' && r != '’' && r != '`' {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// words returns the words and numbers of a text. A date or a number keeps its inner signs:
// 2021-03-05, 3/5/21, 1,000.50, #1051.
func words(s string) []string {
	runes := []rune(plainText(s))
	var out []string
	for i := 0; i < len(runes); {
		if !wordRune(runes[i]) && !signRune(runes[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(runes) && (wordRune(runes[j]) && (j > i+1 || !signRune(runes[i]) || unicode.IsDigit(runes[j])) || isInnerSign(runes, j)) {
			j++
		}
		if j < len(runes) && runes[j] == '%' && unicode.IsDigit(runes[j-1]) {
			j++
		}
		if j > i+1 || !signRune(runes[i]) || runes[i] == '%' {
			out = append(out, splitUnit(string(runes[i:j]))...)
		}
		i = j
	}
	return out
}

func wordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// signRune reports whether a sign begins a number or is a word by itself.
func signRune(r rune) bool { return strings.ContainsRune("$£€#%", r) }

// isInnerSign reports whether the sign at j is between two digits.
func isInnerSign(runes []rune, j int) bool {
	if j == 0 || j+1 >= len(runes) || !unicode.IsDigit(runes[j-1]) || !unicode.IsDigit(runes[j+1]) {
		return j+1 < len(runes) && unicode.IsDigit(runes[j]) && strings.ContainsRune(".,/-:", runes[j-1])
	}
	return strings.ContainsRune(".,/-:", runes[j])
}

// splitUnit separates a number from the unit after it: 30days, but not 1.5k or 5pm.
func splitUnit(w string) []string {
	i := strings.IndexFunc(w, unicode.IsLetter)
	if i <= 0 || !unicode.IsDigit(rune(w[0])) {
		return []string{w}
	}
	switch strings.ToLower(w[i:]) {
	case "k", "m", "bn", "am", "pm", "p", "st", "nd", "rd", "th":
		return []string{w}
	}
	if slices.Contains([]string{"day", "days", "week", "weeks", "month", "months", "year", "years", "unit", "units"}, w[i:]) {
		return []string{w[:i], w[i:]}
	}
	return []string{w}
}

// tokens returns the tokens of a question.
func tokens(question string) []token {
	var out []token
	for _, raw := range words(question) {
		w := strings.ToLower(raw)
		t := token{text: w, stem: stem(w), raw: raw}
		t.number, t.kind = parseNumber(w)
		out = append(out, t)
	}
	return joinMillions(out)
}

// joinMillions joins 2 and million to one number.
func joinMillions(in []token) []token {
	times := map[string]float64{"thousand": 1e3, "grand": 1e3, "million": 1e6, "mil": 1e6, "billion": 1e9}
	var out []token
	for _, t := range in {
		if f, ok := times[t.text]; ok && len(out) > 0 && out[len(out)-1].kind != noNumber {
			last := &out[len(out)-1]
			if last.number *= f; last.number > plan.MaxNumber {
				last.number, last.kind = 0, noNumber
			}
			continue
		}
		if isPercent(t.text) && len(out) > 0 && out[len(out)-1].kind == plainNumber {
			out[len(out)-1].kind = percentNumber
			continue
		}
		out = append(out, t)
	}
	return out
}

func isPercent(w string) bool { return w == "%" || w == "percent" || w == "pct" }

var numberWords = map[string]float64{
	"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
	"eleven": 11, "twelve": 12, "dozen": 12, "fifteen": 15, "twenty": 20, "thirty": 30, "fifty": 50, "ninety": 90,
	"hundred": 100, "couple": 2,
}

// parseNumber reads 5, 1,000.50, $20, 1.5k, 10%, 3rd and number words.
func parseNumber(w string) (float64, numberKind) {
	if n, ok := numberWords[w]; ok {
		return n, plainNumber
	}
	kind := plainNumber
	if strings.ContainsAny(w[:1], "$£€") || strings.HasPrefix(w, "€") || strings.HasPrefix(w, "£") {
		kind, w = moneyNumber, strings.TrimLeft(w, "$£€")
	}
	if rest, ok := strings.CutSuffix(w, "%"); ok {
		kind, w = percentNumber, rest
	}
	if rest, ok := strings.CutSuffix(w, "p"); ok && kind == plainNumber && rest != "" && strings.Trim(rest, "0123456789") == "" {
		n, err := strconv.ParseFloat(rest, 64) // pence
		if err == nil && n < 1000 {
			return n / 100, moneyNumber
		}
	}
	times := 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "m": 1e6, "bn": 1e9} {
		if rest, ok := strings.CutSuffix(w, suffix); ok {
			w, times = rest, f
			break
		}
	}
	for _, suffix := range []string{"st", "nd", "rd", "th"} {
		if rest, ok := strings.CutSuffix(w, suffix); ok && rest != "" {
			w, kind = rest, ordinalNumber
			break
		}
	}
	if w == "" || !unicode.IsDigit(rune(w[0])) {
		return 0, noNumber
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(w, ",", ""), 64)
	if err != nil || n*times > plan.MaxNumber {
		return 0, noNumber
	}
	return n * times, kind
}

// stem returns a word without the ending of the plural, or of the possessive, whose
// apostrophe is gone.
func stem(w string) string {
	switch {
	case strings.HasSuffix(w, "ie") && len(w) > 4:
		return w[:len(w)-2] + "y"
	case len(w) < 4 || !strings.HasSuffix(w, "s"):
		return w
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "xes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "shes"):
		return w[:len(w)-2]
	case strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	}
	return w[:len(w)-1]
}

// key returns the form in which phrases are looked up: stems with one space between them.
func key(text string) string {
	var stems []string
	for _, w := range words(strings.ToLower(text)) {
		stems = append(stems, stem(w))
	}
	return strings.Join(stems, " ")
}

// keyOf returns the key of tokens.
func keyOf(ts []token) string {
	stems := make([]string, len(ts))
	for i, t := range ts {
		stems[i] = t.stem
	}
	return strings.Join(stems, " ")
}

// Words returns the words of a text, in lower case, as questions are split.
func Words(text string) []string { return words(strings.ToLower(text)) }

// Stem returns a word without the ending of the plural.
func Stem(w string) string { return stem(w) }

package link

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"svc/server/ask/english"
	"svc/server/ask/plan"
)

// possessive is the text of the token of a possessive ending.
const possessive = "'s"

// Tokenize returns the tokens of a question. A date, a time or a number keeps its inner
// signs (2021-03-05, 3/5/21, 1,000.50); a contraction becomes its words ("didn't": did, not);
// a possessive ending is a token by itself ("month's": month, 's).
func Tokenize(question string) []Token {
	s := scanner{text: question}
	for s.at < len(question) {
		s.next()
	}
	return s.out
}

// scanner cuts a text into tokens.
type scanner struct {
	text  string
	at    int // bytes
	quote int // quoted spans that began
	inner rune
	out   []Token
}

// next takes what begins at s.at: a quotation mark, a number, a word, a sign, or nothing.
func (s *scanner) next() {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	switch {
	case s.inner != 0 && r == s.inner:
		s.inner = 0
	case s.inner == 0 && closing(r) != 0 && strings.ContainsRune(s.text[s.at+size:], closing(r)):
		s.quote++
		s.inner = closing(r)
	case unicode.IsDigit(r) || strings.ContainsRune("$£€", r) && s.digitAt(s.at+size) || r == '.' && s.digitAt(s.at+size) && !s.wordBefore():
		s.number()
		return
	case unicode.IsLetter(r):
		s.word()
		return
	case strings.ContainsRune("%&+<>=#", r):
		s.sign(size)
		return
	}
	s.at += size
}

// closing returns the mark that ends a quotation which begins with r, or 0.
func closing(r rune) rune {
	switch r {
	case '"':
		return '"'
	case '“':
		return '”'
	case '«':
		return '»'
	}
	return 0
}

func (s *scanner) digitAt(i int) bool { return i < len(s.text) && s.text[i] >= '0' && s.text[i] <= '9' }

// wordBefore reports whether a letter or a digit is just before s.at.
func (s *scanner) wordBefore() bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// add appends the token from start to s.at.
func (s *scanner) add(start int, text string) *Token {
	raw := s.text[start:s.at]
	t := Token{Raw: raw, Text: text, Lemma: lemma(text), Start: start, End: s.at, Upper: isUpper(raw)}
	if s.inner != 0 {
		t.Quote = s.quote
	}
	s.out = append(s.out, t)
	return &s.out[len(s.out)-1]
}

func isUpper(s string) bool { return s == strings.ToUpper(s) && s != strings.ToLower(s) }

// sign takes one sign, or two that make a comparison: <=, >=, !=, <>.
func (s *scanner) sign(size int) {
	start := s.at
	s.at += size
	if c := s.text[start]; (c == '<' || c == '>') && s.at < len(s.text) && (s.text[s.at] == '=' || s.text[s.at] == '>') {
		s.at++
	}
	s.add(start, s.text[start:s.at])
}

// word takes a word. An apostrophe within it belongs to a contraction or a possessive.
func (s *scanner) word() {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		after, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && r != '_' && !(isApostrophe(r) && unicode.IsLetter(after)) {
			break
		}
		s.at += size
	}
	raw := s.text[start:s.at]
	if words := shared().splits[fold(raw)]; words != nil {
		s.contraction(start, words)
		return
	}
	if i := strings.LastIndexFunc(raw, isApostrophe); i > 0 && fold(raw[i:]) == "s" {
		end := s.at
		s.at = start + i
		s.add(start, fold(s.text[start:s.at]))
		s.at = end
		s.add(start+i, possessive).Lemma = possessive
		return
	}
	s.add(start, fold(raw))
	if r, size := utf8.DecodeRuneInString(s.text[s.at:]); size > 0 && isApostrophe(r) && strings.HasSuffix(raw, "s") && s.inner != '\'' {
		end := s.at + size // the customers' orders
		s.at = end
		s.add(end-size, possessive).Lemma = possessive
	}
}

// contraction adds the words of a contraction; the first has the text as typed.
func (s *scanner) contraction(start int, words []string) {
	for i, w := range words {
		t := s.add(start, w)
		if i > 0 {
			t.Raw, t.Start = "", s.at
		}
	}
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' || r == '‘' }

// number takes a number with its signs, and its unit apart: 30days is 30, days; 1.5k, 9am
// and 3rd are one token.
func (s *scanner) number() {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		isInner := strings.ContainsRune(".,/-:", r) && s.digitAt(s.at+size) && s.digitAt(s.at-1)
		if !unicode.IsDigit(r) && !isInner && !(s.at == start && !unicode.IsLetter(r)) {
			break
		}
		s.at += size
	}
	end := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			break
		}
		s.at += size
	}
	unit := fold(s.text[end:s.at])
	if timeUnits[lemma(unit)] > 0 {
		s.at = end
	}
	if unit == "" && s.at < len(s.text) && s.text[s.at] == '%' {
		s.at++
	}
	t := s.add(start, fold(s.text[start:s.at]))
	t.Number, t.Unit = parseNumber(t.Text)
}

// timeUnits are the days of units of time that may follow a number without a space.
var timeUnits = map[string]float64{"day": 1, "week": 7, "month": 30, "year": 365}

// multiples are what letters and words after a number multiply it with.
var multiples = map[string]float64{"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "thousand": 1e3, "grand": 1e3, "million": 1e6, "mil": 1e6, "billion": 1e9, "hundred": 100, "dozen": 12}

// parseNumber reads 5, 1,000.50, $20, 50p, 1.5k, 10% and 3rd; Unit is "" if the text is no
// number.
func parseNumber(text string) (float64, Unit) {
	unit, times := Plain, 1.0
	digits := strings.TrimLeft(text, "$£€")
	if digits != text {
		unit = Money
	}
	end := strings.LastIndexAny(digits, "0123456789") + 1
	switch suffix := digits[end:]; suffix {
	case "":
	case "%":
		unit = Percent
	case "st", "nd", "rd", "th":
		unit = Ordinal
	case "p":
		unit, times = Money, 0.01
	default:
		if times = multiples[suffix]; times == 0 || len(suffix) > 2 {
			return 0, ""
		}
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(digits[:end], ",", ""), 64)
	if err != nil || n*times > plan.MaxNumber {
		return 0, ""
	}
	return n * times, unit
}

// fold returns a text in lower case without accents and apostrophes.
func fold(s string) string {
	isPlain := true
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\'' || s[i] == '`' {
			isPlain = false
			break
		}
	}
	if isPlain {
		return strings.ToLower(s)
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(strings.ReplaceAll(s, "ß", "ss")) {
		if !unicode.Is(unicode.Mn, r) && !isApostrophe(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return b.String()
}

// ownLemma has words whose lemma would lose their meaning in a question about a shop, and
// plurals that english does not know.
var ownLemma = map[string]string{
	"left": "left", "found": "find", "us": "us", "feet": "foot", "means": "means", "better": "better", "best": "best",
	"goods": "goods", "sales": "sales", "takings": "takings", "earnings": "earnings", "savings": "savings", "data": "data",
	"does": "do", "did": "do", "has": "have", "had": "have", "less": "less", "lesser": "less",
}

// lemma returns the form in which a word is looked up: singular, present tense. Degrees of
// comparison are kept: "higher" and "highest" are not "high" in a question.
func lemma(w string) string {
	if own, ok := ownLemma[w]; ok {
		return own
	}
	base := english.Lemma(w)
	if base != w {
		if s := english.SensesOf(base); max(s.Adjective, s.Adverb) > max(s.Noun, s.Verb) && !strings.HasSuffix(w, "s") {
			return w
		}
		if strings.HasSuffix(w, "ves") && !strings.HasSuffix(base, "f") && english.IsNoun(w[:len(w)-3]+"f") {
			return w[:len(w)-3] + "f" // shelves
		}
		return base
	}
	if one, ok := strings.CutSuffix(w, "s"); ok && len(one) > 2 && english.IsNoun(one) && !strings.HasSuffix(one, "s") {
		return one
	}
	return w
}

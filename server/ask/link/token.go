package link

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/english"

	"svc/server/ask/plan"
	"svc/server/ask/when"
)

// possessive is the text of the token of a possessive ending.
const possessive = "'s"

// Tokenize returns the tokens of a question. A date, a time or a number keeps its inner
// signs (2021-03-05, 3/5/21, 1,000.50); a contraction becomes its words ("didn't": did, not);
// a possessive ending is a token by itself ("month's": month, 's).
func Tokenize(question string) []Token {
	out := make([]Token, 0, len(question)/5+1)
	scan(question, func(p piece) {
		raw := question[p.start:p.end]
		t := Token{Raw: raw, Text: p.text, Start: p.start, End: p.end, Quote: p.quote, Upper: isUpper(raw)}
		if t.Text == "" {
			t.Text = fold(raw)
		}
		if p.isNumber {
			t.Number, t.Unit = parseNumber(t.Text)
		}
		isUS := t.Text == "us" && len(out) > 0 && out[len(out)-1].Text == "the"
		t.Upper = t.Upper && (t.Text != "us" || question != strings.ToUpper(question)) || isUS || t.Text == "uk"
		t.Lemma = lemma(t.Text)
		t.Mark = markBefore(question, out, p.start)
		t.Fixes = fixes(t)
		if len(t.Fixes) == 1 && slices.Contains(questionWords, t.Fixes[0]) {
			t.Text, t.Lemma, t.Fixes = t.Fixes[0], t.Fixes[0], nil // wich, of which a source may have its own meaning
		}
		out = append(out, t)
	})
	putNumbersFirst(out)
	return out
}

// putNumbersFirst moves a number within a superlative of several words before it: of the worst 3
// sellers to 3 worst sellers.
func putNumbersFirst(tokens []Token) {
	for i := 0; i+2 < len(tokens); i++ {
		a, b, c := tokens[i], tokens[i+1], tokens[i+2]
		_, unit, to := spelled(tokens, i+1)
		isNumber := b.Unit == Plain || to == i+2 && unit == Plain
		isRank := func(s sense) bool { return s.mention.Kind == Rank }
		if isNumber && slices.ContainsFunc(shared().senses[a.Lemma+" "+c.Lemma], isRank) {
			tokens[i], tokens[i+1] = b, a
		}
	}
}

// clipped are words that a point may follow within a sentence: no. of sessions.
var clipped = []string{"no", "nos", "avg", "av", "approx", "qty", "vs", "max", "min", "incl", "excl"}

// markBefore returns the last punctuation mark between the tokens so far and the next one,
// which begins at start, or "".
func markBefore(question string, before []Token, start int) string {
	from := 0
	if len(before) > 0 {
		from = before[len(before)-1].End
	}
	between := question[from:max(from, start)]
	if len(before) > 0 && slices.Contains(clipped, strings.ToLower(before[len(before)-1].Raw)) {
		between = strings.TrimPrefix(between, ".")
	}
	if between == "." {
		return "" // of a name: Booking.com
	}
	if between != " " {
		if i := strings.LastIndexAny(between, ",;:.?!()-–—/"); i >= 0 {
			_, size := utf8.DecodeRuneInString(between[i:])
			return between[i : i+size]
		}
	}
	return ""
}

// endsSentence reports whether a mark before a token ends a sentence.
func endsSentence(mark string) bool { return mark != "" && strings.Contains(".?!;", mark) }

// piece is a part of a text that makes one token.
type piece struct {
	start, end int    // bytes
	text       string // of a contraction's words and of a possessive; else "": as it is written
	isNumber   bool
	quote      int
}

// scan cuts a text into pieces.
func scan(text string, emit func(piece)) {
	s := scanner{text: text, emit: emit}
	for s.at < len(text) {
		s.next()
	}
}

// scanner is the state of scan.
type scanner struct {
	text  string
	at    int  // bytes
	quote int  // quoted spans that began
	close rune // mark that ends the quoted span at s.at, or 0
	emit  func(piece)
}

// next takes what begins at s.at: a quotation mark, a number, a word, a sign, or nothing.
func (s *scanner) next() {
	r, size := utf8.DecodeRuneInString(s.text[s.at:])
	switch {
	case unicode.IsDigit(r), strings.ContainsRune("-−", r) && s.digitAt(s.at+size) && s.spaceBefore(), strings.ContainsRune("$£€.", r) && s.digitAt(s.at+size) && !s.wordBefore():
		s.number()
		return
	case unicode.IsLetter(r):
		s.word()
		return
	case strings.ContainsRune("%&+<>=#", r):
		s.sign(size)
		return
	case strings.ContainsRune("$£€", r) && s.spaceBefore() && (s.at+size == len(s.text) || s.text[s.at+size] == ' '):
		s.add(s.at, s.at+size, "money") // margin in £
	case strings.ContainsRune("-–", r) && when.IsDay(lastWord(s.text[:s.at])) && when.IsDay(firstWord(s.text[s.at+size:])):
		s.add(s.at, s.at+size, "to") // mon-fri
	case s.close != 0 && r == s.close:
		s.close = 0
	case s.close == 0 && closing(r) != 0 && strings.ContainsRune(s.text[s.at+size:], closing(r)):
		s.quote++
		s.close = closing(r)
	}
	s.at += size
}

func lastWord(s string) string {
	return s[strings.LastIndexFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })+1:]
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
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

func (s *scanner) digitAt(i int) bool {
	return i >= 0 && i < len(s.text) && s.text[i] >= '0' && s.text[i] <= '9'
}

// wordBefore reports whether a letter or a digit is just before s.at.
func (s *scanner) wordBefore() bool {
	r, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
	return unicode.IsLetter(r) || unicode.IsDigit(r)
}

// spaceBefore reports whether nothing but a space is just before s.at, so that a sign there
// begins a negative number.
func (s *scanner) spaceBefore() bool {
	return s.at == 0 || s.text[s.at-1] == ' '
}

// add emits the piece from start to end.
func (s *scanner) add(start, end int, text string) {
	p := piece{start: start, end: end, text: text}
	if s.close != 0 {
		p.quote = s.quote
	}
	s.emit(p)
}

func isUpper(s string) bool { return s == strings.ToUpper(s) && s != strings.ToLower(s) }

// sign takes one sign, or two that make a comparison: <=, >=, <>.
func (s *scanner) sign(size int) {
	start := s.at
	s.at += size
	if c := s.text[start]; (c == '<' || c == '>') && s.at < len(s.text) && (s.text[s.at] == '=' || s.text[s.at] == '>') {
		s.at++
	}
	s.add(start, s.at, "")
}

// word takes a word. An apostrophe within it belongs to a contraction or a possessive.
func (s *scanner) word() {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		if r < utf8.RuneSelf && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z') {
			s.at++
			continue
		}
		after, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.Is(unicode.Mn, r) && !(isApostrophe(r) && unicode.IsLetter(after)) {
			break
		}
		s.at += size
	}
	raw, end := s.text[start:s.at], s.at
	if words := contraction(raw); words != nil {
		for i, w := range words {
			if i > 0 {
				start = end
			}
			s.add(start, end, w)
		}
		return
	}
	if i := strings.LastIndexFunc(raw, isApostrophe); i > 0 && strings.EqualFold(fold(raw[i:]), "s") {
		s.add(start, start+i, "")
		s.add(start+i, end, possessive)
		return
	}
	s.add(start, end, "")
	if r, size := utf8.DecodeRuneInString(s.text[end:]); isApostrophe(r) && (raw[len(raw)-1] == 's' || raw[len(raw)-1] == 'S') {
		s.at = end + size // the customers' orders
		s.add(end, s.at, possessive)
	}
}

// maxContraction bounds the bytes of a contraction.
const maxContraction = 15

// contracted are the endings of contractions and the words that they are.
var contracted = map[string]string{"'d": "would", "'ll": "will", "'ve": "have", "'re": "are"}

// contraction returns the words of a contraction; nil if the word is none.
func contraction(raw string) []string {
	if len(raw) > maxContraction {
		return nil
	}
	word := strings.ToLower(strings.ReplaceAll(raw, "’", "'"))
	if words := shared().splits[word]; words != nil {
		return words
	}
	if stem, ok := strings.CutSuffix(word, "n't"); ok {
		return []string{stem, "not"}
	}
	if i := strings.LastIndexByte(word, '\''); i > 0 && contracted[word[i:]] != "" {
		if word[i:] == "'d" && slices.Contains(questionWords, word[:i]) {
			return []string{word[:i], "did"}
		}
		return []string{word[:i], contracted[word[i:]]}
	}
	if stem, ok := strings.CutSuffix(word, "wise"); ok && english.IsNoun(stem) && !english.Known(word) {
		return []string{stem, "wise"} // moneywise
	}
	if done, ok := strings.CutPrefix(word, "un"); ok && isDone(done) && !shared().words[word] {
		return []string{"not", done} // unframed
	}
	return nil
}

// isDone reports whether a word is a verb's participle in -ed.
func isDone(word string) bool {
	bases := []string{english.Lemma(word), strings.TrimSuffix(word, "d"), strings.TrimSuffix(word, "ed")}
	return strings.HasSuffix(word, "ed") && len(word) > 4 && slices.ContainsFunc(bases, func(w string) bool { return w != word && english.SensesOf(w).Verb > english.None })
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' || r == '`' || r == '‘' }

// number takes a number with its signs. A unit is a piece by itself (30days, 500ml), but
// not a multiple or an ending (1.5k, 9am, 3rd).
func (s *scanner) number() {
	start := s.at
	for s.at < len(s.text) {
		r, size := utf8.DecodeRuneInString(s.text[s.at:])
		isInner := strings.ContainsRune(".,/-:", r) && s.digitAt(s.at+size) && s.digitAt(s.at-1)
		if !unicode.IsDigit(r) && !isInner && (s.at > start || unicode.IsLetter(r)) {
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
	if end < s.at && shared().units[strings.ToLower(s.text[end:s.at])] {
		s.at = end
	}
	if end == s.at && end < len(s.text) && s.text[end] == '%' {
		s.at++
	}
	p := piece{start: start, end: s.at, isNumber: true}
	if s.close != 0 {
		p.quote = s.quote
	}
	s.emit(p)
}

// parseNumber reads 5, 1,000.50, $20, 50p, 1.5k, 10% and 3rd; Unit is "" if the text is no
// number.
func parseNumber(text string) (float64, Unit) {
	unit, times := Plain, 1.0
	text = strings.Replace(text, "−", "-", 1)
	digits := strings.TrimLeft(text, "-$£€")
	if strings.ContainsAny(text, "$£€") {
		unit = Money
	}
	if text[0] == '-' {
		times = -1
	}
	end := strings.LastIndexAny(digits, "0123456789") + 1
	switch suffix := digits[end:]; suffix {
	case "", "s": // the over 60s
	case "%":
		unit = Percent
	case "st", "nd", "rd", "th":
		unit = Ordinal
	case "p":
		unit, times = Money, times*0.01
	default:
		if times *= multiples[suffix]; times == 0 || len(suffix) > 2 {
			return 0, ""
		}
	}
	n, err := strconv.ParseFloat(strings.ReplaceAll(digits[:end], ",", ""), 64)
	if err != nil || n*times > plan.MaxNumber {
		return 0, ""
	}
	return n * times, unit
}

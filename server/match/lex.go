package match

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a number, a run of letters, or one sign.
type lexeme struct {
	text  string
	value float64 // of a number
	what  byte    // number, run, or the sign itself; 0 behind the end
	tight bool    // nothing parts it from the lexeme before
}

// isThousands says that this goes on a number in front of a space. Only three digits
// that begin with 0 are known to do so: 2 500 g may be two of 500 g.
func (l lexeme) isThousands() bool {
	return l.what == number && !l.tight && len(l.text) == 3 && l.text[0] == '0' && isDigit(l.text[1])
}

const (
	number = '0'
	run    = 'a'
	signed = `-/.%"*_'` // the signs that mean something
)

// maxLexemes bounds the work on one name.
const maxLexemes = 8 * maxWords

// lex cuts folded text. What is neither number, letter nor sign parts lexemes. A plus
// behind a word is one: s21+ is s21 plus.
func lex(s string) []lexeme {
	var out []lexeme
	tight := false
	for len(s) > 0 && len(out) < maxLexemes {
		n := numberLen(s)
		if n > 0 {
			out = append(out, lexeme{text: s[:n], value: valueOf(s[:n]), what: number, tight: tight})
			s, tight = s[n:], true
			continue
		}
		if n = runLen(s); n > 0 {
			out = append(out, lexeme{text: s[:n], what: run, tight: tight})
			s, tight = s[n:], true
			continue
		}
		if s[0] == '\'' && tight && out[len(out)-1].what == run && runLen(s[1:]) > 0 { // kellogg's
			n = 1 + runLen(s[1:])
			out[len(out)-1].text += s[1:n]
			s = s[n:]
			continue
		}
		_, n = utf8.DecodeRuneInString(s)
		sign := strings.Contains(signed, s[:n])
		switch {
		case sign:
			out = append(out, lexeme{text: s[:n], what: s[0], tight: tight})
		case s[0] == '+' && tight && numberLen(s[1:])+runLen(s[1:]) == 0:
			out = append(out, lexeme{text: "plus", what: run})
		}
		s, tight = s[n:], sign
	}
	return out
}

// numberLen is how long the number at the start of s is: digits, with points and
// commas between them.
func numberLen(s string) int {
	n := 0
	for n < len(s) {
		inside := (s[n] == '.' || s[n] == ',') && n > 0 && isDigit(s[n-1]) && n+1 < len(s) && isDigit(s[n+1])
		if !isDigit(s[n]) && !inside {
			break
		}
		n++
	}
	return n
}

// runLen is how long the run of letters at the start of s is.
func runLen(s string) int {
	for n, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return n
		}
	}
	return len(s)
}

// valueOf reads a number with a point or a comma for its decimals. One comma
// before three digits parts the thousands, except in 0,500.
func valueOf(s string) float64 {
	point, comma := strings.LastIndexByte(s, '.'), strings.LastIndexByte(s, ',')
	commas := strings.Count(s, ",")
	thousands := commas > 1 || commas == 1 && len(s)-comma == 4 && strings.Trim(s[:comma], "0") != ""
	switch {
	case point >= 0 && comma > point: // 1.234,5
		s = strings.Replace(strings.ReplaceAll(s, ".", ""), ",", ".", 1)
	case comma >= 0 && (point > comma || thousands): // 1,234.5
		s = strings.ReplaceAll(s, ",", "")
	case comma >= 0:
		s = strings.Replace(s, ",", ".", 1)
	case strings.Count(s, ".") > 1: // 1.000.000
		s = strings.ReplaceAll(s, ".", "")
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0 // 1.2,3,4 is no quantity
	}
	return v
}

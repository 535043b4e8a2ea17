package match

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lexeme is a number, a run of letters, or one punctuation sign.
type lexeme struct {
	text     string
	value    float64 // of a number
	kind     byte    // number, letterRun, or the sign itself; 0 outside the text
	attached bool    // no space between it and the lexeme before
}

// isThousands reports whether the lexeme continues a number before a space. It requires
// three digits that begin with 0: 2 500 g may be two packs of 500 g.
func (l lexeme) isThousands() bool {
	return l.kind == number && !l.attached && len(l.text) == 3 && l.text[0] == '0' && isDigit(l.text[1])
}

const (
	number    = '0'
	letterRun = 'a'
	signs     = `-/.%"*_'` // the signs that become lexemes
)

// maxLexemes bounds the lexemes of one name.
const maxLexemes = 8 * maxWords

// lex splits folded text into lexemes. Characters other than numbers, letters and signs
// separate lexemes. A plus after a word becomes a word: s21+ is s21 plus.
func lex(s string) []lexeme {
	var out []lexeme
	attached := false
	for len(s) > 0 && len(out) < maxLexemes {
		n, isLexeme := max(numberLen(s), runLen(s)), true
		switch {
		case n > 0 && isDigit(s[0]):
			out = append(out, lexeme{text: s[:n], value: valueOf(s[:n]), kind: number, attached: attached})
		case n > 0:
			out = append(out, lexeme{text: s[:n], kind: letterRun, attached: attached})
		case s[0] == '\'' && attached && out[len(out)-1].kind == letterRun && runLen(s[1:]) > 0: // kellogg's
			n = 1 + runLen(s[1:])
			out[len(out)-1].text += s[1:n]
		default:
			_, n = utf8.DecodeRuneInString(s)
			if isLexeme = strings.Contains(signs, s[:n]); isLexeme {
				out = append(out, lexeme{text: s[:n], kind: s[0], attached: attached})
			} else if s[0] == '+' && attached && numberLen(s[1:])+runLen(s[1:]) == 0 {
				out = append(out, lexeme{text: "plus", kind: letterRun})
			}
		}
		s, attached = s[n:], isLexeme
	}
	return out
}

// numberLen returns the length of the number at the start of s: digits, with points and
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

// runLen returns the length of the run of letters at the start of s.
func runLen(s string) int {
	for n, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return n
		}
	}
	return len(s)
}

// valueOf parses a number with a decimal point or a decimal comma. A single comma before
// three digits is a thousands separator, except in 0,500.
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

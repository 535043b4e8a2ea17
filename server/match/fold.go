package match

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName bounds the bytes of a name that are parsed. Names come from untrusted callers,
// and no product needs more.
const maxName = 4096

// symbols are replaced before the Unicode normalization, which would join them to their
// neighbours: 1½ would become 11/2, and Brand™ brandtm.
var symbols = strings.NewReplacer(
	"™", " ", "℠", " ", "®", " ", "©", " ",
	"½", " 1/2", "⅓", " 1/3", "⅔", " 2/3", "¼", " 1/4", "¾", " 3/4",
	"⅛", " 1/8", "⅜", " 3/8", "⅝", " 5/8", "⅞", " 7/8", "⁄", "/",
	"″", `"`, "“", `"`, "”", `"`, "„", `"`, "''", `"`,
	"′", "'", "’", "'", "‘", "'", "´", "'", "`", "'",
	"×", "x", "٫", ".", "٬", ",", "，", ",", "．", ".",
)

// latinLetters are Latin letters that do not decompose.
var latinLetters = strings.NewReplacer(
	"æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ħ", "h", "ı", "i",
)

// fold removes case, accents, width, ligatures, markup and invisible characters from a
// name.
func fold(s string) string {
	s = truncate(s, maxName)
	if isPlain(s) {
		return strings.ToLower(s)
	}
	s = html.UnescapeString(strings.ToValidUTF8(s, " "))
	s = norm.NFKD.String(symbols.Replace(stripTags(s)))
	s = norm.NFKD.String(cases.Fold().String(s))
	return latinLetters.Replace(strings.Map(foldRune, s))
}

// truncate cuts a text to at most limit bytes, between two characters.
func truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// isPlain reports whether lower case is enough to fold a text.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || strings.IndexByte("&<'`", c) >= 0 {
			return false
		}
	}
	return true
}

// stripTags replaces each HTML tag with a space.
func stripTags(s string) string {
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "<")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		b.WriteByte(' ')
		s = after
		if s != "" && (s[0] == '/' || s[0] == '!' || isLetter(s[0])) {
			if _, rest, closed := strings.Cut(s, ">"); closed {
				s = rest
			}
		}
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// foldRune drops characters without width, and marks that are accents, points or
// harakat. It keeps marks that are letters in their script: Indic vowels, voicing marks
// of kana, Thai tones. Digits of all scripts become ASCII.
func foldRune(r rune) rune {
	switch {
	case r < utf8.RuneSelf:
		return r
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
		return -1
	case unicode.IsDigit(r):
		n := '0'
		for n < '9' && unicode.IsDigit(r-1) {
			r--
			n++
		}
		return n
	case !unicode.Is(unicode.Mn, r):
		return r
	}
	var b [utf8.UTFMax]byte
	class := norm.NFKD.Properties(b[:utf8.EncodeRune(b[:], r)]).CCC()
	if class >= 10 && class <= 36 || class >= 200 {
		return -1
	}
	return r
}

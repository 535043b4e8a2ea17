package match

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// maxName is how many bytes of a name are read. No product needs more, and names
// come from outside.
const maxName = 4096

// signs are replaced before the Unicode normalisation, which would glue them to
// their neighbours: 1½ would become 11/2, and Brand™ brandtm.
var signs = strings.NewReplacer(
	"™", " ", "℠", " ", "®", " ", "©", " ",
	"½", " 1/2", "⅓", " 1/3", "⅔", " 2/3", "¼", " 1/4", "¾", " 3/4",
	"⅛", " 1/8", "⅜", " 3/8", "⅝", " 5/8", "⅞", " 7/8", "⁄", "/",
	"″", `"`, "“", `"`, "”", `"`, "„", `"`, "''", `"`,
	"′", "'", "’", "'", "‘", "'", "´", "'", "`", "'",
	"×", "x", "٫", ".", "٬", ",", "，", ",", "．", ".",
)

// letters are Latin letters that do not decompose.
var letters = strings.NewReplacer(
	"æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ħ", "h", "ı", "i",
)

// fold takes case, accents, width, ligatures, markup and invisible characters out
// of a name.
func fold(s string) string {
	s = truncate(s, maxName)
	if isPlain(s) {
		return strings.ToLower(s)
	}
	s = html.UnescapeString(strings.ToValidUTF8(s, " "))
	s = norm.NFKD.String(signs.Replace(untag(s)))
	s = norm.NFKD.String(cases.Fold().String(s))
	return letters.Replace(strings.Map(bare, s))
}

// truncate cuts a text to so many bytes, between two characters.
func truncate(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}

// isPlain says that lower case is all that a text needs.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c >= utf8.RuneSelf || strings.IndexByte("&<'`", c) >= 0 {
			return false
		}
	}
	return true
}

// untag puts a space in the place of each tag of HTML.
func untag(s string) string {
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

// bare drops what has no width and the marks that are accents, points or harakat.
// The marks that are letters to their script stay: vowels of India, the voicing of
// kana, tones of Thai. The digits of all scripts become ours.
func bare(r rune) rune {
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

package engine

import (
	"database/sql/driver"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"modernc.org/sqlite"
)

// MentionsFunction is the name of a function for lists that people search:
// mentions(text, word) is 1 if the word, in the form of FoldText, is in the text whatever
// its case and accents, else 0.
const MentionsFunction = "mentions"

func init() {
	sqlite.MustRegisterFunction(MentionsFunction, &sqlite.FunctionImpl{
		NArgs: 2, Deterministic: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
			text, isText := args[0].(string)
			word, isWord := args[1].(string)
			if !isText || !isWord {
				return nil, errors.New("mentions: both arguments are texts")
			}
			if strings.Contains(FoldText(text), word) {
				return int64(1), nil
			}
			return int64(0), nil
		},
	})
}

// FoldText returns a text in lower case and without accents, for searches: "Crème" is
// "creme".
func FoldText(text string) string {
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			return foldRunes(text)
		}
	}
	return strings.ToLower(text)
}

func foldRunes(text string) string {
	var out strings.Builder
	for _, r := range norm.NFKD.String(strings.ToLower(text)) {
		if !unicode.Is(unicode.Mn, r) {
			out.WriteRune(r)
		}
	}
	return out.String()
}

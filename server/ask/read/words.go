package read

import (
	"svc/server/ask/english"
	"svc/server/ask/link"
)

// Words returns the words of a text in lower case.
func Words(text string) []string {
	var out []string
	for _, t := range link.Tokenize(text) {
		out = append(out, t.Text)
	}
	return out
}

// Stem returns a word in the singular or the present tense.
func Stem(w string) string { return english.Lemma(w) }

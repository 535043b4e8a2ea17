// Package redact makes texts from outside fit to be shown or logged: one line of
// bounded length, without secrets. The answer of a provider may repeat its request.
package redact

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"unicode"
)

// Redactor hides a set of secrets.
type Redactor struct {
	replacer *strings.Replacer
	maxRunes int
}

// New returns a redactor that cuts texts to maxRunes. Empty secrets are ignored. The
// longest are replaced first, since a secret may contain a shorter one.
func New(maxRunes int, secrets ...string) Redactor {
	all := slices.DeleteFunc(slices.Clone(secrets), func(s string) bool { return s == "" })
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	var pairs []string
	for _, s := range slices.Compact(all) {
		pairs = append(pairs, s, "[redacted]")
	}
	return Redactor{strings.NewReplacer(pairs...), maxRunes}
}

// Clean returns text on one line, without secrets and control characters. It redacts
// before and after it folds white space: folding changes a secret that has spaces, and
// restores one that a control character had split.
func (r Redactor) Clean(text string) string {
	text = r.replacer.Replace(text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, text)
	text = strings.TrimSpace(r.replacer.Replace(text))

	if runes := []rune(text); len(runes) > r.maxRunes {
		return string(runes[:r.maxRunes-1]) + "…"
	}
	return text
}

// Cause returns an error for the log with the cleaned text of err. errors.Is matches it
// as it matches err, but it does not unwrap to err, whose text may hold a secret:
// net/http quotes an answer that it cannot read.
func (r Redactor) Cause(err error) error { return &cause{text: r.Clean(err.Error()), err: err} }

type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }

func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }

// Package redact makes texts from outside fit to be shown or logged: one line, of a
// sane length, without secrets. What a provider answers may repeat what it was sent.
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

// New hides each secret in texts that it cuts to maxRunes; empty ones are left out.
// The longest go first, so that a secret within a longer one does not break it.
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

// Clean redacts before and after the folding, as either may hide a secret from the
// other: one with spaces in it, or one that was broken by a control character.
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

// Cause stands for an error in the log. It answers errors.Is as the error did, but
// does not unwrap to it, since the text of that may hold a secret: net/http quotes
// an answer that it cannot read.
func (r Redactor) Cause(err error) error { return &cause{text: r.Clean(err.Error()), err: err} }

type cause struct {
	text string
	err  error
}

func (c *cause) Error() string { return c.text }

func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }

package carrier

import (
	"cmp"
	"encoding/base64"
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

const (
	maxReasonRunes = 200
	// minQueryRunes spares the version=1 of an address: what is shorter hides
	// nothing, and to blank each 1 would spoil the reason.
	minQueryRunes = 4
	// minSegmentRunes is the length from which a segment of a webhook's path is
	// rather a token than a word.
	minSegmentRunes = 16
)

// redactor makes texts from outside fit to be shown: one line, of a sane length,
// without the secrets of the carrier.
type redactor struct{ replacer *strings.Replacer }

// newRedactor hides each secret, also where it is escaped as in a URL. The
// longest go first, so that a secret within a longer one does not break it.
func newRedactor(secrets ...string) redactor {
	var all []string
	for _, s := range secrets {
		all = append(all, s, url.QueryEscape(s), url.PathEscape(s))
	}
	all = slices.DeleteFunc(all, func(s string) bool { return s == "" })
	slices.SortFunc(all, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})

	var pairs []string
	for _, s := range slices.Compact(all) {
		pairs = append(pairs, s, "[redacted]")
	}
	return redactor{strings.NewReplacer(pairs...)}
}

// clean redacts before and after the folding, as either may hide a secret from
// the other: one with spaces in it, or one that was broken by a control character.
func (r redactor) clean(text string) string {
	text = r.replacer.Replace(text)
	text = strings.Join(strings.Fields(text), " ")
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, text)
	text = strings.TrimSpace(r.replacer.Replace(text))

	if runes := []rune(text); len(runes) > maxReasonRunes {
		return string(runes[:maxReasonRunes-1]) + "…"
	}
	return text
}

// cause stands for an error in the log. It answers errors.Is as the error did,
// but does not unwrap to it, since the text of that may hold a secret: net/http
// quotes an answer that it cannot read.
type cause struct {
	text string
	err  error
}

func (r redactor) cause(err error) error {
	return &cause{text: r.clean(err.Error()), err: err}
}

func (c *cause) Error() string { return c.text }

func (c *cause) Is(target error) bool { return errors.Is(c.err, target) }

// addressSecrets gives what must stay hidden of an address: the whole of it, its
// user and password, and the values of its query.
func addressSecrets(address string) []string {
	secrets := []string{address}
	u, err := url.Parse(address)
	if err != nil {
		return secrets
	}

	secrets = append(secrets, u.String(), u.RawQuery)
	if u.User != nil {
		password, _ := u.User.Password()
		secrets = append(secrets, u.User.String(), u.User.Username(), password,
			basicToken(u.User.Username(), password))
	}
	for _, values := range u.Query() {
		for _, v := range values {
			if len([]rune(v)) >= minQueryRunes {
				secrets = append(secrets, v)
			}
		}
	}
	return secrets
}

// pathSecrets gives the parts of a webhook's path that may be tokens: many
// services know their users by nothing else.
func pathSecrets(address string) []string {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}

	var secrets []string
	for segment := range strings.SplitSeq(u.Path, "/") {
		if len([]rune(segment)) >= minSegmentRunes {
			secrets = append(secrets, segment)
		}
	}
	return secrets
}

// basicToken is what follows "Basic " in an Authorization header.
func basicToken(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

package carrier

import (
	"encoding/base64"
	"net/url"
	"strings"

	"svc/server/redact"
)

const (
	maxReasonRunes = 200
	// minQueryRunes is the length from which on a value in an address's query is hidden.
	// Shorter values, like that of version=1, are no secrets, and to hide each 1 would
	// spoil the reason.
	minQueryRunes = 4
	// minSegmentRunes is the length from which on a segment of a webhook's path is taken
	// for a token rather than a word.
	minSegmentRunes = 16
)

// newRedactor returns a redactor of secrets, also in the escaped forms of a URL.
func newRedactor(secrets ...string) redact.Redactor {
	var all []string
	for _, s := range secrets {
		all = append(all, s, url.QueryEscape(s), url.PathEscape(s))
	}
	return redact.New(maxReasonRunes, all...)
}

// addressSecrets returns the parts of an address to hide: all of it, its user and
// password, and the values of its query.
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

// pathSecrets returns the segments of a webhook's path that may be tokens: many services
// identify their users only by those.
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

// basicToken returns what follows "Basic " in an Authorization header.
func basicToken(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

package carrier

import (
	"encoding/base64"
	"net/url"
	"strings"

	"svc/server/redact"
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

// newRedactor hides each secret, also where it is escaped as in a URL.
func newRedactor(secrets ...string) redact.Redactor {
	var all []string
	for _, s := range secrets {
		all = append(all, s, url.QueryEscape(s), url.PathEscape(s))
	}
	return redact.New(maxReasonRunes, all...)
}

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

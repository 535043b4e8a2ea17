package web

import (
	"net/mail"
	"strings"
)

// CheckEmail refuses what is not one addr-spec within RFC 5321's limits, without
// a display name (E7). The address is kept as it was given.
func CheckEmail(field, email string) error {
	if strings.TrimSpace(email) == "" {
		return Invalid(field, "is required")
	}
	parsed, err := mail.ParseAddress(email)
	at := strings.LastIndexByte(email, '@')
	if err != nil || parsed.Name != "" || parsed.Address != email || len(email) > 254 || at > 64 {
		return Invalid(field, "must be one e-mail address, like name@example.com")
	}
	return nil
}

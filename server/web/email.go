package web

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"
)

// CheckEmail refuses what is not one addr-spec within RFC 5321's limits, without
// a display name (E7). The address is kept as it was given.
func CheckEmail(field, email string) error {
	if strings.TrimSpace(email) == "" {
		return Invalid(field, "is required")
	}
	parsed, err := mail.ParseAddress(email)
	at := strings.LastIndexByte(email, '@')
	if strings.ContainsFunc(email, unseen) || err != nil || parsed.Name != "" || parsed.Address != email || len(email) > 254 || at > 64 {
		return Invalid(field, "must be one e-mail address, like name@example.com")
	}
	return nil
}

// unseen are characters that nobody sees, or that turn or break the line: an address
// with one looks like another's.
func unseen(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }

// MaskEmail shows whose address it is to those who know it, and to nobody else:
// m…@shop.example.
func MaskEmail(email string) string {
	at := strings.LastIndexByte(email, '@')
	if at < 1 {
		return "…"
	}
	first, size := utf8.DecodeRuneInString(email)
	if size > at {
		return "…" + email[at:]
	}
	return string(first) + "…" + email[at:]
}

// Package emailaddr checks and masks e-mail addresses. Package mail sends mail.
package emailaddr

import (
	"net/mail"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
)

// Check returns a fault.Invalid of the field unless address is one addr-spec within
// RFC 5321's limits, without a display name (E7).
func Check(field, address string) error {
	if strings.TrimSpace(address) == "" {
		return fault.Invalid(field, "is required")
	}
	if !IsOne(address) {
		return fault.Invalid(field, "must be one e-mail address, like name@example.com")
	}
	return nil
}

// IsOne reports whether address is one addr-spec within RFC 5321's limits, without a
// display name, a comment or what cannot be seen. The part before the @ may be quoted,
// as in "a b"@example.com, with spaces in it.
func IsOne(address string) bool {
	parsed, err := mail.ParseAddress(address)
	if err != nil || parsed.Name != "" || strings.ContainsFunc(address, unseen) {
		return false
	}
	at := strings.LastIndexByte(address, '@')
	return db.UnquoteEmail(address) == parsed.Address && len(address) <= 254 && at <= 64
}

// unseen reports whether a character is invisible, or turns or breaks the line: an
// address with one looks like somebody else's.
func unseen(c rune) bool { return !unicode.IsPrint(c) || c == utf8.RuneError }

// Mask shortens an address so that only people who know it recognise it:
// m…@shop.example.
func Mask(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 1 {
		return "…"
	}
	first, size := utf8.DecodeRuneInString(strings.TrimPrefix(address, `"`))
	if size > at {
		return "…" + address[at:]
	}
	return string(first) + "…" + address[at:]
}

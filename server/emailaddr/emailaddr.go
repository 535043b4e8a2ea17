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
	return db.UnquoteEmail(address) == parsed.Address && len(address) <= 254 && at <= 64 && isDomain(address[at+1:])
}

// isDomain reports whether a domain is an address in brackets, which net/mail has checked, or
// labels of letters, digits and hyphens with a dot between, at most 63 characters each, with a
// letter or a digit at both ends (RFC 5321, 4.1.2; RFC 1035, 2.3.4). One label will do: a mail
// server in a shop has no more.
func isDomain(domain string) bool {
	if strings.HasPrefix(domain, "[") {
		return true
	}
	for label := range strings.SplitSeq(domain, ".") {
		if label == "" || utf8.RuneCountInString(label) > 63 || strings.Trim(label, "-") != label || strings.ContainsFunc(label, notInLabel) {
			return false
		}
	}
	return true
}

func notInLabel(c rune) bool {
	return c != '-' && !unicode.In(c, unicode.Letter, unicode.Mark, unicode.Digit)
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

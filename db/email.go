package db

import (
	"net/mail"
	"regexp"
	"strings"
)

// FoldEmail returns the form in which e-mails are compared: quotes and backslashes only
// where the part before the @ needs them, and ASCII letters in lower case (E7). ab@x,
// "ab"@x and "a\b"@x are one mailbox; "a b"@x is another. Other letters keep their case:
// some share a lower case, and two mailboxes must never become one.
func FoldEmail(email string) string {
	if unquoted := UnquoteEmail(email); unquoted != email {
		bracketed := (&mail.Address{Address: unquoted}).String()
		email = bracketed[1 : len(bracketed)-1]
	}
	return strings.Map(func(c rune) rune {
		if 'A' <= c && c <= 'Z' {
			return c + 'a' - 'A'
		}
		return c
	}, email)
}

// quotedEmail matches a quoted part before the @ and what follows it. A part with a
// control character is no address, and net/mail would drop the character.
var quotedEmail = regexp.MustCompile(`^"((?:[^"\\[:cntrl:]]|\\[^[:cntrl:]])+)"(@[^@]*)$`)

var emailEscape = regexp.MustCompile(`\\(.)`)

// UnquoteEmail returns an address without the quotes and backslashes of the part before
// the @, as net/mail holds it: a b@example.com. Any other text is returned as it is.
func UnquoteEmail(email string) string {
	parts := quotedEmail.FindStringSubmatch(email)
	if parts == nil {
		return email
	}
	return emailEscape.ReplaceAllString(parts[1], "$1") + parts[2]
}

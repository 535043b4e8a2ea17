package emailaddr

import (
	"errors"
	"strings"
	"testing"

	"svc/server/fault"
)

func TestCheck(t *testing.T) {
	good := []string{
		"a@example.com", "first.last+tag@sub.example.co.uk", "A@Example.COM", "o'brien@example.com", "x@localhost", "ü@example.com",
		strings.Repeat("a", 64) + "@example.com",
	}
	bad := []string{
		"", " ", "a", "a@", "@example.com", "a@b@c", "a b@example.com", "Name <a@example.com>", "<a@example.com>", "a@example.com ",
		" a@example.com", "a@example.com,b@example.com", "a@example.com\n", "a@example.com\r\nBcc: b@example.com", "a@exa mple.com", ".a@example.com",
		"a..b@example.com", "a@example.com (comment)", strings.Repeat("a", 65) + "@example.com",
		"a@" + strings.Repeat("b.", 126) + "com", "a@\x00.com",
		"a\u2028b@example.com", "a\u0085@example.com", "a\u200b@example.com", "a\u202eb@example.com", "a\u00a0b@example.com", "a\ufffd@example.com",
	}
	for _, address := range good {
		if err := Check("email", address); err != nil {
			t.Errorf("%q: got %v, want nil", address, err)
		}
	}
	for _, address := range bad {
		err := Check("email", address)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.InvalidRequest || e.Field != "email" {
			t.Errorf("%q: got %v, want an Invalid of email", address, err)
		}
	}
}

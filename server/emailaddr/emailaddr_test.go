package emailaddr

import (
	"errors"
	"strings"
	"testing"

	"svc/server/fault"
)

func TestCheck(t *testing.T) {
	good := []string{
		"a@example.com", "first.last+tag@sub.example.co.uk", "A@Example.COM", "o'brien@example.com", "x@localhost", "till@intranet", "ü@example.com",
		strings.Repeat("a", 64) + "@example.com", "a@" + strings.Repeat("b", 63) + ".co", "a@b--c.3com.co", "a@xn--bcher-kva.example", "a@bücher.example", "a@[127.0.0.1]",
		`"a b"@example.com`, `"ab"@example.com`, `"a@b"@example.com`, `"a..b"@example.com`, `" "@example.com`, `"a(b)<c>,d"@example.com`, `"a\"b\\c"@example.com`,
		`"ü b"@example.com`, `"` + strings.Repeat("a", 62) + `"@example.com`,
	}
	bad := []string{
		"", " ", "a", "a@", "@example.com", "a@b@c", "a b@example.com", "Name <a@example.com>", "<a@example.com>", "a@example.com ",
		" a@example.com", "a@example.com,b@example.com", "a@example.com\n", "a@example.com\r\nBcc: b@example.com", "a@exa mple.com", ".a@example.com",
		"a..b@example.com", "a@example.com (comment)", strings.Repeat("a", 65) + "@example.com",
		"a@" + strings.Repeat("b.", 126) + "com", "a@\x00.com",
		"a@-b.co", "a@b-.co", "a@b.-co", "a@b.co-", "a@" + strings.Repeat("b", 64) + ".co", "a@b_c.co", "a@b!.co", "a@b.co.", "a@b..co", "a@[b]", "a@[127.0.0.1",
		"a\u2028b@example.com", "a\u0085@example.com", "a\u200b@example.com", "a\u202eb@example.com", "a\u00a0b@example.com", "a\ufffd@example.com",
		`"a b" <a@example.com>`, `"a b"@example.com (comment)`, `"a b"(comment)@example.com`, `"a b" @example.com`, ` "a b"@example.com`, `"a b"@ example.com`,
		`""@example.com`, `"a b@example.com`, `a b"@example.com`, `"a" "b"@example.com`, `"a"b@example.com`, `a"b"@example.com`, `"a"."b"@example.com`,
		`"a\"@example.com`, "\"a\tb\"@example.com", "\"a\r\n b\"@example.com", "\"a\x00b\"@example.com", "\"a\\\nb\"@example.com", "\"a\u202eb\"@example.com",
		`"a b"@example.com,"c d"@example.com`, `"` + strings.Repeat("a", 63) + `"@example.com`,
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

func TestMask(t *testing.T) {
	for address, want := range map[string]string{
		"mia@shop.example": "m…@shop.example", `"mia b"@shop.example`: "m…@shop.example", "über@shop.example": "ü…@shop.example", "mia": "…", "@x": "…",
	} {
		if got := Mask(address); got != want {
			t.Errorf("Mask(%q) = %q, want %q", address, got, want)
		}
	}
}

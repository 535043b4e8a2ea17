package mail

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestQuoted(t *testing.T) {
	tests := []struct{ name, want string }{
		{"Acme POS", "“Acme POS”"},
		{"AC/DC v2.0: St. Mary's", "“AC/DC v2.0: St. Mary's”"},
		{"  Müller\u00a0&\tSöhne  ", "“Müller & Söhne”"},
		{"Your bank\n\nClick https://evil.example/a?b=c", "“Your bank Click https:// evil. example/ a?b=c”"},
		{"Your bank\r\nBcc: x", "“Your bank Bcc: x”"},
		{"Acme” approved by us. “", "“Acme' approved by us. '”"},
		{`Acme" «ok» „ok‟ ‘ok’ 「ok」 ＂ok″`, "“Acme' 'ok' 'ok' 'ok' 'ok' 'ok'”"},
		{"abc\u202egnp.exe", "“abcgnp. exe”"},
		{"a\u2066b\u2069c\u200fd\u061ce\u200bf\u2060g\ufeffh\u00adi", "“abcdefghi”"},
		{"x\U000E0041y\u0000z\ue000", "“xy z”"},
		{"\xffbad\xc3", "“bad”"},
		{"a\u2028b\u2029c\u0085d", "“a b c d”"},
		{"evil.example", "“evil. example”"},
		{"Booking.com", "“Booking. com”"},
		{"www.evil.example/login.", "“www. evil. example/ login.”"},
		{"ev\u200bil.exa\u2060mple", "“evil. example”"},
		{"evil。example evil．example evil｡example evil․example", "“evil。 example evil． example evil｡ example evil․ example”"},
		{"пример.рф", "“пример. рф”"},
		{"evil.❤", "“evil. ❤”"},
		{"jo@evil.example jo＠evil", "“jo@ evil. example jo＠ evil”"},
		{"mailto:jo tel:123 javascript:alert(1)", "“mailto: jo tel: 123 javascript: alert(1)”"},
		{"http：//evil", "“http：// evil”"},
		{`\\server\share`, `“\\ server\ share”`},
		{"//evil", "“// evil”"},
		{"10.0.0.1", "“10. 0. 0. 1”"},
		{"etc.)", "“etc.)”"},
		{".", "“.”"},
		{"https://", "“https://”"},
		{"", ""},
		{" \n\u202e\u200b\x00", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := quoted(test.name, maxNameRunes)
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if found := linkLike(got); len(found) > 0 {
				t.Errorf("a mail program makes links of %q", found)
			}
		})
	}
}

func TestQuotedIsCut(t *testing.T) {
	for _, name := range []string{
		strings.Repeat("ë", 500), strings.Repeat("a.b", 200), strings.Repeat("a ", 300), strings.Repeat("\u200ba", 300),
	} {
		got := quoted(name, maxNameRunes)
		if n := utf8.RuneCountInString(got); n > maxNameRunes+2 || n < maxNameRunes || !strings.HasSuffix(got, "…”") {
			t.Errorf("%d characters: %s", n, got)
		}
	}
	exact := strings.Repeat("ë", maxNameRunes)
	if got := quoted(exact, maxNameRunes); got != "“"+exact+"”" {
		t.Errorf("cut what fits: %s", got)
	}
}

func TestHostileNames(t *testing.T) {
	names := []string{
		"Your bank\n\nClick https://evil.example",
		`<a href="https://evil.example">here</a>`,
		`</bdi></p><img src=//evil.example/x>`,
		`"><script>alert(1)</script>`,
		"{{.Link}} {{.Code}}",
		"”\n\nYour account is closed. Go to evil.example\n\n“",
		"\u202emoc.elpmaxe.live\u202c",
		"&lt;b&gt; &#104;ttps://evil.example",
		strings.Repeat("Your account is closed, go to your bank at once. ", 20),
	}
	for _, name := range names {
		for _, l := range []Letter{
			Request{App: name, Developer: "Acme", To: "jo@merchant.example", Scopes: []string{"read"}, Link: link, Expires: at},
			Request{App: "Acme", Developer: name, To: "jo@merchant.example", Scopes: []string{"read"}, Link: link, Expires: at},
			Code{Code: "048392", Minutes: 10, For: "answer the request of " + name},
			Invitation{Business: name, Owner: "jo@merchant.example", To: "jo@merchant.example", Link: link, Expires: at},
		} {
			t.Run(name, func(t *testing.T) {
				subject, text, page := compose(t, l)
				plain, _, plainPage := compose(t, harmless(l))

				if subject != plain {
					t.Errorf("subject = %q", subject)
				}
				if got, want := tag.FindAllString(page, -1), tag.FindAllString(plainPage, -1); !slices.Equal(got, want) {
					t.Errorf("tags = %q\nwant %q", got, want)
				}
				expectQuoted(t, text)
				expectWrapped(t, text)
				for _, shown := range []string{text, visible(page)} {
					for _, found := range linkLike(shown) {
						if found != link && found != "jo@merchant.example" {
							t.Errorf("a mail program makes a link of %q", found)
						}
					}
				}
			})
		}
	}
}

// harmless returns the same letter with harmless names.
func harmless(l Letter) Letter {
	switch l := l.(type) {
	case Request:
		l.App, l.Developer = "Acme", "Acme"
		return l
	case Invitation:
		l.Business = "Acme"
		return l
	case Code:
		l.For = "answer"
		return l
	}
	return l
}

// expectQuoted checks that each quotation of a text is indented to its end and
// has nothing else on its lines.
func expectQuoted(t *testing.T, text string) {
	t.Helper()
	quoting, quotations := false, 0
	for line := range strings.SplitSeq(text, "\n") {
		if strings.Contains(line, "“") {
			quoting = true
			quotations++
			if !strings.HasPrefix(line, "    “") {
				t.Errorf("a quotation begins within %q", line)
			}
		}
		if quoting && !strings.HasPrefix(line, "    ") {
			t.Errorf("a quotation goes on at %q", line)
		}
		if strings.Contains(line, "”") {
			if !quoting || !strings.HasSuffix(line, "”") {
				t.Errorf("a quotation ends within %q", line)
			}
			quoting = false
		}
	}
	if quoting || quotations == 0 {
		t.Errorf("%d quotations, the last one open: %v", quotations, quoting)
	}
}

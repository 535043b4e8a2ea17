package mail

import (
	"html"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/server/mail/mailtest"
)

const (
	link   = "https://shop.example/connect/Zm9v-YmFy_0123456789?a=1&b=2"
	signIn = "https://shop.example/signin"
)

var at = time.Date(2026, 7, 1, 22, 30, 0, 0, time.UTC)

// samples has every letter, with texts that its text and its HTML must hold.
var samples = []struct {
	name   string
	letter Letter
	holds  []string
	links  []string
}{
	{
		"Code",
		Code{Code: "048392", Minutes: 10, For: "answer the request of Acme POS"},
		[]string{"048392", "10 minutes", "“answer the request of Acme POS”", "ever ask you for this code", "ignore this mail"},
		nil,
	},
	{
		"CodeForNothing",
		Code{Code: "048392", Minutes: 1},
		[]string{"048392", "for 1 minute."},
		nil,
	},
	{
		"Invitation",
		Invitation{Business: "Corner Coffee", Owner: "owner@corner.example", To: "sam@corner.example", Link: link, Expires: at},
		[]string{"owner@corner.example invites you", "“Corner Coffee”", "sam@corner.example", "neither its wallet, payments nor keys", "1 July 2026, 22:30 UTC", "ignore this mail"},
		[]string{link},
	},
	{
		"InvitationOfSomebody",
		Invitation{Business: "Corner Coffee", Owner: "owner@corner.example", To: "sam@corner.example", Link: link, Expires: at, Taken: true},
		[]string{"signs in to another account on this server already", "cannot accept", "invite another address"},
		nil,
	},
	{
		"HaveAccount",
		HaveAccount{Link: link, Minutes: 30, SignIn: signIn},
		[]string{"30 minutes", "There is an account with this address already.", "choose a new one", "ignore this mail"},
		[]string{link, signIn},
	},
	{
		"HaveAccountForgotten",
		HaveAccount{Forgotten: true, Link: link, Minutes: 30, SignIn: signIn},
		[]string{"30 minutes", "hoose a new one", "has forgotten the password", "ignore this mail"},
		[]string{link},
	},
	{
		"Request",
		Request{
			App: "Acme POS", Developer: "Müller & Söhne", To: "jo@merchant.example",
			Scopes: []string{"read your products", "see <everything> & more"}, Link: link,
			Expires: at, Zone: time.FixedZone("CEST", 2*3600),
		},
		[]string{
			"“Acme POS”", "“Müller & Söhne”", "jo@merchant.example", "read your products", "see <everything> & more",
			"2 July 2026, 00:30 CEST", "Nothing is shared until you approve.", "Not shared are your sales",
		},
		[]string{link},
	},
	{
		"RequestWithoutNames",
		Request{App: "\u202e\u200b", Scopes: []string{"read your products"}, Link: link, Expires: at},
		[]string{"An app without a name", "a developer without a name", "1 July 2026, 22:30 UTC"},
		[]string{link},
	},
	{
		"PasswordChanged",
		PasswordChanged{When: at, Zone: time.FixedZone("", -3*3600), SignIn: signIn},
		[]string{"1 July 2026, 19:30 UTC-03:00", "If it was not"},
		[]string{signIn},
	},
	{
		"TwoFactorOn",
		TwoFactor{Did: TwoFactorOn, When: at, Settings: signIn},
		[]string{"was turned on for you on 1 July 2026, 22:30 UTC", "one of your ten recovery codes", "If it was not"},
		[]string{signIn},
	},
	{
		"TwoFactorForced",
		TwoFactor{Did: TwoFactorForced, When: at, Settings: signIn},
		[]string{"The people who run this server turned", "password alone"},
		[]string{signIn},
	},
	{
		"TwoFactorOff",
		TwoFactor{Did: TwoFactorOff, When: at, Settings: signIn},
		[]string{"was turned off for you", "password alone"},
		[]string{signIn},
	},
	{
		"NewRecoveryCodes",
		TwoFactor{Did: TwoFactorCodes, When: at, Settings: signIn},
		[]string{"New recovery codes", "The ones before do not work"},
		[]string{signIn},
	},
	{
		"RecoveryCodeUsed",
		TwoFactor{Did: RecoveryCodeUsed, Left: 3, When: at, Settings: signIn},
		[]string{"A recovery code of yours was used", "You have 3 left."},
		[]string{signIn},
	},
	{
		"LastRecoveryCodeUsed",
		TwoFactor{Did: RecoveryCodeUsed, When: at, Settings: signIn},
		[]string{"None is left: make new ones on the page below"},
		[]string{signIn},
	},
	{
		"WrongCodes",
		TwoFactor{Did: WrongCodes, When: at, Settings: signIn},
		[]string{"wrong codes were typed after your right password", "1 July 2026, 22:30 UTC", "somebody else knows your password. Choose a new one"},
		[]string{signIn},
	},
	{
		"LowBalance",
		LowBalance{BalanceCents: 95, ThresholdCents: 123456, Link: link},
		[]string{"$0.95", "$1,234.56"},
		[]string{link},
	},
	{
		"WebhookGone",
		WebhookDisabled{ID: "wh_1", Host: "hooks.evil.example", Gone: true, Failures: 1, Since: at, Link: link},
		[]string{"wh_1", "“hooks. evil. example”", "answered 410", "No events are sent", "get the events that it has missed"},
		[]string{link},
	},
	{
		"WebhookFailing",
		WebhookDisabled{ID: "wh_1", Host: "hooks", Failures: 21, Since: at, Link: link},
		[]string{"wh_1", "“hooks”", "All 21 tries since 1 July 2026, 22:30 UTC have failed."},
		[]string{link},
	},
}

func newComposer(t *testing.T) *Composer {
	t.Helper()
	c, err := NewComposer(os.DirFS("../../embed/templates/mail"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func compose(t *testing.T, l Letter) (subject, text, page string) {
	t.Helper()
	subject, text, page, err := newComposer(t).Compose(l)
	if err != nil {
		t.Fatal(err)
	}
	return subject, text, page
}

func TestCompose(t *testing.T) {
	for _, s := range samples {
		t.Run(s.name, func(t *testing.T) {
			subject, text, page := compose(t, s.letter)

			if subject == "" || strings.ContainsFunc(subject, unicode.IsControl) || len(subject) > 60 {
				t.Errorf("subject = %q", subject)
			}
			flat := strings.Join(strings.Fields(text), " ")
			seen := visible(page)
			for _, want := range append(slices.Clone(s.holds), s.links...) {
				if !strings.Contains(flat, want) {
					t.Errorf("text lacks %q:\n%s", want, text)
				}
				if !strings.Contains(seen, want) {
					t.Errorf("HTML lacks %q:\n%s", want, page)
				}
			}
			expectWrapped(t, text)
			expectPlain(t, page)
			if got := hrefs(page); !sameSet(got, s.links) {
				t.Errorf("links = %q, want %q", got, s.links)
			}
			if got := linkLike(text); !sameSet(got, append(slices.Clone(s.links), addresses(s.letter)...)) {
				t.Errorf("a mail program makes links of %q", got)
			}
		})
	}
}

// addresses returns the e-mail addresses that a letter shows as links.
func addresses(l Letter) []string {
	if r, ok := l.(Request); ok && r.To != "" {
		return []string{r.To}
	}
	if i, ok := l.(Invitation); ok && i.To != "" {
		return []string{i.Owner, i.To}
	}
	return nil
}

var (
	tag  = regexp.MustCompile(`<[^>]*>`)
	head = regexp.MustCompile(`(?s)^.*<body`)
	href = regexp.MustCompile(`href="([^"]*)"`)
	// autolink finds at least the links that mail programs make.
	autolink = regexp.MustCompile(`(?i)[a-z][a-z0-9+.-]*:/*[^\s/"“”]\S*|\\\\[^\s\\]\S*|//[^\s/”]\S*|\S+[.。．｡․][\p{L}\p{S}\p{M}]\S*|\S+[@＠]\S+|\d+\.\d+\.\d\S*`)
)

// visible returns what a reader of the HTML sees.
func visible(page string) string {
	page = head.ReplaceAllString(page, "<body")
	page = strings.ReplaceAll(page, "<br>", " ")
	return strings.Join(strings.Fields(html.UnescapeString(tag.ReplaceAllString(page, ""))), " ")
}

func hrefs(page string) []string {
	var all []string
	for _, found := range href.FindAllStringSubmatch(page, -1) {
		all = append(all, html.UnescapeString(found[1]))
	}
	return all
}

func linkLike(text string) []string {
	var all []string
	text = strings.ReplaceAll(text, "UTC-03:00", "") // ours, and not a scheme
	for _, word := range autolink.FindAllString(text, -1) {
		all = append(all, strings.TrimRight(word, ".,:”"))
	}
	return all
}

func sameSet(a, b []string) bool {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	return slices.Equal(slices.Compact(a), slices.Compact(b))
}

// expectWrapped checks the lines of a text.
func expectWrapped(t *testing.T, text string) {
	t.Helper()
	if strings.Trim(text, "\n")+"\n" != text || strings.Contains(text, "\n\n\n") || strings.ContainsAny(text, "\r\t") {
		t.Errorf("blank lines, tabs or carriage returns: %q", text)
	}
	for line := range strings.SplitSeq(text, "\n") {
		if utf8.RuneCountInString(line) > textWidth && strings.Contains(strings.TrimSpace(line), " ") {
			t.Errorf("line of %d characters: %q", utf8.RuneCountInString(line), line)
		}
		if strings.TrimRight(line, " ") != line {
			t.Errorf("line ends with spaces: %q", line)
		}
	}
}

// expectPlain checks that HTML loads nothing, and leaves colours and layout to the
// reader.
func expectPlain(t *testing.T, page string) {
	t.Helper()
	forbidden := []string{
		"<img", "<table", "<script", "<link", "<style", "<iframe", "<form", "src=", "url(", "@import", "onclick",
		"color:", "background", "ZgotmplZ", "<no value>", "{{",
	}
	for _, f := range forbidden {
		if strings.Contains(page, f) {
			t.Errorf("HTML has %q", f)
		}
	}
	for _, needed := range []string{"<!doctype html>", `lang="en"`, `<meta charset="utf-8">`, `content="light dark"`} {
		if !strings.Contains(page, needed) {
			t.Errorf("HTML lacks %q", needed)
		}
	}
}

func TestComposedLettersArriveUnchanged(t *testing.T) {
	sink := mailtest.New(t)
	s := parseSMTP(t, sink.URL())
	for _, sample := range samples {
		t.Run(sample.name, func(t *testing.T) {
			subject, text, page := compose(t, sample.letter)
			sends(t, s, Message{ID: "mail_1", To: "jo@merchant.example", Subject: subject, Text: text, HTML: page, At: at})
			mails := sink.Mails()
			if got := mails[len(mails)-1]; got.Subject != subject || got.Text != text || got.HTML != page {
				t.Errorf("arrived as %q\n%s\n%s", got.Subject, got.Text, got.HTML)
			}
		})
	}
}

func TestRecipientIsShownOnOneLine(t *testing.T) {
	_, text, page := compose(t, Request{App: "Acme", Developer: "Acme", To: "jo@x.example\n\nEve\u202e<b>", Link: link, Expires: at})
	if !strings.Contains(strings.Join(strings.Fields(text), " "), "jo@x.example Eve<b>.") || !strings.Contains(page, "jo@x.example Eve&lt;b&gt;</bdi>") {
		t.Errorf("recipient in\n%s\n%s", text, page)
	}
}

// A link that is not http or https is replaced.
func TestLinkOfAnotherSchemeIsRemoved(t *testing.T) {
	_, _, page := compose(t, LowBalance{Link: "javascript:alert(1)"})
	if got := hrefs(page); !slices.Equal(got, []string{"#ZgotmplZ"}) {
		t.Errorf("links = %q", got)
	}
}

func TestNewComposerRefusesBrokenTemplates(t *testing.T) {
	const unknownField = "{{.Nothing}}"
	root := os.DirFS("../../embed/templates/mail")
	files, err := fs.Glob(root, "*")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2*len(letters)+1 {
		t.Errorf("files = %q, want two for each letter, and the frame", files)
	}

	for _, file := range files {
		t.Run(file, func(t *testing.T) {
			for what, data := range map[string]string{"missing": "", "broken": "{{", "unknown field": unknownField} {
				all := copyOf(t, root, files)
				switch what {
				case "missing":
					delete(all, file)
				case "unknown field":
					data = strings.Replace(string(all[file].Data), "{{", unknownField+"{{", 1)
					if strings.Contains(data, "{{define") {
						data = strings.Replace(string(all[file].Data), "}}", "}}"+unknownField, 1)
					}
					fallthrough
				default:
					all[file] = &fstest.MapFile{Data: []byte(data)}
				}
				_, err := NewComposer(all)
				if err == nil || !strings.Contains(err.Error(), strings.TrimSuffix(strings.TrimSuffix(file, ".txt"), ".html")) {
					t.Errorf("%s: error = %v, want the name of the file", what, err)
				}
			}
		})
	}
}

func copyOf(t *testing.T, root fs.FS, files []string) fstest.MapFS {
	t.Helper()
	all := fstest.MapFS{}
	for _, file := range files {
		data, err := fs.ReadFile(root, file)
		if err != nil {
			t.Fatal(err)
		}
		all[file] = &fstest.MapFile{Data: data}
	}
	return all
}

func TestNewComposerRefusesTemplateWithoutSubject(t *testing.T) {
	root := os.DirFS("../../embed/templates/mail")
	files, _ := fs.Glob(root, "*")
	all := copyOf(t, root, files)
	all["code.txt"] = &fstest.MapFile{Data: []byte("{{.Code}}")}
	if _, err := NewComposer(all); err == nil || !strings.Contains(err.Error(), "code") {
		t.Errorf("error = %v", err)
	}
}

func TestWrap(t *testing.T) {
	word := strings.Repeat("x", 30)
	long := strings.Repeat("y", 100)
	tests := []struct{ name, text, want string }{
		{"Short", "a b", "a b\n"},
		{"Blank", "\n\na\n\n\n  \nb\n\n", "a\n\nb\n"},
		{"BlankFirst", "  \n\na", "a\n"},
		{"Nothing", "", "\n"},
		{"Exact", strings.Repeat("x", 72), strings.Repeat("x", 72) + "\n"},
		{"Long", word + " " + word + " " + word, word + " " + word + "\n" + word + "\n"},
		{"ByCharacters", strings.Repeat("ë", 35) + " " + strings.Repeat("ë", 36), strings.Repeat("ë", 35) + " " + strings.Repeat("ë", 36) + "\n"},
		{"LongWord", "a " + long + " b", "a\n" + long + "\nb\n"},
		{"Indented", "    " + word + " " + word + " " + word, "    " + word + " " + word + "\n      " + word + "\n"},
		{"Item", "- " + word + " " + word + " " + word, "- " + word + " " + word + "\n  " + word + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := wrap(test.text); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

package mail

import (
	"bytes"
	"cmp"
	"fmt"
	htmltemplate "html/template"
	"io/fs"
	"strings"
	texttemplate "text/template"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/server/money"
	"svc/server/zone"
)

const (
	// textWidth is the longest line of the text, in characters: mail programs do not
	// agree on how to break longer ones.
	textWidth = 72
	// maxNameRunes bounds a name that somebody else chose.
	maxNameRunes = 100
	// maxForRunes bounds Code.For: words of ours and such a name.
	maxForRunes = 160
)

// Letter is the content of a mail: one of the structs below.
type Letter interface {
	// letter returns the name of the templates and the data for them, in which texts
	// that others chose are quoted.
	letter() (name string, shown any)
}

// Code is a six-digit code that proves the address.
type Code struct {
	Code    string
	Minutes int // how long it is valid
	// For is the purpose in words, such as "make an account" or "answer the request of
	// Acme POS". It is shown in quotes, since it may hold the name of an app.
	For string
}

// HaveAccount answers somebody who asked to make an account with an address that
// has one, or who has forgotten the password.
type HaveAccount struct {
	// Forgotten: a new password was asked for, and not an account.
	Forgotten bool
	Link      string // to choose a new password
	Minutes   int    // how long Link is valid
	SignIn    string
}

// Request asks a merchant to let a developer read data (D8).
type Request struct {
	App       string // may be empty
	Developer string
	To        string   // the merchant's address
	Scopes    []string // what the app may do, in words that follow "the app can"
	Link      string   // where to approve or decline
	Expires   time.Time
	Zone      *time.Location // nil: UTC
}

// Invitation asks somebody to join the staff of an account (L11).
type Invitation struct {
	Business string // shown in quotes, since the owner chose it
	Owner    string // the e-mail of who invites
	To       string
	Link     string // to choose a password with
	Expires  time.Time
	Zone     *time.Location // nil: UTC
	// Taken: the address signs in here already, so that the link cannot be used.
	Taken bool
}

// Welcome tells the owner of an account that the operator made it.
type Welcome struct {
	Business string // shown in quotes
	To       string
	Link     string // to choose the first password with
	Expires  time.Time
	Zone     *time.Location // nil: UTC
}

// PasswordChanged tells a person that the password was changed, or that they have the first
// one.
type PasswordChanged struct {
	First  bool
	When   time.Time
	Zone   *time.Location // nil: UTC
	SignIn string
}

// TwoFactor tells a person what was done to their two-factor sign-in.
type TwoFactor struct {
	Did      TwoFactorAct
	Left     int // recovery codes, after RecoveryCodeUsed
	When     time.Time
	Zone     *time.Location // nil: UTC
	Settings string         // the page of it
}

// TwoFactorAct is what was done.
type TwoFactorAct string

// What is done to two-factor sign-in.
const (
	TwoFactorOn      TwoFactorAct = "on"
	TwoFactorOff     TwoFactorAct = "off"
	TwoFactorForced  TwoFactorAct = "forced" // off, by the operator
	TwoFactorByOwner TwoFactorAct = "owner"  // off, by the owner of the account
	TwoFactorCodes   TwoFactorAct = "codes"  // new recovery codes
	RecoveryCodeUsed TwoFactorAct = "recovery"
	WrongCodes       TwoFactorAct = "wrong" // were typed after the password
)

// LowBalance tells the owner of an account that its credit has fallen below the
// threshold, both in US cents (C4).
type LowBalance struct {
	BalanceCents, ThresholdCents int64
	Link                         string // to the wallet
}

// WebhookDisabled tells the owner of an account that a webhook is disabled, because its
// receiver is gone or has failed for long (K5).
type WebhookDisabled struct {
	ID       string
	Host     string // of its URL; shown in quotes, since the owner chose it
	Gone     bool   // answered 410
	Failures int    // since then
	Since    time.Time
	Link     string // to the webhooks
}

// letters has one of each kind, for NewComposer to try.
var letters = []Letter{Code{}, HaveAccount{}, Request{}, Invitation{}, Welcome{}, PasswordChanged{}, TwoFactor{}, LowBalance{}, WebhookDisabled{}}

func (l Code) letter() (string, any) {
	l.For = quoted(l.For, maxForRunes)
	return "code", l
}

func (l Request) letter() (string, any) {
	l.App = quoted(l.App, maxNameRunes)
	l.Developer = quoted(l.Developer, maxNameRunes)
	l.To = printable(l.To)
	return "request", l
}

func (l Invitation) letter() (string, any) {
	l.Business = quoted(l.Business, maxNameRunes)
	l.Owner, l.To = printable(l.Owner), printable(l.To)
	return "invitation", l
}

func (l Welcome) letter() (string, any) {
	l.Business, l.To = quoted(l.Business, maxNameRunes), printable(l.To)
	return "welcome", l
}

func (l WebhookDisabled) letter() (string, any) {
	l.Host = quoted(l.Host, maxNameRunes)
	return "webhook_disabled", l
}

func (l HaveAccount) letter() (string, any)     { return "have_account", l }
func (l PasswordChanged) letter() (string, any) { return "password_changed", l }
func (l TwoFactor) letter() (string, any)       { return "two_factor", l }
func (l LowBalance) letter() (string, any)      { return "low_balance", l }

// Composer turns letters into texts. It may be used concurrently.
type Composer struct{ templates map[string]letterTemplates }

type letterTemplates struct {
	text *texttemplate.Template
	html *htmltemplate.Template
}

// frame is the template around the HTML of every letter.
const frame = "frame.html"

// NewComposer parses the templates of all letters and executes each with the zero
// value of its letter, so that a template that is missing or broken, or names a field
// that the letter lacks, is an error at the start.
func NewComposer(templates fs.FS) (*Composer, error) {
	c := &Composer{templates: map[string]letterTemplates{}}
	for _, l := range letters {
		name, _ := l.letter()
		t, err := parseTemplates(templates, name)
		if err != nil {
			return nil, fmt.Errorf("mail templates: %w", err)
		}
		c.templates[name] = t
		if _, _, _, err := c.Compose(l); err != nil {
			return nil, fmt.Errorf("mail templates: %w", err)
		}
	}
	return c, nil
}

func parseTemplates(templates fs.FS, name string) (letterTemplates, error) {
	text, err := texttemplate.New(name+".txt").Funcs(functions).ParseFS(templates, name+".txt")
	if err != nil {
		return letterTemplates{}, err
	}
	html, err := htmltemplate.New(frame).Funcs(functions).ParseFS(templates, frame, name+".html")
	if err != nil {
		return letterTemplates{}, err
	}
	return letterTemplates{text, html}, nil
}

// Compose returns the texts of a letter. The subject is one line. The lines of the
// text have at most 72 characters, unless a word such as a link is longer.
func (c *Composer) Compose(l Letter) (subject, text, html string, err error) {
	name, shown := l.letter()
	t, ok := c.templates[name]
	if !ok {
		return "", "", "", fmt.Errorf("letter %s: not known", name)
	}

	var line, body, page bytes.Buffer
	err = t.text.ExecuteTemplate(&line, "subject", shown)
	framed := struct {
		Subject string
		Letter  any
	}{printable(line.String()), shown}
	if err = cmp.Or(err, t.text.Execute(&body, shown), t.html.Execute(&page, framed)); err != nil {
		return "", "", "", fmt.Errorf("letter %s: %w", name, err)
	}
	return framed.Subject, wrap(body.String()), page.String(), nil
}

// functions are those that templates may call.
var functions = map[string]any{"minutes": minutes, "when": when, "usd": usd}

func minutes(n int) string {
	if n == 1 {
		return "1 minute"
	}
	return fmt.Sprint(n, " minutes")
}

// when formats a time in a zone, UTC if it is nil; a zero time is a dash.
func when(t time.Time, local *time.Location) string {
	if t.IsZero() {
		return "–"
	}
	return zone.Format(t, cmp.Or(local, time.UTC))
}

func usd(cents int64) string { return money.Format(cents, "usd") }

// quoted returns a text that somebody else chose as one line between quotes, so that
// it cannot pose as ours: it cannot close the quotes, no mail program makes a link of
// it, and it has at most limit characters. It is empty when nothing of the text is
// printable.
func quoted(text string, limit int) string {
	text = strings.Map(func(c rune) rune {
		if isQuote(c) {
			return '\''
		}
		return c
	}, printable(text))
	words := strings.Fields(text)
	for i, word := range words {
		words[i] = unlinked(word)
	}

	text = strings.Join(words, " ")
	if runes := []rune(text); len(runes) > limit {
		text = strings.TrimRight(string(runes[:limit-1]), " ") + "…"
	}
	if text == "" {
		return ""
	}
	return "“" + text + "”"
}

// isQuote reports whether a character may be taken for the end of a quotation.
func isQuote(c rune) bool {
	return unicode.Is(unicode.Quotation_Mark, c) || strings.ContainsRune("`´″‴⁗‶‷ʺˮ˝״〃", c)
}

// printable returns a text as one line, without characters that cannot be seen or
// that change how the rest is seen: control characters, those that turn the direction
// of writing, and those without width.
func printable(text string) string {
	text = strings.Map(func(c rune) rune {
		switch {
		case unicode.IsSpace(c) || unicode.IsControl(c):
			return ' '
		case !unicode.IsPrint(c):
			return -1
		}
		return c
	}, strings.ToValidUTF8(text, ""))
	return strings.Join(strings.Fields(text), " ")
}

// unlinked returns a word with a space after each mark of an address, if a mail
// program might make a link of the word.
func unlinked(word string) string {
	runes := []rune(word)
	if !linkable(runes) {
		return word
	}
	var b strings.Builder
	for i, c := range runes {
		b.WriteRune(c)
		if addressMark(c) != 0 && i+1 < len(runes) && addressMark(runes[i+1]) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// linkable reports whether a word looks like an address: it has a scheme, an @, a
// network path, a dot before a letter, or two dots. "v2.0" and "AC/DC" do not,
// "evil.example" does.
func linkable(word []rune) bool {
	dots := 0
	for i, c := range word[:max(len(word)-1, 0)] {
		next := word[i+1]
		switch addressMark(c) {
		case ':', '@', '\\':
			return true
		case '/':
			if addressMark(next) == '/' {
				return true
			}
		case '.':
			if dots++; dots > 1 || !unicode.IsDigit(next) && !unicode.IsPunct(next) {
				return true
			}
		}
	}
	return false
}

// addressMark returns the mark of an address that a character is or is taken for by
// programs, and 0 for all others.
func addressMark(c rune) rune {
	for _, lookalikes := range []string{".．。｡․﹒", ":：﹕︓∶ː˸꞉", "@＠﹫", "/／⁄∕", `\＼﹨`} {
		if strings.ContainsRune(lookalikes, c) {
			return rune(lookalikes[0])
		}
	}
	return 0
}

// wrap breaks long lines, and removes blank lines at both ends and beside others.
func wrap(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		line = strings.TrimRight(line, " ")
		if line == "" && (len(lines) == 0 || lines[len(lines)-1] == "") {
			continue
		}
		lines = append(lines, wrapLine(line)...)
	}
	return strings.Join(lines, "\n") + "\n"
}

// wrapLine breaks a line between words. The rest of an indented line, or of an item of
// a list, is indented further, so that it does not look like a line of its own.
func wrapLine(line string) []string {
	if utf8.RuneCountInString(line) <= textWidth {
		return []string{line}
	}
	words := strings.Fields(line)
	indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
	further := indent
	if indent != "" || words[0] == "-" {
		further += "  "
	}

	var lines []string
	line = indent + words[0]
	for _, word := range words[1:] {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > textWidth {
			lines = append(lines, line)
			line = further + word
			continue
		}
		line += " " + word
	}
	return append(lines, line)
}

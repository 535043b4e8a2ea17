package cmd_test

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/server/mail/mailtest"
)

// These tests run the first account, sessions and mails with the real binary.

var setupLink = regexp.MustCompile(`(?m)^  (http\S+/setup/[A-Za-z0-9_-]{43})$`)

// submit posts a form from the same site, with a cookie.
func (p *process) submit(path, cookie string, form url.Values) answer {
	p.Helper()
	r, err := http.NewRequest(http.MethodPost, p.url+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	return p.ask(r)
}

// look gets a page with a cookie.
func (p *process) look(path, cookie string) answer {
	p.Helper()
	r, err := http.NewRequest(http.MethodGet, p.url+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Cookie", cookie)
	return p.ask(r)
}

func (p *process) ask(r *http.Request) answer {
	p.Helper()
	still := *client
	still.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	response, err := still.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		p.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(body)}
}

// signIn signs in and returns the session cookie.
func (p *process) signIn(email, password string) string {
	p.Helper()
	a := p.submit("/signin", "", url.Values{"email": {email}, "password": {password}})
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	if a.status != 303 || !strings.HasPrefix(cookie, "svc_session=") {
		p.Fatalf("sign in: %d %s", a.status, a.body)
	}
	return cookie
}

func (p *process) wantIn(cookie string, in bool) {
	p.Helper()
	want := 303
	if in {
		want = 200
	}
	if a := p.look("/console", cookie); a.status != want {
		p.Errorf("console: %d, want %d", a.status, want)
	}
}

// link returns the path of the setup link that svc serve printed.
func (p *process) link() string {
	p.Helper()
	found := setupLink.FindStringSubmatch(p.until("outbox"))
	if found == nil {
		p.Fatalf("no link in %s", p.out)
	}
	path, ours := strings.CutPrefix(found[1], p.url)
	if !ours {
		p.Fatalf("link %s of the server %s", found[1], p.url)
	}
	return path
}

func TestSetupLink(t *testing.T) {
	t.Parallel()
	secret := strings.TrimSpace(password)
	form := url.Values{"email": {owner}, "password": {secret}}

	t.Run("MakesTheOperator", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		p := f.serve()
		old := p.link()
		contains(t, p.out.String(), "within 30 minutes")
		if a := p.get(old); a.status != 200 {
			t.Errorf("status %d, body %s", a.status, a.body)
		}
		p.stop()

		again := f.serve()
		link := again.link()
		if link == old {
			t.Error("a later start prints the same link")
		}
		for _, a := range []answer{again.get(old), again.submit(old, "", form)} {
			if a.status != 404 || strings.Contains(a.body, "<form") {
				t.Errorf("the link of the last start: %d %s", a.status, a.body)
			}
		}
		a := again.submit(link, "", form)
		cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
		if a.status != 303 {
			t.Fatalf("status %d, body %s", a.status, a.body)
		}
		again.wantIn(cookie, true)
		if made := f.object("accounts", "list"); made["email"] != owner || made["operator"] != true {
			t.Errorf("account %v", made)
		}
		if a := again.get(link); a.status != 404 || !strings.Contains(a.body, "This server is set up") {
			t.Errorf("the link again: %d %s", a.status, a.body)
		}
		again.stop()
		for _, p := range []*process{p, again} {
			if token := link[len("/setup/"):]; strings.Contains(p.err.String(), token) || strings.Contains(p.err.String(), old[len("/setup/"):]) {
				t.Errorf("the log has a link: %s", p.err)
			}
		}

		third := f.serve()
		if out := third.until("outbox"); strings.Contains(out, "/setup/") {
			t.Errorf("a server with an account prints %s", out)
		}
		third.wantIn(cookie, true) // sessions outlive the process
	})

	t.Run("EndsWhenACommandMakesTheAccount", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		p := f.serve()
		link := p.link()
		f.ok("accounts", "create", "--email", "boss@example.com")
		for _, a := range []answer{p.get(link), p.submit(link, "", form)} {
			if a.status != 404 || strings.Contains(a.body, "<form") {
				t.Errorf("status %d, body %s", a.status, a.body)
			}
		}
		if made := f.object("accounts", "list"); made["email"] != "boss@example.com" {
			t.Errorf("account %v", made)
		}
	})

	t.Run("StandsInTheJSON", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		started := func() (p *process, printed map[string]any) {
			p = f.start("--json", "--addr", "127.0.0.1:0")
			p.until("\n")
			printed = f.objects(p.out.String())[0]
			p.url = printed["url"].(string)
			return p, printed
		}
		p, printed := started()
		path, ours := strings.CutPrefix(printed["setup_url"].(string), p.url)
		if !ours || p.submit(path, "", form).status != 303 {
			t.Errorf("printed %v", printed)
		}
		p.stop()
		if _, printed := started(); printed["setup_url"] != nil {
			t.Errorf("with an account: %v", printed)
		}
	})

	// The first account may come from a command, without a password.
	t.Run("SetsTheFirstPassword", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		f.ok("keys", "create", "--account", owner)
		p := f.serve()
		out := p.until("outbox")
		found := regexp.MustCompile(`(?m)^  (http\S+)/reset/([A-Za-z0-9_-]{43})$`).FindStringSubmatch(out)
		if found == nil || found[1] != p.url {
			t.Fatalf("printed %s", out)
		}
		contains(t, out, owner+" has no password yet", "within 30 minutes", "accounts password "+owner+" --db svc.db\n")
		path := "/reset/" + found[2]
		if a := p.get(path); a.status != 200 {
			t.Fatalf("status %d, body %s", a.status, a.body)
		}
		if a := p.submit(path, "", url.Values{"password": {secret}}); a.status != 303 {
			t.Fatalf("status %d, body %s", a.status, a.body)
		}
		p.signIn(owner, secret)
		if a := p.get(path); a.status != 404 {
			t.Errorf("the link again: %d", a.status)
		}
		p.stop()
		if strings.Contains(p.err.String(), found[2]) {
			t.Errorf("the log has the link: %s", p.err)
		}
		if out := f.serve().until("outbox"); strings.Contains(out, "/reset/") {
			t.Errorf("a server with a password prints %s", out)
		}
	})

	t.Run("BeginsWithTheConsolesAddress", func(t *testing.T) {
		t.Parallel()
		p := newFolder(t).serve("--console-url", "https://console.example.com/")
		if found := setupLink.FindStringSubmatch(p.until("outbox")); found == nil || !strings.HasPrefix(found[1], "https://console.example.com/setup/") {
			t.Errorf("printed %s", p.out)
		}
	})
}

func TestSessionsCommand(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	secret := strings.TrimSpace(password)
	f.okWith(password, "accounts", "create", "--email", owner, "--password-stdin")
	f.okWith(password, "accounts", "create", "--email", "second@example.com", "--password-stdin")
	p := f.serve()
	if out := f.ok("sessions", "list", "--json"); out != "" {
		t.Errorf("sessions %s", out)
	}
	mine, theirs := p.signIn(owner, secret), p.signIn("second@example.com", secret)

	if all := f.objects(f.ok("sessions", "list", "--json")); len(all) != 2 {
		t.Errorf("sessions %v", all)
	}
	listed := f.object("sessions", "list", "--account", "OWNER@example.com")
	if fields := strings.Join(slices.Sorted(maps.Keys(listed)), " "); fields != "account_id address browser created_at email id seen_at" ||
		listed["address"] != "127.0.0.1" || listed["browser"] != "Go-http-client/1.1" {
		t.Errorf("session %v", listed)
	}
	id := listed["id"].(string)
	text := f.ok("sessions", "list")
	contains(t, text, "ID", "PERSON", id, owner, "127.0.0.1")
	if token := strings.TrimPrefix(mine, "svc_session="); strings.Contains(text+f.ok("sessions", "list", "--json"), token) {
		t.Error("the list shows a token")
	}

	p.wantIn(mine, true)
	contains(t, f.ok("sessions", "end", id), "ended session "+id)
	p.wantIn(mine, false)
	p.wantIn(theirs, true)
	contains(t, f.fails(1, "sessions", "end", id), "no session "+id)
	if ended := f.object("sessions", "end", f.object("sessions", "list")["id"].(string)); len(ended) != 1 {
		t.Errorf("ended %v", ended)
	}
	p.wantIn(theirs, false)

	mine = p.signIn(owner, secret)
	f.okWith("another password\n", "accounts", "password", owner, "--password-stdin")
	p.wantIn(mine, false)
	p.signIn(owner, "another password")
	contains(t, f.fails(1, "sessions", "list", "--account", "nobody@example.com"), "no account for nobody@example.com")
}

func TestMailsCommand(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.account("second@example.com", "free", "0")
	p := f.serve()
	contains(t, p.until("mails list"), "Mails are not sent but kept in the outbox")
	for _, email := range []string{owner, "second@example.com", "nobody@example.com"} {
		if a := p.submit("/recover", "", url.Values{"email": {email}}); a.status != 200 {
			t.Fatalf("status %d, body %s", a.status, a.body)
		}
	}

	all := f.objects(f.ok("mails", "list", "--json"))
	if len(all) != 2 || all[0]["to"] != "second@example.com" || all[1]["to"] != owner {
		t.Fatalf("mails %v", all)
	}
	if fields := strings.Join(slices.Sorted(maps.Keys(all[1])), " "); fields != "created_at id status subject text to tries" ||
		all[1]["status"] != "kept" || all[1]["tries"] != 0.0 || all[1]["subject"] != "Choose a new password" {
		t.Errorf("mail %v", all[1])
	}
	link := regexp.MustCompile(regexp.QuoteMeta(p.url) + `(/reset/[A-Za-z0-9_-]{43})`).FindStringSubmatch(all[1]["text"].(string))
	if link == nil {
		t.Fatalf("no link in %v", all[1]["text"])
	}
	text := f.ok("mails", "list")
	contains(t, text, "TIME", "STATUS", "SUBJECT", owner, "kept")
	if n := strings.Count(text, "\n"); n != 3 { // each mail is one line
		t.Errorf("%d lines in %s", n, text)
	}
	id := all[1]["id"].(string)
	contains(t, f.ok("mails", "show", id), "id       "+id, "status   kept", "to       "+owner, "\n\n", link[0]+"\n")
	if one := f.object("mails", "show", id); !maps.Equal(one, all[1]) {
		t.Errorf("shown %v, listed %v", one, all[1])
	}
	contains(t, f.fails(1, "mails", "show", "mail_none"), "no mail mail_none")
	if one := f.object("mails", "list", "--limit", "1"); one["to"] != "second@example.com" {
		t.Errorf("newest mail %v", one)
	}

	a := p.submit(link[1], "", url.Values{"password": {"another password"}})
	if a.status != 303 {
		t.Fatalf("status %d, body %s", a.status, a.body)
	}
	p.signIn(owner, "another password")
	if strings.Contains(p.out.String()+p.err.String(), link[1]) {
		t.Error("the output has the link")
	}
}

// TestMailsAreSent checks that mails are sent at once and their text is then deleted.
func TestMailsAreSent(t *testing.T) {
	t.Parallel()
	const secret = "of-the-mail-server"
	sink := mailtest.New(t, mailtest.Auth("svc", secret))
	f := newFolder(t)
	f.account(owner, "free", "0")
	file := f.write("smtp", sink.URL()+"\n")
	p := f.with("SVC_SMTP_FILE="+file, "SVC_MAIL_FROM=Corner Shop <post@shop.example>").serve()
	if a := p.submit("/recover", "", url.Values{"email": {owner}}); a.status != 200 {
		t.Fatalf("status %d, body %s", a.status, a.body)
	}
	m := sink.Wait(1)[0]
	contains(t, m.Text, p.url+"/reset/")
	contains(t, m.HTML, p.url+"/reset/")
	await(t, "the mail is marked as sent", func() bool {
		listed := f.object("mails", "list")
		return listed["status"] == "sent" && listed["text"] == nil
	})
	contains(t, f.ok("mails", "list"), owner, "  sent  ")
	p.stop()
	if out := p.out.String() + p.err.String(); strings.Contains(out, secret) || strings.Contains(out, "Mails are not sent") || strings.Contains(out, "/reset/") {
		t.Errorf("printed %s", out)
	}
	if n := len(sink.Mails()); n != 1 {
		t.Errorf("%d mails", n)
	}
}

func TestWrongSettingsForPeople(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"serve --signup maybe":                                 `--signup: must be open or closed, not "maybe"`,
		"serve --signup OPEN":                                  "--signup: must be open or closed",
		"serve --signup=":                                      "--signup: must be open or closed",
		"serve --smtp smtp://mail.example":                     "--mail-from: is required with --smtp",
		"serve --smtp nonsense --mail-from a@b.example":        "--smtp",
		"serve --smtp http://mail.example --mail-from a@b.co":  "--smtp",
		"serve --smtp smtp://u:hidden@x --mail-from nobody":    "--mail-from",
		"serve --smtp smtp://u:hidden@x:y --mail-from a@b.co":  "--smtp",
		"serve --smtp smtp://u:hidden@x/z --mail-from a@b.co":  "--smtp",
		"serve --smtp smtp://:hidden@x --mail-from a@b.co":     "--smtp",
		"serve --wallet-bundles gbp":                           `--wallet-bundles: "gbp" must be like gbp:1000:1250`,
		"serve --wallet-bundles gbp:500":                       "--wallet-bundles",
		"serve --wallet-bundles gbp:500:600:700":               "--wallet-bundles",
		"serve --wallet-bundles gbp:0:600":                     "--wallet-bundles",
		"serve --wallet-bundles gbp:500:0":                     "--wallet-bundles",
		"serve --wallet-bundles gbp:-500:600":                  "--wallet-bundles",
		"serve --wallet-bundles gbp:5.00:600":                  "--wallet-bundles",
		"serve --wallet-bundles xxx:500:600":                   "--wallet-bundles",
		"serve --wallet-bundles gbp:500:600,eur":               `--wallet-bundles: "eur" must be like`,
		"serve --wallet-bundles gbp:500:99999999999999999999":  "--wallet-bundles",
		"serve --console-url https://console.example.com/path": "--console-url",
		"mails list --limit 0":                                 "--limit must be at least 1",
		"mails list --limit x":                                 `must be a whole number, not "x"`,
		"mails list extra":                                     "usage: svc mails list",
		"mails send":                                           `unknown command "send"`,
		"sessions end":                                         "usage: svc sessions end ID",
		"sessions end a b":                                     "usage: svc sessions end ID",
		"sessions list extra":                                  "usage: svc sessions list",
		"sessions start":                                       `unknown command "start"`,
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			args := words(line)
			if args[0] == "serve" {
				args = append(args, "--addr", "127.0.0.1:0")
			}
			sentence := wrongHere(t, args...)
			contains(t, sentence, want)
			if strings.Contains(sentence, "hidden") {
				t.Errorf("the error has the password: %s", sentence)
			}
		})
	}

	for _, line := range []string{"mails list", "sessions list", "sessions list --account a@example.com", "sessions end ses_1"} {
		t.Run("WithoutADatabase/"+line, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			contains(t, f.fails(1, words(line)...), "no database at svc.db")
			if entries, err := os.ReadDir(f.dir); err != nil || len(entries) > 0 {
				t.Errorf("the folder has %v (%v), want nothing", entries, err)
			}
		})
	}

	t.Run("Good", func(t *testing.T) {
		t.Parallel()
		f := newFolder(t)
		f.account(owner, "free", "0")
		if a := f.serve().get("/signup"); a.status != 403 {
			t.Errorf("signup while closed: status %d", a.status)
		}
		p := f.serve("--signup", "open", "--wallet-bundles", " usd:500:600 , JPY:1000:700,")
		if a := p.get("/signup"); a.status != 200 {
			t.Errorf("signup while open: status %d", a.status)
		}
	})
}

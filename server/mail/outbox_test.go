package mail_test

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/mail"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// Without a server, mails are kept for the operator alone.
func TestOutbox(t *testing.T) {
	servertest.Sequential(t)
	h := servertest.OpenHouse(t)
	h.Person(t, servertest.Member)
	link := h.Recover(t, servertest.Member)
	h.Clock.Advance(24 * time.Hour)
	for range 2 {
		if err := h.App.Sweep(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	kept := h.Outbox(t, "")
	if len(kept) != 1 || kept[0].State != db.MailKept || kept[0].Tries != 0 || !strings.Contains(kept[0].Text, link) || kept[0].HTML == "" {
		t.Fatalf("mails %+v", kept)
	}

	h.Enter(t, servertest.Boss).Get(t, "/console/operator/mails").ExpectErrorPage(t, 200, "",
		"No mail server is set up, so mails are kept here", "Choose a new password", servertest.Member, link, "kept")
	a := h.Enter(t, servertest.Member).Get(t, "/console/operator/mails")
	a.ExpectErrorPage(t, 404, "not_found", "There is no such page.")
	if a.Says(link) || a.Says("You have an account already") {
		t.Errorf("page %s", a.Body)
	}
	h.Browser(t).Get(t, "/console/operator/mails").ExpectRedirect(t, "/signin?next=%2Fconsole%2Foperator%2Fmails")
}

// A mail that is queued again while there is no server says what it waits for, and is sent
// once there is one.
func TestQueuedWithoutAServer(t *testing.T) {
	servertest.Sequential(t)
	h := servertest.OpenHouse(t)
	h.Person(t, servertest.Member)
	h.Recover(t, servertest.Member)
	if _, err := h.App.Mails.Resend(context.Background(), h.Outbox(t, "")[0].ID); err != nil {
		t.Fatal(err)
	}
	expect := func(state db.MailState, problem string) {
		t.Helper()
		if err := h.App.Mails.Deliver(context.Background()); err != nil {
			t.Fatal(err)
		}
		if m := h.Outbox(t, "")[0]; m.State != state || m.Problem != problem {
			t.Errorf("%s %q, want %s %q", m.State, m.Problem, state, problem)
		}
	}
	expect(db.MailQueued, "")
	h.Clock.Advance(time.Minute)
	expect(db.MailQueued, "no mail server is set up: svc serve with --smtp sends it")

	sink := mailtest.New(t)
	var err error
	if h.App.Mails.SMTP, err = mail.ParseSMTP(sink.URL(), "post@shop.example"); err != nil {
		t.Fatal(err)
	}
	expect(db.MailSent, "")
}

// With a server, the page shows the state of each mail, and the text of those that are
// not sent.
func TestOperatorSeesMails(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	if err := o.App.Accounts.SetPassword(context.Background(), o.Email, servertest.Password); err != nil {
		t.Fatal(err)
	}
	sent := o.request(t, "taken@merchant.example")
	o.Sweep(t)
	o.Clock.Advance(time.Second)
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, `<script>alert(1)</script> no such mailbox`))
	refused := o.request(t, merchant)
	o.Sweep(t)

	b := o.Browser(t)
	b.SignIn(t, o.Email, servertest.Password).ExpectRedirect(t, "/console")
	a := b.Get(t, "/console/operator/mails")
	a.ExpectErrorPage(t, 200, "", refused, "550", "failed", "sent", "taken@merchant.example", "The text is not kept once a mail is sent.")
	if a.Says(sent) || a.Says("<script>") || a.Says("No mail server is set up") {
		t.Errorf("page %s", a.Body)
	}
}

// The log holds nothing by which its readers could act for somebody.
func TestMailsAreNotLogged(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
	secrets := map[string]string{"the password": servertest.OtherPassword}
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, "no such mailbox"), mailtest.Cut)
	o.sink.Fail(mailtest.Message, mailtest.Reply(451, "try later"))
	o.sink.Fail(mailtest.Answer, mailtest.Cut)
	for i := range 5 {
		to := fmt.Sprintf("new%d@example.com", i)
		o.Browser(t).Post(t, "/signup", url.Values{"email": {to}}).Expect(t, 200, "")
		secrets["code "+to] = o.Code(t, to)
		link := o.request(t, to)
		secrets["link "+to] = link[strings.LastIndex(link, "/")+1:]
		if i == 0 {
			o.Browser(t).Post(t, "/signup/code", servertest.SignUpForm(to, o.Code(t, to), "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
			o.Clock.Advance(time.Minute)
			o.Browser(t).Post(t, "/recover", url.Values{"email": {to}}).Expect(t, 200, "")
			reset := servertest.ResetLink.FindString(o.Outbox(t, to)[0].Text)
			secrets["reset"] = reset[strings.LastIndex(reset, "/")+1:]
			o.Browser(t).Get(t, servertest.Path(reset)).Expect(t, 200, "")
		}
		o.Browser(t).Get(t, link).Expect(t, 200, "")
	}
	o.sink.Down()
	o.Sweep(t)
	o.sink.Up()
	for range 3 {
		o.Clock.Advance(time.Minute)
		o.Sweep(t)
	}

	logged := o.Log.String()
	if n := strings.Count(logged, "mail not sent"); n != 5 {
		t.Errorf("%d failures in the log, want 5: %s", n, logged)
	}
	for what, secret := range secrets {
		if len(secret) < 6 || strings.Contains(logged, secret) {
			t.Errorf("the log has the %s %q", what, secret)
		}
	}
	for _, word := range []string{"six-digit", "It was asked for", "asks for access", "new password"} {
		if strings.Contains(logged, word) {
			t.Errorf("the log has the text %q", word)
		}
	}
}

// The password of the mail server is nowhere, even if the server repeats it.
func TestPasswordOfTheServerIsNotShown(t *testing.T) {
	const password = "of-the/mail+server"
	echo := "your password is " + password
	sink := mailtest.New(t, mailtest.Auth("svc", password))
	sink.Fail(mailtest.SignIn, mailtest.Reply(535, echo))
	sink.Fail(mailtest.Sender, mailtest.Reply(451, echo))
	sink.Fail(mailtest.Recipient, mailtest.Reply(451, echo), mailtest.Reply(550, echo))
	s := servertest.NewShop(t, db.Growth, 1000, func(c *server.Config) {
		c.SMTP, c.MailFrom = sink.URL(), "post@shop.example"
	})
	o := &office{s, sink}
	o.request(t, merchant)
	for tries, problem := range []string{"refused the session: 535", "refused the sender: 451", "refused the recipient: 451"} {
		o.Sweep(t)
		m := o.expectMail(t, merchant, db.MailQueued, tries+1, problem)
		o.Clock.Set(m.DueAt)
	}
	o.Sweep(t)
	o.expectMail(t, merchant, db.MailFailed, 4, "refused the recipient: 550")

	for _, text := range append(o.Query(t, "SELECT problem FROM mails"), o.Log.String()) {
		if strings.Contains(text, password) || strings.Contains(text, url.QueryEscape(password)) {
			t.Errorf("the password is in %s", text)
		}
	}
}

// A mail is sent as soon as the change that it tells of is stored.
func TestMailWakesTheLoop(t *testing.T) {
	servertest.Sequential(t)
	t.Run("EveryHandlerWakesIt", func(t *testing.T) {
		h := servertest.OpenHouse(t)
		h.Person(t, servertest.Member)
		in := h.Enter(t, servertest.Member)
		_, secret := h.Key(t, servertest.Boss, db.Live, db.AccountMode)
		for name, act := range map[string]func() servertest.Answer{
			"SignUp": func() servertest.Answer { return h.AskCode(t, "new@example.com") },
			"Recover": func() servertest.Answer {
				return h.Browser(t).Post(t, "/recover", url.Values{"email": {servertest.Boss}})
			},
			"Reset": func() servertest.Answer {
				link := h.Recover(t, "none@example.com")
				woken(h)
				return h.Browser(t).Post(t, link, url.Values{"password": {servertest.OtherPassword}})
			},
			"ChangePassword": func() servertest.Answer {
				return in.Post(t, "/console/settings/password", url.Values{"current": {servertest.Password}, "password": {servertest.OtherPassword}})
			},
			"Connection": func() servertest.Answer {
				return h.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": merchant}, servertest.WithKey(secret))
			},
		} {
			t.Run(name, func(t *testing.T) {
				if name == "Reset" {
					h.Account(t, "none@example.com", "free", 0)
				}
				if a := act(); a.Status >= 400 {
					t.Fatalf("%d %s", a.Status, a.Body)
				}
				if !woken(h) {
					t.Error("the loop was not woken")
				}
			})
		}
	})

	// Had the ticker brought the mail, the call that was to wake the loop would still wait.
	t.Run("TheLoopListens", func(t *testing.T) {
		sink := mailtest.New(t)
		r := servertest.Run(t, server.Config{
			DB: filepath.Join(t.TempDir(), "svc.db"), OperatorEmail: servertest.Boss, SMTP: sink.URL(), MailFrom: "post@shop.example",
		})
		response, err := http.PostForm(r.URL+"/recover", url.Values{"email": {servertest.Boss}})
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if m := sink.Wait(1)[0]; response.StatusCode != 200 || m.To[0] != servertest.Boss {
			t.Errorf("%d, mail to %q", response.StatusCode, m.To)
		}
		servertest.Until(t, "the loop to have listened", func() bool { return len(r.App.Mails.Woken()) == 0 })
		r.Stop()
		if err := servertest.Receive(t, r.Ended); err != nil {
			t.Errorf("Run: %v", err)
		}
	})
}

// woken reports whether the loop was woken since the last look. No loop runs here.
func woken(h *servertest.House) bool {
	select {
	case <-h.App.Mails.Woken():
		return true
	default:
		return false
	}
}

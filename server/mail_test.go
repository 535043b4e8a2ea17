package server_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// What becomes of a mail between the change that it tells of and the server that
// takes it. The server is a real one, of this test.

const merchant = "jo@merchant.example"

// office is a shop whose mails are sent.
type office struct {
	*shop
	sink *mailtest.Sink
}

func newOffice(t *testing.T, change ...func(*server.Config)) *office {
	t.Helper()
	sink := mailtest.New(t)
	change = append(change, func(c *server.Config) {
		c.SMTP, c.MailFrom = sink.URL(), "Corner Shop <post@shop.example>"
	})
	return &office{newShop(t, db.Growth, 1000, change...), sink}
}

// ask asks a merchant for access, which is told by mail, and returns the link.
func (o *office) ask(t *testing.T, email string) (link string) {
	t.Helper()
	a := o.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": email}, servertest.WithKey(o.Secret))
	a.Expect(t, 200, "")
	return a.Fields(t)["confirmation_url"].(string)
}

// work lets the background loops run once.
func (o *office) work(t *testing.T) {
	t.Helper()
	if err := o.App.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// mail is the only one to an address.
func (o *office) mail(t *testing.T, to string) db.Mail {
	t.Helper()
	mails := o.Outbox(t, to)
	if len(mails) != 1 {
		t.Fatalf("%d mails to %s", len(mails), to)
	}
	return mails[0]
}

// wantMail checks where the only mail to an address stands.
func (o *office) wantMail(t *testing.T, to string, state db.MailState, tries int, problem string) db.Mail {
	t.Helper()
	m := o.mail(t, to)
	if m.State != state || m.Tries != tries || !strings.Contains(m.Problem, problem) || problem == "" && m.Problem != "" {
		t.Fatalf("mail %s after %d tries (%q), want %s after %d (%q)", m.State, m.Tries, m.Problem, state, tries, problem)
	}
	if hasText := m.Text != "" && m.HTML != ""; hasText == (state == db.MailSent) || (m.Text == "") != (m.HTML == "") {
		t.Errorf("a mail that is %s, with text: %v", state, hasText)
	}
	return m
}

// wantArrived checks how many mails have reached the server.
func (o *office) wantArrived(t *testing.T, n int) []mailtest.Mail {
	t.Helper()
	mails := o.sink.Mails()
	if len(mails) != n {
		t.Fatalf("%d mails have arrived, want %d", len(mails), n)
	}
	return mails
}

// wantOver checks that a mail is left alone from now on.
func (o *office) wantOver(t *testing.T, arrived int) {
	t.Helper()
	before := o.Outbox(t, "")
	for _, wait := range []time.Duration{0, 10 * time.Second, 3 * time.Minute, 2 * time.Hour, 8 * 24 * time.Hour} {
		o.Clock.Advance(wait)
		o.work(t)
	}
	o.wantArrived(t, arrived)
	if after := o.Outbox(t, ""); !slices.Equal(after, before) {
		t.Errorf("mails %+v, before %+v", after, before)
	}
}

func TestMailIsSent(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	link := o.ask(t, merchant)
	queued := o.wantMail(t, merchant, db.MailQueued, 0, "")
	if !queued.DueAt.Equal(o.Clock.Now()) || !queued.ExpiresAt.Equal(o.Clock.Now().Add(7*24*time.Hour)) {
		t.Errorf("queued %+v", queued)
	}
	o.wantArrived(t, 0)

	o.work(t)
	m := o.wantArrived(t, 1)[0]
	if m.From != "post@shop.example" || !slices.Equal(m.To, []string{merchant}) || m.Header.Get("To") != "<"+merchant+">" ||
		!strings.Contains(m.Header.Get("From"), "Corner Shop") || m.Subject != "An app asks to read your inventory" {
		t.Errorf("from %q to %q: %v", m.From, m.To, m.Header)
	}
	if !strings.Contains(m.Text, link) || !strings.Contains(m.HTML, link) || strings.Contains(m.Text, "<") {
		t.Errorf("parts:\n%s\n%s", m.Text, m.HTML)
	}
	if want := "<" + queued.ID + "@shop.example>"; m.Header.Get("Message-Id") != want {
		t.Errorf("Message-Id %q, want %q", m.Header.Get("Message-Id"), want)
	}
	o.wantMail(t, merchant, db.MailSent, 1, "")
	o.Browser(t).Get(t, link).ExpectErrorPage(t, 200, "")
	o.wantOver(t, 1)
}

func TestMailIsTriedAgain(t *testing.T) {
	servertest.Sequential(t)
	t.Run("WhenTheServerIsDown", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Down()
		link := o.ask(t, merchant) // which is a 200 all the same
		for tries, pause := range []time.Duration{
			10 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour,
		} {
			o.work(t)
			m := o.wantMail(t, merchant, db.MailQueued, tries+1, "could not be reached: connection refused")
			if !m.DueAt.Equal(o.Clock.Now().Add(pause)) {
				t.Errorf("after %d tries it is due in %v, want %v", tries+1, m.DueAt.Sub(o.Clock.Now()), pause)
			}
			o.Clock.Advance(pause - time.Millisecond)
			o.work(t)
			o.wantMail(t, merchant, db.MailQueued, tries+1, "could not be reached")
			o.Clock.Advance(time.Millisecond)
		}
		o.sink.Up()
		o.work(t)
		o.wantMail(t, merchant, db.MailSent, 8, "")
		if m := o.wantArrived(t, 1)[0]; !strings.Contains(m.Text, link) {
			t.Errorf("text %s", m.Text)
		}
		o.wantOver(t, 1)
	})

	// A server that is not there is asked once, and not once for each mail.
	t.Run("AnUnreachedServerIsAskedOnce", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Down()
		for i := range 5 {
			o.ask(t, fmt.Sprintf("m%d@merchant.example", i))
		}
		o.work(t)
		tries := 0
		for _, m := range o.Outbox(t, "") {
			tries += m.Tries
		}
		if tries != 1 {
			t.Errorf("%d tries", tries)
		}
		o.sink.Up()
		o.Clock.Advance(10 * time.Second)
		o.work(t)
		o.wantArrived(t, 5)
	})

	for _, row := range []struct {
		name    string
		plan    func(*mailtest.Sink)
		problem string
	}{
		{"AfterA451", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Reply(451, "try later")) }, "451"},
		{"AfterA451OfTheText", func(s *mailtest.Sink) { s.Fail(mailtest.Message, mailtest.Reply(451, "try later")) }, "451"},
		{"AfterA421", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Reply(421, "closing")) }, "421"},
		{"WhenCutBeforeTheText", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Cut) }, "broke off the connection"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOffice(t)
			row.plan(o.sink)
			o.ask(t, merchant)
			o.ask(t, "second@merchant.example")
			o.work(t)
			o.wantMail(t, merchant, db.MailQueued, 1, row.problem)
			o.wantMail(t, "second@merchant.example", db.MailSent, 1, "") // the next one goes on
			o.wantArrived(t, 1)
			o.Clock.Advance(10 * time.Second)
			o.work(t)
			o.wantMail(t, merchant, db.MailSent, 2, "")
			o.wantOver(t, 2)
		})
	}

	// The mail comes twice, with one Message-ID, and not never.
	t.Run("WhenCutAfterTheText", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Fail(mailtest.Answer, mailtest.Cut)
		o.ask(t, merchant)
		o.work(t)
		o.wantMail(t, merchant, db.MailQueued, 1, "the mail may have been sent")
		o.Clock.Advance(10 * time.Second)
		o.work(t)
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.wantSameID(t, 2)
		o.wantOver(t, 2)
	})

	t.Run("WhenSvcEndedBeforeItBegan", func(t *testing.T) {
		o := newOffice(t)
		o.ask(t, merchant)
		o.claim(t)
		o.work(t)
		o.wantArrived(t, 0)
		o.Clock.Advance(2 * time.Minute)
		o.work(t)
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.wantOver(t, 1)
	})

	t.Run("WhenSvcEndedBeforeItStoredTheOutcome", func(t *testing.T) {
		o := newOffice(t)
		o.ask(t, merchant)
		o.forgetOutcomes(t)
		if err := o.App.Mails.Deliver(context.Background()); err == nil {
			t.Error("the outcome is stored")
		}
		o.wantMail(t, merchant, db.MailSending, 1, "")
		o.remember(t)
		o.Clock.Advance(2*time.Minute - time.Millisecond)
		o.work(t)
		o.wantArrived(t, 1)
		o.Clock.Advance(time.Millisecond)
		o.work(t)
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.wantSameID(t, 2)
		o.wantOver(t, 2)
	})

	// An older version gave up what might have been sent.
	t.Run("WhenAnOlderVersionGaveItUp", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.ask(t, merchant)
		o.exec(t, "UPDATE mails SET state = 'unknown', tries = 1")
		o.Clock.Advance(10 * time.Minute) // the life of the code
		o.work(t)
		o.wantMail(t, "new@example.com", db.MailUnknown, 1, "")
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.wantOver(t, 1)
	})
}

// exec changes the file behind svc's back.
func (o *office) exec(t *testing.T, statement string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+o.Path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec(statement); err != nil {
		t.Fatal(err)
	}
}

// forgetOutcomes makes it impossible to store that a mail is sent, as if svc crashed
// just before, until remember is called.
func (o *office) forgetOutcomes(t *testing.T) {
	t.Helper()
	o.exec(t, `CREATE TRIGGER crash BEFORE UPDATE ON mails WHEN NEW.state = 'sent' BEGIN SELECT RAISE(ABORT, 'crash'); END`)
}

func (o *office) remember(t *testing.T) {
	t.Helper()
	o.exec(t, `DROP TRIGGER crash`)
}

// wantSameID checks that n mails have arrived, all with one Message-ID.
func (o *office) wantSameID(t *testing.T, n int) {
	t.Helper()
	mails := o.wantArrived(t, n)
	for _, m := range mails {
		if id := m.Header.Get("Message-Id"); id == "" || id != mails[0].Header.Get("Message-Id") {
			t.Errorf("Message-Id %q and %q", id, mails[0].Header.Get("Message-Id"))
		}
	}
}

// claim takes a mail as a process does that then ends.
func (o *office) claim(t *testing.T) (m db.Mail) {
	t.Helper()
	dbtest.Update(t, o.Store, func(tx *db.Tx) (err error) {
		m, err = tx.ClaimMail(2 * time.Minute)
		return err
	})
	return m
}

func TestMailIsGivenUp(t *testing.T) {
	for _, row := range []struct {
		name    string
		at      mailtest.Stage
		fault   mailtest.Fault
		problem string
	}{
		{"WhenRefused", mailtest.Recipient, mailtest.Reply(550, "no such mailbox"), "refused the recipient: 550 5.0.0 no such mailbox"},
		{"WhenTheTextIsRefused", mailtest.Message, mailtest.Reply(554, "spam"), "refused the message: 554"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOffice(t)
			o.sink.Fail(row.at, row.fault)
			o.ask(t, merchant)
			o.work(t)
			o.wantMail(t, merchant, db.MailFailed, 1, row.problem)
			o.wantOver(t, 0)
		})
	}

	t.Run("WhenSvcEndedInTheMiddleAndCameBackTooLate", func(t *testing.T) {
		o := newOffice(t)
		o.ask(t, merchant)
		o.claim(t)
		o.Clock.Advance(7 * 24 * time.Hour)
		o.work(t)
		o.wantMail(t, merchant, db.MailFailed, 1, "svc ended while the mail was being handed over")
		o.wantOver(t, 0)
	})

	// A code of yesterday helps nobody.
	t.Run("WhenSvcWasNotThereInTime", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.ask(t, merchant)
		o.Clock.Advance(10 * time.Minute)
		o.work(t)
		o.wantMail(t, "new@example.com", db.MailFailed, 0, "was not handed over while the mail was worth sending")
		o.wantMail(t, merchant, db.MailSent, 1, "") // that is worth it for days
		o.wantOver(t, 1)
	})

	t.Run("JustInTime", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.Clock.Advance(10*time.Minute - time.Millisecond)
		o.work(t)
		o.wantMail(t, "new@example.com", db.MailSent, 1, "")
	})

	t.Run("WhenTheNextTryWouldBeTooLate", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.sink.Down()
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		for range 4 { // now, after 10 s, 1 min 10 s, 3 min 10 s
			o.work(t)
			m := o.wantMail(t, "new@example.com", db.MailQueued, o.mail(t, "new@example.com").Tries, "could not be reached")
			o.Clock.Set(m.DueAt)
		}
		o.work(t) // at 8 min 10 s; the next try would be at 23 min
		o.wantMail(t, "new@example.com", db.MailFailed, 5, "could not be reached")
		o.sink.Up()
		o.wantOver(t, 0)
	})

	t.Run("AfterThirtyDaysItIsForgotten", func(t *testing.T) {
		o := newOffice(t)
		o.ask(t, merchant)
		o.work(t)
		o.Clock.Advance(30 * 24 * time.Hour)
		o.work(t)
		o.mail(t, merchant)
		o.Clock.Advance(time.Millisecond)
		o.work(t)
		if mails := o.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("mails %+v", mails)
		}
	})
}

// While one svc sends a mail, another leaves it alone. Here the mail server never
// answers, and then is gone.
func TestMailIsSentByOneServerAtATime(t *testing.T) {
	begin := func(t *testing.T) (o *office, second *servertest.Server, done <-chan error) {
		o = newOffice(t)
		hang, hangs := mailtest.Hang()
		o.sink.Fail(mailtest.Answer, hang)
		o.ask(t, merchant)
		ended := make(chan error, 1)
		go func() { ended <- o.App.Mails.Deliver(context.Background()) }()
		servertest.Receive(t, hangs)
		return o, servertest.Open(t, o.Path, o.Clock, func(c *server.Config) {
			c.SMTP, c.MailFrom = o.sink.URL(), "post@shop.example"
		}), ended
	}
	deliver := func(t *testing.T, s *servertest.Server) {
		t.Helper()
		if err := s.App.Mails.Deliver(context.Background()); err != nil {
			t.Error(err)
		}
	}

	t.Run("UnderItsLease", func(t *testing.T) {
		o, second, done := begin(t)
		o.Clock.Advance(2*time.Minute - time.Millisecond)
		deliver(t, second)
		o.wantMail(t, merchant, db.MailSending, 1, "")
		o.sink.Down()
		if err := servertest.Receive(t, done); err != nil {
			t.Error(err)
		}
		o.wantMail(t, merchant, db.MailQueued, 1, "the mail may have been sent")
		o.sink.Up()
		o.Clock.Advance(10 * time.Second)
		deliver(t, second)
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.wantSameID(t, 2)
		o.wantOver(t, 2)
	})

	// The first one's outcome comes when another svc has the mail, and changes nothing.
	t.Run("AfterIt", func(t *testing.T) {
		o, second, done := begin(t)
		o.Clock.Advance(2 * time.Minute)
		deliver(t, second)
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.sink.Down()
		if err := servertest.Receive(t, done); err != nil {
			t.Error(err)
		}
		o.wantMail(t, merchant, db.MailSent, 2, "")
		o.sink.Up()
		o.wantSameID(t, 2)
		o.wantOver(t, 2)
	})
}

func TestMailsOfTwoServers(t *testing.T) {
	o := newOffice(t)
	second := servertest.Open(t, o.Path, o.Clock, func(c *server.Config) {
		c.SMTP, c.MailFrom = o.sink.URL(), "post@shop.example"
	})
	const n = 30
	for i := range n {
		o.ask(t, fmt.Sprintf("m%d@merchant.example", i))
	}
	servertest.Parallel(4, func(i int) int {
		if err := []*server.App{o.App, second.App}[i%2].Sweep(context.Background()); err != nil {
			t.Error(err)
		}
		return 0
	})
	arrived := map[string]int{}
	for _, m := range o.wantArrived(t, n) {
		arrived[m.To[0]]++
	}
	if len(arrived) != n {
		t.Errorf("arrived %v", arrived)
	}
	for _, m := range o.Outbox(t, "") {
		if m.State != db.MailSent || m.Tries != 1 {
			t.Errorf("mail %+v", m)
		}
	}
}

// Without a server mails are kept, for the operator alone.
func TestOutbox(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
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

	h.Enter(t, servertest.Boss).Get(t, "/console/operator").ExpectErrorPage(t, 200, "",
		"No mail server is set up, so mails are kept here", "Choose a new password", servertest.Member, link, "kept")
	a := h.Enter(t, servertest.Member).Get(t, "/console/operator")
	a.ExpectErrorPage(t, 404, "not_found", "There is no such page.")
	if a.Says(link) || a.Says("You have an account already") {
		t.Errorf("page %s", a.Body)
	}
	h.Browser(t).Get(t, "/console/operator").ExpectRedirect(t, "/signin?next=%2Fconsole%2Foperator")
}

// Once there is a server, the page shows what became of mails, and the text only of
// those that it has not taken.
func TestOperatorSeesMails(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	if err := o.App.Accounts.SetPassword(context.Background(), o.Email, servertest.Password); err != nil {
		t.Fatal(err)
	}
	sent := o.ask(t, "taken@merchant.example")
	o.work(t)
	o.Clock.Advance(time.Second)
	o.sink.Fail(mailtest.Recipient, mailtest.Reply(550, `<script>alert(1)</script> no such mailbox`))
	refused := o.ask(t, merchant)
	o.work(t)

	b := o.Browser(t)
	b.SignIn(t, o.Email, servertest.Password).ExpectRedirect(t, "/console")
	a := b.Get(t, "/console/operator")
	a.ExpectErrorPage(t, 200, "", refused, "550", "failed", "sent", "taken@merchant.example", "The text is not kept once a mail is sent.")
	if a.Says(sent) || a.Says("<script>") || a.Says("No mail server is set up") {
		t.Errorf("page %s", a.Body)
	}
}

// Whoever reads the log can act for nobody.
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
		link := o.ask(t, to)
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
	o.work(t)
	o.sink.Up()
	for range 3 {
		o.Clock.Advance(time.Minute)
		o.work(t)
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

// A mail is handed over as soon as the change that it tells of is stored.
func TestMailWakesTheLoop(t *testing.T) {
	servertest.Sequential(t)
	t.Run("EveryHandlerWakesIt", func(t *testing.T) {
		h := openHouse(t)
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
				h.drained(t)
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
				if !h.drained(t) {
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

// drained says whether the loop was woken, which nobody runs here.
func (h *house) drained(t *testing.T) bool {
	t.Helper()
	select {
	case <-h.App.Mails.Woken():
		return true
	default:
		return false
	}
}

// lowMails are those that tell the shop's owner of a low balance.
func (s *shop) lowMails(t *testing.T) (mails []db.Mail) {
	t.Helper()
	for _, m := range s.Outbox(t, "") {
		if m.Subject != "Your credit is low" || m.To != s.Email {
			t.Errorf("mail %+v", m)
		}
		mails = append(mails, m)
	}
	return mails
}

func (s *shop) wantLowMails(t *testing.T, n int) {
	t.Helper()
	if mails := s.lowMails(t); len(mails) != n {
		t.Fatalf("%d mails of a low balance, want %d: %+v", len(mails), n, mails)
	}
}

// One mail for each crossing of the threshold (C4).
func TestLowBalanceMail(t *testing.T) {
	const warned = `"low_balance_warning":true`

	t.Run("OnTheCallThatCrossesAlone", func(t *testing.T) {
		s := newShop(t, db.Growth, 104)
		s.Send(t)
		s.Send(t)
		s.wantLowMails(t, 0) // 100 is not below 100
		crossing := s.Send(t, servertest.WithIdempotencyKey("crossing"))
		if !strings.Contains(string(crossing.Body), warned) {
			t.Errorf("answer %s", crossing.Body)
		}
		s.wantLowMails(t, 1)
		m := s.lowMails(t)[0]
		for _, text := range []string{"US$0.98", "US$1.00", s.URL + "/console/wallet"} {
			if !strings.Contains(m.Text, text) {
				t.Errorf("no %q in %s", text, m.Text)
			}
		}
		if !m.ExpiresAt.Equal(s.Clock.Now().Add(24*time.Hour)) || m.State != db.MailKept {
			t.Errorf("mail %+v", m)
		}
		s.Send(t)
		s.Send(t, servertest.WithIdempotencyKey("crossing")).ExpectReplay(t, crossing)
		s.wantLowMails(t, 1)
	})

	t.Run("AgainAfterATopUp", func(t *testing.T) {
		s := newShop(t, db.Growth, 101)
		s.Send(t)
		s.wantLowMails(t, 1)
		s.Credit(t, 1) // to 100
		s.wantLowMails(t, 1)
		s.Send(t)
		s.wantLowMails(t, 2)
		s.Credit(t, 1) // to 99: it has not come back
		s.Send(t)
		s.wantLowMails(t, 2)
	})

	t.Run("NeverWithoutAThreshold", func(t *testing.T) {
		s := newShop(t, db.Growth, 4)
		s.setThreshold(t, 0)
		s.Send(t)
		s.Send(t)
		s.wantLowMails(t, 0)
	})

	t.Run("NotWhenOnlyTheThresholdMoves", func(t *testing.T) {
		s := newShop(t, db.Growth, 1000)
		s.setThreshold(t, 5000)
		s.Send(t)
		s.wantLowMails(t, 0)
		s.setThreshold(t, 998)
		s.wantLowMails(t, 0)
		s.Send(t)
		s.wantLowMails(t, 1)
	})

	t.Run("NeverOfATestKey", func(t *testing.T) {
		s := newShop(t, db.Growth, 100)
		_, secret := s.TestKey(t)
		for range 3 {
			s.Send(t, servertest.WithKey(secret)).ExpectBody(t, 200, servertest.SentAsTest)
		}
		s.wantLowMails(t, 0)
	})

	t.Run("NotOfACallThatFails", func(t *testing.T) {
		for _, err := range []error{servertest.Refusal("no"), servertest.Doubt("no answer")} {
			s := newShop(t, db.Growth, 100)
			s.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", err }
			if a := s.Send(t); a.Status != 502 {
				t.Errorf("answer %d", a.Status)
			}
			s.wantLowMails(t, 0)
		}
	})

	t.Run("OnceHoweverManyCallAtOnce", func(t *testing.T) {
		s := newShop(t, db.Business, 120)
		second := s.OpenAgain(t)
		var warnings atomic.Int64
		got := servertest.Parallel(40, func(i int) int {
			a := []*servertest.Shop{s.Shop, second}[i%2].Send(t)
			if strings.Contains(string(a.Body), warned) {
				warnings.Add(1)
			}
			return a.Status
		})
		if got[200] != 40 || warnings.Load() != 1 {
			t.Errorf("answers %v, %d warnings", got, warnings.Load())
		}
		s.wantLowMails(t, 1)
		s.ExpectWallet(t, 40, 0)
	})

	// A call that is confirmed after its lease has ended is billed then, and warns then.
	t.Run("OfALateCallToo", func(t *testing.T) {
		s := newShop(t, db.Growth, 101)
		held := s.Provider.Hold(t)
		a, done := s.SendAside(t)
		held.Arrived()
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		s.wantLowMails(t, 0)
		held.Answer(nil)
		servertest.Receive(t, done)
		if a.Status != 200 || !strings.Contains(string(a.Body), warned) {
			t.Errorf("%d %s", a.Status, a.Body)
		}
		s.wantLowMails(t, 1)
		s.ExpectWallet(t, 99, 0)
	})

	t.Run("InTheCommitOfTheDebit", func(t *testing.T) {
		var ticks atomic.Int64 // each transaction has a time of its own
		s := newShop(t, db.Growth, 101, func(c *server.Config) {
			now := c.Clock
			c.Clock = func() time.Time { return now().Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
		})
		s.Send(t)
		ledger := s.Ledger(t, s.Email)
		if m, debit := s.lowMails(t)[0], ledger[len(ledger)-1]; debit.Kind != db.Debit || !m.CreatedAt.Equal(debit.CreatedAt) {
			t.Errorf("mail of %v, debit of %v", m.CreatedAt, debit.CreatedAt)
		}
	})

	// What cannot warn does not debit.
	t.Run("OrNotAtAll", func(t *testing.T) {
		s := newShop(t, db.Growth, 101)
		file, err := sql.Open("sqlite", "file:"+s.Path+"?_pragma=busy_timeout(5000)")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if _, err := file.Exec(`CREATE TRIGGER no_mails BEFORE INSERT ON mails BEGIN SELECT RAISE(ABORT, 'no mails'); END`); err != nil {
			t.Fatal(err)
		}
		s.Send(t).Expect(t, 502, "outcome_unknown")
		if n := s.Debits(t); n != 0 {
			t.Errorf("%d debits", n)
		}
		s.ExpectStored(t, 0)
		s.Clock.Advance(time.Minute)
		s.Sweep(t)
		s.ExpectWallet(t, 101, 0)
	})
}

func (s *shop) setThreshold(t *testing.T, cents int64) {
	t.Helper()
	if err := s.App.Accounts.SetLowBalance(context.Background(), s.Email, cents); err != nil {
		t.Fatal(err)
	}
}

package mail_test

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

const (
	merchant = "jo@merchant.example"
	lease    = 3 * time.Minute // of a mail that is being sent
)

// office is a shop whose mails are sent to a server of the test.
type office struct {
	*servertest.Shop
	sink *mailtest.Sink
}

func newOffice(t *testing.T, change ...func(*server.Config)) *office {
	t.Helper()
	sink := mailtest.New(t)
	change = append(change, func(c *server.Config) {
		c.SMTP, c.MailFrom = sink.URL(), "Corner Shop <post@shop.example>"
	})
	return &office{servertest.NewShop(t, db.Growth, 1000, change...), sink}
}

// request asks a merchant for access, which queues a mail to them, and returns the
// link in it.
func (o *office) request(t *testing.T, email string) (link string) {
	t.Helper()
	a := o.Call(t, "POST", "/api/v1/connections", map[string]any{"merchant_email": email}, servertest.WithKey(o.Secret))
	a.Expect(t, 200, "")
	return a.Fields(t)["confirmation_url"].(string)
}

// mail returns the only mail to an address.
func (o *office) mail(t *testing.T, to string) db.Mail {
	t.Helper()
	mails := o.Outbox(t, to)
	if len(mails) != 1 {
		t.Fatalf("%d mails to %s", len(mails), to)
	}
	return mails[0]
}

// expectMail checks the state of the only mail to an address, and returns the mail.
func (o *office) expectMail(t *testing.T, to string, state db.MailState, tries int, problem string) db.Mail {
	t.Helper()
	m := o.mail(t, to)
	if m.State != state || m.Tries != tries || !strings.Contains(m.Problem, problem) || problem == "" && m.Problem != "" {
		t.Fatalf("mail %s after %d tries (%q), want %s after %d (%q)", m.State, m.Tries, m.Problem, state, tries, problem)
	}
	if hasText := m.Text != "" && m.HTML != ""; hasText == (state == db.MailSent) || (m.Text == "") != (m.HTML == "") {
		t.Errorf("mail %s, with text: %v", state, hasText)
	}
	return m
}

// expectArrived checks how many mails have reached the server, and returns them.
func (o *office) expectArrived(t *testing.T, n int) []mailtest.Mail {
	t.Helper()
	mails := o.sink.Mails()
	if len(mails) != n {
		t.Fatalf("%d mails have arrived, want %d", len(mails), n)
	}
	return mails
}

// expectFinal checks that no mail changes any more, and that so many have reached the
// server.
func (o *office) expectFinal(t *testing.T, arrived int) {
	t.Helper()
	before := o.Outbox(t, "")
	for _, wait := range []time.Duration{0, 10 * time.Second, 2 * lease, 2 * time.Hour, 8 * 24 * time.Hour} {
		o.Clock.Advance(wait)
		o.Sweep(t)
	}
	o.expectArrived(t, arrived)
	if after := o.Outbox(t, ""); !slices.Equal(after, before) {
		t.Errorf("mails %+v, before %+v", after, before)
	}
}

// expectOneID checks that n mails have arrived, all with one Message-ID.
func (o *office) expectOneID(t *testing.T, n int) {
	t.Helper()
	mails := o.expectArrived(t, n)
	for _, m := range mails {
		if id := m.Header.Get("Message-Id"); id == "" || id != mails[0].Header.Get("Message-Id") {
			t.Errorf("Message-Id %q and %q", id, mails[0].Header.Get("Message-Id"))
		}
	}
}

// claim takes a mail as a process does that then crashes.
func (o *office) claim(t *testing.T) (m db.Mail) {
	t.Helper()
	dbtest.Update(t, o.Store, func(tx *db.Tx) (err error) {
		m, err = tx.ClaimMail(lease, "svc ended while the mail was being handed over")
		return err
	})
	return m
}

// openAgain opens a second appliance on the same file, with the same mail server.
func (o *office) openAgain(t *testing.T) *servertest.Server {
	t.Helper()
	return servertest.Open(t, o.Path, o.Clock, func(c *server.Config) {
		c.SMTP, c.MailFrom = o.sink.URL(), "post@shop.example"
	})
}

// crashBeforeOutcome makes it impossible to store that a mail is sent, as if svc
// crashed just before. The returned function ends that.
func (o *office) crashBeforeOutcome(t *testing.T) (end func()) {
	t.Helper()
	o.Exec(t, `CREATE TRIGGER crash BEFORE UPDATE ON mails WHEN NEW.state = 'sent' BEGIN SELECT RAISE(ABORT, 'crash'); END`)
	return func() { o.Exec(t, `DROP TRIGGER crash`) }
}

func TestMailIsSent(t *testing.T) {
	servertest.Sequential(t)
	o := newOffice(t)
	link := o.request(t, merchant)
	queued := o.expectMail(t, merchant, db.MailQueued, 0, "")
	if !queued.DueAt.Equal(o.Clock.Now()) || !queued.ExpiresAt.Equal(o.Clock.Now().Add(7*24*time.Hour)) {
		t.Errorf("queued %+v", queued)
	}
	o.expectArrived(t, 0)

	o.Sweep(t)
	m := o.expectArrived(t, 1)[0]
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
	o.expectMail(t, merchant, db.MailSent, 1, "")
	o.Browser(t).Get(t, link).ExpectErrorPage(t, 200, "")
	o.expectFinal(t, 1)
}

func TestMailIsTriedAgain(t *testing.T) {
	servertest.Sequential(t)
	t.Run("ServerDown", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Down()
		link := o.request(t, merchant)
		for tries, pause := range []time.Duration{
			10 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour, time.Hour,
		} {
			o.Sweep(t)
			m := o.expectMail(t, merchant, db.MailQueued, tries+1, "could not be reached: connection refused")
			if !m.DueAt.Equal(o.Clock.Now().Add(pause)) {
				t.Errorf("after %d tries it is due in %v, want %v", tries+1, m.DueAt.Sub(o.Clock.Now()), pause)
			}
			o.Clock.Advance(pause - time.Millisecond)
			o.Sweep(t)
			o.expectMail(t, merchant, db.MailQueued, tries+1, "could not be reached")
			o.Clock.Advance(time.Millisecond)
		}
		o.sink.Up()
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailSent, 8, "")
		if m := o.expectArrived(t, 1)[0]; !strings.Contains(m.Text, link) {
			t.Errorf("text %s", m.Text)
		}
		o.expectFinal(t, 1)
	})

	// A server that is down is asked once, and not once for each mail.
	t.Run("ServerDownIsAskedOnce", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Down()
		for i := range 5 {
			o.request(t, fmt.Sprintf("m%d@merchant.example", i))
		}
		o.Sweep(t)
		tries := 0
		for _, m := range o.Outbox(t, "") {
			tries += m.Tries
		}
		if tries != 1 {
			t.Errorf("%d tries", tries)
		}
		o.sink.Up()
		o.Clock.Advance(10 * time.Second)
		o.Sweep(t)
		o.expectArrived(t, 5)
	})

	for _, row := range []struct {
		name    string
		plan    func(*mailtest.Sink)
		problem string
	}{
		{"Recipient451", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Reply(451, "try later")) }, "451"},
		{"Message451", func(s *mailtest.Sink) { s.Fail(mailtest.Message, mailtest.Reply(451, "try later")) }, "451"},
		{"Recipient421", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Reply(421, "closing")) }, "421"},
		{"CutBeforeMessage", func(s *mailtest.Sink) { s.Fail(mailtest.Recipient, mailtest.Cut) }, "broke off the connection"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOffice(t)
			row.plan(o.sink)
			o.request(t, merchant)
			o.request(t, "second@merchant.example")
			o.Sweep(t)
			o.expectMail(t, merchant, db.MailQueued, 1, row.problem)
			o.expectMail(t, "second@merchant.example", db.MailSent, 1, "")
			o.expectArrived(t, 1)
			o.Clock.Advance(10 * time.Second)
			o.Sweep(t)
			o.expectMail(t, merchant, db.MailSent, 2, "")
			o.expectFinal(t, 2)
		})
	}

	// The server has the mail, but svc does not know: it comes twice.
	t.Run("CutBeforeAnswer", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Fail(mailtest.Answer, mailtest.Cut)
		o.request(t, merchant)
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailQueued, 1, "the mail may have been sent")
		o.Clock.Advance(10 * time.Second)
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.expectOneID(t, 2)
		o.expectFinal(t, 2)
	})

	// Failures that leave no doubt neither end the mail nor hide that it may have come.
	t.Run("RefusalAfterDoubt", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Fail(mailtest.Answer, mailtest.Cut, mailtest.Cut)
		o.request(t, merchant)
		for tries, problem := range []string{
			"at the message, or gave no valid answer; the mail may have been sent", "451 4.0.0 later; the mail may have been sent",
			"at the message, or gave no valid answer; the mail may have been sent twice",
			"451 4.0.0 later; the mail may have been sent twice", "451 4.0.0 later; the mail may have been sent twice",
		} {
			if strings.HasPrefix(problem, "451") {
				o.sink.Fail(mailtest.Recipient, mailtest.Reply(451, "later"))
			}
			o.Sweep(t)
			m := o.expectMail(t, merchant, db.MailQueued, tries+1, problem)
			if !strings.HasSuffix(m.Problem, problem) {
				t.Errorf("problem %q, want %q", m.Problem, problem)
			}
			o.Clock.Set(m.DueAt)
		}
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailSent, 6, "")
		o.expectOneID(t, 3)
		o.expectFinal(t, 3)
	})

	t.Run("CrashBeforeHandOver", func(t *testing.T) {
		o := newOffice(t)
		o.request(t, merchant)
		o.claim(t)
		o.Sweep(t)
		o.expectArrived(t, 0)
		o.Clock.Advance(lease)
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.expectFinal(t, 1)
	})

	t.Run("CrashBeforeOutcome", func(t *testing.T) {
		o := newOffice(t)
		o.request(t, merchant)
		end := o.crashBeforeOutcome(t)
		if err := o.App.Mails.Deliver(context.Background()); err == nil {
			t.Error("the outcome is stored")
		}
		o.expectMail(t, merchant, db.MailSending, 1, "")
		end()
		o.Clock.Advance(lease - time.Millisecond)
		o.Sweep(t)
		o.expectArrived(t, 1)
		o.Clock.Advance(time.Millisecond)
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.expectOneID(t, 2)
		o.expectFinal(t, 2)
	})

	// Older versions gave up a mail that might have been sent.
	t.Run("GivenUpByOlderVersion", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.request(t, merchant)
		o.Exec(t, "UPDATE mails SET state = 'unknown', tries = 1")
		o.Clock.Advance(10 * time.Minute) // the life of the code
		o.Sweep(t)
		o.expectMail(t, "new@example.com", db.MailUnknown, 1, "")
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.expectFinal(t, 1)
	})
}

func TestMailIsGivenUp(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range []struct {
		name    string
		at      mailtest.Stage
		fault   mailtest.Fault
		problem string
	}{
		{"RecipientRefused", mailtest.Recipient, mailtest.Reply(550, "no such mailbox"), "refused the recipient: 550 5.0.0 no such mailbox"},
		{"MessageRefused", mailtest.Message, mailtest.Reply(554, "spam"), "refused the message: 554"},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := newOffice(t)
			o.sink.Fail(row.at, row.fault)
			o.request(t, merchant)
			o.Sweep(t)
			o.expectMail(t, merchant, db.MailFailed, 1, row.problem)
			o.expectFinal(t, 0)
		})
	}

	// The server takes each mail, and svc never knows.
	t.Run("InDoubtThreeTimes", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Fail(mailtest.Answer, slices.Repeat([]mailtest.Fault{mailtest.Cut}, 50)...)
		o.request(t, merchant)
		for o.Sweep(t); o.mail(t, merchant).State == db.MailQueued; o.Sweep(t) {
			o.Clock.Set(o.mail(t, merchant).DueAt)
		}
		o.expectMail(t, merchant, db.MailFailed, 3, "or gave no valid answer; the mail may have arrived, and is not sent again")
		o.expectOneID(t, 3)
		o.expectFinal(t, 3)
	})

	t.Run("CrashThreeTimes", func(t *testing.T) {
		o := newOffice(t)
		o.request(t, merchant)
		end := o.crashBeforeOutcome(t)
		for range 3 {
			if err := o.App.Mails.Deliver(context.Background()); err == nil {
				t.Error("the outcome is stored")
			}
			o.Clock.Advance(lease)
		}
		end()
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailFailed, 4,
			"svc ended while the mail was being handed over; the mail may have arrived, and is not sent again")
		o.expectOneID(t, 3)
		o.expectFinal(t, 3)
	})

	t.Run("InDoubtThenCrashTwice", func(t *testing.T) {
		o := newOffice(t)
		o.sink.Fail(mailtest.Answer, mailtest.Cut)
		o.request(t, merchant)
		o.Sweep(t)
		o.Clock.Advance(10 * time.Second)
		for range 2 {
			o.claim(t)
			o.Clock.Advance(lease)
		}
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailFailed, 4, "the mail may have arrived, and is not sent again")
		o.expectFinal(t, 1)
	})

	t.Run("CrashUntilTooLate", func(t *testing.T) {
		o := newOffice(t)
		o.request(t, merchant)
		o.claim(t)
		o.Clock.Advance(7 * 24 * time.Hour)
		o.Sweep(t)
		o.expectMail(t, merchant, db.MailFailed, 1, "svc ended while the mail was being handed over")
		o.expectFinal(t, 0)
	})

	// A code that is no longer valid is not sent.
	t.Run("DownUntilTooLate", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.request(t, merchant)
		o.Clock.Advance(10 * time.Minute)
		o.Sweep(t)
		o.expectMail(t, "new@example.com", db.MailFailed, 0, "was not handed over while the mail was worth sending")
		o.expectMail(t, merchant, db.MailSent, 1, "") // its life is 7 days
		o.expectFinal(t, 1)
	})

	t.Run("JustInTimeIsSent", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		o.Clock.Advance(10*time.Minute - time.Millisecond)
		o.Sweep(t)
		o.expectMail(t, "new@example.com", db.MailSent, 1, "")
	})

	t.Run("NextTryTooLate", func(t *testing.T) {
		o := newOffice(t, func(c *server.Config) { c.SignupOpen = true })
		o.sink.Down()
		o.Browser(t).Post(t, "/signup", url.Values{"email": {"new@example.com"}}).Expect(t, 200, "")
		for range 4 { // now, after 10 s, 1 min 10 s, 3 min 10 s
			o.Sweep(t)
			m := o.expectMail(t, "new@example.com", db.MailQueued, o.mail(t, "new@example.com").Tries, "could not be reached")
			o.Clock.Set(m.DueAt)
		}
		o.Sweep(t) // at 8 min 10 s; the next try would be at 23 min
		o.expectMail(t, "new@example.com", db.MailFailed, 5, "could not be reached")
		o.sink.Up()
		o.expectFinal(t, 0)
	})

	t.Run("DeletedAfterThirtyDays", func(t *testing.T) {
		o := newOffice(t)
		o.request(t, merchant)
		o.Sweep(t)
		o.Clock.Advance(30 * 24 * time.Hour)
		o.Sweep(t)
		o.mail(t, merchant)
		o.Clock.Advance(time.Millisecond)
		o.Sweep(t)
		if mails := o.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("mails %+v", mails)
		}
	})
}

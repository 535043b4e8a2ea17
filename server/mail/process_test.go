package mail_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// Mails that waited or were being sent when svc ended are sent by the next svc.
func TestRestartLosesNoMail(t *testing.T) {
	o := newOffice(t)
	o.sink.Down()
	for i := range 3 {
		o.request(t, fmt.Sprintf("m%d@merchant.example", i))
	}
	o.Sweep(t)          // tries one of them in vain
	begun := o.claim(t) // another one is being sent
	o.sink.Up()
	next := o.openAgain(t)
	next.Sweep(t)
	o.expectMail(t, begun.To, db.MailSending, 1, "")
	o.Clock.Advance(lease)
	next.Sweep(t)
	for _, m := range o.Outbox(t, "") {
		if m.State != db.MailSent {
			t.Errorf("mail %+v", m)
		}
	}
	o.expectFinal(t, 3)
}

// While one svc sends a mail, another does not. Here the mail server never answers, and
// then goes down.
func TestMailIsSentByOneProcessAtATime(t *testing.T) {
	begin := func(t *testing.T) (o *office, second *servertest.Server, done <-chan error) {
		o = newOffice(t)
		hang, hangs := mailtest.Hang()
		o.sink.Fail(mailtest.Answer, hang)
		o.request(t, merchant)
		ended := make(chan error, 1)
		go func() { ended <- o.App.Mails.Deliver(context.Background()) }()
		servertest.Receive(t, hangs)
		return o, o.openAgain(t), ended
	}
	deliver := func(t *testing.T, s *servertest.Server) {
		t.Helper()
		if err := s.App.Mails.Deliver(context.Background()); err != nil {
			t.Error(err)
		}
	}

	t.Run("WithinLease", func(t *testing.T) {
		o, second, done := begin(t)
		o.Clock.Advance(lease - time.Millisecond)
		deliver(t, second)
		o.expectMail(t, merchant, db.MailSending, 1, "")
		o.sink.Down()
		if err := servertest.Receive(t, done); err != nil {
			t.Error(err)
		}
		o.expectMail(t, merchant, db.MailQueued, 1, "the mail may have been sent")
		o.sink.Up()
		o.Clock.Advance(10 * time.Second)
		deliver(t, second)
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.expectOneID(t, 2)
		o.expectFinal(t, 2)
	})

	// The outcome of the first process comes too late and changes nothing.
	t.Run("AfterLease", func(t *testing.T) {
		o, second, done := begin(t)
		o.Clock.Advance(lease)
		deliver(t, second)
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.sink.Down()
		if err := servertest.Receive(t, done); err != nil {
			t.Error(err)
		}
		o.expectMail(t, merchant, db.MailSent, 2, "")
		o.sink.Up()
		o.expectOneID(t, 2)
		o.expectFinal(t, 2)
	})
}

func TestTwoProcessesSendEachMailOnce(t *testing.T) {
	o := newOffice(t)
	second := o.openAgain(t)
	const n = 30
	for i := range n {
		o.request(t, fmt.Sprintf("m%d@merchant.example", i))
	}
	servertest.Parallel(4, func(i int) int {
		if err := []*server.App{o.App, second.App}[i%2].Sweep(context.Background()); err != nil {
			t.Error(err)
		}
		return 0
	})
	arrived := map[string]int{}
	for _, m := range o.expectArrived(t, n) {
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

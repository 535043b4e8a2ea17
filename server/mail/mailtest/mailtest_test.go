package mailtest_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"svc/server/mail"
	"svc/server/mail/mailtest"
)

// try hands a mail over to a sink, as the queue does.
func try(ctx context.Context, t *testing.T, sink *mailtest.Sink, text string) error {
	t.Helper()
	s, err := mail.ParseSMTP(sink.URL(), "post@shop.example")
	if err != nil {
		t.Fatal(err)
	}
	s.RootCAs = sink.Roots()
	conn, err := s.Connect(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Send(ctx, mail.Message{
		ID: "mail_1", To: "jo@merchant.example", Subject: "Zoë", Text: text, HTML: "<p>" + text, At: time.Unix(0, 0),
	})
}

// fails expects an error of that verdict and reason.
func fails(t *testing.T, err error, verdict mail.Verdict, reason string) {
	t.Helper()
	e, ok := errors.AsType[*mail.Error](err)
	if !ok || e.Verdict != verdict || e.Reason != reason {
		t.Errorf("error = %v, want %v: %s", err, verdict, reason)
	}
}

const inDoubt = "; the mail may have been sent"

func TestKeepsMails(t *testing.T) {
	for name, option := range map[string]mailtest.Option{
		"Plain": func(*mailtest.Sink) {}, "StartTLS": mailtest.StartTLS(), "ImplicitTLS": mailtest.ImplicitTLS(),
	} {
		t.Run(name, func(t *testing.T) {
			sink := mailtest.New(t, option, mailtest.Auth("jo", "p@ss"))
			for _, text := range []string{"first\n", "second\n"} {
				if err := try(t.Context(), t, sink, text); err != nil {
					t.Fatal(err, errors.Unwrap(err))
				}
			}
			mails := sink.Wait(2)
			if len(mails) != 2 || mails[0].Text != "first\n" || mails[1].HTML != "<p>second\n" || mails[1].Subject != "Zoë" {
				t.Errorf("mails = %+v", mails)
			}
			if mails[0].TLS != (name != "Plain") {
				t.Errorf("TLS = %v", mails[0].TLS)
			}
		})
	}
}

func TestWaitSeesWhatComesLater(t *testing.T) {
	sink := mailtest.New(t)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		for range 3 {
			if err := try(context.Background(), t, sink, "text\n"); err != nil {
				t.Error(err)
			}
		}
	}()
	if n := len(sink.Wait(3)); n != 3 {
		t.Errorf("%d mails", n)
	}
	<-answered
}

func TestFaults(t *testing.T) {
	sink := mailtest.New(t)
	again := func() error { return try(t.Context(), t, sink, "text\n") }

	sink.Refuse(2, 450, "greylisted")
	sink.Refuse(1, 550, "nobody")
	sink.FailData(451)
	sink.FailData(554)
	sink.CutBeforeData()
	sink.CutAfterData()
	fails(t, again(), mail.NotSent, "refused the recipient: 450 4.0.0 greylisted")
	fails(t, again(), mail.NotSent, "refused the recipient: 450 4.0.0 greylisted")
	fails(t, again(), mail.Refused, "refused the recipient: 550 5.0.0 nobody")
	fails(t, again(), mail.NotSent, "refused the message: 451 4.0.0")
	fails(t, again(), mail.Refused, "refused the message: 554 5.0.0")
	fails(t, again(), mail.NotSent, "broke off the connection at the recipient")
	if n := len(sink.Mails()); n != 0 {
		t.Errorf("%d mails of faults that keep none", n)
	}
	fails(t, again(), mail.Unknown, "broke off the connection at the message"+inDoubt)
	if n := len(sink.Mails()); n != 1 {
		t.Errorf("%d mails, want the one in doubt", n)
	}
	if err := again(); err != nil {
		t.Error(err)
	}
	if n := len(sink.Mails()); n != 2 {
		t.Errorf("%d mails, want 2", n)
	}
}

func TestHangs(t *testing.T) {
	tests := []struct {
		name    string
		hang    func(*mailtest.Sink) <-chan struct{}
		verdict mail.Verdict
		reason  string
		mails   int
	}{
		{"BeforeData", (*mailtest.Sink).HangBeforeData, mail.NotSent, "had not answered the recipient when the hand-over was given up", 0},
		{"AtTheEnd", (*mailtest.Sink).Hang, mail.Unknown, "had not answered the message when the hand-over was given up" + inDoubt, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sink := mailtest.New(t)
			hangs := test.hang(sink)
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				<-hangs
				cancel()
			}()
			fails(t, try(ctx, t, sink, "text\n"), test.verdict, test.reason)
			if n := len(sink.Mails()); n != test.mails {
				t.Errorf("%d mails, want %d", n, test.mails)
			}
		})
	}
}

func TestDownEndsWhatHangs(t *testing.T) {
	sink := mailtest.New(t)
	hangs := sink.Hang()
	go func() {
		<-hangs
		sink.Down()
	}()
	fails(t, try(t.Context(), t, sink, "text\n"), mail.Unknown, "broke off the connection at the message"+inDoubt)
}

func TestDownAndUp(t *testing.T) {
	sink := mailtest.New(t)
	address := sink.URL()
	sink.Down()
	sink.Down()
	fails(t, try(t.Context(), t, sink, "text\n"), mail.NotSent, "could not be reached: connection refused")

	sink.Up()
	sink.Up()
	if sink.URL() != address {
		t.Errorf("address = %s, was %s", sink.URL(), address)
	}
	if err := try(t.Context(), t, sink, "text\n"); err != nil {
		t.Error(err)
	}
}

func TestWhoDoesNotSignInIsRefused(t *testing.T) {
	sink := mailtest.New(t, mailtest.Auth("jo", "secret"))
	s, err := mail.ParseSMTP(strings.Replace(sink.URL(), "secret", "another", 1), "post@shop.example")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Connect(t.Context())
	fails(t, err, mail.NotSent, "refused the sign-in: 535 5.7.8 Authentication failed")
}

// Package mail composes mails and sends them. A mail is stored in the transaction
// of the change that it tells of, and handed to the SMTP server later, so that
// nobody waits for it and none is lost. Without a server it stays in the outbox,
// which is the operator's alone (L4).
//
// A mail is tried until the server takes it or refuses it for good, or its life ends.
// After a crash, or when the server's answer is lost, the mail may have been sent, and
// is sent again with the same Message-ID. maxDoubts such tries end it, so that it arrives
// maxDoubts times at most.
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"svc/db"
)

const (
	// lease is how long a claimed mail is its owner's. It is longer than a hand-over and
	// the storing of the outcome, so that no other process sends the mail meanwhile.
	lease      = 3 * time.Minute
	maxDoubts  = 3
	keepMails  = 30 * 24 * time.Hour
	sweepChunk = 200
)

// pauses are the waits between tries; the last one repeats until the mail is not
// worth sending any more.
var pauses = []time.Duration{
	10 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
}

// interrupted is the problem of a mail whose outcome was not stored.
const interrupted = "svc ended while the mail was being handed over"

// inDoubt are the ends of the problem of a mail, by the number of its tries that may have
// sent it. They are where that number is stored.
var inDoubt = [maxDoubts + 1]string{
	"", "; the mail may have been sent", "; the mail may have been sent twice",
	"; the mail may have arrived, and is not sent again",
}

// doubts returns how many tries may have sent a mail. A claim adds interrupted to the
// problem when the last one ended without an outcome.
func doubts(problem string) (n int) {
	for _, sign := range []string{interrupted, inDoubt[1], inDoubt[2]} { // the last one begins with the second
		n += strings.Count(problem, sign)
	}
	return n
}

// Config names what a Service works with.
type Config struct {
	Store    *db.DB
	Composer *Composer
	SMTP     *SMTP // nil: mails stay in the outbox
	Log      *slog.Logger
	// Tried counts a try: outcome is ok, or in a few words how it failed. Nil: nobody counts.
	Tried func(outcome string, took time.Duration)
}

// Service queues mails and delivers them.
type Service struct {
	Config
	wake    chan struct{}
	resumed atomic.Bool // resume is done
}

// New returns the service.
func New(c Config) *Service { return &Service{Config: c, wake: make(chan struct{}, 1)} }

// Outbox reports whether mails are kept and not sent.
func (s *Service) Outbox() bool { return s.SMTP == nil }

// Queue stores a letter with the change that it tells of. life is how long it is
// worth sending. Once the change is committed, Wake sends it at once.
func (s *Service) Queue(tx *db.Tx, to string, life time.Duration, l Letter) error {
	subject, text, html, err := s.Composer.Compose(l)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	state := db.MailQueued
	if s.Outbox() {
		state = db.MailKept
	}
	return tx.AddMail(db.Mail{To: to, Subject: subject, Text: text, HTML: html, State: state, ExpiresAt: tx.Now().Add(life)})
}

// Wake makes Deliver run now, where a loop waits for Woken.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it is woken already
	}
}

// Woken receives when there may be something to deliver.
func (s *Service) Woken() <-chan struct{} { return s.wake }

// Deliver sends all mails that are due, until the server is down or ctx ends. Two
// processes may deliver from one file: each mail is claimed by a lease. Without a mail
// server Deliver marks what waits for one.
func (s *Service) Deliver(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	if s.Outbox() {
		return s.explain(ctx)
	}
	if err := s.resume(ctx); err != nil {
		return err
	}
	for up := true; up && ctx.Err() == nil; {
		m, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Mail, error) { return tx.ClaimMail(lease, interrupted) })
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if up, err = s.deliver(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweep(ctx context.Context) error {
	return s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		late, err := tx.ExpireMails("was not handed over while the mail was worth sending", interrupted)
		if err != nil {
			return err
		}
		if late > 0 {
			s.Log.Warn("mails too old to be sent", "count", late)
		}
		_, err = tx.DeleteMailsBefore(tx.Now().Add(-keepMails), sweepChunk)
		return err
	})
}

// patience is how long a mail may wait for another process that has a mail server before
// this one, which has none, marks it.
const patience = time.Minute

// explain marks the mails that wait for a mail server, such as one from the outbox that the
// operator queued again. They stay queued: a server with --smtp sends them.
func (s *Service) explain(ctx context.Context) error {
	return s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		return tx.ExplainMails(tx.Now().Add(-patience), "no mail server is set up: svc serve with --smtp sends it")
	})
}

// resume queues, once in the life of the process, the mails that an older version
// gave up because they may have been sent. Those whose life has not ended are sent
// again: a mail that comes twice does less harm than one that never comes.
func (s *Service) resume(ctx context.Context) error {
	if s.resumed.Load() {
		return nil
	}
	err := s.Store.Update(ctx, func(tx *db.Tx) error {
		_, err := tx.ResumeMails(tx.Now().Add(-keepMails))
		return err
	})
	s.resumed.Store(err == nil)
	return err
}

// deliver sends one claimed mail and stores the outcome. It reports whether the
// server may take another mail now.
func (s *Service) deliver(ctx context.Context, m db.Mail) (up bool, err error) {
	doubts := doubts(m.Problem)
	fault := &Error{Reason: interrupted}
	if doubts < maxDoubts {
		fault = s.send(ctx, m)
	}
	problem := ""
	if fault != nil {
		if fault.InDoubt {
			doubts++
		}
		problem = fault.Reason + inDoubt[min(doubts, maxDoubts)]
		s.Log.Warn("mail not sent", "mail", m.ID, "try", m.Tries, "problem", problem, "cause", fault.Err)
	}

	// The outcome is stored even while svc stops, so that a sent mail is not sent again.
	err = s.Store.Update(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		if fault == nil {
			return tx.EndMail(m, db.MailSent, "")
		}
		next := tx.Now().Add(pauses[min(m.Tries, len(pauses))-1])
		if fault.Permanent || doubts >= maxDoubts || next.After(m.ExpiresAt) {
			return tx.EndMail(m, db.MailFailed, problem)
		}
		return tx.RetryMail(m, next, problem)
	})
	if errors.Is(err, db.ErrNotFound) {
		err = nil // the lease is over: another process has the mail
	}
	return fault == nil || !fault.Down, err
}

// send makes one try.
func (s *Service) send(ctx context.Context, m db.Mail) *Error {
	began := time.Now()
	fault := s.SMTP.Send(ctx, Message{ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, HTML: m.HTML, At: m.CreatedAt})
	if s.Tried != nil {
		s.Tried(fault.outcome(), time.Since(began))
	}
	return fault
}

// List returns the newest mails, at most limit. Only the operator may read them: they
// hold codes and links (L4).
func (s *Service) List(ctx context.Context, limit int) ([]db.Mail, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Mail, error) { return tx.Mails(limit) })
}

// Package mail writes letters and hands them over. A letter is stored in the
// transaction of the change that it tells of, and handed to the SMTP server later,
// so that nobody waits for it and none is lost. Without a server it stays in the
// outbox, which is the operator's alone (L4).
package mail

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"svc/db"
)

const (
	// lease is how long one hand-over has, from the claim to the mark of its outcome.
	lease      = 2 * time.Minute
	keepMails  = 30 * 24 * time.Hour
	sweepChunk = 200
)

// pauses are those between tries; the last one repeats until the mail is not worth
// sending any more.
var pauses = []time.Duration{
	10 * time.Second, time.Minute, 2 * time.Minute, 5 * time.Minute, 15 * time.Minute, time.Hour,
}

// Service is the post: the queue and who empties it.
type Service struct {
	store    *db.DB
	composer *Composer
	smtp     *SMTP // nil: the outbox
	log      *slog.Logger
	wake     chan struct{}
}

// New makes the service; smtp is nil when mails are to stay in the outbox.
func New(store *db.DB, composer *Composer, smtp *SMTP, log *slog.Logger) *Service {
	return &Service{store: store, composer: composer, smtp: smtp, log: log, wake: make(chan struct{}, 1)}
}

// Outbox says that mails are kept and not sent.
func (s *Service) Outbox() bool { return s.smtp == nil }

// Queue stores a letter with the change that it tells of. life is how long it is
// worth sending. Once the change is committed, Wake sends it at once.
func (s *Service) Queue(tx *db.Tx, to string, life time.Duration, l Letter) error {
	subject, text, html, err := s.composer.Compose(l)
	if err != nil {
		return fmt.Errorf("mail: %w", err)
	}
	state := db.MailQueued
	if s.Outbox() {
		state = db.MailKept
	}
	return tx.AddMail(db.Mail{
		To: to, Subject: subject, Text: text, HTML: html, State: state, ExpiresAt: tx.Now().Add(life),
	})
}

// Wake lets Deliver run now, where a loop waits for Woken.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it will run anyway
	}
}

// Woken is told when there may be something to deliver.
func (s *Service) Woken() <-chan struct{} { return s.wake }

// Deliver hands over all mails that are due. A mail that the server may have taken
// is not handed over again, whatever happens (G4 holds for mails too).
func (s *Service) Deliver(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil || s.Outbox() {
		return err
	}
	for reached := true; reached && ctx.Err() == nil; {
		var m db.Mail
		err := s.store.Update(ctx, func(tx *db.Tx) (err error) {
			m, err = tx.ClaimMail(lease)
			return err
		})
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		if reached, err = s.deliver(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

func (s *Service) sweep(ctx context.Context) error {
	return s.store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		lost, err := tx.LoseMails("svc ended while the mail was being handed over")
		if err != nil {
			return err
		}
		if lost > 0 {
			s.log.Warn("mails of which nobody knows whether they were sent", "count", lost)
		}
		late, err := tx.ExpireMails("was not handed over while the mail was worth sending")
		if err != nil {
			return err
		}
		if late > 0 {
			s.log.Warn("mails too old to be sent", "count", late)
		}
		_, err = tx.DeleteMailsBefore(tx.Now().Add(-keepMails), sweepChunk)
		return err
	})
}

// deliver takes one claimed mail to the server: connect, mark, hand over, and store
// what became of it. A server that is not reached need not be tried for the next one.
func (s *Service) deliver(ctx context.Context, m db.Mail) (reached bool, err error) {
	conn, err := s.smtp.Connect(ctx)
	if err != nil {
		return false, s.failed(ctx, m, err)
	}
	defer conn.Close()
	err = s.store.Update(ctx, func(tx *db.Tx) error { return tx.BeginMail(m) })
	if err != nil {
		return true, ignoreLost(err)
	}

	// From here on it may be on its way, so its outcome is stored even while svc stops.
	ctx = context.WithoutCancel(ctx)
	err = conn.Send(ctx, Message{ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, HTML: m.HTML, At: m.CreatedAt})
	if err != nil {
		return true, s.failed(ctx, m, err)
	}
	return true, s.end(ctx, m, db.MailSent, "")
}

// failed stores a failure by what it means for the mail.
func (s *Service) failed(ctx context.Context, m db.Mail, cause error) error {
	verdict, reason := NotSent, "could not be handed over"
	var e *Error
	if errors.As(cause, &e) {
		verdict, reason = e.Verdict, e.Reason
	}
	s.log.Warn("mail not sent", "mail", m.ID, "try", m.Tries, "problem", reason, "cause", errors.Unwrap(cause))
	switch verdict {
	case Refused:
		return s.end(ctx, m, db.MailFailed, reason)
	case Unknown:
		return s.end(ctx, m, db.MailUnknown, reason)
	}
	err := s.store.Update(ctx, func(tx *db.Tx) error {
		next := tx.Now().Add(pauses[min(m.Tries, len(pauses))-1])
		if next.After(m.ExpiresAt) {
			return tx.EndMail(m, db.MailFailed, reason)
		}
		return tx.RetryMail(m, next, reason)
	})
	return ignoreLost(err)
}

func (s *Service) end(ctx context.Context, m db.Mail, state db.MailState, problem string) error {
	return ignoreLost(s.store.Update(ctx, func(tx *db.Tx) error { return tx.EndMail(m, state, problem) }))
}

// ignoreLost: a mail whose lease is over has had its end already.
func ignoreLost(err error) error {
	if errors.Is(err, db.ErrNotFound) {
		return nil
	}
	return err
}

// List returns the newest mails, at most limit. They are the operator's alone: codes
// and links stand in them (L4).
func (s *Service) List(ctx context.Context, limit int) (all []db.Mail, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) (err error) {
		all, err = tx.Mails(limit)
		return err
	})
	return all, err
}

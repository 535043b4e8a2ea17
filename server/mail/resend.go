package mail

import (
	"context"
	"errors"
	"fmt"

	"svc/db"
	"svc/server/fault"
)

// Find returns a mail. Only the operator may read it, as with List. A NotFound: there is
// none with this id.
func (s *Service) Find(ctx context.Context, id string) (db.Mail, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Mail, error) { return find(tx, id) })
}

func find(tx *db.Tx, id string) (db.Mail, error) {
	m, err := tx.Mail(id)
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "no mail " + id}
	}
	return m, err
}

// Resend queues a mail that failed or was kept in the outbox, and returns it as it was
// before. A Conflict: it cannot be sent again, and why.
func (s *Service) Resend(ctx context.Context, id string) (db.Mail, error) {
	m, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Mail, error) {
		m, err := find(tx, id)
		if err != nil {
			return m, err
		}
		err = tx.ResendMail(id)
		if errors.Is(err, db.ErrStale) {
			err = &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("mail %s was not queued: %s", id, whyNot(m))}
		}
		return m, err
	})
	if err == nil {
		s.Wake()
	}
	return m, err
}

// whyNot tells why a mail cannot be sent again.
func whyNot(m db.Mail) string {
	switch m.State {
	case db.MailSent:
		return "it was sent, and its text was then deleted"
	case db.MailQueued, db.MailSending:
		return "it waits to be sent already"
	}
	return "its codes and links have ended; whoever wants it must ask for a new one"
}

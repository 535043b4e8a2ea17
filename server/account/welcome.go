package account

import (
	"context"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/zone"
)

// Welcomed is an account without a password and the link with which its owner chooses one.
// Link is empty on a server with mail: there only who reads the mail should have it.
type Welcomed struct {
	db.Account
	Link string
}

// Welcome makes an account as Create does, for somebody else: without a password, and with a
// mail to the owner that has a link to choose one. It is for the operator.
func (s *Service) Welcome(ctx context.Context, req NewAccount) (Welcomed, error) {
	req.Password = ""
	if err := checkBusinessName(req.Name); err != nil {
		return Welcomed{}, err
	}
	a, err := s.newAccount(ctx, req)
	if err != nil {
		return Welcomed{}, err
	}
	return s.welcome(ctx, func(tx *db.Tx) (db.Account, error) { return create(tx, a) })
}

// WelcomeAgain replaces the link of an account whose owner has no password yet. A Conflict:
// there is one. It is for the operator.
func (s *Service) WelcomeAgain(ctx context.Context, id string) (Welcomed, error) {
	return s.welcome(ctx, func(tx *db.Tx) (db.Account, error) {
		a, err := holder(tx, id)
		if err == nil && a.PasswordHash != "" {
			err = &fault.Error{Code: fault.Conflict, Message: a.Email + " has a password already, and can ask for a new one at " + s.ConsoleURL + "/recover"}
		}
		return a, err
	})
}

// welcome mails the owner of the account that choose returns a link to a first password.
func (s *Service) welcome(ctx context.Context, choose func(*db.Tx) (db.Account, error)) (made Welcomed, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		if made.Account, err = choose(tx); err != nil {
			return err
		}
		token, err := tx.CreateWelcome(made.ID)
		if err != nil {
			return err
		}
		link := s.resetLink(token)
		if s.Mails.Outbox() {
			made.Link = link
		}
		return s.Mails.Queue(tx, made.Email, db.WelcomeLife, mail.Welcome{
			Business: made.Name, To: made.Email, Link: link, Expires: tx.Now().Add(db.WelcomeLife), Zone: zone.Of(made.Profile.Timezone),
		})
	})
	if err != nil {
		return Welcomed{}, err
	}
	s.Mails.Wake()
	return made, nil
}

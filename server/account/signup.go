package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/throttle"
)

const maxBusinessName = 100 // characters

// SendCode mails a six-digit code that proves the address, with which an account can be
// made; forWhat is the purpose in words. An address that has an account gets a link to a
// new password instead; the caller cannot tell which.
func (s *Service) SendCode(ctx context.Context, email, forWhat string, from netip.Addr) error {
	return s.sendProof(ctx, email, from, func(tx *db.Tx) error {
		code, err := tx.IssueCode(email)
		if err != nil {
			return err
		}
		p, err := tx.PersonByEmail(email)
		if err == nil {
			return errors.Join(tx.SpendCode(email), s.sendLink(tx, p, false)) // the code has no use
		}
		if !errors.Is(err, db.ErrNotFound) {
			return err
		}
		return s.Mails.Queue(tx, email, db.CodeLife, mail.Code{Code: code, Minutes: int(db.CodeLife / time.Minute), For: forWhat})
	})
}

// SendReset mails a link to a new password to an address that signs in here, and nothing
// to any other; the caller cannot tell which.
func (s *Service) SendReset(ctx context.Context, email string, from netip.Addr) error {
	return s.sendProof(ctx, email, from, func(tx *db.Tx) error {
		if err := tx.CountReset(email); err != nil {
			return err
		}
		p, err := tx.PersonByEmail(email)
		if errors.Is(err, db.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return s.sendLink(tx, p, true)
	})
}

// sendProof calls send in a transaction, within the limits of mails to one address and of
// mails that one network asks for.
func (s *Service) sendProof(ctx context.Context, email string, from netip.Addr, send func(tx *db.Tx) error) error {
	if err := emailaddr.Check("email", email); err != nil {
		return err
	}
	if err := s.countAsked(throttle.Network(from), s.Clock()); err != nil {
		return err
	}
	err := s.Store.Update(ctx, send)
	s.Mails.Wake()
	if errors.Is(err, db.ErrTooSoon) {
		return s.tooMuchMail(time.Minute)
	}
	return err
}

// countAsked counts a mail before it is sent, so that concurrent requests cannot exceed
// the limit.
func (s *Service) countAsked(network netip.Addr, now time.Time) error {
	s.asking.Lock()
	defer s.asking.Unlock()
	if left := s.asked.Standing(network, now); left.Remaining == 0 {
		return s.tooMuchMail(left.Reset.Sub(now))
	}
	s.asked.Fail(network, now)
	return nil
}

// tooMuchMail is the refusal of another mail; it says where the last one is.
func (s *Service) tooMuchMail(wait time.Duration) error {
	message := "a mail was asked for a moment ago; look for it, or ask again in a few minutes"
	if s.Mails.Outbox() {
		message = "this was asked for a moment ago; get it from the people who run this server, or ask again in a few minutes"
	}
	return &fault.Error{Code: fault.TooManyTries, Message: message, RetryAfter: wait}
}

// sendLink mails a person a link to a new password.
func (s *Service) sendLink(tx *db.Tx, p db.Person, forgotten bool) error {
	token, err := tx.CreateLink(db.ResetLink, p.ID)
	if err != nil {
		return err
	}
	return s.Mails.Queue(tx, p.Email, db.LinkLife, mail.HaveAccount{
		Forgotten: forgotten,
		Link:      s.resetLink(token),
		Minutes:   int(db.LinkLife / time.Minute),
		SignIn:    s.ConsoleURL + "/signin",
	})
}

// SignUp is a request for an account with a code that proves the e-mail.
type SignUp struct {
	Email    string
	Code     string
	Name     string // of the business; empty: the part of the e-mail before the @
	Password string
}

// SignUp makes the account. A wrong code is an Invalid of `code` and uses one of five tries.
func (s *Service) SignUp(ctx context.Context, req SignUp) (made db.Account, err error) {
	if err := checkPassword(req.Password); err != nil {
		return db.Account{}, err
	}
	if err := checkBusinessName(req.Name); err != nil {
		return db.Account{}, err
	}
	right, err := db.Write(ctx, s.Store, func(tx *db.Tx) (bool, error) {
		err := tx.GuessCode(req.Email, strings.TrimSpace(req.Code))
		if errors.Is(err, db.ErrWrongCode) {
			return false, nil // the try counts
		}
		return err == nil, err
	})
	if err != nil {
		return db.Account{}, err
	}
	if !right {
		return db.Account{}, s.wrongCode()
	}
	return s.Create(ctx, NewAccount{Email: req.Email, Name: req.Name, Password: req.Password})
}

func checkBusinessName(name string) error {
	switch {
	case name == "":
		return nil
	case strings.TrimSpace(name) == "":
		return fault.Invalid("name", "is required")
	case utf8.RuneCountInString(name) > maxBusinessName:
		return fault.Invalid("name", fmt.Sprintf("must be at most %d characters", maxBusinessName))
	}
	return nil
}

// SetupLink makes the link with which the operator's account is made, and ends an earlier
// one (L2). It is for an empty server only.
func (s *Service) SetupLink(ctx context.Context) (string, error) {
	return db.Write(ctx, s.Store, s.setupLink)
}

func (s *Service) setupLink(tx *db.Tx) (string, error) {
	token, err := tx.CreateLink(db.SetupLink, "")
	return s.ConsoleURL + "/setup/" + string(token), err
}

// FirstLink returns the link with which the operator gets in as long as nobody can sign in,
// and ends an earlier one (L2). It makes their account, or sets the password of the one
// that a command has made, whose e-mail comes with it. The link is empty if an account has
// a password, or can get one by mail. It is for the operator's eyes only.
func (s *Service) FirstLink(ctx context.Context) (link, email string, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		all, err := tx.Accounts()
		if err != nil || slices.ContainsFunc(all, func(a db.Account) bool { return a.PasswordHash != "" }) {
			return err
		}
		at := slices.IndexFunc(all, func(a db.Account) bool { return a.Operator })
		if at < 0 {
			link, err = s.setupLink(tx)
			return err
		}
		if !s.Mails.Outbox() {
			return nil
		}
		email = all[at].Email
		token, err := tx.CreateLink(db.ResetLink, all[at].ID)
		link = s.resetLink(token)
		return err
	})
	return link, email, err
}

func (s *Service) resetLink(token db.Token) string { return s.ConsoleURL + "/reset/" + string(token) }

// HasSetup reports whether the link can still make the operator's account.
func (s *Service) HasSetup(ctx context.Context, token db.Token) (bool, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (bool, error) {
		_, err := tx.Link(db.SetupLink, token)
		if errors.Is(err, db.ErrNotFound) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		any, err := tx.HasAccounts()
		return !any, err
	})
}

// Setup makes the operator's account and uses the link up. db.ErrNotFound: there is an
// account already, or the link is wrong or expired; the latter is checked before hashing,
// since anybody may try.
func (s *Service) Setup(ctx context.Context, token db.Token, req NewAccount) (made db.Account, err error) {
	has, err := s.HasSetup(ctx, token)
	if err != nil {
		return db.Account{}, err
	}
	if !has {
		return db.Account{}, db.ErrNotFound
	}
	if err := checkBusinessName(req.Name); err != nil {
		return db.Account{}, err
	}
	if err := checkPassword(req.Password); err != nil {
		return db.Account{}, err
	}
	a, err := s.newAccount(ctx, req)
	if err != nil {
		return db.Account{}, err
	}
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Account, error) {
		if _, err := tx.UseLink(db.SetupLink, token); err != nil {
			return db.Account{}, err
		}
		has, err := tx.HasAccounts()
		if err == nil && has {
			err = db.ErrNotFound
		}
		if err != nil {
			return db.Account{}, err
		}
		return create(tx, a)
	})
}

// ResetPerson returns the person whose password a link can set. db.ErrNotFound: the link
// is wrong or expired.
func (s *Service) ResetPerson(ctx context.Context, token db.Token) (db.Person, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Person, error) {
		id, err := tx.Link(db.ResetLink, token)
		if err != nil {
			return db.Person{}, err
		}
		return tx.Person(id)
	})
}

// wrongCode is the refusal of a code; it says where the newest one is.
func (s *Service) wrongCode() error {
	if s.Mails.Outbox() {
		return fault.Invalid("code", "is wrong or no longer valid; get the newest from the people who run this server, or ask for another code")
	}
	return fault.Invalid("code", "is wrong or no longer valid; look at the newest mail, or ask for another code")
}

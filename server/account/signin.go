package account

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/throttle"
	"svc/server/zone"
)

// errWrongPassword answers an unknown e-mail, an account without a password and a wrong
// password alike; all take the same time.
var errWrongPassword = &fault.Error{Code: fault.WrongPassword, Message: "the e-mail or the password is wrong"}

// maxEmail bounds the e-mails that are counted, in bytes. No account's is longer.
const maxEmail = 254

// Caller is from where a password comes.
type Caller struct {
	Address netip.Addr // the client's
	Browser db.Token   // that a sign-in has given to the browser; empty if it has none
}

// SignIn returns the person with this e-mail and password. A Busy: too many passwords wait
// to be checked.
func (s *Service) SignIn(ctx context.Context, email, password string, from Caller) (db.Person, error) {
	p, try, err := s.attempt(ctx, email, from)
	if err != nil {
		return db.Person{}, err
	}
	t := strangersTurn(from.Address)
	if try.known() {
		t = knownTurn(email)
	}
	return s.try(ctx, p, try, t, password)
}

// attempt returns the person with an e-mail, or the zero Person, and whether they have signed
// in from the caller's browser or network before.
func (s *Service) attempt(ctx context.Context, email string, from Caller) (p db.Person, t attempt, err error) {
	t.pair = pair{db.FoldEmail(email), throttle.Network(from.Address)}
	if len(email) > maxEmail {
		t.email = "" // do not keep it in memory
	}
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		if p, err = tx.PersonByEmail(email); err != nil {
			return err
		}
		browser := db.BrowserCaller(from.Browser)
		knows, err := tx.KnowsCaller(p.ID, browser)
		if err != nil {
			return err
		}
		if knows {
			t.browser = browser
		}
		t.knownNetwork, err = tx.KnowsCaller(p.ID, db.NetworkCaller(t.network))
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return db.Person{}, t, nil
	}
	return p, t, err
}

// try checks the password of a person, who may be zero, within the limits of wrong ones.
func (s *Service) try(ctx context.Context, p db.Person, t attempt, at turn, password string) (db.Person, error) {
	if err := s.tries.spend(t, s.Clock()); err != nil {
		return db.Person{}, err
	}
	is, err := s.matches(ctx, at, p.PasswordHash, password)
	if err != nil || is {
		s.tries.forgive(t, s.Clock())
	}
	switch {
	case err != nil:
		return db.Person{}, err
	case !is:
		return db.Person{}, errWrongPassword
	}
	return p, nil
}

// ChangePassword replaces the person's password if current is the old one, ends all their
// sessions but sessionID and mails them. Of their known callers, only those of this one stay.
func (s *Service) ChangePassword(ctx context.Context, p db.Person, sessionID, current, password string, from Caller) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	now, try, err := s.attempt(ctx, p.Email, from)
	if err != nil {
		return err
	}
	known, err := s.try(ctx, now, try, knownTurn(p.Email), current)
	if errors.Is(err, errWrongPassword) {
		return errNotCurrent
	}
	if err != nil {
		return err
	}
	return s.replacePassword(ctx, known, sessionID, password, try)
}

var errNotCurrent = fault.Invalid("current", "is not your password")

// ResetPassword sets the password of the person that a link was mailed to, and ends all
// their sessions. The link is used up. db.ErrNotFound: the link is wrong or expired; this is
// checked before hashing, since anybody may try. An Invalid comes with the person.
func (s *Service) ResetPassword(ctx context.Context, token db.Token, password string, from Caller) (p db.Person, err error) {
	if p, err = s.ResetPerson(ctx, token); err != nil {
		return db.Person{}, err
	}
	hash, err := s.hash(ctx, knownTurn(p.Email), password)
	if err != nil {
		return p, err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		id, err := tx.UseLink(db.ResetLink, token)
		if err != nil {
			return err
		}
		if p, err = tx.Person(id); err != nil {
			return err
		}
		if err := s.setPassword(tx, p, "", hash); err != nil {
			return err
		}
		p, err = tx.Person(id)
		return err
	})
	if err == nil {
		s.tries.forget(db.FoldEmail(p.Email), from)
	}
	s.Mails.Wake()
	return p, err
}

// replacePassword replaces the password with which known was read, unless it has changed
// since: somebody who knows only the old one must not undo that. The caller of by stays
// known, if it is.
func (s *Service) replacePassword(ctx context.Context, known db.Person, sessionID, password string, by attempt) error {
	hash, err := s.hash(ctx, knownTurn(known.Email), password)
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		p, err := tx.Person(known.ID)
		if err != nil {
			return err
		}
		if p.PasswordHash != known.PasswordHash {
			return errNotCurrent
		}
		return errors.Join(s.setPassword(tx, p, sessionID, hash), by.rememberIn(tx, p.ID))
	})
	s.Mails.Wake()
	return err
}

func (s *Service) setPassword(tx *db.Tx, p db.Person, exceptSession, hash string) error {
	a, err := tx.Account(p.AccountID)
	if err != nil {
		return err
	}
	if err := tx.SetPasswordHash(p.ID, hash); err != nil {
		return err
	}
	if err := tx.EndOtherSessions(p.ID, exceptSession); err != nil {
		return err
	}
	if err := endAccess(tx, p.ID); err != nil {
		return err
	}
	notice := mail.PasswordChanged{First: p.PasswordHash == "", When: tx.Now(), Zone: zone.Of(a.Profile.Timezone), SignIn: s.ConsoleURL + "/signin"}
	return s.Mails.Queue(tx, p.Email, noticeLife, notice)
}

// endAccess ends what an old password may have given to somebody: links to a new one, being
// known, and sign-ins that wait for a code.
func endAccess(tx *db.Tx, personID string) error {
	return errors.Join(tx.DropLinks(db.ResetLink, personID), tx.ForgetCallers(personID), tx.DropHalfSignIns(personID))
}

// noticeLife is how long a mail that needs no answer is worth sending.
const noticeLife = 24 * time.Hour

// Sessions lists the person's sessions, newest first.
func (s *Service) Sessions(ctx context.Context, personID string) ([]db.Session, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Session, error) { return tx.Sessions(personID) })
}

// AllSessions lists the sessions of an account's people or, for an empty e-mail, of all accounts. It
// is for the operator.
func (s *Service) AllSessions(ctx context.Context, email string) ([]db.Session, error) {
	if email == "" {
		return db.Read(ctx, s.Store, (*db.Tx).AllSessions)
	}
	return readOf(ctx, s, email, (*db.Tx).AccountSessions)
}

// EndSession ends one of the person's sessions.
func (s *Service) EndSession(ctx context.Context, personID, id string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndSession(personID, id) })
}

// EndOtherSessions ends all sessions of the person but one.
func (s *Service) EndOtherSessions(ctx context.Context, personID, exceptID string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndOtherSessions(personID, exceptID) })
}

// EndAnySession ends a session of any account. It is for the operator.
func (s *Service) EndAnySession(ctx context.Context, id string) error {
	err := s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndAnySession(id) })
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "no session " + id}
	}
	return err
}

// Sweep removes expired sessions, half sign-ins, links, codes and invitations, second factors
// that nobody confirmed, callers that are known no more, secrets that were rotated away, and
// what deleted accounts left. It continues until none is left, in short transactions, since
// anybody can have many codes made.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.eraseDeleted(ctx), s.sweepEnded(ctx))
}

func (s *Service) sweepEnded(ctx context.Context) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		done = true
		for _, remove := range []func(int) (int64, error){tx.DeleteEndedSessions, tx.DeleteOldLinks, tx.DeleteOldCodes, tx.DeleteEndedSecrets, tx.DeleteEndedCallers, tx.DeleteOldInvitations, tx.DeleteHalfSignIns, tx.DeleteOldSetups} {
			n, err := remove(sweepChunk)
			if err != nil {
				return false, err
			}
			done = done && n < sweepChunk
		}
		return done, nil
	})
}

const sweepChunk = 200

package account

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/throttle"
	"svc/server/zone"
)

// Limits of wrong passwords in tryWindow (L3), counted in the memory of each process. The
// limit of an account is high, so that a stranger cannot lock its owner out.
const (
	tryWindow      = 15 * time.Minute
	triesOfPair    = 10  // of one network for one account
	triesOfNetwork = 30  // for all accounts
	triesOfAccount = 200 // from all networks
	mailsOfNetwork = 60  // that it may ask for in tryWindow
	maxCounted     = 100_000
	maxEmail       = 254 // bytes
)

// tries counts wrong passwords.
type tries struct {
	mu       sync.Mutex // held from reading the counters until the try is counted
	pairs    *throttle.Limiter[pair]
	networks *throttle.Limiter[netip.Addr]
	accounts *throttle.Limiter[string]
}

type pair struct {
	email   string
	network netip.Addr
}

func newTries() *tries {
	return &tries{
		pairs:    throttle.New[pair](triesOfPair, tryWindow, maxCounted),
		networks: throttle.New[netip.Addr](triesOfNetwork, tryWindow, maxCounted),
		accounts: throttle.New[string](triesOfAccount, tryWindow, maxCounted),
	}
}

// spend counts a try before it is made, so that concurrent tries cannot exceed a limit.
// Over a limit it returns a TooManyTries with the time to wait.
func (t *tries) spend(p pair, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var wait time.Duration
	for _, s := range []throttle.Standing{
		t.pairs.Standing(p, now), t.networks.Standing(p.network, now), t.accounts.Standing(p.email, now),
	} {
		if s.Remaining == 0 {
			wait = max(wait, s.Reset.Sub(now))
		}
	}
	if wait > 0 {
		const message = "too many wrong passwords; wait a quarter of an hour and try again"
		return &fault.Error{Code: fault.TooManyTries, Message: message, RetryAfter: wait}
	}
	t.pairs.Fail(p, now)
	t.networks.Fail(p.network, now)
	t.accounts.Fail(p.email, now)
	return nil
}

// forgive takes back a try with the right password.
func (t *tries) forgive(p pair, now time.Time) {
	t.pairs.Undo(p, now)
	t.networks.Undo(p.network, now)
	t.accounts.Undo(p.email, now)
}

// forget clears the counters of the pair and of the account: a new password was chosen,
// and its owner may use it at once.
func (t *tries) forget(p pair) {
	t.pairs.Reset(p)
	t.accounts.Reset(p.email)
}

// errWrongPassword answers an unknown e-mail, an account without a password and a wrong
// password alike; all take the same time.
var errWrongPassword = &fault.Error{Code: fault.WrongPassword, Message: "the e-mail or the password is wrong"}

// SignIn returns the account with this e-mail and password. from is the client's address. A
// Busy: too many passwords wait to be checked.
func (s *Service) SignIn(ctx context.Context, email, password string, from netip.Addr) (db.Account, error) {
	return s.signIn(ctx, email, password, from, strangersTurn(from))
}

func (s *Service) signIn(ctx context.Context, email, password string, from netip.Addr, t turn) (db.Account, error) {
	p := pair{db.FoldEmail(email), throttle.Network(from)}
	if len(email) > maxEmail {
		p.email = "" // no account's is so long; do not keep it in memory
	}
	if err := s.tries.spend(p, s.Clock()); err != nil {
		return db.Account{}, err
	}

	a, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return tx.AccountByEmail(email) })
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		s.tries.forgive(p, s.Clock()) // no password was tried
		return db.Account{}, err
	}
	is, err := s.matches(ctx, t, a.PasswordHash, password)
	if err != nil {
		s.tries.forgive(p, s.Clock())
		return db.Account{}, err
	}
	if !is {
		return db.Account{}, errWrongPassword
	}
	s.tries.forgive(p, s.Clock())
	return a, nil
}

// ChangePassword replaces the account's password if current is the old one, ends all
// sessions but sessionID and mails the owner.
func (s *Service) ChangePassword(ctx context.Context, a db.Account, sessionID, current, password string, from netip.Addr) error {
	if err := checkPassword(password); err != nil {
		return err
	}
	known, err := s.signIn(ctx, a.Email, current, from, knownTurn(a.Email))
	if errors.Is(err, errWrongPassword) {
		return errNotCurrent
	}
	if err != nil {
		return err
	}
	return s.replacePassword(ctx, known, sessionID, password)
}

var errNotCurrent = fault.Invalid("current", "is not your password")

// ResetPassword sets the password of the account that a link was mailed to, and ends all
// its sessions. The link is used up. db.ErrNotFound: the link is wrong or expired; this is
// checked before hashing, since anybody may try. An Invalid comes with the account.
func (s *Service) ResetPassword(ctx context.Context, token db.Token, password string, from netip.Addr) (a db.Account, err error) {
	if a, err = s.ResetAccount(ctx, token); err != nil {
		return db.Account{}, err
	}
	hash, err := s.hash(ctx, knownTurn(a.Email), password)
	if err != nil {
		return a, err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		id, err := tx.UseLink(db.ResetLink, token)
		if err != nil {
			return err
		}
		if a, err = tx.Account(id); err != nil {
			return err
		}
		if err := s.setPassword(tx, a, "", hash); err != nil {
			return err
		}
		a, err = tx.Account(id)
		return err
	})
	if err == nil {
		s.tries.forget(pair{db.FoldEmail(a.Email), throttle.Network(from)})
	}
	s.Mails.Wake()
	return a, err
}

// replacePassword replaces the password with which known was read, unless it has changed
// since: somebody who knows only the old one must not undo that.
func (s *Service) replacePassword(ctx context.Context, known db.Account, sessionID, password string) error {
	hash, err := s.hash(ctx, knownTurn(known.Email), password)
	if err != nil {
		return err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		a, err := tx.Account(known.ID)
		if err != nil {
			return err
		}
		if a.PasswordHash != known.PasswordHash {
			return errNotCurrent
		}
		return s.setPassword(tx, a, sessionID, hash)
	})
	s.Mails.Wake()
	return err
}

func (s *Service) setPassword(tx *db.Tx, a db.Account, exceptSession, hash string) error {
	if err := tx.SetPasswordHash(a.ID, hash); err != nil {
		return err
	}
	if err := tx.EndOtherSessions(a.ID, exceptSession); err != nil {
		return err
	}
	if err := tx.DropLinks(db.ResetLink, a.ID); err != nil {
		return err
	}
	notice := mail.PasswordChanged{First: a.PasswordHash == "", When: tx.Now(), Zone: zone.Of(a.Profile.Timezone), SignIn: s.ConsoleURL + "/signin"}
	return s.Mails.Queue(tx, a.Email, noticeLife, notice)
}

// noticeLife is how long a mail that needs no answer is worth sending.
const noticeLife = 24 * time.Hour

// Sessions lists the account's sessions, newest first.
func (s *Service) Sessions(ctx context.Context, accountID string) ([]db.Session, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Session, error) { return tx.Sessions(accountID) })
}

// AllSessions lists the sessions of an account or, for an empty e-mail, of all accounts. It
// is for the operator.
func (s *Service) AllSessions(ctx context.Context, email string) ([]db.Session, error) {
	if email == "" {
		return db.Read(ctx, s.Store, (*db.Tx).AllSessions)
	}
	return readOf(ctx, s, email, (*db.Tx).Sessions)
}

// EndSession ends one of the account's sessions.
func (s *Service) EndSession(ctx context.Context, accountID, id string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndSession(accountID, id) })
}

// EndOtherSessions ends all sessions of the account but one.
func (s *Service) EndOtherSessions(ctx context.Context, accountID, exceptID string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndOtherSessions(accountID, exceptID) })
}

// EndAnySession ends a session of any account. It is for the operator.
func (s *Service) EndAnySession(ctx context.Context, id string) error {
	err := s.Store.Update(ctx, func(tx *db.Tx) error { return tx.EndAnySession(id) })
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "no session " + id}
	}
	return err
}

// Sweep removes expired sessions, links and codes, secrets that were rotated away, and what
// deleted accounts left. It continues until none is left, in short transactions, since
// anybody can have many codes made.
func (s *Service) Sweep(ctx context.Context) error {
	return errors.Join(s.eraseDeleted(ctx), s.sweepEnded(ctx))
}

func (s *Service) sweepEnded(ctx context.Context) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		done = true
		for _, remove := range []func(int) (int64, error){tx.DeleteEndedSessions, tx.DeleteOldLinks, tx.DeleteOldCodes, tx.DeleteEndedSecrets} {
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

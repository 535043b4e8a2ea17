package account

import (
	"context"
	"crypto/rand"
	"encoding/base32"
	"errors"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/seal"
	"svc/server/totp"
	"svc/server/zone"
)

// Two-factor sign-in (L12): a person who has turned it on needs, after the password, a code
// of an app or one of ten recovery codes. Each code works once. It belongs to the person, so
// an owner and each of the staff decide for themselves. A new password does not turn it off.

const (
	recoveryCodes = 10
	recoveryBytes = 10 // 80 random bits
	recoveryGroup = 4  // characters between hyphens
)

// TwoFactorState is what a person knows of their second factor.
type TwoFactorState struct {
	On    bool
	Since time.Time
	Codes int // recovery codes that are left
}

// TwoFactor reads the state of a person.
func (s *Service) TwoFactor(ctx context.Context, personID string) (state TwoFactorState, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		t, err := ifThere(tx.TwoFactor(personID))
		if err != nil || !t.On() {
			return err
		}
		state.On, state.Since = true, t.ConfirmedAt
		state.Codes, err = tx.CountRecoveryCodes(personID)
		return err
	})
	return state, err
}

// NewTwoFactorID makes the id of a second factor that a form begins.
func (s *Service) NewTwoFactorID() string { return db.NewID("tfa_", s.Clock()) }

var errTwoFactorOn = &fault.Error{
	Code:    fault.Conflict,
	Message: "two-factor sign-in is on already; its recovery codes were shown then, and if you have not kept them, make new ones",
}

var errGone = &fault.Error{Code: fault.SignInRequired, Message: "your sign-in was ended a moment ago, so nothing was done"}

// BeginTwoFactor makes a secret for an app, which ConfirmTwoFactor must follow. The same id
// gets the same secret again. An Invalid: current is not the person's password. A Conflict:
// it is on already. A SignInRequired: the person was removed meanwhile.
func (s *Service) BeginTwoFactor(ctx context.Context, p db.Person, id, current string, from Caller) (totp.Secret, error) {
	if err := s.checkCurrent(ctx, p, current, from); err != nil {
		return nil, err
	}
	had, err := s.BegunTwoFactor(ctx, p, id)
	if err == nil || !errors.Is(err, db.ErrNotFound) {
		return had, err
	}
	sealed, err := db.Read(ctx, s.Store, (*db.Tx).AnySealed)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return nil, err
	}
	if err := s.Seal.Prepare(sealed.Secret, sealed.Name); err != nil {
		return nil, setupFault(err)
	}
	secret := totp.NewSecret()
	t := db.TwoFactor{PersonID: p.ID, ID: id}
	if t.Secret, err = s.Seal.Seal(secret.String(), id); err != nil {
		return nil, setupFault(err)
	}
	return secret, s.Store.Update(ctx, func(tx *db.Tx) error { return begin(tx, t) })
}

// begin stores the second factor of a person who is still there.
func begin(tx *db.Tx, t db.TwoFactor) error {
	_, err := tx.Person(t.PersonID)
	if errors.Is(err, db.ErrNotFound) {
		return errGone
	}
	if err == nil {
		err = tx.BeginTwoFactor(t)
	}
	if errors.Is(err, db.ErrConflict) {
		err = errTwoFactorOn
	}
	return err
}

// BegunTwoFactor returns the secret that BeginTwoFactor made for an id. db.ErrNotFound: there
// is none, it was begun anew since, or it has waited too long. A Conflict: it is confirmed.
func (s *Service) BegunTwoFactor(ctx context.Context, p db.Person, id string) (totp.Secret, error) {
	t, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.TwoFactor, error) { return tx.TwoFactor(p.ID) })
	if err != nil {
		return nil, err
	}
	if t.On() {
		return nil, errTwoFactorOn
	}
	if age := s.Clock().Sub(t.MadeAt); t.ID != id || age > db.TwoFactorSetupLife || age < -time.Minute {
		return nil, db.ErrNotFound
	}
	secret, err := s.open(t)
	return secret, setupFault(err)
}

// ConfirmTwoFactor turns two-factor sign-in on, with a code that the app makes of the secret
// of an id, and returns the recovery codes, which nobody can read again. Its errors are those
// of BegunTwoFactor, and an Invalid for a wrong code.
func (s *Service) ConfirmTwoFactor(ctx context.Context, p db.Person, id, code string) ([]db.RecoveryCode, error) {
	secret, err := s.BegunTwoFactor(ctx, p, id)
	if err != nil {
		return nil, err
	}
	step, ok := secret.Match(code, s.Clock())
	if !ok {
		return nil, errUnconfirmed
	}
	codes := newRecoveryCodes()
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if err := tx.ConfirmTwoFactor(p, id, int64(step), codes); err != nil {
			return err
		}
		return s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: mail.TwoFactorOn})
	})
	s.Mails.Wake()
	return codes, err
}

// RenewRecoveryCodes replaces the person's recovery codes, for one code. Its errors are those
// of WithCode.
func (s *Service) RenewRecoveryCodes(ctx context.Context, p db.Person, code string, from Caller) ([]db.RecoveryCode, error) {
	codes := newRecoveryCodes()
	return codes, s.withCodeIn(ctx, p, code, from, func(tx *db.Tx) error {
		return errors.Join(tx.SetRecoveryCodes(p, codes), s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: mail.TwoFactorCodes}))
	})
}

// EndTwoFactor turns it off, for the password and a code. An Invalid: one of them is wrong.
func (s *Service) EndTwoFactor(ctx context.Context, p db.Person, current, code string, from Caller) error {
	if err := s.checkCurrent(ctx, p, current, from); err != nil {
		return err
	}
	return s.withCodeIn(ctx, p, code, from, func(tx *db.Tx) error {
		return errors.Join(tx.EndTwoFactor(p), s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: mail.TwoFactorOff}))
	})
}

// ForceTwoFactorOff turns it off for a person who has lost the app and the codes. It is for
// the operator. A Conflict: it is not on.
func (s *Service) ForceTwoFactorOff(ctx context.Context, email string) (p db.Person, err error) {
	return s.forceTwoFactorOff(ctx, email, mail.TwoFactorForced)
}

func (s *Service) forceTwoFactorOff(ctx context.Context, email string, did mail.TwoFactorAct) (p db.Person, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if p, err = tx.PersonByEmail(email); errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.NotFound, Message: "nobody signs in as " + email}
		}
		if err != nil {
			return err
		}
		err := tx.EndTwoFactor(p)
		if errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.Conflict, Message: p.Email + " signs in without a code already"}
		}
		return errors.Join(err, s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: did}))
	})
	s.Mails.Wake()
	return p, err
}

// EndStaffTwoFactor turns it off for one of the account's staff who has lost the app and the
// codes. It is for the owner. A NotFound: there is no such person. A Conflict: it is not on.
func (s *Service) EndStaffTwoFactor(ctx context.Context, accountID, personID string) error {
	p, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Person, error) { return tx.Person(personID) })
	if err == nil && (p.AccountID != accountID || p.Role != db.Staff) {
		err = db.ErrNotFound
	}
	if err != nil {
		return err
	}
	_, err = s.forceTwoFactorOff(ctx, p.Email, mail.TwoFactorByOwner)
	return err
}

// checkCurrent returns an Invalid unless current is the person's password.
func (s *Service) checkCurrent(ctx context.Context, p db.Person, current string, from Caller) error {
	now, try, err := s.attempt(ctx, p.Email, from)
	if err != nil {
		return err
	}
	_, err = s.try(ctx, now, try, knownTurn(p.Email), current)
	if errors.Is(err, errWrongPassword) {
		return errNotCurrent
	}
	return err
}

func (s *Service) tellOfTwoFactor(tx *db.Tx, p db.Person, letter mail.TwoFactor) error {
	a, err := tx.Account(p.AccountID)
	if err != nil {
		return err
	}
	letter.When, letter.Zone, letter.Settings = tx.Now(), zone.Of(a.Profile.Timezone), s.ConsoleURL+twoFactorPath
	return s.Mails.Queue(tx, p.Email, noticeLife, letter)
}

// open opens the secret of a second factor. Its errors are those of the key file.
func (s *Service) open(t db.TwoFactor) (totp.Secret, error) {
	text, err := s.Seal.Open(t.Secret, t.ID)
	if err != nil {
		return nil, err
	}
	return totp.Parse(text)
}

// setupFault words an error of the key file where there is no second factor yet. The file's
// path is the operator's, for the log.
func setupFault(err error) error {
	if err == nil {
		return nil
	}
	file, restore := "cannot be used", "find the reason in the log"
	for cause, is := range map[error]string{
		seal.ErrNoKey: "is missing", seal.ErrBadKey: "is damaged", seal.ErrWrongKey: "is not the one that sealed its secrets",
	} {
		if errors.Is(err, cause) {
			file, restore = is, "must restore that file, which lies beside the database, from a backup"
		}
	}
	message := "two-factor sign-in cannot be set up, because the server's key file " + file + "; the people who run the server " + restore
	return &fault.Error{Code: fault.Unavailable, Message: message, Err: err}
}

// codeFault words an error of the key file where a code is asked for.
func codeFault(err error) error {
	if err == nil {
		return nil
	}
	const message = "codes of the app cannot be checked, because the server cannot open their secrets; " +
		"a recovery code works, and the operator finds the reason in the log"
	return &fault.Error{Code: fault.Unavailable, Message: message, Err: err}
}

// recoveryAlphabet is Crockford's base32, in which no two characters look alike.
var recoveryAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz").WithPadding(base32.NoPadding)

func newRecoveryCodes() []db.RecoveryCode {
	codes := make([]db.RecoveryCode, recoveryCodes)
	for i := range codes {
		raw := make([]byte, recoveryBytes)
		rand.Read(raw) // never fails: crypto/rand ends the process instead
		codes[i] = db.RecoveryCode(recoveryAlphabet.EncodeToString(raw))
	}
	return codes
}

// showRecoveryCode writes a code as people read it: in groups.
func showRecoveryCode(c db.RecoveryCode) string {
	var groups []string
	for text := string(c); text != ""; {
		n := min(recoveryGroup, len(text))
		groups, text = append(groups, text[:n]), text[n:]
	}
	return strings.Join(groups, "-")
}

// recoveryReader reads what people type: in any case, with or without what is between the
// groups, and with letters that look like a digit.
var recoveryReader = strings.NewReplacer("-", "", " ", "", "\t", "", "o", "0", "i", "1", "l", "1")

// readRecoveryCode reads what was typed; ok reports whether it has the form of a code.
func readRecoveryCode(typed string) (c db.RecoveryCode, ok bool) {
	text := recoveryReader.Replace(strings.ToLower(strings.TrimSpace(typed)))
	raw, err := recoveryAlphabet.DecodeString(text)
	return db.RecoveryCode(text), err == nil && len(raw) == recoveryBytes
}

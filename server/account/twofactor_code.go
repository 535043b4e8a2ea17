package account

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/totp"
)

var (
	errUnconfirmed = fault.Invalid("code", "is not the one that the app shows for this secret; look that the clock of your phone is right, and type the newest one")
	errWrongCode   = fault.Invalid("code", "is wrong; type the newest one of your app, or a recovery code that you have not used")
	errUsedCode    = fault.Invalid("code", "was used already; wait until your app shows the next one")
)

// WithCode calls run with a function that uses up what was typed, a code of the person's app
// or a recovery code; run calls it in a transaction. Wrong codes are limited as wrong
// passwords are, and stored: a day has codesOfDay. Recovery codes work nevertheless. An
// Invalid: the code is wrong or was used. A TooManyTries: wait.
func (s *Service) WithCode(ctx context.Context, p db.Person, typed string, from Caller, run func(use func(*db.Tx) error) error) error {
	_, try, err := s.attempt(ctx, p.Email, from)
	if err != nil {
		return err
	}
	if err := s.codeTries.spend(try, s.Clock()); err != nil {
		return err
	}
	use, err := s.reader(ctx, p, typed, try.knownBrowser())
	if err == nil {
		err = run(use)
	}
	if !errors.Is(err, errWrongCode) && !errors.Is(err, errUsedCode) {
		s.codeTries.forgive(try, s.Clock())
	}
	s.Mails.Wake()
	return err
}

// withCodeIn runs do in the transaction that uses up the code.
func (s *Service) withCodeIn(ctx context.Context, p db.Person, typed string, from Caller, do func(*db.Tx) error) error {
	return s.WithCode(ctx, p, typed, from, func(use func(*db.Tx) error) error {
		return s.Store.Update(ctx, func(tx *db.Tx) error {
			if err := use(tx); err != nil {
				return err
			}
			return do(tx)
		})
	})
}

// reader checks what was typed as far as it can be done before the transaction of the caller,
// and returns what uses it up there. known: it came from a browser that the person has signed
// in with.
func (s *Service) reader(ctx context.Context, p db.Person, typed string, known bool) (use func(*db.Tx) error, err error) {
	if c, ok := readRecoveryCode(typed); ok {
		return func(tx *db.Tx) error { return s.useRecoveryCode(tx, p, c) }, nil
	}
	t, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.TwoFactor, error) { return tx.TwoFactor(p.ID) })
	if errors.Is(err, db.ErrNotFound) || err == nil && !t.On() {
		return nil, errWrongCode // it was turned off meanwhile
	}
	if err != nil {
		return nil, err
	}
	secret, err := s.open(t)
	if err != nil {
		return nil, codeFault(err)
	}
	var step totp.Step
	right := false
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		if err := mayGuess(tx, t, known); err != nil {
			return err
		}
		if step, right = secret.Match(typed, tx.Now()); right {
			return nil
		}
		return s.countWrong(tx, p, t)
	})
	if err == nil && !right {
		err = errWrongCode
	}
	return func(tx *db.Tx) error { return useStep(tx, t, step) }, err
}

// mayGuess returns a TooManyTries if strangers have used up the wrong codes of the day. A
// browser that the person has signed in with obeys its own limit alone (tries).
func mayGuess(tx *db.Tx, t db.TwoFactor, known bool) error {
	now, err := tx.TwoFactor(t.PersonID)
	if errors.Is(err, db.ErrNotFound) || err == nil && now.ID != t.ID {
		return errWrongCode
	}
	if err != nil {
		return err
	}
	n, until := now.WrongCodes(tx.Now())
	if known || n < codesOfDay {
		return nil
	}
	const message = "too many wrong codes within a day; use a recovery code or a browser in which you have signed in before, or wait until tomorrow"
	return &fault.Error{Code: fault.TooManyTries, Message: message, RetryAfter: until.Sub(tx.Now())}
}

// countWrong counts a wrong code, in the transaction that compared it. Once a day it tells the
// person that somebody has their password and types codes.
func (s *Service) countWrong(tx *db.Tx, p db.Person, t db.TwoFactor) error {
	n, err := tx.CountWrongCode(t)
	if err != nil || n != codesUntilMail {
		return err
	}
	return s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: mail.WrongCodes})
}

// useStep uses up a code. Its step is compared with the time of this transaction: it may have
// waited for it while newer codes were used.
func useStep(tx *db.Tx, t db.TwoFactor, step totp.Step) error {
	err := tx.UseTwoFactorStep(t, int64(step), int64(totp.Latest(tx.Now())))
	if errors.Is(err, db.ErrStale) {
		err = errUsedCode
	}
	return err
}

func (s *Service) useRecoveryCode(tx *db.Tx, p db.Person, c db.RecoveryCode) error {
	left, err := tx.UseRecoveryCode(p, c)
	if errors.Is(err, db.ErrNotFound) {
		return errWrongCode
	}
	return errors.Join(err, s.tellOfTwoFactor(tx, p, mail.TwoFactor{Did: mail.RecoveryCodeUsed, Left: left}))
}

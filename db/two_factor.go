package db

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"strconv"
	"time"
)

// TwoFactor is a person's second factor (L12): an app that makes codes. Until a first code
// has confirmed it, it was begun only, and nothing asks for it.
type TwoFactor struct {
	PersonID    string
	ID          string // the name under which Secret is sealed
	Secret      []byte // sealed; shared with the app
	MadeAt      time.Time
	ConfirmedAt time.Time // zero: begun only
	LastStep    int64     // of the last code that was used; each works once

	wrongCodes int
	wrongSince time.Time
}

// On reports whether sign-ins of the person need a code.
func (t TwoFactor) On() bool { return !t.ConfirmedAt.IsZero() }

// wrongCodesLife is how long wrong codes count after the first of them.
const wrongCodesLife = 24 * time.Hour

// WrongCodes returns how many wrong codes count at a time, and when they stop to.
func (t TwoFactor) WrongCodes(now time.Time) (n int, until time.Time) {
	until = t.wrongSince.Add(wrongCodesLife)
	if t.wrongSince.After(now) || !until.After(now) { // the clock was set back, or it is long ago
		return 0, time.Time{}
	}
	return t.wrongCodes, until
}

// TwoFactorSetupLife is how long a secret waits for the code that confirms it.
const TwoFactorSetupLife = 30 * time.Minute

const twoFactorColumns = `person_id, id, secret, made_at, confirmed_at, last_step, wrong_codes, wrong_since`

var (
	// beginTwoFactor changes no row of a person who has it on.
	beginTwoFactor = newQuery(`
INSERT INTO two_factors (person_id, id, secret, made_at, last_step)
VALUES ($1, $2, $3, $4, 0)
ON CONFLICT (person_id) DO UPDATE SET id = excluded.id, secret = excluded.secret, made_at = excluded.made_at
WHERE confirmed_at IS NULL`)

	twoFactorOf  = newQuery(`SELECT ` + twoFactorColumns + ` FROM two_factors WHERE person_id = $1`)
	hasTwoFactor = newQuery(`SELECT EXISTS (SELECT 1 FROM two_factors WHERE person_id = $1 AND confirmed_at IS NOT NULL)`)

	confirmTwoFactor = newQuery(`
UPDATE two_factors
SET confirmed_at = $3, last_step = $4
WHERE person_id = $1 AND id = $2 AND confirmed_at IS NULL`)

	// A last step beyond $4, the latest that can be used now, is of a clock that was set back
	// since; without this its owner would be locked out until then.
	useTwoFactorStep = newQuery(`
UPDATE two_factors
SET last_step = $3
WHERE person_id = $1 AND id = $2 AND confirmed_at IS NOT NULL AND (last_step < $3 OR last_step > $4)`)

	// The day begins anew at $3 unless it began after $4, and not in the future.
	countWrongCode = newQuery(`
UPDATE two_factors
SET wrong_codes = CASE WHEN wrong_since > $4 AND wrong_since <= $3 THEN wrong_codes ELSE 0 END + 1,
  wrong_since = CASE WHEN wrong_since > $4 AND wrong_since <= $3 THEN wrong_since ELSE $3 END
WHERE person_id = $1 AND id = $2 AND confirmed_at IS NOT NULL
RETURNING wrong_codes`)

	deleteOldSetups = newQuery(`
DELETE FROM two_factors
WHERE person_id IN (SELECT person_id FROM two_factors WHERE confirmed_at IS NULL AND made_at < $1 ORDER BY made_at LIMIT $2)
  AND confirmed_at IS NULL AND made_at < $1`)

	endTwoFactor      = newQuery(`DELETE FROM two_factors WHERE person_id = $1`)
	dropRecoveryCodes = newQuery(`DELETE FROM recovery_codes WHERE person_id = $1`)

	insertRecoveryCode = newQuery(`INSERT INTO recovery_codes (person_id, code_hash) VALUES ($1, $2)`)
	useRecoveryCode    = newQuery(`DELETE FROM recovery_codes WHERE person_id = $1 AND code_hash = $2`)
	countRecoveryCodes = newQuery(`SELECT count(*) FROM recovery_codes WHERE person_id = $1`)

	insertHalfSignIn = newQuery(`INSERT INTO half_sign_ins (token_hash, person_id, ends_at) VALUES ($1, $2, $3)`)
	halfSignIn       = newQuery(`SELECT person_id FROM half_sign_ins WHERE token_hash = $1 AND ends_at > $2 AND ends_at <= $3`)
	useHalfSignIn    = newQuery(`DELETE FROM half_sign_ins WHERE token_hash = $1 AND ends_at > $2 AND ends_at <= $3 RETURNING person_id`)
	dropHalfSignIns  = newQuery(`DELETE FROM half_sign_ins WHERE person_id = $1`)

	deleteHalfSignIns = newQuery(`
DELETE FROM half_sign_ins
WHERE token_hash IN (SELECT token_hash FROM half_sign_ins WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`)

	anySealed = newQuery(`
SELECT id, secret
FROM (SELECT id, secret FROM webhooks LIMIT 1)
UNION ALL
SELECT id, secret
FROM (SELECT id, secret FROM two_factors LIMIT 1)
LIMIT 1`)
)

func scanTwoFactor(row scanner) (t TwoFactor, err error) {
	err = row.Scan(&t.PersonID, &t.ID, &t.Secret, timestamp(&t.MadeAt), timestamp(&t.ConfirmedAt), &t.LastStep, &t.wrongCodes, timestamp(&t.wrongSince))
	return t, err
}

// TwoFactor finds the person's second factor, which may be begun only.
func (tx *Tx) TwoFactor(personID string) (TwoFactor, error) {
	return one(tx, twoFactorOf, scanTwoFactor, personID)
}

// HasTwoFactor reports whether sign-ins of the person need a code.
func (tx *Tx) HasTwoFactor(personID string) (bool, error) {
	return value[bool](tx, hasTwoFactor, personID)
}

// BeginTwoFactor stores a secret that a code must confirm, in the place of one that was begun
// before. ErrConflict: the person has it on.
func (tx *Tx) BeginTwoFactor(t TwoFactor) error {
	return translate(tx.execOne(beginTwoFactor, t.PersonID, t.ID, t.Secret, tx.nowMs()), ErrNotFound, ErrConflict)
}

// ConfirmTwoFactor makes each further sign-in of the person need a code, or one of the
// recovery codes; that of step has been used. ErrNotFound: nothing with this id is begun.
func (tx *Tx) ConfirmTwoFactor(p Person, id string, step int64, codes []RecoveryCode) error {
	err := tx.execOne(confirmTwoFactor, p.ID, id, tx.nowMs(), step)
	if err == nil {
		err = tx.storeRecoveryCodes(p, codes)
	}
	return tx.auditPerson(err, p, TwoFactorOn, "")
}

// UseTwoFactorStep uses up the codes up to a step; latest is the latest that can be used now.
// ErrStale: they are used already.
func (tx *Tx) UseTwoFactorStep(t TwoFactor, step, latest int64) error {
	return translate(tx.execOne(useTwoFactorStep, t.PersonID, t.ID, step, latest), ErrNotFound, ErrStale)
}

// CountWrongCode counts a wrong code and returns which of the day it is. ErrNotFound: the
// second factor was ended or replaced.
func (tx *Tx) CountWrongCode(t TwoFactor) (n int, err error) {
	return value[int](tx, countWrongCode, t.PersonID, t.ID, tx.nowMs(), tx.Now().Add(-wrongCodesLife).UnixMilli())
}

// DeleteOldSetups removes up to limit secrets that have waited too long for a first code.
func (tx *Tx) DeleteOldSetups(limit int) (int64, error) {
	return tx.execCount(deleteOldSetups, tx.Now().Add(-TwoFactorSetupLife).UnixMilli(), limit)
}

// EndTwoFactor lets the person sign in with the password alone. ErrNotFound: they can already.
func (tx *Tx) EndTwoFactor(p Person) error {
	on, err := tx.HasTwoFactor(p.ID)
	if err == nil && !on {
		err = ErrNotFound
	}
	if err == nil {
		err = errors.Join(tx.execOne(endTwoFactor, p.ID), tx.exec(dropRecoveryCodes, p.ID))
	}
	return tx.auditPerson(err, p, TwoFactorOff, "")
}

// RecoveryCode is a code that takes the place of the app's once. The store has its hash: the
// code has 80 random bits, so the hash need not be slow.
type RecoveryCode string

func (c RecoveryCode) hash(personID string) []byte {
	sum := sha256.Sum256([]byte("recovery\x00" + personID + "\x00" + string(c)))
	return sum[:]
}

// SetRecoveryCodes replaces the person's recovery codes.
func (tx *Tx) SetRecoveryCodes(p Person, codes []RecoveryCode) error {
	return tx.auditPerson(tx.storeRecoveryCodes(p, codes), p, RecoveryCodesMade, strconv.Itoa(len(codes)))
}

func (tx *Tx) storeRecoveryCodes(p Person, codes []RecoveryCode) error {
	err := tx.exec(dropRecoveryCodes, p.ID)
	for _, c := range codes {
		err = errors.Join(err, tx.exec(insertRecoveryCode, p.ID, c.hash(p.ID)))
	}
	return err
}

// UseRecoveryCode uses up a code and returns how many are left. ErrNotFound: the person has
// no such code, or has used it.
func (tx *Tx) UseRecoveryCode(p Person, c RecoveryCode) (left int, err error) {
	if err := tx.execOne(useRecoveryCode, p.ID, c.hash(p.ID)); err != nil {
		return 0, err
	}
	left, err = tx.CountRecoveryCodes(p.ID)
	return left, tx.auditPerson(err, p, RecoveryCodeUsed, strconv.Itoa(left))
}

// CountRecoveryCodes returns how many codes the person has not used.
func (tx *Tx) CountRecoveryCodes(personID string) (int, error) {
	return value[int](tx, countRecoveryCodes, personID)
}

// HalfSignInLife is how long a browser may wait with the code after the password.
const HalfSignInLife = 10 * time.Minute

// BeginSignIn stores that the right password of a person came from a browser, and returns
// the token with which that browser can complete the sign-in.
func (tx *Tx) BeginSignIn(personID string) (Token, error) {
	token := NewToken()
	if err := tx.exec(insertHalfSignIn, token.Hash(), personID, tx.Now().Add(HalfSignInLife).UnixMilli()); err != nil {
		return "", fmt.Errorf("begin sign-in: %w", err)
	}
	return token, nil
}

// HalfSignIn returns the person of a sign-in that waits for its code. ErrNotFound: there is
// none with this token, or it has waited too long.
func (tx *Tx) HalfSignIn(token Token) (personID string, err error) {
	return value[string](tx, halfSignIn, token.Hash(), tx.nowMs(), tx.latestEnd(HalfSignInLife))
}

// UseHalfSignIn ends a sign-in that waits, since it is complete. It fails as HalfSignIn does.
func (tx *Tx) UseHalfSignIn(token Token) (personID string, err error) {
	return value[string](tx, useHalfSignIn, token.Hash(), tx.nowMs(), tx.latestEnd(HalfSignInLife))
}

// DropHalfSignIns ends the person's sign-ins that wait for a code.
func (tx *Tx) DropHalfSignIns(personID string) error { return tx.exec(dropHalfSignIns, personID) }

// DeleteHalfSignIns removes up to limit sign-ins that have waited too long.
func (tx *Tx) DeleteHalfSignIns(limit int) (int64, error) {
	return tx.execCount(deleteHalfSignIns, tx.nowMs(), limit)
}

// Sealed is a secret that the key file has sealed, with the name under which it is.
type Sealed struct {
	Name   string
	Secret []byte
}

// AnySealed returns a secret of any row, which the key file must open (L4). ErrNotFound:
// nothing is sealed.
func (tx *Tx) AnySealed() (Sealed, error) {
	return one(tx, anySealed, func(row scanner) (s Sealed, err error) { err = row.Scan(&s.Name, &s.Secret); return s, err })
}

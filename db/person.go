package db

import (
	"errors"
	"fmt"
	"time"
)

// Person is somebody who signs in: the owner of an account, or one of its staff (L11). What
// belongs to a sign-in, such as sessions, links to a new password and known callers, is under
// the person's id. An e-mail is that of one person in the whole store.
type Person struct {
	ID           string // the account's for its owner, usr_… for staff
	AccountID    string
	Role         Role
	Email        string // as given; compared by FoldEmail
	PasswordHash string // empty: no password, so no sign-in
	CreatedAt    time.Time
}

// Role is what a person may do in an account.
type Role string

// The roles (L11).
const (
	Owner Role = "owner" // all
	Staff Role = "staff" // the shop's work: no money, no keys
)

// Owner returns the account's owner.
func (a Account) Owner() Person {
	return Person{ID: a.ID, AccountID: a.ID, Role: Owner, Email: a.Email, PasswordHash: a.PasswordHash, CreatedAt: a.CreatedAt}
}

const (
	selectOwner = `
SELECT id, id, 'owner', email, password_hash, created_at
FROM accounts
WHERE deleted_at IS NULL AND `
	selectStaff = `
SELECT id, account_id, 'staff', email, password_hash, created_at
FROM staff
WHERE removed_at IS NULL AND `
)

var (
	personByID     = newQuery(selectOwner + `id = $1 UNION ALL` + selectStaff + `id = $1`)
	personByEmail  = newQuery(selectOwner + `email_folded = $1 UNION ALL` + selectStaff + `email_folded = $1`)
	staffOfAccount = newQuery(selectStaff + `account_id = $1 ORDER BY id`)
	allStaff       = newQuery(selectStaff + `TRUE ORDER BY id`)
	countStaff     = newQuery(`SELECT count(*) FROM staff WHERE account_id = $1 AND removed_at IS NULL`)
	emailOfActor   = newQuery(`SELECT email FROM accounts WHERE id = $1 UNION ALL SELECT email FROM staff WHERE id = $1`)

	// Staff cannot have the e-mail of an account. insertAccount checks the reverse.
	insertStaff = newQuery(`
INSERT INTO staff (id, account_id, email, email_folded, password_hash, created_at)
SELECT $1, $2, $3, $4, $5, $6
WHERE NOT EXISTS (SELECT 1 FROM accounts WHERE email_folded = $4)`)

	setStaffPassword = newQuery(`UPDATE staff SET password_hash = $2 WHERE id = $1 AND removed_at IS NULL`)

	removeStaff = newQuery(`
UPDATE staff
SET email_folded = id, password_hash = NULL, removed_at = $3
WHERE id = $1 AND account_id = $2 AND removed_at IS NULL`)

	dropStaff = newQuery(`DELETE FROM staff WHERE account_id = $1`)
)

// endPerson are the statements that end what a person has, $1: of every table with rows
// under a person's id.
var endPerson = []*query{
	newQuery(`DELETE FROM sessions WHERE person_id = $1`),
	newQuery(`DELETE FROM links WHERE person_id = $1`),
	forgetCallers, endTwoFactor, dropRecoveryCodes, dropHalfSignIns,
}

func scanPerson(row scanner) (p Person, err error) {
	err = row.Scan(&p.ID, &p.AccountID, &p.Role, &p.Email, nullable(&p.PasswordHash), timestamp(&p.CreatedAt))
	return p, err
}

// Person finds a person by id.
func (tx *Tx) Person(id string) (Person, error) { return one(tx, personByID, scanPerson, id) }

// PersonByEmail finds a person by any spelling of the e-mail (FoldEmail).
func (tx *Tx) PersonByEmail(email string) (Person, error) {
	return one(tx, personByEmail, scanPerson, FoldEmail(email))
}

// Staff lists the account's people but its owner, those who joined first at the beginning.
func (tx *Tx) Staff(accountID string) ([]Person, error) {
	return collect(tx, staffOfAccount, scanPerson, accountID)
}

// AllStaff is Staff of all accounts. It is the operator's view.
func (tx *Tx) AllStaff() ([]Person, error) { return collect(tx, allStaff, scanPerson) }

// CountStaff returns how many people the account has beside its owner.
func (tx *Tx) CountStaff(accountID string) (int, error) {
	return value[int](tx, countStaff, accountID)
}

// ActorEmail returns the e-mail of who did something, also of staff who were removed. The id
// is of a row of the account, or of its audit log. ErrNotFound: it is no person's.
func (tx *Tx) ActorEmail(id string) (string, error) { return value[string](tx, emailOfActor, id) }

// AddStaff stores a person of the account's staff. ErrConflict: the e-mail is somebody's.
func (tx *Tx) AddStaff(accountID, email, passwordHash string) (Person, error) {
	p := Person{ID: tx.newID("usr_"), AccountID: accountID, Role: Staff, Email: email, PasswordHash: passwordHash, CreatedAt: tx.Now()}
	err := translate(tx.execOne(insertStaff, p.ID, p.AccountID, p.Email, FoldEmail(p.Email), nullString(p.PasswordHash), tx.nowMs()), ErrNotFound, ErrConflict)
	if err = tx.audit(err, accountID, PersonJoined, p.ID, ""); err != nil {
		return Person{}, fmt.Errorf("add staff: %w", err)
	}
	return p, nil
}

// RemoveStaff ends a person of the account's staff, and at once all that they are signed in
// with. The row keeps the name beside what they did; the e-mail is free. ErrNotFound: the
// account has no such person, or it is its owner.
func (tx *Tx) RemoveStaff(accountID, id string) error {
	if err := tx.execOne(removeStaff, id, accountID, tx.nowMs()); err != nil {
		return err
	}
	return tx.audit(tx.forgetPerson(id), accountID, PersonRemoved, id, "")
}

func (tx *Tx) forgetPerson(id string) (err error) {
	for _, q := range endPerson {
		err = errors.Join(err, tx.exec(q, id))
	}
	return err
}

// SetPasswordHash replaces the person's password.
func (tx *Tx) SetPasswordHash(personID, hash string) error {
	if hash == "" {
		return errors.New("password hash: must not be empty")
	}
	p, err := tx.Person(personID)
	if err != nil {
		return err
	}
	if p.Role == Staff {
		return tx.audit(tx.execOne(setStaffPassword, p.ID, hash), p.AccountID, PasswordSet, p.ID, "")
	}
	return tx.audit(tx.execOne(setPasswordHash, p.ID, hash), p.AccountID, PasswordSet, "", "")
}

package db

import (
	"errors"
	"fmt"
	"time"
)

// Session is a browser in which a person is signed in (L3). It ends after SessionIdle without a
// request, after SessionLife in any case, or when it is ended.
type Session struct {
	ID        string
	AccountID string
	PersonID  string // the account's id for its owner
	Address   string // of the client that started it
	Browser   string // User-Agent
	CreatedAt time.Time
	SeenAt    time.Time
	EndsAt    time.Time
}

// The limits of a session (L3).
const (
	SessionIdle = 12 * time.Hour
	SessionLife = 7 * 24 * time.Hour
)

// maxClockAhead is how far in the future a session, a link or a code may have been made,
// since clocks are adjusted. One from further ahead was made before the clock was set back,
// and would outlive its limit: it counts as expired.
const maxClockAhead = time.Minute

// madeBy returns the latest time at which something that is valid now was made.
func (tx *Tx) madeBy() int64 { return tx.Now().Add(maxClockAhead).UnixMilli() }

// latestEnd returns the latest end of something that is valid now and was made to last for
// life.
func (tx *Tx) latestEnd(life time.Duration) int64 { return tx.madeBy() + life.Milliseconds() }

const sessionColumns = `id, account_id, person_id, address, browser, created_at, seen_at, ends_at`

var (
	insertSession = newQuery(`
INSERT INTO sessions (` + sessionColumns + `, token_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

	sessionByToken = newQuery(`SELECT ` + sessionColumns + ` FROM sessions WHERE token_hash = $1 AND ends_at > $2 AND created_at <= $3`)

	// seen_at never goes back, so two requests at once may store it in any order.
	touchSession = newQuery(`
UPDATE sessions
SET seen_at = $2, ends_at = min($3, created_at + $4)
WHERE id = $1 AND seen_at < $2 AND ends_at > $2`)

	sessionsOfPerson = newQuery(`
SELECT ` + sessionColumns + `
FROM sessions
WHERE person_id = $1 AND ends_at > $2 AND created_at <= $3
ORDER BY id DESC`)

	sessionsOfAccount = newQuery(`
SELECT ` + sessionColumns + `
FROM sessions
WHERE account_id = $1 AND ends_at > $2 AND created_at <= $3
ORDER BY id DESC`)

	allSessions    = newQuery(`SELECT ` + sessionColumns + ` FROM sessions WHERE ends_at > $1 AND created_at <= $2 ORDER BY ends_at DESC`)
	endSession     = newQuery(`DELETE FROM sessions WHERE person_id = $1 AND id = $2`)
	endOthers      = newQuery(`DELETE FROM sessions WHERE person_id = $1 AND id <> $2`)
	endAll         = newQuery(`DELETE FROM sessions WHERE account_id = $1`)
	endSessionByID = newQuery(`DELETE FROM sessions WHERE id = $1`)

	deleteOldSessions = newQuery(`
DELETE FROM sessions
WHERE id IN (SELECT id FROM sessions WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)`)
)

func scanSession(row scanner) (s Session, err error) {
	err = row.Scan(&s.ID, &s.AccountID, &s.PersonID, &s.Address, &s.Browser, timestamp(&s.CreatedAt), timestamp(&s.SeenAt), timestamp(&s.EndsAt))
	return s, err
}

// StartSession signs a browser in and returns the token of its cookie. A session must name
// its person: none is the owner's by default.
func (tx *Tx) StartSession(s Session) (Session, Token, error) {
	if s.PersonID == "" {
		return Session{}, "", errors.New("start session: person id: must not be empty")
	}
	token := NewToken()
	s.ID = tx.newID("ses_")
	s.CreatedAt, s.SeenAt, s.EndsAt = tx.Now(), tx.Now(), tx.Now().Add(SessionIdle)
	err := tx.exec(insertSession, s.ID, s.AccountID, s.PersonID, s.Address, s.Browser,
		tx.nowMs(), tx.nowMs(), s.EndsAt.UnixMilli(), token.Hash())
	if err != nil {
		return Session{}, "", fmt.Errorf("start session: %w", err)
	}
	return s, token, nil
}

// SessionByToken finds a session that has not ended.
func (tx *Tx) SessionByToken(token Token) (Session, error) {
	return one(tx, sessionByToken, scanSession, token.Hash(), tx.nowMs(), tx.madeBy())
}

// TouchSession restarts the session's idle time.
func (tx *Tx) TouchSession(id string) error {
	return tx.exec(touchSession, id, tx.nowMs(), tx.Now().Add(SessionIdle).UnixMilli(), SessionLife.Milliseconds())
}

// Sessions lists the person's sessions that have not ended, newest first.
func (tx *Tx) Sessions(personID string) ([]Session, error) {
	return collect(tx, sessionsOfPerson, scanSession, personID, tx.nowMs(), tx.madeBy())
}

// AccountSessions is Sessions of all the account's people.
func (tx *Tx) AccountSessions(accountID string) ([]Session, error) {
	return collect(tx, sessionsOfAccount, scanSession, accountID, tx.nowMs(), tx.madeBy())
}

// AllSessions lists every account's sessions. It is the operator's view.
func (tx *Tx) AllSessions() ([]Session, error) {
	return collect(tx, allSessions, scanSession, tx.nowMs(), tx.madeBy())
}

// EndSession ends one of the person's sessions.
func (tx *Tx) EndSession(personID, id string) error { return tx.execOne(endSession, personID, id) }

// EndOtherSessions ends the person's sessions except one, or all if exceptID is empty.
func (tx *Tx) EndOtherSessions(personID, exceptID string) error {
	return tx.exec(endOthers, personID, exceptID)
}

// EndAccountSessions ends the sessions of all the account's people.
func (tx *Tx) EndAccountSessions(accountID string) error { return tx.exec(endAll, accountID) }

// EndAnySession ends a session of any account. It is the operator's.
func (tx *Tx) EndAnySession(id string) error { return tx.execOne(endSessionByID, id) }

// DeleteEndedSessions removes up to limit sessions that have ended.
func (tx *Tx) DeleteEndedSessions(limit int) (int64, error) {
	return tx.execCount(deleteOldSessions, tx.nowMs(), limit)
}

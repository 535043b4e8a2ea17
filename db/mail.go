package db

import (
	"time"
)

// MailState is where a mail stands. The arrows: queued → sending → sent, failed or
// unknown; sending → queued when it was certainly not taken; queued → failed when it
// is too old. kept is the outbox: there is no server to hand it to.
type MailState string

const (
	MailQueued MailState = "queued"
	// MailSending: it may be in the server's hands. It is not handed over again.
	MailSending MailState = "sending"
	MailSent    MailState = "sent"
	MailFailed  MailState = "failed"
	// MailUnknown: nobody knows whether the server took it.
	MailUnknown MailState = "unknown"
	MailKept    MailState = "kept"
)

// Mail is one mail to somebody. Codes and links stand in it: it is the operator's
// alone to see (L4), and its text goes when it is sent.
type Mail struct {
	ID        string
	To        string
	Subject   string
	Text      string
	HTML      string
	State     MailState
	Tries     int
	Problem   string    // of the last try
	DueAt     time.Time // when queued: of the next try
	CreatedAt time.Time
	ExpiresAt time.Time // not worth sending after it
}

const openMail = `state IN ('queued', 'sending')`

const mailColumns = `id, recipient, subject, text, html, state, tries, problem, due_at, created_at, expires_at`

var (
	insertMail = newQuery(`
INSERT INTO mails (` + mailColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, 0, '', $7, $7, $8)`)

	// due_at of a claimed mail is the end of its lease and, since no other claim has
	// the same one, the token of its owner. SQLite uses the index mails_due only for a
	// statement that repeats its condition (openMail).
	claimMail = newQuery(`
UPDATE mails
SET due_at = $2, tries = tries + 1
WHERE id = (
  SELECT id
  FROM mails
  WHERE ` + openMail + ` AND state = 'queued' AND due_at <= $1 AND expires_at > $1
  ORDER BY due_at
  LIMIT 1)
RETURNING ` + mailColumns)

	beginMail = newQuery(`UPDATE mails SET state = 'sending' WHERE id = $1 AND state = 'queued' AND due_at = $2`)

	retryMail = newQuery(`
UPDATE mails
SET state = 'queued', due_at = $3, problem = $4
WHERE id = $1 AND ` + openMail + ` AND due_at = $2`)

	endMail = newQuery(`
UPDATE mails
SET state = $3, problem = $4,
  text = CASE $3 WHEN 'sent' THEN '' ELSE text END,
  html = CASE $3 WHEN 'sent' THEN '' ELSE html END
WHERE id = $1 AND ` + openMail + ` AND due_at = $2`)

	loseMails = newQuery(`
UPDATE mails
SET state = 'unknown', problem = $2
WHERE ` + openMail + ` AND state = 'sending' AND due_at <= $1`)

	// A claimed mail is its owner's until the lease ends: it is not due before.
	expireMails = newQuery(`
UPDATE mails
SET state = 'failed', problem = $2
WHERE ` + openMail + ` AND state = 'queued' AND due_at <= $1 AND expires_at <= $1`)

	newestMails = newQuery(`SELECT ` + mailColumns + ` FROM mails ORDER BY id DESC LIMIT $1`)

	deleteOldMails = newQuery(`
DELETE FROM mails
WHERE id IN (
  SELECT id
  FROM mails
  WHERE state IN ('sent', 'failed', 'unknown', 'kept') AND created_at < $1
  ORDER BY created_at
  LIMIT $2)`)
)

func scanMail(row scanner) (m Mail, err error) {
	var due, created, expires int64
	err = row.Scan(&m.ID, &m.To, &m.Subject, &m.Text, &m.HTML, &m.State, &m.Tries, &m.Problem, &due, &created, &expires)
	m.DueAt, m.CreatedAt, m.ExpiresAt = millis(due), millis(created), millis(expires)
	return m, err
}

// AddMail stores a mail to be sent now or, in the state MailKept, to be kept.
func (tx *Tx) AddMail(m Mail) error {
	_, err := tx.exec(insertMail, tx.newID("mail_"), m.To, m.Subject, m.Text, m.HTML, m.State,
		tx.nowMs(), m.ExpiresAt.UnixMilli())
	return err
}

// ClaimMail takes the mail that is due for longest and still worth sending, for the
// time of the lease. ErrNotFound: none is due.
func (tx *Tx) ClaimMail(lease time.Duration) (Mail, error) {
	return one(tx, claimMail, scanMail, tx.nowMs(), tx.now.Add(lease).UnixMilli())
}

// BeginMail marks a claimed mail before it is handed over. ErrNotFound: its lease
// is over and somebody else has it.
func (tx *Tx) BeginMail(m Mail) error { return tx.execOne(beginMail, m.ID, m.DueAt.UnixMilli()) }

// RetryMail lets a claimed mail, which certainly was not taken, be tried again.
func (tx *Tx) RetryMail(m Mail, at time.Time, problem string) error {
	return tx.execOne(retryMail, m.ID, m.DueAt.UnixMilli(), at.UnixMilli(), problem)
}

// EndMail stores what became of a claimed mail: MailSent, MailFailed or MailUnknown.
func (tx *Tx) EndMail(m Mail, state MailState, problem string) error {
	return tx.execOne(endMail, m.ID, m.DueAt.UnixMilli(), state, problem)
}

// LoseMails ends hand-overs whose process did not: nobody knows how they ended.
func (tx *Tx) LoseMails(problem string) (int64, error) {
	return tx.exec(loseMails, tx.nowMs(), problem)
}

// ExpireMails ends those that were not handed over in time.
func (tx *Tx) ExpireMails(problem string) (int64, error) {
	return tx.exec(expireMails, tx.nowMs(), problem)
}

// Mails lists the newest mails, at most limit. It is the operator's view.
func (tx *Tx) Mails(limit int) ([]Mail, error) { return collect(tx, newestMails, scanMail, limit) }

// DeleteMailsBefore removes up to limit mails that are done with and older than t.
func (tx *Tx) DeleteMailsBefore(t time.Time, limit int) (int64, error) {
	return tx.exec(deleteOldMails, t.UnixMilli(), limit)
}

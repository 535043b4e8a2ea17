package db

import "time"

// MailState is the state of a mail: queued → sending → sent or failed; sending →
// queued when it is tried again; queued or sending → failed when it is too old; failed
// or kept → queued when the operator asks for it. A mail in the state sending whose
// lease is over is claimed again, so that it is not lost, and may be sent twice. kept is
// the outbox: there is no server to send it to.
type MailState string

// The states of a mail.
const (
	MailQueued MailState = "queued" // waits until DueAt
	// MailSending: a process has claimed the mail and is sending it.
	MailSending MailState = "sending"
	MailSent    MailState = "sent"   // the server has taken the mail
	MailFailed  MailState = "failed" // refused for good, too old, or in doubt too often
	// MailUnknown: the mail may have been sent. Versions before 2026-11-22 stored it;
	// ResumeMails queues such mails again.
	MailUnknown MailState = "unknown"
	MailKept    MailState = "kept" // the outbox
)

// Mail is one mail. Its text holds codes and links, so that only the operator may
// read it (L4), and is deleted when it is sent.
type Mail struct {
	ID        string
	To        string
	Subject   string
	Text      string
	HTML      string
	State     MailState
	Tries     int
	Problem   string    // of the last try; a claim adds that the try before stored no outcome
	DueAt     time.Time // when queued: of the next try; when sending: the end of the lease
	CreatedAt time.Time
	ExpiresAt time.Time // not worth sending after it
}

// mailPrefix begins the ids of mails.
const mailPrefix = "mail_"

const (
	openMail = `state IN ('queued', 'sending')`
	doneMail = `state IN ('sent', 'failed', 'unknown', 'kept')`
)

const mailColumns = `id, recipient, subject, text, html, state, tries, problem, due_at, created_at, expires_at`

var (
	insertMail = newQuery(`
INSERT INTO mails (` + mailColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, 0, '', $7, $7, $8)`)

	// due_at of a claimed mail is the end of its lease and, since no other claim of the
	// mail has the same one, the token of its owner. SQLite uses the indexes mails_due
	// and mails_done only for statements that repeat their conditions, openMail and
	// doneMail.
	claimMail = newQuery(`
UPDATE mails
SET state = 'sending', due_at = $2, tries = tries + 1,
  problem = CASE state WHEN 'sending' THEN ltrim(problem || '; ' || $3, '; ') ELSE problem END
WHERE id = (
  SELECT id
  FROM mails
  WHERE ` + openMail + ` AND due_at <= $1 AND expires_at > $1
  ORDER BY due_at
  LIMIT 1)
RETURNING ` + mailColumns)

	retryMail = newQuery(`
UPDATE mails
SET state = 'queued', due_at = $3, problem = $4
WHERE id = $1 AND ` + openMail + ` AND state = 'sending' AND due_at = $2`)

	endMail = newQuery(`
UPDATE mails
SET state = $3, problem = $4,
  text = CASE $3 WHEN 'sent' THEN '' ELSE text END,
  html = CASE $3 WHEN 'sent' THEN '' ELSE html END
WHERE id = $1 AND ` + openMail + ` AND state = 'sending' AND due_at = $2`)

	// A claimed mail is its owner's until the lease ends: it is not due before.
	expireMails = newQuery(`
UPDATE mails
SET state = 'failed', problem = CASE state WHEN 'sending' THEN $3 ELSE $2 END
WHERE ` + openMail + ` AND due_at <= $1 AND expires_at <= $1`)

	resumeMails = newQuery(`
UPDATE mails
SET state = 'queued', due_at = $1
WHERE ` + doneMail + ` AND state = 'unknown' AND created_at > $2 AND expires_at > $1`)

	// A claimed mail is being sent. One that was sent has no text any more.
	resendMail = newQuery(`
UPDATE mails
SET state = 'queued', tries = 0, problem = '', due_at = $2
WHERE id = $1 AND state IN ('failed', 'unknown', 'kept') AND expires_at > $2`)

	explainMails = newQuery(`
UPDATE mails
SET problem = $2
WHERE ` + openMail + ` AND state = 'queued' AND due_at <= $1 AND problem = ''`)

	mailByID    = newQuery(`SELECT ` + mailColumns + ` FROM mails WHERE id = $1`)
	newestMails = newQuery(`SELECT ` + mailColumns + ` FROM mails ORDER BY id DESC LIMIT $1`)

	deleteOldMails = newQuery(`
DELETE FROM mails
WHERE id IN (
  SELECT id
  FROM mails
  WHERE ` + doneMail + ` AND created_at < $1
  ORDER BY created_at
  LIMIT $2)`)
)

func scanMail(row scanner) (m Mail, err error) {
	err = row.Scan(&m.ID, &m.To, &m.Subject, &m.Text, &m.HTML, &m.State, &m.Tries, &m.Problem,
		timestamp(&m.DueAt), timestamp(&m.CreatedAt), timestamp(&m.ExpiresAt))
	return m, err
}

// AddMail stores a mail to be sent now or, in the state MailKept, to be kept.
func (tx *Tx) AddMail(m Mail) error {
	return tx.exec(insertMail, tx.newID(mailPrefix), m.To, m.Subject, m.Text, m.HTML, m.State,
		tx.nowMs(), m.ExpiresAt.UnixMilli())
}

// ClaimMail takes the mail that is due for longest and still worth sending, for the
// time of the lease. If its owner before stored no outcome, interrupted is added to its
// problem. ErrNotFound: none is due.
func (tx *Tx) ClaimMail(lease time.Duration, interrupted string) (Mail, error) {
	return one(tx, claimMail, scanMail, tx.nowMs(), tx.Now().Add(lease).UnixMilli(), interrupted)
}

// RetryMail queues a claimed mail for another try. ErrNotFound: the claim is over.
func (tx *Tx) RetryMail(m Mail, at time.Time, problem string) error {
	return tx.execOne(retryMail, m.ID, m.DueAt.UnixMilli(), at.UnixMilli(), problem)
}

// EndMail stores the outcome of a claimed mail: MailSent or MailFailed. ErrNotFound:
// the claim is over.
func (tx *Tx) EndMail(m Mail, state MailState, problem string) error {
	return tx.execOne(endMail, m.ID, m.DueAt.UnixMilli(), state, problem)
}

// ExpireMails ends the mails that are not worth sending any more and returns how
// many. late is the problem of those that wait, interrupted of those whose owner
// stored no outcome.
func (tx *Tx) ExpireMails(late, interrupted string) (int64, error) {
	return tx.execCount(expireMails, tx.nowMs(), late, interrupted)
}

// ResumeMails queues the mails in the state MailUnknown that are younger than since
// and still worth sending, and returns how many: the older version that left them
// did not send a mail twice, at the price of losing it.
func (tx *Tx) ResumeMails(since time.Time) (int64, error) {
	return tx.execCount(resumeMails, tx.nowMs(), since.UnixMilli())
}

// ResendMail queues a mail that failed or was kept, to be sent now. ErrStale: it was sent,
// waits already, or is not worth sending any more.
func (tx *Tx) ResendMail(id string) error { return tx.step(resendMail, id, tx.nowMs()) }

// ExplainMails stores why the queued mails wait that were due at a time and have no problem.
func (tx *Tx) ExplainMails(due time.Time, problem string) error {
	return tx.exec(explainMails, due.UnixMilli(), problem)
}

// Mail finds a mail.
func (tx *Tx) Mail(id string) (Mail, error) { return one(tx, mailByID, scanMail, id) }

// Mails returns the newest mails, at most limit, of all accounts.
func (tx *Tx) Mails(limit int) ([]Mail, error) { return collect(tx, newestMails, scanMail, limit) }

// DeleteMailsBefore deletes up to limit mails that are done with and were made before
// t, and returns how many.
func (tx *Tx) DeleteMailsBefore(t time.Time, limit int) (int64, error) {
	return tx.execCount(deleteOldMails, t.UnixMilli(), limit)
}

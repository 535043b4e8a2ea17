package db

import (
	"errors"
	"fmt"
	"time"
)

// Invitation asks the holder of an e-mail to join an account's staff (L11). Its link works
// once, for InvitationLife. Sending it again makes another in its place, so each is one link
// and at most one mail.
type Invitation struct {
	ID        string
	AccountID string
	Email     string
	CreatedAt time.Time
	MailedAt  time.Time // zero if its link was not mailed
	ExpiresAt time.Time
}

const (
	// InvitationLife is how long an invitation can be accepted.
	InvitationLife = 7 * 24 * time.Hour
	// invitationKept is how long it is listed, and counted with those of its account.
	invitationKept = 30 * 24 * time.Hour
)

const invitationColumns = `id, account_id, email, created_at, mailed_at, expires_at`

// The mail of an invitation was made in its transaction, to end with it. Others to the same
// address are no business of the account. One that is being sent is its owner's.
const invitationMails = `
DELETE FROM mails
WHERE state <> 'sending' AND (recipient, created_at, expires_at) IN (
  SELECT email, mailed_at, expires_at FROM invitations WHERE account_id = $1`

var (
	insertInvitation = newQuery(`
INSERT INTO invitations (` + invitationColumns + `, email_folded, token_hash)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`)

	invitationByToken = newQuery(`
SELECT ` + invitationColumns + `
FROM invitations
WHERE token_hash = $1 AND ended_at IS NULL AND expires_at > $2 AND created_at <= $3`)

	invitationsOfAccount = newQuery(`
SELECT ` + invitationColumns + `
FROM invitations
WHERE account_id = $1 AND ended_at IS NULL
ORDER BY id DESC`)

	openInvitation    = newQuery(`SELECT ` + invitationColumns + ` FROM invitations WHERE account_id = $1 AND id = $2 AND ended_at IS NULL`)
	emailOfInvitation = newQuery(`SELECT email FROM invitations WHERE account_id = $1 AND id = $2`)
	hasInvited        = newQuery(`SELECT EXISTS (SELECT 1 FROM invitations WHERE account_id = $1 AND email_folded = $2 AND ended_at IS NULL)`)
	endInvitation     = newQuery(`UPDATE invitations SET ended_at = $3 WHERE account_id = $1 AND id = $2 AND ended_at IS NULL`)
	invitationsSince  = newQuery(`SELECT count(*) FROM invitations WHERE account_id = $1 AND created_at > $2`)
	mailedInvitations = newQuery(`SELECT mailed_at FROM invitations WHERE account_id = $1 AND email_folded = $2 AND mailed_at > $3 AND mailed_at <= $4 ORDER BY mailed_at`)
	deleteInvitations = newQuery(`DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE created_at <= $1 ORDER BY created_at LIMIT $2)`)
	dropInvitations   = newQuery(`DELETE FROM invitations WHERE account_id = $1`)

	dropInvitationMail  = newQuery(invitationMails + ` AND id = $2)`)
	dropInvitationMails = newQuery(invitationMails + `)`)
)

func scanInvitation(row scanner) (i Invitation, err error) {
	err = row.Scan(&i.ID, &i.AccountID, &i.Email, timestamp(&i.CreatedAt), timestamp(&i.MailedAt), timestamp(&i.ExpiresAt))
	return i, err
}

// Invite stores an invitation and returns the token of its link; mailed: the caller mails it
// in this transaction. ErrConflict: the e-mail is invited to the account already.
func (tx *Tx) Invite(accountID, email string, mailed bool) (Invitation, Token, error) {
	i := Invitation{ID: tx.newID("inv_"), AccountID: accountID, Email: email, CreatedAt: tx.Now(), ExpiresAt: tx.Now().Add(InvitationLife)}
	if mailed {
		i.MailedAt = tx.Now()
	}
	token := NewToken()
	err := tx.exec(insertInvitation, i.ID, i.AccountID, i.Email, tx.nowMs(), nullMillis(i.MailedAt), i.ExpiresAt.UnixMilli(), FoldEmail(email), token.Hash())
	if err = tx.audit(err, accountID, PersonInvited, i.ID, ""); err != nil {
		return Invitation{}, "", fmt.Errorf("invite: %w", err)
	}
	return i, token, nil
}

// InvitationByToken finds an invitation that can be accepted. ErrNotFound: the link is
// unknown, used, withdrawn or expired.
func (tx *Tx) InvitationByToken(token Token) (Invitation, error) {
	return one(tx, invitationByToken, scanInvitation, token.Hash(), tx.nowMs(), tx.madeBy())
}

// Invitations lists the account's invitations that were not answered, newest first, and
// those that expired for some weeks.
func (tx *Tx) Invitations(accountID string) ([]Invitation, error) {
	return collect(tx, invitationsOfAccount, scanInvitation, accountID)
}

// Invitation finds one of those that Invitations lists.
func (tx *Tx) Invitation(accountID, id string) (Invitation, error) {
	return one(tx, openInvitation, scanInvitation, accountID, id)
}

// HasInvited reports whether Invitations lists one of the e-mail.
func (tx *Tx) HasInvited(accountID, email string) (bool, error) {
	return value[bool](tx, hasInvited, accountID, FoldEmail(email))
}

// InvitationEmail returns to whom an invitation went, also of one that has ended lately.
func (tx *Tx) InvitationEmail(accountID, id string) (string, error) {
	return value[string](tx, emailOfInvitation, accountID, id)
}

// EndInvitation ends an invitation that was used or replaced. ErrNotFound: it has ended, or
// is another account's.
func (tx *Tx) EndInvitation(accountID, id string) error {
	return tx.execOne(endInvitation, accountID, id, tx.nowMs())
}

// WithdrawInvitation ends an invitation and removes its mail. It fails as EndInvitation does.
func (tx *Tx) WithdrawInvitation(accountID, id string) error {
	err := errors.Join(tx.EndInvitation(accountID, id), tx.exec(dropInvitationMail, accountID, id))
	return tx.audit(err, accountID, PersonUninvited, id, "")
}

// InvitationsSince counts the account's invitations of the last period, ended ones too.
func (tx *Tx) InvitationsSince(accountID string, period time.Duration) (int, error) {
	return value[int](tx, invitationsSince, accountID, tx.Now().Add(-period).UnixMilli())
}

// InvitationMails returns when the account's invitations to an e-mail were mailed in the last
// period, oldest first.
func (tx *Tx) InvitationMails(accountID, email string, period time.Duration) ([]time.Time, error) {
	return collect(tx, mailedInvitations, scanMillis, accountID, FoldEmail(email), tx.Now().Add(-period).UnixMilli(), tx.nowMs())
}

func scanMillis(row scanner) (t time.Time, err error) {
	err = row.Scan(timestamp(&t))
	return t, err
}

// DeleteOldInvitations removes up to limit invitations that are listed no more.
func (tx *Tx) DeleteOldInvitations(limit int) (int64, error) {
	return tx.execCount(deleteInvitations, tx.Now().Add(-invitationKept).UnixMilli(), limit)
}

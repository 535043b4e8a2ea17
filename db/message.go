package db

import (
	"time"
)

// Message is one message that a provider accepted, or that is in the outbox. Its text is
// stored only in the outbox; otherwise the provider has it.
type Message struct {
	ID         string
	AccountID  string
	KeyID      string // or the id of the person who sent it in the console (G5)
	RequestID  string
	Provider   string
	ProviderID string // the provider's id of the message (G2)
	Phone      string
	Template   string
	Text       string // empty unless in the outbox
	CreatedAt  time.Time
}

const messageColumns = `id, account_id, key_id, request_id, provider, provider_id, phone, template, text, created_at`

var (
	insertMessage = newQuery(`
INSERT INTO messages (` + messageColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	messagesOfAccount = newQuery(`
SELECT ` + messageColumns + `
FROM messages
WHERE account_id = $1
ORDER BY id DESC
LIMIT $2`)

	messagesBefore = newQuery(`
SELECT ` + messageColumns + `
FROM messages
WHERE account_id = $1 AND ($2 = '' OR id < $2) AND ($3 = '' OR template = $3) AND ($4 = '' OR instr(phone, $4) > 0)
ORDER BY id DESC
LIMIT $5`)

	messageOfAccount = newQuery(`SELECT ` + messageColumns + ` FROM messages WHERE account_id = $1 AND id = $2`)

	messageByID = newQuery(`
SELECT ` + messageColumns + `
FROM messages
WHERE account_id IN (SELECT id FROM accounts) AND id = $1`)
)

func scanMessage(row scanner) (m Message, err error) {
	err = row.Scan(&m.ID, &m.AccountID, &m.KeyID, &m.RequestID, &m.Provider, &m.ProviderID,
		&m.Phone, &m.Template, nullable(&m.Text), timestamp(&m.CreatedAt))
	return m, err
}

// AddMessage stores a message that was sent or put in the outbox now.
func (tx *Tx) AddMessage(m Message) error {
	return tx.exec(insertMessage, m.ID, m.AccountID, m.KeyID, m.RequestID, m.Provider, m.ProviderID,
		m.Phone, m.Template, nullString(m.Text), tx.nowMs())
}

// Messages lists the account's newest messages, at most limit.
func (tx *Tx) Messages(accountID string, limit int) ([]Message, error) {
	return collect(tx, messagesOfAccount, scanMessage, accountID, limit)
}

// MessageFilter chooses messages of an account. Empty fields choose all.
type MessageFilter struct {
	Before   string // an id: only messages that are older
	Template string
	Phone    string // a part of the recipient's number
}

// SearchMessages lists the account's newest messages that a filter chooses, at most limit.
func (tx *Tx) SearchMessages(accountID string, f MessageFilter, limit int) ([]Message, error) {
	return collect(tx, messagesBefore, scanMessage, accountID, f.Before, f.Template, f.Phone, limit)
}

// MessageOf finds a message of the account.
func (tx *Tx) MessageOf(accountID, id string) (Message, error) {
	return one(tx, messageOfAccount, scanMessage, accountID, id)
}

// Message finds a message of any account. It is the operator's view.
func (tx *Tx) Message(id string) (Message, error) { return one(tx, messageByID, scanMessage, id) }

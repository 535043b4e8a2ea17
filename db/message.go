package db

import (
	"encoding/json"
	"strings"
	"time"
)

// Message is one message that a provider accepted, or that is in the outbox or was sent from it
// by hand. The text of the latter is stored; otherwise the provider has it.
type Message struct {
	ID         string
	AccountID  string
	KeyID      string // or the id of the person who sent it in the console (G5)
	RequestID  string
	Provider   string
	ProviderID string // the provider's id of the message (G2)
	Phone      string
	Template   string
	Text       string // empty if a provider has it
	CreatedAt  time.Time
}

const messageColumns = `id, account_id, key_id, request_id, provider, provider_id, phone, template, text, created_at`

// digits is a customer's phone number as its file spells it, without what is not dialled. Dialled
// is that without the plus or the 00 before the code of the country; a single 0 begins a number
// inside a country, which is never that of a message.
const (
	digits  = `replace(replace(replace(replace(replace(phone, ' ', ''), '-', ''), '(', ''), ')', ''), '.', '')`
	dialled = `CASE WHEN ` + digits + ` GLOB '+*' THEN substr(` + digits + `, 2)
  WHEN ` + digits + ` GLOB '00*' THEN substr(` + digits + `, 3) ELSE ` + digits + ` END`
)

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
WHERE account_id = $1 AND ($2 = '' OR id < $2) AND ($3 = '' OR template = $3) AND (NOT $4 OR provider = 'outbox')
  AND ($5 = '' OR mentions(coalesce(text, ''), $5) OR ($6 <> '' AND instr(phone, $6) > 0)
    OR ltrim(phone, '+') IN (SELECT ` + dialled + ` FROM customers WHERE account_id = $1 AND phone <> '' AND mentions(name, $5)))
ORDER BY id DESC
LIMIT $7`)

	customersOfPhones = newQuery(`
SELECT ` + dialled + `, name
FROM customers
WHERE account_id = $1 AND phone <> '' AND (` + dialled + `) IN (SELECT value FROM json_each($2))`)

	markMessage = newQuery(`UPDATE messages SET provider = $3 WHERE account_id = $1 AND id = $2 AND provider IN ('outbox', 'hand')`)

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
	Saved    bool   // only those that are in the outbox
	Search   string // in the recipient's number, the name of the customer with it, or a text that is kept
}

// SearchMessages lists the account's newest messages that a filter chooses, at most limit.
func (tx *Tx) SearchMessages(accountID string, f MessageFilter, limit int) ([]Message, error) {
	return collect(tx, messagesBefore, scanMessage, accountID, f.Before, f.Template, f.Saved,
		FoldText(strings.TrimSpace(f.Search)), searchedDigits(f.Search), limit)
}

// searchedDigits returns the digits of a text that is a part of a phone number, "" of another.
// Numbers are kept with the code of the country, so the zeros before it, or before a number of
// the country, are left out.
func searchedDigits(text string) string {
	text = strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()./+", r) {
			return -1
		}
		return r
	}, text)
	if strings.Trim(text, "0123456789") != "" {
		return ""
	}
	return strings.TrimLeft(text, "0")
}

// CustomersByPhone returns the names of the account's customers with these numbers, which are
// in international format, by number. A number without a customer is left out, and so
// is one that several customers have.
func (tx *Tx) CustomersByPhone(accountID string, phones []string) (map[string]string, error) {
	var wanted []string
	for _, phone := range phones {
		wanted = append(wanted, strings.TrimPrefix(phone, "+"))
	}
	if len(wanted) == 0 {
		return nil, nil
	}
	list, err := json.Marshal(wanted)
	if err != nil {
		return nil, err
	}
	type named struct{ digits, name string }
	found, err := collect(tx, customersOfPhones, func(row scanner) (n named, err error) {
		err = row.Scan(&n.digits, &n.name)
		return n, err
	}, accountID, string(list))
	names, count := map[string]string{}, map[string]int{}
	for _, n := range found {
		number := "+" + n.digits
		if count[number]++; count[number] == 1 && n.name != "" {
			names[number] = n.name
		} else {
			delete(names, number)
		}
	}
	return names, err
}

// ByHand is the provider of a message of the outbox that a person has sent themselves.
const ByHand = "hand"

// MarkSent marks a message of the outbox as sent by a person, or takes that mark back; what is so
// already stays so. An ErrNotFound: the outbox of the account never had such a message.
func (tx *Tx) MarkSent(accountID, id string, sent bool) error {
	return tx.execOne(markMessage, accountID, id, map[bool]string{true: ByHand, false: "outbox"}[sent])
}

// MessageOf finds a message of the account.
func (tx *Tx) MessageOf(accountID, id string) (Message, error) {
	return one(tx, messageOfAccount, scanMessage, accountID, id)
}

// Message finds a message of any account. It is the operator's view.
func (tx *Tx) Message(id string) (Message, error) { return one(tx, messageByID, scanMessage, id) }

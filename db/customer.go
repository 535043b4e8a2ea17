package db

import (
	"bytes"
	"fmt"
	"time"
)

// Customer is a buyer. A sale names its customer by external id.
type Customer struct {
	ID         string
	AccountID  string
	ExternalID string
	Name       string
	Email      string
	Phone      string
	Region     string
	CreatedAt  time.Time
	Digest     []byte // of a pushed record, as with Sale
}

const customerColumns = `id, account_id, external_id, name, email, phone, region, digest, created_at`

var (
	insertCustomer = newQuery(`
INSERT INTO customers (` + customerColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

	changeCustomer = newQuery(`
UPDATE customers
SET name = $3, email = $4, phone = $5, region = $6, digest = $7
WHERE account_id = $1 AND id = $2`)

	customerByExternalID = newQuery(`
SELECT ` + customerColumns + `
FROM customers
WHERE account_id = $1 AND external_id = $2`)
)

func scanCustomer(row scanner) (c Customer, err error) {
	err = row.Scan(&c.ID, &c.AccountID, &c.ExternalID, &c.Name, &c.Email, &c.Phone, &c.Region, &c.Digest, timestamp(&c.CreatedAt))
	return c, err
}

// Customer finds the account's customer of an external id.
func (tx *Tx) Customer(accountID, externalID string) (Customer, error) {
	return one(tx, customerByExternalID, scanCustomer, accountID, externalID)
}

// PutCustomer adds a customer of c.AccountID, or changes the one with c.ExternalID.
func (tx *Tx) PutCustomer(c Customer) (Customer, Outcome, error) {
	old, outcome, err := tx.CompareCustomer(c)
	c.ID, c.CreatedAt = old.ID, old.CreatedAt
	switch {
	case err != nil:
	case outcome == Inserted:
		c.ID, c.CreatedAt = tx.newID("cust_"), tx.Now()
		err = tx.exec(insertCustomer, c.ID, c.AccountID, c.ExternalID, c.Name, c.Email, c.Phone, c.Region, c.Digest, tx.nowMs())
	case outcome == Updated || !bytes.Equal(old.Digest, c.Digest):
		err = tx.execOne(changeCustomer, c.AccountID, c.ID, c.Name, c.Email, c.Phone, c.Region, c.Digest)
	default:
		return old, Unchanged, nil
	}
	if err == nil {
		err = tx.bumpShopVersion(c.AccountID)
	}
	if err != nil {
		return Customer{}, "", fmt.Errorf("put customer: %w", err)
	}
	return c, outcome, nil
}

// CompareCustomer returns the stored customer of c.ExternalID, the zero value if there is
// none, and what PutCustomer would do. It writes nothing.
func (tx *Tx) CompareCustomer(c Customer) (Customer, Outcome, error) {
	old, err := tx.Customer(c.AccountID, c.ExternalID)
	isSame := old.Name == c.Name && old.Email == c.Email && old.Phone == c.Phone && old.Region == c.Region
	outcome, err := outcomeOf(err, isSame)
	return old, outcome, err
}

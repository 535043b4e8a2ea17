package db

import (
	"fmt"
	"time"
)

// Purchase is a bundle of wallet credit that an account has started to buy (C5).
type Purchase struct {
	ID          string
	AccountID   string
	Amount      int64 // in the currency's minor units
	Currency    string
	CreditCents int64 // usd_cents
	CreatedAt   time.Time
	ApprovedAt  time.Time // zero if not paid
}

const purchaseColumns = `id, account_id, amount, currency, credit_cents, created_at, approved_at`

var (
	insertPurchase = newQuery(`
INSERT INTO purchases (id, account_id, amount, currency, credit_cents, created_at)
VALUES ($1, $2, $3, $4, $5, $6)`)

	purchaseByID = newQuery(`SELECT ` + purchaseColumns + ` FROM purchases WHERE account_id = $1 AND id = $2`)

	countPurchases = newQuery(`SELECT count(*) FROM purchases WHERE account_id = $1 AND created_at > $2`)

	payPurchase = newQuery(`
UPDATE purchases
SET approved_at = $3
WHERE account_id = $1 AND id = $2 AND approved_at IS NULL`)
)

func scanPurchase(row scanner) (p Purchase, err error) {
	err = row.Scan(&p.ID, &p.AccountID, &p.Amount, &p.Currency, &p.CreditCents, timestamp(&p.CreatedAt), timestamp(&p.ApprovedAt))
	return p, err
}

// CreatePurchase stores a new purchase, which is not paid yet.
func (tx *Tx) CreatePurchase(p Purchase) (Purchase, error) {
	p.ID, p.CreatedAt = tx.newID(purchasePrefix), tx.Now()
	if err := tx.exec(insertPurchase, p.ID, p.AccountID, p.Amount, p.Currency, p.CreditCents, tx.nowMs()); err != nil {
		return Purchase{}, fmt.Errorf("create purchase: %w", err)
	}
	return p, nil
}

const purchasePrefix = "buy_"

// Purchase finds an account's purchase.
func (tx *Tx) Purchase(accountID, id string) (Purchase, error) {
	return one(tx, purchaseByID, scanPurchase, accountID, id)
}

// CountPurchases counts the purchases that the account has started since a time.
func (tx *Tx) CountPurchases(accountID string, since time.Time) (int, error) {
	return value[int](tx, countPurchases, accountID, since.UnixMilli())
}

// payPurchase credits the wallet with the bundle, once. ErrStale: it was paid before.
func (tx *Tx) payPurchase(accountID, id string) error {
	if err := tx.step(payPurchase, accountID, id, tx.nowMs()); err != nil {
		return err
	}
	p, err := tx.Purchase(accountID, id)
	if err != nil {
		return err
	}
	_, err = tx.Credit(Entry{AccountID: accountID, Kind: TopUp, AmountCents: p.CreditCents, Note: purchaseNote + p.ID})
	return err
}

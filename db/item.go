package db

import (
	"fmt"
	"time"
)

// Item is something that a merchant sells.
type Item struct {
	ID         string
	AccountID  string
	Name       string
	SKU        string
	Price      int64 // minor units of the account's currency
	CostPrice  int64
	StockMilli int64 // thousandths of the unit: some things are sold by weight
	Unit       string
	CreatedAt  time.Time
}

const itemColumns = `id, account_id, name, sku, price, cost_price, stock_milli, unit, created_at`

var (
	insertItem = newQuery(`
INSERT INTO items (` + itemColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)

	itemsOfAccount = newQuery(`
SELECT ` + itemColumns + `
FROM items
WHERE account_id = $1
ORDER BY id
LIMIT $2`)
)

func scanItem(row scanner) (i Item, err error) {
	var created int64
	err = row.Scan(&i.ID, &i.AccountID, &i.Name, &i.SKU, &i.Price, &i.CostPrice, &i.StockMilli, &i.Unit, &created)
	i.CreatedAt = millis(created)
	return i, err
}

// AddItem stores a new item of an account.
func (tx *Tx) AddItem(i Item) (Item, error) {
	i.ID, i.CreatedAt = tx.newID("item_"), tx.now
	_, err := tx.exec(insertItem, i.ID, i.AccountID, i.Name, i.SKU, i.Price, i.CostPrice, i.StockMilli, i.Unit, tx.nowMs())
	if err != nil {
		return Item{}, fmt.Errorf("add item: %w", err)
	}
	return i, nil
}

// Items lists the account's items, oldest first, at most limit.
func (tx *Tx) Items(accountID string, limit int) ([]Item, error) {
	return collect(tx, itemsOfAccount, scanItem, accountID, limit)
}

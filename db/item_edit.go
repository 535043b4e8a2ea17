package db

import (
	"errors"
	"fmt"
	"time"
)

// StockMove is one change of an item's stock.
type StockMove struct {
	Seq             int64 // of the account
	Reason          string
	Note            string // why, in words; of adjustments only
	Actor           string // who did it: an account's id, a key's, or one of Actor…; empty: not known
	Record          string // external id of the sale or the order
	ChangeMilli     int64
	StockAfterMilli int64
	CreatedAt       time.Time
}

var (
	editItem = newQuery(`
UPDATE items
SET name = $3, sku = $4, price = $5, cost_price = $6, unit = $7, category = $8, reorder_milli = $9, version = $10
WHERE account_id = $1 AND id = $2`)

	deleteCodes  = newQuery(`DELETE FROM item_codes WHERE account_id = $1 AND item_id = $2 AND kind = $3`)
	deleteItem   = newQuery(`DELETE FROM items WHERE account_id = $1 AND id = $2`)
	insertGone   = newQuery(`INSERT INTO removed_items (account_id, version, item_id, name, sku, removed_at) VALUES ($1, $2, $3, $4, $5, $6)`)
	removedSince = newQuery(`SELECT item_id FROM removed_items WHERE account_id = $1 AND version > $2 AND version <= $3`)

	movesOfItem = newQuery(`
SELECT seq, reason, note, change_milli, stock_after_milli, created_at, actor, record
FROM stock_moves
WHERE account_id = $1 AND item_id = $2
ORDER BY seq DESC
LIMIT $3`)
)

// AddItem adds an item that has a name and nothing else.
func (tx *Tx) AddItem(accountID, name string) (Item, error) {
	item, err := tx.addItem(accountID, ItemChange{Name: name})
	if err != nil {
		return Item{}, err
	}
	return tx.Item(accountID, item.ID)
}

// EditItem stores the name, the SKU, the prices, the unit, the category and the reorder
// point of an item, unknown ones included. ErrConflict: another item has the SKU.
func (tx *Tx) EditItem(i Item) error {
	before, err := tx.Item(i.AccountID, i.ID)
	if err != nil {
		return fmt.Errorf("edit item: %w", err)
	}
	version := before.version
	if i.Name != before.Name || i.SKU != before.SKU {
		if version, err = tx.nextInventoryVersion(i.AccountID); err != nil {
			return fmt.Errorf("edit item: %w", err)
		}
	}
	err = tx.execOne(editItem, i.AccountID, i.ID, i.Name, i.SKU, i.Price, i.CostPrice, i.Unit, i.Category, i.ReorderMilli, version)
	if err == nil && version != before.version {
		err = tx.joinLines(i.AccountID, i.ID)
	}
	if err == nil {
		err = tx.bumpShopVersion(i.AccountID)
	}
	if err != nil {
		return fmt.Errorf("edit item: %w", err)
	}
	return nil
}

// SetBarcodes replaces the barcodes of an item by these, in the form of gtin.Key.
// ErrConflict: another item has one of them.
func (tx *Tx) SetBarcodes(i Item, keys []string) error {
	for _, key := range keys {
		other, err := tx.ItemByBarcode(i.AccountID, key)
		if err == nil && other.ID != i.ID {
			err = ErrConflict
		}
		if err != nil && !errors.Is(err, ErrNotFound) {
			return fmt.Errorf("set barcodes: %w", err)
		}
	}
	if err := tx.exec(deleteCodes, i.AccountID, i.ID, barcodeCode); err != nil {
		return fmt.Errorf("set barcodes: %w", err)
	}
	return tx.putBarcodes(i, keys)
}

// SetStock stores what was counted of an item.
func (tx *Tx) SetStock(i Item, stockMilli int64) error {
	return tx.moveStock(i, stockMilli, cause{reason: MovedByCount})
}

// CountStock is SetStock with a note of the person who counted.
func (tx *Tx) CountStock(i Item, stockMilli int64, note string) error {
	return tx.moveStock(i, stockMilli, cause{reason: MovedByCount, note: note})
}

// AdjustStock changes the stock of an item, which must be known, and keeps why.
func (tx *Tx) AdjustStock(i Item, changeMilli int64, note string) error {
	if i.StockMilli == nil {
		return errors.New("adjust stock: it is not known")
	}
	return tx.moveStock(i, *i.StockMilli+changeMilli, cause{reason: MovedByAdjustment, note: note})
}

// StockMoves lists the newest moves of an item's stock, also of a removed item, at most
// limit.
func (tx *Tx) StockMoves(accountID, itemID string, limit int) ([]StockMove, error) {
	scan := func(row scanner) (m StockMove, err error) {
		err = row.Scan(&m.Seq, &m.Reason, &m.Note, &m.ChangeMilli, &m.StockAfterMilli, timestamp(&m.CreatedAt), &m.Actor, &m.Record)
		return m, err
	}
	return collect(tx, movesOfItem, scan, accountID, itemID, limit)
}

// RemoveItem removes an item with its barcodes and aliases. Its stock moves stay, and so do
// sales and orders, which have its name and SKU. It cannot be undone: a new item with the
// same SKU has another id and no past.
func (tx *Tx) RemoveItem(i Item) error {
	version, err := tx.nextInventoryVersion(i.AccountID)
	if err != nil {
		return fmt.Errorf("remove item: %w", err)
	}
	err = errors.Join(
		tx.exec(deleteCodes, i.AccountID, i.ID, barcodeCode),
		tx.exec(deleteCodes, i.AccountID, i.ID, aliasCode),
		tx.execOne(deleteItem, i.AccountID, i.ID),
		tx.exec(deletePushedProduct, i.AccountID, i.ID),
		tx.exec(insertGone, i.AccountID, version, i.ID, i.Name, i.SKU, tx.nowMs()),
	)
	if err != nil {
		return fmt.Errorf("remove item: %w", err)
	}
	return nil
}

package db

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Item is a product of a merchant. Unknown fields are nil or empty. StockMilli is the sum
// of the item's stock moves.
type Item struct {
	ID           string
	AccountID    string
	Name         string
	SKU          string // unique in the account, without case
	Price        *int64 // minor units of the account's currency
	CostPrice    *int64
	StockMilli   *int64 // thousandths of the unit, because some items are sold by weight
	Unit         string
	Category     string
	ReorderMilli *int64
	CreatedAt    time.Time

	version int64 // the inventory's at the item's last change of its names; unique in the account
}

// ItemChange changes an item. A nil or empty field leaves the item's value.
type ItemChange struct {
	Name         string
	SKU          string   `json:",omitempty"`
	Barcodes     []string `json:",omitempty"` // in the form of gtin.Key; added to the item's
	Aliases      []string `json:",omitempty"` // further names; taken from an item that has one of them
	Price        *int64   `json:",omitempty"`
	CostPrice    *int64   `json:",omitempty"`
	StockMilli   *int64   `json:",omitempty"`
	Unit         string   `json:",omitempty"`
	Category     string   `json:",omitempty"`
	ReorderMilli *int64   `json:",omitempty"`
}

// Reasons of a stock move; see also stock.go.
const (
	MovedByImport     = "import"
	MovedByCount      = "count"
	MovedByAdjustment = "adjustment" // by a person, who says why
	MovedByPush       = "push"       // by a product record
)

// Kinds of item codes.
const (
	barcodeCode = "barcode"
	aliasCode   = "alias"
)

const itemColumns = `id, account_id, name, sku, price, cost_price, stock_milli, unit, category, reorder_milli,
  created_at, version`

var (
	nextVersion = newQuery(`
INSERT INTO inventories (account_id, version, last_move)
VALUES ($1, 1, 0)
ON CONFLICT (account_id) DO UPDATE SET version = version + 1
RETURNING version`)

	inventoryVersion = newQuery(`SELECT version FROM inventories WHERE account_id = $1`)

	insertItem = newQuery(`
INSERT INTO items (id, account_id, name, sku, price, cost_price, unit, category, reorder_milli, created_at, version)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`)

	changeItem = newQuery(`
UPDATE items
SET name = coalesce(nullif($3, ''), name),
  sku = coalesce(nullif($4, ''), sku),
  price = coalesce($5, price),
  cost_price = coalesce($6, cost_price),
  unit = coalesce(nullif($7, ''), unit),
  category = coalesce(nullif($8, ''), category),
  reorder_milli = coalesce($9, reorder_milli),
  version = $10
WHERE account_id = $1 AND id = $2`)

	itemByID  = newQuery(`SELECT ` + itemColumns + ` FROM items WHERE account_id = $1 AND id = $2`)
	itemBySKU = newQuery(`SELECT ` + itemColumns + ` FROM items WHERE account_id = $1 AND sku = $2 AND sku <> ''`)
	// The index items_by_name covers this query. For more columns the planner would read
	// the whole inventory.
	idsByName = newQuery(`SELECT id FROM items WHERE account_id = $1 AND name = $2 COLLATE NOCASE ORDER BY id LIMIT 2`)

	itemByBarcode = newQuery(`
SELECT ` + itemColumns + `
FROM items
WHERE account_id = $1 AND id = (
  SELECT item_id
  FROM item_codes
  WHERE account_id = $1 AND kind = 'barcode' AND code = $2)`)

	pricedItems = newQuery(`
SELECT count(*)
FROM items
WHERE account_id = $1 AND (price IS NOT NULL OR cost_price IS NOT NULL)`)

	setItemVersion = newQuery(`UPDATE items SET version = $3 WHERE account_id = $1 AND id = $2`)
	itemOfCode     = newQuery(`SELECT item_id FROM item_codes WHERE account_id = $1 AND kind = $2 AND code = $3`)

	putCode = newQuery(`
INSERT INTO item_codes (account_id, kind, code, item_id)
VALUES ($1, $2, $3, $4)
ON CONFLICT (account_id, kind, code) DO UPDATE SET item_id = excluded.item_id`)

	deleteAlias = newQuery(`DELETE FROM item_codes WHERE account_id = $1 AND kind = 'alias' AND item_id = $2 AND code = $3`)

	codesOfItem = newQuery(`SELECT code FROM item_codes WHERE account_id = $1 AND item_id = $2 AND kind = $3 ORDER BY code`)

	itemsAfter = newQuery(`
SELECT ` + itemColumns + `
FROM items
WHERE account_id = $1 AND id > $2
ORDER BY id
LIMIT $3`)

	itemsSince = newQuery(`
SELECT ` + itemColumns + `
FROM items
WHERE account_id = $1 AND version > $2
ORDER BY version
LIMIT $3`)

	setStock = newQuery(`UPDATE items SET stock_milli = $3 WHERE account_id = $1 AND id = $2`)

	nextMove = newQuery(`
UPDATE inventories
SET last_move = last_move + 1
WHERE account_id = $1
RETURNING last_move`)

	insertMove = newQuery(`
INSERT INTO stock_moves (account_id, seq, item_id, reason, note, change_milli, stock_after_milli, created_at, actor, record)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	stockFaults = newQuery(`
SELECT i.id
FROM items i
LEFT JOIN (
  SELECT item_id, sum(change_milli) AS moved
  FROM stock_moves
  WHERE account_id = $1
  GROUP BY item_id) m ON m.item_id = i.id
WHERE i.account_id = $1 AND coalesce(i.stock_milli, 0) <> coalesce(m.moved, 0)
ORDER BY i.id`)
)

func scanItem(row scanner) (i Item, err error) {
	err = row.Scan(&i.ID, &i.AccountID, &i.Name, &i.SKU, &i.Price, &i.CostPrice, &i.StockMilli, &i.Unit, &i.Category,
		&i.ReorderMilli, timestamp(&i.CreatedAt), &i.version)
	return i, err
}

// PutItem adds an item to the account, or changes the one that MatchItem finds. The stock
// move that it makes has the reason. ErrConflict: see MatchItem.
func (tx *Tx) PutItem(accountID string, c ItemChange, reason string) (Item, error) {
	item, _, err := tx.putItem(accountID, c, reason)
	if err != nil {
		return Item{}, err
	}
	return tx.Item(accountID, item.ID)
}

// putItem is PutItem, but returns the item as it was before the change, and whether it is
// Inserted or Updated.
func (tx *Tx) putItem(accountID string, c ItemChange, reason string) (Item, Outcome, error) {
	outcome := Updated
	item, err := tx.MatchItem(accountID, c)
	if errors.Is(err, ErrNotFound) {
		outcome = Inserted
		item, err = tx.addItem(accountID, c)
	} else if err == nil {
		err = tx.changeItem(item, c)
	}
	if err != nil {
		return Item{}, "", err
	}
	return item, outcome, tx.putRest(item, c, reason)
}

// putRest stores what an item's own row does not have, and its stock.
func (tx *Tx) putRest(item Item, c ItemChange, reason string) error {
	if err := tx.putBarcodes(item, c.Barcodes); err != nil {
		return err
	}
	if err := tx.putAliases(item, c.Aliases); err != nil {
		return err
	}
	if c.StockMilli == nil {
		return nil
	}
	return tx.moveStock(item, *c.StockMilli, cause{reason: reason})
}

func (tx *Tx) addItem(accountID string, c ItemChange) (Item, error) {
	version, err := tx.nextInventoryVersion(accountID)
	if err != nil {
		return Item{}, fmt.Errorf("add item: %w", err)
	}
	item := Item{ID: tx.newID("item_"), AccountID: accountID, Name: c.Name, SKU: c.SKU, version: version}
	err = tx.exec(insertItem, item.ID, accountID, c.Name, c.SKU, c.Price, c.CostPrice, c.Unit, c.Category,
		c.ReorderMilli, tx.nowMs(), version)
	if err == nil {
		err = tx.joinLines(accountID, item.ID)
	}
	if err != nil {
		return Item{}, fmt.Errorf("add item: %w", err)
	}
	return item, nil
}

// changeItem changes the item's row. It raises the inventory's version only if the item's
// names change.
func (tx *Tx) changeItem(item Item, c ItemChange) error {
	version := item.version
	isRenamed := c.Name != "" && c.Name != item.Name || c.SKU != "" && c.SKU != item.SKU
	if isRenamed {
		var err error
		if version, err = tx.nextInventoryVersion(item.AccountID); err != nil {
			return fmt.Errorf("change item: %w", err)
		}
	}
	err := tx.execOne(changeItem, item.AccountID, item.ID, c.Name, c.SKU, c.Price, c.CostPrice, c.Unit, c.Category,
		c.ReorderMilli, version)
	if err == nil && isRenamed {
		err = tx.joinLines(item.AccountID, item.ID)
	}
	if err == nil && c.shows(item) {
		err = tx.bumpShopVersion(item.AccountID)
	}
	if err != nil {
		return fmt.Errorf("change item: %w", err)
	}
	return nil
}

// shows reports whether the change is of a field that the shop's views have beside the name,
// the SKU and the stock.
func (c ItemChange) shows(i Item) bool {
	differs := func(to, from *int64) bool { return to != nil && (from == nil || *to != *from) }
	return differs(c.Price, i.Price) || differs(c.CostPrice, i.CostPrice) || differs(c.ReorderMilli, i.ReorderMilli) ||
		c.Category != "" && c.Category != i.Category
}

func (tx *Tx) nextInventoryVersion(accountID string) (int64, error) {
	return value[int64](tx, nextVersion, accountID)
}

// MatchItem finds the account's item that a change applies to: by SKU, else by barcode,
// or by name if the change has neither. ErrConflict: SKU and barcodes belong to several
// items, a barcode belongs to an item with another SKU, or several items have the name.
func (tx *Tx) MatchItem(accountID string, c ItemChange) (Item, error) {
	if c.SKU == "" && len(c.Barcodes) == 0 {
		return tx.ItemByName(accountID, c.Name)
	}
	item, err := tx.ItemBySKU(accountID, c.SKU)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return Item{}, err
	}
	for _, code := range c.Barcodes {
		other, codeErr := tx.ItemByBarcode(accountID, code)
		switch {
		case errors.Is(codeErr, ErrNotFound):
		case codeErr != nil:
			return Item{}, codeErr
		case err == nil && other.ID != item.ID, c.SKU != "" && other.SKU != "" && !strings.EqualFold(c.SKU, other.SKU):
			return Item{}, ErrConflict
		default:
			item, err = other, nil
		}
	}
	return item, err
}

// ItemByName finds the account's item with a name, without case. ErrConflict: several have it.
func (tx *Tx) ItemByName(accountID, name string) (Item, error) {
	ids, err := collect(tx, idsByName, scanText, accountID, name)
	switch {
	case err != nil:
		return Item{}, err
	case len(ids) == 0:
		return Item{}, ErrNotFound
	case len(ids) > 1:
		return Item{}, ErrConflict
	}
	return tx.Item(accountID, ids[0])
}

func (tx *Tx) putBarcodes(item Item, keys []string) error {
	for _, key := range keys {
		if err := tx.exec(putCode, item.AccountID, barcodeCode, key, item.ID); err != nil {
			return fmt.Errorf("put barcode: %w", err)
		}
	}
	return nil
}

// putAliases gives an item further names, and takes them from the items that had them.
func (tx *Tx) putAliases(item Item, names []string) error {
	for _, name := range names {
		if err := tx.putAlias(item, name); err != nil {
			return fmt.Errorf("put alias: %w", err)
		}
	}
	return nil
}

func (tx *Tx) putAlias(item Item, name string) error {
	holder, err := value[string](tx, itemOfCode, item.AccountID, aliasCode, name)
	switch {
	case err == nil && holder == item.ID:
		return nil
	case err == nil:
		err = tx.bumpVersion(item.AccountID, holder)
	case errors.Is(err, ErrNotFound):
		err = nil
	}
	if err != nil {
		return err
	}
	if err := tx.exec(putCode, item.AccountID, aliasCode, name, item.ID); err != nil {
		return err
	}
	return tx.bumpVersion(item.AccountID, item.ID)
}

// bumpVersion raises the item's version, so that search indexes its names again.
func (tx *Tx) bumpVersion(accountID, id string) error {
	version, err := tx.nextInventoryVersion(accountID)
	if err != nil {
		return err
	}
	return tx.execOne(setItemVersion, accountID, id, version)
}

// AddAlias gives an item a further name, as a correction does (F4), and takes it from the
// item that had it. ErrNotFound: the account has no such item. ErrConflict: it is
// another item's own name.
func (tx *Tx) AddAlias(accountID, itemID, alias string) error {
	named, err := tx.ItemByName(accountID, alias)
	if err == nil && named.ID != itemID {
		err = ErrConflict
	}
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if _, err := tx.Item(accountID, itemID); err != nil {
		return err
	}
	return tx.putAliases(Item{ID: itemID, AccountID: accountID}, []string{alias})
}

// RemoveAlias removes a further name. ErrNotFound: the item does not have it.
func (tx *Tx) RemoveAlias(accountID, itemID, alias string) error {
	if err := tx.execOne(deleteAlias, accountID, itemID, alias); err != nil {
		return err
	}
	return tx.bumpVersion(accountID, itemID)
}

// ItemByAlias finds the account's item with a further name.
func (tx *Tx) ItemByAlias(accountID, alias string) (Item, error) {
	id, err := value[string](tx, itemOfCode, accountID, aliasCode, alias)
	if err != nil {
		return Item{}, err
	}
	return tx.Item(accountID, id)
}

// cause is why a stock is moved.
type cause struct {
	reason string // one of the constants
	note   string // of an adjustment, in words
	record string // external id of a sale or an order
}

// moveStock sets the item's stock, with a row for the cause, the actor and the change. It
// emits stock.low if the item is low from now on. Its stock is that before the move.
func (tx *Tx) moveStock(item Item, stockMilli int64, why cause) error {
	change := stockMilli
	if item.StockMilli != nil {
		change -= *item.StockMilli
	}
	if change == 0 && item.StockMilli != nil {
		return nil
	}
	if err := tx.execOne(setStock, item.AccountID, item.ID, stockMilli); err != nil {
		return fmt.Errorf("move stock: %w", err)
	}
	if err := tx.insertMove(item, change, stockMilli, why); err != nil {
		return err
	}
	return tx.announceLow(item, stockMilli, why.reason)
}

// insertMove adds a row for a change of the item's stock.
func (tx *Tx) insertMove(item Item, change, after int64, why cause) error {
	seq, err := value[int64](tx, nextMove, item.AccountID)
	if err == nil {
		err = tx.exec(insertMove, item.AccountID, seq, item.ID, why.reason, why.note, change, after, tx.nowMs(), tx.actor, why.record)
	}
	if err != nil {
		return fmt.Errorf("move stock: %w", err)
	}
	return nil
}

// Item finds one of the account's items.
func (tx *Tx) Item(accountID, id string) (Item, error) {
	return one(tx, itemByID, scanItem, accountID, id)
}

// ItemBySKU finds the account's item with a SKU.
func (tx *Tx) ItemBySKU(accountID, sku string) (Item, error) {
	return one(tx, itemBySKU, scanItem, accountID, sku)
}

// ItemByBarcode finds the account's item with a barcode, in the form of gtin.Key.
func (tx *Tx) ItemByBarcode(accountID, key string) (Item, error) {
	return one(tx, itemByBarcode, scanItem, accountID, key)
}

// Items lists the account's items after the one with an id, oldest first, at most limit.
// An empty id starts with the first item.
func (tx *Tx) Items(accountID, afterID string, limit int) ([]Item, error) {
	return collect(tx, itemsAfter, scanItem, accountID, afterID, limit)
}

// Barcodes lists the barcodes of an item, in the form of gtin.Key.
func (tx *Tx) Barcodes(i Item) ([]string, error) { return tx.codes(i, barcodeCode) }

// Aliases lists the further names of an item.
func (tx *Tx) Aliases(i Item) ([]string, error) { return tx.codes(i, aliasCode) }

func (tx *Tx) codes(i Item, kind string) ([]string, error) {
	return collect(tx, codesOfItem, scanText, i.AccountID, i.ID, kind)
}

// InventoryVersion returns the version of the account's inventory, which rises whenever a
// name, a SKU or an alias of an item changes. It is 0 if there are no items.
func (tx *Tx) InventoryVersion(accountID string) (int64, error) {
	version, err := value[int64](tx, inventoryVersion, accountID)
	return version, translate(err, ErrNotFound, nil)
}

// PricedItems counts the account's items that have a price or a cost price.
func (tx *Tx) PricedItems(accountID string) (int, error) {
	return value[int](tx, pricedItems, accountID)
}

// ItemsSince lists the items whose names have changed since a version of the inventory, in
// the order of the changes, at most limit, and the version up to which the list is
// complete. Removed are the ids of those that were removed between the two versions.
func (tx *Tx) ItemsSince(accountID string, version int64, limit int) (items []Item, removed []string, upTo int64, err error) {
	items, err = collect(tx, itemsSince, scanItem, accountID, version, limit)
	if err != nil {
		return nil, nil, 0, err
	}
	if len(items) == limit {
		upTo = items[limit-1].version
	} else if upTo, err = tx.InventoryVersion(accountID); err != nil {
		return nil, nil, 0, err
	}
	removed, err = collect(tx, removedSince, scanText, accountID, version, upTo)
	return items, removed, upTo, err
}

// StockFaults lists the account's items whose stock is not the sum of its moves.
func (tx *Tx) StockFaults(accountID string) ([]string, error) {
	return collect(tx, stockFaults, scanText, accountID)
}

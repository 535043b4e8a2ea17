package db

import (
	"strings"

	"svc/db/engine"
)

// StockState is a group of items by their stock.
type StockState string

// The groups. An item is low at or below its reorder point (K8), also when it is out.
const (
	AnyStock     StockState = ""
	LowStock     StockState = "low"
	OutOfStock   StockState = "out"
	UnknownStock StockState = "unknown"
	BelowCost    StockState = "below_cost" // the price is under the cost price
)

// ItemOrder is an order of a list of items. Items without the value come last.
type ItemOrder string

// The orders. Those with a minus are descending.
const (
	ByName      ItemOrder = "name"
	ByNameDown  ItemOrder = "-name"
	BySKU       ItemOrder = "sku"
	BySKUDown   ItemOrder = "-sku"
	ByPrice     ItemOrder = "price"
	ByPriceDown ItemOrder = "-price"
	ByCost      ItemOrder = "cost"
	ByCostDown  ItemOrder = "-cost"
	ByStock     ItemOrder = "stock"
	ByStockDown ItemOrder = "-stock"
	ByAddedDown ItemOrder = "-added"
)

// ItemFilter chooses items of an account.
type ItemFilter struct {
	Search string // words that an item must have in its name, SKU, category, barcodes or aliases
	Stock  StockState
	Order  ItemOrder // empty: ByName
	Offset int
}

// ItemCounts counts the items that a search finds, whatever their stock.
type ItemCounts struct{ All, Low, Out, Unknown, BelowCost int64 }

// Of returns the number of items in a group.
func (c ItemCounts) Of(s StockState) int64 {
	switch s {
	case LowStock:
		return c.Low
	case OutOfStock:
		return c.Out
	case UnknownStock:
		return c.Unknown
	case BelowCost:
		return c.BelowCost
	}
	return c.All
}

// maxWords is the number of words of a search; further ones belong to the last.
const maxWords = 4

const (
	isLow = `coalesce(stock_milli <= coalesce(reorder_milli, ` + defaultReorderSQL + `), 0)`
	isOut = `coalesce(stock_milli <= 0, 0)`

	isBelowCost = `coalesce(price < cost_price, 0)`

	itemText = `name || ' ' || sku || ' ' || category`
	itemHas  = ` OR mentions(` + itemText + `, `
	// Most codes are digits, in which SQLite's own function finds a part much quicker than a
	// call of mentions.
	codeHas   = `) OR id IN (SELECT item_id FROM item_codes WHERE account_id = $1 AND CASE WHEN code GLOB '*[^0-9]*' THEN mentions(code, `
	digitsHas = `) ELSE instr(code, `

	mentioned = `account_id = $1
  AND ($2 = ''` + itemHas + `$2` + codeHas + `$2` + digitsHas + `$2) END))
  AND ($3 = ''` + itemHas + `$3` + codeHas + `$3` + digitsHas + `$3) END))
  AND ($4 = ''` + itemHas + `$4` + codeHas + `$4` + digitsHas + `$4) END))
  AND ($5 = ''` + itemHas + `$5` + codeHas + `$5` + digitsHas + `$5) END))`

	chosenItems = `SELECT ` + itemColumns + ` FROM items WHERE ` + mentioned + `
  AND CASE $6 WHEN 'low' THEN ` + isLow + ` WHEN 'out' THEN ` + isOut + ` WHEN 'unknown' THEN stock_milli IS NULL
    WHEN 'below_cost' THEN ` + isBelowCost + ` ELSE 1 END
ORDER BY `
	paged = `, name COLLATE NOCASE, id LIMIT $7 OFFSET $8`
)

var (
	listedItems = map[ItemOrder]*query{
		ByName:      newQuery(chosenItems + `name COLLATE NOCASE, id LIMIT $7 OFFSET $8`),
		ByNameDown:  newQuery(chosenItems + `name COLLATE NOCASE DESC, id LIMIT $7 OFFSET $8`),
		BySKU:       newQuery(chosenItems + `sku = '', sku` + paged),
		BySKUDown:   newQuery(chosenItems + `sku = '', sku DESC` + paged),
		ByPrice:     newQuery(chosenItems + `price IS NULL, price` + paged),
		ByPriceDown: newQuery(chosenItems + `price IS NULL, price DESC` + paged),
		ByCost:      newQuery(chosenItems + `cost_price IS NULL, cost_price` + paged),
		ByCostDown:  newQuery(chosenItems + `cost_price IS NULL, cost_price DESC` + paged),
		ByStock:     newQuery(chosenItems + `stock_milli IS NULL, stock_milli` + paged),
		ByStockDown: newQuery(chosenItems + `stock_milli IS NULL, stock_milli DESC` + paged),
		ByAddedDown: newQuery(chosenItems + `created_at DESC` + paged),
	}

	countItems = newQuery(`
SELECT count(*), total(` + isLow + `), total(` + isOut + `), total(stock_milli IS NULL), total(` + isBelowCost + `)
FROM items
WHERE ` + mentioned)
)

// SearchItems lists items of the account, at most limit. It may read all of them: use it in
// a LongView.
func (tx *Tx) SearchItems(accountID string, f ItemFilter, limit int) ([]Item, error) {
	q, ok := listedItems[f.Order]
	if !ok {
		q = listedItems[ByName]
	}
	args := append(f.words(accountID), string(f.Stock), limit, f.Offset)
	return collect(tx, q, scanItem, args...)
}

// CountItems counts the items that have the words of a filter. It reads all items: use it in
// a LongView.
func (tx *Tx) CountItems(accountID string, f ItemFilter) (c ItemCounts, err error) {
	var low, out, unknown, belowCost float64
	err = tx.row(countItems, f.words(accountID), &c.All, &low, &out, &unknown, &belowCost)
	c.Low, c.Out, c.Unknown, c.BelowCost = int64(low), int64(out), int64(unknown), int64(belowCost)
	return c, err
}

// words returns the account and the words of the search as arguments.
func (f ItemFilter) words(accountID string) []any {
	args := []any{accountID}
	all := strings.Fields(engine.FoldText(f.Search))
	if len(all) > maxWords {
		all = append(all[:maxWords-1:maxWords-1], strings.Join(all[maxWords-1:], " "))
	}
	for i := range maxWords {
		word := ""
		if i < len(all) {
			word = all[i]
		}
		args = append(args, word)
	}
	return args
}

// IsLow reports whether the item's stock is at or below its reorder point (K8).
func (i Item) IsLow() bool {
	if i.StockMilli == nil {
		return false
	}
	return *i.StockMilli <= i.ReorderPoint()
}

// IsBelowCost reports whether the item's price is under its cost price.
func (i Item) IsBelowCost() bool {
	return i.Price != nil && i.CostPrice != nil && *i.Price < *i.CostPrice
}

// ReorderPoint returns the item's reorder point in thousandths, or that of items without one.
func (i Item) ReorderPoint() int64 {
	if i.ReorderMilli == nil {
		return DefaultReorderMilli
	}
	return *i.ReorderMilli
}

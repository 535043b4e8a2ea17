package db

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// An import that was applied can be undone for undoFor. Each row that added or changed an item
// keeps what the item was before (import_befores), in the transaction that applies the row. To
// undo is to begin it in one durable step, and then to take the rows back in chunks, the last
// first, so that no chunk holds the write lock for long; after a crash a sweep goes on. A row is
// taken back only if the item is as the row left it, sales and orders aside: else it stays and
// has a problem.

// undoFor is how long an import can be undone, and its faults are kept.
const undoFor = 30 * 24 * time.Hour

// UndoProblem is why a row of an import could not be undone.
type UndoProblem string

// The problems.
const (
	UndoneNone  UndoProblem = ""
	UndoChanged UndoProblem = "changed" // the item was edited, imported or pushed since
	UndoCounted UndoProblem = "counted" // its stock was set or adjusted since
	UndoSold    UndoProblem = "sold"    // the item is new, and sales name it
	UndoOrdered UndoProblem = "ordered" // the item is new, and purchase orders name it
	UndoPushed  UndoProblem = "pushed"  // the item is new, and a pushed product is it
	UndoTaken   UndoProblem = "taken"   // another item has its SKU by now
)

// itemBefore is an item before a row of an import was applied to it, and that row.
type itemBefore struct {
	Added    bool              `json:",omitempty"` // by the row: Item is as it was added
	Item     Item              // without account and version
	Change   ItemChange        // the fields that the row changed; of an added item all that it set
	Barcodes []string          `json:",omitempty"` // that the row gave it
	Aliases  map[string]string `json:",omitempty"` // that the row gave it, with the id of the item that had them; may be empty
	Move     int64             `json:",omitempty"` // number of the stock move; 0: the stock stayed
}

var (
	lastMove = newQuery(`SELECT last_move FROM inventories WHERE account_id = $1`)

	insertImportBefore = newQuery(`
INSERT INTO import_befores (account_id, import_id, seq, item_id, before)
VALUES ($1, $2, $3, $4, $5)`)

	beginUndo = newQuery(`
UPDATE past_imports
SET undo = 'begun', undone_at = $3, undone_by = $4
WHERE account_id = $1 AND id = $2 AND undo = '' AND kept_until > $3`)

	undoRows = newQuery(`
SELECT seq, item_id, before
FROM import_befores
WHERE account_id = $1 AND import_id = $2 AND seq < $3 AND problem = ''
  AND EXISTS (SELECT 1 FROM past_imports WHERE account_id = $1 AND id = $2 AND undo = 'begun')
ORDER BY seq DESC
LIMIT $4`)

	deleteImportBefore = newQuery(`DELETE FROM import_befores WHERE account_id = $1 AND import_id = $2 AND seq = $3`)
	setUndoProblem     = newQuery(`UPDATE import_befores SET problem = $4 WHERE account_id = $1 AND import_id = $2 AND seq = $3`)
	countUndone        = newQuery(`UPDATE past_imports SET undone = undone + $3 WHERE account_id = $1 AND id = $2`)
	endUndo            = newQuery(`UPDATE past_imports SET undo = 'done' WHERE account_id = $1 AND id = $2 AND undo = 'begun'`)
	begunUndos         = newQuery(`SELECT ` + pastImportColumns + ` FROM past_imports WHERE undo = 'begun' ORDER BY account_id, id`)

	// The problem is the import that lists the item as it is, until that is undone.
	keepSame = newQuery(`
UPDATE import_befores
SET problem = $2
WHERE account_id = $1 AND import_id <> $2 AND (problem = '' OR problem LIKE 'imp\_%' ESCAPE '\') AND item_id IN (SELECT value FROM json_each($3))`)

	releaseSame = newQuery(`UPDATE import_befores SET problem = '' WHERE account_id = $1 AND problem = $2`)

	undoFaults = newQuery(`
SELECT item_id, before, problem
FROM import_befores
WHERE account_id = $1 AND import_id = $2 AND problem <> ''
ORDER BY seq
LIMIT $3`)

	undoLeft = newQuery(`
SELECT count(*) FILTER (WHERE problem = ''), count(*) FILTER (WHERE problem <> '')
FROM import_befores
WHERE account_id = $1 AND import_id = $2`)

	endedKeeps = newQuery(`
SELECT ` + pastImportColumns + `
FROM past_imports
WHERE kept_until <= $1 AND undo <> 'begun'
ORDER BY kept_until
LIMIT $2`)

	deleteImportBefores = newQuery(`
DELETE FROM import_befores
WHERE account_id = $1 AND import_id = $2 AND seq IN (SELECT seq FROM import_befores WHERE account_id = $1 AND import_id = $2 LIMIT $3)`)

	endKeep = newQuery(`UPDATE past_imports SET kept_until = NULL WHERE account_id = $1 AND id = $2`)

	itemIsSold    = newQuery(`SELECT EXISTS (SELECT 1 FROM sale_lines WHERE account_id = $1 AND item_id = $2 AND item_id <> '')`)
	itemIsOrdered = newQuery(`SELECT EXISTS (SELECT 1 FROM purchase_order_lines WHERE account_id = $1 AND item_id = $2)`)
	itemIsPushed  = newQuery(`SELECT EXISTS (SELECT 1 FROM pushed_products WHERE account_id = $1 AND item_id = $2)`)

	// Whether it was counted since, or moved by others than sales and orders.
	movedSince = newQuery(`
SELECT coalesce(sum(change_milli), 0) <> 0 OR coalesce(max(reason = '` + MovedByCount + `'), 0)
FROM stock_moves
WHERE account_id = $1 AND item_id = $2 AND seq > $3 AND reason NOT IN ('` + MovedBySale + `', '` + MovedByPurchase + `')`)

	forgetStock   = newQuery(`UPDATE items SET stock_milli = NULL WHERE account_id = $1 AND id = $2`)
	deleteBarcode = newQuery(`DELETE FROM item_codes WHERE account_id = $1 AND kind = 'barcode' AND item_id = $2 AND code = $3`)
)

// remember returns what an item is before a change. The item has no id if the change adds it.
func (tx *Tx) remember(accountID string, item Item, c ItemChange) (b itemBefore, err error) {
	b = itemBefore{Added: item.ID == "", Item: item, Change: c.beyond(item)}
	var has []string
	if !b.Added {
		if has, err = tx.Barcodes(item); err != nil {
			return b, err
		}
	}
	for _, code := range c.Barcodes {
		if !slices.Contains(has, code) {
			b.Barcodes = append(b.Barcodes, code)
		}
	}
	for _, name := range c.Aliases {
		holder, err := value[string](tx, itemOfCode, accountID, aliasCode, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return b, err
		}
		if b.Added || holder != item.ID {
			if b.Aliases == nil {
				b.Aliases = map[string]string{}
			}
			b.Aliases[name] = holder
		}
	}
	b.Move, err = value[int64](tx, lastMove, accountID)
	return b, translate(err, ErrNotFound, nil)
}

// isSame reports whether the change leaves the item as it is.
func (b itemBefore) isSame() bool {
	return !b.Added && len(b.Barcodes)+len(b.Aliases) == 0 && b.Change.on(b.Item).equals(b.Item)
}

// beyond returns the fields of a change that an item does not have already, without its barcodes
// and aliases.
func (c ItemChange) beyond(i Item) (d ItemChange) {
	text := func(from, to string) string {
		if from == to {
			return ""
		}
		return to
	}
	number := func(from, to *int64) *int64 {
		if equal(from, to) {
			return nil
		}
		return to
	}
	return ItemChange{
		Name: text(i.Name, c.Name), SKU: text(i.SKU, c.SKU), Unit: text(i.Unit, c.Unit), Category: text(i.Category, c.Category),
		Price: number(i.Price, c.Price), CostPrice: number(i.CostPrice, c.CostPrice),
		StockMilli: number(i.StockMilli, c.StockMilli), ReorderMilli: number(i.ReorderMilli, c.ReorderMilli),
	}
}

// on returns an item with the fields that a change sets.
func (c ItemChange) on(i Item) Item {
	i.Name, i.SKU = cmp.Or(c.Name, i.Name), cmp.Or(c.SKU, i.SKU)
	i.Unit, i.Category = cmp.Or(c.Unit, i.Unit), cmp.Or(c.Category, i.Category)
	i.Price, i.CostPrice = cmp.Or(c.Price, i.Price), cmp.Or(c.CostPrice, i.CostPrice)
	i.StockMilli, i.ReorderMilli = cmp.Or(c.StockMilli, i.StockMilli), cmp.Or(c.ReorderMilli, i.ReorderMilli)
	return i
}

func equal(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// equals reports whether two items have the same values.
func (i Item) equals(o Item) bool {
	return i.Name == o.Name && i.SKU == o.SKU && i.Unit == o.Unit && i.Category == o.Category && equal(i.Price, o.Price) &&
		equal(i.CostPrice, o.CostPrice) && equal(i.StockMilli, o.StockMilli) && equal(i.ReorderMilli, o.ReorderMilli)
}

// keepRow keeps what an item was before a row of an import, which was applied.
func (tx *Tx) keepRow(i Import, seq int64, itemID string, b itemBefore) error {
	last, err := value[int64](tx, lastMove, i.AccountID)
	if err != nil {
		return fmt.Errorf("keep row: %w", translate(err, ErrNotFound, nil))
	}
	if b.Move = last - b.Move; b.Move > 0 { // the row moved the stock, once
		b.Move = last
	}
	text, err := json.Marshal(b)
	if err != nil {
		return fmt.Errorf("keep row: %w", err)
	}
	return tx.exec(insertImportBefore, i.AccountID, i.ID, seq, itemID, string(text))
}

// BeginUndo begins to undo an import of the account. ErrStale: it is undone already, or begun to
// be, or it is too late.
func (tx *Tx) BeginUndo(accountID, id string) error {
	return tx.step(beginUndo, accountID, id, tx.nowMs(), tx.actor)
}

type undoRow struct {
	seq    int64
	itemID string
	before string
}

// UndoImport takes up to limit rows of an import back whose undo has begun, with a note on
// the moves of stocks. It reports done if none are left.
func (tx *Tx) UndoImport(p PastImport, note string, limit int) (done bool, err error) {
	const beyond = 1 << 62
	scan := func(row scanner) (r undoRow, err error) {
		err = row.Scan(&r.seq, &r.itemID, &r.before)
		return r, err
	}
	rows, err := collect(tx, undoRows, scan, p.AccountID, p.ID, int64(beyond), limit)
	if err != nil {
		return false, err
	}
	tx.actor = p.UndoneBy // a sweep may do it
	undone := 0
	for _, r := range rows {
		var b itemBefore
		err := json.Unmarshal([]byte(r.before), &b)
		problem := UndoneNone
		if err == nil {
			problem, err = tx.undo(p.AccountID, r.itemID, b, note)
		}
		switch {
		case err != nil:
		case problem != UndoneNone:
			err = tx.execOne(setUndoProblem, p.AccountID, p.ID, r.seq, string(problem))
		default:
			undone++
			err = tx.execOne(deleteImportBefore, p.AccountID, p.ID, r.seq)
		}
		if err != nil {
			return false, fmt.Errorf("undo import: %w", err)
		}
	}
	if err := tx.exec(countUndone, p.AccountID, p.ID, undone); err != nil {
		return false, err
	}
	if len(rows) < limit {
		return true, errors.Join(tx.exec(releaseSame, p.AccountID, p.ID), tx.exec(endUndo, p.AccountID, p.ID))
	}
	return false, nil
}

// undo takes a row back, unless there is a problem. An item that is gone needs nothing.
func (tx *Tx) undo(accountID, itemID string, b itemBefore, note string) (UndoProblem, error) {
	now, err := tx.Item(accountID, itemID)
	if errors.Is(err, ErrNotFound) {
		return UndoneNone, nil
	}
	if err != nil {
		return "", err
	}
	problem, err := tx.changedSince(now, b)
	if err != nil || problem != UndoneNone {
		return problem, err
	}
	if !b.Added {
		return tx.restore(now, b, note)
	}
	if err := tx.giveBack(now, b.Aliases); err != nil {
		return "", err
	}
	return UndoneNone, tx.RemoveItem(now)
}

// changedSince returns why an item is not what a row of an import left.
func (tx *Tx) changedSince(now Item, b itemBefore) (UndoProblem, error) {
	left := b.Change.on(now)
	if b.Added {
		left = b.Change.on(Item{})
	}
	if left.StockMilli = now.StockMilli; !left.equals(now) {
		return UndoChanged, nil
	}
	for name := range b.Aliases {
		holder, err := value[string](tx, itemOfCode, now.AccountID, aliasCode, name)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return "", err
		}
		if holder != now.ID {
			return UndoChanged, nil
		}
	}
	if b.Added {
		return tx.refersTo(now, b)
	}
	if b.Move == 0 {
		return UndoneNone, nil
	}
	return tx.countedSince(now, b)
}

// keepSame keeps earlier imports from being undone on items that an import lists as they are.
func (tx *Tx) keepSame(i Import, itemIDs []string) error {
	if len(itemIDs) == 0 {
		return nil
	}
	ids, err := json.Marshal(itemIDs)
	if err != nil {
		return err
	}
	return tx.exec(keepSame, i.AccountID, i.ID, string(ids))
}

// countedSince returns UndoCounted if the stock is not what the row and later sales and orders
// made of it. What was adjusted and taken back again does not count.
func (tx *Tx) countedSince(now Item, b itemBefore) (UndoProblem, error) {
	moved, err := value[bool](tx, movedSince, now.AccountID, now.ID, b.Move)
	if err != nil || !moved {
		return UndoneNone, err
	}
	return UndoCounted, nil
}

// refersTo returns what refers to an item that the row has added, and else whether it is as it
// was added.
func (tx *Tx) refersTo(now Item, b itemBefore) (UndoProblem, error) {
	for _, look := range []struct {
		in      *query
		problem UndoProblem
	}{{itemIsSold, UndoSold}, {itemIsOrdered, UndoOrdered}, {itemIsPushed, UndoPushed}} {
		if found, err := value[bool](tx, look.in, now.AccountID, now.ID); err != nil || found {
			return look.problem, err
		}
	}
	barcodes, err := tx.Barcodes(now)
	if err != nil {
		return "", err
	}
	aliases, err := tx.Aliases(now)
	if err != nil {
		return "", err
	}
	if len(barcodes) != len(b.Barcodes) || len(aliases) != len(b.Aliases) {
		return UndoChanged, nil
	}
	return tx.countedSince(now, b)
}

// restore gives an item back what a row of an import changed.
func (tx *Tx) restore(now Item, b itemBefore, note string) (UndoProblem, error) {
	c, was, to := b.Change, b.Item, now
	for _, f := range []struct {
		isSet bool
		from  string
		to    *string
	}{{c.Name != "", was.Name, &to.Name}, {c.SKU != "", was.SKU, &to.SKU}, {c.Unit != "", was.Unit, &to.Unit}, {c.Category != "", was.Category, &to.Category}} {
		if f.isSet {
			*f.to = f.from
		}
	}
	for _, f := range []struct{ set, from, to **int64 }{
		{&c.Price, &was.Price, &to.Price}, {&c.CostPrice, &was.CostPrice, &to.CostPrice}, {&c.ReorderMilli, &was.ReorderMilli, &to.ReorderMilli},
	} {
		if *f.set != nil {
			*f.to = *f.from
		}
	}
	if other, err := tx.ItemBySKU(now.AccountID, to.SKU); err == nil && other.ID != now.ID {
		return UndoTaken, nil
	} else if err != nil && !errors.Is(err, ErrNotFound) {
		return "", err
	}
	if err := tx.EditItem(to); err != nil {
		return "", err
	}
	for _, code := range b.Barcodes {
		if err := tx.exec(deleteBarcode, now.AccountID, now.ID, code); err != nil {
			return "", err
		}
	}
	if err := tx.giveBack(now, b.Aliases); err != nil {
		return "", err
	}
	return UndoneNone, tx.restoreStock(now, b, note)
}

// giveBack takes aliases from an item, and gives each to the item that had it before, if that is
// still there.
func (tx *Tx) giveBack(from Item, holders map[string]string) error {
	for _, alias := range slices.Sorted(maps.Keys(holders)) {
		holder, err := tx.Item(from.AccountID, holders[alias])
		switch {
		case err == nil:
			err = tx.putAlias(holder, alias)
		case errors.Is(err, ErrNotFound):
			err = tx.RemoveAlias(from.AccountID, from.ID, alias)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// restoreStock moves a stock back by what a row of an import moved it. One that was not known
// before is not known again.
func (tx *Tx) restoreStock(now Item, b itemBefore, note string) error {
	was, set := b.Item.StockMilli, b.Change.StockMilli
	switch {
	case set == nil || b.Move == 0 || now.StockMilli == nil:
		return nil
	case was != nil:
		return tx.AdjustStock(now, *was-*set, note)
	}
	if err := tx.insertMove(now, -*now.StockMilli, 0, cause{reason: MovedByAdjustment, note: note}); err != nil {
		return err
	}
	return tx.execOne(forgetStock, now.AccountID, now.ID)
}

// BegunUndos lists the imports of all accounts whose undo has begun and not ended.
func (tx *Tx) BegunUndos() ([]PastImport, error) { return collect(tx, begunUndos, scanPastImport) }

// UndoLeft counts the rows of an import that can be undone, or are still to be, and those that
// could not be.
func (tx *Tx) UndoLeft(accountID, id string) (left, problems int64, err error) {
	err = tx.row(undoLeft, []any{accountID, id}, &left, &problems)
	return left, problems, err
}

// UndoFault is a row of an import that could not be undone.
type UndoFault struct {
	ItemID, Name, SKU string // as the import left it
	Problem           UndoProblem
}

// UndoFaults lists the rows of an import of the account that could not be undone, at most limit.
func (tx *Tx) UndoFaults(accountID, id string, limit int) ([]UndoFault, error) {
	scan := func(row scanner) (f UndoFault, err error) {
		var text string
		if err := row.Scan(&f.ItemID, &text, &f.Problem); err != nil {
			return f, err
		}
		if strings.HasPrefix(string(f.Problem), importPrefix) {
			f.Problem = UndoChanged
		}
		var b itemBefore
		err = json.Unmarshal([]byte(text), &b)
		item := b.Change.on(b.Item)
		f.Name, f.SKU = item.Name, item.SKU
		return f, err
	}
	return collect(tx, undoFaults, scan, accountID, id, limit)
}

// EndedKeeps lists imports of all accounts that can no longer be undone and still keep rows, at
// most limit.
func (tx *Tx) EndedKeeps(limit int) ([]PastImport, error) {
	return collect(tx, endedKeeps, scanPastImport, tx.nowMs(), limit)
}

// EndKeep removes up to limit of the rows that an import keeps. It reports done if none are left.
func (tx *Tx) EndKeep(p PastImport, limit int) (done bool, err error) {
	for _, q := range []*query{deleteImportFaults, deleteImportBefores} {
		n, err := tx.execCount(q, p.AccountID, p.ID, limit)
		if err != nil || n > 0 {
			return false, err
		}
	}
	return true, tx.exec(endKeep, p.AccountID, p.ID)
}

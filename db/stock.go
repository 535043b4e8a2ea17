package db

import (
	"errors"
	"maps"
	"slices"
)

// Further reasons of a stock move.
const (
	MovedBySale     = "sale"
	MovedByPurchase = "purchase_order"
)

// Label is how a record names a product.
type Label struct{ Name, SKU string }

// lineProduct is the product of a line: an item, or the label of an unknown product.
type lineProduct struct {
	itemID string
	label  Label
}

// moves is what a record that replaces another does to stocks.
type moves struct {
	planned map[string]int64 // the change of each item's stock
	// unmoved is what the other record did not move, because the product or its stock was
	// unknown. What was counted since is the stock after it.
	unmoved map[lineProduct]int64
}

// lineMove is a line's quantity, below zero if it lowers the stock, and how much of it was
// moved.
type lineMove struct {
	product      lineProduct
	whole, moved int64
}

func scanLineMove(row scanner) (m lineMove, err error) {
	err = row.Scan(&m.product.itemID, &m.product.label.Name, &m.product.label.SKU, &m.whole, &m.moved)
	if m.product.itemID != "" {
		m.product.label = Label{}
	}
	return m, err
}

// revertMoves removes the lines of a record and plans to undo their moves. moved reports
// whether the record, as it was, moved stocks.
func (tx *Tx) revertMoves(lines, remove *query, accountID, id string, moved bool) (moves, error) {
	all, err := collect(tx, lines, scanLineMove, accountID, id)
	if err != nil {
		return moves{}, err
	}
	m := moves{planned: map[string]int64{}, unmoved: map[lineProduct]int64{}}
	for _, l := range all {
		m.planned[l.product.itemID] -= l.moved
		if moved {
			m.unmoved[l.product] += l.whole - l.moved
		}
	}
	return m, tx.exec(remove, accountID, id)
}

// planMove adds a change of an item's stock and returns how much the line moves it. That
// is 0 if the account has no such item, or its stock is not known. What the replaced record
// had but did not move is not moved now either; given is how the record names the item.
func (tx *Tx) planMove(m moves, accountID, itemID string, given Label, milli int64) (int64, error) {
	item, err := tx.Item(accountID, itemID)
	if errors.Is(err, ErrNotFound) || err == nil && item.StockMilli == nil {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	milli = m.withoutUnmoved(lineProduct{itemID: itemID}, milli)
	milli = m.withoutUnmoved(lineProduct{label: given}, milli)
	m.planned[itemID] += milli
	return milli, nil
}

// withoutUnmoved returns what is left of a change after the unmoved quantity of a product,
// and uses that up.
func (m moves) withoutUnmoved(p lineProduct, milli int64) int64 {
	unmoved := m.unmoved[p]
	if milli < 0 {
		unmoved = min(max(unmoved, milli), 0)
	} else {
		unmoved = max(min(unmoved, milli), 0)
	}
	m.unmoved[p] -= unmoved
	return milli - unmoved
}

// applyMoves changes the planned stocks, with a row for each change.
func (tx *Tx) applyMoves(accountID string, m moves, why cause) error {
	for _, id := range slices.Sorted(maps.Keys(m.planned)) {
		if m.planned[id] == 0 {
			continue
		}
		item, err := tx.Item(accountID, id)
		if errors.Is(err, ErrNotFound) || err == nil && item.StockMilli == nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := tx.moveStock(item, *item.StockMilli+m.planned[id], why); err != nil {
			return err
		}
	}
	return nil
}

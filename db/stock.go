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

// moves is the planned change of stock for each item's id.
type moves map[string]int64

type itemMove struct {
	itemID string
	milli  int64
}

func scanItemMove(row scanner) (m itemMove, err error) {
	err = row.Scan(&m.itemID, &m.milli)
	return m, err
}

// revertMoves removes the lines of a record and plans to undo their moves.
func (tx *Tx) revertMoves(moved, remove *query, accountID, id string) (moves, error) {
	all, err := collect(tx, moved, scanItemMove, accountID, id)
	if err != nil {
		return nil, err
	}
	planned := moves{}
	for _, m := range all {
		planned[m.itemID] -= m.milli
	}
	return planned, tx.exec(remove, accountID, id)
}

// planMove adds a change of an item's stock and returns how much the line moves it. That
// is 0 if the account has no such item, or its stock is not known.
func (tx *Tx) planMove(planned moves, accountID, itemID string, milli int64) (int64, error) {
	item, err := tx.Item(accountID, itemID)
	if errors.Is(err, ErrNotFound) || err == nil && item.StockMilli == nil {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	planned[itemID] += milli
	return milli, nil
}

// applyMoves changes the planned stocks, with a row for each change.
func (tx *Tx) applyMoves(accountID string, planned moves, reason string) error {
	for _, id := range slices.Sorted(maps.Keys(planned)) {
		if planned[id] == 0 {
			continue
		}
		item, err := tx.Item(accountID, id)
		if errors.Is(err, ErrNotFound) || err == nil && item.StockMilli == nil {
			continue
		}
		if err != nil {
			return err
		}
		if err := tx.moveStock(item, *item.StockMilli+planned[id], reason, ""); err != nil {
			return err
		}
	}
	return nil
}

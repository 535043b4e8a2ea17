package db

import (
	"errors"
	"maps"
	"slices"
)

// Why a stock changed, beside what Item says.
const (
	MovedBySale     = "sale"
	MovedByPurchase = "purchase_order"
)

// moves are by how much the stock of items is to change, by their ids.
type moves map[string]int64

type itemMove struct {
	itemID string
	milli  int64
}

func scanItemMove(row scanner) (m itemMove, err error) {
	err = row.Scan(&m.itemID, &m.milli)
	return m, err
}

// takeBack removes the lines of a record and plans to undo what they moved.
func (tx *Tx) takeBack(moved, remove *query, accountID, id string) (moves, error) {
	all, err := collect(tx, moved, scanItemMove, accountID, id)
	if err != nil {
		return nil, err
	}
	planned := moves{}
	for _, m := range all {
		planned[m.itemID] -= m.milli
	}
	_, err = tx.exec(remove, accountID, id)
	return planned, err
}

// plan adds a change of an item's stock and returns by how much the line moves it: by
// nothing where the item is none of the account's, or its stock is not known.
func (tx *Tx) plan(planned moves, accountID, itemID string, milli int64) (int64, error) {
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

// moveAll changes the stocks, with a row for each that does change.
func (tx *Tx) moveAll(accountID string, planned moves, reason string) error {
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
		if err := tx.moveStock(item, *item.StockMilli+planned[id], reason); err != nil {
			return err
		}
	}
	return nil
}

package inventory

import (
	"context"

	"svc/db"
	"svc/server/fault"
)

// maxSince is how many moves may follow one that is undone.
const maxSince = 100

// canUndo reports whether a move was made by hand and has a way back.
func canUndo(m db.StockMove) bool {
	return (m.Reason == db.MovedByAdjustment || m.Reason == db.MovedByCount) && m.ChangeMilli != 0
}

// Undo takes a change of a stock by hand back, which is given by its number: the stock changes by
// as much in the other direction, and that is a move too. Sales and orders may have come since;
// after any other move the stock is not what it was changed to, and it is refused.
func (s *Service) Undo(ctx context.Context, owner db.Account, item string, seq int64) (Entry, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (entry Entry, err error) {
		found, err := findItem(tx, owner.ID, item)
		if err != nil {
			return entry, err
		}
		moves, err := tx.StockMoves(owner.ID, found.ID, maxSince)
		if err != nil {
			return entry, err
		}
		move, ok := undoable(moves, seq)
		if !ok {
			return entry, fault.Invalid("move", "cannot be undone: the stock was set again since").Because(db.ErrConflict)
		}
		if err := adjust(tx, found, -move.ChangeMilli, "undone"); err != nil {
			return entry, err
		}
		return readEntry(tx, owner.ID, found.ID)
	})
}

// undoable finds the move of a number among the newest of an item. Its first move has no way
// back: before it the stock was not known.
func undoable(moves []db.StockMove, seq int64) (db.StockMove, bool) {
	for n, m := range moves {
		if m.Seq == seq {
			return m, canUndo(m) && n+1 < len(moves)
		}
		if m.Reason != db.MovedBySale && m.Reason != db.MovedByPurchase {
			break
		}
	}
	return db.StockMove{}, false
}

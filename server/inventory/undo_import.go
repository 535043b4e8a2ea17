package inventory

import (
	"context"
	"errors"
	"fmt"

	"svc/db"
	"svc/server/fault"
)

// undoNote is the note of the stock moves of an import that is undone.
const undoNote = "import undone"

// problemsTold is how many of the rows that could not be undone are told.
const problemsTold = 100

// UndoImport takes an import of the account back: items get the values and the stock that they
// had, and items that it added are removed. What was edited, counted or sold since stays and is
// told, see UndoneImport. Once it has begun it will be finished, by this call or by Sweep, and a
// further call changes nothing. A Conflict: it is too late. A NotFound: there is no such import.
func (s *Service) UndoImport(ctx context.Context, owner db.Account, id string) error {
	if _, err := s.pastImport(ctx, owner.ID, id); err != nil {
		return err
	}
	err := s.Store.Update(ctx, func(tx *db.Tx) error { return tx.BeginUndo(owner.ID, id) })
	if errors.Is(err, db.ErrStale) {
		past, err := s.pastImport(ctx, owner.ID, id)
		if err == nil && past.Undo == db.NotUndone {
			return &fault.Error{Code: fault.Conflict, Message: "the import is too old to be undone"}
		}
		return err
	}
	if err != nil {
		return err
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
	defer cancel()
	past, err := s.pastImport(soon, owner.ID, id)
	if err == nil {
		err = s.undo(soon, past)
	}
	if err == nil {
		return nil
	}
	s.wakeSweep() // it has begun, so it will be done
	if !errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the undo has begun and will be finished: %w", err)
	}
	return nil
}

// pastImport reads an import that is done.
func (s *Service) pastImport(ctx context.Context, accountID, id string) (db.PastImport, error) {
	done, err := db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.PastImport, error) { return tx.PastImports(accountID, id, 1) })
	if err == nil && (id == "" || len(done) == 0) {
		err = errNoPreview
	}
	if err != nil {
		return db.PastImport{}, err
	}
	return done[0], nil
}

// undo finishes an undo that has begun.
func (s *Service) undo(ctx context.Context, p db.PastImport) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.UndoImport(p, undoNote, chunk) })
}

// sweepUndos finishes undos that have begun, and removes what is kept of imports that can no
// longer be undone.
func (s *Service) sweepUndos(ctx context.Context) error {
	var begun, ended []db.PastImport
	err := s.Store.View(ctx, func(tx *db.Tx) (err error) {
		if begun, err = tx.BegunUndos(); err != nil {
			return err
		}
		ended, err = tx.EndedKeeps(chunk)
		return err
	})
	for _, p := range begun {
		err = errors.Join(err, s.undo(ctx, p))
	}
	for _, p := range ended {
		err = errors.Join(err, s.Store.InChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.EndKeep(p, chunk) }))
	}
	return err
}

// UndoneImport is how far an import is undone.
type UndoneImport struct {
	Possible bool // it can be undone now
	State    db.UndoState
	Rows     int64 // that were undone
	Left     int64 // rows that are still to be undone, or can be
	Kept     int64 // rows that could not be undone
	Problems []db.UndoFault
}

// Undone returns how far an import of the account is undone, with the first rows that could not
// be. A NotFound: there is no import with this id that is done.
func (s *Service) Undone(ctx context.Context, accountID, id string) (u UndoneImport, err error) {
	past, err := s.pastImport(ctx, accountID, id)
	if err != nil {
		return u, err
	}
	u.State, u.Rows = past.Undo, past.Undone
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if u.Left, u.Kept, err = tx.UndoLeft(accountID, id); err != nil {
			return err
		}
		u.Possible = past.Undo == db.NotUndone && u.Left > 0 && past.KeptUntil.After(tx.Now())
		u.Problems, err = tx.UndoFaults(accountID, id, problemsTold)
		return err
	})
	return u, err
}

// UndoReason says why a row of an import was not undone, as the predicate of a sentence about
// its item.
func UndoReason(p db.UndoProblem) string {
	switch p {
	case db.UndoCounted:
		return "its stock was counted, adjusted or set since"
	case db.UndoSold:
		return "it was new with this import, and there are sales of it"
	case db.UndoOrdered:
		return "it was new with this import, and there are purchase orders of it"
	case db.UndoPushed:
		return "it was new with this import, and the API has sent it since"
	case db.UndoTaken:
		return "another item has its former SKU by now"
	}
	return "it was changed since"
}

package dataset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"svc/db"
	"svc/server/fault"
	"svc/server/schema"
)

// Before returns what one of the account's datasets was before its last import, or
// db.ErrNotFound if that cannot be undone.
func (s *Service) Before(ctx context.Context, accountID, id string) (db.Before, error) {
	b, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Before, error) { return tx.BeforeOf(accountID, id) })
	if err != nil {
		return b, err
	}
	if _, err := os.Stat(s.beforePath(b)); err != nil {
		if errors.Is(err, fs.ErrNotExist) { // the database was restored from a backup
			return b, fmt.Errorf("dataset: %w", db.ErrNotFound)
		}
		return b, err
	}
	return b, nil
}

func (s *Service) beforePath(b db.Before) string { return s.store.DataPath(db.Dataset{File: b.File}) }

// Undo makes one of the account's datasets what it was before its last import. The words
// that were taught since stay. The error is a *fault.Error if there is nothing to undo.
func (s *Service) Undo(ctx context.Context, accountID, id string) (schema.Source, error) {
	d, now, err := s.find(ctx, accountID, id)
	if err != nil {
		return schema.Source{}, err
	}
	b, err := s.Before(ctx, accountID, d.ID)
	if errors.Is(err, db.ErrNotFound) {
		return schema.Source{}, refusal(fault.Conflict, "nothing of %s can be undone", d.Name)
	}
	if err != nil {
		return schema.Source{}, err
	}
	var source schema.Source
	if err := json.Unmarshal([]byte(b.Source), &source); err != nil {
		return source, fmt.Errorf("dataset %s: %w", d.ID, err)
	}
	source.Words = now.Words
	text, err := json.Marshal(source)
	if err != nil {
		return source, err
	}
	err = s.store.Update(ctx, func(tx *db.Tx) error { return tx.UndoDataset(d, b, string(text)) })
	if errors.Is(err, db.ErrStale) {
		return source, refusal(fault.Conflict, "%s was changed meanwhile; look at it again", d.Name)
	}
	if err != nil {
		return source, err
	}
	source.ID, source.Name, source.File = d.ID, d.Name, b.File
	return source, db.RemoveDataFile(s.store.DataPath(d))
}

// sweepChunk is how many rows a sweep removes in a transaction.
const sweepChunk = 100

// sweepOld removes uploads and what can no longer be undone, once their time is over. Their
// files go with SweepDataFiles.
func (s *Service) sweepOld(ctx context.Context) error {
	drop := func(some func(*db.Tx, int) (int64, error)) error {
		return s.store.InChunks(ctx, func(tx *db.Tx) (bool, error) {
			n, err := some(tx, sweepChunk)
			return n < sweepChunk, err
		})
	}
	return errors.Join(drop((*db.Tx).DropOldUploads), drop((*db.Tx).DropOldBefores))
}

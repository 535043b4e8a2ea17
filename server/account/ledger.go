package account

import (
	"context"
	"errors"
	"slices"

	"svc/db"
	"svc/server/fault"
)

// Line is an entry of the ledger with what it refers to.
type Line struct {
	db.Entry
	Key      db.Key      // that made the call; zero if no call caused the entry
	Purchase db.Purchase // whose payment is the entry; zero if none
}

// Lines are a part of an account's ledger, newest first.
type Lines struct {
	Lines []Line
	Keys  []db.Key // all of the account's, oldest first
	Older int64    // the Before of a filter that picks the next part; 0 after the last
}

// Ledger reads the newest lines that the filter picks, at most limit. A NotFound: the
// account has no key with the filter's id.
func (s *Service) Ledger(ctx context.Context, accountID string, f db.EntryFilter, limit int) (found Lines, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		found, err = readLines(tx, accountID, f, limit)
		return err
	})
	return found, err
}

func readLines(tx *db.Tx, accountID string, f db.EntryFilter, limit int) (found Lines, err error) {
	if found.Keys, err = tx.Keys(accountID); err != nil {
		return found, err
	}
	byID := map[string]db.Key{}
	for _, k := range found.Keys {
		byID[k.ID] = k
	}
	if _, ok := byID[f.KeyID]; !ok && f.KeyID != "" {
		return found, &fault.Error{Code: fault.NotFound, Message: "there is no such key"}
	}

	entries, err := tx.NewestEntries(accountID, f, limit+1)
	if err != nil {
		return found, err
	}
	if len(entries) > limit {
		entries = entries[:limit]
		found.Older = entries[limit-1].Seq
	}
	for _, e := range entries {
		line := Line{Entry: e, Key: byID[e.KeyID]}
		if line.Purchase, err = purchaseOf(tx, e); err != nil {
			return found, err
		}
		found.Lines = append(found.Lines, line)
	}
	return found, nil
}

// purchaseOf returns the purchase that an entry's note names, else the zero one: an
// operator's note may look like one.
func purchaseOf(tx *db.Tx, e db.Entry) (db.Purchase, error) {
	id := e.PurchaseID()
	if id == "" {
		return db.Purchase{}, nil
	}
	p, err := tx.Purchase(e.AccountID, id)
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return p, err
}

const exportChunk = 1000

// ExportLedger calls write with all lines that the filter picks, newest first, in parts,
// at least once. It keeps no transaction open meanwhile; lines that are added meanwhile
// are left out. It fails as Ledger does, and with write's errors.
func (s *Service) ExportLedger(ctx context.Context, accountID string, f db.EntryFilter, write func([]Line) error) error {
	for {
		part, err := s.Ledger(ctx, accountID, f, exportChunk)
		if err == nil {
			err = write(part.Lines)
		}
		if err != nil || part.Older == 0 {
			return err
		}
		f.Before = part.Older
	}
}

// entryKinds are the kinds of entries, in the order of lists.
var entryKinds = []db.EntryKind{db.Debit, db.TopUp, db.Adjustment, db.Refund}

func parseEntryKind(name string) (db.EntryKind, error) {
	kind := db.EntryKind(name)
	if name != "" && !slices.Contains(entryKinds, kind) {
		return "", fault.Invalid("kind", "must be one of debit, topup, adjustment, refund")
	}
	return kind, nil
}

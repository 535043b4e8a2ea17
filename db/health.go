package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// Health is what an examination of the database found.
type Health struct {
	Schema   int64
	Bytes    int64     // of the database, its write-ahead log and its datasets
	Faults   []string  // what contradicts itself in the file; empty: nothing
	Datasets int       // ready ones
	Damaged  []string  // ready datasets that cannot be read whole, each with the reason
	Overdue  int       // calls whose lease ended over graceOfLease ago and that no server has settled (B5)
	InDoubt  int       // calls of unknown outcome (B5)
	Newest   time.Time // time of the newest ledger row or call; zero without any
}

// graceOfLease is the time that a running server has to find an ended lease.
const graceOfLease = time.Minute

var (
	integrityFaults = newQuery(`PRAGMA integrity_check(5)`) // lists at most five faults, or the one row "ok"
	foreignFaults   = newQuery(`SELECT "table" || ': row ' || coalesce(rowid, '?') || ' refers to a missing row of ' || parent FROM pragma_foreign_key_check LIMIT 5`)
	newestStamp     = newQuery(`
SELECT max(coalesce((SELECT max(created_at) FROM ledger), 0), coalesce((SELECT max(created_at) FROM calls), 0))`)
)

// Examine reads the whole database and its datasets, while servers may be writing to them,
// and changes nothing.
func (db *DB) Examine(ctx context.Context) (h Health, err error) {
	h.Schema = schemaVersion
	var sets []Dataset
	err = db.LongView(ctx, func(tx *Tx) (err error) {
		sets, err = tx.readyDatasets()
		return errors.Join(err, tx.examine(&h))
	})
	if err != nil {
		return h, fmt.Errorf("examine: %w", err)
	}
	h.Datasets = len(sets)
	for _, d := range sets {
		if err := db.examineDataset(ctx, d); err != nil {
			h.Damaged = append(h.Damaged, fmt.Sprintf("%s: %v", d.ID, err))
		}
		if ctx.Err() != nil {
			return h, ctx.Err()
		}
	}
	file, log := db.FileBytes()
	h.Bytes = file + log
	for _, d := range sets {
		h.Bytes += sizeOf(db.DataPath(d))
	}
	return h, nil
}

func (tx *Tx) examine(h *Health) error {
	for _, q := range []*query{integrityFaults, foreignFaults} {
		found, err := collect(tx, q, scanText)
		if err != nil {
			return err
		}
		h.Faults = append(h.Faults, slices.DeleteFunc(found, func(s string) bool { return s == "ok" })...)
	}
	stamp, err := value[int64](tx, newestStamp)
	if err != nil {
		return err
	}
	if stamp > 0 {
		h.Newest = time.UnixMilli(stamp).UTC()
	}
	h.Overdue, h.InDoubt, err = tx.unsettled()
	return err
}

// examineDataset checks the file of a dataset, unless the dataset was removed meanwhile.
func (db *DB) examineDataset(ctx context.Context, d Dataset) error {
	fault := checkDataset(ctx, db.DataPath(d), d.Rows)
	if fault == nil {
		return nil
	}
	now, err := Read(ctx, db, (*Tx).readyDatasets)
	if err == nil && !slices.Contains(now, d) {
		return nil
	}
	return fault
}

// FileBytes returns the sizes of the database file and of its write-ahead log, in bytes.
func (db *DB) FileBytes() (file, log int64) { return sizeOf(db.path), sizeOf(db.path + "-wal") }

// sizeOf returns the length of a file in bytes, or 0 if the file is missing.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}

package dataset

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/sheet"
)

// The rows that a developer pushes (I2) are kept in the store. Building a dataset of them
// reads them all, so it is not done at each push but when the datasets are used next.

const (
	// pushedName is the name of the dataset, followed by a number if it is taken.
	pushedName  = "pushed"
	pushedPage  = 1000 // rows that are read at once
	pushedNames = 100  // that are tried
	dropChunk   = 200  // rows that a transaction removes

	slowBuild = time.Second
)

// Refresh builds the account's pushed dataset anew if rows were pushed since it was built.
// Rows that make no table leave the dataset as it was.
func (s *Service) Refresh(ctx context.Context, accountID string) error {
	set, err := s.pushedSet(ctx, accountID)
	if err != nil || set.Built == set.Version {
		return err
	}
	if next, ok := s.nextBuild.Load(accountID); ok && set.DatasetID != "" && s.now(ctx).Before(next.(time.Time)) {
		return nil
	}
	_, err, _ = s.builds.Do(accountID, func() (any, error) {
		return nil, s.buildPushed(context.WithoutCancel(ctx), accountID) // others wait for it, too
	})
	return err
}

// nextBuild returns when a pushed dataset may be built again. One that takes long is built for
// a tenth of the time at most, and questions in between are answered from the last.
func nextBuild(began, ended time.Time) time.Time {
	if took := ended.Sub(began); took > slowBuild {
		return ended.Add(9 * took)
	}
	return ended
}

// now returns the time of the store's clock; the zero time if the store cannot be read.
func (s *Service) now(ctx context.Context) time.Time {
	now, _ := db.Read(ctx, s.store, func(tx *db.Tx) (time.Time, error) { return tx.Now(), nil })
	return now
}

// pushedSet describes the account's pushed rows, the zero value if there are none.
func (s *Service) pushedSet(ctx context.Context, accountID string) (db.PushedSet, error) {
	set, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.PushedSet, error) { return tx.PushedSet(accountID) })
	if errors.Is(err, db.ErrNotFound) {
		err = nil
	}
	return set, err
}

// buildPushed builds in a turn. Nobody may wait for it in a turn.
func (s *Service) buildPushed(ctx context.Context, accountID string) error {
	set, err := s.pushedSet(ctx, accountID)
	if err != nil || set.Built == set.Version {
		return err
	}
	if set.Rows == 0 {
		return s.markBuilt(ctx, set)
	}
	return s.queue.Do(ctx, fairqueue.Files, accountID, func(ctx context.Context) error {
		began := s.now(ctx) // the wait for the turn does not count
		err := s.buildRows(ctx, accountID, set)
		s.nextBuild.Store(accountID, nextBuild(began, s.now(ctx)))
		return err
	})
}

// buildRows builds the dataset of the pushed rows.
func (s *Service) buildRows(ctx context.Context, accountID string, set db.PushedSet) error {
	file, err := os.CreateTemp("", "svc-pushed-*.csv")
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	defer os.Remove(file.Name()) // the system removes temporary files, too
	defer file.Close()           // it is only read from here on
	if err := s.writePushed(ctx, accountID, file); err != nil {
		return err
	}
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	return s.importPushed(ctx, accountID, set, File{Name: pushedName + ".csv", Content: file, Size: info.Size(), pushed: &set})
}

// importPushed imports the file of the pushed rows as their dataset. If another process has
// done so meanwhile, that stands.
func (s *Service) importPushed(ctx context.Context, accountID string, set db.PushedSet, f File) error {
	known, err := db.Read(ctx, s.store, func(tx *db.Tx) (db.Dataset, error) { return tx.Dataset(accountID, set.DatasetID) })
	switch {
	case err == nil && known.Ready:
		f.Mode, f.Dataset = Replace, known.Name
		_, _, err = s.Import(ctx, accountID, f)
	case err == nil || errors.Is(err, db.ErrNotFound):
		err = s.createPushed(ctx, accountID, set, f)
	}
	var noTable *sheet.Error
	switch {
	case errors.As(err, &noTable):
		return s.markBuilt(ctx, set)
	case isConflict(err):
		return nil
	}
	return err
}

// createPushed imports the file under the first name that is free.
func (s *Service) createPushed(ctx context.Context, accountID string, set db.PushedSet, f File) (err error) {
	for n := 1; n <= pushedNames; n++ {
		if f.Dataset = pushedName; n > 1 {
			f.Dataset = fmt.Sprint(pushedName, " ", n)
		}
		if _, _, err = s.Import(ctx, accountID, f); !isConflict(err) {
			return err
		}
		now, readErr := s.pushedSet(ctx, accountID)
		if readErr != nil || now.DatasetID != set.DatasetID {
			return readErr
		}
	}
	return err
}

func isConflict(err error) bool {
	var e *fault.Error
	return errors.As(err, &e) && e.Code == fault.Conflict
}

// markBuilt records that the dataset is not to be built until a row changes.
func (s *Service) markBuilt(ctx context.Context, set db.PushedSet) error {
	return s.store.Update(ctx, func(tx *db.Tx) error { return tx.MarkBuilt(set, set.DatasetID) })
}

// writePushed writes the account's pushed rows as a table. A column is a field that some row
// has, in the order of their first rows.
func (s *Service) writePushed(ctx context.Context, accountID string, file *os.File) error {
	columns, headings := map[string]int{}, []string{}
	err := s.eachPushed(ctx, accountID, func(cells []string) error {
		for i := 0; i+1 < len(cells); i += 2 {
			if _, ok := columns[cells[i]]; !ok && len(headings) < maxPushedColumns {
				columns[cells[i]] = len(headings)
				headings = append(headings, cells[i])
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	out := sheet.NewWriter(file)
	if err := out.Write(headings); err != nil {
		return fmt.Errorf("dataset: %w", err)
	}
	line := make([]string, len(headings))
	err = s.eachPushed(ctx, accountID, func(cells []string) error {
		clear(line)
		for i := 0; i+1 < len(cells); i += 2 {
			if at, ok := columns[cells[i]]; ok {
				line[at] = cells[i+1]
			}
		}
		return out.Write(line)
	})
	out.Flush()
	return errors.Join(err, out.Error())
}

// maxPushedColumns bounds the columns of the pushed dataset; fields beyond them are left out.
const maxPushedColumns = 200

// eachPushed calls fn with the cells of the account's pushed rows, in their order.
func (s *Service) eachPushed(ctx context.Context, accountID string, fn func(cells []string) error) error {
	for last, isFirst := int64(0), true; isFirst || last > 0; isFirst = false {
		err := s.store.LongView(ctx, func(tx *db.Tx) (err error) {
			last, err = tx.PushedRows(accountID, last, pushedPage, fn)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// removePushed removes the account's pushed rows if d is their dataset.
func (s *Service) removePushed(ctx context.Context, d db.Dataset) error {
	set, err := s.pushedSet(ctx, d.AccountID)
	if err != nil || set.DatasetID != d.ID {
		return err
	}
	return s.store.InChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.DropPushedRows(d.AccountID, dropChunk) })
}

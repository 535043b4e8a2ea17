package inventory

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/sheet"
)

// confirmTime is how long Confirm applies an import itself. The loop does the rest.
const confirmTime = 3 * time.Second

// Confirm imports a preview as it was shown. leaveOut is the number of its rows with faults, which
// are left out; any other number is a Conflict, and nothing is imported. If the inventory has
// changed so that rows would become something else, it stores what they would become now, and
// changed is true: nothing is imported and the preview is to be looked at again. An import that
// takes long is finished by Sweep; see Progress.
func (s *Service) Confirm(ctx context.Context, owner db.Account, id string, leaveOut int) (changed bool, err error) {
	i, p, err := s.preview(ctx, owner.ID, id)
	if err != nil {
		return false, err
	}
	if leaveOut != p.Faulty && leaveOut != 0 {
		return false, &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf(
			"nothing was imported: %s, and leave_out must be that number", plural(p.Faulty, "row has problems", "rows have problems"))}
	}
	if leaveOut != p.Faulty {
		return false, &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf(
			"nothing was imported: %s and would be left out, which must be chosen", plural(p.Faulty, "row has problems", "rows have problems"))}
	}
	err = s.Queue.Do(ctx, fairqueue.Files, owner.ID, func(ctx context.Context) error {
		changed, err = s.compareAgain(ctx, owner, i, p)
		return err
	})
	if err != nil || changed {
		return changed, err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error { return tx.ReadyImport(i) })
	if errors.Is(err, db.ErrStale) {
		return false, errNoPreview
	}
	if err != nil {
		return false, err
	}
	soon, cancel := context.WithTimeout(context.WithoutCancel(ctx), confirmTime)
	defer cancel()
	if _, err := s.finish(soon, owner.ID); err != nil {
		s.wakeSweep() // it is ready, so it will be done
	}
	return false, nil
}

// compareAgain compares a preview with the inventory as it is now, and stores what differs.
func (s *Service) compareAgain(ctx context.Context, owner db.Account, i db.Import, p Preview) (changed bool, err error) {
	p.Noted = nil
	for from := 0; ; {
		if err := fairqueue.Yield(ctx); err != nil {
			return changed, err
		}
		rows, err := s.rows(ctx, i, "", from, chunk)
		if err != nil {
			return changed, err
		}
		differs, err := s.differing(ctx, owner, &p, rows)
		if err != nil {
			return changed, err
		}
		if len(differs) > 0 {
			changed = true
			err = s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
				for _, row := range differs {
					if err := tx.ChangePreviewRow(i, row); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			return changed, err
		}
		if len(rows) < chunk {
			break
		}
		from = rows[chunk-1].Seq + 1
	}
	if changed {
		err = s.keep(ctx, i, p)
	}
	return changed, err
}

// differing returns the rows that would become something else now, and corrects the counts.
func (s *Service) differing(ctx context.Context, owner db.Account, p *Preview, rows []db.PreviewRow) (differs []db.PreviewRow, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		for _, stored := range rows {
			was, err := readRow(stored)
			if err != nil {
				return err
			}
			now, problem, err := compareRow(tx, owner, stored.Change)
			if err != nil {
				return err
			}
			if problem != "" {
				return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("the inventory has changed since: %s %s; choose the file again",
					sheet.Place(was.Worksheet, was.Line), problem)}
			}
			now.Worksheet, now.Line = was.Worksheet, was.Line
			p.note(now)
			if now.decides(was) {
				continue
			}
			p.count(was.Outcome, -1)
			p.count(now.Outcome, 1)
			changed, err := now.stored(stored.Seq)
			if err != nil {
				return err
			}
			differs = append(differs, changed)
		}
		return nil
	})
	return differs, errors.Join(err, ctx.Err())
}

// PastImport is an import with a preview that is done, or still running.
type PastImport struct {
	Preview
	Actor   string
	EndedAt time.Time // zero while it is running
	Left    int64     // rows, while it is running
	LeftOut int64     // rows that contradicted what was changed while it was confirmed
	// Differs is true if the inventory changed in the same moment so that rows became something
	// else than the preview showed. The counts are of what they became.
	Differs bool
	// Kept is until when it can be undone, and the faulty rows can be read; zero: no longer.
	Kept     time.Time
	Undo     db.UndoState
	Undone   int64 // rows
	UndoneAt time.Time
	UndoneBy string
}

// Progress returns an import of the account that was confirmed. A NotFound: there is none with
// this id.
func (s *Service) Progress(ctx context.Context, accountID, id string) (PastImport, error) {
	var text []byte
	var running PastImport
	err := s.Store.View(ctx, func(tx *db.Tx) (err error) {
		text, running.Left, err = tx.RunningImport(accountID, id)
		return err
	})
	if err == nil {
		err = json.Unmarshal(text, &running.Preview)
		running.ID = id
		return running, err
	}
	if !errors.Is(err, db.ErrNotFound) {
		return PastImport{}, err
	}
	done, err := s.pastImport(ctx, accountID, strings.TrimSpace(id))
	if err != nil {
		return PastImport{}, err
	}
	return readPast(done)
}

func readPast(p db.PastImport) (PastImport, error) {
	past := PastImport{Actor: p.Actor, EndedAt: p.EndedAt, LeftOut: p.LeftOut}
	err := json.Unmarshal(p.Preview, &past.Preview)
	past.ID, past.Kept, past.Undo, past.Undone, past.UndoneAt, past.UndoneBy = p.ID, p.KeptUntil, p.Undo, p.Undone, p.UndoneAt, p.UndoneBy
	if p.Counted {
		added, changed, same := int(p.Inserted), int(p.Updated-p.Same), int(p.Same)
		past.Differs = added != past.Added || changed != past.Changed || same != past.Same
		past.Added, past.Changed, past.Same = added, changed, same
	}
	return past, err
}

// PastImports lists the account's newest imports that were previewed and are done, at most
// limit.
func (s *Service) PastImports(ctx context.Context, accountID string, limit int) (all []PastImport, err error) {
	found, err := db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.PastImport, error) { return tx.PastImports(accountID, "", limit) })
	for _, p := range found {
		past, readErr := readPast(p)
		err = errors.Join(err, readErr)
		all = append(all, past)
	}
	return all, err
}

// wakeSweep makes Sweep run now, where a loop waits for Woken.
func (s *Service) wakeSweep() {
	select {
	case s.wake <- struct{}{}:
	default: // it is woken already
	}
}

// Woken receives when there is an import to finish.
func (s *Service) Woken() <-chan struct{} { return s.wake }

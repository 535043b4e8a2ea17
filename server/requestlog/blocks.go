package requestlog

import (
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/zone"
)

// dayOf returns a function for the day of a time in a zone, as SumRequests takes it. It reads
// each zone's table once.
func dayOf() func(t time.Time, timezone string) string {
	zones := map[string]*time.Location{}
	return func(t time.Time, timezone string) string {
		local, known := zones[timezone]
		if !known {
			local = zone.Of(timezone)
			zones[timezone] = local
		}
		return t.In(local).Format(time.DateOnly)
	}
}

// CountBlocks counts the blocks of the log that have become full, so that an account's calls
// are found among those of all, and forgets those whose rows are gone. Calls never wait for
// it: the counting reads no more than a block in each transaction, and stores its result in
// one. Two processes may run it.
func (s *Service) CountBlocks(ctx context.Context) error {
	for {
		more, err := s.countBlock(ctx)
		if err != nil {
			return err
		}
		if !more {
			return s.dropBlocks(ctx)
		}
	}
}

// countBlock counts the next full block; false: there is none.
func (s *Service) countBlock(ctx context.Context) (more bool, err error) {
	var block int64
	var sums []db.RequestSum
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if block, more, err = tx.NextRequestBlock(); err != nil || !more {
			return err
		}
		sums, err = tx.SumRequests(block*db.RequestBlock, (block+1)*db.RequestBlock, "", dayOf())
		return err
	})
	if err != nil || !more {
		return false, err
	}
	err = s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error { return tx.StoreRequestBlock(block, sums) })
	if errors.Is(err, db.ErrConflict) { // another process has counted it
		err = nil
	}
	return true, err
}

// dropBlocks forgets the counts of blocks that the sweep has emptied. It looks for them only
// after it has emptied another.
func (s *Service) dropBlocks(ctx context.Context) error {
	first, _, err := s.bounds(ctx)
	emptied := (first - 1) / db.RequestBlock
	if err != nil || emptied <= s.dropped.Load() {
		return err
	}
	var owners []string
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		owners, err = tx.AccountsWithRequestBlocks(emptied)
		return err
	})
	for _, owner := range append(owners, "") {
		if err == nil {
			err = s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error { return tx.DropRequestBlocks(owner, emptied) })
		}
	}
	if err == nil {
		s.dropped.Store(emptied)
	}
	return err
}

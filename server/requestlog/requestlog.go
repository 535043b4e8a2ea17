// Package requestlog reads the request log (L6), which the gate writes: for the operator the
// newest calls of all accounts, and new ones as they come; for an account its own calls
// among those of all, and what they come to.
package requestlog

import (
	"context"
	"slices"
	"sync/atomic"
	"time"

	"svc/db"
)

const (
	// MaxSearched is how many of the newest rows a search reads. The log has no index by
	// key, so a rare row may be far back.
	MaxSearched = 1_000_000
	// chunk is how many rows one transaction reads, so that none is open for long.
	chunk = 10_000
	// followEvery is how often Follow looks for new rows. A call is logged up to 200 ms
	// after its answer.
	followEvery = 250 * time.Millisecond
)

// Config names what a Service works with.
type Config struct{ Store *db.DB }

// Service reads the request log.
type Service struct {
	Config
	dropped atomic.Int64 // blocks before this one have been dropped
}

// New returns the service.
func New(c Config) *Service { return &Service{Config: c} }

// Page is a part of the log.
type Page struct {
	Requests []db.Request // newest first, by the time at which they began
	Last     int64        // number of the log's last row when it was read; Follow goes on after it
	// Partial: the search ended after MaxSearched rows, before the log did.
	Partial bool
}

// Newest returns the newest calls that the filter picks, at most limit. A row of the log is
// stored after its call has ended, up to 200 ms later, so the rows are put in order.
func (s *Service) Newest(ctx context.Context, f db.RequestFilter, limit int) (p Page, err error) {
	first, last, err := s.bounds(ctx)
	if err != nil {
		return p, err
	}
	p.Last = last
	defer func() { slices.SortStableFunc(p.Requests, func(a, b db.Request) int { return b.At.Compare(a.At) }) }()
	for at := last; at >= first && at > 0 && len(p.Requests) < limit; at -= chunk {
		if at <= last-MaxSearched {
			p.Partial = true
			return p, nil
		}
		found, err := s.between(ctx, at-chunk, at, f, limit-len(p.Requests))
		if err != nil {
			return p, err
		}
		p.Requests = append(p.Requests, found...)
	}
	return p, nil
}

// usesAtOnce is how many counted blocks LastUses looks at together.
const usesAtOnce = 16

// LastUses returns when each of the account's keys was last used, by id, as far as the log
// tells. keys is how many it has: the search ends when all are found. It reads the rows of
// blocks that are not counted yet, at most MaxSearched, and the counts of the others, newest
// first.
func (s *Service) LastUses(ctx context.Context, accountID string, keys int) (map[string]time.Time, error) {
	used := map[string]time.Time{}
	add := func(found []db.LastUse, err error) error {
		for _, u := range found {
			if _, later := used[u.KeyID]; !later {
				used[u.KeyID] = u.At
			}
		}
		return err
	}
	err := s.Store.LongView(ctx, func(tx *db.Tx) error {
		clear(used)
		first, last, err := tx.RequestBounds()
		if err != nil {
			return err
		}
		counted, _, err := tx.NextRequestBlock()
		if err != nil {
			return err
		}
		if err := add(tx.LastUses(max(counted*db.RequestBlock, last-MaxSearched), last, accountID)); err != nil {
			return err
		}
		for end, begin := counted, db.BlockOf(max(first, 1)); end > begin && len(used) < keys; end -= usesAtOnce {
			if err := add(tx.LastUsesInBlocks(accountID, end-usesAtOnce, end)); err != nil {
				return err
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		return nil
	})
	return used, err
}

// Follow calls fn with the calls after a row as they are logged, oldest first, until ctx
// ends or fn fails. That ctx ends is no error.
func (s *Service) Follow(ctx context.Context, f db.RequestFilter, after int64, fn func([]db.Request) error) error {
	ticker := time.NewTicker(followEvery)
	defer ticker.Stop()
	for {
		next, err := s.follow(ctx, f, after, fn)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		after = next
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

// follow calls fn with the calls after a row, and returns the row after which the next
// begin.
func (s *Service) follow(ctx context.Context, f db.RequestFilter, after int64, fn func([]db.Request) error) (int64, error) {
	_, last, err := s.bounds(ctx)
	if err != nil {
		return after, err
	}
	if last < after { // the sweep has emptied the log, and numbers begin anew
		after = 0
	}
	for after < last {
		upTo := min(after+chunk, last)
		found, err := s.between(ctx, after, upTo, f, chunk)
		if err != nil {
			return after, err
		}
		if len(found) > 0 {
			slices.Reverse(found)
			slices.SortStableFunc(found, func(a, b db.Request) int { return a.At.Compare(b.At) })
			if err := fn(found); err != nil {
				return after, err
			}
		}
		after = upTo
	}
	return after, nil
}

func (s *Service) bounds(ctx context.Context) (first, last int64, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		first, last, err = tx.RequestBounds()
		return err
	})
	return first, last, err
}

func (s *Service) between(ctx context.Context, after, last int64, f db.RequestFilter, limit int) (found []db.Request, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		found, err = tx.RequestsBetween(after, last, f, limit)
		return err
	})
	return found, err
}

package requestlog

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/zone"
)

const (
	// maxBlocks bounds the blocks of one search, and with it its time: one is read in about
	// a millisecond. A list of 50 calls needs 50 at most, unless it is for a caller's own id,
	// which blocks are not counted by.
	maxBlocks = 64
	// nearby is how many blocks before and after the time of an id are searched for it. A
	// call is stored when it ends, so it is further back the longer it took.
	nearby = 16
)

// Calls are a part of an account's calls.
type Calls struct {
	Requests []db.Request // newest first, by the time at which they began
	// Before is the Before of the next part; 0 after the last.
	Before int64
	// Partial: the search has ended before the log did, after maxBlocks.
	Partial bool
}

// Calls returns the newest calls of the filter's account that it picks, before the row with
// a seq unless that is 0, at most limit. It reads the blocks that have some, and those that are not
// counted yet.
func (s *Service) Calls(ctx context.Context, f db.RequestFilter, before int64, limit int) (c Calls, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		c = Calls{}
		search, err := newSearch(ctx, tx, f, before, limit+1)
		if err == nil {
			c.Partial, err = search.run()
		}
		if err != nil {
			return err
		}
		c.Requests = search.found
		switch {
		case len(c.Requests) > limit:
			c.Requests = c.Requests[:limit]
			c.Before = c.Requests[limit-1].Seq
		case c.Partial:
			c.Before = search.at + 1
		}
		return nil
	})
	slices.SortStableFunc(c.Requests, func(a, b db.Request) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.Seq, a.Seq)) })
	return c, err
}

// search walks the log from its newest row to its first.
type search struct {
	ctx     context.Context
	tx      *db.Tx
	filter  db.RequestFilter
	limit   int
	first   int64 // seq of the first row
	at      int64 // rows up to this seq are to be read
	counted int64 // number of the first block that is not counted
	read    int   // number of blocks
	found   []db.Request
}

func newSearch(ctx context.Context, tx *db.Tx, f db.RequestFilter, before int64, limit int) (*search, error) {
	first, last, err := tx.RequestBounds()
	if err != nil {
		return nil, err
	}
	if before > 0 {
		last = min(last, before-1)
	}
	counted, _, err := tx.NextRequestBlock()
	return &search{ctx: ctx, tx: tx, filter: f, limit: limit, first: max(first, 1), at: last, counted: counted}, err
}

// run reads until it has found enough or the log ends; partial: it has read maxBlocks.
func (s *search) run() (partial bool, err error) {
	for s.at >= s.first && s.at > s.counted*db.RequestBlock {
		after := db.BlockOf(s.at) * db.RequestBlock
		if done, err := s.span(db.RequestSpan{First: after + 1, Last: s.at}); done || err != nil {
			return s.stopped(), err
		}
	}
	for s.at >= s.first {
		spans, err := s.tx.RequestSpans(s.filter, s.at, maxBlocks)
		if err != nil || len(spans) == 0 {
			return false, err
		}
		for _, span := range spans {
			if done, err := s.span(span); done || err != nil {
				return s.stopped(), err
			}
		}
		s.at = min(s.at, db.BlockOf(spans[len(spans)-1].First)*db.RequestBlock)
	}
	return false, nil
}

// stopped reports whether the search has ended without enough.
func (s *search) stopped() bool { return len(s.found) < s.limit && s.at >= s.first }

// span reads a part of a block and reports whether the search has ended.
func (s *search) span(span db.RequestSpan) (done bool, err error) {
	if err := s.ctx.Err(); err != nil {
		return false, err
	}
	if s.read == maxBlocks {
		return true, nil
	}
	rows, err := s.tx.RequestsBetween(span.First-1, min(s.at, span.Last), s.filter, s.limit-len(s.found))
	s.found = append(s.found, rows...)
	s.read++
	s.at = min(s.at, span.First-1)
	return len(s.found) >= s.limit, err
}

// Call finds a call of an account by the request id of its answer. A NotFound: the account
// has made none that has it, or it is no longer in the log.
func (s *Service) Call(ctx context.Context, accountID, id string) (found db.Request, err error) {
	none := &fault.Error{Code: fault.NotFound, Message: "there is no such request, or it is no longer in the log"}
	at, ok := db.IDTime("req_", id)
	if !ok {
		return found, none
	}
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		seq, err := tx.RequestSeq(at)
		if err != nil {
			return err
		}
		f := db.RequestFilter{AccountID: accountID, ID: id}
		for distance := range int64(nearby) {
			for _, after := range []int64{seq + (distance-1)*db.RequestBlock, seq - (distance+2)*db.RequestBlock} {
				rows, err := tx.RequestsBetween(after, after+db.RequestBlock, f, requestsWithID)
				if i := slices.IndexFunc(rows, func(r db.Request) bool { return r.ID == id }); i >= 0 {
					found = rows[i]
					return nil
				}
				if err := cmp.Or(err, ctx.Err()); err != nil {
					return err
				}
			}
		}
		return db.ErrNotFound
	})
	if errors.Is(err, db.ErrNotFound) {
		err = none
	}
	return found, err
}

// requestsWithID is how many rows may have an id: of one it is the request's, and of others
// the caller's own.
const requestsWithID = 100

// Usage is what an account's calls come to.
type Usage struct {
	// Days are the account's last days, oldest first, the last of them today.
	Days []string
	// Sums count the calls of those days by day, key, route and status, in no order.
	Sums []db.RequestSum
	// Orders is what messages that people sent in the console cost, in US cents, by day (G5).
	Orders map[string]int64
	// Partial: calls older than the newest MaxSearched of all accounts are not counted yet.
	Partial bool
}

// Usage counts the account's calls of its last days. Of calls that are refused because of a
// limit, the log has the first a minute for each key (see gate).
func (s *Service) Usage(ctx context.Context, owner db.Account, days int) (u Usage, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		u = Usage{Days: lastDays(tx.Now(), owner.Profile.Timezone, days)}
		if u.Orders, err = ordersByDay(tx, owner, u.Days[0]); err != nil {
			return err
		}
		counted, _, err := tx.NextRequestBlock()
		if err != nil {
			return err
		}
		from, err := tx.RequestSeq(beginOf(u.Days[0], owner.Profile.Timezone).Add(-longest))
		if err != nil {
			return err
		}
		if u.Sums, err = tx.RequestSums(owner.ID, db.BlockOf(max(from, 1)), u.Days[0]); err != nil {
			return err
		}
		_, last, err := tx.RequestBounds()
		if err != nil {
			return err
		}
		after := max(counted*db.RequestBlock, last-MaxSearched)
		u.Partial = after > counted*db.RequestBlock
		newest, err := tx.SumRequests(after, last, owner.ID, dayOf())
		for _, sum := range newest {
			if sum.Day >= u.Days[0] {
				u.Sums = append(u.Sums, sum)
			}
		}
		return err
	})
	return u, err
}

func ordersByDay(tx *db.Tx, owner db.Account, first string) (map[string]int64, error) {
	orders, err := tx.Orders(owner.ID, beginOf(first, owner.Profile.Timezone))
	byDay, day := map[string]int64{}, dayOf()
	for _, o := range orders {
		byDay[day(o.At, owner.Profile.Timezone)] += o.Cents
	}
	return byDay, err
}

// longest is more than a call takes, so that all calls of a time are stored at most that much
// later.
const longest = time.Hour

// beginOf returns when a day begins in a zone.
func beginOf(day, timezone string) time.Time {
	begin, err := time.ParseInLocation(time.DateOnly, day, zone.Of(timezone))
	if err != nil {
		return time.Time{}
	}
	return begin
}

// lastDays returns the days up to the one of now in a zone, oldest first.
func lastDays(now time.Time, timezone string, n int) []string {
	today, err := time.Parse(time.DateOnly, dayOf()(now, timezone))
	if err != nil {
		today = now
	}
	days := make([]string, n)
	for i := range days {
		days[i] = today.AddDate(0, 0, i+1-n).Format(time.DateOnly)
	}
	return days
}

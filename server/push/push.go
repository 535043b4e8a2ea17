// Package push takes the records that a developer pushes from a shop: its sales, products,
// customers and purchase orders, and rows of any other kind (I2).
//
// A record is parsed and checked by itself, so a bad one is refused and the others are
// stored. The good ones are stored in their order, in transactions of bounded length. After a
// crash between two of them the same push again stores the rest: what it repeats is
// unchanged. Package db emits the events of what is stored; this package emits
// sync.completed, in the last transaction of a push.
package push

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/db/event"
	"svc/server/fairqueue"
	"svc/server/fault"
)

// Config are the dependencies of a Service.
type Config struct {
	Store *db.DB
	Queue *fairqueue.Queue // of all heavy work; nil: one of its own
}

// maxParsing bounds the large bodies that are parsed at once. One of 4 MiB may take 60 MB for that
// moment if its records are many and empty.
const maxParsing = 2

// smallBody is the length of a body, in bytes, up to which parsing it is no heavy work: it
// takes a few milliseconds and at most 1 MB.
const smallBody = 64 << 10

// Service stores pushed records.
type Service struct {
	Config
	parsing *semaphore.Weighted
}

// New returns a service.
func New(c Config) *Service {
	c.Queue = cmp.Or(c.Queue, fairqueue.ForProcess())
	return &Service{Config: c, parsing: semaphore.NewWeighted(maxParsing)}
}

// Parse is ParseRequest, for a large body in a turn.
func (s *Service) Parse(ctx context.Context, body []byte, owner db.Account, now time.Time) (req Request, err error) {
	if len(body) <= smallBody {
		return ParseRequest(body, owner, now)
	}
	if err := s.parsing.Acquire(ctx, 1); err != nil {
		return req, err
	}
	defer s.parsing.Release(1)
	err = s.Queue.Do(ctx, fairqueue.Files, owner.ID, func(context.Context) error {
		req, err = ParseRequest(body, owner, now)
		return err
	})
	return req, err
}

// Request is a push whose records were checked.
type Request struct {
	Owner    db.Account
	Received int             // number of records
	Records  []record        // those that are well-formed
	Errors   []RecordError   // of the others
	Warnings []RecordWarning // about unknown fields
	DryRun   bool            // nothing is stored and no event emitted
	Test     bool            // its events carry test_mode (J2)
	Actor    string          // the key, which is kept with each move of a stock
}

// Result is what became of the records of a push.
type Result struct {
	SyncID    string
	Received  int
	Inserted  int
	Updated   int
	Unchanged int
	Errors    []RecordError // by index, one for each refused record
}

// RecordError is why a record was refused.
type RecordError struct {
	Index int    `json:"index"` // from 0
	Field string `json:"field"`
	Error string `json:"error"`
}

// maxWeight bounds the rows of one transaction, see record.weight, so that it holds the write
// lock for about 20 ms.
const maxWeight = 100

// Owner returns the account whose records are checked, and the time of the store.
func (s *Service) Owner(ctx context.Context, accountID string) (owner db.Account, now time.Time, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		now = tx.Now()
		owner, err = tx.Account(accountID)
		return err
	})
	return owner, now, err
}

// Push stores the records of a push. A record that a later one of the same type and id
// replaces counts as unchanged. The error is ours; faults of records are in the result.
func (s *Service) Push(ctx context.Context, req Request) (Result, error) {
	r := &run{
		service: s, owner: req.Owner, req: req,
		result: Result{SyncID: db.NewID("sync_", time.Now()), Received: req.Received, Errors: append([]RecordError{}, req.Errors...)},
	}
	r.keepLast()
	var err error
	if req.DryRun {
		err = r.compare(ctx)
	} else {
		err = r.store(db.WithActor(context.WithoutCancel(ctx), req.Actor)) // a client that hangs up changes nothing
	}
	slices.SortFunc(r.result.Errors, func(a, b RecordError) int { return a.Index - b.Index })
	return r.result, err
}

// run is a push under way.
type run struct {
	service  *Service
	owner    db.Account
	req      Request
	records  []record
	webhooks int // of the owner, that events are queued for
	result   Result
}

// keepLast leaves out records that a later one of the same id replaces.
func (r *run) keepLast() {
	last := map[string]int{}
	for i, rec := range r.req.Records {
		last[rec.key()] = i
	}
	for i, rec := range r.req.Records {
		if last[rec.key()] == i {
			r.records = append(r.records, rec)
		} else {
			r.result.Unchanged++
		}
	}
}

// refusalOf returns the entry of a record that is at fault. Another error is returned.
func refusalOf(index int, err error) (RecordError, error) {
	var e *fault.Error
	if !errors.As(err, &e) {
		return RecordError{}, fmt.Errorf("push record %d: %w", index, err)
	}
	return RecordError{Index: index, Field: e.Field, Error: e.Message}, nil
}

// chunks yields the records that remain in parts of at most maxWeight, in order, and whether
// a part is the last.
func (r *run) chunks(yield func(part []record, isLast bool) error) error {
	var part []record
	weight := 0
	for _, rec := range r.records {
		next := rec.weight(r.webhooks)
		if weight > 0 && weight+next > maxWeight {
			if err := yield(part, false); err != nil {
				return err
			}
			part, weight = nil, 0
		}
		part, weight = append(part, rec), weight+next
	}
	if len(part) == 0 {
		return nil
	}
	return yield(part, true)
}

// store stores the records. All parts are on disk once the last is.
func (r *run) store(ctx context.Context) error {
	store := r.service.Store
	if err := store.View(ctx, r.countWebhooks); err != nil {
		return err
	}
	return r.chunks(func(part []record, isLast bool) error {
		update := store.RelaxedUpdate
		if isLast {
			update = store.Update
		}
		var done Result
		err := update(ctx, func(tx *db.Tx) error {
			if r.req.Test {
				tx.MarkTest()
			}
			attempt := *r
			if err := attempt.each(tx, part, put); err != nil {
				return err
			}
			done = attempt.result
			if isLast && done.accepted() > 0 {
				_, err := tx.Emit(r.owner.ID, done.sync())
				return err
			}
			return nil
		})
		if err == nil {
			r.result = done
		}
		return err
	})
}

// countWebhooks counts the webhooks of the owner. One that is made later only makes a
// transaction longer.
func (r *run) countWebhooks(tx *db.Tx) error {
	all, err := tx.Webhooks(r.owner.ID)
	r.webhooks = 0
	for _, w := range all {
		if w.Enabled {
			r.webhooks++
		}
	}
	return err
}

// compare counts what store would do.
func (r *run) compare(ctx context.Context) error {
	return r.chunks(func(part []record, _ bool) error {
		return r.service.Store.LongView(ctx, func(tx *db.Tx) error { return r.each(tx, part, compare) })
	})
}

// each applies do to records and counts the outcomes.
func (r *run) each(tx *db.Tx, part []record, do func(*db.Tx, record) (db.Outcome, error)) error {
	for _, rec := range part {
		err := rec.resolve(tx, r.owner)
		var outcome db.Outcome
		if err == nil {
			outcome, err = do(tx, rec)
		}
		if err != nil {
			refused, err := refusalOf(rec.index, rec.explain(err))
			if err != nil {
				return err
			}
			r.result.Errors = append(r.result.Errors, refused)
			continue
		}
		switch outcome {
		case db.Inserted:
			r.result.Inserted++
		case db.Updated:
			r.result.Updated++
		case db.Unchanged:
			r.result.Unchanged++
		}
	}
	return nil
}

func (r Result) accepted() int { return r.Inserted + r.Updated + r.Unchanged }

func (r Result) sync() event.Sync {
	return event.Sync{
		SyncID: r.SyncID, Source: "push", Received: r.Received,
		Inserted: r.Inserted, Updated: r.Updated, Unchanged: r.Unchanged, Rejected: len(r.Errors),
	}
}

// idOf returns the external id of a record: its own, else its digest.
func idOf(own string, digest []byte) string {
	if own != "" {
		return own
	}
	return hex.EncodeToString(digest)
}

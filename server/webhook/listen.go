package webhook

import (
	"context"
	"slices"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/openapi"
	"svc/server/outbound"
)

// Trigger stores the sample of a kind in the account's log, as if it had happened now, and
// returns how many webhooks it is queued for. test marks it as made up (test_mode).
func (s *Service) Trigger(ctx context.Context, accountID, kind string, test bool) (e db.Event, queued int, err error) {
	k, err := parseKind("event", kind)
	if err != nil {
		return e, 0, err
	}
	sample, err := openapi.Sample(k, s.Clock())
	if err != nil {
		return e, 0, err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		if test {
			tx.MarkTest()
		}
		if e, err = tx.Emit(accountID, sample); err != nil {
			return err
		}
		all, err := tx.Webhooks(accountID)
		for _, w := range all {
			if w.Enabled && slices.Contains(w.Events, k) {
				queued++
			}
		}
		return err
	})
	return e, queued, err
}

const (
	// listenEvery is how often a Listener looks for new events: one indexed read.
	listenEvery = 200 * time.Millisecond
	listenChunk = 100 // events of one read
)

// Listener follows an account's log and forwards its events to an address of the developer's
// own, which nobody has subscribed. It stores nothing and tries nothing twice.
type Listener struct {
	Secret string // signs what it forwards; no webhook has it
	// ForwardTo is where events are posted; empty: nowhere.
	ForwardTo string

	service   *Service
	accountID string
	kinds     []event.Kind // empty: all
	after     int64        // the sequence of the last event that was seen
}

// Heard is an event that a Listener has seen.
type Heard struct {
	db.Event
	Answer outbound.Answer // zero if it is not forwarded
}

// Listen returns a Listener of the events from now on of some kinds, or of all if there are
// none.
func (s *Service) Listen(ctx context.Context, accountID, forwardTo string, kinds []string) (l *Listener, err error) {
	l = &Listener{Secret: newSecret(), ForwardTo: forwardTo, service: s, accountID: accountID}
	if forwardTo != "" {
		if _, err := s.Client.CheckURL(forwardTo); err != nil {
			return nil, fault.Invalid("forward_to", err.Error())
		}
	}
	if kinds != nil {
		if l.kinds, err = parseKinds(kinds); err != nil {
			return nil, err
		}
	}
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		l.after, err = tx.LastEvent(accountID)
		return err
	})
	return l, err
}

// Run calls fn with each event in order, once it was forwarded, until ctx ends or fn fails.
// That ctx ends is no error.
func (l *Listener) Run(ctx context.Context, fn func(Heard) error) error {
	ticker := time.NewTicker(listenEvery)
	defer ticker.Stop()
	for {
		err := l.catchUp(ctx, fn)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
}

func (l *Listener) catchUp(ctx context.Context, fn func(Heard) error) error {
	for n := listenChunk; n == listenChunk; {
		found, err := db.Read(ctx, l.service.Store, func(tx *db.Tx) ([]db.Event, error) {
			return tx.Events(l.accountID, l.after, listenChunk)
		})
		if err != nil {
			return err
		}
		for _, e := range found {
			l.after = e.Sequence
			if err := l.hear(ctx, e, fn); err != nil {
				return err
			}
		}
		n = len(found)
	}
	return nil
}

func (l *Listener) hear(ctx context.Context, e db.Event, fn func(Heard) error) error {
	if len(l.kinds) > 0 && !slices.Contains(l.kinds, e.Kind) {
		return nil
	}
	h := Heard{Event: e}
	if l.ForwardTo != "" {
		headers, err := headersOf(Secrets{Current: l.Secret}, e.ID, l.service.Clock(), e.Body)
		if err != nil {
			return err
		}
		h.Answer = l.service.Client.Post(ctx, l.ForwardTo, headers, e.Body)
	}
	if ctx.Err() != nil {
		return nil // an answer that was broken off is no news
	}
	return fn(h)
}

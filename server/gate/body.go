package gate

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

const (
	// largeBody is the body limit from which a route's bodies share bodyMemory.
	largeBody = 1 << 20
	// bodyMemory bounds the sum of all large bodies in memory. What has arrived of each counts
	// as long as its call runs. Copies and decoded photos come on top.
	bodyMemory = 128 << 20
	// accountBodies bounds what the large bodies of one account may become at once, so that
	// an account that announces many delays only its own.
	accountBodies = bodyMemory / 4
	// bodyPatience bounds a call's wait for room.
	bodyPatience = 10 * time.Second
)

// bodies is the room for large bodies.
type bodies struct {
	arrived *semaphore.Weighted // bytes

	mu     sync.Mutex
	shares map[string]*share // of accounts with large bodies
}

// share is the room of one account, by the lengths that its calls announce.
type share struct {
	announced *semaphore.Weighted // bytes
	calls     int
}

func newBodies() *bodies {
	return &bodies{arrived: semaphore.NewWeighted(bodyMemory), shares: map[string]*share{}}
}

// join returns the account's share. The caller leaves it at the end of the call.
func (b *bodies) join(account string) *share {
	b.mu.Lock()
	defer b.mu.Unlock()
	s := b.shares[account]
	if s == nil {
		s = &share{announced: semaphore.NewWeighted(accountBodies)}
		b.shares[account] = s
	}
	s.calls++
	return s
}

func (b *bodies) leave(account string, s *share) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.calls--; s.calls == 0 {
		delete(b.shares, account)
	}
}

// readBody reads the body of a call under its route's limit. A large one waits until
// there is room for it, and keeps the room until free is called. invalid is the caller's
// and is answered in its turn (A3); err ends the call.
func (g *Gate) readBody(w *web.Response, r *http.Request, account string, t Terms) (body []byte, free func(), invalid, err error) {
	if t.BodyLimit < largeBody {
		body, invalid = web.ReadBody(w, r, t.BodyLimit)
		return body, func() {}, invalid, nil
	}
	announced, arrived := t.BodyLimit, int64(0)
	if r.ContentLength >= 0 {
		announced = min(r.ContentLength, t.BodyLimit)
	}
	own := g.bodies.join(account)
	ctx, cancel := context.WithTimeout(r.Context(), bodyPatience)
	defer cancel()
	if err := own.announced.Acquire(ctx, announced); err != nil {
		g.bodies.leave(account, own)
		return nil, func() {}, nil, errNoRoom(err)
	}
	free = func() {
		g.bodies.arrived.Release(arrived)
		own.announced.Release(announced)
		g.bodies.leave(account, own)
	}
	body, invalid = web.ReadBodyIn(w, r, t.BodyLimit, func(bytes int64) error {
		ctx, cancel := context.WithTimeout(r.Context(), bodyPatience)
		defer cancel()
		if err = g.bodies.arrived.Acquire(ctx, bytes); err != nil {
			return err
		}
		arrived += bytes
		return nil
	})
	switch {
	case err != nil:
		err = errNoRoom(err)
	case r.Context().Err() != nil: // it broke off, or came too slowly
		err = invalid
	default:
		return body, free, invalid, nil
	}
	free()
	return nil, func() {}, nil, err
}

// errNoRoom is the answer when too many large bodies came at once.
func errNoRoom(cause error) error {
	return &fault.Error{
		Code: fault.Unavailable, Message: "too many large requests at once; nothing was charged, try again",
		Err: cause, RetryAfter: time.Second,
	}
}

// countEarly counts a call with a large body by the minute before the body is read, also if
// that breaks off, and returns the end of that minute. Over the limit the body is discarded as it comes, since a client that is
// still sending would not see an answer.
func (g *Gate) countEarly(w *web.Response, r *http.Request, p db.Principal, t Terms) (minuteEnds time.Time, err error) {
	if t.BodyLimit < largeBody {
		return time.Time{}, nil
	}
	v := &verdict{known: true, caller: Caller{Principal: p, RequestID: w.RequestID}}
	limits := p.Plan.Limits()
	err = g.Store.RelaxedUpdate(r.Context(), func(tx *db.Tx) error {
		meter, over, err := tx.Count(p.KeyID, limits, false)
		v.meter = meter
		if over == db.OverMinute {
			v.refusal = errRateLimited(limits.Minute, meter.WindowEnds.Sub(tx.Now()))
		}
		return err
	})
	if err != nil {
		return time.Time{}, fmt.Errorf("gate: %w", err)
	}
	if v.refusal == nil {
		return v.meter.WindowEnds, nil
	}
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, r.Body, t.BodyLimit))
	minuteOf(v.meter, limits).show(w)
	g.logRefusal(w, r, v, t)
	return time.Time{}, v.refusal
}

package gate

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

const (
	// largeBody is the body limit from which a route's bodies share bodyMemory.
	largeBody = 1 << 20
	// bodyMemory bounds the sum of all large bodies in memory. Each counts as long as its
	// call runs. Copies and decoded photos come on top.
	bodyMemory = 128 << 20
	// bodyPatience bounds a call's wait for room.
	bodyPatience = 10 * time.Second
)

// readBody reads the body of a call under its route's limit. A large one waits until
// there is room for it, and keeps the room until free is called. invalid is the caller's
// and is answered in its turn (A3); err ends the call.
func (g *Gate) readBody(w *web.Response, r *http.Request, t Terms) (body []byte, free func(), invalid, err error) {
	free = func() {}
	if t.BodyLimit >= largeBody {
		weight := t.BodyLimit
		if r.ContentLength >= 0 {
			weight = min(r.ContentLength, t.BodyLimit)
		}
		ctx, cancel := context.WithTimeout(r.Context(), bodyPatience)
		defer cancel()
		if err := g.bodies.Acquire(ctx, weight); err != nil {
			return nil, free, nil, errNoRoom(err)
		}
		free = func() { g.bodies.Release(weight) }
	}
	body, invalid = web.ReadBody(w, r, t.BodyLimit)
	return body, free, invalid, nil
}

// errNoRoom is the answer when too many large bodies came at once.
func errNoRoom(cause error) error {
	return &fault.Error{
		Code: fault.Unavailable, Message: "too many large requests at once; nothing was charged, try again",
		Err: cause, RetryAfter: time.Second,
	}
}

// refuseEarly refuses a key that has used up its minute before its large body takes
// memory. The body is read and discarded, since a client that is still sending would
// not see an answer. It only spares work: admission decides again.
func (g *Gate) refuseEarly(w *web.Response, r *http.Request, p db.Principal, t Terms) error {
	if t.BodyLimit < largeBody {
		return nil
	}
	v := &verdict{known: true, caller: Caller{Principal: p, RequestID: w.RequestID}}
	err := g.Store.View(r.Context(), func(tx *db.Tx) (err error) {
		v.meter, err = tx.Meter(p.KeyID)
		if limits := p.Plan.Limits(); err == nil && v.meter.WindowUsed >= limits.Minute && tx.Now().Before(v.meter.WindowEnds) {
			v.refusal = errRateLimited(limits.Minute, v.meter.WindowEnds.Sub(tx.Now()))
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("gate: %w", err)
	}
	if v.refusal == nil {
		return nil
	}
	_, _ = io.Copy(io.Discard, http.MaxBytesReader(w.ResponseWriter, r.Body, t.BodyLimit))
	minuteOf(v.meter, p.Plan.Limits()).show(w)
	g.logRefusal(w, r, v, t)
	return v.refusal
}

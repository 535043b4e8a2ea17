package gate

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

const (
	// largeBody is a limit from which on bodies are worth bounding together.
	largeBody = 1 << 20
	// bodyMemory is what large bodies of calls under way may have together, each as long
	// as its call runs: beside it there are copies, and what they decode to.
	bodyMemory = 128 << 20
	// bodyPatience is how long a call waits for others to make room.
	bodyPatience = 10 * time.Second
)

// readBody reads the body of a call under its route's limit. A large one waits until
// there is room for it, and keeps the room until free is called. A fault of the caller
// is told in its turn (A3); err ends the call.
func (g *Gate) readBody(w *web.Response, r *http.Request, t Terms) (body []byte, free func(), fault, err error) {
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
	body, fault = web.ReadBody(w, r, t.BodyLimit)
	return body, free, fault, nil
}

func newBodies() *semaphore.Weighted { return semaphore.NewWeighted(bodyMemory) }

// errNoRoom: too many large bodies came at once.
func errNoRoom(cause error) error {
	return &fault.Error{
		Code: fault.Unavailable, Message: "too many large requests at once; nothing was charged, try again",
		Err: cause, RetryAfter: time.Second,
	}
}

// refuseEarly answers a key that has used up its minute before its large body takes
// memory: it is read into nothing, since a client that is still sending would not see
// an answer. Only admission decides; this spares what admission would refuse.
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
	standingOf(v.meter, p.Plan.Limits()).show(w)
	g.logRefusal(w, r, v, t)
	return v.refusal
}

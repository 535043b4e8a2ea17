package gate

import (
	"context"
	"net/http"

	"svc/db"
	"svc/server/web"
)

// FreeHandler answers a call that costs nothing and obeys no Idempotency-Key. body
// is nil where the route's terms have no BodyLimit.
type FreeHandler func(w *web.Response, r *http.Request, c Caller, body []byte) error

// Free returns the handler of a call that costs nothing. The call is counted, then
// handled; a 5xx gives the count of the month back (A4).
func (g *Gate) Free(terms Terms, handle FreeHandler) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		_, hash, err := g.identify(w, r, terms)
		if err != nil {
			return err
		}
		t := &try{gate: g, terms: terms, hash: hash, requestID: w.RequestID}
		v, err := t.admit(r.Context(), g.Store.RelaxedUpdate)
		if err != nil {
			_ = g.showStanding(w, r, terms.Rolling) // if the standing can be read
			return err
		}
		if v.known {
			v.standing.show(w)
		}
		if v.refusal != nil {
			showRetry(w, terms, v.refusal)
			g.logRefusal(w, r, v, terms)
			return v.refusal
		}

		err = g.handle(w, r, v.caller, terms, handle)
		if status := g.logAnswer(w, r, v.caller.Principal, terms, err); status >= 500 {
			g.giveBack(r.Context(), v)
		}
		return err
	}
}

// handle reads the body, if there is one, and runs the handler.
func (g *Gate) handle(w *web.Response, r *http.Request, c Caller, t Terms, run FreeHandler) (err error) {
	defer recovered(&err)
	var body []byte
	if t.BodyLimit > 0 {
		var free func()
		var invalid error
		body, free, invalid, err = g.readBody(w, r, c.AccountID, t)
		defer free()
		if err != nil {
			return err
		}
		if invalid != nil {
			return invalid
		}
	}
	return run(w, r, c, body)
}

// giveBack takes a call off the month's count. If the store fails, the call stays
// counted: the store logs why, and the caller's own error matters more.
func (g *Gate) giveBack(ctx context.Context, v *verdict) {
	_ = g.Store.RelaxedUpdate(context.WithoutCancel(ctx), func(tx *db.Tx) error {
		return tx.Uncount(v.caller.KeyID, v.month)
	})
}

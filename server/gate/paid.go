package gate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"runtime/debug"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

// Action is what a paid or idempotent endpoint does, in four functions.
type Action[Req, Out any] struct {
	// Parse reads the body. Its error is answered when its turn comes (A3). Of the
	// caller only environment and mode are certain at this time: they never change.
	Parse func(c Caller, body []byte) (Req, error)
	// Allow may refuse the call by what is stored; nil allows all.
	Allow func(tx *db.Tx, c Caller, req Req) error
	// Effect reports whether Do may have an effect outside of this process. Then a crash
	// during Do leaves the outcome unknown, and Do is never run again. Nil: it has none.
	Effect func(c Caller) bool
	// Recipient names whom the effect reaches, for the list of those whose outcome is unknown;
	// nil: nobody.
	Recipient func(req Req) string
	// Do acts, outside of any transaction and within Terms.Deadline. An error
	// with the code OutcomeUnknown means that the effect may have happened; after
	// any other error there was no effect, and the call is free.
	Do func(ctx context.Context, c Caller, req Req) (Out, error)
	// Settle stores what was done and returns the answer.
	Settle func(tx *db.Tx, c Caller, out Out, receipt db.Receipt) (answer any, err error)
}

// Endpoint is an Action whose types are hidden, so that the mount can list it.
type Endpoint interface {
	prepare(c Caller, body []byte) (prepared, error)
}

// prepared is an action with its request. It is not run after an error of Parse.
type prepared struct {
	allow     func(*db.Tx, Caller) error
	effect    bool
	recipient string
	do        func(context.Context, Caller) (settle, error)
}

// settle stores what the action did and returns the answer.
type settle func(*db.Tx, Caller, db.Receipt) (any, error)

func (a Action[Req, Out]) prepare(c Caller, body []byte) (prepared, error) {
	req, err := a.Parse(c, body)
	p := prepared{
		effect: a.Effect != nil && a.Effect(c),
		do: func(ctx context.Context, c Caller) (settle, error) {
			out, err := a.Do(ctx, c, req)
			if err != nil {
				return nil, err
			}
			return func(tx *db.Tx, c Caller, receipt db.Receipt) (any, error) {
				return a.Settle(tx, c, out, receipt)
			}, nil
		},
	}
	if a.Recipient != nil {
		p.recipient = a.Recipient(req)
	}
	if a.Allow != nil {
		p.allow = func(tx *db.Tx, c Caller) error { return a.Allow(tx, c, req) }
	}
	return p, err
}

// Paid returns the handler of an endpoint that is billed or obeys Idempotency-Key.
func (g *Gate) Paid(terms Terms, e Endpoint) web.Handler {
	return func(w *web.Response, r *http.Request) error {
		principal, hash, err := g.identify(w, r, terms)
		if err != nil {
			return err
		}
		early, err := g.countEarly(w, r, principal, terms)
		if err != nil {
			return err
		}
		body, free, invalid, err := g.readBody(w, r, principal.AccountID, terms)
		if err != nil {
			_ = g.ShowStanding(w, r) // if the standing can be read
			return err
		}
		defer free()
		action, err := e.prepare(Caller{Principal: principal, RequestID: w.RequestID}, body)
		if invalid == nil {
			invalid = err
		}
		t := &try{
			gate: g, terms: terms, hash: hash, requestID: w.RequestID, invalid: invalid,
			allow: action.allow, effect: action.effect, recipient: action.recipient, counted: !early.IsZero(), early: early,
		}
		if key := r.Header.Get(idempotencyHeader); terms.Idempotent && key != "" {
			idem, sum := sha256.Sum256([]byte(key)), sha256.Sum256(body)
			t.idemHash, t.bodyHash = idem[:], sum[:]
		}

		db.CrashPoint("before-claim")
		v, err := g.enter(r.Context(), t)
		if err != nil {
			_ = g.ShowStanding(w, r) // if the standing can be read
			return err
		}
		return g.answer(w, r, t, v, action)
	}
}

// enter passes admission. It waits for a twin as B4 requires.
func (g *Gate) enter(ctx context.Context, t *try) (*verdict, error) {
	begin := g.Store.RelaxedUpdate
	if t.effect {
		begin = g.Store.Update
	}
	deadline := g.now().Add(maxWait)
	for {
		v, err := t.admit(ctx, begin)
		if err != nil || v.existing == nil || v.existing.State == db.Done || v.existing.State == db.Unknown {
			return v, err
		}

		t.counted = true
		over, err := g.await(ctx, *v.existing, deadline)
		if err != nil {
			return nil, err
		}
		if !over {
			v.refusal = errInProgress(v.existing.LeaseUntil.Sub(g.now()))
			return v, nil
		}
	}
}

// answer writes what admission decided, or runs the action.
func (g *Gate) answer(w *web.Response, r *http.Request, t *try, v *verdict, action prepared) error {
	if v.known {
		v.standing.show(w)
	}
	if v.refusal == nil && v.existing == nil {
		return g.act(w, r, t, v, action)
	}

	if v.refusal != nil {
		if v.known {
			g.logRefusal(w, r, v, t.terms)
		}
		return v.refusal
	}
	g.replay(w, t, *v.existing)
	row := g.logRow(w, r, v.caller.Principal, t.terms)
	row.Status, row.ErrorCode, row.ReplayOf = w.Status(), string(w.Code()), v.existing.ID
	g.Store.LogRequest(row)
	return nil
}

// replay answers with what was stored: the same bytes, and today's rate headers (B3).
func (g *Gate) replay(w *web.Response, t *try, c db.Call) {
	w.SetHeader("Idempotency-Replayed", "true")
	if !bytes.Equal(c.BodyHash, t.bodyHash) {
		w.SetHeader("Idempotency-Mismatch", "true")
	}
	status, answer := c.Status, c.Answer
	if c.State == db.Unknown {
		w.SetCode(fault.OutcomeUnknown)
		if answer == nil {
			status, answer = web.Status(errUnknown), web.Body(errUnknown)
		}
	}
	w.Send(status, answer)
}

// act runs the action and settles it. From here on a client that hangs up
// changes nothing.
func (g *Gate) act(w *web.Response, r *http.Request, t *try, v *verdict, action prepared) error {
	if v.claim != nil {
		defer g.waiters.wake(v.claim.ID)
	}
	ctx, cancel := t.terms.deadline(r)
	defer cancel()

	db.CrashPoint("after-claim")
	finish, err := action.run(ctx, v.caller)
	db.CrashPoint("after-answer")
	row := g.logRow(w, r, v.caller.Principal, t.terms)
	if err != nil {
		return g.settleFailure(v, row, g.fault(v, r, err))
	}
	status, body, err := g.settleSuccess(v, row, finish)
	db.CrashPoint("after-commit")
	if err != nil {
		return err
	}
	w.Send(status, body)
	return nil
}

// deadline returns the context of an action, which outlives its request.
func (t Terms) deadline(r *http.Request) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(r.Context()), t.Deadline)
}

func (p prepared) run(ctx context.Context, c Caller) (finish settle, err error) {
	defer recovered(&err)
	return p.do(ctx, c)
}

// recovered, when deferred, turns a panic into the function's error, so that it
// is settled and logged like one.
func recovered(err *error) {
	if v := recover(); v != nil {
		*err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
	}
}

// fault returns the answer to a failed action. After an error that is not sorted, such
// as a panic, the effect may have happened.
func (g *Gate) fault(v *verdict, r *http.Request, err error) *fault.Error {
	var sorted *fault.Error
	if v.calling() && !errors.As(err, &sorted) {
		return errUnknownAfter(err)
	}
	return g.Resolve(err, r)
}

// calling reports whether the effect may have happened by now.
func (v *verdict) calling() bool { return v.claim != nil && v.claim.State == db.Calling }

// settleSuccess debits the price and stores the answer, the ledger row and the
// log row in one commit, which is on disk when it returns (C3).
func (g *Gate) settleSuccess(v *verdict, row db.Request, finish settle) (status int, body []byte, err error) {
	row.Status = http.StatusOK
	err = g.settle(v, func(tx *db.Tx) error {
		var receipt db.Receipt
		if v.claim != nil {
			if receipt, err = tx.PostCall(*v.claim); err != nil {
				return err
			}
		}
		if body, err = g.encodeAnswer(tx, v.caller, finish, receipt); err != nil {
			return err
		}
		if v.claim != nil {
			if err := tx.CloseCall(*v.claim, row.Status, body); err != nil {
				return err
			}
		}
		row.ChargeCents = receipt.ChargedCents
		return logCall(tx, row)
	})
	status = row.Status
	if errors.Is(err, db.ErrSettled) {
		status, body, err = g.settleLate(v, row, finish)
	}
	switch {
	case err != nil && v.calling():
		err = errUnknownAfter(err) // the end of the lease will store this outcome
	case err != nil && v.claim == nil:
		g.giveBack(context.Background(), v)
	}
	return status, body, err
}

// encodeAnswer returns the answer of a call that is posted. It calls OnLowBalance if
// this call took the wallet below its threshold.
func (g *Gate) encodeAnswer(tx *db.Tx, c Caller, finish settle, receipt db.Receipt) ([]byte, error) {
	answer, err := finish(tx, c, receipt)
	if err != nil {
		return nil, err
	}
	if receipt.LowBalance && g.OnLowBalance != nil {
		if err := g.OnLowBalance(tx, c.AccountID, receipt.BalanceCents); err != nil {
			return nil, err
		}
	}
	return web.Encode(answer)
}

// settleLate settles a confirmed call that is not open any more: its lease has ended,
// or an earlier commit of this settlement was reported as failed but reached the disk.
func (g *Gate) settleLate(v *verdict, row db.Request, finish settle) (status int, body []byte, err error) {
	status = http.StatusOK
	err = g.settle(v, func(tx *db.Tx) error {
		c, err := tx.Call(v.claim.ID)
		if errors.Is(err, db.ErrNotFound) {
			return errSlow
		}
		if err != nil {
			return err
		}
		if c.State == db.Done {
			status, body = c.Status, c.Answer
			return nil
		}

		receipt, err := tx.PostLateCall(c, v.claim.HoldCents)
		if err != nil {
			return err
		}
		if body, err = g.encodeAnswer(tx, v.caller, finish, receipt); err != nil {
			return err
		}
		if err := tx.CloseLateCall(c, status, body); err != nil {
			return err
		}
		if err := tx.Recount(c.KeyID, c.Month); err != nil {
			return err
		}
		row.ChargeCents = receipt.ChargedCents
		return logCall(tx, row)
	})
	return status, body, err
}

// settleFailure frees the call, or keeps it as unknown, and returns the answer. A call
// with an effect is unknown whatever e is when its end cannot be stored or its lease
// has ended before: that is the answer that its Idempotency-Key will get.
func (g *Gate) settleFailure(v *verdict, row db.Request, e *fault.Error) error {
	row.Status, row.ErrorCode = web.Status(e), string(e.Code)
	err := g.settle(v, func(tx *db.Tx) error {
		if err := endFailed(tx, v, e); err != nil {
			return err
		}
		return logCall(tx, row)
	})
	if err != nil && v.calling() {
		return errUnknownAfter(errors.Join(e.Err, err))
	}
	if err != nil && !errors.Is(err, db.ErrSettled) {
		g.Log.Error("settlement of a failed call not stored; its lease will end it", "request", row.ID, "cause", err)
	}
	return e
}

// logCall logs the request of a call. A person's order has none.
func logCall(tx *db.Tx, row db.Request) error {
	if row.ID == "" {
		return nil
	}
	return tx.LogRequest(row)
}

func endFailed(tx *db.Tx, v *verdict, e *fault.Error) error {
	if v.claim == nil {
		if web.Status(e) < 500 {
			return nil
		}
		return tx.Uncount(v.caller.KeyID, v.month)
	}
	if v.calling() && e.Code == fault.OutcomeUnknown {
		return tx.MarkCallUnknown(*v.claim, web.Status(e), web.Body(e))
	}
	return tx.VoidCall(*v.claim, web.Status(e) >= 500)
}

// settle stores a settlement. It tries again while the call's lease lasts: the action
// cannot be undone, so a full disk must not lose it at once.
func (g *Gate) settle(v *verdict, fn func(*db.Tx) error) (err error) {
	defer recovered(&err)
	begin := g.Store.Update
	if v.claim == nil {
		begin = g.Store.RelaxedUpdate
	}
	for {
		err := begin(context.Background(), fn)
		if !errors.Is(err, db.ErrUnavailable) || v.claim == nil || v.claim.LeaseOver(g.now()) {
			return err
		}
		<-time.After(pollEvery)
	}
}

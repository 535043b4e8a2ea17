package gate

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"

	"svc/db"
)

// Order is a billed action that a person asks for on a page. It is held, settled and
// charged like a call (C2, C3, G4), but no key makes it: no limit counts it, and the log of
// requests, which is of the API, has no row of it (G5).
type Order struct {
	AccountID, PersonID, RequestID string
	// Once is what its form sends again when it is sent twice. The second order of a person
	// with it does nothing and has the outcome of the first, as with an Idempotency-Key (B).
	Once string
	Body []byte
}

// Placed is the outcome of an order that succeeded.
type Placed struct {
	Answer   json.RawMessage // what the action's Settle returned
	Repeated bool            // an earlier order with the same Once did it
	// Mismatch: that order had another Body, so nothing was done. It may have succeeded, or
	// its outcome may be unknown.
	Mismatch bool
}

// Place does what a person orders. Its errors are those of a call: what Parse returns, an
// InsufficientFunds, those of the action, and an OutcomeUnknown if its effect may have
// happened. After each but the last nothing was done or charged, and the same Once may be
// tried again.
func (g *Gate) Place(r *http.Request, o Order, terms Terms, e Endpoint) (Placed, error) {
	caller := Caller{
		Principal: db.Principal{KeyID: o.PersonID, AccountID: o.AccountID, Env: db.Live, Mode: db.AccountMode},
		RequestID: o.RequestID,
	}
	action, err := e.prepare(caller, o.Body)
	if err != nil {
		return Placed{}, err
	}
	once, sum := sha256.Sum256([]byte(o.Once)), sha256.Sum256(o.Body)
	t := &try{
		gate: g, terms: terms, requestID: o.RequestID, idemHash: once[:], bodyHash: sum[:],
		allow: action.allow, effect: action.effect, recipient: action.recipient, person: &caller,
	}
	v, err := g.enter(r.Context(), t)
	switch {
	case err != nil:
		return Placed{}, err
	case v.refusal != nil:
		return Placed{}, v.refusal
	case v.existing != nil && string(v.existing.BodyHash) != string(t.bodyHash):
		return Placed{Mismatch: true}, nil
	case v.existing != nil && v.existing.State == db.Unknown:
		return Placed{}, errUnknown
	case v.existing != nil:
		return Placed{Answer: v.existing.Answer, Repeated: true}, nil
	}
	answer, err := g.fulfil(r, t, v, action)
	return Placed{Answer: answer}, err
}

// fulfil runs the action of an admitted order and settles it. A browser that leaves changes
// nothing any more.
func (g *Gate) fulfil(r *http.Request, t *try, v *verdict, action prepared) (json.RawMessage, error) {
	defer g.waiters.wake(v.claim.ID)
	ctx, cancel := t.terms.deadline(r)
	defer cancel()
	finish, err := action.run(ctx, v.caller)
	if err != nil {
		return nil, g.settleFailure(v, db.Request{}, g.fault(v, r, err))
	}
	_, answer, err := g.settleSuccess(v, db.Request{}, finish)
	if err != nil {
		return nil, fmt.Errorf("settle an order: %w", err)
	}
	return answer, nil
}

// admitPerson is check for a person's order: a session was checked already, and nothing is
// counted.
func (t *try) admitPerson(tx *db.Tx, v *verdict) error {
	v.caller = *t.person
	existing, err := t.existing(tx, v.caller.KeyID)
	if err != nil || existing != nil {
		v.existing = existing
		return err
	}
	if t.allow != nil {
		if err := t.allow(tx, v.caller); err != nil {
			return err
		}
	}
	return t.claim(tx, v)
}

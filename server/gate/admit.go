package gate

import (
	"context"
	"crypto/sha256"
	"errors"
	"time"

	"svc/db"
	"svc/server/fault"
)

// leaseGrace is the time by which a call's lease outlasts its deadline (B5).
const leaseGrace = 5 * time.Second

// try is one request on its way through admission, which it may pass several
// times: a call that waited for its twin comes back.
type try struct {
	gate      *Gate
	terms     Terms
	hash      [sha256.Size]byte // of the key
	requestID string
	idemHash  []byte // nil: no Idempotency-Key, or not obeyed here
	bodyHash  []byte
	invalid   error // what is wrong with the request; answered in its turn
	allow     func(*db.Tx, Caller) error
	recipient string
	effect    bool // the action has an effect outside, so a crash leaves it unknown
	// counted is set once the minute has counted the call (B4).
	counted bool
	// early is the end of the minute that counted the call before its body was read; zero:
	// none did.
	early time.Time
	// person makes it the order of a person, not a key's call.
	person *Caller
}

// verdict is the outcome of an admission: a refusal, an existing call under the same
// Idempotency-Key, or admitted, with a claim if there is something to settle.
type verdict struct {
	known    bool // the key is valid, and the standing is set
	caller   Caller
	standing standing
	meter    db.Meter
	month    int64
	refusal  *fault.Error
	existing *db.Call
	claim    *db.Call
}

// admit runs the checks of A3, in their order, in one transaction. A refusal is a
// value, so that what was counted before it stays counted.
func (t *try) admit(ctx context.Context, begin func(context.Context, func(*db.Tx) error) error) (*verdict, error) {
	var v *verdict
	err := begin(ctx, func(tx *db.Tx) error {
		v = &verdict{month: tx.Month()}
		check := t.check
		if t.person != nil {
			check = t.admitPerson
		}
		err := check(tx, v)
		var refusal *fault.Error
		if errors.As(err, &refusal) {
			v.refusal, err = refusal, nil
		}
		return err
	})
	return v, err
}

func (t *try) check(tx *db.Tx, v *verdict) error {
	p, err := tx.Principal(t.hash)
	if errors.Is(err, db.ErrNotFound) {
		return errInvalidKey
	}
	if err != nil {
		return err
	}
	v.caller = Caller{Principal: p, RequestID: t.requestID}
	if p.Disabled {
		if v.standing, err = standingOf(tx, p, t.terms.Rolling); err != nil {
			return err
		}
		v.known = true
		return errDisabled(p)
	}

	existing, err := t.existing(tx, p.KeyID)
	if err != nil {
		return err
	}
	if err := t.count(tx, v, existing == nil); err != nil {
		return err
	}
	if existing != nil {
		v.existing = existing
		return nil
	}
	v.caller.Left = left(v.meter, p.Plan.Limits())
	if t.terms.AccountMode && p.Mode == db.GenericMode {
		return errGenericMode
	}
	if t.invalid != nil {
		return t.invalid
	}
	if t.allow != nil {
		if err := t.allow(tx, v.caller); err != nil {
			return err
		}
	}
	return t.claim(tx, v)
}

// left returns the number of calls that remain in the month.
func left(m db.Meter, l db.Limits) int64 {
	if l.Month == db.Unlimited {
		return db.Unlimited
	}
	return max(0, l.Month-m.MonthUsed)
}

// existing returns the call that has this Idempotency-Key, nil if there is none.
func (t *try) existing(tx *db.Tx, keyID string) (*db.Call, error) {
	if t.idemHash == nil {
		return nil, nil
	}
	c, err := tx.CallOf(keyID, t.idemHash)
	if errors.Is(err, db.ErrNotFound) {
		return nil, nil
	}
	return &c, err
}

// count counts the call: by the minute or the rolling windows once, and by the month
// unless another call has its Idempotency-Key (A4).
func (t *try) count(tx *db.Tx, v *verdict, byMonth bool) (err error) {
	p := v.caller.Principal
	limits := p.Plan.Limits()
	over := db.Within
	var rolling db.Rolling
	switch {
	case t.terms.Rolling != "":
		rolling, v.meter, over, err = tx.CountRolling(p.KeyID, t.terms.Rolling, limits)
	case !t.counted:
		v.meter, over, err = tx.Count(p.KeyID, limits, byMonth)
	case byMonth:
		v.meter, over, err = tx.CountMonth(p.KeyID, limits)
	default:
		v.meter, err = tx.Meter(p.KeyID)
	}
	if err == nil && over == db.OverMonth && !t.early.IsZero() {
		if err = tx.UncountMinute(p.KeyID, t.early); err == nil {
			v.meter, err = tx.Meter(p.KeyID)
		}
	}
	if err != nil {
		return err
	}
	v.known, v.standing = true, minuteOf(v.meter, limits)
	if t.terms.Rolling != "" {
		v.standing = windowOf(rolling)
	}
	switch over {
	case db.OverWindow:
		return errWindowFull(rolling.NextAt.Sub(tx.Now()))
	case db.OverMinute:
		return errRateLimited(limits.Minute, v.meter.WindowEnds.Sub(tx.Now()))
	case db.OverMonth:
		return errQuotaExceeded(p.Plan, v.meter, tx.Now())
	}
	return nil
}

// claim holds the price and takes the Idempotency-Key. A call that neither pays
// nor can be replayed leaves no row.
func (t *try) claim(tx *db.Tx, v *verdict) error {
	price := t.terms.PriceCents
	if v.caller.Test() {
		price = 0
	}
	if price == 0 && t.idemHash == nil {
		return nil
	}

	c := db.Call{
		ID: t.requestID, KeyID: v.caller.KeyID, AccountID: v.caller.AccountID, Endpoint: t.terms.Endpoint,
		IdemHash: t.idemHash, BodyHash: t.bodyHash, State: db.Running, HoldCents: price, Month: v.month,
		LeaseUntil: tx.Now().Add(t.terms.Deadline + leaseGrace), ExpiresAt: tx.Now().Add(t.gate.KeepAnswers),
	}
	if t.effect {
		c.State, c.Recipient = db.Calling, t.recipient // on disk before anything outside is called
	}
	err := tx.OpenCall(c)
	if errors.Is(err, db.ErrInsufficientFunds) {
		return errInsufficientFunds(price, t.gate.TopUp)
	}
	if err == nil {
		v.claim = &c
	}
	return err
}

// Package gate admits and settles every call that comes with a key. It owns the
// order of checks (A3), the limits (A4, A5), idempotency (B) and the wallet's
// part in a call (C2, C3). The endpoint owns what a call does.
//
// A paid or idempotent call has two transactions. Admission counts the call, holds
// its price and claims the Idempotency-Key. The action runs outside of any
// transaction. Settlement makes debit, ledger row, stored answer and log row durable
// together. A call that costs nothing has its admission only.
package gate

import (
	"context"
	"crypto/sha256"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/throttle"
	"svc/server/web"
)

const (
	// failuresPerMinute is how many failed authentications an address has (A6).
	failuresPerMinute = 60
	maxAddresses      = 100_000
)

const (
	keyHeader         = "X-Api-Key"
	idempotencyHeader = "Idempotency-Key"
)

// Terms are what a route asks of its callers. They are part of its row in the mount.
type Terms struct {
	Endpoint    string // the path, as ledger and request log name it
	PriceCents  int64
	Idempotent  bool  // Idempotency-Key is obeyed (seed 5.7)
	AccountMode bool  // a generic-mode key is refused with 403
	BodyLimit   int64 // bytes
	// Rolling is the endpoint of seed 8.4, as in db.WindowedEndpoints, whose rolling
	// windows replace the plan's minute; empty: none do. Only a free route may have it.
	Rolling  string
	Deadline time.Duration // of the action; its lease is leaseGrace longer
}

// Caller is the key that made a call, with its account.
type Caller struct {
	db.Principal
	RequestID string
	// Left is the number of calls that the key has left in this month after this one,
	// or db.Unlimited. It is set once the call is admitted.
	Left int64
}

// Test reports whether the key is a test key: then nothing outside may happen and
// nothing may be billed (seed 5.6).
func (c Caller) Test() bool { return c.Env == db.Test }

// Config names what a Gate works with.
type Config struct {
	Store *db.DB
	Clock func() time.Time
	Log   *slog.Logger
	// Resolve returns the error that will be answered for any error.
	Resolve func(error, *http.Request) *fault.Error
	// OnLowBalance runs in the settlement of the one call that takes a wallet below its
	// threshold (C4).
	OnLowBalance func(tx *db.Tx, accountID string, balanceCents int64) error
	// TopUp is the link that a 402 carries.
	TopUp string
	// KeepAnswers is how long a stored answer is replayed (B1).
	KeepAnswers time.Duration
}

// Gate guards every keyed route.
type Gate struct {
	Config
	// addresses counts failed authentications (A6).
	addresses *throttle.Limiter[netip.Addr]
	waiters   *waiters
	quiet     *quiet
	known     *knownKeys
	bodies    *bodies
}

// New returns a gate. It starts nothing; Sweep must be called now and then.
func New(c Config) *Gate {
	return &Gate{
		Config:    c,
		addresses: throttle.New[netip.Addr](failuresPerMinute, time.Minute, maxAddresses),
		waiters:   newWaiters(),
		quiet:     newQuiet(),
		known:     newKnownKeys(),
		bodies:    newBodies(),
	}
}

func (g *Gate) now() time.Time { return g.Clock() }

// identify is the first step of a call: a wrong checksum, an unknown key and a
// disabled one leave here and cost no write (A1, A6).
func (g *Gate) identify(w *web.Response, r *http.Request, t Terms) (db.Principal, [sha256.Size]byte, error) {
	secret, ok := db.ParseSecret(r.Header.Get(keyHeader))
	if !ok {
		return db.Principal{}, [sha256.Size]byte{}, g.refuseKey(w)
	}
	hash := secret.Hash()
	p, ok := g.Store.RecentPrincipal(hash)
	if ok && !p.Disabled {
		w.KeyID, w.AccountID = p.KeyID, p.AccountID
		return p, hash, nil // admission looks again
	}
	if !g.mayLookUp(hash, w.Address) {
		return db.Principal{}, hash, g.refuseKey(w)
	}

	var s standing
	err := g.Store.View(r.Context(), func(tx *db.Tx) (err error) {
		if p, err = tx.Principal(hash); err == nil && p.Disabled {
			s, err = standingOf(tx, p, t.Rolling)
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return db.Principal{}, hash, g.refuseKey(w)
	}
	if err == nil {
		w.KeyID, w.AccountID = p.KeyID, p.AccountID
		g.known.add(hash)
	}
	if err == nil && p.Disabled {
		s.show(w)
		err = errDisabled(p)
	}
	return p, hash, err
}

// mayLookUp reports whether a key may be looked up in the store. A key that is new to
// this process may not when its address has failed too often (A6).
func (g *Gate) mayLookUp(hash [sha256.Size]byte, address netip.Addr) bool {
	return g.known.has(hash) || g.addressStanding(address).Remaining > 0
}

// refuseKey counts a failed authentication and returns its answer. An address that has
// used up its failures is told when they are reset (A6).
func (g *Gate) refuseKey(w *web.Response) error {
	now := g.now()
	if s := g.addressStanding(w.Address); s.Remaining == 0 {
		s.show(w)
		return errTooManyFailures(s.Reset.Sub(now))
	}
	standing(g.addresses.Fail(throttle.Network(w.Address), now)).show(w)
	return errInvalidKey
}

// Sweep ends calls whose process did not (B5) and removes expired answers, rolling
// windows without calls and log rows older than keepRequests, a chunk at a time. It returns when nothing
// is left to do.
func (g *Gate) Sweep(ctx context.Context) error {
	return g.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		ended, err := tx.EndLeases(sweepChunk)
		if err != nil {
			return false, err
		}
		answers, err := tx.DeleteExpiredAnswers(sweepChunk)
		if err != nil {
			return false, err
		}
		windows, err := tx.DeleteOldRolling(sweepChunk)
		if err != nil {
			return false, err
		}
		requests, err := tx.DeleteRequestsBefore(tx.Now().Add(-keepRequests), sweepChunk)
		return ended == 0 && answers == 0 && windows == 0 && requests == 0, err
	})
}

const (
	sweepChunk   = 200
	keepRequests = 30 * 24 * time.Hour // L6
)

// logRow returns the request's row in the log. Its status is still to be set.
func (g *Gate) logRow(w *web.Response, r *http.Request, p db.Principal, t Terms) db.Request {
	return db.Request{
		ID: w.RequestID, AccountID: p.AccountID, KeyID: p.KeyID, Method: r.Method, Route: t.Endpoint,
		Duration: g.now().Sub(w.Started), ClientRequestID: w.ClientRequestID, At: w.Started,
	}
}

// logAnswer logs a call that settles nothing, and returns the status of its answer:
// the one that was sent, or the one for err.
func (g *Gate) logAnswer(w *web.Response, r *http.Request, p db.Principal, t Terms, err error) (status int) {
	row := g.logRow(w, r, p, t)
	row.Status, row.ErrorCode = w.Status(), string(w.Code())
	if err != nil {
		e := g.Resolve(err, r)
		row.Status, row.ErrorCode = web.Status(e), string(e.Code)
	}
	g.Store.LogRequest(row)
	return row.Status
}

// logRefusal logs a refusal of admission. Refusals over a limit are logged once a
// minute for each key.
func (g *Gate) logRefusal(w *web.Response, r *http.Request, v *verdict, t Terms) {
	code := v.refusal.Code
	overLimit := code == fault.RateLimited || code == fault.QuotaExceeded
	if overLimit && !g.quiet.first(refusalKind{v.caller.KeyID, code}, g.now()) {
		return
	}
	g.logAnswer(w, r, v.caller.Principal, t, v.refusal)
}

package servertest

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/carrier"
)

// Attempt is a call that would succeed, before traps are laid for it.
type Attempt struct {
	*Shop
	Method string
	Body   string
}

// TrappedKey is the Idempotency-Key of every attempt.
const TrappedKey = "trapped"

// Trap makes an attempt end in one way.
type Trap struct {
	Name string
	Lay  func(t testing.TB, a *Attempt)
	// Status and Code are those of the answer.
	Status int
	Code   string
	// Minute and Month are what the counts of the key grow by (A4).
	Minute, Month int64
}

// SendTraps returns the traps of a send in the order of A3.
func SendTraps() []Trap {
	return []Trap{
		{"MethodNotAllowed", func(_ testing.TB, a *Attempt) { a.Method = "PUT" }, 405, "method_not_allowed", 0, 0},
		{"InvalidKey", func(_ testing.TB, a *Attempt) { a.Secret = "svc_live_nonsense" }, 401, "invalid_key", 0, 0},
		{"KeyDisabled", func(t testing.TB, a *Attempt) { a.SetKeyEnabled(t, false) }, 403, "key_disabled", 0, 0},
		{"RateLimited", func(t testing.TB, a *Attempt) { a.UseMinute(t) }, 429, "rate_limited", 0, 0},
		{"Replayed", plantAnswer, 200, "", 1, 0},
		{"QuotaExceeded", func(t testing.TB, a *Attempt) { a.PlantCalls(t, 100) }, 429, "quota_exceeded", 0, 0},
		{"ModeForbidden", func(t testing.TB, a *Attempt) {
			a.LiveKey, a.Secret = a.Key(t, a.Email, db.Live, db.GenericMode)
		}, 403, "mode_forbidden", 1, 1},
		{"InvalidRequest", func(_ testing.TB, a *Attempt) { a.Body = `{"phone":1}` }, 400, "invalid_request", 1, 1},
		{"InsufficientFunds", func(t testing.TB, a *Attempt) { a.Credit(t, -1000) }, 402, "insufficient_funds", 1, 1},
		{"ProviderFailed", func(_ testing.TB, a *Attempt) {
			a.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "", Refusal("no") }
		}, 502, "provider_failed", 1, 0},
		{"Sent", func(testing.TB, *Attempt) {}, 200, "", 1, 1},
	}
}

// plantAnswer stores an answer under the attempt's Idempotency-Key.
func plantAnswer(t testing.TB, a *Attempt) {
	idem, body := sha256.Sum256([]byte(TrappedKey)), sha256.Sum256([]byte(SendBody))
	dbtest.Update(t, a.Store, func(tx *db.Tx) error {
		c := db.Call{
			ID: "req_planted", KeyID: a.LiveKey.ID, AccountID: a.LiveKey.AccountID, Endpoint: SendPath,
			IdemHash: idem[:], BodyHash: body[:], State: db.Running, Month: tx.Month(),
			LeaseUntil: tx.Now().Add(time.Minute), ExpiresAt: tx.Now().Add(24 * time.Hour),
		}
		if err := tx.OpenCall(c); err != nil {
			return err
		}
		return tx.CloseCall(c, 200, []byte(Sent))
	})
}

package gate_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/servertest"
	"svc/server/web"
)

// kit is a gate over a fresh store, with one account and a live key.
type kit struct {
	*gate.Gate
	store  *db.DB
	clock  *dbtest.Clock
	frame  *web.Frame
	key    db.Key
	secret db.Secret
}

func newKit(t *testing.T, mode db.Mode, cents int64) *kit {
	t.Helper()
	k := &kit{clock: dbtest.NewClock()}
	k.store = dbtest.Open(t, k.clock)
	log := slog.New(slog.DiscardHandler)
	k.frame = &web.Frame{
		Log:       log,
		Clock:     k.clock.Now,
		NewID:     func(at time.Time) string { return db.NewID("req_", at) },
		Translate: func(error) *fault.Error { return nil },
	}
	k.Gate = gate.New(gate.Config{
		Store: k.store, Clock: k.clock.Now, Log: log, Resolve: k.frame.Resolve,
		TopUp: "http://console/wallet", KeepAnswers: 24 * time.Hour,
	})
	k.frame.BeforeHeader = k.FillHeaders

	account := dbtest.MustAccount(t, k.store, "shop@example.com", db.Free)
	k.key, k.secret = dbtest.MustKey(t, k.store, account.ID, db.Live, mode)
	if cents > 0 {
		dbtest.MustCredit(t, k.store, account.ID, cents)
	}
	t.Cleanup(func() { dbtest.MustVerify(t, k.store) })
	return k
}

// call sends one request to a handler behind the gate.
func (k *kit) call(h web.Handler, headers ...string) *httptest.ResponseRecorder {
	request := httptest.NewRequest("POST", "/api/v1/thing", strings.NewReader("{}"))
	request.Header.Set("X-Api-Key", string(k.secret))
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	answer := httptest.NewRecorder()
	k.frame.Handle(h).ServeHTTP(answer, request)
	return answer
}

func (k *kit) meter(t *testing.T) (m db.Meter) {
	t.Helper()
	dbtest.View(t, k.store, func(tx *db.Tx) (err error) {
		m, err = tx.Meter(k.key.ID)
		return err
	})
	return m
}

// use counts calls in the key's minute, and also in its month if byMonth is set.
func (k *kit) use(t *testing.T, calls int, byMonth bool) {
	t.Helper()
	dbtest.Update(t, k.store, func(tx *db.Tx) error {
		for range calls {
			if _, _, err := tx.Count(k.key.ID, db.Limits{Month: db.Unlimited, Minute: 1000}, byMonth); err != nil {
				return err
			}
		}
		return nil
	})
}

func (k *kit) disable(t *testing.T) {
	t.Helper()
	dbtest.Update(t, k.store, func(tx *db.Tx) error { return tx.DisableKey(k.key.AccountID, k.key.ID) })
}

func expect(t *testing.T, a *httptest.ResponseRecorder, status int, code fault.Code) {
	t.Helper()
	if a.Code != status || a.Header().Get("X-Error-Code") != string(code) {
		t.Fatalf("answer %d %q, want %d %q: %s", a.Code, a.Header().Get("X-Error-Code"), status, code, a.Body)
	}
}

// expectRemaining checks X-RateLimit-Remaining, spelled as in the contract.
func expectRemaining(t *testing.T, a *httptest.ResponseRecorder, want string) {
	t.Helper()
	//lint:ignore SA1008 the header is written as the contract spells it
	if got := a.Header()["X-RateLimit-Remaining"]; len(got) != 1 || got[0] != want {
		t.Errorf("remaining %v, want %s", got, want)
	}
}

// A free call counts whatever its outcome. Only the month does not count a 5xx (A4).
func TestFreeCallIsCounted(t *testing.T) {
	for _, row := range []struct {
		name   string
		handle gate.FreeHandler
		status int
		month  int64
	}{
		{"OK", func(w *web.Response, _ *http.Request, _ gate.Caller, _ []byte) error {
			return w.JSON(200, map[string]int{})
		}, 200, 1},
		{"BadRequest", func(*web.Response, *http.Request, gate.Caller, []byte) error { return fault.Invalid("x", "is bad") }, 400, 1},
		{"InternalError", func(*web.Response, *http.Request, gate.Caller, []byte) error { return errors.New("boom") }, 500, 0},
		{"ProviderFailed", func(*web.Response, *http.Request, gate.Caller, []byte) error {
			return &fault.Error{Code: fault.ProviderFailed, Message: "no"}
		}, 502, 0},
		{"SentByTheHandler", func(w *web.Response, _ *http.Request, _ gate.Caller, _ []byte) error {
			return w.JSON(503, map[string]string{"error": "no"})
		}, 503, 0},
		{"Panic", func(*web.Response, *http.Request, gate.Caller, []byte) error { panic("boom") }, 500, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := newKit(t, db.AccountMode, 0)
			a := k.call(k.Free(gate.Terms{Endpoint: "/api/v1/thing"}, row.handle), "X-Request-Id", "their own")
			if a.Code != row.status {
				t.Errorf("status %d, want %d: %s", a.Code, row.status, a.Body)
			}
			expectRemaining(t, a, "4")
			if m := k.meter(t); m.WindowUsed != 1 || m.MonthUsed != row.month {
				t.Errorf("meter %+v, want %d in the month", m, row.month)
			}
			var rows []db.Request
			servertest.Until(t, "the row of the request log", func() bool {
				dbtest.View(t, k.store, func(tx *db.Tx) (err error) {
					rows, err = tx.Requests(k.key.AccountID, 10)
					return err
				})
				return len(rows) > 0
			})
			if r := rows[0]; r.Status != row.status || r.Route != "/api/v1/thing" || r.KeyID != k.key.ID ||
				r.ClientRequestID != "their own" || r.ChargeCents != 0 || r.ErrorCode != a.Header().Get("X-Error-Code") {
				t.Errorf("logged %+v", r)
			}
		})
	}
}

// The checks before a free call run in the order of A3.
func TestFreeCallChecksInOrder(t *testing.T) {
	type trap struct {
		name   string
		lay    func(t *testing.T, k *kit)
		status int
		code   fault.Code
	}
	traps := []trap{
		{"InvalidKey", func(_ *testing.T, k *kit) { k.secret = "svc_live_x" }, 401, fault.InvalidKey},
		{"KeyDisabled", func(t *testing.T, k *kit) { k.disable(t) }, 403, fault.KeyDisabled},
		{"RateLimited", func(t *testing.T, k *kit) { k.use(t, 5, false) }, 429, fault.RateLimited},
		{"QuotaExceeded", func(t *testing.T, k *kit) { k.use(t, 100, true); k.clock.Advance(db.Window) }, 429, fault.QuotaExceeded},
		{"ModeForbidden", func(*testing.T, *kit) {}, 403, fault.ModeForbidden},
	}
	for i, first := range traps {
		for j := i; j < len(traps); j++ {
			t.Run(first.name+"Before"+traps[j].name, func(t *testing.T) {
				k := newKit(t, db.GenericMode, 0)
				traps[j].lay(t, k)
				if i != j {
					first.lay(t, k)
				}
				called := false
				a := k.call(k.Free(gate.Terms{Endpoint: "/api/v1/thing", AccountMode: true},
					func(*web.Response, *http.Request, gate.Caller, []byte) error { called = true; return nil }))
				expect(t, a, first.status, first.code)
				if called {
					t.Error("the refused call was handled")
				}
			})
		}
	}
}

func TestFreeCall(t *testing.T) {
	t.Run("PassesCaller", func(t *testing.T) {
		k := newKit(t, db.GenericMode, 0)
		a := k.call(k.Free(gate.Terms{}, func(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
			if c.KeyID != k.key.ID || c.AccountID != k.key.AccountID || c.Mode != db.GenericMode || c.Test() || c.RequestID != w.RequestID {
				t.Errorf("caller %+v", c)
			}
			body, err := io.ReadAll(r.Body)
			if string(body) != "{}" || err != nil {
				t.Errorf("body %q, %v", body, err)
			}
			return w.JSON(200, "ok")
		}))
		expect(t, a, 200, "")
	})

	t.Run("IgnoresIdempotencyKey", func(t *testing.T) {
		k := newKit(t, db.AccountMode, 0)
		calls := 0
		h := k.Free(gate.Terms{}, func(w *web.Response, _ *http.Request, _ gate.Caller, _ []byte) error {
			calls++
			return w.JSON(200, calls)
		})
		for range 2 {
			if a := k.call(h, "Idempotency-Key", "k"); a.Header().Get("Idempotency-Replayed") != "" {
				t.Error("replayed")
			}
		}
		if calls != 2 {
			t.Errorf("handled %d times", calls)
		}
	})
}

// action is a paid endpoint whose steps the test provides.
type action struct {
	fault, refusal error
	effect         bool
	do             func(context.Context) (string, error)
	settle         func() (any, error)
}

const priceCents = 3

func (k *kit) paid(a action) web.Handler {
	return k.Paid(gate.Terms{
		Endpoint: "/api/v1/thing", PriceCents: priceCents, Idempotent: true, BodyLimit: 1024, Deadline: 10 * time.Second,
	}, gate.Action[string, string]{
		Parse:  func(_ gate.Caller, body []byte) (string, error) { return string(body), a.fault },
		Allow:  func(*db.Tx, gate.Caller, string) error { return a.refusal },
		Effect: func(gate.Caller) bool { return a.effect },
		Do: func(ctx context.Context, _ gate.Caller, req string) (string, error) {
			if a.do == nil {
				return req, nil
			}
			return a.do(ctx)
		},
		Settle: func(_ *db.Tx, _ gate.Caller, out string, receipt db.Receipt) (any, error) {
			if a.settle == nil {
				return fmt.Sprint(out, receipt.ChargedCents), nil
			}
			return a.settle()
		},
	})
}

func (k *kit) expectWallet(t *testing.T, balance, held int64) {
	t.Helper()
	if w := dbtest.MustWallet(t, k.store, k.key.AccountID); w.BalanceCents != balance || w.HeldCents != held {
		t.Errorf("balance %d, held %d, want %d and %d", w.BalanceCents, w.HeldCents, balance, held)
	}
}

func fails(err error) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return "", err }
}

var errNotYours = &fault.Error{Code: fault.ModeForbidden, Message: "not yours"}

// Allow runs after the checks of the request and before the hold on the wallet (A3).
func TestAllowRunsInOrder(t *testing.T) {
	t.Run("AfterInvalidRequest", func(t *testing.T) {
		k := newKit(t, db.AccountMode, 0)
		a := k.call(k.paid(action{fault: fault.Invalid("x", "is bad"), refusal: errNotYours}))
		expect(t, a, 400, fault.InvalidRequest)
	})
	t.Run("BeforeWallet", func(t *testing.T) {
		k := newKit(t, db.AccountMode, 0)
		a := k.call(k.paid(action{refusal: errNotYours}))
		expect(t, a, 403, fault.ModeForbidden)
		if m := k.meter(t); m.MonthUsed != 1 {
			t.Errorf("month used %d", m.MonthUsed)
		}
		expect(t, k.call(k.paid(action{})), 402, fault.InsufficientFunds)
	})
}

func TestFailedAction(t *testing.T) {
	for _, row := range []struct {
		name   string
		effect bool
		err    error
		status int
		code   fault.Code
		month  int64
		kept   bool // under its Idempotency-Key
	}{
		{"ClientsFault", false, fault.Invalid("image", "shows nothing"), 400, fault.InvalidRequest, 1, false},
		{"OwnFault", false, errors.New("boom"), 500, fault.Internal, 0, false},
		{"ProviderFailed", true, &fault.Error{Code: fault.ProviderFailed, Message: "no"}, 502, fault.ProviderFailed, 0, false},
		{"OutcomeUnknown", true, &fault.Error{Code: fault.OutcomeUnknown, Message: "who knows"}, 502, fault.OutcomeUnknown, 0, true},
		{"UnsortedAfterAnEffect", true, errors.New("boom"), 502, fault.OutcomeUnknown, 0, true},
		{"ClientGoneAfterAnEffect", true, context.Canceled, 502, fault.OutcomeUnknown, 0, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			k := newKit(t, db.AccountMode, 10)
			a := k.call(k.paid(action{effect: row.effect, do: fails(row.err)}), "Idempotency-Key", "k")
			expect(t, a, row.status, row.code)
			k.expectWallet(t, 10, 0)
			if m := k.meter(t); m.WindowUsed != 1 || m.MonthUsed != row.month {
				t.Errorf("meter %+v, want %d in the month", m, row.month)
			}
			again := k.call(k.paid(action{effect: row.effect}), "Idempotency-Key", "k")
			if row.kept {
				expect(t, again, row.status, row.code)
				if again.Body.String() != a.Body.String() || again.Header().Get("Idempotency-Replayed") != "true" {
					t.Errorf("replay %s, want %s", again.Body, a.Body)
				}
				return
			}
			expect(t, again, 200, "")
			k.expectWallet(t, 10-priceCents, 0)
		})
	}
}

// The month does not count a failed call of a test key, though the call leaves no row.
func TestFailedActionOfTestKeyIsNotCounted(t *testing.T) {
	k := newKit(t, db.AccountMode, 0)
	k.key, k.secret = dbtest.MustKey(t, k.store, k.key.AccountID, db.Test, db.AccountMode)
	expect(t, k.call(k.paid(action{do: fails(errors.New("boom"))})), 500, fault.Internal)
	if m := k.meter(t); m.WindowUsed != 1 || m.MonthUsed != 0 {
		t.Errorf("meter %+v", m)
	}
	expect(t, k.call(k.paid(action{settle: func() (any, error) { panic("boom") }})), 500, fault.Internal)
	if m := k.meter(t); m.WindowUsed != 2 || m.MonthUsed != 0 {
		t.Errorf("meter %+v", m)
	}
	expect(t, k.call(k.paid(action{do: fails(fault.Invalid("x", "is bad"))})), 400, fault.InvalidRequest)
	if m := k.meter(t); m.WindowUsed != 3 || m.MonthUsed != 1 {
		t.Errorf("meter %+v", m)
	}
}

// After the price is held, a client that hangs up changes nothing.
func TestActionOutlivesItsClient(t *testing.T) {
	k := newKit(t, db.AccountMode, 10)
	patience, hangUp := context.WithCancel(context.Background())
	h := k.paid(action{effect: true, do: func(ctx context.Context) (string, error) {
		hangUp()
		if _, limited := ctx.Deadline(); !limited {
			t.Error("the action has no deadline")
		}
		return "done", ctx.Err()
	}})
	request := httptest.NewRequest("POST", "/api/v1/thing", strings.NewReader("{}")).WithContext(patience)
	request.Header.Set("X-Api-Key", string(k.secret))
	request.Header.Set("Idempotency-Key", "k")
	k.frame.Handle(h).ServeHTTP(httptest.NewRecorder(), request)

	k.expectWallet(t, 10-priceCents, 0)
	again := k.call(k.paid(action{}), "Idempotency-Key", "k")
	expect(t, again, 200, "")
	if again.Header().Get("Idempotency-Replayed") != "true" {
		t.Error("the action ran twice")
	}
}

// After an action whose settlement fails, the outcome is unknown if the action had an
// effect outside; otherwise the call is free.
func TestFailedSettlement(t *testing.T) {
	settlements := map[string]func() (any, error){
		"Error":     func() (any, error) { return nil, errors.New("boom") },
		"Panic":     func() (any, error) { panic("boom") },
		"Unencoded": func() (any, error) { return func() {}, nil },
		"Conflict":  func() (any, error) { return nil, db.ErrConflict },
		"NotFound":  func() (any, error) { return nil, db.ErrNotFound },
	}
	for name, settle := range settlements {
		t.Run(name+"AfterAnEffect", func(t *testing.T) {
			k := newKit(t, db.AccountMode, 10)
			a := k.call(k.paid(action{effect: true, settle: settle}), "Idempotency-Key", "k")
			expect(t, a, 502, fault.OutcomeUnknown)
			k.expectWallet(t, 10, priceCents)
			k.clock.Advance(15 * time.Second)
			again := k.call(k.paid(action{effect: true}), "Idempotency-Key", "k")
			expect(t, again, 502, fault.OutcomeUnknown)
			if again.Body.String() != a.Body.String() {
				t.Errorf("two answers for one key: %s and %s", a.Body, again.Body)
			}
			k.expectWallet(t, 10, 0)
		})
		t.Run(name+"WithoutAnEffect", func(t *testing.T) {
			k := newKit(t, db.AccountMode, 10)
			a := k.call(k.paid(action{settle: settle}), "Idempotency-Key", "k")
			expect(t, a, 500, fault.Internal)
			k.clock.Advance(15 * time.Second)
			expect(t, k.call(k.paid(action{}), "Idempotency-Key", "k"), 200, "")
			k.expectWallet(t, 10-priceCents, 0)
		})
	}
}

// An action without an effect counts as not run once its lease has ended: another try may
// have begun.
func TestSlowActionWithoutEffectIsFree(t *testing.T) {
	k := newKit(t, db.AccountMode, 10)
	slow := action{do: func(context.Context) (string, error) {
		k.clock.Advance(15 * time.Second)
		if a := k.call(k.paid(action{}), "Idempotency-Key", "k"); a.Code != 200 {
			t.Errorf("next try: %d %s", a.Code, a.Body)
		}
		return "late", nil
	}}
	expect(t, k.call(k.paid(slow), "Idempotency-Key", "k"), 502, fault.ProviderFailed)
	k.expectWallet(t, 10-priceCents, 0)
}

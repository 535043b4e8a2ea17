package server

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// TestHotPathsPrepareOnce makes the calls of which there are most, and asks SQLite's counter
// SQLITE_STMTSTATUS_REPREPARE whether a statement of the writer or of the reader was
// prepared again. Only the switch between durable and relaxed commits may be: that pragma
// takes effect when it is prepared.
func TestHotPathsPrepareOnce(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	app := benchApp(t, filepath.Join(t.TempDir(), "svc.db"))
	defer app.Close()
	secrets := benchSecrets(t, app, 0)
	test := testSecret(t, app)
	calls := 0
	round := func() {
		for range 10 {
			calls++
			secret := secrets[calls%len(secrets)]
			callOK(t, app, secret, "GET", benchGet, "", "")
			callOK(t, app, secret, "POST", benchSend, benchBody, fmt.Sprint("send-", calls))
			callOK(t, app, test, "POST", "/api/v1/charges",
				`{"merchant_email":"merchant@shop.example","amount_cents":1250,"description":"Invoice 17"}`, fmt.Sprint("charge-", calls))
			callOK(t, app, test, "GET", "/api/v1/charges", "", "")
		}
	}

	round()
	before := reprepared(t, app)
	round()
	for text, n := range reprepared(t, app) {
		if n > before[text] && !strings.HasPrefix(text, "PRAGMA synchronous") {
			t.Errorf("prepared again %d times in 10 calls:\n%s", n-before[text], text)
		}
	}
	if len(before) < 15 {
		t.Errorf("only %d statements were counted: %v", len(before), before)
	}
}

// callOK makes one call, which must be answered with 200.
func callOK(t *testing.T, app *App, secret, method, path, body, idempotencyKey string) {
	t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("X-Api-Key", secret)
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	w := httptest.NewRecorder()
	app.Handler().ServeHTTP(w, r)
	if w.Code != http.StatusOK {
		t.Fatalf("%s %s: status %d: %s", method, path, w.Code, w.Body)
	}
}

// testSecret makes a test key of a new account.
func testSecret(t *testing.T, app *App) string {
	t.Helper()
	var secret db.Secret
	dbtest.Update(t, app.store, func(tx *db.Tx) error {
		account, err := benchAccount(tx, benchKeys)
		if err != nil {
			return err
		}
		_, secret, err = tx.CreateKey(db.Key{AccountID: account.ID, Env: db.Test, Mode: db.AccountMode})
		return err
	})
	return string(secret)
}

// reprepared sums the counters of the writer's and the reader's connection.
func reprepared(t *testing.T, app *App) map[string]int {
	t.Helper()
	counts := map[string]int{}
	for _, door := range []func(context.Context, func(*db.Tx) error) error{app.store.Update, app.store.View} {
		err := door(context.Background(), func(tx *db.Tx) error {
			some, err := dbtest.Reprepared(tx)
			for text, n := range some {
				counts[text] += n
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return counts
}

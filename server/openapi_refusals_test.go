package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/routers"

	"svc/db"
	"svc/server/account"
	"svc/server/openapi"
)

var pathVariable = regexp.MustCompile(`:(\w+)`)

// answerRefusals provokes what many routes refuse alike, and checks each answer: no key, a
// disabled key, no calls left in the month, nobody signed in, staff, another site's page, and
// a server without an account.
func answerRefusals(t *testing.T, app *App, router routers.Router, answered answers) {
	t.Helper()
	disabled, spent := refusedKeys(t, app)
	staff := refusedStaff(t, app)
	empty := benchApp(t, filepath.Join(t.TempDir(), "svc.db"))
	t.Cleanup(func() { _ = empty.Close() })
	for _, r := range app.routes() {
		path := pathVariable.ReplaceAllString(r.pattern, "{$1}")
		refused := func(app *App, status int, headers ...string) {
			t.Helper()
			request := httptest.NewRequest(r.method, "http://127.0.0.1:8080"+path, strings.NewReader(`{}`))
			for i := 0; i < len(headers); i += 2 {
				request.Header.Set(headers[i], headers[i+1])
			}
			answer := httptest.NewRecorder()
			app.Handler().ServeHTTP(answer, request)
			if answer.Code != status {
				t.Errorf("%s %s: status %d, want %d: %s", r.method, path, answer.Code, status, answer.Body)
			}
			checkAnswer(t, router, request, answer)
			answered.add(r.method, path, status)
		}
		switch r.who {
		case keyHolder:
			refused(app, http.StatusUnauthorized)
			refused(app, http.StatusForbidden, "X-Api-Key", disabled)
			refused(app, http.StatusTooManyRequests, "X-Api-Key", spent)
			refused(empty, http.StatusServiceUnavailable)
		case owner:
			if r.page != nil {
				continue
			}
			refused(app, http.StatusUnauthorized)
			refused(app, http.StatusForbidden, "Cookie", staff)
			refused(empty, http.StatusServiceUnavailable)
			if r.method != http.MethodGet {
				refused(app, http.StatusForbidden, "Sec-Fetch-Site", "cross-site", "Origin", "https://other.example")
			}
		}
	}
}

// refusedKeys makes a disabled key, and one that has no call left in the month.
func refusedKeys(t *testing.T, app *App) (disabled, spent string) {
	t.Helper()
	ctx := context.Background()
	const email = "refused@example.com"
	if _, err := app.Accounts.Create(ctx, account.NewAccount{Email: email, Plan: string(db.Free)}); err != nil {
		t.Fatal(err)
	}
	keys := make([]string, 2)
	for i := range keys {
		key, secret, err := app.Accounts.CreateKey(ctx, account.NewKey{Account: email, Env: string(db.Test), Mode: string(db.AccountMode)})
		if err != nil {
			t.Fatal(err)
		}
		keys[i] = string(secret)
		if i == 0 {
			err = app.Accounts.SetKeyEnabled(ctx, account.KeyRef{ID: key.ID}, false)
		} else {
			err = app.store.Update(ctx, func(tx *db.Tx) error {
				var err error
				for i := int64(0); i < db.Free.Limits().Month && err == nil; i++ {
					_, _, err = tx.CountMonth(key.ID, db.Free.Limits())
				}
				return err
			})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return keys[0], keys[1]
}

// refusedStaff returns the cookie of one of an account's staff.
func refusedStaff(t *testing.T, app *App) string {
	t.Helper()
	token, err := db.Write(context.Background(), app.store, func(tx *db.Tx) (token db.Token, err error) {
		shop, err := tx.AccountByEmail("refused@example.com")
		if err != nil {
			return "", err
		}
		sam, err := tx.AddStaff(shop.ID, "staff@example.com", "hash")
		if err != nil {
			return "", err
		}
		_, token, err = tx.StartSession(db.Session{AccountID: sam.AccountID, PersonID: sam.ID})
		return token, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "svc_session=" + string(token)
}

// refusedWebhooks are refusals of somebody who is signed in and has a disabled webhook {id}.
var refusedWebhooks = []webhookCall{
	{"PATCH", "/api/v1/webhooks/{id}", `{"events":[]}`, 400},
	{"PATCH", "/api/v1/webhooks/wh_none", `{}`, 404},
	{"POST", "/api/v1/webhooks/{id}/test", `{"event":"tea.time"}`, 400},
	{"POST", "/api/v1/webhooks/wh_none/test", ``, 404},
	{"POST", "/api/v1/webhooks/{id}/rotate-secret", `{"overlap_hours":-1}`, 400},
	{"POST", "/api/v1/webhooks/wh_none/rotate-secret", ``, 404},
	{"POST", "/api/v1/webhooks/{id}/recover", `{}`, 400},
	{"POST", "/api/v1/webhooks/{id}/recover", `{"since":"2026-03-02T09:00:00Z"}`, 409},
	{"POST", "/api/v1/webhooks/wh_none/recover", `{"since":"2026-03-02T09:00:00Z"}`, 404},
	{"GET", "/api/v1/webhooks/wh_none/deliveries", ``, 404},
	{"POST", "/api/v1/webhooks/{id}/deliveries/dlv_none/resend", ``, 404},
}

// The description has the terms of the mount: who may call, the price, and idempotency. Paths
// that it calls the same are one endpoint.
func TestOpenAPIHasTheTermsOfTheMount(t *testing.T) {
	app := benchApp(t, filepath.Join(t.TempDir(), "svc.db"))
	defer app.Close()
	api, err := openapi.Read("http://127.0.0.1:8080")
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]openapi.Operation{}
	for _, topic := range api.Topics {
		for _, o := range topic.Operations {
			for _, path := range append(slices.Clone(o.Also), o.Path) {
				described[o.Method+" "+path] = o
			}
		}
	}
	access := map[audience]openapi.Access{anyone: openapi.ByAnyone, keyHolder: openapi.ByKey, owner: openapi.BySession}
	for _, r := range app.routes() {
		if r.page != nil || r.pattern == "/static/:file" {
			continue
		}
		name := r.method + " " + pathVariable.ReplaceAllString(r.pattern, "{$1}")
		o := described[name]
		if o.Access != access[r.who] || o.PriceCents != r.terms.PriceCents || o.Idempotent != r.terms.Idempotent {
			t.Errorf("%s: access %q, price %d, idempotent %v; the mount has %+v", name, o.Access, o.PriceCents, o.Idempotent, r.terms)
		}
		if len(o.Also) > 0 && r.terms.Rolling == "" {
			t.Errorf("%s: also at %v, but they share no windows", name, o.Also)
		}
	}
}

package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/routers"

	"svc/db"
	"svc/server/account"
	"svc/server/webhook"
)

// answerWebhooks calls the management of webhooks as a browser that is signed in, and checks
// each answer. It returns what was answered.
func answerWebhooks(t *testing.T, app *App, router routers.Router) (answered answers) {
	t.Helper()
	cookie := openAPISession(t, app)
	answered = answers{}
	ids := strings.NewReplacer()
	calls := slices.Concat(webhookCalls, refusedWebhooks, []webhookCall{
		{"DELETE", "/api/v1/webhooks/{id}", "", 200},
		{"DELETE", "/api/v1/webhooks/{id}", "", 404},
	})
	for range webhook.MaxWebhooks {
		calls = append(calls, webhookCalls[1])
	}
	full := webhookCalls[1]
	full.status = http.StatusConflict
	for _, call := range append(calls, full) {
		request := httptest.NewRequest(call.method, "http://127.0.0.1:8080"+ids.Replace(call.path), strings.NewReader(call.body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Cookie", cookie)
		answer := httptest.NewRecorder()
		app.Handler().ServeHTTP(answer, request)
		if answer.Code != call.status {
			t.Fatalf("%s %s: status %d, want %d: %s", call.method, call.path, answer.Code, call.status, answer.Body)
		}
		checkAnswer(t, router, request, answer)
		var made struct{ Webhook, Delivery struct{ ID string } }
		if err := json.Unmarshal(answer.Body.Bytes(), &made); err != nil {
			t.Fatal(err)
		}
		if id := made.Webhook.ID; id != "" {
			ids = strings.NewReplacer("{id}", id)
		}
		if id := made.Delivery.ID; id != "" {
			ids = strings.NewReplacer("{id}", ids.Replace("{id}"), "{delivery}", id)
		}
		path := strings.NewReplacer("wh_none", "{id}", "dlv_none", "{delivery}").Replace(call.path)
		answered.add(call.method, path, call.status)
	}
	return answered
}

// webhookCall is a call of somebody who is signed in. {id} and {delivery} are the newest ones.
type webhookCall struct {
	method, path, body string
	status             int
}

var webhookCalls = []webhookCall{
	{"GET", "/api/v1/webhooks", "", 200},
	{"POST", "/api/v1/webhooks", `{"url":"https://hooks.example.com/svc","events":["sale.created","brief.ready"]}`, 200},
	{"POST", "/api/v1/webhooks", `{"url":"http://hooks.example.com/svc","events":["sale.created"]}`, 400},
	{"GET", "/api/v1/webhooks", "", 200},
	{"GET", "/api/v1/webhooks/{id}", "", 200},
	{"GET", "/api/v1/webhooks/wh_none", "", 404},
	{"PATCH", "/api/v1/webhooks/{id}", `{"description":"till","events":["stock.low"]}`, 200},
	{"POST", "/api/v1/webhooks/{id}/rotate-secret", `{"overlap_hours":1}`, 200},
	{"POST", "/api/v1/webhooks/{id}/test", "", 200},
	{"GET", "/api/v1/webhooks/{id}/deliveries", "", 200},
	{"POST", "/api/v1/webhooks/{id}/deliveries/{delivery}/resend", "", 200},
	{"POST", "/api/v1/webhooks/{id}/recover", `{"since":"2026-03-02T09:00:00Z"}`, 200},
	{"PATCH", "/api/v1/webhooks/{id}", `{"enabled":false}`, 200},
	{"GET", "/api/v1/webhooks/{id}/deliveries?status=dropped&limit=1", "", 200},
	{"GET", "/api/v1/webhooks/{id}/deliveries?status=lost", "", 400},
	{"POST", "/api/v1/webhooks/{id}/test", "", 409},
}

// openAPISession returns the cookie of a session of a new account.
func openAPISession(t *testing.T, app *App) string {
	t.Helper()
	ctx := context.Background()
	made, err := app.Accounts.Create(ctx, account.NewAccount{Email: "hooks@example.com"})
	if err != nil {
		t.Fatal(err)
	}
	token, err := db.Write(ctx, app.store, func(tx *db.Tx) (db.Token, error) {
		_, token, err := tx.StartSession(db.Session{AccountID: made.ID, PersonID: made.ID, Address: "127.0.0.1"})
		return token, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "svc_session=" + string(token)
}

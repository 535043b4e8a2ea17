package server

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/routers"

	"svc/db"
	"svc/server/account"
)

// answerWebhooks calls the management of webhooks as a browser that is signed in, and checks
// each answer. It returns the operations that gave a 200.
func answerWebhooks(t *testing.T, app *App, router routers.Router) (answered map[string]bool) {
	t.Helper()
	cookie := openAPISession(t, app)
	answered = map[string]bool{}
	ids := strings.NewReplacer()
	for _, call := range []struct {
		method, path, body string
		status             int
	}{
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
		{"DELETE", "/api/v1/webhooks/{id}", "", 200},
		{"DELETE", "/api/v1/webhooks/{id}", "", 404},
	} {
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
		if call.status == 200 {
			path, _, _ := strings.Cut(call.path, "?")
			answered[call.method+" "+path] = true
		}
	}
	return answered
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
		_, token, err := tx.StartSession(db.Session{AccountID: made.ID, Address: "127.0.0.1"})
		return token, err
	})
	if err != nil {
		t.Fatal(err)
	}
	return "svc_session=" + string(token)
}

package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"svc/server/account"
	"svc/server/gate"
)

// mounted is an appliance with an account, and its routes.
func mounted(t *testing.T) (*App, []route) {
	t.Helper()
	app, err := Open(context.Background(), Config{DB: filepath.Join(t.TempDir(), "svc.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := app.Close(); err != nil {
			t.Error(err)
		}
	})
	if _, err := app.Accounts.Create(context.Background(), account.NewAccount{Email: "first@example.com"}); err != nil {
		t.Fatal(err)
	}
	return app, app.routes()
}

func ask(app *App, method, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	app.Handler().ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer
}

// No keyed route answers a caller without a key, and under /api/ only the price
// list answers anyone (seed 5.2).
func TestWhoMayCall(t *testing.T) {
	app, routes := mounted(t)
	for _, r := range routes {
		t.Run(r.method+r.pattern, func(t *testing.T) {
			answer := ask(app, r.method, strings.ReplaceAll(r.pattern, ":", ""))
			switch r.who {
			case keyHolder:
				if (r.endpoint == nil) == (r.free == nil) || r.handler != nil {
					t.Error("a keyed route has an endpoint or a free handler, and nothing else")
				}
				if answer.Code != http.StatusUnauthorized || answer.Header().Get("X-Error-Code") != "invalid_key" {
					t.Errorf("without a key: %d %s", answer.Code, answer.Body)
				}
			case anyone:
				if r.handler == nil || r.endpoint != nil || r.free != nil {
					t.Error("an open route has a handler, and nothing else")
				}
				if strings.HasPrefix(r.pattern, "/api/") && r.pattern != "/api/v1/pricing" {
					t.Error("an open route under /api/")
				}
			default:
				t.Errorf("audience %d", r.who)
			}
		})
	}
}

// What a route charges is what the price list says, and nothing else is charged.
func TestPricesAreThePriceList(t *testing.T) {
	app, routes := mounted(t)
	var document struct {
		Endpoints []struct {
			Path  string `json:"path"`
			Cents int64  `json:"price_cents"`
		} `json:"endpoints"`
	}
	if err := json.Unmarshal(ask(app, "GET", "/api/v1/pricing").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	listed := map[string]int64{}
	for _, e := range document.Endpoints {
		listed[e.Path] = e.Cents
	}
	if len(listed) != 2 || listed["/api/v1/scan"] != 3 || listed["/api/v1/messaging/send"] != 2 {
		t.Fatalf("the price list says %v", listed)
	}

	paid := 0
	for _, r := range routes {
		if r.terms.PriceCents != listed[r.pattern] {
			t.Errorf("%s charges %d, the price list says %d", r.pattern, r.terms.PriceCents, listed[r.pattern])
		}
		if r.terms.PriceCents == 0 {
			continue
		}
		paid++
		if r.endpoint == nil || r.terms.Deadline == 0 || r.terms.BodyLimit == 0 || r.terms.Endpoint != r.pattern {
			t.Errorf("terms of %s: %+v", r.pattern, r.terms)
		}
	}
	if paid == 0 {
		t.Error("no route charges anything")
	}
	if gate.PriceOf("/api/v1/ask") != 0 {
		t.Error("ask has a price")
	}
}

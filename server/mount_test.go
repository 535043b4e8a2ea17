package server

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"svc/db/dbtest"
	"svc/server/account"
)

// mounted returns an appliance with an account, and its routes.
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

func call(app *App, method, path string) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	app.Handler().ServeHTTP(answer, httptest.NewRequest(method, path, nil))
	return answer
}

// Keyed routes refuse callers without a key, under /api/ only the price list is open
// (seed 5.2), and pages of the console need a session.
func TestRoutesRefuseOtherCallers(t *testing.T) {
	dbtest.Sequential(t)
	app, routes := mounted(t)
	for _, r := range routes {
		t.Run(r.method+r.pattern, func(t *testing.T) {
			answer := call(app, r.method, strings.ReplaceAll(r.pattern, ":", ""))
			switch r.who {
			case keyHolder:
				if (r.endpoint == nil) == (r.free == nil) || r.handler != nil {
					t.Error("a keyed route must have either an endpoint or a free handler")
				}
				if answer.Code != http.StatusUnauthorized || answer.Header().Get("X-Error-Code") != "invalid_key" {
					t.Errorf("without a key: %d %s", answer.Code, answer.Body)
				}
			case anyone:
				if r.handler == nil || r.endpoint != nil || r.free != nil {
					t.Error("an open route must have only a handler")
				}
				if strings.HasPrefix(r.pattern, "/api/") && r.pattern != "/api/v1/pricing" {
					t.Error("an open route under /api/")
				}
			case owner, member, operator, addressee, visitor:
				if r.api != nil {
					checkOwnerRoute(t, app, r, answer)
					return
				}
				checkPageRoute(t, app, r, answer)
			default:
				t.Errorf("audience %d", r.who)
			}
		})
	}
}

// checkOwnerRoute checks that nobody who is not signed in is served, and no write that comes
// from another site.
func checkOwnerRoute(t *testing.T, app *App, r route, answer *httptest.ResponseRecorder) {
	t.Helper()
	if r.who != owner || r.page != nil || r.handler != nil || r.endpoint != nil || r.free != nil {
		t.Error("an owner's route must have only an api")
	}
	if answer.Code != http.StatusUnauthorized || answer.Header().Get("X-Error-Code") != "sign_in_required" {
		t.Errorf("not signed in: %d %s", answer.Code, answer.Body)
	}
	if r.method != http.MethodGet {
		expectSameSiteOnly(t, app, r)
	}
}

// checkPageRoute checks that the console needs a session, and that no page accepts a form
// from another site.
func checkPageRoute(t *testing.T, app *App, r route, answer *httptest.ResponseRecorder) {
	t.Helper()
	if r.page == nil || r.handler != nil || r.endpoint != nil || r.free != nil {
		t.Error("a page's route must have only a page")
	}
	open := r.who == visitor || r.who == addressee
	if open == strings.HasPrefix(r.pattern, "/console") {
		t.Error("exactly the pages under /console must need a session")
	}
	if to := answer.Header().Get("Location"); !open && (answer.Code != http.StatusSeeOther || !strings.HasPrefix(to, "/signin?next=")) {
		t.Errorf("not signed in: %d to %q", answer.Code, to)
	}
	if r.method == http.MethodPost {
		expectSameSiteOnly(t, app, r)
	}
}

// expectSameSiteOnly checks that a write from another site's page is refused.
func expectSameSiteOnly(t *testing.T, app *App, r route) {
	t.Helper()
	foreign := httptest.NewRequest(r.method, strings.ReplaceAll(r.pattern, ":", ""), nil)
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	foreign.Header.Set("Origin", "https://evil.example")
	refused := httptest.NewRecorder()
	app.Handler().ServeHTTP(refused, foreign)
	if refused.Code != http.StatusForbidden || refused.Header().Get("X-Error-Code") != "cross_origin" {
		t.Errorf("from another site: %d %s", refused.Code, refused.Body)
	}
}

// Routes charge the prices of the price list.
func TestRoutesChargeListedPrices(t *testing.T) {
	dbtest.Sequential(t)
	app, routes := mounted(t)
	var document struct {
		Endpoints []struct {
			Path  string `json:"path"`
			Cents int64  `json:"price_cents"`
		} `json:"endpoints"`
	}
	if err := json.Unmarshal(call(app, "GET", "/api/v1/pricing").Body.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	listed := map[string]int64{}
	for _, e := range document.Endpoints {
		listed[e.Path] = e.Cents
	}
	if len(listed) != 2 || listed["/api/v1/scan"] != 3 || listed["/api/v1/messaging/send"] != 2 {
		t.Fatalf("price list %v", listed)
	}

	paid := 0
	for _, r := range routes {
		if r.terms.PriceCents != listed[r.pattern] {
			t.Errorf("%s charges %d, want %d as in the price list", r.pattern, r.terms.PriceCents, listed[r.pattern])
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
		t.Error("no route has a price")
	}
}

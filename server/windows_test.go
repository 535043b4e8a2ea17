package server

import (
	"context"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
)

// contractWindows is the table of seed 8.4, with the modes of J2.
var contractWindows = map[string]struct {
	method       string
	minute, hour int64
	accountOnly  bool
}{
	"pulse":             {"GET", 60, 1000, true},
	"alerts":            {"GET", 60, 1000, true},
	"brief":             {"GET", 60, 1000, true},
	"ask":               {"POST", 10, 100, false},
	"data/push":         {"POST", 30, 500, true},
	"tools/fx-risk":     {"GET", 20, 200, false},
	"tools/landed-cost": {"GET", 20, 200, false},
}

func TestWindowedEndpointsAreThoseOfTheContract(t *testing.T) {
	if len(db.WindowedEndpoints) != len(contractWindows) {
		t.Errorf("endpoints %v", db.WindowedEndpoints)
	}
	for _, endpoint := range db.WindowedEndpoints {
		want := contractWindows[endpoint]
		if got, ok := db.DefaultLimits(endpoint); !ok || got != (db.EndpointLimits{Minute: want.minute, Hour: want.hour}) {
			t.Errorf("%s: %+v", endpoint, got)
		}
	}
}

// Each path of seed 8.4 that is mounted has its endpoint's windows, and no other route has
// any. Of limit + 1 calls at once exactly limit pass, whichever of its paths they take.
func TestRoutesHaveTheWindowsOfTheContract(t *testing.T) {
	dbtest.Sequential(t)
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	app, err := Open(context.Background(), Config{DB: filepath.Join(t.TempDir(), "svc.db"), Clock: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	owner := account.NewAccount{Email: "windows@example.com", Plan: string(db.Business)}
	if _, err := app.Accounts.Create(context.Background(), owner); err != nil {
		t.Fatal(err)
	}
	secret := windowsKey(t, app, db.AccountMode)
	generic := windowsKey(t, app, db.GenericMode)

	paths := map[string][]string{}
	for _, r := range app.routes() {
		endpoint := strings.TrimPrefix(strings.TrimPrefix(r.pattern, "/api/v1"), "/")
		want, windowed := contractWindows[endpoint]
		if r.pattern == "/api/v1/ask" {
			windowed = false // obeys the plan (J1)
		}
		if !windowed {
			if r.terms.Rolling != "" {
				t.Errorf("%s has the windows of %s", r.pattern, r.terms.Rolling)
			}
			continue
		}
		if r.terms.Rolling != endpoint || r.method != want.method || r.terms.AccountMode != want.accountOnly || r.free == nil {
			t.Errorf("%s %s: %+v", r.method, r.pattern, r.terms)
		}
		paths[endpoint] = append(paths[endpoint], r.pattern)
		status := windowsCall(app, want.method, r.pattern, generic).Code
		if (status == http.StatusForbidden) != want.accountOnly {
			t.Errorf("%s with a generic key: %d", r.pattern, status)
		}
	}
	if len(paths) == 0 {
		t.Error("no endpoint has windows")
	}
	for endpoint, both := range paths {
		if len(both) != 2 && endpoint != "ask" {
			t.Errorf("%s is mounted at %v only", endpoint, both)
		}
		want := contractWindows[endpoint]
		for i := range want.minute {
			a := windowsCall(app, want.method, both[int(i)%len(both)], secret)
			if a.Code == http.StatusTooManyRequests {
				t.Fatalf("call %d of %s: %d %s", i+1, endpoint, a.Code, a.Body)
			}
		}
		for _, path := range both {
			if a := windowsCall(app, want.method, path, secret); a.Code != http.StatusTooManyRequests {
				t.Errorf("one more call of %s: %d", path, a.Code)
			}
		}
	}
}

func windowsKey(t *testing.T, app *App, mode db.Mode) string {
	t.Helper()
	_, secret, err := app.Accounts.CreateKey(context.Background(), account.NewKey{Account: "windows@example.com", Mode: string(mode)})
	if err != nil {
		t.Fatal(err)
	}
	return string(secret)
}

// windowsCall makes a call without parameters, which is admitted also if it is then a 400.
func windowsCall(app *App, method, path, secret string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(method, path, strings.NewReader("{}"))
	request.Header.Set("X-Api-Key", secret)
	answer := httptest.NewRecorder()
	app.Handler().ServeHTTP(answer, request)
	return answer
}

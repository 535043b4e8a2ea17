package server

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// openToStaff are the routes of people that serve staff (L11). All others are the owner's.
var openToStaff = []string{
	"GET /", "GET /docs", "GET /docs/:topic", "GET /changelog",
	"GET /setup/:token", "POST /setup/:token", "GET /signin", "POST /signin", "GET /signin/code", "POST /signin/code", "POST /signout",
	"GET /signup", "POST /signup", "POST /signup/code", "GET /recover", "POST /recover", "GET /reset/:token", "POST /reset/:token",
	"GET /join/:token", "POST /join/:token",

	"GET /console", "GET /console/brief", "POST /console/alerts/snooze", "POST /console/alerts/dismiss", "GET /console/search",
	"GET /console/settings", "POST /console/settings/password", "POST /console/settings/end", "POST /console/settings/end-others",
	"GET /console/settings/two-factor", "POST /console/settings/two-factor/begin", "POST /console/settings/two-factor/confirm",
	"POST /console/settings/two-factor/codes", "POST /console/settings/two-factor/off",

	"GET /console/ask", "POST /console/ask", "GET /console/ask/:id", "GET /console/ask/:id/table.csv",
	"POST /console/ask/:id/pin", "POST /console/ask/:id/remove", "POST /console/ask/:id/words",

	"GET /console/data", "POST /console/data/newest", "POST /console/data/sample", "POST /console/data/upload",
	"GET /console/data/upload/:id", "POST /console/data/upload/:id",
	"GET /console/data/set/:id", "GET /console/data/set/:id/rows.csv", "POST /console/data/set/:id/roles", "POST /console/data/set/:id/use",
	"POST /console/data/set/:id/undo", "POST /console/data/set/:id/remove", "POST /console/data/set/:id/words", "POST /console/data/set/:id/forget",

	"GET /console/inventory", "GET /console/inventory/export.csv", "POST /console/inventory/add", "POST /console/inventory/edit",
	"POST /console/inventory/adjust", "POST /console/inventory/undo", "POST /console/inventory/alias", "POST /console/inventory/remove", "POST /console/inventory/teach",
	"GET /console/inventory/scan", "POST /console/inventory/scan", "POST /console/inventory/scan/stock", "GET /console/inventory/import", "POST /console/inventory/import",
	"GET /console/inventory/imports/:id", "POST /console/inventory/imports/:id", "GET /console/inventory/imports/:id/problems.csv", "POST /console/inventory/imports/:id/undo", "POST /console/inventory/imports/:id/confirm", "POST /console/inventory/imports/:id/discard",

	"GET /console/messages", "GET /console/messages/new", "POST /console/messages/new", "GET /console/messages/goods", "POST /console/messages/sent",
}

// TestStaffIsServedWhatIsListed walks every route of people as one of the operator's staff:
// exactly those of the list serve them. The others answer 403 and name the owner, or, if they
// are the operator's, 404, whatever is sent.
func TestStaffIsServedWhatIsListed(t *testing.T) {
	dbtest.Sequential(t)
	app, routes := mounted(t)
	var people [2]db.Person // of staff, and the owner
	err := app.store.Update(t.Context(), func(tx *db.Tx) error {
		shop, err := tx.AccountByEmail("first@example.com")
		if err != nil {
			return err
		}
		people[1] = shop.Owner()
		people[0], err = tx.AddStaff(shop.ID, "sam@example.com", "hash")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(r route, p db.Person) *httptest.ResponseRecorder {
		var token db.Token
		err := app.store.RelaxedUpdate(t.Context(), func(tx *db.Tx) (err error) {
			_, token, err = tx.StartSession(db.Session{AccountID: p.AccountID, PersonID: p.ID})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		req := httptest.NewRequest(r.method, strings.ReplaceAll(r.pattern, ":", ""), nil)
		req.AddCookie(&http.Cookie{Name: "svc_session", Value: string(token)})
		answer := httptest.NewRecorder()
		app.Handler().ServeHTTP(answer, req)
		return answer
	}
	isForOwners := func(a *httptest.ResponseRecorder) bool {
		return a.Code == http.StatusForbidden && strings.Contains(strings.ToLower(a.Body.String()), "only the owner of")
	}

	var open []string
	for _, r := range routes {
		if r.who == keyHolder || r.who == anyone {
			continue
		}
		name := r.method + " " + r.pattern
		switch answer := ask(r, people[0]); {
		case r.who == operator:
			if answer.Code != http.StatusNotFound {
				t.Errorf("%s: %d to staff of the operator", name, answer.Code)
			}
		case !isForOwners(answer):
			open = append(open, name)
		case !strings.Contains(answer.Body.String(), "first@example.com"):
			t.Errorf("%s does not say whom to ask: %s", name, answer.Body)
		}
		if isForOwners(ask(r, people[1])) {
			t.Errorf("%s refuses the owner", name)
		}
	}
	slices.Sort(open)
	want := slices.Sorted(slices.Values(openToStaff))
	for _, name := range open {
		if !slices.Contains(want, name) {
			t.Errorf("%s serves staff and is not in the list", name)
		}
	}
	for _, name := range want {
		if !slices.Contains(open, name) {
			t.Errorf("%s does not serve staff", name)
		}
	}
}

// A route that names no audience is the owner's.
func TestRoutesAreTheOwnersUnlessTheySay(t *testing.T) {
	if (route{}).who != owner {
		t.Error("the zero audience is not the owner")
	}
}

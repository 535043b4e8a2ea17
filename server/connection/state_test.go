package connection_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/servertest"
)

// party is the key and the merchant of one request.
type party struct {
	secret  string // of its key
	keyID   string
	link    string
	address string // of the merchant
	account string // the merchant's id
}

// requestState is a state of a request, and what its page shows to each of visitors.
type requestState struct {
	name    string
	plant   func(tx *db.Tx, r *party) (db.Token, error)
	api     string // the status in the API
	page    [3]int // HTTP status of the page
	forms   [3]string
	refused [3]int // HTTP status of an action that is not offered
}

// visitors are a stranger, the addressee and another account, as in the fields of
// requestState.
var visitors = []string{"nobody", "addressee", "other"}

func requestStates() []requestState {
	nothing := [3]string{}
	everybody := func(status int) [3]int { return [3]int{status, status, status} }
	open := [3]int{200, 200, 403}
	unanswered := [3]int{401, 409, 403}
	return []requestState{
		{"pending", plantPending, "pending", open, [3]string{"signin code", "approve decline", ""}, unanswered},
		{"approved", plantApproved(db.ReadInventory), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"approvedWithNothing", plantApproved(), "approved", open, [3]string{"signin code", "revoke", ""}, unanswered},
		{"approvedLongAgo", plantApproved(db.ReadInventory), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"approvedKeyDisabled", thenDisabled(plantApproved(db.ReadInventory)), "approved", open, [3]string{"signin code", "narrow revoke", ""}, unanswered},
		{"declined", plantDeclined, "declined", everybody(200), nothing, everybody(409)},
		{"revoked", plantRevoked, "revoked", everybody(200), nothing, everybody(409)},
		{"expired", plantPending, "expired", everybody(410), nothing, everybody(410)},
		{"preview", plantPreview, "approved", everybody(200), nothing, everybody(409)},
		{"previewExpired", plantPreview, "approved", everybody(404), nothing, everybody(404)},
		{"keyDisabled", thenDisabled(plantPending), "pending", everybody(200), nothing, everybody(409)},
		{"existsElsewhere", plantExisting, "pending", everybody(200), nothing, everybody(409)},
	}
}

// linkEnded reports whether the link of the request has ended.
func (s requestState) linkEnded() bool {
	return s.name == "expired" || s.name == "previewExpired" || s.name == "approvedLongAgo"
}

func plantPending(tx *db.Tx, r *party) (db.Token, error) {
	_, token, err := plantRequest(tx, r)
	return token, err
}

func plantRequest(tx *db.Tx, r *party) (db.Connection, db.Token, error) {
	key, err := tx.Key(r.keyID)
	if err != nil {
		return db.Connection{}, "", err
	}
	return tx.CreateConnection(db.Connection{
		KeyID: key.ID, AccountID: key.AccountID, MerchantEmail: strings.ToUpper(r.address), Requested: db.AllScopes,
	})
}

func plantApproved(scopes ...string) func(tx *db.Tx, r *party) (db.Token, error) {
	return func(tx *db.Tx, r *party) (db.Token, error) {
		c, token, err := plantRequest(tx, r)
		if err != nil {
			return "", err
		}
		return token, tx.ApproveConnection(c, r.account, scopes)
	}
}

func plantDeclined(tx *db.Tx, r *party) (db.Token, error) {
	c, token, err := plantRequest(tx, r)
	if err != nil {
		return "", err
	}
	return token, tx.DeclineConnection(c)
}

func plantRevoked(tx *db.Tx, r *party) (db.Token, error) {
	token, err := plantApproved(db.ReadInventory)(tx, r)
	if err != nil {
		return "", err
	}
	c, err := tx.ConnectionByToken(token)
	if err != nil {
		return "", err
	}
	return token, tx.RevokeConnection(c, r.account)
}

// plantExisting plants a request and another one that is approved.
func plantExisting(tx *db.Tx, r *party) (db.Token, error) {
	_, token, err := plantRequest(tx, r)
	if err != nil {
		return "", err
	}
	_, err = plantApproved(db.ReadInventory)(tx, r)
	return token, err
}

func plantPreview(tx *db.Tx, r *party) (db.Token, error) { return tx.CreatePreview(r.keyID) }

func thenDisabled(plant func(tx *db.Tx, r *party) (db.Token, error)) func(tx *db.Tx, r *party) (db.Token, error) {
	return func(tx *db.Tx, r *party) (db.Token, error) {
		token, err := plant(tx, r)
		if err != nil {
			return "", err
		}
		key, err := tx.Key(r.keyID)
		if err != nil {
			return "", err
		}
		return token, tx.DisableKey(key.AccountID, key.ID)
	}
}

// transitions are all changes that the addressee's actions make (D1, D4): the status after
// a state and an action, and the forms of the page then.
var transitions = map[string]struct{ status, forms string }{
	"pending approve": {"approved", "narrow revoke"},
	"pending decline": {"declined", ""},
	"approved narrow": {"approved", "revoke"},
	"approved revoke": {"revoked", ""},
	// Narrowing to nothing again is neither a change nor an error.
	"approvedWithNothing narrow": {"approved", "revoke"},
	"approvedWithNothing revoke": {"revoked", ""},
	"approvedLongAgo narrow":     {"approved", "revoke"},
	"approvedLongAgo revoke":     {"revoked", ""},
	"approvedKeyDisabled narrow": {"approved", "revoke"},
	"approvedKeyDisabled revoke": {"revoked", ""},
}

// Every state is tried with every action of every visitor.
func TestConsentStates(t *testing.T) {
	servertest.Sequential(t)
	hash := servertest.PasswordHash()
	for _, s := range requestStates() {
		t.Run(s.name, func(t *testing.T) {
			d := newDesk(t)
			past := dbtest.NewClock()
			past.Advance(-servertest.LinkLife)
			store := d.Store
			if s.linkEnded() {
				store = dbtest.OpenAt(t, d.Path, past)
			}
			other := d.signedIn(t, d.PlantAccount(t, "other@elsewhere.example", true))
			for v, who := range visitors {
				for i, action := range slices.Concat([]string{""}, allActions) {
					t.Run(strings.TrimSpace(who+" "+action), func(t *testing.T) {
						r := party{address: fmt.Sprintf("m%d-%d@shop.example", v, i)}
						var addressee servertest.Option
						dbtest.Update(t, d.Store, func(tx *db.Tx) (err error) {
							addressee, err = d.plantParties(tx, &r, hash, s)
							return err
						})
						dbtest.Update(t, store, func(tx *db.Tx) error {
							token, err := s.plant(tx, &r)
							r.link = "/connect/" + string(token)
							return err
						})
						as := [][]servertest.Option{nil, {addressee}, {other}}[v]
						d.checkVisit(t, s, r, v, action, as)
					})
				}
			}
		})
	}
}

// plantParties makes a developer's key and a merchant, and signs the merchant in.
func (d *desk) plantParties(tx *db.Tx, r *party, hash string, s requestState) (cookie servertest.Option, err error) {
	env := db.Live
	if strings.HasPrefix(s.name, "preview") {
		env = db.Test
	}
	key, secret, err := tx.CreateKey(db.Key{AccountID: d.LiveKey.AccountID, Env: env, Mode: db.AccountMode})
	if err != nil {
		return nil, err
	}
	merchant, err := tx.CreateAccount(db.Account{
		Email: r.address, Name: "Shop", Plan: db.Free, PasswordHash: hash, VerifiedAt: tx.Now(),
	})
	if err != nil {
		return nil, err
	}
	_, session, err := tx.StartSession(db.Session{AccountID: merchant.ID, PersonID: merchant.ID})
	r.keyID, r.secret, r.account = key.ID, string(secret), merchant.ID
	return servertest.WithHeader("Cookie", "svc_session="+string(session)), err
}

// checkVisit lets a visitor act on a request and checks the pages, the rows and the API.
func (d *desk) checkVisit(t *testing.T, s requestState, r party, v int, action string, as []servertest.Option) {
	look := func(status int, forms string) {
		t.Helper()
		a := d.Browser(t).Get(t, r.link, as...)
		if got := offers(t, a); a.Status != status || got != forms {
			t.Errorf("page %d offers %q, want %d and %q", a.Status, got, status, forms)
		}
	}
	before := d.dump(t, changeable...)
	look(s.page[v], s.forms[v])
	if d.dump(t, changeable...) != before {
		t.Error("a GET changes rows")
	}
	if action == "" {
		d.expectAPI(t, r, s.api)
		return
	}

	form := formOf(action)
	if action == "signin" {
		form.Set("email", r.address)
	}
	a := d.Browser(t).Post(t, r.link+"/"+action, form, as...)
	after := d.dump(t, changeable...)
	next, moves := transitions[s.name+" "+action]
	switch {
	case moves && visitors[v] == "addressee":
		a.ExpectDone(t, r.link)
		if others := withoutKey(before, r.keyID); others != withoutKey(after, r.keyID) {
			t.Error("rows of other keys have changed")
		}
		d.expectAPI(t, r, next.status)
		look(200, next.forms)
		return
	case form.Has("password") || action == "code":
		d.checkSignIn(t, s, r, v, action, a, before, after)
	default:
		if a.Status != s.refused[v] || offers(t, a) != s.forms[v] {
			t.Errorf("answer %d offers %q, want %d and %q", a.Status, offers(t, a), s.refused[v], s.forms[v])
		}
		if after != before {
			t.Error("rows have changed")
		}
	}
	look(s.page[v], s.forms[v])
	d.expectAPI(t, r, s.api)
}

// checkSignIn checks an attempt to sign in or up: it works where the page offers it, and
// leads back to the request otherwise.
func (d *desk) checkSignIn(t *testing.T, s requestState, r party, v int, action string, a servertest.Answer, before, after string) {
	t.Helper()
	offered := strings.HasPrefix(s.forms[v], "signin")
	want := map[bool]map[string]int{
		true:  {"signin": 303, "code": 200, "signup": 400}, // the code is wrong
		false: {"signin": 303, "code": 303, "signup": 303},
	}[offered][action]
	if s.refused[v] == 404 {
		want = 404
	}
	if a.Status != want || a.Status == 303 && a.Header.Get("Location") != r.link {
		t.Errorf("answer %d %v, want %d", a.Status, a.Header, want)
	}
	if cookie := len(a.Header["Set-Cookie"]) > 0; cookie != (offered && action == "signin") {
		t.Errorf("signed in: %v", cookie)
	}
	if mails := len(d.Outbox(t, r.address)); (mails == 1) != (offered && action == "code") {
		t.Errorf("%d mails", mails)
	}
	if offered && action != "signup" {
		before, after = onlyRows(before, "connections"), onlyRows(after, "connections")
	}
	if after != before {
		t.Error("rows have changed")
	}
}

// expectAPI checks the status of a request as its developer sees it.
func (d *desk) expectAPI(t *testing.T, r party, want string) {
	t.Helper()
	if err := d.App.Accounts.SetKeyEnabled(context.Background(), account.KeyRef{ID: r.keyID}, true); err != nil {
		t.Fatal(err)
	}
	all := d.Connections(t, r.secret)
	if got := all[len(all)-1]; got["status"] != want { // existsElsewhere has two
		if len(all) < 2 || all[0]["status"] != want {
			t.Errorf("the API lists %v, want %s", all, want)
		}
	}
}

// onlyRows returns a dump's rows of one table.
func onlyRows(dump, table string) (kept string) {
	for line := range strings.Lines(dump) {
		if strings.HasPrefix(line, table+" ") {
			kept += line
		}
	}
	return kept
}

// withoutKey returns a dump without the rows of one key.
func withoutKey(dump, keyID string) (kept string) {
	for line := range strings.Lines(dump) {
		if !strings.Contains(line, keyID) {
			kept += line
		}
	}
	return kept
}

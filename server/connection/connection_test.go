package connection_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
)

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

// desk adds to the desk of servertest the database file, past the store.
type desk struct {
	*servertest.Desk
	file *sql.DB
}

func newDesk(t *testing.T, change ...func(*server.Config)) *desk {
	t.Helper()
	d := &desk{Desk: servertest.NewDesk(t, change...)}
	var err error
	if d.file, err = sql.Open("sqlite", "file:"+d.Path+"?mode=ro&_pragma=busy_timeout(5000)"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.file.Close() })
	return d
}

// connectionOf returns the connection of a POST's answer.
func connectionOf(t *testing.T, a servertest.Answer) map[string]any {
	t.Helper()
	a.Expect(t, 200, "")
	made, _ := a.Field(t, "connection").(map[string]any)
	return made
}

// expectStatus checks the status of the key's newest connection.
func (d *desk) expectStatus(t *testing.T, want string) {
	t.Helper()
	if got := d.Newest(t)["status"]; got != want {
		t.Errorf("status %v, want %s", got, want)
	}
}

// dump returns every row of some tables as text.
func (d *desk) dump(t *testing.T, tables ...string) (all string) {
	t.Helper()
	for _, table := range tables {
		all += dumpTable(t, d.file, table)
	}
	return all
}

func dumpTable(t *testing.T, file *sql.DB, table string) (all string) {
	t.Helper()
	rows, err := file.Query("SELECT * FROM " + table + " ORDER BY 1, 2")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, into := make([]any, len(columns)), make([]any, len(columns))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			t.Fatal(err)
		}
		all += table
		for i, value := range values {
			if columns[i] == "seen_at" || columns[i] == "ends_at" {
				continue // each visit changes these
			}
			all += fmt.Sprintf(" %s=%q", columns[i], fmt.Sprint(value))
		}
		all += "\n"
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// changeable are the tables that a page may change.
var changeable = []string{"connections", "previews", "accounts", "sessions", "codes", "links", "mails"}

// expectUntouched checks that do changes no row of these tables.
func (d *desk) expectUntouched(t *testing.T, do func()) {
	t.Helper()
	before := d.dump(t, changeable...)
	do()
	if after := d.dump(t, changeable...); after != before {
		t.Errorf("rows have changed\nbefore:\n%s\nafter:\n%s", before, after)
	}
}

// expectJSON compares a value of a JSON body as a whole.
func expectJSON(t *testing.T, got any, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("JSON\n%v, want\n%v", got, want)
	}
}

// apiTime is a time as the API writes it (L5).
func apiTime(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }

// setKeyEnabled disables or enables the developer's key.
func (d *desk) setKeyEnabled(t *testing.T, enabled bool) {
	t.Helper()
	if err := d.App.Accounts.SetKeyEnabled(context.Background(), account.KeyRef{ID: d.LiveKey.ID}, enabled); err != nil {
		t.Fatal(err)
	}
}

var (
	connectionID = regexp.MustCompile(`^conn_[0-9a-hjkmnp-tv-z]{26}$`)
	connectPath  = regexp.MustCompile(`^/connect/[A-Za-z0-9_-]{43}$`)
	readScope    = []any{"read_inventory"}
)

// The fields of a connection are exactly those of seed 4.4 and 4.5 (D11).
func TestConnectionFields(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
	d.Clock.Advance(122_456 * time.Microsecond)
	a := d.Request(t, `{"merchant_email":"`+servertest.Mia+`","scopes":["read_inventory"]}`)
	began := d.Clock.Now()
	made, link := connectionOf(t, a), servertest.ConfirmationURL(t, a)
	id, _ := made["id"].(string)
	if !connectionID.MatchString(id) {
		t.Errorf("id %q", id)
	}
	if origin := "https://console.example.com"; !strings.HasPrefix(link, origin) || !connectPath.MatchString(strings.TrimPrefix(link, origin)) {
		t.Errorf("confirmation_url %q", link)
	}
	expectJSON(t, a.Fields(t), map[string]any{
		"confirmation_url": link,
		"connection": map[string]any{
			"id": id, "merchant_email": servertest.Mia, "status": "pending", "scopes": readScope,
			"created_at": apiTime(began), "expires_at": apiTime(began.Add(servertest.LinkLife)),
		},
	})
	if apiTime(began) != "2026-03-02T10:00:00.123Z" {
		t.Errorf("created_at %v", made["created_at"])
	}

	listed := map[string]any{
		"id": id, "merchant_email": servertest.Mia, "merchant_user_id": nil, "status": "pending", "scopes": readScope,
		"created_at": apiTime(began), "approved_at": nil, "revoked_at": nil,
	}
	expectJSON(t, d.Newest(t), listed)

	d.Clock.Advance(time.Hour)
	d.Merchant.Post(t, servertest.Path(link)+"/approve", servertest.Ticked("read_inventory")).Expect(t, 303, "")
	listed["status"], listed["merchant_user_id"], listed["approved_at"] = "approved", d.MerchantID, apiTime(d.Clock.Now())
	expectJSON(t, d.Newest(t), listed)

	d.Clock.Advance(time.Hour)
	d.Merchant.Post(t, servertest.Path(link)+"/revoke", nil).Expect(t, 303, "")
	listed["status"], listed["revoked_at"] = "revoked", apiTime(d.Clock.Now())
	expectJSON(t, d.Newest(t), listed)

	d.Clock.Advance(time.Hour)
	link = d.Ask(t)
	d.Merchant.Post(t, servertest.Path(link)+"/decline", nil).Expect(t, 303, "")
	expectJSON(t, d.Newest(t), map[string]any{
		"id": d.Newest(t)["id"], "merchant_email": servertest.Mia, "merchant_user_id": nil, "status": "declined", "scopes": readScope,
		"created_at": apiTime(d.Clock.Now()), "approved_at": nil, "revoked_at": nil,
	})
	expectJSON(t, d.Connections(t, d.Secret)[1], listed)
}

// The actions of a link.
var (
	decisions  = []string{"approve", "decline", "narrow", "revoke"}
	allActions = slices.Concat(decisions, []string{"code", "signup", "signin"})
)

// formOf returns a good form for an action, except that no code was mailed.
func formOf(action string) url.Values {
	switch action {
	case "approve":
		return servertest.Ticked("read_inventory")
	case "signin":
		return url.Values{"email": {servertest.Mia}, "password": {servertest.Password}}
	case "signup":
		return url.Values{"code": {"12345"}, "name": {"Mia"}, "password": {servertest.Password}}
	}
	return nil
}

// GET lists the newest 200 of the key, newest first (D10).
func TestConnectionsListed(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	if a := d.Call(t, "GET", servertest.ConnectionsPath, nil, servertest.WithKey(d.Secret)); string(a.Body) != `{"connections":[]}`+"\n" {
		t.Errorf("none: %s", a.Body)
	}
	_, sibling := d.Key(t, d.Developer, db.Live, db.AccountMode)
	_, stranger := d.freeKey(t, "other@acme.example")
	_, fixture := d.Key(t, d.Developer, db.Test, db.AccountMode)

	const planted = 205
	for i := range planted {
		d.Clock.Advance(time.Millisecond)
		err := d.Store.RelaxedUpdate(context.Background(), func(tx *db.Tx) error {
			_, _, err := tx.CreateConnection(db.Connection{
				KeyID: d.LiveKey.ID, AccountID: d.LiveKey.AccountID, MerchantEmail: fmt.Sprintf("m%d@shop.example", i), Requested: db.AllScopes,
			})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	a := d.Call(t, "GET", servertest.ConnectionsPath+"?limit=1&status=approved", "no JSON", servertest.WithKey(d.Secret))
	if rows, _ := a.Field(t, "connections").([]any); len(rows) != 200 {
		t.Errorf("with query parameters, which do not exist, %d are listed, want 200", len(rows))
	}
	all := d.Connections(t, d.Secret)
	if len(all) != 200 {
		t.Fatalf("%d are listed, want 200", len(all))
	}
	for i, one := range all {
		if want := fmt.Sprintf("m%d@shop.example", planted-1-i); one["merchant_email"] != want {
			t.Fatalf("number %d is %v, want %s", i, one["merchant_email"], want)
		}
	}
	for name, secret := range map[string]string{"a key of the same account": sibling, "another account's": stranger} {
		if got := d.Connections(t, secret); len(got) != 0 {
			t.Errorf("%s sees %v", name, got)
		}
	}
	if got := d.Connections(t, fixture); len(got) != 1 || got[0]["test_mode"] != true {
		t.Errorf("a test key sees %v", got)
	}
}

// A pending connection is shown as expired once its link has ended; no row is written for
// that (D1).
func TestConnectionExpires(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.Ask(t)
	d.Clock.Advance(servertest.LinkLife - time.Millisecond)
	d.expectStatus(t, "pending")
	d.expectUntouched(t, func() {
		d.Clock.Advance(time.Millisecond)
		d.expectStatus(t, "expired")
		got := d.Newest(t)
		if got["merchant_user_id"] != nil || got["approved_at"] != nil || got["revoked_at"] != nil {
			t.Errorf("expired: %v", got)
		}
	})
	if !strings.Contains(d.dump(t, "connections"), `status="pending"`) {
		t.Error("the stored status has changed to expired")
	}
	connectionOf(t, d.Request(t, servertest.AskMia))
}

// Parallel POSTs make one connection each, and one mail (L10).
func TestConnectionsMadeInParallel(t *testing.T) {
	d := newDesk(t)
	const n = 40
	ids := make([]string, n)
	count := servertest.Parallel(n, func(i int) int {
		a := d.Request(t, servertest.AskMia)
		var body struct {
			Connection struct{ ID string }
		}
		if err := json.Unmarshal(a.Body, &body); err != nil {
			t.Error(err)
		}
		ids[i] = body.Connection.ID
		return a.Status
	})
	slices.Sort(ids)
	if count[200] != n || len(slices.Compact(ids)) != n || len(d.Connections(t, d.Secret)) != n || len(d.Outbox(t, servertest.Mia)) != 1 {
		t.Errorf("answers %v, %d ids, %d listed, %d mails", count, len(slices.Compact(ids)), len(d.Connections(t, d.Secret)), len(d.Outbox(t, servertest.Mia)))
	}
}

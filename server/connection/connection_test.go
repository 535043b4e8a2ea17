package connection_test

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/mail/mailtest"
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

// connectionOf is the connection of a POST's answer.
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

// dump is every row of some tables, as text.
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
				continue // a visit moves them on
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

// whatPeopleChange are the tables that a page may change.
var whatPeopleChange = []string{"connections", "previews", "accounts", "sessions", "codes", "links", "mails"}

// expectUntouched checks that do changes no row of what pages and requests may change.
func (d *desk) expectUntouched(t *testing.T, do func()) {
	t.Helper()
	before := d.dump(t, whatPeopleChange...)
	do()
	if after := d.dump(t, whatPeopleChange...); after != before {
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
	if err := d.App.Accounts.SetKeyEnabled(context.Background(), d.LiveKey.ID, enabled); err != nil {
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

// fixtureOf is the connection of a test key as D9 has it: made from the key alone.
func fixtureOf(key db.Key) (created, listed map[string]any) {
	sum := sha256.Sum256([]byte(key.ID))
	id := "conn_test_" + hex.EncodeToString(sum[:])[:12]
	created = map[string]any{
		"id": id, "merchant_email": "sandbox-merchant@example.com", "status": "approved", "scopes": readScope,
		"created_at": apiTime(key.CreatedAt), "expires_at": apiTime(key.CreatedAt.Add(servertest.LinkLife)), "test_mode": true,
	}
	listed = map[string]any{
		"id": id, "merchant_email": "sandbox-merchant@example.com", "merchant_user_id": "acct_sandbox_merchant",
		"status": "approved", "scopes": readScope, "created_at": apiTime(key.CreatedAt),
		"approved_at": apiTime(key.CreatedAt), "revoked_at": nil, "test_mode": true,
	}
	return created, listed
}

func TestConnectionFixture(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.Ask(t) // a live key's connection is not the test key's
	d.Clock.Advance(50 * time.Hour)
	key, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
	other, otherSecret := d.Key(t, d.Developer, db.Test, db.GenericMode)
	mailed := len(d.Outbox(t, ""))
	created, listed := fixtureOf(key)

	links := map[string]bool{}
	for _, wait := range []time.Duration{0, time.Hour, 8 * 24 * time.Hour, 400 * 24 * time.Hour} {
		d.Clock.Advance(wait)
		for _, body := range []string{
			servertest.AskMia, servertest.AskMia, `{"merchant_email":"sandbox-merchant@example.com"}`, `{"merchant_email":"a@b","scopes":["read_inventory"]}`,
		} {
			a := d.Request(t, body, servertest.WithKey(secret))
			link := servertest.ConfirmationURL(t, a)
			expectJSON(t, a.Fields(t), map[string]any{"connection": created, "confirmation_url": link})
			if links[link] || !strings.HasPrefix(link, d.URL) || !connectPath.MatchString(servertest.Path(link)) {
				t.Errorf("confirmation_url %q", link)
			}
			links[link] = true
		}
		expectJSON(t, d.Connections(t, secret), []map[string]any{listed})
	}

	otherCreated, otherListed := fixtureOf(other)
	expectJSON(t, connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithKey(otherSecret))), otherCreated)
	expectJSON(t, d.Connections(t, otherSecret), []map[string]any{otherListed})
	if otherCreated["id"] == created["id"] {
		t.Error("two keys have one fixture")
	}
	if rows := strings.Count(d.dump(t, "connections"), "\n"); rows != 1 || len(d.Outbox(t, "")) != mailed {
		t.Errorf("%d connections are stored, %d mails, want the live key's alone", rows, len(d.Outbox(t, "")))
	}
}

// A test key's link shows what a merchant would see, decides nothing, and lives as
// long as any.
func TestConnectionPreview(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	d.plantItems(t, d.MerchantID, db.ItemChange{Name: "Mia's own"})
	_, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
	link := d.Ask(t, servertest.WithKey(secret))

	for _, b := range []*servertest.Browser{d.Browser(t), d.Merchant} {
		d.expectUntouched(t, func() {
			page := b.Get(t, link)
			if page.Status != 200 || !page.Says("Preview of a test key") || !page.Says("sandbox-merchant@example.com") ||
				len(page.Forms()) != 0 || page.Says("Mia") || page.Says(servertest.Mia+"</") {
				t.Errorf("%d %s", page.Status, page.Body)
			}
			for _, action := range allActions {
				a := b.Post(t, link+"/"+action, formOf(action))
				if a.Status != 409 && (a.Status != 303 || a.Header.Get("Location") != servertest.Path(link)) || len(a.Header["Set-Cookie"]) != 0 {
					t.Errorf("%s: %d %v", action, a.Status, a.Header)
				}
			}
		})
	}

	d.Clock.Advance(servertest.LinkLife - time.Millisecond)
	if a := d.Browser(t).Get(t, link); a.Status != 200 {
		t.Errorf("just before its end: %d", a.Status)
	}
	d.Clock.Advance(time.Millisecond)
	expectNoRequest(t, d.Browser(t).Get(t, link))
	expectNoRequest(t, d.Browser(t).Post(t, link+"/approve", servertest.Ticked("read_inventory")))
	d.plantPreviews(t, 450)
	d.Clock.Advance(servertest.LinkLife)
	second := d.Ask(t, servertest.WithKey(secret))
	if err := d.App.Connections.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}
	if left := strings.Count(d.dump(t, "previews"), "\n"); left != 1 || d.Browser(t).Get(t, second).Status != 200 {
		t.Errorf("%d previews are left after the sweep, want the one that lives", left)
	}
}

func (d *desk) plantPreviews(t *testing.T, n int) {
	t.Helper()
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		for range n {
			if _, err := tx.CreatePreview(d.LiveKey.ID); err != nil {
				return err
			}
		}
		return nil
	})
}

// The actions of a link.
var (
	decisions  = []string{"approve", "decline", "narrow", "revoke"}
	allActions = slices.Concat(decisions, []string{"code", "signup", "signin"})
)

// formOf is a good form for an action, but for the code, which nobody was sent.
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

// badRequest is a body, and the sentence about it; one that ends in a blank is only
// its beginning.
type badRequest struct{ name, body, sentence string }

func asking(value string) string { return `{"merchant_email":` + value + `}` }

func askingFor(value string) string {
	return `{"merchant_email":"` + servertest.Mia + `","scopes":` + value + `}`
}

func badRequests() []badRequest {
	const (
		notOne   = "merchant_email: must be one e-mail address, like name@example.com"
		required = "merchant_email: is required"
		noText   = "merchant_email: must be a string"
		unknown  = "scopes: knows only read_inventory"
		noArray  = "scopes: must be an array of strings"
		noJSON   = "body: is not valid JSON: "
	)
	return []badRequest{
		{"Empty", "", "body: must be a JSON object, not empty"},
		{"Null", "null", "body: must be a JSON object"},
		{"Array", "[" + servertest.AskMia + "]", "body: must be a JSON object"},
		{"Broken", servertest.AskMia[:len(servertest.AskMia)-1], noJSON},
		{"TwoValues", servertest.AskMia + servertest.AskMia, noJSON},
		{"TrailingGarbage", servertest.AskMia + "x", noJSON},
		{"Form", "merchant_email=mia%40shop.example", noJSON},
		{"InvalidUTF8", asking("\"m\xff@shop.example\""), "merchant_email: is not valid UTF-8"},
		{"TooLarge", servertest.AskMia + strings.Repeat(" ", 64<<10), "body: must be at most 64 KiB"},

		{"EmailMissing", "{}", required},
		{"EmailNull", asking("null"), required},
		{"EmailEmpty", asking(`""`), required},
		{"EmailBlank", asking(`" \t\u00a0"`), required},
		{"EmailNumber", asking("12"), noText},
		{"EmailArray", asking(`["` + servertest.Mia + `"]`), noText},
		{"EmailObject", asking(`{"email":"` + servertest.Mia + `"}`), noText},
		{"EmailBoolean", asking("true"), noText},
		{"EmailUnderAnotherName", `{"email":"` + servertest.Mia + `"}`, required},
		{"EmailNameInOtherCase", `{"Merchant_Email":"` + servertest.Mia + `"}`, required},
		{"EmailLastOfTwoIsBad", `{"merchant_email":"` + servertest.Mia + `","merchant_email":"mia"}`, notOne},
		{"EmailWithDisplayName", asking(`"Mia <` + servertest.Mia + `>"`), notOne},
		{"EmailInAngleBrackets", asking(`"<` + servertest.Mia + `>"`), notOne},
		{"EmailWithComment", asking(`"` + servertest.Mia + ` (Mia)"`), notOne},
		{"EmailWithSpaces", asking(`" ` + servertest.Mia + `"`), notOne},
		{"EmailWithLineBreak", asking(`"` + servertest.Mia + `\n"`), notOne},
		{"EmailWithHeader", asking(`"` + servertest.Mia + `\r\nBcc: eve@example.com"`), notOne},
		{"EmailWithFoldedHeader", asking(`"mia\r\n @shop.example"`), notOne},
		{"EmailWithNUL", asking(`"mia\u0000@shop.example"`), "merchant_email: must not contain NUL characters"},
		{"TwoEmails", asking(`"` + servertest.Mia + `,eve@example.com"`), notOne},
		{"TwoEmailsInAGroup", asking(`"all: ` + servertest.Mia + `, eve@example.com;"`), notOne},
		{"EmailWithoutAt", asking(`"mia.shop.example"`), notOne},
		{"EmailWithTwoAts", asking(`"mia@shop@example.com"`), notOne},
		{"EmailWithoutName", asking(`"@shop.example"`), notOne},
		{"EmailWithoutDomain", asking(`"mia@"`), notOne},
		{"EmailWithTwoDots", asking(`"mia@shop..example"`), notOne},
		{"EmailQuoted", asking(`"\"mia b\"@shop.example"`), notOne},
		{"EmailOf255", asking(`"` + longEmail(255) + `"`), "merchant_email: must be at most 254 characters, not 255"},
		{"EmailOf300", asking(`"` + longEmail(300) + `"`), "merchant_email: must be at most 254 characters, not 300"},
		{"EmailOf255Bytes", asking(`"é` + longEmail(253) + `"`), notOne},
		{"EmailWithLongName", asking(`"` + strings.Repeat("m", 65) + `@shop.example"`), notOne},

		{"ScopesNull", askingFor("null"), noArray},
		{"ScopesNone", askingFor("[]"), "scopes: must name at least one scope; leave it out for all of them"},
		{"ScopesString", askingFor(`"read_inventory"`), noArray},
		{"ScopesNumber", askingFor("1"), noArray},
		{"ScopesBoolean", askingFor("true"), noArray},
		{"ScopesObject", askingFor(`{"read_inventory":true}`), noArray},
		{"ScopesOfNumbers", askingFor("[1]"), noArray},
		{"ScopesOfNull", askingFor("[null]"), noArray},
		{"ScopesPartlyText", askingFor(`["read_inventory",1]`), noArray},
		{"ScopesNested", askingFor(`[["read_inventory"]]`), noArray},
		{"ScopesUnknown", askingFor(`["write_inventory"]`), unknown},
		{"ScopesPartlyUnknown", askingFor(`["read_inventory","read_sales"]`), unknown},
		{"ScopesInOtherCase", askingFor(`["READ_INVENTORY"]`), unknown},
		{"ScopesWithSpace", askingFor(`["read_inventory "]`), unknown},
		{"ScopesTwoInOne", askingFor(`["read_inventory read_inventory"]`), unknown},
		{"ScopesEmptyText", askingFor(`[""]`), unknown},
	}
}

// longEmail is an address of so many characters.
func longEmail(length int) string {
	return "m@" + strings.Repeat("abcdefg.", length)[:length-3] + "x"
}

// A bad request is a 400 that names the field and nothing else; nothing is stored or
// mailed of it, but it counts (A4, A9, A10). Test keys are no exception (D9).
func TestConnectionBadRequest(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	_, testSecret := d.Key(t, d.Developer, db.Test, db.AccountMode)
	for _, row := range badRequests() {
		t.Run(row.name, func(t *testing.T) {
			d.Clock.Advance(time.Second)
			for _, secret := range []string{d.Secret, testSecret} {
				d.expectUntouched(t, func() {
					a := d.Request(t, row.body, servertest.WithKey(secret))
					a.Expect(t, 400, "invalid_request")
					sentence, _ := a.Field(t, "error").(string)
					if len(a.Fields(t)) != 1 || sentence != row.sentence && !(strings.HasSuffix(row.sentence, ": ") && strings.HasPrefix(sentence, row.sentence)) {
						t.Errorf("%s, want %q", a.Body, row.sentence)
					}
				})
			}
		})
	}
	if used := d.monthUsed(t, d.LiveKey.ID); used != int64(len(badRequests())) {
		t.Errorf("the month counts %d calls, want %d", used, len(badRequests()))
	}
}

func (d *desk) monthUsed(t *testing.T, keyID string) int64 {
	t.Helper()
	var m db.Meter
	dbtest.View(t, d.Store, func(tx *db.Tx) (err error) {
		m, err = tx.Meter(keyID)
		return err
	})
	return m.MonthUsed
}

// What is odd and still good.
func TestConnectionGoodRequest(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	kept := func(address string) badRequest { return badRequest{address, asking(`"` + address + `"`), address} }
	for _, row := range []badRequest{ // whose sentence is the address
		{"ScopesExplicit", askingFor(`["read_inventory"]`), servertest.Mia},
		{"ScopesRepeated", askingFor(`["read_inventory","read_inventory","read_inventory"]`), servertest.Mia},
		{"ScopesEscaped", askingFor(`["read\u005finventory"]`), servertest.Mia},
		{"ScopesLastOfTwoIsGood", `{"merchant_email":"` + servertest.Mia + `","scopes":[],"scopes":["read_inventory"]}`, servertest.Mia},
		{"UnknownFields", `{"status":"approved","merchant_user_id":1,"test_mode":[],"Scopes":null,` + servertest.AskMia[1:], servertest.Mia},
		{"WhiteSpaceAround", "\r\n\t " + servertest.AskMia + " \n", servertest.Mia},
		{"ExactlyAtTheCap", servertest.AskMia + strings.Repeat(" ", 64<<10-len(servertest.AskMia)), servertest.Mia},
		kept("MIA@Shop.EXAMPLE"), kept("mia+svc@shop.example"), kept("o'mia@shop.example"), kept("mia@localhost"),
		kept("jörg@bücher.example"), kept(strings.Repeat("m", 64) + "@shop.example"), kept(longEmail(254)),
	} {
		t.Run(row.name, func(t *testing.T) {
			d.Clock.Advance(time.Minute)
			made := connectionOf(t, d.Request(t, row.body))
			if made["merchant_email"] != row.sentence || made["status"] != "pending" || !reflect.DeepEqual(made["scopes"], readScope) {
				t.Errorf("made %v", made)
			}
			if listed := d.Newest(t); listed["merchant_email"] != row.sentence || listed["id"] != made["id"] {
				t.Errorf("listed %v", listed)
			}
			if to := d.Outbox(t, row.sentence)[0].To; to != row.sentence {
				t.Errorf("mailed to %q", to)
			}
		})
	}

	t.Run("WhateverTheContentType", func(t *testing.T) {
		for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "nonsense"} {
			connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithHeader("Content-Type", kind)))
		}
	})
	t.Run("InChunks", func(t *testing.T) {
		connectionOf(t, d.Request(t, io.MultiReader(strings.NewReader(servertest.AskMia))))
	})
	t.Run("GenericKey", func(t *testing.T) {
		_, secret := d.Key(t, d.Developer, db.Live, db.GenericMode)
		made := connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithKey(secret)))
		all := d.Connections(t, secret)
		if made["status"] != "pending" || len(all) != 1 || all[0]["id"] != made["id"] {
			t.Errorf("made %v, listed %v", made, all)
		}
	})
}

// On connections the Idempotency-Key is ignored (B6).
func TestConnectionIdempotencyKeyIsIgnored(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	first, second := d.Request(t, servertest.AskMia, withKeyK), d.Request(t, servertest.AskMia, withKeyK)
	if connectionOf(t, first)["id"] == connectionOf(t, second)["id"] || servertest.ConfirmationURL(t, first) == servertest.ConfirmationURL(t, second) {
		t.Errorf("%s is %s", first.Body, second.Body)
	}
	if second.Header.Get("Idempotency-Replayed") != "" || len(d.Connections(t, d.Secret)) != 2 || len(d.Outbox(t, servertest.Mia)) != 2 {
		t.Errorf("headers %v, %d connections, %d mails", second.Header, len(d.Connections(t, d.Secret)), len(d.Outbox(t, servertest.Mia)))
	}
	if used := d.monthUsed(t, d.LiveKey.ID); used < 2 {
		t.Errorf("the month counts %d calls", used)
	}
}

func TestConnectionRefusals(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	methods := []string{http.MethodPost, http.MethodGet}
	call := func(t *testing.T, method, secret, body string) servertest.Answer {
		return d.Call(t, method, servertest.ConnectionsPath, body, servertest.WithKey(secret))
	}

	t.Run("NoKey", func(t *testing.T) {
		for _, method := range methods {
			for _, secret := range []string{"", "nonsense", d.Secret + "0"} {
				a := call(t, method, secret, servertest.AskMia)
				a.ExpectBody(t, 401, `{"error":"missing or invalid API key: send it in the x-api-key header"}`+"\n")
				a.Expect(t, 401, "invalid_key")
			}
		}
	})

	t.Run("SessionIsNoKey", func(t *testing.T) {
		d.Merchant.Get(t, servertest.ConnectionsPath).Expect(t, 401, "invalid_key")
	})

	t.Run("DisabledKey", func(t *testing.T) {
		d.setKeyEnabled(t, false)
		defer d.setKeyEnabled(t, true)
		for _, method := range methods {
			a := call(t, method, d.Secret, "{")
			a.ExpectBody(t, 403, `{"error":"this API key is disabled"}`+"\n")
			a.Expect(t, 403, "key_disabled")
		}
	})

	t.Run("OtherMethod", func(t *testing.T) {
		for _, method := range []string{"PUT", "PATCH", "DELETE", "OPTIONS"} {
			a := call(t, method, d.Secret, "")
			a.Expect(t, 405, "method_not_allowed")
			if allow := a.Header.Get("Allow"); allow != "GET, HEAD, POST" {
				t.Errorf("Allow: %s", allow)
			}
		}
	})

	t.Run("OtherPath", func(t *testing.T) {
		made := connectionOf(t, d.Request(t, servertest.AskMia))
		for _, path := range []string{"/", "/" + made["id"].(string), "/" + made["id"].(string) + "/revoke"} {
			d.Call(t, "GET", servertest.ConnectionsPath+path, nil, servertest.WithKey(d.Secret)).Expect(t, 404, "not_found")
		}
	})

	t.Run("OverTheMinute", func(t *testing.T) {
		_, secret := d.freeKey(t, "minute@acme.example")
		for want := 4; want >= 0; want-- {
			a := d.Request(t, servertest.AskMia, servertest.WithKey(secret))
			if a.Expect(t, 200, ""); a.Remaining() != want || a.Header.Get("X-RateLimit-Limit") != "5" {
				t.Errorf("headers %v, want %d remaining of 5", a.Header, want)
			}
		}
		for _, method := range methods {
			a := call(t, method, secret, "{")
			a.ExpectBody(t, 429, `{"error":"rate_limit_exceeded",`+
				`"message":"more than 5 calls in a minute; try again in 60 s","retry_after":60}`+"\n")
		}
	})

	t.Run("OverTheMonth", func(t *testing.T) {
		key, secret := d.freeKey(t, "month@acme.example")
		dbtest.Update(t, d.Store, func(tx *db.Tx) error {
			for range 99 {
				if _, _, err := tx.Count(key.ID, db.Limits{Month: db.Unlimited, Minute: 1000}, true); err != nil {
					return err
				}
			}
			return nil
		})
		d.Clock.Advance(db.Window)
		call(t, http.MethodPost, secret, "{").Expect(t, 400, "invalid_request") // the hundredth
		for _, method := range methods {
			a := call(t, method, secret, "{")
			expectJSON(t, a.Fields(t), map[string]any{
				"error": "monthly quota exceeded: the free plan includes 100 calls a month",
				"plan":  "free", "limit": 100.0, "used": 100.0, "resets_at": "2026-04-01T00:00:00Z",
			})
			a.Expect(t, 429, "quota_exceeded")
		}
	})
}

// freeKey makes a live key of another account, on the free plan.
func (d *desk) freeKey(t *testing.T, owner string) (db.Key, string) {
	t.Helper()
	return d.Key(t, d.Account(t, owner, string(db.Free), 0), db.Live, db.AccountMode)
}

// A live key has at most one active connection to a merchant, whatever the case of
// the address (seed 4.4, D2).
func TestConnectionConflict(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	conflict := func(t *testing.T, want bool) {
		t.Helper()
		for _, address := range []string{servertest.Mia, "MIA@SHOP.EXAMPLE", "Mia@Shop.Example"} {
			a := d.Request(t, asking(`"`+address+`"`))
			if !want {
				connectionOf(t, a)
				continue
			}
			a.Expect(t, 409, "conflict")
			a.ExpectBody(t, 409, `{"error":"this key has an active connection to that merchant_email already"}`+"\n")
		}
	}

	conflict(t, false) // one is pending, and then more are
	link := d.Ask(t)
	d.Merchant.Post(t, d.Ask(t)+"/decline", nil)
	conflict(t, false)

	d.Merchant.Post(t, link+"/approve", servertest.Ticked()).Expect(t, 303, "")
	used := d.monthUsed(t, d.LiveKey.ID)
	d.expectUntouched(t, func() {
		conflict(t, true)
		d.Request(t, askingFor("[]")).Expect(t, 400, "invalid_request")
	})
	if now := d.monthUsed(t, d.LiveKey.ID); now != used+4 {
		t.Errorf("the month counts %d of 4 calls", now-used)
	}
	d.Clock.Advance(30 * 24 * time.Hour) // an approved one does not expire (D1)
	conflict(t, true)

	t.Run("AnotherMerchantIsFree", func(t *testing.T) { connectionOf(t, d.Request(t, asking(`"max@shop.example"`))) })
	t.Run("AnotherKeyIsFree", func(t *testing.T) {
		_, secret := d.Key(t, d.Developer, db.Live, db.AccountMode)
		connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithKey(secret)))
	})
	t.Run("TestKeyNeverConflicts", func(t *testing.T) {
		_, secret := d.Key(t, d.Developer, db.Test, db.AccountMode)
		for range 3 {
			connectionOf(t, d.Request(t, servertest.AskMia, servertest.WithKey(secret)))
			connectionOf(t, d.Request(t, asking(`"sandbox-merchant@example.com"`), servertest.WithKey(secret)))
		}
	})

	merchant := d.Browser(t) // the session has ended meanwhile
	merchant.SignIn(t, servertest.Mia, servertest.Password)
	merchant.Post(t, link+"/revoke", nil).Expect(t, 303, "")
	conflict(t, false)
}

// GET lists the newest 200 of this very key, newest first (D10).
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
		t.Errorf("there are no parameters, but %d are listed", len(rows))
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

// A pending connection is shown as expired from the end of its link on; nothing is
// written for it (D1).
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
		t.Error("expired is stored")
	}
	connectionOf(t, d.Request(t, servertest.AskMia))
}

// A live key's request is mailed to the merchant, a test key's never (D8).
func TestConnectionMail(t *testing.T) {
	servertest.Sequential(t)
	t.Run("OneWithTheLink", func(t *testing.T) {
		d := newDesk(t)
		link := d.Ask(t)
		mails := d.Outbox(t, "")
		if len(mails) != 1 {
			t.Fatalf("%d mails, want 1", len(mails))
		}
		m := mails[0]
		if m.To != servertest.Mia || !strings.Contains(m.Text, "\n"+link+"\n") || !strings.Contains(m.HTML, `"`+link+`"`) ||
			!strings.Contains(m.Text, "Read your inventory") || !strings.Contains(m.Text, "dev") || !strings.Contains(m.Text, "9 March 2026, 10:00 UTC") {
			t.Errorf("mail %+v", m)
		}
		if !m.ExpiresAt.Equal(d.Clock.Now().Add(servertest.LinkLife)) {
			t.Errorf("it is worth sending until %v", m.ExpiresAt)
		}
	})

	t.Run("AddressAsItWasGiven", func(t *testing.T) {
		d := newDesk(t)
		link := servertest.ConfirmationURL(t, d.Request(t, asking(`"MIA@Shop.Example"`)))
		if m := d.Outbox(t, "")[0]; m.To != "MIA@Shop.Example" {
			t.Errorf("mailed to %s", m.To)
		}
		d.Merchant.Post(t, link+"/approve", servertest.Ticked("read_inventory")).Expect(t, 303, "")
		if got := d.Newest(t); got["merchant_email"] != "MIA@Shop.Example" || got["merchant_user_id"] != d.MerchantID {
			t.Errorf("approved: %v", got)
		}
	})

	t.Run("NeverOfATestKey", func(t *testing.T) {
		d := newDesk(t)
		for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
			_, secret := d.Key(t, d.Developer, db.Test, mode)
			d.Ask(t, servertest.WithKey(secret))
		}
		if mails := d.Outbox(t, ""); len(mails) != 0 {
			t.Errorf("%d mails", len(mails))
		}
	})
}

// What a developer calls itself cannot write headers, lines or markup of a mail.
func TestConnectionMailOfAHostileDeveloper(t *testing.T) {
	servertest.Sequential(t)
	const (
		appName = "Acme\r\nBcc: eve@example.com\r\n\r\nPay now: http://evil.example/ <script>alert(1)</script> \u202egnp.exe"
		devName = "Dev\nSubject: You have won\n\n<img src=x onerror=alert(2)>”\u2028Reply-To: eve@example.com"
	)
	sink := mailtest.New(t)
	d := newDesk(t, func(c *server.Config) { c.SMTP, c.MailFrom = sink.URL(), "svc <svc@svc.example>" })
	link := d.Ask(t, servertest.WithKey(d.hostileKey(t, appName, devName)))
	if err := d.App.Sweep(context.Background()); err != nil {
		t.Fatal(err)
	}

	m := sink.Wait(1)[0]
	if !reflect.DeepEqual(m.To, []string{servertest.Mia}) || m.Subject != "An app asks to read your inventory" || m.Header.Get("To") != "<"+servertest.Mia+">" {
		t.Errorf("to %v (%s), subject %q", m.To, m.Header.Get("To"), m.Subject)
	}
	for _, name := range []string{"Bcc", "Reply-To", "Cc"} {
		if m.Header.Get(name) != "" {
			t.Errorf("%s: %s", name, m.Header.Get(name))
		}
	}
	for line := range strings.Lines(m.Text) {
		for _, forged := range []string{"Bcc:", "Subject:", "Reply-To:", "Pay now"} {
			if strings.HasPrefix(strings.TrimSpace(line), forged) {
				t.Errorf("a line of the developer's: %q", line)
			}
		}
	}
	if strings.ContainsAny(m.Text+m.HTML, "\u202e\u2028") || strings.Contains(m.Text, "http://evil.example") {
		t.Errorf("text %s", m.Text)
	}
	if strings.Contains(m.HTML, "<script") || strings.Contains(m.HTML, "<img src=x") || strings.Contains(m.HTML, "http://evil.example") {
		t.Errorf("HTML %s", m.HTML)
	}
	if !strings.Contains(m.Text, link) || !strings.Contains(m.Text, "Acme") {
		t.Errorf("text %s", m.Text)
	}
}

// hostileKey makes a live key of an app and an account with these names.
func (d *desk) hostileKey(t *testing.T, appName, devName string) (secret string) {
	t.Helper()
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		owner, err := tx.CreateAccount(db.Account{Email: "hostile@acme.example", Name: devName, Plan: db.Business, VerifiedAt: tx.Now()})
		if err != nil {
			return err
		}
		app, err := tx.CreateApp(db.App{AccountID: owner.ID, Name: appName})
		if err != nil {
			return err
		}
		_, made, err := tx.CreateKey(db.Key{AccountID: owner.ID, AppID: app.ID, Env: db.Live, Mode: db.AccountMode, Label: "hostile"})
		secret = string(made)
		return err
	})
	return secret
}

// Many POSTs at once are many connections, none lost and none twice.
func TestConnectionsMadeAtOnce(t *testing.T) {
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
	if count[200] != n || len(slices.Compact(ids)) != n || len(d.Connections(t, d.Secret)) != n || len(d.Outbox(t, servertest.Mia)) != n {
		t.Errorf("answers %v, %d ids, %d listed, %d mails", count, len(slices.Compact(ids)), len(d.Connections(t, d.Secret)), len(d.Outbox(t, servertest.Mia)))
	}
}

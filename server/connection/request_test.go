package connection_test

import (
	"io"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// badRequest is a body and the error about it; an error that ends with a space is only
// the beginning.
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
		{"EmailQuotedWithDisplayName", asking(`"\"mia b\" <mia@shop.example>"`), notOne},
		{"EmailOf255", asking(`"` + longEmail(255) + `"`), "merchant_email: must be at most 254 characters, not 255"},
		{"EmailOf300", asking(`"` + longEmail(300) + `"`), "merchant_email: must be at most 254 characters, not 300"},
		{"EmailDomainBeginsWithHyphen", asking(`"a@-b.co"`), notOne},
		{"EmailDomainLabelOf64", asking(`"a@` + strings.Repeat("b", 64) + `.co"`), notOne},
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

// longEmail returns an address with so many characters.
func longEmail(length int) string {
	return "m@" + strings.Repeat("abcdefg.", length)[:length-3] + "x"
}

// A bad request is a 400 that names the field. Nothing is stored or mailed, but the call
// is counted (A4, A9, A10), for test keys, too (D9).
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

// Unusual requests that are valid.
func TestConnectionGoodRequest(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	kept := func(address string) badRequest { return badRequest{address, asking(`"` + address + `"`), address} }
	for _, row := range []badRequest{ // sentence is the address here
		{"ScopesExplicit", askingFor(`["read_inventory"]`), servertest.Mia},
		{"ScopesRepeated", askingFor(`["read_inventory","read_inventory","read_inventory"]`), servertest.Mia},
		{"ScopesEscaped", askingFor(`["read\u005finventory"]`), servertest.Mia},
		{"ScopesLastOfTwoIsGood", `{"merchant_email":"` + servertest.Mia + `","scopes":[],"scopes":["read_inventory"]}`, servertest.Mia},
		{"UnknownFields", `{"status":"approved","merchant_user_id":1,"test_mode":[],"Scopes":null,` + servertest.AskMia[1:], servertest.Mia},
		{"WhiteSpaceAround", "\r\n\t " + servertest.AskMia + " \n", servertest.Mia},
		{"ExactlyAtTheCap", servertest.AskMia + strings.Repeat(" ", 64<<10-len(servertest.AskMia)), servertest.Mia},
		kept("MIA@Shop.EXAMPLE"), kept("mia+svc@shop.example"), kept("o'mia@shop.example"), kept("mia@localhost"),
		kept("jörg@bücher.example"), kept(strings.Repeat("m", 64) + "@shop.example"), kept(longEmail(254)),
		{"Quoted", asking(`"\"mia b\"@shop.example"`), `"mia b"@shop.example`},
	} {
		t.Run(row.name, func(t *testing.T) {
			d.Clock.Advance(24 * time.Hour) // so that each is mailed (L10)
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

	t.Run("ContentTypeIsIgnored", func(t *testing.T) {
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

// Connections ignore the Idempotency-Key (B6).
func TestConnectionIdempotencyKeyIsIgnored(t *testing.T) {
	servertest.Sequential(t)
	d := newDesk(t)
	first, second := d.Request(t, servertest.AskMia, withKeyK), d.Request(t, servertest.AskMia, withKeyK)
	if connectionOf(t, first)["id"] == connectionOf(t, second)["id"] || servertest.ConfirmationURL(t, first) == servertest.ConfirmationURL(t, second) {
		t.Errorf("first %s, second %s: want two connections", first.Body, second.Body)
	}
	if second.Header.Get("Idempotency-Replayed") != "" || len(d.Connections(t, d.Secret)) != 2 {
		t.Errorf("headers %v, %d connections", second.Header, len(d.Connections(t, d.Secret)))
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

	t.Run("CookieIsNotAKey", func(t *testing.T) {
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

	t.Run("MinuteIsUsedUp", func(t *testing.T) {
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

	t.Run("MonthIsUsedUp", func(t *testing.T) {
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
		call(t, http.MethodPost, secret, "{").Expect(t, 400, "invalid_request") // the hundredth call
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

	conflict(t, false) // pending requests do not conflict
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

	merchant := d.Browser(t) // the first session has ended by now
	merchant.SignIn(t, servertest.Mia, servertest.Password)
	merchant.Post(t, link+"/revoke", nil).Expect(t, 303, "")
	conflict(t, false)
}

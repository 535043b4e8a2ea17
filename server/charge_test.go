package server_test

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"html"
	"maps"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

// What a developer and the addressee of a charge see (seed 2.2, 4.6, 4.7; E). How a
// payment is made and proven is checkout_test.go.

const (
	chargesPath = "/api/v1/charges"
	goodCharge  = `{"merchant_email":"merchant@shop.example","amount_cents":1250,"description":"Invoice 17"}`
)

func TestCreateCharge(t *testing.T) {
	sequential(t)
	for _, env := range []db.Env{db.Live, db.Test} {
		for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
			t.Run(string(env)+string(mode), func(t *testing.T) {
				s := newCashier(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
				key, secret := s.Key(t, s.email, env, mode)
				a := s.request(t, secret, goodCharge)

				id, token := s.expectCreated(t, a, `"amount_cents":1250,"currency":"gbp","description":"Invoice 17","key_env":"`+string(env)+`"`)
				expectBody(t, s.list(t, secret), 200, `{"charges":[{"id":"`+id+`","merchant_email":"merchant@shop.example",`+
					`"amount_cents":1250,"currency":"gbp","description":"Invoice 17","status":"pending","key_env":"`+string(env)+`",`+
					`"created_at":"2026-03-02T10:00:00.000Z","approved_at":null,"expires_at":"2026-03-09T10:00:00.000Z"}]}`+"\n")
				s.expectNotInFile(t, token)
				if got := s.rows(t, `SELECT count(*) FROM charges WHERE key_id = '`+key.ID+`'`); got != 1 {
					t.Errorf("%d charges of the key, want 1", got)
				}
			})
		}
	}
}

var createdCharge = regexp.MustCompile(`^\{"charge":\{"id":"(ch_[0-9a-hjkmnp-tv-z]{26})","status":"pending",(.*),` +
	`"created_at":"2026-03-02T10:00:00\.000Z","expires_at":"2026-03-09T10:00:00\.000Z"\},` +
	`"confirmation_url":"https://console\.example\.com/charges/([A-Za-z0-9_-]{43})"\}\n$`)

// expectCreated checks the whole body of a POST's answer: these fields and no others.
func (s *cashier) expectCreated(t *testing.T, a servertest.Answer, middle string) (id, token string) {
	t.Helper()
	expect(t, a, 200, "")
	match := createdCharge.FindSubmatch(a.Body)
	if match == nil || string(match[2]) != middle {
		t.Fatalf("answer %s, want a charge with %s", a.Body, middle)
	}
	return string(match[1]), string(match[3])
}

// expectNotInFile: of a link the store has the hash alone (D3).
func (s *cashier) expectNotInFile(t *testing.T, token string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(s.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(token)) {
			t.Errorf("the link's token stands in the file %s", suffix)
		}
	}
}

// chargeWith is a good body in which a field has another value, in JSON; none if the
// value is empty.
func chargeWith(field, value string) string {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(goodCharge), &fields); err != nil {
		panic(err)
	}
	delete(fields, field)
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		fmt.Fprintf(&out, `"%s":%s,`, name, fields[name])
	}
	if value == "" {
		return "{" + strings.TrimSuffix(out.String(), ",") + "}"
	}
	return "{" + out.String() + `"` + field + `":` + value + "}"
}

func badCharges() []bad {
	const (
		email    = "merchant_email: must be one e-mail address, like name@example.com"
		integer  = "amount_cents: must be an integer, written as one"
		bounds   = "amount_cents: must be from 100 to 10000000"
		code     = "currency: must be an ISO 4217 code that Stripe accepts, like gbp"
		surprise = "💷"
	)
	long := func(n int) string { return `"` + strings.Repeat("a", n-len("@shop.example")) + `@shop.example"` }
	all := []bad{
		{"Empty", "", "body: must be a JSON object, not empty"},
		{"Array", "[" + goodCharge + "]", "body: must be a JSON object"},
		{"Null", "null", "body: must be a JSON object"},
		{"Broken", goodCharge[:len(goodCharge)-1], fmt.Sprintf("body: is not valid JSON: unexpected end of JSON input (byte %d)", len(goodCharge)-1)},
		{"Twice", goodCharge + goodCharge, fmt.Sprintf("body: is not valid JSON: invalid character '{' after top-level value (byte %d)", len(goodCharge)+1)},
		{"TooLong", chargeWith("note", `"`+strings.Repeat("x", 64<<10)+`"`), "body: must be at most 64 KiB"},
		{"NotUTF8", chargeWith("description", "\"\xff\""), "description: is not valid UTF-8"},
	}
	for _, field := range []string{"merchant_email", "amount_cents", "description"} {
		all = append(all,
			bad{field + "Missing", chargeWith(field, ""), field + ": is required"},
			bad{field + "Null", chargeWith(field, "null"), field + ": is required"})
	}
	for name, value := range map[string]string{
		"Empty": `""`, "Blank": `" \t\n"`, "NoBreakSpace": `"\u00a0"`,
	} {
		all = append(all,
			bad{"Email" + name, chargeWith("merchant_email", value), "merchant_email: is required"},
			bad{"Description" + name, chargeWith("description", value), "description: is required"},
			bad{"Currency" + name, chargeWith("currency", value), "currency: must not be blank"})
	}
	for name, value := range map[string]string{"Number": "7", "Boolean": "true", "Array": `["gbp"]`, "Object": "{}"} {
		all = append(all,
			bad{"Email" + name, chargeWith("merchant_email", value), "merchant_email: must be a string"},
			bad{"Description" + name, chargeWith("description", value), "description: must be a string"},
			bad{"Currency" + name, chargeWith("currency", value), "currency: must be a string"})
	}
	for name, value := range map[string]string{
		"NoAt": `"nobody"`, "NoLocal": `"@shop.example"`, "NoDomain": `"merchant@"`, "TwoAts": `"a@b@shop.example"`,
		"DisplayName": `"Mina <merchant@shop.example>"`, "Brackets": `"<merchant@shop.example>"`, "Comment": `"merchant@shop.example (Mina)"`,
		"LineBreak": `"merchant@shop.example\n"`, "Header": `"merchant@shop.example\r\nBcc: other@shop.example"`,
		"SpaceBefore": `" merchant@shop.example"`, "SpaceAfter": `"merchant@shop.example "`, "SpaceWithin": `"mer chant@shop.example"`,
		"List": `"merchant@shop.example, other@shop.example"`, "Quoted": `"\"mer chant\"@shop.example"`, "Scheme": `"mailto:merchant@shop.example"`,
		"LocalOf65": `"` + strings.Repeat("a", 65) + `@shop.example"`,
	} {
		all = append(all, bad{"Email" + name, chargeWith("merchant_email", value), email})
	}
	all = append(all,
		bad{"EmailNUL", chargeWith("merchant_email", `"merchant\u0000@shop.example"`), "merchant_email: must not contain NUL characters"},
		bad{"EmailOf300", chargeWith("merchant_email", long(300)), "merchant_email: must be at most 254 characters, not 300"},
		bad{"EmailOf255", chargeWith("merchant_email", long(255)), "merchant_email: must be at most 254 characters, not 255"})
	for value, sentence := range map[string]string{
		"99": bounds, "0": bounds, "-0": bounds, "-100": bounds, "10000001": bounds, "9223372036854775807": bounds,
		"9223372036854775808": "amount_cents: is out of range", "-9223372036854775809": "amount_cents: is out of range",
		"1" + strings.Repeat("0", 400): "amount_cents: is out of range",
		"100.5":                        integer, "100.0": integer, "1e3": integer, "1E3": integer, "1e400": integer, "1250e0": integer,
		`"1250"`: integer, "true": integer, "[1250]": integer, "{}": integer, `""`: integer,
	} {
		all = append(all, bad{"Amount" + value[:min(len(value), 20)], chargeWith("amount_cents", value), sentence})
	}
	for name, value := range map[string]string{
		"Unknown": `"zzz"`, "Sign": `"£"`, "Spaces": `" gbp "`, "Number": `"826"`, "Crypto": `"btc"`, "TwoLetters": `"gb"`, "Retired": `"dem"`,
	} {
		all = append(all, bad{"Currency" + name, chargeWith("currency", value), code})
	}
	return append(all,
		bad{"CurrencyLong", chargeWith("currency", `"british pounds sterling"`), "currency: must be at most 16 characters, not 23"},
		bad{"DescriptionOf501", chargeWith("description", `"`+strings.Repeat(surprise, 501)+`"`), "description: must be at most 500 characters, not 501"},
		bad{"DescriptionNUL", chargeWith("description", `"Invoice\u000017"`), "description: must not contain NUL characters"},
		bad{"DescriptionHalfSurrogate", chargeWith("description", `"\ud83d"`), "description: has half of a surrogate pair"})
}

// A fault is exactly one sentence that names its field, on either key, and leaves no
// trace (A9, A10).
func TestBadCharge(t *testing.T) {
	sequential(t)
	s := newCashier(t)
	before := s.dump(t)
	for i, test := range badCharges() {
		t.Run(test.name, func(t *testing.T) {
			s.Clock.Advance(time.Second) // 120 a minute is the plan's
			a := s.request(t, []string{s.live, s.test}[i%2], test.body)
			sentence, err := json.Marshal(test.sentence)
			if err != nil {
				t.Fatal(err)
			}
			expect(t, a, 400, "invalid_request")
			expectBody(t, a, 400, `{"error":`+string(sentence)+"}\n")
		})
	}
	expectSame(t, before, s.dump(t))
}

func TestGoodCharge(t *testing.T) {
	sequential(t)
	s := newCashier(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
	longest := strings.Repeat("a", 64) + "@" + strings.Repeat("b", 63) + "." + strings.Repeat("c", 63) + "." + strings.Repeat("d", 61)
	type field struct{ name, sent, stored string }
	tests := map[string]field{
		"AmountLeast":         {"amount_cents", "100", "100"},
		"AmountMost":          {"amount_cents", "10000000", "10000000"},
		"EmailKeepsItsCase":   {"merchant_email", `"Mina.M@SHOP.Example"`, `"Mina.M@SHOP.Example"`},
		"EmailTagged":         {"merchant_email", `"o'hara+till@shop.example"`, `"o'hara+till@shop.example"`},
		"EmailOf254":          {"merchant_email", `"` + longest + `"`, `"` + longest + `"`},
		"CurrencyUpperCase":   {"currency", `"EUR"`, `"eur"`},
		"CurrencyMixedCase":   {"currency", `"kWd"`, `"kwd"`},
		"CurrencyNull":        {"currency", "null", `"gbp"`},
		"DescriptionOf500":    {"description", `"` + strings.Repeat("💷", 500) + `"`, `"` + strings.Repeat("💷", 500) + `"`},
		"DescriptionAsItIs":   {"description", `" <b>17</b> &\n\u202e\"x\" "`, "\" <b>17</b> &\\n\u202e\\\"x\\\" \""},
		"UnknownFieldIgnored": {"currency_code", `"eur"`, ""},
		"CaseOfFieldCounts":   {"Currency", `"eur"`, ""},
		"EnvIsTheKeys":        {"key_env", `"live"`, `"test"`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := s.request(t, s.test, chargeWith(test.name, test.sent))
			expect(t, a, 200, "")
			want := map[string]string{
				"amount_cents": "1250", "merchant_email": `"merchant@shop.example"`, "description": `"Invoice 17"`, "currency": `"gbp"`, "key_env": `"test"`,
			}
			if test.stored != "" {
				want[test.name] = test.stored
			}
			list := string(s.list(t, s.test).Body)
			newest, _, _ := strings.Cut(list, "},{")
			for field, value := range want {
				if !strings.Contains(newest, `"`+field+`":`+value) {
					t.Errorf("listed %s, want %s %s", newest, field, value)
				}
				if field != "merchant_email" && !strings.Contains(string(a.Body), `"`+field+`":`+value) {
					t.Errorf("created %s, want %s %s", a.Body, field, value)
				}
			}
			s.Clock.Advance(time.Second)
		})
	}
}

// A retry makes another charge, whatever header comes with it (B6), be it one that a
// send has used.
func TestChargeIgnoresIdempotencyKeys(t *testing.T) {
	sequential(t)
	s := newCashier(t)
	s.Call(t, "POST", sendPath, sendBody, servertest.WithKey(s.test), withKeyK)
	ids := map[string]bool{}
	for range 3 {
		a := s.request(t, s.test, goodCharge, withKeyK)
		expect(t, a, 200, "")
		if a.Header.Get("Idempotency-Replayed") != "" || a.Header.Get("Idempotency-Mismatch") != "" {
			t.Errorf("headers of a replay: %v", a.Header)
		}
		ids[decodeCharge(t, a).ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d charges of 3 requests", len(ids))
	}
}

// Nobody is mailed of a charge, whatever becomes of it (E5).
func TestChargeMailsNobody(t *testing.T) {
	sequential(t)
	s := newCashier(t)
	live, test := s.ask(t, s.live), s.ask(t, s.test)
	s.press(t, test, "approve")
	session := s.pay(t, live)
	s.stripe.Pay(session.ID)
	s.event(t, session.ID, completed)
	s.wantStatus(t, live, db.ChargeApproved)
	s.Clock.Advance(8 * 24 * time.Hour)
	s.sweep(t)
	if mails := s.Outbox(t, ""); len(mails) > 0 {
		t.Errorf("mails %+v", mails)
	}
}

func TestListCharges(t *testing.T) {
	sequential(t)
	t.Run("NothingYet", func(t *testing.T) {
		s := newCashier(t)
		expectBody(t, s.list(t, s.live), 200, `{"charges":[]}`+"\n")
	})

	t.Run("TheKeysNewestHundred", func(t *testing.T) {
		s := newCashier(t)
		other, otherSecret := s.Key(t, s.email, db.Live, db.AccountMode)
		stranger := s.Account(t, "stranger@example.com", "business", 0)
		foreign, _ := s.Key(t, stranger, db.Live, db.AccountMode)
		var newest []string
		for i := range 105 {
			s.Clock.Advance(time.Millisecond)
			newest = append(newest, s.plant(t, s.key).ID)
			if i%10 == 0 {
				s.plant(t, other)
				s.plant(t, foreign)
			}
		}
		slices.Reverse(newest)
		if got := s.listed(t, s.live); !slices.Equal(ids(got), newest[:100]) {
			t.Errorf("%d charges, not the newest hundred in their order", len(got))
		}
		if got := s.listed(t, otherSecret); len(got) != 11 || got[0].ID <= got[10].ID {
			t.Errorf("the other key has %v, want its 11", ids(got))
		}
		if got := s.listed(t, s.test); len(got) != 0 {
			t.Errorf("the test key has %v, want none", ids(got))
		}
	})

	t.Run("ExpiredIsComputed", func(t *testing.T) {
		s := newCashier(t)
		c, approved, declined := s.ask(t, s.test), s.ask(t, s.test), s.ask(t, s.test)
		s.Clock.Advance(time.Hour)
		s.press(t, approved, "approve")
		s.press(t, declined, "decline")
		s.Clock.Advance(7*24*time.Hour - time.Hour - time.Millisecond)
		before := s.dump(t)
		s.wantListed(t, s.test, map[string]string{c.ID: "pending ", approved.ID: "approved 2026-03-02T11:00:00.000Z", declined.ID: "declined "})
		s.Clock.Advance(time.Millisecond)
		s.wantListed(t, s.test, map[string]string{c.ID: "expired ", approved.ID: "approved 2026-03-02T11:00:00.000Z", declined.ID: "declined "})
		expectSame(t, before, s.dump(t))
	})

	// A GET's objects have the ten fields of seed 4.7, whatever the status.
	t.Run("Fields", func(t *testing.T) {
		s := newCashier(t)
		s.press(t, s.ask(t, s.test), "approve")
		s.press(t, s.ask(t, s.test), "decline")
		s.ask(t, s.test)
		var answer struct{ Charges []map[string]any }
		if err := json.Unmarshal(s.list(t, s.test).Body, &answer); err != nil || len(answer.Charges) != 3 {
			t.Fatalf("%d charges, %v", len(answer.Charges), err)
		}
		want := []string{
			"amount_cents", "approved_at", "created_at", "currency", "description",
			"expires_at", "id", "key_env", "merchant_email", "status",
		}
		for _, c := range answer.Charges {
			if got := slices.Sorted(maps.Keys(c)); !slices.Equal(got, want) {
				t.Errorf("fields %v, want %v", got, want)
			}
		}
	})
}

// wantListed checks status and approved_at of a key's charges.
func (s *cashier) wantListed(t *testing.T, secret string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, c := range s.listed(t, secret) {
		got[c.ID] = c.Status + " " + c.ApprovedAt
	}
	if !maps.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

func TestSimulation(t *testing.T) {
	outcomes := map[string]struct{ status, heading, other string }{
		"approve": {"approved", "Approved, as a test", "decline"},
		"decline": {"declined", "Declined, as a test", "approve"},
	}
	for action, want := range outcomes {
		t.Run(action, func(t *testing.T) {
			s := newCashier(t)
			c := s.ask(t, s.test)
			page := s.show(t, c, "")
			wantPage(t, page, 200, "Test mode: no money moves.", "Simulate approve", "Simulate decline", "GBP 12.50")
			if got, want := page.Forms(), []string{c.path() + "/approve", c.path() + "/decline"}; !slices.Equal(got, want) {
				t.Errorf("forms %v, want %v", got, want)
			}

			wantState(t, s.show(t, c, "/status"), "simulate")
			wantPage(t, s.show(t, c, "/return"), 200, "Simulate approve")

			s.Clock.Advance(time.Minute)
			done := s.press(t, c, action) // by a browser that nobody is signed in with
			if done.Status != 303 || done.Header.Get("Location") != c.path() {
				t.Errorf("answer %d to %q", done.Status, done.Header.Get("Location"))
			}
			page = s.show(t, c, "")
			wantPage(t, page, 200, want.heading, "No money has moved.")
			wantNoForms(t, page)
			s.wantStatus(t, c, db.ChargeStatus(want.status))
			wantState(t, s.show(t, c, "/status"), want.status)
			if got := s.stored(t, c); action == "approve" && !got.ApprovedAt.Equal(s.Clock.Now()) {
				t.Errorf("approved at %v, want now", got.ApprovedAt)
			}

			// It is final.
			before := s.dump(t)
			s.Clock.Advance(time.Minute)
			for _, again := range []string{action, want.other, "pay"} {
				refused := s.press(t, c, again)
				wantPage(t, refused, 409, want.heading, "Nothing was changed")
				wantNoForms(t, refused)
			}
			s.Clock.Advance(8 * 24 * time.Hour)
			wantPage(t, s.show(t, c, ""), 200, want.heading)
			s.sweep(t)
			expectSame(t, before, s.dump(t))
			s.wantTrace(t) // Stripe was never asked
		})
	}

	t.Run("Expired", func(t *testing.T) {
		s := newCashier(t)
		c := s.ask(t, s.test)
		s.Clock.Advance(7 * 24 * time.Hour)
		before := s.dump(t)
		page := s.show(t, c, "")
		wantPage(t, page, 410, "This payment request has ended")
		wantNoForms(t, page)
		expect(t, page, 410, "gone")
		for _, action := range []string{"approve", "decline", "pay"} {
			refused := s.press(t, c, action)
			wantPage(t, refused, 409, "This payment request has ended")
			wantNoForms(t, refused)
		}
		wantState(t, s.show(t, c, "/status"), "expired")
		expectSame(t, before, s.dump(t))
	})

	t.Run("AMomentBeforeItEnds", func(t *testing.T) {
		s := newCashier(t)
		c := s.ask(t, s.test)
		s.Clock.Advance(7*24*time.Hour - time.Millisecond)
		s.press(t, c, "approve")
		s.wantStatus(t, c, db.ChargeApproved)
	})

	// Of many who press both buttons at once, one wins.
	t.Run("AtOnce", func(t *testing.T) {
		s := newCashier(t)
		c := s.ask(t, s.test)
		count := parallel(10, func(i int) int { return s.press(t, c, []string{"approve", "decline"}[i%2]).Status })
		if count[303] != 1 || count[409] != 9 {
			t.Errorf("answers %v, want 1 of 303 and 9 of 409", count)
		}
	})
}

// What is a test key's alone is refused on a live charge, and the reverse; with and
// without Stripe.
func TestActionsOfTheOtherEnvironment(t *testing.T) {
	for name, change := range map[string]func(*server.Config){"WithStripe": func(*server.Config) {}, "WithoutStripe": withoutStripe} {
		t.Run(name, func(t *testing.T) {
			s := newCashier(t, change)
			live, test := s.ask(t, s.live), s.ask(t, s.test)
			before := s.dump(t)
			for _, refused := range []servertest.Answer{s.press(t, live, "approve"), s.press(t, live, "decline"), s.press(t, test, "pay")} {
				wantPage(t, refused, 409, "Nothing was changed")
				expect(t, refused, 409, "conflict")
			}
			expectSame(t, before, s.dump(t))
			s.wantStatus(t, live, db.ChargePending)
			s.wantStatus(t, test, db.ChargePending)
			s.wantTrace(t)
		})
	}
}

func TestLivePageWithoutStripe(t *testing.T) {
	sequential(t)
	s := newCashier(t, withoutStripe)
	c := s.ask(t, s.live)
	before := s.dump(t)
	page := s.show(t, c, "")
	wantPage(t, page, 200, "Payments are not set up on this server", "GBP 12.50")
	wantNoForms(t, page)
	wantState(t, s.show(t, c, "/status"), "unavailable")
	wantPage(t, s.show(t, c, "/return"), 200, "Payments are not set up on this server")
	refused := s.press(t, c, "pay")
	wantPage(t, refused, 409, "Payments are not set up here yet; nothing was paid.", "Payments are not set up on this server")
	wantNoForms(t, refused)
	expectSame(t, before, s.dump(t))
	s.wantStatus(t, c, db.ChargePending)
}

func TestChargePage(t *testing.T) {
	t.Run("SaysWhatIsPaidAndWhereTheMoneyGoes", func(t *testing.T) {
		s := newCashier(t)
		app, err := s.App.Accounts.CreateApp(t.Context(), account.NewApp{Account: s.email, Name: "Till & Co"})
		if err != nil {
			t.Fatal(err)
		}
		_, secret, err := s.App.Accounts.CreateKey(t.Context(), account.NewKey{Account: s.email, Env: "live", Mode: "account", App: app.Name})
		if err != nil {
			t.Fatal(err)
		}
		c := s.ask(t, string(secret), "description", `"<script>alert(1)</script>"`)
		page := s.show(t, c, "")
		wantPage(t, page, 200, "GBP 12.50", "Pay GBP 12.50", "&lt;script&gt;alert(1)", "Till &amp; Co", "m…@shop.example",
			"It is not passed on to", "automatically")
		if page.Says("merchant@shop.example") || page.Says("<script>alert") {
			t.Errorf("the page shows too much: %s", page.Body)
		}
		if got, want := page.Forms(), []string{c.path() + "/pay"}; !slices.Equal(got, want) {
			t.Errorf("forms %v, want %v", got, want)
		}
	})

	t.Run("Decimals", func(t *testing.T) {
		s := newCashier(t)
		for currency, want := range map[string]string{
			"jpy": "JPY 1,234,567", "kwd": "KWD 1,234.567", "usd": "USD 12,345.67", "UGX": "UGX 12,345.67", "clp": "CLP 1,234,567",
		} {
			c := s.ask(t, s.live, "currency", `"`+currency+`"`, "amount_cents", "1234567")
			wantPage(t, s.show(t, c, ""), 200, want)
		}
	})

	// Looking changes nothing and asks Stripe nothing, however often and by whom.
	t.Run("LookingChangesNothing", func(t *testing.T) {
		s := newCashier(t)
		for _, c := range []asked{s.ask(t, s.live), s.ask(t, s.test)} {
			before := s.dump(t)
			for _, tail := range []string{"", "/return", "/status"} {
				s.show(t, c, tail)
				a := s.Call(t, http.MethodHead, c.path()+tail, nil)
				if a.Status != 200 || len(a.Body) != 0 {
					t.Errorf("HEAD %s: %d, %d bytes", tail, a.Status, len(a.Body))
				}
			}
			for _, action := range []string{"pay", "approve", "decline"} {
				page := s.show(t, c, "/"+action)
				wantPage(t, page, 405, "Nothing is lost", `href="`+c.path()+`"`)
				wantNoForms(t, page)
			}
			expectSame(t, before, s.dump(t))
		}
		s.wantTrace(t)
	})

	// The token in the address is the proof where a browser says no more; what names
	// another site is refused.
	t.Run("FormsOfOtherSites", func(t *testing.T) {
		s := newCashier(t)
		for _, c := range []asked{s.ask(t, s.live), s.ask(t, s.test)} {
			before := s.dump(t)
			for _, action := range []string{"pay", "approve", "decline"} {
				for _, site := range []servertest.Option{
					servertest.WithHeader("Sec-Fetch-Site", "cross-site"), servertest.WithHeader("Origin", "https://evil.example"),
				} {
					expect(t, s.Call(t, "POST", c.path()+"/"+action, nil, site), 403, "cross_origin")
				}
			}
			expectSame(t, before, s.dump(t))
		}
		s.wantTrace(t)
		c := s.ask(t, s.test)
		s.Call(t, "POST", c.path()+"/approve", nil, servertest.WithHeader("Origin", "null"))
		s.wantStatus(t, c, db.ChargeApproved)
	})
}

// A wrong link is a page without anything to press, for each address that takes one.
func TestBadChargeLinks(t *testing.T) {
	s := newCashier(t)
	c := s.ask(t, s.live)
	s.pay(t, c)
	token := strings.TrimPrefix(c.path(), "/charges/")
	connection := s.Call(t, "POST", "/api/v1/connections", `{"merchant_email":"merchant@shop.example"}`, servertest.WithKey(s.live))
	expect(t, connection, 200, "")
	link := connection.Field(t, "confirmation_url").(string)
	other := newCashier(t)

	before, trace := s.dump(t), s.trace()
	for name, bad := range map[string]string{
		"FirstCharacter": swap(token, 0), "Middle": swap(token, 20), "LastCharacter": swap(token, len(token)-1),
		"OfAConnection": strings.TrimPrefix(servertest.Path(link), "/connect/"),
		"OfAnother":     strings.TrimPrefix(other.ask(t, other.live).path(), "/charges/"),
		"Short":         token[:len(token)-1], "Long": token + "A", "Half": token[:20], "One": "A", "Padded": token + "=",
		"TheID": c.ID, "Spaces": "%20", "OtherAlphabet": strings.Repeat("%2B", 43), "Doubled": token + token, "NUL": "%00",
	} {
		t.Run(name, func(t *testing.T) {
			b := s.Browser(t)
			for _, tail := range []string{"", "/return", "/status"} {
				page := b.Get(t, "/charges/"+bad+tail)
				expect(t, page, 404, "not_found")
				wantNoForms(t, page)
			}
			for _, action := range []string{"pay", "approve", "decline"} {
				page := b.Post(t, "/charges/"+bad+"/"+action, nil)
				expect(t, page, 404, "not_found")
				wantPage(t, page, 404, "This link does not work")
				wantNoForms(t, page)
			}
		})
	}
	expectSame(t, before, s.dump(t))
	s.wantTrace(t, trace...)
	if strings.Contains(s.Log.String(), token[1:20]) {
		t.Error("the log holds a link's token")
	}
}

// swap changes one character of a token.
func swap(token string, i int) string {
	other := byte('A')
	if token[i] == other {
		other = 'B'
	}
	return token[:i] + string(other) + token[i+1:]
}

// cashier is an appliance that takes payments from a stand-in of Stripe, and one
// developer with a live and a test key. The wallet is empty.
type cashier struct {
	*servertest.Server
	stripe *stripetest.Stripe
	email  string
	key    db.Key // the live one
	live   string
	test   string
}

func newCashier(t *testing.T, change ...func(*server.Config)) *cashier {
	t.Helper()
	return newCashierOf(t, func(*stripetest.Stripe) {}, change...)
}

// newCashierOf prepares the stand-in before its first call.
func newCashierOf(t *testing.T, prepare func(*stripetest.Stripe), change ...func(*server.Config)) *cashier {
	t.Helper()
	clock := dbtest.NewClock()
	s := &cashier{stripe: stripetest.New(t, clock.Now), email: "developer@example.com"}
	prepare(s.stripe)
	s.Server = servertest.Open(t, t.TempDir()+"/svc.db", clock, slices.Insert(change, 0, servertest.WithStripe(s.stripe))...)
	s.Account(t, s.email, "business", 0)
	s.key, s.live = s.Key(t, s.email, db.Live, db.AccountMode)
	_, s.test = s.Key(t, s.email, db.Test, db.AccountMode)
	t.Cleanup(func() { s.VerifyWallets(t) })
	return s
}

// again opens a second appliance on the cashier's file, as another process does.
func (s *cashier) again(t *testing.T, change ...func(*server.Config)) *cashier {
	t.Helper()
	second := *s
	second.Server = servertest.Open(t, s.Path, s.Clock, slices.Insert(change, 0, servertest.WithStripe(s.stripe))...)
	return &second
}

func withoutStripe(c *server.Config) { c.Stripe = server.Stripe{} }

func (s *cashier) request(t *testing.T, secret string, body any, options ...servertest.Option) servertest.Answer {
	t.Helper()
	return s.Call(t, "POST", chargesPath, body, append(options, servertest.WithKey(secret))...)
}

func (s *cashier) list(t *testing.T, secret string) servertest.Answer {
	t.Helper()
	return s.Call(t, "GET", chargesPath, nil, servertest.WithKey(secret))
}

// wireCharge is a charge as the API shows it.
type wireCharge struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	ApprovedAt string `json:"approved_at"`
}

func (s *cashier) listed(t *testing.T, secret string) []wireCharge {
	t.Helper()
	var answer struct{ Charges []wireCharge }
	if err := json.Unmarshal(s.list(t, secret).Body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Charges
}

func ids(all []wireCharge) (ids []string) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

// asked is a charge as its developer knows it.
type asked struct {
	ID   string
	Link string
}

// path is the link's on this server.
func (c asked) path() string { return servertest.Path(c.Link) }

func (c asked) token() db.Token { return db.Token(strings.TrimPrefix(c.path(), "/charges/")) }

// ask makes a charge; fields are names and their values in JSON.
func (s *cashier) ask(t *testing.T, secret string, fields ...string) asked {
	t.Helper()
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(goodCharge), &body); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i]] = json.RawMessage(fields[i+1])
	}
	a := s.request(t, secret, body)
	expect(t, a, 200, "")
	return decodeCharge(t, a)
}

func decodeCharge(t *testing.T, a servertest.Answer) asked {
	t.Helper()
	var answer struct {
		Charge wireCharge
		Link   string `json:"confirmation_url"`
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		t.Fatal(err)
	}
	return asked{answer.Charge.ID, answer.Link}
}

// plant stores a charge past the API, whose limits would be in the way of many.
func (s *cashier) plant(t *testing.T, key db.Key) asked {
	t.Helper()
	var made db.Charge
	var token db.Token
	dbtest.Update(t, s.Store, func(tx *db.Tx) (err error) {
		made, token, err = tx.CreateCharge(db.Charge{
			KeyID: key.ID, AccountID: key.AccountID, Env: key.Env, MerchantEmail: "merchant@shop.example",
			Amount: 1250, Currency: "gbp", Description: "Invoice 17",
		})
		return err
	})
	return asked{made.ID, s.URL + "/charges/" + string(token)}
}

// show opens a page of a charge's link by a browser of its own.
func (s *cashier) show(t *testing.T, c asked, tail string) servertest.Answer {
	t.Helper()
	return s.Browser(t).Get(t, c.Link+tail)
}

// press posts a form of a charge's page, by a browser of its own.
func (s *cashier) press(t *testing.T, c asked, action string) servertest.Answer {
	t.Helper()
	return s.Browser(t).Post(t, c.Link+"/"+action, url.Values{})
}

// stored is a charge as the store has it.
func (s *cashier) stored(t *testing.T, c asked) (found db.Charge) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		found, err = tx.ChargeByToken(c.token())
		return err
	})
	return found
}

// wantStatus checks where a charge stands, and that it was approved at a time if it
// was approved at all.
func (s *cashier) wantStatus(t *testing.T, c asked, want db.ChargeStatus) {
	t.Helper()
	found := s.stored(t, c)
	if got := found.StatusAt(s.Clock.Now()); got != want {
		t.Errorf("charge is %s, want %s", got, want)
	}
	if found.ApprovedAt.IsZero() == (want == db.ChargeApproved) || found.DeclinedAt.IsZero() == (want == db.ChargeDeclined) {
		t.Errorf("%s, and approved at %v, declined at %v", want, found.ApprovedAt, found.DeclinedAt)
	}
}

// wantPage checks a page's status and its words.
func wantPage(t *testing.T, a servertest.Answer, status int, words ...string) {
	t.Helper()
	if a.Status != status || !strings.HasPrefix(a.Header.Get("Content-Type"), "text/html") {
		t.Fatalf("answer %d, want a page with %d: %s", a.Status, status, a.Body)
	}
	for _, w := range words {
		if !a.Says(w) && !a.Says(html.EscapeString(w)) {
			t.Errorf("the page does not say %q: %s", w, a.Body)
		}
	}
}

func wantNoForms(t *testing.T, a servertest.Answer) {
	t.Helper()
	if forms := a.Forms(); len(forms) > 0 {
		t.Errorf("the page has forms to %v", forms)
	}
}

// wantState checks an answer of /charges/<token>/status.
func wantState(t *testing.T, a servertest.Answer, want string) {
	t.Helper()
	if body := `{"state":"` + want + `"}` + "\n"; a.Status != 200 || string(a.Body) != body {
		t.Errorf("status answers %d %s, want %s", a.Status, a.Body, body)
	}
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Robots-Tag") != "noindex" || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", a.Header)
	}
}

// paid are all tables that a charge, a payment or a credit leaves anything in.
var paid = []string{"charges", "checkouts", "purchases", "payment_events", "ledger", "wallets", "mails"}

// dump is all that is stored of charges and payments. Two that are the same mean
// that nothing was changed.
func (s *cashier) dump(t *testing.T) string {
	t.Helper()
	var out strings.Builder
	for _, table := range paid {
		for _, row := range s.query(t, `SELECT * FROM `+table+` ORDER BY 1, 2`) {
			fmt.Fprintln(&out, table, row)
		}
	}
	return out.String()
}

// query reads rows from the file as an onlooker does, each as its values with a
// space between.
func (s *cashier) query(t *testing.T, text string) (all []string) {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+s.Path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := file.Query(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] = *values[i].(*any)
		}
		all = append(all, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// rows is the number that a query of one number answers.
func (s *cashier) rows(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s.query(t, text)[0], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func expectSame(t *testing.T, before, after string) {
	t.Helper()
	if before != after {
		t.Errorf("something was changed; before:\n%s\nafter:\n%s", before, after)
	}
}

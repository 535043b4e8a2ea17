package charge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
)

// These tests cover what the developer and the payer of a charge see (seed 2.2, 4.6,
// 4.7; E). Package checkout tests payments.

// bad is an invalid body and the error about it.
type bad struct{ name, body, sentence string }

// cashier adds to the cashier of servertest what only these tests need.
type cashier struct{ *servertest.Cashier }

func newCashier(t *testing.T, change ...func(*server.Config)) *cashier {
	t.Helper()
	return &cashier{servertest.NewCashier(t, change...)}
}

// newTestCharge opens a cashier with one charge of the test key, which is pending.
func newTestCharge(t *testing.T) (*cashier, servertest.Charge) {
	t.Helper()
	s := newCashier(t)
	return s, s.MakeCharge(t, s.Test)
}

// withKeyK sends an Idempotency-Key.
var withKeyK = servertest.WithIdempotencyKey("k")

func TestCreateCharge(t *testing.T) {
	servertest.Sequential(t)
	for _, env := range []db.Env{db.Live, db.Test} {
		for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
			t.Run(string(env)+string(mode), func(t *testing.T) {
				s := newCashier(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
				key, secret := s.Key(t, s.Email, env, mode)
				a := s.PostCharge(t, secret, servertest.GoodCharge)

				id, token := s.expectCreated(t, a, `"amount_cents":1250,"currency":"gbp","description":"Invoice 17","key_env":"`+string(env)+`"`)
				s.list(t, secret).ExpectBody(t, 200, `{"charges":[{"id":"`+id+`","merchant_email":"merchant@shop.example",`+
					`"amount_cents":1250,"currency":"gbp","description":"Invoice 17","status":"pending","key_env":"`+string(env)+`",`+
					`"created_at":"2026-03-02T10:00:00.000Z","approved_at":null,"expires_at":"2026-03-09T10:00:00.000Z"}]}`+"\n")
				s.expectNotInFile(t, token)
				if got := s.Count(t, `SELECT count(*) FROM charges WHERE key_id = '`+key.ID+`'`); got != 1 {
					t.Errorf("%d charges of the key, want 1", got)
				}
			})
		}
	}
}

var createdCharge = regexp.MustCompile(`^\{"charge":\{"id":"(ch_[0-9a-hjkmnp-tv-z]{26})","status":"pending",(.*),` +
	`"created_at":"2026-03-02T10:00:00\.000Z","expires_at":"2026-03-09T10:00:00\.000Z"\},` +
	`"confirmation_url":"https://console\.example\.com/charges/([A-Za-z0-9_-]{43})"\}\n$`)

// expectCreated checks the whole body of a POST's answer; middle is its JSON between
// status and created_at.
func (s *cashier) expectCreated(t *testing.T, a servertest.Answer, middle string) (id, token string) {
	t.Helper()
	a.Expect(t, 200, "")
	match := createdCharge.FindSubmatch(a.Body)
	if match == nil || string(match[2]) != middle {
		t.Fatalf("answer %s, want a charge with %s", a.Body, middle)
	}
	return string(match[1]), string(match[3])
}

// expectNotInFile checks that the files do not contain the token of a link, of which only
// the hash is stored (D3).
func (s *cashier) expectNotInFile(t *testing.T, token string) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(s.Path + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(token)) {
			t.Errorf("the file %q contains the link's token", suffix)
		}
	}
}

// chargeWith returns a good body in which a field has another value, in JSON, or is left
// out if the value is empty.
func chargeWith(field, value string) string {
	fields := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(servertest.GoodCharge), &fields); err != nil {
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
		{"Array", "[" + servertest.GoodCharge + "]", "body: must be a JSON object"},
		{"Null", "null", "body: must be a JSON object"},
		{"Broken", servertest.GoodCharge[:len(servertest.GoodCharge)-1], fmt.Sprintf("body: is not valid JSON: unexpected end of JSON input (byte %d)", len(servertest.GoodCharge)-1)},
		{"Twice", servertest.GoodCharge + servertest.GoodCharge, fmt.Sprintf("body: is not valid JSON: invalid character '{' after top-level value (byte %d)", len(servertest.GoodCharge)+1)},
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
		"List": `"merchant@shop.example, other@shop.example"`, "QuotedName": `"\"mer chant\" <merchant@shop.example>"`, "Scheme": `"mailto:merchant@shop.example"`,
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

// A bad request gets one sentence that names the field, for either kind of key, and
// stores nothing (A9, A10).
func TestBadCharge(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	before := s.DumpPayments(t)
	for i, test := range badCharges() {
		t.Run(test.name, func(t *testing.T) {
			s.Clock.Advance(time.Second) // the plan allows 120 calls a minute
			a := s.PostCharge(t, []string{s.Live, s.Test}[i%2], test.body)
			sentence, err := json.Marshal(test.sentence)
			if err != nil {
				t.Fatal(err)
			}
			a.Expect(t, 400, "invalid_request")
			a.ExpectBody(t, 400, `{"error":`+string(sentence)+"}\n")
		})
	}
	servertest.ExpectSame(t, before, s.DumpPayments(t))
}

func TestGoodCharge(t *testing.T) {
	servertest.Sequential(t)
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
			a := s.PostCharge(t, s.Test, chargeWith(test.name, test.sent))
			a.Expect(t, 200, "")
			want := map[string]string{
				"amount_cents": "1250", "merchant_email": `"merchant@shop.example"`, "description": `"Invoice 17"`, "currency": `"gbp"`, "key_env": `"test"`,
			}
			if test.stored != "" {
				want[test.name] = test.stored
			}
			list := string(s.list(t, s.Test).Body)
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

// A retry makes another charge, even with an Idempotency-Key (B6) that a send has used.
func TestChargeIgnoresIdempotencyKeys(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	s.Call(t, "POST", servertest.SendPath, servertest.SendBody, servertest.WithKey(s.Test), withKeyK)
	ids := map[string]bool{}
	for range 3 {
		a := s.PostCharge(t, s.Test, servertest.GoodCharge, withKeyK)
		a.Expect(t, 200, "")
		if a.Header.Get("Idempotency-Replayed") != "" || a.Header.Get("Idempotency-Mismatch") != "" {
			t.Errorf("headers of a replay: %v", a.Header)
		}
		ids[servertest.MadeCharge(t, a).ID] = true
	}
	if len(ids) != 3 {
		t.Errorf("%d charges from 3 requests", len(ids))
	}
}

// A charge never causes a mail (E5).
func TestChargeMailsNobody(t *testing.T) {
	servertest.Sequential(t)
	s := newCashier(t)
	live, test := s.MakeCharge(t, s.Live), s.MakeCharge(t, s.Test)
	s.Press(t, test, "approve")
	session := s.Pay(t, live)
	s.Stripe.Pay(session.ID)
	s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
	s.ExpectStatus(t, live, db.ChargeApproved)
	s.Clock.Advance(8 * 24 * time.Hour)
	s.Sweep(t)
	if mails := s.Outbox(t, ""); len(mails) > 0 {
		t.Errorf("mails %+v", mails)
	}
}

func TestListCharges(t *testing.T) {
	servertest.Sequential(t)
	t.Run("NothingYet", func(t *testing.T) {
		s := newCashier(t)
		s.list(t, s.Live).ExpectBody(t, 200, `{"charges":[]}`+"\n")
	})

	t.Run("NewestHundredOfTheKey", func(t *testing.T) {
		s := newCashier(t)
		other, otherSecret := s.Key(t, s.Email, db.Live, db.AccountMode)
		stranger := s.Account(t, "stranger@example.com", "business", 0)
		foreign, _ := s.Key(t, stranger, db.Live, db.AccountMode)
		var newest []string
		for i := range 105 {
			s.Clock.Advance(time.Millisecond)
			newest = append(newest, s.PlantCharge(t, s.LiveKey).ID)
			if i%10 == 0 {
				s.PlantCharge(t, other)
				s.PlantCharge(t, foreign)
			}
		}
		slices.Reverse(newest)
		if got := s.Charges(t, s.Live); !slices.Equal(ids(got), newest[:100]) {
			t.Errorf("%d charges, want the newest hundred in order", len(got))
		}
		if got := s.Charges(t, otherSecret); len(got) != 11 || got[0].ID <= got[10].ID {
			t.Errorf("the other key has %v, want its 11", ids(got))
		}
		if got := s.Charges(t, s.Test); len(got) != 0 {
			t.Errorf("the test key has %v, want none", ids(got))
		}
	})

	t.Run("ExpiredIsComputed", func(t *testing.T) {
		s := newCashier(t)
		c, approved, declined := s.MakeCharge(t, s.Test), s.MakeCharge(t, s.Test), s.MakeCharge(t, s.Test)
		s.Clock.Advance(time.Hour)
		s.Press(t, approved, "approve")
		s.Press(t, declined, "decline")
		s.Clock.Advance(7*24*time.Hour - time.Hour - time.Millisecond)
		before := s.DumpPayments(t)
		s.ExpectListed(t, s.Test, map[string]string{c.ID: "pending ", approved.ID: "approved 2026-03-02T11:00:00.000Z", declined.ID: "declined "})
		s.Clock.Advance(time.Millisecond)
		s.ExpectListed(t, s.Test, map[string]string{c.ID: "expired ", approved.ID: "approved 2026-03-02T11:00:00.000Z", declined.ID: "declined "})
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	// Listed charges have the ten fields of seed 4.7 in every status.
	t.Run("Fields", func(t *testing.T) {
		s := newCashier(t)
		s.Press(t, s.MakeCharge(t, s.Test), "approve")
		s.Press(t, s.MakeCharge(t, s.Test), "decline")
		s.MakeCharge(t, s.Test)
		var answer struct{ Charges []map[string]any }
		if err := json.Unmarshal(s.list(t, s.Test).Body, &answer); err != nil || len(answer.Charges) != 3 {
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

func (s *cashier) list(t *testing.T, secret string) servertest.Answer {
	t.Helper()
	return s.Call(t, "GET", servertest.ChargesPath, nil, servertest.WithKey(secret))
}

func ids(all []servertest.ListedCharge) (ids []string) {
	for _, c := range all {
		ids = append(ids, c.ID)
	}
	return ids
}

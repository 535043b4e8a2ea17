package servertest

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/stripe/stripetest"
)

// The calls that a [Cashier] makes.
const (
	ChargesPath = "/api/v1/charges"
	GoodCharge  = `{"merchant_email":"merchant@shop.example","amount_cents":1250,"description":"Invoice 17"}`

	// CheckoutCompleted is the type of Stripe's event about a session that was paid.
	CheckoutCompleted = "checkout.session.completed"
)

// Cashier is an appliance that takes payments from a fake Stripe, and one developer with a
// live and a test key. The wallet is empty.
type Cashier struct {
	*Server
	Stripe *stripetest.Stripe
	Email  string
	// LiveKey is the developer's live key. Live is its secret, and Test the test key's.
	LiveKey    db.Key
	Live, Test string
}

// NewCashier opens a cashier.
func NewCashier(t testing.TB, change ...func(*server.Config)) *Cashier {
	t.Helper()
	return NewCashierWith(t, func(*stripetest.Stripe) {}, change...)
}

// NewCashierWith prepares the fake Stripe before its first call.
func NewCashierWith(t testing.TB, prepare func(*stripetest.Stripe), change ...func(*server.Config)) *Cashier {
	t.Helper()
	clock := dbtest.NewClock()
	s := &Cashier{Stripe: stripetest.New(t, clock.Now), Email: "developer@example.com"}
	prepare(s.Stripe)
	s.Server = Open(t, t.TempDir()+"/svc.db", clock, slices.Insert(change, 0, WithStripe(s.Stripe))...)
	s.Account(t, s.Email, "business", 0)
	s.LiveKey, s.Live = s.Key(t, s.Email, db.Live, db.AccountMode)
	_, s.Test = s.Key(t, s.Email, db.Test, db.AccountMode)
	t.Cleanup(func() { s.VerifyWallets(t) })
	return s
}

// WithoutStripe opens the appliance without payments.
func WithoutStripe(c *server.Config) { c.Stripe = server.Stripe{} }

// OpenAgain opens a second appliance on the cashier's file, as another process does.
func (s *Cashier) OpenAgain(t testing.TB, change ...func(*server.Config)) *Cashier {
	t.Helper()
	second := *s
	second.Server = Open(t, s.Path, s.Clock, slices.Insert(change, 0, WithStripe(s.Stripe))...)
	return &second
}

// PostCharge posts any body to ChargesPath.
func (s *Cashier) PostCharge(t testing.TB, secret string, body any, options ...Option) Answer {
	t.Helper()
	return s.Call(t, "POST", ChargesPath, body, append(options, WithKey(secret))...)
}

// Charge is a charge as the developer who made it knows it.
type Charge struct {
	ID string
	// Link is the confirmation_url.
	Link string
}

// Path returns the path of the charge's link.
func (c Charge) Path() string { return Path(c.Link) }

// Token returns the token of the charge's link.
func (c Charge) Token() db.Token { return db.Token(strings.TrimPrefix(c.Path(), "/charges/")) }

// MakeCharge posts GoodCharge with other fields: names and their values in JSON.
func (s *Cashier) MakeCharge(t testing.TB, secret string, fields ...string) Charge {
	t.Helper()
	body := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(GoodCharge), &body); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		body[fields[i]] = json.RawMessage(fields[i+1])
	}
	a := s.PostCharge(t, secret, body)
	a.Expect(t, 200, "")
	return MadeCharge(t, a)
}

// MadeCharge reads the charge of a POST's answer.
func MadeCharge(t testing.TB, a Answer) Charge {
	t.Helper()
	var answer struct {
		Charge struct{ ID string }
		Link   string `json:"confirmation_url"`
	}
	if err := json.Unmarshal(a.Body, &answer); err != nil {
		t.Fatal(err)
	}
	return Charge{answer.Charge.ID, answer.Link}
}

// PlantCharge stores a charge past the API, whose limits allow only a few.
func (s *Cashier) PlantCharge(t testing.TB, key db.Key) Charge {
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
	return Charge{made.ID, s.URL + "/charges/" + string(token)}
}

// ListedCharge is a charge in the answer of a GET.
type ListedCharge struct {
	ID         string `json:"id"`
	Status     string `json:"status"`
	ApprovedAt string `json:"approved_at"`
}

// Charges lists the charges of a key.
func (s *Cashier) Charges(t testing.TB, secret string) []ListedCharge {
	t.Helper()
	var answer struct{ Charges []ListedCharge }
	if err := json.Unmarshal(s.Call(t, "GET", ChargesPath, nil, WithKey(secret)).Body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer.Charges
}

// Show opens a page under a charge's link in a browser of its own.
func (s *Cashier) Show(t testing.TB, c Charge, tail string) Answer {
	t.Helper()
	return s.Browser(t).Get(t, c.Link+tail)
}

// Press posts a form of a charge's page, such as "pay", from a browser of its own.
func (s *Cashier) Press(t testing.TB, c Charge, action string) Answer {
	t.Helper()
	return s.Browser(t).Post(t, c.Link+"/"+action, url.Values{})
}

// Pay presses Pay, which must lead to Stripe's page, and returns that page's session.
func (s *Cashier) Pay(t testing.TB, c Charge) stripetest.Session {
	t.Helper()
	a := s.Press(t, c, "pay")
	to := a.Header.Get("Location")
	for _, session := range s.Stripe.Sessions() {
		if a.Status == 303 && to == s.Stripe.URL+"/pay/"+session.ID {
			if session.Status != "open" {
				t.Errorf("the payer is sent to a session that is %s", session.Status)
			}
			return session
		}
	}
	t.Fatalf("answer %d to %q, want Stripe's page: %s", a.Status, to, a.Body)
	return stripetest.Session{}
}

// TakeEvent sends an event about a session as it is now, which must be accepted.
func (s *Cashier) TakeEvent(t testing.TB, sessionID, eventType string) {
	t.Helper()
	s.Event(t, s.Stripe, sessionID, eventType).ExpectBody(t, 200, `{"received":true}`+"\n")
}

// StoredCharge reads a charge from the store.
func (s *Cashier) StoredCharge(t testing.TB, c Charge) (found db.Charge) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		found, err = tx.ChargeByToken(c.Token())
		return err
	})
	return found
}

// ExpectStatus checks the status of a stored charge, and that it has a time of approval
// only if it was approved, and of decline only if it was declined.
func (s *Cashier) ExpectStatus(t testing.TB, c Charge, want db.ChargeStatus) {
	t.Helper()
	found := s.StoredCharge(t, c)
	if got := found.StatusAt(s.Clock.Now()); got != want {
		t.Errorf("charge is %s, want %s", got, want)
	}
	if found.ApprovedAt.IsZero() == (want == db.ChargeApproved) || found.DeclinedAt.IsZero() == (want == db.ChargeDeclined) {
		t.Errorf("charge is %s, and approved at %v, declined at %v", want, found.ApprovedAt, found.DeclinedAt)
	}
}

// ExpectListed checks status and approved_at of all charges of a key, by id, with a
// space between the two.
func (s *Cashier) ExpectListed(t testing.TB, secret string, want map[string]string) {
	t.Helper()
	got := map[string]string{}
	for _, c := range s.Charges(t, secret) {
		got[c.ID] = c.Status + " " + c.ApprovedAt
	}
	if !maps.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
}

// ExpectState checks an answer of /charges/<token>/status.
func (a Answer) ExpectState(t testing.TB, want string) {
	t.Helper()
	if body := `{"state":"` + want + `"}` + "\n"; a.Status != 200 || string(a.Body) != body {
		t.Errorf("status answers %d %s, want %s", a.Status, a.Body, body)
	}
	if a.Header.Get("Cache-Control") != "no-store" || a.Header.Get("X-Robots-Tag") != "noindex" || a.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("headers %v", a.Header)
	}
}

// DumpPayments returns all rows of the tables that a charge, a payment or a credit
// writes to. Two equal dumps mean that nothing was changed.
func (s *Cashier) DumpPayments(t testing.TB) string {
	t.Helper()
	var out strings.Builder
	for _, table := range []string{"charges", "checkouts", "purchases", "payment_events", "ledger", "wallets", "mails"} {
		for _, row := range s.Query(t, `SELECT * FROM `+table+` ORDER BY 1, 2`) {
			fmt.Fprintln(&out, table, row)
		}
	}
	return out.String()
}

// Trace returns the calls that Stripe got, each in two words: create with the number of
// the attempt, expire and fetch with the number of the session's attempt.
func (s *Cashier) Trace() (calls []string) {
	numbers := map[string]string{}
	for _, session := range s.Stripe.Sessions() {
		numbers[session.ID] = attemptNumber(session.IdempotencyKey)
	}
	for _, r := range s.Stripe.Requests() {
		id, end := strings.CutSuffix(strings.TrimPrefix(r.Path, "/v1/checkout/sessions/"), "/expire")
		number, known := numbers[id]
		if !known {
			number = "?"
		}
		switch {
		case r.Path == "/v1/checkout/sessions":
			calls = append(calls, "create "+attemptNumber(r.IdempotencyKey))
		case end:
			calls = append(calls, "expire "+number)
		default:
			calls = append(calls, "fetch "+number)
		}
	}
	return calls
}

// attemptNumber returns the end of an idempotency key.
func attemptNumber(key string) string { return key[strings.LastIndexByte(key, '-')+1:] }

// ExpectTrace checks the calls that Stripe got; see [Cashier.Trace].
func (s *Cashier) ExpectTrace(t testing.TB, want ...string) {
	t.Helper()
	if got := s.Trace(); !slices.Equal(got, want) {
		t.Errorf("Stripe got %q, want %q", got, want)
	}
}

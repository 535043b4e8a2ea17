package checkout_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/money"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
)

func TestBundles(t *testing.T) {
	open := func(t *testing.T, change ...func(*server.Config)) (*cashier, *servertest.Browser, string) {
		t.Helper()
		s := newCashier(t, change...)
		id, b := s.Member(t, "buyer@example.com")
		return s, b, id
	}
	buy := func(t *testing.T, b *servertest.Browser, bundle string) servertest.Answer {
		t.Helper()
		return b.Post(t, "/console/wallet/buy", url.Values{"bundle": {bundle}})
	}
	expectTopUps := func(t *testing.T, s *cashier, cents ...int64) {
		t.Helper()
		var sum int64
		var got []int64
		for _, e := range s.Ledger(t, "buyer@example.com") {
			if e.Kind != db.TopUp || !strings.HasPrefix(e.Note, "bundle buy_") || e.KeyID != "" || e.Endpoint != "" {
				t.Errorf("ledger has %+v", e)
			}
			got = append(got, e.AmountCents)
		}
		for _, c := range cents {
			sum += c
		}
		if w := s.Wallet(t, "buyer@example.com"); !slices.Equal(got, cents) || w.BalanceCents != sum {
			t.Errorf("top-ups %v, balance %d; want %v", got, w.BalanceCents, cents)
		}
		s.VerifyWallets(t)
	}

	t.Run("OnThePage", func(t *testing.T) {
		_, b, _ := open(t)
		page := b.Get(t, "/console/wallet")
		page.ExpectPage(t, 200, "£5.00", "£10.00", "£25.00", "$6.00 of credit", "$12.50 of credit", "$32.50 of credit",
			`value="500-gbp-600"`, `value="1000-gbp-1250"`, `value="2500-gbp-3250"`, "Credit is counted in US cents", "GBP")
		if !slices.Contains(page.Forms(), "/console/wallet/buy") {
			t.Errorf("forms %v", page.Forms())
		}
	})

	for bundle, want := range map[string]struct {
		amount, credit int64
		name           string
	}{
		"500-gbp-600":   {500, 600, "600 US cents of credit"},
		"1000-gbp-1250": {1000, 1250, "1,250 US cents of credit"},
		"2500-gbp-3250": {2500, 3250, "3,250 US cents of credit"},
	} {
		t.Run(bundle, func(t *testing.T) {
			s, _, account := open(t, func(c *server.Config) { c.ConsoleURL = "https://console.example.com" })
			// With that address the console's cookie is sent over HTTPS only, so the buyer
			// uses another appliance.
			plain := s.again(t)
			b := plain.Browser(t)
			b.SignIn(t, "buyer@example.com", servertest.Password)
			a := buy(t, b, bundle)
			made := s.Stripe.Sessions()[0]
			if a.Status != 303 || a.Header.Get("Location") != s.Stripe.URL+"/pay/"+made.ID {
				t.Fatalf("answer %d to %q: %s", a.Status, a.Header.Get("Location"), a.Body)
			}
			id := made.Reference
			wantParams := url.Values{
				"mode": {"payment"}, "client_reference_id": {id}, "metadata[reference]": {id}, "payment_intent_data[metadata][reference]": {id},
				"line_items[0][quantity]": {"1"}, "line_items[0][price_data][currency]": {"gbp"},
				"line_items[0][price_data][unit_amount]":        {fmt.Sprint(want.amount)},
				"line_items[0][price_data][product_data][name]": {want.name},
				"success_url": {plain.URL + "/console/wallet?bought=" + id}, "cancel_url": {plain.URL + "/console/wallet"},
				"expires_at": {fmt.Sprint(s.Clock.Now().Add(24 * time.Hour).Unix())},
			}
			if !strings.HasPrefix(id, "buy_") || made.IdempotencyKey != id+"-1" || made.Params.Encode() != wantParams.Encode() {
				t.Errorf("key %q, parameters\n%v, want\n%v", made.IdempotencyKey, made.Params, wantParams)
			}
			stored := []string{fmt.Sprintf("%s %d gbp %d", account, want.amount, want.credit)}
			if got := s.Query(t, `SELECT account_id, amount, currency, credit_cents FROM purchases`); !slices.Equal(got, stored) {
				t.Errorf("purchases %v", got)
			}

			back := "/console/wallet?bought=" + id
			b.Get(t, back).ExpectPage(t, 200, "Thank you.", "as soon as Stripe confirms", `hx-trigger="every 3s"`)
			expectTopUps(t, s) // coming back proves nothing
			s.complete(t, made.ID)
			expectTopUps(t, s, want.credit)
			if page := b.Get(t, back); !page.Says(money.Format(want.credit, "usd")+" of credit is in your wallet") || page.Says("every 3s") {
				t.Errorf("after the payment: %s", page.Body)
			}
			b.Get(t, "/console/wallet").ExpectPage(t, 200, "Bought for £", id)
			for _, again := range []string{servertest.CheckoutCompleted, asyncSucceeded, sessionExpired, asyncFailed} {
				s.TakeEvent(t, made.ID, again)
			}
			expectTopUps(t, s, want.credit)
			s.expectMismatches(t)
		})
	}

	t.Run("TenCopiesAtOnce", func(t *testing.T) {
		s, b, _ := open(t)
		other := s.again(t)
		buy(t, b, "500-gbp-600")
		session := s.Stripe.Sessions()[0]
		s.Stripe.Pay(session.ID)
		payload := s.Stripe.Event(session.ID, servertest.CheckoutCompleted)
		payloads := [][]byte{payload, payload, s.Stripe.Event(session.ID, asyncSucceeded)}
		count := servertest.Parallel(12, func(i int) int { return []*cashier{s, other}[i%2].SignedEvent(t, s.Stripe, payloads[i%3]).Status })
		if count[200] != 12 {
			t.Errorf("answers %v", count)
		}
		expectTopUps(t, s, 600)
		s.expectEvents(t, 2)
	})

	t.Run("TwoPurchasesCreditTwice", func(t *testing.T) {
		s, b, _ := open(t)
		for range 2 {
			buy(t, b, "500-gbp-600")
		}
		s.expectOpen(t, 2)
		for _, session := range s.Stripe.Sessions() {
			s.complete(t, session.ID)
		}
		expectTopUps(t, s, 600, 600)
		s.expectMismatches(t)
	})

	for name, change := range map[string]func(*stripetest.Session){
		"Amount":    func(c *stripetest.Session) { c.AmountTotal = 499 },
		"Currency":  func(c *stripetest.Session) { c.Currency = "usd" },
		"Reference": func(c *stripetest.Session) { c.Reference = "buy_other" },
		"Live":      func(c *stripetest.Session) { c.Live = true },
	} {
		t.Run("Wrong"+name, func(t *testing.T) {
			s, b, _ := open(t)
			buy(t, b, "500-gbp-600")
			session := s.Stripe.Sessions()[0]
			s.Stripe.Pay(session.ID)
			s.Stripe.Alter(session.ID, change)
			s.TakeEvent(t, session.ID, servertest.CheckoutCompleted)
			expectTopUps(t, s)
			if all, err := s.App.Payments.Mismatches(t.Context(), 10); err != nil || len(all) != 1 {
				t.Errorf("mismatches %+v, %v", all, err)
			}
		})
	}

	// The sweep credits a paid bundle without an event, and ends an unpaid one.
	t.Run("Sweep", func(t *testing.T) {
		s, b, _ := open(t)
		for range 2 {
			buy(t, b, "500-gbp-600")
		}
		s.Stripe.Pay(s.Stripe.Sessions()[1].ID)
		s.Clock.Advance(25 * time.Hour)
		s.Sweep(t)
		expectTopUps(t, s, 600)
		s.expectAttempts(t, s.Stripe.Sessions()[0].Reference, "1 over")
	})

	t.Run("DelayedPayment", func(t *testing.T) {
		s, b, _ := open(t)
		buy(t, b, "500-gbp-600")
		session := s.Stripe.Sessions()[0]
		s.completeDelayed(t, session.ID)
		expectTopUps(t, s)
		s.Stripe.Settle(session.ID)
		s.TakeEvent(t, session.ID, asyncSucceeded)
		expectTopUps(t, s, 600)
	})

	t.Run("Unknown", func(t *testing.T) {
		s, b, _ := open(t)
		before := s.DumpPayments(t)
		for _, bundle := range []string{"", "500", "500-gbp-700", "1-gbp-3250", "500-GBP-600", "0500-gbp-600", "500-gbp-600 "} {
			a := buy(t, b, bundle)
			a.ExpectErrorPage(t, 400, "invalid_request", "The bundle is not for sale here.")
		}
		b.Post(t, "/console/wallet/buy?bundle=500-gbp-600", nil).Expect(t, 400, "invalid_request")
		if a := b.Get(t, "/console/wallet/buy?bundle=500-gbp-600"); a.Status != 405 {
			t.Errorf("GET: %d", a.Status)
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t)
	})

	t.Run("NotSignedIn", func(t *testing.T) {
		s, _, _ := open(t)
		before := s.DumpPayments(t)
		stranger := s.Browser(t)
		if a := buy(t, stranger, "500-gbp-600"); a.Status != 303 || !strings.HasPrefix(a.Header.Get("Location"), "/signin") {
			t.Errorf("answer %d to %q", a.Status, a.Header.Get("Location"))
		}
		if a := stranger.Get(t, "/console/wallet"); a.Status != 303 {
			t.Errorf("the page: %d", a.Status)
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t)
	})

	t.Run("FromAnotherSite", func(t *testing.T) {
		s, b, _ := open(t)
		before := s.DumpPayments(t)
		for _, site := range []servertest.Option{
			servertest.WithHeader("Sec-Fetch-Site", "cross-site"), servertest.WithHeader("Sec-Fetch-Site", "same-site"),
		} {
			b.Post(t, "/console/wallet/buy", url.Values{"bundle": {"500-gbp-600"}}, site).Expect(t, 403, "cross_origin")
		}
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	t.Run("WithoutStripe", func(t *testing.T) {
		s, b, _ := open(t, servertest.WithoutStripe)
		before := s.DumpPayments(t)
		page := b.Get(t, "/console/wallet")
		page.ExpectPage(t, 200, "what you do here costs nothing")
		b.Get(t, "/console/wallet/ledger").ExpectPage(t, 200, "Credit is not for sale here")
		if slices.Contains(page.Forms(), "/console/wallet/buy") || page.Says("£5.00") {
			t.Error("bundles are offered")
		}
		buy(t, b, "500-gbp-600").Expect(t, 400, "invalid_request")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
	})

	t.Run("StripeFails", func(t *testing.T) {
		s, b, _ := open(t)
		for _, failure := range failures {
			failure.fail(s.Stripe)
			a := buy(t, b, "500-gbp-600")
			s.Stripe.Up()
			a.ExpectErrorPage(t, 503, "unavailable", "no new payment was begun; try again in a moment", "£5.00")
		}
		s.Stripe.Fail(400, `{"error":{"type":"invalid_request_error","code":"amount_too_small","message":"At least 6 pounds."}}`)
		buy(t, b, "500-gbp-600").ExpectPage(t, 409, "At least 6 pounds.")
		expectTopUps(t, s)
	})

	t.Run("TooOften", func(t *testing.T) {
		s, b, _ := open(t)
		_, other := s.Member(t, "other@example.com")
		for range 20 {
			if a := buy(t, b, "500-gbp-600"); a.Status != 303 {
				t.Fatalf("answer %d", a.Status)
			}
		}
		before, trace := s.DumpPayments(t), s.Trace()
		a := buy(t, b, "500-gbp-600")
		a.ExpectErrorPage(t, 429, "too_many_tries", "Too many purchases were begun within an hour", "£5.00")
		servertest.ExpectSame(t, before, s.DumpPayments(t))
		s.ExpectTrace(t, trace...)
		if a := buy(t, other, "500-gbp-600"); a.Status != 303 {
			t.Errorf("another account: %d", a.Status)
		}
		s.Clock.Advance(time.Hour)
		if a := buy(t, b, "500-gbp-600"); a.Status != 303 {
			t.Errorf("after an hour: %d", a.Status)
		}
	})

	t.Run("OperatorSetsTheBundles", func(t *testing.T) {
		s, b, _ := open(t, func(c *server.Config) {
			c.Bundles = []account.Bundle{{Amount: 10000, Currency: "jpy", CreditCents: 7000}}
		})
		b.Get(t, "/console/wallet").ExpectPage(t, 200, "¥10,000", "$70.00 of credit")
		buy(t, b, "500-gbp-600").Expect(t, 400, "invalid_request")
		buy(t, b, "10000-jpy-7000")
		session := s.Stripe.Sessions()[0]
		if session.Currency != "jpy" || session.AmountTotal != 10000 {
			t.Errorf("session %+v", session)
		}
		s.complete(t, session.ID)
		expectTopUps(t, s, 7000)
	})
}

// Neither the log nor a page contains Stripe's key or a webhook secret, and the log no
// link, whatever Stripe answers.
func TestPaymentSecretsAreNotLeaked(t *testing.T) {
	servertest.Sequential(t)
	const key, first, second = "sk_test_in_confidence", "whsec_in_confidence", "whsec_also_in_confidence"
	s, calls := newTappedCashier(t, func(c *server.Config) { c.Stripe.Key, c.Stripe.WebhookSecrets = key, []string{first, second} })
	s.Stripe.Key = key
	var seen bytes.Buffer
	see := func(a servertest.Answer) {
		seen.Write(a.Body)
		for name, values := range a.Header {
			fmt.Fprintln(&seen, name, values)
		}
	}
	tokens := map[string]string{}
	for _, status := range []int{200, 302, 400, 401, 402, 403, 404, 409, 429, 500, 0} {
		c := s.MakeCharge(t, s.Live)
		tokens[fmt.Sprint("the link of ", status)] = string(c.Token())
		about := c.Link
		if status == 401 || status == 403 {
			about = "the key" // such answers are logged, so they must not name the link
		}
		chatter := fmt.Sprintf(`{"error":{"type":"x_%[1]s","code":"amount_too_small","param":"success_url","message":"%[1]s %[2]s"}}`, key, about)
		fails := func(int, *http.Request) (int, string) {
			if status == 0 {
				panic(http.ErrAbortHandler) // the connection breaks
			}
			return status, chatter
		}
		well := func(int, *http.Request) (int, string) { return 0, "" }
		calls.intercept(fails)
		see(s.Press(t, c, "pay"))
		calls.intercept(well)
		session := s.Pay(t, c)
		calls.intercept(fails)
		see(s.Press(t, c, "pay"))
		for _, tail := range []string{"", "/return", "/status", "/nothing"} {
			see(s.Show(t, c, tail))
		}
		for _, secret := range []string{first, second, "wrong", key} {
			payload := s.altered(t, session.ID, servertest.CheckoutCompleted, func(event, object map[string]any) { object["client_reference_id"] = "order_17" })
			see(s.Call(t, "POST", "/webhooks/stripe", payload, servertest.WithHeader("Stripe-Signature", s.Stripe.Sign(payload, secret, s.Clock.Now()))))
		}
		s.Clock.Advance(25 * time.Hour)
		if err := s.App.Sweep(t.Context()); err != nil {
			fmt.Fprintln(&seen, err)
		}
		s.Clock.Advance(week)
	}
	logged := s.Log.String()
	if len(logged) < 10_000 || seen.Len() < 10_000 {
		t.Fatalf("only %d bytes of log and %d of answers", len(logged), seen.Len())
	}
	for name, secret := range map[string]string{"the key": key, "a secret": first, "the other secret": second, "half a key": "in_confidence"} {
		if strings.Contains(logged, secret) {
			t.Errorf("the log contains %s", name)
		}
		if i := strings.Index(seen.String(), secret); i >= 0 {
			t.Errorf("an answer contains %s: …%s", name, seen.String()[max(0, i-200):i])
		}
	}
	for name, token := range tokens {
		if i := strings.Index(logged, token); i >= 0 {
			t.Errorf("the log holds %s: …%s", name, logged[max(0, i-300):i])
		}
	}
}

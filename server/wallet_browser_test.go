package server_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/stripe/stripetest"
	"svc/server/views/viewstest"
)

// An owner leaves Stripe's page, comes back and pays; the credit is there once Stripe's signed event
// says so, and not before. A call spends it, and the ledger leads from what it cost to the request.
// That Stripe takes what is sent to it is checked with stripe-mock (TestStripeMock).
func TestBrowserWallet(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	clock := dbtest.NewClock()
	stripe := stripetest.New(t, clock.Now)
	s := servertest.Open(t, filepath.Join(t.TempDir(), "svc.db"), clock, servertest.WithStripe(stripe))
	s.Person(t, servertest.Boss)
	owner, stranger := s.Person(t, "shop@example.com"), s.Person(t, "other@example.com")
	_, key := s.Key(t, owner.Email, db.Live, db.AccountMode)

	enter(b, s, owner.Email)
	b.Go(s.URL + "/console/wallet")
	look(b, "wallet-bundles")
	buy := func(leave string) {
		b.Click(`button[value="500-gbp-600"]`)
		b.Until(`location.href.startsWith("` + stripe.URL + `")`)
		b.Press(leave)
		b.UntilTitle("Wallet")
	}
	buy("Cancel")
	if text := b.Text(); strings.Contains(text, "Thank you") || !strings.Contains(text, "$0.00") {
		t.Errorf("after a cancelled payment: %s", text)
	}
	buy("Pay")
	look(b, "wallet-bought")
	if text := b.Text(); !strings.Contains(text, "as soon as Stripe confirms") || !strings.Contains(text, "$0.00") {
		t.Errorf("before Stripe's event: %s", text)
	}
	for range 2 { // the second time it changes nothing
		if a := s.Event(t, stripe, stripe.Sessions()[1].ID, servertest.CheckoutCompleted); a.Status != http.StatusOK {
			t.Fatalf("event: %d %s", a.Status, a.Body)
		}
	}
	b.Until(`document.body.innerText.includes("$6.00 of credit is in your wallet")`) // without a reload
	if text := textOf(b, "#amount") + textOf(b, "#moves"); !strings.HasPrefix(text, "$6.00") || !strings.Contains(text, "Bought for £5.00") {
		t.Errorf("after a purchase of $6.00: %s", text)
	}
	s.Call(t, http.MethodPost, servertest.SendPath, servertest.SendBody, servertest.WithKey(key)).Expect(t, http.StatusOK, "")
	b.Click(`a[href="/console/wallet/ledger"]`)
	b.UntilTitle("Ledger")
	look(b, "ledger-bought")
	if text := b.Text(); !strings.Contains(text, "Bought for £5.00") || strings.Count(text, "$6.00") != 2 || !strings.Contains(text, "$5.98") {
		t.Errorf("the ledger: %s", text) // $6.00 is the amount and the credit after it
	}
	b.Click(`a[href^="/console/requests?open="]`) // why it was charged
	b.UntilTitle("Requests")
	if text := textOf(b, "aside.detail"); !strings.Contains(text, servertest.SendPath) || !strings.Contains(text, "$0.02") {
		t.Errorf("the request of the charge: %s", text)
	}
	b.Go(s.URL + "/console/wallet")
	b.Click(".balance summary")
	viewstest.Evaluate[string](b, `document.querySelector("#threshold").value = ""`)
	b.Type("#threshold", "7.50")
	b.Click(`form[action="/console/wallet/threshold"] button`)
	b.Until(`document.body.innerText.includes("Your credit is low: it is below $7.50")`)
	if w := s.Wallet(t, stranger.Email); w.BalanceCents != 0 || len(s.Ledger(t, stranger.Email)) != 0 {
		t.Errorf("another account has %+v", w)
	}
	s.VerifyWallets(t)
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

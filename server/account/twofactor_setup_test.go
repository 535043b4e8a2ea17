package account_test

import (
	"net/url"
	"os"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/servertest"
)

func TestSetupOfSomebodyGone(t *testing.T) {
	servertest.Sequential(t)
	h := openHouse(t)
	shop := h.Person(t, servertest.Member)
	old := h.Staff(t, shop, helper)
	dbtest.Update(t, h.Store, func(tx *db.Tx) error { return tx.RemoveStaff(shop.ID, old.ID) })
	h.Staff(t, shop, helper)
	_, err := h.App.Accounts.BeginTwoFactor(t.Context(), old, "tfa_1", servertest.Password, account.Caller{})
	if err == nil {
		t.Error("somebody who is gone set two-factor sign-in up")
	}
	if n := h.Count(t, `SELECT count(*) FROM two_factors`); n != 0 {
		t.Errorf("%d secrets of nobody", n)
	}
}

func TestSweepRemovesSetupsThatWaitedTooLong(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	const third = "third@example.com"
	p.Person(t, third)
	p.begin(t, p.Enter(t, third))
	for _, want := range []int64{2, 1} {
		p.Sweep(t)
		if n := p.Count(t, `SELECT count(*) FROM two_factors`); int64(n) != want {
			t.Errorf("%d rows, want %d", n, want)
		}
		p.Clock.Advance(31 * time.Minute)
	}
	p.half(t) // what is confirmed stays
}

func TestSetupWithoutTheKeyFile(t *testing.T) {
	servertest.Sequential(t)
	p, _ := newPhone(t)
	key := p.Path + ".key"
	right, err := os.ReadFile(key)
	if err != nil {
		t.Fatal(err)
	}
	const third = "third@example.com"
	p.Person(t, third)
	b := p.Enter(t, third)
	ticket, secret := p.begin(t, b)
	expect := func(sentence string) {
		t.Helper()
		begin := url.Values{"ticket": {setupTicketOf(t, b.Get(t, twoFactorPath))}, "current": {servertest.Password}}
		confirm := url.Values{"ticket": {ticket}, "code": {"000000"}}
		for _, a := range []servertest.Answer{b.Post(t, twoFactorPath+"/begin", begin), b.Post(t, twoFactorPath+"/confirm", confirm)} {
			a.ExpectErrorPage(t, 503, "unavailable", "Two-factor sign-in cannot be set up", sentence, "from a backup")
			if a.Says("recovery code") || a.Says(p.Path) || a.Says(secret.String()) {
				t.Errorf("page %s", a.Body)
			}
		}
	}
	if err := os.Remove(key); err != nil {
		t.Fatal(err)
	}
	expect("is missing")
	for content, sentence := range map[string]string{string(right[:31]): "is damaged", string(right[1:]) + "x": "is not the one"} {
		if err := os.WriteFile(key, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		expect(sentence)
	}
}

package server_test

import (
	"testing"
	"time"

	"svc/server/account"
	"svc/server/inventory"
	"svc/server/servertest"
)

// What the overview tells is kept while nothing changes, and is of the shop as it is after
// each change of it, of its profile and of the day.
func TestOverviewTellsOfNow(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	_, b := s.Member(t, "shop@example.com")
	owner, err := s.App.Accounts.Find(t.Context(), "shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	tells := func(sentence string) {
		t.Helper()
		for range 2 {
			b.Get(t, "/console").ExpectPage(t, 200, sentence)
		}
	}
	set := func(stock string) {
		t.Helper()
		if _, err := s.App.Inventories.Set(t.Context(), owner, "MUG-1", inventory.Edit{Stock: &stock}); err != nil {
			t.Fatal(err)
		}
	}
	tells("Add your products")
	if _, err := s.App.Inventories.Add(t.Context(), owner, inventory.Edit{Name: new("Mug"), SKU: new("MUG-1"), CostPrice: new("2.00"), Stock: new("30")}); err != nil {
		t.Fatal(err)
	}
	tells("Stock worth £60")
	set("40")
	tells("Stock worth £80")
	s.Clock.Advance(24 * time.Hour)
	b.SignIn(t, owner.Email, servertest.Password).Expect(t, 303, "")
	set("0")
	tells("There are no sales yet to tell of.")
	set("25")
	tells("Stock worth £50")
	if err := s.App.Accounts.SetProfile(t.Context(), owner.Email, account.ProfileChange{Currency: new("eur")}); err != nil {
		t.Fatal(err)
	}
	tells("Stock worth €50")
}

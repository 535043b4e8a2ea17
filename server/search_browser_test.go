package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// Ctrl-K finds pages, products and keys of the account alone, and Enter opens the first.
func TestBrowserSearch(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	shop, other := s.Person(t, "shop@example.com"), s.Person(t, "other@example.com")
	s.Key(t, shop.Email, db.Test, db.AccountMode)
	for owner, name := range map[string]string{shop.ID: "Oat Milk 1l", other.ID: "Oat Biscuits"} {
		dbtest.MustItem(t, s.Store, owner, db.ItemChange{Name: name})
	}
	for i := range 7 {
		dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: fmt.Sprint("Tea no. ", i)})
	}
	b := viewstest.Open(t)
	enter(b, s.Server, shop.Email)
	b.Go(s.URL + "/console/search?q=oat")
	look(b, "search")
	if text := b.Text(); !strings.Contains(text, "Oat Milk 1l") || strings.Contains(text, "Biscuits") {
		t.Errorf("found %s", text)
	}
	b.Go(s.URL + "/console/search?q=tea")
	if text := b.Text(); !strings.Contains(text, "5 results for “tea”") {
		t.Errorf("found %s", text)
	}
	b.Click(`#results a[href="/console/inventory?q=tea"]`)
	b.UntilTitle("Inventory")
	if text := b.Text(); !strings.Contains(text, "Tea no. 6") || !strings.Contains(text, "Tea no. 0") || strings.Contains(text, "Oat Milk 1l") {
		t.Errorf("all products: %s", text)
	}
	b.Go(s.URL + "/console/wallet")
	b.Click("[data-find]")
	b.Type("dialog input", "oat")
	b.Until(`[...document.querySelectorAll("dialog .found a")].some((a) => a.textContent.includes("Oat Milk 1l"))`)
	b.Type("dialog input", kb.Enter)
	b.UntilTitle("Inventory")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

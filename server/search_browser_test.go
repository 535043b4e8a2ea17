package server_test

import (
	"fmt"
	"net/http"
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
	key, secret := s.Key(t, shop.Email, db.Test, db.AccountMode)
	request := s.Call(t, http.MethodGet, "/api/v1/connections", nil, servertest.WithKey(secret)).Header.Get("X-Request-Id")
	price, stock := int64(240), int64(3000)
	dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: "Oat Milk 1l", Price: &price, StockMilli: &stock, Unit: "bottle"})
	dbtest.MustItem(t, s.Store, other.ID, db.ItemChange{Name: "Oat Biscuits"})
	for i := range 7 {
		dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: fmt.Sprint("Tea no. ", i)})
	}
	b := viewstest.Open(t)
	enter(b, s.Server, shop.Email)
	for query, want := range map[string]string{
		"oat": "Oat Milk 1l low £2.40 · 3 bottles in stock", key.LastFour: "test account", request: "GET /api/v1/connections 200 2 Mar 2026", "item": "Add an item",
	} {
		b.Go(s.URL + "/console/search?q=" + query)
		if text := textOf(b, "#results"); !strings.Contains(text, want) || strings.Contains(text, "Biscuits") {
			t.Errorf("%s finds %q", query, text)
		}
	}
	b.Go(s.URL + "/console/search?q=oat")
	look(b, "search")
	b.Go(s.URL + "/console/search?q=tea")
	if text := b.Text(); !strings.Contains(text, "5 results for “tea”") {
		t.Errorf("found %s", text)
	}
	b.Click(`#results a[href="/console/inventory?q=tea"]`)
	b.UntilTitle("Inventory")
	if text := b.Text(); !strings.Contains(text, "Tea no. 6") || !strings.Contains(text, "Tea no. 0") || strings.Contains(text, "Oat Milk 1l") {
		t.Errorf("all products: %s", text)
	}
	b.Go(s.URL + "/console/search?q=flour")
	look(b, "search-none")
	if text := b.Text(); !strings.Contains(text, "Nothing found for “flour”") || !strings.Contains(text, "words of a question") {
		t.Errorf("nothing is found: %s", text)
	}
	b.Width(1280)
	b.Go(s.URL + "/console/wallet")
	b.Click("[data-find]")
	b.Type("dialog input", "tea")
	b.Until(`document.querySelectorAll("dialog .found a").length === 6 && !document.querySelector("dialog [data-old]")`)
	look(b, "search-dialog")
	if chosen := textOf(b, "dialog [aria-selected=true]"); !strings.Contains(chosen, "Tea no. 0") {
		t.Errorf("of the tea is chosen: %s", chosen)
	}
	b.Type("dialog input", kb.ArrowUp)
	if chosen := textOf(b, "dialog [aria-selected=true]"); chosen != "All products with “tea”" {
		t.Errorf("before the first comes %s", chosen)
	}
	for range 3 {
		b.Type("dialog input", kb.Backspace)
	}
	b.Type("dialog input", "zzz")
	b.Until(`document.querySelector("dialog .found [role=group]")?.innerText.includes("Nothing found for “zzz”")`)
	look(b, "search-dialog-none")
	b.Type("dialog input", kb.Escape)
	b.Until(`!document.querySelector("dialog")`)
	b.Click("[data-find]")
	b.Type("dialog input", "oat")
	b.Until(`[...document.querySelectorAll("dialog .found a")].some((a) => a.textContent.includes("Oat Milk 1l"))`)
	b.Type("dialog input", kb.Enter)
	b.UntilTitle("Inventory")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/dataset"
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
	stranger := s.Person(t, "stranger@example.com")
	for _, of := range []db.Account{shop, stranger} {
		s.Staff(t, of, "ana.of."+of.Email)
		const file = "Day,Item,Amount\n2026-02-01,Tea,3.00\n2026-02-03,Tea,3.00\n"
		_, _, err := s.App.Datasets.Import(t.Context(), of.ID, dataset.File{Name: "milk round.csv", Content: strings.NewReader(file), Size: int64(len(file))})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.App.Accounts.CreateApp(t.Context(), account.NewApp{Account: of.Email, Name: "Shelf Counter of " + of.Email}); err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			if _, _, err := tx.PutCustomer(db.Customer{AccountID: of.ID, ExternalID: "c1", Name: "Zoë Lind", Phone: "+44 7700 900123"}); err != nil {
				return err
			}
			return tx.AddMessage(db.Message{
				ID: "msg_" + of.ID, AccountID: of.ID, Phone: "+447700900123", Template: "receipt", Provider: carrier.NameOutbox, Text: "Receipt from " + of.Email + "\n\n2 x Scone\n\nTotal £5.00",
			})
		})
	}
	b := viewstest.Open(t)
	enter(b, s.Server, shop.Email)
	for query, want := range map[string]string{
		"oat": "Oat Milk 1l low £2.40 · 3 bottles in stock", key.LastFour: "test account", request: "GET /api/v1/connections 200 2 Mar 2026", "item": "Add an item",
		"zoe": "1 result for “zoe” Messages Zoë Lind Saved, not sent Total £5.00", "milk round": "1 result for “milk round” Data milk round 1 Feb 2026 to 3 Feb 2026",
		"shelf": "Shelf Counter of shop@example.com", "ana.of": "ana.of.shop@example.com staff",
	} {
		b.Go(s.URL + "/console/search?q=" + url.QueryEscape(query))
		if text := strings.Join(strings.Fields(textOf(b, "#results")), " "); !strings.Contains(text, want) || strings.Contains(text, "Biscuits") || strings.Contains(text, stranger.Email) {
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

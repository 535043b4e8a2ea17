package server_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"svc/server"
	"svc/server/account"
	"svc/server/dataset"
	"svc/server/inventory"
	"svc/server/servertest"
	"svc/server/webhook"
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

// Products stay added when the sales that come after them are in another currency.
func TestOverviewKeepsProductsAdded(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	_, b := s.Member(t, "shop@example.com")
	owner, err := s.App.Accounts.Find(t.Context(), "shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.App.Inventories.Add(t.Context(), owner, inventory.Edit{Name: new("Mug"), CostPrice: new("2.00"), Stock: new("30")}); err != nil {
		t.Fatal(err)
	}
	if page := b.Get(t, "/console"); !page.Says("Bring your sales") || page.Says("Add products") {
		t.Fatalf("the steps of a shop with products: %s", page.Body)
	}
	file := "Date,Item,Quantity,Total\n2026-02-26,Mug,2,\"€9.00\"\n2026-02-27,Mug,1,\"€4.50\"\n"
	_, _, err = s.App.Datasets.Import(t.Context(), owner.ID, dataset.File{Name: "till.csv", Content: strings.NewReader(file), Size: int64(len(file))})
	if err != nil {
		t.Fatal(err)
	}
	if page := b.Get(t, "/console"); !page.Says("€") || page.Says("Add products") {
		t.Errorf("the products are to be added again: %s", page.Body)
	}
}

// Stock at its reorder point is a thing to do for staff, too, and its figure leads to the list.
func TestOverviewAsksForLowStock(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	_, b := s.Member(t, "shop@example.com")
	owner, err := s.App.Accounts.Find(t.Context(), "shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	add := func(name, stock string) {
		t.Helper()
		if _, err := s.App.Inventories.Add(t.Context(), owner, inventory.Edit{Name: &name, SKU: &name, CostPrice: new("2.00"), Stock: &stock, ReorderPoint: new("5")}); err != nil {
			t.Fatal(err)
		}
	}
	add("Mug", "30")
	b.Get(t, "/console").ExpectPage(t, 200, "Nothing to do", `href="/console/inventory?stock=low"`)
	add("Cup", "5")
	page := b.Get(t, "/console")
	page.ExpectPage(t, 200, "1 product is at its reorder point or below", `<a class="button quiet" href="/console/inventory?stock=low">See the stock</a>`)
	if strings.Contains(string(page.Body), "Nothing to do") {
		t.Error("the page says that there is nothing to do")
	}
	b.Get(t, "/console/inventory?stock=low").ExpectPage(t, 200, "Cup")
	b.Get(t, "/").ExpectPage(t, 200, "Stock worth £70", "1 thing to do", `href="/console"`)
}

// Whoever is signed in keeps the sidebar where there is nothing, and is led to the page above it.
func TestNotFoundKeepsTheSidebar(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	s.Person(t, "boss@example.com")
	_, b := s.Member(t, "shop@example.com")
	for path, link := range map[string]string{
		"/console/data/ds_nothing": `<a class="button" href="/console/data">To Data</a>`,
		"/console/nothing":         `<a class="button" href="/console">To Overview</a>`,
	} {
		b.Get(t, path).ExpectErrorPage(t, 404, "not_found", link, `<nav id="menu"`)
	}
	b.Get(t, "/nothing").ExpectErrorPage(t, 404, "not_found", "To the console")
	s.Browser(t).Get(t, "/console/nothing").ExpectErrorPage(t, 404, "not_found", "To the start")
}

// A pinned question stands on the overview with the answer that the data give now, until it
// is unpinned; other accounts have their own.
func TestOverviewAnswersPinned(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, other := s.Member(t, "boss@example.com")
	_, b := s.Member(t, "shop@example.com")
	owner, err := s.App.Accounts.Find(t.Context(), "shop@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for name, stock := range map[string]string{"Mug": "30", "Cup": "12"} {
		if _, err := s.App.Inventories.Add(t.Context(), owner, inventory.Edit{Name: new(name), SKU: new(name), Stock: new(stock)}); err != nil {
			t.Fatal(err)
		}
	}
	asked, _, err := s.App.Asks.AskOwn(t.Context(), owner, "", "How many mugs are in stock?")
	if err != nil {
		t.Fatal(err)
	}
	if page := b.Get(t, "/console"); page.Says("Pinned questions") {
		t.Error("a question is on the overview before it is pinned")
	}
	if err := s.App.Asks.Pin(t.Context(), owner.ID, asked.ID, true); err != nil {
		t.Fatal(err)
	}
	b.Get(t, "/console").ExpectPage(t, 200, "Pinned questions", "How many mugs are in stock?", "/console/ask/"+asked.ID, "30")
	if _, err := s.App.Inventories.Set(t.Context(), owner, "Mug", inventory.Edit{Stock: new("29")}); err != nil {
		t.Fatal(err)
	}
	b.Get(t, "/console").ExpectPage(t, 200, "Pinned questions", "29")
	if other.Get(t, "/console").Says("mugs") {
		t.Error("another account sees the question")
	}
	if err := s.App.Asks.Pin(t.Context(), owner.ID, asked.ID, false); err != nil {
		t.Fatal(err)
	}
	if page := b.Get(t, "/console"); page.Says("Pinned questions") {
		t.Error("an unpinned question is on the overview")
	}
}

// The overview says which webhooks fail and which were disabled for that, without the path of
// their address, which may be a secret.
func TestOverviewTellsOfWebhooks(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, func(c *server.Config) { c.WebhookAllow = []string{"loopback"} })
	_, other := s.Member(t, "boss@example.com")
	id, b := s.Member(t, "shop@example.com")
	answer := http.StatusInternalServerError
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(answer) }))
	t.Cleanup(receiver.Close)
	hook, _, err := s.App.Webhooks.Create(t.Context(), id, webhook.NewWebhook{URL: receiver.URL + "/tok3n", Events: []string{"stock.low"}})
	if err != nil {
		t.Fatal(err)
	}
	try := func(status int) servertest.Answer {
		t.Helper()
		answer = status
		if _, err := s.App.Webhooks.Test(t.Context(), id, hook.ID, ""); err != nil {
			t.Fatal(err)
		}
		if err := s.App.Webhooks.Deliver(context.Background()); err != nil {
			t.Fatal(err)
		}
		return b.Get(t, "/console")
	}
	if page := try(http.StatusOK); page.Says("Webhook fails") || page.Says("Webhook disabled") {
		t.Errorf("a webhook that works needs attention: %s", page.Body)
	}
	page := try(http.StatusInternalServerError)
	page.ExpectPage(t, 200, "Webhook fails", "Deliveries to 127.0.0.1:", "fail since 2 March, 10:00.", "/console/webhooks?open="+hook.ID)
	if page.Says("tok3n") {
		t.Error("the overview has the path of the address")
	}
	if other.Get(t, "/console").Says("Webhook fails") {
		t.Error("another account sees it")
	}
	try(http.StatusGone).ExpectPage(t, 200, "Webhook disabled", "gets no events since 2 March, 10:00.")
}

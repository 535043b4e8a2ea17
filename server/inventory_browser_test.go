package server_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/inventory"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// openAs signs the tab in as a person of the server and opens a page.
func openAs(b *viewstest.Tab, s *servertest.Server, email, path, title string) {
	b.Go(s.URL + "/signin?next=" + url.QueryEscape(path))
	b.Type("input[name=email]", email)
	b.Type("input[name=password]", servertest.Password)
	b.Press("Sign in")
	b.UntilTitle(title)
}

// stockShop gives an account an inventory like a small shop's.
func stockShop(t *testing.T, s *servertest.Server, owner db.Account) {
	t.Helper()
	var file strings.Builder
	file.WriteString("name,sku,barcode,price,cost_price,stock_qty,unit,reorder_point,category\n")
	for n, kind := range []string{"Ground Coffee", "Oat Milk Barista", "Breakfast Tea", "Ceramic Mug", "Dark Chocolate", "Shortbread"} {
		for i, size := range []string{"100 g", "250 g", "500 g", "1 kg", "Blue", "Green", "Gift box", "Family pack", "Refill", "Organic"} {
			at := n*10 + i
			fmt.Fprintf(&file, "%s %s,SK-%03d,,%d.%02d,%d.20,%d,bag,%d,%s\n", kind, size, at, 2+at%9, at, 1+at%5, (at*7)%41, 6, kind)
		}
	}
	file.WriteString("Loose Lemons,,4006381333931,0.60,,,each,,Fruit\n")
	content := file.String()
	r, err := inventory.New(inventory.Config{Store: s.Store}).Import(t.Context(), owner,
		inventory.File{Name: "shop.csv", Content: strings.NewReader(content), Size: int64(len(content))}, false)
	if err != nil || r.Added != 61 {
		t.Fatalf("%+v %v", r.Errors, err)
	}
}

// A merchant finds an item, changes it, its stock and its names beside the list, and adds and
// removes one. Nobody else sees it.
func TestBrowserInventory(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	_, stranger := s.Member(t, "stranger@example.com")

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory", "Inventory")
	look(b, "inventory-empty")
	stockShop(t, s, shop)
	b.Go(s.URL + "/console/inventory")
	look(b, "inventory")
	if text := b.Text(); !strings.Contains(text, "1–50 of 61 items") || !strings.Contains(text, "Breakfast Tea 1 kg") {
		t.Errorf("the list: %s", text)
	}
	b.Width(1280)

	// Search as you type, then the parts of what it finds.
	b.Type("#q", "mug")
	b.Until(`document.querySelectorAll("#rows tr").length === 10 && location.search.includes("q=mug")`)
	b.Type("#q", " gift")
	b.Until(`document.querySelectorAll("#rows tr").length === 1`)
	b.Go(s.URL + "/console/inventory?stock=low&sort=-stock")
	if text := b.Text(); !strings.Contains(text, "Low") || strings.Contains(text, "Loose Lemons") {
		t.Errorf("low stock: %s", text)
	}

	// Open, edit, refuse, adjust, name.
	b.Go(s.URL + "/console/inventory?q=mug+gift")
	b.Click("#rows th a")
	b.Until(`document.querySelector("#detail h2")?.textContent === "Ceramic Mug Gift box"`)
	look(b, "inventory-open")
	b.Width(1280)
	b.Until(`document.querySelector("#rows tr[aria-current=true]") !== null`)
	set := func(selector, value string) {
		viewstest.Evaluate[bool](b, fmt.Sprintf(`document.querySelector(%q).value = "", true`, selector))
		b.Type(selector, value)
	}
	b.Click("#detail details summary") // the details
	set("#item-price", "abc")
	b.Press("Save")
	b.Until(`document.querySelector("#item-price-problem") !== null`)
	set("#item-price", "12,50")
	set("#item-reorder-point", "40")
	b.Press("Save")
	b.Until(`document.querySelector("#detail [role=status]")?.textContent === "Saved."`)
	b.Until(`document.querySelector("#rows tr").textContent.includes("£12.50") && document.querySelector("#rows .tag.warn") !== null`)
	viewstest.Evaluate[bool](b, `document.querySelector("#adjust-how").value = "take", true`)
	b.Type("#adjust-quantity", "2")
	b.Press("Save the stock")
	b.Until(`document.querySelector("#adjust-reason-problem") !== null`)
	b.Type("#adjust-reason", "two were broken")
	b.Press("Save the stock")
	b.Until(`document.querySelector("#detail").innerText.includes("Adjusted: two were broken")`)
	stepStock(b)
	b.Click("#detail details + details summary")
	b.Type("#alias-alias", "present cup")
	b.Press("Add the name")
	b.Until(`[...document.querySelectorAll("#detail .lines bdi")].some((e) => e.textContent === "present cup")`)
	b.Go(s.URL + "/console/inventory?q=present+cup")
	if text := b.Text(); !strings.Contains(text, "Ceramic Mug Gift box") {
		t.Errorf("the search for another name: %s", text)
	}
	look(b, "inventory-found")
	b.Width(1280)

	// A new item, which is then removed.
	b.Go(s.URL + "/console/inventory?add=1")
	look(b, "inventory-new")
	b.Width(1280)
	b.Type("#item-name", "Honey Jar")
	b.Type("#item-price", "dear")
	b.Type("#item-barcodes", "12")
	b.Type("#item-stock", "some")
	b.Press("Add item")
	b.Until(`document.querySelectorAll("#item-price-problem, #item-barcodes-problem, #item-stock-problem").length === 3`)
	look(b, "inventory-new-faults")
	b.Width(1280)
	set("#item-price", "6.20")
	set("#item-barcodes", "")
	set("#item-stock", "0")
	b.Press("Add item")
	b.Until(`document.querySelector("#detail h2")?.textContent === "Honey Jar"`)
	id := viewstest.Evaluate[string](b, `new URLSearchParams(location.search).get("open")`)
	for _, address := range []string{"/console/inventory?open=" + id} {
		if a := stranger.Get(t, address); a.Status != http.StatusNotFound || strings.Contains(string(a.Body), "Honey") {
			t.Errorf("a stranger at %s: %d", address, a.Status)
		}
	}
	for _, path := range []string{"edit", "adjust", "alias", "remove"} {
		form := url.Values{"id": {id}, "name": {"Mine"}, "how": {"count"}, "quantity": {"1"}, "alias": {"x"}}
		if a := stranger.Post(t, "/console/inventory/"+path, form); a.Status != http.StatusNotFound {
			t.Errorf("a stranger posts to %s: %d %s", path, a.Status, a.Body)
		}
	}
	if disabled := viewstest.Evaluate[bool](b, `document.querySelector("#detail button[value=take]").disabled`); !disabled {
		t.Error("one can be taken of none")
	}
	b.Click("#detail details.confirm summary")
	b.Press("Cancel")
	b.Until(`!document.querySelector("#detail details.confirm").open && document.activeElement.matches(".confirm summary")`)
	b.Click("#detail details.confirm summary")
	b.Press("Remove it")
	b.Until(`document.body.innerText.includes("The item is removed.")`)
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		counts, err := tx.CountItems(shop.ID, db.ItemFilter{})
		if counts.All != 61 {
			t.Errorf("%d items at the end", counts.All)
		}
		return err
	})
	if problems := b.Problems(); len(problems) != 3 { // the refused forms are logged by the browser
		t.Errorf("the browser logged: %q", problems)
	}
}

// stepStock changes the stock of the open item by one and takes that back, twice.
func stepStock(b *viewstest.Tab) {
	stock := func() string { return viewstest.Evaluate[string](b, `document.querySelector("#stock").textContent`) }
	before := stock()
	for _, button := range []string{"+1", "−1"} {
		b.Press(button)
		b.Until(fmt.Sprintf(`document.querySelector("#stock").textContent !== %q && document.querySelector("#rows tr .top").textContent.includes(document.querySelector("#stock").textContent)`, before))
		b.Press("Undo")
		b.Until(fmt.Sprintf(`document.querySelector("#stock").textContent === %q && document.querySelector("#detail [role=status]").textContent === "Undone."`, before))
	}
}

// An item shows what was sold of it in 30 days and how long its stock lasts. One whose price is
// under its cost is marked, and found by a filter of its own.
func TestBrowserItemSales(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	milk := dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: "Oat Milk", Unit: "bottle", Price: new(int64(200)), CostPrice: new(int64(120)), StockMilli: new(int64(40_000))})
	mug := dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: "Mug", Unit: "box", Price: new(int64(700)), CostPrice: new(int64(710)), StockMilli: new(int64(1000))})
	now := s.Clock.Now()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		for n, back := range []int{200, 29, 3} {
			_, _, err := tx.PutSale(db.Sale{
				AccountID: shop.ID, ExternalID: fmt.Sprint(n), Currency: "gbp", SoldAt: now.AddDate(0, 0, -back),
				Lines: []db.SaleLine{{ItemID: milk.ID, Name: milk.Name, QuantityMilli: 5000, Price: 200}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory?open="+url.QueryEscape(milk.ID), "Inventory")
	look(b, "inventory-sales")
	facts := viewstest.Evaluate[string](b, `document.querySelector("#detail .facts").innerText`)
	for _, want := range []string{"10 bottles sold for £20.00", now.AddDate(0, 0, -3).Format("2 January 2006"), "about 75 days"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %s", want, facts)
		}
	}
	b.Go(s.URL + "/console/inventory?stock=below_cost&open=" + url.QueryEscape(mug.ID))
	look(b, "inventory-below-cost")
	text := b.Text()
	for _, want := range []string{"Below cost", "1 box", "1 item", "none sold", "not in the last year"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "Oat Milk") {
		t.Errorf("an item that earns is below cost: %s", text)
	}
	b.Width(390)
	if hidden := viewstest.Evaluate[bool](b, `document.querySelector("#groups [aria-current]").getBoundingClientRect().right > innerWidth`); hidden {
		t.Error("the chosen group is out of sight on a phone")
	}
	b.Width(1280)
	if scrolls := viewstest.Evaluate[bool](b, `["auto", "scroll"].includes(getComputedStyle(document.querySelector("#list .scroll")).overflowY)`); scrolls {
		t.Error("the list scrolls in itself")
	}
}

// dropFile drops a file on the place of a field for files.
func dropFile(b *viewstest.Tab, selector, name string, body []byte) {
	viewstest.Evaluate[bool](b, fmt.Sprintf(`(() => {
		const bytes = Uint8Array.from(atob(%q), (c) => c.charCodeAt(0));
		const dropped = new DataTransfer();
		dropped.items.add(new File([bytes], %q));
		const place = document.querySelector(%q).closest(".drop");
		place.dispatchEvent(new DragEvent("drop", { dataTransfer: dropped, bubbles: true, cancelable: true }));
		return true;
	})()`, base64.StdEncoding.EncodeToString(body), name, selector))
}

// A merchant sends a file, sees its faults by line, mends it, sees what it would do, and
// imports it. In between a sale changes an item, so the preview is shown again.
func TestBrowserImport(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	_, stranger := s.Member(t, "stranger@example.com")
	stockShop(t, s, shop)

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory/import", "Import")
	look(b, "import")
	b.Width(1280)
	const headings = "Title,SKU,Variant Price,Stock,Vendor\n"
	dropFile(b, "#file", "faulty.csv", []byte(headings+"Honey Jar,H-1,six,4,Bees\nJam,J-1,-2,1,Bees\n"))
	b.Press("Preview")
	b.Until(`document.querySelector("main table.tight tbody tr") !== null && document.body.innerText.includes("Nothing of faulty.csv was stored")`)
	if text := b.Text(); !strings.Contains(text, "line 2") || !strings.Contains(text, "line 3") {
		t.Errorf("the faults: %s", text)
	}
	look(b, "import-faults")
	b.Width(1280)
	dropFile(b, "#file", "photo.csv", []byte("hello\n"))
	b.Press("Preview")
	b.Until(`document.querySelector("#problem")?.textContent.includes("photo.csv")`)

	dropFile(b, "#file", "mixed.csv", []byte(headings+"Rye Bread,R-1,six,4,Bees\nOat Cake,O-1,1.50,9,\n"))
	b.Press("Preview")
	b.UntilTitle("Preview of an import")
	look(b, "import-problems")
	b.Width(1280)
	b.Press("Import 1 item; leave out 1 row")
	b.UntilTitle("An import")
	look(b, "import-left-out")
	b.Width(1280)
	b.Do(chromedp.Click("details.confirm summary"))
	b.Press("Undo the import")
	b.Until(`document.querySelector("h1").textContent === "Undone"`)
	look(b, "import-undone")
	b.Width(1280)
	b.Go(s.URL + "/console/inventory/import")

	dropFile(b, "#file", "shop.csv", []byte(headings+"Honey Jar,H-1,6.20,4,Bees\nGround Coffee 100 g,SK-000,2.50,5,\nBreakfast Tea Blue,SK-024,8.24,4,\n"))
	b.Press("Preview")
	b.UntilTitle("Preview of an import")
	look(b, "import-preview")
	b.Width(1280)
	if text := b.Text(); !strings.Contains(text, "Import 2 items") || !strings.Contains(text, "Nothing is stored yet") || !strings.Contains(text, "“Vendor”") {
		t.Errorf("the preview: %s", text)
	}
	page := viewstest.Evaluate[string](b, `location.pathname`)
	for _, a := range []servertest.Answer{stranger.Get(t, page), stranger.Post(t, page+"/confirm", nil), stranger.Post(t, page+"/discard", nil)} {
		if a.Status != http.StatusNotFound || strings.Contains(string(a.Body), "shop.csv") {
			t.Errorf("a stranger: %d", a.Status)
		}
	}
	b.Do(chromedp.Click(chromedp.Search(`//nav[@class="groups"]//a[contains(., "New")]`)))
	b.Until(`document.querySelectorAll("main tbody tr").length === 1 && document.querySelector("main tbody th").textContent === "Honey Jar"`)

	shelf := inventory.New(inventory.Config{Store: s.Store})
	if _, err := shelf.Adjust(t.Context(), shop, "SK-024", "-1", "sold"); err != nil {
		t.Fatal(err)
	}
	b.Press("Import 2 items")
	b.Until(`document.querySelector("#problem")?.textContent.includes("Nothing was imported")`)
	if a, _, err := shelf.Find(t.Context(), shop.ID, "H-1", 1); err == nil {
		t.Errorf("it was imported: %+v", a)
	}
	look(b, "import-changed")
	b.Width(1280)
	b.Press("Import 3 items")
	b.UntilTitle("An import")
	look(b, "import-done")
	found, moves, err := shelf.Find(t.Context(), shop.ID, "SK-000", 1)
	if err != nil || *found.Price != 250 || *found.StockMilli != 5000 || moves[0].Actor != shop.ID {
		t.Errorf("after the import: %+v %+v %v", found, moves, err)
	}
	b.Go(s.URL + "/console/inventory/import")
	if text := b.Text(); !strings.Contains(text, "shop.csv") {
		t.Errorf("the imports before: %s", text)
	}
	exported := stranger.Get(t, "/console/inventory/export.csv")
	if exported.Status != http.StatusOK || strings.Contains(string(exported.Body), "Honey") {
		t.Errorf("a stranger's export: %d %s", exported.Status, exported.Body)
	}
}

// The file of an export is imported again without a change.
func TestExportIsImportedAsItIs(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	id, browser := s.Member(t, "shop@example.com")
	stockShop(t, s, db.Account{ID: id, Profile: db.Profile{Currency: "gbp"}})
	a := browser.Get(t, "/console/inventory/export.csv")
	if a.Status != http.StatusOK || a.Header.Get("Content-Type") != "text/csv; charset=utf-8" || !strings.Contains(string(a.Body), "Loose Lemons") {
		t.Fatalf("export: %d %s", a.Status, a.Body)
	}
	p, err := inventory.New(inventory.Config{Store: s.Store}).PreviewFile(t.Context(), db.Account{ID: id, Profile: db.Profile{Currency: "gbp"}},
		inventory.File{Name: "x.csv", Content: bytes.NewReader(a.Body), Size: int64(len(a.Body))})
	if err != nil || p.Same != 61 || p.Changed+p.Added != 0 || len(p.Errors) != 0 {
		t.Errorf("%+v %v", p, err)
	}
}

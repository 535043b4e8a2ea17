package server_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/datatest"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// A merchant scans a product that is not known, says which it is, and the next scan finds it.
// Scanning in the console costs nothing.
func TestBrowserScan(t *testing.T) {
	t.Parallel()
	photo := datatest.Read(t, "photos/ean13.jpg")
	b := viewstest.Open(t)
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	strangerID, stranger := s.Member(t, "stranger@example.com")
	stockShop(t, s, shop)
	book := dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: "Tea Cookbook", SKU: "TEA-1", Unit: "box", Price: new(int64(1450)), StockMilli: new(int64(3000))})

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory/scan", "Scan a product")
	look(b, "scan")
	b.Width(1280)
	dropFile(b, "#photo", "shelf.jpg", photo)
	// It is looked at once, without another press; the steps are folded.
	b.Until(`document.querySelector("#result .banner.warn")?.textContent.includes("9781585730575")`)
	if text := viewstest.Evaluate[string](b, `document.querySelector("#result details:not([open]) .steps").textContent`); !strings.Contains(text, "Photo") || !strings.Contains(text, "EAN") || !strings.Contains(text, "no item has this code") {
		t.Errorf("the steps: %s", text)
	}
	b.Until(`document.querySelector('#result .banner a[href*="barcode=9781585730575"]')?.textContent === "It is a new item"`)
	look(b, "scan-unknown")
	b.Width(1280)
	b.Type("#which", "tea cookbook")
	b.Until(`document.querySelector("#choices li bdi")?.textContent === "Tea Cookbook"`)
	b.Click("#choices li button")
	b.Until(`document.querySelector(".banner.good")?.textContent.includes("it is found the next time") && document.querySelector("#found").textContent === "Tea Cookbook"`)

	b.Go(s.URL + "/console/inventory/scan")
	dropFile(b, "#photo", "shelf.jpg", photo)
	b.Until(`document.querySelector("#result #found")?.textContent === "Tea Cookbook"`)
	look(b, "scan-found")
	b.Width(1280)
	b.Press("+1 of the stock")
	b.Until(`document.querySelector("#stock .figure")?.textContent.trim() === "4 boxes"`)
	look(b, "scan-counted")
	b.Width(1280)
	b.Press("Undo the last change")
	b.Until(`document.querySelector("#stock .figure")?.textContent.trim() === "3 boxes" && !document.querySelector("#stock [name=undo]")`)
	b.Press("−1 of the stock")
	b.Until(`document.querySelector("#stock .figure")?.textContent.trim() === "2 boxes"`)
	b.Press("+1 of the stock")
	b.Until(`document.querySelector("#stock .figure")?.textContent.trim() === "3 boxes"`)
	if link := viewstest.Evaluate[string](b, `[...document.querySelectorAll(".found-item a")].find((a) => a.textContent === "Order").getAttribute("href")`); link != "/console/messages/new?item="+book.ID {
		t.Errorf("Order leads to %s", link)
	}
	dropFile(b, "#photo", "shelf.jpg", datatest.Read(t, "photos/nothing.jpg"))
	b.Until(`document.querySelector("#result .banner.warn")?.textContent.includes("No barcode could be read") && !document.querySelector("#result .banner.bad")`)
	look(b, "scan-nothing")
	b.Width(1280)

	// Without a photo: a barcode that is known, one that is not, and a name.
	b.Type("#which", "cookb")
	b.Until(`document.querySelector("#choices li bdi")?.textContent === "Tea Cookbook"`)
	look(b, "scan-typed")
	b.Width(1280)
	b.Click("#choices li a")
	b.Until(`document.querySelector("#found")?.textContent === "Tea Cookbook"`)
	b.Go(s.URL + "/console/inventory/scan")
	b.Type("#which", "978 1585730575")
	b.Press("Find")
	b.Until(`document.querySelector("#found")?.textContent === "Tea Cookbook"`)
	b.Go(s.URL + "/console/inventory/scan")
	b.Type("#which", "96385074")
	b.Press("Find")
	b.Until(`document.querySelector("#result .banner.warn")?.textContent.includes("Barcode 96385074") && document.querySelector('#result a[href*="barcode=96385074"]') !== null`)
	b.Until(`document.querySelector(".tabs [aria-current=page]").textContent === "Scan"`)

	if w := s.Count(t, "SELECT count(*) FROM requests"); w != 0 {
		t.Errorf("%d calls in the request log", w)
	}
	form := url.Values{"id": {book.ID}, "read": {"mine"}, "code": {"96385074"}}
	if a := stranger.Post(t, "/console/inventory/teach", form); a.Status != http.StatusNotFound {
		t.Errorf("a stranger teaches: %d %s", a.Status, a.Body)
	}
	for _, change := range []string{"+1", "+100"} {
		a := stranger.Post(t, "/console/inventory/scan/stock", url.Values{"id": {book.ID}, "change": {change}})
		if want := map[string]int{"+1": http.StatusNotFound, "+100": http.StatusBadRequest}[change]; a.Status != want {
			t.Errorf("a stranger changes the stock by %s: %d", change, a.Status)
		}
	}
	if a := stranger.Get(t, "/console/inventory/scan?item="+book.ID); a.Status != http.StatusNotFound {
		t.Errorf("a stranger opens it: %d", a.Status)
	}
	if a := stranger.Get(t, "/console/inventory/scan?read=tea+cookbook"); a.Status != http.StatusOK || strings.Contains(string(a.Body), book.ID) {
		t.Errorf("a stranger searches (%s): %d %s", strangerID, a.Status, a.Body)
	}
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		found, err := tx.Barcodes(book)
		if len(found) != 1 {
			t.Errorf("barcodes of the book: %v", found)
		}
		return err
	})
}

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
	book := dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: "Tea Cookbook", SKU: "TEA-1", Price: new(int64(1450)), StockMilli: new(int64(3000))})

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/inventory/scan", "Scan a product")
	look(b, "scan")
	b.Width(1280)
	dropFile(b, "#photo", "shelf.jpg", photo)
	b.Until(`document.querySelector("#result .banner.warn")?.textContent.includes("9781585730575")`)
	if text := b.Text(); !strings.Contains(text, "Photo") || !strings.Contains(text, "EAN") || !strings.Contains(text, "no item has this code") {
		t.Errorf("the steps: %s", text)
	}
	look(b, "scan-unknown")
	b.Width(1280)
	b.Type("#which", "tea cookbook")
	b.Until(`document.querySelector("#choices li bdi")?.textContent === "Tea Cookbook"`)
	b.Click("#choices li button")
	b.Until(`document.querySelector("#detail [role=status]")?.textContent.includes("barcode")`)

	b.Go(s.URL + "/console/inventory/scan")
	dropFile(b, "#photo", "shelf.jpg", photo)
	b.Until(`document.querySelector("#result #found")?.textContent === "Tea Cookbook"`)
	look(b, "scan-found")
	b.Width(1280)
	dropFile(b, "#photo", "shelf.jpg", datatest.Read(t, "photos/nothing.jpg"))
	b.Until(`document.querySelector("#result .banner.bad")?.textContent.includes("No product could be identified")`)
	look(b, "scan-nothing")

	if w := s.Count(t, "SELECT count(*) FROM requests"); w != 0 {
		t.Errorf("%d calls in the request log", w)
	}
	form := url.Values{"id": {book.ID}, "read": {"mine"}, "code": {"96385074"}}
	if a := stranger.Post(t, "/console/inventory/teach", form); a.Status != http.StatusNotFound {
		t.Errorf("a stranger teaches: %d %s", a.Status, a.Body)
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

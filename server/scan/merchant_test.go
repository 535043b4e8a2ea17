package scan_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/account"
	"svc/server/llm/llmtest"
	"svc/server/servertest"
)

// desk adds to the desk of servertest what a scan for a merchant needs.
type desk struct{ *servertest.Desk }

func newDesk(t *testing.T, change ...func(*server.Config)) *desk {
	t.Helper()
	return &desk{servertest.NewDesk(t, change...)}
}

// notGranted is the answer for a merchant_id that may not be used, for any reason.
const notGranted = `{"error":"merchant_id: no active connection of this key grants read_inventory"}` + "\n"

// newScanDesk opens a desk whose developer can pay, and whose merchant has the book.
func newScanDesk(t *testing.T, change ...func(*server.Config)) (d *desk, found string) {
	t.Helper()
	d = newDesk(t, change...)
	if _, err := d.App.Accounts.Credit(context.Background(), d.Developer, 1000, "seed"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.VerifyWallets(t) })
	item := dbtest.MustItem(t, d.Store, d.MerchantID, book)
	return d, foundBook(item.ID)
}

// connect makes a request with a key, which the merchant approves with these scopes.
func (d *desk) connect(t *testing.T, secret string, scopes ...string) (link string) {
	t.Helper()
	link = d.Ask(t, servertest.WithKey(secret))
	d.Merchant.Post(t, link+"/approve", servertest.Ticked(scopes...)).ExpectDone(t, link)
	return link
}

// scanFor scans the book for a merchant.
func (d *desk) scanFor(t *testing.T, secret, merchantID string) servertest.Answer {
	t.Helper()
	return d.Call(t, http.MethodPost, scanPath, scanFor(`"`+merchantID+`"`, photoOf(t, "ean13")), servertest.WithKey(secret))
}

// scanOwn scans the book without a merchant.
func (d *desk) scanOwn(t *testing.T, secret string) servertest.Answer {
	t.Helper()
	return d.Call(t, http.MethodPost, scanPath, scanOf(photoOf(t, "ean13")), servertest.WithKey(secret))
}

// expectBalance checks the developer's wallet, and that the merchant pays nothing.
func (d *desk) expectBalance(t *testing.T, want int64) {
	t.Helper()
	if w := d.Wallet(t, d.Developer); w.BalanceCents != want || w.HeldCents != 0 {
		t.Errorf("balance %d, held %d, want %d and 0", w.BalanceCents, w.HeldCents, want)
	}
	if n := len(d.Ledger(t, servertest.Mia)); n != 0 {
		t.Errorf("%d rows in the merchant's ledger", n)
	}
}

// The grant is checked in each call.
func TestScanOfAMerchant(t *testing.T) {
	servertest.Sequential(t)
	d, found := newScanDesk(t)
	_, generic := d.Key(t, d.Developer, db.Live, db.GenericMode)
	refused := func(secret string) {
		t.Helper()
		a := d.scanFor(t, secret, d.MerchantID)
		a.Expect(t, 403, "forbidden")
		a.ExpectBody(t, 403, notGranted)
	}
	refused(d.Secret)
	refused(generic)

	link := d.connect(t, d.Secret, "read_inventory")
	d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 200, found)
	d.expectBalance(t, 1000-scanPrice)
	refused(generic) // the connection is another key's
	refused(d.OtherLiveKey(t))
	d.scanOwn(t, d.Secret).ExpectBody(t, 200, notInInventory("Barcode "+bookNumber)) // the merchant's items are not the developer's own

	d.connect(t, generic, "read_inventory")
	d.scanFor(t, generic, d.MerchantID).ExpectBody(t, 200, found)
	d.scanOwn(t, generic).ExpectBody(t, 200, notInInventory("Barcode "+bookNumber))
	d.expectBalance(t, 1000-4*scanPrice)

	d.Merchant.Post(t, link+"/revoke", nil).ExpectDone(t, link)
	refused(d.Secret)
	d.scanFor(t, generic, d.MerchantID).ExpectBody(t, 200, found)
	d.connect(t, d.Secret, "read_inventory") // it may be granted again
	d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 200, found)
	d.expectBalance(t, 1000-6*scanPrice)
}

// Every reason for refusing a merchant's inventory gets the same answer.
func TestScanIsNotGranted(t *testing.T) {
	servertest.Sequential(t)
	for _, row := range refusedMerchants {
		t.Run(row.name, func(t *testing.T) {
			d, found := newScanDesk(t)
			id := row.lay(t, d, found)
			before := d.Wallet(t, d.Developer).BalanceCents
			a := d.scanFor(t, d.Secret, id)
			a.Expect(t, 403, "forbidden")
			a.ExpectBody(t, 403, notGranted)
			d.expectBalance(t, before)
		})
	}
}

// refusedMerchants make merchant_ids that may not be used.
var refusedMerchants = []struct {
	name string
	lay  func(t *testing.T, d *desk, found string) (merchantID string)
}{
	{"Pending", func(t *testing.T, d *desk, _ string) string {
		d.Ask(t)
		return d.MerchantID
	}},
	{"Expired", func(t *testing.T, d *desk, _ string) string {
		d.Ask(t)
		d.Clock.Advance(servertest.LinkLife)
		return d.MerchantID
	}},
	{"Declined", func(t *testing.T, d *desk, _ string) string {
		link := d.Ask(t)
		d.Merchant.Post(t, link+"/decline", nil).ExpectDone(t, link)
		return d.MerchantID
	}},
	{"Revoked", func(t *testing.T, d *desk, _ string) string {
		link := d.connect(t, d.Secret, "read_inventory")
		d.Merchant.Post(t, link+"/revoke", nil).ExpectDone(t, link)
		return d.MerchantID
	}},
	{"ApprovedWithNothing", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret)
		return d.MerchantID
	}},
	{"NarrowedToNothing", func(t *testing.T, d *desk, found string) string {
		link := d.connect(t, d.Secret, "read_inventory")
		d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 200, found)
		d.Merchant.Post(t, link+"/narrow", servertest.Ticked()).ExpectDone(t, link)
		return d.MerchantID
	}},
	{"OfAnotherKey", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.OtherLiveKey(t), "read_inventory")
		return d.MerchantID
	}},
	{"OwnAccount", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret, "read_inventory")
		return d.LiveKey.AccountID // the caller's own account is not a merchant
	}},
	{"Unknown", otherID("acct_01hzy8m4x2v3n5p7q9r1s3t5w7")},
	{"OfTheSandbox", otherID("acct_sandbox_merchant")},
	{"TheMerchantsEmail", otherID(servertest.Mia)},
	{"Pattern", otherID("acct_%")},
	{"TheConnectionsID", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret, "read_inventory")
		return d.Newest(t)["id"].(string)
	}},
	{"OneCharacterLess", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret, "read_inventory")
		return d.MerchantID[:len(d.MerchantID)-1]
	}},
	{"WithASpace", func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret, "read_inventory")
		return d.MerchantID + " "
	}},
}

// otherID returns another id after the merchant has granted everything.
func otherID(id string) func(*testing.T, *desk, string) string {
	return func(t *testing.T, d *desk, _ string) string {
		d.connect(t, d.Secret, "read_inventory")
		return id
	}
}

// An invalid merchant_id is a bad request; an unknown one is not granted.
func TestScanMerchantIDAsAField(t *testing.T) {
	d, _ := newScanDesk(t)
	own := dbtest.MustItem(t, d.Store, d.LiveKey.AccountID, book)
	for _, row := range []struct{ name, id, want string }{
		{"NullIsOmitted", `null`, foundBook(own.ID)},
		{"Empty", `""`, `{"error":"merchant_id: must not be blank"}` + "\n"},
		{"Blank", `"   "`, `{"error":"merchant_id: must not be blank"}` + "\n"},
		{"Number", `12`, `{"error":"merchant_id: must be a string"}` + "\n"},
		{"Boolean", `false`, `{"error":"merchant_id: must be a string"}` + "\n"},
		{"Array", `["` + d.MerchantID + `"]`, `{"error":"merchant_id: must be a string"}` + "\n"},
		{"LongerThanAny", fmt.Sprintf(`"%01000d"`, 1), notGranted},
	} {
		t.Run(row.name, func(t *testing.T) {
			a := d.Call(t, http.MethodPost, scanPath, scanFor(row.id, photoOf(t, "ean13")), servertest.WithKey(d.Secret))
			if string(a.Body) != row.want || (a.Status == 400) != (a.Code() == "invalid_request") {
				t.Errorf("answer %d %q %s, want %s", a.Status, a.Code(), a.Body, row.want)
			}
		})
	}
	d.expectBalance(t, 1000-scanPrice)
}

// Two accounts with the same product never see each other's item, price or name, and each
// has the decimals of its own currency.
func TestScanKeepsTenantsApart(t *testing.T) {
	servertest.Sequential(t)
	ollama := llmtest.New(t)
	ollama.Add(seer, "completion", "vision")
	ollama.Answer(sees("Ground Coffee", "250 g", ""))
	d, theirs := newScanDesk(t, seeing(ollama.URL))
	d.connect(t, d.Secret, "read_inventory")
	yen := "jpy"
	if err := d.App.Accounts.SetProfile(context.Background(), d.Developer, account.ProfileChange{Currency: &yen}); err != nil {
		t.Fatal(err)
	}
	own := dbtest.MustItem(t, d.Store, d.LiveKey.AccountID, db.ItemChange{
		Name: "My Cookbook", SKU: "TEA-1", Barcodes: book.Barcodes, Price: new(int64(1234)),
	})
	mine := `{"found":true,"inventory_id":"` + own.ID + `","name":"My Cookbook","price":1234,"stock_qty":null,"unit":null}` + "\n"
	item := dbtest.MustItem(t, d.Store, d.MerchantID, coffee)
	named := `{"found":true,"inventory_id":"` + item.ID + `","name":"Ground Coffee 250g","price":null,"stock_qty":null,"unit":null}` + "\n"

	for range 2 { // the second time with both indexes in memory
		d.scanOwn(t, d.Secret).ExpectBody(t, 200, mine)
		d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 200, theirs)
		a := d.Call(t, http.MethodPost, scanPath, scanFor(`"`+d.MerchantID+`"`, blank(t)), servertest.WithKey(d.Secret))
		a.ExpectBody(t, 200, named)
		a = d.Call(t, http.MethodPost, scanPath, scanOf(blank(t)), servertest.WithKey(d.Secret))
		a.ExpectBody(t, 200, notInInventory("Ground Coffee 250 g"))
	}
}

func TestOperatorRevokesAccess(t *testing.T) {
	servertest.Sequential(t)
	d, found := newScanDesk(t)
	d.connect(t, d.Secret, db.ReadInventory)
	id := d.Newest(t)["id"].(string)
	d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 200, found)

	for range 2 { // the second time changes nothing
		if _, err := d.App.Connections.Revoke(context.Background(), id); err != nil {
			t.Fatal(err)
		}
		d.scanFor(t, d.Secret, d.MerchantID).ExpectBody(t, 403, notGranted)
		d.Clock.Advance(time.Second)
	}
	if now := d.Newest(t); now["status"] != "revoked" || now["revoked_at"] != d.Clock.Now().Add(-2*time.Second).UTC().Format("2006-01-02T15:04:05.000Z") {
		t.Errorf("connection %v", now)
	}
}

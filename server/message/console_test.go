package message_test

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/inventory"
	"svc/server/servertest"
)

const composePath = "/console/messages/new"

// desk is a shop whose owner and a helper sit in front of the console.
type desk struct {
	*servertest.Shop
	owner, helper *servertest.Browser
}

func newDesk(t *testing.T, cents int64, change ...func(*server.Config)) *desk {
	t.Helper()
	d := &desk{Shop: servertest.NewShop(t, db.Growth, cents, change...)}
	dbtest.Update(t, d.Store, func(tx *db.Tx) error { return tx.SetPasswordHash(d.LiveKey.AccountID, servertest.PasswordHash()) })
	d.Staff(t, db.Account{ID: d.LiveKey.AccountID}, "sam@example.com")
	d.owner, d.helper = d.Browser(t), d.Browser(t)
	d.owner.SignIn(t, d.Email, servertest.Password).ExpectRedirect(t, "/console")
	d.helper.SignIn(t, "sam@example.com", servertest.Password).ExpectRedirect(t, "/console")
	return d
}

var hidden = regexp.MustCompile(`name="(once|seen)"[^>]* value="([^"]*)"`)

// written is a filled form with what the page adds to it once it is shown.
func written(t *testing.T, b *servertest.Browser, change ...string) url.Values {
	t.Helper()
	form := url.Values{
		"template": {"receipt"}, "phone": {"+44 7700 900-123"}, "number": {"1042"}, "note": {"Thank you!"},
		"item": {"Ground Coffee", "", "Mug"}, "quantity": {"2", "1", "1"}, "price": {"5.25", "", "8"},
	}
	for i := 0; i < len(change); i += 2 {
		form.Set(change[i], change[i+1])
	}
	for _, found := range hidden.FindAllStringSubmatch(string(b.Get(t, composePath).Body), -1) {
		form.Set(found[1], found[2])
	}
	shown := b.Post(t, composePath, form)
	shown.ExpectPage(t, 200)
	for _, found := range hidden.FindAllStringSubmatch(string(shown.Body), -1) {
		form.Set(found[1], found[2])
	}
	form.Set("act", "send")
	return form
}

// A form that is sent twice sends once and charges once, as the API would.
func TestConsoleSend(t *testing.T) {
	d := newDesk(t, 100)
	form := written(t, d.owner)
	d.ExpectSent(t, 0)
	first := d.owner.Post(t, composePath, form)
	again := d.owner.Post(t, composePath, form)
	if to := first.Header.Get("Location"); first.Status != 303 || !strings.HasPrefix(to, "/console/messages?done=sent&open=msg_") || again.Header.Get("Location") != to {
		t.Fatalf("%d to %q, then %d to %q", first.Status, to, again.Status, again.Header.Get("Location"))
	}
	d.ExpectSent(t, 1)
	d.ExpectStored(t, 1)
	d.ExpectWallet(t, 98, 0)
	const text = "Receipt 1042 from shop, 2 March 2026\n\n2 x Ground Coffee at £5.25: £10.50\n1 x Mug: £8.00\n\nTotal £18.50\n\nThank you!"
	if m := d.Provider.Sent()[0]; m.Phone != servertest.Phone || m.Template != "receipt" || !strings.HasPrefix(m.Text, "Receipt 1042 from shop, ") || m.Text[strings.Index(m.Text, "\n"):] != text[strings.Index(text, "\n"):] {
		t.Errorf("sent %+v", m)
	}
	if n := len(d.Requests(t)); n != 0 {
		t.Errorf("%d rows in the log of requests", n)
	}
	if m := d.Meter(t); m.MonthUsed != 0 {
		t.Errorf("the key's month counts %d", m.MonthUsed)
	}
	d.owner.Get(t, first.Header.Get("Location")).ExpectPage(t, 200, "The sender has taken the message", "Console", "You", "Whether it was delivered or read is not known here")
	ledger := d.owner.Get(t, "/console/wallet/ledger")
	ledger.ExpectPage(t, 200, "Message from the console", "$0.02")
	if !ledger.Says(`href="/console/messages?open=msg_`) {
		t.Errorf("the ledger does not lead to the message: %s", ledger.Body)
	}

	form["quantity"] = []string{"3", "1", "1"}
	d.owner.Post(t, composePath, form).ExpectErrorPage(t, 409, "conflict", "look at the message once more")
	edited := written(t, d.owner, "note", "Another one")
	edited.Set("once", form.Get("once"))
	d.owner.Post(t, composePath, edited).ExpectErrorPage(t, 409, "conflict", "this one was not sent")
	d.ExpectSent(t, 1)
}

// Staff send at the shop's cost and see no figure of the wallet; the owner sees who sent.
func TestConsoleSendByStaff(t *testing.T) {
	d := newDesk(t, 3)
	form := written(t, d.helper, "template", "purchase_order", "supplier", "Bean Wholesale", "by", "2036-04-01", "item", "Ground Coffee", "quantity", "20", "price", "")
	for _, b := range []*servertest.Browser{d.owner, d.helper} {
		page := b.Post(t, composePath, url.Values{"template": {"receipt"}, "phone": {servertest.Phone}, "item": {"x"}, "quantity": {"1"}, "price": {"1"}, "once": {"o"}})
		page.ExpectPage(t, 200, "$0.02")
		if figure := page.Says("$0.03"); figure != (b == d.owner) {
			t.Errorf("the credit is shown: %t", figure)
		}
	}
	sent := d.helper.Post(t, composePath, form)
	d.helper.Get(t, sent.Header.Get("Location")).ExpectPage(t, 200, "You")
	d.owner.Get(t, sent.Header.Get("Location")).ExpectPage(t, 200, "sam@example.com")
	if text := d.Provider.Sent()[0].Text; !strings.Contains(text, "To Bean Wholesale") || !strings.Contains(text, "Needed by 1 April 2036") {
		t.Errorf("sent %q", text)
	}
	d.ExpectWallet(t, 1, 0)

	form = written(t, d.helper)
	d.helper.Post(t, composePath, form).ExpectErrorPage(t, 402, "insufficient_funds", "Ask "+d.Email)
	form = written(t, d.owner)
	d.owner.Post(t, composePath, form).ExpectErrorPage(t, 402, "insufficient_funds", "Buy credit")
	d.ExpectSent(t, 1)
	d.ExpectWallet(t, 1, 0)
}

// What the provider refuses is free and may be sent again with the same form; what it may
// have sent is not sent again.
func TestConsoleSendFails(t *testing.T) {
	d := newDesk(t, 100)
	fail := servertest.Refusal("refused the number")
	d.Provider.OnSend = func(context.Context, carrier.Message) (string, error) { return "id", fail }
	form := written(t, d.owner)
	d.owner.Post(t, composePath, form).ExpectErrorPage(t, 502, "provider_failed", "refused the number", "nothing was charged")
	fail = nil
	d.owner.Post(t, composePath, form)
	d.ExpectStored(t, 1)
	d.ExpectWallet(t, 98, 0)

	fail = servertest.Doubt("did not answer")
	form = written(t, d.owner)
	for range 2 {
		d.owner.Post(t, composePath, form).ExpectErrorPage(t, 502, "outcome_unknown", "It is not known whether the message was sent")
	}
	other := written(t, d.owner, "note", "Another one")
	once := other.Get("once")
	other.Set("once", form.Get("once"))
	d.owner.Post(t, composePath, other).ExpectErrorPage(t, 409, "conflict", "this one was not sent")
	d.ExpectSent(t, 3)
	d.ExpectWallet(t, 98, 0)
	fail = nil
	other.Set("once", once)
	if sent := d.owner.Post(t, composePath, other); sent.Status != 303 {
		t.Errorf("after a doubt: %d %s", sent.Status, sent.Body)
	}
	d.owner.Get(t, "/console/messages").ExpectPage(t, 200, "In doubt", "You", "447700900123")
	if held := d.Query(t, `SELECT state || ' ' || recipient FROM calls WHERE recipient <> ''`); len(held) != 1 || held[0] != "unknown +447700900123" {
		t.Errorf("recipients are kept of %q, want only that of the send in doubt", held)
	}
}

// A form that is not right is refused by the name of its field, and sends nothing.
func TestConsoleSendChecks(t *testing.T) {
	d := newDesk(t, 100)
	good := written(t, d.owner)
	for _, row := range []struct{ field, value, says string }{
		{"phone", "", "The phone number is required"}, {"phone", "07700 900123", "and the code of the country"},
		{"phone", "+44 7700 9oo123", "must have only digits after the"}, {"phone", "+0447700900123", "has a 0 after the"}, {"phone", "+44 7700", "is too short"}, {"phone", "+44 7700 900123 456789", "is too long"},
		{"phone", "+44 (0)7700 900123", "has a (0), which is dialled only inside the country"},
		{"item", " ", "The product is required"}, {"item", strings.Repeat("x", 201), "at most 200 characters"}, {"item", "\u200b", "The product is required"},
		{"quantity", "", "The quantity is required"}, {"quantity", "two", "must be a number like 2 or 1.5"}, {"quantity", "0", "must be above 0"}, {"quantity", "-1", "must be a number"}, {"quantity", "1.2345", "must be a number"}, {"quantity", "9999999", "at most 1,000,000"},
		{"price", "", "The price is required; 0 if it was free"}, {"price", "12,50,1", "must be an amount like 12.50"}, {"price", "1.234", "at most 2 decimals"}, {"price", "-1", "must be 0 or more"}, {"price", "1000000000.01", "more than £1,000,000,000.00"}, {"price", "99999999999999", "no more than anything costs"},
		{"note", strings.Repeat("x", 201), "at most 200 characters"}, {"number", "12\r\nTotal £0.00", "must be one line"}, {"note", "a\u202eb", "must be one line"},
	} {
		form := maps.Clone(good)
		form["item"], form["quantity"], form["price"] = []string{"Ground Coffee"}, []string{"2"}, []string{"5.25"}
		form.Set(row.field, row.value)
		d.owner.Post(t, composePath, form).ExpectErrorPage(t, 400, "invalid_request", row.says)
	}
	many := maps.Clone(good)
	for range 41 {
		many.Add("item", "x")
	}
	d.owner.Post(t, composePath, many).ExpectErrorPage(t, 400, "invalid_request", "at most 40 lines")
	long := maps.Clone(good)
	long["item"], long["quantity"], long["price"] = []string{strings.Repeat("x", 190)}, []string{"1"}, []string{"1"}
	for range 6 {
		long.Add("item", strings.Repeat("y", 190))
		long.Add("quantity", "1")
		long.Add("price", "1")
	}
	d.owner.Post(t, composePath, long).ExpectErrorPage(t, 400, "invalid_request", "characters long; 1024 are the most")
	all := maps.Clone(good)
	all["phone"], all["quantity"], all["note"] = []string{"0770"}, []string{"two", "", "1"}, []string{"a\nb"}
	d.owner.Post(t, composePath, all).ExpectErrorPage(t, 400, "invalid_request", "3 things to correct", "and the code of the country", "The quantity must be a number", "The note must be one line")
	good.Set("template", "otp")
	d.owner.Post(t, composePath, good).ExpectErrorPage(t, 400, "invalid_request")
	d.ExpectSent(t, 0)
	d.ExpectWallet(t, 100, 0)
}

// An order is begun from items of the own inventory; another account's are not there.
func TestConsoleOrder(t *testing.T) {
	d := newDesk(t, 100)
	add := func(account, name string) string {
		item, err := d.App.Inventories.Add(context.Background(), db.Account{ID: account, Profile: db.Profile{Currency: "gbp"}}, inventory.Edit{Name: &name, Stock: new("2")})
		if err != nil {
			t.Fatal(err)
		}
		return item.ID
	}
	mine := add(d.LiveKey.AccountID, "Ground Coffee")
	other := d.Person(t, "other@example.com")
	theirs := add(other.ID, "Secret Tea")
	for _, query := range []string{"?item=" + mine, "?item=low"} {
		page := d.helper.Get(t, composePath+query)
		page.ExpectPage(t, 200, "What you order")
		if !page.Says(`value="Ground Coffee"`) || !page.Says(`value="8"`) { // 2 in stock, low at 5
			t.Errorf("%s does not begin an order of 8: %s", query, page.Body)
		}
	}
	d.owner.Get(t, composePath+"?item="+theirs).ExpectErrorPage(t, 404, "not_found")
	d.owner.Get(t, composePath+"?item="+mine+"&item="+theirs).ExpectErrorPage(t, 404, "not_found")
}

// A line that names an item of the inventory gets its price, and on an order its SKU: there an
// empty price is the choice of the shop. Buttons add and remove lines.
func TestConsoleLines(t *testing.T) {
	d := newDesk(t, 100)
	_, err := d.App.Inventories.Add(t.Context(), db.Account{ID: d.LiveKey.AccountID, Profile: db.Profile{Currency: "gbp"}},
		inventory.Edit{Name: new("Ground Coffee"), SKU: new("GC-1"), Price: new("4.5"), CostPrice: new("2.7"), Stock: new("24")})
	if err != nil {
		t.Fatal(err)
	}
	form := url.Values{
		"template": {"receipt"}, "phone": {servertest.Phone}, "once": {"o"}, "item": {"ground coffee", "Ground Coffee", "Mug"}, "quantity": {"2", "1.5", "1"}, "price": {"", "4", "8"},
	}
	d.owner.Post(t, composePath, form).ExpectPage(t, 200, "2 x ground coffee at £4.50: £9.00", "1.5 x Ground Coffee at £4.00: £6.00", "1 x Mug: £8.00", "Total £23.00", "24 in stock")
	form.Set("act", "remove-2")
	if page := d.owner.Post(t, composePath, form); page.Status != 200 || !page.Says(`value="Mug"`) || page.Says("line-3-item") || !page.Says("Total <strong>£17.00</strong>") {
		t.Errorf("without the second: %d %s", page.Status, page.Body)
	}
	form.Set("act", "add")
	if page := d.owner.Post(t, composePath, form); page.Status != 200 || !page.Says("line-4-item") {
		t.Errorf("with a fourth: %d %s", page.Status, page.Body)
	}
	form.Set("act", "preview")
	form.Set("template", "purchase_order")
	form["price"] = []string{"", "4", ""}
	page := d.owner.Post(t, composePath, form)
	page.ExpectPage(t, 200, "2 x ground coffee (GC-1)\n", "1.5 x Ground Coffee (GC-1) at £4.00: £6.00", "1 x Mug")
	if page.Says("Total") {
		t.Error("an order has a total though not each line has a price")
	}
	d.owner.Get(t, "/console/messages/goods?item=coff").ExpectPage(t, 200, "£4.50, 24 in stock")
}

// Of two items with a name, a line stays the one that it was begun with, as long as it has the
// name. Without a SKU it is neither. An exact name is found behind many that contain it.
func TestConsoleSameName(t *testing.T) {
	d := newDesk(t, 100)
	add := func(name, sku, price, cost string) string {
		t.Helper()
		item, err := d.App.Inventories.Add(t.Context(), db.Account{ID: d.LiveKey.AccountID, Profile: db.Profile{Currency: "gbp"}},
			inventory.Edit{Name: &name, SKU: &sku, Price: &price, CostPrice: &cost, Stock: new("2")})
		if err != nil {
			t.Fatal(err)
		}
		return item.ID
	}
	add("T-shirt", "TS-S", "10", "4")
	medium := add("T-shirt", "TS-M", "12", "5")
	for n := range 25 {
		add(fmt.Sprintf("Assam Tea %d", n), fmt.Sprintf("AT-%d", n), "3", "1")
	}
	add("Tea", "T-1", "2", "1.5")
	if page := d.owner.Get(t, composePath+"?item="+medium); !page.Says(`name="sku" value="TS-M"`) || !page.Says(`value="5.00"`) {
		t.Errorf("the order does not begin with TS-M at its cost: %s", page.Body)
	}
	order := url.Values{
		"template": {"purchase_order"}, "phone": {servertest.Phone}, "once": {"o"},
		"item": {"T-shirt", "T-shirt", "Tea"}, "quantity": {"1", "2", "3"}, "price": {"", "", ""}, "sku": {"TS-M", "", "TS-M"},
	}
	d.owner.Post(t, composePath, order).ExpectPage(t, 200, "1 x T-shirt (TS-M)\n", "2 x T-shirt\n", "3 x Tea (T-1)")
	receipt := maps.Clone(order)
	receipt["template"], receipt["price"] = []string{"receipt"}, []string{"", "7", ""}
	d.owner.Post(t, composePath, receipt).ExpectPage(t, 200, "1 x T-shirt: £12.00", `name="sku" value="TS-M"`, "2 x T-shirt at £7.00", "3 x Tea at £2.00")
}

// A form that was shown as free is not sent for money once a sender is set up.
func TestConsoleSenderIsSetUpMeanwhile(t *testing.T) {
	free := newDesk(t, 100, func(config *server.Config) { config.Carrier = carrier.NewOutbox() })
	paid := newDesk(t, 100)
	shown := written(t, free.owner)
	form := written(t, paid.owner)
	form.Set("seen", shown.Get("seen"))
	paid.owner.Post(t, composePath, form).ExpectPage(t, 409, "look at the message once more")
	paid.ExpectSent(t, 0)
	paid.ExpectWallet(t, 100, 0)
}

// A number names a customer only if it is that of one, with the code of the country.
func TestConsoleRecipient(t *testing.T) {
	d := newDesk(t, 100)
	put := func(id, name, phone string) {
		dbtest.Update(t, d.Store, func(tx *db.Tx) error {
			_, _, err := tx.PutCustomer(db.Customer{AccountID: d.LiveKey.AccountID, ExternalID: id, Name: name, Phone: phone})
			return err
		})
	}
	form := written(t, d.owner)
	form.Set("act", "preview")
	expect := func(name string, want bool) {
		t.Helper()
		if page := d.owner.Post(t, composePath, form); page.Status != 200 || page.Says("To <bdi>"+name) != want {
			t.Errorf("%s is named: %t, want %t: %d %s", name, !want, want, page.Status, page.Body)
		}
	}
	put("c1", "Inland", "0447700900123")
	expect("Inland", false)
	put("c2", "José", "0044 (7700) 900-123")
	expect("José", true)
	put("c3", "Maria", "+44 7700 900123")
	expect("José", false)
	expect("Maria", false)
}

// Without a sender a message of a person is saved for free, is called so wherever it is shown,
// and can be sent by hand.
func TestConsoleWithoutASender(t *testing.T) {
	for name, c := range map[string]carrier.Carrier{"Outbox": carrier.NewOutbox(), "None": carrier.NewNone()} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t, 1, func(config *server.Config) { config.Carrier = c })
			form := written(t, d.helper, "note", "Ünlü & co + 1")
			sent := d.helper.Post(t, composePath, form)
			if sent.Status != 303 {
				t.Fatalf("%d %s", sent.Status, sent.Body)
			}
			d.ExpectWallet(t, 1, 0)
			page := d.owner.Get(t, sent.Header.Get("Location"))
			page.ExpectPage(t, 200, "Saved, not sent", "Nobody has received this yet", "Have messages sent for you", "Console")
			const text = "%C3%9Cnl%C3%BC%20%26%20co%20%2B%201"
			if !page.Says("https://wa.me/447700900123?text=Receipt%201042") || !page.Says("sms:&#43;447700900123?&amp;body=Receipt%201042") || !page.Says(text+`"`) {
				t.Errorf("no way to send it by hand: %s", page.Body)
			}
			if page.Says(`class="banner good"`) {
				t.Error("it is told as a success")
			}
			if staff := d.helper.Get(t, sent.Header.Get("Location")); staff.Says("Have messages sent for you") {
				t.Error("staff are told how to set a sender up")
			}
			id := strings.TrimPrefix(sent.Header.Get("Location"), "/console/messages?done=sent&open=")
			d.owner.Get(t, "/console/messages?state=saved").ExpectPage(t, 200, "Total £18.50")
			other := d.Browser(t)
			d.Person(t, "other@example.com")
			other.SignIn(t, "other@example.com", servertest.Password)
			other.Post(t, "/console/messages/sent", url.Values{"id": {id}}).ExpectErrorPage(t, 404, "not_found")
			d.helper.Post(t, "/console/messages/sent", url.Values{"id": {id}}).ExpectRedirect(t, "/console/messages?done=hand&open="+id)
			d.owner.Get(t, "/console/messages?open="+id).ExpectPage(t, 200, "Sent by hand")
			d.owner.Get(t, "/console/messages?state=saved").ExpectPage(t, 200, "No message is like that")
			d.helper.Post(t, "/console/messages/sent", url.Values{"id": {id}}).ExpectRedirect(t, "/console/messages?done=hand&open="+id)
			undo := url.Values{"id": {id}, "undo": {"1"}}
			for _, form := range []url.Values{{"id": {id}}, undo} {
				other.Post(t, "/console/messages/sent", form).ExpectErrorPage(t, 404, "not_found")
			}
			for range 2 {
				d.helper.Post(t, "/console/messages/sent", undo).ExpectRedirect(t, "/console/messages?done=unsent&open="+id)
				d.owner.Get(t, "/console/messages?state=saved&open="+id).ExpectPage(t, 200, "Total £18.50", "Saved, not sent", "I have sent it")
			}
		})
	}
}

// A message is found by the name of the customer with its number, by the number as people type
// it, and by its text. Of another account it is not.
func TestConsoleMessageSearch(t *testing.T) {
	d := newDesk(t, 100, func(config *server.Config) { config.Carrier = carrier.NewOutbox() })
	dbtest.Update(t, d.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutCustomer(db.Customer{AccountID: d.LiveKey.AccountID, ExternalID: "c1", Name: "José Álvarez", Phone: "0044 (7700) 900-123"})
		return err
	})
	d.owner.Post(t, composePath, written(t, d.owner))
	for _, q := range []string{"jose", "07700 900123", "+44 7700", "coffee at", "7009"} {
		d.owner.Get(t, "/console/messages?q="+url.QueryEscape(q)).ExpectPage(t, 200, "José Álvarez", "447700900123", "Total £18.50")
	}
	for _, q := range []string{"maria", "0555", "tea"} {
		d.owner.Get(t, "/console/messages?q="+url.QueryEscape(q)).ExpectPage(t, 200, "No message is like that")
	}
	d.owner.Get(t, "/console/messages?template=purchase_order").ExpectPage(t, 200, "No message is like that")
}

// The people of a shop send so many messages in a minute.
func TestConsoleSendIsLimited(t *testing.T) {
	d := newDesk(t, 100)
	for range 30 {
		if a := d.owner.Post(t, composePath, written(t, d.owner)); a.Status != 303 {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	form := written(t, d.helper)
	d.helper.Post(t, composePath, form).ExpectErrorPage(t, 429, "too_many_tries", "30 messages in a minute")
	d.Clock.Advance(time.Minute)
	if a := d.helper.Post(t, composePath, form); a.Status != 303 {
		t.Errorf("a minute later: %d", a.Status)
	}
	d.ExpectSent(t, 31)
}

package message_test

import (
	"context"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
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

func newDesk(t *testing.T, cents int64) *desk {
	t.Helper()
	d := &desk{Shop: servertest.NewShop(t, db.Growth, cents)}
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
		"template": {"receipt"}, "phone": {"+44 7700 900-123"}, "number": {"1042"}, "lines": {"2 x Ground Coffee\r\n\r\n1 x Mug"}, "total": {"18.5"}, "note": {"Thank you!"},
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
	const text = "Receipt 1042 from shop, 2 March 2026\n\n2 x Ground Coffee\n1 x Mug\n\nTotal £18.50\n\nThank you!"
	if m := d.Provider.Sent()[0]; m.Phone != servertest.Phone || m.Template != "receipt" || !strings.HasPrefix(m.Text, "Receipt 1042 from shop, ") || m.Text[strings.Index(m.Text, "\n"):] != text[strings.Index(text, "\n"):] {
		t.Errorf("sent %+v", m)
	}
	if n := len(d.Requests(t)); n != 0 {
		t.Errorf("%d rows in the log of requests", n)
	}
	if m := d.Meter(t); m.MonthUsed != 0 {
		t.Errorf("the key's month counts %d", m.MonthUsed)
	}
	d.owner.Get(t, first.Header.Get("Location")).ExpectPage(t, 200, "The provider has taken the message", "You", "Whether it was delivered or read is not known here")
	ledger := d.owner.Get(t, "/console/wallet/ledger")
	ledger.ExpectPage(t, 200, "Message from the console", "$0.02")
	if !ledger.Says(`href="/console/messages?open=msg_`) {
		t.Errorf("the ledger does not lead to the message: %s", ledger.Body)
	}

	form.Set("lines", "3 x Ground Coffee")
	d.owner.Post(t, composePath, form).ExpectErrorPage(t, 409, "conflict", "look at the message once more")
	edited := written(t, d.owner, "lines", "3 x Ground Coffee")
	edited.Set("once", form.Get("once"))
	d.owner.Post(t, composePath, edited).ExpectErrorPage(t, 409, "conflict", "this one was not sent")
	d.ExpectSent(t, 1)
}

// Staff send at the shop's cost and see no figure of the wallet; the owner sees who sent.
func TestConsoleSendByStaff(t *testing.T) {
	d := newDesk(t, 3)
	form := written(t, d.helper, "template", "purchase_order", "supplier", "Bean Wholesale", "by", "2036-04-01", "lines", "20 x Ground Coffee")
	for _, b := range []*servertest.Browser{d.owner, d.helper} {
		page := b.Post(t, composePath, url.Values{"template": {"receipt"}, "phone": {servertest.Phone}, "lines": {"x"}, "total": {"1"}, "once": {"o"}})
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
	other := written(t, d.owner, "lines", "3 x Ground Coffee")
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
	d.owner.Get(t, "/console/messages").ExpectPage(t, 200, "In doubt", "You")
}

// A form that is not right is refused by the name of its field, and sends nothing.
func TestConsoleSendChecks(t *testing.T) {
	d := newDesk(t, 100)
	good := written(t, d.owner)
	for _, row := range []struct{ field, value, says string }{
		{"phone", "", "The phone number is required"}, {"phone", "07700 900123", "and the code of the country"},
		{"phone", "+44 7700 9oo123", "must have only digits after the"}, {"phone", "+0447700900123", "has a 0 after the"}, {"phone", "+44 7700", "is too short"}, {"phone", "+44 7700 900123 456789", "is too long"},
		{"phone", "+44 (0)7700 900123", "has a (0), which is dialled only inside the country"},
		{"lines", " \n ", "The list of goods is required"}, {"lines", strings.Repeat("x", 1000), "characters long; 1024 are the most"},
		{"lines", "[how many] x Coffee", "still has [how many]"}, {"lines", strings.Repeat("x\n", 41), "at most 40 lines"},
		{"total", "", "The total is required"}, {"total", "12,50,1", "must be an amount like 12.50"}, {"total", "1.234", "at most 2 decimals"}, {"total", "-1", "must be above 0"}, {"total", "0", "must be above 0"}, {"total", "1000000000.01", "at most £1,000,000,000.00"}, {"total", "99999999999999", "at most £1,000,000,000.00"},
		{"note", strings.Repeat("x", 201), "at most 200 characters"}, {"number", "12\r\nTotal £0.00", "must be one line"}, {"note", "a\u202eb", "must be one line"}, {"lines", "\u200b\n", "The list of goods is required"},
	} {
		form := url.Values{}
		for name := range good {
			form.Set(name, good.Get(name))
		}
		form.Set(row.field, row.value)
		d.owner.Post(t, composePath, form).ExpectErrorPage(t, 400, "invalid_request", row.says)
	}
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
		d.helper.Get(t, composePath+query).ExpectPage(t, 200, "[how many] x Ground Coffee", "What you order")
	}
	d.owner.Get(t, composePath+"?item="+theirs).ExpectErrorPage(t, 404, "not_found")
	d.owner.Get(t, composePath+"?item="+mine+"&item="+theirs).ExpectErrorPage(t, 404, "not_found")
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

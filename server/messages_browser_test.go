package server_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/carrier"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// A merchant reads what their till sent, finds a message by its number, and opens it. Nobody
// else sees it.
func TestBrowserMessages(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t, func(c *server.Config) { c.Carrier = carrier.NewOutbox() })
	shop := s.Person(t, "shop@example.com")
	_, stranger := s.Member(t, "stranger@example.com")
	dbtest.MustCredit(t, s.Store, shop.ID, 100)
	_, key := s.Key(t, "shop@example.com", db.Live, db.AccountMode)

	b.Width(1280)
	openAs(b, s, "shop@example.com", "/console/messages", "Messages")
	look(b, "messages-empty")
	for _, body := range []string{
		servertest.SendBody,
		`{"phone":"+4915112345678","template":"purchase_order","text":"Please send 20 x <b>Ground Coffee</b>"}`,
	} {
		s.Call(t, http.MethodPost, servertest.SendPath, body, servertest.WithKey(key)).Expect(t, http.StatusOK, "")
	}
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutCustomer(db.Customer{AccountID: shop.ID, ExternalID: "c1", Name: "Ana Lopez", Phone: "+44 7700 900123"})
		return err
	})
	b.Go(s.URL + "/console/messages")
	look(b, "messages")
	b.Width(1280)
	if text := b.Text(); !strings.Contains(text, "+447700900123") || !strings.Contains(text, "Saved, not sent") || !strings.Contains(text, "Ana Lopez") {
		t.Errorf("the list: %s", text)
	}
	b.Type("#messages-q", "+4915") // searches as it is typed
	b.Until(`document.querySelectorAll("#rows tr").length === 1 && location.search.includes("q=")`)
	b.Click("#rows th a")
	b.Until(`document.querySelector("#detail pre")?.textContent === "Please send 20 x <b>Ground Coffee</b>"`)
	look(b, "messages-open")
	stockShop(t, s, shop)
	writeOne(b, s)
	b.Go(s.URL + "/console/messages")
	b.Type("#messages-q", "+4915")
	b.Press("Search")
	b.Until(`document.querySelectorAll("#rows tr").length === 1 && location.search.includes("q=")`)
	b.Click("#rows th a")
	b.Until(`document.querySelector("#detail pre")?.textContent.includes("Coffee")`)
	id := viewstest.Evaluate[string](b, `new URLSearchParams(location.search).get("open")`)
	if a := stranger.Get(t, "/console/messages?open="+id); a.Status != http.StatusNotFound || strings.Contains(string(a.Body), "Coffee") {
		t.Errorf("a stranger: %d %s", a.Status, a.Body)
	}
	if a := stranger.Get(t, "/console/messages"); a.Status != http.StatusOK || strings.Contains(string(a.Body), "+4915") {
		t.Errorf("a stranger's list: %d", a.Status)
	}
	refused := func(text string) bool { return strings.Contains(text, "400 (Bad Request)") } // the form with faults
	if problems := slices.DeleteFunc(b.Problems(), refused); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// writeOne writes a receipt to the number of the open message: its lines are of the inventory,
// it appears while it is typed, is saved as it was shown since there is no sender, and is then
// sent by hand.
func writeOne(b *viewstest.Tab, s *servertest.Server) {
	b.Click(`#detail a[href^="/console/messages/new"]`)
	b.UntilTitle("New message")
	b.Until(`document.querySelector("legend")?.textContent === "What you order" && document.querySelector("#message-phone").value.startsWith("+4915")`)
	b.Go(s.URL + "/console/messages/new")
	look(b, "compose-empty")
	b.Width(1280)
	b.Press("Show the message")
	b.Until(`document.querySelector("#problem")?.innerText.includes("2 things to correct")`)
	look(b, "compose-faults")
	b.Width(1280)
	b.Type("#message-phone", "+44 7700 900123")
	b.Until(`!document.querySelector("#problem, #message-phone-problem") && document.querySelector("#message-line-1-item-problem") !== null`)
	b.Type("#message-line-1-item", "Shortbread Gift box")
	b.Until(`document.querySelector("#message-line-1-price").value === "4.56"`)
	viewstest.Evaluate[bool](b, `(document.querySelector("#message-line-1-quantity").select(), true)`)
	b.Type("#message-line-1-quantity", "10")
	b.Until(`document.querySelector("#total").innerText === "Total £45.60"`)
	b.Press("Add a line")
	b.Until(`document.querySelectorAll("#lines .line").length === 2 && document.activeElement.id === "message-line-2-item"`)
	b.Type("#message-line-2-item", "Wrapping")
	b.Until(`document.querySelector("#preview").innerText.includes("The price is required")`)
	b.Type("#message-line-2-price", "1.5")
	b.Type("#message-note", "Thank you!")
	b.Until(`/10 x Shortbread Gift box at £4.56: £45.60\n1 x Wrapping: £1.50\s+Total £47.10\s+Thank you!/.test(document.querySelector("#preview pre")?.textContent)`)
	look(b, "compose-shown")
	b.Width(1280)
	b.Press("Remove line 2")
	b.Until(`document.querySelectorAll("#lines .line").length === 1`)
	b.Press("Show the message")
	b.Until(`/Total £45.60/.test(document.querySelector("#preview pre")?.textContent)`)
	b.Press("Save it, then send it myself")
	b.UntilTitle("Messages")
	b.Until(`document.querySelector("#detail .banner.warn")?.innerText.includes("Nobody has received this yet") && !document.querySelector(".banner.good")`)
	look(b, "compose-sent")
	b.Width(1280)
	b.Press("I have sent it")
	b.Until(`document.querySelector("#detail .tag")?.textContent === "Sent by hand"`)
	look(b, "compose-by-hand")
	b.Width(1280)
	b.Press("Undo: it was not sent")
	b.Until(`document.querySelector("#detail .tag")?.textContent === "Saved, not sent"`)
}

package server_test

import (
	"net/http"
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
	b.Go(s.URL + "/console/messages")
	look(b, "messages")
	b.Width(1280)
	if text := b.Text(); !strings.Contains(text, "+447700900123") || !strings.Contains(text, "In the outbox") {
		t.Errorf("the list: %s", text)
	}
	b.Type("#messages-q", "+4915")
	b.Press("Show")
	b.Until(`document.querySelectorAll("#rows tr").length === 1 && location.search.includes("q=")`)
	b.Click("#rows th a")
	b.Until(`document.querySelector("#detail pre")?.textContent === "Please send 20 x <b>Ground Coffee</b>"`)
	look(b, "messages-open")
	writeOne(b)
	b.Go(s.URL + "/console/messages")
	b.Type("#messages-q", "+4915")
	b.Press("Show")
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
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// writeOne writes a receipt to the number of the open message: the message appears while it is
// typed, and is sent as it was shown.
func writeOne(b *viewstest.Tab) {
	b.Click(`#detail a[href^="/console/messages/new"]`)
	b.UntilTitle("New message")
	b.Click("nav.parts a[href$=receipt]")
	b.Until(`document.querySelector("#message-total") !== null`)
	look(b, "compose-empty")
	b.Width(1280)
	b.Type("#message-phone", "+44 7700 900123")
	b.Type("#message-lines", "2 x Ground Coffee 250 g")
	b.Until(`document.querySelector("#preview").innerText.includes("The total is required")`)
	b.Type("#message-total", "18.5")
	b.Type("#message-note", "Thank you!")
	b.Until(`/Total £18.50\s+Thank you!/.test(document.querySelector("#preview pre")?.textContent)`)
	look(b, "compose-shown")
	b.Width(1280)
	b.Press("Put it in the outbox for $0.02")
	b.UntilTitle("Messages")
	b.Until(`document.body.innerText.includes("It was not sent") && /Receipt from shop[^]*Total £18.50/.test(document.querySelector("#detail pre").textContent)`)
	look(b, "compose-sent")
}

package server_test

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"svc/server/dataset"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// tillCSV is 60 days of sales of three products, the last one yesterday.
func tillCSV(now time.Time) string {
	var b strings.Builder
	b.WriteString("Date,Order,Product,Quantity,Price\n")
	for n := range 60 {
		day := now.AddDate(0, 0, n-60).Format(time.DateOnly)
		for i, product := range []string{"Flat White", "Filter Coffee", "Almond Croissant"} {
			fmt.Fprintf(&b, "%s,%d,%s,%d,%d.50\n", day, n*3+i, product, 1+(n+i)%4, 2+i)
		}
	}
	return b.String()
}

// importTill gives an account a dataset.
func importTill(t *testing.T, s *servertest.Server, accountID string) {
	t.Helper()
	text := tillCSV(s.Clock.Now())
	_, _, err := s.App.Datasets.Import(context.Background(), accountID, dataset.File{
		Name: "till.csv", Content: strings.NewReader(text), Size: int64(len(text)),
	})
	if err != nil {
		t.Fatal(err)
	}
}

// signIn signs the browser in and opens a page.
func signIn(b *viewstest.Tab, s *servertest.Server, email, next string) {
	b.Go(s.URL + "/signin?next=" + url.QueryEscape(next))
	b.Type("input[name=email]", email)
	b.Type("input[name=password]", servertest.Password)
	b.Press("Sign in")
	b.Until(fmt.Sprintf("location.pathname === %q", next))
}

// An owner asks, chooses a follow-up, pins an answer, teaches a word, downloads the table and
// finds the question again.
func TestBrowserAsk(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.New(t)
	owner := s.Person(t, "shop@example.com")
	importTill(t, s, owner.ID)

	signIn(b, s, "shop@example.com", "/console/ask")
	look(b, "console-ask")
	if text := b.Text(); !strings.Contains(text, "180 rows") || !strings.Contains(text, "Questions you can ask") {
		t.Errorf("the page does not say what is read: %s", text)
	}

	b.Type("#question", "What are our sales by product?")
	b.Click("#ask")
	b.Until(`location.pathname.startsWith("/console/ask/ask_") && document.querySelector(".answer .ranking li") !== null`)
	look(b, "console-ask-ranked")
	text := b.Text()
	for _, part := range []string{"Almond Croissant", "high confidence", "How this was read and computed", "Ask next"} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in %s", part, text)
		}
	}
	if n := strings.Count(textOf(b, ".answer"), "Almond Croissant has the highest revenue"); n != 1 {
		t.Errorf("the answer is said %d times: %s", n, text)
	}
	if focus := viewstest.Evaluate[string](b, `document.activeElement.id`); focus != "question" {
		t.Errorf("the focus is on %q", focus)
	}
	if value := viewstest.Evaluate[string](b, `document.querySelector("#question").value`); value != "" {
		t.Errorf("the box of the next question has %q in it", value)
	}
	b.Click("#answer-question a")
	b.Until(`document.querySelector("#question").value === "What are our sales by product?" && !document.querySelector(".answer")`)
	askOnPhone(t, b)
	b.Width(1280)
	first := viewstest.Evaluate[string](b, `location.pathname`)

	b.Click("#follow + .chips .chip") // the first follow-up
	b.Until(fmt.Sprintf(`location.pathname.startsWith("/console/ask/ask_") && location.pathname !== %q`, first))
	b.Until(`document.querySelector(".answer") !== null && !document.querySelector(".htmx-request")`)
	look(b, "console-ask-series")
	if text := b.Text(); !strings.Contains(text, "Mar 2026 (so far) is only partly in these figures.") {
		t.Errorf("the month that is not over is not marked: %s", text)
	}

	b.Click(`form[action$="/pin"] button`)
	b.Until(`document.body.innerText.includes("is on your overview")`)
	pinned, err := s.App.Asks.Pinned(context.Background(), owner)
	if err != nil || len(pinned) != 1 || len(pinned[0].Answer.KPICards) == 0 {
		t.Errorf("pinned %+v, %v", pinned, err)
	}

	b.Go(s.URL + "/console/ask")
	b.Type("#question", "How many flatties did we sell?")
	b.Click("#ask")
	b.Until(`document.querySelector("#teach-word") !== null && document.querySelector("#teach-word").value === "flatties"`)
	look(b, "console-ask-unread")
	if text := b.Text(); !strings.Contains(text, "I meant …") || strings.Contains(text, "Pin to the overview") {
		t.Errorf("a question that was not understood: %s", text)
	}
	b.Choose("#teach-target", "Flat White")
	b.Press("Teach it and ask again")
	b.Until(`document.body.innerText.includes("The word is learned")`)
	if text := b.Text(); !strings.Contains(text, "150") { // of 60 days
		t.Errorf("the taught word is not counted: %s", text)
	}
	if n := strings.Count(textOf(b, ".answer"), "150"); n != 1 || viewstest.Evaluate[bool](b, `document.querySelector(".answer details[open]") !== null`) {
		t.Errorf("one figure is said %d times, or something is unfolded: %s", n, textOf(b, ".answer"))
	}
	look(b, "console-ask-taught")

	b.Go(s.URL + "/console/ask")
	b.Type("#question", "How many zorbs of flumple did we sell?")
	b.Click("#ask")
	b.Until(`document.querySelector("#teach-word-1") !== null`)
	look(b, "console-ask-unread-two")
	b.Choose("#teach-target", "units")
	b.Choose("#teach-target-1", "Filter Coffee")
	b.Press("Teach it and ask again")
	b.Until(`document.body.innerText.includes("The word is learned") && document.querySelector('form[action$="/pin"]') !== null`)

	b.Type("#asked-search", "by product")
	b.Until(`document.querySelectorAll("#asked-list li").length === 1`)
	b.Click("#asked-list a")
	b.Until(fmt.Sprintf(`location.pathname === %q`, first))
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
	csv := s.Browser(t)
	csv.SignIn(t, "shop@example.com", servertest.Password)
	if a := csv.Get(t, first+"/table.csv"); a.Status != 200 || !strings.HasPrefix(string(a.Body), "Product,") || a.Header.Get("Content-Type") != "text/csv; charset=utf-8" {
		t.Errorf("%d %s", a.Status, a.Body)
	}

	other := s.Browser(t)
	s.Person(t, "other@example.com")
	other.SignIn(t, "other@example.com", servertest.Password)
	other.Get(t, first).ExpectErrorPage(t, 404, "not_found", "There is no such question.")
	other.Get(t, first+"/table.csv").ExpectErrorPage(t, 404, "not_found")
	for _, act := range []string{"/pin", "/remove", "/words"} {
		other.Post(t, first+act, url.Values{"pinned": {"1"}, "word": {"x"}, "target": {"revenue"}}).ExpectErrorPage(t, 404, "not_found")
	}
	other.Get(t, "/console/ask").ExpectPage(t, 200, "Ask needs something to read")
}

// askOnPhone asks with the keyboard of a phone: the box stays on top and lets the keyboard close,
// and the first figure of the answer is seen without scrolling.
func askOnPhone(t *testing.T, b *viewstest.Tab) {
	t.Helper()
	b.Width(390)
	b.Do(chromedp.Focus(chromedp.CSS("#question")), chromedp.KeyEvent(kb.Enter))
	b.Until(`document.querySelector(".answer .ranking li") !== null && !document.querySelector(".htmx-request, .htmx-settling")`)
	expectFocus(t, b, "an answer on a phone", "main#main")
	const tops = `((of) => of.map((s) => document.querySelector(s).getBoundingClientRect()))`
	if first := viewstest.Evaluate[bool](b, tops+`(["#question", ".told-head h2"]).every((box, i, all) => box.bottom < 400 && all[0].bottom < all[1].bottom)`); !first {
		t.Error("on a phone the box and the answer's first figure are not at the top")
	}
	if at := viewstest.Evaluate[bool](b, `(scrollTo(0, 600), `+tops+`(["#question"])[0].top >= 0)`); !at {
		t.Error("the box scrolls away from its answer")
	}
}

package server_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// pushShop pushes eight weeks of sales of three products up to yesterday; the Tea is sold
// out. Each day brings 10 × £2.50 of Coffee and 4 × £3 of Tea, and yesterday twice that.
func pushShop(t *testing.T, s *servertest.Shop) {
	t.Helper()
	records := []string{
		`{"type":"product","external_id":"tea","name":"Tea","sku":"T","price":3,"cost_price":1,"stock_qty":500,"reorder_point":5}`,
		`{"type":"product","external_id":"coffee","name":"Coffee","sku":"C","price":2.5,"cost_price":1,"stock_qty":5000,"reorder_point":5}`,
	}
	flush := func() {
		t.Helper()
		s.Call(t, http.MethodPost, "/data/push", `{"records":[`+strings.Join(records, ",")+`]}`, servertest.WithKey(s.Secret)).Expect(t, 200, "")
		records = nil
	}
	flush()
	for day := 56; day >= 1; day-- {
		times := 1
		if day == 1 {
			times = 2
		}
		for n := range 4 * times {
			at := s.Clock.Now().AddDate(0, 0, -day).Add(time.Duration(n) * time.Minute).Format(time.RFC3339)
			records = append(records, fmt.Sprintf(`{"type":"sale","external_id":"s%d-%d","occurred_at":%q,"items":[
{"sku":"C","quantity":2.5,"price":2.5,"cost_price":1},{"sku":"T","quantity":1,"price":3,"cost_price":1}]}`, day, n, at))
		}
	}
	flush()
	records = append(records, `{"type":"product","external_id":"tea","name":"Tea","sku":"T","price":3,"cost_price":1,"stock_qty":0,"reorder_point":5}`)
	flush()
}

// A merchant without data gets three steps. With data their morning is one sentence, what is
// to do is a list, and a thing that is snoozed leaves it.
func TestBrowserOverview(t *testing.T) {
	t.Parallel()
	b := viewstest.Open(t)
	s := servertest.NewShop(t, db.Business, 50)
	s.Exec(t, `UPDATE accounts SET password_hash = '`+servertest.PasswordHash()+`'`)
	s.Person(t, "fresh@example.com")
	enter(b, s.Server, "fresh@example.com")
	look(b, "console-overview-fresh")
	text := b.Text()
	for _, want := range []string{"Three steps to your first morning report", "Add your products", "Bring your sales", "Ask your first question"} {
		if !strings.Contains(text, want) {
			t.Errorf("without data: no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "of 100") || strings.Contains(text, "The API today") {
		t.Errorf("without data and keys: %s", text)
	}
	b.Press("Look around with sample sales")
	b.UntilTitle("Ask")
	b.Press("Sign out")
	b.UntilTitle("Sign in")

	pushShop(t, s)
	enter(b, s.Server, s.Email)
	look(b, "console-overview")
	text = b.Text()
	for _, want := range []string{
		"Sunday £74, +100 % on your usual Sunday", "From 8 orders.", "85 of 100", "Good, but for 1 problem",
		"What is to do takes 15 points off.", "as much as the 7 days before", "Your credit is low", "The API today",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	for once, times := range map[string]int{"14.3 %": 1, "svc serve": 0, "UTC": 0} {
		if n := strings.Count(text, once); n != times {
			t.Errorf("%q is said %d times, want %d: %s", once, n, times, text)
		}
	}
	if low := textOf(b, ".tiles a[href='/console/inventory?stock=low']"); !strings.Contains(low, "Tea (0 left)") {
		t.Errorf("the figure of low stock does not name it: %s", low)
	}
	if n := viewstest.Evaluate[int](b, `document.querySelectorAll("#todo + .todo > li").length`); n != 1 {
		t.Errorf("%d things to do, where the brief counts 1: %s", n, text)
	}
	if out := viewstest.Evaluate[string](b, `[...document.querySelectorAll("#menu a, #menu button")].filter((e) => e.offsetParent && e.getBoundingClientRect().bottom > innerHeight).map((e) => e.innerText).join()`); out != "" {
		t.Errorf("below the sidebar's end: %s", out)
	}
	if side := textOf(b, ".side"); strings.Contains(side, "Tea") {
		t.Errorf("the pulse repeats what is to do: %s", side)
	}
	b.Click(".todo summary")
	b.Until(`document.querySelector(".todo details").open && document.querySelector(".todo details").innerText.includes("The rule")`)
	look(b, "console-overview-open")

	b.Click("main a[href='/console/brief']")
	b.UntilTitle("Brief")
	look(b, "console-brief")
	if text = b.Text(); !strings.Contains(text, "Sunday 1 March") || !strings.Contains(text, "1 thing to do") || !strings.Contains(text, "£74") ||
		!strings.Contains(text, "62.2 %, as in the 7 days before") || strings.Contains(text, "UTC") {
		t.Errorf("the brief: %s", text)
	}
	if reorder := viewstest.Evaluate[string](b, `document.querySelector(".report .lines a.button").getAttribute("href")`); !strings.HasPrefix(reorder, "/console/messages/new?item=item_") {
		t.Errorf("the brief's button leads to %s", reorder)
	}
	b.Click("main a[href='/console']")
	b.UntilTitle("Overview")
	b.Click(".tiles a[href='/console/inventory?stock=low']")
	b.UntilTitle("Inventory")
	if text = b.Text(); !strings.Contains(text, "Tea") || strings.Contains(text, "Coffee\t") {
		t.Errorf("the figure of low stock leads to: %s", text)
	}
	b.Go(s.URL + "/console")
	b.UntilTitle("Overview")

	order := viewstest.Evaluate[string](b, `document.querySelector(".todo a.button").getAttribute("href")`)
	if !strings.HasPrefix(order, "/console/messages/new?item=item_") {
		t.Errorf("ordering leads to %s", order)
	}
	id := viewstest.Evaluate[string](b, `document.querySelector(".todo input[name=id]").value`)
	_, other := s.Member(t, "other@example.com")
	for _, act := range []string{"snooze", "dismiss"} {
		if a := other.Post(t, "/console/alerts/"+act, url.Values{"id": {id}}); a.Status != http.StatusNotFound {
			t.Errorf("another account, %s: %d", act, a.Status)
		}
	}
	b.Click(`.todo form[action$="snooze"] button`)
	b.Until(`document.body.innerText.includes("Snoozed")`)
	if text = b.Text(); strings.Contains(text, "Dismiss") || !strings.Contains(text, "1 thing is snoozed or dismissed and still counts") || !strings.Contains(text, "85 of 100") {
		t.Errorf("after the snooze: %s", text)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

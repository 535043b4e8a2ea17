package server_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// focused returns the selector-like name of what has the focus: its element with id or
// class, and the start of its text.
const focused = `(() => { const e = document.activeElement; return e.localName + (e.id ? "#" + e.id : e.className ? "." + e.className : ""); })()`

// expectFocus fails the test unless the focus is where it should be.
func expectFocus(t *testing.T, b *viewstest.Tab, when, want string) {
	t.Helper()
	if got := viewstest.Evaluate[string](b, focused); got != want {
		t.Errorf("%s: the focus is on %s, want %s", when, got, want)
	}
}

// The console is used with the keyboard alone: the keys are listed, dialogs take the focus
// and give it back, rows open and close beside the list.
func TestBrowserKeyboard(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	shop := s.Person(t, "shop@example.com")
	s.Key(t, shop.Email, db.Test, db.AccountMode)
	for _, name := range []string{"Oat Milk 1l", "Paper Filters"} {
		dbtest.MustItem(t, s.Store, shop.ID, db.ItemChange{Name: name})
	}
	b := viewstest.Open(t)
	enter(b, s, shop.Email)
	press := func(keys string, options ...chromedp.KeyOption) { b.Do(chromedp.KeyEvent(keys, options...)) }

	b.Go(s.URL + "/console/inventory")
	b.UntilTitle("Inventory")
	press(kb.Tab)
	expectFocus(t, b, "the first Tab", "a.skip")
	press(kb.Enter)
	expectFocus(t, b, "the link to the content", "main#main")

	press("?")
	b.Until(`document.querySelector("dialog[open]")?.innerText.includes("These keys")`)
	look(b, "keyboard")
	press(kb.Escape)
	b.Until(`!document.querySelector("dialog")`)
	expectFocus(t, b, "Escape", "main#main")

	press("/")
	expectFocus(t, b, "/", "input#q")
	press("?")
	if viewstest.Evaluate[bool](b, `!!document.querySelector("dialog")`) {
		t.Error("a ? in a field opens the list of keys")
	}
	b.Go(s.URL + "/console/inventory") // the field has searched for what was typed

	press("k", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	b.Until(`document.activeElement.matches("dialog input")`)
	press("wall")
	b.Until(`document.querySelector("dialog [aria-selected=true]")?.textContent.includes("Wallet")`)
	look(b, "keyboard-search")
	press(kb.Escape)
	b.Until(`!document.querySelector("dialog")`)

	press("j")
	expectFocus(t, b, "j", "a#open-0")
	press("j")
	expectFocus(t, b, "j again", "a#open-1")
	press(kb.Enter)
	b.Until(`document.querySelector("#detail h2")?.textContent.includes("Paper Filters")`)
	b.Until(focused + ` === "h2#item"`)
	press("gw")
	b.UntilTitle("Wallet")
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

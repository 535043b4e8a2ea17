package server_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"svc/server/servertest"
	"svc/server/views/viewstest"
)

// The operator finds an account, changes its plan, adds credit and disables it.
func TestBrowserOperator(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	shop := s.Person(t, "shop@example.com")
	b := viewstest.Open(t)
	enter(b, s.Server, servertest.Boss)
	b.Go(s.URL + "/console/operator")
	look(b, "operator")
	b.Type("#q", "shop@")
	b.Press("Search")
	b.Until(`document.querySelectorAll("tbody tr").length === 1`)
	b.Click("tbody th a")
	b.Until(`document.querySelector("#account") !== null`)
	look(b, "operator-account")

	b.Type("#dossier-amount", "1,5")
	b.Press("Add the credit")
	b.Until(`document.querySelector("[aria-invalid]") !== null`)
	if text := b.Text(); !strings.Contains(text, "must be an amount like 12.50") {
		t.Errorf("the refusal: %s", text)
	}
	b.Problems() // Chromium logs the 400
	b.Click("aside .head a")
	b.Until(`document.querySelector("#account") === null`)
	b.Go(s.URL + "/console/operator?open=" + shop.ID)
	b.Type("#dossier-amount", "1.50")
	b.Press("Add the credit")
	b.Until(`document.body.textContent.includes("The credit is changed.")`)
	if w := s.Wallet(t, shop.Email); w.BalanceCents != 150 {
		t.Errorf("credit %d, want 150", w.BalanceCents)
	}
	b.Click("details.confirm summary")
	b.Press("Disable it")
	b.Until(`document.body.textContent.includes("The account is disabled.")`)
	look(b, "operator-disabled")
	b.Press("Enable the account")
	b.Until(`document.body.textContent.includes("The account is enabled.")`)
	b.Go(s.URL + "/console/operator")
	b.Click("a[href='/console/operator?new=1']")
	b.Until(`document.querySelector("#new-email") !== null`)
	look(b, "operator-new")
	b.Width(1280)
	b.Type("#new-email", "tea@example.com")
	b.Type("#new-name", "Tea Room")
	b.Press("Make the account")
	b.Until(`document.querySelector("#welcome-link") !== null`)
	look(b, "operator-made")
	link := textOf(b, "#welcome-link")
	owner := viewstest.Open(t)
	owner.Go(link)
	owner.Type("input[autocomplete=new-password]", servertest.Password)
	owner.Press("Set the password")
	owner.UntilTitle("Overview")
	for _, page := range []string{"mails", "server"} {
		b.Go(s.URL + "/console/operator/" + page)
		look(b, "operator-"+page)
	}
	if problems := b.Problems(); len(problems) != 0 {
		t.Errorf("the browser logged: %q", problems)
	}
}

// A form that is sent twice credits once, and only the operator has these pages.
func TestOperatorForms(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	shop := s.Person(t, "shop@example.com")
	d, err := s.App.Accounts.Dossier(t.Context(), shop.ID)
	if err != nil {
		t.Fatal(err)
	}
	boss := s.Enter(t, servertest.Boss)
	form := url.Values{"id": {shop.ID}, "seen": {strconv.FormatInt(d.LastAct, 10)}, "amount": {"1.50"}}
	boss.Post(t, "/console/operator/credit", form).Expect(t, 303, "")
	boss.Post(t, "/console/operator/credit", form).ExpectErrorPage(t, 409, "conflict")
	if w := s.Wallet(t, shop.Email); w.BalanceCents != 150 {
		t.Errorf("credit %d, want 150", w.BalanceCents)
	}
	boss.Post(t, "/console/operator/plan", url.Values{"id": {shop.ID}, "plan": {"gold"}}).ExpectErrorPage(t, 400, "invalid_request")
	boss.Post(t, "/console/operator/plan", url.Values{"id": {"acct_none"}, "plan": {"growth"}}).ExpectErrorPage(t, 404, "not_found")
	member := s.Enter(t, shop.Email)
	for _, page := range []string{"", "/mails", "/server"} {
		member.Get(t, "/console/operator"+page).ExpectErrorPage(t, 404, "not_found")
	}
	for _, act := range []string{"plan", "credit", "disable", "enable"} {
		member.Post(t, "/console/operator/"+act, form).ExpectErrorPage(t, 404, "not_found")
	}
}

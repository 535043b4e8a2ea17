package server_test

import (
	"fmt"
	"html"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc/server"
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

	b.Click("details:has(#dossier-amount) summary")
	b.Type("#dossier-amount", "1,5,0")
	b.Press("Add the credit")
	b.Until(`document.querySelector("[aria-invalid]") !== null`)
	if text := b.Text(); !strings.Contains(text, "must be an amount like 12.50") {
		t.Errorf("the refusal: %s", text)
	}
	b.Problems() // Chromium logs the 400
	b.Click("aside .head a")
	b.Until(`document.querySelector("#account") === null`)
	b.Go(s.URL + "/console/operator?open=" + shop.ID)
	b.Click("details:has(#dossier-amount) summary")
	b.Type("#dossier-amount", "1.50")
	b.Press("Add the credit")
	b.Until(`document.body.textContent.includes("is changed.")`)
	if w := s.Wallet(t, shop.Email); w.BalanceCents != 150 {
		t.Errorf("credit %d, want 150", w.BalanceCents)
	}
	b.Click("details.confirm summary")
	b.Press("Disable it")
	b.Until(`document.body.textContent.includes("is disabled.")`)
	look(b, "operator-disabled")
	b.Press("Enable the account")
	b.Until(`document.body.textContent.includes("is enabled.")`)
	b.Click("aside a[href^='/console/activity']")
	b.UntilTitle("Activity")
	if text := b.Text(); !strings.Contains(text, "+$1.50 credit") || strings.Count(text, "Account made") != 1 {
		t.Errorf("the activity of the account: %s", text)
	}
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

// The accounts are a list of the oldest first, so a page leads on to the next one and back
// to the first.
func TestOperatorPages(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	for i := range 50 {
		s.Account(t, fmt.Sprintf("shop%02d@example.com", i), "free", 0)
	}
	boss := s.Enter(t, servertest.Boss)
	first := boss.Get(t, "/console/operator")
	if !first.Says(`rel="next">Next</a>`) || first.Says(">Older</a>") || first.Says(">First</a>") {
		t.Errorf("the first page does not lead to the next one: %s", first.Body)
	}
	next := boss.Get(t, href(t, first, "Next"))
	if !next.Says("shop49@example.com") || !next.Says(">First</a>") || next.Says(">Newest</a>") || next.Says("shop48@example.com") {
		t.Errorf("the second page: %s", next.Body)
	}
}

// href returns the address of the first link of a page with a text.
func href(t *testing.T, page servertest.Answer, text string) string {
	t.Helper()
	found := regexp.MustCompile(`<a [^>]*href="([^"]*)"[^>]*>` + regexp.QuoteMeta(text) + `</a>`).FindSubmatch(page.Body)
	if found == nil {
		t.Fatalf("no link %q: %s", text, page.Body)
	}
	return html.UnescapeString(string(found[1]))
}

// A new account gets the time zone that the operator chooses for it, at first their own.
func TestOperatorChoosesTimeZone(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	boss := s.Enter(t, servertest.Boss)
	boss.Post(t, "/console/settings/profile", url.Values{
		"name": {"Boss"}, "biz-type": {"retail"}, "currency": {"gbp"}, "timezone": {"Europe/London"},
	}).Expect(t, 303, "")
	boss.Get(t, "/console/operator?new=1").ExpectPage(t, 200, `value="Europe/London"`)
	form := url.Values{"email": {"cafe@example.com"}, "plan": {"free"}, "currency": {"eur"}, "timezone": {"Europe/Nowhere"}}
	boss.Post(t, "/console/operator/new", form).ExpectErrorPage(t, 400, "invalid_request", "must be an IANA zone")
	form.Set("timezone", "Europe/Paris")
	boss.Post(t, "/console/operator/new", form).ExpectPage(t, 200, "Pass this link on now")
	if got := s.Query(t, "SELECT timezone FROM accounts WHERE email = 'cafe@example.com'"); len(got) != 1 || got[0] != "Europe/Paris" {
		t.Errorf("time zone %q, want Europe/Paris", got)
	}
}

// The operator reads what is not set up, and what to add to the command for it; of what is set up
// no secret.
func TestServerSaysHowToSetUp(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t, servertest.WithoutStripe)
	s.Person(t, servertest.Boss)
	boss := s.Enter(t, servertest.Boss)
	boss.Get(t, "/console/operator").ExpectPage(t, 200, "not set up", "Mail, Stripe. <a") // messages are kept and photos read on purpose
	boss.Get(t, "/console/operator/server").ExpectPage(t, 200, "svc serve --smtp smtp://", "svc serve --stripe-key sk_live_", "svc serve --messaging ", "svc serve --ollama http://127.0.0.1:11434 --vision-model ")

	unheard := servertest.NewHouse(t, func(c *server.Config) { c.Stripe.Key = "sk_live_hunter2" })
	unheard.Person(t, servertest.Boss)
	unheard.Enter(t, servertest.Boss).Get(t, "/console/operator").ExpectPage(t, 200, "broken", "Stripe: no webhook secret")

	full := servertest.NewHouse(t, func(c *server.Config) {
		c.SMTP, c.MailFrom, c.Carrier = "smtp://post:hunter2@mail.example.com:587", "post@shop.example", &servertest.Carrier{}
		c.Stripe.Key, c.Stripe.WebhookSecrets, c.Ollama.VisionModel = "sk_live_hunter2", []string{"whsec_hunter2"}, "moondream"
		c.Ollama.URL = "http://127.0.0.1:11434"
	})
	full.Person(t, servertest.Boss)
	boss = full.Enter(t, servertest.Boss)
	boss.Get(t, "/console/operator").ExpectPage(t, 200, "Every part of the server works")
	if page := boss.Get(t, "/console/operator/server"); page.Says("svc serve --smtp") || page.Says("svc serve --stripe-key") || page.Says("svc serve --messaging") || page.Says("svc serve --ollama") || page.Says("hunter2") || !page.Says("then moondream at ") {
		t.Errorf("all is set up: %s", page.Body)
	}
}

// On the operator's page what is merely not chosen is not marked as good.
func TestServerTagsAreNeutral(t *testing.T) {
	t.Parallel()
	s := servertest.NewHouse(t)
	s.Person(t, servertest.Boss)
	page := s.Enter(t, servertest.Boss).Get(t, "/console/operator/server")
	for _, want := range []string{
		`<span class="hint">writable</span>`, `<span class="tag warn">not set up</span>`, // database, mail
		`<span class="hint">barcodes only</span>`, `<span class="hint">outbox</span>`, // photos, messages
	} {
		if !page.Says(want) {
			t.Errorf("no %s: %s", want, page.Body)
		}
	}
	if page.Says(`<span class="tag on">`) {
		t.Error("a part is marked as good")
	}
}

package account_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"svc/server"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

// saysMailed matches what is true only of a server that sends mails.
var saysMailed = regexp.MustCompile(`(?i)we (have )?mail|mail me|look at your mail|junk|mail is on its way|code from the mail|newest mail|mail was asked for`)

func withOperator(c *server.Config) {
	c.OperatorName, c.OperatorContact = "Tally & Sons", "help@tally.example"
}

func expectNoMail(t *testing.T, a servertest.Answer, texts ...string) {
	t.Helper()
	a.ExpectPage(t, a.Status, append(texts, "This server sends no mail")...)
	if found := saysMailed.Find(a.Body); found != nil {
		t.Errorf("the page says %q, and nothing is mailed: %s", found, a.Body)
	}
}

func TestPagesWithoutMailServer(t *testing.T) {
	servertest.Sequential(t)
	const people = "Tally & Sons (help@tally.example)"
	member := url.Values{"email": {servertest.Member}}

	t.Run("SignUp", func(t *testing.T) {
		h := openHouse(t, withOperator)
		b := h.Browser(t)
		expectNoMail(t, b.Get(t, "/signup"), "the code comes from "+people, "Ask for a code")
		expectNoMail(t, b.Post(t, "/signup", member), "Ask "+people+": they find the code on their page.")
		again := b.Post(t, "/signup", member)
		again.ExpectErrorPage(t, 429, "too_many_tries", "get it from the people who run this server")
		expectNoMail(t, again)
		wrong := b.Post(t, "/signup/code", servertest.SignUpForm(servertest.Member, "12345", "", servertest.OtherPassword))
		wrong.ExpectErrorPage(t, 400, "invalid_request", "get the newest from the people who run this server")
		expectNoMail(t, wrong)

		// What the page says is so: the operator's page has the code, and it works.
		code := h.Code(t, servertest.Member)
		h.Enter(t, servertest.Boss).Get(t, "/console/operator/mails").ExpectPage(t, 200, code)
		b.Post(t, "/signup/code", servertest.SignUpForm(servertest.Member, code, "", servertest.OtherPassword)).ExpectRedirect(t, "/console")
	})

	t.Run("RecoverDoesNotRevealAccounts", func(t *testing.T) {
		h := openHouse(t, withOperator)
		h.Person(t, servertest.Member)
		b := h.Browser(t)
		expectNoMail(t, b.Get(t, "/recover"), people+" then find a link on their page", "Ask for a link")
		known, unknown := b.Post(t, "/recover", member), b.Post(t, "/recover", url.Values{"email": {"nobody@example.com"}})
		expectNoMail(t, known, "Ask "+people+".", "If "+servertest.Member+" has an account here, they find a link on their page")
		expectSameAnswer(t, known, unknown, servertest.Member, "nobody@example.com")

		link := servertest.Path(h.NewestResetLink(t, servertest.Member))
		h.Enter(t, servertest.Boss).Get(t, "/console/operator/mails").ExpectPage(t, 200, link)
	})

	t.Run("SignUpDoesNotRevealAccounts", func(t *testing.T) {
		h := openHouse(t)
		h.Person(t, servertest.Member)
		known, unknown := h.AskCode(t, servertest.Member), h.AskCode(t, "nobody@example.com")
		expectNoMail(t, known, "Ask the people who run it: they find the code on their page.")
		expectSameAnswer(t, known, unknown, servertest.Member, "nobody@example.com")
	})

	t.Run("Wallet", func(t *testing.T) {
		expectNoMail(t, openHouse(t).Enter(t, servertest.Boss).Get(t, "/console/wallet"), "The warning is shown here")
	})
}

func TestPagesWithMailServer(t *testing.T) {
	sink := mailtest.New(t)
	h := openHouse(t, withOperator, func(c *server.Config) { c.SMTP, c.MailFrom = sink.URL(), "post@shop.example" })
	b := h.Browser(t)
	member := url.Values{"email": {servertest.Member}}
	for _, page := range []struct {
		answer servertest.Answer
		says   string
	}{
		{b.Get(t, "/signup"), "We mail a code to your address."},
		{b.Post(t, "/signup", member), "We have mailed a code to this address."},
		{b.Post(t, "/signup", member), "A mail was asked for a moment ago"},
		{b.Get(t, "/recover"), "we mail a link to set a new password"},
		{b.Post(t, "/recover", url.Values{"email": {servertest.Boss}}), "a mail is on its way"},
		{h.Enter(t, servertest.Boss).Get(t, "/console/wallet"), "Wallet"},
	} {
		page.answer.ExpectPage(t, page.answer.Status, page.says)
		if page.answer.Says("sends no mail") {
			t.Errorf("the page denies that mails are sent: %s", page.answer.Body)
		}
	}
}

// The operator's name and contact are on pages that ask for trust, if they are set.
func TestOperatorOnPages(t *testing.T) {
	named, nameless := openHouse(t, withOperator).Browser(t), openHouse(t).Browser(t)
	for _, path := range []string{"/signin", "/signup", "/recover", "/no-such-page"} {
		a := named.Get(t, path)
		if !a.Says("run by <bdi>Tally &amp; Sons</bdi>, the operator of this server. Contact: <bdi>help@tally.example</bdi>.") {
			t.Errorf("%s does not say who runs the server: %s", path, a.Body)
		}
		if a := nameless.Get(t, path); !a.Says("run by the operator of this server. <a") || strings.Contains(string(a.Body), "Contact:") {
			t.Errorf("%s without a name: %s", path, a.Body)
		}
	}
}

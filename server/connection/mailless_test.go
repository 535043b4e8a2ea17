package connection_test

import (
	"regexp"
	"testing"

	"svc/server"
	"svc/server/mail/mailtest"
	"svc/server/servertest"
)

const (
	operator   = "<bdi>Tally &amp; Sons</bdi>, the operator of this server. Contact: <bdi>help@tally.example</bdi>."
	people     = "Tally &amp; Sons (help@tally.example)"
	noMailHere = "This server sends no mail"
)

var saysMailed = regexp.MustCompile(`(?i)we (have )?mail|mail me|junk|code from the mail|from the mail again`)

func withOperator(c *server.Config) {
	c.OperatorName, c.OperatorContact = "Tally & Sons", "help@tally.example"
}

// Without SMTP, the step of the code says whom to ask for it, and who runs the server.
func TestCodeStepWithoutMailServer(t *testing.T) {
	d := newDesk(t, withOperator)
	link := servertest.ConfirmationURL(t, d.Request(t, asking(`"new@shop.example"`)))
	b := d.Browser(t)
	asked, made, unknown := b.Get(t, link), b.Post(t, link+"/code", nil), b.Get(t, link+"x")
	expectPage(t, asked, 200, "", "signin code", noMailHere, "comes from "+people, "Ask for a code", operator)
	expectPage(t, made, 200, "", "signup code signin", noMailHere, "Ask "+people+": they find the code on their page.", "Ask for another code", operator)
	expectPage(t, unknown, 404, "not_found", "", "Open it again from where you had it", operator)
	for _, a := range []servertest.Answer{asked, made, unknown} {
		if found := saysMailed.Find(a.Body); found != nil {
			t.Errorf("the page says %q, and nothing is mailed: %s", found, a.Body)
		}
	}
	expectPage(t, d.Merchant.Get(t, d.Ask(t)), 200, "", "approve decline", operator)

	form := servertest.SignUpForm("", d.Code(t, "new@shop.example"), "The New Shop", servertest.Password)
	b.Post(t, link+"/signup", form).ExpectDone(t, link)
}

func TestCodeStepWithMailServer(t *testing.T) {
	sink := mailtest.New(t)
	d := newDesk(t, func(c *server.Config) { c.SMTP, c.MailFrom = sink.URL(), "post@shop.example" })
	link := servertest.ConfirmationURL(t, d.Request(t, asking(`"new@shop.example"`)))
	b := d.Browser(t)
	asked, made := b.Get(t, link), b.Post(t, link+"/code", nil)
	expectPage(t, asked, 200, "", "signin code", "We mail a code to", "Mail me a code")
	expectPage(t, made, 200, "", "signup code signin", "We have mailed a code to", "Mail me another code", "Look among the junk mail", "Code from the mail")
	for _, a := range []servertest.Answer{asked, made} {
		if a.Says(noMailHere) {
			t.Errorf("the page denies that mails are sent: %s", a.Body)
		}
	}
}

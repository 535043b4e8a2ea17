package stripetest

import (
	"html/template"
	"net/http"
	"strings"
)

var payPage = template.Must(template.New("pay").Parse(`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Fake Stripe</title></head>
<body>
<h1>{{.Name}}</h1>
<p>{{.Description}}</p>
<p>{{.AmountTotal}} {{.Currency}}</p>
<form method="post" action="/pay/{{.ID}}/pay"><button>Pay</button></form>
<form method="post" action="/pay/{{.ID}}/cancel"><button>Cancel</button></form>
</body>
</html>
`))

// page returns the handler of a payer's request to an open session. do is called with the
// lock held. It returns the address of a redirect, or "" if it wrote the page.
func (s *Stripe) page(do func(http.ResponseWriter, *Session) (next string)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.down {
			cut(w)
			return
		}
		c := s.find(r.PathValue("id"))
		if c == nil {
			http.Error(w, "There is no such checkout session.", http.StatusNotFound)
			return
		}
		if !c.open() {
			http.Error(w, "This checkout session is "+c.Status+".", http.StatusGone)
			return
		}
		if next := do(w, c); next != "" {
			http.Redirect(w, r, next, http.StatusSeeOther)
		}
	}
}

func (s *Stripe) show(w http.ResponseWriter, c *Session) string {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	if err := payPage.Execute(w, c); err != nil {
		s.t.Errorf("fake Stripe: payer's page: %v", err)
	}
	return ""
}

func (s *Stripe) pressPay(_ http.ResponseWriter, c *Session) string {
	c.complete("paid")
	if s.PayMode == Delayed {
		c.PaymentStatus = "unpaid"
	}
	return strings.ReplaceAll(c.SuccessURL, "{CHECKOUT_SESSION_ID}", c.ID)
}

// pressCancel leaves the session open, as at Stripe.
func (s *Stripe) pressCancel(_ http.ResponseWriter, c *Session) string { return c.CancelURL }

package console

import (
	"net/http"

	"svc/server/checkout"
	"svc/server/mail"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const operatorRows = 100

// PagesConfig are the dependencies of Pages.
type PagesConfig struct {
	Service  *Service
	Views    *views.Set
	Mails    *mail.Service
	Payments *checkout.Service
	BaseURL  string // of the API, for the home page
}

// Pages are the home page, the overview and the operator's page.
type Pages struct{ c PagesConfig }

// NewPages returns the pages.
func NewPages(c PagesConfig) *Pages { return &Pages{c} }

// Home handles GET /.
func (p *Pages) Home(w *web.Response, _ *http.Request, v session.Visitor) error {
	return p.c.Views.Render(w, http.StatusOK, views.Home{Frame: v.Frame("svc"), BaseURL: p.c.BaseURL})
}

// Overview handles GET /console.
func (p *Pages) Overview(w *web.Response, r *http.Request, v session.Visitor) error {
	o, err := p.c.Service.Overview(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page := views.Overview{
		Frame: v.Frame("Overview"), Plan: string(v.Account.Plan), BalanceCents: o.Wallet.BalanceCents,
		LowBalance: o.Wallet.Low() && o.Keys > 0, // an account without keys needs no credit
		Keys:       o.Keys, Granted: o.Grants,
	}
	page.Section = "overview"
	return p.c.Views.Render(w, http.StatusOK, page)
}

// Operator handles GET /console/operator: mails, with the codes and links in them, and
// payments that did not match (L4, E3).
func (p *Pages) Operator(w *web.Response, r *http.Request, v session.Visitor) error {
	mails, err := p.c.Mails.List(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	faults, err := p.c.Payments.Mismatches(r.Context(), operatorRows)
	if err != nil {
		return err
	}

	page := views.Operator{Frame: v.Frame("Operator"), MailByOutbox: p.c.Mails.Outbox(), Zone: zone.Of(v.Account)}
	page.Section = "operator"
	for _, m := range mails {
		page.Mails = append(page.Mails, views.Mail{
			ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Status: string(m.State), Problem: m.Problem, At: m.CreatedAt,
		})
	}
	for _, f := range faults {
		page.Faults = append(page.Faults, views.PaymentFault{
			EventID: f.ID, Type: f.Type, SessionID: f.SessionID, Reference: f.Reference, Problem: f.Mismatch, At: f.CreatedAt,
		})
	}
	return p.c.Views.Render(w, http.StatusOK, page)
}

// Package console owns the pages that belong to no capability: the home page and the
// operator's page.
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

// Pages are these pages.
type Pages struct {
	views    *views.Set
	mails    *mail.Service
	payments *checkout.Service
	baseURL  string // of the API
}

// NewPages returns the pages. The home page names baseURL as the address of the API.
func NewPages(set *views.Set, mails *mail.Service, payments *checkout.Service, baseURL string) *Pages {
	return &Pages{views: set, mails: mails, payments: payments, baseURL: baseURL}
}

// Home handles GET /.
func (p *Pages) Home(w *web.Response, _ *http.Request, v session.Visitor) error {
	return p.views.Render(w, http.StatusOK, views.Home{Frame: v.Frame("svc"), BaseURL: p.baseURL})
}

// Operator handles GET /console/operator: mails, with the codes and links in them, and
// payments that did not match (L4, E3).
func (p *Pages) Operator(w *web.Response, r *http.Request, v session.Visitor) error {
	mails, err := p.mails.List(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	faults, err := p.payments.Mismatches(r.Context(), operatorRows)
	if err != nil {
		return err
	}

	page := views.Operator{Frame: v.Frame("Operator"), Zone: zone.Of(v.Account.Profile.Timezone)}
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
	return p.views.Render(w, http.StatusOK, page)
}

package console

import (
	"net/http"

	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// Mails handles GET /console/operator/mails: with the codes and links in them (L4).
func (p *Pages) Mails(w *web.Response, r *http.Request, v session.Visitor) error {
	mails, err := p.mails.List(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	page := views.OperatorMails{Frame: v.Frame("Mails"), Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "operator"
	for _, m := range mails {
		page.Mails = append(page.Mails, views.Mail{
			ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Status: string(m.State), Problem: m.Problem, At: m.CreatedAt,
		})
	}
	return p.views.Render(w, http.StatusOK, page)
}

// Server handles GET /console/operator/server: what the server is set up with, whether it
// works, and payments that did not match (E3).
func (p *Pages) Server(w *web.Response, r *http.Request, v session.Visitor) error {
	faults, err := p.payments.Mismatches(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	page := views.OperatorServer{Frame: v.Frame("Server"), Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "operator"
	page.Parts = p.parts(r.Context())
	for _, f := range faults {
		page.Faults = append(page.Faults, views.PaymentFault{
			EventID: f.ID, Type: f.Type, SessionID: f.SessionID, Reference: f.Reference, Problem: f.Mismatch, At: f.CreatedAt,
		})
	}
	return p.views.Render(w, http.StatusOK, page)
}

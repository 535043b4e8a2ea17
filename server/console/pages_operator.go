package console

import (
	"net/http"
	"strconv"
	"time"

	"svc/server/job"
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
// works, its jobs, and payments that did not match (E3).
func (p *Pages) Server(w *web.Response, r *http.Request, v session.Visitor) error {
	faults, err := p.payments.Mismatches(r.Context(), operatorRows)
	if err != nil {
		return err
	}
	page := views.OperatorServer{Frame: v.Frame("Server"), Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "operator"
	page.Parts = p.machine.Parts(r.Context())
	for _, s := range p.machine.Jobs() {
		page.Jobs = append(page.Jobs, jobRow(s))
	}
	for _, f := range faults {
		page.Faults = append(page.Faults, views.PaymentFault{
			EventID: f.ID, Type: f.Type, SessionID: f.SessionID, Reference: f.Reference, Problem: f.Mismatch, At: f.CreatedAt,
		})
	}
	return p.views.Render(w, http.StatusOK, page)
}

func jobRow(s job.State) views.Job {
	row := views.Job{
		Name: s.Name, Every: roundedTime(s.Every), Began: s.Began, Next: s.Next, Running: s.Running, Failing: s.Failing,
		Problem: s.Problem, FailedAt: s.FailedAt,
	}
	if !s.Next.IsZero() { // a run has ended
		row.Took = roundedTime(s.Took)
	}
	return row
}

// roundedTime writes the length of a run or of a pause in one unit.
func roundedTime(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Round(time.Millisecond).Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Round(100*time.Millisecond).Seconds(), 'f', -1, 64) + " s"
	}
	return strconv.FormatFloat(d.Round(6*time.Second).Minutes(), 'f', -1, 64) + " min"
}

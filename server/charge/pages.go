package charge

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/checkout"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Pages are the pages behind a charge's link. They need no sign-in.
type Pages struct {
	service *Service
	views   *views.Set
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set) *Pages { return &Pages{s, set} }

// Show is GET /charges/:token. It changes nothing.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.read(w, r, v, func(c Confirmation) error { return p.show(w, v, c, c.Action, nil) })
}

// Return is GET /charges/:token/return, the address to which Stripe sends the payer. It
// only looks whether the payment is proven yet (E2).
func (p *Pages) Return(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.read(w, r, v, func(c Confirmation) error { return p.show(w, v, c, c.Awaited, nil) })
}

// read runs fn on the charge of the link, or answers that there is none.
func (p *Pages) read(w *web.Response, r *http.Request, v session.Visitor, fn func(Confirmation) error) error {
	c, err := p.confirmation(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return p.notFound(w, v)
	}
	if err != nil {
		return err
	}
	return fn(c)
}

func (p *Pages) confirmation(ctx context.Context, w *web.Response, v session.Visitor) (Confirmation, error) {
	return p.service.Confirmation(ctx, w.Params.ByName("token"), v.Account)
}

// isID reports whether the address has a charge's id in the place of its link's token.
func isID(w *web.Response) bool { return strings.HasPrefix(w.Params.ByName("token"), "ch_") }

var errNoCharge = &fault.Error{Code: fault.NotFound, Message: "no charge with this link"}

func (p *Pages) notFound(w *web.Response, v session.Visitor) error {
	w.Record(errNoCharge)
	return p.views.Render(w, http.StatusNotFound, views.Message{
		Frame: v.Frame("This link does not work"),
		Text: []string{
			"There is no payment behind it. Perhaps it was not copied to its end.",
			"Open it again from where you had it, or ask whoever sent it for a new one.",
			"Payment requests that are addressed to you are also listed in your console.",
		},
		Link: "/console/charges", LinkText: "See them in the console",
	})
}

// show renders the charge; problem is that of the last action.
func (p *Pages) show(w *web.Response, v session.Visitor, c Confirmation, action Action, problem *fault.Error) error {
	status, sentence, _ := views.Report(w, problem)
	if problem == nil && action == Action(db.ChargeExpired) {
		status = http.StatusGone
		w.Record(&fault.Error{Code: fault.Gone, Message: "the link has expired"})
	}
	frame := v.Frame("A payment request")
	frame.FormLeaves, frame.Problem = c.Action == Pay, sentence
	return p.views.Render(w, status, views.Charge{
		Frame: frame, Token: c.Handle,
		Amount: money.Format(c.Amount, c.Currency), Description: c.Description,
		From: c.From, App: c.App, To: emailaddr.Mask(c.MerchantEmail),
		ExpiresAt: c.ExpiresAt, State: string(action), Test: c.Env == db.Test,
		Watch: action == Processing,
	})
}

// Status is GET /charges/:token/status, which the open page polls: processing as long as
// the payment may be on its way, else what the page shows.
func (p *Pages) Status(w *web.Response, r *http.Request, v session.Visitor) error {
	c, err := p.confirmation(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return errNoCharge
	}
	if err != nil {
		return err
	}
	w.SetHeader("X-Robots-Tag", "noindex")
	w.Quiet = true
	return w.JSON(http.StatusOK, map[string]Action{"state": c.Awaited})
}

// Pay is POST /charges/:token/pay: it sends the payer to Stripe's page (E2).
func (p *Pages) Pay(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if isID(w) {
		if err := v.CheckForm(form); err != nil {
			return err
		}
	}
	return p.read(w, r, v, func(c Confirmation) error {
		url, err := p.service.Pay(r.Context(), c, v.Account)
		if err == nil {
			return w.Redirect(url)
		}
		problem := checkout.Problem(err)
		if problem == nil {
			return err
		}
		if c, err = p.confirmation(r.Context(), w, v); err != nil { // as it is by now
			return err
		}
		return p.show(w, v, c, c.Action, problem)
	})
}

// SimulateApproval is POST /charges/:token/approve, a test key's only (E5).
func (p *Pages) SimulateApproval(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.simulate(w, r, v, p.service.SimulateApproval)
}

// SimulateDecline is POST /charges/:token/decline, a test key's only.
func (p *Pages) SimulateDecline(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.simulate(w, r, v, p.service.SimulateDecline)
}

func (p *Pages) simulate(w *web.Response, r *http.Request, v session.Visitor, do func(context.Context, db.Token) (Confirmation, error)) error {
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return p.notFound(w, v)
	}
	c, err := do(r.Context(), token)
	switch problem := web.UserError(err); {
	case errors.Is(err, db.ErrNotFound):
		return p.notFound(w, v)
	case problem != nil:
		return p.show(w, v, c, c.Action, problem)
	case err != nil:
		return err
	}
	return w.Redirect("/charges/" + string(token))
}

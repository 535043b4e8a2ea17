package connection

import (
	"errors"
	"net/http"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/web"
)

// Approve handles POST /connect/:token/approve: it grants the ticked scopes.
func (p *Pages) Approve(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.decide(w, r, v, form, Approve)
}

// Decline handles POST /connect/:token/decline.
func (p *Pages) Decline(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.decide(w, r, v, form, Decline)
}

// Narrow handles POST /connect/:token/narrow: the ticked scopes stay.
func (p *Pages) Narrow(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.decide(w, r, v, form, Narrow)
}

// Revoke handles POST /connect/:token/revoke.
func (p *Pages) Revoke(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.decide(w, r, v, form, Revoke)
}

// decide carries out the decision and shows the request anew, with the refusal if there is
// one.
func (p *Pages) decide(w *web.Response, r *http.Request, v session.Visitor, form web.Form, d Decision) error {
	if err := v.CheckForm(form); err != nil {
		return err
	}
	c, err := p.service.Decide(r.Context(), w.Params.ByName("token"), v.Account, d, form.All("scope"))
	var refusal *fault.Error
	switch {
	case errors.Is(err, db.ErrNotFound):
		return p.showUnknown(w, v)
	case errors.As(err, &refusal):
		return p.show(w, c, v, shown{problem: refusal})
	case err != nil:
		return err
	}
	return w.Redirect(c.path(""))
}

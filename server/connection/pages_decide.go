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
func (p *Pages) Approve(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.act(w, r, v, func(token db.Token, form web.Form) (Consent, error) {
		return p.service.Approve(r.Context(), token, v.Account, form.All("scope"))
	})
}

// Decline handles POST /connect/:token/decline.
func (p *Pages) Decline(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.act(w, r, v, func(token db.Token, _ web.Form) (Consent, error) {
		return p.service.Decline(r.Context(), token, v.Account)
	})
}

// Narrow handles POST /connect/:token/narrow: the ticked scopes stay.
func (p *Pages) Narrow(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.act(w, r, v, func(token db.Token, form web.Form) (Consent, error) {
		return p.service.Narrow(r.Context(), token, v.Account, form.All("scope"))
	})
}

// Revoke handles POST /connect/:token/revoke.
func (p *Pages) Revoke(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.act(w, r, v, func(token db.Token, _ web.Form) (Consent, error) {
		return p.service.Revoke(r.Context(), token, v.Account)
	})
}

// act does what a form asks and shows the request anew; a refusal is shown on its page.
func (p *Pages) act(w *web.Response, r *http.Request, v session.Visitor, do func(token db.Token, form web.Form) (Consent, error)) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := v.CheckForm(form); err != nil {
		return err
	}
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return p.showUnknown(w, v)
	}
	c, err := do(token, form)
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

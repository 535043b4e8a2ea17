package connection

import (
	"errors"
	"net/http"
	"slices"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/web"
)

// Approve is POST /connect/:token/approve: it grants the scopes that are ticked; D4.
func (s *Service) Approve(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, decide, func(tx *db.Tx, q request, form web.Form) error {
		return tx.ApproveConnection(q.Connection, v.Account.ID, ticked(form, q.Requested))
	})
}

// Decline is POST /connect/:token/decline.
func (s *Service) Decline(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, decide, func(tx *db.Tx, q request, _ web.Form) error {
		return tx.DeclineConnection(q.Connection)
	})
}

// Narrow is POST /connect/:token/narrow: it leaves the scopes that are ticked, and
// never grants one more (D4).
func (s *Service) Narrow(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, manage, func(tx *db.Tx, q request, form web.Form) error {
		return tx.NarrowConnection(q.Connection, v.Account.ID, ticked(form, q.Scopes))
	})
}

// Revoke is POST /connect/:token/revoke.
func (s *Service) Revoke(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, manage, func(tx *db.Tx, q request, _ web.Form) error {
		return tx.RevokeConnection(q.Connection, v.Account.ID)
	})
}

func ticked(form web.Form, from []string) (scopes []string) {
	for _, s := range from {
		if slices.Contains(form.All("scope"), s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// act does what a form asks where the step allows it: the first of two tabs wins,
// and the other sees its result. Look and change are one transaction.
func (s *Service) act(w *web.Response, r *http.Request, v session.Visitor, allowed step, do func(*db.Tx, request, web.Form) error) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := v.CheckForm(form); err != nil {
		return err
	}
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return s.unknown(w, v)
	}
	var q request
	did := false
	err = s.Store.Update(r.Context(), func(tx *db.Tx) (err error) {
		if q, err = load(tx, token, v); err != nil || q.stepFor(v) != allowed {
			return err
		}
		did = true
		return do(tx, q, form)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return s.unknown(w, v)
	case err != nil:
		return err
	case !did:
		return s.show(w, q, v, shown{problem: q.refusal(v)})
	}
	return w.Redirect("/connect/" + string(token))
}

// refusal says why what was tried was not done.
func (q request) refusal(v session.Visitor) *fault.Error {
	e := &fault.Error{Code: fault.Conflict, Message: "nothing was changed: the request had been answered before"}
	switch q.stepFor(v) {
	case signIn:
		e.Code, e.Message = web.SignInRequired, "nothing was changed: sign in first"
	case notTheVisitor:
		e.Code, e.Message = fault.Forbidden, "nothing was changed: the request is for somebody else"
	case previewed:
		e.Message = "this is a preview; there is nothing to decide"
	case ended:
		e.Message = "nothing was changed: the request has ended"
	case existing:
		e.Message = "nothing was changed: the connection exists already"
	case final:
		if q.StatusAt(q.now) == db.ConnectionExpired {
			e.Code, e.Message = fault.Gone, "nothing was changed: the link has expired"
		}
	case decide:
		e.Message = "nothing was changed: the request is not approved"
	}
	return e
}

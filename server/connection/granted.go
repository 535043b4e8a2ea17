package connection

import (
	"errors"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

const maxGrants = 200

// ShowGranted is GET /console/granted: what others may see, or might once, of the
// account that is signed in.
func (s *Service) ShowGranted(w *web.Response, r *http.Request, v session.Visitor) error {
	p := views.Granted{Frame: v.Frame("Granted access"), Zone: session.Zone(v.Account)}
	p.Section = "granted"
	if r.URL.Query().Get("done") == "revoked" {
		p.Notice = "The access is revoked."
	}
	err := s.Store.View(r.Context(), func(tx *db.Tx) error {
		all, err := tx.Grants(v.Account.ID, maxGrants)
		if err != nil {
			return err
		}
		for _, c := range all {
			who, err := partiesOf(tx, c.KeyID)
			if err != nil {
				return err
			}
			p.Grants = append(p.Grants, views.Grant{
				ID: c.ID, Developer: who.developer.Name, App: who.appName(),
				Scopes: strings.Join(scopeTitles(c.Scopes), ", "), Status: string(c.StatusAt(tx.Now())),
				ApprovedAt: c.ApprovedAt, RevokedAt: c.RevokedAt,
			})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.Pages.Render(w, http.StatusOK, p)
}

// RevokeGrant is POST /console/granted/revoke.
func (s *Service) RevokeGrant(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = s.Store.Update(r.Context(), func(tx *db.Tx) error {
		c, err := tx.Grant(v.Account.ID, form.Value("id"))
		if err != nil {
			return err
		}
		err = tx.RevokeConnection(c, v.Account.ID)
		if errors.Is(err, db.ErrStale) {
			return nil // it was revoked before
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: "there is no such grant"}
	}
	if err != nil {
		return err
	}
	return w.Redirect("/console/granted?done=revoked")
}

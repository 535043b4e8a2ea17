package connection

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"svc/db"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ShowGranted handles GET /console/granted: what others may see of the account, or could
// until it was revoked.
func (p *Pages) ShowGranted(w *web.Response, r *http.Request, v session.Visitor) error {
	grants, err := p.service.Grants(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}

	page := views.Granted{Frame: v.Frame("Granted access"), Zone: zone.Of(v.Account.Profile.Timezone)}
	if page.Waiting, err = p.Waiting(r.Context(), v.Account); err != nil {
		return err
	}
	page.Section = "granted"
	if r.URL.Query().Get("done") == "revoked" {
		page.Notice = "The access is revoked."
	}
	open := r.URL.Query().Get("open")
	page.Search = strings.TrimSpace(r.URL.Query().Get("q"))
	for _, g := range grants {
		row := views.Grant{
			ID: g.ID, Developer: g.Developer, App: g.App, Scopes: strings.Join(scopeTitles(g.Scopes), ", "),
			Status: string(g.Status), ApprovedAt: g.ApprovedAt, RevokedAt: g.RevokedAt, ReadAt: g.ReadAt, Current: g.ID == open,
		}
		if row.Current {
			page.Open, page.Close = &row, grantedAddress(page.Search)
		}
		if mentions(page.Search, row.App, row.Developer, row.Scopes, row.Status, row.ID) {
			page.Grants = append(page.Grants, row)
		}
	}
	if open != "" && page.Open == nil {
		return errNoGrant
	}
	return p.views.Render(w, http.StatusOK, page)
}

// grantedAddress is that of the page with a search.
func grantedAddress(search string) string {
	if search == "" {
		return "/console/granted"
	}
	return "/console/granted?" + url.Values{"q": {search}}.Encode()
}

// mentions reports whether one of the texts has the searched one, whatever the case.
func mentions(searched string, texts ...string) bool {
	return slices.ContainsFunc(texts, func(text string) bool {
		return strings.Contains(strings.ToLower(text), strings.ToLower(searched))
	})
}

// Waiting returns the requests that wait for an account's answer, newest first.
func (p *Pages) Waiting(ctx context.Context, a db.Account) (rows []views.Waiting, err error) {
	all, err := p.service.Waiting(ctx, a)
	for _, c := range all {
		row := views.Waiting{
			Who: cmp.Or(c.App.Name, c.Developer.Name), Asks: "asks for access to your data",
			Link: c.path(""), ExpiresAt: c.ExpiresAt, Zone: zone.Of(a.Profile.Timezone),
		}
		if c.App.Name != "" {
			row.Developer = c.Developer.Name
		}
		rows = append(rows, row)
	}
	return rows, err
}

// RevokeGrant handles POST /console/granted/revoke.
func (p *Pages) RevokeGrant(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if err := p.service.RevokeGrant(r.Context(), v.Account.ID, form.Value("id")); err != nil {
		return err
	}
	return w.Redirect("/console/granted?done=revoked")
}

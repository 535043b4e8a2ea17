package connection

import (
	"net/http"
	"strings"

	"svc/db"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const askedRows = 50

// ShowConnections handles GET /console/connections: what the account's keys have asked
// merchants for. The query has `email` of a merchant, `before` an id, and `open` one.
func (p *Pages) ShowConnections(w *web.Response, r *http.Request, v session.Visitor) error {
	query := r.URL.Query()
	email := strings.TrimSpace(query.Get("email"))
	rows, err := p.service.Asked(r.Context(), v.Account.ID, query.Get("before"), email, askedRows+1)
	if err != nil {
		return err
	}
	page := views.Connections{Frame: v.Frame("Connections"), Zone: zone.Of(v.Account.Profile.Timezone), Email: email, Close: connectionsAddress(email, "before", query.Get("before"))}
	page.Section = "connections"
	if len(rows) > askedRows {
		rows = rows[:askedRows]
		page.Pager.Older = connectionsAddress(email, "before", rows[askedRows-1].ID)
	}
	if query.Get("before") != "" {
		page.Pager.Newest = connectionsAddress(email, "", "")
	}
	if id := query.Get("open"); id != "" {
		one, err := p.service.AskedOne(r.Context(), v.Account.ID, id)
		if err != nil {
			return err
		}
		open := askedRow(one, email)
		page.Open = &open
	}
	for _, one := range rows {
		row := askedRow(one, email)
		row.Current = page.Open != nil && page.Open.ID == row.ID
		page.Rows = append(page.Rows, row)
	}
	return p.views.Render(w, http.StatusOK, page)
}

// connectionsAddress is that of the page with a search and one more value.
func connectionsAddress(email, name, value string) string {
	return web.Address("/console/connections", "email", email, name, value)
}

func askedRow(a Asked, email string) views.Asked {
	row := views.Asked{
		ID: a.ID, Merchant: a.MerchantEmail, Status: string(a.Status), Key: a.Key, KeyLink: web.Address("/console/keys", "open", a.KeyID), Detail: connectionsAddress(email, "open", a.ID),
		Requested: strings.Join(a.Requested, ", "), MerchantID: a.MerchantID, CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt,
		ApprovedAt: a.ApprovedAt, DeclinedAt: a.DeclinedAt, RevokedAt: a.RevokedAt, ReadAt: a.ReadAt,
	}
	if a.Status == db.ConnectionApproved || a.Status == db.ConnectionRevoked {
		row.Granted = strings.Join(a.Scopes, ", ")
	}
	return row
}

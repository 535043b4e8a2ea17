package insight

import (
	"net/http"

	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ShowBrief handles GET /console/brief: what GET /brief answers, for people, made anew if the
// shop's data have changed it since.
func (p *Pages) ShowBrief(w *web.Response, r *http.Request, v session.Visitor) error {
	b, err := p.morning(r.Context(), v.Account)
	if err != nil {
		return err
	}
	page := views.Brief{
		Frame: v.Frame("Brief"), Day: parseDay(b.Period).Format("Monday 2 January"), Headline: b.Headline, Actions: b.Actions,
		MadeAt: b.GeneratedAt, Stored: b.Stored, Changed: b.Changed, Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "overview"
	for _, s := range b.Sections {
		page.Sections = append(page.Sections, views.BriefSection{Title: s.Title, Text: s.Text})
	}
	return p.views.Render(w, http.StatusOK, page)
}

package insight

import (
	"net/http"
	"strings"

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
	told, err := p.tell(r.Context(), v.Account)
	if err != nil {
		return err
	}
	h, err := p.service.health(r.Context(), v.Account, told.sells)
	if err != nil {
		return err
	}
	page := views.Brief{
		Frame: v.Frame("Brief"), Day: parseDay(b.Period).Format("Monday 2 January"), Headline: b.Headline,
		Actions: actionsOf(b.Actions, h.Drivers),
		MadeAt:  b.GeneratedAt, Stored: b.Stored, Changed: b.Changed, Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "overview"
	for _, s := range b.Sections {
		page.Sections = append(page.Sections, views.BriefSection{Title: s.Title, Text: s.Text})
	}
	return p.views.Render(w, http.StatusOK, page)
}

// actionsOf returns the actions of a brief, each with where it is done if its alert is still
// open.
func actionsOf(texts []string, open []Alert) (all []views.BriefAction) {
	for _, text := range texts {
		var action views.BriefAction
		if verb, reason, ok := strings.Cut(text, ": "); ok {
			action.Title, action.Text = verb, reason
		} else {
			action.Text = text
		}
		for _, a := range open {
			if actionOf(a) == text {
				action.Link, action.LinkText = wayOf(a)
			}
		}
		all = append(all, action)
	}
	return all
}

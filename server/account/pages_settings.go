package account

import (
	"errors"
	"net/http"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ShowSettings handles GET /console/settings.
func (p *ConsolePages) ShowSettings(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.settingsPage(w, r, v, nil)
}

func (p *ConsolePages) settingsPage(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	sessions, err := p.service.Sessions(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page := views.Settings{Frame: frame(r, v, "Settings", "settings"), Email: v.Account.Email, Zone: zone.Of(v.Account.Profile.Timezone)}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, views.Session{
			ID: s.ID, Address: s.Address, Browser: s.Browser, CreatedAt: s.CreatedAt, SeenAt: s.SeenAt,
			Current: s.ID == v.SessionID,
		})
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// settingsDone answers a form of the settings.
func (p *ConsolePages) settingsDone(w *web.Response, r *http.Request, v session.Visitor, err error, done string) error {
	return redirect(w, err, "/console/settings?done="+done, func(problem *fault.Error) error {
		return p.settingsPage(w, r, v, problem)
	})
}

// ChangePassword handles POST /console/settings/password.
func (p *ConsolePages) ChangePassword(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.ChangePassword(r.Context(), v.Account, v.SessionID, form.Value("current"), form.Value("password"), w.Address)
	return p.settingsDone(w, r, v, err, "password")
}

// EndSession handles POST /console/settings/end.
func (p *ConsolePages) EndSession(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.EndSession(r.Context(), v.Account.ID, form.Value("id"))
	if errors.Is(err, db.ErrNotFound) {
		err = nil // it has ended already
	}
	return p.settingsDone(w, r, v, err, "ended")
}

// EndOthers handles POST /console/settings/end-others.
func (p *ConsolePages) EndOthers(w *web.Response, r *http.Request, v session.Visitor) error {
	err := p.service.EndOtherSessions(r.Context(), v.Account.ID, v.SessionID)
	return p.settingsDone(w, r, v, err, "others")
}

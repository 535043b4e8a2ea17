package account

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const appsPath = "/console/apps"

// LogoUpload bounds the form of an app, in bytes. It leaves room for a file over maxLogo,
// which the field then refuses.
const LogoUpload = 2 * maxLogo

// AppPages are the pages of an account's apps.
type AppPages struct {
	service *Service
	views   *views.Set
}

// NewAppPages returns the pages of a service.
func NewAppPages(service *Service, set *views.Set) *AppPages { return &AppPages{service, set} }

// appsShown is what the page shows beside the list.
type appsShown struct {
	open    string  // id of an app
	form    bool    // of a new app
	name    *string // as it was typed; nil: as it is stored
	problem *fault.Error
}

// Show handles GET /console/apps.
func (p *AppPages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	return p.show(w, r, v, appsShown{open: q.Get("open"), form: q.Has("new")})
}

func (p *AppPages) show(w *web.Response, r *http.Request, v session.Visitor, extra appsShown) error {
	apps, err := p.service.Apps(r.Context(), v.Account.Email)
	if err != nil {
		return err
	}
	keys, err := p.service.Keys(r.Context(), v.Account.Email)
	if err != nil {
		return err
	}
	page := views.Apps{Frame: v.Frame("Apps"), Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "apps"
	for _, a := range slices.Backward(apps) {
		row := appRow(a, keys)
		row.Current = a.ID == extra.open
		page.Rows = append(page.Rows, row)
		if row.Current {
			page.Open = p.detail(v, row, keys)
			if r.URL.Query().Get("done") == "saved" {
				page.Notice = "App “" + a.Name + "” is saved."
			}
		}
	}
	switch {
	case extra.form:
		page.New = &views.AppForm{}
		if extra.name != nil {
			page.New.Name = *extra.name
		}
	case extra.open != "" && page.Open == nil:
		return &fault.Error{Code: fault.NotFound, Message: "there is no such app"}
	case page.Open != nil && extra.name != nil:
		page.Open.Form.Name = *extra.name
	}
	status, sentence, field := views.Report(w, extra.problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

func appRow(a db.App, keys []db.Key) views.AppRow {
	row := views.AppRow{ID: a.ID, Name: a.Name, CreatedAt: a.CreatedAt, Link: appsPath + "?open=" + url.QueryEscape(a.ID)}
	if a.Logo != nil {
		row.Logo = previewPath(a.ID) + "/logo"
	}
	for _, k := range keys {
		if k.AppID == a.ID {
			row.Keys++
		}
	}
	return row
}

// previewPath is where package connection shows the consent page of an app to its owner.
func previewPath(appID string) string { return "/connect/" + url.PathEscape(appID) }

func (p *AppPages) detail(v session.Visitor, row views.AppRow, keys []db.Key) *views.AppDetail {
	d := &views.AppDetail{AppRow: row, Form: views.AppForm{Name: row.Name}, Developer: v.Account.Name, Preview: previewPath(row.ID)}
	for _, k := range keys {
		if k.AppID == row.ID {
			d.KeyRows = append(d.KeyRows, keyRow(KeyState{Key: k}, p.service.Clock(), keysPath+"?open="+url.QueryEscape(k.ID)))
		}
	}
	return d
}

// Create handles POST /console/apps.
func (p *AppPages) Create(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	name := form.Value("app-name")
	made, err := p.service.CreateApp(r.Context(), NewApp{Account: v.Account.Email, Name: name, Logo: logoOf(form)})
	return redirect(w, inForm(err), appsPath+"?open="+url.QueryEscape(made.ID), func(problem *fault.Error) error {
		return p.show(w, r, v, appsShown{form: true, name: &name, problem: problem})
	})
}

// Edit handles POST /console/apps/edit.
func (p *AppPages) Edit(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, name := form.Value("id"), form.Value("app-name")
	err := p.service.EditApp(r.Context(), v.Account.ID, id, AppChange{Name: name, Logo: logoOf(form), Drop: form.Value("drop") != ""})
	if problem := web.UserError(err); problem != nil && problem.Code == fault.NotFound {
		return err
	}
	next := appsPath + "?" + url.Values{"open": {id}, "done": {"saved"}}.Encode()
	return redirect(w, inForm(err), next, func(problem *fault.Error) error {
		return p.show(w, r, v, appsShown{open: id, name: &name, problem: problem})
	})
}

// logoOf returns the file of a form, nil if none was chosen.
func logoOf(form web.Form) []byte {
	file, ok := form.File("logo")
	if !ok {
		return nil
	}
	return file.Body
}

// inForm names the field of an app's name as the form does.
func inForm(err error) error {
	if problem := web.UserError(err); problem != nil && problem.Field == "name" {
		message := problem.Message
		if errors.Is(err, db.ErrConflict) {
			message = "is that of another app of yours"
		}
		return &fault.Error{Code: problem.Code, Field: "app-name", Message: message, Err: err}
	}
	return err
}

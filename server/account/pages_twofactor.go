package account

import (
	"errors"
	"html/template"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/totp"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	twoFactorPath = "/console/settings/two-factor"
	// issuer names the server in the list of an app.
	issuer = "svc"
	// secretGroup is how many characters of a secret stand together.
	secretGroup = 4
)

// twoFactorShown is what the page shows beside the state.
type twoFactorShown struct {
	setup   *views.TwoFactorSetup
	codes   []db.RecoveryCode
	renewed bool   // the codes take the place of others
	form    string // that the problem is about
	problem *fault.Error
}

// ShowTwoFactor handles GET /console/settings/two-factor.
func (p *ConsolePages) ShowTwoFactor(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.twoFactorPage(w, r, v, twoFactorShown{})
}

func (p *ConsolePages) twoFactorPage(w *web.Response, r *http.Request, v session.Visitor, extra twoFactorShown) error {
	state, err := p.service.TwoFactor(r.Context(), v.Person.ID)
	if err != nil {
		return err
	}
	page := views.TwoFactor{
		Frame: frame(r, v, "Two-factor sign-in", "settings"), Email: v.Person.Email,
		On: state.On, Since: state.Since, Left: int64(state.Codes), Zone: zone.Of(v.Account.Profile.Timezone),
		Ticket: v.Ticket(p.service.NewTwoFactorID()), Setup: extra.setup, Renewed: extra.renewed, Form: extra.form,
	}
	for _, c := range extra.codes {
		page.Codes = append(page.Codes, showRecoveryCode(c))
	}
	status, sentence, field := views.Report(w, extra.problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// twoFactorAgain shows the page with the problem of a form.
func (p *ConsolePages) twoFactorAgain(w *web.Response, r *http.Request, v session.Visitor, form string, setup *views.TwoFactorSetup, err error) error {
	problem := web.UserError(err)
	if problem == nil {
		return err
	}
	return p.twoFactorPage(w, r, v, twoFactorShown{form: form, setup: setup, problem: problem})
}

// BeginTwoFactor handles POST /console/settings/two-factor/begin. The answer has the secret.
func (p *ConsolePages) BeginTwoFactor(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, err := v.TicketID(form.Value("ticket"))
	if err != nil {
		return p.twoFactorAgain(w, r, v, "begin", nil, err)
	}
	from := Caller{Address: w.Address, Browser: v.Browser}
	secret, err := p.service.BeginTwoFactor(r.Context(), v.Person, id, form.Value("current"), from)
	if err != nil {
		return p.twoFactorAgain(w, r, v, "begin", nil, err)
	}
	return p.twoFactorPage(w, r, v, twoFactorShown{setup: setupOf(v, id, secret)})
}

// setupOf shows a secret to its owner, in three ways. What cannot be drawn is left out.
func setupOf(v session.Visitor, id string, secret totp.Secret) *views.TwoFactorSetup {
	address := secret.Address(issuer, v.Person.Email)
	code, _ := totp.Draw(address)
	text := secret.String()
	var groups []string
	for text != "" {
		n := min(secretGroup, len(text))
		groups, text = append(groups, text[:n]), text[n:]
	}
	return &views.TwoFactorSetup{
		Ticket: v.Ticket(id), Secret: strings.Join(groups, " "), Address: template.URL(address), Path: code.Path, Box: code.Box(),
	}
}

// errBegunAgo refuses a code for a secret that is not waited for any more.
var errBegunAgo = &fault.Error{Code: fault.Conflict, Message: "this was begun anew since, or more than half an hour ago; remove it from your app and begin again"}

// ConfirmTwoFactor handles POST /console/settings/two-factor/confirm. The answer has the
// recovery codes. The same form, sent again, shows none.
func (p *ConsolePages) ConfirmTwoFactor(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, err := v.TicketID(form.Value("ticket"))
	if err != nil {
		return p.twoFactorAgain(w, r, v, "begin", nil, err)
	}
	codes, err := p.service.ConfirmTwoFactor(r.Context(), v.Person, id, form.Value("code"))
	if err == nil {
		return p.twoFactorPage(w, r, v, twoFactorShown{codes: codes})
	}
	if errors.Is(err, db.ErrNotFound) {
		err = errBegunAgo
	}
	var setup *views.TwoFactorSetup
	if errors.Is(err, errUnconfirmed) {
		secret, readErr := p.service.BegunTwoFactor(r.Context(), v.Person, id)
		if readErr != nil {
			return readErr
		}
		setup = setupOf(v, id, secret)
	}
	return p.twoFactorAgain(w, r, v, "confirm", setup, err)
}

// RenewRecoveryCodes handles POST /console/settings/two-factor/codes. A code works once, so
// the same form, sent again, makes no other codes.
func (p *ConsolePages) RenewRecoveryCodes(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	codes, err := p.service.RenewRecoveryCodes(r.Context(), v.Person, form.Value("code"), Caller{Address: w.Address, Browser: v.Browser})
	if err != nil {
		return p.twoFactorAgain(w, r, v, "codes", nil, err)
	}
	return p.twoFactorPage(w, r, v, twoFactorShown{codes: codes, renewed: true})
}

// EndTwoFactor handles POST /console/settings/two-factor/off.
func (p *ConsolePages) EndTwoFactor(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	from := Caller{Address: w.Address, Browser: v.Browser}
	err := p.service.EndTwoFactor(r.Context(), v.Person, form.Value("current"), form.Value("code"), from)
	if err != nil {
		return p.twoFactorAgain(w, r, v, "off", nil, err)
	}
	return w.Redirect(twoFactorPath + "?done=two-factor-off")
}

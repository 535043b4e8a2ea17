package account

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ShowRecover handles GET /recover.
func (p *EntryPages) ShowRecover(w *web.Response, _ *http.Request, v session.Visitor) error {
	return p.askEmailPage(w, v, views.AskEmail{Recover: true}, nil)
}

// Recover handles POST /recover. Its answer is the same whether there is an account or not.
func (p *EntryPages) Recover(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	email := form.Value("email")
	err := v.CheckEntry(form)
	if err == nil {
		err = p.service.SendReset(r.Context(), email, w.Address)
	}
	if problem := web.UserError(err); problem != nil {
		return p.askEmailPage(w, v, views.AskEmail{Recover: true, Email: email}, problem)
	}
	if err != nil {
		return err
	}
	page := views.Message{
		Frame: v.Frame("Look at your mail"),
		Text: []string{
			"If " + email + " has an account here, a mail is on its way with a link to choose a new password. The link works for 30 minutes.",
		},
		Link: "/signin", LinkText: "Back to sign in",
	}
	if page.Host.NoMail {
		page.Title = "Ask for the link"
		page.Text = []string{
			"This server sends no mail. Ask " + page.Host.People() + ".",
			"If " + email + " has an account here, they find a link on their page with which you choose a new password. The link works for 30 minutes.",
		}
	}
	return p.views.Render(w, http.StatusOK, page)
}

// ShowReset handles GET /reset/:token.
func (p *EntryPages) ShowReset(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.showReset(w, r, v, nil)
}

func (p *EntryPages) showReset(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	person, err := p.service.ResetPerson(r.Context(), token)
	if errors.Is(err, db.ErrNotFound) {
		return p.deadLinkPage(w, v)
	}
	if err != nil {
		return err
	}
	return p.resetPage(w, v, token, person, problem)
}

func (p *EntryPages) resetPage(w *web.Response, v session.Visitor, token db.Token, person db.Person, problem *fault.Error) error {
	page := views.Reset{Frame: v.EntryFrame("Choose a new password"), Token: string(token), Email: person.Email}
	status, sentence, _ := views.Report(w, problem)
	page.Problem = sentence
	return p.views.Render(w, status, page)
}

// deadLinkPage answers a one-time link that is wrong, used or too old.
func (p *EntryPages) deadLinkPage(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.NotFound, Message: "link is wrong or over"})
	page := views.Message{
		Frame: v.Frame("This link does not work"),
		Text:  []string{"It has been used, it is too old, or it is not complete."},
		Link:  "/recover", LinkText: "Ask for a new link",
	}
	if v.SignedIn() {
		page.Text = append(page.Text, "You are signed in, and can change your password in the settings. If you have forgotten it, sign out and ask for a new link.")
		page.Link, page.LinkText = "/console/settings", "Go to the settings"
	}
	return p.views.Render(w, http.StatusNotFound, page)
}

// Reset handles POST /reset/:token.
func (p *EntryPages) Reset(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if problem := web.UserError(v.CheckEntry(form)); problem != nil {
		return p.showReset(w, r, v, problem)
	}
	r = byLink(r)
	token, _ := db.ParseToken(w.Params.ByName("token"))
	person, err := p.service.ResetPassword(r.Context(), token, form.Value("password"), Caller{Address: w.Address, Browser: v.Browser})
	if errors.Is(err, db.ErrNotFound) {
		return p.deadLinkPage(w, v)
	}
	if problem := web.UserError(err); problem != nil {
		return p.resetPage(w, v, token, person, problem)
	}
	if err != nil {
		return err
	}
	return p.enter(w, r, person)
}

// byLink returns the request with [db.ActorLink] as its actor in the audit log (L11). The
// browser may be signed in to another account, which the link's account must not learn.
func byLink(r *http.Request) *http.Request {
	return r.WithContext(db.WithActor(r.Context(), db.ActorLink))
}

// enter signs the browser in, or asks for the code that this needs, and sends it to the console.
func (p *EntryPages) enter(w *web.Response, r *http.Request, person db.Person) error {
	asked, err := askCode(w, p.sessions.Start(w, r, person), afterSignIn)
	if asked || err != nil {
		return err
	}
	return w.Redirect(afterSignIn)
}

// ShowSetup handles GET /setup/:token (L2).
func (p *EntryPages) ShowSetup(w *web.Response, r *http.Request, v session.Visitor) error {
	currency := cmp.Or(money.OfLanguages(r.Header.Get("Accept-Language")), defaultProfile.Currency)
	return p.showSetup(w, r, v, views.Setup{Currencies: currencyOptions(currency), Timezone: defaultProfile.Timezone}, nil)
}

// showSetup shows the form as it was typed, if the link works.
func (p *EntryPages) showSetup(w *web.Response, r *http.Request, v session.Visitor, typed views.Setup, problem *fault.Error) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	has, err := p.service.HasSetup(r.Context(), token)
	if err != nil {
		return err
	}
	if !has {
		return p.deadSetupPage(w, r, v)
	}
	typed.Token = string(token)
	return p.setupPage(w, v, typed, problem)
}

func (p *EntryPages) setupPage(w *web.Response, v session.Visitor, page views.Setup, problem *fault.Error) error {
	wrong := page.Wrong
	page.Frame = v.EntryFrame("Set up this server")
	page.Wrong = wrong
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// deadSetupPage answers a setup link that is wrong, used or too old.
func (p *EntryPages) deadSetupPage(w *web.Response, r *http.Request, v session.Visitor) error {
	has, err := p.service.Any(r.Context())
	if err != nil {
		return err
	}
	message := views.Message{
		Frame: v.Frame("This link does not work"),
		Text:  []string{"A setup link works for 30 minutes. Start svc serve again for a fresh one, or use svc accounts create."},
	}
	if has {
		message.Text = []string{"This server is set up: its first account exists. A setup link works once."}
		message.Link, message.LinkText = "/signin", "Sign in"
	}
	w.Record(&fault.Error{Code: fault.NotFound, Message: "setup link is wrong or over"})
	return p.views.Render(w, http.StatusNotFound, message)
}

// Setup handles POST /setup/:token: it makes the operator's account and signs in.
func (p *EntryPages) Setup(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	req := NewAccount{
		Email: form.Value("email"), Name: form.Value("name"), Password: form.Value("password"),
		Currency: form.Value("currency"), Timezone: strings.TrimSpace(form.Value("timezone")),
	}
	typed := views.Setup{
		Token: string(token), Email: req.Email, Name: req.Name, Timezone: req.Timezone,
		Currencies: currencyOptions(cmp.Or(req.Currency, defaultProfile.Currency)),
	}
	if problem := web.UserError(v.CheckEntry(form)); problem != nil {
		return p.showSetup(w, r, v, typed, problem)
	}
	asked := []error{checkNamed(form), req.checkZone(form)}
	typed.Wrong = views.Wrong(append(req.problems(), asked...)...)
	if problem := web.UserError(errors.Join(asked...)); problem != nil {
		return p.showSetup(w, r, v, typed, problem)
	}
	a, err := p.service.Setup(r.Context(), token, req)
	if errors.Is(err, db.ErrNotFound) {
		return p.deadSetupPage(w, r, v)
	}
	if problem := web.UserError(err); problem != nil {
		return p.setupPage(w, v, typed, problem)
	}
	if err != nil {
		return err
	}
	return p.enter(w, r, a.Owner())
}

// problems returns what is wrong with each field that a form has.
func (req NewAccount) problems() []error {
	_, err := NewAccount{Currency: req.Currency}.profile()
	return []error{emailaddr.Check("email", req.Email), checkBusinessName(req.Name), checkPassword(req.Password), err}
}

// checkNamed fails if a form's field of the name of the business is left blank: its sender has seen
// it. Without the field the name is the part of the e-mail before the @.
func checkNamed(form web.Form) error {
	if len(form.All("name")) == 0 {
		return nil
	}
	name := form.Value("name")
	return checkName(&name)
}

// checkZone fails if a form's field of the time zone is left empty: its sender has seen it. A
// form without the field has the zone of defaultProfile.
func (req NewAccount) checkZone(form web.Form) error {
	if len(form.All("timezone")) == 0 {
		return nil
	}
	_, err := zone.Find("timezone", req.Timezone)
	return err
}

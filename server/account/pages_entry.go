package account

import (
	"net/http"

	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// EntryPages are the pages for signing in and up, for a forgotten password, and for the
// first account of an empty server.
type EntryPages struct {
	service    *Service
	views      *views.Set
	sessions   *session.Sessions
	signupOpen bool
}

// NewEntryPages returns the pages of a service. signupOpen: anybody may make an account.
func NewEntryPages(service *Service, set *views.Set, sessions *session.Sessions, signupOpen bool) *EntryPages {
	return &EntryPages{service: service, views: set, sessions: sessions, signupOpen: signupOpen}
}

const afterSignIn = "/console"

// entryNotices are what the page for signing in says after a redirect.
var entryNotices = map[string]string{
	"out":  "You are signed out.",
	"late": "That took too long, or was done already. Sign in again.",
}

// ShowSignIn handles GET /signin.
func (p *EntryPages) ShowSignIn(w *web.Response, r *http.Request, v session.Visitor) error {
	next := session.LocalPath(r.URL.Query().Get("next"), afterSignIn)
	if v.SignedIn() {
		return w.Redirect(next)
	}
	frame := v.EntryFrame("Sign in")
	frame.Notice = entryNotices[r.URL.Query().Get("done")]
	return p.signInPage(w, frame, views.SignInForm{Next: next}, nil)
}

func (p *EntryPages) signInPage(w *web.Response, frame views.Frame, form views.SignInForm, problem *fault.Error) error {
	status, sentence, _ := views.Report(w, problem)
	form.Action, form.Problem, form.CSRFToken = "/signin", sentence, frame.CSRFToken
	return p.views.Render(w, status, views.SignIn{Frame: frame, Form: form, SignupOpen: p.signupOpen})
}

// SignIn handles POST /signin.
func (p *EntryPages) SignIn(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	next := session.LocalPath(form.Value("next"), afterSignIn)
	asked, err := askCode(w, p.SignInHere(w, r, v, form), next)
	if asked {
		return err
	}
	return redirect(w, err, next, func(problem *fault.Error) error {
		return p.signInPage(w, v.EntryFrame("Sign in"), views.SignInForm{Next: next, Email: form.Value("email")}, problem)
	})
}

// SignInHere signs the browser in with the form's `email` and `password`; the consent
// page has the same form. A session.ErrCodeNeeded: the browser is to go on at
// session.CodeAddress.
func (p *EntryPages) SignInHere(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if err := v.CheckEntry(form); err != nil {
		return err
	}
	from := Caller{Address: w.Address, Browser: v.Browser}
	person, err := p.service.SignIn(r.Context(), form.Value("email"), form.Value("password"), from)
	if err != nil {
		return err
	}
	return p.sessions.Start(w, r, person)
}

// SignOut handles POST /signout.
func (p *EntryPages) SignOut(w *web.Response, r *http.Request, _ session.Visitor, form web.Form) error {
	if err := p.sessions.End(w, r); err != nil {
		return err
	}
	return w.Redirect(session.LocalPath(form.Value("next"), "/signin?done=out"))
}

// ShowSignUp handles GET /signup.
func (p *EntryPages) ShowSignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	if !p.signupOpen {
		return p.signupClosed(w, v)
	}
	next := session.LocalPath(r.URL.Query().Get("next"), afterSignIn)
	return p.askEmailPage(w, v, views.AskEmail{Next: next}, nil)
}

func (p *EntryPages) signupClosed(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.Forbidden, Message: "sign-up is closed"})
	return p.views.Render(w, http.StatusForbidden, views.Message{
		Frame: v.Frame("Sign-up is closed"),
		Text: []string{
			"This server makes no accounts by itself. Ask the people who run it for one.",
			"If you came because an app asks for your inventory, use the link that you were sent: there you can make an account.",
		},
		Link: "/signin", LinkText: "Sign in",
	})
}

// SignUp handles POST /signup: it mails a code and asks for it.
func (p *EntryPages) SignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.withSignUp(w, r, v, func(form web.Form, email, next string) error {
		err := p.SendCodeHere(w, r, v, form, email, "make an account")
		if problem := web.UserError(err); problem != nil {
			return p.askEmailPage(w, v, views.AskEmail{Next: next, Email: email}, problem)
		}
		if err != nil {
			return err
		}
		return p.codePage(w, v, views.NewAccountForm{Next: next, Email: email}, nil)
	})
}

// withSignUp calls do with the form, its e-mail and the address to go to after, if
// sign-up is open.
func (p *EntryPages) withSignUp(w *web.Response, r *http.Request, v session.Visitor, do func(form web.Form, email, next string) error) error {
	if !p.signupOpen {
		return p.signupClosed(w, v)
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	return do(form, form.Value("email"), session.LocalPath(form.Value("next"), afterSignIn))
}

// SendCodeHere mails a code with which an account can be made; forWhat is its purpose.
func (p *EntryPages) SendCodeHere(w *web.Response, r *http.Request, v session.Visitor, form web.Form, email, forWhat string) error {
	if err := v.CheckEntry(form); err != nil {
		return err
	}
	return p.service.SendCode(r.Context(), email, forWhat, w.Address)
}

func (p *EntryPages) askEmailPage(w *web.Response, v session.Visitor, page views.AskEmail, problem *fault.Error) error {
	title := "Make an account"
	if page.Recover {
		title = "Forgotten password"
	}
	page.Frame = v.EntryFrame(title)
	status, sentence, _ := views.Report(w, problem)
	page.Problem = sentence
	return p.views.Render(w, status, page)
}

func (p *EntryPages) codePage(w *web.Response, v session.Visitor, form views.NewAccountForm, problem *fault.Error) error {
	status, sentence, field := views.Report(w, problem)
	frame := v.EntryFrame("Make an account")
	form.Action, form.Problem, form.Field, form.CSRFToken = "/signup/code", sentence, field, frame.CSRFToken
	return p.views.Render(w, status, views.EnterCode{Frame: frame, Form: form})
}

// FinishSignUp handles POST /signup/code.
func (p *EntryPages) FinishSignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.withSignUp(w, r, v, func(form web.Form, email, next string) error {
		err := p.SignUpHere(w, r, v, email, form)
		return redirect(w, err, next, func(problem *fault.Error) error {
			again := views.NewAccountForm{Next: next, Email: email, Code: form.Value("code"), Name: form.Value("name")}
			again.Wrong = views.Wrong(checkNamed(form), checkPassword(form.Value("password")))
			return p.codePage(w, v, again, problem)
		})
	})
}

// SignUpHere makes an account of the e-mail with the form's `code`, `name` and `password`,
// and signs the browser in.
func (p *EntryPages) SignUpHere(w *web.Response, r *http.Request, v session.Visitor, email string, form web.Form) error {
	if err := v.CheckEntry(form); err != nil {
		return err
	}
	if err := checkNamed(form); err != nil {
		return err
	}
	r = byLink(r)
	a, err := p.service.SignUp(r.Context(), SignUp{
		Email: email, Code: form.Value("code"), Name: form.Value("name"), Password: form.Value("password"),
	})
	if err != nil {
		return err
	}
	return p.sessions.Start(w, r, a.Owner())
}

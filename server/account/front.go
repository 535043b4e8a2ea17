package account

import (
	"errors"
	"net/http"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Front are the pages by which people come in: sign-in, sign-up, a forgotten
// password, and the first account of an empty server.
type Front struct {
	Service    *Service
	Pages      *views.Set
	Sessions   *session.Sessions
	SignupOpen bool
}

const afterSignIn = "/console"

// ShowSignIn is GET /signin.
func (f *Front) ShowSignIn(w *web.Response, r *http.Request, v session.Visitor) error {
	next := session.LocalPath(r.URL.Query().Get("next"), afterSignIn)
	if v.SignedIn() {
		return w.Redirect(next)
	}
	return f.signInPage(w, http.StatusOK, v, views.SignInForm{Next: next})
}

func (f *Front) signInPage(w *web.Response, status int, v session.Visitor, form views.SignInForm) error {
	form.Action = "/signin"
	return f.Pages.Render(w, status, views.SignIn{Frame: v.Frame("Sign in"), Form: form, SignupOpen: f.SignupOpen})
}

// SignIn is POST /signin.
func (f *Front) SignIn(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	next := session.LocalPath(form.Value("next"), afterSignIn)
	err = f.SignInHere(w, r, form)
	if e := web.UserError(err); e != nil {
		w.Record(e)
		return f.signInPage(w, web.Status(e), v, views.SignInForm{Next: next, Email: form.Value("email"), Problem: views.Sentence(e)})
	}
	if err != nil {
		return err
	}
	return w.Redirect(next)
}

// SignInHere signs the browser in with the fields `email` and `password`; the
// consent page has the same form.
func (f *Front) SignInHere(w *web.Response, r *http.Request, form web.Form) error {
	a, err := f.Service.SignIn(r.Context(), form.Value("email"), form.Value("password"), w.Address)
	if err != nil {
		return err
	}
	return f.Sessions.Start(w, r, a)
}

// SignOut is POST /signout.
func (f *Front) SignOut(w *web.Response, r *http.Request, _ session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	if err := f.Sessions.End(r.Context(), w, r); err != nil {
		return err
	}
	return w.Redirect(session.LocalPath(form.Value("next"), "/signin"))
}

// ShowSignUp is GET /signup.
func (f *Front) ShowSignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	if !f.SignupOpen {
		return f.signupClosed(w, v)
	}
	next := session.LocalPath(r.URL.Query().Get("next"), afterSignIn)
	return f.Pages.Render(w, http.StatusOK, views.AskEmail{Frame: v.Frame("Make an account"), Next: next})
}

func (f *Front) signupClosed(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.Forbidden, Message: "sign-up is closed"})
	return f.Pages.Render(w, http.StatusForbidden, views.Message{
		Frame: v.Frame("Sign-up is closed"),
		Text: []string{
			"This server makes no accounts by itself. Ask the people who run it for one.",
			"If you came because an app asks for your inventory, use the link that you were sent: there you can make an account.",
		},
		Link: "/signin", LinkText: "Sign in",
	})
}

// SignUp is POST /signup: it mails a code and asks for it.
func (f *Front) SignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	if !f.SignupOpen {
		return f.signupClosed(w, v)
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	email, next := form.Value("email"), session.LocalPath(form.Value("next"), afterSignIn)
	err = f.SendCodeHere(w, r, email, "make an account")
	if e := web.UserError(err); e != nil {
		w.Record(e)
		frame := v.Frame("Make an account")
		frame.Problem = views.Sentence(e)
		return f.Pages.Render(w, web.Status(e), views.AskEmail{Frame: frame, Next: next, Email: email})
	}
	if err != nil {
		return err
	}
	return f.codePage(w, http.StatusOK, v, views.NewAccountForm{Next: next, Email: email})
}

// SendCodeHere mails a code with which an account can be made; forWhat is its purpose.
func (f *Front) SendCodeHere(w *web.Response, r *http.Request, email, forWhat string) error {
	return f.Service.SendCode(r.Context(), email, forWhat, w.Address)
}

func (f *Front) codePage(w *web.Response, status int, v session.Visitor, form views.NewAccountForm) error {
	form.Action = "/signup/code"
	return f.Pages.Render(w, status, views.EnterCode{Frame: v.Frame("Make an account"), Form: form})
}

// FinishSignUp is POST /signup/code.
func (f *Front) FinishSignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	if !f.SignupOpen {
		return f.signupClosed(w, v)
	}
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	email, next := form.Value("email"), session.LocalPath(form.Value("next"), afterSignIn)
	err = f.SignUpHere(w, r, email, form)
	if e := web.UserError(err); e != nil {
		w.Record(e)
		return f.codePage(w, web.Status(e), v, views.NewAccountForm{
			Next: next, Email: email, Name: form.Value("name"), Problem: views.Sentence(e), Field: e.Field,
		})
	}
	if err != nil {
		return err
	}
	return w.Redirect(next)
}

// SignUpHere makes an account of the e-mail with the fields `code`, `name` and
// `password`, and signs the browser in.
func (f *Front) SignUpHere(w *web.Response, r *http.Request, email string, form web.Form) error {
	a, err := f.Service.SignUp(r.Context(), SignUp{
		Email: email, Code: form.Value("code"), Name: form.Value("name"), Password: form.Value("password"),
	})
	if err != nil {
		return err
	}
	return f.Sessions.Start(w, r, a)
}

// ShowRecover is GET /recover.
func (f *Front) ShowRecover(w *web.Response, r *http.Request, v session.Visitor) error {
	return f.Pages.Render(w, http.StatusOK, views.AskEmail{Frame: v.Frame("Forgotten password"), Recover: true})
}

// Recover is POST /recover. Its answer is the same whether there is an account or not.
func (f *Front) Recover(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	email := form.Value("email")
	err = f.Service.SendReset(r.Context(), email, w.Address)
	if e := web.UserError(err); e != nil {
		w.Record(e)
		frame := v.Frame("Forgotten password")
		frame.Problem = views.Sentence(e)
		return f.Pages.Render(w, web.Status(e), views.AskEmail{Frame: frame, Recover: true, Email: email})
	}
	if err != nil {
		return err
	}
	return f.Pages.Render(w, http.StatusOK, views.Message{
		Frame: v.Frame("Look at your mail"),
		Text: []string{
			"If " + email + " has an account here, a mail is on its way with a link to choose a new password. The link works for 30 minutes.",
		},
	})
}

// ShowReset is GET /reset/:token.
func (f *Front) ShowReset(w *web.Response, r *http.Request, v session.Visitor) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	a, err := f.Service.ResetAccount(r.Context(), token)
	if errors.Is(err, db.ErrNotFound) {
		return f.linkOver(w, v)
	}
	if err != nil {
		return err
	}
	return f.Pages.Render(w, http.StatusOK, views.Reset{
		Frame: v.Frame("Choose a new password"), Token: string(token), Email: a.Email,
	})
}

// linkOver is a one-time link that is wrong, used or too old.
func (f *Front) linkOver(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.NotFound, Message: "link is wrong or over"})
	return f.Pages.Render(w, http.StatusNotFound, views.Message{
		Frame: v.Frame("This link does not work"),
		Text:  []string{"It has been used, it is older than 30 minutes, or it is not complete."},
		Link:  "/signin", LinkText: "Sign in",
	})
}

// Reset is POST /reset/:token.
func (f *Front) Reset(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	token, _ := db.ParseToken(w.Params.ByName("token"))
	a, err := f.Service.ResetPassword(r.Context(), token, form.Value("password"), w.Address)
	if errors.Is(err, db.ErrNotFound) {
		return f.linkOver(w, v)
	}
	if e := web.UserError(err); e != nil {
		w.Record(e)
		frame := v.Frame("Choose a new password")
		frame.Problem = views.Sentence(e)
		return f.Pages.Render(w, web.Status(e), views.Reset{Frame: frame, Token: string(token), Email: a.Email})
	}
	if err != nil {
		return err
	}
	if err := f.Sessions.Start(w, r, a); err != nil {
		return err
	}
	return w.Redirect(afterSignIn)
}

// ShowSetup is GET /setup/:token (L2).
func (f *Front) ShowSetup(w *web.Response, r *http.Request, v session.Visitor) error {
	token, _ := db.ParseToken(w.Params.ByName("token"))
	has, err := f.Service.HasSetup(r.Context(), token)
	if err != nil {
		return err
	}
	if !has {
		return f.setupOver(w, r, v)
	}
	return f.Pages.Render(w, http.StatusOK, views.Setup{Frame: v.Frame("Set up this server"), Token: string(token)})
}

func (f *Front) setupOver(w *web.Response, r *http.Request, v session.Visitor) error {
	has, err := f.Service.Any(r.Context())
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
	return f.Pages.Render(w, http.StatusNotFound, message)
}

// Setup is POST /setup/:token: it makes the operator's account and signs in.
func (f *Front) Setup(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	token, _ := db.ParseToken(w.Params.ByName("token"))
	a, err := f.Service.Setup(r.Context(), token, NewAccount{
		Email: form.Value("email"), Name: form.Value("name"), Password: form.Value("password"),
	})
	if errors.Is(err, db.ErrNotFound) {
		return f.setupOver(w, r, v)
	}
	if e := web.UserError(err); e != nil {
		w.Record(e)
		frame := v.Frame("Set up this server")
		frame.Problem = views.Sentence(e)
		return f.Pages.Render(w, web.Status(e), views.Setup{
			Frame: frame, Token: string(token), Email: form.Value("email"), Name: form.Value("name"), Field: e.Field,
		})
	}
	if err != nil {
		return err
	}
	if err := f.Sessions.Start(w, r, a); err != nil {
		return err
	}
	return w.Redirect(afterSignIn)
}

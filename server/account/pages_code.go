package account

import (
	"errors"
	"net/http"
	"net/url"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// ShowCode handles GET /signin/code: the second step of a sign-in.
func (p *EntryPages) ShowCode(w *web.Response, r *http.Request, v session.Visitor) error {
	next := session.LocalPath(r.URL.Query().Get("next"), afterSignIn)
	person, err := p.sessions.Begun(r)
	if errors.Is(err, db.ErrNotFound) {
		return p.withoutCode(w, v, next)
	}
	if err != nil {
		return err
	}
	return p.signInCodePage(w, v, views.SignInCode{Email: person.Email, Staff: person.Role == db.Staff, Next: next}, nil)
}

// withoutCode answers a browser that has nothing to complete: it is signed in already, or its
// second step was too late and the sign-in begins anew.
func (p *EntryPages) withoutCode(w *web.Response, v session.Visitor, next string) error {
	if v.SignedIn() {
		return w.Redirect(next)
	}
	return w.Redirect("/signin?done=late&next=" + url.QueryEscape(next))
}

func (p *EntryPages) signInCodePage(w *web.Response, v session.Visitor, page views.SignInCode, problem *fault.Error) error {
	page.Frame = v.EntryFrame("Enter your code")
	page.Frame.Account = nil // somebody else may be signed in until the code is right
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// Code handles POST /signin/code.
func (p *EntryPages) Code(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	next := session.LocalPath(form.Value("next"), afterSignIn)
	person, err := p.sessions.Begun(r)
	if err == nil {
		err = p.complete(w, r, v, person, form)
	}
	if errors.Is(err, db.ErrNotFound) {
		return p.withoutCode(w, v, next) // signed in: the form was sent twice
	}
	return redirect(w, err, next, func(problem *fault.Error) error {
		page := views.SignInCode{Email: person.Email, Staff: person.Role == db.Staff, Next: next, Recovery: form.Value("with") == "recovery"}
		return p.signInCodePage(w, v, page, problem)
	})
}

// complete signs the person in who has proved the password in this browser.
func (p *EntryPages) complete(w *web.Response, r *http.Request, v session.Visitor, person db.Person, form web.Form) error {
	if err := v.CheckEntry(form); err != nil {
		return err
	}
	r = r.WithContext(db.WithActor(r.Context(), person.ID))
	from := Caller{Address: w.Address, Browser: v.Browser}
	return p.service.WithCode(r.Context(), person, form.Value("code"), from, func(use func(*db.Tx) error) error {
		return p.sessions.Complete(w, r, person, use)
	})
}

// askCode turns the error of a session that needs a code into the page that asks for it and
// then leads to next.
func askCode(w *web.Response, err error, next string) (asked bool, redirected error) {
	if !errors.Is(err, session.ErrCodeNeeded) {
		return false, err
	}
	return true, w.Redirect(session.CodeAddress(next))
}

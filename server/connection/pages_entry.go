package connection

import (
	"cmp"
	"errors"
	"net/http"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Entry signs a merchant in or up on the consent page itself (D5), with the fields of its
// forms: `email` and `password`, or `code`, `name` and `password`.
type Entry interface {
	SignInHere(w *web.Response, r *http.Request, form web.Form) error
	SendCodeHere(w *web.Response, r *http.Request, email, forWhat string) error
	SignUpHere(w *web.Response, r *http.Request, email string, form web.Form) error
}

// SignIn handles POST /connect/:token/signin.
func (p *Pages) SignIn(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.enter(w, r, v, func(Consent) (again shown, done bool, err error) {
		err = p.entry.SignInHere(w, r, form)
		sentence, _ := problemOf(err)
		again.signIn = views.SignInForm{Email: form.Value("email"), Problem: sentence}
		return again, err == nil, err
	})
}

// SendCode handles POST /connect/:token/code: it mails a code to the addressee, even if
// somebody else asked for it (D5).
func (p *Pages) SendCode(w *web.Response, r *http.Request, v session.Visitor, _ web.Form) error {
	return p.enter(w, r, v, func(c Consent) (again shown, done bool, err error) {
		err = p.entry.SendCodeHere(w, r, c.MerchantEmail, "answer the request of "+cmp.Or(c.appName(), c.developer.Name))
		again.codeSent = true
		again.account.Problem, _ = problemOf(err)
		return again, false, err
	})
}

// SignUp handles POST /connect/:token/signup: it makes an account for the addressee. The
// code proves that the visitor reads the addressee's mail.
func (p *Pages) SignUp(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.enter(w, r, v, func(c Consent) (again shown, done bool, err error) {
		err = p.entry.SignUpHere(w, r, c.MerchantEmail, form)
		again.codeSent = true
		again.account.Name = form.Value("name")
		again.account.Problem, again.account.Field = problemOf(err)
		return again, err == nil, err
	})
}

func problemOf(err error) (sentence, field string) {
	var e *fault.Error
	if !errors.As(err, &e) {
		return "", ""
	}
	return views.Sentence(e), e.Field
}

// enter calls do if the visitor is to sign in first. When that is done, the request is
// shown anew, else once more with what do returned.
func (p *Pages) enter(w *web.Response, r *http.Request, v session.Visitor, do func(Consent) (again shown, done bool, err error)) error {
	c, err := p.consent(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return p.showUnknown(w, v)
	}
	if err != nil {
		return err
	}
	if c.stepFor(v.Account) != signIn {
		return w.Redirect(c.path(""))
	}

	again, done, err := do(c)
	if again.problem = web.UserError(err); err != nil && again.problem == nil {
		return err
	}
	if done {
		return w.Redirect(c.path(""))
	}
	return p.show(w, c, v, again)
}

package connection

import (
	"cmp"
	"errors"
	"net/http"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Entry signs a merchant in or up on the consent page itself (D5), with the fields of its
// forms: `email` and `password`, or `code`, `name` and `password`. SignInHere returns
// session.ErrCodeNeeded if the sign-in goes on at session.CodeAddress.
type Entry interface {
	SignInHere(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error
	SendCodeHere(w *web.Response, r *http.Request, v session.Visitor, form web.Form, email, forWhat string) error
	SignUpHere(w *web.Response, r *http.Request, v session.Visitor, email string, form web.Form) error
}

// SignIn handles POST /connect/:token/signin.
func (p *Pages) SignIn(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.enter(w, r, v, true, func(Consent) (shown, error) {
		return shown{signIn: views.SignInForm{Email: form.Value("email")}}, p.entry.SignInHere(w, r, v, form)
	})
}

// SendCode handles POST /connect/:token/code: it mails a code to the addressee, even if
// somebody else asked for it (D5).
func (p *Pages) SendCode(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.enter(w, r, v, false, func(c Consent) (shown, error) {
		forWhat := "answer the request of " + cmp.Or(c.AppName(), c.Developer.Name)
		err := p.entry.SendCodeHere(w, r, v, form, c.MerchantEmail, forWhat)
		refused := v.CheckEntry(form) != nil // then none was sent, now or before
		return shown{codeSent: !refused}, err
	})
}

// SignUp handles POST /connect/:token/signup: it makes an account for the addressee. The
// code proves that the visitor reads the addressee's mail.
func (p *Pages) SignUp(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.enter(w, r, v, true, func(c Consent) (shown, error) {
		again := shown{codeSent: true, account: views.NewAccountForm{Code: form.Value("code"), Name: form.Value("name")}}
		return again, p.entry.SignUpHere(w, r, v, c.MerchantEmail, form)
	})
}

// enter calls do if the visitor is to sign in or up. last: do is the last step, after which
// the request is shown anew. Else, and if do fails, the forms are shown as do returns them.
func (p *Pages) enter(w *web.Response, r *http.Request, v session.Visitor, last bool, do func(Consent) (shown, error)) error {
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

	again, err := do(c)
	if err == nil && last {
		return w.Redirect(c.path(""))
	}
	if errors.Is(err, session.ErrCodeNeeded) {
		return w.Redirect(session.CodeAddress(c.path("")))
	}
	if again.problem = web.UserError(err); err != nil && again.problem == nil {
		return err
	}
	again.inForm = true
	return p.show(w, c, v, again)
}

// showEntry renders the forms for signing in and up, with the problem beside its form.
func (p *Pages) showEntry(w *web.Response, c Consent, v session.Visitor, status int, extra shown) error {
	frame := v.EntryFrame("A request for access")
	masked := emailaddr.Mask(c.MerchantEmail)
	extra.signIn.Action, extra.signIn.CSRFToken = c.path("/signin"), frame.CSRFToken
	extra.account.Action, extra.account.Email, extra.account.Masked = c.path("/signup"), masked, true
	extra.account.CSRFToken = frame.CSRFToken
	switch e := extra.problem; {
	case e == nil:
	case !extra.inForm:
		frame.Problem = views.Sentence(e)
	default:
		if extra.codeSent {
			extra.account.Problem, extra.account.Field = views.Sentence(e), e.Field
		} else {
			extra.signIn.Problem = views.Sentence(e)
		}
	}
	return p.views.Render(w, status, views.ConnectSignIn{
		Frame: frame, Connection: c.view(masked, time.UTC), SignIn: extra.signIn,
		CodeSent: extra.codeSent, NewAccount: extra.account,
	})
}

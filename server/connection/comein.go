package connection

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/netip"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Accounts lets a merchant come in from the consent page itself; D5.
type Accounts interface {
	SendCode(ctx context.Context, email, forWhat string, from netip.Addr) error
	SignInHere(sessions *session.Sessions, w *web.Response, r *http.Request, form web.Form) error
	SignUpHere(sessions *session.Sessions, w *web.Response, r *http.Request, email string, form web.Form) error
}

// SignIn is POST /connect/:token/signin.
func (s *Service) SignIn(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.comeIn(w, r, v, func(_ request, form web.Form) (again shown, done bool, err error) {
		err = s.Accounts.SignInHere(s.Sessions, w, r, form)
		again.signIn = views.SignInForm{Email: form.Value("email"), Problem: sentence(err)}
		return again, err == nil, err
	})
}

// SendCode is POST /connect/:token/code: it mails a code to the addressee, whoever
// asked for it (D5).
func (s *Service) SendCode(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.comeIn(w, r, v, func(q request, _ web.Form) (again shown, done bool, err error) {
		err = s.Accounts.SendCode(r.Context(), q.MerchantEmail, "answer the request of "+cmp.Or(q.appName(), q.developer.Name), w.Address)
		again.codeSent, again.account.Problem = true, sentence(err)
		return again, false, err
	})
}

// SignUp is POST /connect/:token/signup: an account for the addressee, who proves
// with the code to have read the mail.
func (s *Service) SignUp(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.comeIn(w, r, v, func(q request, form web.Form) (again shown, done bool, err error) {
		err = s.Accounts.SignUpHere(s.Sessions, w, r, q.MerchantEmail, form)
		again.codeSent = true
		again.account = views.NewAccountForm{Name: form.Value("name"), Problem: sentence(err), Field: fieldOf(err)}
		return again, err == nil, err
	})
}

func sentence(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return ""
	}
	return views.Sentence(e)
}

func fieldOf(err error) string {
	var e *fault.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Field
}

// comeIn does one step of signing in or up, where that is what fits the request.
// Once the visitor is in, the request is shown anew; else as again says.
func (s *Service) comeIn(w *web.Response, r *http.Request, v session.Visitor, do func(request, web.Form) (again shown, done bool, err error)) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	q, err := s.read(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return s.unknown(w, v)
	}
	if err != nil {
		return err
	}
	if q.stepFor(v) != signIn {
		return w.Redirect("/connect/" + string(q.token))
	}

	again, done, err := do(q, form)
	if again.problem = web.UserError(err); err != nil && again.problem == nil {
		return err
	}
	if done {
		return w.Redirect("/connect/" + string(q.token))
	}
	return s.show(w, q, v, again)
}

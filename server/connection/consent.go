package connection

import (
	"errors"
	"net/http"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Show is GET /connect/:token. It changes nothing (D3).
func (s *Service) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q, err := s.read(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return s.unknown(w, v)
	}
	if err != nil {
		return err
	}
	return s.show(w, q, v, shown{})
}

// unknown is a link that is wrong: mistyped, cut off, of another kind.
func (s *Service) unknown(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.NotFound, Message: "no request with this link"})
	return s.Pages.Render(w, http.StatusNotFound, views.Message{
		Frame: v.Frame("This link does not work"),
		Text: []string{
			"There is no request for access behind it. Perhaps it was not copied to its end.",
			"Open it from the mail again, or ask whoever sent it for a new one.",
		},
	})
}

// shown is what a page shows beside the request itself.
type shown struct {
	problem  *fault.Error // of what was just tried
	signIn   views.SignInForm
	codeSent bool
	account  views.NewAccountForm
}

// show renders the page of the step that fits.
func (s *Service) show(w *web.Response, q request, v session.Visitor, extra shown) error {
	status, frame := http.StatusOK, v.Frame("")
	if extra.problem != nil {
		w.Record(extra.problem)
		status, frame.Problem = web.Status(extra.problem), views.Sentence(extra.problem)
	}
	switch q.stepFor(v) {
	case signIn:
		frame.Title = "A request for access"
		extra.signIn.Action = q.path("signin")
		extra.account.Action, extra.account.Email, extra.account.Masked = q.path("signup"), emailaddr.Mask(q.MerchantEmail), true
		if extra.signIn.Problem != "" || extra.account.Problem != "" {
			frame.Problem = "" // it stands by its form
		}
		return s.Pages.Render(w, status, views.ConnectSignIn{
			Frame: frame, Connection: q.page(emailaddr.Mask(q.MerchantEmail), time.UTC), SignIn: extra.signIn,
			CodeSent: extra.codeSent, NewAccount: extra.account,
		})
	case notTheVisitor:
		frame.Title = "This request is for somebody else"
		if extra.problem == nil {
			status = http.StatusForbidden
			w.Record(&fault.Error{Code: fault.Forbidden, Message: "signed in as somebody else"})
		}
		return s.Pages.Render(w, status, views.ConnectWrongAccount{Frame: frame, Connection: q.page(emailaddr.Mask(q.MerchantEmail), session.Zone(v.Account))})
	case decide:
		frame.Title = "A request for access"
		return s.Pages.Render(w, status, views.ConnectDecide{
			Frame: frame, Connection: q.page(q.MerchantEmail, session.Zone(v.Account)), Rows: rowsOf(q.items, v.Account.Profile.Currency),
		})
	case previewed:
		frame.Title = "Preview of a request for access"
		return s.Pages.Render(w, status, views.ConnectDecide{
			Frame: frame, Connection: q.page(q.MerchantEmail, time.UTC), Rows: rowsOf(sampleItems, "gbp"), Preview: true,
		})
	case manage:
		frame.Title = "Access that you have given"
		return s.Pages.Render(w, status, views.ConnectManage{
			Frame: frame, Connection: q.page(q.MerchantEmail, session.Zone(v.Account)), ApprovedAt: q.ApprovedAt,
		})
	}
	return s.showNothing(w, q, status, frame)
}

// showNothing says what a request has become that offers nothing any more.
func (s *Service) showNothing(w *web.Response, q request, status int, frame views.Frame) error {
	message := views.Message{Frame: frame}
	switch q.stepFor(session.Visitor{}) {
	case ended:
		message.Title = "This request has ended"
		message.Text = []string{"The developer's key that asked was disabled since. Nothing was shared, and nothing can be decided."}
	case existing:
		message.Title = "This connection exists already"
		message.Text = []string{
			"Another request of the same developer was approved. This one changes nothing.",
			"To see, narrow or revoke what is shared, open the link of the one that was approved, or your console.",
		}
		message.Link, message.LinkText = "/console/granted", "See what you share"
	default:
		s.sayFinal(q, &message)
		if status == http.StatusOK && q.StatusAt(q.now) == db.ConnectionExpired {
			status = http.StatusGone
			w.Record(&fault.Error{Code: fault.Gone, Message: "the link has expired"})
		}
	}
	return s.Pages.Render(w, status, message)
}

func (s *Service) sayFinal(q request, message *views.Message) {
	switch q.StatusAt(q.now) {
	case db.ConnectionDeclined:
		message.Title = "This request was declined"
		message.Text = []string{"Nothing is shared. If you have changed your mind, ask the developer for a new request."}
	case db.ConnectionRevoked:
		message.Title = "This access was revoked"
		message.Text = []string{"Nothing is shared any more, and this link cannot share it again."}
	default:
		message.Title = "This request has expired"
		message.Text = []string{"A link like this can be answered for seven days. Nothing was shared. Ask the developer for a new one."}
	}
}

func (q request) path(action string) string { return "/connect/" + string(q.token) + "/" + action }

// page is the request as every consent page shows it.
func (q request) page(to string, zone *time.Location) views.Connection {
	c := views.Connection{
		Token: string(q.token), App: q.app.Name, KeyLabel: q.key.Label, HasLogo: q.app.Logo != nil,
		Developer: q.developer.Name, To: to, ExpiresAt: q.ExpiresAt, Zone: zone,
	}
	for _, name := range q.Scopes {
		words := scopeWords[name]
		c.Scopes = append(c.Scopes, views.Scope{Name: name, Title: words.title, Details: words.details, Ticked: true})
	}
	return c
}

// Logo is GET /connect/:token/logo: that of the app that asks.
func (s *Service) Logo(w *web.Response, r *http.Request, v session.Visitor) error {
	q, err := s.read(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) || err == nil && q.app.Logo == nil {
		return &fault.Error{Code: fault.NotFound, Message: "no logo"}
	}
	if err != nil {
		return err
	}
	w.SetHeader("Content-Type", q.app.LogoType)
	w.SetHeader("X-Robots-Tag", "noindex")
	_, _ = w.Write(q.app.Logo) // a client that has gone is no fault of ours
	return nil
}

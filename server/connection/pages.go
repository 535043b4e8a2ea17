package connection

import (
	"context"
	"errors"
	"net/http"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// Pages are the consent page behind a request's link, and the page of what an account
// has granted.
type Pages struct {
	service *Service
	views   *views.Set
	entry   Entry
}

// NewPages returns the pages of a service.
func NewPages(service *Service, set *views.Set, entry Entry) *Pages {
	return &Pages{service: service, views: set, entry: entry}
}

// Show handles GET /connect/:token. It changes nothing (D3).
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	c, err := p.consent(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) {
		return p.showUnknown(w, v)
	}
	if err != nil {
		return err
	}
	return p.show(w, c, v, shown{})
}

// Logo handles GET /connect/:token/logo: the logo of the app that asks.
func (p *Pages) Logo(w *web.Response, r *http.Request, v session.Visitor) error {
	c, err := p.consent(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) || err == nil && c.App.Logo == nil {
		return &fault.Error{Code: fault.NotFound, Message: "no logo"}
	}
	if err != nil {
		return err
	}
	w.SetHeader("Content-Type", c.App.LogoType)
	w.SetHeader("X-Robots-Tag", "noindex")
	_, _ = w.Write(c.App.Logo) // fails only if the client has gone
	return nil
}

func (p *Pages) consent(ctx context.Context, w *web.Response, v session.Visitor) (Consent, error) {
	return p.service.Consent(ctx, w.Params.ByName("token"), v.Account)
}

// showUnknown renders the page of a wrong link: mistyped, cut off, of another kind, or with
// the id of a request for somebody else. Requests for the visitor are in the console.
func (p *Pages) showUnknown(w *web.Response, v session.Visitor) error {
	w.Record(&fault.Error{Code: fault.NotFound, Message: "no request with this link"})
	frame, again := v.Frame("This link does not work"), "Open it from the mail again"
	if frame.Host.NoMail {
		again = "Open it again from where you had it"
	}
	return p.views.Render(w, http.StatusNotFound, views.Message{
		Frame: frame,
		Text: []string{
			"There is no request for access behind it. Perhaps it was not copied to its end.",
			again + ", or ask whoever sent it for a new one.",
			"Requests that are addressed to you are also listed in your console.",
		},
		Link: "/console/granted", LinkText: "See them in the console",
	})
}

// shown is what a page shows beside the request itself.
type shown struct {
	problem  *fault.Error // of the last action
	inForm   bool         // the problem is shown beside its form
	signIn   views.SignInForm
	codeSent bool
	account  views.NewAccountForm
}

// show renders the page of the step that fits.
func (p *Pages) show(w *web.Response, c Consent, v session.Visitor, extra shown) error {
	status, sentence, _ := views.Report(w, extra.problem)
	frame := v.Frame("")
	frame.Problem = sentence
	local, masked := zone.Of(v.Account.Profile.Timezone), emailaddr.Mask(c.MerchantEmail)
	switch at := c.stepFor(v.Account); at {
	case signIn:
		return p.showEntry(w, c, v, status, extra)
	case notTheVisitor:
		frame.Title = "This request is for somebody else"
		if extra.problem == nil {
			status = http.StatusForbidden
			w.Record(&fault.Error{Code: fault.Forbidden, Message: "signed in as somebody else"})
		}
		return p.views.Render(w, status, views.ConnectWrongAccount{Frame: frame, Connection: c.view(masked, local)})
	case decide:
		frame.Title = "A request for access"
		return p.views.Render(w, status, views.ConnectDecide{
			Frame: frame, Connection: c.view(c.MerchantEmail, local), Rows: rowsOf(c.items, v.Account.Profile.Currency),
		})
	case previewed:
		frame.Title = "Preview of a request for access"
		return p.views.Render(w, status, views.ConnectDecide{
			Frame: frame, Connection: c.view(c.MerchantEmail, time.UTC), Rows: rowsOf(sampleItems, "gbp"), Preview: true, Back: c.back(),
		})
	case manage:
		frame.Title = "Access that you have given"
		return p.views.Render(w, status, views.ConnectManage{
			Frame: frame, Connection: c.view(c.MerchantEmail, local), ApprovedAt: c.ApprovedAt,
		})
	default:
		return p.showNothing(w, c, at, status, frame)
	}
}

// showNothing renders a message at a step that offers nothing to do.
func (p *Pages) showNothing(w *web.Response, c Consent, at step, status int, frame views.Frame) error {
	message := views.Message{Frame: frame, Link: "/console/granted", LinkText: "See what you share"}
	switch at {
	case ended:
		message.Title = "This request has ended"
		message.Text = []string{"The developer's key that asked was disabled since. Nothing was shared, and nothing can be decided."}
	case existing:
		message.Title = "This connection exists already"
		message.Text = []string{
			"Another request of the same developer was approved. This one changes nothing.",
			"To see, narrow or revoke what is shared, open the link of the one that was approved, or your console.",
		}
	default:
		message.Title, message.Text = c.finalWords()
		if status == http.StatusOK && c.StatusAt(c.now) == db.ConnectionExpired {
			status = http.StatusGone
			w.Record(&fault.Error{Code: fault.Gone, Message: "the link has expired"})
		}
	}
	return p.views.Render(w, status, message)
}

// finalWords returns the title and the text for a request in a final status.
func (c Consent) finalWords() (title string, text []string) {
	switch c.StatusAt(c.now) {
	case db.ConnectionDeclined:
		return "This request was declined",
			[]string{"Nothing is shared. If you have changed your mind, ask the developer for a new request."}
	case db.ConnectionRevoked:
		return "This access was revoked",
			[]string{"Nothing is shared any more, and this link cannot share it again."}
	}
	return "This request has expired",
		[]string{"A link like this can be answered for seven days. Nothing was shared. Ask the developer for a new one."}
}

// back returns the address of the app that is previewed; empty for a request.
func (c Consent) back() string {
	if c.KeyID != "" {
		return ""
	}
	return "/console/apps?open=" + c.handle
}

// path is where the request is shown; action is added to it.
func (c Consent) path(action string) string { return "/connect/" + c.handle + action }

// view returns the request as every consent page shows it; to is its addressee.
func (c Consent) view(to string, zone *time.Location) views.Connection {
	view := views.Connection{
		Token: c.handle, App: c.App.Name, KeyLabel: c.Key.Label, HasLogo: c.App.Logo != nil,
		Developer: c.Developer.Name, To: to, ExpiresAt: c.ExpiresAt, Zone: zone,
	}
	for _, name := range c.Scopes {
		words := scopeWords[name]
		view.Scopes = append(view.Scopes, views.Scope{Name: name, Title: words.title, Details: words.details, Ticked: true})
	}
	return view
}

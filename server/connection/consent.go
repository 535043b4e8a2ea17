package connection

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/money"
	"svc/server/page"
	"svc/server/session"
	"svc/server/web"
)

// Accounts lets a merchant come in from the consent page itself; D5.
type Accounts interface {
	SendCode(ctx context.Context, email, forWhat string) error
	SignInHere(sessions *session.Sessions, w *web.Response, r *http.Request, form web.Form) error
	SignUpHere(sessions *session.Sessions, w *web.Response, r *http.Request, email string, form web.Form) error
}

// parties are who asks.
type parties struct {
	key       db.Key
	app       db.App // zero: the key is not grouped under an app
	developer db.Account
}

func partiesOf(tx *db.Tx, keyID string) (p parties, err error) {
	if p.key, err = tx.Key(keyID); err != nil {
		return p, err
	}
	if p.developer, err = tx.Account(p.key.AccountID); err != nil {
		return p, err
	}
	if p.key.AppID != "" {
		p.app, err = tx.App(p.key.AccountID, p.key.AppID)
	}
	return p, err
}

// appName is what the request goes by in a mail.
func (p parties) appName() string {
	if p.app.Name != "" {
		return p.app.Name
	}
	return p.key.Label
}

// request is a connection as its link shows it, read in one transaction.
type request struct {
	db.Connection
	parties
	token   db.Token
	preview bool
	// elsewhere: another connection of the key to this merchant is active (D2).
	elsewhere bool
	items     []db.Item // of the merchant's own
	now       time.Time
}

const sampleRows = 3 // D7

// load reads the request of a link. db.ErrNotFound: there is none.
func load(tx *db.Tx, token db.Token, v session.Visitor) (q request, err error) {
	q.token, q.now = token, tx.Now()
	q.Connection, err = tx.ConnectionByToken(token)
	if errors.Is(err, db.ErrNotFound) {
		return loadPreview(tx, q)
	}
	if err != nil {
		return q, err
	}
	if q.parties, err = partiesOf(tx, q.KeyID); err != nil {
		return q, err
	}
	if q.StatusAt(q.now) == db.ConnectionPending {
		if q.elsewhere, err = tx.HasActiveConnection(q.KeyID, q.MerchantEmail); err != nil {
			return q, err
		}
	}
	if q.isAddressee(v) {
		q.items, err = tx.Items(v.Account.ID, sampleRows)
	}
	return q, err
}

func loadPreview(tx *db.Tx, q request) (request, error) {
	keyID, err := tx.PreviewKey(q.token)
	if err != nil {
		return q, err
	}
	q.preview = true
	q.parties, err = partiesOf(tx, keyID)
	f := fixtureOf(q.key)
	q.Connection = db.Connection{
		ID: f.id, KeyID: keyID, MerchantEmail: fixtureEmail, Requested: db.AllScopes, Scopes: db.AllScopes,
		CreatedAt: f.createdAt, ExpiresAt: f.createdAt.Add(fixtureLife),
	}
	return q, err
}

// isAddressee says whether the visitor is who was asked: by the verified e-mail
// until the decision, by the account that decided after it (D5).
func (q request) isAddressee(v session.Visitor) bool {
	if q.MerchantID != "" {
		return v.Account.ID == q.MerchantID
	}
	return v.SignedIn() && !v.Account.VerifiedAt.IsZero() && q.IsFor(v.Account.Email)
}

// step is what a visitor can do with a request; a page shows it, and an action is
// allowed only where its step is the one that fits.
type step int

const (
	previewed     step = iota // of a test key: nothing
	final                     // declined, revoked or expired: nothing
	ended                     // the developer's key is disabled: nothing
	existing                  // another one is active: nothing
	signIn                    // say who you are
	notTheVisitor             // somebody else is signed in
	decide                    // approve or decline
	manage                    // narrow or revoke
)

// stepFor finds the step that fits. Its order is that of what rules out the rest.
func (q request) stepFor(v session.Visitor) step {
	status := q.StatusAt(q.now)
	switch {
	case q.preview:
		return previewed
	case status != db.ConnectionPending && status != db.ConnectionApproved:
		return final
	case status == db.ConnectionPending && !q.key.DisabledAt.IsZero():
		return ended
	case q.elsewhere:
		return existing
	case !v.SignedIn():
		return signIn
	case !q.isAddressee(v):
		return notTheVisitor
	case status == db.ConnectionPending:
		return decide
	}
	return manage
}

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

func (s *Service) read(ctx context.Context, w *web.Response, v session.Visitor) (q request, err error) {
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return q, db.ErrNotFound
	}
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		q, err = load(tx, token, v)
		return err
	})
	return q, err
}

// unknown is a link that is wrong: mistyped, cut off, of another kind.
func (s *Service) unknown(w *web.Response, v session.Visitor) error {
	w.Record(&web.Error{Code: web.NotFound, Message: "no request with this link"})
	return s.Pages.Render(w, http.StatusNotFound, page.Message{
		Frame: v.Frame("This link does not work"),
		Text: []string{
			"There is no request for access behind it. Perhaps it was not copied to its end.",
			"Open it from the mail again, or ask whoever sent it for a new one.",
		},
	})
}

// shown is what a page shows beside the request itself.
type shown struct {
	problem  *web.Error // of what was just tried
	signIn   page.SignInForm
	codeSent bool
	account  page.NewAccountForm
}

// show renders the page of the step that fits.
func (s *Service) show(w *web.Response, q request, v session.Visitor, extra shown) error {
	status, frame := http.StatusOK, v.Frame("")
	if extra.problem != nil {
		w.Record(extra.problem)
		status, frame.Problem = extra.problem.Status(), extra.problem.Sentence()
	}
	switch q.stepFor(v) {
	case signIn:
		frame.Title = "A request for access"
		extra.signIn.Action = q.path("signin")
		extra.account.Action, extra.account.Email, extra.account.Masked = q.path("signup"), web.MaskEmail(q.MerchantEmail), true
		if extra.signIn.Problem != "" || extra.account.Problem != "" {
			frame.Problem = "" // it stands by its form
		}
		return s.Pages.Render(w, status, page.ConnectSignIn{
			Frame: frame, Connection: q.page(web.MaskEmail(q.MerchantEmail), time.UTC), SignIn: extra.signIn,
			CodeSent: extra.codeSent, NewAccount: extra.account,
		})
	case notTheVisitor:
		frame.Title = "This request is for somebody else"
		if extra.problem == nil {
			status = http.StatusForbidden
			w.Record(&web.Error{Code: web.Forbidden, Message: "signed in as somebody else"})
		}
		return s.Pages.Render(w, status, page.ConnectWrongAccount{Frame: frame, Connection: q.page(web.MaskEmail(q.MerchantEmail), session.Zone(v.Account))})
	case decide:
		frame.Title = "A request for access"
		return s.Pages.Render(w, status, page.ConnectDecide{
			Frame: frame, Connection: q.page(q.MerchantEmail, session.Zone(v.Account)), Rows: rowsOf(q.items, v.Account.Profile.Currency),
		})
	case previewed:
		frame.Title = "Preview of a request for access"
		return s.Pages.Render(w, status, page.ConnectDecide{
			Frame: frame, Connection: q.page(q.MerchantEmail, time.UTC), Rows: rowsOf(sampleItems, "gbp"), Preview: true,
		})
	case manage:
		frame.Title = "Access that you have given"
		return s.Pages.Render(w, status, page.ConnectManage{
			Frame: frame, Connection: q.page(q.MerchantEmail, session.Zone(v.Account)), ApprovedAt: q.ApprovedAt,
		})
	}
	return s.showNothing(w, q, status, frame)
}

// showNothing says what a request has become that offers nothing any more.
func (s *Service) showNothing(w *web.Response, q request, status int, frame page.Frame) error {
	message := page.Message{Frame: frame}
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
			w.Record(&web.Error{Code: web.Gone, Message: "the link has expired"})
		}
	}
	return s.Pages.Render(w, status, message)
}

func (s *Service) sayFinal(q request, message *page.Message) {
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
func (q request) page(to string, zone *time.Location) page.Connection {
	c := page.Connection{
		Token: string(q.token), App: q.app.Name, KeyLabel: q.key.Label, HasLogo: q.app.Logo != nil,
		Developer: q.developer.Name, To: to, ExpiresAt: q.ExpiresAt, Zone: zone,
	}
	for _, name := range q.Scopes {
		words := scopeWords[name]
		c.Scopes = append(c.Scopes, page.Scope{Name: name, Title: words.title, Details: words.details, Ticked: true})
	}
	return c
}

var scopeWords = map[string]struct{ title, details string }{
	db.ReadInventory: {
		"Read your inventory",
		"Name, price, cost price, stock and unit of the products that the app scans.",
	},
}

func scopesInWords(names []string) (words []string) {
	for _, name := range names {
		words = append(words, scopeWords[name].title+": "+scopeWords[name].details)
	}
	return words
}

// sampleItems stand in the preview, where there is no merchant.
var sampleItems = []db.Item{
	{Name: "Ground Coffee 250g", SKU: "COF-250", Price: 450, CostPrice: 270, StockMilli: 24_000, Unit: "bag"},
	{Name: "Oat Milk 1l", SKU: "OAT-1L", Price: 220, CostPrice: 135, StockMilli: 60_000, Unit: "carton"},
	{Name: "Almond Croissant", SKU: "CRO-ALM", Price: 310, CostPrice: 110, StockMilli: 12_000, Unit: "piece"},
}

func rowsOf(items []db.Item, currency string) (rows []page.Row) {
	for _, i := range items {
		stock := strings.TrimRight(strings.TrimRight(money.Digits(i.StockMilli, 3), "0"), ".")
		rows = append(rows, page.Row{
			Name: i.Name, SKU: i.SKU, Price: money.Format(i.Price, currency), CostPrice: money.Format(i.CostPrice, currency),
			Stock: strings.TrimSpace(stock + " " + i.Unit),
		})
	}
	return rows
}

// Logo is GET /connect/:token/logo: that of the app that asks.
func (s *Service) Logo(w *web.Response, r *http.Request, v session.Visitor) error {
	q, err := s.read(r.Context(), w, v)
	if errors.Is(err, db.ErrNotFound) || err == nil && q.app.Logo == nil {
		return &web.Error{Code: web.NotFound, Message: "no logo"}
	}
	if err != nil {
		return err
	}
	w.SetHeader("Content-Type", q.app.LogoType)
	w.SetHeader("X-Robots-Tag", "noindex")
	_, _ = w.Write(q.app.Logo) // a client that has gone is no fault of ours
	return nil
}

// Approve is POST /connect/:token/approve: it grants the scopes that are ticked; D4.
func (s *Service) Approve(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, decide, func(tx *db.Tx, q request, form web.Form) error {
		return tx.ApproveConnection(q.Connection, v.Account.ID, ticked(form, q.Requested))
	})
}

// Decline is POST /connect/:token/decline.
func (s *Service) Decline(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, decide, func(tx *db.Tx, q request, _ web.Form) error {
		return tx.DeclineConnection(q.Connection)
	})
}

// Narrow is POST /connect/:token/narrow: it leaves the scopes that are ticked, and
// never grants one more (D4).
func (s *Service) Narrow(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, manage, func(tx *db.Tx, q request, form web.Form) error {
		return tx.NarrowConnection(q.Connection, v.Account.ID, ticked(form, q.Scopes))
	})
}

// Revoke is POST /connect/:token/revoke.
func (s *Service) Revoke(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.act(w, r, v, manage, func(tx *db.Tx, q request, _ web.Form) error {
		return tx.RevokeConnection(q.Connection, v.Account.ID)
	})
}

func ticked(form web.Form, from []string) (scopes []string) {
	for _, s := range from {
		if slices.Contains(form.All("scope"), s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}

// act does what a form asks where the step allows it: the first of two tabs wins,
// and the other sees its result. Look and change are one transaction.
func (s *Service) act(w *web.Response, r *http.Request, v session.Visitor, allowed step, do func(*db.Tx, request, web.Form) error) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return s.unknown(w, v)
	}
	var q request
	did := false
	err = s.Store.Update(r.Context(), func(tx *db.Tx) (err error) {
		if q, err = load(tx, token, v); err != nil || q.stepFor(v) != allowed {
			return err
		}
		did = true
		return do(tx, q, form)
	})
	switch {
	case errors.Is(err, db.ErrNotFound):
		return s.unknown(w, v)
	case err != nil:
		return err
	case !did:
		return s.show(w, q, v, shown{problem: q.refusal(v)})
	}
	return w.Redirect("/connect/" + string(token))
}

// refusal says why what was tried was not done.
func (q request) refusal(v session.Visitor) *web.Error {
	e := &web.Error{Code: web.Conflict, Message: "nothing was changed: the request had been answered before"}
	switch q.stepFor(v) {
	case signIn:
		e.Code, e.Message = web.SignInRequired, "nothing was changed: sign in first"
	case notTheVisitor:
		e.Code, e.Message = web.Forbidden, "nothing was changed: the request is for somebody else"
	case previewed:
		e.Message = "this is a preview; there is nothing to decide"
	case ended:
		e.Message = "nothing was changed: the request has ended"
	case existing:
		e.Message = "nothing was changed: the connection exists already"
	case final:
		if q.StatusAt(q.now) == db.ConnectionExpired {
			e.Code, e.Message = web.Gone, "nothing was changed: the link has expired"
		}
	case decide:
		e.Message = "nothing was changed: the request is not approved"
	}
	return e
}

// SignIn is POST /connect/:token/signin.
func (s *Service) SignIn(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.comeIn(w, r, v, func(_ request, form web.Form) (again shown, done bool, err error) {
		err = s.Accounts.SignInHere(s.Sessions, w, r, form)
		again.signIn = page.SignInForm{Email: form.Value("email"), Problem: sentence(err)}
		return again, err == nil, err
	})
}

// SendCode is POST /connect/:token/code: it mails a code to the addressee, whoever
// asked for it (D5).
func (s *Service) SendCode(w *web.Response, r *http.Request, v session.Visitor) error {
	return s.comeIn(w, r, v, func(q request, _ web.Form) (again shown, done bool, err error) {
		err = s.Accounts.SendCode(r.Context(), q.MerchantEmail, "answer the request of "+q.appName())
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
		again.account = page.NewAccountForm{Name: form.Value("name"), Problem: sentence(err), Field: fieldOf(err)}
		return again, err == nil, err
	})
}

func sentence(err error) string {
	var e *web.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Sentence()
}

func fieldOf(err error) string {
	var e *web.Error
	if !errors.As(err, &e) {
		return ""
	}
	return e.Field()
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

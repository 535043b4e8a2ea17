package account

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/checkout"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Bundle is wallet credit at a price (C5).
type Bundle struct {
	Amount      int64 // minor units
	Currency    string
	CreditCents int64 // usd_cents
}

// DefaultBundles are C5's.
var DefaultBundles = []Bundle{{500, "gbp", 600}, {1000, "gbp", 1250}, {2500, "gbp", 3250}}

func (b Bundle) id() string {
	return fmt.Sprintf("%d-%s-%d", b.Amount, b.Currency, b.CreditCents)
}

// Console are the pages on which an account looks after its wallet, its password
// and its sessions.
type Console struct {
	Service  *Service
	Pages    *views.Set
	Payments *checkout.Service
	Bundles  []Bundle
}

const (
	walletPath   = "/console/wallet"
	settingsPath = "/console/settings"
	ledgerRows   = 50
)

// doneNotices say what a form has done, after the redirect that answers it.
var doneNotices = map[string]string{
	"bought":    "Thank you. The credit appears here as soon as Stripe confirms the payment; reload the page to look.",
	"threshold": "The threshold is set.",
	"password":  "The password is changed, and every other session has ended.",
	"ended":     "The session has ended.",
	"others":    "All other sessions have ended.",
}

func frame(r *http.Request, v session.Visitor, title, section string) views.Frame {
	f := v.Frame(title)
	f.Section, f.Notice = section, doneNotices[r.URL.Query().Get("done")]
	return f
}

// ShowWallet is GET /console/wallet.
func (c *Console) ShowWallet(w *web.Response, r *http.Request, v session.Visitor) error {
	return c.walletPage(w, r, v, nil)
}

func (c *Console) walletPage(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	var wallet db.Wallet
	var ledger []db.Entry
	err := c.Service.store.View(r.Context(), func(tx *db.Tx) (err error) {
		if wallet, err = tx.Wallet(v.Account.ID); err != nil {
			return err
		}
		ledger, err = tx.NewestEntries(v.Account.ID, ledgerRows)
		return err
	})
	if err != nil {
		return err
	}

	p := views.Wallet{
		Frame:        frame(r, v, "Wallet", "wallet"),
		BalanceCents: wallet.BalanceCents, HeldCents: wallet.HeldCents, LowBalanceCents: wallet.LowBalanceCents,
		LowBalance: wallet.Low(), CanPay: c.Payments.Ready(), Zone: session.Zone(v.Account),
	}
	p.Leaves = p.CanPay
	var currencies []string
	for _, b := range c.Bundles {
		currencies = append(currencies, strings.ToUpper(b.Currency))
		p.Bundles = append(p.Bundles, views.Bundle{
			ID: b.id(), Price: money.Format(b.Amount, b.Currency),
			Credit: money.Digits(b.CreditCents, 0) + " US cents of credit",
		})
	}
	slices.Sort(currencies)
	p.PricedIn = strings.Join(slices.Compact(currencies), ", ")
	for _, e := range ledger {
		p.Ledger = append(p.Ledger, views.Entry{
			At: e.CreatedAt, Kind: kindWords[e.Kind], Amount: usd(e.AmountCents), After: usd(e.BalanceAfterCents),
			Endpoint: e.Endpoint, Note: e.Note, Key: e.KeyID,
		})
	}
	return c.Pages.Render(w, note(w, problem, &p.Frame), p)
}

// kindWords are what the ledger's kinds are called on a page.
var kindWords = map[db.EntryKind]string{
	db.TopUp: "Credit added", db.Debit: "Call", db.Adjustment: "Correction", db.Refund: "Refund",
}

// usd writes usd_cents as the wallet's page does.
func usd(cents int64) string {
	text := money.Plain(cents, "usd")
	if amount, negative := strings.CutPrefix(text, "-"); negative {
		return "-US$" + amount
	}
	return "US$" + text
}

// note puts the problem of what was just tried, if any, on a page and returns the
// page's status.
func note(w *web.Response, problem *fault.Error, f *views.Frame) (status int) {
	if problem == nil {
		return http.StatusOK
	}
	w.Record(problem)
	f.Problem = views.Sentence(problem)
	return web.Status(problem)
}

// Buy is POST /console/wallet/buy: it sends the browser to Stripe's page. The
// wallet is credited when Stripe's event has proven the payment, as with charges.
func (c *Console) Buy(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	bundle, ok := c.bundle(form.Value("bundle"))
	if !ok || !c.Payments.Ready() {
		return c.walletPage(w, r, v, fault.Invalid("bundle", "is not for sale here"))
	}
	var bought db.Purchase
	err = c.Service.store.Update(r.Context(), func(tx *db.Tx) (err error) {
		n, err := tx.CountPurchases(v.Account.ID, tx.Now().Add(-time.Hour))
		if err != nil {
			return err
		}
		if n >= maxPurchases {
			return errTooManyPurchases
		}
		bought, err = tx.CreatePurchase(db.Purchase{
			AccountID: v.Account.ID, Amount: bundle.Amount, Currency: bundle.Currency, CreditCents: bundle.CreditCents,
		})
		return err
	})
	if errors.Is(err, errTooManyPurchases) {
		return c.walletPage(w, r, v, errTooManyPurchases)
	}
	if err != nil {
		return err
	}

	back := c.Service.consoleURL + walletPath
	url, err := c.Payments.Begin(r.Context(), checkout.Subject{
		ID: bought.ID, OwnerID: v.Account.ID, Amount: bought.Amount, Currency: bought.Currency,
		Description: money.Digits(bought.CreditCents, 0) + " US cents of credit for API calls",
		SuccessURL:  back + "?done=bought", CancelURL: back,
	}, func(*db.Tx) error { return nil })
	if err == nil {
		return w.Redirect(url)
	}
	if problem := checkout.Problem(err); problem != nil {
		return c.walletPage(w, r, v, problem)
	}
	return err
}

// maxPurchases bounds what one account sets out to buy in an hour.
const maxPurchases = 20

var errTooManyPurchases = &fault.Error{
	Code: fault.TooManyTries, Message: "too many purchases were begun within an hour; try again later", RetryAfter: time.Hour,
}

func (c *Console) bundle(id string) (Bundle, bool) {
	for _, b := range c.Bundles {
		if b.id() == id {
			return b, true
		}
	}
	return Bundle{}, false
}

// SetThreshold is POST /console/wallet/threshold (C4).
func (c *Console) SetThreshold(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	cents, err := strconv.ParseInt(strings.TrimSpace(form.Value("threshold")), 10, 64)
	if err != nil || cents < 0 || cents > maxCredit {
		err = fault.Invalid("threshold", "must be a whole number of US cents from 0 to 100000000")
	} else {
		err = c.Service.SetLowBalance(r.Context(), v.Account.Email, cents)
	}
	return c.done(w, r, v, err, walletPath+"?done=threshold", c.walletPage)
}

// done sends the browser on, or shows the page again with what was wrong.
func (c *Console) done(w *web.Response, r *http.Request, v session.Visitor, err error, next string,
	again func(*web.Response, *http.Request, session.Visitor, *fault.Error) error) error {
	if problem := web.UserError(err); problem != nil {
		return again(w, r, v, problem)
	}
	if err != nil {
		return err
	}
	return w.Redirect(next)
}

// ShowSettings is GET /console/settings.
func (c *Console) ShowSettings(w *web.Response, r *http.Request, v session.Visitor) error {
	return c.settingsPage(w, r, v, nil)
}

func (c *Console) settingsPage(w *web.Response, r *http.Request, v session.Visitor, problem *fault.Error) error {
	sessions, err := c.Service.Sessions(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	p := views.Settings{
		Frame: frame(r, v, "Settings", "settings"), Email: v.Account.Email,
		Zone: session.Zone(v.Account),
	}
	if problem != nil {
		p.Field = problem.Field
	}
	for _, s := range sessions {
		p.Sessions = append(p.Sessions, views.Session{
			ID: s.ID, Address: s.Address, Browser: s.Browser, CreatedAt: s.CreatedAt, SeenAt: s.SeenAt,
			Current: s.ID == v.SessionID,
		})
	}
	return c.Pages.Render(w, note(w, problem, &p.Frame), p)
}

// ChangePassword is POST /console/settings/password.
func (c *Console) ChangePassword(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = c.Service.ChangePassword(r.Context(), v.Account, v.SessionID, form.Value("current"), form.Value("password"), w.Address)
	return c.done(w, r, v, err, settingsPath+"?done=password", c.settingsPage)
}

// EndSession is POST /console/settings/end.
func (c *Console) EndSession(w *web.Response, r *http.Request, v session.Visitor) error {
	form, err := web.ReadForm(w, r)
	if err != nil {
		return err
	}
	err = c.Service.EndSession(r.Context(), v.Account.ID, form.Value("id"))
	if errors.Is(err, db.ErrNotFound) {
		err = nil // it has ended already
	}
	return c.done(w, r, v, err, settingsPath+"?done=ended", c.settingsPage)
}

// EndOthers is POST /console/settings/end-others.
func (c *Console) EndOthers(w *web.Response, r *http.Request, v session.Visitor) error {
	err := c.Service.EndOtherSessions(r.Context(), v.Account.ID, v.SessionID)
	return c.done(w, r, v, err, settingsPath+"?done=others", c.settingsPage)
}

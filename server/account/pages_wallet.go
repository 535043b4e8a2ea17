package account

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/checkout"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ConsolePages are the pages of an account: its overview, its wallet, its password and its
// sessions.
type ConsolePages struct {
	service *Service
	views   *views.Set
	parts   Parts
	prices  Prices
}

// Prices are what is billed, in US cents.
type Prices struct {
	ScanCents    int64 // of a scan by API; in the console it is free (F8)
	MessageCents int64 // of a message, by API and in the console
	// Kept: there is no sender, so messages of the console are kept, not sent, and free (G5).
	Kept bool
}

// NewConsolePages returns the pages of a service. The overview has the parts, the wallet the
// prices.
func NewConsolePages(service *Service, set *views.Set, parts Parts, prices Prices) *ConsolePages {
	return &ConsolePages{service: service, views: set, parts: parts, prices: prices}
}

// doneNotices are what a page says after the redirect that answers a form.
var doneNotices = map[string]string{
	"threshold":  "The threshold is set.",
	"profile":    "Saved.",
	"password":   "The password is changed, and every other session has ended.",
	"ended":      "The session has ended.",
	"others":     "All other sessions have ended.",
	"snoozed":    "Snoozed: it is back in 7 days, if it is still so.",
	"dismissed":  "Dismissed: it is back when it concerns something new.",
	"invited":    "The invitation is on its way.",
	"link-waits": "The invitation is made.",
	"withdrawn":  "The invitation is withdrawn; its link does not work any more.",
	"removed":    "They are removed, and signed out everywhere.",

	"staff-code":     "They sign in with the password alone now, and are told by mail.",
	"two-factor-off": "Two-factor sign-in is off. The password alone is enough now.",
}

func frame(r *http.Request, v session.Visitor, title, section string) views.Frame {
	f := v.Frame(title)
	f.Section, f.Notice = section, doneNotices[r.URL.Query().Get("done")]
	return f
}

// ShowWallet handles GET /console/wallet.
func (p *ConsolePages) ShowWallet(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.walletPage(w, r, v, nil, nil)
}

// walletPage renders the wallet. threshold is what was typed, nil for what is stored.
func (p *ConsolePages) walletPage(w *web.Response, r *http.Request, v session.Visitor, threshold *string, problem *fault.Error) error {
	s, err := p.service.Statement(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page := views.Wallet{
		Frame:        frame(r, v, "Wallet", "wallet"),
		BalanceCents: s.BalanceCents, HeldCents: s.HeldCents, LowBalanceCents: s.LowBalanceCents,
		LowBalance: s.Low(), Credit: p.creditWay(v), Threshold: money.Decimal(s.LowBalanceCents, "usd"),
		Ledger: views.Entries{Rows: rowsOf(s.Ledger, w.Started), Zone: zone.Of(v.Account.Profile.Timezone)},
		Scan:   money.Format(p.prices.ScanCents, "usd"), Message: money.Format(p.prices.MessageCents, "usd"), Kept: p.prices.Kept,
	}
	page.Ledger.Calls = page.Account.Builds
	if threshold != nil {
		page.Threshold = *threshold
	}
	page.FormLeaves = page.Credit.CanPay
	var currencies []string
	for _, b := range s.Bundles {
		currencies = append(currencies, strings.ToUpper(b.Currency))
		page.Bundles = append(page.Bundles, views.Bundle{
			ID: b.id(), Price: money.Format(b.Amount, b.Currency),
			Credit: money.Format(b.CreditCents, "usd") + " of credit",
		})
	}
	slices.Sort(currencies)
	page.PricedIn = strings.Join(slices.Compact(currencies), ", ")
	if err := p.tellPurchase(r, v, w.Started, &page); err != nil {
		return err
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// watched is for how long a wallet looks again whether a purchase is paid.
const watched = time.Hour

// tellPurchase says how the purchase stands from whose payment somebody comes back.
func (p *ConsolePages) tellPurchase(r *http.Request, v session.Visitor, now time.Time, page *views.Wallet) error {
	id := r.URL.Query().Get("bought")
	if id == "" {
		return nil
	}
	bought, err := p.service.Purchase(r.Context(), v.Account.ID, id)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil
	case err != nil:
		return err
	case !bought.ApprovedAt.IsZero():
		page.Bought = "Thank you. " + money.Format(bought.CreditCents, "usd") + " of credit is in your wallet."
	case now.Sub(bought.CreatedAt) < watched:
		page.Bought = "Thank you. The credit is here as soon as Stripe confirms the payment."
		page.Refresh = walletPath + "?bought=" + url.QueryEscape(id)
	}
	return nil
}

// creditWay says how the visitor's account gets credit.
func (p *ConsolePages) creditWay(v session.Visitor) views.CreditWay {
	way := views.CreditWay{CanPay: p.service.Payments.Ready(), Email: v.Account.Email, Host: v.Frame("").Host}
	if v.Account.Operator {
		way.AddCredit = operatorAddress("", "", v.Account.ID)
	}
	return way
}

// Buy handles POST /console/wallet/buy: it sends the browser to Stripe's page.
func (p *ConsolePages) Buy(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	address, err := p.service.Buy(r.Context(), v.Account.ID, form.Value("bundle"))
	if problem := checkout.Problem(err); problem != nil {
		return p.walletPage(w, r, v, nil, problem)
	}
	if err != nil {
		return err
	}
	return w.Redirect(address)
}

// SetThreshold handles POST /console/wallet/threshold (C4).
func (p *ConsolePages) SetThreshold(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	typed := form.Value("threshold")
	cents, err := dollars("threshold", typed)
	switch {
	case err != nil:
	case cents < 0 || cents > maxCredit:
		err = fault.Invalid("threshold", "must be from 0 to "+money.Format(maxCredit, "usd"))
	default:
		err = p.service.SetLowBalance(r.Context(), v.Account.Email, cents)
	}
	return redirect(w, err, walletPath+"?done=threshold", func(problem *fault.Error) error {
		return p.walletPage(w, r, v, &typed, problem)
	})
}

// dollars reads an amount of a form, in US dollars, exactly.
func dollars(field, typed string) (cents int64, err error) {
	if strings.TrimSpace(typed) == "" {
		return 0, fault.Invalid(field, "is required")
	}
	cents, err = money.Parse(typed, "usd")
	if err != nil {
		return 0, fault.Invalid(field, err.Error())
	}
	return cents, nil
}

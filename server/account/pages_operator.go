package account

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	operatorPath = "/console/operator"
	holderRows   = 50 // of a page
)

// operatorNotices are what the page says after the redirect that answers a form.
var operatorNotices = map[string]string{
	"plan": "The plan is set; it holds from the next call on.", "credit": "The credit is added.",
	"disable": "The account is disabled.", "enable": "The account is enabled.",
	"two-factor": "Two-factor sign-in is off for this person.",
}

// OperatorPages are the operator's list of accounts, and what the operator does to one.
type OperatorPages struct {
	service *Service
	views   *views.Set
}

// NewOperatorPages returns the pages of a service.
func NewOperatorPages(service *Service, set *views.Set) *OperatorPages {
	return &OperatorPages{service: service, views: set}
}

// Show handles GET /console/operator: the accounts, and one of them with ?open.
func (p *OperatorPages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.accounts(w, r, v, r.URL.Query().Get("open"), nil)
}

// typedCredit is what a refused form held.
type typedCredit struct {
	cents, note string
	problem     *fault.Error
}

func (p *OperatorPages) accounts(w *web.Response, r *http.Request, v session.Visitor, open string, t *typedCredit) error {
	q := r.URL.Query()
	search := strings.TrimSpace(q.Get("q"))
	found, more, err := p.service.Holders(r.Context(), search, q.Get("after"), holderRows)
	if err != nil {
		return err
	}
	page := views.Operator{Frame: v.Frame("Operator"), Search: search, Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section, page.Notice = "operator", operatorNotices[q.Get("done")]
	for _, h := range found {
		row := holderRow(h.Account, h.BalanceCents, h.Keys)
		row.Open, row.Link = h.ID == open, operatorAddress(search, q.Get("after"), h.ID)
		page.Holders = append(page.Holders, row)
	}
	if more {
		page.Pager.Older = operatorAddress(search, found[len(found)-1].ID, "")
	}
	if q.Get("after") != "" {
		page.Pager.Newest = operatorAddress(search, "", "")
	}
	if open != "" {
		if page.Detail, err = p.dossier(r, open); err != nil {
			return err
		}
		page.Detail.Close = operatorAddress(search, q.Get("after"), "")
	}
	status := http.StatusOK
	if t != nil {
		page.Notice = ""
		page.Detail.Cents, page.Detail.Note = t.cents, t.note
		status, page.Problem, page.Detail.Field = views.Report(w, t.problem)
	}
	return p.views.Render(w, status, page)
}

func operatorAddress(search, after, open string) string {
	q := url.Values{}
	for name, value := range map[string]string{"q": search, "after": after, "open": open} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return (&url.URL{Path: operatorPath, RawQuery: q.Encode()}).String()
}

func holderRow(a db.Account, balanceCents int64, keys int) views.Holder {
	return views.Holder{
		ID: a.ID, Name: a.Name, Email: a.Email, Plan: string(a.Plan), Balance: money.Format(balanceCents, "usd"), Keys: keys,
		CreatedAt: a.CreatedAt, Disabled: !a.DisabledAt.IsZero(),
	}
}

func (p *OperatorPages) dossier(r *http.Request, id string) (*views.Dossier, error) {
	d, err := p.service.Dossier(r.Context(), id)
	if err != nil {
		return nil, err
	}
	shown := &views.Dossier{Holder: holderRow(d.Account, d.Wallet.BalanceCents, enabled(d.Keys)), Operator: d.Operator, LastAct: d.LastAct}
	if d.Wallet.HeldCents > 0 {
		shown.Held = money.Format(d.Wallet.HeldCents, "usd")
	}
	for _, person := range d.TwoFactor {
		shown.TwoFactor = append(shown.TwoFactor, person.Email)
	}
	for _, plan := range db.Plans {
		shown.Plans = append(shown.Plans, views.Option{Value: string(plan), Text: string(plan), Chosen: plan == d.Plan})
	}
	return shown, nil
}

func enabled(keys []db.Key) (n int) {
	for _, k := range keys {
		if k.DisabledAt.IsZero() {
			n++
		}
	}
	return n
}

// act does what a form asks for to the account of its `id`, and answers with the account.
func (p *OperatorPages) act(w *web.Response, r *http.Request, v session.Visitor, form web.Form, done string, do func(Dossier) error) error {
	d, err := p.service.Dossier(r.Context(), form.Value("id"))
	if err != nil {
		return err
	}
	err = do(d)
	if problem := web.UserError(err); problem != nil {
		return p.accounts(w, r, v, d.ID, &typedCredit{form.Value("cents"), form.Value("note"), problem})
	}
	if err != nil {
		return err
	}
	return w.Redirect(operatorAddress("", "", d.ID) + "&done=" + done)
}

// SetPlan handles POST /console/operator/plan.
func (p *OperatorPages) SetPlan(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.act(w, r, v, form, "plan", func(d Dossier) error {
		return p.service.SetPlan(r.Context(), d.Email, form.Value("plan"))
	})
}

// Credit handles POST /console/operator/credit. A form that is sent twice credits once.
func (p *OperatorPages) Credit(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.act(w, r, v, form, "credit", func(d Dossier) error {
		cents, err := strconv.ParseInt(strings.TrimSpace(form.Value("cents")), 10, 64)
		if err != nil {
			return fault.Invalid("cents", "must be a whole number of US cents")
		}
		seen, err := strconv.ParseInt(form.Value("seen"), 10, 64)
		if err != nil {
			return fault.Invalid("body", "is not the one that this page has")
		}
		return p.service.CreditSeen(r.Context(), d.ID, seen, cents, strings.TrimSpace(form.Value("note")))
	})
}

// Disable handles POST /console/operator/disable.
func (p *OperatorPages) Disable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.act(w, r, v, form, "disable", func(d Dossier) error { return p.service.Disable(r.Context(), d.Email) })
}

// Enable handles POST /console/operator/enable.
func (p *OperatorPages) Enable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.act(w, r, v, form, "enable", func(d Dossier) error { return p.service.Enable(r.Context(), d.Email) })
}

// EndTwoFactor handles POST /console/operator/two-factor: it turns it off for the person of
// the account with the form's `email`.
func (p *OperatorPages) EndTwoFactor(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.act(w, r, v, form, "two-factor", func(d Dossier) error {
		email := form.Value("email")
		theirs := slices.ContainsFunc(d.TwoFactor, func(person db.Person) bool { return person.Email == email })
		if !theirs {
			return &fault.Error{Code: fault.Conflict, Message: "nobody of this account signs in with a code as " + email}
		}
		_, err := p.service.ForceTwoFactorOff(r.Context(), email)
		return err
	})
}

package account

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/job"
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
	"plan":    "The plan of “%s” is set; it holds from the next call on.",
	"credit":  "The credit of “%s” is changed.",
	"disable": "Account “%s” is disabled.", "enable": "Account “%s” is enabled.",
	"two-factor": "Two-factor sign-in is off for a person of “%s”.",
	"made":       "Account “%s” is made. Its owner gets a mail with a link to choose a password.",
	"welcomed":   "A new mail is on its way to the owner of “%s”; the link before does not work any more.",
}

// OperatorPages are the operator's list of accounts, and what the operator does to one.
type OperatorPages struct {
	service *Service
	views   *views.Set
	parts   func(context.Context) []views.Part
	jobs    func() []job.State
}

// NewOperatorPages returns the pages of a service.
func NewOperatorPages(service *Service, set *views.Set, parts func(context.Context) []views.Part, jobs func() []job.State) *OperatorPages {
	return &OperatorPages{service, set, parts, jobs}
}

// health says in one line how the server does: what does not work first.
func (p *OperatorPages) health(ctx context.Context) (h views.Health) {
	for _, part := range p.parts(ctx) {
		switch {
		case part.Works:
		case part.State == views.NotSetUp:
			h.Unset = append(h.Unset, part.Name)
		default:
			h.Lacks = append(h.Lacks, part.Name+": "+part.State)
		}
	}
	for _, one := range p.jobs() {
		if one.Failing {
			h.Failing = append(h.Failing, one.Name)
		}
	}
	return h
}

// Show handles GET /console/operator: the accounts, and one of them with ?open.
func (p *OperatorPages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	var fresh *views.NewHolder
	if r.URL.Query().Get("new") != "" {
		fresh = newHolder(NewAccount{Currency: v.Account.Profile.Currency, Timezone: v.Account.Profile.Timezone, Plan: string(db.Free)})
	}
	return p.accounts(w, r, v, operatorView{open: r.URL.Query().Get("open"), fresh: fresh})
}

// newHolder is the form of a new account as it was typed.
func newHolder(req NewAccount) *views.NewHolder {
	form := &views.NewHolder{Email: req.Email, Name: req.Name, Timezone: req.Timezone, Currencies: currencyOptions(req.Currency)}
	for _, plan := range db.Plans {
		form.Plans = append(form.Plans, views.Option{Value: string(plan), Text: planText(plan), Chosen: string(plan) == req.Plan})
	}
	return form
}

// planText names a plan with its limits.
func planText(plan db.Plan) string {
	limits := plan.Limits()
	month := money.Digits(limits.Month, 0) + " calls a month"
	if limits.Month == db.Unlimited {
		month = "any number of calls a month"
	}
	return fmt.Sprintf("%s: %s, %d a minute", plan, month, limits.Minute)
}

// Make handles POST /console/operator/new: it makes an account for somebody, who gets a link to
// choose a password. Without a mail server the link is shown once.
func (p *OperatorPages) Make(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	req := NewAccount{
		Email: strings.TrimSpace(form.Value("email")), Name: strings.TrimSpace(form.Value("name")), Plan: form.Value("plan"),
		Currency: form.Value("currency"), Timezone: strings.TrimSpace(form.Value("timezone")),
	}
	var made Welcomed
	err := req.checkZone(form)
	if err == nil {
		made, err = p.service.Welcome(r.Context(), req)
	}
	if problem := web.UserError(err); problem != nil {
		return p.accounts(w, r, v, operatorView{fresh: newHolder(req), problem: problem})
	}
	return p.welcomed(w, r, v, made, "made", err)
}

// WelcomeAgain handles POST /console/operator/welcome: a new link for an owner who has no
// password yet.
func (p *OperatorPages) WelcomeAgain(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	made, err := p.service.WelcomeAgain(r.Context(), form.Value("id"))
	return p.welcomed(w, r, v, made, "welcomed", err)
}

func (p *OperatorPages) welcomed(w *web.Response, r *http.Request, v session.Visitor, made Welcomed, done string, err error) error {
	if err != nil {
		return err
	}
	if made.Link != "" {
		return p.accounts(w, r, v, operatorView{open: made.ID, link: made.Link})
	}
	return w.Redirect(operatorAddress("", "", made.ID) + "&done=" + done)
}

// typedCredit is what a refused form held.
type typedCredit struct {
	amount, note string
	problem      *fault.Error
}

// operatorView is what the page shows beside the list, at most one of them.
type operatorView struct {
	open    string // the id of an account
	typed   *typedCredit
	link    string // of the open account, shown this once
	fresh   *views.NewHolder
	problem *fault.Error // of fresh
}

func (p *OperatorPages) accounts(w *web.Response, r *http.Request, v session.Visitor, view operatorView) error {
	q, open := r.URL.Query(), view.open
	search := strings.TrimSpace(q.Get("q"))
	found, more, err := p.service.Holders(r.Context(), search, q.Get("after"), holderRows)
	if err != nil {
		return err
	}
	page := views.Operator{Frame: v.Frame("Operator"), Search: search, Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section, page.Health = "operator", p.health(r.Context())
	for _, h := range found {
		row := holderRow(h.Account, h.BalanceCents, h.Keys)
		row.Open, row.Link = h.ID == open, operatorAddress(search, q.Get("after"), h.ID)
		page.Holders = append(page.Holders, row)
	}
	if more {
		page.Pager.Next = operatorAddress(search, found[len(found)-1].ID, "")
	}
	if q.Get("after") != "" {
		page.Pager.First = operatorAddress(search, "", "")
	}
	if open != "" {
		if page.Detail, err = p.dossier(r, open); err != nil {
			return err
		}
		page.Detail.Close = operatorAddress(search, q.Get("after"), "")
		if notice := operatorNotices[q.Get("done")]; notice != "" {
			page.Notice = fmt.Sprintf(notice, cmp.Or(page.Detail.Name, page.Detail.Email))
		}
	}
	status := http.StatusOK
	if page.New = view.fresh; view.fresh != nil {
		page.New.Close = operatorAddress(search, q.Get("after"), "")
		status, page.Problem, page.New.Field = views.Report(w, view.problem)
	}
	if page.Detail != nil {
		page.Detail.WelcomeLink = view.link
	}
	if t := view.typed; t != nil {
		page.Notice = ""
		page.Detail.Amount, page.Detail.Note = t.amount, t.note
		status, page.Problem, page.Detail.Field = views.Report(w, t.problem)
	}
	return p.views.Render(w, status, page)
}

func operatorAddress(search, after, open string) string {
	return web.Address(operatorPath, "q", search, "after", after, "open", open)
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
	shown := &views.Dossier{Holder: holderRow(d.Account, d.Wallet.BalanceCents, enabled(d.Keys)), Operator: d.Operator, LastAct: d.LastAct, NoPassword: d.PasswordHash == ""}
	if d.Wallet.HeldCents > 0 {
		shown.Held = money.Format(d.Wallet.HeldCents, "usd")
	}
	for _, person := range d.TwoFactor {
		shown.TwoFactor = append(shown.TwoFactor, person.Email)
	}
	for _, plan := range db.Plans {
		shown.Plans = append(shown.Plans, views.Option{Value: string(plan), Text: planText(plan), Chosen: plan == d.Plan})
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
		return p.accounts(w, r, v, operatorView{open: d.ID, typed: &typedCredit{form.Value("amount"), form.Value("note"), problem}})
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
		cents, err := dollars("amount", form.Value("amount"))
		if err == nil && (cents == 0 || cents > maxCredit || cents < -maxCredit) {
			err = fault.Invalid("amount", "must be from $0.01 to "+money.Format(maxCredit, "usd")+", or below zero to take credit back")
		}
		if err != nil {
			return err
		}
		seen, err := strconv.ParseInt(form.Value("seen"), 10, 64)
		if err != nil {
			return fault.Invalid("body", "is not the one that this page has")
		}
		err = p.service.CreditSeen(r.Context(), d.ID, seen, cents, strings.TrimSpace(form.Value("note")))
		if problem := web.UserError(err); problem != nil && problem.Field == "cents" { // the field of the command
			return fault.Invalid("amount", problem.Message)
		}
		return err
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

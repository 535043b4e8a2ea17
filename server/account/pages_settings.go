package account

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strings"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// ShowSettings handles GET /console/settings.
func (p *ConsolePages) ShowSettings(w *web.Response, r *http.Request, v session.Visitor) error {
	return p.settingsPage(w, r, v, nil, nil)
}

// settingsPage renders the settings. typed is the profile as it was typed, nil for the
// stored one; further are problems beside the first.
func (p *ConsolePages) settingsPage(w *web.Response, r *http.Request, v session.Visitor, typed *ProfileChange, problem *fault.Error, further ...error) error {
	sessions, err := p.service.Sessions(r.Context(), v.Person.ID)
	if err != nil {
		return err
	}
	priced, err := p.service.PricedItems(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	if typed == nil {
		typed = stored(v.Account)
	}
	page := views.Settings{Frame: frame(r, v, "Settings", "settings"), Email: v.Person.Email, Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Profile = views.Profile{
		Name: *typed.Name, Timezone: *typed.Timezone, Region: *typed.Region, PricedItems: int64(priced),
		BizTypes:   optionsOf(db.BizTypes, *typed.BizType, func(name string) string { return bizTypeWords[name] }),
		Currencies: currencyOptions(*typed.Currency),
	}
	if was, ok := money.Known(r.URL.Query().Get("was")); ok && page.Notice != "" {
		if kept := KeptPrices(priced, was, v.Account.Profile.Currency); kept != "" {
			page.Notice += " " + kept + "."
		}
	}
	second, err := p.service.TwoFactor(r.Context(), v.Person.ID)
	if err != nil {
		return err
	}
	page.TwoFactor, page.WebhookMails = second.On, v.Account.WebhookMails
	if page.Webhooks, err = p.service.WantsWebhookMails(r.Context(), v.Account); err != nil {
		return err
	}
	for _, s := range sessions {
		page.Sessions = append(page.Sessions, views.Session{
			ID: s.ID, Address: s.Address, Browser: s.Browser, CreatedAt: s.CreatedAt, SeenAt: s.SeenAt,
			Current: s.ID == v.SessionID,
		})
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	if problem != nil {
		page.Wrong = views.Wrong(append(typed.problems(), further...)...)
	}
	return p.views.Render(w, status, page)
}

// problems returns what is wrong with each field.
func (c ProfileChange) problems() (all []error) {
	for _, one := range []ProfileChange{{BizType: c.BizType}, {Currency: c.Currency}, {Region: c.Region}, {Timezone: c.Timezone}} {
		_, err := one.apply(db.Profile{})
		all = append(all, err)
	}
	return append(all, checkName(c.Name))
}

// stored returns an account's profile as a change to what it is.
func stored(a db.Account) *ProfileChange {
	return &ProfileChange{
		Name: &a.Name, BizType: &a.Profile.BizType, Currency: &a.Profile.Currency,
		Region: &a.Profile.Region, Timezone: &a.Profile.Timezone,
	}
}

// bizTypeWords are the names of the types of business on a page.
var bizTypeWords = map[string]string{
	"retail": "Shop", "ecommerce": "Online shop", "distributor": "Distributor", "exporter": "Exporter",
}

// optionsOf returns the options of a select, with the chosen value even if it is not one
// of them.
func optionsOf(values []string, chosen string, text func(string) string) (options []views.Option) {
	if !slices.Contains(values, chosen) {
		options = append(options, views.Option{Value: chosen, Text: cmp.Or(chosen, "–"), Chosen: true})
	}
	for _, value := range values {
		options = append(options, views.Option{Value: value, Text: text(value), Chosen: value == chosen})
	}
	return options
}

// currencyOptions are the currencies to choose from.
func currencyOptions(chosen string) []views.Option {
	return optionsOf(money.Codes(), chosen, strings.ToUpper)
}

// ChangeProfile handles POST /console/settings/profile.
func (p *ConsolePages) ChangeProfile(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	value := func(name string) *string { return new(form.Value(name)) }
	typed := ProfileChange{
		Name: value("name"), BizType: value("biz-type"), Currency: value("currency"), Region: value("region"), Timezone: value("timezone"),
	}
	err := p.service.SetProfile(r.Context(), v.Account.Email, typed)
	next := "/console/settings?done=profile"
	if was := v.Account.Profile.Currency; !strings.EqualFold(was, *typed.Currency) {
		next += "&was=" + was
	}
	return redirect(w, err, next, func(problem *fault.Error) error {
		return p.settingsPage(w, r, v, &typed, problem)
	})
}

// settingsDone answers a form of the settings.
func (p *ConsolePages) settingsDone(w *web.Response, r *http.Request, v session.Visitor, err error, done string) error {
	return redirect(w, err, "/console/settings?done="+done, func(problem *fault.Error) error {
		return p.settingsPage(w, r, v, nil, problem)
	})
}

// ChangePassword handles POST /console/settings/password.
func (p *ConsolePages) ChangePassword(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	from := Caller{Address: w.Address, Browser: v.Browser}
	err := p.service.ChangePassword(r.Context(), v.Person, v.SessionID, form.Value("current"), form.Value("password"), from)
	return redirect(w, err, "/console/settings?done=password", func(problem *fault.Error) error {
		if form.Value("current") == "" && problem.Field == "password" {
			problem = &fault.Error{Code: problem.Code, Field: "current", Message: "is required"}
		}
		return p.settingsPage(w, r, v, nil, problem, checkPassword(form.Value("password")))
	})
}

// EndSession handles POST /console/settings/end.
func (p *ConsolePages) EndSession(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.EndSession(r.Context(), v.Person.ID, form.Value("id"))
	if errors.Is(err, db.ErrNotFound) {
		err = nil // it has ended already
	}
	return p.settingsDone(w, r, v, err, "ended")
}

// EndOthers handles POST /console/settings/end-others.
func (p *ConsolePages) EndOthers(w *web.Response, r *http.Request, v session.Visitor) error {
	err := p.service.EndOtherSessions(r.Context(), v.Person.ID, v.SessionID)
	return p.settingsDone(w, r, v, err, "others")
}

// ChangeMails handles POST /console/settings/mails.
func (p *ConsolePages) ChangeMails(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	err := p.service.SetWebhookMails(r.Context(), v.Account.ID, form.Value("webhook-mails") != "")
	return p.settingsDone(w, r, v, err, "profile")
}

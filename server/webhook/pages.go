package webhook

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const pagePath = "/console/webhooks"

// Pages are the console's pages of webhooks.
type Pages struct {
	service *Service
	views   *views.Set
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set) *Pages { return &Pages{s, set} }

var notices = map[string]string{
	"test":    "A test event is on its way to %s. Load the page again to see the answer.",
	"enabled": "Webhook %s is enabled.", "disabled": "Webhook %s is disabled.", "saved": "Webhook %s is changed.",
	"resent":    "The event is on its way to %s again.",
	"recovered": "What %s missed is on its way.", "missed-nothing": "%s has missed nothing since that day.",
}

// nameOf names a webhook in a sentence: what it is for, else its host.
func nameOf(hook db.Webhook) string {
	if hook.Description != "" {
		return "“" + hook.Description + "”"
	}
	if u, err := url.Parse(hook.URL); err == nil {
		return u.Host
	}
	return hook.ID
}

// shown is what the page shows beside the list.
type shown struct {
	open, delivery, before string
	form                   *views.WebhookForm
	secret                 *views.NewSecret
	problem                *fault.Error
	wrong                  map[string]string // what is wrong with each field of the form
}

// Show handles GET /console/webhooks.
func (p *Pages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	extra := shown{open: q.Get("open"), delivery: q.Get("delivery"), before: q.Get("before")}
	switch {
	case q.Has("new"):
		extra = shown{form: p.form(v, NewWebhook{})}
	case q.Has("edit"):
		hook, err := p.service.Find(r.Context(), v.Account.ID, extra.open)
		if err != nil {
			return err
		}
		extra.form = editForm(hook.ID, Version(hook), NewWebhook{URL: hook.URL, Events: names(hook.Events), Description: hook.Description})
	}
	return p.show(w, r, v, extra)
}

func (p *Pages) show(w *web.Response, r *http.Request, v session.Visitor, extra shown) error {
	all, err := p.service.List(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	page := views.Webhooks{Frame: v.Frame("Webhooks"), New: extra.form, Secret: extra.secret, Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "webhooks"
	done := r.URL.Query().Get("done")
	if done == "deleted" {
		page.Notice = "The webhook is deleted."
	}
	for _, hook := range all {
		row := rowOf(hook)
		row.Current = hook.ID == extra.open
		if notice := notices[done]; row.Current && notice != "" && extra.problem == nil {
			page.Notice = fmt.Sprintf(notice, nameOf(hook))
		}
		page.Rows = append(page.Rows, row)
	}
	if extra.open != "" {
		if page.Open, err = p.detail(r, v, extra); err != nil {
			return err
		}
	}
	status, sentence, field := views.Report(w, extra.problem)
	page.Problem, page.Field, page.Wrong = sentence, field, extra.wrong
	return p.views.Render(w, status, page)
}

var whyDisabled = map[db.DisabledReason]string{
	db.DisabledGone: "Its receiver answered 410 Gone, so it was disabled.", db.DisabledFailing: "Nothing arrived for five days, so it was disabled.",
}

func rowOf(hook db.Webhook) views.WebhookRow {
	return views.WebhookRow{
		ID: hook.ID, URL: hook.URL, Description: hook.Description, Events: strings.Join(names(hook.Events), ", "), Enabled: hook.Enabled,
		Failing: !hook.FailingSince.IsZero(), Why: whyDisabled[hook.Reason], Link: pagePath + "?open=" + url.QueryEscape(hook.ID),
	}
}

func (p *Pages) detail(r *http.Request, v session.Visitor, extra shown) (*views.WebhookDetail, error) {
	hook, err := p.service.Find(r.Context(), v.Account.ID, extra.open)
	if err != nil {
		return nil, err
	}
	log, err := p.service.Deliveries(r.Context(), v.Account.ID, hook.ID, Filter{Before: extra.before, Limit: pageSize})
	if err != nil {
		return nil, err
	}
	d := &views.WebhookDetail{WebhookRow: rowOf(hook), Version: Version(hook), CreatedAt: hook.CreatedAt}
	if hook.OldSecretEndsAt.After(p.service.Clock()) {
		d.OldSecretEndsAt = hook.OldSecretEndsAt
	}
	for _, k := range event.Kinds {
		d.Tests = append(d.Tests, views.Option{Value: string(k), Text: string(k), Chosen: k == hook.Events[0]})
	}
	for _, one := range log {
		row := deliveryRow(one, d.Link)
		row.Current = one.ID == extra.delivery
		d.Deliveries = append(d.Deliveries, row)
	}
	if extra.before != "" {
		d.Pager.Newest = d.Link
	}
	if len(log) == pageSize {
		d.Pager.Older = d.Link + "&before=" + url.QueryEscape(log[len(log)-1].ID)
	}
	if extra.delivery != "" {
		d.Delivery, err = p.delivery(r, v, hook.ID, extra.delivery, d.Link)
	}
	return d, err
}

func deliveryRow(d db.Delivery, link string) views.DeliveryRow {
	row := views.DeliveryRow{
		ID: d.ID, Event: string(d.Kind), Cause: string(d.Cause), Status: string(d.State), Attempts: int64(d.Attempts), At: d.CreatedAt,
		Link: link + "&delivery=" + url.QueryEscape(d.ID),
	}
	if d.Last.Code > 0 {
		row.Code = strconv.Itoa(d.Last.Code)
	}
	return row
}

func (p *Pages) delivery(r *http.Request, v session.Visitor, hookID, id, link string) (*views.DeliveryDetail, error) {
	d, body, err := p.service.Delivery(r.Context(), v.Account.ID, hookID, id)
	if err != nil {
		return nil, err
	}
	shown := &views.DeliveryDetail{DeliveryRow: deliveryRow(d, link), EventID: d.EventID, Problem: d.Last.Problem, Body: views.IndentJSON(body), Answer: d.Last.Answer,
		SentHeaders: d.Last.SentHeaders, AnswerHeaders: d.Last.AnswerHeaders}
	if d.Attempts > 0 && d.State != db.DeliverySending {
		shown.Duration = strconv.FormatInt(d.Last.Duration.Milliseconds(), 10) + " ms"
	}
	if d.State == db.DeliveryQueued {
		shown.NextTry = d.DueAt
	}
	return shown, nil
}

// form returns the form of a new webhook.
func (p *Pages) form(v session.Visitor, n NewWebhook) *views.WebhookForm {
	f := filled(n)
	f.Ticket = v.Ticket(db.NewWebhookID(p.service.Clock()))
	return f
}

// editForm returns the form that changes a version of a webhook.
func editForm(id, shown string, n NewWebhook) *views.WebhookForm {
	f := filled(n)
	f.ID, f.Version = id, shown
	return f
}

// meanings says when an event of a kind is sent; they are the summaries in openapi.yaml.
var meanings = map[event.Kind]string{
	event.SaleCreated:           "A sale was stored",
	event.PurchaseOrderReceived: "The goods of a purchase order were booked in",
	event.StockLow:              "A product has reached its reorder point",
	event.PulseUpdated:          "A figure of the pulse has changed",
	event.AlertTriggered:        "An alert has begun",
	event.BriefReady:            "The daily brief was written",
	event.SyncCompleted:         "A push or an import was stored",
	event.ChurnScanCompleted:    "The nightly scan for silent customers has ended",
}

func filled(n NewWebhook) *views.WebhookForm {
	f := &views.WebhookForm{URL: n.URL, Description: n.Description}
	for _, k := range event.Kinds {
		o := views.Option{Value: string(k), Text: string(k), Chosen: slices.Contains(n.Events, string(k))}
		f.Events = append(f.Events, views.EventOption{Option: o, Means: meanings[k]})
	}
	return f
}

// typed returns what a form has; Events is not nil.
func typed(form web.Form) NewWebhook {
	n := NewWebhook{URL: form.Value("url"), Events: form.All("events"), Description: form.Value("description")}
	switch {
	case form.Value("all") != "":
		n.Events = names(event.Kinds)
	case n.Events == nil:
		n.Events = []string{}
	}
	return n
}

// wrong says what is wrong with each field, so that a form shows all of it at once.
func (s *Service) wrong(n NewWebhook) map[string]string {
	var problems []error
	for _, c := range []Change{{URL: &n.URL}, {Events: n.Events}, {Description: &n.Description}} {
		problems = append(problems, s.apply(&db.Webhook{}, c))
	}
	return views.Wrong(problems...)
}

// Create handles POST /console/webhooks. The answer has the secret; the same form, sent
// again, makes nothing.
func (p *Pages) Create(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	n := typed(form)
	id, err := v.TicketID(form.Value("ticket"))
	if err != nil {
		return p.show(w, r, v, shown{form: p.form(v, n), problem: web.UserError(err)})
	}
	n.ID = id
	made, secret, err := p.service.Create(r.Context(), v.Account.ID, n)
	if errors.Is(err, db.ErrConflict) {
		return p.show(w, r, v, shown{open: id, problem: &fault.Error{
			Code: fault.Conflict, Message: "this form was sent before: the webhook was made then, and its secret is not shown again; rotate it if you have not kept it",
		}})
	}
	if problem := web.UserError(err); problem != nil {
		return p.show(w, r, v, shown{form: p.form(v, n), problem: problem, wrong: p.service.wrong(n)})
	}
	if err != nil {
		return err
	}
	return p.show(w, r, v, shown{secret: &views.NewSecret{KeyID: made.ID, Secret: secret}})
}

// version returns the version that a form was made for; not empty.
func version(form web.Form) string { return cmp.Or(form.Value("version"), "none") }

// Edit handles POST /console/webhooks/edit. It changes only the version that the form was
// made for; the same form, sent again, changes nothing.
func (p *Pages) Edit(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id, n := form.Value("id"), typed(form)
	_, err := p.service.Change(r.Context(), v.Account.ID, id, Change{URL: &n.URL, Events: n.Events, Description: &n.Description, Version: version(form)})
	if problem := web.UserError(err); problem != nil && problem.Code == fault.InvalidRequest {
		return p.show(w, r, v, shown{open: id, form: editForm(id, version(form), n), problem: problem, wrong: p.service.wrong(n)})
	}
	return p.answer(w, r, v, id, "saved", err)
}

// Rotate handles POST /console/webhooks/rotate. The same form, sent again, rotates nothing.
func (p *Pages) Rotate(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id := form.Value("id")
	hook, secret, err := p.service.RotateSecret(r.Context(), v.Account.ID, id, Rotation{DefaultOverlap, version(form)})
	if err != nil {
		return p.answer(w, r, v, id, "", err)
	}
	return p.show(w, r, v, shown{secret: &views.NewSecret{KeyID: id, Secret: secret, Rotated: true, OldEndsAt: hook.OldSecretEndsAt}})
}

// Test handles POST /console/webhooks/test.
func (p *Pages) Test(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "test", func(id string) error {
		_, err := p.service.Test(r.Context(), v.Account.ID, id, form.Value("event"))
		return err
	})
}

// Enable handles POST /console/webhooks/enable.
func (p *Pages) Enable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "enabled", p.set(r, v, true))
}

// Disable handles POST /console/webhooks/disable.
func (p *Pages) Disable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "disabled", p.set(r, v, false))
}

func (p *Pages) set(r *http.Request, v session.Visitor, enabled bool) func(id string) error {
	return func(id string) error {
		_, err := p.service.Change(r.Context(), v.Account.ID, id, Change{Enabled: &enabled})
		return err
	}
}

// Resend handles POST /console/webhooks/resend.
func (p *Pages) Resend(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "resent", func(id string) error {
		_, err := p.service.Resend(r.Context(), v.Account.ID, id, form.Value("delivery"))
		return err
	})
}

// Recover handles POST /console/webhooks/recover; the day is of the account's zone.
func (p *Pages) Recover(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	id := form.Value("id")
	since, err := time.ParseInLocation(time.DateOnly, form.Value("since"), zone.Of(v.Account.Profile.Timezone))
	if err != nil {
		return p.answer(w, r, v, id, "", fault.Invalid("since", "must be a day, like 2026-03-31"))
	}
	n, err := p.service.RecoverSince(r.Context(), v.Account.ID, id, since)
	if err == nil && n == 0 {
		return p.answer(w, r, v, id, "missed-nothing", nil)
	}
	return p.answer(w, r, v, id, "recovered", err)
}

// Delete handles POST /console/webhooks/delete.
func (p *Pages) Delete(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if err := p.service.Delete(r.Context(), v.Account.ID, form.Value("id")); err != nil {
		return err
	}
	return w.Redirect(pagePath + "?done=deleted")
}

// change answers a form that acts on the visitor's webhook.
func (p *Pages) change(w *web.Response, r *http.Request, v session.Visitor, form web.Form, done string, do func(id string) error) error {
	id := form.Value("id")
	return p.answer(w, r, v, id, done, do(id))
}

// answer shows the webhook with what went wrong, or leads to it and says what was done.
func (p *Pages) answer(w *web.Response, r *http.Request, v session.Visitor, id, done string, err error) error {
	problem := web.UserError(err)
	if problem != nil && problem.Code != fault.NotFound {
		return p.show(w, r, v, shown{open: id, problem: problem})
	}
	if err != nil {
		return err
	}
	return w.Redirect(pagePath + "?" + url.Values{"open": {id}, "done": {done}}.Encode())
}

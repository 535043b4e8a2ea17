package account

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	keysPath = "/console/keys"
	keyRows  = 50 // of a page
)

// KeyPages are the pages of an account's API keys.
type KeyPages struct {
	service *Service
	views   *views.Set
	baseURL string // of the API, for examples
}

// NewKeyPages returns the pages of a service.
func NewKeyPages(service *Service, set *views.Set, baseURL string) *KeyPages {
	return &KeyPages{service, set, baseURL}
}

// keyNotices are what the page says after the redirect that answers a form.
var keyNotices = map[string]string{
	"disabled": "Key “%s” is disabled. Its next call is refused.",
	"enabled":  "Key “%s” works again.",
	"saved":    "Key “%s” is saved.",
	"ended":    "The old secret of key “%s” has ended. Only the newest one works.",
}

// keysShown is what the page shows beside the list.
type keysShown struct {
	open    string // id of a key
	form    *views.KeyForm
	secret  *views.NewSecret
	label   *string // as it was typed for the open key, nil for the stored one
	problem *fault.Error
}

// Show handles GET /console/keys.
func (p *KeyPages) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	q := r.URL.Query()
	extra := keysShown{open: q.Get("open")}
	if q.Has("new") || q.Get("like") != "" {
		form, err := p.newForm(r, v, q.Get("like"), q.Get("app"))
		if err != nil {
			return err
		}
		extra = keysShown{form: form}
	}
	return p.show(w, r, v, extra)
}

// show renders the list with what is open beside it.
func (p *KeyPages) show(w *web.Response, r *http.Request, v session.Visitor, extra keysShown) error {
	all, err := p.service.KeyStates(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	list := readKeyList(r)
	page := views.Keys{
		Frame: v.Frame("Keys"), Search: list.filter.Search, Sort: list.filter.Sort, Filtered: list.filtered(),
		Envs: optionsOf([]string{"", "test", "live"}, string(list.filter.Env), envWords), States: optionsOf([]string{"", "on", "off"}, list.filter.State, stateWords),
		Heads: list.heads(), Total: int64(len(all)), New: extra.form, Close: list.address("open", ""), Secret: extra.secret, Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "keys"
	now := p.service.Clock()
	for _, k := range list.page(list.filter.Apply(all), &page.Pager) {
		row := keyRow(k, now, list.address("open", k.ID))
		row.Current = k.ID == extra.open || extra.secret != nil && k.ID == extra.secret.KeyID
		page.Rows = append(page.Rows, row)
	}
	if extra.open != "" {
		at := slices.IndexFunc(all, func(k KeyState) bool { return k.ID == extra.open })
		if at < 0 {
			return &fault.Error{Code: fault.NotFound, Message: "there is no such key"}
		}
		if page.Open, err = p.detail(r, v, all[at]); err != nil {
			return err
		}
		page.Open.Label = *cmp.Or(extra.label, &page.Open.Label)
		if notice := keyNotices[r.URL.Query().Get("done")]; notice != "" && extra.problem == nil {
			page.Notice = fmt.Sprintf(notice, page.Open.Name)
		}
	}
	status, sentence, field := views.Report(w, extra.problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

func keyRow(k KeyState, now time.Time, link string) views.KeyRow {
	return views.KeyRow{
		ID: k.ID, Name: cmp.Or(k.Label, k.Name()), Masked: k.Prefix + "…" + k.LastFour, LastFour: k.LastFour, Env: string(k.Env), Mode: string(k.Mode), App: k.App,
		UsedAt: k.UsedAt, Calls: figure(k.Use.Calls), Spend: usd(k.Use.SpentCents),
		Disabled: !k.DisabledAt.IsZero(), Rotating: k.RotatingAt(now), Link: link,
	}
}

func (p *KeyPages) detail(r *http.Request, v session.Visitor, k KeyState) (*views.KeyDetail, error) {
	apps, err := p.service.Apps(r.Context(), v.Account.Email)
	if err != nil {
		return nil, err
	}
	now := p.service.Clock()
	d := &views.KeyDetail{
		KeyRow: keyRow(k, now, ""), Label: k.Label, Month: counted(k.Use.Calls, "call"),
		CreatedAt: k.CreatedAt, DisabledAt: k.DisabledAt, Apps: appOptions(apps, k.App), Graces: graceOptions("24"),
		Similar: keysPath + "?like=" + url.QueryEscape(k.ID), Ledger: ledgerPath + "?kind=debit&key=" + url.QueryEscape(k.ID),
	}
	if k.RotatingAt(now) {
		d.OldEndsAt = k.OldEndsAt
	}
	if limit := v.Account.Plan.Limits().Month; limit >= 0 {
		d.Month = figure(k.Use.Calls) + " of " + counted(limit, "call")
	}
	for _, endpoint := range db.WindowedEndpoints {
		l, _ := db.DefaultLimits(endpoint)
		at := slices.IndexFunc(k.Limits, func(own db.KeyLimits) bool { return own.Endpoint == endpoint })
		if at >= 0 {
			l = k.Limits[at].EndpointLimits
		}
		d.Limits = append(d.Limits, views.KeyLimit{Endpoint: endpoint, Minute: figure(l.Minute), Hour: figure(l.Hour), Own: at >= 0})
	}
	return d, nil
}

// newForm returns the form for a new key of an app, or for one like an existing key.
func (p *KeyPages) newForm(r *http.Request, v session.Visitor, like, app string) (*views.KeyForm, error) {
	req := NewKey{Env: string(db.Test), Mode: string(db.AccountMode), App: app}
	name := ""
	if like != "" {
		all, err := p.service.KeyStates(r.Context(), v.Account.ID)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(all, func(k KeyState) bool { return k.ID == like })
		if at < 0 {
			return nil, &fault.Error{Code: fault.NotFound, Message: "there is no such key"}
		}
		k := all[at]
		req, name = NewKey{Env: string(k.Env), Mode: string(k.Mode), Label: k.Label, App: k.App}, k.Name()
	}
	form, err := p.form(r, v, req)
	if err == nil {
		form.Like = name
	}
	return form, err
}

// form returns the form of a request, with a ticket for another key.
func (p *KeyPages) form(r *http.Request, v session.Visitor, req NewKey) (*views.KeyForm, error) {
	apps, err := p.service.Apps(r.Context(), v.Account.Email)
	if err != nil {
		return nil, err
	}
	return &views.KeyForm{
		Ticket: v.Ticket(db.NewKeyID(p.service.Clock())), Label: req.Label, Apps: appOptions(apps, req.App),
		Envs: optionsOf([]string{"test", "live"}, req.Env, envDetails), Modes: optionsOf([]string{"account", "generic"}, req.Mode, modeWords),
	}, nil
}

// Create handles POST /console/keys. The answer has the secret. The same form, sent again,
// makes no second key and shows no secret.
func (p *KeyPages) Create(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	req := NewKey{
		Account: v.Account.Email, Env: form.Value("env"), Mode: form.Value("mode"), Label: form.Value("label"), App: form.Value("app"),
	}
	var k db.Key
	var secret db.Secret
	id, err := v.TicketID(form.Value("ticket"))
	if err == nil {
		req.ID = id
		k, secret, err = p.service.CreateKey(r.Context(), req)
	}
	problem := web.UserError(err)
	switch {
	case err == nil:
		return p.show(w, r, v, keysShown{secret: p.newSecret(r, v, k, secret)})
	case id != "" && problem != nil && problem.Code == fault.Conflict:
		again := &fault.Error{Code: fault.Conflict, Message: "this form was sent before: the key was made then, and its secret is not shown again; if you have not kept it, rotate the key"}
		return p.show(w, r, v, keysShown{open: id, problem: again})
	case problem == nil:
		return err
	}
	again, err := p.form(r, v, req)
	if err != nil {
		return err
	}
	return p.show(w, r, v, keysShown{form: again, problem: problem})
}

func (p *KeyPages) newSecret(r *http.Request, v session.Visitor, k db.Key, secret db.Secret) *views.NewSecret {
	shown := &views.NewSecret{KeyID: k.ID, Secret: string(secret), Disabled: !k.DisabledAt.IsZero()}
	if !shown.Disabled {
		asks, err := p.service.canAsk(r.Context(), v.Account)
		shown.Curl = p.curl(k, secret, asks && err == nil) // the secret is shown now or never
		if shown.Call = "getLandedCost"; asks && err == nil || k.Mode == db.GenericMode {
			shown.Call = "ask"
		}
	}
	return shown
}

// curl returns a command that works with a new key at once, costs nothing, and is answered
// with figures: a question if there is something to ask about, else what imported goods cost.
// A generic key answers from the context alone.
func (p *KeyPages) curl(k db.Key, secret db.Secret, asks bool) string {
	body := `{"question":"How were sales this month?"}`
	switch {
	case k.Mode == db.GenericMode:
		body = `{"question":"What is my margin?","context":{"currency":"gbp","revenue":12000,"margin":41.5}}`
	case !asks:
		const goods = "-d goods_value=1200 -d currency=gbp -d quantity=100 \\\n  -d freight=150 -d duty_rate=6.5 -d vat_rate=20"
		return fmt.Sprintf("curl -G %s/api/v1/tools/landed-cost \\\n  -H 'x-api-key: %s' \\\n  %s", p.baseURL, secret, goods)
	}
	return fmt.Sprintf("curl %s/api/v1/ask \\\n  -H 'x-api-key: %s' \\\n  -H 'Content-Type: application/json' \\\n  -d '%s'", p.baseURL, secret, body)
}

// Rotate handles POST /console/keys/rotate. The answer has the new secret. The same form,
// sent again, rotates nothing.
func (p *KeyPages) Rotate(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	ref := KeyRef{ID: form.Value("id"), AccountID: v.Account.ID}
	hours, err := strconv.Atoi(form.Value("grace"))
	if err != nil {
		return fault.Invalid("grace", "must be a number of hours")
	}
	lastFour := form.Value("last-four")
	if lastFour == "" {
		return fault.Invalid("last-four", "is required")
	}
	k, secret, err := p.service.RotateKey(r.Context(), Rotation{Key: ref, Grace: time.Duration(hours) * time.Hour, LastFour: lastFour})
	problem := web.UserError(err)
	if problem != nil && problem.Code == fault.Conflict {
		problem.Message = "this form was sent before: the key was rotated then, and its secret is not shown again; rotate it once more if you have not kept it"
	}
	if problem != nil && problem.Code != fault.NotFound {
		return p.show(w, r, v, keysShown{open: ref.ID, problem: problem})
	}
	if err != nil {
		return err
	}
	shown := p.newSecret(r, v, k, secret)
	shown.Rotated = true
	if k.OldEndsAt.After(p.service.Clock()) {
		shown.OldEndsAt = k.OldEndsAt
	}
	return p.show(w, r, v, keysShown{secret: shown})
}

// Disable handles POST /console/keys/disable.
func (p *KeyPages) Disable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "disabled", func(ref KeyRef) error { return p.service.SetKeyEnabled(r.Context(), ref, false) })
}

// Enable handles POST /console/keys/enable.
func (p *KeyPages) Enable(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "enabled", func(ref KeyRef) error { return p.service.SetKeyEnabled(r.Context(), ref, true) })
}

// Edit handles POST /console/keys/edit.
func (p *KeyPages) Edit(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "saved", func(ref KeyRef) error {
		return p.service.EditKey(r.Context(), ref, form.Value("label"), form.Value("app"))
	})
}

// EndOld handles POST /console/keys/end-old.
func (p *KeyPages) EndOld(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	return p.change(w, r, v, form, "ended", func(ref KeyRef) error {
		_, _, err := p.service.EndOldSecrets(r.Context(), ref)
		return err
	})
}

// change answers a form that changes the visitor's key.
func (p *KeyPages) change(w *web.Response, r *http.Request, v session.Visitor, form web.Form, done string, do func(KeyRef) error) error {
	ref := KeyRef{ID: form.Value("id"), AccountID: v.Account.ID}
	err := do(ref)
	if problem := web.UserError(err); problem != nil && problem.Code == fault.NotFound {
		return err
	}
	next := keysPath + "?" + url.Values{"open": {ref.ID}, "done": {done}}.Encode()
	return redirect(w, err, next, func(problem *fault.Error) error {
		extra := keysShown{open: ref.ID, problem: problem}
		if problem.Field == "label" {
			label := form.Value("label")
			extra.label = &label
		}
		return p.show(w, r, v, extra)
	})
}

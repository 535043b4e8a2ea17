package requestlog

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

const (
	logPath   = "/console/requests"
	usagePath = "/console/usage"
	keysPath  = "/console/keys"
	pageRows  = 50
)

// Pages are the console's pages of an account's calls.
type Pages struct {
	service *Service
	views   *views.Set
	baseURL string // of the API
}

// NewPages returns the pages of a service. Their command lines call baseURL.
func NewPages(s *Service, set *views.Set, baseURL string) *Pages { return &Pages{s, set, baseURL} }

// logForm is the filter of the log as the address has it.
type logForm struct{ key, route, status, day, id, before, live, open string }

func readLogForm(r *http.Request) logForm {
	q := r.URL.Query()
	return logForm{
		q.Get("key"), q.Get("route"), q.Get("status"), q.Get("day"), strings.TrimSpace(q.Get("id")), q.Get("before"), q.Get("live"), q.Get("open"),
	}
}

// address returns the address of the page with this filter.
func (f logForm) address() string {
	q := url.Values{}
	for name, value := range map[string]string{
		"key": f.key, "route": f.route, "status": f.status, "day": f.day, "id": f.id, "before": f.before, "live": f.live, "open": f.open,
	} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return (&url.URL{Path: logPath, RawQuery: q.Encode()}).String()
}

func (f logForm) opening(id string) logForm  { f.open = id; return f }
func (f logForm) living(live string) logForm { f.live, f.before = live, ""; return f }

func (f logForm) from(seq int64) logForm {
	f.before, f.open = "", ""
	if seq > 0 {
		f.before = strconv.FormatInt(seq, 10)
	}
	return f
}

// filtered reports whether the form picks some calls of all.
func (f logForm) filtered() bool { return f.key+f.route+f.status+f.day+f.id != "" }

// paused is the value of live for a page that does not change by itself.
const paused = "off"

// filter returns the filter of the form, of an account whose keys are these.
func (f logForm) filter(owner db.Account, keys []db.Key) (db.RequestFilter, error) {
	filter := db.RequestFilter{AccountID: owner.ID, KeyID: f.key, Route: f.route, ID: f.id}
	if f.key != "" && !slices.ContainsFunc(keys, func(k db.Key) bool { return k.ID == f.key }) {
		return filter, errNoKey
	}
	if f.status != "" {
		n, err := strconv.Atoi(f.status)
		if err != nil || n < 1 || n > 599 || n > 5 && n < 100 {
			return filter, fault.Invalid("status", "must be from 100 to 599, or from 1 to 5 for all that begin with it")
		}
		filter.Status = n
	}
	if f.day != "" {
		day, err := time.ParseInLocation(time.DateOnly, f.day, zone.Of(owner.Profile.Timezone))
		if err != nil {
			return filter, fault.Invalid("day", "must be a day, like 2026-03-31")
		}
		filter.From, filter.Until = day, day.AddDate(0, 0, 1)
	}
	return filter, nil
}

// ShowRequests handles GET /console/requests.
func (p *Pages) ShowRequests(w *web.Response, r *http.Request, v session.Visitor) error {
	form := readLogForm(r)
	keys, err := p.service.Keys(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	filter, err := form.filter(v.Account, keys)
	problem := web.UserError(err)
	if err != nil && (problem == nil || problem.Code == fault.NotFound) {
		return err
	}

	page := views.Requests{
		Frame: v.Frame("Requests"), Keys: keyOptions(keys, form.key), Routes: routeOptions(form.route), Statuses: statusOptions(form.status),
		Day: form.day, ID: form.id, Filtered: form.filtered(), HasKeys: len(keys) > 0, Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "requests"
	shown := presenter{form: form, plan: v.Account.Plan, keys: map[string]db.Key{}}
	for _, k := range keys {
		shown.keys[k.ID] = k
	}
	if problem == nil {
		if err := p.list(r, &page, v.Account, shown, filter); err != nil {
			return err
		}
	}
	if err := p.open(r, &page, shown, v.Account.ID); err != nil {
		return err
	}
	status, sentence, field := views.Report(w, problem)
	page.Problem, page.Field = sentence, field
	return p.views.Render(w, status, page)
}

// list fills the list of a page, with the addresses of its other parts.
func (p *Pages) list(r *http.Request, page *views.Requests, owner db.Account, shown presenter, filter db.RequestFilter) error {
	form := shown.form
	before, _ := strconv.ParseInt(form.before, 10, 64) // anything else is the first page
	found, err := p.find(r, filter, before)
	if err != nil {
		return err
	}
	for _, call := range found.Requests {
		page.Rows = append(page.Rows, shown.row(call))
	}
	if page.Total, err = p.total(r, owner, shown, filter); err != nil {
		return err
	}
	switch {
	case before > 0:
		page.Pager.Newest = form.from(0).address()
	case form.live == paused:
		page.Resume = form.living("").address()
	default:
		page.Refresh, page.Pause = form.address(), form.living(paused).address()
	}
	switch older := form.from(found.Before).address(); {
	case found.Before > 0 && found.Partial:
		page.Further = older
	case found.Before > 0:
		page.Pager.Older = older
	}
	return nil
}

// total says how many calls of the log a filter picks; it is empty for one of an id, and while
// older calls are not counted yet.
func (p *Pages) total(r *http.Request, owner db.Account, shown presenter, filter db.RequestFilter) (string, error) {
	if filter.ID != "" {
		return "", nil
	}
	used, err := p.service.Usage(r.Context(), owner, usualSpan+1) // the day that began 30 days ago, too
	if err != nil || used.Partial {
		return "", err
	}
	var n int64
	for _, s := range used.Sums {
		switch {
		case filter.KeyID != "" && s.KeyID != filter.KeyID, filter.Route != "" && s.Route != filter.Route, shown.form.day != "" && s.Day != shown.form.day:
		case filter.Status != 0 && s.Status != filter.Status && s.Status/100 != filter.Status:
		default:
			n += s.Calls
		}
	}
	if n == 1 {
		return "1 call", nil
	}
	return money.Digits(n, 0) + " calls", nil
}

// find reads the calls of a list: the one of a request id, or those that a filter picks.
func (p *Pages) find(r *http.Request, filter db.RequestFilter, before int64) (Calls, error) {
	if _, ok := db.IDTime("req_", filter.ID); !ok {
		return p.service.Calls(r.Context(), filter, before, pageRows)
	}
	call, err := p.service.Call(r.Context(), filter.AccountID, filter.ID)
	if problem := web.UserError(err); problem != nil && problem.Code == fault.NotFound {
		return Calls{}, nil
	}
	return Calls{Requests: []db.Request{call}}, err
}

// open fills the call beside the list. A NotFound: it is not one of the account's.
func (p *Pages) open(r *http.Request, page *views.Requests, shown presenter, accountID string) error {
	if shown.form.open == "" {
		return nil
	}
	call, err := p.service.Call(r.Context(), accountID, shown.form.open)
	if err != nil {
		return err
	}
	debit, err := p.service.Debit(r.Context(), call)
	if err != nil {
		return err
	}
	opened := shown.opened(call, p.baseURL)
	if debit > 0 {
		opened.Entry = "/console/wallet/ledger?before=" + strconv.FormatInt(debit+1, 10)
	}
	page.Open = &opened
	return nil
}

// presenter words calls for a page.
type presenter struct {
	form logForm
	plan db.Plan
	keys map[string]db.Key
}

func (p presenter) row(r db.Request) views.Call {
	key := p.keys[r.KeyID]
	c := views.Call{
		Number: r.Seq, ID: r.ID, Link: p.form.opening(r.ID).address(), Method: r.Method, Route: r.Route, Status: r.Status, Tag: TagOf(r.Status),
		Why: outcomeOf(r, p.plan).short, Key: keyName(key), Cost: "–", Test: key.Env == db.Test, At: r.At, Open: r.ID == p.form.open,
		Took: took(r.Duration),
	}
	if r.ChargeCents > 0 {
		c.Cost = money.Format(r.ChargeCents, "usd")
	}
	if r.ReplayOf != "" {
		c.Why = strings.TrimSuffix("replay, "+c.Why, ", ")
	}
	if key.ID != "" {
		c.KeyLink = keysPath + "?open=" + url.QueryEscape(key.ID)
	}
	return c
}

// took writes a duration as people compare them: 0.4 ms, 120 ms, 2.1 s.
func took(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000)
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	}
	return fmt.Sprintf("%.1f s", d.Seconds())
}

func (p presenter) opened(r db.Request, baseURL string) views.OpenCall {
	words, row := outcomeOf(r, p.plan), p.row(r)
	o := views.OpenCall{
		Call: row, Close: p.form.opening("").address(), Answer: words.answer, Advice: words.advice, Way: words.way, WayText: words.name,
		CostText: costText(r, row.Test), First: r.ReplayOf == "", Original: r.ReplayOf, ClientID: r.ClientRequestID,
	}
	if r.ReplayOf != "" {
		o.OriginalLink = p.form.opening(r.ReplayOf).address()
	}
	if o.Cost == "–" {
		o.Cost = "Nothing."
	}
	o.Curl, o.Example = curl(baseURL, r.Method, r.Route)
	return o
}

// keyName names a key to its owner: its label and the end of its secret, which tells two
// keys with the same label apart.
func keyName(k db.Key) string {
	if k.ID == "" {
		return "unknown key"
	}
	return cmp.Or(k.Label, string(k.Env)) + " …" + k.LastFour
}

func keyOptions(keys []db.Key, chosen string) []views.Option {
	all := []views.Option{{Text: "All keys"}}
	for _, k := range keys {
		all = append(all, views.Option{Value: k.ID, Text: keyName(k), Chosen: k.ID == chosen})
	}
	return all
}

func routeOptions(chosen string) []views.Option {
	all := []views.Option{{Text: "All endpoints"}}
	for _, e := range Endpoints {
		if !slices.ContainsFunc(all, func(o views.Option) bool { return o.Value == e.Route }) {
			all = append(all, views.Option{Value: e.Route, Text: e.Route, Chosen: e.Route == chosen})
		}
	}
	return all
}

func statusOptions(chosen string) []views.Option {
	all := []views.Option{{Text: "All answers"}, {Value: "2", Text: "Succeeded (2xx)"}, {Value: "4", Text: "Refused (4xx)"}, {Value: "5", Text: "Failed (5xx)"}}
	for _, code := range []int{400, 402, 403, 409, 422, 429, 500, 502, 503} {
		all = append(all, views.Option{Value: strconv.Itoa(code), Text: fmt.Sprint(code, " ", http.StatusText(code))})
	}
	known := false
	for i := range all {
		all[i].Chosen = all[i].Value == chosen
		known = known || all[i].Chosen
	}
	if !known {
		all = append(all, views.Option{Value: chosen, Text: chosen, Chosen: true})
	}
	return all
}

package requestlog

import (
	"cmp"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"svc/db"
	"svc/server/money"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// spans are the periods of the usage page, in days; the log has no older calls.
var spans = []int{7, 30}

const usualSpan = 30

// ShowUsage handles GET /console/usage.
func (p *Pages) ShowUsage(w *web.Response, r *http.Request, v session.Visitor) error {
	key, days := r.URL.Query().Get("key"), usualSpan
	if n, _ := strconv.Atoi(r.URL.Query().Get("days")); slices.Contains(spans, n) {
		days = n
	}
	standings, windows, err := p.service.Standings(r.Context(), v.Account.ID, key)
	if err != nil {
		return err
	}
	page := views.Usage{
		Frame: v.Frame("Usage and limits"), HasKeys: len(standings) > 0, Plan: string(v.Account.Plan), Zone: zone.Of(v.Account.Profile.Timezone),
	}
	page.Section = "requests"
	if !page.HasKeys {
		return p.views.Render(w, http.StatusOK, page)
	}
	used, err := p.service.Usage(r.Context(), v.Account, days)
	if err != nil {
		return err
	}
	t := newTotals(used, key, standings)
	if spent := t.addOrders(used.Orders, key); spent > 0 {
		page.SpentByPeople = money.Format(spent, "usd")
	}
	t.fill(&page)
	p.fillLimits(&page, v.Account.Plan, standings, key, windows)
	page.Partial, page.Filtered = used.Partial, key != ""
	for _, n := range spans {
		page.Spans = append(page.Spans, views.Option{Value: strconv.Itoa(n), Text: fmt.Sprintf("%d days", n), Chosen: n == days})
	}
	return p.views.Render(w, http.StatusOK, page)
}

// fillLimits fills what the keys have left and what the plans give.
func (p *Pages) fillLimits(page *views.Usage, plan db.Plan, standings []Standing, chosen string, windows []Window) {
	keys := make([]db.Key, len(standings))
	for i, s := range standings {
		keys[i] = s.Key
		row := standingRow(s, plan.Limits())
		row.Chosen = s.Key.ID == chosen
		page.Standings = append(page.Standings, row)
		page.MonthEnds = s.Meter.MonthEnds
		if s.Key.ID == chosen {
			page.Window = keyName(s.Key)
		}
	}
	inUse := slices.DeleteFunc(slices.Clone(standings), func(s Standing) bool { return s.Meter.MonthUsed == 0 && s.Key.ID != chosen })
	page.Meters = meters(inUse, plan.Limits(), chosen, shownMeters)
	page.MoreKeys = len(page.Meters) < len(standings)
	for i := range page.Meters {
		page.Meters[i].Resets = time.Time{} // the heading says it
	}
	page.Limits = planLimits(plan.Limits())
	page.Keys = keyOptions(keys, chosen)
	for _, one := range windows {
		row := views.WindowRow{Endpoint: "/" + one.Endpoint, Left: of(one.Remaining, one.Limit), Full: one.Remaining == 0}
		if one.Remaining < one.Limit {
			row.NextAt = one.NextAt
		}
		page.Windows = append(page.Windows, row)
	}
	for _, one := range db.Plans {
		l := one.Limits()
		page.Plans = append(page.Plans, views.PlanRow{
			Name: string(one), Minute: money.Digits(l.Minute, 0), Month: limitText(l.Month), Current: one == plan,
		})
	}
}

// shownMeters is how many keys the usage page has meters of above its charts.
const shownMeters = 4

// planLimits words what a plan gives each key.
func planLimits(l db.Limits) string {
	month := limitText(l.Month) + " calls a month"
	if l.Month == db.Unlimited {
		month = "any number of calls a month"
	}
	return month + ", " + limitText(l.Minute) + " a minute"
}

// meters returns the meters of this month, of one key or of those with the least left.
func meters(all []Standing, limits db.Limits, key string, most int) (out []views.Meter) {
	all = slices.DeleteFunc(slices.Clone(all), func(s Standing) bool { return !s.Key.DisabledAt.IsZero() || key != "" && s.Key.ID != key })
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(b.Meter.MonthUsed, a.Meter.MonthUsed) })
	for _, s := range all[:min(len(all), most)] {
		text := of(s.Meter.MonthUsed, limits.Month) + " calls this month"
		switch {
		case limits.Month == db.Unlimited && s.Meter.MonthUsed == 1:
			text = "1 call this month"
		case limits.Month == db.Unlimited:
			text = money.Digits(s.Meter.MonthUsed, 0) + " calls this month"
		}
		m := views.NewMeter(keyName(s.Key), usagePath+"?key="+url.QueryEscape(s.Key.ID), text, s.Meter.MonthUsed, max(limits.Month, 0), s.Meter.MonthEnds)
		m.Minute = of(s.Meter.WindowUsed, limits.Minute) + " this minute"
		out = append(out, m)
	}
	return out
}

func of(n, limit int64) string { return money.Digits(n, 0) + " of " + limitText(limit) }

func limitText(limit int64) string {
	if limit == db.Unlimited {
		return "no limit"
	}
	return money.Digits(limit, 0)
}

// fewLeft is the part of a month in per cent from which its key is marked.
const fewLeft = 80

func standingRow(s Standing, limits db.Limits) views.KeyStanding {
	id := url.QueryEscape(s.Key.ID)
	row := views.KeyStanding{
		Name: keyName(s.Key), Link: logPath + "?key=" + id, WindowsLink: usagePath + "?key=" + id + "#limits",
		Test: s.Key.Env == db.Test, Disabled: !s.Key.DisabledAt.IsZero(),
		Minute: of(s.Meter.WindowUsed, limits.Minute), Month: of(s.Meter.MonthUsed, limits.Month),
	}
	if limits.Month == db.Unlimited {
		row.Month = money.Digits(s.Meter.MonthUsed, 0)
		return row
	}
	switch used := s.Meter.MonthUsed * 100 / limits.Month; {
	case used >= 100:
		row.MonthTag, row.MonthWord = "bad", "month used up"
	case used >= fewLeft:
		row.MonthTag, row.MonthWord = "warn", fmt.Sprintf("%d %% used", used)
	}
	return row
}

// count is a number of calls, how many of them were refused or failed, and what they cost.
type count struct{ calls, bad, cents int64 }

func (c *count) add(s db.RequestSum) {
	c.calls += s.Calls
	c.cents += s.ChargeCents
	if s.Status >= http.StatusBadRequest {
		c.bad += s.Calls
	}
}

// totals add calls up by each of their sides.
type totals struct {
	days            []string
	all             count
	refused, failed int64
	day, route      map[string]*count
	key, status     map[string]*count
	names           map[string]string // of the keys
	filter          url.Values        // of the addresses of the log
}

// newTotals adds up the calls of a key, or of all if its id is empty.
func newTotals(u Usage, key string, standings []Standing) totals {
	t := totals{
		days: u.Days, day: map[string]*count{}, route: map[string]*count{}, key: map[string]*count{}, status: map[string]*count{},
		names: map[string]string{}, filter: url.Values{},
	}
	if key != "" {
		t.filter.Set("key", key)
	}
	for _, s := range standings {
		t.names[s.Key.ID] = keyName(s.Key)
	}
	for _, s := range u.Sums {
		if key != "" && s.KeyID != key {
			continue
		}
		t.all.add(s)
		switch s.Status / 100 {
		case 4:
			t.refused += s.Calls
		case 5:
			t.failed += s.Calls
		}
		for _, side := range []struct {
			in   map[string]*count
			name string
		}{{t.day, s.Day}, {t.route, s.Route}, {t.key, s.KeyID}, {t.status, strconv.Itoa(s.Status)}} {
			if side.in[side.name] == nil {
				side.in[side.name] = &count{}
			}
			side.in[side.name].add(s)
		}
	}
	return t
}

// addOrders adds what people have spent on pages, unless the totals are of one key.
func (t *totals) addOrders(byDay map[string]int64, key string) (cents int64) {
	if key != "" {
		return 0
	}
	for day, spent := range byDay {
		if t.day[day] == nil {
			t.day[day] = &count{}
		}
		t.day[day].cents += spent
		cents += spent
	}
	t.all.cents += cents
	return cents
}

// link returns the address of the log with the calls of which a side has a value.
func (t totals) link(side, value string) string {
	q := url.Values{side: {value}}
	for name, all := range t.filter {
		q[name] = all
	}
	return logPath + "?" + q.Encode()
}

func (t totals) fill(page *views.Usage) {
	page.Calls, page.Refused, page.Failed = money.Digits(t.all.calls, 0), money.Digits(t.refused, 0), money.Digits(t.failed, 0)
	page.Spent = money.Format(t.all.cents, "usd")
	page.CallsLink = (&url.URL{Path: logPath, RawQuery: t.filter.Encode()}).String()
	page.RefusedLink, page.FailedLink = t.link("status", "4"), t.link("status", "5")
	var calls []views.Point
	for _, day := range t.days {
		c := t.day[day]
		if c == nil {
			c = &count{}
		}
		calls = append(calls, views.Point{
			Label: dayLabel(day), Text: money.Digits(c.calls, 0), Value: float64(c.calls), Bad: float64(c.bad), BadText: money.Digits(c.bad, 0),
			More: money.Format(c.cents, "usd"), Link: t.link("day", day),
		})
	}
	page.ByDay = views.Bars("by-day", "Calls by day", "Day", "Calls", calls)
	page.ByDay.BadUnit, page.ByDay.Beside = "Refused or failed", "Spent"
	page.ByRoute = views.Ranking("by-route", "Calls by endpoint", "Endpoint", "Calls", t.ranked(t.route, "route", func(route string) string { return route }))
	page.ByState = views.Ranking("by-status", "Calls by answer", "Answer", "Calls", t.ranked(t.status, "status", statusName))
	page.ByKey = views.Ranking("by-key", "Calls by key", "Key", "Calls", t.ranked(t.key, "key", func(id string) string {
		if name, ok := t.names[id]; ok {
			return name
		}
		return keyName(db.Key{})
	}))
}

func dayLabel(day string) string {
	t, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return day
	}
	return t.Format("2 Jan")
}

func statusName(status string) string {
	n, _ := strconv.Atoi(status)
	return status + " " + http.StatusText(n)
}

// maxRanked bounds the bars of a chart.
const maxRanked = 12

// ranked returns the bars of one side, the most calls first.
func (t totals) ranked(in map[string]*count, side string, name func(string) string) (points []views.Point) {
	for value, c := range in {
		points = append(points, views.Point{
			Label: name(value), Text: money.Digits(c.calls, 0), Value: float64(c.calls), Link: t.link(side, value),
		})
	}
	slices.SortFunc(points, func(a, b views.Point) int {
		if a.Value != b.Value {
			return int(b.Value - a.Value)
		}
		if a.Link < b.Link {
			return -1
		}
		return 1
	})
	return points[:min(len(points), maxRanked)]
}

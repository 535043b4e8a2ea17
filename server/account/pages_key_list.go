package account

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/money"
	"svc/server/views"
)

// keyList is the list of keys as the address of the page has it.
type keyList struct {
	filter KeyFilter
	from   int // rows before the page
}

func readKeyList(r *http.Request) keyList {
	q := r.URL.Query()
	from, _ := strconv.Atoi(q.Get("from")) // anything else is the first page
	return keyList{KeyFilter{Search: q.Get("q"), Env: db.Env(q.Get("env")), State: q.Get("state"), Sort: q.Get("sort")}, max(0, from)}
}

func (l keyList) filtered() bool {
	return l.filter.Search != "" || l.filter.Env != "" || l.filter.State != ""
}

// address returns the address of the list with another value of a parameter.
func (l keyList) address(name, value string) string {
	q := url.Values{}
	for field, text := range map[string]string{
		"q": l.filter.Search, "env": string(l.filter.Env), "state": l.filter.State, "sort": l.filter.Sort, "from": strconv.Itoa(l.from), name: value,
	} {
		if text != "" && text != "0" {
			q.Set(field, text)
		}
	}
	return strings.TrimSuffix(keysPath+"?"+q.Encode(), "?")
}

// page returns the rows of the page and sets the addresses of its neighbours.
func (l keyList) page(all []KeyState, pager *views.Pager) []KeyState {
	start := min(l.from, len(all))
	end := min(start+keyRows, len(all))
	if start > 0 {
		pager.Newest = l.address("from", "")
	}
	if end < len(all) {
		pager.Older = l.address("from", strconv.Itoa(end))
	}
	return all[start:end]
}

// heads returns the heads of the columns. Names begin with the first letter, figures and times
// with the largest.
func (l keyList) heads() []views.Head {
	first := l
	first.from = 0
	return views.Heads([]views.ListColumn{
		{Title: "Label", Order: "label"}, {Title: "Environment"}, {Title: "Mode", Aside: true}, {Title: "App", Order: "app", Aside: true},
		{Title: "Last used", Order: "used", Down: true}, {Title: "Calls", Order: "calls", Down: true, Number: true},
		{Title: "Spend", Order: "spend", Down: true, Number: true, Aside: true}, {Title: "Status"},
	}, l.filter.Sort, func(order string) string { return first.address("sort", order) })
}

func envWords(env string) string {
	return map[string]string{"": "All", "test": "Test", "live": "Live"}[env]
}

func envDetails(env string) string {
	return map[string]string{"test": "Test: nothing is charged or sent", "live": "Live: calls are charged and messages are sent"}[env]
}

func stateWords(state string) string {
	return map[string]string{"": "All", "on": "Enabled", "off": "Disabled"}[state]
}

func modeWords(mode string) string {
	return map[string]string{"account": "Account: answers from your own data", "generic": "Generic: answers from what each call brings"}[mode]
}

func appOptions(apps []db.App, chosen string) []views.Option {
	options := []views.Option{{Text: "None", Chosen: chosen == ""}}
	for _, a := range apps {
		options = append(options, views.Option{Value: a.Name, Text: a.Name, Chosen: a.Name == chosen})
	}
	return options
}

func graceOptions(chosen string) (options []views.Option) {
	for _, g := range []struct{ hours, text string }{
		{"0", "Ends now"}, {"1", "Works for one more hour"}, {"24", "Works for one more day"}, {"168", "Works for one more week"}, {"720", "Works for 30 more days"},
	} {
		options = append(options, views.Option{Value: g.hours, Text: g.text, Chosen: g.hours == chosen})
	}
	return options
}

func figure(n int64) string { return money.Digits(n, 0) }

func counted(n int64, one string) string {
	if n != 1 {
		one += "s"
	}
	return figure(n) + " " + one
}

func usd(cents int64) string { return money.Format(cents, "usd") }

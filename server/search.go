package server

import (
	"context"
	"errors"
	"net/url"
	"strconv"
	"strings"

	"svc/db"
	"svc/server/carrier"
	"svc/server/console"
	"svc/server/fault"
	"svc/server/message"
	"svc/server/money"
	"svc/server/requestlog"
	"svc/server/unit"
	"svc/server/views"
)

// foundOfEach bounds what a finder of the console's search returns.
const foundOfEach = 5

// finders are what the console's search looks through, beside its pages.
func (s Services) finders() []console.Finder {
	return []console.Finder{
		{Find: s.findItems, Staff: true}, {Find: s.findMessages, Staff: true}, {Find: s.findData, Staff: true}, {Find: s.findQuestions, Staff: true},
		{Find: s.findKeys}, {Find: s.findApps}, {Find: s.findRequest}, {Find: s.findPeople},
	}
}

func (s Services) findItems(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	items, err := s.Inventories.First(ctx, a.ID, text, foundOfEach+1)
	var found []views.Found
	for _, item := range items {
		one := views.Found{Icon: "inventory", Name: item.Name, Link: "/console/inventory?open=" + url.QueryEscape(item.ID)}
		var parts []string
		if item.Price != nil {
			parts = append(parts, money.Format(*item.Price, a.Profile.Currency))
		}
		switch {
		case item.StockMilli == nil:
			parts = append(parts, "not counted")
		case *item.StockMilli < 0:
			parts = append(parts, unit.Quantity(item.StockMilli, item.Unit))
			one.Tag, one.TagClass = "below zero", "bad"
		case *item.StockMilli == 0:
			one.Tag, one.TagClass = "out of stock", "bad"
		default:
			parts = append(parts, unit.Quantity(item.StockMilli, item.Unit)+" in stock")
			if item.IsLow() {
				one.Tag, one.TagClass = "low", "warn"
			}
		}
		one.Detail = strings.Join(parts, " · ")
		found = append(found, one)
	}
	return few(views.FoundGroup{Title: "Products", Found: found}, "/console/inventory?q=", text), err
}

func (s Services) findMessages(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	sent, err := s.Messages.Search(ctx, a.ID, db.MessageFilter{Search: text}, "", foundOfEach+1)
	var found []views.Found
	for _, m := range sent.Messages {
		one := views.Found{Icon: "messages", Name: sent.Recipient(m), Detail: message.Gist(m.Text), At: m.CreatedAt, Link: "/console/messages?open=" + m.ID}
		if m.Provider == carrier.NameOutbox {
			one.Tag, one.TagClass = message.StateOf(m)
		}
		found = append(found, one)
	}
	return few(views.FoundGroup{Title: "Messages", Found: found}, "/console/messages?q=", text), err
}

func (s Services) findData(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	sets, err := s.Datasets.Named(ctx, a.ID, text)
	var found []views.Found
	for _, d := range sets {
		found = append(found, views.Found{Icon: "data", Name: d.Name, Detail: d.Period(), At: d.CreatedAt, Link: "/console/data/set/" + d.ID})
	}
	return few(views.FoundGroup{Title: "Data", Found: found}, "/console/data", ""), err
}

func (s Services) findKeys(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	keys, err := s.Accounts.Keys(ctx, a.Email)
	var found []views.Found
	for _, k := range keys {
		name := strings.TrimSpace(k.Label + " …" + k.LastFour)
		if !has(name+" "+k.ID, text) {
			continue
		}
		one := views.Found{Icon: "keys", Name: name, Detail: string(k.Mode), Tag: string(k.Env), Link: "/console/keys?open=" + k.ID}
		if k.Env == db.Test {
			one.TagClass = "test"
		}
		if !k.DisabledAt.IsZero() {
			one.Detail += " · disabled"
		}
		found = append(found, one)
	}
	return few(views.FoundGroup{Title: "Keys", Found: found}, "/console/keys?q=", text), err
}

func (s Services) findApps(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	apps, err := s.Accounts.Apps(ctx, a.Email)
	var found []views.Found
	for _, app := range apps {
		if has(app.Name+" "+app.ID, text) {
			found = append(found, views.Found{Icon: "apps", Name: app.Name, At: app.CreatedAt, Link: "/console/apps?open=" + app.ID})
		}
	}
	return few(views.FoundGroup{Title: "Apps", Found: found}, "/console/apps", ""), err
}

func (s Services) findPeople(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	people, err := s.Accounts.People(ctx, a.ID)
	var found []views.Found
	for _, p := range people.Staff {
		if has(p.Email, text) {
			found = append(found, views.Found{Icon: "people", Name: p.Email, Detail: "staff", Link: "/console/people"})
		}
	}
	for _, i := range people.Invited {
		if has(i.Email, text) {
			found = append(found, views.Found{Icon: "people", Name: i.Email, Detail: "invited", Link: "/console/people"})
		}
	}
	return few(views.FoundGroup{Title: "People", Found: found}, "/console/people", ""), err
}

// has reports whether a name has a text, whatever their case and accents.
func has(name, text string) bool { return strings.Contains(db.FoldText(name), db.FoldText(text)) }

// few keeps the first of what was found and, if there is more, adds the address of the list of
// all. An empty text: that list cannot be searched.
func few(g views.FoundGroup, list, text string) views.FoundGroup {
	if len(g.Found) > foundOfEach {
		g.Found, g.All, g.Unsearched = g.Found[:foundOfEach], list+url.QueryEscape(text), text == ""
	}
	return g
}

func (s Services) findRequest(ctx context.Context, a db.Account, text string) (g views.FoundGroup, err error) {
	r, err := s.Requests.Call(ctx, a.ID, text)
	var none *fault.Error
	if errors.As(err, &none) && none.Code == fault.NotFound {
		return g, nil
	}
	if err != nil {
		return g, err
	}
	return views.FoundGroup{Title: "Requests", Found: []views.Found{{
		Icon: "requests", Name: r.Method + " " + r.Route, At: r.At, Tag: strconv.Itoa(r.Status), TagClass: requestlog.TagOf(r.Status), Link: "/console/requests?open=" + r.ID,
	}}}, nil
}

func (s Services) findQuestions(ctx context.Context, a db.Account, text string) (views.FoundGroup, error) {
	asked, err := s.Asks.Questions(ctx, a.ID, "", text)
	var found []views.Found
	for _, q := range asked.Asked {
		found = append(found, views.Found{Icon: "ask", Name: q.Text, At: q.AskedAt, Link: "/console/ask/" + q.ID})
	}
	return few(views.FoundGroup{Title: "Questions", Found: found}, "/console/ask?search=", text), err
}

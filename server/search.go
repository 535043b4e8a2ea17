package server

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"svc/db"
	"svc/server/console"
	"svc/server/fault"
	"svc/server/views"
)

// foundOfEach bounds what a finder of the console's search returns.
const foundOfEach = 5

// finders are what the console's search looks through, beside its pages.
func (s Services) finders() []console.Finder {
	return []console.Finder{
		{Find: s.findItems, Staff: true}, {Find: s.findKeys}, {Find: s.findRequest}, {Find: s.findQuestions, Staff: true},
	}
}

func (s Services) findItems(ctx context.Context, a db.Account, text string) (found []views.Found, err error) {
	items, err := s.Inventories.First(ctx, a.ID, text, foundOfEach+1)
	for _, item := range items {
		found = append(found, views.Found{Name: item.Name, Kind: "Product", Link: "/console/inventory?open=" + url.QueryEscape(item.ID)})
	}
	return few(found, "All products", "/console/inventory?q=", text), err
}

func (s Services) findKeys(ctx context.Context, a db.Account, text string) (found []views.Found, err error) {
	keys, err := s.Accounts.Keys(ctx, a.Email)
	for _, k := range keys {
		name := strings.TrimSpace(k.Label + " …" + k.LastFour)
		if strings.Contains(strings.ToLower(name+" "+k.ID), strings.ToLower(text)) {
			found = append(found, views.Found{Name: name, Kind: "Key", Link: "/console/keys?open=" + k.ID})
		}
	}
	return few(found, "All keys", "/console/keys?q=", text), err
}

// few returns the first of what was found and, if there is more, the way to the list of all.
func few(found []views.Found, all, list, text string) []views.Found {
	if len(found) <= foundOfEach {
		return found
	}
	return append(found[:foundOfEach], views.Found{Name: all + " with “" + text + "”", Kind: "Show all", Link: list + url.QueryEscape(text)})
}

func (s Services) findRequest(ctx context.Context, a db.Account, text string) ([]views.Found, error) {
	r, err := s.Requests.Call(ctx, a.ID, text)
	var none *fault.Error
	if errors.As(err, &none) && none.Code == fault.NotFound {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return []views.Found{{Name: r.Method + " " + r.Route, Kind: "Request", Link: "/console/requests?open=" + r.ID}}, nil
}

func (s Services) findQuestions(ctx context.Context, a db.Account, text string) (found []views.Found, err error) {
	asked, err := s.Asks.Questions(ctx, a.ID, "", text)
	for _, q := range asked.Asked {
		found = append(found, views.Found{Name: q.Text, Kind: "Question", Link: "/console/ask/" + q.ID})
	}
	return few(found, "All questions", "/console/ask?search=", text), err
}

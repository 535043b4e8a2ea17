package docs

import (
	"net/http"
	"net/url"
	"strings"

	"svc/server/fault"
	"svc/server/openapi"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// firstCall is the endpoint of the page when none is chosen: it needs no key and no body.
const firstCall = "getPricing"

// Try handles GET /console/try: an endpoint as a form that the browser sends. The query `call`
// chooses it.
func (p *Pages) Try(w *web.Response, r *http.Request, v session.Visitor) error {
	id := r.URL.Query().Get("call")
	if id == "" {
		id = firstCall
	}
	return p.try(w, v, id, tried{})
}

// tried is the key that the form has.
type tried struct {
	secret string
	made   bool // by this page, which shows it once
	name   string
}

// TryWith handles POST /console/try/with: the form with a key that was shown just now, so that
// nobody copies it. The key must be one of the visitor's account.
func (p *Pages) TryWith(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	name, err := p.NameKey(r.Context(), v.Account.ID, form.Value("key"))
	if err != nil {
		return err
	}
	return p.try(w, v, form.Value("call"), tried{secret: form.Value("key"), name: name})
}

// MakeTryKey handles POST /console/try/key: it makes a test key and shows it once, in the
// form. The secret of the one before ends.
func (p *Pages) MakeTryKey(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if _, err := p.find(form.Value("call")); err != nil {
		return err
	}
	secret, err := p.TryKey(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}
	return p.try(w, v, form.Value("call"), tried{secret: string(secret), made: true})
}

var errNoCall = &fault.Error{Code: fault.NotFound, Message: "there is no such endpoint"}

// find returns an endpoint that can be tried, with its topic.
func (p *Pages) find(id string) (topic string, err error) {
	api, err := p.api()
	if err != nil {
		return "", err
	}
	for _, t := range api.Topics {
		for _, o := range t.Operations {
			if o.ID == id && api.Snippet(o, "curl") != "" {
				return t.Name, nil
			}
		}
	}
	return "", errNoCall
}

func (p *Pages) try(w *web.Response, v session.Visitor, id string, with tried) error {
	topic, err := p.find(id)
	if err != nil {
		return err
	}
	api, err := p.api()
	if err != nil {
		return err
	}
	page := views.Try{Frame: v.Frame("Try it"), Base: api.Base, Key: with.secret, KeyMade: with.made, KeyName: with.name, Reference: address(topic, "", id)}
	page.Section = "try"
	for _, t := range api.Topics {
		group := views.TryGroup{Title: t.Name}
		for _, o := range t.Operations {
			curl := api.Snippet(o, "curl")
			if curl == "" {
				continue
			}
			group.Calls = append(group.Calls, views.Option{Value: o.ID, Text: o.Method + " " + o.Path + " – " + o.Summary, Chosen: o.ID == id})
			if o.ID == id {
				fillTry(&page, o, curl)
			}
		}
		if len(group.Calls) > 0 {
			page.Groups = append(page.Groups, group)
		}
	}
	return p.Views.Render(w, http.StatusOK, page)
}

func fillTry(page *views.Try, o openapi.Operation, curl string) {
	page.ID, page.Method, page.Path, page.Name, page.Access = o.ID, o.Method, o.Path, o.Summary, string(o.Access)
	page.Description, page.Price, page.Curl = o.Description, price(o), curl
	for _, f := range o.Parameters {
		if f.Name == "X-Request-Id" {
			continue
		}
		field := views.TryField{Name: f.Name, In: f.In, Type: f.Type, Description: f.Description, Required: f.Required, Choices: f.Choices}
		if f.Required {
			field.Value = openapi.Plain(f.Example)
		}
		page.Fields = append(page.Fields, field)
	}
	if o.Body != nil && o.Body.Example != nil {
		page.Body, page.Schema = views.IndentJSON(o.Body.Example), string(o.Body.Schema)
	}
	for _, a := range o.Answers {
		if a.Status == http.StatusOK && len(a.Examples) > 0 {
			page.Example = views.IndentJSON(a.Examples[0].Value)
		}
	}
}

// tryAddress is that of the page for an endpoint.
func tryAddress(id string) string {
	return "/console/try?" + url.Values{"call": {strings.TrimSpace(id)}}.Encode()
}

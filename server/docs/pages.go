package docs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/openapi"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Pages are the reference and the changelog. They are public.
type Pages struct {
	views *views.Set
	// api is the description. It is read when it is first shown.
	api     func() (*openapi.API, error)
	changes []views.Change
	tryKey  KeyMaker
}

// KeyMaker makes a test key for the page "Try it" of an account, and ends the one before.
type KeyMaker func(ctx context.Context, accountID string) (db.Secret, error)

// NewPages returns the pages for a server at an address, with a changelog in Markdown.
func NewPages(set *views.Set, baseURL, changelog string, tryKey KeyMaker) *Pages {
	return &Pages{
		views:   set,
		api:     sync.OnceValues(func() (*openapi.API, error) { return openapi.Read(baseURL) }),
		changes: days(changelog),
		tryKey:  tryKey,
	}
}

// eventsTopic is the topic of what the server sends. It has no endpoints.
const eventsTopic = "Events"

// Home handles GET /docs.
func (p *Pages) Home(w *web.Response, _ *http.Request, v session.Visitor) error {
	api, err := p.api()
	if err != nil {
		return err
	}
	page := views.DocsHome{
		Frame: v.Frame("API reference"), Topics: topics(api, "", ""), BaseURL: api.Base, Text: api.Text,
		First: "export " + openapi.KeyVariable + "=svc_test_…\n",
	}
	for _, o := range operations(api) {
		if o.ID == "ask" {
			page.First += api.Snippet(o, "curl")
		}
		if o.PriceCents > 0 {
			page.Prices = append(page.Prices, views.DocsField{Name: o.Method + " " + o.Path, Type: price(o), Description: o.Summary + "."})
		}
	}
	for _, c := range api.Codes {
		status, meaning, _ := strings.Cut(c.Meaning, ": ")
		page.Codes = append(page.Codes, views.DocsField{Name: c.Code, Type: status, Description: meaning})
	}
	for _, plan := range db.Plans {
		limits := plan.Limits()
		row := views.DocsPlan{Name: string(plan), Month: money.Digits(limits.Month, 0), Minute: money.Digits(limits.Minute, 0)}
		if limits.Month == db.Unlimited {
			row.Month = "unlimited"
		}
		page.Plans = append(page.Plans, row)
	}
	return p.views.Render(w, http.StatusOK, page)
}

// Topic handles GET /docs/:topic. The query `lang` chooses the language of examples.
func (p *Pages) Topic(w *web.Response, r *http.Request, v session.Visitor) error {
	api, err := p.api()
	if err != nil {
		return err
	}
	slug, lang := w.Params.ByName("topic"), r.URL.Query().Get("lang")
	if !slices.ContainsFunc(openapi.Languages, func(l openapi.Language) bool { return l.ID == lang }) {
		lang = openapi.Languages[0].ID
	}
	if slug == slugOf(eventsTopic) {
		return p.views.Render(w, http.StatusOK, events(v, api, lang))
	}
	for _, t := range api.Topics {
		if slugOf(t.Name) != slug {
			continue
		}
		page := views.DocsPage{Frame: v.Frame(t.Name + " API"), Topics: topics(api, t.Name, lang), Name: t.Name, Text: t.Description}
		for _, o := range t.Operations {
			page.Endpoints = append(page.Endpoints, endpoint(api, t, o, lang))
		}
		return p.views.Render(w, http.StatusOK, page)
	}
	return &fault.Error{Code: fault.NotFound, Message: "there is no such page"}
}

// Changelog handles GET /changelog.
func (p *Pages) Changelog(w *web.Response, _ *http.Request, v session.Visitor) error {
	return p.views.Render(w, http.StatusOK, views.Changelog{Frame: v.Frame("Changes"), Changes: p.changes})
}

// days cuts a changelog at its second headings.
func days(markdown string) (all []views.Change) {
	for i, part := range strings.Split("\n"+markdown, "\n## ") {
		if i == 0 {
			continue // what stands before the first day
		}
		day, text, _ := strings.Cut(part, "\n")
		all = append(all, views.Change{Day: strings.TrimSpace(day), Text: text})
	}
	return all
}

func operations(api *openapi.API) (all []openapi.Operation) {
	for _, t := range api.Topics {
		all = append(all, t.Operations...)
	}
	return all
}

func slugOf(topic string) string { return strings.ToLower(topic) }

// address is that of a topic in a language, and of one of its endpoints if id is not empty.
func address(topic, lang, id string) string {
	to := "/docs/" + slugOf(topic)
	if lang != "" && lang != openapi.Languages[0].ID {
		to += "?lang=" + lang
	}
	if id != "" {
		to += "#" + id
	}
	return to
}

// topics is the navigation.
func topics(api *openapi.API, current, lang string) (all []views.DocsTopic) {
	for _, t := range api.Topics {
		row := views.DocsTopic{Name: t.Name, Path: address(t.Name, lang, ""), Current: t.Name == current}
		for _, o := range t.Operations {
			row.Links = append(row.Links, views.DocsLink{Method: o.Method, Title: o.Summary, Path: address(t.Name, lang, o.ID)})
		}
		all = append(all, row)
		if t.Name != "Webhooks" {
			continue
		}
		row = views.DocsTopic{Name: eventsTopic, Path: address(eventsTopic, "", ""), Current: current == eventsTopic}
		for i, e := range openapi.Events() {
			row.Links = append(row.Links, views.DocsLink{Title: string(e.Kind), Path: address(eventsTopic, "", "event-"+strconv.Itoa(i))})
		}
		all = append(all, row)
	}
	return all
}

func endpoint(api *openapi.API, t openapi.Topic, o openapi.Operation, lang string) views.DocsEndpoint {
	e := views.DocsEndpoint{
		ID: o.ID, Method: o.Method, Path: o.Path, Also: o.Also, Title: o.Summary, Description: o.Description,
		Access: access(o), Price: price(o), Parameters: docsFields(o.Parameters), Snippet: api.Snippet(o, lang), Language: lang,
	}
	if e.Snippet != "" {
		e.TryPath = tryAddress(o.ID)
	}
	if o.Idempotent {
		e.Retry = "Retry with the same `Idempotency-Key`: the first answer comes back, and nothing is done or billed twice."
	} else if o.Method != http.MethodGet && o.Access == openapi.ByKey {
		e.Retry = "`Idempotency-Key` is ignored here."
	}
	if o.Body != nil {
		e.BodyText, e.Body = cmp.Or(o.Body.Description, "JSON."), docsFields(o.Body.Fields)
	}
	for _, l := range openapi.Languages {
		e.Languages = append(e.Languages, views.Option{Value: langAddress(t.Name, l.ID, o.ID), Text: l.Name, Chosen: l.ID == lang})
	}
	for _, a := range o.Answers {
		if answer := docsAnswer(a); a.Status < 300 {
			answer.Status += " " + http.StatusText(a.Status)
			e.Done = answer
		} else {
			answer.Fields = nil // their example says it
			e.Refusals = append(e.Refusals, answer)
		}
	}
	return e
}

// langAddress is address, but names curl too, or its link would be that of the page itself.
func langAddress(topic, lang, id string) string {
	return "/docs/" + slugOf(topic) + "?lang=" + lang + "#" + id
}

func access(o openapi.Operation) string {
	switch {
	case o.Access == openapi.ByKey:
		return "with your API key"
	case o.Access == openapi.BySession:
		return "signed in to the console, not with a key"
	case o.ID == "receiveStripeEvent":
		return "for Stripe"
	default:
		return "without a key"
	}
}

func price(o openapi.Operation) string {
	if o.PriceCents == 0 {
		return "free"
	}
	return strconv.FormatInt(o.PriceCents, 10) + " US cents when it succeeds"
}

func docsFields(all []openapi.Field) (rows []views.DocsField) {
	for _, f := range all {
		rows = append(rows, views.DocsField{Name: f.Name, In: f.In, Type: f.Type, Description: f.Description, Required: f.Required})
	}
	return rows
}

// sentFields are those of what this server sends: nobody is required to fill them.
func sentFields(all []openapi.Field) []views.DocsField {
	rows := docsFields(all)
	for i := range rows {
		rows[i].Required = false
	}
	return rows
}

func docsAnswer(a openapi.Answer) views.DocsAnswer {
	answer := views.DocsAnswer{
		Status: strconv.Itoa(a.Status), Description: a.Description, Fields: sentFields(a.Fields),
	}
	for _, e := range a.Examples {
		answer.Examples = append(answer.Examples, views.DocsExample{Name: e.Name, Text: pretty(e.Value)})
	}
	return answer
}

func pretty(value json.RawMessage) string {
	var out bytes.Buffer
	if err := json.Indent(&out, value, "", "  "); err != nil {
		return string(value)
	}
	return out.String()
}

// events is the page of what the server sends.
func events(v session.Visitor, api *openapi.API, lang string) views.DocsPage {
	page := views.DocsPage{
		Frame: v.Frame("Events"), Topics: topics(api, eventsTopic, lang), Name: eventsTopic,
		Text: "What this server posts to your webhooks, signed, once what it tells is stored. Answer with a 2xx within 10 seconds; " +
			"look at the signature before you believe a body.",
	}
	for i, e := range openapi.Events() {
		if i == 0 {
			page.Headers = sentFields(e.Headers)
		}
		page.Events = append(page.Events, views.DocsEvent{
			Kind: string(e.Kind), Title: e.Summary, When: strings.Join(strings.Fields(e.When), " "), Example: pretty(e.Sample), Fields: sentFields(e.Fields),
		})
	}
	return page
}

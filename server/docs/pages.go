package docs

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/openapi"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Pages are the start page, the reference and the changelog. They are public.
type Pages struct {
	Config
	// api is the description. It is read when it is first shown.
	api     func() (*openapi.API, error)
	changes []views.Change
}

// Config is what the pages are made of.
type Config struct {
	Views     *views.Set
	BaseURL   string // of the API
	Changelog string // Markdown
	TryKey    KeyMaker
	// Pauses are the waits before the tries of a delivery after the first.
	Pauses []time.Duration
	// NameKey names the account's key that has a secret.
	NameKey func(ctx context.Context, accountID, secret string) (string, error)
	State   func() views.ServerState // of the start page
	// Shop returns how the shop of who is signed in does, for the start page.
	Shop func(ctx context.Context, a db.Account, asked bool) (views.Shop, error)
}

// KeyMaker makes a test key for the page "Try it" of an account, and ends the one before.
type KeyMaker func(ctx context.Context, accountID string) (db.Secret, error)

// NewPages returns the pages.
func NewPages(c Config) *Pages {
	return &Pages{
		Config:  c,
		api:     sync.OnceValues(func() (*openapi.API, error) { return openapi.Read(c.BaseURL) }),
		changes: changes(c.Changelog),
	}
}

// eventsTopic is the topic of what the server sends. It has no endpoints.
const eventsTopic, eventsText = "Events", "What this server posts to your webhooks, signed."

// firstCallID is the endpoint of the examples of the first pages.
const firstCallID = "ask"

// Start handles GET /.
func (p *Pages) Start(w *web.Response, r *http.Request, v session.Visitor) error {
	api, err := p.api()
	if err != nil {
		return err
	}
	page := views.Home{Frame: v.Frame(""), BaseURL: api.Base, State: p.State(), Topics: topics(api, "", ""), Prices: prices(api)}
	page.First, page.Answer = example(api)
	if v.SignedIn() {
		shop, err := p.Shop(r.Context(), v.Account, true)
		if err != nil {
			return err
		}
		if shop.Sentence != "" {
			page.Morning = &views.Morning{Sentence: shop.Sentence, ToDo: int64(len(shop.Alerts) + len(shop.Checks))}
		}
	}
	return p.Views.Render(w, http.StatusOK, page)
}

// example is a first call for a shell, and the gist of its answer.
func example(api *openapi.API) (first, answer string) {
	first = "export " + openapi.KeyVariable + "=svc_test_…\n"
	o, ok := operation(api, firstCallID)
	if !ok {
		return first, ""
	}
	var whole struct {
		Answer     string `json:"answer"`
		Verdict    string `json:"verdict_sentence"`
		Confidence string `json:"confidence"`
	}
	for _, a := range o.Answers {
		if a.Status == http.StatusOK && len(a.Examples) > 0 && json.Unmarshal(a.Examples[0].Value, &whole) == nil {
			answer = gist(whole)
		}
	}
	return first + api.Snippet(o, "curl"), answer
}

// gist writes a part of an answer; it leaves < and > as they are.
func gist(part any) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(part); err != nil {
		return ""
	}
	return strings.TrimSuffix(strings.TrimSpace(out.String()), "\n}") + ",\n  …\n}"
}

// prices are the endpoints that are not free, and what they cost.
func prices(api *openapi.API) (rows []views.DocsField) {
	for _, o := range operations(api) {
		if o.PriceCents > 0 {
			rows = append(rows, views.DocsField{Name: o.Method + " " + o.Path, Type: price(o), Description: o.Summary + "."})
		}
	}
	return rows
}

// introduction are the parts of the first page of the reference.
var introduction = []views.DocsLink{
	{Title: "Authenticate", Path: "#keys"}, {Title: "A first call", Path: "#start"}, {Title: "Topics", Path: "#topics"}, {Title: "Prices", Path: "#money"},
	{Title: "Retrying safely", Path: "#twice"}, {Title: "Limits", Path: "#limits"}, {Title: "Errors", Path: "#answers"}, {Title: "For programs", Path: "#machine"},
}

// Home handles GET /docs. The query `q` searches the reference.
func (p *Pages) Home(w *web.Response, r *http.Request, v session.Visitor) error {
	api, err := p.api()
	if err != nil {
		return err
	}
	page := views.DocsHome{
		Frame: v.Frame("API reference"), Contents: views.DocsNav{Topics: topics(api, "", ""), Current: "docs", Parts: introduction},
		BaseURL: api.Base, Prices: prices(api),
	}
	page.First, page.Answer = example(api)
	if page.Search = strings.TrimSpace(r.URL.Query().Get("q")); page.Search != "" {
		showFound(&page, api, r.URL.Query().Has("all"))
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
	return p.Views.Render(w, http.StatusOK, page)
}

// showFound fills a page with what its search finds, all of it or the best.
func showFound(page *views.DocsHome, api *openapi.API, all bool) {
	most := maxFound
	if all {
		most = 0
	}
	f := search(api, page.Search, most)
	page.Title, page.Contents.Current, page.Contents.Parts = "Search the reference", "", nil
	page.Found, page.Hits, page.Some = f.groups, f.hits, f.some
	if most > 0 && f.hits > int64(most) {
		page.All = searchAddress(page.Search)
	}
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
		page, err := p.events(v, api, lang)
		if err != nil {
			return err
		}
		return p.Views.Render(w, http.StatusOK, page)
	}
	for _, t := range api.Topics {
		if slugOf(t.Name) != slug {
			continue
		}
		page := views.DocsPage{Frame: v.Frame(t.Name + " API"), Name: t.Name, Text: t.Description}
		page.Contents, page.Next = place(api, t.Name, lang)
		for _, o := range t.Operations {
			page.Endpoints = append(page.Endpoints, endpoint(api, t, o, lang))
		}
		shareRefusals(&page)
		return p.Views.Render(w, http.StatusOK, page)
	}
	return &fault.Error{Code: fault.NotFound, Message: "there is no such page"}
}

// place is the navigation of a topic's page, and the topic after it.
func place(api *openapi.API, name, lang string) (nav views.DocsNav, next views.DocsLink) {
	nav.Topics = topics(api, name, lang)
	at := slices.IndexFunc(nav.Topics, func(t views.DocsTopic) bool { return t.Current })
	if at+1 < len(nav.Topics) {
		next = views.DocsLink{Title: nav.Topics[at+1].Name, Path: nav.Topics[at+1].Path}
	}
	return nav, next
}

func operations(api *openapi.API) (all []openapi.Operation) {
	for _, t := range api.Topics {
		all = append(all, t.Operations...)
	}
	return all
}

func operation(api *openapi.API, id string) (openapi.Operation, bool) {
	all := operations(api)
	i := slices.IndexFunc(all, func(o openapi.Operation) bool { return o.ID == id })
	if i < 0 {
		return openapi.Operation{}, false
	}
	return all[i], true
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
		row := views.DocsTopic{Name: t.Name, Path: address(t.Name, lang, ""), Text: t.Description, Current: t.Name == current}
		for _, o := range t.Operations {
			row.Links = append(row.Links, views.DocsLink{Method: o.Method, Title: o.Summary, Path: address(t.Name, lang, o.ID), Call: o.Path})
		}
		all = append(all, row)
		if t.Name != "Webhooks" {
			continue
		}
		row = views.DocsTopic{Links: slices.Concat(eventParts, eventLinks()), Name: eventsTopic, Path: address(eventsTopic, "", ""), Text: eventsText, Current: current == eventsTopic}
		all = append(all, row)
	}
	return all
}

// eventParts are the parts of the page of events before the events.
var eventParts = []views.DocsLink{
	{Title: "Check a signature", Path: "/docs/events#verify"}, {Title: "When it is tried again", Path: "/docs/events#retries"}, {Title: "All kinds", Path: "/docs/events#kinds"},
}

// eventLinks lead to the events, in the order of openapi.Events.
func eventLinks() (all []views.DocsLink) {
	for i, e := range openapi.Events() {
		all = append(all, views.DocsLink{Title: string(e.Kind), Path: address(eventsTopic, "", "event-"+strconv.Itoa(i))})
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
		row := views.DocsField{Name: f.Name, In: f.In, Type: f.Type, Description: f.Description, Required: f.Required}
		for _, v := range f.Variants {
			row.Variants = append(row.Variants, docsVariant(v))
		}
		rows = append(rows, row)
	}
	return rows
}

func docsVariant(v openapi.Variant) views.DocsVariant {
	row := views.DocsVariant{Title: v.Title, Description: v.Description, Fields: docsFields(v.Fields)}
	for _, f := range v.Fields {
		if f.Required && !strings.Contains(f.Name, ".") {
			row.Needs = append(row.Needs, f.Name)
		}
	}
	return row
}

// sharedBy is how many endpoints of a page have a refusal that is shown once for all.
const sharedBy = 3

// shareRefusals moves refusals that several endpoints have, word for word, to their page.
func shareRefusals(page *views.DocsPage) {
	count := map[string]int{}
	for _, e := range page.Endpoints {
		for _, a := range e.Refusals {
			if count[fmt.Sprint(a)]++; count[fmt.Sprint(a)] == sharedBy {
				page.Refusals = append(page.Refusals, a)
			}
		}
	}
	slices.SortStableFunc(page.Refusals, func(a, b views.DocsAnswer) int { return cmp.Compare(a.Status, b.Status) })
	at := map[string]int{}
	for i, a := range page.Refusals {
		at[fmt.Sprint(a)] = i
	}
	for i := range page.Endpoints {
		e := &page.Endpoints[i]
		e.Refusals = slices.DeleteFunc(e.Refusals, func(a views.DocsAnswer) bool {
			n, shared := at[fmt.Sprint(a)]
			if shared {
				e.Shared = append(e.Shared, views.DocsLink{Title: a.Status, Path: "#error-" + strconv.Itoa(n)})
			}
			return shared
		})
	}
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
		answer.Examples = append(answer.Examples, views.DocsExample{Name: e.Name, Text: views.IndentJSON(e.Value)})
	}
	return answer
}

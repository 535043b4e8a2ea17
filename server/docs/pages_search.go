package docs

import (
	"cmp"
	"slices"
	"strings"

	"svc/server/openapi"
	"svc/server/views"
)

// maxFound bounds the hits of a search.
const maxFound = 20

// entry is what the search can find. Names weighs more than words.
type entry struct {
	views.DocsFound
	names, words string // lower case
	fields       []openapi.Field
}

// search returns what has all words of a text, the best first. A word counts most in a name,
// like that of a path, a topic or an error code.
func search(api *openapi.API, text string) (found []views.DocsFound) {
	words := strings.Fields(strings.ToLower(text))
	type hit struct {
		entry
		score int
	}
	var hits []hit
	for _, e := range entries(api) {
		if score := e.score(words); score > 0 {
			hits = append(hits, hit{e, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	for _, h := range hits[:min(len(hits), maxFound)] {
		h.Text = cmp.Or(h.Text, h.field(words))
		found = append(found, h.DocsFound)
	}
	return found
}

// score is 0 if one of the words is missing.
func (e entry) score(words []string) (sum int) {
	for _, word := range words {
		const inName, inWords = 10, 1
		switch {
		case strings.Contains(e.names, word):
			sum += inName
		case strings.Contains(e.words, word):
			sum += inWords
		default:
			return 0
		}
	}
	return sum
}

// field says in a line what the first field with one of the words in its name is; empty if
// none has.
func (e entry) field(words []string) string {
	for _, f := range e.fields {
		for _, word := range words {
			if strings.Contains(strings.ToLower(f.Name), word) {
				text, _, _ := strings.Cut(f.Description, "\n")
				return strings.TrimSpace("`" + f.Name + "`, " + f.Type + ". " + text)
			}
		}
	}
	return ""
}

// entries are all that can be found: topics, endpoints, events, error codes, and parts of the
// first page.
func entries(api *openapi.API) (all []entry) {
	add := func(kind string, link views.DocsLink, text, names, words string) {
		all = append(all, entry{views.DocsFound{DocsLink: link, Kind: kind, Text: text}, strings.ToLower(names), strings.ToLower(words), nil})
	}
	for _, t := range api.Topics {
		add("Topic", views.DocsLink{Title: t.Name, Path: address(t.Name, "", "")}, t.Description, t.Name, t.Description)
		for _, o := range t.Operations {
			link := views.DocsLink{Method: o.Method, Title: o.Summary, Path: address(t.Name, "", o.ID), Call: o.Path}
			names := strings.Join(append([]string{o.Method, o.Path, o.ID, o.Summary, t.Name}, o.Also...), " ")
			fields := fieldsOf(o)
			add("Endpoint", link, "", names, o.Description+" "+fieldNames(fields))
			all[len(all)-1].fields = fields
		}
	}
	for i, row := range eventLinks() {
		e := openapi.Events()[i]
		add("Event", row, e.Summary+".", row.Title, e.Summary+" "+e.When)
	}
	for _, c := range api.Codes {
		add("Error", views.DocsLink{Title: c.Code, Path: "/docs#answers"}, c.Meaning, c.Code, c.Meaning)
	}
	for _, part := range introduction {
		add("Guide", views.DocsLink{Title: part.Title, Path: "/docs" + part.Path}, guides[part.Path], part.Title, guides[part.Path])
	}
	return all
}

// guides says in a line what the parts of the first page are about.
var guides = map[string]string{
	"#keys": "The header x-api-key, test and live keys, account and generic mode.", "#start": "A call to copy.", "#topics": "All topics.",
	"#money": "What is billed, and what costs nothing.", "#twice": "Idempotency-Key and replays.",
	"#limits": "Plans, rate limits and their headers.", "#answers": "X-Error-Code, statuses and the form of an error.", "#machine": "OpenAPI 3.1 as JSON.",
}

// fieldsOf are the fields that an endpoint takes and gives.
func fieldsOf(o openapi.Operation) (all []openapi.Field) {
	all = append(all, o.Parameters...)
	if o.Body != nil {
		all = append(all, openapi.Flat(o.Body.Fields)...)
	}
	for _, a := range o.Answers {
		all = append(all, openapi.Flat(a.Fields)...)
	}
	return all
}

func fieldNames(fields []openapi.Field) string {
	var names strings.Builder
	for _, f := range fields {
		names.WriteString(f.Name + " ")
	}
	return names.String()
}

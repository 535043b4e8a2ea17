package docs

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"svc/server/openapi"
	"svc/server/views"
)

// maxFound bounds the hits of a search that are shown at first.
const maxFound = 20

// entry is what the search can find. Names weigh more than words.
type entry struct {
	views.DocsFound
	page         views.DocsLink // of the reference, that it is on
	names, words []string       // tokens
	fields       []openapi.Field
}

// found is what a search returns.
type found struct {
	groups []views.DocsGroup
	hits   int64 // all, of which groups may have the best
	some   bool  // nothing has all words, so these have the most
}

// search returns what has all words of a text, the best first, by the pages that it is on; if
// nothing has all of them, what has the most. most bounds what is shown, 0 for all.
func search(api *openapi.API, text string, most int) (f found) {
	words := wordsOf(text)
	var hits []hit
	best := 0
	for _, e := range entries(api) {
		if h := e.match(words); h.matched > 0 {
			hits, best = append(hits, h), max(best, h.matched)
		}
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return h.matched < best })
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	f.hits, f.some = int64(len(hits)), best < len(words)
	if most > 0 {
		hits = hits[:min(len(hits), most)]
	}
	for _, h := range hits {
		h.Text = cmp.Or(h.Text, h.field(words))
		at := slices.IndexFunc(f.groups, func(g views.DocsGroup) bool { return g.Path == h.page.Path })
		if at < 0 {
			at = len(f.groups)
			f.groups = append(f.groups, views.DocsGroup{Title: h.page.Title, Path: h.page.Path})
		}
		f.groups[at].Hits = append(f.groups[at].Hits, h.DocsFound)
	}
	return f
}

// maxWords bounds the words of a search, each of which is compared with the whole reference.
const maxWords = 12

// wordsOf returns the first different words of a text.
func wordsOf(text string) (words []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !ofName(r) }) {
		if len(words) == maxWords {
			break
		}
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	return words
}

// hit is an entry with how many words it has, and how well.
type hit struct {
	entry
	matched, score int
}

// A word is worth the most in a name, and a whole token more than a part or another form of it.
const (
	inName  = 10
	inWords = 1

	exact  = 5
	begins = 3
	formed = 2
)

func (e entry) match(words []string) hit {
	h := hit{entry: e}
	for _, word := range words {
		score := max(inName*best(e.names, word), inWords*best(e.words, word))
		for _, also := range synonyms[word] {
			score = max(score, inName*min(best(e.names, also), formed), inWords*min(best(e.words, also), formed))
		}
		if score > 0 {
			h.matched, h.score = h.matched+1, h.score+score
		}
	}
	return h
}

// best says how well a word fits the token that it fits best; 0: none.
func best(tokens []string, word string) (most int) {
	for _, token := range tokens {
		most = max(most, fit(token, word))
	}
	return most
}

func fit(token, word string) int {
	switch {
	case token == word:
		return exact
	case strings.HasPrefix(token, word):
		return begins
	case stem(token) == stem(word):
		return formed
	}
	return 0
}

// endings are those of forms of a word, the longest first.
var endings = []string{"ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "es", "ed", "y", "e", "s"}

// stem returns what forms of a word have in common: "sign" of signing and signed.
func stem(word string) string {
	const least = 3 // characters that stay
	for _, ending := range endings {
		if cut, ok := strings.CutSuffix(word, ending); ok && len(cut) >= least {
			return strings.TrimSuffix(cut, "y")
		}
	}
	return word
}

// synonyms are words of the reference for those that people type.
var synonyms = map[string][]string{
	"auth": {"authenticate"}, "authentication": {"authenticate"}, "authorization": {"authenticate"}, "token": {"key"}, "bearer": {"x-api-key"},
	"throttle": {"limits"}, "throttling": {"limits"}, "quota": {"limits"}, "ratelimit": {"limits"}, "payment": {"charge"}, "pay": {"charge"},
	"sms": {"message"}, "whatsapp": {"message"}, "text": {"message"}, "hook": {"webhook"}, "hmac": {"signature"}, "barcode": {"scan"}, "photo": {"scan"},
	"import": {"push"}, "upload": {"push"}, "duty": {"landed"}, "currency": {"fx"}, "question": {"ask"}, "swagger": {"openapi"}, "cost": {"prices"},
}

// tokens are the words of a text in lower case. A name like merchant_email or /tools/fx-risk is
// one, and so is each of its parts.
func tokens(text string) (all []string) {
	for _, name := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !ofName(r) }) {
		all = append(all, name)
		parts := strings.FieldsFunc(name, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if len(parts) > 1 || len(parts) == 1 && parts[0] != name {
			all = append(all, parts...)
		}
	}
	return all
}

func ofName(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-/", r)
}

// field says in a line what the first field with one of the words in its name is; empty if
// none has.
func (e entry) field(words []string) string {
	for _, f := range e.fields {
		for _, word := range words {
			if best(tokens(f.Name), word) > 0 {
				text, _, _ := strings.Cut(f.Description, "\n")
				return strings.TrimSpace("`" + f.Name + "`, " + f.Type + ". " + text)
			}
		}
	}
	return ""
}

// entries are all that can be found: topics, endpoints, events, error codes, and parts of the
// pages.
func entries(api *openapi.API) (all []entry) {
	var page views.DocsLink
	add := func(kind string, link views.DocsLink, text, names, words string, fields ...openapi.Field) {
		all = append(all, entry{views.DocsFound{DocsLink: link, Kind: kind, Text: text}, page, tokens(names), tokens(words), fields})
	}
	for _, t := range api.Topics {
		page = views.DocsLink{Title: t.Name, Path: address(t.Name, "", "")}
		add("Topic", page, t.Description, t.Name, t.Description)
		for _, o := range t.Operations {
			link := views.DocsLink{Method: o.Method, Title: o.Summary, Path: address(t.Name, "", o.ID), Call: o.Path}
			fields := fieldsOf(o)
			names := strings.Join(append([]string{o.Method, o.Path, o.ID, o.Summary, t.Name}, o.Also...), " ")
			add("Endpoint", link, "", names, o.Description+" "+fieldNames(fields), fields...)
		}
	}
	page = views.DocsLink{Title: eventsTopic, Path: address(eventsTopic, "", "")}
	for _, part := range eventParts {
		add("Guide", part, guides[part.Path], part.Title+" "+guides[part.Path], "")
	}
	for i, row := range eventLinks() {
		e := openapi.Events()[i]
		fields := openapi.Flat(e.Fields)
		add("Event", row, e.Summary+".", row.Title, e.Summary+" "+e.When+" "+fieldNames(fields), fields...)
	}
	page = views.DocsLink{Title: "Introduction", Path: "/docs"}
	for _, c := range api.Codes {
		add("Error", views.DocsLink{Title: c.Code, Path: "/docs#answers"}, c.Meaning, c.Code, c.Meaning)
	}
	for _, part := range introduction {
		add("Guide", views.DocsLink{Title: part.Title, Path: "/docs" + part.Path}, guides["/docs"+part.Path], part.Title, guides["/docs"+part.Path])
	}
	return all
}

// guides says in a line what the parts of pages are about.
var guides = map[string]string{
	"/docs#keys": "The header x-api-key, test and live keys, account and generic mode.", "/docs#start": "A call to copy.", "/docs#topics": "All topics.",
	"/docs#money": "What is billed, and what costs nothing.", "/docs#twice": "Idempotency-Key and replays.",
	"/docs#limits": "Plans, rate limits and their headers.", "/docs#answers": "X-Error-Code, statuses and the form of an error.", "/docs#machine": "OpenAPI 3.1 as JSON.",
	"/docs/events#verify":  "Verify that an event was signed by this server: receivers in shell, JavaScript, Python and Go.",
	"/docs/events#retries": "Retries of a delivery: the pauses between its tries, Retry-After, 410.", "/docs/events#kinds": "All kinds of events in a table.",
}

// searchAddress is that of all hits of a search.
func searchAddress(text string) string {
	return "/docs?" + url.Values{"q": {text}, "all": {"1"}}.Encode()
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

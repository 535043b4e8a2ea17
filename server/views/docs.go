package views

import (
	"fmt"
	"html/template"
	"strings"
)

// DocsTopic is a row of the navigation of the reference, with its endpoints.
type DocsTopic struct {
	Name, Path string
	Current    bool
	Links      []DocsLink
}

// DocsLink leads to an endpoint or an event. Method is empty for an event.
type DocsLink struct{ Method, Title, Path string }

// DocsField is a parameter, a field of a body or a header. Description is prose.
type DocsField struct {
	Name, In, Type, Description string
	Required                    bool
}

// DocsExample is a body. Name may be empty.
type DocsExample struct{ Name, Text string }

// DocsAnswer is a status of an endpoint with what it carries. Description is prose.
type DocsAnswer struct {
	Status, Description string
	Fields              []DocsField
	Examples            []DocsExample
}

// DocsEndpoint is an endpoint of the reference. ID is its anchor.
type DocsEndpoint struct {
	ID, Method, Path  string
	Also              []string // further paths of the same endpoint
	Title             string
	Description       string // prose
	Access, Price     string // who may call it, and what it costs, in a few words
	Retry             string // what Idempotency-Key does, in a sentence
	Parameters        []DocsField
	BodyText          string // prose; empty: there is no body
	Body              []DocsField
	Done              DocsAnswer // the answer of success
	Refusals          []DocsAnswer
	Languages         []Option // Value is the address of the page in that language
	Snippet, Language string   // empty: it is not called by users
	TryPath           string   // of the page that calls it; may be empty
}

// DocsEvent is a kind of event of the reference.
type DocsEvent struct {
	Kind, Title, When, Example string
	Fields                     []DocsField
}

// DocsPlan is a row of the plans.
type DocsPlan struct{ Name, Month, Minute string }

// DocsHome is `/docs`.
type DocsHome struct {
	Frame
	Topics  []DocsTopic
	BaseURL string
	Text    string // prose
	Codes   []DocsField
	Plans   []DocsPlan
	Prices  []DocsField // what is not free
	First   string      // a first call, for a shell
}

// DocsPage is `/docs/<topic>`: endpoints, or events with the headers that carry them.
type DocsPage struct {
	Frame
	Topics    []DocsTopic
	Name      string
	Text      string // prose
	Endpoints []DocsEndpoint
	Headers   []DocsField // of events
	Events    []DocsEvent
}

// Change is a day of the changelog: its date, and a text in Markdown.
type Change struct{ Day, Text string }

// Changelog is `/changelog`.
type Changelog struct {
	Frame
	Changes []Change // newest first
}

func (DocsHome) template() string  { return "docs_home" }
func (DocsPage) template() string  { return "docs_page" }
func (Changelog) template() string { return "changelog" }

// anchor returns an id if it can be one in an address, else a name for the n-th part.
func anchor(n int, id string) string {
	for _, r := range id {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '-' {
			return fmt.Sprint("part-", n)
		}
	}
	if id == "" {
		return fmt.Sprint("part-", n)
	}
	return id
}

// prose writes a text in which only `code` is marked.
func prose(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		out.WriteString(part)
	}
	return template.HTML(out.String())
}

// markdown writes the part of Markdown that the changelog uses: paragraphs, lists whose items
// begin with "- ", and `code`. Everything else is text.
func markdown(text string) template.HTML {
	var out strings.Builder
	var lines []string
	tag := ""
	end := func() {
		if len(lines) == 0 {
			return
		}
		out.WriteString("<" + tag + ">" + string(prose(strings.Join(lines, " "))) + "</" + tag + ">\n")
		lines = nil
	}
	listed := false
	list := func(on bool) {
		if on != listed {
			out.WriteString(map[bool]string{true: "<ul>\n", false: "</ul>\n"}[on])
		}
		listed = on
	}
	for line := range strings.Lines(text) {
		item, isItem := strings.CutPrefix(line, "- ")
		line = strings.TrimSpace(line)
		switch {
		case isItem:
			end()
			list(true)
			lines, tag = []string{strings.TrimSpace(item)}, "li"
		case line == "":
			end()
		case len(lines) == 0:
			list(false)
			lines, tag = []string{line}, "p"
		default:
			lines = append(lines, line)
		}
	}
	end()
	list(false)
	return template.HTML(out.String())
}

package views

import (
	"fmt"
	"html/template"
	"reflect"
	"strings"
)

// DocsTopic is a row of the navigation of the reference, with its endpoints.
type DocsTopic struct {
	Name, Path string
	Text       string // what it is for, in a line
	Current    bool
	Links      []DocsLink
}

// Icon is the name of the topic's icon.
func (t DocsTopic) Icon() string { return strings.ToLower(t.Name) }

// DocsLink leads to an endpoint, an event or a part of a page. Method and Call, the path that
// is called, are those of an endpoint.
type DocsLink struct{ Method, Title, Path, Call string }

// DocsNav is the navigation of the reference and the changelog. Current is the page that is
// shown, "docs" or "changelog", and empty on the page of a topic; Parts are parts of that page.
type DocsNav struct {
	Topics  []DocsTopic
	Current string
	Parts   []DocsLink
}

// DocsFound is a hit of the search. Kind is what it is, and Text says more in a line.
type DocsFound struct {
	DocsLink
	Kind, Text string
}

// DocsGroup is what a search has found on a page of the reference.
type DocsGroup struct {
	Title, Path string
	Hits        []DocsFound
}

// Count is how many.
func (g DocsGroup) Count() int64 { return int64(len(g.Hits)) }

// ServerState is what everybody may know of the server.
type ServerState struct {
	Ready      bool // it takes calls
	SignupOpen bool
	Parts      []Part
}

// Home is `/`: for those who build, those who keep shop, and those who are signed in.
type Home struct {
	Frame
	Morning *Morning // of the shop of who is signed in; nil without data, and for others
	BaseURL string
	State   ServerState
	Topics  []DocsTopic
	Prices  []DocsField // what is not free
	First   string      // a first call, for a shell
	Answer  string      // what it returns
}

// Morning is how a shop does in a sentence, and how much there is to do.
type Morning struct {
	Sentence string
	ToDo     int64
}

// DocsField is a parameter, a field of a body or a header. Description is prose.
type DocsField struct {
	Name, In, Type, Description string
	Required                    bool
	Variants                    []DocsVariant // that it, or each of its list, is one of
}

// DocsVariant is an object that a field may hold. Description is prose.
type DocsVariant struct {
	Title, Description string
	Needs              []string // names of its own required fields
	Fields             []DocsField
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
	Done              DocsAnswer   // the answer of success
	Refusals          []DocsAnswer // but for those that the page shows once
	Shared            []DocsLink   // to those, by status
	Languages         []Option     // Value is the address of the page in that language
	Snippet, Language string       // empty: it is not called by users
	TryPath           string       // of the page that calls it; may be empty
}

// DocsEvent is a kind of event of the reference.
type DocsEvent struct {
	Kind, Title, When, Example string
	Fields                     []DocsField
	Retried                    bool // a delivery that fails is tried again
}

// DocsReceiver is a program that receives events. The Value of a language is the address of the
// page with it.
type DocsReceiver struct {
	Languages     []Option
	Name, Snippet string
}

// DocsTry is a try of a delivery that fails: Pause after the one before, Since after the first.
type DocsTry struct {
	Number       int64
	Pause, Since string
}

// DocsPlan is a row of the plans.
type DocsPlan struct{ Name, Month, Minute string }

// DocsHome is `/docs`. With Search, it shows what was Found in place of the introduction.
type DocsHome struct {
	Frame
	Contents DocsNav
	BaseURL  string
	Codes    []DocsField
	Plans    []DocsPlan
	Prices   []DocsField // what is not free
	First    string      // a first call, for a shell
	Answer   string      // what it returns
	Search   string
	Found    []DocsGroup
	Hits     int64  // how many things were found, of which Found may have the best
	Some     bool   // nothing has all words, so Found has those with the most
	All      string // address of the page with all of them; empty: it has
}

// DocsPage is `/docs/<topic>`: endpoints, or events with the headers that carry them.
type DocsPage struct {
	Frame
	Contents  DocsNav
	Name      string
	Text      string // prose
	Endpoints []DocsEndpoint
	Refusals  []DocsAnswer  // that several endpoints have
	Headers   []DocsField   // of events
	Receiver  *DocsReceiver // of events
	Tries     []DocsTry     // of events
	Events    []DocsEvent
	Next      DocsLink // the topic after this one; empty on the last page
}

// Change is a day of the changelog. ID is its anchor, and Title its date in words.
type Change struct {
	ID, Title string
	Text      string // prose before the entries; may be empty
	Groups    []ChangeGroup
	Entries   int64 // of all groups
	Folded    bool
}

// ChangeGroup is the entries of a kind: New, Changed, Fixed, or without a title.
type ChangeGroup struct {
	Title   string
	Entries []ChangeEntry
	Folded  bool
}

// shownChanges is how many entries of a group are shown unfolded.
const shownChanges = 3

// First are the entries that are shown, and Rest those that are folded.
func (g ChangeGroup) First() []ChangeEntry { return g.Entries[:min(len(g.Entries), shownChanges)] }
func (g ChangeGroup) Rest() []ChangeEntry  { return g.Entries[min(len(g.Entries), shownChanges):] }

// Left is how many entries of a group are folded.
func (g ChangeGroup) Left() int64 { return int64(len(g.Rest())) }

// Count is how many entries a group has.
func (g ChangeGroup) Count() int64 { return int64(len(g.Entries)) }

// ChangeEntry is a change: what it is in a phrase, and more about it. Both are prose, and one
// of them may be empty. Area is what it is of, like "API"; may be empty.
type ChangeEntry struct{ Area, Lead, Text string }

// ChangeArea leads to the changes of an area, or of all, and says how many there are.
type ChangeArea struct {
	Title, Link string
	Count       int64
	Chosen      bool
}

// Changelog is `/changelog`. The query `area` picks changes.
type Changelog struct {
	Frame
	Contents DocsNav
	Areas    []ChangeArea
	Area     string   // of which the changes are; empty: of all
	Unknown  string   // an area that was asked for and does not exist; may be empty
	Changes  []Change // newest first
}

func (Home) template() string      { return "home" }
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

// more returns how many elements of a list come after the first ones.
func more(list any, first int) int {
	v := reflect.ValueOf(list)
	if v.Kind() != reflect.Slice {
		return 0
	}
	return max(0, v.Len()-first)
}

// changeTag is the class of the tag of a kind of changes.
func changeTag(kind string) string {
	return map[string]string{"New": "on", "Fixed": "warn"}[kind]
}

package views

import (
	"strings"
	"time"
)

// Found is a thing that a search found. Detail, or else At, tells it from others of its kind, and
// Tag is a word about it, with its class; all may be empty. Icon is that of a page.
type Found struct {
	Icon, Name, Link      string
	Detail, Tag, TagClass string
	At                    time.Time
}

// FoundGroup is what a search found of one kind, like "Products". All is the address of a list
// with more of them; may be empty. It has others, too, if it is Unsearched.
type FoundGroup struct {
	Title      string
	Found      []Found
	All        string
	Unsearched bool
}

// Search is `/console/search`.
type Search struct {
	Frame
	Query  string
	Groups []FoundGroup // none is empty
	Zone   *time.Location
}

// Count is how many things were found.
func (s Search) Count() (n int64) {
	for _, g := range s.Groups {
		n += int64(len(g.Found))
	}
	return n
}

// acts are what a search finds beside pages: what is done often, each with the section of its page.
var acts = []NavRow{
	{"inventory", "Add an item", "/console/inventory?add=1"},
	{"inventory", "Import products", "/console/inventory/import"},
	{"messages", "Write a message", "/console/messages/new"},
	{"overview", "Read today’s brief", "/console/brief"},
	{"keys", "Make a key", "/console/keys?new=1"},
	{"settings", "Two-factor sign-in", "/console/settings/two-factor"},
}

// Pages returns the pages of the sidebar, and Acts what can be done on them, that have a text in
// their titles.
func (f Frame) Pages(text string) FoundGroup {
	group := FoundGroup{Title: "Pages"}
	for _, g := range f.Nav() {
		group.add(text, g.Rows)
	}
	return group
}

// Acts is described at Pages.
func (f Frame) Acts(text string) FoundGroup {
	group := FoundGroup{Title: "Actions"}
	for _, g := range f.Nav() {
		for _, a := range acts {
			if g.Holds(a.Section) {
				group.add(text, []NavRow{a})
			}
		}
	}
	return group
}

func (g *FoundGroup) add(text string, rows []NavRow) {
	for _, row := range rows {
		if text != "" && strings.Contains(strings.ToLower(row.Title), strings.ToLower(text)) {
			g.Found = append(g.Found, Found{Icon: row.Section, Name: row.Title, Link: row.Path})
		}
	}
}

func (Search) template() string { return "console_search" }

package docs

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Changelog handles GET /changelog.
func (p *Pages) Changelog(w *web.Response, r *http.Request, v session.Visitor) error {
	api, err := p.api()
	if err != nil {
		return err
	}
	page := views.Changelog{Frame: v.Frame("Changes"), Changes: p.changes, Contents: views.DocsNav{Topics: topics(api, "", ""), Current: "changelog"}}
	status := http.StatusOK
	if asked := r.URL.Query().Get("area"); asked != "" {
		known := slices.Concat(areas, []string{otherArea})
		if at := slices.IndexFunc(known, func(a string) bool { return strings.EqualFold(a, asked) }); at >= 0 {
			page.Area, page.Changes = known[at], ofArea(p.changes, known[at])
		} else {
			page.Unknown, page.Changes, status = asked, nil, http.StatusNotFound
		}
	}
	page.Areas = areaLinks(p.changes, page.Area, page.Unknown == "")
	for _, c := range page.Changes {
		page.Contents.Parts = append(page.Contents.Parts, views.DocsLink{Title: c.Title, Path: "#" + c.ID})
	}
	return p.Views.Render(w, status, page)
}

// areaLinks lead to all changes and to those of each area. If the page shows some, those of the
// chosen area, or else all, are marked.
func areaLinks(all []views.Change, chosen string, some bool) []views.ChangeArea {
	links := []views.ChangeArea{{Title: "All", Link: "/changelog", Chosen: some && chosen == ""}}
	for _, c := range all {
		links[0].Count += c.Entries
	}
	for _, area := range slices.Concat(areas, []string{otherArea}) {
		link := views.ChangeArea{Title: area, Link: "/changelog?area=" + strings.ToLower(area), Chosen: area == chosen}
		for _, c := range ofArea(all, area) {
			link.Count += c.Entries
		}
		if link.Count > 0 {
			links = append(links, link)
		}
	}
	return links
}

// ofArea returns the changes of an area. The first day that has any is unfolded.
func ofArea(all []views.Change, area string) (picked []views.Change) {
	for _, c := range all {
		day := views.Change{ID: c.ID, Title: c.Title, Folded: len(picked) > 0}
		for _, g := range c.Groups {
			g.Entries = slices.DeleteFunc(slices.Clone(g.Entries), func(e views.ChangeEntry) bool { return cmp.Or(e.Area, otherArea) != area })
			g.Folded = foldedGroup(g)
			if len(g.Entries) > 0 {
				day.Groups, day.Entries = append(day.Groups, g), day.Entries+int64(len(g.Entries))
			}
		}
		if day.Entries > 0 {
			picked = append(picked, day)
		}
	}
	return picked
}

func foldedGroup(g views.ChangeGroup) bool { return g.Title == "Fixed" && len(g.Entries) > shownFixes }

// changes reads a changelog in Markdown: a second heading for each day, third headings for
// kinds of changes, entries that begin with "- ". An entry, or its phrase in **bold** with which
// it begins, may begin with one of the areas ("API: "); of one without a phrase, a short first
// clause is the phrase. All days after the first are folded, and so are many fixes.
func changes(markdown string) (all []views.Change) {
	for i, part := range strings.Split("\n"+markdown, "\n## ") {
		if i == 0 {
			continue // what stands before the first day
		}
		day, text, _ := strings.Cut(part, "\n")
		all = append(all, change(strings.TrimSpace(day), text, len(all) > 0))
	}
	return all
}

func change(day, text string, folded bool) views.Change {
	c := views.Change{ID: day, Title: day, Folded: folded}
	if at, err := time.Parse(time.DateOnly, day); err == nil {
		c.Title = at.Format("2 January 2006")
	}
	for i, part := range strings.Split("\n"+text, "\n### ") {
		var group views.ChangeGroup
		rest := part
		if i > 0 {
			group.Title, rest, _ = strings.Cut(part, "\n")
		}
		before, entries := items(rest)
		if i == 0 {
			c.Text = before
		}
		for _, one := range entries {
			group.Entries = append(group.Entries, changeEntry(one))
		}
		group.Folded = foldedGroup(group)
		if len(entries) > 0 {
			c.Groups, c.Entries = append(c.Groups, group), c.Entries+int64(len(entries))
		}
	}
	return c
}

// items returns the lines before a list, and its items, each as one line.
func items(text string) (before string, all []string) {
	parts := strings.Split("\n"+text, "\n- ")
	for i, part := range parts {
		parts[i] = strings.Join(strings.Fields(part), " ")
	}
	return parts[0], parts[1:]
}

// shownFixes is how many fixes of a day are shown unfolded.
const shownFixes = 3

// areas are what a change may be of.
var areas = []string{"API", "Ask", "Console", "Server"}

// otherArea has the changes that name no area.
const otherArea = "Other"

// maxLead is the most bytes that the first clause of an entry may have to serve as its phrase.
const maxLead = 80

// changeEntry cuts an entry after its phrase.
func changeEntry(text string) views.ChangeEntry {
	if marked, ok := strings.CutPrefix(text, "**"); ok {
		if lead, rest, ok := strings.Cut(marked, "**"); ok {
			area, lead := cutArea(strings.TrimSuffix(lead, "."))
			return views.ChangeEntry{Area: area, Lead: lead, Text: strings.TrimSpace(rest)}
		}
	}
	area, text := cutArea(text)
	code := false
	for i := 0; i+1 < min(len(text), maxLead); i++ {
		switch c := text[i]; {
		case c == '`':
			code = !code
		case !code && (c == ':' || c == '.' || c == ';') && text[i+1] == ' ':
			rest := text[i+2:]
			return views.ChangeEntry{Area: area, Lead: text[:i], Text: strings.ToUpper(rest[:min(1, len(rest))]) + rest[min(1, len(rest)):]}
		}
	}
	return views.ChangeEntry{Area: area, Text: text}
}

// cutArea takes the area off a text that begins with one.
func cutArea(text string) (area, rest string) {
	if area, rest, ok := strings.Cut(text, ": "); ok && slices.Contains(areas, area) {
		return area, rest
	}
	return "", text
}

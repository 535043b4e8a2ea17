package console

import (
	"context"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Finder finds a few things of an account by a part of a name, or an id.
type Finder struct {
	Find  func(ctx context.Context, a db.Account, text string) ([]views.Found, error)
	Staff bool // it finds for staff, too, and not for the owner alone (L11)
}

const (
	leastSearched = 2   // characters; fewer find pages alone
	mostSearched  = 200 // bytes
)

// Search handles GET /console/search: what the pages' names and the finders find. The
// script's Ctrl-K takes the links of its list.
func (p *Pages) Search(w *web.Response, r *http.Request, v session.Visitor) error {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	text = strings.ToValidUTF8(text[:min(len(text), mostSearched)], "")
	page := views.Search{Frame: v.Frame("Search"), Query: text}
	page.Section = "search"
	for _, group := range page.Nav() {
		for _, row := range group.Rows {
			if text != "" && strings.Contains(strings.ToLower(row.Title), strings.ToLower(text)) {
				page.Found = append(page.Found, views.Found{Name: row.Title, Kind: "Page", Link: row.Path})
			}
		}
	}
	if len([]rune(text)) >= leastSearched {
		for _, finder := range p.finders {
			if !finder.Staff && !v.IsOwner() {
				continue
			}
			found, err := finder.Find(r.Context(), v.Account, text)
			if err != nil {
				return err
			}
			page.Found = append(page.Found, found...)
		}
	}
	return p.views.Render(w, http.StatusOK, page)
}

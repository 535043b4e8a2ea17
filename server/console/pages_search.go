package console

import (
	"context"
	"net/http"
	"strings"

	"svc/db"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
	"svc/server/zone"
)

// Finder finds a few things of an account by a part of a name, or an id.
type Finder struct {
	Find  func(ctx context.Context, a db.Account, text string) (views.FoundGroup, error)
	Staff bool // it finds for staff, too, and not for the owner alone (L11)
}

const (
	leastSearched = 2   // characters; fewer find pages alone
	mostSearched  = 200 // bytes
)

// Search handles GET /console/search: what the pages' names and the finders find. The
// script's Ctrl-K takes its groups but the pages, which it has itself.
func (p *Pages) Search(w *web.Response, r *http.Request, v session.Visitor) error {
	text := strings.TrimSpace(r.URL.Query().Get("q"))
	text = strings.ToValidUTF8(text[:min(len(text), mostSearched)], "")
	page := views.Search{Frame: v.Frame("Search"), Query: text, Zone: zone.Of(v.Account.Profile.Timezone)}
	page.Section = "search"
	add := func(g views.FoundGroup) {
		if len(g.Found) > 0 {
			page.Groups = append(page.Groups, g)
		}
	}
	add(page.Pages(text))
	if len([]rune(text)) >= leastSearched {
		for _, finder := range p.finders {
			if !finder.Staff && !v.IsOwner() {
				continue
			}
			group, err := finder.Find(r.Context(), v.Account, text)
			if err != nil {
				return err
			}
			add(group)
		}
		add(page.Acts(text))
	}
	return p.views.Render(w, http.StatusOK, page)
}

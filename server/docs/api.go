// Package docs shows the description of the HTTP API: as JSON, as the pages under /docs, and
// the dated list of changes (L7). What it says about endpoints stands in
// embed/openapi.yaml alone.
package docs

import (
	"fmt"
	"net/http"
	"sync"

	"svc/server/openapi"
	"svc/server/web"
)

// API answers with the description.
type API struct{ document func() ([]byte, error) }

// NewAPI returns the front end for a server at an address. The description is read when it is
// first asked for.
func NewAPI(baseURL string) *API {
	return &API{document: sync.OnceValues(func() ([]byte, error) { return openapi.JSON(baseURL) })}
}

// Describe handles GET /openapi.json.
func (a *API) Describe(w *web.Response, _ *http.Request) error {
	body, err := a.document()
	if err != nil {
		return fmt.Errorf("description: %w", err)
	}
	w.Send(http.StatusOK, body)
	return nil
}

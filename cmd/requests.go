package cmd

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/fault"
	"svc/server/requestlog"
)

type requestJSON struct {
	ID              string  `json:"id"`
	Email           string  `json:"email"`
	KeyID           string  `json:"key_id"`
	KeyLabel        string  `json:"key_label"`
	Method          string  `json:"method"`
	Route           string  `json:"route"`
	Status          int     `json:"status"`
	ErrorCode       string  `json:"error_code,omitempty"`
	DurationMs      float64 `json:"duration_ms"`
	ChargeCents     int64   `json:"charge_cents"`
	ClientRequestID string  `json:"client_request_id,omitempty"`
	CreatedAt       string  `json:"created_at"`
}

func toRequestJSON(r db.Request, key db.KeyName) requestJSON {
	return requestJSON{
		ID: r.ID, Email: key.Email, KeyID: r.KeyID, KeyLabel: key.Label, Method: r.Method, Route: r.Route,
		Status: r.Status, ErrorCode: r.ErrorCode, DurationMs: float64(r.Duration.Microseconds()) / 1000,
		ChargeCents: r.ChargeCents, ClientRequestID: r.ClientRequestID, CreatedAt: stamp(r.At),
	}
}

func (requestJSON) header() string {
	return "TIME REQUEST STATUS MS CENTS METHOD ROUTE ACCOUNT KEY ERROR"
}

func (r requestJSON) cells() []any {
	return []any{r.CreatedAt, r.ID, r.Status, fmt.Sprintf("%.1f", r.DurationMs), r.ChargeCents, r.Method, r.Route,
		orDash(r.Email), keyCell(r.KeyLabel, r.KeyID), orDash(r.ErrorCode)}
}

func newRequests() *cobra.Command {
	var filter db.RequestFilter
	var limit int
	var follow bool
	c := command("requests", "List the newest calls of the API, newest first", exactly(),
		func(c *cobra.Command, _ []string) error {
			if c.Flags().Changed("status") && (filter.Status < 100 || filter.Status > 599) {
				return usageError{errors.New("--status must be from 100 to 599")}
			}
			return withAny(func(c *cobra.Command, app *server.App, owner db.Account) error {
				filter.AccountID = owner.ID
				return listRequests(c, app, filter, limit, follow)
			})(c, nil)
		})
	c.Long = c.Short + `.

Calls with a key are logged for 30 days; of those over a limit (429), the first a minute for
each key and limit. With --follow, the newest come last, and new ones
are printed as they come, until Ctrl-C.`
	flags := c.Flags()
	flags.StringVar(&filter.KeyID, "key", "", "id of the key (svc keys list)")
	flags.IntVar(&filter.Status, "status", 0, "HTTP status of the answer")
	flags.StringVar(&filter.ID, "id", "", "request id of the answer, or the caller's own X-Request-Id")
	flags.BoolVar(&follow, "follow", false, "go on with new calls")
	return anyAccountFlag(limitFlag(c, &limit, 50))
}

func listRequests(c *cobra.Command, app *server.App, filter db.RequestFilter, limit int, follow bool) error {
	if err := requireKey(c, app, filter.KeyID); err != nil {
		return err
	}
	page, err := app.Requests.Newest(c.Context(), filter, limit)
	if err != nil {
		return err
	}
	if page.Partial {
		fmt.Fprintf(c.ErrOrStderr(), "svc: only the newest %d calls were searched\n", requestlog.MaxSearched)
	}
	if follow {
		slices.Reverse(page.Requests)
	}
	rows, err := requestRows(c, app, page.Requests)
	if err != nil {
		return err
	}
	if err := table(c, rows); err != nil || !follow {
		return err
	}
	return app.Requests.Follow(c.Context(), filter, page.Last, func(found []db.Request) error {
		rows, err := requestRows(c, app, found)
		if err != nil {
			return err
		}
		return moreRows(c, rows)
	})
}

// requireKey returns an error if there is no key with the id, unless that is empty.
func requireKey(c *cobra.Command, app *server.App, id string) error {
	names, err := app.Accounts.KeyNames(c.Context(), []string{id})
	if _, known := names[id]; err == nil && id != "" && !known {
		err = &fault.Error{Code: fault.NotFound, Message: "no key " + id}
	}
	return err
}

func requestRows(c *cobra.Command, app *server.App, found []db.Request) ([]requestJSON, error) {
	names, err := keyNames(c, app, found, func(r db.Request) string { return r.KeyID })
	return mapAll(found, func(r db.Request) requestJSON { return toRequestJSON(r, names[r.KeyID]) }), err
}

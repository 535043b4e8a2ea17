package webhook

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"svc/db"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/session"
	"svc/server/web"
)

// API answers /api/v1/webhooks for the account of a session (seed 4.9, K9). A webhook of
// another account is a NotFound.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

const (
	bodyLimit = 64 << 10
	// pageSize is how many deliveries are listed unless `limit` says otherwise, and maxPage
	// the most.
	pageSize = 50
	maxPage  = 200
	maxURL   = 2048 // characters
	maxKind  = 64
)

// webhookJSON is a webhook without its secrets.
type webhookJSON struct {
	ID             string             `json:"id"`
	URL            string             `json:"url"`
	Events         []event.Kind       `json:"events"`
	Description    string             `json:"description"`
	Enabled        bool               `json:"enabled"`
	DisabledReason *db.DisabledReason `json:"disabled_reason"`
	DisabledAt     *web.Time          `json:"disabled_at"`
	FailingSince   *web.Time          `json:"failing_since"`
	// OldSecretEndsAt is when a rotation ends, null if none lasts.
	OldSecretEndsAt *web.Time `json:"old_secret_ends_at"`
	CreatedAt       web.Time  `json:"created_at"`
	UpdatedAt       web.Time  `json:"updated_at"`
}

func toJSON(w db.Webhook) webhookJSON {
	out := webhookJSON{
		ID: w.ID, URL: w.URL, Events: w.Events, Description: w.Description, Enabled: w.Enabled,
		DisabledAt: web.NullTime(w.DisabledAt), FailingSince: web.NullTime(w.FailingSince), OldSecretEndsAt: web.NullTime(w.OldSecretEndsAt),
		CreatedAt: web.Time(w.CreatedAt), UpdatedAt: web.Time(w.UpdatedAt),
	}
	if w.Reason != db.NotDisabled {
		out.DisabledReason = &w.Reason
	}
	return out
}

type deliveryJSON struct {
	ID         string           `json:"id"`
	Cause      db.DeliveryCause `json:"cause"`
	EventID    string           `json:"event_id"`
	Event      event.Kind       `json:"event"`
	Sequence   *int64           `json:"sequence"` // null: a test event
	Status     db.DeliveryState `json:"status"`
	Attempts   int              `json:"attempts"`
	Code       *int             `json:"code"` // of the last answer
	DurationMs *int64           `json:"duration_ms"`
	Answer     string           `json:"answer"`  // its beginning
	Problem    *string          `json:"problem"` // why the last attempt failed
	NextTry    *web.Time        `json:"next_attempt_at"`
	CreatedAt  web.Time         `json:"created_at"`
	UpdatedAt  web.Time         `json:"updated_at"`
}

func toDeliveryJSON(d db.Delivery) deliveryJSON {
	out := deliveryJSON{
		ID: d.ID, Cause: d.Cause, EventID: d.EventID, Event: d.Kind, Status: d.State, Attempts: d.Attempts,
		Answer: d.Last.Answer, Problem: web.NullString(d.Last.Problem),
		CreatedAt: web.Time(d.CreatedAt), UpdatedAt: web.Time(d.UpdatedAt),
	}
	if d.Sequence > 0 {
		out.Sequence = &d.Sequence
	}
	if d.Last.Code > 0 {
		out.Code = &d.Last.Code
	}
	if ms := d.Last.Duration.Milliseconds(); d.Attempts > 0 && d.State != db.DeliverySending {
		out.DurationMs = &ms
	}
	if d.State == db.DeliveryQueued {
		out.NextTry = web.NullTime(d.DueAt)
	}
	return out
}

type webhookAnswer struct {
	Webhook webhookJSON `json:"webhook"`
	Secret  string      `json:"secret,omitempty"`
}

type deliveryAnswer struct {
	Delivery deliveryJSON `json:"delivery"`
}

// List is GET /api/v1/webhooks.
func (a *API) List(w *web.Response, r *http.Request, v session.Visitor) error {
	all, err := a.service.List(r.Context(), v.Account.ID)
	if err != nil {
		return err
	}

	answer := struct {
		Webhooks []webhookJSON `json:"webhooks"`
	}{[]webhookJSON{}}
	for _, hook := range all {
		answer.Webhooks = append(answer.Webhooks, toJSON(hook))
	}
	return w.JSON(http.StatusOK, answer)
}

// Create is POST /api/v1/webhooks. Its answer has the secret.
func (a *API) Create(w *web.Response, r *http.Request, v session.Visitor) error {
	in, err := readObject(w, r)
	if err != nil {
		return err
	}
	n := NewWebhook{URL: in.Text("url", maxURL), Events: kinds(in), Description: description(in), Disabled: !in.FlagOr("enabled", true)}
	if err := in.Err(); err != nil {
		return err
	}

	made, secret, err := a.service.Create(r.Context(), v.Account.ID, n)
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, webhookAnswer{toJSON(made), secret})
}

// Show is GET /api/v1/webhooks/:id.
func (a *API) Show(w *web.Response, r *http.Request, v session.Visitor) error {
	found, err := a.service.Find(r.Context(), v.Account.ID, id(w))
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, webhookAnswer{Webhook: toJSON(found)})
}

// Change is PATCH /api/v1/webhooks/:id: it changes the fields that are sent.
func (a *API) Change(w *web.Response, r *http.Request, v session.Visitor) error {
	in, err := readObject(w, r)
	if err != nil {
		return err
	}
	change := parseChange(in)
	if err := in.Err(); err != nil {
		return err
	}

	changed, err := a.service.Change(r.Context(), v.Account.ID, id(w), change)
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, webhookAnswer{Webhook: toJSON(changed)})
}

func parseChange(in web.Object) (c Change) {
	if in.Has("url") {
		url := in.Text("url", maxURL)
		c.URL = &url
	}
	if in.Has("events") {
		c.Events = kinds(in)
	}
	if in.Has("description") {
		text := description(in)
		c.Description = &text
	}
	if in.Has("enabled") {
		in.Require(string(in.Fields["enabled"]) != "null", "enabled", "must be true or false")
		enabled := in.Flag("enabled")
		c.Enabled = &enabled
	}
	return c
}

// kinds reads the field events, which must not be empty.
func kinds(in web.Object) []string {
	names := in.Texts("events")
	in.Require(len(names) > 0, "events", needKind)
	return names
}

// description reads the field of that name, which may be empty.
func description(in web.Object) string {
	if string(in.Fields["description"]) == `""` {
		return ""
	}
	return in.TextOr("description", maxDescription, "")
}

// Delete is DELETE /api/v1/webhooks/:id.
func (a *API) Delete(w *web.Response, r *http.Request, v session.Visitor) error {
	if err := a.service.Delete(r.Context(), v.Account.ID, id(w)); err != nil {
		return err
	}
	return w.JSON(http.StatusOK, map[string]any{"id": id(w), "deleted": true})
}

// Test is POST /api/v1/webhooks/:id/test.
func (a *API) Test(w *web.Response, r *http.Request, v session.Visitor) error {
	in, err := readOptional(w, r)
	if err != nil {
		return err
	}
	kind := in.TextOr("event", maxKind, "")
	if err := in.Err(); err != nil {
		return err
	}

	queued, err := a.service.Test(r.Context(), v.Account.ID, id(w), kind)
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, deliveryAnswer{toDeliveryJSON(queued)})
}

// RotateSecret is POST /api/v1/webhooks/:id/rotate-secret. Its answer has the new secret.
func (a *API) RotateSecret(w *web.Response, r *http.Request, v session.Visitor) error {
	in, err := readOptional(w, r)
	if err != nil {
		return err
	}
	overlap := DefaultOverlap
	if in.Has("overlap_hours") {
		hours := in.Integer("overlap_hours")
		in.Require(hours >= 0 && hours <= int64(MaxOverlap/time.Hour), "overlap_hours", fmt.Sprintf("must be from 0 to %.0f", MaxOverlap.Hours()))
		overlap = time.Duration(hours) * time.Hour
	}
	if err := in.Err(); err != nil {
		return err
	}

	rotated, secret, err := a.service.RotateSecret(r.Context(), v.Account.ID, id(w), Rotation{Overlap: overlap})
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, webhookAnswer{toJSON(rotated), secret})
}

// Recover is POST /api/v1/webhooks/:id/recover.
func (a *API) Recover(w *web.Response, r *http.Request, v session.Visitor) error {
	in, err := readObject(w, r)
	if err != nil {
		return err
	}
	text := in.Text("since", 64)
	if err := in.Err(); err != nil {
		return err
	}
	since, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fault.Invalid("since", "must be a time like 2026-03-02T09:00:00Z")
	}

	n, err := a.service.RecoverSince(r.Context(), v.Account.ID, id(w), since)
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, map[string]int{"queued": n})
}

// Deliveries is GET /api/v1/webhooks/:id/deliveries.
func (a *API) Deliveries(w *web.Response, r *http.Request, v session.Visitor) error {
	query := r.URL.Query()
	f := Filter{Before: query.Get("before"), State: query.Get("status"), Limit: pageSize}
	if text := query.Get("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxPage {
			return fault.Invalid("limit", fmt.Sprintf("must be from 1 to %d", maxPage))
		}
		f.Limit = n
	}

	all, err := a.service.Deliveries(r.Context(), v.Account.ID, id(w), f)
	if err != nil {
		return err
	}
	answer := struct {
		Deliveries []deliveryJSON `json:"deliveries"`
		Next       *string        `json:"next"` // before of the next page
	}{Deliveries: []deliveryJSON{}}
	for _, d := range all {
		answer.Deliveries = append(answer.Deliveries, toDeliveryJSON(d))
	}
	if len(all) == f.Limit {
		answer.Next = &all[len(all)-1].ID
	}
	return w.JSON(http.StatusOK, answer)
}

// Resend is POST /api/v1/webhooks/:id/deliveries/:delivery/resend.
func (a *API) Resend(w *web.Response, r *http.Request, v session.Visitor) error {
	queued, err := a.service.Resend(r.Context(), v.Account.ID, id(w), w.Params.ByName("delivery"))
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, deliveryAnswer{toDeliveryJSON(queued)})
}

func id(w *web.Response) string { return w.Params.ByName("id") }

func readObject(w *web.Response, r *http.Request) (web.Object, error) {
	body, err := web.ReadBody(w, r, bodyLimit)
	if err != nil {
		return web.Object{}, err
	}
	in := web.ReadObject(body)
	return in, in.Err()
}

// readOptional reads a body that may be left out.
func readOptional(w *web.Response, r *http.Request) (web.Object, error) {
	body, err := web.ReadBody(w, r, bodyLimit)
	if err != nil {
		return web.Object{}, err
	}
	if len(body) == 0 {
		body = json.RawMessage("{}")
	}
	in := web.ReadObject(body)
	return in, in.Err()
}

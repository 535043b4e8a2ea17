package views

import (
	"strings"
	"time"
)

// WebhookRow is an endpoint in a list.
type WebhookRow struct {
	ID, URL, Description, Events string
	Enabled, Failing, Current    bool
	Why                          string // it is disabled
	Link                         string // opens it beside the list
}

// DeliveryRow is a delivery in the log. Code is of the last answer; may be empty.
type DeliveryRow struct {
	ID, Event, Cause, Status, Code string
	Attempts                       int64
	At                             time.Time
	Current                        bool
	Link                           string
}

// DeliveryDetail is the delivery that is open, with what is sent and the begin of the last
// answer.
type DeliveryDetail struct {
	DeliveryRow
	EventID, Duration, Problem, Body, Answer string
	// SentHeaders and AnswerHeaders are those of the last try, a line each; may be empty.
	SentHeaders, AnswerHeaders string
	NextTry                    time.Time
}

// longBody is how many lines of a body are shown at once.
const longBody = 12

// Long reports whether the body is folded.
func (d DeliveryDetail) Long() bool { return strings.Count(d.Body, "\n") >= longBody }

// EventOption is a kind of event that can be chosen, and what it means.
type EventOption struct {
	Option
	Means string
}

// WebhookForm makes an endpoint: it posts `ticket`, `url`, `events`, or `all` for every
// kind, and `description` to /console/webhooks. With an ID it changes the endpoint: it posts these to
// /console/webhooks/edit, with `id` and `version` instead of the ticket.
type WebhookForm struct {
	Ticket, ID, Version, URL, Description string
	Events                                []EventOption
}

// WebhookDetail is the endpoint that is open. Its forms post `id` to
// /console/webhooks/test (with `event`), /enable, /disable, /delete, /rotate (with
// `version`), /recover (with `since`, a day) and /resend (with `delivery`).
type WebhookDetail struct {
	WebhookRow
	Version         string // of the endpoint as it is shown
	OldSecretEndsAt time.Time
	CreatedAt       time.Time
	Tests           []Option
	Deliveries      []DeliveryRow
	Pager           Pager
	Delivery        *DeliveryDetail
}

// Webhooks is `/console/webhooks`.
type Webhooks struct {
	Frame
	Field  string // that Problem is about; may be empty
	Rows   []WebhookRow
	Open   *WebhookDetail
	New    *WebhookForm
	Secret *NewSecret // its KeyID is the endpoint's
	Zone   *time.Location
}

func (Webhooks) template() string { return "console_webhooks" }

func urlInput(value string) input {
	return input{
		ID: "hook-url", Name: "url", Label: "Address", Type: "url", Value: value, Autocomplete: "off", Verbatim: true,
		Hint: "An HTTPS address of yours that answers 2xx within ten seconds.",
	}
}

func descriptionInput(value string) input {
	return input{ID: "hook-description", Name: "description", Label: "Description", Type: "text", Value: value, Autocomplete: "off", Optional: true}
}

// Package webhook sends an account's events to the addresses that it has subscribed (seed
// 4.9, 6; K). Service manages the subscriptions, which the store calls webhooks, and the log
// of deliveries; Deliver sends. Events and their deliveries are stored by db.Tx.Emit, in the
// transaction of what caused them (K4), so this package never sees a change that was undone.
//
// A delivery is claimed for the time of a lease, durably and before its request. What may be
// requested only once is therefore never requested again after a crash, and arrives at most
// once; the kinds that are retried arrive at least once, with the same webhook-id (K5).
// Deliveries of one webhook are sent a few at a time and in no fixed order: a receiver orders
// events by their sequence.
package webhook

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/openapi"
	"svc/server/outbound"
	"svc/server/seal"
)

const (
	// MaxWebhooks is the limit for an account.
	MaxWebhooks = 20
	// DefaultOverlap and MaxOverlap are for how long a rotated secret still signs (K3).
	DefaultOverlap = 24 * time.Hour
	MaxOverlap     = 7 * 24 * time.Hour

	maxDescription = 200 // characters
	// chunk bounds the deliveries that one transaction drops or deletes, and recoverChunk the
	// events that one reads: it has the write lock meanwhile.
	chunk        = 500
	recoverChunk = 200
)

// Config names what a Service works with.
type Config struct {
	Store  *db.DB
	Mails  *mail.Service
	Seal   *seal.Box
	Client *outbound.Client
	Clock  func() time.Time
	Log    *slog.Logger
	// Sweep is the interval at which a loop runs Deliver, even if nothing wakes it.
	Sweep time.Duration
	// ConsoleURL begins links in mails.
	ConsoleURL string
	// Tried counts a try: outcome is ok, retry if there will be another one, or failed. Nil:
	// nobody counts.
	Tried func(outcome string, took time.Duration)
}

// Service manages webhooks and sends deliveries.
type Service struct {
	Config
	wake chan struct{}
}

// New returns the service. It is told of what later updates of the store queue.
func New(c Config) *Service {
	s := &Service{Config: c, wake: make(chan struct{}, 1)}
	c.Store.NotifyQueued(s.Wake)
	return s
}

// Wake makes Deliver run now, where a loop waits for Woken.
func (s *Service) Wake() {
	select {
	case s.wake <- struct{}{}:
	default: // it is woken already
	}
}

// Woken receives when there may be something to send.
func (s *Service) Woken() <-chan struct{} { return s.wake }

// NewWebhook is what to make a webhook from.
type NewWebhook struct {
	ID          string // made by db.NewWebhookID, so that the request can be made only once; empty: any
	URL         string
	Events      []string
	Description string
	Disabled    bool // nothing is sent until it is enabled
}

// Change is what to change of a webhook; nil: nothing.
type Change struct {
	URL         *string
	Events      []string
	Description *string
	Enabled     *bool
	Version     string // of the webhook as it was shown (Version); empty: any
}

// Version names a webhook's address, events, description and secret. A form that carries it
// changes only what its page showed, however fast it is sent twice.
func Version(w db.Webhook) string {
	h := sha256.New()
	fmt.Fprintf(h, "%q %q %q %x", w.URL, w.Events, w.Description, w.Secret)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// outdated refuses what was asked for another version of a webhook.
func outdated() error {
	return &fault.Error{Code: fault.Conflict, Message: "the webhook was changed since this form was made, so nothing was done; look at it and send it again"}
}

// Create makes a webhook and returns it with its secret, which nobody can read again.
func (s *Service) Create(ctx context.Context, accountID string, n NewWebhook) (db.Webhook, string, error) {
	w := db.Webhook{ID: cmp.Or(n.ID, db.NewWebhookID(s.Clock())), AccountID: accountID}
	if n.Events == nil {
		return db.Webhook{}, "", fault.Invalid("events", "is required")
	}
	if err := s.apply(&w, Change{URL: &n.URL, Events: n.Events, Description: &n.Description}); err != nil {
		return db.Webhook{}, "", err
	}
	secret, sealed, err := s.newSealed(ctx, w.ID)
	if err != nil {
		return db.Webhook{}, "", err
	}
	w.Secret = sealed
	made, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Webhook, error) {
		all, err := tx.Webhooks(accountID)
		if err != nil {
			return db.Webhook{}, err
		}
		if len(all) >= MaxWebhooks {
			return db.Webhook{}, &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("an account has at most %d webhooks", MaxWebhooks)}
		}
		return create(tx, w, n.Disabled)
	})
	return made, secret, err
}

func create(tx *db.Tx, w db.Webhook, disabled bool) (db.Webhook, error) {
	made, err := tx.CreateWebhook(w)
	if err != nil || !disabled {
		return made, err
	}
	if err := tx.DisableWebhook(w.AccountID, w.ID, db.DisabledByOwner); err != nil {
		return db.Webhook{}, err
	}
	return tx.Webhook(w.AccountID, w.ID)
}

// apply checks a change and makes it.
func (s *Service) apply(w *db.Webhook, c Change) error {
	if c.URL != nil {
		if strings.TrimSpace(*c.URL) == "" {
			return fault.Invalid("url", "is required")
		}
		if utf8.RuneCountInString(*c.URL) > maxURL {
			return fault.Invalid("url", fmt.Sprintf("must have at most %d characters", maxURL))
		}
		if _, err := s.Client.CheckURL(*c.URL); err != nil {
			return fault.Invalid("url", err.Error())
		}
		w.URL = *c.URL
	}
	if c.Events != nil {
		kinds, err := parseKinds(c.Events)
		if err != nil {
			return err
		}
		w.Events = kinds
	}
	if c.Description != nil {
		if utf8.RuneCountInString(*c.Description) > maxDescription || strings.ContainsFunc(*c.Description, unicode.IsControl) {
			return fault.Invalid("description", fmt.Sprintf("must be one line of at most %d characters", maxDescription))
		}
		w.Description = *c.Description
	}
	return nil
}

const needKind = "must name at least one kind of event"

func parseKinds(names []string) (kinds []event.Kind, err error) {
	if len(names) == 0 {
		return nil, fault.Invalid("events", needKind)
	}
	for _, name := range names {
		kind, err := parseKind("events", name)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(kinds, kind) {
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}

func parseKind(field, name string) (event.Kind, error) {
	kind := event.Kind(name)
	if !slices.Contains(event.Kinds, kind) {
		return "", fault.Invalid(field, fmt.Sprintf("has the unknown kind %.60q; the kinds are %s", name, kindNames()))
	}
	return kind, nil
}

// List lists the account's webhooks, oldest first.
func (s *Service) List(ctx context.Context, accountID string) ([]db.Webhook, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Webhook, error) { return tx.Webhooks(accountID) })
}

// Find finds the account's webhook.
func (s *Service) Find(ctx context.Context, accountID, id string) (db.Webhook, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Webhook, error) { return find(tx, accountID, id) })
}

func find(tx *db.Tx, accountID, id string) (db.Webhook, error) {
	w, err := tx.Webhook(accountID, id)
	return w, missing(err, "no webhook "+id)
}

// missing words ErrNotFound.
func missing(err error, message string) error {
	if errors.Is(err, db.ErrNotFound) {
		return &fault.Error{Code: fault.NotFound, Message: message}
	}
	return err
}

// Change changes a webhook. Disabling it drops what is queued; RecoverSince gets that back.
// Enabling it first drops what an interrupted disabling has left.
func (s *Service) Change(ctx context.Context, accountID, id string, c Change) (db.Webhook, error) {
	for {
		w, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Webhook, error) { return s.change(tx, accountID, id, c) })
		left := errors.Is(err, db.ErrQueueLeft)
		if err != nil && !left {
			return db.Webhook{}, err
		}
		if left || !w.Enabled {
			if err := s.dropQueued(ctx, accountID, id); err != nil {
				return db.Webhook{}, err
			}
		}
		if !left {
			return w, nil
		}
	}
}

func (s *Service) change(tx *db.Tx, accountID, id string, c Change) (db.Webhook, error) {
	w, err := find(tx, accountID, id)
	if err != nil {
		return db.Webhook{}, err
	}
	found := Version(w)
	if err := s.apply(&w, c); err != nil {
		return db.Webhook{}, err
	}
	if c.Version != "" && c.Version != found && Version(w) != found {
		return db.Webhook{}, outdated()
	}
	if err := tx.ChangeWebhook(w); err != nil {
		return db.Webhook{}, err
	}
	switch {
	case c.Enabled == nil || *c.Enabled == w.Enabled:
	case *c.Enabled:
		err = tx.EnableWebhook(accountID, id)
	default:
		err = tx.DisableWebhook(accountID, id, db.DisabledByOwner)
	}
	if err != nil {
		return db.Webhook{}, err
	}
	return tx.Webhook(accountID, id)
}

// dropQueued drops what is queued for a webhook that is disabled or deleted. If it is
// interrupted, the next sweep goes on.
func (s *Service) dropQueued(ctx context.Context, accountID, id string) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		n, err := tx.DropQueued(accountID, id, chunk)
		return n < chunk, err
	})
}

// Delete removes a webhook, and then its deliveries.
func (s *Service) Delete(ctx context.Context, accountID, id string) error {
	err := s.Store.Update(ctx, func(tx *db.Tx) error { return missing(tx.DeleteWebhook(accountID, id), "no webhook "+id) })
	if err != nil {
		return err
	}
	return s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		n, err := tx.DeleteDeliveries(accountID, id, chunk)
		return n < chunk, err
	})
}

// Test queues a made-up event of a kind, the webhook's first if it is empty. It is signed and
// sent as others, once.
func (s *Service) Test(ctx context.Context, accountID, id, kind string) (db.Delivery, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Delivery, error) {
		w, err := find(tx, accountID, id)
		if err != nil {
			return db.Delivery{}, err
		}
		k := w.Events[0]
		if kind != "" {
			if k, err = parseKind("event", kind); err != nil {
				return db.Delivery{}, err
			}
		}
		sample, err := openapi.Sample(k, tx.Now())
		if err != nil {
			return db.Delivery{}, err
		}
		d, err := tx.QueueTest(accountID, id, sample)
		return d, stale(err)
	})
}

// stale words ErrStale of what only an enabled webhook does.
func stale(err error) error {
	if errors.Is(err, db.ErrStale) {
		return &fault.Error{Code: fault.Conflict, Message: "the webhook is disabled; enable it first"}
	}
	return err
}

// Filter selects deliveries: those before an id and in a state, each unless it is empty.
type Filter struct {
	Before string
	State  string
	Limit  int
}

// Deliveries lists a webhook's deliveries of the last 30 days, newest first.
func (s *Service) Deliveries(ctx context.Context, accountID, id string, f Filter) ([]db.Delivery, error) {
	state := db.DeliveryState(f.State)
	if state != "" && !slices.Contains(db.DeliveryStates, state) {
		return nil, fault.Invalid("status", "must be one of "+strings.Trim(fmt.Sprint(db.DeliveryStates), "[]"))
	}
	if f.Before != "" && !strings.HasPrefix(f.Before, "dlv_") {
		return nil, fault.Invalid("before", "must be the id of a delivery, as next has it")
	}
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Delivery, error) {
		if _, err := find(tx, accountID, id); err != nil {
			return nil, err
		}
		return tx.Deliveries(accountID, id, f.Before, state, f.Limit)
	})
}

// Delivery finds a delivery with what is sent, nil if the event is not kept any more.
func (s *Service) Delivery(ctx context.Context, accountID, id, deliveryID string) (d db.Delivery, body []byte, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		if d, err = tx.Delivery(accountID, id, deliveryID); err != nil {
			return missing(err, "no delivery "+deliveryID)
		}
		body, err = tx.DeliveryBody(d)
		if errors.Is(err, db.ErrNotFound) {
			body, err = nil, nil
		}
		return err
	})
	return d, body, err
}

// Resend queues a delivery once more. One that waits for its next try is tried now.
func (s *Service) Resend(ctx context.Context, accountID, id, deliveryID string) (db.Delivery, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Delivery, error) {
		if _, err := find(tx, accountID, id); err != nil {
			return db.Delivery{}, err
		}
		d, err := tx.ResendDelivery(accountID, id, deliveryID)
		if errors.Is(err, db.ErrStale) && d.State == db.DeliverySending {
			return db.Delivery{}, &fault.Error{Code: fault.Conflict, Message: "the delivery is being sent"}
		}
		return d, stale(missing(err, "no delivery "+deliveryID))
	})
}

// RecoverSince queues the events since a time that the webhook has missed: of its kinds, and
// neither delivered nor queued. It returns how many.
func (s *Service) RecoverSince(ctx context.Context, accountID, id string, since time.Time) (queued int, err error) {
	w, err := s.Find(ctx, accountID, id)
	if err != nil {
		return 0, err
	}
	if since.IsZero() {
		return 0, fault.Invalid("since", "is required")
	}
	if since.After(s.Clock()) {
		return 0, fault.Invalid("since", "must not be in the future")
	}
	if !w.Enabled {
		return 0, stale(db.ErrStale)
	}
	// The search may read the whole log, so it runs beside the writer. What comes after it is
	// queued as it comes.
	var after, last int64
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		first, err := tx.FirstEventSince(accountID, since)
		if err != nil {
			return err
		}
		after = first - 1
		last, err = tx.LastEvent(accountID)
		return err
	})
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return 0, err
	}
	for ; after < last; after += recoverChunk {
		n, err := db.Write(ctx, s.Store, func(tx *db.Tx) (int, error) {
			return tx.RecoverDeliveries(accountID, id, since, after, min(after+recoverChunk, last))
		})
		if err != nil {
			return queued, stale(err)
		}
		queued += n
	}
	return queued, nil
}

func kindNames() string { return strings.Join(names(event.Kinds), ", ") }

func names(kinds []event.Kind) (texts []string) {
	for _, k := range kinds {
		texts = append(texts, string(k))
	}
	return texts
}

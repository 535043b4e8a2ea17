package cmd

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/fault"
	"svc/server/webhook"
)

type webhookJSON struct {
	ID              string   `json:"id"`
	URL             string   `json:"url"`
	Events          []string `json:"events"`
	Description     string   `json:"description"`
	Enabled         bool     `json:"enabled"`
	DisabledReason  string   `json:"disabled_reason,omitempty"`
	FailingSince    string   `json:"failing_since,omitempty"`
	OldSecretEndsAt string   `json:"old_secret_ends_at,omitempty"`
	CreatedAt       string   `json:"created_at"`
	Secret          string   `json:"secret,omitempty"` // when it is made and when it is rotated
}

func toWebhookJSON(w db.Webhook) webhookJSON {
	return webhookJSON{
		ID: w.ID, URL: w.URL, Events: texts(w.Events), Description: w.Description, Enabled: w.Enabled, DisabledReason: string(w.Reason),
		FailingSince: stamp(w.FailingSince), OldSecretEndsAt: stamp(w.OldSecretEndsAt), CreatedAt: stamp(w.CreatedAt),
	}
}

func (webhookJSON) header() string { return "ID TIME STATE URL EVENTS DESCRIPTION" }

func (w webhookJSON) cells() []any {
	state := "enabled"
	switch {
	case !w.Enabled:
		state = "disabled (" + w.DisabledReason + ")"
	case w.FailingSince != "":
		state = "failing"
	}
	return []any{w.ID, w.CreatedAt, state, short(w.URL), strings.Join(w.Events, ","), orDash(short(w.Description))}
}

type deliveryJSON struct {
	ID         string `json:"id"`
	Cause      string `json:"cause"`
	EventID    string `json:"event_id"`
	Event      string `json:"event"`
	Status     string `json:"status"`
	Attempts   int    `json:"attempts"`
	Code       int    `json:"code,omitempty"` // of the last answer
	DurationMs int64  `json:"duration_ms"`
	Answer     string `json:"answer,omitempty"`
	Problem    string `json:"problem,omitempty"`
	NextTry    string `json:"next_attempt_at,omitempty"`
	CreatedAt  string `json:"created_at"`
}

func toDeliveryJSON(d db.Delivery) deliveryJSON {
	out := deliveryJSON{
		ID: d.ID, Cause: string(d.Cause), EventID: d.EventID, Event: string(d.Kind), Status: string(d.State), Attempts: d.Attempts,
		Code: d.Last.Code, DurationMs: d.Last.Duration.Milliseconds(), Answer: d.Last.Answer, Problem: d.Last.Problem, CreatedAt: stamp(d.CreatedAt),
	}
	if d.State == db.DeliveryQueued {
		out.NextTry = stamp(d.DueAt)
	}
	return out
}

func (deliveryJSON) header() string { return "ID TIME EVENT CAUSE STATUS TRIES CODE MS NEXT PROBLEM" }

func (d deliveryJSON) cells() []any {
	code, ms := any("-"), any("-")
	if d.Code > 0 {
		code = d.Code
	}
	if d.Attempts > 0 {
		ms = d.DurationMs
	}
	return []any{d.ID, d.CreatedAt, d.Event, d.Cause, d.Status, d.Attempts, code, ms, orDash(d.NextTry), orDash(short(d.Problem))}
}

func newWebhooks() *cobra.Command {
	newest := command("list [--account EMAIL]", "List an account's webhooks, the oldest first", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			all, err := app.Webhooks.List(c.Context(), owner.ID)
			return list(c, toWebhookJSON, all, err)
		}))
	remove := command("delete ID [--account EMAIL]", "Delete a webhook with its log of deliveries", exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			if err := app.Webhooks.Delete(c.Context(), owner.ID, args[0]); err != nil {
				return err
			}
			return show(c, map[string]string{"id": args[0]}, "deleted %s", args[0])
		}))
	resend := command("resend ID DELIVERY [--account EMAIL]", "Send an event to a webhook once more", exactly("ID", "DELIVERY"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			d, err := app.Webhooks.Resend(c.Context(), owner.ID, args[0], args[1])
			return showQueued(c, d, err)
		}))
	return group("webhooks", "Addresses to which an account's events are sent", accountFlag(newest), newCreateWebhook(), newSetWebhook(), newDeliveries(),
		newTestWebhook(), accountFlag(resend), newRecover(), newRotateSecret(),
		newSwitch("enable", true, "Enable a webhook; recover sends what it has missed"),
		newSwitch("disable", false, "Disable a webhook and drop what is queued"), accountFlag(remove))
}

func newCreateWebhook() *cobra.Command {
	var kinds []string
	c := command("create [--account EMAIL] --url URL --events KIND,KIND", "Subscribe an address to events, and print its signing secret, this once", exactly(),
		func(c *cobra.Command, _ []string) error {
			if err := require(c, "url"); err != nil {
				return err
			}
			return openOwner(c, server.Config{WebhookAllow: splitList(flag(c, "webhook-allow"))}, func(app *server.App, owner db.Account) error {
				made, secret, err := app.Webhooks.Create(c.Context(), owner.ID, webhook.NewWebhook{
					URL: flag(c, "url"), Events: kinds, Description: flag(c, "description"),
				})
				if err != nil {
					return err
				}
				return showSecret(c, made, secret, "made webhook "+made.ID+"; its signing secret, shown this once, is\n")
			})
		})
	return webhookFlags(c, &kinds)
}

// webhookFlags adds the flags with what a webhook is made from.
func webhookFlags(c *cobra.Command, kinds *[]string) *cobra.Command {
	c.Flags().String("url", "", "where to post, like https://example.com/events")
	c.Flags().StringSliceVar(kinds, "events", nil, "kinds, with commas between (svc events kinds)")
	c.Flags().String("description", "", "at most 200 characters")
	c.Flags().String("webhook-allow", "", webhookAllowUsage)
	return accountFlag(c)
}

func newSetWebhook() *cobra.Command {
	var kinds []string
	c := command("set ID [--account EMAIL]", "Change the address, the events or the description of a webhook", exactly("ID"),
		func(c *cobra.Command, args []string) error {
			change := webhook.Change{URL: changed(c, "url"), Description: changed(c, "description")}
			if c.Flags().Changed("events") {
				change.Events = append([]string{}, kinds...)
			}
			if change.URL == nil && change.Description == nil && change.Events == nil {
				return usageError{errors.New("say what to change, like --events sale.created,stock.low")}
			}
			return openOwner(c, server.Config{WebhookAllow: splitList(flag(c, "webhook-allow"))}, func(app *server.App, owner db.Account) error {
				w, err := app.Webhooks.Change(c.Context(), owner.ID, args[0], change)
				if err != nil {
					return err
				}
				return show(c, toWebhookJSON(w), "changed %s", w.ID)
			})
		})
	return webhookFlags(c, &kinds)
}

// showSecret prints a webhook's new secret, alone on the last line.
func showSecret(c *cobra.Command, w db.Webhook, secret, text string) error {
	result := toWebhookJSON(w)
	result.Secret = secret
	return printListened(c, result, text+secret)
}

// showQueued prints a delivery that was queued. The sender of svc serve takes it.
func showQueued(c *cobra.Command, d db.Delivery, err error) error {
	if err != nil {
		return err
	}
	return show(c, toDeliveryJSON(d), "queued %s: svc serve sends it within a minute", d.ID)
}

func newDeliveries() *cobra.Command {
	var limit int
	c := command("deliveries ID [--account EMAIL]", "List a webhook's newest deliveries of the last 30 days", exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			all, err := app.Webhooks.Deliveries(c.Context(), owner.ID, args[0], webhook.Filter{State: flag(c, "status"), Limit: limit})
			return list(c, toDeliveryJSON, all, err)
		}))
	c.Flags().String("status", "", "queued, sending, sent, failed or dropped (default: all)")
	return accountFlag(limitFlag(c, &limit, 50))
}

func newTestWebhook() *cobra.Command {
	c := command("test ID [--account EMAIL]", "Send a sample event to a webhook, once", exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			d, err := app.Webhooks.Test(c.Context(), owner.ID, args[0], flag(c, "event"))
			return showQueued(c, d, err)
		}))
	c.Flags().String("event", "", "kind (default: the webhook's first)")
	return accountFlag(c)
}

func newRecover() *cobra.Command {
	c := command("recover ID [--account EMAIL] --since TIME", "Send a webhook the events that it has missed", exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			since, err := parseSince(flag(c, "since"))
			if err != nil {
				return err
			}
			n, err := app.Webhooks.RecoverSince(c.Context(), owner.ID, args[0], since)
			if err != nil {
				return err
			}
			return show(c, map[string]int{"queued": n}, "queued %s: svc serve sends what is queued within a minute", counted(n, "event"))
		}))
	c.Flags().String("since", "", "a time like 2026-03-02T09:00:00Z, or how long ago, like 24h")
	return accountFlag(c)
}

// parseSince reads a time, or how long ago it was.
func parseSince(text string) (time.Time, error) {
	if ago, err := time.ParseDuration(text); err == nil && ago > 0 {
		return time.Now().Add(-ago), nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, fault.Invalid("--since", "must be a time like 2026-03-02T09:00:00Z, or how long ago, like 24h")
	}
	return at, nil
}

func newRotateSecret() *cobra.Command {
	var overlap time.Duration
	c := command("rotate ID [--account EMAIL]", "Give a webhook a new signing secret, and print it, this once", exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			w, secret, err := app.Webhooks.RotateSecret(c.Context(), owner.ID, args[0], webhook.Rotation{Overlap: overlap})
			if err != nil {
				return err
			}
			text := "the old secret has ended"
			if !w.OldSecretEndsAt.IsZero() {
				text = "the old secret signs beside the new one until " + stamp(w.OldSecretEndsAt) +
					" (X-Service-Signature is made with the old one till then, X-Service-Signature-Next with the new one)"
			}
			return showSecret(c, w, secret, text+"; the new one, shown this once, is\n")
		}))
	c.Flags().DurationVar(&overlap, "overlap", webhook.DefaultOverlap, "for how long the old secret signs beside the new one, at most 168h")
	return accountFlag(c)
}

func newSwitch(verb string, on bool, short string) *cobra.Command {
	return accountFlag(command(verb+" ID [--account EMAIL]", short, exactly("ID"),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			w, err := setEnabled(c.Context(), app, owner, args[0], on)
			if err != nil {
				return err
			}
			return show(c, toWebhookJSON(w), verb+"d %s", w.ID)
		})))
}

func setEnabled(ctx context.Context, app *server.App, owner db.Account, id string, on bool) (db.Webhook, error) {
	return app.Webhooks.Change(ctx, owner.ID, id, webhook.Change{Enabled: &on})
}

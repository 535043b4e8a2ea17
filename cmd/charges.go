package cmd

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/checkout"
)

// addStripeFlags adds the flags of a command that calls Stripe. readStripe reads them.
func addStripeFlags(c *cobra.Command) {
	secretFlag(c.Flags(), new(string), "stripe-key", "Stripe's secret key; without one payments are not set up")
	c.Flags().String("stripe-api", "", "another base URL of Stripe's API")
}

func readStripe(c *cobra.Command) server.Stripe {
	s := server.Stripe{Key: flag(c, "stripe-key"), API: flag(c, "stripe-api")}
	if c.Flags().Lookup("stripe-webhook-secret") == nil {
		return s
	}
	for _, secret := range strings.Split(flag(c, "stripe-webhook-secret"), ",") {
		if secret = strings.TrimSpace(secret); secret != "" {
			s.WebhookSecrets = append(s.WebhookSecrets, secret)
		}
	}
	return s
}

type reconciledJSON struct {
	Subject   string `json:"subject"`
	SessionID string `json:"session_id"`
	Outcome   string `json:"outcome"`
}

type mismatchJSON struct {
	EventID   string `json:"event_id"`
	Type      string `json:"type"`
	SessionID string `json:"session_id"`
	Reference string `json:"reference"`
	Problem   string `json:"problem"`
	CreatedAt string `json:"created_at"`
}

func toMismatchJSON(e db.PaymentEvent) mismatchJSON {
	return mismatchJSON{
		EventID: e.ID, Type: e.Type, SessionID: e.SessionID, Reference: e.Reference, Problem: e.Mismatch,
		CreatedAt: stamp(e.CreatedAt),
	}
}

func newCharges() *cobra.Command {
	return group("charges", "Payments through Stripe", newReconcile(), newMismatches())
}

func newReconcile() *cobra.Command {
	c := &cobra.Command{
		Use:   "reconcile",
		Short: "Ask Stripe about every payment whose outcome is open, for when a webhook was missed",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := require(c, "stripe-key"); err != nil {
				return err
			}
			return withConfig(c, server.Config{MustExist: true, Stripe: readStripe(c)}, func(app *server.App) error {
				all, err := app.Payments.Reconcile(c.Context())
				if err != nil {
					return err
				}
				err = table(c, mapAll(all, toReconciledJSON), "SUBJECT SESSION OUTCOME", func(r reconciledJSON) []any {
					return []any{r.Subject, r.SessionID, r.Outcome}
				})
				for _, r := range all {
					if r.Failed {
						return errors.Join(err, errors.New("not every payment could be asked about; see the outcomes"))
					}
				}
				return err
			})
		},
	}
	addStripeFlags(c)
	return c
}

func toReconciledJSON(r checkout.Reconciled) reconciledJSON {
	return reconciledJSON{Subject: r.Checkout.SubjectID, SessionID: r.Checkout.SessionID, Outcome: r.Outcome}
}

func newMismatches() *cobra.Command {
	return &cobra.Command{
		Use:   "mismatches",
		Short: "List the newest payment events that did not match; they approved nothing",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return withApp(c, true, func(app *server.App) error {
				all, err := app.Payments.Mismatches(c.Context(), 100)
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toMismatchJSON), "TIME EVENT TYPE SESSION REFERENCE PROBLEM", func(m mismatchJSON) []any {
					return []any{m.CreatedAt, m.EventID, m.Type, m.SessionID, orDash(m.Reference), m.Problem}
				})
			})
		},
	}
}

package cmd

import (
	"errors"
	"slices"

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
	s.WebhookSecrets = splitList(flag(c, "stripe-webhook-secret"))
	return s
}

type reconciledJSON struct {
	Subject   string `json:"subject"`
	SessionID string `json:"session_id"`
	Outcome   string `json:"outcome"`
}

func toReconciledJSON(r checkout.Reconciled) reconciledJSON {
	return reconciledJSON{Subject: r.Checkout.SubjectID, SessionID: r.Checkout.SessionID, Outcome: r.Outcome}
}

func (reconciledJSON) header() string { return "SUBJECT SESSION OUTCOME" }

func (r reconciledJSON) cells() []any { return []any{r.Subject, r.SessionID, r.Outcome} }

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

func (mismatchJSON) header() string { return "TIME EVENT TYPE SESSION REFERENCE PROBLEM" }

func (m mismatchJSON) cells() []any {
	return []any{m.CreatedAt, m.EventID, m.Type, m.SessionID, orDash(m.Reference), m.Problem}
}

func newCharges() *cobra.Command {
	c := command("reconcile", "Ask Stripe about every payment whose outcome is open, for when a webhook was missed", exactly(), reconcile)
	addStripeFlags(c)
	return group("charges", "Payments through Stripe", c,
		command("mismatches", "List the newest payment events that did not match; they approved nothing", exactly(), withApp(listMismatches)))
}

func reconcile(c *cobra.Command, _ []string) error {
	if err := require(c, "stripe-key"); err != nil {
		return err
	}
	return open(c, server.Config{MustExist: true, Stripe: readStripe(c)}, func(app *server.App) error {
		all, err := app.Payments.Reconcile(c.Context())
		if err != nil {
			return err
		}
		err = table(c, mapAll(all, toReconciledJSON))
		if slices.ContainsFunc(all, func(r checkout.Reconciled) bool { return r.Failed }) {
			return errors.Join(err, errors.New("not every payment could be asked about; see the outcomes"))
		}
		return err
	})
}

func listMismatches(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Payments.Mismatches(c.Context(), 100)
	return list(c, toMismatchJSON, all, err)
}

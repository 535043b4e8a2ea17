package cmd

import (
	"errors"
	"slices"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/charge"
	"svc/server/checkout"
	"svc/server/money"
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

type chargeJSON struct {
	ID             string `json:"id"`
	Status         string `json:"status"`
	AmountCents    int64  `json:"amount_cents"`
	Currency       string `json:"currency"`
	Description    string `json:"description"`
	MerchantEmail  string `json:"merchant_email"` // who is to pay
	DeveloperEmail string `json:"developer_email"`
	KeyID          string `json:"key_id"`
	KeyLabel       string `json:"key_label"`
	KeyEnv         string `json:"key_env"`
	CreatedAt      string `json:"created_at"`
	ExpiresAt      string `json:"expires_at"`
	ApprovedAt     string `json:"approved_at,omitempty"`
	DeclinedAt     string `json:"declined_at,omitempty"`
}

func toChargeJSON(v charge.Listed, key db.KeyName) chargeJSON {
	return chargeJSON{
		ID: v.ID, Status: string(v.Status), AmountCents: v.Amount, Currency: v.Currency, Description: v.Description,
		MerchantEmail: v.MerchantEmail, DeveloperEmail: key.Email, KeyID: v.KeyID, KeyLabel: key.Label, KeyEnv: string(v.Env),
		CreatedAt: stamp(v.CreatedAt), ExpiresAt: stamp(v.ExpiresAt), ApprovedAt: stamp(v.ApprovedAt), DeclinedAt: stamp(v.DeclinedAt),
	}
}

func (chargeJSON) header() string {
	return "ID TIME ENV STATUS AMOUNT MERCHANT DEVELOPER KEY DESCRIPTION"
}

func (v chargeJSON) cells() []any {
	return []any{v.ID, v.CreatedAt, v.KeyEnv, v.Status, money.Format(v.AmountCents, v.Currency), v.MerchantEmail,
		orDash(v.DeveloperEmail), keyCell(v.KeyLabel, v.KeyID), short(v.Description)}
}

func newCharges() *cobra.Command {
	var limit int
	newest := command("list [--account EMAIL]", "List the newest charges that an account asked for or was asked for, or all", exactly(),
		withAny(func(c *cobra.Command, app *server.App, owner db.Account) error {
			all, err := app.Charges.All(c.Context(), owner, limit)
			if err != nil {
				return err
			}
			names, err := keyNames(c, app, all, func(v charge.Listed) string { return v.KeyID })
			return list(c, func(v charge.Listed) chargeJSON { return toChargeJSON(v, names[v.KeyID]) }, all, err)
		}))
	c := command("reconcile", "Ask Stripe about every payment whose outcome is open, for when a webhook was missed", exactly(), reconcile)
	addStripeFlags(c)
	return group("charges", "Payments through Stripe", anyAccountFlag(limitFlag(newest, &limit, 50)), c,
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

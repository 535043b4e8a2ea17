package cmd

import (
	"encoding/json"
	"time"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/insight"
)

type alertJSON struct {
	ID           string          `json:"id"`
	Kind         string          `json:"kind"`
	Verdict      string          `json:"verdict"`
	Status       string          `json:"status"`
	Title        string          `json:"title"`
	Detail       string          `json:"detail"`
	Rule         string          `json:"rule"`
	Points       int             `json:"points"`
	Evidence     json.RawMessage `json:"evidence"`
	FirstSeen    string          `json:"first_seen"`
	LastSeen     string          `json:"last_seen"`
	SnoozedUntil string          `json:"snoozed_until,omitempty"`
}

func toAlertJSON(a insight.Alert) alertJSON {
	return alertJSON{
		ID: a.ID, Kind: a.Kind, Verdict: a.Verdict, Status: a.Status, Title: a.Title, Detail: a.Detail, Rule: a.Rule, Points: a.Points,
		Evidence: a.Evidence, FirstSeen: stamp(a.FirstSeen), LastSeen: stamp(a.LastSeen), SnoozedUntil: stamp(a.SnoozedUntil),
	}
}

func (alertJSON) header() string { return "ID SINCE VERDICT STATUS TITLE" }

func (a alertJSON) cells() []any { return []any{a.ID, a.FirstSeen, a.Verdict, a.Status, a.Title} }

func newAlerts() *cobra.Command {
	var length time.Duration
	snooze := command("snooze [--account EMAIL] ID", "Acknowledge an alert for a time, whatever it comes to concern meanwhile", exactly("ID"),
		withApp(func(c *cobra.Command, app *server.App, args []string) error {
			owner, err := alertOwner(c, app, args[0])
			if err != nil {
				return err
			}
			a, err := app.Insights.Snooze(c.Context(), owner, args[0], length)
			if err != nil {
				return err
			}
			return show(c, toAlertJSON(a), "%s is snoozed until %s: %s", a.ID, stamp(a.SnoozedUntil), a.Title)
		}))
	snooze.Flags().DurationVar(&length, "for", 7*24*time.Hour, "how long, at most 2160h")
	all := command("list [--account EMAIL]", "List a shop's alerts: those that are open, then those resolved in the last 30 days", exactly(), withOwner(listAlerts))
	alerts := group("alerts", "What needs attention in a shop, and what is known of it",
		accountFlag(all),
		alertAccountFlag(command("ack [--account EMAIL] ID", "Acknowledge an alert, until it concerns something new or is resolved", exactly("ID"), withApp(acknowledgeAlert))),
		alertAccountFlag(snooze))
	alerts.RunE = all.RunE // as svc pulse and svc brief show at once what is asked for
	return accountFlag(alerts)
}

func listAlerts(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	all, err := app.Insights.Current(c.Context(), owner)
	return list(c, toAlertJSON, all, err)
}

// alertOwner finds the account of an alert, which must be that of --account if it is given.
func alertOwner(c *cobra.Command, app *server.App, id string) (db.Account, error) {
	if email := flag(c, "account"); email != "" {
		return app.Accounts.Find(c.Context(), email)
	}
	return app.Insights.OwnerOf(c.Context(), id)
}

// alertAccountFlag adds --account to a command whose alert tells the account.
func alertAccountFlag(c *cobra.Command) *cobra.Command {
	c.Flags().String("account", "", "e-mail of the account (default: that of the alert)")
	return c
}

func acknowledgeAlert(c *cobra.Command, app *server.App, args []string) error {
	owner, err := alertOwner(c, app, args[0])
	if err != nil {
		return err
	}
	a, err := app.Insights.Acknowledge(c.Context(), owner, args[0])
	if err != nil {
		return err
	}
	return show(c, toAlertJSON(a), "acknowledged %s: %s", a.ID, a.Title)
}

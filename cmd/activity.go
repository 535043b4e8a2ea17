package cmd

import (
	"cmp"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
)

type activityJSON struct {
	Seq       int64  `json:"seq"`
	AccountID string `json:"account_id"`
	Email     string `json:"email"`
	Actor     string `json:"actor"`
	By        string `json:"by"`
	Action    string `json:"action"`
	Subject   string `json:"subject,omitempty"`
	Detail    string `json:"detail,omitempty"`
	CreatedAt string `json:"created_at"`
}

func toActivityJSON(l account.ActLine) activityJSON {
	return activityJSON{
		Seq: l.Seq, AccountID: l.AccountID, Email: l.Of.Email, Actor: l.Actor, By: cmp.Or(l.By.Email, l.Staff, l.Actor),
		Action: string(l.Action), Subject: l.Subject, Detail: l.Detail, CreatedAt: stamp(l.At),
	}
}

func (activityJSON) header() string { return "TIME ACTION ACCOUNT BY SUBJECT DETAIL" }

func (a activityJSON) cells() []any {
	return []any{a.CreatedAt, a.Action, a.Email, a.By, orDash(a.Subject), orDash(short(a.Detail))}
}

func newActivity() *cobra.Command {
	var limit int
	c := command("activity", "List what was done to credit, plans, keys, grants, settings and people, newest first", exactly(),
		withAny(func(c *cobra.Command, app *server.App, owner db.Account) error {
			found, err := app.Accounts.Activity(c.Context(), owner.ID, 0, limit)
			return list(c, toActivityJSON, found.Lines, err)
		}))
	c.Long = c.Short + `.

BY is the owner or the one of the staff who did it, "command" for a command of svc, "link" for whoever had a link
or a code that was mailed, or "server". Nobody can edit this list.`
	return anyAccountFlag(limitFlag(c, &limit, 50))
}

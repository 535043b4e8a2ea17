package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type mailJSON struct {
	ID        string `json:"id"`
	To        string `json:"to"`
	Subject   string `json:"subject"`
	Text      string `json:"text,omitempty"`
	Status    string `json:"status"`
	Tries     int    `json:"tries"`
	Problem   string `json:"problem,omitempty"`
	CreatedAt string `json:"created_at"`
}

func toMailJSON(m db.Mail) mailJSON {
	return mailJSON{
		ID: m.ID, To: m.To, Subject: m.Subject, Text: m.Text, Status: string(m.State), Tries: m.Tries, Problem: m.Problem,
		CreatedAt: stamp(m.CreatedAt),
	}
}

func (mailJSON) header() string { return "TIME STATUS TO SUBJECT TEXT" }

func (m mailJSON) cells() []any { return []any{m.CreatedAt, m.Status, m.To, m.Subject, orDash(m.Text)} }

func newMails() *cobra.Command {
	var limit int
	newest := command("list", "List the newest mails; those not sent with their text, codes and links included", exactly(),
		withApp(func(c *cobra.Command, app *server.App, _ []string) error {
			all, err := app.Mails.List(c.Context(), limit)
			return list(c, toMailJSON, all, err)
		}))
	return group("mails", "Mails that were sent, wait, or are kept in the outbox", limitFlag(newest, &limit, 20))
}

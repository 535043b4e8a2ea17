package cmd

import (
	"errors"

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

func newMails() *cobra.Command {
	return group("mails", "Mails that were sent, wait, or are kept in the outbox", newMailsList())
}

func newMailsList() *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   "list",
		Short: "List the newest mails; those not sent with their text, codes and links included",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usageError{errors.New("--limit must be at least 1")}
			}
			return withApp(c, true, func(app *server.App) error {
				all, err := app.Mails.List(c.Context(), limit)
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toMailJSON), "TIME STATUS TO SUBJECT TEXT", func(m mailJSON) []any {
					return []any{m.CreatedAt, m.Status, m.To, m.Subject, orDash(m.Text)}
				})
			})
		},
	}
	c.Flags().IntVar(&limit, "limit", 20, "how many")
	return c
}

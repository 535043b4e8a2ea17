package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type messageJSON struct {
	ID         string `json:"id"`
	Provider   string `json:"provider"`
	ProviderID string `json:"provider_id"`
	Phone      string `json:"phone"`
	Template   string `json:"template"`
	Text       string `json:"text,omitempty"`
	RequestID  string `json:"request_id"`
	CreatedAt  string `json:"created_at"`
}

func toMessageJSON(m db.Message) messageJSON {
	return messageJSON{
		ID: m.ID, Provider: m.Provider, ProviderID: m.ProviderID, Phone: m.Phone, Template: m.Template,
		Text: m.Text, RequestID: m.RequestID, CreatedAt: stamp(m.CreatedAt),
	}
}

func newMessages() *cobra.Command {
	var limit int
	list := &cobra.Command{
		Use:   "list --account EMAIL",
		Short: "List an account's newest messages; those of the outbox with their text",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return withApp(c, true, func(app *server.App) error {
				a, err := app.Accounts.Find(c.Context(), flag(c, "account"))
				if err != nil {
					return err
				}
				all, err := app.Messages.List(c.Context(), a.ID, limit)
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toMessageJSON), "TIME PROVIDER PHONE TEMPLATE TEXT", func(m messageJSON) []any {
					return []any{m.CreatedAt, m.Provider, m.Phone, m.Template, orDash(m.Text)}
				})
			})
		},
	}
	list.Flags().String("account", "", "e-mail of the account (may be left out when there is exactly one)")
	list.Flags().IntVar(&limit, "limit", 50, "how many")
	return group("messages", "Messages that were sent or kept in the outbox", list)
}

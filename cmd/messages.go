package cmd

import (
	"errors"

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

// unknownJSON is a send of unknown outcome (G4): it may have reached its recipient.
type unknownJSON struct {
	RequestID string `json:"request_id"`
	KeyID     string `json:"key_id"`
	Endpoint  string `json:"endpoint"`
	CreatedAt string `json:"created_at"`
}

func toUnknownJSON(call db.Call) unknownJSON {
	return unknownJSON{RequestID: call.ID, KeyID: call.KeyID, Endpoint: call.Endpoint, CreatedAt: stamp(call.CreatedAt)}
}

func newMessages() *cobra.Command {
	return group("messages", "Messages that were sent, kept in the outbox, or are in doubt",
		newMessagesList("list", "List an account's newest messages; those of the outbox with their text",
			func(c *cobra.Command, app *server.App, accountID string, limit int) error {
				all, err := app.Messages.List(c.Context(), accountID, limit)
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toMessageJSON), "TIME PROVIDER PHONE TEMPLATE TEXT", func(m messageJSON) []any {
					return []any{m.CreatedAt, m.Provider, m.Phone, m.Template, orDash(m.Text)}
				})
			}),
		newMessagesList("unknown", "List an account's newest sends of unknown outcome; none was charged",
			func(c *cobra.Command, app *server.App, accountID string, limit int) error {
				all, err := app.Messages.Unknown(c.Context(), accountID, limit)
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toUnknownJSON), "TIME REQUEST KEY", func(u unknownJSON) []any {
					return []any{u.CreatedAt, u.RequestID, u.KeyID}
				})
			}),
	)
}

// newMessagesList returns a command that lists the messages of one account.
func newMessagesList(verb, short string, list func(c *cobra.Command, app *server.App, accountID string, limit int) error) *cobra.Command {
	var limit int
	c := &cobra.Command{
		Use:   verb + " --account EMAIL",
		Short: short,
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			if limit < 1 {
				return usageError{errors.New("--limit must be at least 1")}
			}
			return withApp(c, true, func(app *server.App) error {
				a, err := app.Accounts.Find(c.Context(), flag(c, "account"))
				if err != nil {
					return err
				}
				return list(c, app, a.ID, limit)
			})
		},
	}
	c.Flags().String("account", "", "e-mail of the account (may be left out when there is exactly one)")
	c.Flags().IntVar(&limit, "limit", 50, "how many")
	return c
}

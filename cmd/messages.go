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

func (messageJSON) header() string { return "TIME PROVIDER PHONE TEMPLATE TEXT" }

func (m messageJSON) cells() []any {
	return []any{m.CreatedAt, m.Provider, m.Phone, m.Template, orDash(m.Text)}
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

func (unknownJSON) header() string { return "TIME REQUEST KEY" }

func (u unknownJSON) cells() []any { return []any{u.CreatedAt, u.RequestID, u.KeyID} }

func newMessages() *cobra.Command {
	var limit int
	sent := command("list --account EMAIL", "List an account's newest messages; those of the outbox with their text", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			all, err := app.Messages.List(c.Context(), owner.ID, limit)
			return list(c, toMessageJSON, all, err)
		}))
	unknown := command("unknown --account EMAIL", "List an account's newest sends of unknown outcome; none was charged", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			all, err := app.Messages.Unknown(c.Context(), owner.ID, limit)
			return list(c, toUnknownJSON, all, err)
		}))
	return group("messages", "Messages that were sent, kept in the outbox, or are in doubt",
		accountFlag(limitFlag(sent, &limit, 50)), accountFlag(limitFlag(unknown, &limit, 50)))
}

package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type messageJSON struct {
	ID         string `json:"id"`
	Email      string `json:"email"` // of the sender
	KeyID      string `json:"key_id"`
	KeyLabel   string `json:"key_label"`
	Provider   string `json:"provider"`
	ProviderID string `json:"provider_id"`
	Phone      string `json:"phone"`
	Template   string `json:"template"`
	Text       string `json:"text,omitempty"`
	RequestID  string `json:"request_id"`
	CreatedAt  string `json:"created_at"`
}

func toMessageJSON(m db.Message, key db.KeyName) messageJSON {
	return messageJSON{
		ID: m.ID, Email: key.Email, KeyID: m.KeyID, KeyLabel: key.Label, Provider: m.Provider, ProviderID: m.ProviderID, Phone: m.Phone, Template: m.Template,
		Text: m.Text, RequestID: m.RequestID, CreatedAt: stamp(m.CreatedAt),
	}
}

func (messageJSON) header() string { return "ID TIME PROVIDER PHONE TEMPLATE KEY TEXT" }

func (m messageJSON) cells() []any {
	return []any{m.ID, m.CreatedAt, m.Provider, m.Phone, m.Template, keyCell(m.KeyLabel, m.KeyID), orDash(short(m.Text))}
}

// unknownJSON is a send of unknown outcome (G4): it may have reached its recipient.
type unknownJSON struct {
	RequestID string `json:"request_id"`
	Phone     string `json:"phone"`
	KeyID     string `json:"key_id"`
	KeyLabel  string `json:"key_label"`
	Endpoint  string `json:"endpoint"`
	CreatedAt string `json:"created_at"`
}

func toUnknownJSON(call db.Call, key db.KeyName) unknownJSON {
	return unknownJSON{RequestID: call.ID, Phone: call.Recipient, KeyID: call.KeyID, KeyLabel: key.Label, Endpoint: call.Endpoint, CreatedAt: stamp(call.CreatedAt)}
}

func (unknownJSON) header() string { return "TIME REQUEST PHONE KEY" }

func (u unknownJSON) cells() []any {
	return []any{u.CreatedAt, u.RequestID, orDash(u.Phone), keyCell(u.KeyLabel, u.KeyID)}
}

func newMessages() *cobra.Command {
	var limit int
	sent := command("list [--account EMAIL]", "List an account's newest messages", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			all, err := app.Messages.List(c.Context(), owner.ID, limit)
			if err != nil {
				return err
			}
			names, err := keyNames(c, app, all, func(m db.Message) string { return m.KeyID })
			return list(c, func(m db.Message) messageJSON { return toMessageJSON(m, names[m.KeyID]) }, all, err)
		}))
	unknown := command("unknown [--account EMAIL]", "List an account's newest sends of unknown outcome; none was charged", exactly(),
		withOwner(func(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
			all, err := app.Messages.Unknown(c.Context(), owner.ID, limit)
			if err != nil {
				return err
			}
			names, err := keyNames(c, app, all, func(v db.Call) string { return v.KeyID })
			return list(c, func(v db.Call) unknownJSON { return toUnknownJSON(v, names[v.KeyID]) }, all, err)
		}))
	return group("messages", "Messages that were sent, kept in the outbox, or are in doubt",
		accountFlag(limitFlag(sent, &limit, 50)),
		command("show ID", "Show a message; with its text if it is in the outbox", exactly("ID"), withApp(showMessage)),
		accountFlag(limitFlag(unknown, &limit, 50)))
}

func showMessage(c *cobra.Command, app *server.App, args []string) error {
	found, err := app.Messages.Find(c.Context(), args[0])
	if err != nil {
		return err
	}
	names, err := keyNames(c, app, []db.Message{found}, func(m db.Message) string { return m.KeyID })
	if err != nil {
		return err
	}
	m := toMessageJSON(found, names[found.KeyID])
	err = printFields(c, m, "id", m.ID, "time", m.CreatedAt, "account", m.Email, "key", m.KeyLabel, "key id", m.KeyID, "request", m.RequestID,
		"provider", m.Provider, "provider id", m.ProviderID, "phone", m.Phone, "template", m.Template)
	if err != nil {
		return err
	}
	return printText(c, m.Text)
}

package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type sessionJSON struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Address   string `json:"address"`
	Browser   string `json:"browser"`
	CreatedAt string `json:"created_at"`
	SeenAt    string `json:"seen_at"`
}

func toSessionJSON(s db.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, AccountID: s.AccountID, Address: s.Address, Browser: s.Browser,
		CreatedAt: stamp(s.CreatedAt), SeenAt: stamp(s.SeenAt),
	}
}

func newSessions() *cobra.Command {
	return group("sessions", "Browsers that are signed in", newSessionsList(), newSessionsEnd())
}

func newSessionsList() *cobra.Command {
	c := &cobra.Command{
		Use:   "list [--account EMAIL]",
		Short: "List the sessions of an account, or of all",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) error {
			return withApp(c, true, func(app *server.App) error {
				all, err := app.Accounts.AllSessions(c.Context(), flag(c, "account"))
				if err != nil {
					return err
				}
				return table(c, mapAll(all, toSessionJSON), "ID ACCOUNT ADDRESS SEEN BROWSER", func(s sessionJSON) []any {
					return []any{s.ID, s.AccountID, s.Address, s.SeenAt, orDash(s.Browser)}
				})
			})
		},
	}
	c.Flags().String("account", "", "e-mail of the account (default: all)")
	return c
}

func newSessionsEnd() *cobra.Command {
	return &cobra.Command{
		Use:   "end ID",
		Short: "End a session: its browser is signed out with its next request",
		Args:  exactly("ID"),
		RunE: func(c *cobra.Command, args []string) error {
			return withApp(c, true, func(app *server.App) error {
				if err := app.Accounts.EndAnySession(c.Context(), args[0]); err != nil {
					return err
				}
				return show(c, map[string]string{"id": args[0]}, "ended session %s", args[0])
			})
		},
	}
}

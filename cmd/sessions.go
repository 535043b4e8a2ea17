package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type sessionJSON struct {
	ID        string `json:"id"`
	AccountID string `json:"account_id"`
	Email     string `json:"email"`
	Address   string `json:"address"`
	Browser   string `json:"browser"`
	CreatedAt string `json:"created_at"`
	SeenAt    string `json:"seen_at"`
}

func toSessionJSON(s db.Session, email string) sessionJSON {
	return sessionJSON{
		ID: s.ID, AccountID: s.AccountID, Email: email, Address: s.Address, Browser: s.Browser,
		CreatedAt: stamp(s.CreatedAt), SeenAt: stamp(s.SeenAt),
	}
}

func (sessionJSON) header() string { return "ID PERSON ADDRESS SEEN BROWSER" }

func (s sessionJSON) cells() []any {
	return []any{s.ID, s.Email, s.Address, s.SeenAt, orDash(short(s.Browser))}
}

func newSessions() *cobra.Command {
	return group("sessions", "Browsers that are signed in",
		anyAccountFlag(command("list [--account EMAIL]", "List the sessions of an account's people, or of all", exactly(), withApp(listSessions))),
		command("end ID", "End a session: its browser is signed out with its next request", exactly("ID"), withApp(endSession)))
}

func listSessions(c *cobra.Command, app *server.App, _ []string) error {
	all, err := app.Accounts.AllSessions(c.Context(), flag(c, "account"))
	if err != nil {
		return err
	}
	names, err := emails(c, app)
	if err != nil {
		return err
	}
	staff, err := app.Accounts.AllStaff(c.Context())
	for _, p := range staff {
		names[p.ID] = p.Email
	}
	return list(c, func(s db.Session) sessionJSON { return toSessionJSON(s, names[s.PersonID]) }, all, err)
}

func endSession(c *cobra.Command, app *server.App, args []string) error {
	if err := app.Accounts.EndAnySession(c.Context(), args[0]); err != nil {
		return err
	}
	return show(c, map[string]string{"id": args[0]}, "ended session %s", args[0])
}

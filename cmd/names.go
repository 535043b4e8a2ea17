package cmd

import (
	"cmp"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

// keyNames reads how to name the keys of some rows to people, by id.
func keyNames[T any](c *cobra.Command, app *server.App, rows []T, keyID func(T) string) (map[string]db.KeyName, error) {
	return app.Accounts.KeyNames(c.Context(), mapAll(rows, keyID))
}

// keyCell returns a key's label, or its id if it has none.
func keyCell(label, id string) string { return short(cmp.Or(label, id)) }

// emails reads the e-mails of all accounts, by id.
func emails(c *cobra.Command, app *server.App) (map[string]string, error) {
	all, err := app.Accounts.List(c.Context())
	byID := make(map[string]string, len(all))
	for _, a := range all {
		byID[a.ID] = a.Email
	}
	return byID, err
}

package cmd

import (
	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type migrationJSON struct {
	Version int64  `json:"version"`
	File    string `json:"file"`
	Applied bool   `json:"applied"`
}

func (migrationJSON) header() string { return "VERSION APPLIED FILE" }

func (m migrationJSON) cells() []any { return []any{m.Version, m.Applied, m.File} }

func newMigrate() *cobra.Command {
	return group("migrate", "The database's schema; every other command brings it up to date by itself",
		command("status", "List the migrations and whether the file has them", exactly(), listMigrations),
		command("up", "Bring the file to this version's schema", exactly(), func(c *cobra.Command, _ []string) error {
			if err := server.Migrate(c.Context(), flag(c, "db")); err != nil {
				return err
			}
			return listMigrations(c, nil)
		}))
}

func listMigrations(c *cobra.Command, _ []string) error {
	all, err := server.Migrations(c.Context(), flag(c, "db"))
	return list(c, func(m db.Migration) migrationJSON { return migrationJSON(m) }, all, err)
}

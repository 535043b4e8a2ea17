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

func newMigrate() *cobra.Command {
	return group("migrate", "The database's schema; every other command brings it up to date by itself",
		&cobra.Command{
			Use:   "status",
			Short: "List the migrations and whether the file has them",
			Args:  exactly(),
			RunE: func(c *cobra.Command, _ []string) error {
				all, err := server.Migrations(c.Context(), flag(c, "db"))
				if err != nil {
					return err
				}
				return showMigrations(c, all)
			},
		},
		&cobra.Command{
			Use:   "up",
			Short: "Bring the file to this version's schema",
			Args:  exactly(),
			RunE: func(c *cobra.Command, _ []string) error {
				path := flag(c, "db")
				if err := server.Migrate(c.Context(), path); err != nil {
					return err
				}
				all, err := server.Migrations(c.Context(), path)
				if err != nil {
					return err
				}
				return showMigrations(c, all)
			},
		})
}

func showMigrations(c *cobra.Command, all []db.Migration) error {
	rows := mapAll(all, func(m db.Migration) migrationJSON { return migrationJSON(m) })
	return table(c, rows, "VERSION APPLIED FILE", func(m migrationJSON) []any {
		return []any{m.Version, m.Applied, m.File}
	})
}

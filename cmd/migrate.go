package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

type migrationJSON struct {
	Version int64  `json:"version"`
	File    string `json:"file"`
	Applied bool   `json:"applied"`
	// Copy is the copy of the database from before this run applied the step.
	Copy string `json:"copy,omitempty"`
}

func (migrationJSON) header() string { return "VERSION APPLIED FILE" }

func (m migrationJSON) cells() []any { return []any{m.Version, m.Applied, m.File} }

func newMigrate() *cobra.Command {
	return group("migrate", "The database's schema; only svc serve and svc migrate up bring it up to date",
		command("status", "List the migrations and whether the file has them", exactly(), func(c *cobra.Command, _ []string) error {
			return listMigrations(c, db.Copy{})
		}),
		command("up", "Copy the file, then bring it to this version's schema; an older server must be stopped first", exactly(), migrateUp))
}

func migrateUp(c *cobra.Command, _ []string) error {
	made, err := server.Migrate(c.Context(), flag(c, "db"))
	if err != nil {
		return err
	}
	if made.Path != "" && !wantsJSON(c) {
		fmt.Fprintf(c.OutOrStdout(), "The database as it was is kept at %s (schema version %d).\n", oneLine(made.Path), made.Version)
	}
	return listMigrations(c, made)
}

func listMigrations(c *cobra.Command, made db.Copy) error {
	all, err := server.Migrations(c.Context(), flag(c, "db"))
	err = orNoDatabase(err, flag(c, "db"))
	return list(c, func(m db.Migration) migrationJSON {
		row := migrationJSON{Version: m.Version, File: m.File, Applied: m.Applied}
		if m.Version > made.Version {
			row.Copy = made.Path
		}
		return row
	}, all, err)
}

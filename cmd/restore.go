package cmd

import (
	"fmt"

	"github.com/spf13/cobra"

	"svc/server"
)

func newRestore() *cobra.Command {
	c := command("restore FILE", "Put a backup in the place of the database, which is kept", exactly("FILE"), restore)
	c.Long = `Check a file that svc backup wrote and put it in the place of --db. What was there is
kept under the name <db>.replaced-<time>. The server must be stopped first.`
	c.Example = "  svc restore svc-2026-11-22.tar --db svc.db"
	return c
}

func restore(c *cobra.Command, args []string) error {
	path := flag(c, "db")
	done, err := server.Restore(c.Context(), args[0], path)
	if err != nil {
		return err
	}
	result := struct {
		DB   string `json:"db"`
		File string `json:"file"`
		contentsJSON
		Kept string `json:"kept,omitempty"`
	}{path, args[0], toContentsJSON(done.BackupContents), done.Kept}
	if err := show(c, result, "restored %s from %s; verified: %s", path, args[0], result.verified()); err != nil || wantsJSON(c) {
		return err
	}
	if done.Kept != "" {
		fmt.Fprintf(c.OutOrStdout(), "What was there is kept at %s.\n", oneLine(done.Kept))
	}
	if done.Older {
		fmt.Fprintln(c.OutOrStdout(), "It was made by an older svc: run svc migrate up, or start svc serve, before other commands.")
	}
	return nil
}

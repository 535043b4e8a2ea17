package cmd

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
)

// contentsJSON is what a backup was found to hold.
type contentsJSON struct {
	Schema     int64  `json:"schema"`
	CreatedAt  string `json:"created_at"`
	Bytes      int64  `json:"bytes"`
	Wallets    int    `json:"wallets"`
	LedgerRows int64  `json:"ledger_rows"`
	Datasets   int    `json:"datasets"`
}

func toContentsJSON(b db.BackupContents) contentsJSON {
	return contentsJSON{
		Schema: b.Schema, CreatedAt: stamp(b.CreatedAt), Bytes: b.Bytes,
		Wallets: b.Wallets, LedgerRows: b.Entries, Datasets: b.Datasets,
	}
}

// verified says what was checked, like "2 wallets, 134 ledger rows, 3 datasets".
func (b contentsJSON) verified() string {
	var parts []string
	for _, part := range []struct {
		n    int64
		noun string
	}{{int64(b.Wallets), "wallet"}, {b.LedgerRows, "ledger row"}, {int64(b.Datasets), "dataset"}} {
		if part.n != 1 {
			part.noun += "s"
		}
		parts = append(parts, fmt.Sprint(part.n, " ", part.noun))
	}
	return strings.Join(parts, ", ")
}

// newBackup has no flag to overwrite a file: the one place where that is wanted is a bad
// script that loses the last good backup.
func newBackup() *cobra.Command {
	c := command("backup FILE", "Write the database and its datasets to one new file, and check it", exactly("FILE"),
		func(c *cobra.Command, args []string) error {
			contents, err := server.Backup(c.Context(), flag(c, "db"), args[0])
			if err != nil {
				return orNoDatabase(err, flag(c, "db"))
			}
			result := struct {
				File string `json:"file"`
				contentsJSON
			}{args[0], toContentsJSON(contents)}
			err = show(c, result, "backed up %s to %s; verified: %s", flag(c, "db"), args[0], result.verified())
			if err == nil && contents.Older && !wantsJSON(c) {
				fmt.Fprintf(c.OutOrStdout(), "The database was made by an older svc. It was copied as it is (schema version %d); a migrated copy of it was verified.\n", contents.Schema)
			}
			return err
		})
	c.Long = `Write the database, its datasets and its key file to one new file, a tar archive that
only its owner may read. The server may be running. Everything is read back and checked
before the file gets its name. An existing file is never overwritten.

A database that an older svc made is copied as it is and not migrated, so that it can be
backed up before an upgrade, also while the older svc serves.`
	c.Example = "  svc backup svc-$(date +%F).tar"
	return c
}

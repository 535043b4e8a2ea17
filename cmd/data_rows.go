package cmd

import (
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/dataset"
)

// maxDataRows bounds the rows that one call of "data rows" prints; export prints all.
const maxDataRows = 10_000

func newDataRows() *cobra.Command {
	look := dataset.Look{Limit: 50}
	c := &cobra.Command{
		Use:   "rows [--account EMAIL] [NAME]",
		Short: "Print rows of a dataset as they were read, or those that a search finds",
		Long: "Print rows of the dataset NAME, or of the one that ask reads: the first, those that a search finds, or the first in\n" +
			"the order of a column. A search stops when it takes long and says how far it came; --after goes on from there.\n" +
			"\"svc data export\" prints all rows as they were typed.",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usageError{errors.New("usage: svc data rows [--account EMAIL] [NAME]")}
			}
			if look.Limit < 1 || look.Limit > maxDataRows || look.After < 0 {
				return usageError{fmt.Errorf("--limit must be from 1 to %d, and --after at least 0", maxDataRows)}
			}
			return nil
		},
		RunE: withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			return printDataRows(c, app, owner, strings.Join(args, ""), look)
		}),
	}
	flags := c.Flags()
	flags.StringVar(&look.Search, "search", "", "print rows that have each of these words in one of their columns")
	flags.StringVar(&look.Sort, "sort", "", "heading of a column; with - before it the highest value comes first (--sort=-Total)")
	flags.IntVar(&look.Limit, "limit", look.Limit, "how many rows")
	flags.BoolVar(&look.Faulty, "problems", false, "print only rows with cells that do not fit their columns, and why")
	flags.Int64Var(&look.After, "after", 0, "begin after the row of this number, in the order of the files")
	return accountFlag(c)
}

// printDataRows prints rows with their numbers, or with --json an object for each.
func printDataRows(c *cobra.Command, app *server.App, owner db.Account, name string, look dataset.Look) error {
	found, err := app.Datasets.Browse(c.Context(), owner.ID, name, look)
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, name)
	}
	if errors.Is(err, dataset.ErrHeading) {
		return usageError{err}
	}
	if err != nil {
		return err
	}
	first := []string{"row"}
	if look.Faulty {
		first = append(first, "problem")
	}
	keys := uniqueKeys(append(first, found.Headings()...))
	out := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
	if !wantsJSON(c) {
		fmt.Fprintln(out, strings.Join(mapAll(keys, func(key string) string { return oneLine(key) }), "\t"))
	}
	for i, row := range found.Rows {
		cells := []string{fmt.Sprint(row.Number)}
		if look.Faulty {
			cells = append(cells, strings.Join(found.Faults[i], "; "))
		}
		cells = append(cells, found.Cells(row)...)
		if wantsJSON(c) {
			object := map[string]string{}
			for i, key := range keys {
				object[key] = cells[i]
			}
			if err := printJSON(c, object); err != nil {
				return err
			}
			continue
		}
		fmt.Fprintln(out, strings.Join(mapAll(cells, func(cell string) string { return oneLine(short(cell)) }), "\t"))
	}
	if err := out.Flush(); err != nil {
		return err
	}
	return explainRows(c, found)
}

// explainRows says what the rows do not show.
func explainRows(c *cobra.Command, found dataset.Looked) error {
	if wantsJSON(c) {
		return nil
	}
	out := c.OutOrStdout()
	if found.Unsorted {
		fmt.Fprintln(out, "note: these are too many rows to sort in time, so they are in the order of the file")
	}
	if found.More && found.Sorted >= 0 && !found.Unsorted {
		fmt.Fprintf(out, "note: further rows follow; --limit prints up to %d\n", maxDataRows)
	} else if found.More {
		fmt.Fprintf(out, "note: looked at the first %d of %d rows; --after %d goes on\n", found.Searched, found.Total, found.Searched)
	}
	return nil
}

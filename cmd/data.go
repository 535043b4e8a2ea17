package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

func newData() *cobra.Command {
	return group("data", "Tables that ask answers from", newDataImport(),
		accountFlag(command("list --account EMAIL", "List the tables of an account, the newest first", exactly(), withOwner(listData))),
		newDataRoles())
}

type columnJSON struct {
	Heading string `json:"heading"`
	Type    string `json:"type"`
	Unit    string `json:"unit,omitempty"`
	Role    string `json:"role,omitempty"`
}

func toColumnJSON(c schema.Column) columnJSON {
	return columnJSON{Heading: c.Heading, Type: string(c.Type), Unit: string(c.Unit), Role: string(c.Role)}
}

func (columnJSON) header() string { return "HEADING TYPE UNIT ROLE" }

func (c columnJSON) cells() []any { return []any{c.Heading, c.Type, orDash(c.Unit), orDash(c.Role)} }

type sourceJSON struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	Kind     string       `json:"kind"`
	Rows     int64        `json:"rows"`
	Currency string       `json:"currency,omitempty"`
	First    string       `json:"first,omitempty"`
	Last     string       `json:"last,omitempty"`
	Columns  []columnJSON `json:"columns"`
}

func toSourceJSON(s schema.Source) sourceJSON {
	return sourceJSON{
		ID: s.ID, Name: s.Name, Kind: string(s.Kind), Rows: s.Rows, Currency: s.Currency, First: s.First, Last: s.Last,
		Columns: mapAll(s.Columns, toColumnJSON),
	}
}

func newDataImport() *cobra.Command {
	return accountFlag(&cobra.Command{
		Use:   "import --account EMAIL FILE",
		Short: "Put the rows of a CSV or XLSX file where ask reads them, in the place of the file before",
		Long: "Put the rows of a CSV or XLSX file where ask reads them, in the place of the file before.\n\n" +
			"Types of columns, the order of day and month, the decimal comma and what each column means are found by the\n" +
			"headings and by all of the rows; \"svc data roles\" shows and corrects what it was taken for.",
		Args: exactly("FILE"),
		RunE: withOwner(importData),
	})
}

func importData(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	var source schema.Source
	var report dataset.Report
	err := withFile(args[0], func(name string, content io.ReaderAt, size int64) (err error) {
		source, report, err = app.Datasets.Import(c.Context(), owner.ID, dataset.File{Name: name, Content: content, Size: size})
		return err
	})
	if err != nil {
		return err
	}
	if !wantsJSON(c) {
		explainData(c.OutOrStdout(), owner, source, report)
		return nil
	}
	return printJSON(c, struct {
		sourceJSON
		Skipped  int        `json:"skipped"`
		Blanked  int        `json:"blanked"`
		Warnings []lineJSON `json:"warnings"`
	}{toSourceJSON(source), skippedRows(report), report.Odd, mapAll(report.Warnings, toWarningJSON)})
}

// withFile opens a regular file for an import. Anything else is an error.
func withFile(path string, fn func(name string, content io.ReaderAt, size int64) error) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close() // it is only read
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no file", path)
	}
	err = fn(filepath.Base(path), file, info.Size())
	if fault, ok := errors.AsType[*sheet.Error](err); ok {
		return fmt.Errorf("%s: %w; nothing was imported", path, fault)
	}
	return err
}

func toWarningJSON(w dataset.Warning) lineJSON { return lineJSON(w) }

// skippedRows counts the rows below the headings that are not data, such as totals.
func skippedRows(r dataset.Report) int {
	return r.Skipped.Blank + r.Skipped.Repeated + r.Skipped.Totals + r.Unsold
}

func explainData(out io.Writer, owner db.Account, source schema.Source, report dataset.Report) {
	for _, w := range report.Warnings {
		place := ""
		if w.Line > 0 {
			place = fmt.Sprintf("line %d, ", w.Line)
		}
		fmt.Fprintln(out, "note:", oneLine(place+w.Heading+": "+w.Reason))
	}
	fmt.Fprintf(out, "imported %s as %s", counted(report.Rows, "row"), source.ID)
	if source.First != "" {
		fmt.Fprintf(out, ", from %s to %s", source.First, source.Last)
	}
	if n := skippedRows(report); n > 0 {
		fmt.Fprintf(out, "; %s held no data", counted(n, "row"))
	}
	fmt.Fprintln(out)
	for _, c := range source.Columns {
		if c.Role != schema.None {
			fmt.Fprintf(out, "  %s: %s\n", c.Role, oneLine(c.Heading))
		}
	}
	for _, note := range doubts(owner, source) {
		fmt.Fprintln(out, "note:", note)
	}
}

// doubts returns notes on what the table lacks, which limits the answers over it.
func doubts(owner db.Account, source schema.Source) (notes []string) {
	has := func(roles ...schema.Role) bool {
		return slices.ContainsFunc(roles, func(r schema.Role) bool { _, ok := source.ByRole(r); return ok })
	}
	money := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Unit == schema.Money })
	if !has(schema.Day) {
		notes = append(notes, "no column of days was found, so nothing can be told by time")
	}
	if !has(schema.Revenue, schema.Gross, schema.Price, schema.Quantity, schema.Stock) {
		notes = append(notes, `no column of amounts was recognised; see "svc data roles"`)
	}
	if money && source.Currency == "" {
		notes = append(notes, "the file names no currency: amounts are shown in "+strings.ToUpper(owner.Profile.Currency)+", the account's")
	}
	return notes
}

type datasetJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Rows      int64  `json:"rows"`
	State     string `json:"state"` // importing, current (ask reads it) or earlier
	CreatedAt string `json:"created_at"`
	ReadyAt   string `json:"ready_at,omitempty"`
}

func (datasetJSON) header() string { return "ID STATE ROWS IMPORTED NAME" }

func (d datasetJSON) cells() []any { return []any{d.ID, d.State, d.Rows, d.CreatedAt, d.Name} }

func listData(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	all, err := app.Datasets.List(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	return table(c, toDatasetsJSON(all))
}

func toDatasetsJSON(all []db.Dataset) []datasetJSON {
	var shown []datasetJSON
	isCurrent := true
	for _, d := range all {
		state := "importing"
		switch {
		case d.Ready && isCurrent:
			state, isCurrent = "current", false
		case d.Ready:
			state = "earlier"
		}
		shown = append(shown, datasetJSON{d.ID, d.Name, d.Rows, state, stamp(d.CreatedAt), stamp(d.ReadyAt)})
	}
	return shown
}

func newDataRoles() *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "roles --account EMAIL [HEADING=ROLE …]",
		Short: "Show what the columns of a table are taken for, or correct it (none: nothing)",
		Long: "Show what the columns of a table are taken for, or correct it: Total=revenue \"Unit cost\"=unit_cost Notes=none.\n\n" +
			"Only one column has a role; who is given it takes it away from the column that had it.",
		RunE: func(c *cobra.Command, args []string) error {
			corrections, err := parseRoles(args)
			if err != nil {
				return err
			}
			return openOwner(c, server.Config{}, func(app *server.App, owner db.Account) error {
				return showRoles(c, app, owner, id, corrections)
			})
		},
	}
	c.Flags().StringVar(&id, "dataset", "", "id of the table (default: the one that ask reads)")
	return accountFlag(c)
}

func parseRoles(args []string) (all []dataset.Correction, err error) {
	for _, arg := range args {
		at := strings.LastIndexByte(arg, '=')
		if at <= 0 {
			return nil, usageError{fmt.Errorf("a correction is HEADING=ROLE, not %q", arg)}
		}
		all = append(all, dataset.Correction{Heading: arg[:at], Role: schema.Role(arg[at+1:])})
	}
	return all, nil
}

func showRoles(c *cobra.Command, app *server.App, owner db.Account, id string, corrections []dataset.Correction) error {
	source, err := app.Datasets.Find(c.Context(), owner.ID, id)
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, id)
	}
	if err == nil && len(corrections) > 0 {
		source, err = app.Datasets.SetRoles(c.Context(), owner.ID, source.ID, corrections)
	}
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, toSourceJSON(source))
	}
	return table(c, mapAll(source.Columns, toColumnJSON))
}

func noDataset(owner db.Account, id string) error {
	if id != "" {
		return fmt.Errorf("%s has no table %s", owner.Email, id)
	}
	return fmt.Errorf("%s has no table; import one with svc data import", owner.Email)
}

package cmd

import (
	"errors"
	"fmt"
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
	return group("data", "Datasets that ask answers from", newDataImport(),
		accountFlag(command("list [--account EMAIL]", "List the datasets of an account; ask reads the one in use", exactly(), withOwner(listData))),
		newDataUse(),
		accountFlag(command("show [--account EMAIL] NAME", "Show a dataset: its files, and what its columns are taken for", exactly("NAME"), withOwner(showData))),
		newDataRoles(),
		newDataWords(),
		newDataRows(),
		accountFlag(command("export [--account EMAIL] NAME", "Print the rows of a dataset as they were typed, as CSV", exactly("NAME"), withOwner(exportData))),
		accountFlag(command("remove [--account EMAIL] NAME", "Remove a dataset and its rows", exactly("NAME"), withOwner(removeData))))
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
	// Reversals are how cancelled and refunded sales are recognized (I4).
	Reversals []reversalJSON `json:"reversals"`
}

type reversalJSON struct {
	Heading string `json:"heading"`
	Text    string `json:"text"`
}

func toReversalJSON(w dataset.Warning) reversalJSON { return reversalJSON{w.Heading, w.Reason} }

func toSourceJSON(s schema.Source) sourceJSON {
	return sourceJSON{
		ID: s.ID, Name: s.Name, Kind: string(s.Kind), Rows: s.Rows, Currency: s.Currency, First: s.First, Last: s.Last,
		Columns: mapAll(s.Columns, toColumnJSON), Reversals: mapAll(dataset.ReversalTexts(s), toReversalJSON),
	}
}

type datasetJSON struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Rows      int64  `json:"rows"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
	Files     int    `json:"files"`
	State     string `json:"state"`             // importing, current (ask reads it) or earlier
	Fixed     bool   `json:"fixed"`             // it is current by "svc data use", even if another is newer
	Renamed   bool   `json:"renamed,omitempty"` // by the upgrade to named datasets
	CreatedAt string `json:"created_at"`
	ReadyAt   string `json:"ready_at,omitempty"`
}

func (datasetJSON) header() string { return "ID STATE ROWS FROM TO FILES IMPORTED NAME" }

func (d datasetJSON) cells() []any {
	state := d.State
	if d.Fixed {
		state += ",fixed"
	}
	return []any{d.ID, state, d.Rows, orDash(d.First), orDash(d.Last), d.Files, orDash(d.ReadyAt), d.Name}
}

func listData(c *cobra.Command, app *server.App, owner db.Account, _ []string) error {
	all, err := app.Datasets.List(c.Context(), owner.ID)
	if err != nil {
		return err
	}
	if err := table(c, toDatasetsJSON(all)); err != nil || wantsJSON(c) {
		return err
	}
	for _, d := range all {
		if isRenamed(d) {
			old := strings.TrimSuffix(d.Name, " "+d.ID)
			fmt.Fprintf(c.OutOrStdout(), "note: an upgrade has named %s so, since several datasets were called %s and the newest kept the name\n", oneLine(d.Name), oneLine(old))
		}
	}
	return nil
}

// isRenamed reports whether the upgrade to named datasets has renamed a dataset: several had
// been imported under one name, which the newest has kept.
func isRenamed(d dataset.Summary) bool { return strings.HasSuffix(d.Name, " "+d.ID) }

func toDatasetsJSON(all []dataset.Summary) []datasetJSON {
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
		shown = append(shown, datasetJSON{
			ID: d.ID, Name: d.Name, Rows: d.Rows, First: d.First, Last: d.Last, Files: len(d.Files), State: state, Fixed: d.InUse, Renamed: isRenamed(d),
			CreatedAt: stamp(d.CreatedAt), ReadyAt: stamp(d.ReadyAt),
		})
	}
	return shown
}

func newDataUse() *cobra.Command {
	var newest bool
	c := &cobra.Command{
		Use:   "use [--account EMAIL] NAME",
		Short: "Make ask read this dataset, also when another is imported later",
		Args: func(c *cobra.Command, args []string) error {
			if newest {
				return exactly()(c, args)
			}
			return exactly("NAME")(c, args)
		},
		RunE: withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			return useData(c, app, owner, strings.Join(args, ""))
		}),
	}
	c.Flags().BoolVar(&newest, "newest", false, "make ask read what was imported last again")
	return accountFlag(c)
}

// useData makes ask read a dataset, or with an empty name the newest.
func useData(c *cobra.Command, app *server.App, owner db.Account, name string) error {
	err := app.Datasets.Use(c.Context(), owner.ID, name)
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, name)
	}
	if err != nil {
		return err
	}
	source, err := app.Datasets.Find(c.Context(), owner.ID, "")
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, "")
	}
	if err != nil {
		return err
	}
	return show(c, toSourceJSON(source), "ask reads %s", source.Name)
}

type importedFileJSON struct {
	Name       string `json:"name"`
	Rows       int    `json:"rows"`
	ImportedAt string `json:"imported_at"`
}

func toImportedFileJSON(f dataset.ImportedFile) importedFileJSON {
	return importedFileJSON{f.Name, f.Rows, stamp(f.Time())}
}

// daysText returns "from 2026-01-02 to 2026-03-31", or "on 2026-01-02" if both days are one.
func daysText(first, last string) string {
	if first == last {
		return "on " + first
	}
	return "from " + first + " to " + last
}

func showData(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	source, err := app.Datasets.Find(c.Context(), owner.ID, args[0])
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, args[0])
	}
	if err != nil {
		return err
	}
	files, err := app.Datasets.Files(c.Context(), owner.ID, source.ID)
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, struct {
			sourceJSON
			Files []importedFileJSON `json:"files"`
			Words []wordJSON         `json:"words"`
		}{toSourceJSON(source), mapAll(files, toImportedFileJSON), toWordsJSON(source)})
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "%s (%s): %s of %s", oneLine(source.Name), source.ID, counted(int(source.Rows), "row"), source.Kind)
	if source.First != "" {
		fmt.Fprint(out, ", "+daysText(source.First, source.Last))
	}
	fmt.Fprintln(out)
	for _, f := range files {
		fmt.Fprintf(out, "file: %s, %s, imported %s\n", oneLine(f.Name), counted(f.Rows, "row"), stamp(f.Time()))
	}
	explainReversals(out, source)
	for _, w := range source.Words {
		fmt.Fprintln(out, "word:", oneLine(wordSentence(w)))
	}
	return table(c, mapAll(source.Columns, toColumnJSON))
}

// exportData prints CSV, or with --json an object for each row.
func exportData(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	out := sheet.NewWriter(c.OutOrStdout())
	head, row := out.Write, out.Write
	if wantsJSON(c) {
		var headings []string
		head = func(cells []string) error {
			headings = uniqueKeys(cells)
			return nil
		}
		row = func(cells []string) error {
			object := map[string]string{}
			for i, title := range headings {
				object[title] = cells[i]
			}
			return printJSON(c, object)
		}
	}
	err := app.Datasets.Export(c.Context(), owner.ID, args[0], head, row)
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, args[0])
	}
	out.Flush()
	return errors.Join(err, out.Error())
}

// uniqueKeys returns headings as the keys of an object: equal ones get a number.
func uniqueKeys(headings []string) (keys []string) {
	for _, heading := range headings {
		key := heading
		for n := 2; slices.Contains(keys, key); n++ {
			key = fmt.Sprintf("%s (%d)", heading, n)
		}
		keys = append(keys, key)
	}
	return keys
}

func removeData(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
	d, err := app.Datasets.Remove(c.Context(), owner.ID, args[0])
	if errors.Is(err, db.ErrNotFound) {
		return noDataset(owner, args[0])
	}
	if err != nil {
		return err
	}
	return show(c, struct {
		ID   string `json:"id"`
		Name string `json:"name"`
		Rows int64  `json:"rows"`
	}{d.ID, d.Name, d.Rows}, "removed %s with %s", d.Name, counted(int(d.Rows), "row"))
}

func newDataRoles() *cobra.Command {
	var id string
	c := &cobra.Command{
		Use:   "roles [--account EMAIL] [HEADING=ROLE …]",
		Short: "Show what the columns of a dataset are taken for, or correct it (none: nothing)",
		Long: "Show what the columns of a dataset are taken for, or correct it: Total=revenue \"Unit cost\"=unit_cost Notes=none.\n\n" +
			"Only one column has a role; who is given it takes it away from the column that had it.\n\n" +
			"The roles are " + strings.Join(dataset.Roles(), ", ") + ".",
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
	c.Flags().StringVar(&id, "dataset", "", "name or id of the dataset (default: the one that ask reads)")
	return accountFlag(c)
}

func parseRoles(args []string) (all []dataset.Correction, err error) {
	for _, arg := range args {
		at := strings.LastIndexByte(arg, '=')
		if at <= 0 {
			return nil, usageError{fmt.Errorf("a correction is HEADING=ROLE, not %q; --dataset names the dataset", arg)}
		}
		role, roles := strings.ToLower(arg[at+1:]), append(dataset.Roles(), "none")
		if !slices.Contains(roles, role) {
			return nil, usageError{fmt.Errorf("there is no role %q; the roles are %s%s", role, strings.Join(roles, ", "), didYouMean(nearest(role, roles)))}
		}
		all = append(all, dataset.Correction{Heading: arg[:at], Role: schema.Role(role)})
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
		return fmt.Errorf("%s has no dataset %s", owner.Email, id)
	}
	return fmt.Errorf("%s has no dataset; import one with svc data import", owner.Email)
}

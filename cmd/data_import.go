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
	"svc/server/ask/plan"
	"svc/server/dataset"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/sheet"
)

func newDataImport() *cobra.Command {
	var f dataset.File
	var add, replace bool
	c := &cobra.Command{
		Use:   "import [--account EMAIL] FILE",
		Short: "Put the rows of a CSV or XLSX file where ask reads them",
		Long: "Put the rows of a CSV or XLSX file where ask reads them: into a new dataset, or with --add or --replace into one that\n" +
			"exists. Added rows are known again by their order number and line, SKU or product, else by all of their cells, so files\n" +
			"may overlap. Nothing is deleted; \"svc data remove\" does that.\n\n" +
			"Types of columns, the order of day and month, the decimal comma and what each column means are found by the\n" +
			"headings and by all of the rows; \"svc data roles\" shows and corrects what it was taken for. If the dates may be read\n" +
			"either way, the import says so, and --dates chooses.\n\n" +
			"Sheets of a workbook with equal headings are one table. Of several tables the one that fits best is taken; what is\n" +
			"left out is named, and --sheet chooses another.",
		Example: "  svc data import january.csv --name sales\n  svc data import february.csv --name sales --add",
		Args:    exactly("FILE"),
		RunE: withOwner(func(c *cobra.Command, app *server.App, owner db.Account, args []string) error {
			switch {
			case add:
				f.Mode = dataset.Add
			case replace:
				f.Mode = dataset.Replace
			}
			return importData(c, app, owner, args[0], f)
		}),
	}
	flags := c.Flags()
	flags.StringVar(&f.Dataset, "name", "", "name of the dataset (default: the file's name without its extension)")
	flags.BoolVar(&add, "add", false, "add the rows to the dataset of that name")
	flags.BoolVar(&replace, "replace", false, "put the rows in the place of those of the dataset of that name")
	flags.StringVar(&f.Sheet, "sheet", "", sheetUsage)
	flags.StringVar(&f.Dates, "dates", "", "read dates that may be meant either way with the day or the month first (default: as is likely)")
	flags.BoolVar(&f.DryRun, "dry-run", false, "store nothing, only say what would happen")
	c.PreRunE = func(*cobra.Command, []string) error {
		if add && replace {
			return usageError{errors.New("--add and --replace exclude each other")}
		}
		return nil
	}
	return accountFlag(c)
}

type importedJSON struct {
	sourceJSON
	Change  string `json:"change"` // created, added or replaced
	DryRun  bool   `json:"dry_run"`
	Added   int    `json:"added"`   // rows that are new
	Updated int    `json:"updated"` // rows that were known with other content
	Known   int    `json:"known"`   // rows that were known as they are
	Skipped int    `json:"skipped"`
	Unsold  int    `json:"unsold"` // of the skipped rows, those that are no sales
	Blanked int    `json:"blanked"`
	// Respelled is how many cells are read in a spelling that is more usual in their column.
	Respelled int         `json:"respelled"`
	Above     int         `json:"above"`    // rows above the headings, which are not read
	Repeated  int         `json:"repeated"` // rows left out since a later sheet has them again
	Beyond    int         `json:"beyond"`   // rows with text to the right of the last heading, which is not read
	Tables    []tableJSON `json:"tables"`
	Fits      []string    `json:"fits"` // datasets that the file could be added to
	Warnings  []lineJSON  `json:"warnings"`
}

// changes names what each mode does to a dataset.
var changes = map[dataset.Mode]string{dataset.Create: "created", dataset.Add: "added", dataset.Replace: "replaced"}

func importData(c *cobra.Command, app *server.App, owner db.Account, path string, f dataset.File) error {
	var source schema.Source
	var report dataset.Report
	err := withFile(path, func(name string, content io.ReaderAt, size int64) (err error) {
		f.Name, f.Content, f.Size = name, content, size
		source, report, err = app.Datasets.Import(c.Context(), owner.ID, f)
		return err
	})
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		added := report.Merged.Added
		if f.Mode != dataset.Add {
			added = report.Rows
		}
		return printJSON(c, importedJSON{
			sourceJSON: toSourceJSON(source), Change: changes[f.Mode], DryRun: f.DryRun,
			Added: added, Updated: report.Merged.Updated, Known: report.Merged.Known,
			Skipped: skippedRows(report) + report.Unsold, Unsold: report.Unsold, Blanked: report.Odd, Respelled: report.Respelled, Above: report.Skipped.Before, Beyond: report.Skipped.Beyond, Repeated: report.Repeated,
			Tables: mapAll(report.Tables, toTableJSON), Fits: append([]string{}, report.Fits...), Warnings: mapAll(report.Warnings, toWarningJSON),
		})
	}
	explainData(c.OutOrStdout(), owner, f, source, report)
	if f.DryRun {
		return nil
	}
	return explainUse(c, app, owner, source)
}

// explainUse says so if ask reads another dataset than the one of an import.
func explainUse(c *cobra.Command, app *server.App, owner db.Account, source schema.Source) error {
	used, err := app.Datasets.Find(c.Context(), owner.ID, "")
	if err == nil && used.ID != source.ID {
		fmt.Fprintf(c.OutOrStdout(), "note: ask reads %s, which is fixed; use \"svc data use\" for another\n", oneLine(used.Name))
	}
	return err
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
	return r.Skipped.Blank + r.Skipped.Repeated + r.Skipped.Totals
}

func explainData(out io.Writer, owner db.Account, f dataset.File, source schema.Source, report dataset.Report) {
	for _, note := range slices.Concat(tableNotes(report.Tables), rowNotes(report.Skipped.Before, report.Skipped.Beyond), repeatNotes(report), spellingNotes(report.Respelled)) {
		fmt.Fprintln(out, "note:", oneLine(note))
	}
	for _, w := range report.Warnings {
		place := ""
		if w.Line > 0 {
			place = sheet.Place(w.Worksheet, w.Line) + ", "
		}
		fmt.Fprintln(out, "note:", oneLine(place+w.Heading+": "+w.Reason))
	}
	if note := report.UnsoldNote(); note != "" {
		fmt.Fprintln(out, "note:", note)
	}
	if report.Dates != "" {
		other := map[string]string{dataset.DayFirst: dataset.MonthFirst, dataset.MonthFirst: dataset.DayFirst}[report.Dates]
		fmt.Fprintf(out, "note: if that is wrong, import the file with --dates %s\n", other)
	}
	fmt.Fprint(out, changeText(f, source, report))
	if source.First != "" {
		fmt.Fprint(out, ", "+daysText(source.First, source.Last))
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
	explainRevenue(out, source)
	explainReversals(out, source)
	for _, note := range doubts(owner, source) {
		fmt.Fprintln(out, "note:", note)
	}
	for _, name := range report.Fits {
		fmt.Fprintf(out, "note: the file fits %s; use --add --name %s\n", oneLine(name), quote(oneLine(name)))
	}
}

// explainRevenue prints what the revenue is made of if no column has it.
func explainRevenue(out io.Writer, source schema.Source) {
	terms, _ := plan.Terms(source, plan.Revenue)
	if _, ok := source.ByRole(schema.Revenue); ok || len(terms) == 0 {
		return
	}
	text := ""
	for _, t := range terms {
		var names []string
		for _, c := range t.Factors {
			names = append(names, oneLine(c.Heading))
		}
		if text != "" {
			text += map[bool]string{true: " - ", false: " + "}[t.Minus]
		}
		text += strings.Join(names, " × ")
	}
	fmt.Fprintln(out, "  revenue:", text)
}

// explainReversals prints how cancelled and refunded sales are recognized.
func explainReversals(out io.Writer, source schema.Source) {
	for _, r := range dataset.ReversalTexts(source) {
		fmt.Fprintln(out, "net:", oneLine(r.Heading+": "+r.Reason))
	}
}

// changeText says what an import has done, or would do, to a dataset.
func changeText(f dataset.File, source schema.Source, report dataset.Report) string {
	name, rows := oneLine(source.Name), counted(report.Rows, "row")
	verb := func(done, would string) string {
		if f.DryRun {
			return "dry run: would " + would
		}
		return done
	}
	switch f.Mode {
	case dataset.Add:
		m := report.Merged
		number := func(n int) string { return money.Digits(int64(n), 0) }
		return fmt.Sprintf("%s %s to %s: %s new, %s updated, %s known; it has %s",
			verb("added", "add"), counted(m.Added+m.Updated+m.Known, "row"), name, number(m.Added), number(m.Updated), number(m.Known), rows)
	case dataset.Replace:
		return fmt.Sprintf("%s the %s of %s with %s", verb("replaced", "replace"), counted(int(report.Before), "row"), name, rows)
	}
	if f.DryRun {
		return fmt.Sprintf("dry run: would import %s as %s", rows, name)
	}
	return fmt.Sprintf("imported %s as %s (%s)", rows, source.ID, name)
}

// doubts returns notes on what the table lacks, which limits the answers over it.
func doubts(owner db.Account, source schema.Source) (notes []string) {
	has := func(roles ...schema.Role) bool {
		return slices.ContainsFunc(roles, func(r schema.Role) bool { _, ok := source.ByRole(r); return ok })
	}
	money := slices.ContainsFunc(source.Columns, func(c schema.Column) bool { return c.Unit == schema.Money })
	day := slices.IndexFunc(source.Columns, func(c schema.Column) bool { return c.Type == schema.Date || c.Type == schema.Moment })
	switch {
	case has(schema.Day):
	case day >= 0:
		notes = append(notes, fmt.Sprintf("no column is the day of the rows; ask for days by their headings, such as %s", source.Columns[day].Heading))
	default:
		notes = append(notes, "no column of days was found, so nothing can be told by time")
	}
	if !has(schema.Revenue, schema.Gross, schema.Price, schema.Quantity, schema.Stock, schema.Cost, schema.UnitCost) && !dataset.IsStatement(source) {
		notes = append(notes, `no column of amounts was recognised; see "svc data roles"`)
	}
	if money && source.Currency == "" {
		notes = append(notes, "the file names no currency: amounts are shown in "+strings.ToUpper(owner.Profile.Currency)+", the account's")
	}
	return notes
}

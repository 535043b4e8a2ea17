// Package dataset turns a merchant's file into a schema.Source: a table whose columns have
// types and roles.
//
// It owns the type of a column (numbers, days, times, yes or no, text), the recognition of
// blanks, and the roles of columns, such as day, product and revenue (I1), by headings in
// five languages and by whether the figures agree. It also takes cities and states out of
// addresses if no column has them. A dataset has a name and grows (I5): it keeps its rows as
// they were typed, and a further file is merged into these, from which all is decided anew.
// Package sheet reads rows and cells of a file; db stores the rows. It answers no question.
//
// Of two possible readings the careful one is taken: a number that may be a code is text,
// and a column whose role is unclear has none. Each doubt is a warning in the Report, and
// WithRole corrects a wrong role.
package dataset

import (
	"context"
	"errors"
	"io"

	"svc/db"
	"svc/server/header"
	"svc/server/schema"
	"svc/server/sheet"
)

// Console has the limits of an upload (I1); the command line has none.
var Console = sheet.Limits{Bytes: 20_000_000, Rows: 200_000}

// Report describes an import.
type Report struct {
	Rows     int      // of the dataset
	FileRows int      // of the file
	Before   int64    // rows that the dataset had
	Merged   Merged   // zero unless the file was added to a dataset
	Fits     []string // other datasets that the file could be added to
	Skipped  sheet.Skipped
	Tables   []sheet.Table // of the file, also those that were not read
	Repeated int           // rows left out since a later worksheet has them again
	Alike    int           // rows that count although a later worksheet has equal ones
	Unsold   int           // rows of the file left out since they are no sales, such as bank transfers, and sums of orders
	Odd      int           // cells that do not fit their column and became blank
	// Respelled is how many cells are read in the spelling that most of their column have.
	Respelled int
	Warnings  []Warning // at most maxWarnings, by column
	// Dates is the order, DayFirst or MonthFirst, in which days are read that can be read in two
	// ways; empty: none can, or somebody chose it.
	Dates string

	hasComma bool // see reader.hasComma
	width    int  // number of headings that later files must have
}

// maxWarnings bounds a report; so many are enough to see what is wrong with a file.
const maxWarnings = 100

// Warning is a doubt about a column.
type Warning struct {
	Worksheet string // of the first case, if rows of several are read
	Line      int    // of the first case; 0: the whole column
	Heading   string
	Reason    string // a clause without a full stop
}

func (p place) warning(heading, reason string) Warning {
	return Warning{p.worksheet, p.line, heading, reason}
}

// Build reads the file several times, first to decide on its columns and then to write its rows as
// a dataset to path, which must not exist. Name is the file's. Memory does not grow with
// the file's size, except for a workbook's own parts.
//
// The error is a *sheet.Error if the file is at fault. After any error nothing is left at
// path.
func Build(ctx context.Context, name string, r io.ReaderAt, size int64, limits sheet.Limits, path string) (schema.Source, Report, error) {
	f := File{Name: name, Content: r, Size: size, Limits: limits}
	file, err := f.openSheet(ctx, f.choice())
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	defer file.Close() // it is only read
	return build(ctx, input{name: name, sheet: file}, nil, path)
}

// build is Build of any input. Corrections are made to the roles that the columns get. Rows
// that a workbook has several times are known only when the roles are, so then all is built
// anew without them.
func build(ctx context.Context, in input, corrections []Correction, path string) (schema.Source, Report, error) {
	p, err := inspect(ctx, in)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	source, report, err := p.build(ctx, in, corrections, path)
	if err != nil || in.merge != nil {
		return source, report, err
	}
	in.repeats, err = findRepeats(ctx, in, source, p.identity(source))
	if err == nil && len(in.repeats.rows) == 0 {
		report.Alike = in.repeats.alike
		return source, report, nil
	}
	if err = errors.Join(err, db.RemoveDataFile(path)); err != nil {
		return schema.Source{}, Report{}, err
	}
	if p, err = inspect(ctx, in); err != nil {
		return schema.Source{}, Report{}, err
	}
	return p.build(ctx, in, corrections, path)
}

// build writes the rows to path and describes them.
func (p *plan) build(ctx context.Context, in input, corrections []Correction, path string) (schema.Source, Report, error) {
	report, err := p.write(ctx, in, path)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	if in.merge != nil {
		report.Merged = in.merge.counts
	}
	report.Repeated, report.Alike = len(in.repeats.rows), in.repeats.alike
	source, err := p.describe(ctx, in.name, path, corrections, &report)
	if err == nil && source.Rows >= indexedFrom {
		err = db.IndexDataFile(ctx, path, indexesOf(source))
	}
	if err != nil {
		return schema.Source{}, Report{}, errors.Join(err, db.RemoveDataFile(path))
	}
	return source.Bounded(), report, nil
}

// plan is the result of the first pass.
type plan struct {
	profiles []*profile
	formats  []format
	doubts   []Warning
	export   *export // nil: no known export
	folded   []string
	added    []madeColumn    // after those of the file
	spent    []int           // columns of expenses, see expenses
	places   []int           // columns of how many goods are in one place each
	lined    map[string]bool // orders of an export that have lines
	home     string          // currency of the account; "" is not known
	locale   locale
	currency string // that the file names beside its figures; "" if none or several
	// openDates is the order in which ambiguous days are read; empty if no column has such days.
	openDates string
	mixed     string // why its amounts cannot be added up, of their currencies; "" if they can
}

func newPlan(headings []string, home string, l locale) *plan {
	p := &plan{home: home, locale: l, lined: map[string]bool{}}
	for _, title := range headings {
		p.profiles = append(p.profiles, newProfile(title, home))
		p.folded = append(p.folded, header.Fold(title))
	}
	p.export = exportOf(p.folded)
	return p
}

func (p *plan) observe(at place, cells []string) {
	p.observeLine(cells)
	for i, text := range cells {
		p.profiles[i].observe(at, text)
	}
}

// inspect is the first pass.
func inspect(ctx context.Context, in input) (*plan, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}

	p := newPlan(file.headings(), in.home, in.locale)
	rows := 0
	err = file.each(ctx, func(row entry) error {
		rows++
		p.observe(row.shown, row.cells)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, noRows(file)
	}
	p.decide(file.hasComma())
	if in.refuseText {
		err = p.checkTable(file.sheet.HeadingLine())
	}
	return p, err
}

func noRows(file *reader) error {
	return &sheet.Error{Line: file.sheet.HeadingLine(), Reason: "there is no row of data under the headings"}
}

func (p *plan) decide(hasComma bool) {
	p.markFigures()
	for _, column := range p.profiles {
		f := column.decide(hasComma)
		p.formats = append(p.formats, f)
		if at, reason := column.doubt(f); reason != "" {
			p.doubts = append(p.doubts, at.warning(column.title, reason))
		}
	}
	p.settleCurrency()
	p.settleDateOrders()
	p.added = p.made()
}

// settleDateOrders decides the order of day and month for columns that do not prove
// theirs: as was chosen, else as another column of the file proves it, else as is likely,
// else by the file's currency, since with dollars the month comes first, or by the account.
func (p *plan) settleDateOrders() {
	if p.currency != "" {
		p.locale.order, p.locale.isKnown = dateOrderIf(p.currency == "usd"), true
	}
	file, isCertain := dateOrderIf(p.locale.chosen == MonthFirst), p.locale.chosen != ""
	for i, column := range p.profiles {
		if o, sure := column.dates.decide(); sure == certain && p.hasDateOrder(i) && p.locale.chosen == "" {
			file, isCertain = o, true
		}
	}
	for i, column := range p.profiles {
		own, sure := column.dates.decide()
		if sure == certain || !p.hasDateOrder(i) {
			continue
		}
		switch {
		case isCertain:
			p.formats[i].order = file
		case sure < likely:
			p.formats[i].order = p.locale.orderOf(&column.dates, own, sure, hasWord(column.title, plannedWords))
		}
		if !isCertain {
			p.openDates = p.formats[i].order.String()
			reason := "the dates can be read in two ways; they are read with the " + p.formats[i].order.String() + " first"
			p.doubts = append(p.doubts, place{}.warning(column.title, reason))
		}
	}
}

// hasDateOrder reports whether a column has dates whose day and month could be swapped.
func (p *plan) hasDateOrder(i int) bool {
	d := p.profiles[i].dates
	isDate := p.formats[i].kind == schema.Date || p.formats[i].kind == schema.Moment
	return isDate && d.open+d.proven[dayFirst]+d.proven[monthFirst] > 0
}

func (o dateOrder) String() string {
	if o == monthFirst {
		return "month"
	}
	return "day"
}

// Package dataset turns a file as merchants have them into a catalog.Source: a
// table whose columns have types, and parts that they play.
//
// It owns what a column holds (numbers, days, times, yes or no, or text), which
// blanks are blank, and which column is the day, the product, the revenue (I1): by
// its heading in five languages, and by whether the figures agree. It also takes
// cities and states out of addresses, where a file says them nowhere else. How a file
// becomes rows and cells is the business of sheet; where the typed rows stand, that
// of db. It answers no question.
//
// Where something can be read in two ways, the careful one is taken: a number that
// may be a code is text, and a column that may be anything has no role. Each doubt
// is a warning in the Report, and a wrong role can be corrected with WithRole.
package dataset

import (
	"context"
	"errors"
	"io"

	"svc/db"
	"svc/server/schema"
	"svc/server/sheet"
)

// Console are the limits of an upload (I1); the command line has none.
var Console = sheet.Limits{Bytes: 20_000_000, Rows: 200_000}

// Report says what an import did with the file.
type Report struct {
	Rows     int
	Skipped  sheet.Skipped
	Unsold   int       // rows that are no sales, such as transfers to a bank
	Odd      int       // cells that do not fit their column and became blank
	Warnings []Warning // at most maxWarnings, by column
}

// maxWarnings is enough to see what a file's trouble is.
const maxWarnings = 100

// Warning is a doubt about a column.
type Warning struct {
	Line    int // where it shows first; 0: everywhere
	Heading string
	Reason  string // a clause without a full stop
}

// Build reads the file twice, first for what its columns are and then for its rows,
// which it writes as a dataset to path (it must not exist). Name is the file's.
// Memory does not grow with the file's size, a workbook's own parts aside.
//
// The error is a *sheet.Error where the file is at fault. After any error nothing
// is left at path.
func Build(ctx context.Context, name string, r io.ReaderAt, size int64, limits sheet.Limits, path string) (schema.Source, Report, error) {
	in := input{name, r, size, limits}
	p, err := inspect(ctx, in)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	report, err := p.write(ctx, in, path)
	if err != nil {
		return schema.Source{}, Report{}, err
	}
	source, err := p.describe(ctx, name, path, &report)
	if err == nil && source.Rows >= indexedFrom {
		err = db.IndexDataFile(ctx, path, indexesOf(source))
	}
	if err != nil {
		return schema.Source{}, Report{}, errors.Join(err, db.RemoveDataFile(path))
	}
	return source.Bounded(), report, nil
}

// input is a file that is read twice.
type input struct {
	name    string
	content io.ReaderAt
	size    int64
	limits  sheet.Limits
}

func (in input) open() (*sheet.Sheet, error) {
	return sheet.Open(in.name, in.content, in.size, in.limits)
}

// plan is what the first pass found.
type plan struct {
	profiles []*profile
	formats  []format
	doubts   []Warning
	export   *export // nil: nobody's that is known
	folded   []string
	added    []addressPart // columns behind those of the file
}

// checkEvery is how many rows are read between looks at the context.
const checkEvery = 1024

// eachRow reads the file once.
func eachRow(ctx context.Context, file *sheet.Sheet, fn func(sheet.Row) error) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := fn(row); err != nil {
			return err
		}
	}
}

// inspect is the first pass.
func inspect(ctx context.Context, in input) (*plan, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()

	p := &plan{}
	for _, title := range file.Headings() {
		p.profiles = append(p.profiles, newProfile(title))
	}
	p.folded = foldAll(file.Headings())
	p.export = exportOf(p.folded)
	rows := 0
	err = eachRow(ctx, file, func(row sheet.Row) error {
		rows++
		for i, text := range row.Cells {
			p.profiles[i].observe(row.Line, text)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if rows == 0 {
		return nil, &sheet.Error{Line: file.HeadingLine(), Reason: "there is no row of data under the headings"}
	}
	p.decide(file.Dialect())
	return p, nil
}

func (p *plan) decide(dialect sheet.Dialect) {
	for _, column := range p.profiles {
		f := column.decide(dialect)
		p.formats = append(p.formats, f)
		if line, reason := column.doubt(f); reason != "" {
			p.doubts = append(p.doubts, Warning{line, column.title, reason})
		}
	}
	p.settleDateOrders()
	p.added = p.addressParts()
}

// settleDateOrders decides on the columns of dates that do not prove their order: as
// another column of the file proves it, else by what is likely, else by the file's
// money, since dollars are where the month stands first.
func (p *plan) settleDateOrders() {
	file, isCertain := dateOrderIf(p.currency() == "usd"), false
	for i, column := range p.profiles {
		if o, sure := column.dates.decide(); sure == certain && p.hasDateOrder(i) {
			file, isCertain = o, true
		}
	}
	for i, column := range p.profiles {
		_, sure := column.dates.decide()
		if sure == certain || !p.hasDateOrder(i) {
			continue
		}
		if sure == open || isCertain {
			p.formats[i].order = file
		}
		if !isCertain {
			reason := "the dates can be read in two ways; they are read with the " + p.formats[i].order.String() + " first"
			p.doubts = append(p.doubts, Warning{0, column.title, reason})
		}
	}
}

// hasDateOrder says that a column has dates with day and month in some order.
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

// currency is the one that all columns name, or "".
func (p *plan) currency() string {
	found := ""
	for i, column := range p.profiles {
		if p.formats[i].kind != schema.Number || len(column.currencies) == 0 {
			continue
		}
		code := column.currency()
		if code == "" || found != "" && code != found {
			return ""
		}
		found = code
	}
	return found
}

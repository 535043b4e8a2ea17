// Package inventory imports a merchant's products from a file.
//
// It owns the meaning of the columns of a product list: the headings that shops,
// marketplaces and merchants use, how variants get their names, and which barcodes,
// prices and quantities are valid. Package sheet owns how a file becomes rows and cells,
// and how numbers are written. Parse stores nothing; Service compares the products with
// the account's inventory and stores them.
package inventory

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"svc/server/fairqueue"
	"svc/server/sheet"
)

// Product is one row of a file. Blank cells are "" or nil.
type Product struct {
	Worksheet    string // if products of several worksheets are read
	Line         int    // of the file
	Name         string // "" only with a SKU or a barcode: a change to a known product
	SKU          string
	Unit         string
	Category     string
	Barcodes     []string // 8, 12, 13 or 14 digits as on the pack, with a correct check digit
	Aliases      []string
	Price        *int64 // minor units of the currency; never negative
	CostPrice    *int64 // minor units; never negative
	Stock        *int64 // thousandths; negative if more was sold than counted
	ReorderPoint *int64 // thousandths; never negative

	others []place // further rows of the product: its stock at other locations
}

// hasCode reports whether the product has a SKU or a barcode.
func (p Product) hasCode() bool { return p.SKU != "" || len(p.Barcodes) > 0 }

// The names of the fields in Result.Columns, which are the names of the API.
const (
	FieldName     = "name"
	FieldSKU      = "sku"
	FieldBarcodes = "barcodes"
	FieldAliases  = "aliases"
	FieldPrice    = "price"
	FieldCost     = "cost_price"
	FieldStock    = "stock_qty"
	FieldUnit     = "unit"
	FieldReorder  = "reorder_point"
	FieldCategory = "category"
)

// Result is the content of a file. Products are the valid rows, in the order of the
// file; a caller that imports all or nothing checks Errors first.
type Result struct {
	Products []Product
	Errors   []LineError // at most 100, by line
	More     bool        // there may be more errors: the file was not read to its end, or has over 100
	faults   faults      // all errors
	Warnings []LineError // at most 100, by line: valid values that look wrong
	Skipped  int         // rows without a product: pictures, groups of variants, totals, headings
	// Columns maps each field to the heading of its column. Several headings are joined
	// by " + ".
	Columns map[string]string
	// Ignored are the headings of the unused columns, in order.
	Ignored []string
	Tables  []sheet.Table // of the file, also those that were not read
	Above   int           // rows above the headings that are not blank
	Beyond  int           // rows with text to the right of the last heading
}

// LineError is a fault of one row.
type LineError struct {
	Worksheet string // if products of several worksheets are read
	Line      int
	Heading   string // of the column, or ""
	Reason    string // a clause without a full stop
}

// Error returns the line, the heading and the reason.
func (e LineError) Error() string {
	place := sheet.Place(e.Worksheet, e.Line)
	if e.Heading != "" {
		place += ", " + e.Heading
	}
	return place + ": " + e.Reason
}

const (
	// maxErrors is how many errors are told.
	maxErrors = 100
	// maxFaults is how many errors are found. A file with more is not read on, and no part of
	// it can be imported.
	maxFaults = 10_000
)

// Parse reads a product list. Prices are in the account's currency: one with the sign of another
// is an error, since nothing is converted. An empty currency is not compared, and has two
// decimals.
//
// The error is a *sheet.Error if the file is no product list, that of ctx if it ends, and any
// other error if reading failed. Faults of single rows are in the result.
func Parse(ctx context.Context, f File, currency string) (Result, error) {
	file, err := sheet.Open(f.Name, sheet.Bound(ctx, f.Content), f.Size, f.Limits, sheet.Choice{Name: f.Sheet, Fit: fitness})
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	columns, err := findColumns(file.Headings(), file.HeadingLine())
	if err != nil {
		return Result{}, err
	}

	p := newParser(columns, currency)
	file.Identify(slices.Concat(columns.fields[FieldSKU], columns.fields[FieldBarcodes])...)
	if err := p.readAll(ctx, file); err != nil {
		return Result{}, err
	}
	if columns.salesHint != "" && p.namesRepeat() {
		return Result{}, columns.notProducts(columns.salesHint)
	}
	p.chooseDecimalPoints(file.Dialect())
	p.finishAll()
	if len(p.products)+len(p.faults.all) == 0 {
		return Result{}, &sheet.Error{Reason: "the file has no product below its headings"}
	}
	p.skipped += file.Skipped().Repeated + file.Skipped().Totals
	result := p.result()
	result.Tables, result.Above, result.Beyond = file.Tables(), file.Skipped().Before, file.Skipped().Beyond
	return result, nil
}

// fitness returns how many fields of a product a table has; 0: it is no product list.
func fitness(headings []string) int {
	c, err := findColumns(headings, 0)
	if err != nil {
		return 0
	}
	return len(c.fields)
}

// parser keeps the rows as text until the end of the file, because only the whole column
// shows how its numbers are written.
type parser struct {
	columns   columns
	currency  string
	numbers   map[int]*sheet.Numbers // by column
	groups    map[string]group       // by handle, or by "id:" and id and by SKU of a variable product
	locations map[string]int         // index of a draft by product, and by product and location
	drafts    []draft

	skus     map[string]int // line by SKU in lower case
	barcodes map[string]int // line by barcode
	names    map[string]int // line by name, for products without SKU and barcode

	products []Product
	faults   faults
	warnings []LineError
	skipped  int
}

// group is inherited by the rows of a product's variants.
type group struct{ name, category string }

func newParser(c columns, currency string) *parser {
	p := &parser{
		columns:   c,
		currency:  currency,
		numbers:   map[int]*sheet.Numbers{},
		groups:    map[string]group{},
		locations: map[string]int{},
		skus:      map[string]int{},
		barcodes:  map[string]int{},
		names:     map[string]int{},
	}
	for _, field := range amountFields {
		for _, i := range c.fields[field] {
			p.numbers[i] = &sheet.Numbers{}
		}
	}
	for _, w := range slices.Concat(c.warnings(), c.foreign(currency)) {
		p.warn(w)
	}
	return p
}

// checkEvery is the number of rows between two moments in which the context may end the
// reading, or other heavy work interrupt it.
const checkEvery = 1024

// readAll reads the rows, up to the last error that is looked for.
func (p *parser) readAll(ctx context.Context, file *sheet.Sheet) error {
	for n := 0; ; n++ {
		if n%checkEvery == 0 { // one read of a workbook may give very many rows
			if err := fairqueue.Yield(ctx); err != nil {
				return err
			}
		}
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if p.faults.full() {
			return nil
		}
		if fault, ok := errors.AsType[*sheet.Error](err); ok {
			p.faults.add(LineError{Worksheet: fault.Worksheet, Line: fault.Line, Reason: fault.Reason})
			// A row of a list by location is a part of a product's stock.
			p.faults.whole = p.faults.whole || fault.Cells == nil || p.columns.location >= 0
			continue
		}
		if err != nil {
			return err
		}
		p.read(row)
	}
}

// namesRepeat reports whether, among the rows without SKU and barcode, more than a tenth
// repeat an earlier name, as in lists of sales.
func (p *parser) namesRepeat() bool {
	seen, rows := map[string]bool{}, 0
	for _, d := range p.drafts {
		if name := strings.ToLower(d.product.Name); name != "" && !d.product.hasCode() {
			seen[name] = true
			rows++
		}
	}
	return (rows-len(seen))*10 > rows
}

// finishAll makes products of the drafts, up to the last error that is looked for.
func (p *parser) finishAll() {
	for i, d := range p.drafts {
		if p.faults.full() {
			return
		}
		p.finish(d)
		p.drafts[i] = draft{}
	}
}

func (p *parser) warn(e LineError) {
	if len(p.warnings) < maxErrors {
		p.warnings = append(p.warnings, e)
	}
}

func (p *parser) result() Result {
	return Result{
		Products: p.products,
		Errors:   p.faults.first(),
		More:     len(p.faults.all) > maxErrors,
		faults:   p.faults,
		Warnings: firstByLine(p.warnings),
		Skipped:  p.skipped,
		Columns:  p.columns.byField(),
		Ignored:  p.columns.ignored(),
	}
}

func firstByLine(all []LineError) []LineError {
	slices.SortStableFunc(all, func(a, b LineError) int {
		return cmp.Or(cmp.Compare(a.Worksheet, b.Worksheet), cmp.Compare(a.Line, b.Line))
	})
	return all[:min(len(all), maxErrors)]
}

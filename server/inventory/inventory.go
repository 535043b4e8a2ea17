// Package inventory reads a merchant's products out of a file.
//
// It owns what the columns of a product list mean: which headings the shops and
// marketplaces write and which a merchant writes by hand, how variants get their
// names, and what a barcode, a price and a quantity must look like. How a file
// becomes rows and cells, and how a number is written, is the business of sheet.
// The package stores nothing: the caller decides what a file with faults is worth,
// and puts the products where they belong.
package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"svc/server/sheet"
)

// Product is one row of a file, typed. What the file leaves blank is "" or nil.
type Product struct {
	Line         int    // where it stands
	Name         string // "" only with a SKU or a barcode: a change to a product that is known by it
	SKU          string
	Unit         string
	Category     string
	Barcodes     []string // digits as on the pack; 8, 12, 13 or 14, with a check digit that fits
	Aliases      []string
	Price        *int64 // minor units of the currency; never negative
	CostPrice    *int64 // minor units; never negative
	Stock        *int64 // thousandths; negative where more was sold than counted
	ReorderPoint *int64 // thousandths; never negative
}

// hasCode says whether the product is known by more than its name.
func (p Product) hasCode() bool { return p.SKU != "" || len(p.Barcodes) > 0 }

// The names of the fields in Result.Columns, which are those of a product record.
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

// Result is what a file holds. Products are those without a fault, in the order
// of the file; a caller that wants all or nothing looks at Errors first.
type Result struct {
	Products []Product
	Errors   []LineError // at most 100, by line
	More     bool        // there may be more errors: the file was not read to its end, or they are over 100
	Warnings []LineError // at most 100, by line: what was taken, but looks odd
	Skipped  int         // rows that hold no product: pictures, groups of variants, totals, headings
	// Columns says from which heading each field was taken. Several are joined
	// by " + ".
	Columns map[string]string
	// Ignored are the headings of the columns from which nothing was taken, in order.
	Ignored []string
}

// LineError is what is wrong with one row.
type LineError struct {
	Line    int
	Heading string // of the column, or ""
	Reason  string // a clause without a full stop
}

// Error puts the place before the reason.
func (e LineError) Error() string {
	if e.Heading == "" {
		return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
	}
	return fmt.Sprintf("line %d, %s: %s", e.Line, e.Heading, e.Reason)
}

const maxErrors = 100

// Parse reads a product list. Name is the file's, decimals how many the account's
// currency has.
//
// The error is a *sheet.Error where the file cannot be read as a product list at
// all, and anything else where reading failed. What is wrong with single rows is
// in the result.
func Parse(name string, r io.ReaderAt, size int64, limits sheet.Limits, decimals int) (Result, error) {
	file, err := sheet.Open(name, r, size, limits)
	if err != nil {
		return Result{}, err
	}
	defer file.Close()
	columns, err := recognise(file.Headings(), file.HeadingLine())
	if err != nil {
		return Result{}, err
	}

	p := newParser(columns, decimals)
	file.Identify(slices.Concat(columns.fields[FieldSKU], columns.fields[FieldBarcodes])...)
	if err := p.readAll(file); err != nil {
		return Result{}, err
	}
	if columns.hint != "" && p.namesRepeat() {
		return Result{}, columns.notProducts(columns.hint)
	}
	p.settle(file.Dialect())
	p.finishAll()
	if len(p.products)+len(p.errors) == 0 {
		return Result{}, &sheet.Error{Reason: "the file has no product below its headings"}
	}
	p.skipped += file.Skipped().Repeated + file.Skipped().Totals
	return p.result(), nil
}

// parser holds the rows as text until all of them are known: how a column writes
// its numbers shows in the whole of it.
type parser struct {
	columns  columns
	decimals int
	numbers  map[int]*sheet.Numbers // by column
	titles   map[string]group       // by handle, or by id and SKU of a group
	places   map[string]int         // draft by product, and by product and location
	drafts   []draft

	skus     map[string]int // line by SKU in lower case
	barcodes map[string]int // line by barcode
	names    map[string]int // line by name, of products that have nothing else

	products []Product
	errors   []LineError
	warnings []LineError
	skipped  int
	more     bool
}

// group is what the rows of a product's variants inherit.
type group struct{ name, category string }

func newParser(c columns, decimals int) *parser {
	p := &parser{
		columns:  c,
		decimals: decimals,
		numbers:  map[int]*sheet.Numbers{},
		titles:   map[string]group{},
		places:   map[string]int{},
		skus:     map[string]int{},
		barcodes: map[string]int{},
		names:    map[string]int{},
	}
	for _, field := range amountFields {
		for _, i := range c.fields[field] {
			p.numbers[i] = &sheet.Numbers{}
		}
	}
	for _, doubt := range c.doubts() {
		p.warn(doubt)
	}
	return p
}

// readAll takes in the rows, up to the hundredth fault.
func (p *parser) readAll(file *sheet.Sheet) error {
	for {
		row, err := file.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if len(p.errors) >= maxErrors {
			p.more = true
			return nil
		}
		if fault, ok := errors.AsType[*sheet.Error](err); ok {
			p.fault(LineError{Line: fault.Line, Reason: fault.Reason})
			continue
		}
		if err != nil {
			return err
		}
		p.read(row)
	}
}

// namesRepeat says whether more than a tenth of the rows that have nothing but a
// name have one that was there before, as the rows of sales do.
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

// finishAll makes products of the drafts, up to the hundredth fault of its own.
func (p *parser) finishAll() {
	before := len(p.errors)
	for i, d := range p.drafts {
		if len(p.errors)-before >= maxErrors {
			p.more = true
			return
		}
		p.finish(d)
		p.drafts[i] = draft{}
	}
}

func (p *parser) fault(e LineError) { p.errors = append(p.errors, e) }

func (p *parser) warn(e LineError) {
	if len(p.warnings) < maxErrors {
		p.warnings = append(p.warnings, e)
	}
}

func (p *parser) result() Result {
	return Result{
		Products: p.products,
		Errors:   firstByLine(p.errors),
		More:     p.more || len(p.errors) > maxErrors,
		Warnings: firstByLine(p.warnings),
		Skipped:  p.skipped,
		Columns:  p.columns.taken(),
		Ignored:  p.columns.ignored(),
	}
}

func firstByLine(all []LineError) []LineError {
	slices.SortStableFunc(all, func(a, b LineError) int { return cmp.Compare(a.Line, b.Line) })
	return all[:min(len(all), maxErrors)]
}

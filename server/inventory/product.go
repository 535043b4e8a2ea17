package inventory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"svc/server/gtin"
	"svc/server/money"
	"svc/server/sheet"
)

// draft is a product whose numbers are still text.
type draft struct {
	product Product
	amounts []amountText
	faulty  bool // an error is recorded, so the draft is dropped
}

// amountText is the text of a cell with a number.
type amountText struct {
	line   int
	field  string
	column int
	text   string
}

// The most characters of a text. A workbook stores a text once for any number of cells,
// so an unbounded text could fill the memory.
const (
	nameLength   = 500 // also of categories
	aliasLength  = 200
	skuLength    = 100
	unitLength   = 50
	handleLength = 500 // also of ids
)

// lengths has the most characters of a field's cells.
var lengths = []struct {
	field string
	most  int
}{
	{FieldName, nameLength}, {FieldSKU, skuLength}, {FieldUnit, unitLength}, {FieldCategory, nameLength},
	{FieldPrice, 100}, {FieldCost, 100}, {FieldStock, 100}, {FieldReorder, 100},
}

// read makes a draft of a row, unless the row has no product.
func (p *parser) read(row sheet.Row) {
	d := draft{product: Product{Worksheet: row.Worksheet, Line: row.Line}}
	if p.checkLengths(&d, row); d.faulty {
		p.faults.whole = p.faults.whole || p.columns.location >= 0 // whose stock it is, is not known
		return
	}
	name, category, isGroup := p.name(row)
	if isGroup || p.isEmpty(row) {
		p.skipped++
		return
	}
	if err := checkLength(name, nameLength); err != nil {
		p.fieldError(&d, FieldName, err.Error())
	} else {
		d.product.Name, d.product.Category = strings.Clone(name), strings.Clone(category)
	}

	var err error
	if d.product.SKU, err = parseSKU(p.cell(row, FieldSKU)); err != nil {
		p.fieldError(&d, FieldSKU, err.Error())
	}
	p.readBarcodes(&d, row)
	if name == "" && !d.product.hasCode() && !d.faulty {
		p.fieldError(&d, FieldName, "the product has no name")
	}
	d.product.Unit = strings.Clone(p.cell(row, FieldUnit))
	if d.product.Aliases, err = parseAliases(p.cell(row, FieldAliases)); err != nil {
		p.fieldError(&d, FieldAliases, err.Error())
	}
	p.readAmounts(&d, row)
	if !p.mergeLocation(d, row) {
		p.drafts = append(p.drafts, d)
	}
}

// checkLengths records an error for each cell of a row that is too long for its field.
func (p *parser) checkLengths(d *draft, row sheet.Row) {
	check := func(most int, columns ...int) {
		for _, i := range columns {
			if i < 0 {
				continue
			}
			if err := checkLength(row.Cells[i], most); err != nil {
				p.cellError(d, row.Line, i, err)
			}
		}
	}
	check(handleLength, p.columns.handle, p.columns.id)
	for _, l := range lengths {
		check(l.most, p.columns.fields[l.field]...)
	}
}

func checkLength(text string, most int) error {
	if len(text) > most && utf8.RuneCountInString(text) > most {
		return fmt.Errorf("%s has more than %d characters", sheet.Quote(text), most)
	}
	return nil
}

// readAmounts keeps the numbers as text, and passes them to the sheet.Numbers of their
// columns.
func (p *parser) readAmounts(d *draft, row sheet.Row) {
	for _, field := range amountFields {
		for _, i := range p.columns.fields[field] {
			text := row.Cells[i]
			switch {
			case isBlankValue(text):
			case slices.Contains(wordsForNumbers[field], strings.ToLower(text)):
				p.warn(LineError{row.Worksheet, row.Line, p.columns.headings[i], sheet.Quote(text) + " is not a number, and is taken for a blank"})
			default:
				p.numbers[i].Observe(text)
				d.amounts = append(d.amounts, amountText{row.Line, field, i, strings.Clone(text)})
			}
		}
	}
}

// cell returns a field's text in a row.
func (p *parser) cell(row sheet.Row, field string) string {
	if all := p.columns.fields[field]; len(all) > 0 {
		return row.Cells[all[0]]
	}
	return ""
}

// isEmpty reports whether a row has nothing except perhaps a handle or a category:
// further pictures of a Shopify product, captions in a sheet.
func (p *parser) isEmpty(row sheet.Row) bool {
	for field, all := range p.columns.fields {
		if field != FieldCategory && slices.ContainsFunc(all, func(i int) bool { return row.Cells[i] != "" }) {
			return false
		}
	}
	return !slices.ContainsFunc(p.columns.options, func(i int) bool { return row.Cells[i] != "" })
}

// parseAliases splits at line breaks, semicolons and bars, or at commas if there are none
// of these.
func parseAliases(text string) ([]string, error) {
	marks := ";|\n"
	if !strings.ContainsAny(text, marks) {
		marks = ","
	}
	var all []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
		part = singleSpaced(part)
		if err := checkLength(part, aliasLength); err != nil {
			return nil, err
		}
		if part == "" || slices.Contains(all, part) {
			continue
		}
		if all = append(all, strings.Clone(part)); len(all) > maxCodes {
			return nil, errMany
		}
	}
	return all, nil
}

// readBarcodes reads each barcode once, also if it is written with different numbers of
// digits.
func (p *parser) readBarcodes(d *draft, row sheet.Row) {
	seen := map[string]bool{}
	for _, i := range p.columns.fields[FieldBarcodes] {
		all, err := parseBarcodes(row.Cells[i])
		if err == nil && len(seen)+len(all) > maxCodes {
			err = errMany
		}
		if err != nil {
			p.cellError(d, row.Line, i, err)
			continue
		}
		for _, barcode := range all {
			if key := gtin.Key(barcode); !seen[key] {
				seen[key] = true
				d.product.Barcodes = append(d.product.Barcodes, strings.Clone(barcode))
			}
		}
	}
}

// fieldError records an error of a field, so that the draft is dropped.
func (p *parser) fieldError(d *draft, field, reason string) {
	p.faults.add(LineError{d.product.Worksheet, d.product.Line, p.columns.heading(field), reason})
	d.faulty = true
}

// cellError records an error of a cell, so that the draft is dropped.
func (p *parser) cellError(d *draft, line, column int, err error) {
	p.faults.add(LineError{d.product.Worksheet, line, p.columns.headings[column], err.Error()})
	d.faulty = true
}

// chooseDecimalPoints chooses the decimal point for columns whose numbers are ambiguous:
// as in the other columns, or else as usual for the dialect of the file.
func (p *parser) chooseDecimalPoints(dialect sheet.Dialect) {
	commas, points := 0, 0
	for _, n := range p.numbers {
		switch n.Point() {
		case ',':
			commas++
		case '.':
			points++
		}
	}
	fallback := '.'
	if commas > points || commas == points && dialect.CommaLikely() {
		fallback = ','
	}
	for _, n := range p.numbers {
		n.Fallback = fallback
	}
}

// finish makes a product of a draft.
func (p *parser) finish(d draft) {
	decimals := money.Decimals(p.currency)
	d.product.Price = p.amount(&d, FieldPrice, decimals, false)
	d.product.CostPrice = p.amount(&d, FieldCost, decimals, false)
	d.product.Stock = p.amount(&d, FieldStock, stockDecimals, true)
	d.product.ReorderPoint = p.amount(&d, FieldReorder, stockDecimals, false)
	p.refuseRepeats(&d)
	if !d.faulty {
		p.products = append(p.products, d.product)
		return
	}
	for _, at := range append(d.product.others, place{d.product.Worksheet, d.product.Line}) {
		p.faults.attached = append(p.faults.attached, attachedTo(at))
	}
}

// stockDecimals is the precision of quantities.
const stockDecimals = 3

// amount returns the sum of a field's cells, or nil if they are blank: stock may have a
// column for each location.
//
// A negative stock is valid, with a warning: shops that continue to sell an item that
// has run out export it.
func (p *parser) amount(d *draft, field string, places int, allowNegative bool) *int64 {
	var sum *int64
	for _, a := range d.amounts {
		if a.field != field {
			continue
		}
		n, err := inUnits(p.numbers[a.column], a.text, places)
		if err == nil && (field == FieldPrice || field == FieldCost) {
			err = p.checkSign(a.text)
		}
		if err == nil && n < 0 && !allowNegative {
			err = errors.New(sheet.Quote(a.text) + " is negative")
		}
		if err == nil && sum != nil && (*sum+n > *sum) != (n > 0) && n != 0 {
			err = sheet.ErrRange
		}
		if err != nil {
			p.cellError(d, a.line, a.column, err)
			return nil
		}
		if n < 0 {
			p.warn(LineError{d.product.Worksheet, a.line, p.columns.headings[a.column], sheet.Quote(a.text) + " is negative"})
		}
		if sum != nil {
			n += *sum
		}
		sum = &n
	}
	return sum
}

// checkSign refuses an amount with the sign of another currency than the account's.
func (p *parser) checkSign(text string) error {
	sign := money.Foreign(text, p.currency)
	if sign == "" {
		return nil
	}
	return fmt.Errorf("%s has the currency %s, and prices are in %s; nothing is converted", sheet.Quote(text), sign, strings.ToUpper(p.currency))
}

// inUnits parses one number in units of 10^-places. It may have more decimals if they are
// zeros.
func inUnits(numbers *sheet.Numbers, text string, places int) (int64, error) {
	if strings.Contains(text, "%") {
		return 0, fmt.Errorf("%s is a percentage", sheet.Quote(text))
	}
	decimal, err := numbers.ParseDecimal(text)
	if err != nil {
		return 0, err
	}
	n, err := decimal.Units(places)
	switch {
	case errors.Is(err, sheet.ErrPlaces) && places == 0:
		return 0, fmt.Errorf("%s has decimals, and the currency has none", sheet.Quote(text))
	case errors.Is(err, sheet.ErrPlaces):
		return 0, fmt.Errorf("%s has more than %d decimals", sheet.Quote(text), places)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", sheet.Quote(text), err)
	}
	return n, nil
}

// refuseRepeats records an error if the same product is on an earlier line.
func (p *parser) refuseRepeats(d *draft) {
	check := func(seen map[string]int, key, field, text, hint string) {
		if first, ok := seen[key]; ok {
			p.fieldError(d, field, fmt.Sprintf("%s is on line %d already%s", sheet.Quote(text), first, hint))
			return
		}
		seen[key] = d.product.Line
	}
	if sku := d.product.SKU; sku != "" {
		check(p.skus, strings.ToLower(sku), FieldSKU, sku, "")
	}
	for _, barcode := range d.product.Barcodes {
		check(p.barcodes, gtin.Key(barcode), FieldBarcodes, barcode, "")
	}
	if name := d.product.Name; name != "" && !d.product.hasCode() {
		check(p.names, strings.ToLower(name), FieldName, name, "; without a SKU or a barcode the two cannot be told apart")
	}
}

// isBlankValue reports whether a text means a blank cell.
func isBlankValue(text string) bool {
	switch strings.ToLower(text) {
	case "", "-", "–", "—", "n/a", "#n/a", "na", "null", "none", "does not apply", "nicht zutreffend", "not stocked":
		return true
	}
	return false
}

package inventory

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc/server/gtin"
	"svc/server/sheet"
)

// draft is a product whose numbers are still text.
type draft struct {
	product Product
	amounts []amountText
	faulty  bool
}

// amountText is a cell with a number.
type amountText struct {
	field  string
	column int
	text   string
}

// read makes a draft of a row, unless it holds no product.
func (p *parser) read(row sheet.Row) {
	name, category, reason := p.name(row)
	isGroup := name == "" && reason == ""
	if isGroup || p.isEmpty(row) {
		p.skipped++
		return
	}
	d := draft{product: Product{Line: row.Line, Name: strings.Clone(name), Category: strings.Clone(category)}}
	if reason != "" {
		p.faultOf(&d, FieldName, reason)
	}

	var err error
	if d.product.SKU, err = code(p.cell(row, FieldSKU)); err != nil {
		p.faultOf(&d, FieldSKU, err.Error())
	}
	p.readBarcodes(&d, row)
	d.product.Unit = strings.Clone(p.cell(row, FieldUnit))
	d.product.Aliases = aliases(p.cell(row, FieldAliases))
	for _, field := range amountFields {
		for _, i := range p.columns.fields[field] {
			if text := row.Cells[i]; !isNothing(text) && !isWordFor(field, text) {
				p.numbers[i].Observe(text)
				d.amounts = append(d.amounts, amountText{field, i, strings.Clone(text)})
			}
		}
	}
	p.drafts = append(p.drafts, d)
}

// cell is a field's text in a row.
func (p *parser) cell(row sheet.Row, field string) string {
	if all := p.columns.fields[field]; len(all) > 0 {
		return row.Cells[all[0]]
	}
	return ""
}

// isEmpty knows rows that hold nothing of a product but perhaps its handle or a
// category: the further pictures of a Shopify product, the captions of a sheet.
func (p *parser) isEmpty(row sheet.Row) bool {
	for field, all := range p.columns.fields {
		if field != FieldCategory && slices.ContainsFunc(all, func(i int) bool { return row.Cells[i] != "" }) {
			return false
		}
	}
	return !slices.ContainsFunc(p.columns.options, func(i int) bool { return row.Cells[i] != "" })
}

// name makes the name of a row's product, and gives its category, which variants
// inherit both. Without a name it says why; with neither the row is a group, and
// the products are its variants.
func (p *parser) name(row sheet.Row) (name, category, reason string) {
	name, category = plain(p.cell(row, FieldName)), plain(p.cell(row, FieldCategory))
	c := p.columns
	switch {
	case c.kind >= 0:
		return p.nameOfWoo(row, name, category)
	case c.details >= 0:
		name = withDetails(name, row.Cells[c.details])
		if name == "" && strings.Contains(row.Cells[c.details], ";") {
			return "", "", ""
		}
	case c.handle >= 0:
		name, category = p.inherit(row.Cells[c.handle], name, category)
	}
	if name == "" {
		return "", "", "the product has no name"
	}
	return p.withOptions(row, name), category, ""
}

// inherit gives a variant what the first row with its handle has.
func (p *parser) inherit(handle, name, category string) (string, string) {
	if handle == "" {
		return name, category
	}
	g := p.titles[handle]
	if name == "" && category == "" {
		return g.name, g.category
	}
	g.name, g.category = cmp.Or(name, g.name), cmp.Or(category, g.category)
	p.titles[strings.Clone(handle)] = group{strings.Clone(g.name), strings.Clone(g.category)}
	return g.name, g.category
}

// withOptions appends the values that make the variant, as Shopify writes them in
// its orders: "Top - Small / Red". What stands for the only variant is left out.
func (p *parser) withOptions(row sheet.Row, name string) string {
	var values []string
	columns := p.columns.options
	if i := p.columns.variation; i >= 0 && len(columns) == 0 || i >= 0 && row.Cells[i] != "" {
		columns = []int{i}
	}
	for _, i := range columns {
		value := plain(row.Cells[i])
		switch strings.ToLower(value) {
		case "", "default title", "default", "regular", strings.ToLower(name):
		default:
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return name
	}
	return name + " - " + strings.Join(values, " / ")
}

// nameOfWoo follows WooCommerce: a variable product is a row of its own, above
// those of its variations, which may have its name or none; grouped products are
// rows too. The rows of groups have no price and are not in stock.
func (p *parser) nameOfWoo(row sheet.Row, name, category string) (string, string, string) {
	kind := strings.ToLower(row.Cells[p.columns.kind])
	if strings.Contains(kind, "variable") || strings.Contains(kind, "grouped") {
		g := group{strings.Clone(name), strings.Clone(category)}
		if p.columns.id >= 0 {
			p.titles["id:"+strings.Clone(row.Cells[p.columns.id])] = g
		}
		if sku := p.cell(row, FieldSKU); sku != "" {
			p.titles[strings.Clone(sku)] = g
		}
		return "", "", ""
	}
	if strings.Contains(kind, "variation") && p.columns.parent >= 0 {
		g := p.titles[row.Cells[p.columns.parent]]
		if category == "" {
			category = g.category
		}
		if name == "" || name == g.name {
			if name = g.name; name != "" {
				name = p.withOptions(row, name)
			}
		}
	}
	if name == "" {
		return "", "", "the product has no name"
	}
	return name, category, ""
}

// withDetails follows eBay: the row of a listing with variations has all their
// values, "Size=M;L|Colour=Red", and each of theirs has its own. The former gets
// no name.
func withDetails(name, details string) string {
	if details == "" || name == "" {
		return name
	}
	if strings.Contains(details, ";") {
		return ""
	}
	var values []string
	for detail := range strings.SplitSeq(details, "|") {
		_, value, _ := strings.Cut(detail, "=")
		if value = plain(value); value != "" {
			values = append(values, value)
		}
	}
	if len(values) == 0 {
		return name
	}
	return name + " - " + strings.Join(values, " / ")
}

// plain puts one space for each run of white space.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

// aliases splits at line breaks, semicolons and bars, and at commas where there
// are none of these.
func aliases(text string) []string {
	marks := ";|\n"
	if !strings.ContainsAny(text, marks) {
		marks = ","
	}
	var all []string
	for part := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune(marks, r) }) {
		if part = plain(part); part != "" && !slices.Contains(all, part) {
			all = append(all, strings.Clone(part))
		}
	}
	return all
}

func (p *parser) readBarcodes(d *draft, row sheet.Row) {
	for _, i := range p.columns.fields[FieldBarcodes] {
		all, err := barcodes(row.Cells[i])
		if err != nil {
			p.fault(LineError{row.Line, p.columns.headings[i], err.Error()})
			d.faulty = true
		}
		for _, barcode := range all {
			if !slices.ContainsFunc(d.product.Barcodes, func(b string) bool { return gtin.Key(b) == gtin.Key(barcode) }) {
				d.product.Barcodes = append(d.product.Barcodes, strings.Clone(barcode))
			}
		}
	}
}

// faultOf records what is wrong with a field, so that the draft comes to nothing.
func (p *parser) faultOf(d *draft, field, reason string) {
	p.fault(LineError{d.product.Line, p.columns.heading(field), reason})
	d.faulty = true
}

// settle decides how columns that leave it open write their numbers: as the other
// columns of the file do, or else as such files do.
func (p *parser) settle(dialect sheet.Dialect) {
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
	d.product.Price = p.amount(&d, FieldPrice, p.decimals, false)
	d.product.CostPrice = p.amount(&d, FieldCost, p.decimals, false)
	d.product.Stock = p.amount(&d, FieldStock, stockDecimals, true)
	d.product.ReorderPoint = p.amount(&d, FieldReorder, stockDecimals, false)
	p.compare(&d)
	if !d.faulty {
		p.products = append(p.products, d.product)
	}
}

// stockDecimals is how finely quantities are counted.
const stockDecimals = 3

// amount reads the cells of a field and adds them up: stock may stand in a column
// for each place. Nil means that the row says nothing.
//
// A negative stock is taken, with a warning: shops that go on selling what has
// run out export just that, and to refuse it would refuse their file.
func (p *parser) amount(d *draft, field string, places int, negative bool) *int64 {
	var sum *int64
	for _, a := range d.amounts {
		if a.field != field {
			continue
		}
		n, err := p.units(a, places)
		if err == nil && n < 0 && !negative {
			err = errors.New(quote(a.text) + " is negative")
		}
		if err == nil && sum != nil && (*sum+n > *sum) != (n > 0) && n != 0 {
			err = sheet.ErrRange
		}
		if err != nil {
			p.fault(LineError{d.product.Line, p.columns.headings[a.column], err.Error()})
			d.faulty = true
			return nil
		}
		if n < 0 {
			p.warn(LineError{d.product.Line, p.columns.headings[a.column], quote(a.text) + " is negative"})
		}
		if sum != nil {
			n += *sum
		}
		sum = &n
	}
	return sum
}

// units reads one number. It may be written with more decimals than places where
// they are zeros.
func (p *parser) units(a amountText, places int) (int64, error) {
	if strings.Contains(a.text, "%") {
		return 0, fmt.Errorf("%s is a percentage", quote(a.text))
	}
	decimal, err := p.numbers[a.column].ParseDecimal(a.text)
	if err != nil {
		return 0, err
	}
	n, err := decimal.Units(places)
	switch {
	case errors.Is(err, sheet.ErrPlaces) && places == 0:
		return 0, fmt.Errorf("%s has decimals, and the currency has none", quote(a.text))
	case errors.Is(err, sheet.ErrPlaces):
		return 0, fmt.Errorf("%s has more than %d decimals", quote(a.text), places)
	case err != nil:
		return 0, fmt.Errorf("%s: %w", quote(a.text), err)
	}
	return n, nil
}

// compare looks for the same product on an earlier line.
func (p *parser) compare(d *draft) {
	line := d.product.Line
	if sku := strings.ToLower(d.product.SKU); sku != "" {
		if first, ok := p.skus[sku]; ok {
			p.faultOf(d, FieldSKU, fmt.Sprintf("%s is on line %d already", quote(d.product.SKU), first))
		} else {
			p.skus[sku] = line
		}
	}
	for _, barcode := range d.product.Barcodes {
		if first, ok := p.barcodes[gtin.Key(barcode)]; ok {
			p.faultOf(d, FieldBarcodes, fmt.Sprintf("%s is on line %d already", quote(barcode), first))
		} else {
			p.barcodes[gtin.Key(barcode)] = line
		}
	}
	if d.product.SKU != "" || len(d.product.Barcodes) > 0 {
		return
	}
	name := strings.ToLower(d.product.Name)
	if first, ok := p.names[name]; ok {
		p.warn(LineError{line, p.columns.heading(FieldName), fmt.Sprintf("%s is on line %d too, and has neither a SKU nor a barcode", quote(d.product.Name), first)})
	} else {
		p.names[name] = line
	}
}

// isNothing knows the ways to leave a cell blank.
func isNothing(text string) bool {
	switch strings.ToLower(text) {
	case "", "-", "–", "—", "n/a", "#n/a", "na", "null", "none", "does not apply", "nicht zutreffend":
		return true
	}
	return false
}

// isWordFor knows what shops write in place of a number.
func isWordFor(field, text string) bool {
	text = strings.ToLower(text)
	switch field {
	case FieldPrice:
		return text == "variable" || text == "variable pricing"
	case FieldStock:
		return slices.Contains([]string{"yes", "no", "true", "false", "in stock", "out of stock", "instock", "outofstock", "ja", "nein", "oui", "non", "not stocked", "unlimited", "∞"}, text)
	}
	return false
}

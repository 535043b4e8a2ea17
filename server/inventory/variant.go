package inventory

import (
	"cmp"
	"strings"

	"svc/server/sheet"
)

// name returns the name and the category of a row's product; variants inherit both.
// If the row is a group, it has no product, but its variants have.
func (p *parser) name(row sheet.Row) (name, category string, isGroup bool) {
	name, category = singleSpaced(p.cell(row, FieldName)), singleSpaced(p.cell(row, FieldCategory))
	c := p.columns
	switch {
	case c.kind >= 0:
		return p.nameOfWoo(row, name, category)
	case c.details >= 0 && strings.Contains(row.Cells[c.details], ";"): // all values of a group
		return "", "", true
	case c.details >= 0:
		name = withDetails(name, row.Cells[c.details])
	case c.handle >= 0:
		name, category = p.inherit(row.Cells[c.handle], name, category)
	}
	return p.withOptions(row, name), category, false
}

// inherit returns the name and category of a variant, from the earlier rows with its
// handle if the row has none.
func (p *parser) inherit(handle, name, category string) (string, string) {
	if handle == "" {
		return name, category
	}
	g := p.groups[handle]
	if name == "" && category == "" {
		return g.name, g.category
	}
	g.name, g.category = cmp.Or(name, g.name), cmp.Or(category, g.category)
	p.groups[strings.Clone(handle)] = group{strings.Clone(g.name), strings.Clone(g.category)}
	return g.name, g.category
}

// withOptions appends the values of a variant to the name, as in Shopify's orders: "Top -
// Small / Red". It leaves out values that mean the only variant, and in a plain sheet
// values that the name has already.
func (p *parser) withOptions(row sheet.Row, name string) string {
	if name == "" {
		return ""
	}
	var values []string
	columns := p.columns.options
	if i := p.columns.variation; i >= 0 && len(columns) == 0 || i >= 0 && row.Cells[i] != "" {
		columns = []int{i}
	}
	for _, i := range columns {
		value := singleSpaced(row.Cells[i])
		switch strings.ToLower(value) {
		case "", "default title", "default", "regular", strings.ToLower(name):
		default:
			if !p.columns.isPlain || !isBlankValue(value) && !hasWords(name, value) {
				values = append(values, value)
			}
		}
	}
	return withValues(name, values)
}

func withValues(name string, values []string) string {
	if len(values) == 0 {
		return name
	}
	return name + " - " + strings.Join(values, " / ")
}

// hasWords reports whether a name has these words, in any case: "Tea 250g" has "250G".
func hasWords(name, words string) bool {
	return strings.Contains(" "+strings.ToLower(name)+" ", " "+strings.ToLower(words)+" ")
}

// nameOfWoo is name for WooCommerce: a variable product has a row above those of its
// variations, which have its name or none; grouped products are rows, too. The rows of
// groups have no price and no stock.
func (p *parser) nameOfWoo(row sheet.Row, name, category string) (string, string, bool) {
	kind := strings.ToLower(row.Cells[p.columns.kind])
	if strings.Contains(kind, "variable") || strings.Contains(kind, "grouped") {
		g := group{strings.Clone(name), strings.Clone(category)}
		if p.columns.id >= 0 {
			p.groups["id:"+strings.Clone(row.Cells[p.columns.id])] = g
		}
		if sku := p.cell(row, FieldSKU); sku != "" {
			p.groups[strings.Clone(sku)] = g
		}
		return "", "", true
	}
	if strings.Contains(kind, "variation") && p.columns.parent >= 0 {
		g := p.groups[row.Cells[p.columns.parent]]
		category = cmp.Or(category, g.category)
		if name == "" || name == g.name {
			name = p.withOptions(row, g.name)
		}
	}
	return name, category, false
}

// withDetails is withOptions for eBay: the row of a listing with variations has all their
// values, "Size=M;L|Colour=Red", and gets no name; the row of a variation has its own
// values.
func withDetails(name, details string) string {
	if details == "" || name == "" {
		return name
	}
	var values []string
	for detail := range strings.SplitSeq(details, "|") {
		_, value, _ := strings.Cut(detail, "=")
		if value = singleSpaced(value); value != "" {
			values = append(values, value)
		}
	}
	return withValues(name, values)
}

// mergeLocation adds the stock of a row to the draft of the same product at another
// location, because Shopify's inventory has a row for each location. It reports false if
// the row is a draft of its own: the first one of a product, or one that repeats a
// location, which is an error.
func (p *parser) mergeLocation(d draft, row sheet.Row) bool {
	if p.columns.location < 0 {
		return false
	}
	product := strings.Join([]string{row.Cells[p.columns.handle], d.product.Name, d.product.SKU}, "\n")
	location := product + "\n" + row.Cells[p.columns.location]
	first, isKnown := p.locations[product]
	_, isRepeated := p.locations[location]
	if !isKnown {
		p.locations[product] = len(p.drafts)
	}
	p.locations[location] = len(p.drafts)
	if !isKnown || isRepeated {
		return false
	}
	of := &p.drafts[first]
	of.amounts, of.faulty = append(of.amounts, d.amounts...), of.faulty || d.faulty
	of.product.others = append(of.product.others, place{row.Worksheet, row.Line})
	return true
}

// singleSpaced replaces each run of white space with one space.
func singleSpaced(text string) string { return strings.Join(strings.Fields(text), " ") }

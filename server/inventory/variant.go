package inventory

import (
	"cmp"
	"strings"

	"svc/server/sheet"
)

// name makes the name of a row's product, and gives its category, which variants
// inherit both. Where the row is a group, the products are its variants.
func (p *parser) name(row sheet.Row) (name, category string, isGroup bool) {
	name, category = plain(p.cell(row, FieldName)), plain(p.cell(row, FieldCategory))
	c := p.columns
	switch {
	case c.kind >= 0:
		return p.nameOfWoo(row, name, category)
	case c.details >= 0:
		name = withDetails(name, row.Cells[c.details])
		if name == "" && strings.Contains(row.Cells[c.details], ";") {
			return "", "", true
		}
	case c.handle >= 0:
		name, category = p.inherit(row.Cells[c.handle], name, category)
	}
	return p.withOptions(row, name), category, false
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
// In a plain sheet also what the name has already.
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
		value := plain(row.Cells[i])
		switch strings.ToLower(value) {
		case "", "default title", "default", "regular", strings.ToLower(name):
		default:
			if !p.columns.isPlain || !isNothing(value) && !hasWords(name, value) {
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

// hasWords says whether some words stand in a name: "Tea 250g" has "250G".
func hasWords(name, words string) bool {
	return strings.Contains(" "+strings.ToLower(name)+" ", " "+strings.ToLower(words)+" ")
}

// nameOfWoo follows WooCommerce: a variable product is a row of its own, above
// those of its variations, which may have its name or none; grouped products are
// rows too. The rows of groups have no price and are not in stock.
func (p *parser) nameOfWoo(row sheet.Row, name, category string) (string, string, bool) {
	kind := strings.ToLower(row.Cells[p.columns.kind])
	if strings.Contains(kind, "variable") || strings.Contains(kind, "grouped") {
		g := group{strings.Clone(name), strings.Clone(category)}
		if p.columns.id >= 0 {
			p.titles["id:"+strings.Clone(row.Cells[p.columns.id])] = g
		}
		if sku := p.cell(row, FieldSKU); sku != "" {
			p.titles[strings.Clone(sku)] = g
		}
		return "", "", true
	}
	if strings.Contains(kind, "variation") && p.columns.parent >= 0 {
		g := p.titles[row.Cells[p.columns.parent]]
		if category == "" {
			category = g.category
		}
		if name == "" || name == g.name {
			name = p.withOptions(row, g.name)
		}
	}
	return name, category, false
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
	return withValues(name, values)
}

// mergePlace adds the stock of a row to that of the same product in another place, as
// Shopify writes its inventory: a row for each location. False where the row stands
// for itself: it is the first one, or the same place once more, which is a mistake.
func (p *parser) mergePlace(d draft, row sheet.Row) bool {
	if p.columns.location < 0 {
		return false
	}
	product := strings.Join([]string{row.Cells[p.columns.handle], d.product.Name, d.product.SKU}, "\n")
	place := product + "\n" + row.Cells[p.columns.location]
	first, isKnown := p.places[product]
	_, isTwice := p.places[place]
	if !isKnown {
		p.places[product] = len(p.drafts)
	}
	p.places[place] = len(p.drafts)
	if !isKnown || isTwice {
		return false
	}
	p.drafts[first].amounts = append(p.drafts[first].amounts, d.amounts...)
	return true
}

// plain puts one space for each run of white space.
func plain(text string) string { return strings.Join(strings.Fields(text), " ") }

package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// onceSuffix ends the heading of an amount of each order that is told once.
const onceSuffix = " (once an order)"

// postage is what was charged for the post of each order, told on the first of its lines alone: many exports repeat it
// on each line, and a sum would count it for each.
func (p *plan) postage() []madeColumn {
	order, amount := p.namedBest(schema.Order), p.namedBest(schema.Shipping)
	hasLines := p.namedBest(schema.Product) >= 0 || p.namedBest(schema.SKU) >= 0
	if order < 0 || amount < 0 || !hasLines || p.formats[amount].kind != schema.Number || p.formats[amount].percent {
		return nil
	}
	met := map[string]bool{}
	return []madeColumn{{
		column: schema.Column{Heading: p.profiles[amount].title + onceSuffix, Type: schema.Number, Scale: p.formats[amount].scale}, of: p.titles(amount, order),
		value: func(cells []string, values []any) any {
			if cells[order] == "" || met[cells[order]] {
				return nil
			}
			met[strings.Clone(cells[order])] = true // a cell is a part of its whole row
			return values[amount]
		},
	}}
}

// namedBest returns the column whose heading names a role best, or -1.
func (p *plan) namedBest(role schema.Role) int {
	best, at := candidate{}, -1
	for i, column := range p.profiles {
		for _, c := range candidates(column.title) {
			if c.column = i; c.role == role && (at < 0 || compareCandidates(c, best) < 0) {
				best, at = c, i
			}
		}
	}
	return at
}

// settlePostage makes what is told once an order the postage where the file repeats it, as some of the amounts that
// are repeated, and drops it elsewhere. It returns the other repeated amounts.
func (p *plan) settlePostage(source *schema.Source, repeated []string) []string {
	i := slices.IndexFunc(p.added, func(m madeColumn) bool { return strings.HasSuffix(m.column.Heading, onceSuffix) })
	if i < 0 {
		return repeated
	}
	heading := p.added[i].column.Heading
	title := strings.TrimSuffix(heading, onceSuffix)
	at := p.madeAt(*source, heading)
	isRepeated := slices.Contains(repeated, title) || p.export != nil && p.export.repeats == header.Fold(title)
	if !isRepeated || !accepts(schema.Shipping, source.Columns[at]) {
		p.dropMade(source, heading)
		return repeated
	}
	giveRole(source.Columns, at, schema.Shipping)
	return slices.DeleteFunc(repeated, func(r string) bool { return r == title })
}

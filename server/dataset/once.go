package dataset

import (
	"slices"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// onceSuffix ends the heading of an amount of each order that is told once.
const onceSuffix = " (once an order)"

// onceRoles are those of amounts of orders that exports repeat on each line, where a sum would count them for each.
var onceRoles = []schema.Role{schema.Shipping, schema.Owed, schema.Paid}

// once returns for each of these amounts what is told on the first line of each order alone.
func (p *plan) once() (all []madeColumn) {
	order := p.namedBest(schema.Order)
	hasLines := p.namedBest(schema.Product) >= 0 || p.namedBest(schema.SKU) >= 0
	if order < 0 || !hasLines {
		return nil
	}
	for _, role := range onceRoles {
		amount := p.amountOf(role)
		if amount < 0 || p.formats[amount].kind != schema.Number || p.formats[amount].percent {
			continue
		}
		met := map[string]bool{}
		all = append(all, madeColumn{
			column: schema.Column{Heading: p.profiles[amount].title + onceSuffix, Type: schema.Number, Scale: p.formats[amount].scale}, of: p.titles(amount, order),
			value: func(cells []string, values []any) any {
				if cells[order] == "" || met[cells[order]] {
					return nil
				}
				met[strings.Clone(cells[order])] = true // a cell is a part of its whole row
				return values[amount]
			},
		})
	}
	return all
}

// amountOf returns the column whose heading is one of a role, else names it best, or -1.
func (p *plan) amountOf(role schema.Role) int {
	if at := slices.IndexFunc(p.profiles, func(c *profile) bool { return names(role, c.title) }); at >= 0 {
		return at
	}
	return p.namedBest(role)
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

// settleOnce gives what is told once an order the role of the amounts that the file repeats, and drops it elsewhere. It
// returns the other repeated amounts.
func (p *plan) settleOnce(source *schema.Source, repeated []string) []string {
	for _, m := range slices.Clone(p.added) {
		title, isOnce := strings.CutSuffix(m.column.Heading, onceSuffix)
		if !isOnce {
			continue
		}
		at := p.madeAt(*source, m.column.Heading)
		role := onceRoles[slices.IndexFunc(onceRoles, func(r schema.Role) bool { best := p.amountOf(r); return best >= 0 && p.profiles[best].title == title })]
		isRepeated := slices.Contains(repeated, title) || p.export != nil && p.export.repeats == header.Fold(title)
		if !isRepeated || !accepts(role, source.Columns[at]) {
			p.dropMade(source, m.column.Heading)
			continue
		}
		giveRole(source.Columns, at, role)
		repeated = slices.DeleteFunc(repeated, func(r string) bool { return r == title })
	}
	return repeated
}

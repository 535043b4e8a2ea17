package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Words of the headings of amounts without tax and with it.
var (
	untaxedWords = []string{"net", "subtotal", "ex", "exc", "excl", "excluding"}
	taxedWords   = []string{"gross", "inc", "incl", "including"}

	taxMarks = []string{"inc", "incl", "including", "inclusive", "ex", "exc", "excl", "excluding", "exclusive"} // of questions
)

// readTax reads including VAT and before tax. Revenue is with tax or without it by the heading of
// its column, or by that of another beside it; the other is a column of its own, or follows from
// the tax.
func (b *builder) readTax() error {
	m := b.s.find("taxed", "untaxed")
	if m == nil {
		return nil
	}
	wanted := m.sense == "taxed"
	b.s.marks, _ = cut(b.s.marks, func(o mark) bool { return o.sense != "taxed" && o.sense != "untaxed" })
	is, known := b.x.isTaxed()
	limits := known && is != wanted && b.limitsInOtherColumn(wanted)
	switch {
	case b.p.List != nil || len(b.p.Measures) == 0 || b.p.Measures[0].Metric.OfColumn():
	case !known:
		b.note("No heading of " + b.x.source.Name + " says whether revenue is with tax or without it: this is revenue as it stands there.")
	case is == wanted:
	case b.inOtherColumn(wanted), limits:
	case len(b.p.Measures) == 1 && b.p.Measures[0].Metric == plan.Revenue && b.p.Measures[0].Plain() && b.p.Compare == nil && b.x.can(plan.Taxes):
		b.addMeasure(plan.Measure{Metric: plan.Taxes})
		b.s.pair = map[bool]plan.Derivation{true: plan.Total, false: plan.Difference}[wanted]
	default:
		b.note("This is revenue " + map[bool]string{true: "with", false: "without"}[is] + " tax.")
	}
	return nil
}

// findRated adds the condition that a row is taxed at no rate: zero rated lines.
func (c *chart) findRated() {
	rates, _ := cut(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Number && (col.Unit == schema.Percent || col.Unit == schema.Plain) && hasWord(col.Heading, schema.TaxNames...)
	})
	for i := 0; len(rates) == 1 && i+1 < len(c.tokens); i++ {
		if c.tokens[i+1].Text == "rated" && slices.Contains([]string{"zero", "nil", "0"}, c.tokens[i].Text) {
			f := plan.Filter{Column: rates[0].Heading, Op: plan.In, Values: []string{"0"}}
			c.add(i, i+2, valueCat, 0, sketch{where: []cond{{span: span{i, i + 2}, Filter: f, role: rates[0].Role, text: c.text(i, i+2)}}})
		}
	}
}

// isTaxed reports whether revenue, or what was spent, is with tax; known is false if no heading says so.
func (x *lexicon) isTaxed() (is, known bool) {
	revenue, ok := x.source.ByRole(schema.Revenue)
	if x.source.Kind == schema.Purchases {
		revenue, ok = x.source.ByRole(schema.Cost)
	}
	if !ok {
		return false, false
	}
	_, hasTax := x.source.ByRole(schema.Tax)
	switch {
	case hasWord(revenue.Heading, untaxedWords...):
		return false, true
	case hasWord(revenue.Heading, taxedWords...), hasTax && (hasWord(revenue.Heading, "total") || x.amountWith(untaxedWords) != nil):
		return true, true
	case x.amountWith(taxedWords) != nil:
		return false, true
	}
	return false, false
}

// taxedAmount returns the column of amounts with tax where revenue is without it, or nil.
func (x *lexicon) taxedAmount() *schema.Column {
	if is, known := x.isTaxed(); is || !known {
		return nil
	}
	return x.amountWith(taxedWords)
}

// amountWith returns the column of amounts other than revenue whose heading has one of some words,
// or nil.
func (x *lexicon) amountWith(words []string) *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && c.Unit == schema.Money && (c.Role == schema.None || c.Role == schema.Gross) && hasWord(strings.ReplaceAll(c.Heading, ".", " "), words...)
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// otherAmount returns the column of amounts with tax, or without it, where revenue is the other; nil if there is
// none.
func (x *lexicon) otherAmount(taxed bool) *schema.Column {
	if taxed {
		return x.amountWith(append([]string{"total"}, taxedWords...))
	}
	return x.amountWith(untaxedWords)
}

// limitsInOtherColumn makes the ranks and bounds on revenue use the column of amounts with tax, or without it, and
// reports whether any did: the biggest invoice including VAT, how many over 800 with tax.
func (b *builder) limitsInOtherColumn(taxed bool) bool {
	c := b.x.otherAmount(taxed)
	if c == nil {
		return false
	}
	changed := false
	revenue, _ := b.x.source.ByRole(schema.Revenue)
	if b.p.List != nil && b.p.List.By == revenue.Heading {
		b.p.List.By, changed = c.Heading, true
	}
	b.p.Where = slices.Clone(b.p.Where)
	for i, f := range b.p.Where {
		if f.Column == revenue.Heading && slices.Contains([]plan.Op{plan.More, plan.Less, plan.AtLeast, plan.AtMost}, f.Op) {
			b.p.Where[i].Column, changed = c.Heading, true
		}
	}
	for i, o := range b.s.bounds {
		isAmount := (o.of == nil || b.countsOrNames(*o.of)) && (o.unit == link.Money || o.unit == link.Plain)
		isRevenue := o.of != nil && o.of.fold == "" && (o.of.metric == plan.Revenue || o.of.column != nil && o.of.column.Role == schema.Revenue)
		if (isAmount || isRevenue) && o.name == nil && o.other == nil {
			b.s.bounds[i].of, changed = &figure{span: o.span, column: c}, true
		}
	}
	return changed
}

// inOtherColumn takes revenue with tax, or without it, from a column that has it.
func (b *builder) inOtherColumn(taxed bool) bool {
	c := b.x.otherAmount(taxed)
	order, _ := b.x.source.ByRole(schema.Order)
	m := &b.p.Measures[0]
	switch isRow := order.Distinct == b.x.source.Rows; {
	case c == nil:
		return false
	case m.Metric == b.x.nearest(plan.Revenue) && m.Per == "":
		*m = plan.Measure{Metric: plan.Sum, Column: c.Heading}
	case isRow && (m.Metric == plan.Revenue && m.Per == plan.PerOrder || m.Metric == plan.AveragePrice):
		*m = plan.Measure{Metric: plan.Average, Column: c.Heading}
	default:
		return false
	}
	return true
}

package read

import (
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// valueOfStock reads the retail value of my coffee stock as one figure.
func valueOfStock(c *chart, parts []*item) (sketch, bool) {
	s, g := parts[0].s, parts[len(parts)-1].s.figures[0]
	f := s.figures[0]
	if len(parts) == 3 {
		s, _ = merge(s, parts[1].s)
	}
	if ofCost := f.column != nil && f.column.Role == schema.UnitCost; ofCost && (f.fold == "" || f.fold == "sum") && c.x.can(plan.StockValue) {
		f = figure{span: f.span, metric: plan.StockValue, text: f.text} // the total cost of my stock
		s.figures = []figure{f}
	}
	isValue := f.metric == plan.StockValue || f.metric == plan.RetailValue
	return s, isValue && f.plain() && g.metric == plan.StockUnits && g.plain()
}

// stockSellsFor reads what would my stock sell for.
func stockSellsFor(c *chart, parts []*item) (sketch, bool) {
	s, f := parts[0].s, parts[0].s.figures[0]
	ofStock := f.plain() && f.metric == plan.StockUnits && c.hasWord("would", "could", "might")
	f.metric = plan.RetailValue
	s.figures = []figure{f}
	return s, ofStock && parts[1].to < len(c.tokens) && c.tokens[parts[1].to].Text == "for"
}

// stockAtPrice reads the price at which stock is valued: stock worth at selling prices, at cost.
func stockAtPrice(c *chart, parts []*item) (sketch, bool) {
	var s sketch
	var f figure
	role, says := schema.None, false
	for i, p := range parts {
		switch {
		case p.cat == "in":
			says = c.tokens[p.from].Text == "at"
		case p.cat == "valued":
			role, says = schema.Role(p.s.marks[0].arg), true
		case i > 0 && parts[i-1].cat == "in":
			role = p.s.figures[0].priced()
		case p.cat == figureCat:
			s, f = p.s, p.s.figures[0]
		}
	}
	ofStock := f.metric == plan.StockValue || f.metric == plan.StockUnits && c.hasWord("much", "value", "worth", "valuation")
	if !says || !f.plain() || !ofStock || role == schema.None {
		return sketch{}, false
	}
	f.span = span{parts[0].from, parts[len(parts)-1].to}
	switch {
	case role == schema.Price:
		f.metric = plan.RetailValue
	case plan.StockValuedAt(c.x.source) == "at cost":
		f.metric = plan.StockValue
	default:
		s.missing = join(s.missing, []missing{{span: f.span, role: schema.UnitCost}})
	}
	s.figures = []figure{f}
	return s, true
}

// priced returns the role of the price of a piece that a figure names: what it sells for or
// what it costs; None for another figure.
func (f figure) priced() schema.Role {
	switch {
	case f.fold != "" && f.fold != "mean" || f.per != "" || f.since != nil:
	case f.metric == plan.Cost, f.column != nil && (f.column.Role == schema.UnitCost || f.column.Role == schema.Cost):
		return schema.UnitCost
	case f.metric == plan.AveragePrice && !strings.Contains(f.text, "average"), f.column != nil && f.column.Role == schema.Price:
		return schema.Price
	}
	return schema.None
}

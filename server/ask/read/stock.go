package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
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
	if atCost := len(parts) == 2 && g.priced() == schema.UnitCost && c.areInRow(parts); atCost && f.metric == plan.StockUnits && f.plain() && c.x.can(plan.StockValue) {
		f.metric = plan.StockValue // stock cost
		s.figures = []figure{f}
		return s, true
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

// kindOfPrice reads trade price, of a column Trade.
func kindOfPrice(c *chart, parts []*item) (sketch, bool) {
	s, f := parts[0].s, parts[0].s.figures[0]
	isKind := f.column != nil && f.fold == "" && isPriceKind(f.column) && parts[1].to == parts[1].from+1 && c.tokens[parts[1].from].Lemma == "price"
	f.to, f.fold = parts[1].to, "mean"
	s.figures = []figure{f}
	return s, isKind && c.adjacent(parts[0], parts[1])
}

// isPriceKind reports whether a heading is a kind of price by itself.
func isPriceKind(col *schema.Column) bool {
	words := strings.Fields(strings.ToLower(link.Spaced(col.Heading)))
	isTax := func(w string) bool {
		return slices.Contains([]string{"ex", "exc", "inc", "incl"}, w) || slices.Contains(schema.TaxNames, w)
	}
	return col.Type == schema.Number && len(words) > 0 && slices.Contains([]string{"trade", "retail", "rrp", "wholesale", "list", "sale", "sell", "selling", "cost"}, words[0]) && !slices.ContainsFunc(words[1:], func(w string) bool { return !isTax(w) })
}

// stockAtPrice reads the price at which stock is valued: stock worth at selling prices, at cost.
func stockAtPrice(c *chart, parts []*item) (sketch, bool) {
	var s sketch
	var f figure
	role, says := schema.None, false
	var at *schema.Column // another price
	for i, p := range parts {
		switch {
		case p.cat == "in":
			says = c.tokens[p.from].Text == "at"
		case p.cat == "valued":
			role, says = schema.Role(p.s.marks[0].arg), true
			at = c.priceCalled(p.span)
		case i > 0 && parts[i-1].cat == "in":
			role, at = p.s.figures[0].priced(), otherPrice(p.s.figures[0])
		case p.cat == figureCat:
			s, f = p.s, p.s.figures[0]
		}
	}
	ofStock := f.metric == plan.StockValue || f.metric == plan.RetailValue && role == schema.Price || f.metric == plan.StockUnits && (c.hasWord("much", "value", "worth", "valuation") || c.areInRow(parts))
	if !says || !f.plain() || !ofStock || role == schema.None && at == nil {
		return sketch{}, false
	}
	f.span = span{parts[0].from, parts[len(parts)-1].to}
	switch {
	case at != nil:
		f.metric, f.column = plan.RetailValue, at
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

// areInRow reports whether nothing is between items: stock at cost.
func (c *chart) areInRow(parts []*item) bool {
	for i := range parts[1:] {
		if !c.adjacent(parts[i], parts[i+1]) {
			return false
		}
	}
	return true
}

// worthAtPrice reads what is it all worth at retail of a list of goods.
func worthAtPrice(c *chart, parts []*item) (sketch, bool) {
	f := parts[2].s.figures[0]
	at := span{parts[0].from, parts[2].to}
	metric := map[schema.Role]plan.Metric{schema.Price: plan.RetailValue, schema.UnitCost: plan.StockValue}[f.priced()]
	other := otherPrice(f)
	if other != nil {
		metric = plan.RetailValue
	}
	says := c.tokens[parts[1].from].Text == "at" && c.x.source.Kind == schema.Stocklist && metric != ""
	return sketch{figures: []figure{{span: at, metric: metric, column: other, text: c.text(at.from, at.to)}}}, says && c.x.can(metric)
}

// priceCalled returns the column of another price that words name: at trade price, beside a Trade Price.
func (c *chart) priceCalled(at span) *schema.Column {
	for i := range c.x.source.Columns {
		col := &c.x.source.Columns[i]
		for _, t := range c.tokens[at.from:at.to] {
			if slices.Contains([]string{"trade", "wholesale", "retail"}, t.Text) && hasWord(col.Heading, t.Text) && otherPrice(figure{column: col}) != nil {
				return col
			}
		}
	}
	return nil
}

// valueAtPrice takes some goods of a list at a price, of which no mean is asked for, for the value of their stock:
// the garden dept at selling price, shoes against boots at cost. Of goods that are sold one by one it is the total.
func (b *builder) valueAtPrice() {
	last := len(b.s.figures) - 1
	if last < 0 || last > 1 || last > 0 && b.s.figures[0].metric != plan.StockUnits || len(b.p.Measures) != last+1 || !b.wordAt(b.s.figures[last].from-1, "at") || b.s.fold != "" || b.s.rank != nil || b.s.has("howmany", "which") && !b.hasWord("worth", "value") {
		return
	}
	f := b.s.figures[last]
	value := plan.Measure{Metric: plan.RetailValue}
	switch isList := b.x.source.Kind == schema.Stocklist; {
	case b.x.bought != nil && f.priced() == schema.Price && f.column != nil:
		value = plan.Measure{Metric: plan.Sum, Column: f.column.Heading}
	case isList && f.priced() == schema.Price && b.x.can(plan.RetailValue):
	case isList && f.priced() == schema.UnitCost && plan.StockValuedAt(b.x.source) == "at cost" && b.x.can(plan.StockValue):
		value.Metric = plan.StockValue
	case isList && otherPrice(f) != nil && b.x.can(plan.StockUnits):
		value.Column = f.column.Heading
	default:
		return
	}
	b.p.Measures = []plan.Measure{value}
}

// otherPrice returns the column of a figure that is a price of a piece besides those that have a role, such
// as Trade Price; nil of others.
func otherPrice(f figure) *schema.Column {
	if f.column == nil || f.column.Type != schema.Number || f.column.Role != schema.None || f.column.Unit != schema.Money && !isPriceKind(f.column) || !isPriceKind(f.column) && !hasWord(f.column.Heading, "price", "prices") {
		return nil
	}
	return f.column
}

// valueOnOrder reads the cost of everything on order.
func valueOnOrder(c *chart, parts []*item) (sketch, bool) {
	of, g := parts[0].s.figures[0], parts[1].s.figures[0]
	s := parts[0].s
	s.figures = []figure{{span: of.span, metric: plan.OnOrderValue, text: of.text}}
	priced := of.priced() == schema.UnitCost || of.metric == plan.StockValue && of.plain()
	return s, priced && g.metric == plan.OnOrder && g.plain() && c.x.can(plan.OnOrderValue)
}

// amountOf reads nothing on order, something in stock and negative stock: a bound on the column.
func amountOf(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	col := f.column
	if role := map[plan.Metric]schema.Role{plan.StockUnits: schema.Stock, plan.OnOrder: schema.Incoming, plan.ShippingPaid: schema.Shipping}[f.metric]; role != "" {
		if of, ok := c.x.source.ByRole(role); ok {
			col = &of
		}
	}
	if col == nil || col.Type != schema.Number || f.fold != "" || f.per != "" || f.since != nil || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	limit := plan.Filter{Column: col.Heading, Op: map[string]plan.Op{"nothing": plan.AtMost, "some": plan.More, "negative": plan.Less}[parts[0].cat], Values: []string{"0"}}
	isFree := col.Role == schema.Shipping && c.tokens[parts[0].from].Text == "free" // blank are the later lines of an order
	if limit.Op == plan.AtMost && col.Blank > 0 && !isFree && !(isPieces(col) && 2*col.Blank < c.x.source.Rows) {
		limit.Op, limit.Values = plan.Blank, nil
	}
	at := span{parts[0].from, parts[1].to}
	return sketch{where: []cond{{span: at, Filter: limit, role: col.Role, text: c.text(at.from, at.to)}}}, true
}

// negativeFigure reads a negative margin: a bound on a figure that no column has.
func negativeFigure(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	_, ofColumn := amountOf(c, parts)
	isComputed := len(s.figures) == 1 && s.figures[0].column == nil && !s.figures[0].metric.Countable() && len(s.where) == 0
	if ofColumn || !isComputed || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	f := s.figures[0]
	return sketch{bounds: []bound{{span: span{parts[0].from, parts[1].to}, op: plan.Less, of: &f}}}, true
}

// withSome reads products with nothing on order, lines that have something in stock.
func withSome(c *chart, parts []*item) (sketch, bool) { return amountOf(c, parts[1:]) }

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

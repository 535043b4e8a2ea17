package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// column adds the meanings of a heading: a figure of numbers, a name of groups, a
// condition of yes or no.
func (c *chart) column(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	if c.ordersOf(m, text) || c.otherThanColumn(m, text) {
		return
	}
	if person := c.x.personOf(m); person != nil {
		m.Column, m.How = person, link.Exact
	}
	if m.Arg == link.KindArg {
		c.nouns = join(c.nouns, []noun{{span: at, of: "the " + m.Column.Heading, isName: true}})
	}
	n := name{span: at, column: m.Column, role: m.Column.Role, plural: c.plural(m.To), text: text}
	if unit := plan.Unit(c.tokens[m.From].Lemma); m.Arg == link.UnitArg && plan.UnitOf(*m.Column) != unit && plan.Measures(unit) {
		n.in = unit // hours of minutes
	}
	if strings.EqualFold(text, "units") && strings.EqualFold(m.Column.Heading, "unit") {
		cost += costNear // pieces, and not each and kg
	}
	if m.Column.Type == schema.Date || m.Column.Type == schema.Moment {
		n.part = partNamed(*m.Column)
	}
	if !isFlag(*m.Column) && c.x.numbersRows(m.Column) {
		n.role = schema.Order // checks, by their numbers, which have no sum
	}
	c.columnFigures(m, n, cost)
	if isFlag(*m.Column) {
		if m.To < len(c.tokens) && c.tokens[m.To].Text == "rate" {
			return // of those that are
		}
		cost += costFlag
	}
	n.partial = m.How == link.Partial
	n.guessed = m.Quality <= link.Hint || m.How == link.Corrected || m.How == link.Near || m.How == link.Partial && m.Quality < sureQuality
	c.add(m.From, m.To, nameCat, cost, sketch{names: []name{n}})
}

// columnFigures adds the figures of a heading, or the condition of one of yes and no.
func (c *chart) columnFigures(m link.Mention, n name, cost float64) {
	at, text := span{m.From, m.To}, n.text
	if isFlag(*m.Column) {
		f := cond{span: at, Filter: plan.Filter{Column: m.Column.Heading, Op: plan.In, Values: []string{yesOf(*m.Column)}}, role: m.Column.Role, text: text, flag: m.Column}
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{f}})
	} else if c.x.numbersRows(m.Column) {
		if n.plural && !c.listsNumbers(m) {
			c.add(m.From, m.To, figureCat, 0, sketch{figures: []figure{{span: at, metric: c.x.counted(), text: text}}})
		}
	} else if m.Column.Type == schema.Number && !c.namesPlaces(n) {
		f := figure{span: at, column: m.Column, in: n.in, text: text}
		if m.Arg == link.UnitArg && n.plural && !isRate(m.Column.Heading) {
			f.unit = true
		}
		if metric, ok := plan.MetricOf(m.Column.Role); ok && c.x.can(metric) {
			f.metric, f.column = metric, nil
			if m.How == link.Exact || m.How == link.Abbreviated {
				f.named = m.Column
			}
		}
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{f}})
	}
	if m.Column.Role == schema.Order && n.plural && m.Kind == link.Column && m.How == link.Exact && c.x.can(plan.Orders) && !c.listsNumbers(m) {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Orders, text: text}}})
	}
}

// ordersOf adds the orders or bookings that a part of a heading is of, hires of a column Hire No, and reports whether
// the words mean nothing else.
func (c *chart) ordersOf(m link.Mention, text string) bool {
	if !c.plural(m.To) || m.Kind != link.Column || m.How != link.Partial || !c.x.isOrder(c.tokens[m.From:m.To]) {
		return false
	}
	at := span{m.From, m.To}
	if m.Column.Role == schema.Order && c.x.can(plan.Orders) {
		c.add(m.From, m.To, figureCat, 0, sketch{figures: []figure{{span: at, metric: plan.Orders, text: text}}})
		c.add(m.From, m.To, nameCat, 0, sketch{names: []name{{span: at, column: m.Column, role: schema.Order, plural: true, text: text, partial: true}}})
	}
	return m.Column.Role == schema.Order || m.Column.Type == schema.Number // and not their charges
}

// otherThanColumn reports whether words of a heading do not mean its column.
func (c *chart) otherThanColumn(m link.Mention, text string) bool {
	isOne, isNumber := m.To == m.From+1, m.Column.Type == schema.Number
	isFigure := func(o link.Mention) bool { return o.From == m.To && o.Kind == link.Metric }
	isUnit := isOne && slices.Contains([]string{"day", "week", "month", "year"}, c.tokens[m.From].Text) && m.From > 0 && slices.Contains([]string{"a", "per", "each", "every"}, c.tokens[m.From-1].Text)
	switch {
	case c.asksTax(m):
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: span{m.From, m.To}, what: "amounts of " + text}}})
	case isOne && m.Kind == link.Column && m.How == link.Near && m.Column.Role == schema.Order && isVerb(c.tokens[m.From].Text):
		c.skips[m.From] = append(c.skips[m.From], m.To) // hours booked, of a column Booking ref
	case isOne && isNumber && c.tokens[m.From].Lemma == "product" && c.x.sellsBeside() && !slices.ContainsFunc(c.mentions, isFigure): // the names of products
	case isUnit && isNumber && c.now.Last.After(c.now.First) && c.earnsOrCounts(m.From): // hires a day, though each took some Days
	default:
		return false
	}
	return true
}

// asksTax reports whether a question is how much of a tax there is, of which only the rates are known.
func (c *chart) asksTax(m link.Mention) bool {
	isRate := m.Kind == link.Column && m.Column.Type == schema.Number && m.Column.Unit == schema.Percent
	return isRate && slices.Contains(schema.TaxNames, c.tokens[m.From].Text) && c.hasWord("much") && !c.hasWord("rate", "rates", "percent", "%", "percentage") && !c.x.can(plan.Taxes)
}

// personOf returns the column of the people whose numbers a word is of, in a list of people:
// members of Member No. It returns nil for other words.
func (x *lexicon) personOf(m link.Mention) *schema.Column {
	person, ok := x.source.ByRole(schema.Customer)
	isNumber := m.Kind == link.Column && m.How == link.Partial && m.Column.Role == schema.None && m.Column.Distinct == x.source.Rows && hasWord(m.Column.Heading, "no", "no.", "id", "number")
	if !ok || !isNumber || x.source.Kind != schema.Customers || person.Distinct != x.source.Rows {
		return nil
	}
	return &person
}

// isOrder reports whether one word is what the heading of the order numbers calls the orders:
// hire of Hire No.
func (x *lexicon) isOrder(words []link.Token) bool {
	order, ok := x.source.ByRole(schema.Order)
	return ok && isNumbered(order, words)
}

// isNumbered reports whether one word is what the numbers of a column are of.
func isNumbered(c schema.Column, words []link.Token) bool {
	heading := strings.Fields(strings.ToLower(link.Spaced(c.Heading)))
	if len(heading) != 2 || len(words) != 1 || !slices.Contains([]string{"id", "no", "no.", "number", "nr", "ref", "reference", "num", "code", "#"}, heading[1]) {
		return false
	}
	return strings.TrimSuffix(heading[0], "s") == words[0].Lemma || link.Abbreviates(heading[0], words[0].Lemma)
}

// sellsBeside reports whether the money of products stands in a column of its own beside what the rows
// are of, so that their names are not known: retail products of a salon's treatments.
func (x *lexicon) sellsBeside() bool {
	isProduct := func(heading string) bool { return hasWord(heading, "product", "products", "prod") }
	rows, ok := x.source.ByRole(schema.Product)
	return ok && !isProduct(rows.Heading) && slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Type == schema.Number && (c.Unit == schema.Money || c.Scale > 0) && c.Role == schema.None && isProduct(c.Heading)
	})
}

// dim adds the meanings of a word for a role.
func (c *chart) dim(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	if m.Role == schema.Customer && m.From > 0 && slices.Contains([]string{"someone", "somebody"}, text) && slices.Contains([]string{"do", "where"}, c.tokens[m.From-1].Lemma) {
		c.skips[m.From] = append(c.skips[m.From], m.To) // how many times did someone return one
		return
	}
	isOn := func(col schema.Column) bool {
		return isDay(&col) && col.Role != schema.Day && c.x.happens(&col, c.tokens[m.From])
	}
	if m.Role == schema.Order && link.IsRow(c.tokens[m.From].Lemma, "delivery") && slices.ContainsFunc(c.x.source.Columns, isOn) {
		return // what came in on the days of another column
	}
	if product, ok := c.x.source.ByRole(schema.Product); ok && m.Role == schema.Category && c.x.source.Kind == schema.Stocklist && c.tokens[m.To-1].Text == "lines" {
		m.Role, m.Column = schema.Product, &product // product lines of a list of goods
	}
	if m.Role == schema.Store && m.Column != nil && m.Column.Role == schema.Customer && !slices.Contains([]string{"shop", "store", "outlet"}, c.tokens[m.To-1].Lemma) {
		m.Column = nil // a branch is one's own
	}
	if m.Column == nil && c.x.place != nil && slices.Contains(placeRoles, m.Role) {
		m.Column, m.How = c.x.place, link.Near
		c.column(m, text, costNear)
	}
	isSite := m.Role == schema.Store && slices.Contains([]string{"site", "website"}, c.tokens[m.To-1].Lemma) // through which people book
	if way := c.x.way(); m.Column == nil && way != nil && (isSite || m.Role == schema.Channel && m.To > m.From+1) {
		m.Column, m.How = way, link.Near
		c.column(m, text, costNear) // how they found us
	}
	if m.Column == nil && m.Role == schema.Store && !c.isNumber(text) && !c.plural(m.To) && m.From > 0 && slices.Contains([]string{"the", "my", "our"}, c.tokens[m.From-1].Text) {
		c.skips[m.From] = append(c.skips[m.From], m.To) // one's own
	}
	if cost, ok := c.x.source.ByRole(schema.UnitCost); ok && m.Role == schema.Price && m.Column == nil && c.x.source.Kind == schema.Purchases {
		m.Column = &cost // the price that the shop pays
	}
	if m.Role == schema.Category && c.endsName(m) {
		c.skips[m.From] = append(c.skips[m.From], m.To) // by age range
		return
	}
	if m.Role == schema.Day && c.isNumber(text) {
		cost += costFlag
	}
	if c.tokens[m.From].Lemma == "product" && m.Role == schema.Product && c.x.sellsBeside() {
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, what: "which products were sold", role: schema.None}}})
		return
	}
	if m.Column == nil {
		c.dimWithoutColumn(m, text, cost)
		what := rolePlural[m.Role]
		if what == "" {
			what = text
		}
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, what: what, role: m.Role}}})
		return
	}
	if m.Role == schema.Order && m.How == link.Exact && c.plural(m.To) && c.x.can(plan.Orders) {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Orders, text: text}}}) // jobs by mechanic
	}
	c.column(m, text, cost)
}

// isNumber reports whether a word is the heading of a column of numbers, such as Days.
func (c *chart) isNumber(text string) bool {
	return slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool { return col.Type == schema.Number && strings.EqualFold(col.Heading, text) })
}

// placeRoles are the roles of places, whose words people use for one another.
var placeRoles = []schema.Role{schema.Region, schema.State, schema.City, schema.Country}

// endsName reports whether a word for groups of any kind comes after the heading of a column of texts, and
// names no other column: range of age range.
func (c *chart) endsName(m link.Mention) bool {
	isGroup := m.To == m.From+1 && slices.Contains([]string{"range", "group", "band", "bracket", "section"}, c.tokens[m.From].Lemma)
	return isGroup && slices.ContainsFunc(c.mentions, func(o link.Mention) bool {
		return o.Kind == link.Column && o.How == link.Exact && o.To == m.From && o.Column.Type == schema.Text && (m.Column == nil || o.Column.Heading != m.Column.Heading)
	})
}

// hasAllOf reports whether a noun is said to be of all there are: both shops.
func (c *chart) hasAllOf(m link.Mention) bool {
	return m.From > 0 && slices.Contains([]string{"both", "all", "two"}, c.tokens[m.From-1].Text)
}

// dimWithoutColumn adds what a word for a role means in a source without its column: items
// are units, and a price may be supposed or follow from what was sold.
func (c *chart) dimWithoutColumn(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	switch {
	case m.Role == schema.Store && c.plural(m.To) && c.hasAllOf(m):
		from := m.From - 1
		if from > 0 && (slices.Contains(prepositions, c.tokens[from-1].Text) || c.tokens[from-1].Text == "across") {
			from--
		}
		c.skips[from] = append(c.skips[from], m.To) // at both shops
	case m.Role == schema.Customer:
		c.visits(at)
	case m.Role == schema.Order && c.x.can(plan.Orders) && !c.x.logsOthers(c.tokens[m.From]):
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Orders, text: text}}})
	case m.Role == schema.Order && m.To == m.From+1 && c.x.logs(c.tokens[m.From]):
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Rows, text: text}}})
	case m.Role == schema.Product && c.plural(m.To) && c.x.can(plan.Units):
		c.add(m.From, m.To, figureCat, cost+costFlag, sketch{figures: []figure{{span: at, metric: plan.Units, text: text}}})
	case m.Role == schema.Gross && c.x.taxedAmount() != nil:
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: c.x.taxedAmount(), text: text}}})
	case m.Role == schema.Gross && c.x.can(plan.Gross) && c.x.hasReversals():
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Gross, text: text}}})
	case m.Role == schema.Gross && c.x.can(plan.Revenue):
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Revenue, text: text}}})
	case m.Role == schema.Price:
		c.add(m.From, m.To, "price", cost, sketch{marks: []mark{{span: at, sense: "price"}}})
		if c.x.can(plan.AveragePrice) {
			c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.AveragePrice, text: text}}})
		}
	}
}

// partNamed returns the unit of time that a column of dates holds according to its heading: in a column Month, a date
// is the first day of a month.
func partNamed(c schema.Column) plan.Part {
	for word, part := range map[string]plan.Part{"month": plan.Month, "mth": plan.Month, "quarter": plan.Quarter, "year": plan.Year} {
		if hasWord(c.Heading, word) {
			return part
		}
	}
	return plan.Day
}

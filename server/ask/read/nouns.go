package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// numericName reads "number of cylinders" as the column Cylinders; numericCount reads
// "cylinder count" so.
func numericName(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	return s, isNumeric(s.names[0]) && s.names[0].column.Unit != schema.Money && !c.asks(parts[0])
}

func numericCount(c *chart, parts []*item) (sketch, bool) {
	return parts[0].s, isNumeric(parts[0].s.names[0]) && parts[1].s.fold == "count" && c.adjacent(parts[0], parts[1])
}

func isNumeric(n name) bool {
	return n.column != nil && n.column.Type == schema.Number && n.column.Role == schema.None
}

// namesPlaces reports whether a name is of places that have numbers for names: tables, rooms, lanes.
func (c *chart) namesPlaces(n name) bool {
	isPlace := func(kind string) bool { return english.IsA(c.tokens[n.to-1].Lemma, kind) }
	return n.column != nil && isDiscrete(n.column) && plan.UnitOf(*n.column) == "" && slices.ContainsFunc([]string{"area", "furniture", "way"}, isPlace) && !strings.HasSuffix(strings.ToLower(n.column.Heading), "s")
}

// asks reports whether words of number are "how many".
func (c *chart) asks(howMany *item) bool { return c.tokens[howMany.from].Text == "how" }

// isKey reports whether a name is that of the rows themselves: each has its own, or the word
// for it is that for a row, as kegs of kegs.csv with a column Keg ID.
func (c *chart) isKey(n name) bool {
	return c.isRowID(n) || n.column != nil && n.column.Type == schema.Text && 10*n.column.Distinct >= 9*c.x.source.Rows && c.x.source.Kind == schema.Other
}

// idWords are the words of headings of numbers that are names.
var idWords = []string{"id", "no", "no.", "number", "code", "ref", "#"}

// isRowID reports whether a name is the word for a row, which the column of a number of the
// thing has in its heading, too.
func (c *chart) isRowID(n name) bool {
	isID := n.column != nil && n.partial && n.column.Type == schema.Text && hasWord(n.column.Heading, idWords...)
	return isID && c.x.source.Kind == schema.Other && slices.ContainsFunc(c.starts[n.from], func(it *item) bool { return it.cat == "row" && it.to == n.to })
}

// countOfThings reads model count and number of cars: rows, or different values.
func countOfThings(c *chart, parts []*item) (sketch, bool) {
	at := span{parts[0].from, parts[1].to}
	if parts[0].cat == "howmany" {
		return sketch{figures: []figure{{span: at, metric: plan.Rows, text: "rows"}}}, true
	}
	if parts[1].s.fold != "count" || !c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	if parts[0].cat == "row" || c.isKey(parts[0].s.names[0]) {
		return sketch{figures: []figure{{span: at, metric: plan.Rows, text: "rows"}}}, true
	}
	n := parts[0].s.names[0]
	if n.role == schema.Order && c.x.can(plan.Orders) {
		return sketch{figures: []figure{{span: at, metric: plan.Orders, text: c.text(at.from, at.to)}}, where: parts[0].s.where}, true
	}
	if n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	return sketch{figures: []figure{{span: at, metric: plan.Distinct, column: n.column, text: n.text}}, where: parts[0].s.where}, true
}

// distribution reads how many rows there are of each value.
func distribution(c *chart, parts []*item) (sketch, bool) {
	s, n := parts[1].s, parts[1].s.names[0]
	if c.isKey(n) || n.column == nil || n.column.Type == schema.Number && !isDiscrete(n.column) {
		return sketch{}, false
	}
	s.marks = join(s.marks, parts[0].s.marks)
	return grouped(s, "by")
}

// compound reads model year and car origin: the last noun, of things that are the rows.
func compound(c *chart, parts []*item) (sketch, bool) {
	first, last := parts[0], parts[1]
	if first.cat == thingCat && (len(first.s.missing) != 1 || !modifies(first.s.missing[0].role)) {
		return sketch{}, false
	}
	if first.cat == nameCat && c.adjacent(first, last) && first.s.names[0].column != nil && first.s.names[0].column == last.s.names[0].column && last.s.names[0].part == plan.Whole {
		return last.s, true // pickup postcode, of one heading
	}
	if isGroup := first.from > 0 && slices.Contains([]string{"each", "per", "by", "every"}, c.tokens[first.from-1].Text); isGroup && !modifies(last.s.names[0].role) && first.cat == nameCat && !c.isKey(first.s.names[0]) && first.s.names[0].role != schema.Order {
		return sketch{}, false // of each service booked via
	}
	if !c.adjacent(first, last) || last.s.names[0].role == schema.Order || c.isHappening(last.s.names[0]) || first.cat == nameCat && !c.isKey(first.s.names[0]) && !modifies(first.s.names[0].role) || c.plural(first.to) {
		return sketch{}, false
	}
	return last.s, true
}

// dateOf reads dispatch date as the days of dispatch.
func dateOf(c *chart, parts []*item) (sketch, bool) {
	date := c.tokens[parts[1].from]
	return parts[0].s, isDay(parts[0].s.names[0].column) && c.adjacent(parts[0], parts[1]) && parts[1].to == parts[1].from+1 && (date.Text == "date" || date.Text == "day")
}

func compoundFigure(c *chart, parts []*item) (sketch, bool) {
	first, last := parts[0], parts[1]
	isSubject := first.from > 1 && slices.Contains([]string{"each", "every"}, c.tokens[first.from-1].Text) && c.tokens[first.from-2].Lemma == "do" // what does each client owe
	if isSubject || !c.adjacent(first, last) || last.s.figures[0].metric == plan.Orders || first.cat == nameCat && !c.isKey(first.s.names[0]) && !c.isFine(first.s.names[0]) && !modifies(first.s.names[0].role) || c.plural(first.to) && !c.x.cameBack(last.s.figures[0]) {
		return sketch{}, false
	}
	return last.s, true
}

// isFine reports whether a name has so many values that a singular before a figure makes no
// groups: track length.
func (c *chart) isFine(n name) bool {
	return n.column != nil && n.column.Type == schema.Text && n.part == plan.Whole && 4*n.column.Distinct >= c.x.source.Rows
}

// modifies reports whether a noun for a role says nothing before another: customer reviews,
// product size, order value.
func modifies(r schema.Role) bool {
	return r == schema.Customer || r == schema.Product || r == schema.Order
}

// moneyOf reads a figure and a word for money as one figure: gross revenue, parts cost as the column
// Parts, which is of money, and the case price as the price of a piece.
func moneyOf(c *chart, parts []*item) (sketch, bool) {
	f, g := parts[0].s.figures[0], parts[1].s.figures[0]
	isMoney := f.column != nil && (f.column.Unit == schema.Money || f.column.Unit == schema.Plain && f.column.Scale > 0 && f.column.Role == schema.None) && f.since == nil
	isGross := f.metric == plan.Gross || c.tokens[parts[0].from].Text == "gross"
	switch {
	case g.fold != "" || g.per != "" || !c.adjacent(parts[0], parts[1]):
	case c.x.cameBack(f) && g.metric == plan.Units:
		return parts[0].s, true // returned units
	case isGross && g.metric == plan.Revenue, isMoney && g.column == nil && (g.metric == plan.Cost || g.metric == plan.Revenue):
		return parts[0].s, true
	case f.metric == plan.Units && f.per == "" && g.priced() != schema.None:
		g.from, g.fold = f.from, f.fold
		return sketch{figures: []figure{g}, where: parts[0].s.where}, true
	}
	return sketch{}, false
}

// inItsUnit reads length in minutes as the one column of minutes.
func inItsUnit(c *chart, parts []*item) (sketch, bool) {
	f, g := parts[0].s.figures[0], parts[1].s.figures[0]
	between := c.tokens[parts[0].to:parts[1].from]
	return parts[0].s, len(between) == 1 && between[0].Text == "in" && f.column != nil && f.column == g.column && f.since == nil && g.since == nil && g.fold == ""
}

// orderLines reads invoice lines: rows.
func orderLines(c *chart, parts []*item) (sketch, bool) {
	isOrder := parts[0].cat == figureCat && parts[0].s.figures[0].metric == plan.Orders || parts[0].cat == nameCat && parts[0].s.names[0].role == schema.Order
	return parts[1].s, isOrder && c.adjacent(parts[0], parts[1]) && !c.plural(parts[0].to) && parts[1].s.figures[0].metric == plan.Rows
}

// kindOf reads kinds of items, cylinder type and postcode area as the name. A kind right before a name would be a value
// that the source does not have: the family plan.
func kindOf(c *chart, parts []*item) (sketch, bool) {
	thing, n := parts[0].s, parts[1].s
	if parts[1].cat == thingCat {
		thing, n = n, thing
	} else if c.adjacent(parts[0], parts[1]) {
		return sketch{}, false
	}
	if len(thing.missing) != 1 || len(n.names) != 1 || n.names[0].column == nil {
		return sketch{}, false
	}
	role, of := thing.missing[0].role, n.names[0].column
	isArea := (role == schema.Region || role == schema.Store) && of.Type == schema.Text && (of.Role == schema.None || slices.Contains(placeRoles, of.Role))
	return n, isArea || slices.Contains([]schema.Role{schema.Category, schema.Channel, schema.Segment, schema.Status}, role)
}

func trend(_ *chart, parts []*item) (sketch, bool) {
	return sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "trend"}}}, true
}

func onAxis(c *chart, parts []*item) (sketch, bool) {
	if c.tokens[parts[1].to-1].Lemma != "axis" || !c.mayGroup(parts[0].s.names[0]) {
		return sketch{}, false
	}
	return grouped(parts[0].s, "by")
}

func byName(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	counts := c.x.source.Kind == schema.Sales && (figure{column: n.column, text: n.text}).counted(c.x) || n.role == schema.Order && !n.plural
	if !c.mayGroup(n) || c.ordersBy(parts[0], n) || c.tokens[parts[0].from].Text == "per" && counts {
		return sketch{}, false // it divides
	}
	return grouped(parts[1].s, c.tokens[parts[0].from].Text)
}

// namesPer reads branches per city: how many different ones each has.
func namesPer(c *chart, parts []*item) (sketch, bool) {
	n, s := parts[0].s.names[0], parts[1].s
	word := c.tokens[parts[1].from].Text
	if c.areEvents(n) && (len(s.groups) == 1 && s.groups[0].part.Series() || c.x.numbersOrders(c.tokens[n.from].Lemma)) {
		s.figures = []figure{{span: n.span, metric: c.x.counted(), text: n.text}} // jobs per month
		return s, len(parts[0].s.where) == 0
	}
	if len(s.groups) == 1 && s.groups[0].role == schema.Order {
		return sketch{}, false
	}
	if c.countsByGroup(n, parts[1]) {
		s.figures, s.where = []figure{{span: n.span, metric: plan.Distinct, column: n.column, text: n.text}}, parts[0].s.where
		return s, true
	}
	if !n.plural || n.column == nil || n.column.Type != schema.Text || n.role == schema.Order || n.role == schema.Customer || len(s.groups) != 1 || s.groups[0].column == nil || s.groups[0].column.Heading == n.column.Heading || s.groups[0].part != plan.Whole || word != "per" || c.isKey(n) {
		return sketch{}, false
	}
	s.figures = []figure{{span: n.span, metric: plan.Distinct, column: n.column, text: n.text}}
	return s, len(parts[0].s.where) == 0
}

// numbersOrders reports whether the orders are numbered by what a noun is for: jobs of a Job No.
func (x *lexicon) numbersOrders(noun string) bool {
	order, ok := x.source.ByRole(schema.Order)
	return ok && order.Distinct == x.source.Rows && hasWord(order.Heading, noun)
}

// countsByGroup reports whether names by other names are counted, and do not make groups: of the
// goods of a list, and of numbers, each row has one of its own.
func (c *chart) countsByGroup(n name, by *item) bool {
	isOwn := n.column != nil && n.role != schema.Customer && n.column.Type == schema.Text && n.part == plan.Whole && 10*n.column.Distinct >= 9*c.x.source.Rows
	isOther := func(g group) bool { return g.column != nil && g.word == "by" && g.column.Heading != n.column.Heading }
	lists := n.from > 0 && slices.ContainsFunc(c.tokens[max(0, n.from-3):n.from], func(t link.Token) bool { return slices.Contains(listWords, t.Text) })
	return isOwn && n.plural && !lists && !c.isKey(n) && len(by.s.figures)+len(by.s.where) == 0 && !slices.ContainsFunc(by.s.groups, func(g group) bool { return !isOther(g) })
}

// areEvents reports whether a name is the plural of what happens in a row, though a column, such as
// Job, says of which kind: sailings where there is a column Sail, too.
func (c *chart) areEvents(n name) bool {
	return n.plural && c.isEvent(n)
}

// isEvent reports whether a name is of what happens in a row. A service is one where the column has
// not what is sold, but lunch and dinner.
func (c *chart) isEvent(n name) bool {
	noun := c.tokens[n.from].Lemma
	isOne := n.to == n.from+1 && n.column != nil && n.part == plan.Whole
	isDone := link.IsRow(noun, "event") || n.guessed && n.plural && strings.HasSuffix(noun, "ing") && isOne && n.column.Type == schema.Text
	return isOne && (n.role == schema.None || n.role == schema.Product) && isDone || isOne && n.role == schema.None && n.column.HasSessions() && english.IsA(noun, english.Event)
}

// wereDone reports whether a plural is for services, of which each row is one that was done, and not
// for those on offer: treatments of a column Treatment.
func (b *builder) wereDone(n name) bool {
	lemma := b.tokens[n.from].Lemma
	isService := n.plural && n.to == n.from+1 && n.role == schema.Product && english.IsA(lemma, "activity") && !english.IsA(lemma, "food")
	return isService && b.x.source.Kind == schema.Sales && (len(b.s.where)+len(b.s.periods) > 0 || b.wordAt(n.to, "done", "given", "performed"))
}

// counted is the metric of a number of events: that of orders where rows have them.
func (x *lexicon) counted() plan.Metric {
	if x.can(plan.Orders) {
		return plan.Orders
	}
	return plan.Rows
}

// maxNumberGroups bounds the different values of a column of numbers that makes groups.
const maxNumberGroups = 200

// mayGroup reports whether people group by a name: by a figure they order.
func (c *chart) mayGroup(n name) bool {
	if n.column == nil || n.column.Type != schema.Number || isFlag(*n.column) {
		return true
	}
	if n.column.Unit == schema.Money && n.column.Scale > 0 && !n.plural {
		return false // the price per kg
	}
	if n.column.Role != schema.None {
		_, isFigure := plan.MetricOf(n.column.Role)
		return !isFigure && !n.plural && n.column.Distinct <= maxDiscrete
	}
	return n.column.Distinct <= maxNumberGroups
}

// ordersBy reports whether "by" is before a figure: orders in top states by orders, or what a
// superlative ranks by: top 3 bakers by leftovers.
func (c *chart) ordersBy(by *item, n name) bool {
	if n.plural && (n.role == schema.Order || n.role == schema.Customer && c.x.source.Kind == schema.Customers && c.isRanked(by.from)) {
		return true
	}
	if n.column.Type != schema.Number || isFlag(*n.column) {
		return false
	}
	ranked := false
	for i := by.from - 1; i >= 0 && !ranked; i-- {
		for _, it := range c.starts[i] {
			if it.cat == figureCat && it.to <= by.from && it.s.figures[0].metric != plan.Rows {
				return false
			}
			ranked = ranked || it.cat == rankCat
		}
	}
	return ranked
}

// isRanked reports whether a superlative is before a token.
func (c *chart) isRanked(at int) bool {
	return slices.ContainsFunc(slices.Concat(c.starts[:at]...), func(it *item) bool { return it.cat == rankCat && it.to <= at })
}

func byWord(word string) func(*chart, []*item) (sketch, bool) {
	return func(c *chart, parts []*item) (sketch, bool) {
		for _, t := range c.tokens[parts[0].to:parts[1].from] {
			if t.Lemma == "do" {
				return sketch{}, false // what do people buy
			}
		}
		s := parts[1].s
		if n := s.names[0]; n.column != nil && n.column.Type == schema.Number && !isFlag(*n.column) && !c.namesPlaces(n) {
			return sketch{}, false
		}
		return grouped(s, word)
	}
}

// overYears reads "weight over the years".
func overYears(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if c.tokens[parts[0].from].Text != "over" || parts[0].to != parts[0].from+1 || n.column == nil || !n.part.Series() && !isYear(n.column.Heading) {
		return sketch{}, false
	}
	return grouped(parts[1].s, "by")
}

// grouped makes groups of names.
func grouped(s sketch, word string) (sketch, bool) {
	for _, n := range s.names {
		s.groups = join(s.groups, []group{{name: n, word: word}})
	}
	s.names = nil
	return s, true
}

func moreGroups(_ *chart, parts []*item) (sketch, bool) {
	more, _ := grouped(parts[len(parts)-1].s, parts[0].s.groups[0].word)
	return merge(parts[0].s, more)
}

// listedGroups reads groups with a comma between them.
func listedGroups(c *chart, parts []*item) (sketch, bool) {
	if !c.comma(parts[0], parts[1]) || parts[0].s.groups[0].word != "by" || !c.mayGroup(parts[1].s.names[0]) {
		return sketch{}, false
	}
	return moreGroups(c, parts)
}

// distinctNames reads unique customers as their number; differentNames reads different
// regions as groups.
func distinctNames(c *chart, parts []*item) (sketch, bool) {
	s, ok := countOf(c, parts)
	return s, ok && slices.Contains([]string{"unique", "distinct"}, c.tokens[parts[0].from].Text)
}

// nameByName reads units sold, product by branch: a group of each.
func nameByName(c *chart, parts []*item) (sketch, bool) {
	n, g := parts[0].s.names[0], parts[1].s.groups
	if n.from == 0 || len(g) != 1 || g[0].word != "by" || g[0].column == nil || n.plural || n.column == nil || n.column.Type != schema.Text || n.column.Heading == g[0].column.Heading {
		return sketch{}, false
	}
	s, ok := grouped(parts[0].s, "by")
	s.groups = join(s.groups, g)
	return s, ok && c.tokens[n.from].Start > c.tokens[n.from-1].End+1
}

// kindsOf reads kinds of work as the plural of what there are kinds of.
func kindsOf(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	n := s.names[0]
	isPlural := parts[0].to > parts[0].from+1 && c.tokens[parts[0].to-1].Text == "of" && c.plural(parts[0].to-1)
	n.plural, n.from = true, parts[0].from
	s.names = []name{n}
	return s, isPlural && len(s.where) == 0 && n.column != nil && n.column.Type == schema.Text && n.part == plan.Whole
}

func differentNames(c *chart, parts []*item) (sketch, bool) {
	if slices.Contains([]string{"unique", "distinct"}, c.tokens[parts[0].from].Text) || !c.mayGroup(parts[1].s.names[0]) {
		return sketch{}, false
	}
	return grouped(parts[1].s, "each")
}

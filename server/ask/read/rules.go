package read

import (
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// productions is the grammar: what adjacent items mean together. Items that no production
// joins merge as they are, at the cost of looseCost.
var productions = []production{
	// Values and conditions.
	{"value of name", []string{valueCat, nameCat}, valueCat, 0, valueOfName},
	{"name value", []string{nameCat, valueCat}, valueCat, 0, nameValue},
	{"name number", []string{nameCat, valueCat}, valueCat, -0.9, nameNumber},
	{"values", []string{valueCat, "and|or|versus", valueCat}, valueCat, 0, values},
	{"value beats value", []string{valueCat, "grown|shrunk", valueCat}, valueCat, 0, values},
	{"list of values", []string{valueCat, valueCat}, valueCat, 0.1, values},
	{"not value", []string{"not|without", valueCat}, valueCat, 0, notValue},
	{"without name", []string{"without", nameCat}, valueCat, 0.2, blank},
	{"value than value", []string{valueCat, "than", valueCat}, clauseCat, -0.1, contrast},
	{"only value", []string{"only", valueCat}, valueCat, 0, second},
	{"value or not", []string{valueCat, "versus|or|and", "not|without"}, groupCat, 0, yesOrNo},
	{"value or who not", []string{valueCat, "versus|or|and", "who", "not|without"}, groupCat, 0, yesOrNo},
	{"value sells more than value", []string{valueCat, "sell", "more|less", "than", valueCat}, clauseCat, 0, contrast},
	{"value more figure than value", []string{valueCat, "more|less", figureCat, "than", valueCat}, clauseCat, 0, contrastFigure},
	{"value sells more figure than value", []string{valueCat, "sell", "more|less", figureCat, "than", valueCat}, clauseCat, 0, contrastFigure},
	{"value more than value", []string{valueCat, "more|less|grown|shrunk", "than", valueCat}, clauseCat, 0, contrast},

	{"with figure", []string{"with", figureCat}, valueCat, -0.3, withFigure},

	{"bought with", []string{"buy|sell", "with", valueCat}, thingCat, -0.5, boughtWith},

	// Names and groups.
	{"modified name", []string{valueCat, nameCat}, nameCat, 0.05, modified},
	{"number of a column", []string{"howmany", nameCat}, nameCat, -0.1, numericName},
	{"count of a column", []string{nameCat, foldCat}, nameCat, -0.2, numericCount},
	{"count of things", []string{nameCat + "|row", foldCat}, figureCat, 0, countOfThings},
	{"count rows", []string{"howmany", "row"}, figureCat, 0, countOfThings},
	{"distribution of names", []string{"distribution", nameCat}, groupCat, 0, distribution},
	{"noun of noun", []string{nameCat + "|row|" + thingCat, nameCat}, nameCat, 0, compound},
	{"figure of noun", []string{nameCat + "|row", figureCat}, figureCat, 0, compoundFigure},
	{"gross revenue", []string{figureCat, figureCat}, figureCat, -0.2, grossRevenue},
	{"order lines", []string{figureCat + "|" + nameCat, figureCat}, figureCat, -0.1, orderLines},
	{"kind of name", []string{thingCat, nameCat}, nameCat, -1, kindOf},
	{"name kind", []string{nameCat, thingCat}, nameCat, -1, kindOf},
	{"by time", []string{"by", "times"}, "trend", 0, trend},
	{"name on an axis", []string{nameCat, "by"}, groupCat, 0, onAxis},
	{"by name", []string{"by", nameCat}, groupCat, 0, byName},
	{"groups", []string{groupCat, "and", nameCat}, groupCat, 0.1, moreGroups},
	{"list of groups", []string{groupCat, nameCat}, groupCat, 0, listedGroups},
	{"by figure", []string{"by", figureCat}, clauseCat, 0.1, byFigure},
	{"figure per figure", []string{figureCat, "by", figureCat}, figureCat, 0, perFigure},
	{"which name", []string{"which", nameCat}, groupCat, 0, byWord("which")},
	{"which number of names", []string{"which", numberCat, nameCat}, clauseCat, 0, rankedName},
	{"names in order", []string{"ascending|descending", nameCat}, nameCat, 0, merged},
	{"list names", []string{"list", nameCat}, groupCat, 0.1, byWord("list")},
	{"rank names", []string{"rank", nameCat}, groupCat, 0, byWord("rank")},

	// Order.
	{"ranked name", []string{rankCat, nameCat}, clauseCat, 0, rankedName},
	{"ranked number of names", []string{rankCat, numberCat, nameCat}, clauseCat, 0, rankedName},
	{"number of ranked names", []string{numberCat, rankCat, nameCat}, clauseCat, 0, rankedName},
	{"ranked number", []string{rankCat, numberCat}, rankCat, 0.1, rankedNumber},
	{"nth ranked", []string{numberCat, rankCat}, rankCat, 0, nthRanked},
	{"ranked figure", []string{rankCat, figureCat}, clauseCat, 0, merged},
	{"number of figure-ranked names", []string{numberCat, rankCat, figureCat, nameCat}, clauseCat, 0, figureRanked},
	{"figure-ranked names", []string{rankCat, figureCat, nameCat}, clauseCat, 0.1, figureRanked},
	{"most different", []string{rankCat, nameCat}, clauseCat, 0.1, mostDifferent},

	// Bounds.
	{"bound", []string{opCat, numberCat}, boundCat, 0, boundNumber},
	{"bound after", []string{numberCat, afterCat}, boundCat, 0, boundAfter},
	{"between", []string{opCat, numberCat, "and", numberCat}, boundCat, 0, between},
	{"bound of figure", []string{figureCat, boundCat}, clauseCat, 0, boundOfFigure},
	{"figure within bound", []string{boundCat, figureCat}, clauseCat, 0, boundOfFigure},
	{"bound on number of names", []string{boundCat, nameCat}, clauseCat, 0.1, boundOnNames},
	{"bound of times", []string{boundCat, "times"}, clauseCat, 0, boundOfTimes},
	{"bound of one unit", []string{opCat, groupCat}, boundCat, 0, boundOneUnit},
	{"bound per time", []string{boundCat, groupCat}, boundCat, 0, boundPerTime},
	{"figure beside figure", []string{figureCat, opCat, figureCat}, clauseCat, 0, besideFigure},
	{"beside figure", []string{opCat, figureCat}, clauseCat, 0.1, besideFigure},
	{"how far beside figure", []string{"how", opCat, figureCat}, clauseCat, -0.1, howFar},
	{"range of figure", []string{thingCat, figureCat}, clauseCat, -1, rangeOf},

	{"figure as a share of figure", []string{figureCat, "share", figureCat}, clauseCat, -0.1, pairOf(plan.ShareOf)},
	{"ratio of figures", []string{"ratio", figureCat, "and|in|by", figureCat}, clauseCat, -0.1, pairOf(plan.Ratio)},
	{"ratio of figures", []string{"ratio", figureCat, figureCat}, clauseCat, -0.1, pairOf(plan.Ratio)},
	{"difference of figures", []string{"difference", figureCat, "and", figureCat}, clauseCat, -0.1, pairOf(plan.Difference)},
	{"figure ratio", []string{figureCat, "in", figureCat, "ratio"}, clauseCat, -0.1, pairOf(plan.Ratio)},

	// Counts.
	{"count names", []string{"howmany", nameCat}, clauseCat, 0, countOf},
	{"count different names", []string{"howmany", "different", nameCat}, clauseCat, 0, countOf},
	{"count figure", []string{"howmany", figureCat}, clauseCat, 0, countOf},
	{"count names with value", []string{"howmany", valueCat, nameCat + "|" + figureCat}, clauseCat, 0, countOf},
	{"count value", []string{"howmany", valueCat}, clauseCat, 0.1, countOf},
	{"number of names", []string{numberCat, nameCat}, clauseCat, 0.1, numberOfNames},
	{"distinct names", []string{"different", nameCat}, clauseCat, 0.1, distinctNames},
	{"different names", []string{"different", nameCat}, groupCat, 0.1, differentNames},

	// Days between two dates.
	{"days between", []string{nameCat + "|howlong", opCat, nameCat + "|" + figureCat, "and", nameCat}, figureCat, -0.5, daysBetween},
	{"days from to", []string{nameCat + "|howlong", nameCat + "|" + figureCat, "and|in", nameCat}, figureCat, 0, daysBetween},

	// Folds and averages.
	{"fold figure", []string{foldCat, figureCat}, figureCat, 0, foldFigure},
	{"fold per time", []string{foldCat, groupCat, figureCat}, figureCat, 0, foldPerTime},
	{"fold figure per time", []string{foldCat, figureCat, groupCat}, figureCat, 0, foldFigurePer},
	{"time fold figure", []string{groupCat, foldCat, figureCat}, figureCat, 0, timeFoldFigure},
	{"fold on days", []string{foldCat, valueCat, figureCat}, figureCat, 0, foldOnDays},
	{"never", []string{"not", "sell|buy"}, clauseCat, 0.3, never},
}

// second, merged and the like are compositions of several productions.
func second(_ *chart, parts []*item) (sketch, bool) { return parts[1].s, true }

func merged(_ *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	for _, p := range parts[1:] {
		next, ok := merge(s, p.s)
		if !ok {
			return sketch{}, false
		}
		s = next
	}
	return s, true
}

// valueOfName joins a value and its column's name: the West region. A plural after it is
// another thing: Iron Maiden tracks.
func valueOfName(_ *chart, parts []*item) (sketch, bool) {
	v, n := parts[0].s, parts[1].s.names[0]
	return v, sameColumn(v, n) && !n.plural
}

func nameValue(_ *chart, parts []*item) (sketch, bool) {
	n, v := parts[0].s.names[0], parts[1].s
	return v, sameColumn(v, n)
}

// nameNumber reads employee 4.
func nameNumber(c *chart, parts []*item) (sketch, bool) {
	s, ok := nameValue(c, parts)
	return s, ok && c.tokens[parts[1].from].Unit != "" && c.adjacent(parts[0], parts[1])
}

func sameColumn(v sketch, n name) bool {
	return len(v.where) == 1 && n.column != nil && v.where[0].Column == n.column.Heading && v.where[0].Part == plan.Whole && v.where[0].Op != plan.Blank
}

// values joins values of one column.
func values(_ *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s, parts[len(parts)-1].s
	if len(a.where) != 1 || len(b.where) != 1 {
		return sketch{}, false
	}
	v, w := a.where[0], b.where[0]
	if v.Column != w.Column || v.Part != w.Part || v.Op != plan.In && v.Op != plan.NotIn || w.Op != plan.In {
		return sketch{}, false
	}
	joined := v
	joined.to, joined.listed, joined.guessed = w.to, true, v.guessed || w.guessed
	joined.Values = slices.Clone(v.Values)
	for _, one := range w.Values {
		if !slices.Contains(joined.Values, one) {
			joined.Values = append(joined.Values, one)
		}
	}
	if len(joined.Values) == len(v.Values) {
		return sketch{}, false
	}
	s := sketch{where: []cond{joined}, guesses: join(a.guesses, b.guesses)}
	if len(parts) == 3 {
		s.marks = join(join(a.marks, parts[1].s.marks), b.marks)
	}
	return s, true
}

// contrast reads "more online than in store".
func contrast(_ *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s, parts[len(parts)-1].s
	if len(a.where) != 1 || len(b.where) != 1 || len(a.contrast)+len(b.contrast) > 0 {
		return sketch{}, false
	}
	v, w := a.where[0], b.where[0]
	if v.Column != w.Column || v.Part != w.Part || v.Op != plan.In || w.Op != plan.In || slices.Equal(v.Values, w.Values) {
		return sketch{}, false
	}
	return sketch{contrast: []cond{v, w}, guesses: join(a.guesses, b.guesses)}, true
}

// contrastFigure reads "Canada more profitable than Mexico".
func contrastFigure(c *chart, parts []*item) (sketch, bool) {
	s, ok := contrast(c, parts)
	s.figures = parts[len(parts)-3].s.figures
	return s, ok
}

func notValue(_ *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	if len(s.where) != 1 || s.where[0].Op != plan.In {
		return sketch{}, false
	}
	f := s.where[0]
	f.Op, f.from, f.listed = plan.NotIn, parts[0].from, false
	s.where = []cond{f}
	return s, true
}

// blank reads "without a customer": rows whose cell is blank.
func blank(_ *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if n.column == nil || n.column.Type != schema.Text || n.plural || isFlag(*n.column) {
		return sketch{}, false
	}
	f := cond{span: span{parts[0].from, n.to}, Filter: plan.Filter{Column: n.column.Heading, Op: plan.Blank}, role: n.role, text: n.text}
	return sketch{where: []cond{f}}, true
}

// yesOrNo reads "who used promo codes versus those who did not": a group for each.
func yesOrNo(c *chart, parts []*item) (sketch, bool) {
	s := parts[0].s
	if len(s.where) != 1 {
		return sketch{}, false
	}
	col, ok := plan.Column(c.x.source, s.where[0].Column)
	if !ok || !isFlag(col) {
		return sketch{}, false
	}
	return sketch{groups: []group{{name: name{span: s.where[0].span, column: &col, role: col.Role}, word: "by"}}}, true
}

// withFigure reads "had a discount": rows with any of it.
func withFigure(c *chart, parts []*item) (sketch, bool) {
	f := parts[1].s.figures[0]
	role := map[plan.Metric]schema.Role{plan.Discounts: schema.Discount, plan.ShippingPaid: schema.Shipping, plan.Taxes: schema.Tax}[f.metric]
	col, ok := c.x.source.ByRole(role)
	if !ok || f.fold != "" {
		return sketch{}, false
	}
	v := cond{span: span{parts[0].from, f.to}, Filter: plan.Filter{Column: col.Heading, Op: plan.More, Values: []string{"0"}}, role: role, text: f.text}
	return sketch{where: []cond{v}}, true
}

// boughtWith reads what people buy with coffee, which is not about coffee.
func boughtWith(_ *chart, parts []*item) (sketch, bool) {
	v := parts[2].s.where
	if len(v) != 1 || v[0].role != schema.Product && v[0].role != schema.Category {
		return sketch{}, false
	}
	return sketch{missing: []missing{{span: span{parts[0].from, parts[2].to}, what: "what is bought together"}}}, true
}

// modified reads discontinued products: a name whose rows are restricted.
func modified(c *chart, parts []*item) (sketch, bool) {
	v, n := parts[0].s, parts[1].s.names[0]
	if len(v.where) != 1 || n.column == nil || sameColumn(v, n) || n.part != plan.Whole {
		return sketch{}, false
	}
	return merged(c, parts)
}

// numericName reads "number of cylinders" as the column Cylinders; numericCount reads
// "cylinder count" so.
func numericName(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	return s, isNumeric(s.names[0]) && !c.asks(parts[0])
}

func numericCount(c *chart, parts []*item) (sketch, bool) {
	return parts[0].s, isNumeric(parts[0].s.names[0]) && parts[1].s.fold == "count" && c.adjacent(parts[0], parts[1])
}

// adjacent reports whether nothing is between two items, not even a comma.
func (c *chart) adjacent(a, b *item) bool {
	return a.to == b.from && c.tokens[b.from].Start <= c.tokens[a.to-1].End+1
}

func isNumeric(n name) bool {
	return n.column != nil && n.column.Type == schema.Number && n.column.Role == schema.None
}

// asks reports whether words of number are "how many".
func (c *chart) asks(howMany *item) bool { return c.tokens[howMany.from].Text == "how" }

// isKey reports whether a name is that of the rows themselves: each has its own.
func (c *chart) isKey(n name) bool {
	return n.column != nil && n.column.Type == schema.Text && 10*n.column.Distinct >= 9*c.x.source.Rows && c.x.source.Kind == schema.Other
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
	if n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	return sketch{figures: []figure{{span: at, metric: plan.Distinct, column: n.column, text: n.text}}}, true
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
	if !c.adjacent(first, last) || last.s.names[0].role == schema.Order || first.cat == nameCat && !c.isKey(first.s.names[0]) && !modifies(first.s.names[0].role) || c.plural(first.to) {
		return sketch{}, false
	}
	return last.s, true
}

func compoundFigure(c *chart, parts []*item) (sketch, bool) {
	first, last := parts[0], parts[1]
	if !c.adjacent(first, last) || last.s.figures[0].metric == plan.Orders || first.cat == nameCat && !c.isKey(first.s.names[0]) && !modifies(first.s.names[0].role) || c.plural(first.to) {
		return sketch{}, false
	}
	return last.s, true
}

// modifies reports whether a noun for a role says nothing before another: customer reviews,
// product size, order value.
func modifies(r schema.Role) bool {
	return r == schema.Customer || r == schema.Product || r == schema.Order
}

// grossRevenue reads gross before revenue as one figure.
func grossRevenue(c *chart, parts []*item) (sketch, bool) {
	f, g := parts[0].s.figures[0], parts[1].s.figures[0]
	isGross := f.metric == plan.Gross || c.tokens[parts[0].from].Text == "gross"
	return parts[0].s, isGross && g.metric == plan.Revenue && g.fold == "" && g.per == "" && c.adjacent(parts[0], parts[1])
}

// orderLines reads invoice lines: rows.
func orderLines(c *chart, parts []*item) (sketch, bool) {
	isOrder := parts[0].cat == figureCat && parts[0].s.figures[0].metric == plan.Orders || parts[0].cat == nameCat && parts[0].s.names[0].role == schema.Order
	return parts[1].s, isOrder && c.adjacent(parts[0], parts[1]) && !c.plural(parts[0].to) && parts[1].s.figures[0].metric == plan.Rows
}

// kindOf reads kinds of items and cylinder type as the name.
func kindOf(_ *chart, parts []*item) (sketch, bool) {
	thing, n := parts[0].s, parts[1].s
	if parts[1].cat == thingCat {
		thing, n = n, thing
	}
	return n, len(thing.missing) == 1 && thing.missing[0].role == schema.Category && len(n.names) == 1 && n.names[0].column != nil
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
	if n := parts[1].s.names[0]; !c.mayGroup(n) || byOrder(c, parts[0], n) {
		return sketch{}, false
	}
	return grouped(parts[1].s, c.tokens[parts[0].from].Text)
}

// maxNumberGroups bounds the different values of a column of numbers that makes groups.
const maxNumberGroups = 200

// mayGroup reports whether people group by a name: by a figure they order.
func (c *chart) mayGroup(n name) bool {
	if n.column == nil || n.column.Type != schema.Number || isFlag(*n.column) {
		return true
	}
	if n.column.Role != schema.None {
		return n.column.Distinct <= 10 && !n.plural
	}
	return n.column.Distinct <= maxNumberGroups
}

// byOrder reports whether "by" is before orders, which are a figure: top states by orders.
func byOrder(c *chart, by *item, n name) bool {
	return n.role == schema.Order && n.plural && c.tokens[by.from].Text == "by"
}

// byFigure reads "by revenue"; "per" needs a figure before it.
func byFigure(c *chart, parts []*item) (sketch, bool) {
	return parts[1].s, c.tokens[parts[0].from].Text != "per"
}

// perFigure reads average price per unit, sales per order, spend per row.
func perFigure(c *chart, parts []*item) (sketch, bool) {
	s, per := parts[0].s, parts[2].s.figures[0]
	of := map[plan.Metric]string{plan.Units: plan.PerUnit, plan.Orders: plan.PerOrder, plan.Rows: plan.PerRow}[per.metric]
	f := s.figures[0]
	if c.tokens[parts[1].from].Text != "per" || of == "" || per.fold != "" || len(s.where) > 0 {
		return sketch{}, false
	}
	switch {
	case f.column != nil || f.metric == plan.AveragePrice || f.per == of: // prices are per unit
	case f.per != "" && of == plan.PerRow || f.per == "":
		f.per, f.fold = of, ""
	default:
		return sketch{}, false
	}
	f.to = per.to
	s.figures = []figure{f}
	return s, true
}

func byWord(word string) func(*chart, []*item) (sketch, bool) {
	return func(_ *chart, parts []*item) (sketch, bool) {
		s := parts[1].s
		if n := s.names[0]; n.column != nil && n.column.Type == schema.Number && !isFlag(*n.column) {
			return sketch{}, false
		}
		return grouped(s, word)
	}
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
	comma := c.tokens[parts[1].from].Start > c.tokens[parts[0].to-1].End+1
	if parts[0].to != parts[1].from || !comma || parts[0].s.groups[0].word != "by" || !c.mayGroup(parts[1].s.names[0]) {
		return sketch{}, false
	}
	return moreGroups(c, parts)
}

// rankedName reads top products, top 5 products, 5 cheapest products, which 5 products.
func rankedName(_ *chart, parts []*item) (sketch, bool) {
	var r rank
	var s sketch
	limit := 0
	for _, p := range parts {
		switch p.cat {
		case rankCat:
			r, s.marks = *p.s.rank, p.s.marks
		case numberCat:
			n := p.s.numbers[0]
			if n.Unit != link.Plain || n.Number < 1 || n.Number > plan.MaxLimit {
				return sketch{}, false
			}
			limit = int(n.Number)
		}
	}
	last := parts[len(parts)-1].s
	n := last.names[0]
	if r.limit > 0 && limit > 0 || limit > 0 && r.nth > 0 {
		return sketch{}, false
	}
	if n.column != nil && n.column.Type == schema.Number && !isFlag(*n.column) {
		return sketch{}, false
	}
	if r.counts && (n.role == schema.Order || n.plural) {
		return sketch{}, false // the most orders
	}
	r.limit = max(r.limit, limit)
	r.plural = n.plural
	r.vague = r.text == ""
	s.rank = &r
	s.groups = []group{{name: n, word: "rank"}}
	s.guesses, s.where = last.guesses, last.where
	return s, true
}

// figureRanked reads the 5 most profitable products.
func figureRanked(c *chart, parts []*item) (sketch, bool) {
	n := len(parts)
	if f := parts[n-2].s.figures[0]; f.fold != "" || f.per != "" || parts[n-1].s.names[0].part != plan.Whole {
		return sketch{}, false
	}
	r := *parts[n-3].s.rank
	r.counts = false
	ranked := *parts[n-3]
	ranked.s.rank = &r
	s, ok := rankedName(c, append(append([]*item{}, parts[:n-3]...), &ranked, parts[n-1]))
	s.figures = join(parts[n-2].s.figures, s.figures)
	return s, ok
}

func rankedNumber(_ *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.numbers[0]
	s := parts[0].s
	if n.Unit != link.Plain || n.Number < 1 || n.Number > plan.MaxLimit || s.rank.limit > 0 {
		return sketch{}, false
	}
	r := *s.rank
	r.limit, r.to = int(n.Number), parts[1].to
	s.rank = &r
	return s, true
}

// nthRanked reads second best and third largest.
func nthRanked(_ *chart, parts []*item) (sketch, bool) {
	n := parts[0].s.numbers[0]
	s := parts[1].s
	if n.Unit != link.Ordinal || n.Number < 1 || n.Number > plan.MaxLimit || s.rank.limit > 0 {
		return sketch{}, false
	}
	r := *s.rank
	r.limit, r.nth, r.from = int(n.Number), int(n.Number), parts[0].from
	s.rank = &r
	return s, true
}

// mostDifferent reads "the most products" as their number.
func mostDifferent(_ *chart, parts []*item) (sketch, bool) {
	s, n := parts[0].s, parts[1].s.names[0]
	if !s.rank.counts || !n.plural || n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	s.figures = []figure{{span: n.span, metric: plan.Distinct, column: n.column, text: n.text}}
	return s, true
}

func boundNumber(_ *chart, parts []*item) (sketch, bool) {
	b := parts[0].s.bounds[0]
	n := parts[1].s.numbers[0]
	if b.op == "between" {
		return sketch{}, false
	}
	b.number, b.unit, b.to = n.Number, n.Unit, parts[1].to
	return sketch{bounds: []bound{b}}, n.Unit != link.Ordinal
}

func boundAfter(c *chart, parts []*item) (sketch, bool) {
	return boundNumber(c, []*item{parts[1], parts[0]})
}

func between(_ *chart, parts []*item) (sketch, bool) {
	b := parts[0].s.bounds[0]
	low, high := parts[1].s.numbers[0], parts[3].s.numbers[0]
	if b.op != "between" || high.Number < low.Number {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[3].to}
	return sketch{bounds: []bound{
		{span: at, op: plan.AtLeast, number: low.Number, unit: high.Unit},
		{span: at, op: plan.AtMost, number: high.Number, unit: high.Unit},
	}}, true
}

// boundOfFigure joins a bound and the figure beside it: sales over 500, more than 3 units.
func boundOfFigure(_ *chart, parts []*item) (sketch, bool) {
	f, b := parts[0].s, parts[1].s
	if parts[0].cat == boundCat {
		f, b = b, f
	}
	if len(f.figures) != 1 || len(f.where) > 0 {
		return sketch{}, false
	}
	out := sketch{marks: f.marks, guesses: f.guesses}
	for _, one := range b.bounds {
		if one.unit == link.Days && f.figures[0].metric != plan.Cover && f.figures[0].since == nil {
			return sketch{}, false
		}
		if one.unit == link.Money && f.figures[0].metric.Countable() {
			return sketch{}, false
		}
		if one.of != nil || one.other != nil {
			return sketch{}, false
		}
		one.of = &f.figures[0]
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// boundOfTimes reads more than 5 times: orders.
func boundOfTimes(_ *chart, parts []*item) (sketch, bool) {
	var out sketch
	for _, one := range parts[0].s.bounds {
		if one.of != nil && one.of.metric != plan.Orders || one.other != nil {
			return sketch{}, false
		}
		one.of = &figure{span: parts[1].span, metric: plan.Orders, text: "times"}
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// boundOneUnit reads less than a week, in days.
func boundOneUnit(_ *chart, parts []*item) (sketch, bool) {
	b, g := parts[0].s.bounds[0], parts[1].s.groups
	if len(g) != 1 || g[0].word != "a" || b.op == "between" || daysOf[g[0].part] == 0 {
		return sketch{}, false
	}
	b.number, b.unit, b.to = float64(daysOf[g[0].part]), link.Days, parts[1].to
	return sketch{bounds: []bound{b}}, true
}

// boundPerTime reads less than 5 a day.
func boundPerTime(_ *chart, parts []*item) (sketch, bool) {
	g := parts[1].s.groups
	if len(g) != 1 || !g[0].part.Series() || g[0].word == "by" {
		return sketch{}, false
	}
	var out sketch
	for _, one := range parts[0].s.bounds {
		one.per, one.to = g[0].part, parts[1].to
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

func boundOnNames(_ *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	var out sketch
	for _, one := range parts[0].s.bounds {
		one.name = &n
		out.bounds = append(out.bounds, one)
	}
	return out, true
}

// besideFigure compares two figures: stock below reorder level.
func besideFigure(c *chart, parts []*item) (sketch, bool) {
	b := parts[len(parts)-2].s.bounds[0]
	other := parts[len(parts)-1].s.figures[0]
	b.other, b.to = &other, other.to
	if len(parts) == 3 {
		b.of, b.from = &parts[0].s.figures[0], parts[0].from
		return sketch{bounds: []bound{b}}, true
	}
	if of, ok := c.x.usual(other); ok {
		b.of = &of
		return sketch{bounds: []bound{b}}, true
	}
	return sketch{}, false
}

// numberOfNames reads "3 cities with the lowest sales": the number of groups.
func numberOfNames(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if !n.plural || n.column == nil || !c.mayGroup(n) {
		return sketch{}, false
	}
	return rankedName(c, parts)
}

// howFar reads "how far below the list price".
func howFar(c *chart, parts []*item) (sketch, bool) {
	s, ok := besideFigure(c, parts[1:])
	if !ok || parts[1].from == parts[0].to {
		return sketch{}, false
	}
	s.bounds[0].far = true
	return s, true
}

// rangeOf reads the range of a figure: its least and its most.
func rangeOf(c *chart, parts []*item) (sketch, bool) {
	s, f := parts[1].s, parts[1].s.figures[0]
	if c.tokens[parts[0].from].Lemma != "range" || f.column == nil || f.fold != "" {
		return sketch{}, false
	}
	low, high := f, f
	low.fold, high.fold = "least", "most"
	s.figures = []figure{low, high}
	return s, true
}

// pairOf reads two figures of which one is set against the other: discounts as a percentage
// of sales.
func pairOf(kind plan.Derivation) func(*chart, []*item) (sketch, bool) {
	return func(_ *chart, parts []*item) (sketch, bool) {
		s := sketch{pair: kind}
		for _, p := range parts {
			if p.cat == figureCat {
				s.figures = join(s.figures, p.s.figures)
				s.guesses = join(s.guesses, p.s.guesses)
			}
		}
		return s, len(s.figures) == 2 && s.figures[0].span != s.figures[1].span
	}
}

// countOf reads "how many", or "different", before what is counted.
func countOf(c *chart, parts []*item) (sketch, bool) {
	out := sketch{}
	n := count{span: span{parts[0].from, parts[len(parts)-1].to}}
	for _, p := range parts {
		switch p.cat {
		case "different":
			n.different = true
		case nameCat:
			n.name = &p.s.names[0]
			if n.name.column == nil || n.name.column.Type == schema.Number && (n.name.column.Role != schema.None || !c.asks(parts[0])) {
				return sketch{}, false
			}
			out.guesses, out.where = join(out.guesses, p.s.guesses), join(out.where, p.s.where)
		case figureCat:
			n.figure = &p.s.figures[0]
			out.guesses = join(out.guesses, p.s.guesses)
			if n.figure.fold != "" || isDiscrete(n.figure.column) && !c.asks(parts[0]) {
				return sketch{}, false
			}
		case valueCat:
			out.where = join(out.where, p.s.where)
			out.guesses = join(out.guesses, p.s.guesses)
		}
	}
	out.counts = []count{n}
	return out, true
}

// distinctNames reads unique customers as their number; differentNames reads different
// regions as groups.
func distinctNames(c *chart, parts []*item) (sketch, bool) {
	s, ok := countOf(c, parts)
	return s, ok && slices.Contains([]string{"unique", "distinct"}, c.tokens[parts[0].from].Text)
}

func differentNames(c *chart, parts []*item) (sketch, bool) {
	if slices.Contains([]string{"unique", "distinct"}, c.tokens[parts[0].from].Text) || !c.mayGroup(parts[1].s.names[0]) {
		return sketch{}, false
	}
	return grouped(parts[1].s, "each")
}

// daysBetween reads days between order and ship date.
func daysBetween(c *chart, parts []*item) (sketch, bool) {
	if parts[0].cat == nameCat && parts[0].s.names[0].part != plan.Day || parts[1].cat == opCat && parts[1].s.bounds[0].op != "between" {
		return sketch{}, false
	}
	from, to := parts[len(parts)-3], parts[len(parts)-1].s.names[0]
	first, ok := c.x.source.ByRole(schema.Day)
	isOrder := from.cat == figureCat && from.s.figures[0].metric == plan.Orders || from.cat == nameCat && from.s.names[0].role == schema.Order
	if from.cat == nameCat && isDay(from.s.names[0].column) {
		first, ok, isOrder = *from.s.names[0].column, true, true
	}
	if !ok || !isOrder || !isDay(to.column) || to.column.Heading == first.Heading || parts[0].cat == nameCat && parts[1].cat != opCat && !c.plural(parts[0].to) {
		return sketch{}, false
	}
	return sketch{figures: []figure{{span: span{parts[0].from, to.to}, column: to.column, since: &first, text: "days"}}}, true
}

func isDay(c *schema.Column) bool {
	return c != nil && (c.Type == schema.Date || c.Type == schema.Moment)
}

func foldFigure(_ *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	f := s.figures[0]
	if f.fold != "" || f.metric == plan.Distinct {
		return sketch{}, false
	}
	f.fold, f.from = parts[0].s.fold, parts[0].from
	s.figures = []figure{f}
	return s, true
}

// foldPerTime reads average monthly sales.
func foldPerTime(c *chart, parts []*item) (sketch, bool) {
	return foldFigurePer(c, []*item{parts[0], parts[2], parts[1]})
}

// foldFigurePer reads average sales per month.
func foldFigurePer(c *chart, parts []*item) (sketch, bool) {
	s, ok := foldFigure(c, parts[:2])
	g := parts[2].s.groups
	if !ok || len(g) != 1 || !g[0].part.Series() || s.figures[0].per != "" || s.figures[0].column != nil {
		return sketch{}, false
	}
	if g[0].word == "by" && parts[2].from > parts[1].from || s.figures[0].fold == "sum" {
		return sketch{}, false
	}
	s.figures[0].per = string(g[0].part)
	return s, true
}

// timeFoldFigure reads monthly average of sales.
func timeFoldFigure(c *chart, parts []*item) (sketch, bool) {
	return foldFigurePer(c, []*item{parts[1], parts[2], parts[0]})
}

// foldOnDays reads average Saturday revenue.
func foldOnDays(c *chart, parts []*item) (sketch, bool) {
	v := parts[1].s
	s, ok := foldFigure(c, []*item{parts[0], parts[2]})
	if !ok || len(v.where) != 1 || v.where[0].Part == plan.Whole || v.where[0].Part == plan.Hour || s.figures[0].per != "" || s.figures[0].column != nil {
		return sketch{}, false
	}
	s.figures[0].per = string(plan.Day)
	s.where = join(s.where, v.where)
	return s, true
}

// never reads "have not ordered anything".
func never(_ *chart, parts []*item) (sketch, bool) {
	return sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "never"}}}, true
}

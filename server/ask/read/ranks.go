package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// rankedName reads top products, top 5 products, 5 cheapest products, which 5 products.
func rankedName(c *chart, parts []*item) (sketch, bool) {
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
	if n.part.Series() && c.tokens[n.from-1].Text == "this" {
		return sketch{}, false // the best seller this year is none of the years
	}
	if n.column != nil && n.column.Type == schema.Number && !isFlag(*n.column) && !c.namesPlaces(n) {
		return sketch{}, false
	}
	if isFar := !c.adjacent(parts[len(parts)-2], parts[len(parts)-1]); r.figure != nil && (isFar || isDay(n.column) && n.part == plan.Day && !n.plural) {
		return sketch{}, false // the quickest to deliver, takes longest to finish jobs
	}
	if r.counts && (n.role == schema.Order || n.plural) {
		return sketch{}, false // the most orders
	}
	r.limit = max(r.limit, limit)
	r.plural = n.plural
	r.vague = r.text == ""
	s.rank = &r
	s.groups = []group{{name: n, word: "rank"}}
	s.where = last.where
	return s, true
}

// whichNumber reads which 5 make the best margin: so many of what a superlative ranks, which no noun names.
func whichNumber(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.numbers[0]
	ranks := slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Rank && m.From >= parts[1].to })
	if n.Unit != link.Plain || n.Arg != "" || n.Number < 2 || n.Number > plan.MaxLimit || !ranks || !c.adjacent(parts[0], parts[1]) || parts[0].from > 0 {
		return sketch{}, false
	}
	r := rank{span: span{parts[0].from, parts[1].to}, limit: int(n.Number), plural: true, vague: true}
	return sketch{shape: shape{rank: &r}, marks: parts[0].s.marks}, true
}

// rankedDoers reads our four biggest spending guests.
func rankedDoers(c *chart, parts []*item) (sketch, bool) {
	last := len(parts) - 1
	verb := parts[last-1]
	s, ok := rankedName(c, append(slices.Clone(parts[:last-1]), parts[last]))
	s.marks = join(s.marks, verb.s.marks)
	return s, ok && !parts[last-2].s.rank.counts && strings.HasSuffix(c.tokens[verb.to-1].Text, "ing")
}

// rankedKind reads top 3 teas, where Tea is a category: the products of it.
func rankedKind(c *chart, parts []*item) (sketch, bool) {
	kind, ok := c.ofKind(parts[len(parts)-1])
	if !ok {
		return sketch{}, false
	}
	return rankedName(c, append(slices.Clone(parts[:len(parts)-1]), kind))
}

// whichKind reads which teas, and which tea sells best.
func whichKind(c *chart, parts []*item) (sketch, bool) {
	kind, ok := c.ofKind(parts[1])
	ranks := slices.ContainsFunc(c.starts, func(its []*item) bool {
		return slices.ContainsFunc(its, func(it *item) bool { return it.cat == rankCat })
	})
	if !ok || !kind.s.names[0].plural && !ranks {
		return sketch{}, false
	}
	return byWord("which")(c, []*item{parts[0], kind})
}

// ofKind returns the products of a value that is a kind of them, as a name; false if another
// noun follows, which the value is of.
func (c *chart) ofKind(value *item) (*item, bool) {
	product, ok := c.x.source.ByRole(schema.Product)
	if !ok && c.x.product != nil {
		product, ok = *c.x.product, true
	}
	v := value.s.where
	if day, ok := c.x.source.ByRole(schema.Day); ok && len(v) == 1 && v[0].Part == plan.Weekday && len(v[0].Values) == 1 && v[0].Op == plan.In {
		s := value.s // the best Friday, and the top 5 of them, are days
		s.names = []name{{span: value.span, column: &day, part: plan.Day, role: schema.Day, plural: c.plural(value.to), text: c.text(value.from, value.to)}}
		return &item{span: value.span, cat: nameCat, s: s, cost: value.cost}, true
	}
	isKind := len(v) == 1 && v[0].role == schema.Category
	if finer := c.finer(value); (!ok || !isKind) && finer != nil {
		product, ok, isKind = *finer, true, true
	}
	if !ok || !isKind || v[0].Op != plan.In || v[0].Column == product.Heading {
		return nil, false
	}
	isNoun := func(it *item) bool {
		return it.cat == figureCat || it.cat == valueCat || it.cat == nameCat && !isDay(it.s.names[0].column)
	}
	if value.to < len(c.tokens) && slices.ContainsFunc(c.starts[value.to], isNoun) {
		return nil, false
	}
	kind := *value
	kind.cat = nameCat
	kind.s.names = []name{{span: value.span, column: &product, role: product.Role, plural: c.plural(value.to) || strings.HasSuffix(c.tokens[value.to-1].Text, "s"), text: v[0].text}}
	return &kind, true
}

// finer returns a column with more values, several of which have the words of a value of another column, or nil: Plan of
// 5 Class Pass and 10 Class Pass, for the Type Class Pass.
func (c *chart) finer(value *item) (found *schema.Column) {
	v := value.s.where
	if len(v) != 1 || v[0].role == schema.Product || len(v[0].Values) != 1 {
		return nil
	}
	of, _ := plan.Column(c.x.source, v[0].Column)
	for _, m := range c.mentions {
		if m.Kind == link.Value && m.From == value.from && m.To == value.to && len(m.Values) > 1 && m.Column.Distinct > of.Distinct {
			found = m.Column
		}
	}
	return found
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

// bothEnds reads cheapest and dearest: the two ends of one order.
func bothEnds(_ *chart, parts []*item) (sketch, bool) {
	a, b := parts[0].s, parts[2].s
	if !a.rank.opposes(*b.rank) {
		return sketch{}, false
	}
	return merge(a, b)
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

// nthRanked reads second best, third largest, and 2 slowest.
func nthRanked(c *chart, parts []*item) (sketch, bool) {
	n := parts[0].s.numbers[0]
	s := parts[1].s
	if n.Unit != link.Ordinal && (n.Unit != link.Plain || !c.adjacent(parts[0], parts[1])) || n.Number < 1 || n.Number > plan.MaxLimit || s.rank.limit > 0 {
		return sketch{}, false
	}
	r := *s.rank
	r.limit, r.from = int(n.Number), parts[0].from
	if n.Unit == link.Ordinal {
		r.nth = r.limit
	}
	s.rank = &r
	return s, true
}

// mostDifferent reads "the most products" as their number.
func mostDifferent(c *chart, parts []*item) (sketch, bool) {
	s, n := parts[0].s, parts[1].s.names[0]
	if !s.rank.counts || !n.plural || n.column == nil || n.column.Type == schema.Number || n.part != plan.Whole {
		return sketch{}, false
	}
	s.figures, s.where = []figure{{span: n.span, metric: plan.Distinct, column: n.column, text: n.text}}, parts[1].s.where
	if c.areEvents(n) {
		s.figures = []figure{{span: n.span, metric: c.x.counted(), text: n.text}} // the most jobs
	}
	return s, true
}

// numberOfNames reads "3 cities with the lowest sales": the number of groups.
func numberOfNames(c *chart, parts []*item) (sketch, bool) {
	n := parts[1].s.names[0]
	if !n.plural || n.column == nil || !c.mayGroup(n) || parts[0].to != parts[1].from || parts[0].from > 0 && c.tokens[parts[0].from-1].Text == "many" {
		return sketch{}, false // how many 2 hour lessons
	}
	return rankedName(c, parts)
}

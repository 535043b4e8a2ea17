package read

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// visits adds a word for people whose number is asked for, in a log without a column that tells
// them apart, as those that columns count by their kind, or as the orders or rows, each of which is
// the visit of somebody.
func (c *chart) visits(at span) {
	if c.x.can(plan.Units) && c.x.kinds != nil && !c.tellsApart() {
		c.add(at.from, at.to, figureCat, 0, sketch{figures: []figure{{span: at, metric: plan.Units, text: c.text(at.from, at.to)}}})
		return
	}
	_, dated := c.x.source.ByRole(schema.Day)
	_, numbered := c.x.source.ByRole(schema.Order)
	_, counted := c.x.source.ByRole(schema.Quantity) // a row may be what many bought on a day
	isLog := dated && (numbered || !counted) && (c.x.source.Kind == schema.Sales || c.x.source.Kind == schema.Other)
	isNumber := at.from > 0 && c.asksNumber(at.from) || c.isRate(at.to)
	if !isLog || !c.plural(at.to) || !isNumber {
		return
	}
	f := figure{span: at, metric: c.x.counted(), text: c.text(at.from, at.to)}
	c.nouns = join(c.nouns, []noun{{span: at, of: fmt.Sprintf("visits: each of the %s counts as one, since no column of %s tells people apart", f.metric.Title(), c.x.source.Name), isVisit: true}})
	c.add(at.from, at.to, figureCat, costFlag, sketch{figures: []figure{f}})
}

// ships reports whether what is sold goes out by post or carrier, so that an order is no visit of anybody.
func (x *lexicon) ships() bool {
	return x.source.Kind == schema.Sales && slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		return c.Role == schema.Shipping || hasWord(c.Heading, "ship", "shipped", "shipping", "dispatched", "despatched", "postage", "posted", "courier", "tracking")
	})
}

// isRate reports whether a unit of time after a token makes a rate of what is before it: customers per day.
func (c *chart) isRate(at int) bool {
	return at+1 < len(c.tokens) && slices.Contains([]string{"per", "a", "an", "each", "every"}, c.tokens[at].Text) && slices.Contains([]string{"hour", "day", "week", "month", "saturday", "weekend"}, c.tokens[at+1].Lemma)
}

// tellsApart reports whether the question takes the people who came one by one: those who came again,
// or whom the shop has.
func (c *chart) tellsApart() bool {
	return c.hasWord("have") && c.hasWord("do") || c.hasWord("back", "again", "once", "twice", "new", "first", "regular", "loyal", "different", "unique")
}

// noteKinds says which columns add up to a number of pieces, or of people.
func (b *builder) noteKinds() error {
	counts := func(m plan.Measure) bool { return m.Metric == plan.Units || m.Per == plan.PerUnit }
	last := len(b.x.kinds) - 1
	if last < 0 || !slices.ContainsFunc(b.p.Measures, counts) {
		return nil
	}
	if b.hasWord("different", "unique", "distinct") && len(b.p.By) == 0 {
		return b.missingRole(schema.Customer) // who came twice counts twice
	}
	var headings []string
	for _, c := range b.x.kinds {
		headings = append(headings, c.Heading)
	}
	b.note(fmt.Sprintf("Units are those of %s and %s together.", strings.Join(headings[:last], ", "), headings[last]))
	return nil
}

// occupancy adds the number of people, or pieces, as a share of a column of places.
func (c *chart) occupancy(at span, cost float64) {
	places := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Number && hasWord(col.Heading, "capacity", "seats", "places", "spaces", "covers")
	})
	if places < 0 || !c.x.can(plan.Units) {
		c.add(at.from, at.to, thingCat, costThing, sketch{missing: []missing{{span: at, what: "how many places there are, and how many are taken"}}})
		return
	}
	taken := figure{span: at, metric: plan.Units, text: "units"}
	all := figure{span: at, column: &c.x.source.Columns[places], fold: "sum", text: c.x.source.Columns[places].Heading}
	c.add(at.from, at.to, clauseCat, cost, sketch{pair: plan.ShareOf, figures: []figure{taken, all}})
}

// asksNumber reports whether words that ask for a number or a share of things end before a token.
func (c *chart) asksNumber(at int) bool {
	return slices.ContainsFunc(c.starts[:at], func(row []*item) bool {
		return slices.ContainsFunc(row, func(it *item) bool { return it.to == at && (it.cat == "howmany" || it.cat == "share") })
	})
}

// refuseVisits refuses a number of people, of whom visits say nothing, if words tell apart who came:
// who came again, or each once. A word without a use may say more than the rows do.
func (b *builder) refuseVisits() error {
	i := slices.IndexFunc(b.nouns, func(n noun) bool {
		return n.isVisit && slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.span == n.span })
	})
	counted := i >= 0 || slices.ContainsFunc(b.s.counts, func(n count) bool { return n.figure != nil && b.isVisit(n.figure.span) })
	if !counted {
		return nil
	}
	ofEach := func(o bound) bool { return o.of == nil || o.of.metric == plan.Orders || o.name != nil }
	again := b.tellsApart() || b.s.has("times", "different", "who", "never", "refund") || b.s.rank != nil
	if again || slices.ContainsFunc(b.s.bounds, ofEach) || len(b.unusedWords()) > 0 {
		return b.missingRole(schema.Customer)
	}
	return nil
}

// isVisit reports whether words for people were taken for visits.
func (b *builder) isVisit(at span) bool {
	return slices.ContainsFunc(b.nouns, func(n noun) bool { return n.isVisit && n.span == at })
}

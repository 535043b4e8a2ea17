package read

import (
	"fmt"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// visits adds a word for people whose number is asked for, in a log without a column that tells
// them apart, as the orders or rows, each of which is the visit of somebody.
func (c *chart) visits(at span) {
	_, dated := c.x.source.ByRole(schema.Day)
	_, numbered := c.x.source.ByRole(schema.Order)
	_, counted := c.x.source.ByRole(schema.Quantity) // a row may be what many bought on a day
	isLog := dated && (numbered || !counted) && (c.x.source.Kind == schema.Sales || c.x.source.Kind == schema.Other)
	if !isLog || at.from == 0 || !c.plural(at.to) || !c.asksNumber(at.from) {
		return
	}
	f := figure{span: at, metric: c.x.counted(), text: c.text(at.from, at.to)}
	c.nouns = join(c.nouns, []noun{{span: at, of: fmt.Sprintf("visits: each of the %s counts as one, since no column of %s tells people apart", f.metric.Title(), c.x.source.Name), isVisit: true}})
	c.add(at.from, at.to, figureCat, costFlag, sketch{figures: []figure{f}})
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
	held := b.hasWord("have") && b.hasWord("do") // how many customers do we have
	again := held || b.s.has("times", "different", "who", "never", "refund") || b.s.rank != nil || b.hasWord("back", "again", "once", "twice", "new", "first", "regular", "loyal")
	if again || slices.ContainsFunc(b.s.bounds, ofEach) || len(b.unusedWords()) > 0 {
		return b.missingRole(schema.Customer)
	}
	return nil
}

// isVisit reports whether words for people were taken for visits.
func (b *builder) isVisit(at span) bool {
	return slices.ContainsFunc(b.nouns, func(n noun) bool { return n.isVisit && n.span == at })
}

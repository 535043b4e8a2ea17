package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// What people ask of a list of clients or members, each with what they have spent and how often they came.

// clientFigure returns the column that ranks the clients of a list when the question names no figure: the number of
// visits or the total spent. It returns nil if no column fits.
func (b *builder) clientFigure() *schema.Column {
	if b.x.source.Kind != schema.Customers || len(b.s.figures) > 0 || b.s.rank.column != nil || b.s.rank.attribute != "" {
		return nil
	}
	if b.hasWord("times", "often", "regular", "regularly", "regulars", "frequent", "frequently") || b.s.has("who") && b.hasWord("come", "comes", "came", "visit", "visits", "visited", "attend", "attends", "attended", "train", "trains", "trained") {
		return b.x.visits()
	}
	if b.hasWord("spender", "spenders", "spend", "spends", "spent", "best", "biggest", "top", "valuable") {
		return b.x.earned
	}
	return nil
}

// visitsOf returns the column of a list of people that counts what a word names, such as their visits, or nil.
func (c *chart) visitsOf(m link.Mention) *schema.Column {
	if c.x.source.Kind != schema.Customers || m.To != m.From+1 || !c.plural(m.To) {
		return nil
	}
	var found *schema.Column
	most := 0
	for i := range c.x.source.Columns {
		col := &c.x.source.Columns[i]
		if col.Type != schema.Number || col.Unit == schema.Money || !hasWord(col.Heading, c.tokens[m.From].Text) {
			continue
		}
		said := 0 // of the words of Visits this mth
		for w := range strings.FieldsSeq(strings.ToLower(col.Heading)) {
			if c.hasWord(w) {
				said++
			}
		}
		if said > most {
			found, most = col, said
		}
	}
	return found
}

// refuseTimeOfSpent refuses when clients spent what a list of them has in all: takings for September.
func (b *builder) refuseTimeOfSpent() error {
	inTime := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return ok && isDay(&c) && f.Op != plan.Blank && f.Op != plan.Filled && f.Op != plan.Before // who has not come since
	}
	if b.x.source.Kind != schema.Customers || b.x.earned == nil || len(b.p.Measures) == 0 || b.p.Measures[0].Column != b.x.earned.Heading || b.hasWord("visited", "visit", "joined", "join", "came", "come", "seen") {
		return nil
	}
	if b.p.Period != nil || slices.ContainsFunc(b.p.Where, inTime) {
		return b.refuse(Missing, "%s in %s does not say on which day, so this cannot be answered.", b.x.earned.Heading, b.x.source.Name)
	}
	return nil
}

// rankEachByRows ranks the people or the things of a list, each of which has one row, by the column of how often
// they came, since the number of their rows says nothing. It refuses where there is no such column.
func (b *builder) rankEachByRows() error {
	if len(b.p.By) != 1 || b.p.Count || len(b.p.Having) > 0 || len(b.p.Measures) == 0 || !b.p.Measures[0].Equal(plan.Measure{Metric: plan.Rows}) || b.s.rank == nil && !b.p.Share {
		return nil
	}
	key, ok := plan.Column(b.x.source, b.p.By[0].Column)
	if !ok || b.p.By[0].Part != plan.Whole || isDay(&key) || 10*key.Distinct < 9*(b.x.source.Rows-key.Blank) {
		return nil
	}
	visits := b.x.visits()
	if visits == nil || b.p.Share || len(b.p.Measures) > 1 {
		return b.refuse(Missing, "%s has one row for each %s, so how many rows each has says nothing, and this cannot be answered.", b.x.source.Name, key.Heading)
	}
	b.p.Measures[0] = plan.Measure{Metric: plan.Sum, Column: visits.Heading}
	return nil
}

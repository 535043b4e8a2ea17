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
		return b.numberOf(visitWords...)
	}
	if b.hasWord("spender", "spenders", "spend", "spends", "spent", "best", "biggest", "top", "valuable") {
		return b.x.earned
	}
	return nil
}

// Words of the headings of days on which a person came, or something happened to a thing of a list.
var (
	lastDayWords = []string{"last", "latest", "recent"}
	nextDayWords = []string{"next", "upcoming"}
)

// dayCalled returns the first column of days with one of some words in its heading, or nil.
func (x *lexicon) dayCalled(words ...string) *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return isDay(&c) && hasWord(c.Heading, words...) })
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// firstDay returns the column of a list of people that has the day on which each came first, or nil.
func (x *lexicon) firstDay() *schema.Column {
	if joined := x.dayOf(families[joining], nil); joined != nil || x.source.Kind != schema.Customers {
		return joined
	}
	return x.dayCalled("first")
}

// nextDay returns the column of a list that has the day for which somebody is booked next, such as Next Appt, or nil.
func (x *lexicon) nextDay() *schema.Column {
	if x.source.Kind == schema.Sales || x.source.Kind == schema.Purchases {
		return nil
	}
	return x.dayCalled(nextDayWords...)
}

// isLastDay reports whether a column has the day on which something last happened to each thing or person.
func isLastDay(c *schema.Column) bool { return isDay(c) && hasWord(c.Heading, lastDayWords...) }

// visitWords are what lists of people count of each.
var visitWords = []string{"visits", "bookings", "sessions", "appointments", "orders", "stays", "classes", "lessons"}

// numberOf returns the column of a list of people that counts what one of the plurals names, such as Visits. Of several
// columns it returns the one that shares most words with the question, and nil if none counts that.
func (c *chart) numberOf(plurals ...string) (found *schema.Column) {
	if c.x.source.Kind != schema.Customers {
		return nil
	}
	most := -1
	for i := range c.x.source.Columns {
		col := &c.x.source.Columns[i]
		if col.Type != schema.Number || col.Unit == schema.Money || isRate(col.Heading) || !hasWord(col.Heading, plurals...) {
			continue
		}
		said := 0 // of the words of Visits this mth
		for w := range strings.FieldsSeq(strings.ToLower(link.Spaced(col.Heading))) {
			said += btoi(c.hasWord(w))
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

// readFees takes what each of a list of people pays for what they bring in, where no column has that: of those who still
// pay, and by no month, since it is of each.
func (b *builder) readFees() error {
	fee, isFee := b.x.fee(), false
	if fee == nil || !b.x.listsPayers() || b.p.Period != nil || b.p.Compare != nil {
		return nil
	}
	for i, m := range b.p.Measures {
		takes := m.Metric == plan.Revenue || m.Metric == plan.Rows && b.s.has("sell", "money") && !b.s.has("howmany") && b.s.rank == nil
		if ofFee := m.Metric == plan.Sum && m.Column == fee.Heading; takes && !m.Restricted() || ofFee {
			b.p.Measures[i], isFee = plan.Measure{Metric: plan.Sum, Column: fee.Heading}, true
		}
	}
	day, _ := b.heading(schema.Day)
	monthly, by := cut(b.p.By, func(d plan.Dimension) bool { return d.Column == day && d.Part == plan.Month })
	if status, _ := b.x.source.ByRole(schema.Status); isFee && len(by)+len(monthly) <= 1 {
		b.p.By, b.guessed = by, true
		b.onlyCurrent(status)
	}
	return nil
}

// listsPayers reports whether each row is of somebody who pays again and again, and nothing is known of single sales.
func (x *lexicon) listsPayers() bool {
	person, named := x.source.ByRole(schema.Customer)
	_, dated := x.source.ByRole(schema.Day)
	isEach := named && 10*person.Distinct >= 9*x.source.Rows
	isList := x.source.Kind == schema.Customers || x.source.Kind == schema.Other && isEach && !dated
	return isList && !x.can(plan.Revenue) && x.earned == nil
}

// onlyCurrent leaves out those whose state is not that of people who still come, unless the question has a state.
func (b *builder) onlyCurrent(status schema.Column) {
	current, _ := cut(status.Values, func(v string) bool { return slices.Contains(currentWords, strings.ToLower(v)) })
	if len(current) == 0 || slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Column == status.Heading }) {
		return
	}
	f := plan.Filter{Column: status.Heading, Op: plan.In, Values: current}
	b.p.Where, b.implied = addFilter(b.p.Where, f), append(b.implied, f)
	b.note("Only those whose " + status.Heading + " is " + someOf(current) + " are counted.")
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
	visits := b.numberOf(visitWords...)
	if visits == nil || b.p.Share || len(b.p.Measures) > 1 {
		return b.refuse(Missing, "%s one row for each %s, so how many rows each has says nothing, and this cannot be answered.", b.subject("has", "have"), key.Heading)
	}
	b.p.Measures[0] = plan.Measure{Metric: plan.Sum, Column: visits.Heading}
	return nil
}

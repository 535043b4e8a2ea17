package read

import (
	"fmt"
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// quietDays is how long customers have bought nothing who are quiet if a question does not
// say.
const quietDays = 90

// asksCustomers reports whether the question asks for customers.
func (b *builder) asksCustomers() bool {
	isCustomers := func(f figure) bool { return f.metric == plan.Customers && f.plain() }
	return b.s.has("who") || b.x.source.Kind == schema.Customers || slices.ContainsFunc(b.coverFigures(), isCustomers) || slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Customer }) ||
		slices.ContainsFunc(b.s.groups, func(g group) bool { return g.role == schema.Customer }) || slices.ContainsFunc(b.s.missing, func(m missing) bool { return m.role == schema.Customer })
}

// readQuiet reads customers who have bought nothing for a month, or have gone quiet: those
// without rows since a day.
func (b *builder) readQuiet() error {
	quiet := b.s.find("quiet")
	if quiet != nil {
		if !b.asksCustomers() {
			return b.refuse(Unknown, "It is not clear what “%s” means in this question, so it cannot be answered.", b.text(quiet.from, quiet.to))
		}
		b.s.marks = join(b.s.marks, []mark{{span: quiet.span, sense: "never"}})
	}
	if !b.s.has("never") && !b.happenedNotLast() && !(b.s.has("unsold") && b.x.tellsLast()) || len(b.s.periods) > 0 || !b.asksCustomers() && !b.x.tellsLast() {
		return nil
	}
	if quiet == nil {
		quiet = b.s.find("vague")
	}
	days := b.horizon()
	if r, g := b.s.rank, b.s.groups; r != nil && r.vague && len(g) > 0 && g[len(g)-1].part.Series() {
		days, b.s.rank, b.s.groups = r.limit*daysOf[g[len(g)-1].part], nil, g[:len(g)-1] // for 30 days
	}
	switch {
	case days > 0:
		b.s.numbers, _ = cut(b.s.numbers, func(n link.Mention) bool { return n.Unit != link.Days })
		b.s.groups, _ = cut(b.s.groups, func(g group) bool { return g.word != "a" })
		b.s.names, _ = cut(b.s.names, func(n name) bool { return n.part == plan.Whole })
		b.s.bounds, _ = cut(b.s.bounds, func(o bound) bool { return o.unit != link.Days })
	case quiet != nil:
		days = quietDays
		b.note(fmt.Sprintf("Customers count as quiet here who have bought nothing for %d days.", quietDays))
		b.taken[quiet.from] = true
	default:
		return nil
	}
	b.s.periods = []when.Span{{From: b.daysAgo(days), To: b.now.Today, Relative: true}}
	return nil
}

// happenedNotLast reports whether a condition is that something never happened, by a column of its last day:
// have not had a delivery.
func (b *builder) happenedNotLast() bool {
	return slices.ContainsFunc(b.s.where, func(f cond) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return f.Op == plan.Blank && ok && isLastDay(&c)
	})
}

// tellsLast reports whether a list of goods says when something last happened to each: Last Sold, Last Delivery.
func (x *lexicon) tellsLast() bool {
	return x.source.Kind == schema.Stocklist && !x.can(plan.Cover) && x.dayCalled(lastDayWords...) != nil
}

// daysAgo returns the day some days before today. Days that a question calls months or years
// are those of the calendar.
func (b *builder) daysAgo(days int) time.Time {
	if months := days / 30; months > 0 && b.hasWord("month", "months", "year", "years") {
		return b.now.Today.AddDate(0, -months, 0)
	}
	return b.now.Today.AddDate(0, 0, -days)
}

// knowsVisits reports whether the source says when customers bought, and none of its columns
// when they left.
func (x *lexicon) knowsVisits() bool {
	_, named := x.source.ByRole(schema.Customer)
	return named && x.source.Kind == schema.Sales && x.dayOf(endStems, dueWords) == nil
}

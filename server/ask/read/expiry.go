package read

import (
	"fmt"
	"regexp"
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// soonDays is how far ahead "soon" looks.
const soonDays = 30

// expiryHeading matches the headings of the days after which goods cannot be sold.
var expiryHeading = regexp.MustCompile(`(?i)^(.*\b(expir\w*|exp\.?( date)?|use[- ]?by|best[- ]?(before|by)|bbe?|sell[- ]?by)\b.*|exp_?date|useby|bestbefore)$`)

// endHeading matches the headings of the days on which a membership, a contract or a stay ends.
var endHeading = regexp.MustCompile(`(?i)^(.*\b(renew\w*|end|ends|valid (to|until|till)|paid (to|until|till)|lapses)\b( date| on)?|until|term end)$`)

// expiryColumn returns the column of those days, or nil.
func (x *lexicon) expiryColumn() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		heading := link.Spaced(c.Heading)
		return isDay(&c) && c.Role != schema.Day && (expiryHeading.MatchString(heading) || x.source.Kind != schema.Stocklist && endHeading.MatchString(heading))
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

// expires adds words for what happens on the days of expiry: goes off, is out of date.
func (c *chart) expires(m link.Mention, cost float64) {
	at := span{m.From, m.To}
	if c.x.expiry == nil {
		c.add(m.From, m.To, thingCat, costPhrase, sketch{missing: []missing{{span: at, what: "expiry dates"}}})
		return
	}
	s := sketch{names: []name{{span: at, column: c.x.expiry, part: plan.Day, text: c.text(at.from, at.to)}}}
	if m.Arg != "" {
		s.marks = []mark{{span: at, sense: "expired"}}
	}
	c.add(m.From, m.To, eventCat, cost, s)
	c.add(m.From, m.To, nameCat, cost, s)
}

// endingWords are verbs for what happens on the days on which something ends.
var endingWords = []string{"ends", "ending", "finish", "finishes", "finishing", "lapse", "lapses", "lapsing", "renew", "renews", "renewing", "renewal", "renewals"}

// findEnding adds words for what happens on the days on which memberships, contracts and the like end, where the
// source has such days: runs out, finishes, is up for renewal.
func (c *chart) findEnding() {
	if c.x.expiry == nil || c.x.source.Kind == schema.Stocklist {
		return
	}
	for i, t := range c.tokens {
		isRunning := t.Lemma == "run" && i+1 < len(c.tokens) && c.tokens[i+1].Text == "out"
		isHeading := slices.ContainsFunc(c.starts[i], func(it *item) bool {
			return it.cat == nameCat && it.cost < costNear && it.s.names[0].column != nil && it.s.names[0].column.Heading == c.x.expiry.Heading
		})
		switch {
		case isRunning:
			c.starts[i] = nil
			m := link.Mention{From: i, To: i + 2}
			if t.Text == "ran" || i > 0 && slices.Contains([]string{"have", "has", "had", "already"}, c.tokens[i-1].Text) {
				m.Arg = "expired"
			}
			c.expires(m, 0)
		case slices.Contains(endingWords, t.Text) && !isHeading:
			from := i
			if i > 1 && c.text(i-2, i) == "up for" {
				from = i - 2
				c.starts[from], c.starts[from+1] = nil, nil
			}
			c.starts[i] = nil
			c.expires(link.Mention{From: from, To: i + 1}, 0)
		}
	}
}

// expiresWithin reads expires within 30 days, expiring in two weeks.
func expiresWithin(c *chart, parts []*item) (sketch, bool) {
	n, number := parts[0].s.names[0], parts[2].s.numbers[0]
	if c.x.expiry == nil || n.column.Heading != c.x.expiry.Heading || number.Unit != link.Days || !slices.Contains([]string{"in", "within"}, c.tokens[parts[1].from].Text) {
		return sketch{}, false
	}
	to := c.today.AddDate(0, 0, int(number.Number))
	days := when.Span{From: c.today, To: to}
	return onDays(c, []*item{parts[0], {span: parts[2].span, s: sketch{periods: []when.Span{days}}}})
}

// comingDays returns the days of expiry that a period means: of one without a year the next, and of one
// without a beginning those from today on, if the words are about what will be.
func (c *chart) comingDays(s when.Span) when.Span {
	isYear := func(t link.Token) bool { return t.Number >= 2000 && t.Number < 2100 && len(t.Text) == 4 }
	isOpen := s.From.Year() == 1
	for s.To.Before(c.today) && !c.hasWord("expired") && (s.Yearless || isOpen && !slices.ContainsFunc(c.tokens, isYear)) {
		s.To = s.To.AddDate(1, 0, 0)
		if !isOpen {
			s.From = s.From.AddDate(1, 0, 0)
		}
	}
	if isOpen && c.hasWord("will") {
		s.From = c.today
	}
	return s
}

// firstWords and lastWords tell which end of the days of expiry is asked for.
var (
	firstWords = []string{"next", "first", "soonest", "earliest", "nearest", "closest", "shortest", "oldest"}
	lastWords  = []string{"latest", "furthest", "farthest", "longest", "newest"}
)

// readExpiry reads what has expired, what will, and what does so first. Rows are listed, the first
// to expire first, where no figure and no groups are asked for.
func (b *builder) readExpiry() error {
	col := b.x.expiry
	if col == nil || b.p.List != nil {
		return nil
	}
	isIt := func(n name) bool {
		return n.column != nil && n.column.Heading == col.Heading && n.part != plan.Month && n.part != plan.Year && n.part != plan.Week
	}
	isLimit := func(f cond) bool { return f.Column == col.Heading && f.Part == plan.Day }
	b.s.groups, b.s.names = b.asNames(isIt)
	timed := slices.ContainsFunc(b.s.where, isLimit)
	said := slices.IndexFunc(b.s.names, isIt)
	ranked := b.s.rank != nil && b.s.rank.column != nil && b.s.rank.column.Heading == col.Heading
	if said < 0 && !timed && !ranked {
		return nil
	}
	at := span{0, 1}
	if said >= 0 {
		at = b.s.names[said].span
	}
	expired := b.s.has("expired") || b.hasWord("expired")
	end := b.endAsked(timed)
	for i, t := range b.tokens {
		b.taken[i] = b.taken[i] || end != "" && slices.Contains(slices.Concat(firstWords, lastWords), t.Text)
	}
	switch {
	case timed:
	case end != "" && !expired && !b.asksFigure():
	case expired:
		b.limitExpiry(at, plan.Less, 0)
	case b.s.has("soon"):
		b.limitExpiry(at, plan.AtLeast, 0)
		b.limitExpiry(at, plan.AtMost, soonDays)
		b.note(fmt.Sprintf("“soon” was read as the next %d days.", soonDays))
	case said >= 0 && b.isHappening(b.s.names[said]) && !b.asksFigure() && len(b.s.groups) == 0:
	default:
		return nil
	}
	if expired && len(b.s.counts) == 1 && b.s.counts[0].name != nil && isIt(*b.s.counts[0].name) {
		b.s.counts = nil // of those who have one, and not of its days
		b.addMeasure(plan.Measure{Metric: b.x.counted()})
	}
	b.s.names = slices.DeleteFunc(slices.Clone(b.s.names), isIt)
	b.s.marks = slices.DeleteFunc(slices.Clone(b.s.marks), func(m mark) bool { return slices.Contains([]link.Sense{"soon", "expired", "forecast"}, m.sense) })
	if b.asksFigure() || end == "" && b.asksGroups() {
		return nil
	}
	if !timed && !expired && !slices.ContainsFunc(b.s.where, isLimit) {
		b.limitExpiry(at, plan.AtLeast, 0)
	}
	b.listByExpiry(end)
	return nil
}

// saysExpiry reports whether the words name the days of expiry or limit them.
func (b *builder) saysExpiry() bool {
	if b.x.expiry == nil {
		return false
	}
	isIt := func(n name) bool { return n.column != nil && n.column.Heading == b.x.expiry.Heading }
	return slices.ContainsFunc(b.s.names, isIt) || slices.ContainsFunc(b.s.groups, func(g group) bool { return isIt(g.name) }) ||
		slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Column == b.x.expiry.Heading })
}

// endAsked returns the order of the days of expiry of which the question asks for the first rows, or "".
func (b *builder) endAsked(timed bool) plan.Order {
	switch {
	case timed:
		return ""
	case b.hasWord(lastWords...):
		return plan.Highest
	case b.hasWord(firstWords...):
		return plan.Lowest
	}
	return ""
}

// asNames returns the groups, and the names with what a question word made a group of: what has
// expired.
func (b *builder) asNames(isIt func(name) bool) (groups []group, names []name) {
	names = b.s.names
	for _, g := range b.s.groups {
		if isIt(g.name) && !slices.Contains([]string{"by", "per", "each"}, g.word) {
			names = join(names, []name{g.name})
			continue
		}
		groups = append(groups, g)
	}
	return groups, names
}

// asksFigure reports whether a figure is asked for and not the rows.
func (b *builder) asksFigure() bool {
	return len(b.s.figures)+len(b.s.counts) > 0 || b.s.fold != "" || b.s.has("howmany", "howmuch", "share", "money", "trend", "how")
}

// asksGroups reports whether names of what has a condition are asked for: which items.
func (b *builder) asksGroups() bool { return len(b.s.groups) > 0 }

// limitExpiry adds a comparison of the days of expiry with the day that is so many days ahead, which
// some words mean.
func (b *builder) limitExpiry(at span, op plan.Op, ahead int) {
	day := b.now.Today.AddDate(0, 0, ahead).Format(time.DateOnly)
	b.s.where = join(b.s.where, []cond{{span: at, Filter: plan.Filter{Column: b.x.expiry.Heading, Part: plan.Day, Op: op, Values: []string{day}}, text: b.text(at.from, at.to)}})
	b.relative = true
}

// listByExpiry lists rows by their days of expiry, all of them or those at an end.
func (b *builder) listByExpiry(end plan.Order) {
	plural := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.plural }) || slices.ContainsFunc(b.s.names, func(n name) bool { return n.plural })
	b.p.List = &plan.Listing{By: b.x.expiry.Heading}
	b.p.Measures = []plan.Measure{{Metric: plan.Rows}}
	b.p.Order = plan.Lowest
	if end != "" {
		b.p.Order, b.p.Limit = end, 1
		switch r := b.s.rank; {
		case r != nil && r.limit > 0:
			b.p.Limit = r.limit
		case plural:
			b.p.Limit = 10
		}
	}
	if product, ok := b.productHeading(); ok && !slices.ContainsFunc(b.s.groups, func(g group) bool { return g.role == schema.Order }) {
		b.p.List.Columns = append(b.p.List.Columns, product)
	}
	b.s.rank, b.s.groups = nil, nil
}

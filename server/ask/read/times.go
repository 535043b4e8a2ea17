package read

import (
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/english"
	"svc/server/schema"
)

// time adds the item of an expression of time.
func (c *chart) time(m when.Mention) {
	at := span{m.From, m.To}
	if (m.Kind == when.Period || m.Kind == when.Days) && c.isValueAt(m.From, m.To) {
		return // the occasion Valentine's Day, and not the day itself
	}
	if m.Kind == when.Group && c.isKindAt(m.From, m.To) {
		return // annual members
	}
	if c.isInHeading(m.From, m.To) {
		c.skip(m.From, m.To) // visits this month, where Visits this mth has them
		return
	}
	cost := (1-m.Likely)*costUnlikelyTime - float64(m.To-m.From-1)*gainLongTime
	switch m.Kind {
	case when.Period:
		if c.x.source.Last == "" && c.day == nil {
			cost += costNoDays
		}
		if w := c.tokens[m.From].Text; m.To == m.From+1 && (w == "this" || w == "last") {
			c.skips[m.From] = nil // the day of this morning
		}
		c.add(m.From, m.To, timeCat, cost, sketch{periods: []when.Span{m.Span}, days: []span{at}})
	case when.Earlier:
		c.add(m.From, m.To, "earlier", cost, sketch{earlier: []when.Back{m.Back}, days: nil})
	case when.Group:
		c.timeGroup(m, cost)
	case when.Days:
		n := name{part: m.Part}
		if !c.timed(&n) {
			c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, role: schema.Day, what: c.text(m.From, m.To)}}})
			return
		}
		f := cond{span: at, Filter: plan.Filter{Column: n.column.Heading, Part: m.Part, Op: plan.In, Values: m.Values}, role: schema.Day, text: c.text(m.From, m.To)}
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{f}})
	case when.Steps:
		c.add(m.From, m.To, "steps", cost, sketch{shape: shape{steps: m.Part}, marks: []mark{{span: at, sense: "steps"}}})
	case when.Vague:
		c.add(m.From, m.To, "vague", cost, sketch{marks: []mark{{span: at, sense: "vague", arg: c.text(m.From, m.To)}}})
	}
}

// timeGroup adds a part of time that makes groups: by month, a week.
func (c *chart) timeGroup(m when.Mention, cost float64) {
	at := span{m.From, m.To}
	if m.Bare && !c.plural(m.To) && m.From > 0 && c.tokens[m.From-1].Text == "this" {
		return // this month is one of them
	}
	n := name{span: at, part: m.Part, text: c.text(m.From, m.To), plural: c.plural(m.To)}
	if m.Bare && c.isNumber(n.text) {
		cost += costFlag // how many days, where Days is a number
	}
	if m.Part == plan.Whole {
		c.add(m.From, m.To, "trend", cost, sketch{marks: []mark{{span: at, sense: "trend"}}})
		return
	}
	if !c.timed(&n) {
		if m.Bare && m.From > 0 && slices.Contains([]string{"a", "an"}, c.tokens[m.From-1].Text) {
			c.add(m.From-1, m.To, groupCat, cost, sketch{groups: []group{{name: n, word: "a"}}})
		}
		thing := costThing
		if m.To-m.From > 2 {
			thing = costPhrase // time of day
		}
		c.add(m.From, m.To, thingCat, thing, sketch{missing: []missing{{span: at, role: schema.Day, what: string(m.Part)}}})
		return
	}
	if n.part == plan.Whole && !m.Bare {
		c.add(m.From, m.To, "trend", cost, sketch{marks: []mark{{span: at, sense: "trend"}}})
		return
	}
	if m.Bare && m.From > 0 && slices.Contains([]string{"a", "an"}, c.tokens[m.From-1].Text) {
		n.from--
		c.add(n.from, m.To, groupCat, cost, sketch{groups: []group{{name: n, word: "a"}}})
	}
	if m.Bare {
		c.add(m.From, m.To, nameCat, cost, sketch{names: []name{n}})
		return
	}
	c.add(m.From, m.To, groupCat, cost, sketch{groups: []group{{name: n, word: "by"}}})
}

// timed gives a part of time the column that has it.
func (c *chart) timed(n *name) bool {
	col, ok := plan.TimeColumn(c.x.source, n.part)
	if ok {
		n.column, n.role = &col, schema.Day
		return true
	}
	if c.day != nil && (n.part != plan.Hour || c.day.Type == schema.Moment) {
		n.column = c.day
		return true
	}
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool { return hasWord(col.Heading, string(n.part)) })
	if i >= 0 && n.part.Series() && n.part != plan.Day {
		n.column, n.part = &c.x.source.Columns[i], plan.Whole
	}
	return i >= 0 && n.column != nil
}

// averageTime reads on an average day, in a typical week: the mean of such parts of time.
func averageTime(c *chart, parts []*item) (sketch, bool) {
	fold, n := parts[0].s.fold, parts[1].s.names[0]
	isUnit := n.part.Series() && !n.plural && n.column != nil && slices.Contains([]string{"day", "week", "month", "quarter", "year"}, c.tokens[n.to-1].Lemma)
	n.from = parts[0].from
	return sketch{groups: []group{{name: n, word: "a"}}}, fold == "mean" && isUnit
}

// readClaim compares a month that is said to be the worst, and why, with all the others.
func (b *builder) readClaim() error {
	p := &b.p
	if !p.WhyOne() || p.Period == nil {
		return nil
	}
	from, err := time.Parse(time.DateOnly, p.Period.From)
	if err == nil && when.Around(from, p.By[0].Part).To.Format(time.DateOnly) >= p.Period.To {
		b.claim, p.Period = p.Period, nil
	}
	return nil
}

// leaveOutUnfinished keeps a ranking of the lowest, and what is set against the average of the
// others, to parts of time that the data cover whole: a month that has only begun is no worst
// month.
func (b *builder) leaveOutUnfinished() error {
	p := &b.p
	if len(p.By) != 1 || !p.By[0].Part.Series() || p.By[0].Part == plan.Day || p.Order != plan.Lowest && !p.Ends && !p.WhyOne() || p.Limit == 0 || p.Compare != nil || b.x.source.Last == "" {
		return nil
	}
	part := p.By[0].Part
	known := b.now.Last
	if b.now.Today.After(known) {
		known = b.now.Today
	}
	whole := when.Span{From: b.now.First, To: b.now.Last}
	named := when.Span{From: when.Around(whole.From, part).From, To: when.Around(whole.To, part).To}
	if named.From.Before(whole.From) {
		named.From = when.Around(whole.From, part).To.AddDate(0, 0, 1)
		whole.From = named.From
	}
	if named.To.After(known) {
		named.To = when.Around(whole.To, part).From.AddDate(0, 0, -1)
		whole.To = named.To
	}
	period := &plan.Period{From: whole.From.Format(time.DateOnly), To: whole.To.Format(time.DateOnly), Words: named.Title()}
	isCut := whole.From.After(b.now.First) || whole.To.Before(b.now.Last)
	if p.Period != nil {
		cut := plan.Period{From: max(p.Period.From, period.From), To: min(p.Period.To, period.To), Words: p.Period.Words}
		isCut = isCut && cut != *p.Period
		period = &cut
	}
	begin, err := time.Parse(time.DateOnly, period.From)
	several := err == nil && when.Around(begin, part).To.Format(time.DateOnly) < period.To
	if isCut && !several && p.WhyOne() {
		b.note("The data do not cover two " + string(part) + "s whole, so those they cover in part are compared.")
	}
	if !isCut || !several {
		return nil // one alone is no lowest
	}
	p.Period = period
	b.note("A " + string(part) + " that the data cover in part is left out.")
	return nil
}

// saidAgain reads spring term (January to March): the days in parentheses.
func saidAgain(c *chart, parts []*item) (sketch, bool) {
	last := parts[len(parts)-1]
	return last.s, c.tokens[last.from].Mark == "(" && len(last.s.periods) == 1
}

// isValueAt reports whether some words are exactly a value of a column that lists more occasions than days. Since
// Christmas is a day.
func (c *chart) isValueAt(from, to int) bool {
	if slices.Contains([]string{"since", "before", "after", "until", "till"}, c.tokens[from].Text) {
		return false
	}
	return slices.ContainsFunc(c.mentions, func(m link.Mention) bool {
		return m.Kind == link.Value && m.From >= from && m.To == to && m.How != link.Corrected && hasWord(m.Column.Heading, "occasion", "event", "holiday", "season", "campaign", "promo", "promotion", "theme", "collection", "reason")
	})
}

// isKindAt reports whether some words are a value, and next to a word for what is of that kind: another value, or the
// people of a list.
func (c *chart) isKindAt(from, to int) bool {
	isOfPeople := to < len(c.tokens) && c.x.source.Kind == schema.Customers && english.IsPerson(c.tokens[to].Lemma)
	is := func(m link.Mention) bool {
		return m.Kind == link.Value && m.How == link.Exact && m.From == from && m.To == to
	}
	follows := func(m link.Mention) bool {
		return m.From == to && (isOfPeople || m.Kind == link.Value && m.Quality > link.Hint)
	}
	return slices.ContainsFunc(c.mentions, is) && slices.ContainsFunc(c.mentions, follows)
}

// Words of headings that say which days a number is of, by the words of questions for them.
var (
	unitsOfHeadings = map[string]string{"month": "month", "mth": "month", "mtd": "month", "monthly": "month", "pm": "month", "pcm": "month", "week": "week", "wk": "week", "wtd": "week", "weekly": "week", "pw": "week", "year": "year", "yr": "year", "ytd": "year", "annual": "year", "yearly": "year", "pa": "year"}
	eachOfHeadings  = []string{"monthly", "pm", "pcm", "weekly", "pw", "annual", "yearly", "pa"}
)

// isInHeading reports whether words for days only say what the heading of a number says of it, which the question
// names: visits this month of Visits this mth, the monthly fee of Fee pm.
func (c *chart) isInHeading(from, to int) bool {
	said := strings.Fields(c.text(from, to))
	unit := ""
	for _, w := range said {
		if unit == "" {
			unit = unitsOfHeadings[strings.TrimSuffix(w, "s")]
		}
	}
	if unit == "" || c.hasWord("by", "each", "every", "since") {
		return false
	}
	isBare := func(noun string) bool { // Visits, of all days
		return slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool { return col.Type == schema.Number && strings.EqualFold(col.Heading, noun) })
	}
	return slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool {
		words := strings.Fields(strings.ToLower(link.Spaced(col.Heading)))
		if col.Type != schema.Number || len(words) < 2 {
			return false
		}
		isEach, isNow, nouns, same := false, false, 0, false
		for _, w := range words {
			switch {
			case unitsOfHeadings[w] != "":
				same = same || unitsOfHeadings[w] == unit
				isEach = isEach || slices.Contains(eachOfHeadings, w)
				isNow = isNow || strings.HasSuffix(w, "td")
			case w == "this" || w == "last" || w == "per":
				isNow = isNow || w == "this"
				isEach = isEach || w == "per"
			case slices.ContainsFunc(c.tokens, func(t link.Token) bool { return t.Lemma == english.Lemma(w) }) && !isBare(w):
				nouns++
			default:
				return false
			}
		}
		now, each := slices.Contains(said, "this"), slices.ContainsFunc(said, func(w string) bool { return slices.Contains([]string{"monthly", "weekly", "annual", "yearly"}, w) })
		return same && nouns > 0 && (isNow && now || isEach && each)
	})
}

// findLast adds the first or the last day of what a question asks when: when was the last wedding, when did Ann last pay
// us, when was the first time that she came, last time we sold one.
func (c *chart) findLast() {
	isTitle := len(c.tokens) > 2 && c.tokens[1].Text == "time" && c.tokens[0].Text != "what"
	if c.tokens[0].Text != "when" && !isTitle || !c.x.can(plan.LastDay) && c.x.day == nil {
		return
	}
	for i, t := range c.tokens {
		to := i + 1
		if to < len(c.tokens) && c.tokens[to].Text == "time" {
			to++
		}
		isOther := func(from, end int) bool { return from <= i && i < end && end > from+1 && end != to }
		named := slices.ContainsFunc(c.times, func(m when.Mention) bool { return isOther(m.From, m.To) })
		for _, it := range slices.Concat(c.starts...) {
			named = named || it.cat == figureCat && isOther(it.from, it.to)
		}
		if t.Text != "last" && (t.Text != "first" || to == i+1) || named || isTitle && i > 0 {
			continue
		}
		f := figure{span: span{i, to}, metric: map[bool]plan.Metric{true: plan.LastDay, false: plan.FirstDay}[t.Text == "last"], text: strings.ToLower(t.Raw)}
		c.add(i, to, figureCat, 0, sketch{figures: []figure{f}})
	}
}

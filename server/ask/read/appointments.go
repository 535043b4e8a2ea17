package read

import (
	"slices"

	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// The last and the next day of each client in a list of them, as owners speak of them: last in, came in May, booked
// in for next week, in tomorrow, nothing booked.

// Words for what happened on the last day of a client, those after "last", and those for what is arranged.
var (
	cameWords   = []string{"came", "visited", "attended"}
	lastInWords = []string{"in", "seen", "here", "came", "visited", "groomed", "attended"}
	bookedWords = []string{"booked", "rebooked"}
)

// findAppointments gives these words the columns of the days. Of lists that are not of people by their rows, such as
// of dogs, only who comes on days ahead is asked for.
func (c *chart) findAppointments() {
	last, next := c.x.dayCalled(lastDayWords...), c.x.nextDay()
	if c.x.source.Kind != schema.Customers {
		if !c.hasWord("who") {
			return
		}
		last = nil
	}
	isAt := func(i int, words ...string) bool {
		return i >= 0 && i < len(c.tokens) && slices.Contains(words, c.tokens[i].Text)
	}
	for i := range c.tokens {
		switch {
		case next != nil && isAt(i, bookedWords...):
			c.happensAt(i, next)
			c.booked(i, next)
			for k := i + 1; isAt(k, "in", "back", "up", "again"); k++ {
				c.skip(k, k+1)
			}
		case next != nil && isAt(i, "in", "due", "coming", "back", "here", "next") && isAt(i-1, "is", "are", "due", "coming", "comes", "have", "back", "'s", "who", "booked") && c.isAheadAt(i+1):
			c.happensAt(i, next)
			if !isAt(i-1, bookedWords...) { // in tomorrow
				c.starts[i] = slices.DeleteFunc(c.starts[i], func(it *item) bool { return it.cat == timeCat })
			}
		case last == nil || c.hasWord("when", "first", "new"):
		case isAt(i, "last") && isAt(i+1, lastInWords...):
			c.happensAt(i, last)
			c.skip(i+1, i+2)
		case isAt(i, cameWords...) && !isAt(i-1, "last") && !c.comesThrough(i):
			c.happensAt(i, last)
			if isAt(i+1, "in") {
				c.skip(i+1, i+2)
			}
		}
	}
}

// findChecking reads who checks in, and out, by the days on which people arrive and leave, unless a value says so.
func (c *chart) findChecking() {
	begins := map[string][]string{"in": {"arriv"}, "out": {"depart", "leav"}}
	for i, t := range c.tokens[:len(c.tokens)-1] {
		col := c.x.dayOf(begins[c.tokens[i+1].Text], nil)
		isNamed := slices.ContainsFunc(c.starts[i], func(it *item) bool { return it.to == i+2 && it.cost < costInflected })
		if t.Lemma == "check" && col != nil && !isNamed {
			c.happensAt(i, col)
			c.skip(i+1, i+2)
		}
	}
}

// happensAt makes a word one for what happens on the days of a column, and nothing else.
func (c *chart) happensAt(i int, col *schema.Column) {
	c.starts[i] = slices.DeleteFunc(c.starts[i], func(it *item) bool { return it.cat != timeCat })
	c.skips[i] = nil
	n := name{span: span{i, i + 1}, column: col, part: plan.Day, role: col.Role, text: c.tokens[i].Raw}
	c.add(i, i+1, eventCat, 0, sketch{names: []name{n}})
	c.add(i, i+1, nameCat, costFlag, sketch{names: []name{n}})
}

// booked adds the condition that a client has an appointment, or has none if the word before denies it.
func (c *chart) booked(i int, next *schema.Column) {
	from, op := i, plan.Filled
	if i > 0 && slices.Contains([]string{"nothing", "not", "never", "no"}, c.tokens[i-1].Text) {
		from, op = i-1, plan.Blank
	}
	f := cond{span: span{from, i + 1}, Filter: plan.Filter{Column: next.Heading, Op: op}, role: next.Role, text: c.text(from, i+1)}
	c.add(from, i+1, valueCat, 0, sketch{where: []cond{f}})
}

// isAheadAt reports whether words at a token, or after a small one, name days that begin today or later.
func (c *chart) isAheadAt(i int) bool {
	return slices.ContainsFunc(c.times, func(m when.Mention) bool {
		return m.Kind == when.Period && (m.From == i || m.From == i+1 && i < len(c.tokens) && slices.Contains(prepositions, c.tokens[i].Text)) && !m.Span.From.Before(c.today)
	})
}

// heardWords are in the headings of how clients found the shop, hearWords are the verbs of it.
var (
	heardWords = []string{"heard", "hear", "found", "find", "referred", "referral", "source"}
	hearWords  = []string{"hear", "heard", "find", "found", "discover", "discovered"}
)

// findHeard reads where did people hear about us, and how do most find us, as groups by the column that says so.
func (c *chart) findHeard() {
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Text && hasWord(col.Heading, heardWords...)
	})
	if i < 0 || c.x.source.Kind != schema.Customers {
		return
	}
	at, ends := c.asksHeard()
	if at.to == 0 {
		return
	}
	col := &c.x.source.Columns[i]
	for k := 0; k < ends; k++ {
		if t := c.tokens[k]; k == at.from || slices.Contains([]string{"most", "least", "fewest"}, t.Text) {
			c.starts[k] = slices.DeleteFunc(c.starts[k], func(it *item) bool { return it.to > k+1 })
			continue
		}
		c.starts[k] = nil
		c.skip(k, k+1)
	}
	n := name{span: at, column: col, role: col.Role, text: c.text(at.from, at.to)}
	c.starts[at.from], c.skips[at.from] = nil, nil
	c.add(at.from, at.to, groupCat, 0, sketch{groups: []group{{name: n, word: "which"}}})
}

// asksHeard returns the verb of a question on how clients found the shop, and where its words end: from the first
// to "us".
func (c *chart) asksHeard() (verb span, ends int) {
	if w := c.tokens[0].Text; w != "how" && w != "where" {
		return span{}, 0
	}
	for k, t := range c.tokens {
		switch {
		case slices.Contains(hearWords, t.Text):
			ends = k + 1
			for ends < len(c.tokens) && slices.Contains([]string{"about", "of", "out", "us"}, c.tokens[ends].Text) {
				ends++
			}
			if c.tokens[ends-1].Text != "us" {
				return span{}, 0
			}
			return span{k, k + 1}, ends
		case t.Text == "from" && c.tokens[0].Text == "where" && c.hasWord("get"):
			return span{k, k + 1}, k + 1
		}
	}
	return span{}, 0
}

// findTimes reads only came once, of a list with the number of visits of each client.
func (c *chart) findTimes() {
	visits := c.numberOf(visitWords...)
	if visits == nil || !c.hasWord("came", "come", "been", "visited") || !c.hasWord("only", "just") {
		return
	}
	for i, t := range c.tokens {
		number := map[string]string{"once": "1", "twice": "2"}[t.Text]
		if number == "" {
			continue
		}
		f := cond{span: span{i, i + 1}, Filter: plan.Filter{Column: visits.Heading, Op: plan.In, Values: []string{number}}, role: visits.Role, text: t.Raw}
		c.add(i, i+1, valueCat, 0, sketch{where: []cond{f}})
		for k, w := range c.tokens[:i] {
			if slices.Contains([]string{"came", "come", "been", "visited", "only", "just", "the"}, w.Text) {
				c.starts[k] = nil
				c.skip(k, k+1)
			}
		}
	}
}

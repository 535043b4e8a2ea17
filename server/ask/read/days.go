package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// The days from one event of a row to another: how many days from booking to delivery, how far ahead
// people book, who takes longest to pay. The words of two events, in any order, choose the columns; a
// word that asks for a time becomes the figure, and the words of the events have no other use.

// moment is a word for what happens on the days of a column.
type moment struct {
	span
	column *schema.Column
	side   side
}

// side is the end of a stretch of days at which a word before a moment puts it.
type side int

const (
	either side = iota
	begin
	end
)

// sideWords are the words that tell the side of the moment after them.
var sideWords = map[string]side{
	"from": begin, "since": begin, "after": begin, "between": begin,
	"to": end, "till": end, "until": end, "before": end, "and": end,
}

// findDays makes the words that ask for a stretch of days its figure, if the words of its events choose
// the columns, and leaves out the words of the events.
func (c *chart) findDays() {
	from, to, moments := c.stretch(c.moments())
	if from == nil && len(moments) == 0 {
		from, to = c.usualStretch()
	}
	if c.hasWord("not", "never", "without") || from == nil || to == nil || from.Heading == to.Heading {
		return
	}
	at, limits := c.asksDays(moments)
	if at.to == 0 || limits && len(moments) == 0 {
		return
	}
	c.addStretch(figure{span: at, column: to, since: from, limit: limits, text: "days"})
	c.skipMoments(at, moments)
}

// addStretch puts a stretch of days in place of what else its words may mean; with a superlative it is
// ranked.
func (c *chart) addStretch(f figure) {
	at := f.span
	r := c.rankOfDays(f)
	for i, row := range c.starts {
		c.starts[i] = slices.DeleteFunc(row, func(it *item) bool {
			isAsked := at.from <= it.from && it.from < at.to
			return isAsked || it.cat == timeCat && it.from < at.to && at.from < it.to
		})
	}
	s, cost := sketch{figures: []figure{f}}, 0.0
	if r != nil {
		if c.hasWord("which", "who", "whose") {
			cost = costFlag
		}
		c.add(at.from, at.to, rankCat, 0, sketch{shape: shape{rank: r}})
		s.rank = &rank{span: at, down: r.down, text: r.text} // the longest of all rows, or of groups by other words
	}
	if isOfWho := r != nil && at.to < len(c.tokens) && isAgent(c.tokens[at.to].Lemma); !isOfWho {
		c.add(at.from, at.to, figureCat, cost, s)
	}
	for i := at.from; i < at.to; i++ {
		c.skips[i] = nil // before, of: no small word here
	}
}

// rankOfDays returns the superlative with which the words of a stretch of days begin, or nil.
func (c *chart) rankOfDays(f figure) *rank {
	i := slices.IndexFunc(c.starts[f.from], func(it *item) bool { return it.cat == rankCat })
	if i < 0 {
		return nil
	}
	r := *c.starts[f.from][i].s.rank
	r.attribute, r.column, r.figure = "", nil, &f
	r.down = slices.Contains([]string{"quickest", "fastest", "shortest", "soonest"}, r.text)
	return &r
}

// skipMoments leaves out the words of the events of a stretch of days, and those that say that it is one.
func (c *chart) skipMoments(at span, moments []moment) {
	window := at
	for _, m := range moments {
		window.from, window.to = min(window.from, m.from), max(window.to, m.to)
		for i := m.from; i < m.to && !isAgent(c.tokens[i].Lemma); i++ {
			c.skip(i, i+1)
		}
	}
	isOutside := func(i int) bool { return i < at.from || i >= at.to }
	for i := window.from; i < window.to; i++ {
		if isOutside(i) && c.isOfDays(i) {
			c.skip(i, i+1)
		}
	}
	for i, t := range c.tokens {
		if t.Text == "ahead" && i >= at.to {
			c.skip(i, i+1)
		}
		if isUnit := t.Text == "in" && i+1 < len(c.tokens) && slices.Contains([]string{"days", "advance"}, c.tokens[i+1].Text); isUnit && isOutside(i) {
			c.skip(i, i+2)
		}
	}
}

// usualStretch returns the days that the work on a row takes, if words ask for days and name no event:
// turnaround, how many days a job takes, the longest job in days.
func (c *chart) usualStretch() (from, to *schema.Column) {
	f, ok := c.daysOfSpeed(link.Mention{Arg: "speed"})
	takes := c.hasWord("take", "takes", "took", "taken") && c.hasWord("days")
	if !ok || !takes && !c.hasWord("turnaround") && !c.isInDays() {
		return nil, nil
	}
	return f.since, f.column
}

// isInDays reports whether an answer in days is asked for.
func (c *chart) isInDays() bool {
	for i, t := range c.tokens[1:] {
		if t.Text == "days" && c.tokens[i].Text == "in" {
			return true
		}
	}
	return false
}

// skip lets words be left out; a second time would only make equal readings.
func (c *chart) skip(from, to int) {
	if !slices.Contains(c.skips[from], to) {
		c.skips[from] = append(c.skips[from], to)
	}
}

// Words that ask for a stretch of days: after "how", by themselves, or after a word of folds.
var (
	afterHow     = []string{"long", "far", "soon", "quickly", "quick", "fast", "days"}
	superlatives = []string{"longest", "shortest", "slowest", "quickest", "fastest", "furthest", "farthest"}
	stretches    = []string{"time", "gap", "wait", "turnaround", "delay", "days", "notice"}
)

// asksDays returns the words that ask for a stretch of days between moments, or those beside a number of
// days, which limits it.
func (c *chart) asksDays(moments []moment) (at span, limits bool) {
	word := func(i int) string {
		if i < 0 || i >= len(c.tokens) {
			return ""
		}
		return c.tokens[i].Text
	}
	isSided := slices.ContainsFunc(moments, func(m moment) bool { return m.side != either })
	for i, t := range c.tokens {
		switch {
		case c.isRankedAt(i):
			at = span{i, i + 1}
			for slices.Contains(stretches, word(at.to)) {
				at.to++
			}
			return at, false
		case t.Text == "how" && slices.Contains([]string{"have", "has"}, word(i+2)): // how long have we been open
			return span{}, false
		case t.Text == "how" && slices.Contains(afterHow, word(i+1)):
			return span{i, i + 2}, false
		case t.Text == "days" && word(i-1) == "many" && (isSided || len(moments) == 0 || c.isAhead()):
			return span{max(0, i-2), i + 1}, false
		case t.Text == "days" && word(i-1) == "of" && slices.Contains([]string{"number", "no"}, word(i-2)):
			return span{i - 2, i + 1}, false
		case i > 0 && (c.tokens[i-1].Unit != "" || word(i-1) == "a") && slices.Contains([]string{"day", "week", "month"}, t.Lemma):
			return c.asksAfter(i+1, moments), true
		case slices.Contains(stretches, t.Text) && word(i-1) != "in" && (isSided || len(moments) == 0 || c.isAhead() || slices.ContainsFunc(moments, func(m moment) bool { return m.to == i })) && !slices.Contains([]string{"last", "past", "next", "first", "same", "what", "which", "on", "any", "every", "these"}, word(i-1)):
			at = span{i, i + 1}
			for slices.Contains(stretches, word(at.to)) {
				at.to++ // turnaround days
			}
			return at, false
		}
	}
	return span{}, false
}

// isRankedAt reports whether a superlative of time is at a token: longest.
func (c *chart) isRankedAt(i int) bool {
	return i >= 0 && slices.ContainsFunc(c.starts[i], func(it *item) bool { return it.cat == rankCat && slices.Contains(superlatives, it.s.rank.text) })
}

// asksAfter returns the words beside a number of days that say of which stretch they are: before they
// came, to arrive, in advance; or those for what was done within them.
func (c *chart) asksAfter(i int, moments []moment) span {
	for k := i; k < len(c.tokens) && k < i+3; k++ {
		switch _, isSide := sideWords[c.tokens[k].Text]; {
		case c.tokens[k].Text == "in" && k+1 < len(c.tokens) && c.tokens[k+1].Text == "advance":
			return span{k, k + 2}
		case isSide, c.tokens[k].Text == "ahead", c.tokens[k].Text == "of":
			return span{k, k + 1}
		}
	}
	for _, m := range moments {
		if m.to < i && c.tokens[m.to].Text == "within" {
			return m.span
		}
	}
	return span{}
}

// isAhead reports whether how long before something was done is asked.
func (c *chart) isAhead() bool { return c.hasWord("ahead", "advance", "beforehand", "notice") }

// dayAfter returns the days that follow those of a column: those of the rows, or those of the next
// column.
func (x *lexicon) dayAfter(from *schema.Column) *schema.Column {
	if day, ok := x.source.ByRole(schema.Day); ok && day.Heading != from.Heading {
		return &day
	}
	for i := range x.source.Columns {
		if c := &x.source.Columns[i]; isDay(c) && c.Heading != from.Heading {
			return c
		}
	}
	return nil
}

// moments returns the words for what happens on days.
func (c *chart) moments() (out []moment) {
	for i := 0; i < len(c.tokens); i++ {
		m := c.momentAt(i)
		if m.column == nil {
			m = c.orderAt(i)
		}
		if m.column == nil || i > 0 && slices.Contains([]string{"each", "per", "by", "every", "which"}, c.tokens[i-1].Text) {
			continue
		}
		m.side = c.sideOf(m, out)
		out = append(out, m)
		i = m.to - 1
	}
	return out
}

// momentAt returns the moment that begins at a token: the heading of a column of days, a word for what
// happens on them, or a verb with the word of the heading after it, as in came in.
func (c *chart) momentAt(i int) (out moment) {
	t := c.tokens[i]
	if t.Unit != "" || slices.Contains(dayWords, t.Lemma) || slices.ContainsFunc(c.starts[i], func(it *item) bool { return it.cat == valueCat && it.to > i+1 }) {
		return moment{}
	}
	for _, it := range c.starts[i] {
		if it.cat != nameCat || !isDay(it.s.names[0].column) || it.to <= out.to {
			continue
		}
		if c.tokens[it.to-1].Text == "days" || it.to == i+1 && (slices.Contains(silent, t.Text) || it.s.names[0].part != plan.Day) {
			continue
		}
		out = moment{span: it.span, column: it.s.names[0].column}
	}
	if out.column != nil || len(t.Text) < 3 || slices.Contains(silent, t.Text) {
		return out
	}
	if isAgent(t.Lemma) && c.isRankedAt(i-1) { // the slowest payer
		t.Text = strings.TrimSuffix(t.Lemma, "er")
		t.Lemma = t.Text
	}
	var next link.Token
	to := i
	if i+1 < len(c.tokens) && (isVerb(t.Text) || english.SensesOf(t.Lemma).Verb > 0 && !english.IsNoun(t.Lemma)) {
		next, to = c.tokens[i+1], i+2
		if slices.Contains([]string{"it", "them", "something", "one", "things"}, next.Text) && to < len(c.tokens) {
			next, to = c.tokens[to], to+1 // sending it out
		}
		if next.Mark != "" || to < len(c.tokens) && c.tokens[to].Text == "days" {
			next = link.Token{} // selling it, in days
		}
	}
	var found []moment
	for k := range c.x.source.Columns {
		col := &c.x.source.Columns[k]
		switch {
		case !isDay(col) || isAgent(t.Lemma):
		case slices.Contains([]string{"in", "out"}, next.Text) && slices.Contains(c.x.stems(col), next.Text), next.Text == "back" && col == c.x.dayOf(families[1], dueWords):
			return moment{span: span{i, to}, column: col}
		case c.x.happens(col, t), c.x.bought != nil && c.x.bought.day != nil && t.Lemma == "sell" && col.Heading == c.x.bought.day.Heading, slices.Contains([]string{"come", "came", "land"}, t.Lemma) && c.x.happens(col, link.Token{Text: "arrive", Lemma: "arrive"}):
			found = append(found, moment{span: span{i, i + 1}, column: col})
		}
	}
	if len(found) != 1 {
		return moment{}
	}
	return found[0]
}

// orderAt returns the moment of a word for a row, which happened on its day, if the word before it says
// so: from sale.
func (c *chart) orderAt(i int) moment {
	day, ok := c.x.source.ByRole(schema.Day)
	isOrder := func(it *item) bool { return it.to == i+1 && namesRow(it) && it.cat != "row" }
	if !ok || i == 0 || !slices.ContainsFunc(c.starts[i], isOrder) {
		return moment{}
	}
	at := i - 1
	for at > 0 && slices.Contains([]string{"the", "a", "an"}, c.tokens[at].Text) {
		at--
	}
	if t := c.tokens[at].Text; sideWords[t] != begin && t != "and" {
		return moment{}
	}
	return moment{span: span{i, i + 1}, column: &day}
}

// sideOf returns the side at which the words before a moment put it.
func (c *chart) sideOf(m moment, before []moment) side {
	for i := m.from - 1; i >= 0; i-- {
		if n := len(before); n > 0 && i < before[n-1].to {
			return either
		}
		t := c.tokens[i]
		if s, ok := sideWords[t.Text]; ok {
			if n := len(before); t.Text == "and" && (n == 0 || before[n-1].side != begin) {
				return either
			}
			return s
		}
		if t.Text == "of" && i > 0 && slices.Contains([]string{"ahead", "advance"}, c.tokens[i-1].Text) {
			return end
		}
		if !c.isOfDays(i) && !slices.Contains([]string{"the", "a", "an", "class", "day"}, t.Text) {
			return either
		}
	}
	return either
}

// isOfDays reports whether a word between those of a stretch of days says nothing else: that something
// takes them, or who does it.
func (c *chart) isOfDays(i int) bool {
	t := c.tokens[i]
	before := ""
	if i > 0 {
		before = c.tokens[i-1].Text
	}
	_, isSide := sideWords[t.Text]
	isSmall := slices.Contains(silent, t.Text) && !slices.Contains([]string{"by", "for", "of", "in", "on", "at", "with", "or", "each", "how", "what"}, t.Text)
	isValue := func(it *item) bool { return it.cat == valueCat && it.cost < costNear }
	isUse := slices.Contains([]string{"take", "taken", "get", "wait", "sit", "stay", "stand", "last", "remain", "thing", "something", "anything", "up", "itself", "when", "ahead", "advance", "anyone", "someone", "anybody", "somebody"}, t.Lemma) || t.Text == "in" && i+1 < len(c.tokens) && c.tokens[i+1].Text == "advance"
	isWho := slices.Contains([]string{"a", "an", "do", "does", "did", "till", "until", "before", "after", "has", "have", "something"}, before) && english.SensesOf(t.Lemma).Noun > english.None && !slices.ContainsFunc(c.starts[i], isValue)
	return isSide || isSmall || isUse || isWho
}

// lateness orders moments that no word gives a side, the first ones first: how a row came to be, within
// days of which something was done, the day of the row, and what became of it.
func (c *chart) lateness(m moment) int {
	switch {
	case slices.Contains(begun, stem(c.tokens[m.from].Lemma)):
		return 0
	case m.from > 1 && (c.tokens[m.from-1].Text == "of" || c.tokens[m.from-2].Text == "of"):
		return 1
	case m.column.Role == schema.Day:
		return 2
	}
	return 3
}

// stretch returns the columns of the first and the last day of a stretch, and the moments that say so.
func (c *chart) stretch(all []moment) (from, to *schema.Column, said []moment) {
	isOf := func(m moment, col *schema.Column) bool { return col != nil && m.column.Heading == col.Heading }
	for _, m := range all {
		switch {
		case m.side == begin && from == nil && !isOf(m, to):
			from, said = m.column, append(said, m)
		case m.side == end && to == nil && !isOf(m, from):
			to, said = m.column, append(said, m)
		}
	}
	late := slices.Clone(all)
	slices.SortStableFunc(late, func(a, b moment) int { return c.lateness(a) - c.lateness(b) })
	for _, m := range late {
		begins := c.isAhead() || to != nil || slices.ContainsFunc(late, func(o moment) bool { return !isOf(o, m.column) })
		switch {
		case m.side != either || isOf(m, from) || isOf(m, to):
		case from == nil && begins && (c.lateness(m) < 3 || c.hasWord("before") || c.isAhead()):
			from, said = m.column, append(said, m)
		case to == nil:
			to, said = m.column, append(said, m)
		}
	}
	if from == nil && to != nil {
		from = c.x.beginOf(to)
	}
	if to == nil && from != nil && c.isAhead() {
		to = c.x.dayAfter(from)
	}
	return from, to, said
}

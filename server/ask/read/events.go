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

// eventCat is a word for what happens on the days of a column: shipped, delivery, due.
const eventCat = "event"

// dayWords are the words of the headings of days that say nothing of what happens.
var dayWords = []string{"date", "day", "time", "at", "on", "by", "of", "the", "when", "last", "first", "timestamp"}

// dueWords begin the headings of the days by which something should have happened, doneWords
// those of the days on which it did.
var (
	dueWords  = []string{"due", "requir", "deadlin", "promis", "expect", "agre", "target"}
	doneWords = []string{"return", "deliver", "ship", "dispatch", "receiv", "complet", "finish", "collect", "arriv", "fulfill", "fulfil", "clos", "pai", "pay", "settl", "remit", "sent"}
)

// stem returns what words of one family begin with: ship of shipping, shipped and shipment.
func stem(w string) string {
	for _, end := range []string{"ations", "ation"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) > 4 {
			return undoubled(s)
		}
	}
	for _, end := range []string{"ments", "ings", "als", "ment", "ing", "ery", "ies", "ed", "al", "es", "ry", "y", "e", "s", "d"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) > 2 {
			return undoubled(s)
		}
	}
	return undoubled(w)
}

// undoubled returns a stem without the second of two last letters: ship of shipp, cancel of cancell.
func undoubled(s string) string {
	if n := len(s); n > 3 && s[n-1] == s[n-2] {
		return s[:n-1]
	}
	return s
}

// stems returns the stems of the words of a heading of days that say what happens on them.
func (x *lexicon) stems(c *schema.Column) []string { return x.events[c.Heading] }

// stemsOf makes what stems returns.
func stemsOf(c *schema.Column) []string {
	var out []string
	for _, w := range strings.Fields(strings.ToLower(link.Spaced(c.Heading))) {
		if w = link.Full(strings.ReplaceAll(w, "'", "")); !slices.Contains(dayWords, w) {
			for _, event := range slices.Concat(families...) {
				if link.Abbreviates(w, event+"ed") {
					w = event // received of rcvd
				}
			}
			out = append(out, stem(w))
			if of := stem(english.Lemma(w)); of != stem(w) {
				out = append(out, of) // pay of paid
			}
		}
	}
	return out
}

// comesThrough reports whether a verb of coming says on which way people came, and not when: came to us through Google.
func (c *chart) comesThrough(i int) bool {
	next := c.tokens[i+1 : min(i+4, len(c.tokens))]
	return c.x.way() != nil && slices.Contains([]string{"come", "comes", "came"}, c.tokens[i].Text) && slices.ContainsFunc(next, func(t link.Token) bool {
		return slices.Contains([]string{"through", "thru", "via", "from", "off"}, t.Text)
	})
}

// findEvents adds the words for what happens on the days of a column.
func (c *chart) findEvents() {
	for i, t := range c.tokens {
		if t.Unit != "" || slices.Contains(silent, t.Text) || slices.Contains(dayWords, t.Text) || len(t.Text) < 3 {
			continue
		}
		for k := range c.x.source.Columns {
			col := &c.x.source.Columns[k]
			if !isDay(col) || c.plural(i+1) && c.x.countsCalled(t.Text) || !c.x.happens(col, t) || isAgent(t.Lemma) || c.isOfShop(i) || c.comesThrough(i) {
				continue
			}
			n := name{span: span{i, i + 1}, column: col, part: plan.Day, role: col.Role, text: t.Raw}
			c.add(i, i+1, eventCat, 0, sketch{names: []name{n}})
			if isVerb(t.Text) && !c.x.names(t.Text) {
				c.add(i, i+1, nameCat, costFlag, sketch{names: []name{n}})
			}
			isGoods := func(m link.Mention) bool { return m.From == i && m.Kind == link.Dim && m.Role == schema.Product }
			if c.plural(i+1) && !slices.ContainsFunc(c.mentions, isGoods) && (i == 0 || !slices.Contains([]string{"it", "he", "she", "who", "that", "which"}, c.tokens[i-1].Text)) {
				c.countEvents(n)
			}
		}
	}
}

// countsCalled reports whether the heading of a column of numbers ends with a plural: visits of Total Visits,
// beside a Last Visit.
func (x *lexicon) countsCalled(plural string) bool {
	return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool { return countsWith(&c, plural) })
}

// countsWith reports whether the heading of a column of numbers ends with a plural.
func countsWith(c *schema.Column, plural string) bool {
	words := strings.Fields(strings.ToLower(link.Spaced(c.Heading)))
	return c.Type == schema.Number && len(words) > 0 && words[len(words)-1] == plural
}

// isAgent reports whether a word is who does something: the players of a Play Date are nothing that
// happened.
func isAgent(noun string) bool {
	isKnown := slices.ContainsFunc(families, func(f []string) bool { return slices.Contains(f, noun) }) // leaver
	stem, ok := strings.CutSuffix(noun, "er")
	return ok && !isKnown && (english.SensesOf(stem).Verb > 0 || english.SensesOf(stem+"e").Verb > 0)
}

// isOfShop reports whether a word says that the shop was open or closed, and not what became of a row:
// were we closed, we have opened for.
func (c *chart) isOfShop(i int) bool {
	isAt := func(i int, words ...string) bool { return i >= 0 && slices.Contains(words, c.tokens[i].Text) }
	asked := isAt(i-1, "we") && isAt(i-2, "were", "are", "was", "is", "be")
	said := isAt(i-1, "we") || isAt(i-1, "have", "had", "were", "are") && isAt(i-2, "we")
	return asked && isAt(i, "open", "closed") || said && isAt(i, "open", "opened")
}

// isHappening reports whether a name of a column of days is one word for what happens on them,
// and not for the days: filled, fills.
func (c *chart) isHappening(n name) bool {
	return n.to == n.from+1 && isDay(n.column) && n.part == plan.Day && slices.ContainsFunc(c.starts[n.from], func(it *item) bool {
		return it.cat == eventCat && it.to == n.to && it.s.names[0].column.Heading == n.column.Heading
	})
}

// readHappening reads the verb of a column of days: kegs dispatched in May are those of which
// the day is in May, and by month they are grouped by its months.
func (b *builder) readHappening(n name) {
	b.assume(costIncidental)
	if n.role != schema.Day && !b.isMade(n.column) && !b.moveDays(n.column) && n.column.Blank > 0 {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: n.column.Heading, Op: plan.Filled})
	}
}

// cannotCompare is the refusal to compare periods of other days than those of the rows.
const cannotCompare = "What happened on the days of %s cannot be compared so. It can be asked for by month."

// readEvents reads cancellations in May: the days on which they happened are in May, unless the words
// say what happened on the days of the rows.
func (b *builder) readEvents() error {
	if b.p.Period == nil && len(b.p.By) == 0 || slices.ContainsFunc(b.s.names, func(n name) bool { return n.role == schema.Day && b.isHappening(n) && isVerb(n.text) }) {
		return nil
	}
	day, _ := b.heading(schema.Day)
	isOther := func(f plan.Filter) bool {
		c, ok := plan.Column(b.x.source, f.Column)
		return b.p.Compare != nil && f.Part == plan.Day && f.Column != day && ok && isDay(&c)
	}
	if i := slices.IndexFunc(b.p.Where, isOther); i >= 0 {
		return b.refuse(Unknown, cannotCompare, b.p.Where[i].Column)
	}
	for _, f := range b.s.figures {
		if f.event == nil || f.event.Role == schema.Day || b.isMade(f.event) {
			continue
		}
		b.moveDays(f.event)
	}
	return nil
}

// refuseOfStay refuses what the members of a list had in some days: its days are those on which they
// joined, and its figures of all the time since. New members and those who joined then are asked for.
func (b *builder) refuseOfStay() error {
	day, ok := b.x.source.ByRole(schema.Day)
	if !ok || b.x.source.Kind != schema.Customers {
		return nil
	}
	i := slices.IndexFunc(b.p.Measures, func(m plan.Measure) bool {
		c, ok := plan.Column(b.x.source, m.Column)
		return (m.Metric == plan.Sum || m.Metric == plan.Average) && ok && c.Type == schema.Number
	})
	isTimed := b.p.Period != nil || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == day.Heading })
	isNamed := slices.ContainsFunc(b.tokens, func(t link.Token) bool { return t.Text == "new" || b.x.happens(&day, t) })
	status, known := b.x.source.ByRole(schema.Status)
	ofState := known && slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Column == status.Heading })
	if i < 0 && !ofState || !isTimed || isNamed {
		return nil
	}
	of := status.Heading
	if i >= 0 {
		of = b.p.Measures[i].Column
	}
	return b.refuse(Missing, "The days in %s are those of %s, and %s is not of single days, so this cannot be answered.", b.x.source.Name, day.Heading, of)
}

// moveDays makes the groups and the periods of the plan those of another column of days, and reports
// whether there are any.
func (b *builder) moveDays(to *schema.Column) (moved bool) {
	day, _ := b.heading(schema.Day)
	for i, d := range b.p.By {
		if d.Column == day && d.Part != plan.Whole && day != "" {
			b.p.By[i].Column, moved = to.Heading, true
		}
	}
	within := func(where []plan.Filter, p *plan.Period) []plan.Filter {
		where = addFilter(where, plan.Filter{Column: to.Heading, Part: plan.Day, Op: plan.AtLeast, Values: []string{p.From}})
		return addFilter(where, plan.Filter{Column: to.Heading, Part: plan.Day, Op: plan.AtMost, Values: []string{p.To}})
	}
	switch p, before := b.p.Period, b.p.Compare; {
	case p == nil:
		return moved
	case before == nil:
		b.p.Where = within(b.p.Where, p)
	default:
		b.p.On = to.Heading
		return true
	}
	b.p.Period = nil
	return true
}

// isMade reports whether the days of a column are those on which the rows came to be, of a source with rows of days to
// come: what is booked next week was booked before.
func (c *chart) isMade(col *schema.Column) bool {
	isAhead := func(m when.Mention) bool { return m.Kind == when.Period && m.Span.Ahead }
	return c.now.Last.After(c.today) && slices.ContainsFunc(c.times, isAhead) && slices.ContainsFunc(c.x.stems(col), func(w string) bool { return slices.Contains(begun, w) })
}

// comesBack reports whether a column says on which day something came back, and none what was
// refunded.
func (x *lexicon) comesBack() bool {
	_, refunded := x.source.ByRole(schema.Refund)
	_, status := x.source.ByRole(schema.Status)
	return !x.hasReversals() && !refunded && !status && x.dayOf(families[1], dueWords) != nil
}

// away adds the condition that what went out is not back.
func (c *chart) away(m link.Mention, text string, cost float64) {
	back := c.x.dayOf(families[1], dueWords)
	if back == nil || back.Blank == 0 {
		return
	}
	at := span{m.From, m.To}
	s := sketch{where: []cond{{span: at, Filter: plan.Filter{Column: back.Heading, Op: plan.Blank}, text: text}}}
	if begin := c.x.beginOf(back); begin != nil && begin.Blank > 0 {
		s.where = append(s.where, cond{span: at, Filter: plan.Filter{Column: begin.Heading, Op: plan.Filled}, text: text})
	}
	c.add(m.From, m.To, valueCat, cost, s)
}

// beginOf returns the column of the days from which it takes to those of another: from going
// out to coming back, else from the day of the row.
func (x *lexicon) beginOf(to *schema.Column) *schema.Column {
	if x.bought != nil && x.bought.day != nil && to.Heading == x.bought.day.Heading {
		return x.bought.in
	}
	isBack := func(c *schema.Column) bool {
		return slices.ContainsFunc(x.stems(c), func(w string) bool { return slices.Contains(families[1], w) })
	}
	if out := x.dayOf(families[2], dueWords); out != nil && isBack(to) && out.Heading != to.Heading {
		return out
	}
	day, ok := x.source.ByRole(schema.Day)
	if ok && day.Heading != to.Heading {
		return &day
	}
	isIn := func(c schema.Column) bool { return isDay(&c) && slices.Contains(x.stems(&c), "in") }
	if i := slices.IndexFunc(x.source.Columns, isIn); i >= 0 {
		return &x.source.Columns[i] // what comes in before it is sold
	}
	return nil
}

// done returns the column of the days on which the work on a row was done, or nil.
func (x *lexicon) done() *schema.Column {
	day, ok := x.source.ByRole(schema.Day)
	isIn := func(w string) bool { return w == "in" || slices.Contains(families[0], w) }
	if out := x.dayOf([]string{"out"}, nil); ok && out != nil && out.Heading != day.Heading && slices.ContainsFunc(x.stems(&day), isIn) {
		return out // of date in and date out, and of what is received and goes out
	}
	return x.dayOf(doneWords, dueWords)
}

// turnaround adds the days that the work on a row takes.
func (c *chart) turnaround(m link.Mention, cost float64) {
	f, ok := c.daysOfSpeed(link.Mention{From: m.From, To: m.To, Arg: "speed"})
	if ok {
		f.fold = ""
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{f}})
	}
}

// timeOfRows reads repair time, where no column has it: the days that the work on a row takes.
func timeOfRows(c *chart, parts []*item) (sketch, bool) {
	f, ok := c.daysOfSpeed(link.Mention{From: parts[0].from, To: parts[1].to, Arg: "speed"})
	f.fold = ""
	return sketch{figures: []figure{f}}, ok && namesRow(parts[0]) && c.adjacent(parts[0], parts[1]) && len(parts[0].s.where) == 0
}

// namesRow reports whether an item is what people call a row, and nothing else.
func namesRow(it *item) bool {
	return it.cat == "row" || len(it.s.names) > 0 && it.s.names[0].role == schema.Order || len(it.s.figures) > 0 && (it.s.figures[0].metric == plan.Orders || it.s.figures[0].metric == plan.Rows)
}

// howLongRows reads how long a repair, which takes as long as all of them: the verb says of what.
func howLongRows(_ *chart, parts []*item) (sketch, bool) {
	return parts[0].s, namesRow(parts[1]) && len(parts[1].s.where) == 0
}

// daysOfSpeed returns the days that something takes as the figure of fastest and slowest, if a
// column says when it was done.
func (c *chart) daysOfSpeed(m link.Mention) (figure, bool) {
	done := c.x.done()
	if done == nil {
		done = c.x.dayOf(families[1], dueWords)
	}
	takes := m.Arg == "duration" && slices.ContainsFunc(c.tokens[max(0, m.From-2):m.From], func(t link.Token) bool { return t.Lemma == "take" })
	if m.Arg != "speed" && !takes || done == nil {
		return figure{}, false
	}
	since := c.x.beginOf(done)
	if since == nil || since.Heading == done.Heading {
		return figure{}, false
	}
	return figure{span: span{m.From, m.To}, column: done, since: since, fold: "mean", text: "days"}, true
}

// neverOnDays reads have not sent anything since June.
func neverOnDays(c *chart, parts []*item) (sketch, bool) {
	s := sketch{marks: []mark{{span: span{parts[0].from, parts[1].to}, sense: "never"}}}
	days, ok := onDays(c, parts[1:])
	if !ok {
		s.periods, s.days = parts[2].s.periods, parts[2].s.days
	}
	s.where = days.where
	return s, slices.ContainsFunc(c.tokens, func(t link.Token) bool { return slices.Contains([]string{"which", "who", "what", "list"}, t.Text) })
}

// isVerb reports whether a word is a form of a verb that says what is done or was.
func isVerb(w string) bool {
	return strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ing") || w == "sent" || w == "back" || w == "send" || w == "paid"
}

// daysOf returns the days to what the words say happened, in place of those that are usual.
func (b *builder) daysOf(f figure) figure {
	for _, n := range b.s.names {
		since := b.x.beginOf(n.column)
		if b.isHappening(n) && since != nil && since.Heading != n.column.Heading {
			f.column, f.since = n.column, since
		}
	}
	return f
}

// families are the stems of words for one event, each of which may name the column of another.
var families = [][]string{
	{"receiv", "deliver", "deliv", "arriv", "restock", "replenish"}, {"return", "back"}, {"ship", "dispatch", "despatch", "sent", "send", "post"}, {"complet", "finish", "don", "clos"}, {"collect", "pick"},
	{"join", "joiner", "start", "starter", "enrol", "sign", "signup"}, {"left", "leav", "leaver", "quit", "cancel", "churn", "laps", "terminat", "termin", "end"}, {"book", "reserv", "appoint"},
	{"mov", "move", "movement"},
}

// begun are the stems of words for how a row came to be, which its day tells: invoices raised in
// May.
var begun = []string{"book", "reserv", "rais", "issu", "plac", "log", "creat"}

// finishing, collecting, joining and leaving are the indices of the words for the end of work and the
// first and last day of a member in families.
const finishing, collecting, joining, leaving = 3, 4, 5, 6

// dayFor returns the column of dates that the words name by what happened, such as Last Sold, else the first
// column of dates. It returns nil if the source has a day column, or no dates.
func (x *lexicon) dayFor(tokens []link.Token) *schema.Column {
	if x.day == nil {
		return nil
	}
	for i := range x.source.Columns {
		if c := &x.source.Columns[i]; isDay(c) && x.tellsOf(c, tokens) {
			return c
		}
	}
	return x.day
}

// tellsOf reports whether words are for what happens on the days of a column: received, or came in.
func (x *lexicon) tellsOf(c *schema.Column, tokens []link.Token) bool {
	if hasWord(c.Heading, "in", "received", "delivered", "delivery", "arrived") {
		for i, t := range tokens {
			if t.Text == "in" && i > 0 && slices.Contains([]string{"come", "take", "get", "bring", "arrive"}, tokens[i-1].Lemma) {
				return true
			}
		}
	}
	return x.happensIn(c, tokens)
}

// happens reports whether a word is for what happens on the days of a column.
func (x *lexicon) happens(col *schema.Column, t link.Token) bool {
	own, word := x.stems(col), stem(t.Text)
	if slices.ContainsFunc(own, func(w string) bool { return w == word || link.Abbreviates(w, t.Lemma) }) {
		return true
	}
	irregular := func(w string) bool { return english.Lemma(w) != w && english.Lemma(w) == t.Lemma } // paid, pay
	if col.Role != schema.Day && slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(col.Heading))), irregular) {
		return true
	}
	i := slices.IndexFunc(families, func(f []string) bool { return slices.Contains(f, word) })
	isOfAnother := slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool {
		return isDay(&c) && slices.ContainsFunc(x.stems(&c), func(w string) bool { return w == word || i >= 0 && slices.Contains(families[i], w) })
	})
	if slices.Contains(begun, word) && !isOfAnother {
		return col.Role == schema.Day
	}
	if isUsual := i == leaving && col.Blank == 0; isUsual || i < 0 || slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool { return isDay(&c) && slices.Contains(x.stems(&c), word) }) {
		return false
	}
	isDue := slices.ContainsFunc(own, func(w string) bool {
		return slices.ContainsFunc(dueWords, func(d string) bool { return strings.HasPrefix(w, d) })
	})
	if done := x.done(); done != nil && (i == finishing || i == collecting && slices.Contains(x.stems(done), "out")) && done.Heading == col.Heading {
		return true
	}
	return !isDue && slices.ContainsFunc(own, func(w string) bool { return slices.Contains(families[i], w) })
}

// isEnding reports whether a mention is of what a column of days tells, too, in a list of those who
// joined and left: cancelled is on its day then, and not the state of a sale.
func (x *lexicon) isEnding(m link.Mention) bool {
	_, ends := x.source.ByRole(schema.Cancelled)
	isState := m.Kind == link.State && m.Sense == "cancelled"
	isValue := m.Kind == link.Value && m.Column != nil && m.Column.Role == schema.Status && len(m.Values) == 1 && strings.HasPrefix(strings.ToLower(m.Values[0]), "cancel")
	return ends && !x.hasReversals() && (isState || isValue)
}

// countEvents adds the number of rows in which something happened: deliveries.
func (c *chart) countEvents(n name) {
	metric := plan.Orders
	if !c.x.can(metric) {
		metric = plan.Rows
	}
	s := sketch{figures: []figure{{span: n.span, metric: metric, event: n.column, text: n.text}}}
	if n.column.Blank > 0 {
		f := plan.Filter{Column: n.column.Heading, Op: plan.Filled}
		s.where = []cond{{span: n.span, Filter: f, role: n.role, text: n.text}}
	}
	cost := costInflected
	isValue := func(it *item) bool { return it.cat == valueCat && it.to == n.to }
	if c.modifies(n.from) && !slices.ContainsFunc(c.starts[n.from], isValue) {
		cost = 0 // of hires
	}
	c.add(n.from, n.to, figureCat, cost, s)
}

// sameDay reads delivered on the same day: two columns of days are equal, of which the words
// name one, both, or none if there are only two.
func sameDay(c *chart, parts []*item) (sketch, bool) {
	var named []*schema.Column
	isSame := false
	for _, p := range parts {
		switch n := p.s.names; {
		case p.cat == eventCat && !slices.Contains(named, n[0].column):
			named = append(named, n[0].column)
		case p.cat == nameCat:
			isSame = n[0].part == plan.Day && !n[0].plural
		}
	}
	var others []*schema.Column
	for i := range c.x.source.Columns {
		if col := &c.x.source.Columns[i]; isDay(col) && !slices.ContainsFunc(named, func(n *schema.Column) bool { return n.Heading == col.Heading }) {
			others = append(others, col)
		}
	}
	if len(named) < 2 && len(named)+len(others) == 2 {
		named = append(named, others...)
	}
	if !isSame || len(named) != 2 || named[0].Type != named[1].Type {
		return sketch{}, false
	}
	at := span{parts[0].from, parts[len(parts)-1].to}
	f := plan.Filter{Column: named[0].Heading, Part: plan.Day, Op: plan.In, Other: named[1].Heading}
	return sketch{where: []cond{{span: at, Filter: f, text: c.text(at.from, at.to)}}}, true
}

// dayOf returns the column whose heading has a word that begins with one of some stems, other
// than one with a word of without.
func (x *lexicon) dayOf(begins, without []string) *schema.Column {
	of := func(c *schema.Column, begins []string) bool {
		return slices.ContainsFunc(x.stems(c), func(w string) bool {
			return slices.ContainsFunc(begins, func(s string) bool { return strings.HasPrefix(w, s) })
		})
	}
	for i := range x.source.Columns {
		if c := &x.source.Columns[i]; isDay(c) && of(c, begins) && !of(c, without) {
			return c
		}
	}
	return nil
}

// late adds the condition that a word such as late, overdue or on time puts on the days of
// two columns: that on which something should have happened, and that on which it did.
func (c *chart) late(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	due, done := c.x.dayOf(dueWords, nil), c.x.done()
	if by, ok := c.x.source.ByRole(schema.Day); ok && due == nil {
		if i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
			return isDay(&col) && col.Heading != by.Heading && hasWord(col.Heading, "by")
		}); i >= 0 {
			due = &c.x.source.Columns[i]
		}
	}
	owed, owes := c.x.source.ByRole(schema.Owed)
	if isOpen := due == nil && done != nil && c.x.source.Kind == schema.Purchases && (m.Arg == "overdue" || m.Arg == "") && !c.hasWord("many", "number", "count", "total", "share", "percentage", "most", "often", "did", "was", "were", "came", "come", "arrived", "delivered"); isOpen {
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: plan.Filter{Column: done.Heading, Op: plan.Blank}, text: text}}})
		return
	}
	if due == nil || done == nil && !(owes && m.Arg == "overdue") {
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, what: "what is late: a day on which it is due and one on which it was done"}}})
		return
	}
	beside := func(op plan.Op) cond {
		return cond{span: at, Filter: plan.Filter{Column: done.Heading, Op: op, Other: due.Heading}, text: text}
	}
	var s sketch
	switch m.Arg {
	case "overdue":
		open := plan.Filter{Column: owed.Heading, Op: plan.More, Values: []string{"0"}} // a part may be paid
		if !owes {
			open = plan.Filter{Column: done.Heading, Op: plan.Blank}
		}
		s.where = []cond{
			{span: at, Filter: open, text: text},
			{span: at, Filter: plan.Filter{Column: due.Heading, Part: plan.Day, Op: plan.Less, Values: []string{c.today.Format(time.DateOnly)}}, text: text},
		}
		for _, f := range c.x.stillOn() {
			s.where = append(s.where, cond{span: at, Filter: f, text: text})
		}
	case "early":
		s.where = []cond{beside(plan.Less)}
	case "punctual":
		s.where = []cond{beside(plan.AtMost)}
	default:
		s.where = []cond{beside(plan.More)}
	}
	c.add(m.From, m.To, valueCat, cost, s)
}

// stillOn returns the conditions that rows were not cancelled, since nobody waits for what was.
func (x *lexicon) stillOn() (out []plan.Filter) {
	for _, r := range x.source.Reversals {
		if (r.Kind == schema.CancelledSale || r.Kind == schema.DraftSale) && len(r.Values) > 0 {
			out = append(out, plan.Filter{Column: r.Column, Op: plan.NotIn, Values: r.Values})
		}
	}
	return out
}

// partPaid adds the condition that something was paid of a row, and not all.
func (c *chart) partPaid(m link.Mention, cost float64) {
	at := span{m.From, m.To}
	paid, pays := c.x.source.ByRole(schema.Paid)
	owed, owes := c.x.source.ByRole(schema.Owed)
	if !pays || !owes {
		return
	}
	some := func(col schema.Column) cond {
		return cond{span: at, Filter: plan.Filter{Column: col.Heading, Op: plan.More, Values: []string{"0"}}, role: col.Role, text: c.text(at.from, at.to)}
	}
	c.add(at.from, at.to, valueCat, cost, sketch{where: []cond{some(paid), some(owed)}})
}

// eventValue joins shipped and late.
func eventValue(c *chart, parts []*item) (sketch, bool) {
	e, v := parts[0].s, parts[1].s
	if parts[0].cat == valueCat {
		e, v = v, e
	}
	of := func(f cond) bool {
		return f.Part == plan.Whole && (f.Column == e.names[0].column.Heading || f.Other == e.names[0].column.Heading) && (f.Other != "" || f.Op == plan.Blank)
	}
	if text := strings.ToLower(e.names[0].text); strings.HasSuffix(text, "s") && c.plural(e.names[0].to) {
		v.figures = []figure{{span: e.names[0].span, metric: plan.Orders, text: text}} // late returns
	}
	return v, len(v.where) > 0 && of(v.where[0]) && c.x.can(plan.Orders)
}

// onDays reads returned last week: the days of a column of its own.
func onDays(c *chart, parts []*item) (sketch, bool) {
	n, spans := parts[0].s.names[0], parts[1].s.periods
	if c.hasWord("vs", "versus", "than", "compared") {
		return sketch{}, false // readEventDays sets the days of two periods side by side
	}
	if n.role == schema.Day || len(spans) != 1 || spans[0].From.Year() <= 1 && spans[0].To.Year() <= 1 || spans[0].Ahead && c.isMade(n.column) {
		return sketch{}, false
	}
	at := span{min(parts[0].from, parts[1].from), max(parts[0].to, parts[1].to)}
	if c.x.expiry != nil && n.column.Heading == c.x.expiry.Heading {
		spans = []when.Span{c.comingDays(spans[0])}
	}
	of := cond{span: at, Filter: plan.Filter{Column: n.column.Heading}, role: n.role, text: c.text(at.from, at.to)}
	return sketch{where: withinDays(spans[0], of)}, true
}

// comingEvent reads upcoming renewals, last week's deliveries.
func comingEvent(c *chart, parts []*item) (sketch, bool) {
	s, ok := onDays(c, []*item{parts[1], parts[0]})
	return s, ok && (parts[0].s.periods[0].Ahead || c.tokens[parts[0].to-1].Text == "'s")
}

// withinDays returns the conditions that the days of a column are those of a span.
func withinDays(s when.Span, of cond) (out []cond) {
	limit := func(op plan.Op, day time.Time) {
		f := of
		f.Part, f.Op, f.Values = plan.Day, op, []string{day.Format(time.DateOnly)}
		out = append(out, f)
	}
	if s.From.Year() > 1 {
		limit(plan.AtLeast, s.From)
	}
	if s.To.Year() < 9000 {
		limit(plan.AtMost, s.To)
	}
	return out
}

// delay adds the days from that on which something was due to that on which it was done.
func (c *chart) delay(m link.Mention, cost float64) {
	due, done := c.x.dayOf(dueWords, nil), c.x.done()
	if due != nil && done != nil {
		at := span{m.From, m.To}
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: done, since: due, text: c.text(m.From, m.To)}}})
	}
}

// happenedNot reads not shipped: rows without a day on which it happened.
func happenedNot(c *chart, parts []*item) (sketch, bool) {
	return happened(c, parts, plan.Blank)
}

// hasHappened reads have been shipped.
func hasHappened(c *chart, parts []*item) (sketch, bool) {
	last := c.tokens[parts[1].from].Text
	return must(happened(c, parts, plan.Filled))(strings.HasSuffix(last, "ed") || strings.HasSuffix(last, "en") || last == "paid" || last == "sent")
}

func must(s sketch, ok bool) func(bool) (sketch, bool) {
	return func(also bool) (sketch, bool) { return s, ok && also }
}

func happened(_ *chart, parts []*item, op plan.Op) (sketch, bool) {
	n := parts[1].s.names[0]
	if n.role == schema.Day || n.column.Blank == 0 {
		return sketch{}, false
	}
	f := cond{span: span{parts[0].from, n.to}, Filter: plan.Filter{Column: n.column.Heading, Op: op}, role: n.role, text: n.text}
	return sketch{where: []cond{f}}, true
}

// daysLate reads more than 90 days overdue: the day on which it was due is as long past.
func daysLate(c *chart, parts []*item) (sketch, bool) {
	s := parts[1].s
	if len(s.where) < 2 || s.where[0].Op != plan.Blank && s.where[0].Op != plan.More || s.where[1].Op != plan.Less || s.where[1].Part != plan.Day {
		return sketch{}, false
	}
	s.where = slices.Clone(s.where)
	due := s.where[1]
	for _, o := range parts[0].s.bounds {
		f, ok := past(o, due.Column, c.today)
		if !ok || o.unit != link.Days || o.of != nil || o.other != nil || o.name != nil {
			return sketch{}, false
		}
		if f.Op == plan.Less || f.Op == plan.AtMost {
			s.where[1].Filter = f
		} else {
			due.Filter = f
			s.where = append(s.where, due)
		}
	}
	return s, true
}

// readEventDays makes periods and groups count by the days on which something happened, where the
// rows are those on which it did: cancelled last month is not sold last month and cancelled since.
func (b *builder) readEventDays() error {
	at, col := b.happenedOn()
	day, ok := b.heading(schema.Day)
	isTimed := b.p.Period != nil || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == day && d.Part.Series() })
	if col == nil || !ok || !isTimed || b.s.has("share") || b.p.List != nil {
		return nil
	}
	isMoney := slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return !m.Metric.Countable() && m.Metric != plan.Distinct })
	if isMoney || b.datesRows(at) {
		return nil
	}
	b.p.On = col.Heading
	for i, d := range b.p.By {
		if d.Column == day && d.Part != plan.Whole {
			b.p.By[i].Column = col.Heading
		}
	}
	for i, f := range b.p.Where {
		if f.Column == day && f.Part != plan.Whole {
			b.p.Where[i].Column = col.Heading
		}
	}
	b.note("The days are those of " + col.Heading + ".")
	return nil
}

// happenedOn returns the words for what happened to all rows that are asked for, and the only column
// of its days; nil if there is none.
func (b *builder) happenedOn() (at span, col *schema.Column) {
	var said []span
	for _, f := range b.s.where {
		if f.Op == plan.In && f.Part == plan.Whole && len(f.Values) == 1 && f.flag == nil || f.Op == plan.Filled {
			said = append(said, f.span)
		}
	}
	if b.reversed.to > 0 {
		said = append(said, b.reversed)
	}
	for _, m := range b.s.marks {
		if m.sense == "cancelled" || m.sense == "refund" {
			said = append(said, m.span)
		}
	}
	for _, one := range said {
		for i := range b.x.source.Columns {
			c := &b.x.source.Columns[i]
			isOf := slices.ContainsFunc(b.tokens[one.from:one.to], func(t link.Token) bool { return b.x.happens(c, t) })
			if !isDay(c) || c.Role == schema.Day || c.Blank == 0 || !isOf {
				continue
			}
			if col != nil && col.Heading != c.Heading {
				return span{}, nil
			}
			at, col = one, c
		}
	}
	return at, col
}

// datesRows reports whether the days of a question are those of the rows and not of what happened to
// some: those that joined in May and left, the orders of May that were cancelled.
func (b *builder) datesRows(event span) bool {
	day, _ := b.x.source.ByRole(schema.Day)
	for i, t := range b.tokens {
		if inside := event.from <= i && i < event.to; !inside && t.Unit == "" && !slices.Contains(dayWords, t.Text) && !slices.Contains(silent, t.Text) && b.x.happens(&day, t) {
			return true
		}
	}
	if len(b.s.days) == 0 {
		return false
	}
	i := b.s.days[0].from - 1
	for i >= 0 && slices.Contains(prepositions, b.tokens[i].Text) {
		i--
	}
	return event.from > b.s.days[0].from && i >= 0 && b.plural(i+1)
}

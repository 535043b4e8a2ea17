package read

import (
	"fmt"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// What is current in a list with a column of the days on which it ended, such as members who
// have not left, and what is owed in one that says what was paid.

// endStems begin the words of headings of days on which something ended.
var endStems = []string{"left", "leav", "end", "cancel", "clos", "quit", "terminat", "resign", "ceas", "withdr", "depart"}

// Words for what has not ended and for what has.
var (
	currentWords = []string{"active", "current", "existing", "ongoing", "live"}
	formerWords  = []string{"former", "past", "ex", "lapsed", "previous"}
)

// findCurrent adds the words for what has not ended: active members, who are still with us.
func (c *chart) findCurrent() {
	c.findOpen()
	c.findNew()
	c.findOnSale()
	c.findLeavers()
	end := c.x.dayOf(endStems, dueWords)
	if end == nil || end.Blank == 0 || c.x.source.Kind == schema.Sales || end.Role != schema.None && end.Role != schema.Cancelled {
		return
	}
	for i, t := range c.tokens {
		op, to, cost := plan.Op(""), i+1, costFlag
		switch {
		case slices.Contains(currentWords, t.Text):
			op = plan.Blank
		case slices.Contains(formerWords, t.Text):
			op = plan.Filled
		case i+2 < len(c.tokens) && t.Text == "still" && c.tokens[i+1].Text == "with" && c.tokens[i+2].Text == "us":
			op, to, cost = plan.Blank, i+3, 0
		case i+1 < len(c.tokens) && t.Text == "new" && slices.Contains(families[joining], stem(c.tokens[i+1].Text)):
			c.skips[i] = append(c.skips[i], i+1)
		}
		if op != "" {
			f := plan.Filter{Column: end.Heading, Op: op}
			c.add(i, to, valueCat, cost, sketch{where: []cond{{span: span{i, to}, Filter: f, role: end.Role, text: c.text(i, to)}}})
		}
	}
}

// leftStates begin the states of people who have left. Who is leaving has not yet.
var leftStates = []string{"left", "leaver", "quit", "ended", "cancelled", "canceled", "closed", "terminated", "resigned", "ceased", "withdr", "departed"}

// findLeavers adds the words for those of a list of people whom a state, and no day, says to have left, and for their
// share.
func (c *chart) findLeavers() {
	status, ok := c.x.source.ByRole(schema.Status)
	left, _ := cut(status.Values, func(v string) bool {
		return slices.ContainsFunc(leftStates, func(s string) bool { return strings.HasPrefix(strings.ToLower(v), s) })
	})
	if !ok || c.x.source.Kind != schema.Customers || c.x.dayOf(endStems, dueWords) != nil || len(left) == 0 {
		return
	}
	for i, t := range c.tokens {
		at, b, cat := span{i, i + 1}, &builder{chart: c}, valueCat
		isCalled := slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool { return hasWord(col.Heading, t.Text) })
		s := sketch{where: []cond{{span: at, Filter: plan.Filter{Column: status.Heading, Op: plan.In, Values: left}, role: schema.Status, text: t.Raw}}}
		switch {
		case b.says(i, "cancellation rate"), b.says(i, "churn rate"):
			at.to, cat = i+2, clauseCat
			s.marks, s.figures = []mark{{span: at, sense: "share"}}, []figure{{span: at, metric: plan.Rows, text: c.text(i, at.to)}}
		case isCalled || !slices.Contains([]string{"left", "quit", "leavers"}, t.Text):
			continue
		}
		c.dropFrom(i, at.to-1)
		c.add(i, at.to, cat, 0, s)
	}
}

// findOnSale adds the words for goods that a list does not mark as discontinued: current lines, still
// sold. A mark that is cut short is found by the word in full, too, which is a guess.
func (c *chart) findOnSale() {
	ended, mark := c.x.endMark()
	if ended == nil {
		return
	}
	for i, t := range c.tokens {
		f := cond{Filter: *ended, role: schema.None, flag: mark}
		f.Op = plan.NotIn
		to, cost := i+1, 0.0
		switch {
		case slices.Contains(currentWords, t.Text) && (mark != nil || !c.x.names(t.Text)):
		case strings.HasPrefix(t.Text, "discontinu") && !c.x.names(t.Text):
			f.Op = plan.In
		case t.Text == "still" && c.stillSold(i) > 0:
			to, cost = c.stillSold(i), -costMeaningUnused/4 // less than the verb alone, which says that it is sold
		default:
			continue
		}
		f.span, f.text = span{i, to}, c.text(i, to)
		c.add(i, to, valueCat, cost, sketch{where: []cond{f}})
	}
}

// endMark returns the condition that a list of goods marks something as no longer sold, by a state or by a yes of the
// column that is returned, too; nil if none tells.
func (x *lexicon) endMark() (*plan.Filter, *schema.Column) {
	if x.source.Kind != schema.Stocklist {
		return nil, nil
	}
	says := func(text string) bool {
		return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(text))), isEndWord)
	}
	for i := range x.source.Columns {
		col := &x.source.Columns[i]
		if isFlag(*col) && says(col.Heading) {
			return &plan.Filter{Column: col.Heading, Op: plan.In, Values: []string{yesOf(*col)}}, col
		}
		if ended, _ := cut(col.Values, says); col.Role == schema.Status && len(ended) > 0 {
			return &plan.Filter{Column: col.Heading, Op: plan.In, Values: ended}, nil
		}
	}
	return nil, nil
}

// stillSold returns where words end that begin with "still" and say that something is sold: still
// being sold, still stock; 0 if they do not.
func (c *chart) stillSold(at int) int {
	to := at + 1
	for to < len(c.tokens) && slices.Contains([]string{"being", "on"}, c.tokens[to].Text) {
		to++
	}
	sold := to < len(c.tokens) && slices.Contains([]string{"sell", "selling", "sold", "sale", "stock", "stocking", "carry", "available"}, c.tokens[to].Text)
	if !sold {
		return 0
	}
	return to + 1
}

// openWords are said of work that is not done.
var openWords = []string{"open", "unfinished", "incomplete", "ongoing"}

// findBehind adds what is owed by those who are behind with what they pay.
func (c *chart) findBehind() {
	for i := 0; i+2 < len(c.tokens) && c.x.can(plan.AmountOwed); i++ {
		to := i + 2
		for to < len(c.tokens) && slices.Contains(determiners, c.tokens[to].Text) {
			to++
		}
		isPaid := to < len(c.tokens) && slices.Contains([]string{"fee", "payment", "rent", "due", "bill", "sub", "subscription", "account", "invoice", "membership"}, c.tokens[to].Lemma)
		if c.tokens[i].Text == "behind" && slices.Contains([]string{"on", "with", "in"}, c.tokens[i+1].Text) && isPaid {
			at := span{i, to + 1}
			c.dropFrom(i, to)
			if owed, ok := c.x.source.ByRole(schema.Owed); ok && c.hasWord("many", "number") {
				c.some(link.Mention{From: i, To: to + 1}, owed, c.text(i, to+1), costFunction-costMention)
				continue
			}
			c.add(i, to+1, figureCat, costFunction-costMention, sketch{figures: []figure{{span: at, metric: plan.AmountOwed, text: c.text(at.from, at.to)}}})
		}
	}
}

// findOpen adds the words for work that has no day on which it was done, repairs still open, and for
// work that has one: jobs that are closed.
func (c *chart) findOpen() {
	done := c.x.done()
	if done == nil || done.Blank == 0 || done.Role != schema.None || c.x.source.Kind == schema.Stocklist {
		return
	}
	for i, t := range c.tokens {
		isOf := func(words ...string) bool { return i > 0 && slices.Contains(words, c.tokens[i-1].Text) }
		isDone := isOf("is", "are", "was", "were") && slices.Contains(families[finishing], stem(t.Text))
		isNamed := slices.ContainsFunc(c.starts[i], func(it *item) bool { return it.cat == valueCat || it.cat == nameCat && !isDone })
		isTime := i+1 < len(c.tokens) && slices.Contains([]string{"day", "days", "hours", "on", "at"}, c.tokens[i+1].Text) // days open
		f, cost := plan.Filter{Column: done.Heading, Op: plan.Blank}, costFlag
		if isDone {
			f.Op, cost = plan.Filled, -costFlag
		}
		if (slices.Contains(openWords, t.Text) || isDone) && !isNamed && !isTime && !isOf("days", "hours", "we") {
			c.add(i, i+1, valueCat, cost, sketch{where: []cond{{span: span{i, i + 1}, Filter: f, text: t.Raw}}})
		}
	}
}

// findNew reads new before the people of a list as what happened on the day that they joined. Of sales, new starters
// and those who are new are customers whose first one is in some days.
func (c *chart) findNew() {
	c.findFirstSales()
	joined := c.x.firstDay()
	if joined == nil || c.x.source.Kind == schema.Sales {
		return
	}
	for i, t := range c.tokens[:len(c.tokens)-1] {
		isOf := slices.Contains(people, c.tokens[i+1].Lemma) || c.tokens[i+1].Text == "ones" && c.x.source.Kind == schema.Customers
		if t.Text == "new" && isOf {
			c.add(i, i+1, nameCat, costFlag, sketch{names: []name{{span: span{i, i + 1}, column: joined, part: plan.Day, role: joined.Role, text: t.Raw}}})
			c.add(i, i+1, eventCat, 0, sketch{names: []name{{span: span{i, i + 1}, column: joined, part: plan.Day, role: joined.Role, text: t.Raw}}})
		}
	}
}

// findFirstSales adds customers that are new, as it is said of them: new starters, who is new since May, new trade
// customers.
func (c *chart) findFirstSales() {
	for i, t := range c.tokens[:len(c.tokens)-1] {
		if t.Text != "new" {
			continue
		}
		at := span{i, i + 1}
		isTime := func(m when.Mention) bool { return m.Kind == when.Period && m.From == i+1 }
		switch {
		case slices.Contains(families[joining], stem(c.tokens[i+1].Text)):
			if at.to++; !c.x.can(plan.NewCustomers) && c.x.firstDay() != nil {
				c.skip(i, i+1)
			}
		case i > 0 && c.tokens[i-1].Lemma == "be" && slices.ContainsFunc(c.times, isTime) && (c.hasWord("who") || slices.ContainsFunc(slices.Concat(c.starts[:i]...), isCustomers)):
		case c.skipCustomers(i + 1):
		default:
			continue
		}
		if c.x.can(plan.NewCustomers) {
			c.starts[i], c.skips[i] = nil, nil
			c.add(at.from, at.to, figureCat, 0, sketch{figures: []figure{{span: at, metric: plan.NewCustomers, text: c.text(at.from, at.to)}}})
		}
	}
}

// isCustomers reports whether an item is a word for customers.
func isCustomers(it *item) bool {
	return it.cat == figureCat && it.s.figures[0].metric == plan.Customers || it.cat == nameCat && it.s.names[0].role == schema.Customer
}

// skipCustomers leaves out a word for customers after a value at a token, and reports whether there is one.
func (c *chart) skipCustomers(i int) bool {
	for _, it := range c.starts[i] {
		if it.cat != valueCat || it.cost >= costNear || it.to == len(c.tokens) {
			continue
		}
		if k := slices.IndexFunc(c.starts[it.to], isCustomers); k >= 0 && c.x.can(plan.NewCustomers) {
			c.skip(it.to, c.starts[it.to][k].to)
			return true
		}
	}
	return false
}

// onlyMoney returns the only column of money of a list that has no sales: the fees of members;
// nil if there is none, or the list is of goods.
func (x *lexicon) onlyMoney() *schema.Column {
	if x.can(plan.Revenue) || x.source.Kind != schema.Customers && x.source.Kind != schema.Other {
		return nil
	}
	if fee := x.fee(); fee != nil && x.listsPayers() {
		return fee
	}
	var found *schema.Column
	for i := range x.source.Columns {
		if col := &x.source.Columns[i]; col.Type == schema.Number && col.Unit == schema.Money && col.Role == schema.None {
			if found != nil {
				return nil
			}
			found = col
		}
	}
	return found
}

// readOwed leaves out those who owe nothing: who owes us money. How much somebody paid is the sum
// of what was paid, where a column has it.
func (b *builder) readOwed() error {
	if err := b.refuseHeld(); err != nil {
		return err
	}
	paid, ok := b.heading(schema.Paid)
	if says := b.hasWord("paid", "takings", "took", "taken", "received", "collected") || b.phraseOf("we take", "came in", "come in", "coming in", "money in") || b.phrase("pay") >= 0 && b.hasWord("did"); ok && says && b.s.pair == "" && !b.shopPays() && b.p.List == nil && len(b.p.Measures) > 0 && b.p.Measures[0].Metric == plan.Revenue && b.p.Measures[0].Plain() {
		b.p.Measures[0] = plan.Measure{Metric: plan.Sum, Column: paid}
		b.p.Where = slices.DeleteFunc(slices.Clone(b.p.Where), func(f plan.Filter) bool { return f.Op == plan.Filled })
		if day := b.x.dayOf(paidStems, dueWords); day != nil && b.p.Period != nil && b.p.On == "" && day.Role == schema.None {
			b.p.On = day.Heading // what came in in July was paid in July
			sold, _ := b.heading(schema.Day)
			for i, d := range b.p.By {
				if d.Column == sold && d.Part != plan.Whole {
					b.p.By[i].Column = day.Heading
				}
			}
		}
	}
	b.paidOut()
	b.oweRatherThanSell()
	if b.owes() && len(b.p.By) > 0 && b.s.rank == nil && b.asksNames() && len(b.p.Having) == 0 {
		b.p.Having = []plan.Threshold{{Op: plan.More}}
	}
	unpaid, known := b.x.unpaid()
	isOf := func(f plan.Filter) bool { return f.Column == unpaid.Column }
	if says := b.phrase("pay") >= 0 && b.hasWord("did"); !ok && known && says && unpaid.Op == plan.Blank && !b.shopPays() && b.p.List == nil && !slices.ContainsFunc(b.p.Where, isOf) {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: unpaid.Column, Op: plan.Filled})
	}
	return nil
}

// refuseHeld refuses what is owed where the only balance is that of an account.
func (b *builder) refuseHeld() error {
	i := slices.IndexFunc(b.p.Measures, func(m plan.Measure) bool {
		c, ok := plan.Column(b.x.source, m.Column)
		return ok && c.Running
	})
	if i < 0 || !b.hasWord("owe", "owes", "owed", "owing", "outstanding", "debt", "debts", "unpaid") {
		return nil
	}
	sentence := fmt.Sprintf("%s is what an account holds, and no column of %s has what is owed, so this cannot be answered.", b.p.Measures[i].Column, b.x.source.Name)
	return &Refusal{Reason: Missing, Source: b.x.source, Sentence: sentence}
}

// paidOut takes what was paid on some days for the payments, and not for what the purchases came to: what did we pay out
// last month.
func (b *builder) paidOut() {
	paid, ok := b.heading(schema.Paid)
	day := b.x.dayOf(paidStems, dueWords)
	if !ok || day == nil || b.x.source.Kind != schema.Purchases || len(b.p.Measures) == 0 || !b.p.Measures[0].Equal(plan.Measure{Metric: plan.Cost}) {
		return
	}
	isOn := func(f plan.Filter) bool { return f.Column == day.Heading && f.Part == plan.Day }
	if b.p.On == day.Heading || slices.ContainsFunc(b.p.Where, isOn) {
		b.p.Measures[0] = plan.Measure{Metric: plan.Sum, Column: paid}
	}
}

// oweRatherThanSell takes what is still to be paid for the amount of what is overdue or falls due on some days:
// how much is overdue, what is due next week.
func (b *builder) oweRatherThanSell() {
	owed, ok := b.heading(schema.Owed)
	due := b.x.dayOf(dueWords, nil)
	if !ok || due == nil || len(b.p.Measures) == 0 || b.p.Measures[0].Metric != plan.Revenue || !b.p.Measures[0].Plain() || b.hasWord("sales", "revenue", "takings", "invoiced", "billed") {
		return
	}
	isDue := func(f plan.Filter) bool {
		return f.Column == owed && f.Op == plan.More || f.Column == due.Heading && f.Op != plan.Blank && f.Other == ""
	}
	if slices.ContainsFunc(b.p.Where, isDue) {
		b.p.Measures[0].Metric = plan.AmountOwed
	}
}

// owes reports whether the first figure is what is owed.
func (b *builder) owes() bool {
	return len(b.p.Measures) > 0 && b.p.Measures[0].Metric == plan.AmountOwed
}

// depositWords are in the headings of what was paid ahead of an amount.
var depositWords = []string{"deposit", "deposits", "prepaid", "prepayment", "advance"}

// owedAfter adds what is left to pay where a column says what was paid ahead: the amount less it.
func (c *chart) owedAfter(m link.Mention) {
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Number && col.Unit != schema.Percent && col.Role == schema.None && hasWord(col.Heading, depositWords...)
	})
	if i < 0 || !c.x.can(plan.Revenue) {
		return
	}
	at, text := span{m.From, m.To}, c.text(m.From, m.To)
	c.add(m.From, m.To, "owed", 0, sketch{pair: plan.Difference, figures: []figure{
		{span: at, metric: plan.Revenue, text: text}, {span: span{m.From, m.To}, column: &c.x.source.Columns[i], fold: "sum", text: text},
	}})
}

// owedAfterPaid reads left to pay after the deposit, and left to pay on canoes after it.
func owedAfterPaid(_ *chart, parts []*item) (sketch, bool) {
	s, paid := parts[0].s, parts[len(parts)-1].s
	if len(parts) == 4 {
		s.where = parts[1].s.where
	}
	return s, len(paid.figures) == 1 && len(paid.where) == 0 && paid.figures[0].column != nil && paid.figures[0].column.Heading == s.figures[1].column.Heading
}

// owed adds the amount that is owed where no column has it: that of the rows of which a column says
// that they are not paid, or has no day of the payment. It is with tax where a column has it so.
func (c *chart) owed(m link.Mention) {
	at := span{m.From, m.To}
	if c.payables(at) {
		return
	}
	text := c.text(at.from, at.to)
	unpaid, ok := c.x.unpaid()
	metric := c.x.nearest(plan.Revenue)
	if b := (&builder{chart: c}); !ok || !c.x.can(metric) || b.weDo("owe") != (metric == plan.Cost) && (b.weDo("owe") || c.hasWord("owes", "owed")) {
		return // what the shop owes is of what it bought
	}
	f := figure{span: at, metric: metric, text: text}
	if with := c.x.taxedAmount(); with != nil {
		f = figure{span: at, column: with, text: text}
	}
	c.add(m.From, m.To, clauseCat, 0, sketch{figures: []figure{f}, where: []cond{{span: at, Filter: unpaid, text: text}}})
}

// paidStems begin words in the headings of days on which something was paid.
var paidStems = []string{"pai", "pay", "settl", "remit"}

// unpaidWords are values of columns of states of rows that somebody has still to pay.
var unpaidWords = []string{"unpaid", "not paid", "owing", "owed", "outstanding", "overdue", "awaiting payment", "payment due", "due", "to pay", "on account", "o/s"}

// mostStates bounds the values of a column of states.
const mostStates = 50

// unpaid returns the condition that a row is not paid, by a yes or no, by the day of the payment, or by
// a state that only says so; false if no column tells.
func (x *lexicon) unpaid() (plan.Filter, bool) {
	i := slices.IndexFunc(x.source.Columns, func(col schema.Column) bool {
		return isFlag(col) && flagWord(col) == "paid"
	})
	if i >= 0 {
		col := x.source.Columns[i]
		return plan.Filter{Column: col.Heading, Op: plan.NotIn, Values: []string{yesOf(col)}}, true
	}
	if day := x.dayOf(paidStems, dueWords); day != nil && day.Role == schema.None && day.Blank > 0 {
		return plan.Filter{Column: day.Heading, Op: plan.Blank}, true
	}
	if way, ok := x.source.ByRole(schema.Payment); ok && way.Blank > 0 && 2*way.Blank < x.source.Rows && hasWord(way.Heading, "paid", "pd") {
		return plan.Filter{Column: way.Heading, Op: plan.Blank}, true // how it was paid, if it was
	}
	isUnpaid := func(v string) bool { return slices.Contains(unpaidWords, strings.ToLower(v)) }
	for _, col := range x.source.Columns {
		isState := col.Role == schema.Status || hasWord(col.Heading, "paid", "pay", "payment", "status")
		if col.Type != schema.Text || !isState || len(col.Values) > mostStates {
			continue
		}
		if owing, others := cut(col.Values, isUnpaid); len(owing) > 0 && len(others) > 0 {
			return plan.Filter{Column: col.Heading, Op: plan.In, Values: owing}, true
		}
	}
	return plan.Filter{}, false
}

package read

import (
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// add adds a lexical item.
func (c *chart) add(from, to int, cat string, cost float64, s sketch) {
	c.starts[from] = append(c.starts[from], &item{span: span{from, to}, cat: cat, s: s, cost: cost + costMention + c.within})
}

// mention adds the items of a mention: one word may name a figure and a group.
func (c *chart) mention(m link.Mention) {
	at := span{m.From, m.To}
	text := c.text(m.From, m.To)
	cost := costOfLink(m)
	if m.Kind == link.Column && m.To == m.From+1 && c.x.source.Kind == schema.Customers && countsWith(m.Column, c.tokens[m.From].Text) {
		cost = 0 // visits of Total Visits
	}
	if col := c.x.returned(); m.Sense == "refund" && col != nil {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: col, fold: "sum", text: text}}})
		return
	}
	switch m.Kind {
	case link.Filler:
		if m.How != link.Corrected || c.isTypo(m) {
			c.skips[m.From] = append(c.skips[m.From], m.To)
		}
	case link.Metric:
		c.metric(m, text, cost)
		c.piece(m, text, cost)
	case link.Column:
		c.columnOrGoods(m, text, cost)
	case link.Value:
		c.value(m, text, cost)
	case link.Dim:
		if !c.isPlacing(m) {
			c.dim(m, text, cost)
		}
	case link.Number:
		c.number(m, text, cost)
	case link.Op:
		c.compare(m, text, cost)
	case link.Fold:
		c.add(m.From, m.To, foldCat, cost, sketch{shape: shape{fold: m.Sense}})
	case link.Rank:
		c.rank(m, text, cost)
	case link.State, link.Word:
		c.function(m, text, cost)
	case link.Topic:
		c.topic(m)
	}
}

// number adds a number, and the condition that a column has it in the unit that is named: laptops with 16 GB.
func (c *chart) number(m link.Mention, text string, cost float64) {
	c.add(m.From, m.To, numberCat, cost, sketch{numbers: []link.Mention{m}})
	c.perUnit(m)
	col := c.x.words.Measure(m.Arg)
	if m.Arg == "" || col == nil {
		return
	}
	number := m.Number
	if ratio, ok := plan.Conversion(plan.Unit(m.Arg), plan.UnitOf(*col)); ok {
		times, _ := ratio.Float64()
		number *= times // lessons of 2 hours, in minutes
	}
	f := plan.Filter{Column: col.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(number, 'f', -1, 64)}}
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: span{m.From, m.To}, Filter: f, text: text}}})
}

// compare adds a comparison, before what it compares with or after it. What a piece costs may be known from all of
// them.
func (c *chart) compare(m link.Mention, text string, cost float64) {
	cat := opCat
	if m.Sense == "after" {
		cat = afterCat
	}
	at := span{m.From, m.To}
	o := bound{span: at, op: m.Op, arg: m.Arg}
	if m.Column != nil {
		o.of = &figure{span: at, column: m.Column, text: text}
	} else if m.Arg == string(schema.UnitCost) {
		if o.of = c.costOfPiece(at, text); o.of == nil {
			c.add(m.From, m.To, thingCat, cost, sketch{missing: []missing{{span: at, role: schema.UnitCost}}})
			return
		}
	}
	c.add(m.From, m.To, cat, cost, sketch{bounds: []bound{o}})
}

// function adds a word of function, unless something else here has a meaning for it or it was corrected from a word
// that begins otherwise: shaving is no having.
func (c *chart) function(m link.Mention, text string, cost float64) {
	t := c.tokens[m.From]
	beginsSo := func(fix string) bool { return fix != "" && fix[0] == t.Text[0] }
	isMeant := m.Sense == "unit" || m.Sense == "refund" && c.x.comesBack() || c.x.isMarked(t) // by package when, a column of days, or of yes and no
	isOther := m.How == link.Corrected && t.Text != "" && !slices.ContainsFunc(t.Fixes, beginsSo)
	switch {
	case m.Sense == "missed":
		c.missed(m, text, cost)
	case !isMeant && !isOther:
		c.word(m, cost)
	}
}

// topic adds what no shop's data are about.
func (c *chart) topic(m link.Mention) {
	cost := costThing
	isTwoNouns := m.To == m.From+2 && english.IsNoun(c.tokens[m.From].Lemma) && english.IsNoun(c.tokens[m.From+1].Lemma)
	if (m.To-m.From > 2 || isTwoNouns) && c.within == 0 {
		cost = costPhrase
	}
	c.add(m.From, m.To, thingCat, cost, sketch{missing: []missing{{span: span{m.From, m.To}, what: m.Arg}}})
}

// costOfPiece returns what one piece costs the shop, from the cost of all of them; nil if that is not known.
func (c *chart) costOfPiece(at span, text string) *figure {
	if !c.x.can(plan.Cost) || !c.x.can(plan.Units) {
		return nil
	}
	return &figure{span: at, metric: plan.Cost, per: plan.PerUnit, text: text}
}

// isPlacing reports whether "place" is what a customer does with an order: how many orders did Acme place.
func (c *chart) isPlacing(m link.Mention) bool {
	isDid := func(t link.Token) bool { return slices.Contains([]string{"do", "does", "did"}, t.Text) }
	asks := m.To == m.From+1 && c.tokens[m.From].Text == "place" && slices.ContainsFunc(c.tokens[:max(0, m.From-1)], isDid)
	if !asks || !c.hasWord("order", "orders") || slices.Contains(determiners, c.tokens[m.From-1].Text) {
		return false
	}
	c.skips[m.From] = append(c.skips[m.From], m.To)
	return true
}

// missed adds the condition that nobody came, by the values that say so.
func (c *chart) missed(m link.Mention, text string, cost float64) {
	add := func(col *schema.Column, values []string) {
		if isFlag(*col) {
			c.dropFrom(m.From, m.To-1) // its heading may say No-Show, without a negation
		}
		m.Column, m.Values, m.How = col, values, link.Near
		c.value(m, text, cost)
	}
	for _, r := range c.x.source.Reversals {
		if col, ok := plan.Column(c.x.source, r.Column); ok && r.Kind == schema.MissedSale {
			add(&col, r.Values)
			return
		}
	}
	for i := range c.x.source.Columns { // they were charged for it
		col := &c.x.source.Columns[i]
		isNo := func(v string) bool { return slices.Contains([]string{"n", "no", "absent"}, strings.ToLower(v)) }
		missed, others := cut(col.Values, isNo)
		switch {
		case isFlag(*col) && strings.Contains(strings.ToLower(link.Spaced(col.Heading)), "no show"):
			add(col, []string{yesOf(*col)})
		case !hasWord(col.Heading, "attended", "attendance"):
		case col.Type == schema.Truth:
			add(col, []string{"0"})
		case col.Type == schema.Text && len(missed) > 0 && len(others) > 0:
			add(col, missed)
		}
	}
}

// countsKinds reports whether a plural is for the pieces that several columns have the numbers of, and not for
// the money that was taken for them: tickets, beside Adult, Child and Ticket £.
func (c *chart) countsKinds(m link.Mention) bool {
	isMoney := m.Column.Type == schema.Number && m.Column.Unit == schema.Money && m.How == link.Exact
	return isMoney && len(c.x.kinds) > 0 && m.To == m.From+1 && c.plural(m.To) && !hasWord(m.Column.Heading, c.tokens[m.From].Text) && c.x.can(plan.Units)
}

// isTypo reports whether an unknown word can be a misspelt filler, and is not a name, such as
// Acme, which is one slip from "came": it has a capital within the question, comes after a
// preposition, or begins with another letter.
func (c *chart) isTypo(m link.Mention) bool {
	t := c.tokens[m.From]
	isName := m.From > 0 && (t.Raw != strings.ToLower(t.Raw) || slices.Contains(prepositions, c.tokens[m.From-1].Text))
	return !isName && t.Text != "" && slices.ContainsFunc(t.Fixes, func(fix string) bool { return fix != "" && fix[0] == t.Text[0] })
}

// corrected returns a token, or the common word that it is a typing error of: recieved. What is a
// name is none.
func (c *chart) corrected(i int) link.Token {
	t := c.tokens[i]
	if len(t.Fixes) != 1 || !english.Known(t.Fixes[0]) || len(t.Text) < 6 || !c.isTypo(link.Mention{From: i}) {
		return t
	}
	t.Text, t.Lemma = t.Fixes[0], english.Lemma(t.Fixes[0])
	return t
}

// metric adds a figure of shop talk.
func (c *chart) metric(m link.Mention, text string, cost float64) {
	at := span{m.From, m.To}
	if c.metricInstead(m, text, cost) || c.isOtherThan(m) {
		return
	}
	if product, ok := c.x.source.ByRole(schema.Product); ok && c.areGoods(m) {
		c.add(m.From, m.To, nameCat, cost, sketch{names: []name{{span: at, column: &product, role: schema.Product, plural: true, text: text}}})
		return
	}
	if m.Arg == link.KindArg {
		c.nouns = join(c.nouns, []noun{{span: at, of: m.Metric.Title()}})
	}
	if paid, ok := c.x.source.ByRole(schema.UnitCost); ok && m.Metric == plan.Cost && m.Per == "" && !c.x.can(plan.Cost) && c.x.source.Kind == schema.Stocklist && m.From > 0 && c.tokens[m.From-1].Text == "by" {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: &paid, fold: "mean", text: text}}}) // the dearest by cost
		return
	}
	f := figure{span: at, metric: m.Metric, per: m.Per, text: text}
	isOrder := m.Metric == plan.Revenue && m.Per == "" && c.plural(m.To) && c.x.isOrder(c.tokens[m.From:m.To]) // receipts of a column Receipt No
	if isOrder || m.Arg == link.HeadArg && c.x.source.Kind == schema.Sales {
		f.metric = plan.Orders // rentals of bike_rentals
	}
	if left, ok := c.x.source.ByRole(schema.Owed); ok && m.Metric == plan.AmountOwed && c.hasWord("many", "number") {
		c.some(m, left, text, cost) // how many owe us
	}
	c.add(m.From, m.To, figureCat, cost+c.costOfMetric(m), sketch{figures: []figure{f}})
}

// areGoods reports whether lines are the goods of a list, of which so many or the first ones are asked for, or those that
// sell: the top 5 lines by money tied up, which 10 lines, the slowest lines.
func (c *chart) areGoods(m link.Mention) bool {
	isLine := m.Metric == plan.Rows && c.plural(m.To) && c.tokens[m.To-1].Lemma == "line"
	before := func(i int, words ...string) bool { return i >= 0 && slices.Contains(words, c.tokens[i].Text) }
	isPiece := m.Metric == plan.Units && c.x.source.Kind == schema.Stocklist && c.plural(m.To) && c.tokens[m.To-1].Lemma == "piece"
	isRanked := slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return o.Kind == link.Rank && o.To == m.From })
	if isPiece && isRanked {
		return true // the dearest pieces
	}
	if c.x.source.Kind == schema.Sales { // of which a line may be one of an order, too
		return isLine && (isRanked || before(m.From-1, "which", "what") && c.hasWord("sell", "sells", "sold", "selling"))
	}
	isLine = isLine && c.x.source.Kind == schema.Stocklist
	if isLine && (m.From == 0 || before(m.From-1, "which", "what")) {
		return true
	}
	return isLine && m.From > 0 && isNumeral(c.tokens[m.From-1].Text) && (m.From == 1 || before(m.From-2, "top", "bottom", "which", "what", "best", "worst", "biggest", "the"))
}

// some adds the condition that a row has any of what a column has the number of.
func (c *chart) some(m link.Mention, col schema.Column, text string, cost float64) {
	f := plan.Filter{Column: col.Heading, Op: plan.More, Values: []string{"0"}}
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: span{m.From, m.To}, Filter: f, role: col.Role, text: text}}})
}

// metricInstead adds what a word of shop talk means in place of its figure over this source, and reports
// whether there is something.
func (c *chart) metricInstead(m link.Mention, text string, cost float64) bool {
	at := span{m.From, m.To}
	off, discounts := c.x.source.ByRole(schema.Discount)
	isTotal := m.Metric == plan.Revenue && m.Per == ""
	var visits *schema.Column
	if m.To == m.From+1 && c.plural(m.To) {
		visits = c.numberOf(c.tokens[m.From].Text)
	}
	switch col := c.x.onlyMoney(); {
	case c.x.bought != nil && !c.x.can(m.Metric) && !c.isState(m) && !c.hasWord("spend", "spent", "buy", "bought", "buying") && (m.Metric == plan.StockUnits || m.Metric == plan.StockValue || m.Metric == plan.RetailValue):
		c.stockOfPieces(m, text, cost)
	case m.Metric == plan.StockValue && plan.StockValuedAt(c.x.source) != "at cost" && strings.Contains(text, "cost") && c.x.source.Kind == schema.Stocklist:
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, role: schema.UnitCost}}})
	case m.Metric == plan.Orders && m.Per == "" && c.tokens[m.To-1].Lemma == "visit" && c.x.ships():
		c.add(m.From, m.To, thingCat, costPhrase, sketch{missing: []missing{{span: at, what: "visits"}}})
	case m.Metric == plan.Orders && m.Per == "" && visits != nil:
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: visits, text: text}}})
	case m.Metric == plan.NewCustomers && !c.x.can(m.Metric) && c.x.source.Kind == schema.Customers && c.x.firstDay() != nil:
		first := c.x.firstDay()
		c.countEvents(name{span: at, column: first, part: plan.Day, role: first.Role, text: text})
	case isTotal && c.x.earned != nil:
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: c.x.earned, text: text}}})
	case !discounts && m.Metric == plan.Discounts && c.x.source.Kind == schema.Stocklist && !c.x.can(m.Metric):
		return c.markdown(m, text, cost)
	case discounts && text == "discounted":
		c.some(m, off, text, cost)
	case m.Metric == plan.AmountOwed && !c.x.can(m.Metric):
		c.owedAfter(m)
		c.owed(m)
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, what: "what is owed"}}})
	case isTotal && col != nil:
		c.add(m.From, m.To, figureCat, cost+costNear, sketch{figures: []figure{{span: at, column: col, text: text}}})
	case m.Metric == plan.StockUnits && !c.x.can(m.Metric) && strings.HasPrefix(text, "left") && !c.hasWord("many") && c.hasWord("after", "once", "minus", "less"):
		c.skips[m.From] = append(c.skips[m.From], m.To) // what is left of sales after refunds
	default:
		return false
	}
	return true
}

// isState reports whether words of shop talk are a state of single goods, as it is written: status In stock.
func (c *chart) isState(m link.Mention) bool {
	return c.x.bought.state != nil && slices.ContainsFunc(c.mentions, func(o link.Mention) bool {
		return o.Kind == link.Value && o.How == link.Exact && o.From == m.From && o.To == m.To && o.Column.Heading == c.x.bought.state.Column
	}) && c.hasWord("status", "state", "marked")
}

// isOtherThan reports whether a word of shop talk is for no figure here. It notes nouns for the rows.
func (c *chart) isOtherThan(m link.Mention) bool {
	lemma := c.tokens[m.To-1].Lemma
	isDelivery := lemma == "deliver" || link.IsRow(lemma, "delivery")
	switch i := c.listedFrom(m.From); {
	case isDelivery && m.Metric == plan.LastDay && c.x.source.Kind != schema.Purchases: // to customers
		return true
	case m.Metric == plan.Rows && (c.isSourceNoun(m) || c.listsNumbers(m)):
		return true
	case m.Metric == plan.Customers && c.x.can(m.Metric) && i >= 0 && slices.Contains([]string{"list", "name"}, c.tokens[i].Text): // and not how many there are
		return true
	case m.Metric == plan.StockUnits && c.leavesOne(m):
		return true
	}
	if m.Arg == link.HeadArg && m.How == link.Near {
		if m.From > 0 && slices.Contains([]string{"per", "each", "every", "any", "a"}, c.tokens[m.From-1].Text) {
			return true // takings per shift
		}
		c.nouns = join(c.nouns, []noun{{span: span{m.From, m.To}, of: "the rows of " + c.x.source.Name}})
	}
	if m.Metric == plan.Customers && !c.x.can(m.Metric) {
		c.visits(span{m.From, m.To})
		isOf := func(o link.Mention) bool { // orders from German customers
			return o.Kind == link.Value && o.To == m.From && o.From > 0 && slices.Contains(prepositions, c.tokens[o.From-1].Text)
		}
		return slices.ContainsFunc(c.mentions, isOf)
	}
	isRow := func(o link.Mention) bool { return o.Sense == "row" && o.From == m.From && o.To == m.To }
	return m.Metric == plan.Units && !c.x.can(c.x.nearest(m.Metric)) && slices.ContainsFunc(c.mentions, isRow) // copies, of which each row is one
}

// costOfMetric returns what a figure costs that the source cannot give, or whose words may be others.
func (c *chart) costOfMetric(m link.Mention) (cost float64) {
	isSold := slices.ContainsFunc(c.tokens, func(t link.Token) bool { return t.Lemma == "sell" || t.Lemma == "sold" })
	if !c.x.can(m.Metric) && (isSold || !c.x.can(c.x.nearest(m.Metric))) {
		cost += costNotGiven
	}
	if m.Metric == plan.Orders && !c.x.can(plan.Orders) && !c.plural(m.To) {
		cost += costNotGiven // a bill is its amount
	}
	if m.Metric == plan.Units && m.To > m.From+1 && m.From > 0 && slices.Contains([]string{"which", "what"}, c.tokens[m.From-1].Text) {
		cost += costVerb // which items sell
	}
	return cost
}

// leavesOne reports whether a word of leaving says what somebody gave, and not what is over: left a
// tip.
func (c *chart) leavesOne(m link.Mention) bool {
	return m.To < len(c.tokens) && slices.Contains([]string{"leave", "left"}, c.tokens[m.To-1].Lemma) && slices.Contains([]string{"a", "an"}, c.tokens[m.To].Text)
}

// listsNumbers reports whether the numbers of rows are asked for, and not how many there are: list
// the job numbers.
func (c *chart) listsNumbers(m link.Mention) bool {
	return m.To > m.From+1 && slices.Contains(idWords, c.tokens[m.To-1].Lemma) && c.listedFrom(m.From) >= 0
}

// listedFrom returns the word that asks for a list of what begins at a token; -1 if there is none.
func (c *chart) listedFrom(at int) int {
	before := at - 1
	for before > 0 && slices.Contains([]string{"the", "me", "all", "us", "our", "my", "of", "every", "each", "any"}, c.tokens[before].Text) {
		before--
	}
	if before < 0 || !slices.Contains(listWords, c.tokens[before].Text) {
		return -1
	}
	return before
}

// stateFrom returns where the state or the value that ends before a token begins; the token if there is none.
func (c *chart) stateFrom(at int) int {
	for _, m := range c.mentions {
		if m.To == at && (m.Kind == link.State || m.Kind == link.Value) {
			return m.From
		}
	}
	return at
}

// isSourceNoun reports whether a word is in the name of a source whose rows people call
// otherwise: bread of the sales of a bakery.
func (c *chart) isSourceNoun(m link.Mention) bool {
	kind := c.x.source.Kind
	isCalledSo := m.Arg == link.HeadArg && (kind == schema.Sales || kind == schema.Customers || kind == schema.Stocklist && m.Kind == link.Word)
	return !isCalledSo && (kind != schema.Other || m.Kind == link.Metric) && !slices.Contains(append([]string{"count", "rowcount"}, rowNouns...), c.tokens[m.To-1].Lemma)
}

// rowNouns are nouns for the rows of any source, whatever they are.
var rowNouns = []string{"row", "record", "entry", "line", "variant"}

// value adds a condition on the rows.
func (c *chart) value(m link.Mention, text string, cost float64) {
	if t := c.tokens[m.From]; m.To == m.From+1 && !t.Upper && t.Quote == 0 && slices.Contains([]string{"a", "an", "i", "the"}, t.Text) {
		return // an article
	}
	if m.How == link.Partial && m.To == m.From+1 && c.isVerbAt(m.From) {
		return // what we bin is no bin liner
	}
	if m.To == m.From+1 && c.tokens[m.From].Text == "top" && m.To < len(c.tokens) && isNumeral(c.tokens[m.To].Text) {
		return // the top 5 are no Tops
	}
	at := span{m.From, m.To}
	if c.isPack(m) {
		c.nouns = join(c.nouns, []noun{{span: at, of: plan.Units.Title()}})
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Units, text: text}}})
		return
	}
	f := cond{span: at, Filter: plan.Filter{Column: m.Column.Heading, Op: plan.In, Values: m.Values}, role: m.Column.Role, text: text}
	if m.Contains != "" {
		f.Op, f.Values = plan.Has, []string{m.Contains}
	}
	cost += costOtherColumn * float64(slices.Index(roleOrder, m.Column.Role)+1)
	if c.tokens[m.From].Unit != "" && m.To == m.From+1 {
		cost += costNumericValue
	}
	isOther := func(value string) bool {
		one := m.To == m.From+1 && !strings.EqualFold(strings.TrimSuffix(value, "s"), strings.TrimSuffix(c.tokens[m.From].Text, "s"))
		return one || m.To > m.From+1 && !strings.ContainsAny(value, " -/&'") // ClassPass is no class pass
	}
	if m.How == link.Exact && len(m.Values) == 1 && isOther(m.Values[0]) {
		cost += costInflected
	}
	f.guessed = m.Quality <= link.Hint || m.How == link.Corrected || m.How == link.Near || m.How == link.Partial
	if isNote := f.guessed && m.Column.Role == schema.None && len(m.Values) > 0 && len(strings.Fields(m.Values[0])) >= wordsOfNote; isNote && m.To == m.From+1 && m.Contains == "" && strings.HasSuffix(c.tokens[m.From].Text, "ed") {
		return // who is booked in is not of a note on what to book
	}
	if c.isMeasured(m) {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, metric: plan.Units, text: text}}, where: []cond{f}})
		return
	}
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{f}})
}

// wordsOfNote is how many words a cell has at least that says something and names nothing.
const wordsOfNote = 4

// isPack reports whether a word of a value says in what goods are sold, and rules out none of them: bags of wild
// bird seed, which are no poo bags, cases of oil.
func (c *chart) isPack(m link.Mention) bool {
	if m.How != link.Partial || m.To != m.From+1 || !c.plural(m.To) || !c.x.can(plan.Units) {
		return false
	}
	goods := c.goodsOf(m)
	return goods != nil && (goods.Column != m.Column && slices.Contains(packs, c.tokens[m.From].Lemma) || goods.Column == m.Column && goods.How == link.Exact)
}

// isMeasured reports whether a value says how goods are measured that are named after it: kilos of mince, kegs of stout.
func (c *chart) isMeasured(m link.Mention) bool {
	goods := c.goodsOf(m)
	return goods != nil && goods.Column != m.Column && m.How != link.Partial && m.How != link.Near && m.To == m.From+1 && c.plural(m.To) && c.x.can(plan.Units)
}

// goodsOf returns the goods that are named after some words and "of", or nil.
func (c *chart) goodsOf(m link.Mention) *link.Mention {
	i := slices.IndexFunc(c.mentions, func(o link.Mention) bool {
		return o.Kind == link.Value && o.From == m.To+1 && o.Column.Role == schema.Product
	})
	if i < 0 || c.tokens[m.To].Text != "of" {
		return nil
	}
	return &c.mentions[i]
}

// roleOrder ranks the columns of a value that several have, wider ones first.
var roleOrder = []schema.Role{
	schema.Category, schema.Product, schema.Brand, schema.Region, schema.Country, schema.State, schema.City, schema.Store,
	schema.Channel, schema.Payment, schema.Segment, schema.Customer, schema.Supplier, schema.Staff, schema.Status, schema.SKU, schema.None,
}

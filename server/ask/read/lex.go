package read

import (
	"context"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/english"
	"svc/server/schema"
)

// newChart returns the chart of a question over one source, with the items of all
// mentions.
func newChart(ctx context.Context, x *lexicon, q *words, now when.Now) *chart {
	n := len(q.tokens)
	c := &chart{x: x, tokens: q.tokens, now: now, today: now.Today, starts: make([][]*item, n), skips: make([][]int, n), unknown: make([]skipped, n), day: x.dayFor(q.tokens)}
	if q.tail != nil {
		c.tail, c.tailMentions = q.tail, x.mentions(ctx, q.tail)
	}
	c.mentions = q.over(ctx, x)
	c.times = when.Find(c.weighTokens(), now)
	c.addMentions()
	for _, m := range c.times {
		c.time(m)
	}
	c.findProceeds()
	c.findMarked()
	c.findNotOrdered()
	c.findDays()
	c.findEvents()
	c.findAppointments()
	c.findChecking()
	c.findHeard()
	c.findTimes()
	c.findLastOne()
	c.findLastTime()
	c.findNewest()
	c.findOffers()
	c.findCurrent()
	c.findLast()
	c.skipEach()
	c.skipKinds()
	c.findKinds()
	c.findHolding()
	c.findEnding()
	c.findBalance()
	c.findAbroad()
	c.findTerms()
	c.findHeld()
	c.findBehind()
	c.findSellThrough()
	c.findRated()
	c.findCut()
	c.skipOff()
	c.skipStock()
	c.findLasting()
	c.findOpenDays()
	c.findAgent()
	c.findColleagues()
	c.skipSilent()
	c.weigh()
	c.skipEnd()
	return c
}

// weighTokens sets what it costs to leave a token out, and returns the words of the question without their
// typing errors.
func (c *chart) weighTokens() []string {
	words := make([]string, len(c.tokens))
	for i, t := range c.tokens {
		words[i] = t.Text
		if len(t.Fixes) > 0 {
			words[i] = t.Fixes[0]
		}
		c.unknown[i] = c.x.leaveOut(c.corrected(i))
		if c.unknown[i].cost == costNounUnused && (c.isVerbAt(i) || t.Fixes == nil && c.x.words.InProse(t.Lemma)) {
			c.unknown[i].cost = costWordUnused
		}
		if c.unknown[i].cost == costWordUnused && c.isNoun(i) {
			c.unknown[i].cost = costNounUnused
		}
	}
	return words
}

// isGoodsWord reports whether a word for people or for what goods are in names goods here: drivers of a golf
// shop, bags that are sold. Tables of sales count nothing else by what it is in, unless it is bags of something.
func (c *chart) isGoodsWord(m link.Mention) bool {
	if m.To != m.From+1 {
		return false
	}
	lemma := c.tokens[m.From].Lemma
	isPack := m.Kind == link.Metric && m.Metric == plan.Units && lemma != "unit" && slices.Contains(packs, lemma)
	isStaff := m.Kind == link.Dim && m.Role == schema.Staff && m.How == link.Exact && lemma != "staff"
	ofGoods := m.To < len(c.tokens) && c.tokens[m.To].Text == "of"
	ofList := c.x.source.Kind == schema.Stocklist || c.x.source.Kind == schema.Purchases
	stock, _ := c.x.source.ByRole(schema.Stock)
	isOwn := func(o link.Mention) bool { // cases of Cs, beside pieces
		return o.Kind == link.Column && o.From == m.From && o.To == m.To && o.How == link.Abbreviated && !strings.Contains(stock.Heading, o.Column.Heading)
	}
	return isPack && (slices.ContainsFunc(c.mentions, isOwn) || !ofGoods && (!ofList || c.x.words.InGoods(lemma))) || isStaff && c.x.words.InGoods(lemma)
}

// isCounted reports whether a word for rows is the number of them that a column of a list of people has:
// visits of Total Visits.
func (c *chart) isCounted(m link.Mention) bool {
	isRow := m.Kind == link.Dim && m.Role == schema.Order || m.Kind == link.Metric || m.Kind == link.Word && (m.Sense == "row" || m.Sense == "buy")
	return isRow && m.To == m.From+1 && c.x.source.Kind == schema.Customers && c.x.countsCalled(c.tokens[m.From].Text)
}

// isStateOfValue reports whether a word for refunds or cancellations is that of a value, in a source of which no rows
// are known to be refunded or cancelled: then it is a value like any other.
func (c *chart) isStateOfValue(m link.Mention) bool {
	isState := m.Kind == link.State && (m.Sense == "cancelled" || m.Sense == "refund") && !c.x.hasReversals()
	return isState && slices.ContainsFunc(c.mentions, func(o link.Mention) bool {
		return o.Kind == link.Value && o.From == m.From && o.To == m.To && o.Quality > link.Hint
	})
}

// addMentions adds the items of the mentions, but for those whose words have a surer meaning.
func (c *chart) addMentions() {
	for _, m := range c.mentions {
		isCountry := m.Kind == link.Filler && c.tokens[m.From].IsUS()
		if isCountry || c.isOutOf(m) || c.isBoundedTax(m) || c.cameAgain(m) || c.x.isEnding(m) || c.isStateOfValue(m) || c.isCounted(m) || c.isGoodsWord(m) || slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return c.isNamedBy(o, m) }) {
			continue
		}
		if c.isProductLine(m) {
			product, _ := c.x.source.ByRole(schema.Product)
			m = link.Mention{Kind: link.Dim, Role: schema.Product, Column: &product, From: m.From, To: m.To, How: link.Exact, Quality: 1}
		}
		c.within = 0
		if slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return isWithin(m, o) }) {
			c.within = costWithin
		}
		if m.Kind == link.Topic && slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return answersTopic(o, m) }) {
			c.within = costTopicNamed
		}
		c.mention(m)
	}
	c.within = 0
}

// isProductLine reports whether lines are what a shop sells, and not the rows of its sales: top 10 lines.
func (c *chart) isProductLine(m link.Mention) bool {
	product, ok := c.x.source.ByRole(schema.Product)
	isOfGoods := func(o link.Mention) bool { return o.Kind == link.Rank || o.Sense == "different" && o.To == m.From }
	return ok && c.x.source.Kind == schema.Sales && 2*product.Distinct <= c.x.source.Rows && m.Kind == link.Metric && m.Metric == plan.Rows && c.text(m.From, m.To) == "lines" && slices.ContainsFunc(c.mentions, isOfGoods)
}

// isBoundedTax reports whether a mention is the first words of "with VAT over 100", which bound the tax.
func (c *chart) isBoundedTax(m link.Mention) bool {
	return m.Sense == "taxed" && c.tokens[m.From].Text == "with" && slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return o.Kind == link.Op && o.From == m.To })
}

// cameAgain reports whether a word for ordering again says that goods came, on the days of a column: restocked.
func (c *chart) cameAgain(m link.Mention) bool {
	isPast := m.Kind == link.State && m.Sense == "lowstock" && m.To == m.From+1 && strings.HasSuffix(c.tokens[m.From].Text, "ed")
	return isPast && slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool { return isDay(&col) && c.x.happens(&col, c.tokens[m.From]) })
}

// isOutOf reports whether a mention is the first word of "out of", which is not that of "out of all".
func (c *chart) isOutOf(m link.Mention) bool {
	if m.Kind == link.State || m.To != m.From+1 || m.To >= len(c.tokens) || c.text(m.From, m.To+1) != "out of" {
		return false
	}
	next := m.To + 1
	return next == len(c.tokens) || !slices.Contains([]string{"all", "the", "every", "those"}, c.tokens[next].Text)
}

// servingVerbs are what a shop does for those who buy.
var servingVerbs = []string{"bill", "invoice", "charge", "serve", "see"}

// isServedAt reports whether the verb at a token is about serving a customer, affirmed or denied: who has not been
// since May, whom we have not billed since May, who has had nothing.
func (c *chart) isServedAt(i int) bool {
	isAt := func(i int, words ...string) bool {
		return i >= 0 && i < len(c.tokens) && slices.Contains(words, c.tokens[i].Text)
	}
	switch t := c.tokens[i]; {
	case t.Text == "been":
		return isAt(i-1, "not") && isAt(i+1, "since", "in", "for")
	case t.Text == "had":
		return isAt(i+1, "nothing", "none")
	default:
		return slices.Contains(servingVerbs, t.Lemma) && isAt(i-1, "we", "i") && isAt(i-2, "not") && isAt(i+1, "since", "in", "for")
	}
}

// findOpenDays reads trading days, which are those that have rows, and who has not been since May.
func (c *chart) findOpenDays() {
	for i, t := range c.tokens[:len(c.tokens)-1] {
		if c.isServedAt(i) {
			c.add(i, i+1, "buy", costFunction-costMention, sketch{marks: []mark{{span: span{i, i + 1}, sense: "buy"}}})
		}
		if isOpen := slices.Contains([]string{"trading", "working", "opening", "business"}, t.Text); isOpen && slices.Contains([]string{"day", "days"}, c.tokens[i+1].Text) {
			c.starts[i] = slices.DeleteFunc(c.starts[i], func(it *item) bool { return it.to == i+1 })
			c.skips[i] = append(c.skips[i], i+1)
		}
		c.skipOpen(i)
	}
}

// tradingWords say that the shop did business on days: how many days were we open.
var tradingWords = []string{"were", "are", "was", "is", "have", "has", "been", "we", "i", "the", "shop", "store", "open"}

// skipOpen leaves out such words after days at a token.
func (c *chart) skipOpen(i int) {
	to := i + 1
	for to < len(c.tokens) && slices.Contains(tradingWords, c.tokens[to].Text) {
		to++
	}
	if !slices.Contains([]string{"day", "days"}, c.tokens[i].Text) || c.tokens[to-1].Text != "open" {
		return
	}
	for k := i + 1; k < to; k++ {
		c.starts[k] = nil
		c.skip(k, k+1)
	}
}

// skipSilent leaves out words of grammar without another meaning, and pronouns beside some: no genre against
// them.
func (c *chart) skipSilent() {
	for i, t := range c.tokens {
		if slices.Contains(silent, t.Text) && !t.IsUS() && len(c.starts[i]) == 0 {
			c.skips[i] = append(c.skips[i], i+1)
		}
		if isWhole := slices.Contains([]string{"full", "whole", "unopened"}, t.Text); isWhole && i+1 < len(c.tokens) && slices.Contains(packs, c.tokens[i+1].Lemma) && len(c.starts[i]) == 0 {
			c.skip(i, i+1) // full cases
		}
		if i > 0 && slices.Contains([]string{"lot", "bunch", "crowd"}, t.Text) && c.endsValue(i) && len(c.starts[i]) == 0 {
			c.skip(i, i+1) // the unlimited lot
		}
		if t.Text == "after" && i > 0 && c.tokens[i-1].Lemma == "look" && len(c.starts[i-1]) == 0 {
			c.skips[i-1] = append(c.skips[i-1], i+1) // whom somebody looks after
		}
		if i > 0 && slices.Contains([]string{"them", "it", "him", "her"}, t.Text) && slices.Contains([]string{"against", "beside", "by", "to", "under", "after"}, c.tokens[i-1].Text) {
			c.skips[i-1] = append(c.skips[i-1], i+1)
		}
	}
}

// skipEnd leaves out a last word that limits nothing: have left since, how much did A beat B by.
func (c *chart) skipEnd() {
	last := len(c.tokens) - 1
	switch {
	case last < 1:
	case c.tokens[last].Text == "since":
		c.skips[last] = append(c.skips[last], last+1)
	case c.tokens[last].Text == "by":
		c.unknown[last] = skipped{costSmallWord, true}
	}
}

// skipKinds leaves out a noun beside a name of whose heading it is a kind: phone models and the model of
// a phone, of Device Model; and one after a value of whose heading it is another name: the unlimited
// membership, of Pass Type. That is a guess, which finish notes.
func (c *chart) skipKinds() {
	for i, t := range c.tokens {
		if len(c.starts[i]) > 0 || c.unknown[i].cost < costNounUnused || !english.IsNoun(t.Lemma) {
			continue
		}
		of := i - 1
		for of > 0 && slices.Contains([]string{"a", "the"}, c.tokens[of].Text) {
			of--
		}
		for _, it := range slices.Concat(c.starts...) {
			heading, means := "", link.NamesOf(t.Lemma)
			isBeside := it.from == i+1 || it.to == of && c.tokens[of].Text == "of"
			switch {
			case it.cat == nameCat && isBeside && it.s.names[0].column != nil:
				heading = it.s.names[0].column.Heading
			case it.cat == valueCat && len(it.of) == 0 && it.to == i:
				heading = it.s.where[0].Column
			}
			words := strings.Fields(strings.ToLower(link.Spaced(heading)))
			isNamed := func(w string) bool {
				return english.IsA(t.Lemma, english.Lemma(w)) || it.to == i && slices.Contains(means, english.Lemma(w))
			}
			if k := slices.IndexFunc(words, isNamed); k >= 0 {
				c.skips[i] = append(c.skips[i], i+1)
				c.nouns = join(c.nouns, []noun{{span: span{i, i + 1}, of: words[k]}})
				break
			}
		}
	}
}

// anyGoods are words for whatever a shop buys, sells or does.
var anyGoods = []string{"stuff", "thing", "product", "item", "goods", "merchandise", "work", "job"}

// findKinds adds the column of kinds that a type of stuff or a sort of work asks for, or that of what there are kinds
// of if there is none.
func (c *chart) findKinds() {
	of, ok := c.x.source.ByRole(schema.Category)
	if !ok {
		of, ok = c.x.source.ByRole(schema.Product)
	}
	for i := 0; ok && i+2 < len(c.tokens); i++ {
		isKind := slices.Contains([]string{"type", "kind", "sort", "category"}, c.tokens[i].Lemma) && c.tokens[i+1].Text == "of"
		isNamed := func(m link.Mention) bool {
			return m.From == i+2 && m.Kind == link.Column && m.Column.Heading != of.Heading
		}
		if isKind && slices.Contains(anyGoods, c.tokens[i+2].Lemma) && !slices.ContainsFunc(c.mentions, isNamed) {
			at := span{i, i + 3}
			c.add(i, i+3, nameCat, 0, sketch{names: []name{{span: at, column: &of, role: of.Role, plural: c.plural(i + 1), text: c.text(at.from, at.to)}}})
		}
	}
}

// isNoun reports whether the words before a token make a noun of one that may be a verb: which
// drink sells best.
func (c *chart) isNoun(i int) bool {
	s := english.SensesOf(c.tokens[i].Lemma)
	isOf := func(at int) bool { return at >= 0 && c.tokens[at].Text == "which" }
	if ends := i+1 < len(c.tokens) && (slices.Contains(verbs, c.tokens[i+1].Text) || c.tokens[i+1].Lemma == "sell"); ends && (isOf(i-1) || isOf(i-2)) && s.Noun > english.None && s.Adverb <= 0 {
		return true // which polish colour is
	}
	if i > 0 && c.tokens[i-1].Text == "many" && c.plural(i+1) && s.Noun > english.None {
		return true // how many quotes
	}
	if i == 0 || s.Adverb > 0 || s.Adjective > 0 {
		return false
	}
	asked := slices.Contains([]string{"which", "selling", "seller"}, c.tokens[i-1].Text) && s.Noun > 0 && !isVerb(c.tokens[i].Text)
	return asked || c.tokens[i-1].Text == "the" && s.Noun > english.None || slices.Contains(prepositions, c.tokens[i-1].Text)
}

// isVerbAt reports whether a word that has a use as a verb is one by its place, after a pronoun of a
// subject: what we bin, the shops they stock.
func (c *chart) isVerbAt(i int) bool {
	return i > 0 && slices.Contains([]string{"we", "i", "they", "you"}, c.tokens[i-1].Text) && english.SensesOf(c.tokens[i].Lemma).Verb > english.None
}

// modifies reports whether a token is no verb by its place: nothing, or a word that a noun may
// come after, is before it.
func (c *chart) modifies(at int) bool {
	return at == 0 || slices.Contains(prepositions, c.tokens[at-1].Text) || slices.Contains(nounsFollow, c.tokens[at-1].Text) ||
		slices.Contains([]string{"a", "the", "all", "most", "many", "me", "or", "and", "only", "did", "by"}, c.tokens[at-1].Text)
}

// nounsFollow are words that a noun comes after, and no verb.
var nounsFollow = []string{"average", "avg", "mean", "median", "per", "an", "each", "every"}

// isNamedBy reports whether the heading of a column of numbers has the very words that shop
// talk has for something counted: Tickets is no number of orders.
func (c *chart) isNamedBy(o, m link.Mention) bool {
	if o.From == m.From && o.To == m.To && c.isCalledSo(o, m) {
		return true
	}
	if (m.Sense == "perform" || m.Sense == "sell" && c.modifies(m.From)) && m.To == m.From+1 && o.Kind == link.Value && o.How == link.Exact && o.From == m.From && o.To == m.To {
		return c.tokens[m.From].Text != c.tokens[m.From].Lemma && strings.EqualFold(o.Values[0], c.tokens[m.From].Text) // Done, collected jobs
	}
	if o.Sense == "taxed" || o.Sense == "untaxed" { // including VAT, which is no figure there
		return m.To-m.From < o.To-o.From && o.From < m.From && m.To <= o.To && slices.Contains(taxMarks, c.tokens[o.From].Text)
	}
	if m.Sense == "howmany" && o.Kind == link.Column && o.How == link.Exact && o.Column.Role == schema.Order && o.From < m.From && o.To == m.To {
		return true // job numbers
	}
	if isOrder := m.Metric == plan.Orders && m.Per == "" || m.Kind == link.Dim && m.Role == schema.Order; isOrder && o.Kind == link.Column && o.Column.Role == schema.None && o.From == m.From && o.To == m.To && isNumbered(*o.Column, c.tokens[m.From:m.To]) && !c.x.startsAnew(*o.Column) {
		return true // the invoices of an Invoice No beside the order numbers
	}
	if o.Metric == plan.Orders && o.From <= m.From && m.To <= o.To && m.Kind == link.Column && isNumeric(name{column: m.Column}) && isVerb(strings.ToLower(m.Column.Heading)) {
		return m.From > 0 && slices.Contains(nounsFollow, c.tokens[m.From-1].Text) // an average order is no mean of Ordered
	}
	if o.Sense == "row" && o.Kind == link.Word && m.Sense == "sell" && o.From == m.From && o.To == m.To {
		return m.From == 0 || !slices.Contains([]string{"we", "i", "they", "you", "do", "did", "does", "to", "can", "could"}, c.tokens[m.From-1].Text) // shifts of a log
	}
	if longer := o.To-o.From > m.To-m.From; longer && (o.Kind == link.Value || o.Kind == link.Column) && o.How == link.Near && (isChange(m) || m.Sense == "perform" || m.Sense == "not" || m.Sense == "refund") && o.From <= m.From && m.To <= o.To {
		return true // what went ahead, where Completed is a value
	}
	if m.Kind == link.Filler && o.Sense == "away" {
		return o.From <= m.From && m.To <= o.To && c.x.dayOf(families[1], dueWords) != nil
	}
	if longer := o.To-o.From > m.To-m.From; m.Kind == link.Filler && longer && o.Kind == link.Value && o.How == link.Exact && o.From <= m.From && m.To <= o.To {
		return true // on hold, where it is a value
	}
	if m.Kind == link.Filler && len(o.Values) > 0 { // still water, where Still is a value
		return o.Kind == link.Value && o.How == link.Exact && o.From == m.From && o.To == m.To && m.To == m.From+1 && (o.Quality > link.Hint && !slices.Contains(silent, c.tokens[m.From].Text) || c.tokens[m.From].Text != c.tokens[m.From].Lemma && strings.EqualFold(o.Values[0], c.tokens[m.From].Text))
	}
	if isMark := o.Kind == link.Column && isFlag(*o.Column); m.Kind == link.Metric && m.Metric.ByCustomer() && (isMark || o.Kind == link.Value) && o.How == link.Exact {
		return o.From == m.From && (isMark && o.To == m.To || !isMark && o.To < m.To) // new clients, where New is a value or a mark
	}
	if m.Kind == link.Word && m.To-m.From > 1 && o.Kind == link.Column && o.How == link.Exact && o.Column.Type == schema.Text {
		return m.From <= o.From && o.To <= m.To && strings.EqualFold(link.Spaced(o.Column.Heading), c.text(o.From, o.To)) // reason for visit, where Reason is a heading
	}
	isCalled := o.How == link.Exact || o.How == link.Near && o.From == m.From && m.Kind == link.Metric && !c.x.can(m.Metric)
	if o.Kind != link.Column || !isCalled || o.Column.Type != schema.Number || o.To != m.To || o.From != m.From && m.Per == "" {
		return false
	}
	metric, _ := plan.MetricOf(o.Column.Role)
	return m.Kind == link.Metric && (m.Per != "" && o.From > m.From || slices.Contains([]plan.Metric{plan.Orders, plan.Units, plan.Customers}, m.Metric)) && metric != m.Metric || m.Kind == link.Dim && m.Role == schema.Order
}

// isCalledSo reports whether words are what a heading or a value is called, and not what else they mean.
func (c *chart) isCalledSo(o, m link.Mention) bool {
	isColumn, isValue := o.Kind == link.Column && o.How == link.Exact, o.Kind == link.Value && o.How == link.Exact
	switch text := c.tokens[m.From].Text; {
	case m.Kind == link.Filler && text == "trade": // a price called Trade, and the value Wholesale
		return o.Kind == link.Column && o.Column.Type == schema.Number || o.Kind == link.Value && !c.isVerbAt(m.From)
	case m.Sense == "buy": // rent, where a heading is called so
		return isColumn && o.Column.Type == schema.Number && !c.isVerbAt(m.From) && !isVerb(strings.ToLower(o.Column.Heading))
	case m.Sense == "times" || m.Sense == "list" && m.To == m.From+1 && m.From > 0:
		return isColumn // occasion and views, where they are headings
	case m.Kind != link.State:
		return false
	case o.Kind == link.Value && text == "credits":
		return true // goods that are credits, or Compost - credit
	case isValue: // cancelled members
		return !c.x.hasReversals() && c.x.source.Kind != schema.Sales && c.x.source.Kind != schema.Stocklist
	}
	return isColumn && (isFlag(*o.Column) || isNumeric(name{column: o.Column})) // sold out and returned, where they are headings
}

// startsAnew reports whether the numbers of a column begin anew each day or the like, beside those of
// the orders: Order # beside an Order Id.
func (x *lexicon) startsAnew(c schema.Column) bool {
	order, ok := x.source.ByRole(schema.Order)
	return ok && 2*c.Distinct < order.Distinct && c.Blank == 0
}

// longTopic is how many words name a topic by themselves, whatever one of them is: look at the website.
const longTopic = 3

// answersTopic reports whether a heading or a value is called by a word of a topic: rainy, where
// Rain is a value, hours worked, where Hrs is a heading.
func answersTopic(o, m link.Mention) bool {
	if o.Kind == link.Value && o.To-o.From == 1 && m.To-m.From >= longTopic {
		return false
	}
	if o.Kind == link.Column && (o.Column.Role == schema.Cost || o.Column.Role == schema.UnitCost) && o.To == m.To && o.From > m.From {
		return false // of running costs, the cost of goods is another
	}
	named := o.Kind == link.Column || o.Kind == link.Value && o.How != link.Corrected
	return named && m.From <= o.From && o.To <= m.To && o.Quality > 0.6
}

// isWithin reports whether a mention is a part of a surer one: stock in "out of stock".
func isWithin(m, o link.Mention) bool {
	longer := o.From <= m.From && m.To <= o.To && o.To-o.From > m.To-m.From
	return longer && o.How == link.Exact && o.Kind != link.Filler && m.Kind != link.Filler && m.Kind != link.Number
}

// weak are the words of function that a reading may leave out.
var weak = []string{"of", "in", "for", "and", "or", "with", "which", "list", "would"}

// weigh makes tokens that have a meaning dear to leave out.
func (c *chart) weigh() {
	for i := range c.tokens {
		for _, it := range c.starts[i] {
			cost := costMeaningUnused
			if it.s.marks != nil {
				cost = costMarkUnused
			}
			if slices.Contains(weak, it.cat) {
				continue
			}
			for k := it.from; k < it.to; k++ {
				if len(c.skips[k]) == 0 && c.unknown[k].cost < cost {
					c.unknown[k] = skipped{cost, false}
				}
			}
		}
	}
}

// leaveOut returns what a reading pays for a token without a use.
func (x *lexicon) leaveOut(t link.Token) skipped {
	s := english.SensesOf(t.Lemma)
	switch {
	case t.Text == "'s":
		return skipped{0, true}
	case t.Unit != "":
		return skipped{costNumberUnused, false}
	case t.IsUS(), link.IsOfCountry(t.Lemma):
		return skipped{costNounUnused, false}
	case slices.Contains(negations, t.Text):
		return skipped{costNegationUnused, false}
	case !english.Known(t.Lemma), s.Noun > 0 && s.Noun >= s.Verb && s.Noun >= s.Adjective && s.Noun >= s.Adverb:
		return skipped{costNounUnused, false}
	case slices.Contains(silent, t.Text):
		return skipped{costSmallWord, true}
	case max(s.Noun, s.Verb, s.Adjective, s.Adverb) <= 0 && english.Rank(t.Lemma) > maxSmallRank:
		return skipped{costNounUnused, false}
	}
	return skipped{costWordUnused, false}
}

// prepositions come before things: a word after one is a noun.
var prepositions = []string{"in", "on", "at", "from", "for", "of", "with"}

// negations are words whose loss would turn the meaning of a question.
var negations = []string{"not", "without", "no", "except", "excluding", "never", "neither", "nor"}

// silent are words of English grammar whose loss changes nothing.
var silent = strings.Fields("a an the i we you he she it they me us him her them my our your his its their this that these those there here " +
	"is are was were be been being am do does did done have has had having can could should shall must may might will would " +
	"how what whats so as to of in on at for from by with and or if then also just too very about please ok some any each it's let")

// maxSmallRank is the rank up to which a word without a part of speech is one of function.
const maxSmallRank = 500

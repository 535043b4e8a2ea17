package read

import (
	"context"
	"slices"
	"strconv"
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
	tokens := q.tokens
	c := &chart{x: x, tokens: tokens, now: now, today: now.Today, starts: make([][]*item, len(tokens)), skips: make([][]int, len(tokens)), unknown: make([]skipped, len(tokens))}
	if q.tail != nil {
		c.tail, c.tailMentions = q.tail, x.mentions(ctx, q.tail)
	}
	words := make([]string, len(tokens))
	for i, t := range tokens {
		words[i] = t.Text
		if len(t.Fixes) > 0 {
			words[i] = t.Fixes[0]
		}
		c.unknown[i] = x.leaveOut(c.corrected(i))
		if c.unknown[i].cost == costNounUnused && (c.isVerbAt(i) || t.Fixes == nil && x.words.InProse(t.Lemma)) {
			c.unknown[i].cost = costWordUnused
		}
		if c.unknown[i].cost == costWordUnused && c.isNoun(i) {
			c.unknown[i].cost = costNounUnused
		}
	}
	mentions := q.over(ctx, x)
	c.mentions = mentions
	for _, m := range mentions {
		isCountry := m.Kind == link.Filler && tokens[m.From].IsUS()
		if isCountry || x.isEnding(m) || slices.ContainsFunc(mentions, func(o link.Mention) bool { return c.isNamedBy(o, m) }) {
			continue
		}
		c.within = 0
		if slices.ContainsFunc(mentions, func(o link.Mention) bool { return isWithin(m, o) }) {
			c.within = costWithin
		}
		if m.Kind == link.Topic && slices.ContainsFunc(mentions, func(o link.Mention) bool { return answersTopic(o, m) }) {
			c.within = costTopicNamed
		}
		c.mention(m)
	}
	c.within = 0
	c.times = when.Find(words, now)
	for _, m := range c.times {
		c.time(m)
	}
	c.findDays()
	c.findEvents()
	c.findCurrent()
	c.skipKinds()
	c.findHolding()
	c.findBalance()
	for i, t := range tokens[:len(tokens)-1] {
		if t.Text == "been" && i > 0 && tokens[i-1].Text == "not" && slices.Contains([]string{"since", "in", "for"}, tokens[i+1].Text) {
			c.add(i, i+1, "buy", costFunction-costMention, sketch{marks: []mark{{span: span{i, i + 1}, sense: "buy"}}}) // who has not been since May
		}
		if isOpen := slices.Contains([]string{"trading", "working", "opening", "business"}, t.Text); isOpen && slices.Contains([]string{"day", "days"}, tokens[i+1].Text) {
			c.starts[i] = slices.DeleteFunc(c.starts[i], func(it *item) bool { return it.to == i+1 })
			c.skips[i] = append(c.skips[i], i+1) // the days that have rows
		}
	}
	for i, t := range tokens {
		if slices.Contains(silent, t.Text) && !t.IsUS() && len(c.starts[i]) == 0 {
			c.skips[i] = append(c.skips[i], i+1)
		}
		if i > 0 && slices.Contains([]string{"them", "it", "him", "her"}, t.Text) && slices.Contains([]string{"against", "beside", "by", "to", "under", "after"}, tokens[i-1].Text) {
			c.skips[i-1] = append(c.skips[i-1], i+1) // no genre against them
		}
	}
	c.weigh()
	if last := len(tokens) - 1; last > 0 && tokens[last].Text == "since" {
		c.skips[last] = append(c.skips[last], last+1) // have left since
	}
	if last := len(tokens) - 1; last > 0 && tokens[last].Text == "by" {
		c.unknown[last] = skipped{costSmallWord, true} // how much did A beat B by
	}
	return c
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

// isNoun reports whether the words before a token make a noun of one that may be a verb: which
// drink sells best.
func (c *chart) isNoun(i int) bool {
	s := english.SensesOf(c.tokens[i].Lemma)
	isOf := func(at int) bool { return at >= 0 && c.tokens[at].Text == "which" }
	if ends := i+1 < len(c.tokens) && (slices.Contains(verbs, c.tokens[i+1].Text) || c.tokens[i+1].Lemma == "sell"); ends && (isOf(i-1) || isOf(i-2)) && s.Noun > english.None && s.Adverb <= 0 {
		return true // which polish colour is
	}
	if i == 0 || s.Adverb > 0 || s.Adjective > 0 {
		return false
	}
	asked := slices.Contains([]string{"which", "selling", "seller"}, c.tokens[i-1].Text) && s.Noun > 0 && !isVerb(c.tokens[i].Text)
	return asked || slices.Contains(prepositions, c.tokens[i-1].Text)
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
	if (m.Sense == "perform" || m.Sense == "sell" && c.modifies(m.From)) && m.To == m.From+1 && o.Kind == link.Value && o.How == link.Exact && o.From == m.From && o.To == m.To {
		return c.tokens[m.From].Text != c.tokens[m.From].Lemma && strings.EqualFold(o.Values[0], c.tokens[m.From].Text) // Done, collected jobs
	}
	if m.Sense == "howmany" && o.Kind == link.Column && o.How == link.Exact && o.Column.Role == schema.Order && o.From < m.From && o.To == m.To {
		return true // job numbers
	}
	if isOrder := m.Metric == plan.Orders && m.Per == "" || m.Kind == link.Dim && m.Role == schema.Order; isOrder && o.Kind == link.Column && o.Column.Role == schema.None && o.From == m.From && o.To == m.To && isNumbered(*o.Column, c.tokens[m.From:m.To]) {
		return true // the invoices of an Invoice No beside the order numbers
	}
	if m.Sense == "buy" && o.Kind == link.Column && o.How == link.Exact && o.Column.Type == schema.Number && o.From == m.From && o.To == m.To && !c.isVerbAt(m.From) && !isVerb(strings.ToLower(o.Column.Heading)) {
		return true // rent, where a heading is called so
	}
	if (m.Sense == "times" || m.Sense == "list" && m.To == m.From+1 && m.From > 0) && o.Kind == link.Column && o.How == link.Exact && o.From == m.From && o.To == m.To {
		return true // occasion and views, where they are headings
	}
	if m.Kind == link.State && o.Kind == link.Value && o.How == link.Exact && o.From == m.From && o.To == m.To && !c.x.hasReversals() && c.x.source.Kind != schema.Sales && c.x.source.Kind != schema.Stocklist {
		return true // cancelled members
	}
	if m.Kind == link.State && o.Kind == link.Column && o.How == link.Exact && o.From == m.From && o.To == m.To && (isFlag(*o.Column) || isNumeric(name{column: o.Column})) {
		return true // sold out and returned, where they are headings
	}
	if m.Kind == link.Column && isNumeric(name{column: m.Column}) && isVerb(strings.ToLower(m.Column.Heading)) && o.Metric == plan.Orders && o.From <= m.From && m.To <= o.To {
		return m.From > 0 && slices.Contains(nounsFollow, c.tokens[m.From-1].Text) // an average order is no mean of Ordered
	}
	if o.Sense == "row" && o.Kind == link.Word && m.Sense == "sell" && o.From == m.From && o.To == m.To {
		return m.From == 0 || !slices.Contains([]string{"we", "i", "they", "you", "do", "did", "does", "to", "can", "could"}, c.tokens[m.From-1].Text) // shifts of a log
	}
	if longer := o.To-o.From > m.To-m.From; longer && o.Kind == link.Value && o.How == link.Near && (isChange(m) || m.Sense == "perform" || m.Sense == "not") && o.From <= m.From && m.To <= o.To {
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
	if m.Kind == link.Metric && m.Metric.ByCustomer() && o.Kind == link.Value && o.How == link.Exact {
		return o.From == m.From && o.To < m.To // new clients, where New is a value
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

// answersTopic reports whether a heading or a value is called by a word of a topic: rainy, where
// Rain is a value, hours worked, where Hrs is a heading.
func answersTopic(o, m link.Mention) bool {
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

// add adds a lexical item.
func (c *chart) add(from, to int, cat string, cost float64, s sketch) {
	c.starts[from] = append(c.starts[from], &item{span: span{from, to}, cat: cat, s: s, cost: cost + costMention + c.within})
}

// mention adds the items of a mention: one word may name a figure and a group.
func (c *chart) mention(m link.Mention) {
	at := span{m.From, m.To}
	text := c.text(m.From, m.To)
	cost := costOfLink(m)
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
	case link.Column:
		c.column(m, text, cost)
	case link.Value:
		c.value(m, text, cost)
	case link.Dim:
		c.dim(m, text, cost)
	case link.Number:
		c.add(m.From, m.To, numberCat, cost, sketch{numbers: []link.Mention{m}})
		c.perUnit(m)
		if col := c.x.words.Measure(m.Arg); m.Arg != "" && col != nil {
			number := m.Number
			if ratio, ok := plan.Conversion(plan.Unit(m.Arg), plan.UnitOf(*col)); ok {
				times, _ := ratio.Float64()
				number *= times // lessons of 2 hours, in minutes
			}
			f := plan.Filter{Column: col.Heading, Op: plan.In, Values: []string{strconv.FormatFloat(number, 'f', -1, 64)}}
			c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: f, text: text}}}) // laptops with 16 GB
		}
	case link.Op:
		cat := opCat
		if m.Sense == "after" {
			cat = afterCat
		}
		o := bound{span: at, op: m.Op, arg: m.Arg}
		if m.Column != nil {
			o.of = &figure{span: at, column: m.Column, text: text}
		}
		c.add(m.From, m.To, cat, cost, sketch{bounds: []bound{o}})
	case link.Fold:
		c.add(m.From, m.To, foldCat, cost, sketch{shape: shape{fold: m.Sense}})
	case link.Rank:
		c.rank(m, text, cost)
	case link.State, link.Word:
		if m.Sense == "missed" {
			c.missed(m, text, cost)
			return
		}
		if m.Sense == "unit" || m.Sense == "refund" && c.x.comesBack() || c.x.isMarked(c.tokens[m.From]) {
			return // package when has them, a column of days, or a column of yes and no
		}
		if t := c.tokens[m.From]; m.How == link.Corrected && t.Text != "" && !slices.ContainsFunc(t.Fixes, func(fix string) bool { return fix != "" && fix[0] == t.Text[0] }) {
			return // shaving is no having
		}
		c.word(m, cost)
	case link.Topic:
		cost := costThing
		isTwoNouns := m.To == m.From+2 && english.IsNoun(c.tokens[m.From].Lemma) && english.IsNoun(c.tokens[m.From+1].Lemma)
		if (m.To-m.From > 2 || isTwoNouns) && c.within == 0 {
			cost = costPhrase
		}
		c.add(m.From, m.To, thingCat, cost, sketch{missing: []missing{{span: at, what: m.Arg}}})
	}
}

// missed adds the condition that nobody came, by the values that say so.
func (c *chart) missed(m link.Mention, text string, cost float64) {
	for _, r := range c.x.source.Reversals {
		if col, ok := plan.Column(c.x.source, r.Column); ok && r.Kind == schema.MissedSale {
			m.Column, m.Values, m.How = &col, r.Values, link.Near
			c.value(m, text, cost)
		}
	}
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
	if m.Metric == plan.Revenue && m.Per == "" && c.x.earned != nil {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: c.x.earned, text: text}}})
		return
	}
	if isDelivery := c.tokens[m.To-1].Lemma == "deliver" || link.IsDelivery(c.tokens[m.To-1].Lemma); isDelivery && m.Metric == plan.LastDay && c.x.source.Kind != schema.Purchases {
		return // to customers
	}
	if m.Metric == plan.Rows && (c.isSourceNoun(m) || c.listsNumbers(m)) {
		return
	}
	if i := c.listedFrom(m.From); m.Metric == plan.Customers && c.x.can(m.Metric) && i >= 0 && slices.Contains([]string{"list", "name"}, c.tokens[i].Text) {
		return // and not how many there are
	}
	if m.Arg == link.HeadArg && m.How == link.Near {
		if m.From > 0 && slices.Contains([]string{"per", "each", "every", "any", "a"}, c.tokens[m.From-1].Text) {
			return // takings per shift
		}
		c.nouns = join(c.nouns, []noun{{span: at, of: "the rows of " + c.x.source.Name}})
	}
	if m.Arg == link.KindArg {
		c.nouns = join(c.nouns, []noun{{span: at, of: m.Metric.Title()}})
	}
	if m.Metric == plan.Customers && !c.x.can(m.Metric) {
		c.visits(at)
		isOf := func(o link.Mention) bool { // orders from German customers
			return o.Kind == link.Value && o.To == m.From && o.From > 0 && slices.Contains(prepositions, c.tokens[o.From-1].Text)
		}
		if slices.ContainsFunc(c.mentions, isOf) {
			return
		}
	}
	if m.Metric == plan.StockUnits && c.leavesOne(m) {
		return
	}
	isRow := func(o link.Mention) bool { return o.Sense == "row" && o.From == m.From && o.To == m.To }
	if m.Metric == plan.Units && !c.x.can(c.x.nearest(m.Metric)) && slices.ContainsFunc(c.mentions, isRow) {
		return // copies, of which each row is one
	}
	if m.Metric == plan.StockUnits && !c.x.can(m.Metric) && strings.HasPrefix(text, "left") && !c.hasWord("many") && c.hasWord("after", "once", "minus", "less") {
		c.skips[m.From] = append(c.skips[m.From], m.To) // what is left of sales after refunds
		return
	}
	f := figure{span: at, metric: m.Metric, per: m.Per, text: text}
	if off, ok := c.x.source.ByRole(schema.Discount); ok && text == "discounted" {
		some := plan.Filter{Column: off.Heading, Op: plan.More, Values: []string{"0"}}
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: some, role: schema.Discount, text: text}}})
		return
	}
	if m.Metric == plan.Revenue && m.Per == "" && c.plural(m.To) && c.x.isOrder(c.tokens[m.From:m.To]) {
		f.metric = plan.Orders // receipts of a column Receipt No
	}
	if m.Metric == plan.AmountOwed && !c.x.can(m.Metric) {
		c.owedAfter(m)
		c.owed(m)
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: at, what: "what is owed"}}})
		return
	}
	if col := c.x.onlyMoney(); m.Metric == plan.Revenue && m.Per == "" && col != nil {
		c.add(m.From, m.To, figureCat, cost+costNear, sketch{figures: []figure{{span: at, column: col, text: text}}})
		return
	}
	if m.Arg == link.HeadArg && c.x.source.Kind == schema.Sales {
		f.metric = plan.Orders // rentals of bike_rentals
	}
	if isSold := slices.ContainsFunc(c.tokens, func(t link.Token) bool { return t.Lemma == "sell" || t.Lemma == "sold" }); !c.x.can(m.Metric) && (isSold || !c.x.can(c.x.nearest(m.Metric))) {
		cost += costNotGiven
	}
	if m.Metric == plan.Orders && !c.x.can(plan.Orders) && !c.plural(m.To) {
		cost += costNotGiven // a bill is its amount
	}
	if m.Metric == plan.Units && m.To > m.From+1 && m.From > 0 && slices.Contains([]string{"which", "what"}, c.tokens[m.From-1].Text) {
		cost += costVerb // which items sell
	}
	if left, ok := c.x.source.ByRole(schema.Owed); ok && m.Metric == plan.AmountOwed && c.hasWord("many", "number") {
		some := plan.Filter{Column: left.Heading, Op: plan.More, Values: []string{"0"}}
		c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{{span: at, Filter: some, role: schema.Owed, text: text}}}) // how many owe us
	}
	c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{f}})
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
	rows := []string{"row", "record", "entry", "line", "count", "rowcount"}
	kind := c.x.source.Kind
	isCalledSo := m.Arg == link.HeadArg && (kind == schema.Sales || kind == schema.Customers || kind == schema.Stocklist && m.Kind == link.Word)
	return !isCalledSo && (kind != schema.Other || m.Kind == link.Metric) && !slices.Contains(rows, c.tokens[m.To-1].Lemma)
}

// value adds a condition on the rows.
func (c *chart) value(m link.Mention, text string, cost float64) {
	if t := c.tokens[m.From]; m.To == m.From+1 && !t.Upper && t.Quote == 0 && slices.Contains([]string{"a", "an", "i", "the"}, t.Text) {
		return // an article
	}
	if m.How == link.Partial && m.To == m.From+1 && c.isVerbAt(m.From) {
		return // what we bin is no bin liner
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
	if m.To == m.From+1 && m.How == link.Exact && len(m.Values) == 1 && !strings.EqualFold(strings.TrimSuffix(m.Values[0], "s"), strings.TrimSuffix(c.tokens[m.From].Text, "s")) {
		cost += costInflected
	}
	f.guessed = m.Quality <= link.Hint || m.How == link.Corrected || m.How == link.Near || m.How == link.Partial
	c.add(m.From, m.To, valueCat, cost, sketch{where: []cond{f}})
}

// isPack reports whether a word of a product's name says in what another one is sold: bags of wild
// bird seed, which are no poo bags.
func (c *chart) isPack(m link.Mention) bool {
	isGoods := func(o link.Mention) bool {
		return o.Kind == link.Value && o.From == m.To+1 && o.How == link.Exact && o.Column == m.Column
	}
	isPart := m.How == link.Partial && m.To == m.From+1 && m.To < len(c.tokens) && m.Column.Role == schema.Product
	return isPart && c.tokens[m.To].Text == "of" && c.plural(m.To) && c.x.can(plan.Units) && slices.ContainsFunc(c.mentions, isGoods)
}

// roleOrder ranks the columns of a value that several have, wider ones first.
var roleOrder = []schema.Role{
	schema.Category, schema.Product, schema.Brand, schema.Region, schema.Country, schema.State, schema.City, schema.Store,
	schema.Channel, schema.Payment, schema.Segment, schema.Customer, schema.Supplier, schema.Staff, schema.Status, schema.SKU, schema.None,
}

// passing are the words of function that may be between the parts of a production.
var passing = []link.Sense{"of", "in", "for", "all"}

// word adds the item of a word of function.
func (c *chart) word(m link.Mention, cost float64) {
	if c.isOtherWord(m) {
		return
	}
	at := span{m.From, m.To}
	s := sketch{marks: []mark{{span: at, sense: m.Sense, arg: m.Arg, column: m.Column}}}
	if m.Sense == "row" && m.How == link.Near {
		c.nouns = join(c.nouns, []noun{{span: at, of: "the rows of " + c.x.source.Name}})
	}
	if c.passes(m) || c.rate(m, s, cost) || c.wordOfTime(m, cost) || c.howMuch(m, cost) {
		return
	}
	if m.Sense == "net" && c.tokens[m.From].Text == "net" && m.To == m.From+1 {
		m.Sense = "bare net" // of nothing that is named
	}
	c.add(m.From, m.To, string(m.Sense), cost-costMention+costFunction, s)
}

// determiners come before nouns, and before no clause.
var determiners = []string{"the", "a", "our", "my", "his", "her", "their", "'s", "each", "every", "per", "this", "that", "which", "any"}

// isOtherWord reports whether the words have another use by their place than that of a word of
// function. It skips particles of verbs.
func (c *chart) isOtherWord(m link.Mention) bool {
	t, before := c.tokens[m.From], ""
	if m.From > 0 {
		before = c.tokens[m.From-1].Text
	}
	switch {
	case m.Sense == "buy" && c.plural(m.To) && c.listedFrom(c.stateFrom(m.From)) >= 0: // list the cancelled orders
		return true
	case t.Text == "till" && m.Sense == "until" && slices.Contains(determiners, before): // of a shop
		isHeading := func(o link.Mention) bool { return o.Kind == link.Column && o.From == m.From }
		if !slices.ContainsFunc(c.mentions, isHeading) {
			c.skips[m.From] = append(c.skips[m.From], m.To)
		}
		return true
	case m.Sense == "single" && c.ranksBeside(m): // the single biggest
		c.skips[m.From] = append(c.skips[m.From], m.To)
		return true
	case m.Sense == "row" && c.isSourceNoun(m), m.Sense == "rank" && t.Text == "orders": // orders by year are no order
		return true
	case before == "many" && isChange(m) && c.plural(m.To): // how many drops
		return true
	case m.Sense == "with" && t.Lemma == "leave" && !c.leavesOne(m), m.Sense == "told" && !c.denies():
		return true
	case c.isParticle(m):
		c.skips[m.From] = append(c.skips[m.From], m.To)
		return true
	case c.isAttribute(m), m.Sense == "until" && slices.Contains([]string{"by", "per", "each", "which", "every"}, before): // by till
		return true
	}
	return m.Sense == "sell" && c.isHeading(m) || m.Sense == "quiet" && !c.x.knowsVisits()
}

// ranksBeside reports whether a superlative is next to some words.
func (c *chart) ranksBeside(m link.Mention) bool {
	return slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return o.Kind == link.Rank && (o.To == m.From || o.From == m.To) })
}

// denies reports whether the question has a word of negation.
func (c *chart) denies() bool {
	return slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Word && (m.Sense == "not" || m.Sense == "without") })
}

// passes skips words that may be between the parts of a production. It reports whether they can be
// nothing else.
func (c *chart) passes(m link.Mention) bool {
	before := ""
	if m.From > 0 {
		before = c.tokens[m.From-1].Text
	}
	joins := m.Sense == "where" && m.From > 0 && !slices.Contains(append([]string{"me", "know", "see"}, prepositions...), before) // sales where the size is L
	during := m.Sense == "when" && m.To == m.From+1 && m.From > 1 && !slices.Contains([]string{"know", "me", "see", "and", "show", "tell", "is", "was", "or"}, before)
	opens := m.Sense == "by" && m.From == 0 && m.To == 1 && c.tokens[0].Text == "group"
	if joins || during || opens || slices.Contains(passing, m.Sense) {
		c.skips[m.From] = append(c.skips[m.From], m.To)
	}
	return joins
}

// rate adds the figure or the words of a rate; it reports false for other words. How do they rate us
// asks for the rating.
func (c *chart) rate(m link.Mention, s sketch, cost float64) bool {
	if m.Sense != "share" || m.Arg != "rate" || c.endsValue(m.From) {
		return false
	}
	next := ""
	if m.To < len(c.tokens) {
		next = c.tokens[m.To].Text
	}
	if rating, ok := c.x.source.ByRole(schema.Rating); ok && slices.Contains(rated, next) {
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: span{m.From, m.To}, column: &rating, fold: "mean", text: "rating"}}})
	} else if next == "of" {
		c.add(m.From, m.To, "rate of", cost, s)
	}
	return true
}

// wordOfTime adds words for how full places are, and for days on which something should have
// happened; it reports whether they have no other use.
func (c *chart) wordOfTime(m link.Mention, cost float64) bool {
	switch m.Sense {
	case "occupancy":
		c.occupancy(span{m.From, m.To}, cost)
	case "delay":
		c.delay(m, cost)
	case "away":
		c.away(m, c.text(m.From, m.To), cost)
	case "late":
		c.late(m, c.text(m.From, m.To), cost)
	case "duration":
		if c.tokens[m.From].Lemma != "time" {
			c.turnaround(m, cost)
		}
		return false
	default:
		return false
	}
	return true
}

// howMuch adds the figure of how long, how old and the like, or that no column has it; it reports
// false for other words.
func (c *chart) howMuch(m link.Mention, cost float64) bool {
	at := span{m.From, m.To}
	switch {
	case m.Sense != "howmuch":
		return false
	case m.Column != nil:
		fold := link.Sense("mean")
		if c.hasWord("total", "sum", "median", "altogether", "longest", "shortest") {
			fold = "" // the total length of lessons
		}
		c.add(m.From, m.To, figureCat, cost, sketch{figures: []figure{{span: at, column: m.Column, fold: fold, text: m.Arg}}})
	case m.Arg != "" && m.Arg != "price":
		c.add(m.From, m.To, thingCat, cost, sketch{missing: []missing{{span: at, what: m.Arg + "s"}}})
	default:
		return false
	}
	return true
}

// rated are the words after which "rate" is a verb.
var rated = []string{"us", "me", "it", "them", "him", "her", "our", "my", "the"}

// isHeading reports whether a word for selling is the heading of a column: the makes with the
// highest revenue.
func (c *chart) isHeading(m link.Mention) bool {
	if !slices.ContainsFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Text && strings.EqualFold(col.Heading, c.tokens[m.From].Lemma)
	}) {
		return false
	}
	before, after := "by", "with"
	if m.From > 0 {
		before = c.tokens[m.From-1].Text
	}
	if m.To < len(c.tokens) {
		after = c.tokens[m.To].Text
	}
	return slices.Contains([]string{"by", "per", "each", "every", "all", "the", "list", "of", "for", "different", "best", "worst", "top", "bottom", "and", "other"}, before) ||
		slices.Contains([]string{"with", "by", "where", "is", "are", "has", "have", "had", "do", "did", "sell", "sold", "grew"}, after)
}

// endsValue reports whether the words of a value of few end before a token.
func (c *chart) endsValue(at int) bool {
	return slices.ContainsFunc(c.starts[:at], func(row []*item) bool {
		return slices.ContainsFunc(row, func(it *item) bool { return it.to == at && it.cat == valueCat })
	})
}

func (c *chart) text(from, to int) string {
	var out []string
	for _, t := range c.tokens[from:to] {
		if t.Raw != "" {
			out = append(out, t.Raw)
		}
	}
	return strings.Join(out, " ")
}

// plural reports whether a mention's last word is a plural.
func (c *chart) plural(to int) bool {
	t := c.tokens[to-1]
	return t.Text != t.Lemma && strings.HasSuffix(t.Text, "s") || t.Text == "people"
}

// rank adds a superlative. The worst defect rate is the highest: the figure decides the
// direction of those that judge.
func (c *chart) rank(m link.Mention, text string, cost float64) {
	if c.tokens[m.From].Lemma == "have" && slices.ContainsFunc(c.tokens, func(t link.Token) bool { return t.Text == "than" }) {
		return // had higher sales than
	}
	if isAddition := c.tokens[m.From].Text == "top" && m.From > 0 && c.tokens[m.From-1].Text == "on"; isAddition {
		return // sold on top
	}
	if m.How == link.Corrected && m.From > 0 && slices.Contains([]string{"most", "least"}, c.tokens[m.From-1].Text) {
		return // the most favourited is no second superlative
	}
	r := &rank{span: span{m.From, m.To}, down: m.Sense == "bottom", judges: m.Arg == "polar", counts: m.Arg == "many", plural: c.plural(m.To), text: strings.ToLower(text)}
	s := sketch{shape: shape{rank: r}}
	switch m.Arg {
	case "", "polar", "many":
	case "units", "sell":
		s.marks = []mark{{span: r.span, sense: "sell", arg: m.Arg}}
	case "price":
		s.marks = []mark{{span: r.span, sense: "price"}}
	default:
		f, ok := c.daysOfSpeed(m)
		if r.column = m.Column; r.column != nil && !(ok && c.hasWord("pay", "pays", "paid")) {
			break
		}
		if ok {
			r.down, r.column, r.figure = (m.Arg == "speed") != (r.down != (m.Column != nil)), nil, &f // the slowest takes the most days
			break
		}
		role := schema.Role(m.Arg)
		if rolePlural[role] == "" {
			role = schema.None
		}
		c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: r.span, what: m.Arg, role: role}}})
		r.attribute = m.Arg
		cost += costAttribute // grew fastest
	}
	c.add(m.From, m.To, rankCat, cost, s)
}

// hasWord reports whether a heading has one of some words.
func hasWord(heading string, words ...string) bool {
	return slices.ContainsFunc(strings.Fields(strings.ToLower(link.Spaced(heading))), func(w string) bool { return slices.Contains(words, w) })
}

// flagWord returns the heading of a column of yes or no without signs: paid of Paid? (Y/N).
func flagWord(c schema.Column) string {
	heading, _, _ := strings.Cut(strings.ToLower(c.Heading), "(")
	return strings.Trim(heading, "? ")
}

// isFlag reports whether a column is yes or no.
func isFlag(c schema.Column) bool {
	switch c.Type {
	case schema.Truth:
		return true
	case schema.Number:
		return c.Scale == 0 && c.Distinct <= 2 && c.Role == schema.None && c.Unit == schema.Plain
	}
	return c.Type == schema.Text && yesOf(c) != ""
}

// yesOf returns the value of a column of yes or no that means yes, or "".
func yesOf(c schema.Column) string {
	if c.Type != schema.Text {
		return "1"
	}
	if len(c.Values) == 0 || len(c.Values) > 2 {
		return ""
	}
	yes := ""
	for _, v := range c.Values {
		switch strings.ToLower(v) {
		case "yes", "y", "true", "t":
			yes = v
		case "no", "n", "false", "f":
		default:
			return ""
		}
	}
	return yes
}

// names reports whether the heading of a column has a word.
func (x *lexicon) names(word string) bool {
	return slices.ContainsFunc(x.source.Columns, func(c schema.Column) bool { return hasWord(c.Heading, word) })
}

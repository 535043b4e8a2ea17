package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/english"
	"svc/server/schema"
)

// passing are the words of function that may be between the parts of a production.
var passing = []link.Sense{"of", "in", "for", "all"}

// word adds the item of a word of function.
func (c *chart) word(m link.Mention, cost float64) {
	if c.isOtherWord(m) {
		return
	}
	if c.doesLess(m) {
		if m.Sense == "less" {
			m.Sense = "shrunk"
		} else {
			m.Sense = "grown"
		}
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

// doesLess reports whether "less" is beside a verb and nothing that it is less than: which customers are spending less,
// which is than before. "More" says so only of what goes on: who is spending more.
func (c *chart) doesLess(m link.Mention) bool {
	if m.Sense != "less" && m.Sense != "more" || m.Arg != "" || m.From == 0 || c.hasWord("than", "or", "much", "many", "vs", "versus", "often") || c.hasWord("day", "days", "month", "months", "week", "weeks", "hour", "hours") || !c.hasWord("which", "who") {
		return false
	}
	verb := c.tokens[m.From-1].Text
	isVerb := slices.Contains([]string{"spending", "selling", "buying", "ordering", "earning"}, verb) || m.Sense == "less" && slices.Contains([]string{"spend", "sell", "buy", "order", "earn"}, verb)
	return isVerb && (m.To == len(c.tokens) || !english.IsNoun(c.tokens[m.To].Lemma))
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
	case m.Sense == "buy" && isRent(t.Text) && (before == "" || before == "much" || slices.Contains(prepositions, before) || slices.Contains(determiners, before)): // what a shop pays for its rooms
		return true
	case m.Sense == "buy" && c.plural(m.To) && c.listedFrom(c.stateFrom(m.From)) >= 0: // list the cancelled orders
		return true
	case t.Text == "till" && m.Sense == "until" && slices.Contains(determiners, before): // of a shop
		isHeading := func(o link.Mention) bool { return o.Kind == link.Column && o.From == m.From }
		if !slices.ContainsFunc(c.mentions, isHeading) {
			c.skips[m.From] = append(c.skips[m.From], m.To)
		}
		return true
	case m.Sense == "grown" && t.Lemma == "raise" && c.x.can(plan.Orders) && !c.hasWord("price", "prices", "rate", "rates", "by"): // an invoice
		return true
	case m.Sense == "grown" && t.Lemma == "add" && slices.Contains([]string{"people", "customers", "they", "guests", "clients"}, before): // the extras that people add
		return true
	case m.Sense == "shrunk" && t.Lemma == "fall" && m.To < len(c.tokens) && c.tokens[m.To].Text == "due": // what falls due
		c.skips[m.From] = append(c.skips[m.From], m.To)
		return true
	case m.Sense == "single" && (c.ranksBeside(m) || c.ranksOrders(m)): // the single biggest
		c.skips[m.From] = append(c.skips[m.From], m.To)
		return true
	case m.Sense == "row" && c.isSourceNoun(m), m.Sense == "rank" && t.Text == "orders": // orders by year are no order
		return true
	case before == "many" && isChange(m) && c.plural(m.To): // how many drops
		return true
	case isChange(m) && before == "which" && c.isNoun(m.From): // which cut sells best
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

// isRent reports whether a verb of having for a time is also a noun for what is paid for it.
func isRent(word string) bool { return slices.Contains([]string{"rent", "lease"}, word) }

// ranksBeside reports whether a superlative is next to some words.
func (c *chart) ranksBeside(m link.Mention) bool {
	return slices.ContainsFunc(c.mentions, func(o link.Mention) bool { return o.Kind == link.Rank && (o.To == m.From || o.From == m.To) })
}

// ranksOrders reports whether orders are named after some words, and ranked: which single order was the largest.
func (c *chart) ranksOrders(m link.Mention) bool {
	isRank := func(o link.Mention) bool { return o.Kind == link.Rank }
	isOrder := func(o link.Mention) bool { return o.From == m.To && o.Kind == link.Dim && o.Role == schema.Order }
	return slices.ContainsFunc(c.mentions, isRank) && slices.ContainsFunc(c.mentions, isOrder)
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
	case "expire":
		c.expires(m, cost)
	case "overstock":
		c.overstocked(m, cost)
	case "shelfprofit":
		c.profitOnShelf(m, cost)
	case "short":
		c.deliveredShort(m, cost)
	case "partpaid":
		c.partPaid(m, cost)
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

// endsValue reports whether the words of a value, or of what became of a sale, end before a token.
func (c *chart) endsValue(at int) bool {
	return slices.ContainsFunc(c.starts[:at], func(row []*item) bool {
		return slices.ContainsFunc(row, func(it *item) bool {
			return it.to == at && slices.Contains([]string{valueCat, "cancelled", "refund"}, it.cat)
		})
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
	if c.ranksLongestAgo(m, text, cost) {
		return
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
		if r.column = c.x.birthday(); m.Arg == "age" && r.column != nil {
			r.down = !r.down // the oldest was born first
			break
		}
		if col := c.lengthAfter(m); col != nil {
			r.span, r.column, r.text = span{m.From, m.To + 1}, col, strings.ToLower(c.text(m.From, m.To+1))
			break
		}
		c.attribute(m, r)
		cost += costAttribute // grew fastest
	}
	c.add(r.from, r.to, rankCat, cost, s)
}

// lengthAfter returns the column of numbers of which a superlative of length is said: the longest terms. It returns nil
// if the next word is none.
func (c *chart) lengthAfter(m link.Mention) *schema.Column {
	i := slices.IndexFunc(c.mentions, func(o link.Mention) bool {
		isNumber := o.Kind == link.Column && o.Column.Type == schema.Number && o.Column.Unit != schema.Money && o.How != link.Near && !isFlag(*o.Column)
		return isNumber && o.From == m.To && o.To == m.To+1
	})
	if i < 0 || m.Arg != "length" && m.Arg != "duration" {
		return nil
	}
	return c.mentions[i].Column
}

// ranksLongestAgo adds the order of the days on which something last happened to the goods of a list, and reports whether
// the words ask for it: sold longest ago, longest since a delivery.
func (c *chart) ranksLongestAgo(m link.Mention, text string, cost float64) bool {
	isTime := m.Sense == "top" && slices.Contains([]string{"length", "duration"}, m.Arg)
	if !isTime || c.x.source.Kind != schema.Stocklist || m.To == len(c.tokens) || !slices.Contains([]string{"ago", "since"}, c.tokens[m.To].Text) {
		return false
	}
	var days []*schema.Column
	for i := range c.x.source.Columns {
		if col := &c.x.source.Columns[i]; isDay(col) && col.Blank < c.x.source.Rows {
			days = append(days, col)
		}
	}
	if told, _ := cut(days, func(col *schema.Column) bool { return c.x.tellsOf(col, c.tokens) }); len(told) > 0 {
		days = told
	}
	if len(days) != 1 {
		return false
	}
	r := &rank{span: span{m.From, m.To + 1}, down: true, column: days[0], text: strings.ToLower(text)}
	c.add(m.From, m.To+1, rankCat, cost, sketch{shape: shape{rank: r}, marks: []mark{{span: r.span, sense: longestAgo}}})
	return true
}

// longestAgo is the sense of a superlative of the time since something happened.
const longestAgo = "longest ago"

// listLongestAgo lists the goods of which it is longest ago that something happened.
func (b *builder) listLongestAgo() error {
	r := b.s.rank
	if r == nil || r.column == nil || !b.s.has(longestAgo) || len(b.s.counts)+len(b.s.bounds) > 0 {
		return nil
	}
	b.p.List = &plan.Listing{By: r.column.Heading}
	if product, ok := b.productHeading(); ok {
		b.p.List.Columns = []string{product}
	}
	b.p.Measures = []plan.Measure{{Metric: plan.Rows}}
	b.p.Order, b.p.Limit = plan.Lowest, max(1, r.limit)
	plural := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.plural }) || slices.ContainsFunc(b.s.names, func(n name) bool { return n.plural })
	if r.limit == 0 && plural {
		b.p.Limit = 10
	}
	b.s.rank, b.s.groups, b.s.names, b.s.figures = nil, nil, nil, nil
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "sell" && m.sense != "buy" && m.sense != longestAgo })
	return nil
}

// attribute makes a superlative that of something that no column has.
func (c *chart) attribute(m link.Mention, r *rank) {
	role := schema.Role(m.Arg)
	if rolePlural[role] == "" {
		role = schema.None
	}
	c.add(m.From, m.To, thingCat, costThing, sketch{missing: []missing{{span: r.span, what: m.Arg, role: role}}})
	r.attribute = m.Arg
}

// birthday returns the column of the days on which people were born, or nil.
func (x *lexicon) birthday() *schema.Column {
	i := slices.IndexFunc(x.source.Columns, func(c schema.Column) bool {
		return isDay(&c) && hasWord(c.Heading, "dob", "birth", "born", "birthday", "birthdate")
	})
	if i < 0 {
		return nil
	}
	return &x.source.Columns[i]
}

package read

import (
	"slices"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Goods that a shop has one by one, its own or those of others: what is still there, how long it has been there, what
// the shop keeps of a sale and what it owes for it.

// shownPhrases say that goods are where customers see them.
var shownPhrases = []string{"on the shop floor", "on the sales floor", "on the floor", "on display", "on show", "out front"}

// heldPhrases say that goods are still in the shop; of those that begin alike the longer ones are first.
var heldPhrases = append(slices.Clone(shownPhrases),
	"still on the floor", "still on the rack", "still on the racks", "still in the shop", "still in store", "got in the shop", "still got with us",
	"on the racks", "on the rack", "on the rails", "on the rail", "on the shelves", "on the shelf", "on the hangers", "still with us", "still on sale", "still for sale",
	"sitting here", "sat here", "stuck here", "been here", "hanging around", "for sale", "still here", "still got", "still have", "still in", "here now",
)

// findHeld adds the words for goods that are still in the shop.
func (c *chart) findHeld() {
	if c.x.bought == nil {
		return
	}
	b := &builder{chart: c}
	last := len(c.tokens) - 1
	for i := 0; i <= last; i++ {
		to := 0
		for _, p := range heldPhrases {
			if b.says(i, p) {
				to = i + len(strings.Fields(p))
				break
			}
		}
		asksAny := b.wordAt(0, "any", "have", "do") || b.wordAt(0, "what") && b.hasWord("got")
		if i == last && i > 1 && asksAny && c.tokens[i].Text == "in" && !b.comesIn(i) {
			to = i + 1 // any Gucci in
		}
		if to == 0 {
			continue
		}
		c.dropFrom(i, to-1)
		for k := range to {
			c.skips[k] = slices.DeleteFunc(c.skips[k], func(end int) bool { return end > i }) // no filler
		}
		c.unknown[i].cost = costMeaningUnused
		c.add(i, to, valueCat, costFunction-costMention, sketch{where: []cond{{span: span{i, to}, Filter: c.x.bought.isLeft(), text: c.text(i, to)}}})
		i = to - 1
	}
}

// bringing are verbs that, with "in", say that goods come to the shop.
var bringing = []string{"come", "comes", "came", "coming", "bring", "brings", "brought", "bringing", "take", "taken", "took"}

// comesIn reports whether a word is the particle of a verb of bringing: what came in.
func (b *builder) comesIn(i int) bool {
	return b.wordAt(i-1, bringing...) || b.wordAt(i-2, "bring", "brings", "brought")
}

// asksHeld reports whether a condition of a question is that goods are still in the shop.
func (b *builder) asksHeld() bool {
	if b.x.bought == nil {
		return false
	}
	left := b.x.bought.isLeft()
	return slices.ContainsFunc(b.s.where, func(f cond) bool {
		return f.Column == left.Column && f.Op == left.Op && slices.Equal(f.Values, left.Values)
	})
}

// readHeld lists the goods that are still in the shop where no figure of them is asked for, and takes days that they
// are compared with for those since they came in: what has been sitting here over 120 days.
func (b *builder) readHeld() error {
	if f := b.standsAt(); f != nil && !b.asksHeld() {
		b.s.where = join(b.s.where, []cond{{span: f.span, Filter: b.x.bought.isLeft(), text: f.text}})
	}
	since := b.heldSince()
	b.s.bounds = slices.Clone(b.s.bounds)
	for i, o := range b.s.bounds {
		op := map[plan.Op]plan.Op{plan.More: plan.Less, plan.AtLeast: plan.AtMost, plan.Less: plan.More, plan.AtMost: plan.AtLeast}[o.op]
		if o.unit != link.Days || o.other != nil || o.of != nil || since == nil || op == "" {
			continue
		}
		f := plan.Filter{Column: since.Heading, Part: plan.Day, Op: op, Values: []string{b.daysAgo(int(o.number)).Format(time.DateOnly)}}
		b.s.where = join(b.s.where, []cond{{span: o.span, Filter: f, role: since.Role, text: b.text(o.from, o.to)}})
		b.s.bounds = slices.Delete(b.s.bounds, i, i+1)
		b.relative = true
		break
	}
	if since == nil && !b.asksHeld() {
		return nil
	}
	s := &b.s
	isOther := len(s.figures)+len(s.counts)+len(s.groups)+len(s.bounds)+len(s.earlier) > 0 || s.rank != nil || s.fold != "" || s.pair != "" || s.has("howmany", "howmuch", "money", "share", "price", "trend", "versus", "when", "who")
	if b.p.List == nil && !isOther && (b.wordAt(0, "any", "anything", "show", "have", "do") || b.s.has("list", "which")) {
		b.p.List = &plan.Listing{}
		b.p.Measures = []plan.Measure{{Metric: plan.Rows}}
		b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return !slices.Contains([]link.Sense{"sell", "buy", "which", "list"}, m.sense) })
		b.s.names = nil
	}
	return nil
}

// heldSince returns the column of the day on which the state in the question began: when goods came into the shop, or
// Ready for jobs that are ready. It returns nil if there is none.
func (b *builder) heldSince() *schema.Column {
	if b.asksHeld() {
		return b.x.bought.in
	}
	for _, f := range b.s.where {
		if f.Op == plan.In && f.role == schema.Status && len(f.Values) == 1 {
			return b.x.dayCalled(strings.Fields(strings.ToLower(f.Values[0]))...)
		}
	}
	return nil
}

// standsAt returns the condition of where goods stand now, or are worth something, which those that were sold do not:
// what is in the barn. It returns nil if the words are of no place, or of other days.
func (b *builder) standsAt() *cond {
	i := slices.IndexFunc(b.s.where, func(f cond) bool {
		at := f.from - 1
		for b.wordAt(at, determiners...) {
			at--
		}
		isIn := b.wordAt(at, "in", "on", "at") && b.wordAt(at-1, "is", "are", "have", "got", "left", "standing", "sitting", "sat", "everything", "anything")
		return f.Op == plan.In && f.Part == plan.Whole && (isIn || b.wordAt(f.to, "worth"))
	})
	if i < 0 || b.x.bought == nil || len(b.s.periods) > 0 || b.s.has("sell", "buy") {
		return nil
	}
	return &b.s.where[i]
}

// heldWorth adds what the goods that are still in the shop are worth, and reports whether that is asked for.
func (b *builder) heldWorth() bool {
	price, priced := b.x.source.ByRole(schema.Price)
	if !b.asksHeld() || !b.asksWorth() && !b.hasWord("worth", "value") || b.x.bought.paid == nil && !priced {
		return false
	}
	if b.x.bought.paid != nil {
		price = *b.x.bought.paid
	}
	b.addMeasure(plan.Measure{Metric: plan.Sum, Column: price.Heading})
	return true
}

// findSellThrough adds the share of single goods that were sold.
func (c *chart) findSellThrough() {
	b := &builder{chart: c}
	for i := 0; c.x.bought != nil && i+1 < len(c.tokens); i++ {
		to := i + 2
		if !b.says(i, "sell through") && !b.says(i, "sale through") {
			continue
		}
		if b.wordAt(to, "rate", "percentage", "%") {
			to++
		}
		at := span{i, to}
		c.dropFrom(i, to-1)
		c.add(i, to, clauseCat, 0, sketch{
			marks: []mark{{span: at, sense: "share"}}, figures: []figure{{span: at, metric: plan.Rows, text: c.text(i, to)}},
			where: []cond{{span: at, Filter: c.x.bought.wasSold(), text: c.text(i, to)}},
		})
	}
}

// ownWords are in the headings of what a shop keeps of the sales of others' goods.
var ownWords = []string{"store", "shop", "house", "our", "gallery", "commission", "comm"}

// findCut adds the words for what the shop keeps of the sales of others' goods: our cut, the shop's share.
func (c *chart) findCut() {
	i := slices.IndexFunc(c.x.source.Columns, func(col schema.Column) bool {
		return col.Type == schema.Number && col.Role == schema.None && col.Unit == schema.Money && hasWord(col.Heading, "share", "cut", "commission", "comm", "split") && hasWord(col.Heading, ownWords...)
	})
	if i < 0 {
		return
	}
	col := &c.x.source.Columns[i]
	for at := range c.tokens {
		isOurs := slices.Contains([]string{"our", "my", "the", "shop", "store", "'s", "house"}, c.tokens[at].Text) && at+1 < len(c.tokens)
		isKept := slices.Contains([]string{"we", "i"}, c.tokens[at].Text) && at+1 < len(c.tokens) && slices.Contains([]string{"keep", "kept"}, c.tokens[at+1].Text)
		if isKept || isOurs && slices.Contains([]string{"cut", "share", "commission", "take", "slice"}, c.tokens[at+1].Text) && !(c.tokens[at].Text == "the" && c.tokens[at+1].Text == "share") {
			c.dropFrom(at, at+1)
			c.add(at, at+2, figureCat, costFunction-costMention, sketch{figures: []figure{{span: span{at, at + 2}, column: col, fold: "sum", text: c.text(at, at+2)}}})
		}
	}
}

// payable returns the column of what the shop has to pay for each row to those whose goods it sells, and that of who
// they are, such as Due Consignor beside Consignor; nil, nil if it has none.
func (x *lexicon) payable() (amount, to *schema.Column) {
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		if c.Type != schema.Number || c.Unit != schema.Money || c.Role != schema.None || !hasWord(c.Heading, "due", "owed", "payable", "payout", "share") || hasWord(c.Heading, ownWords...) {
			continue
		}
		for k := range x.source.Columns {
			who := &x.source.Columns[k]
			if who.Type == schema.Text && who.Distinct > 1 && !strings.Contains(who.Heading, " ") && hasWord(c.Heading, strings.ToLower(who.Heading)) {
				return c, who
			}
		}
	}
	return nil, nil
}

// payables adds what the shop owes to those whose goods it sells: what is due to them of rows that are not paid. It
// reports whether a column has it.
func (c *chart) payables(at span) bool {
	due, to := c.x.payable()
	unpaid, ok := c.x.unpaid()
	if b := (&builder{chart: c}); due == nil || !ok || !b.weDo("owe") && !c.hasWord("due", "owed", "owing") {
		return false
	}
	if c.hasWord("who") {
		c.agent = to
	}
	text := c.text(at.from, at.to)
	c.add(at.from, at.to, clauseCat, 0, sketch{figures: []figure{{span: at, column: due, fold: "sum", text: text}}, where: []cond{{span: at, Filter: unpaid, text: text}}})
	return true
}

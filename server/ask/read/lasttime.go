package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// What was in the last of somebody's orders: what did Ann get last time she was in, what was in the last delivery from
// Hill Farm, what did they have last.

// lastTime is the sense of words for the last order, or for the last day.
const lastTime = "last time"

// Words beside "last" for it: nouns for an order, what may be before them, and what a clause has that only says that
// something happened then.
var (
	lastNouns   = []string{"time", "order", "visit", "bill", "invoice", "receipt", "purchase", "delivery", "shipment", "booking", "appointment", "trip", "hire", "job"}
	beforeLast  = []string{"in", "on", "at", "for", "with", "from", "of", "the", "their", "his", "her", "your", "our"}
	afterTime   = []string{"that", "they", "he", "she", "we", "it"}
	happenWords = []string{"was", "were", "came", "come", "had", "did", "been", "ordered", "visited", "bought", "booked", "in", "back", "here", "round", "around"}
)

// findLastTime adds these words of a question for what something was.
func (c *chart) findLastTime() {
	isAt := func(i int, words []string) bool {
		return i >= 0 && i < len(c.tokens) && slices.Contains(words, c.tokens[i].Text)
	}
	if _, dated := c.x.source.ByRole(schema.Day); !dated || !isAt(0, []string{"what", "which"}) || c.x.source.Kind != schema.Sales && c.x.source.Kind != schema.Purchases {
		return
	}
	i := slices.IndexFunc(c.tokens, func(t link.Token) bool { return t.Text == "last" })
	to := i + 1
	switch {
	case i < 2 || to < len(c.tokens) && !isAt(to, lastNouns):
		return
	case isAt(to, []string{"time"}):
		for to++; isAt(to, afterTime) || isAt(to, happenWords); to++ {
		}
	case to < len(c.tokens):
		to++
	}
	from := i
	for from > 2 && isAt(from-1, beforeLast) {
		from--
	}
	isHad := c.hasWord(havingWords...) || c.hasWord("have") && !isAt(1, []string{"have"}) || isAt(1, []string{"was", "is"}) && isAt(2, []string{"in", "on"})
	if !isHad || !c.ofSomebody(span{from, to}) {
		return
	}
	for k := from; k < to; k++ {
		c.starts[k], c.skips[k] = nil, nil
	}
	c.add(from, to, clauseCat, 0, sketch{marks: []mark{{span: span{from, to}, sense: lastTime}}})
}

// besidesNewest are words of questions for a figure of the last rows, or for some of them, and not for the rows.
var besidesNewest = strings.Fields("total average avg mean median sum how many much number count value worth come came by per each over under above below more less fewer than least most trend " +
	"compare compared vs versus against are is down up grown share percentage percent")

// findNewest adds the words for the last rows: the last 5 orders, recent sales. "Sales" are rows here, and not revenue.
func (c *chart) findNewest() {
	day, isDated := c.x.source.ByRole(schema.Day)
	if !isDated || c.asksOfNewest() {
		return
	}
	for i, t := range c.tokens {
		at := i + 1
		if at < len(c.tokens) && isNumeral(c.tokens[at].Text) {
			at++
		}
		isLast := t.Text == "last" && at == i+2 || slices.Contains([]string{"latest", "newest", "recent"}, t.Text)
		if !isLast || at >= len(c.tokens) || !c.namesRows(at) {
			continue
		}
		from := i
		if i > 0 && c.tokens[i-1].Text == "most" {
			from--
		}
		c.clear(from, i+1)
		c.clear(at, at+1)
		c.rank(link.Mention{Kind: link.Rank, From: from, To: i + 1, Sense: "top", Arg: "date", Column: &day}, c.text(from, i+1), costMention)
		row := span{at, at + 1}
		if order, ok := c.x.source.ByRole(schema.Order); ok && order.Distinct < c.x.source.Rows {
			c.add(at, at+1, nameCat, costMention, sketch{names: []name{{span: row, column: &order, role: schema.Order, plural: true, text: c.text(at, at+1)}}})
			continue
		}
		c.add(at, at+1, "row", costMention, sketch{marks: []mark{{span: row, sense: "row"}}})
	}
}

// asksOfNewest reports whether such a word is in the question. The most recent are the rows.
func (c *chart) asksOfNewest() bool {
	for i, t := range c.tokens {
		isRecent := t.Text == "most" && i+1 < len(c.tokens) && c.tokens[i+1].Text == "recent"
		if slices.Contains(besidesNewest, t.Text) && !isRecent {
			return true
		}
	}
	return false
}

// clear takes all meanings from words.
func (c *chart) clear(from, to int) {
	for k := from; k < to; k++ {
		c.starts[k], c.skips[k] = nil, nil
	}
}

// namesRows reports whether a word is a plural of the rows: orders, invoices, and sales in a table of them.
func (c *chart) namesRows(i int) bool {
	return c.x.source.Kind == schema.Sales && c.tokens[i].Text == "sales" || c.plural(i+1) && slices.ContainsFunc(c.mentions, func(m link.Mention) bool {
		isRow := m.Kind == link.Word && m.Sense == "row" || m.Kind == link.Dim && m.Role == schema.Order || m.Kind == link.Metric && m.Metric == plan.Orders
		return isRow && m.From == i && m.To == i+1
	})
}

// ofSomebody reports whether words outside a span choose rows by a text, such as the customer.
func (c *chart) ofSomebody(at span) bool {
	return slices.ContainsFunc(slices.Concat(c.starts...), func(it *item) bool {
		if it.cat != valueCat || it.from < at.to && at.from < it.to || it.s.where[0].Op != plan.In || slices.Contains(sideRoles[0], it.s.where[0].role) {
			return false
		}
		col, ok := plan.Column(c.x.source, it.s.where[0].Column)
		return ok && col.Type == schema.Text
	})
}

// readLastTime lists what the last order had, or the last day, of the rows that the words choose.
func (b *builder) readLastTime() error {
	m := b.s.find(lastTime)
	if m == nil {
		return nil
	}
	day, _ := b.heading(schema.Day)
	product, _ := b.productHeading()
	isOwn := slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Op == plan.In && f.Part == plan.Whole && f.Column != product })
	if !isOwn || len(b.s.figures)+len(b.s.counts)+len(b.s.bounds)+len(b.s.contrast) > 0 || b.s.rank != nil || b.s.has("share", "howmuch", "howmany", "money") {
		return b.refuse(Unknown, "It is not clear what “%s” limits in this question, so it cannot be answered.", b.text(m.from, m.to))
	}
	b.p.List = &plan.Listing{By: day}
	if product != "" {
		b.p.List.Columns = []string{product}
	}
	b.p.Measures = []plan.Measure{{Metric: plan.Rows}}
	b.p.Order, b.p.Limit = plan.Highest, 1
	b.s.names, b.s.groups = nil, nil
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "sell" && m.sense != "buy" && m.sense != lastTime })
	return nil
}

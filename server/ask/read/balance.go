package read

import (
	"slices"
	"strconv"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// sides are words for more and for less than there should be.
var sides = map[string]bool{"over": true, "up": true, "plus": true, "surplus": true, "short": false, "under": false, "down": false, "minus": false, "deficit": false}

// drawers are what is counted up at the end of a day.
var drawers = []string{"till", "drawer", "register", "float"}

// balance returns the column of differences between counted and expected cash, such as Over/Short,
// or nil.
func (x *lexicon) balance() *schema.Column {
	for i := range x.source.Columns {
		c := &x.source.Columns[i]
		words := strings.Fields(strings.ToLower(link.Spaced(c.Heading)))
		signs := strings.Fields(strings.ToLower(c.Heading))
		signs = slices.DeleteFunc(signs, func(w string) bool { return slices.Contains(drawers, w) }) // Till +/-
		if c.Type == schema.Number && len(signs) == 1 && slices.Contains([]string{"+/-", "+-", "±"}, signs[0]) {
			return c
		}
		if len(words) != 2 || c.Type != schema.Number {
			continue
		}
		more, isMore := sides[words[0]]
		less, isLess := sides[words[1]]
		if isMore && isLess && more && !less {
			return c
		}
	}
	return nil
}

// findBalance adds the condition that a till was off to one side: the till was over, the till was
// down by more than a tenner.
func (c *chart) findBalance() {
	col := c.x.balance()
	till := slices.IndexFunc(c.tokens, func(t link.Token) bool { return slices.Contains(drawers, t.Text) })
	if col == nil || till < 0 {
		return
	}
	for i := range c.tokens {
		isMore, ok := sides[c.tokens[i].Text]
		isBound := slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Number && m.From == i+1 })
		if !ok || isBound || i < till && c.tokens[i].Text != "short" { // the till took over 2 grand
			continue
		}
		if from, f, ok := c.offBefore(i, isMore, col); ok { // more than a tenner short
			c.dropFrom(from, i)
			c.add(from, i+1, valueCat, costFunction-costMention, sketch{where: []cond{{span: span{from, i + 1}, Filter: f, text: c.text(from, i+1)}}})
			return
		}
		to, op, number := c.amountOff(i + 1)
		if _, both := sides[c.text(min(i+1, len(c.tokens)), min(i+2, len(c.tokens)))]; both || op == "" {
			return // the heading itself
		}
		c.starts[i] = nil                                        // neither a trend nor a comparison
		if op == plan.More && number == 0 && c.hasWord("much") { // how much was the till short
			c.add(i, to, figureCat, costFunction-costMention, sketch{figures: []figure{{span: span{i, to}, column: col, text: c.text(i, to)}}})
			return
		}
		if !isMore {
			number, op = 0-number, map[plan.Op]plan.Op{plan.More: plan.Less, plan.AtLeast: plan.AtMost}[op]
		}
		f := plan.Filter{Column: col.Heading, Op: op, Values: []string{strconv.FormatFloat(number, 'f', -1, 64)}}
		c.add(i, to, valueCat, costFunction-costMention, sketch{where: []cond{{span: span{i, to}, Filter: f, text: c.text(i, to)}}})
		return
	}
}

// offBefore reads by how much a till was off, before the word for the side: more than a tenner short. It returns
// the first token and the condition.
func (c *chart) offBefore(at int, isMore bool, col *schema.Column) (from int, f plan.Filter, ok bool) {
	var number, op *link.Mention
	for i, m := range c.mentions {
		if m.Kind == link.Number && m.To == at && m.Unit != link.Percent && (number == nil || m.From < number.From) {
			number = &c.mentions[i]
		}
	}
	if number == nil {
		return 0, f, false
	}
	from = number.From
	for from > 0 && slices.Contains([]string{"a", "an", "£", "$", "€"}, c.tokens[from-1].Text) {
		from--
	}
	for i, m := range c.mentions {
		if m.Kind == link.Op && m.To == from && (m.Op == plan.More || m.Op == plan.AtLeast) && (op == nil || m.From < op.From) {
			op = &c.mentions[i]
		}
	}
	f = plan.Filter{Column: col.Heading, Op: plan.AtLeast}
	if op != nil {
		from, f.Op = op.From, op.Op
	}
	value := number.Number
	if !isMore {
		value, f.Op = -value, map[plan.Op]plan.Op{plan.More: plan.Less, plan.AtLeast: plan.AtMost}[f.Op]
	}
	f.Values = []string{strconv.FormatFloat(value, 'f', -1, 64)}
	return from, f, true
}

// dropFrom forgets other readings of some tokens.
func (c *chart) dropFrom(from, to int) {
	for i := from; i <= to; i++ {
		c.starts[i] = nil
	}
}

// amountOff reads by how much a till was off, at a token: by more than a tenner. Without "by" it was
// off at all. It returns the token after it, and no operator for what is not understood.
func (c *chart) amountOff(at int) (to int, op plan.Op, number float64) {
	if at >= len(c.tokens) || c.tokens[at].Text != "by" {
		return at, plan.More, 0
	}
	op, at = plan.AtLeast, at+1
	longest := func(kind link.Kind) *link.Mention {
		var found *link.Mention
		for i, m := range c.mentions {
			if m.Kind == kind && m.From == at && (found == nil || m.To > found.To) {
				found = &c.mentions[i]
			}
		}
		return found
	}
	if m := longest(link.Op); m != nil {
		op, at = m.Op, m.To
	}
	for at < len(c.tokens) && slices.Contains([]string{"a", "an"}, c.tokens[at].Text) {
		at++
	}
	m := longest(link.Number)
	if m == nil || m.Unit == link.Percent || op != plan.More && op != plan.AtLeast {
		return at, "", 0
	}
	return m.To, op, m.Number
}

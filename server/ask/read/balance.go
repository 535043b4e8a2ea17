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
	for i := till + 1; i < len(c.tokens); i++ {
		isMore, ok := sides[c.tokens[i].Text]
		isBound := slices.ContainsFunc(c.mentions, func(m link.Mention) bool { return m.Kind == link.Number && m.From == i+1 })
		if !ok || isBound { // the till took over 2 grand
			continue
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

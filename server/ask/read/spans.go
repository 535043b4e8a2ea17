package read

import (
	"context"
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// stockTalk are words of questions about what there is or what to order, whatever days they name, and of those for
// more than these days.
var stockTalk = []string{"total", "overall", "altogether", "than", "compare", "price", "stock", "order", "reorder", "hand", "left", "need", "buy", "restock", "expire", "expires"}

// spanNamed returns what a question means over what was sold in the days that it names, in a list that has these
// in a column, and its words without those days: takings this week, of a list with Sold TW. It returns nil if the
// list has no such column, and if two are named or the question is about the stock.
func (x *lexicon) spanNamed(tokens []link.Token) (found *lexicon, left []link.Token) {
	is := func(w string, t link.Token) bool { return w == t.Text || w == t.Lemma || w == link.Full(t.Text) }
	for span, of := range x.spans {
		words := strings.Fields(span)
		for i := range tokens {
			if i+len(words) > len(tokens) || !slices.EqualFunc(words, tokens[i:i+len(words)], is) {
				continue
			}
			if found != nil || comparesDays(tokens, i, i+len(words)) {
				return nil, nil
			}
			found, left = of, slices.Concat(tokens[:i:i], tokens[i+len(words):])
		}
	}
	for i, t := range tokens { // against last, which is other days; what is set against something else is goods
		isVersus := slices.Contains([]string{"versus", "vs", "v", "against"}, t.Text)
		if slices.Contains(stockTalk, t.Lemma) || isVersus && i+1 < len(tokens) && slices.Contains([]string{"last", "this", "the", "previous", "before"}, tokens[i+1].Text) {
			return nil, nil
		}
	}
	return found, left
}

// comparesDays reports whether days are set beside others: sales v last week, this week against last. What is set
// beside something else in them is not: fruit v veg this week.
func comparesDays(tokens []link.Token, from, to int) bool {
	isAt := func(i int, words ...string) bool {
		return i >= 0 && i < len(tokens) && slices.Contains(words, tokens[i].Text)
	}
	sides := []string{"versus", "vs", "v", "against"}
	return isAt(from-1, sides...) || isAt(to, sides...) || slices.ContainsFunc(tokens, func(t link.Token) bool { return slices.Contains([]string{"normal", "usual", "previous"}, t.Text) })
}

// Words that set what was sold in some days beside what was sold in others, besides those of growth and loss, and
// those beside them.
var (
	besideWords  = []string{"versus", "vs", "v", "against", "compared", "than", "since", "change", "changed", "difference", "compare", "ahead"}
	besidesThese = []string{"on", "to", "with", "of", "from", "or", "and", "are", "is", "has", "have", "we", "most", "more", "less", "off", "what", "which", "how", "do", "did", "in", "the", "biggest", "year", "week", "month", "this", "last", "gone", "selling"}
)

// readSpansApart reads a question that sets what was sold in the days of one column beside what was sold in those of
// another: units sold this year against last, what has dropped off most since last year. It reports whether it is one.
func (x *lexicon) readSpansApart(ctx context.Context, q *words, day asOfDay) (Reading, bool) {
	has := func(words []string) bool {
		return slices.ContainsFunc(q.tokens, func(t link.Token) bool { return slices.Contains(words, t.Text) })
	}
	isDown := func(t link.Token) bool { return t.Is("shrunk") || t.Text == "lost" }
	isBeside := func(t link.Token) bool { return isDown(t) || t.Is("grown") || slices.Contains(besideWords, t.Text) }
	this, last := x.spansNamed(q.tokens)
	if this == nil || has([]string{"stock", "price", "order", "reorder"}) || !slices.ContainsFunc(q.tokens, isBeside) {
		return Reading{}, false
	}
	left := link.Tokenize("units sold")
	ranks := has([]string{"most", "biggest"})
	if ranks && has([]string{"what", "which"}) {
		left = link.Tokenize("units sold by product")
	}
	for _, t := range q.tokens {
		isSaid := t.Lemma == "unit" || t.Lemma == "sell" || t.Lemma == "sale"
		if !isSaid && !isBeside(t) && !slices.Contains(besidesThese, t.Text) {
			left = append(left, t)
		}
	}
	got, err := this.read(ctx, &words{tokens: left}, day)
	p := &got.Plan
	if err != nil || len(got.Unused) > 0 || len(p.Measures) == 0 || !p.Measures[0].Equal(plan.Measure{Metric: plan.Units}) || p.List != nil || p.Count {
		return Reading{}, false
	}
	p.Measures, got.Companions = nil, 0
	for _, of := range []*lexicon{this, last} {
		sold, _ := of.source.ByRole(schema.Quantity)
		p.Measures = append(p.Measures, plan.Measure{Metric: plan.Sum, Column: sold.Heading})
	}
	p.Derived = []plan.Derived{{Kind: plan.Difference, Of: 0, And: 1}, {Kind: plan.ChangeFrom, Of: 0, And: 1}}
	if ranks && len(p.By) == 1 {
		p.OrderBy, p.Limit, p.Order = len(p.Measures), 10, plan.Highest
		if slices.ContainsFunc(q.tokens, isDown) {
			p.Order = plan.Lowest
		}
	}
	got.Source, got.Certain = x.source, false
	return got, true
}

// spansNamed returns what was sold in the current days and in those before, if a list has both in columns and a
// question names the latter, or both: this year against last.
func (x *lexicon) spansNamed(tokens []link.Token) (this, last *lexicon) {
	text := " "
	for _, t := range tokens {
		text += link.Full(t.Text) + " "
	}
	for _, unit := range []string{"week", "month", "year"} {
		isLast := strings.Contains(text, " last "+unit+" ") || strings.Contains(text, " this "+unit+" ") && strings.Contains(text, " last ")
		if this, last = x.spans["this "+unit], x.spans["last "+unit]; isLast && this != nil && last != nil {
			return this, last
		}
	}
	return nil, nil
}

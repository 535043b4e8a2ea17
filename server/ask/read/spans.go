package read

import (
	"slices"
	"strings"

	"svc/server/ask/link"
)

// stockTalk are words of questions about what there is or what to order, whatever days they name, and of those for
// more than these days.
var stockTalk = []string{"total", "overall", "altogether", "than", "compare", "price", "stock", "order", "reorder", "hand", "left", "need", "buy", "restock", "expire", "expires"}

// spanNamed returns what a question means over what was sold in the days that it names, in a list that has these
// in a column, and its words without those days: takings this week, of a list with Sold TW. It returns nil if the
// list has no such column, and if two are named or the question is about the stock.
func (x *lexicon) spanNamed(tokens []link.Token) (found *lexicon, left []link.Token) {
	short := map[string]string{"yr": "year", "wk": "week", "mth": "month"}
	is := func(w string, t link.Token) bool { return w == t.Text || w == t.Lemma || w == short[t.Text] }
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

package read

import (
	"context"
	"slices"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Words of questions that set the stock of one place beside that of another, or beside all.
var (
	placeVersus = []string{"or", "vs", "versus", "v", "than", "against", "compared", "and", "split", "between"}
	placeShares = []string{"%", "percent", "percentage", "share", "proportion", "fraction"}
	placeWords  = slices.Concat(placeVersus, placeShares, []string{"more", "less", "fewer", "of", "in", "at", "on", "the", "to", "with", "our", "what", "is", "are", "a", "have", "we", "where", "has", "each", "how", "many", "much"})
)

// readPlaces reads a question that sets the stock of one of several places beside that of another, or of all
// of them: more in the shop or the warehouse, what % of the stock is in the shop. It reports whether it is one.
func (x *lexicon) readPlaces(ctx context.Context, q *words, now asOfDay) (Reading, bool) {
	has := func(words []string) bool {
		return slices.ContainsFunc(q.tokens, func(t link.Token) bool { return slices.Contains(words, t.Text) })
	}
	var named []string
	isNamed := make([]bool, len(q.tokens))
	for _, shelf := range x.shelves {
		if from, to := shelf.placeIn(q.tokens); to > 0 {
			stock, _ := shelf.source.ByRole(schema.Stock)
			named = append(named, stock.Heading)
			for i := from; i < to; i++ {
				isNamed[i] = true
			}
		}
	}
	if len(named) == 2 && has(slices.Concat(emptyWords, notWords)) {
		if got, ok := x.emptyHere(ctx, q, now, named, isNamed); ok {
			return got, true
		}
	}
	compares, shares := len(named) == 2 && has(placeVersus), len(named) == 1 && has(placeShares)
	if !compares && !shares || has([]string{"by", "per", "which"}) {
		return Reading{}, false
	}
	left := link.Tokenize("stock")
	for i, t := range q.tokens {
		if !isNamed[i] && t.Lemma != "stock" && !slices.Contains(placeWords, t.Text) {
			left = append(left, t)
		}
	}
	got, err := x.read(ctx, &words{tokens: left}, now)
	p := &got.Plan
	if err != nil || len(p.Measures) != 1 || !p.Measures[0].Equal(plan.Measure{Metric: plan.StockUnits}) || len(p.By) > 0 || p.List != nil {
		return Reading{}, false
	}
	stock := plan.Measure{Metric: plan.StockUnits}
	p.Measures = nil
	for _, heading := range named {
		p.Measures = append(p.Measures, plan.Measure{Metric: plan.Sum, Column: heading})
	}
	if shares {
		p.Measures = append(p.Measures, stock)
		p.Derived = []plan.Derived{{Kind: plan.ShareOf, Of: 0, And: 1}}
	}
	got.Certain = false
	return got, true
}

// emptyWords and notWords say that nothing is in a place, someWords that there is something in another, thereWords
// neither.
var (
	emptyWords = []string{"empty", "none", "nothing", "gone"}
	notWords   = []string{"not", "no", "without"}
	someWords  = []string{"but", "some", "still", "though"}
	thereWords = []string{"there", "which", "by", "got", "is", "product", "item", "items", "products", "lines", "out", "behind", "them", "it", "stuff", "any"}
)

// emptyHere reads what is empty in one place and not in the other: empty on the shelf but some in the warehouse, in the
// warehouse and none in the shop.
func (x *lexicon) emptyHere(ctx context.Context, q *words, now asOfDay, named []string, isNamed []bool) (Reading, bool) {
	denies := slices.Concat(emptyWords, notWords)
	empty := slices.IndexFunc(q.tokens, func(t link.Token) bool { return slices.Contains(denies, t.Text) })
	first, last := slices.Index(isNamed, true), len(isNamed)-1
	for !isNamed[last] {
		last--
	}
	isBetween := first < empty && empty < last
	if !isBetween && !slices.ContainsFunc(q.tokens, func(t link.Token) bool { return slices.Contains(someWords, t.Text) }) {
		return Reading{}, false
	}
	left := link.Tokenize("stock by product")
	said := slices.Concat(placeWords, denies, someWords, thereWords)
	for i, t := range q.tokens {
		if !isNamed[i] && t.Lemma != "product" && !slices.Contains(said, t.Text) {
			left = append(left, t)
		}
	}
	got, err := x.read(ctx, &words{tokens: left}, now)
	if err != nil || len(got.Plan.By) != 1 || len(got.Unused) > 0 {
		return Reading{}, false
	}
	away := func(heading string) int {
		shelf := slices.IndexFunc(x.shelves, func(o *lexicon) bool {
			stock, _ := o.source.ByRole(schema.Stock)
			return stock.Heading == heading
		})
		from, _ := x.shelves[shelf].placeIn(q.tokens)
		if isBetween && from < empty {
			return len(q.tokens) // what is not there is named after the negation
		}
		return max(from-empty, empty-from)
	}
	if away(named[1]) < away(named[0]) {
		slices.Reverse(named)
	}
	got.Plan.Where = append(slices.Clone(got.Plan.Where), plan.Filter{Column: named[0], Op: plan.AtMost, Values: []string{"0"}}, plan.Filter{Column: named[1], Op: plan.More, Values: []string{"0"}})
	got.Certain = false
	return got, true
}

package read

import (
	"context"
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// Words of questions that set the stock of one place beside that of another, or beside all.
var (
	placeVersus = []string{"or", "vs", "versus", "v", "than", "against", "compared", "and", "split", "between"}
	placeShares = []string{"%", "percent", "percentage", "share", "proportion", "fraction"}
	placeWords  = slices.Concat(placeVersus, placeShares, []string{"more", "less", "fewer", "of", "in", "at", "on", "the", "to", "with", "our", "what", "is", "are", "a", "have", "we", "where"})
)

// readPlaces reads a question that sets the stock of one of several places beside that of another, or of all
// of them: more in the shop or the warehouse, what % of the stock is in the shop. It reports whether it is one.
func (x *lexicon) readPlaces(ctx context.Context, q *words, today time.Time) (Reading, bool) {
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
	compares, shares := len(named) == 2 && has(placeVersus), len(named) == 1 && has(placeShares)
	if !compares && !shares || has([]string{"by", "each", "per", "which"}) {
		return Reading{}, false
	}
	left := link.Tokenize("stock")
	for i, t := range q.tokens {
		if !isNamed[i] && t.Lemma != "stock" && !slices.Contains(placeWords, t.Text) {
			left = append(left, t)
		}
	}
	got, err := x.read(ctx, &words{tokens: left}, today)
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

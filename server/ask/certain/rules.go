package certain

import (
	"slices"
	"strings"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// rules find the phrases that begin at a token.
var rules = []func(a *account, at int) []phrase{
	fillers, figures, valuations, folds, counts, names, askers, groups, values, negations, flags, states, days, periods, ranks, limits, shares, bounds, sides, verbs, pairs, suppositions,
}

// least is the quality of a link that is no guess.
const least = 0.7

// leastPart is the quality of a link by several words to the one value that has them.
const leastPart = 0.8

// isSure reports whether words were linked to what they mean by their own.
func isSure(m link.Mention) bool {
	if m.Kind == link.Value && m.How == link.Partial {
		return m.To-m.From > 1 && len(m.Values) == 1 && m.Quality >= leastPart
	}
	return m.Quality >= least && (m.How == link.Exact || m.How == link.Taught || m.How == link.Abbreviated)
}

// linked returns the sure mentions of some kinds that begin at a token.
func (a *account) linked(at int, kinds ...link.Kind) (found []link.Mention) {
	if at >= len(a.sure) {
		return nil
	}
	for _, m := range a.sure[at] {
		if slices.Contains(kinds, m.Kind) {
			found = append(found, m)
		}
	}
	return found
}

// says returns the end of the first of some phrases that begins at a token, or 0.
func (a *account) says(at int, phrases ...string) int {
	for _, text := range phrases {
		to := at
		for w := range strings.SplitSeq(text, " ") {
			if to >= len(a.Tokens) || a.Tokens[to].Text != w {
				to = 0
				break
			}
			to++
		}
		if to > 0 {
			return to
		}
	}
	return 0
}

// skip returns the first token from at on that is no article.
func (a *account) skip(at int) int {
	for at < len(a.Tokens) && slices.Contains(articles, a.Tokens[at].Text) {
		at++
	}
	return at
}

// fillers are words that change nothing wherever they stand, and words for a chart.
func fillers(a *account, at int) (found []phrase) {
	t := a.Tokens[at]
	if slices.Contains(articles, t.Text) || slices.Contains(silent, t.Text) || slices.Contains(prepositions, t.Text) {
		found = append(found, phrase{to: at + 1})
	}
	if slices.Contains(charts, t.Lemma) && len(a.linked(at, link.Value, link.Column)) == 0 {
		found = append(found, phrase{to: at + 1})
	}
	isOnly := t.Text == "only" && len(a.filters()) > 0
	isPiece := slices.Contains([]string{"unit", "piece"}, t.Lemma) && (a.p.Measures[0].Metric == plan.StockUnits || a.p.Measures[0].Metric == plan.OnOrder)
	if isOnly || isPiece {
		found = append(found, phrase{to: at + 1})
	}
	if to := a.says(at, asides...); to > 0 {
		found = append(found, phrase{to: to})
	}
	return found
}

// verbs are what shops and customers do, which is the figure where no noun names one.
func verbs(a *account, at int) (found []phrase) {
	t := a.Tokens[at]
	main := a.p.Measures[0]
	sold := main.Metric == plan.Units || main.Metric == plan.Revenue && !slices.Contains(earning, t.Lemma)
	if _, err := plan.FormulaOf(a.s, plan.Measure{Metric: plan.Profit}); err != nil {
		sold = sold || main.Metric == plan.Revenue
	}
	for _, m := range a.linked(at, link.Word) {
		if m.Sense != "sell" || m.Arg != "" {
			continue
		}
		if a.saysHowMany(at, main) {
			return nil
		}
		if sold && !a.hasRivalAmount(main) && main.Per != plan.PerOrder && !(slices.Contains(earning, t.Lemma) && a.isOfStaff()) {
			found = append(found, phrase{m.To, a.claim(part{kind: figure})})
		}
		found = append(found, phrase{to: m.To})
	}
	for _, m := range a.linked(at, link.Word) {
		if m.Sense != "perform" && m.Sense != "buy" && !(m.Sense == "sell" && slices.Contains(paying, t.Lemma)) {
			continue
		}
		found = append(found, phrase{to: m.To})
		if a.s.Kind == schema.Purchases && main.Metric == plan.Cost && slices.Contains(paying, t.Lemma) {
			found = append(found, phrase{m.To, a.claim(part{kind: figure})})
		}
	}
	return found
}

// saysHowMany reports whether a verb says how many pieces there are of something, and not what was taken:
// scones made, beside a column No. made, and scones sold.
func (a *account) saysHowMany(at int, main plan.Measure) bool {
	verb := a.Tokens[at].Text
	used := plan.Plan{Measures: []plan.Measure{main}}.Columns(a.s)
	isNamed := slices.ContainsFunc(a.s.Columns, func(c schema.Column) bool {
		isUsed := slices.ContainsFunc(used, func(u schema.Column) bool { return u.Heading == c.Heading })
		words := strings.Fields(strings.ToLower(link.Spaced(c.Heading)))
		return c.Type == schema.Number && !isUsed && len(words) > 0 && words[len(words)-1] == verb
	})
	after := []string{"we", "i", "they", "you", "have", "has", "had", "was", "were", "is", "are", "been", "much", "did", "what"}
	isOfThings := verb == "sold" && at > 0 && !slices.Contains(after, a.Tokens[at-1].Text)
	return main.Metric == plan.Revenue && (isNamed || isOfThings)
}

// isOfStaff reports whether the groups are of people who work here, whose earnings are wages.
func (a *account) isOfStaff() bool {
	return slices.ContainsFunc(a.p.By, func(d plan.Dimension) bool {
		c, _ := plan.Column(a.s, d.Column)
		return c.Role == schema.Staff
	})
}

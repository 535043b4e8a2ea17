package read

import (
	"context"
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
)

// Words of shares: those that ask for a part of what follows "of", and those for money, of which a bound on orders
// makes another part.
var (
	portionWords = []string{"percentage", "percent", "proportion", "share", "fraction", "%"}
	moneyWords   = []string{"revenue", "takings", "income", "turnover", "profit", "money", "sales", "spend", "cost", "costs", "comes", "came", "come"}
)

// readPortion reads what share of things passes a threshold, as how many do and of how many: what percentage of orders
// are over 20, what share of customers spent more than 500. It reports false if the words are something else.
func (r *Reader) readPortion(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool) {
	i := slices.IndexFunc(tokens, func(t link.Token) bool { return slices.Contains(portionWords, t.Text) })
	isStart := func(t link.Token) bool { return slices.Contains([]string{"what", "whats", "'s", "is", "the"}, t.Text) }
	if i < 0 || i+2 >= len(tokens) || tokens[i+1].Text != "of" || slices.ContainsFunc(tokens[:i], func(t link.Token) bool { return !isStart(t) }) || hasAny(tokens[i+2:], moneyWords...) {
		return Reading{}, false
	}
	got, err := r.readWhole(ctx, "how many "+question[tokens[i+2].Start:], today)
	if err != nil || len(got.Unused) > 0 || !got.shareOfBounded() {
		return Reading{}, false
	}
	got.Certain = false
	return got, true
}

// shareOfBounded makes a number of groups or of rows that pass a bound their share of all. It reports false if the plan
// is something else.
func (r *Reading) shareOfBounded() bool {
	p := &r.Plan
	isBound := func(f plan.Filter) bool {
		return slices.Contains([]plan.Op{plan.More, plan.Less, plan.AtLeast, plan.AtMost}, f.Op) && f.Part == plan.Whole && f.Other == ""
	}
	isRows := len(p.By) == 0 && len(p.Measures)-r.Companions == 1 && p.Measures[0].Plain() && (p.Measures[0].Metric == plan.Rows || p.Measures[0].Metric == plan.Orders)
	switch {
	case p.Count && len(p.Having) > 0:
	case isRows && slices.ContainsFunc(p.Where, isBound):
		p.Part, p.Where = cut(p.Where, isBound)
		p.Measures, r.Companions = p.Measures[:1], 0
	default:
		return false
	}
	p.Share = true
	return true
}

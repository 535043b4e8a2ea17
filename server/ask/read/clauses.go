package read

import (
	"context"
	"slices"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// asking are the words with which a second question begins.
var asking = []string{"which", "who", "what", "where", "when", "how"}

// referring are the words that mean something of an earlier question.
var referring = []string{"they", "them", "their", "theirs", "it", "its", "that", "those", "these", "this", "he", "she", "him", "her", "his", "each", "same", "ones", "one"}

// isDoubted reports whether two people would read the words apart.
func (r Reading) isDoubted() bool { return !r.Certain || len(r.Unused) > 0 || r.Rival != nil }

// isSeveral reports whether a question mark is inside the text.
func isSeveral(tokens []link.Token) bool {
	return slices.ContainsFunc(tokens[min(1, len(tokens)):], func(t link.Token) bool { return t.Mark == "?" })
}

// readClauses reads two questions that "and" or a full stop joins, each of which can be read
// by itself: what were sales in May and which products sold best. The second is about the
// days of the first unless it names others.
func (r *Reader) readClauses(ctx context.Context, question string, tokens []link.Token, today time.Time) (Reading, bool) {
	for i := 2; i+2 < len(tokens); i++ {
		begin := i + 1
		if ends := tokens[i].Mark == "?" || tokens[i].Mark == ";" || tokens[i].Mark == "."; ends {
			begin = i
		} else if tokens[i].Text != "and" {
			continue
		}
		refers := func(t link.Token) bool { return slices.Contains(referring, t.Text) }
		if !slices.Contains(asking, tokens[begin].Text) || slices.ContainsFunc(tokens[begin:], refers) {
			continue
		}
		first, err1 := r.readWhole(ctx, question[:tokens[i].Start], today)
		second, err2 := r.readWhole(ctx, question[tokens[begin].Start:], today)
		ofFirst := refersBack(tokens[begin:]) && second.Plan.Limit == 0 // and what was the occasion
		if err1 != nil || err2 != nil || len(first.Unused)+len(second.Unused) > 0 || ofFirst {
			return Reading{}, false
		}
		if !hasAny(tokens[begin:], "total", "overall", "altogether", "all") && first.addToFirst(second) {
			return first, true
		}
		if second.Plan.Period == nil && second.Source.ID == first.Source.ID {
			second.Plan.Period = first.Plan.Period
		}
		if tokens[begin].Text == "how" && second.Source.ID == first.Source.ID {
			second.inherit(first)
			if leads := slices.Contains([]string{"by", "for", "per", "each", "every"}, tokens[0].Text); leads && second.Plan.List == nil && len(second.Plan.By) == 0 {
				second.Plan.By, second.Plan.Order = first.Plan.By, first.Plan.Order // by branch, how many jobs and how much money
			}
		}
		first.Certain, first.Next = false, &second
		return first, true
	}
	return Reading{}, false
}

// addToFirst gives the first of a ranking the figures that a second question asks for without a condition: which
// day was best, and how much did we take, which is on that day. It reports false if the second asks for something else.
func (r *Reading) addToFirst(second Reading) bool {
	p, q := &r.Plan, second.Plan
	isFirst := len(p.By) > 0 && p.Limit == 1 && p.List == nil && p.Compare == nil && !p.Share
	if bare := (plan.Plan{Source: q.Source, Day: q.Day, Measures: q.Measures}); !isFirst || canonical(q) != canonical(bare) || q.Source != p.Source {
		return false
	}
	for _, m := range q.Measures[:len(q.Measures)-second.Companions] {
		if !slices.ContainsFunc(p.Measures, m.Equal) {
			p.Measures = append(p.Measures, m)
		}
	}
	r.Certain, r.Companions, r.Beside = false, 0, true
	return true
}

// inherit adds the conditions of an earlier question to one that asks how many of the same: Ann's
// lessons, how many were done and how many cancelled. A state is not that of the other, and
// neither is a value of a column of which the second names one.
func (r *Reading) inherit(first Reading) {
	if len(r.Plan.By) > 0 || r.Plan.List != nil || r.Plan.WhatIf != nil {
		return
	}
	own := r.Plan.Filters()
	for _, f := range first.Plan.Where {
		c, _ := plan.Column(r.Source, f.Column)
		isState := c.Role == schema.Status || slices.ContainsFunc(r.Source.Reversals, func(v schema.Reversal) bool { return v.Column == f.Column })
		isGoods := slices.Contains([]schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand}, c.Role)
		if !isState && !isGoods && !isFlag(c) && !slices.ContainsFunc(own, func(o plan.Filter) bool { return o.Column == f.Column }) {
			r.Plan.Where = addFilter(r.Plan.Where, f)
		}
	}
}

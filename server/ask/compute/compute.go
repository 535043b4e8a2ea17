// Package compute turns a plan into SQL, runs it, and returns exact figures.
//
// It owns the SQL of questions and the arithmetic after it. It reads no question, words no
// answer, and opens no file: the caller brings the table. A statement has column names of
// the schema and bound values, never a text of the question.
//
// Sums are integers of 10^-Scale to the end, and quotients are fractions, so that nothing
// is rounded before it is shown (H1).
package compute

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"svc/db"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// MaxGroups bounds the groups of a result.
const MaxGroups = plan.MaxLimit

// Table runs a SELECT over a source's From and returns at most limit rows. Both a
// dataset's file and the shop's store are one.
type Table interface {
	Query(ctx context.Context, limit int, sql string, args ...any) (db.DataRows, error)
}

// Group has the figures of one group, in the order of the plan's measures. A nil number
// means that there is none, such as the margin of no sales.
type Group struct {
	Labels []string   // in the order of By; empty in a plan without By
	Now    []*big.Rat // money and counts in whole units, per cent as 12.5
	Before []*big.Rat // of Compare
	Days   []string   // in place of a number if the metric is a day
	Share  *big.Rat   // of the whole by the first measure, in per cent
	Rows   int64      // number in Period
	Past   int64      // number in Compare
}

// Result is a computed plan.
type Result struct {
	Plan   plan.Plan
	Source schema.Source // with the rules on refunds that applied, see plan.Apply
	Groups []Group       // at most MaxGroups
	Tied   []Group       // beyond the limit, equal to the last group by the first measure
	Last   []Group       // with Ends: the groups at the other end, with those that tie; the last of Groups
	Count  int64         // number of all groups, whatever the limit
	Of     int64         // with Count and Share of the plan: number of groups, whether they pass or not; else 0
	Total  Group         // all rows together; without By, or of measures that add up
	Base   []*big.Rat    // Total before WhatIf; nil without WhatIf
	Rival  *Group        // in a plan for one group, the first by the second measure
	High   *Group        // the groups with the most and the least by the first measure, see extremes
	Low    *Group
	Causes []Cause  // with Why, the largest first
	Whole  *big.Rat // the first measure over the plan's Whole
	// Omitted are the rows left out for blank cells, by column.
	Omitted []Omission
	Strays  *Omission // rows of a city that say another state than nearly all of its rows; nil: none
	Listed  [][]Cell  // with List: its rows, at most MaxGroups; with Ends first those of one end
	Ends    int       // with List and Ends: how many of Listed are of the first end
	SQL     []string
}

// Run computes a plan that passes Check, with the other figures that an answer shows.
func Run(ctx context.Context, t Table, s schema.Source, p plan.Plan) (Result, error) {
	if err := plan.Check(p, s); err != nil {
		return Result{}, err
	}
	s, err := withoutOtherPlaces(ctx, t, plan.Apply(p, s), p)
	if err != nil {
		return Result{}, err
	}
	p, strays, err := apart(ctx, t, s, p)
	if err != nil {
		return Result{}, err
	}
	r, err := run(ctx, t, s, p)
	if err != nil {
		return Result{}, err
	}
	r.Strays = strays
	if p.Share && len(p.By) == 0 && len(p.Part) == 0 && len(p.Measures) == 2 {
		r.Groups[0].Share = Percent(r.Total.Now[0], r.Total.Now[1])
	}
	for _, complete := range []func(context.Context, Table, schema.Source, *Result) error{
		countAll, shareOfAll, rival, extremes, wholePeriod, steps, omissions, causes, list, ends,
	} {
		if err := complete(ctx, t, s, &r); err != nil {
			return Result{}, err
		}
	}
	return r, nil
}

// countAll counts all groups, if those that pass a threshold are asked for as a share of them.
func countAll(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if !p.Count || !p.Share {
		return nil
	}
	p.Having, p.Share = nil, false
	all, err := run(ctx, t, s, p)
	if err != nil {
		return err
	}
	r.Of = all.Count
	r.SQL = append(r.SQL, all.SQL...)
	return nil
}

// shareOfAll computes the shares of groups that pass a threshold from the total of all
// groups, not of those that pass, and those of counts that do not add up from all rows.
func shareOfAll(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if !p.Share || p.Count || len(p.By) == 0 || len(r.Groups) == 0 || len(p.Having) == 0 && r.Total.Now[0] != nil {
		return nil
	}
	p.Measures, p.Derived, p.OrderBy, p.Having, p.Limit = p.Measures[:1], nil, 0, nil, 1
	if f, err := plan.FormulaOf(s, p.Measures[0]); err == nil && f.Top.Fold == plan.FoldDistinct && f.Bottom == nil {
		p.By, p.Share, p.Order, p.Limit, p.Each, p.Nth = nil, false, "", 0, false, 0
		for _, d := range r.Plan.By {
			p.Where = append(slices.Clip(p.Where), plan.Filter{Column: d.Column, Op: plan.Filled})
		}
	}
	all, err := run(ctx, t, s, p)
	if err != nil {
		return err
	}
	for i := range r.Groups {
		r.Groups[i].Share = Percent(r.Groups[i].Now[0], all.Total.Now[0])
	}
	r.SQL = append(r.SQL, all.SQL...)
	return nil
}

// rival finds the first group by the second measure if one group was asked for: the best
// seller by money need not be the best by pieces.
func rival(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if p.Limit != 1 || len(p.Measures) < 2 || p.OrderBy > 0 || len(p.Derived) > 0 || p.Measures[1].Restricted() || p.Order != plan.Highest && p.Order != plan.Lowest {
		return nil
	}
	p.Measures = []plan.Measure{p.Measures[1]}
	p.Having, p.Share = nil, false
	other, err := run(ctx, t, s, p)
	if err != nil || len(other.Groups) == 0 {
		return err
	}
	r.Rival = &other.Groups[0]
	r.SQL = append(r.SQL, other.SQL...)
	return nil
}

// ends finds the groups at the other end of the order.
func ends(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if !p.Ends || p.List != nil {
		return nil
	}
	p.Order, p.Ends = p.Order.Opposite(), false
	other, err := run(ctx, t, s, p)
	if err != nil {
		return err
	}
	r.Last = append(other.Groups, other.Tied...)
	r.Groups = append(r.Groups, r.Last...)
	r.SQL = append(r.SQL, other.SQL...)
	return nil
}

// Truncated reports whether there are more groups than a result holds although the plan
// has no limit.
func (r *Result) Truncated() bool {
	return r.Plan.Limit == 0 && len(r.Groups) > 0 && r.Count > int64(len(r.Groups))
}

// extremes finds the groups with the most and the least of all groups if the result is
// truncated and its groups are in the order of their labels, or have a profit, of which the
// least may be a loss.
func extremes(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if !r.Truncated() || p.Count {
		return nil
	}
	isRanked := p.Order != plan.ByLabel && (p.Order != "" || p.By[0].Part == plan.Whole)
	first := p.Measures[0].Metric
	if isRanked && first != plan.Profit && first != plan.Margin {
		return nil
	}
	main := p.Main()
	var ends [2]*Group
	for i, order := range []plan.Order{plan.Highest, plan.Lowest} {
		p.Order, p.OrderBy, p.Limit, p.Share = order, main, 1, false
		found, err := run(ctx, t, s, p)
		if err != nil {
			return err
		}
		r.SQL = append(r.SQL, found.SQL...)
		if len(found.Groups) > 0 {
			ends[i] = &found.Groups[0]
		}
	}
	r.High, r.Low = ends[0], ends[1]
	return nil
}

// wholePeriod computes the figure of the full period whose first days are compared.
func wholePeriod(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if p.Whole == nil {
		return nil
	}
	p = totalPlan(p)
	p.Period = r.Plan.Whole
	all, err := run(ctx, t, s, p)
	if err != nil {
		return err
	}
	r.Whole = all.Total.Now[0]
	r.SQL = append(r.SQL, all.SQL...)
	return nil
}

// totalPlan returns a plan for the first figure over all rows, without groups or
// comparison.
func totalPlan(p plan.Plan) plan.Plan {
	p.Measures, p.Derived, p.OrderBy, p.By, p.Having, p.Part = p.Measures[:1], nil, 0, nil, nil, nil
	p.Compare, p.Whole, p.WhatIf = nil, nil, nil
	p.Order, p.Limit, p.Each, p.Count, p.Why, p.Share, p.Steps = "", 0, false, false, false, false, false
	return p
}

func run(ctx context.Context, t Table, s schema.Source, p plan.Plan) (Result, error) {
	if len(p.Measures) > 1 && len(p.By) == 0 && p.ByCustomer() {
		return separately(ctx, t, s, p)
	}
	q, found, err := execute(ctx, t, s, p)
	if err != nil {
		return Result{}, fmt.Errorf("compute: %w", err)
	}

	r := Result{Plan: p, Source: s, SQL: []string{q.sql}}
	if err := q.read(found.Rows, &r); err != nil {
		return Result{}, fmt.Errorf("compute: %w", err)
	}
	return r.limited(), nil
}

// MaxTies is how many groups beyond a limit are compared with the last one.
const MaxTies = 5

// limited separates the groups that were asked for from those that tie with the last of
// them.
func (r Result) limited() Result {
	p := r.Plan
	if p.Limit == 0 || p.Each || len(r.Groups) <= p.Limit {
		return r
	}
	last := r.Groups[p.Limit-1].Now[p.OrderBy]
	for _, g := range r.Groups[p.Limit:] {
		if last != nil && g.Now[p.OrderBy] != nil && g.Now[p.OrderBy].Cmp(last) == 0 && (p.Order == plan.Highest || p.Order == plan.Lowest) {
			r.Tied = append(r.Tied, g)
		}
	}
	r.Groups = r.Groups[:p.Limit]
	return r
}

// execute runs the plan's statement by the quickest suitable strategy, and by the next one
// if that fails because there are more groups than estimated or sums exceed 64 bits.
func execute(ctx context.Context, t Table, s schema.Source, p plan.Plan) (q *query, found db.DataRows, err error) {
	for _, w := range strategies(ctx, t, s, p) {
		if q, err = compile(s, p, w); errors.Is(err, errNotAdded) {
			continue
		} else if err != nil {
			return nil, db.DataRows{}, err
		}
		if found, err = t.Query(ctx, MaxGroups, q.sql, q.args...); err == nil || ctx.Err() != nil {
			break
		}
	}
	return q, found, err
}

// strategies returns the ways to run a plan's statement, the quickest first.
func strategies(ctx context.Context, t Table, s schema.Source, p plan.Plan) (ways []strategy) {
	switch {
	case s.Rows < pregroupRows || p.ByCustomer():
	case pregrouped(s, p.By...) && !isOrdered(ctx, t, s, p):
		ways = []strategy{{pre: &pregroup{}, parts: true}, {pre: &pregroup{exact: true}, parts: true}}
	default:
		ways = []strategy{{parts: true}}
	}
	return append(ways, strategy{}, strategy{wide: true})
}

// isOrdered reports whether an index has all that the groups need, in their order, so that
// SQLite need not sort.
func isOrdered(ctx context.Context, t Table, s schema.Source, p plan.Plan) bool {
	q, err := compile(s, p, strategy{})
	if err != nil {
		return false
	}
	found, err := t.Query(ctx, MaxGroups, "EXPLAIN QUERY PLAN "+q.grouped(), q.args...)
	covered := false
	for _, row := range found.Rows {
		detail, _ := row[len(row)-1].(string)
		if strings.Contains(detail, "FOR GROUP BY") {
			return false
		}
		covered = covered || strings.Contains(detail, "COVERING INDEX")
	}
	return err == nil && covered
}

// separately computes each measure by a statement of its own and joins the results.
func separately(ctx context.Context, t Table, s schema.Source, p plan.Plan) (Result, error) {
	var all Result
	for i, m := range p.Measures {
		single := p
		single.Measures = []plan.Measure{m}
		r, err := run(ctx, t, s, single)
		if err != nil {
			return Result{}, err
		}
		if i == 0 {
			all = r
			continue
		}
		all.SQL = append(all.SQL, r.SQL...)
		all.Total.Now = append(all.Total.Now, r.Total.Now...)
		all.Total.Before = append(all.Total.Before, r.Total.Before...)
		all.Total.Days = append(all.Total.Days, r.Total.Days...)
		all.Total.Rows = max(all.Total.Rows, r.Total.Rows)
	}
	all.Plan = p
	all.Groups = []Group{all.Total}
	return all, nil
}

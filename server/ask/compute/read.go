package compute

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// read makes groups and totals of the rows of the answer.
func (q *query) read(rows [][]any, r *Result) error {
	for _, row := range rows {
		if len(row) != len(q.index) {
			return fmt.Errorf("%d columns, want %d", len(row), len(q.index))
		}
		r.Groups = append(r.Groups, q.group(row))
	}
	if len(rows) == 0 {
		return nil
	}
	r.Groups = firstOfEach(q.plan, r.Groups)
	r.Count = integer(rows[0][q.index["groups"]])
	if len(q.plan.By) == 0 {
		r.Total = r.Groups[0]
	} else {
		r.Total = q.total(rows[0])
	}
	if len(q.plan.WhatIf) > 0 {
		r.Base = q.base(rows[0])
	}
	q.share(r, rows)
	return nil
}

// base returns the figures of the whole without WhatIf.
func (q *query) base(row []any) (out []*big.Rat) {
	for i := range q.plan.Measures {
		f := q.figures[i]
		side := f.now
		if len(q.plan.By) > 0 {
			side = f.total
		}
		out = append(out, q.value(row, f, side, true))
	}
	return q.withDerived(out, row, false)
}

// firstOfEach returns the first groups for each value of the first dimension.
func firstOfEach(p plan.Plan, groups []Group) []Group {
	if !p.Each {
		return groups
	}
	kept := map[string]int{}
	var out []Group
	for _, g := range groups {
		if kept[g.Labels[0]]++; kept[g.Labels[0]] <= p.Limit {
			out = append(out, g)
		}
	}
	return out
}

func (q *query) group(row []any) Group {
	g := Group{Rows: integer(row[q.index["n"]]), Past: integer(row[q.index["past"]])}
	for i, d := range q.plan.By {
		c, _ := plan.Column(q.source, d.Column)
		g.Labels = append(g.Labels, label(c, d.Part, row[i]))
	}
	g.Days = make([]string, q.plan.Figures())
	for i := range q.plan.Measures {
		f := q.figures[i]
		if f.day {
			g.Days[i], _ = row[q.index[f.now.top[0].column]].(string)
			g.Now = append(g.Now, nil)
		} else {
			g.Now = append(g.Now, q.value(row, f, f.now, false))
		}
		if q.plan.Compare != nil {
			g.Before = append(g.Before, q.value(row, f, f.before, false))
		}
	}
	return q.derived(g, row, true)
}

// derived adds the derived figures of a group or of the whole.
func (q *query) derived(g Group, row []any, running bool) Group {
	g.Now = q.withDerived(g.Now, row, running)
	if q.plan.Compare != nil {
		g.Before = q.withDerived(g.Before, row, running)
	}
	return g
}

// total reads the figures of the whole, which every row has.
func (q *query) total(row []any) Group {
	g := Group{Rows: integer(row[q.index["all"]]), Past: integer(row[q.index["all past"]]), Days: make([]string, q.plan.Figures())}
	for i := range q.plan.Measures {
		f := q.figures[i]
		g.Now = append(g.Now, q.value(row, f, f.total, false))
		if q.plan.Compare != nil {
			g.Before = append(g.Before, q.value(row, f, f.pastTotal, false))
		}
	}
	return q.derived(g, row, false)
}

// share sets each group's percentage of the whole, or the percentage of Part.
func (q *query) share(r *Result, rows [][]any) {
	if !q.plan.Share || len(q.plan.By) == 0 && len(q.plan.Part) == 0 {
		return
	}
	f := q.figures[0]
	for i := range r.Groups {
		part, whole := r.Groups[i].Now[0], r.Total.Now[0]
		if len(q.plan.Part) > 0 {
			part, whole = q.value(rows[i], f, f.part, false), r.Groups[i].Now[0] // without By there is one group
			if part == nil {
				part = new(big.Rat)
			}
		}
		r.Groups[i].Share = Percent(part, whole)
	}
	if len(q.plan.By) == 0 {
		r.Total = r.Groups[0]
	}
}

// Percent returns a part of a whole in per cent; nil if one is missing or the whole is 0.
func Percent(part, whole *big.Rat) *big.Rat {
	if part == nil || whole == nil || whole.Sign() == 0 {
		return nil
	}
	out := new(big.Rat).Quo(part, whole)
	return out.Mul(out, big.NewRat(100, 1))
}

// Rounded returns a number as an integer of 10^-places, rounded half away from zero.
// Figures are rounded where they are shown, and nowhere before (H1).
func Rounded(r *big.Rat, places int) *big.Int {
	scaled := new(big.Rat).Mul(r, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)))
	negative := scaled.Sign() < 0
	scaled.Abs(scaled)
	scaled.Add(scaled, big.NewRat(1, 2))
	n := new(big.Int).Quo(scaled.Num(), scaled.Denom())
	if negative {
		n.Neg(n)
	}
	return n
}

// value returns a quotient; nil if there is none. With base it leaves out the WhatIf.
func (q *query) value(row []any, f figure, s quotient, base bool) *big.Rat {
	top := q.sum(row, s.top, base)
	if top == nil || len(s.bottom) == 0 {
		return top
	}
	bottom := q.sum(row, s.bottom, base)
	if f.percent {
		return Percent(top, bottom)
	}
	if bottom == nil || bottom.Sign() == 0 {
		return nil
	}
	return top.Quo(top, bottom)
}

// sum returns the sum of cells; nil if the first cell is NULL.
func (q *query) sum(row []any, cells []cell, base bool) *big.Rat {
	var total *big.Rat
	for i, c := range cells {
		n, ok := number(row[q.index[c.column]])
		if !ok && i == 0 {
			return nil
		}
		if !ok || base && !c.base {
			continue
		}
		n.Mul(n, c.factor)
		n.Quo(n, new(big.Rat).SetInt(power(c.scale)))
		if total == nil {
			total = new(big.Rat)
		}
		total.Add(total, n)
	}
	return total
}

func number(v any) (*big.Rat, bool) {
	switch v := v.(type) {
	case int64:
		return new(big.Rat).SetInt64(v), true
	case float64:
		r := new(big.Rat).SetFloat64(v)
		return r, r != nil
	}
	return nil, false
}

func integer(v any) int64 {
	n, _ := v.(int64)
	return n
}

// label returns a group's name: a weekday by its English name, an hour as 09:00.
func label(c schema.Column, p plan.Part, v any) string {
	n, isNumber := v.(int64)
	switch {
	case p == plan.Weekday && isNumber && n >= 0 && n < 7:
		return plan.Weekdays[n]
	case p == plan.Hour && isNumber:
		return fmt.Sprintf("%02d:00", n)
	case c.Type == schema.Truth && isNumber:
		return map[bool]string{true: "yes", false: "no"}[n != 0]
	case isNumber && p == plan.Whole && c.Unit == schema.Percent && c.Suffix == "":
		return strconv.FormatFloat(float64(n)/math.Pow10(c.Scale), 'f', -1, 64) + "%"
	case isNumber && p == plan.Whole:
		return strconv.FormatFloat(float64(n)/math.Pow10(c.Scale), 'f', -1, 64) + c.Suffix
	case isNumber:
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprint(v)
}

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
		if len(row) != len(q.columns) {
			return fmt.Errorf("%d columns, want %d", len(row), len(q.columns))
		}
		r.Groups = append(r.Groups, q.group(row))
	}
	if len(rows) == 0 {
		return nil
	}
	r.Groups = firstOfEach(q.plan, r.Groups)
	r.Count = integer(rows[0][q.groups])
	if len(q.plan.By) == 0 {
		r.Total = r.Groups[0]
	} else {
		r.Total = q.total(rows[0])
	}
	if len(q.plan.WhatIf) > 0 {
		for _, f := range q.figures {
			side := f.now
			if len(q.plan.By) > 0 {
				side = f.total
			}
			r.Base = append(r.Base, f.value(rows[0], side, true))
		}
	}
	q.share(r, rows)
	return nil
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
	g := Group{Rows: integer(row[q.rows]), Past: integer(row[q.past])}
	for i, d := range q.plan.By {
		c, _ := plan.Column(q.source, d.Column)
		g.Labels = append(g.Labels, label(c, d.Part, row[i]))
	}
	for _, f := range q.figures {
		day := ""
		if f.day {
			day, _ = row[f.now.top[0].column].(string)
			g.Now = append(g.Now, nil)
		} else {
			g.Now = append(g.Now, f.value(row, f.now, false))
		}
		g.Days = append(g.Days, day)
		if q.plan.Compare != nil {
			g.Before = append(g.Before, f.value(row, f.before, false))
		}
	}
	return g
}

// total reads the figures of the whole, which every row has.
func (q *query) total(row []any) Group {
	g := Group{Rows: integer(row[q.groups+1]), Past: integer(row[q.groups+2])}
	for _, f := range q.figures {
		g.Now = append(g.Now, f.value(row, f.total, false))
		g.Days = append(g.Days, "")
		if q.plan.Compare != nil {
			g.Before = append(g.Before, f.value(row, f.pastTotal, false))
		}
	}
	return g
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
			part, whole = f.value(rows[i], f.part, false), r.Groups[i].Now[0] // without By there is one group
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

// value returns a quotient; nil if there is none. With base it leaves out the WhatIf.
func (f figure) value(row []any, s quotient, base bool) *big.Rat {
	top := add(row, s.top, base)
	if top == nil || len(s.bottom) == 0 {
		return top
	}
	bottom := add(row, s.bottom, base)
	if f.percent {
		return Percent(top, bottom)
	}
	if bottom == nil || bottom.Sign() == 0 {
		return nil
	}
	return top.Quo(top, bottom)
}

// add returns the sum of cells; nil if the first cell is NULL.
func add(row []any, cells []cell, base bool) *big.Rat {
	var total *big.Rat
	for i, c := range cells {
		n, ok := number(row[c.column])
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
	case isNumber && p == plan.Whole:
		return strconv.FormatFloat(float64(n)/math.Pow10(c.Scale), 'f', -1, 64)
	case isNumber:
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprint(v)
}

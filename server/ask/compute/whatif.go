package compute

import (
	"fmt"
	"math/big"

	"svc/server/ask/plan"
)

// delta is a metric whose change is added to a figure or, with minus, subtracted.
type delta struct {
	change plan.Change
	metric plan.Metric
	minus  bool
}

// deltas are the effects of a change of price, volume or cost on each figure (H6): a
// higher price adds to revenue, and as much to profit.
var deltas = map[plan.Metric][]delta{
	plan.Revenue:     {{plan.Price, plan.Revenue, false}, {plan.Volume, plan.Revenue, false}},
	plan.Units:       {{plan.Volume, plan.Units, false}},
	plan.Cost:        {{plan.Volume, plan.Cost, false}, {plan.Costs, plan.Cost, false}},
	plan.StockValue:  {{plan.Costs, plan.StockValue, false}},
	plan.RetailValue: {{plan.Price, plan.RetailValue, false}},
	plan.Profit:      {{plan.Price, plan.Revenue, false}, {plan.Volume, plan.Profit, false}, {plan.Costs, plan.Cost, true}},
}

// deltasOf returns the deltas of a figure's top and bottom.
func deltasOf(m plan.Metric) (top, bottom []delta) {
	switch m {
	case plan.Margin:
		return deltas[plan.Profit], deltas[plan.Revenue]
	case plan.AveragePrice:
		return deltas[plan.Revenue], deltas[plan.Units]
	}
	return deltas[m], nil
}

// joint is what some of a plan's changes do together to the rows that all of them change:
// prices up 5 % and sales up 10 % are 0.05, 0.1 and 0.005 of revenue.
type joint struct {
	change plan.Change // of the price or the cost, or Volume
	factor *big.Rat
	amount bool // factor is of the units
	scope  []plan.Filter
}

// joints returns the effect of each subset of the changes. Changes of prices and of costs
// add up, as do percentages and amounts.
func joints(changes []plan.WhatIf) (all []joint) {
	for chosen := 1; chosen < 1<<len(changes); chosen++ {
		j, ok := joint{change: plan.Volume, factor: one}, true
		for i, w := range changes {
			if chosen&(1<<i) == 0 {
				continue
			}
			ok = ok && j.add(w)
		}
		if ok {
			all = append(all, j)
		}
	}
	return all
}

// add adds a change; it reports whether it has an effect together with the others.
func (j *joint) add(w plan.WhatIf) bool {
	priced := j.change != plan.Volume
	if w.Change != plan.Volume {
		if priced && (j.change != w.Change || j.amount || w.Amount != 0) {
			return false
		}
		j.change = w.Change
	}
	factor := new(big.Rat).Quo(decimal(w.Percent), big.NewRat(100, 1))
	if w.Amount != 0 {
		factor, j.amount = decimal(w.Amount), true
	}
	j.factor = new(big.Rat).Mul(j.factor, factor)
	j.scope = append(j.scope[:len(j.scope):len(j.scope)], w.Scope...)
	return true
}

// whatIfCells adds the columns by which the plan's changes change a figure.
func (q *query) whatIfCells(ds []delta, condition string) []cell {
	var out []cell
	for _, j := range joints(q.plan.WhatIf) {
		for _, d := range ds {
			if d.change != j.change {
				continue
			}
			factor, metric := j.factor, d.metric
			if j.amount {
				metric = unitsOf(d.metric)
			}
			terms, ok := plan.Terms(q.source, metric)
			if !ok {
				continue
			}
			if d.minus {
				factor = new(big.Rat).Neg(factor)
			}
			expr, scale := q.sumOfRows(plan.Aggregate{Fold: plan.FoldSum, Terms: terms, Rows: plan.NetRows})
			changed := conjunction(condition, q.condition(subset{filters: j.scope}))
			out = append(out, q.summed(expr, changed, cell{scale: scale, factor: factor}, false)...)
		}
	}
	return out
}

// unitsOf returns the number of pieces that an amount of each changes a figure by.
func unitsOf(m plan.Metric) plan.Metric {
	if m == plan.StockValue || m == plan.RetailValue {
		return plan.StockUnits
	}
	return plan.Units
}

// decimal returns the number as written: 0.1 is exactly a tenth.
func decimal(f float64) *big.Rat {
	r, _ := new(big.Rat).SetString(fmt.Sprint(f))
	return r
}

package compute

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Cause is a group whose figure changed: a part of the change, not the reason for it.
type Cause struct {
	Column      string
	Label       string
	Now, Before *big.Rat
	Change      *big.Rat
}

// Bounds of the search for causes: only columns with few values, whose names people know.
const (
	maxCauseValues  = 200
	maxCauseColumns = 6
	maxCauses       = 5
)

// causes finds, by each column with few values, the groups that changed most in the
// direction of the total.
func causes(ctx context.Context, t Table, s schema.Source, r *Result) error {
	if !r.Plan.Why {
		return nil
	}
	if r.Plan.WhyOne() {
		return setsApart(ctx, t, s, r)
	}
	total := change(r.Total)
	for _, c := range causeColumns(s) {
		p := r.Plan
		p.Measures, p.Derived, p.OrderBy, p.Having, p.Why = p.Measures[:1], nil, 0, nil, false
		p.By = []plan.Dimension{{Column: c.Heading}}
		p.Order, p.Limit = plan.Shrunk, 2
		if total.Sign() > 0 {
			p.Order = plan.Grown
		}
		by, err := run(ctx, t, s, p)
		if err != nil {
			return err
		}
		r.SQL = append(r.SQL, by.SQL...)
		for _, g := range by.Groups {
			if d := change(g); d.Sign() == total.Sign() && d.Sign() != 0 {
				r.Causes = append(r.Causes, Cause{c.Heading, g.Labels[0], g.Now[0], g.Before[0], d})
			}
		}
	}
	r.Causes = largest(r.Causes, maxCauses)
	return nil
}

// causeColumns returns the columns that are searched. A SKU tells no more than
// its product, and an order is one of its kind.
func causeColumns(s schema.Source) []schema.Column {
	_, named := s.ByRole(schema.Product)
	all := slices.DeleteFunc(slices.Clone(s.Columns), func(c schema.Column) bool {
		return c.Role == schema.SKU && named || c.Role == schema.Order || c.Type != schema.Text || c.Role == schema.None || c.Distinct < 2 || c.Distinct > maxCauseValues
	})
	return all[:min(len(all), maxCauseColumns)]
}

// largest returns the first of some causes, the largest change first.
func largest(causes []Cause, most int) []Cause {
	slices.SortStableFunc(causes, func(a, b Cause) int { return new(big.Rat).Abs(b.Change).Cmp(new(big.Rat).Abs(a.Change)) })
	return causes[:min(len(causes), most)]
}

// setsApart finds, by each column with few values, the groups in which the first part of time
// differs most from the mean of the other parts, in the direction of the whole.
func setsApart(ctx context.Context, t Table, s schema.Source, r *Result) error {
	f, err := plan.FormulaOf(s, r.Plan.Measures[0])
	if err != nil || !f.Additive() || len(r.Groups) == 0 || r.Count < 2 || r.Total.Now[0] == nil || r.Groups[0].Now[0] == nil {
		return nil
	}
	mean := func(all, now *big.Rat) *big.Rat {
		d := new(big.Rat).Sub(all, now)
		return d.Quo(d, big.NewRat(r.Count-1, 1))
	}
	first := r.Groups[0]
	whole := new(big.Rat).Sub(first.Now[0], mean(r.Total.Now[0], first.Now[0]))
	from, to, ok := plan.PartDays(r.Plan.By[0].Part, first.Labels[0])
	if !ok {
		return nil
	}
	days := plan.Period{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly)}
	if p := r.Plan.Period; p != nil {
		days.From, days.To = max(days.From, p.From), min(days.To, p.To)
	}
	for _, c := range causeColumns(s) {
		p := totalPlan(r.Plan)
		p.By = []plan.Dimension{{Column: c.Heading}}
		all, err := run(ctx, t, s, p)
		if err != nil {
			return err
		}
		p.Period = &days
		in, err := run(ctx, t, s, p)
		if err != nil {
			return err
		}
		r.SQL = append(r.SQL, append(all.SQL, in.SQL...)...)
		now := map[string]*big.Rat{}
		for _, g := range in.Groups {
			now[g.Labels[0]] = g.Now[0]
		}
		var found []Cause
		for _, g := range all.Groups {
			here := cmp.Or(now[g.Labels[0]], new(big.Rat))
			usual := mean(cmp.Or(g.Now[0], new(big.Rat)), here)
			if d := new(big.Rat).Sub(here, usual); d.Sign() == whole.Sign() && d.Sign() != 0 {
				found = append(found, Cause{c.Heading, g.Labels[0], here, usual, d})
			}
		}
		r.Causes = append(r.Causes, largest(found, 2)...)
	}
	r.Causes = largest(r.Causes, maxCauses)
	return nil
}

// change returns the difference of the first measure. A missing figure counts as 0.
func change(g Group) *big.Rat {
	d := new(big.Rat)
	if len(g.Now) > 0 && g.Now[0] != nil {
		d.Set(g.Now[0])
	}
	if len(g.Before) > 0 && g.Before[0] != nil {
		d.Sub(d, g.Before[0])
	}
	return d
}

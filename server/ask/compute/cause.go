package compute

import (
	"context"
	"math/big"
	"slices"

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
	total := change(r.Total)
	columns := 0
	for _, c := range s.Columns {
		if c.Type != schema.Text || c.Role == schema.None || c.Distinct < 2 || c.Distinct > maxCauseValues || columns == maxCauseColumns {
			continue
		}
		columns++
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
	slices.SortStableFunc(r.Causes, func(a, b Cause) int { return new(big.Rat).Abs(b.Change).Cmp(new(big.Rat).Abs(a.Change)) })
	r.Causes = r.Causes[:min(len(r.Causes), maxCauses)]
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

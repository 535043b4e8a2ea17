package compute

import (
	"context"
	"math/big"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Omission counts rows that a figure leaves out because a cell is blank. A row without a
// customer, say, counts on neither side of an average per customer.
type Omission struct {
	Column string
	Rows   int64
	Amount *big.Rat // the plan's first measure of these rows; nil if it does not add up
}

// omissions counts the rows of the plan's period that each column with blank cells leaves
// out.
func omissions(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	for _, heading := range blankColumns(s, p) {
		missing := totalPlan(p)
		missing.Measures = []plan.Measure{{Metric: plan.Rows}}
		ofItsTime := func(f plan.Filter) bool { return f.Column == heading && f.Part != plan.Whole } // no blank cell passes
		if day, ok := s.ByRole(schema.Day); ok && day.Heading == heading {
			missing.Period, missing.Compare, missing.Whole = nil, nil, nil // a row without a day is in no period
		}
		missing.Where = append(slices.DeleteFunc(slices.Clone(p.Where), ofItsTime), plan.Filter{Column: heading, Op: plan.Blank})
		plain := p.Measures[0]
		plain.Per, plain.Fold = "", ""
		if f, err := plan.FormulaOf(s, plain); err == nil && f.Additive() && !plain.Metric.ByCustomer() {
			missing.Measures = append(missing.Measures, plain)
		}
		found, err := run(ctx, t, s, missing)
		if err != nil {
			return err
		}
		r.SQL = append(r.SQL, found.SQL...)
		o := Omission{Column: heading, Rows: found.Total.Rows}
		if len(missing.Measures) > 1 {
			o.Amount = found.Total.Now[1]
		}
		if o.Rows > 0 {
			r.Omitted = append(r.Omitted, o)
		}
	}
	return nil
}

// blankColumns returns the headings of columns with blank cells that the plan groups by,
// averages over, takes a share of, or has some days, weekdays, hours or months of.
func blankColumns(s schema.Source, p plan.Plan) []string {
	var out []string
	add := func(heading string) {
		if c, ok := plan.Column(s, heading); ok && c.Blank > 0 && !slices.Contains(out, heading) {
			out = append(out, heading)
		}
	}
	for _, d := range p.By {
		if d.Column != p.On || p.On == "" { // what did not happen has no day
			add(d.Column)
		}
	}
	if day, ok := s.ByRole(schema.Day); ok && p.Period != nil && p.On == "" {
		add(day.Heading)
	}
	for _, f := range p.Where {
		if f.Part != plan.Whole {
			add(f.Column)
		}
	}
	for _, f := range p.Part {
		if plan.BlankIsOther(s, f) {
			add(f.Column)
		}
	}
	if f, err := plan.FormulaOf(s, p.Measures[0]); err == nil && f.Bottom != nil && f.Bottom.Fold == plan.FoldDistinct {
		add(f.Bottom.Terms[0].Factors[0].Heading)
	}
	return out
}

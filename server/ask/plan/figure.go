package plan

import (
	"errors"
	"fmt"
	"slices"

	"svc/server/schema"
)

// Bounds of the figures of a plan.
const (
	maxMeasures = 8
	maxDerived  = 8
	maxWhatIfs  = 4
)

// Figures returns the number of figures: Measures, then Derived. OrderBy and Having count
// them from 0.
func (p Plan) Figures() int { return len(p.Measures) + len(p.Derived) }

// Main returns the figure that the plan is about: the one that decides the order, or else
// the first that is derived.
func (p Plan) Main() int {
	isRanked := len(p.By) > 0 && p.Order != ByLabel && (p.Order != "" || p.By[0].Part == Whole)
	if p.OrderBy > 0 || len(p.Derived) == 0 || isRanked {
		return p.OrderBy
	}
	return len(p.Measures)
}

// Unit returns the unit of a figure.
func (p Plan) Unit(s schema.Source, i int) schema.Unit {
	if i < len(p.Measures) {
		f, _ := FormulaOf(s, p.Measures[i])
		return f.Unit
	}
	d := p.Derived[i-len(p.Measures)]
	switch of := p.Unit(s, d.Of); {
	case d.Kind == ShareOf || d.Kind == ChangeFrom:
		return schema.Percent
	case (d.Kind == Difference || d.Kind == Total) && of == schema.Plain:
		return p.Unit(s, d.And)
	case d.Kind == Ratio && (of == p.Unit(s, d.And) || of != schema.Money):
		return schema.Plain
	default:
		return of
	}
}

// Columns returns the columns that a plan reads.
func (p Plan) Columns(s schema.Source) (all []schema.Column) {
	add := func(heading string) {
		if c, ok := Column(s, heading); ok {
			all = append(all, c)
		}
	}
	for _, d := range p.By {
		add(d.Column)
	}
	for _, f := range p.Filters() {
		add(f.Column)
		add(f.Other)
	}
	for _, m := range p.Measures {
		f, _ := FormulaOf(s, m)
		for _, a := range []*Aggregate{&f.Top, f.Bottom} {
			if a == nil {
				continue
			}
			for _, t := range a.Terms {
				all = append(all, t.Factors...)
			}
		}
	}
	return all
}

func checkMeasures(p Plan, s schema.Source) error {
	if len(p.Measures) == 0 || len(p.Measures) > maxMeasures {
		return fmt.Errorf("there must be 1 to %d measures", maxMeasures)
	}
	for _, m := range p.Measures {
		switch {
		case !slices.Contains(Metrics, m.Metric):
			return fmt.Errorf("unknown metric %q", m.Metric)
		case (m.Column != "" || m.Since != "") && !m.Metric.OfColumn() && !m.ValuesStock():
			return fmt.Errorf("metric %s takes no column", m.Metric)
		case len(p.WhatIf) > 0 && m.Fold != "" && m.Fold != FoldMean:
			return fmt.Errorf("a change cannot be computed for a %s", m.Fold)
		}
		if err := checkFold(m, s); err != nil {
			return err
		}
		if _, err := FormulaOf(s, m); err != nil {
			return err
		}
	}
	return nil
}

// sameUnit reports whether two figures may be of one unit. That of a column like MSRP is not
// known.
func sameUnit(a, b schema.Unit) bool { return a == b || a == schema.Plain || b == schema.Plain }

func checkDerived(p Plan, s schema.Source) error {
	if len(p.Derived) > maxDerived {
		return fmt.Errorf("at most %d derived figures are allowed", maxDerived)
	}
	for _, d := range p.Derived {
		if !slices.Contains(Derivations, d.Kind) {
			return fmt.Errorf("unknown derivation %q", d.Kind)
		}
		for _, i := range []int{d.Of, d.And} {
			if i < 0 || i >= len(p.Measures) || p.Measures[i].Metric.AsDay() {
				return fmt.Errorf("no figure can be made from measure %d", i)
			}
		}
		if d.Kind == Running {
			if err := checkRunning(p, s, d); err != nil {
				return err
			}
		} else if d.Kind != Ratio && !sameUnit(p.Unit(s, d.Of), p.Unit(s, d.And)) {
			return fmt.Errorf("a %s needs figures of one unit", d.Kind)
		}
	}
	return nil
}

// checkRunning requires a figure that adds up, and one dimension that is a time series.
func checkRunning(p Plan, s schema.Source, d Derived) error {
	series := 0
	for _, by := range p.By {
		if by.Part.Series() {
			series++
		}
	}
	f, err := FormulaOf(s, p.Measures[d.Of])
	if err != nil || !f.Additive() || series != 1 || p.Compare != nil {
		return errors.New("a running total needs a figure that adds up, in one time series without comparison")
	}
	return nil
}

func checkThresholds(p Plan, _ schema.Source) error {
	if p.OrderBy < 0 || p.OrderBy >= p.Figures() {
		return fmt.Errorf("unknown figure %d", p.OrderBy)
	}
	for _, h := range p.Having {
		if h.Measure < 0 || h.Measure >= p.Figures() {
			return fmt.Errorf("unknown measure %d", h.Measure)
		}
		if !slices.Contains(ordering, h.Op) {
			return fmt.Errorf("unknown comparison %q of a threshold", h.Op)
		}
		if !isNumber(h.Value) {
			return errors.New("the threshold is out of range")
		}
		if h.Other != nil && (*h.Other < 0 || *h.Other >= p.Figures()) {
			return fmt.Errorf("unknown measure %d", *h.Other)
		}
	}
	return nil
}

func checkWhatIf(p Plan, _ schema.Source) error {
	if len(p.WhatIf) > maxWhatIfs {
		return fmt.Errorf("at most %d changes are allowed", maxWhatIfs)
	}
	for _, w := range p.WhatIf {
		if !slices.Contains(Changes, w.Change) {
			return fmt.Errorf("unknown change %q", w.Change)
		}
		if !isNumber(w.Percent) || !isNumber(w.Amount) {
			return errors.New("the change is out of range")
		}
	}
	return nil
}

package plan

import (
	"errors"
	"fmt"

	"svc/server/schema"
)

// Listing is a list of the rows themselves. The plan's filters, period and limit apply to
// them; Order is Highest or Lowest by a column of numbers or dates, or none.
type Listing struct {
	Columns []string `json:"columns"`      // headings, first the one that a row is called by; 1 to MaxListed
	By      string   `json:"by,omitempty"` // heading of the column that Order is by
}

// MaxListed bounds the columns of a list.
const MaxListed = 10

// checkList refuses a list with anything but a count of its rows.
func checkList(p Plan, s schema.Source) error {
	if p.List == nil {
		return nil
	}
	if len(p.List.Columns) == 0 || len(p.List.Columns) > MaxListed {
		return fmt.Errorf("a list must have 1 to %d columns", MaxListed)
	}
	for _, heading := range p.List.Columns {
		if _, ok := Column(s, heading); !ok {
			return fmt.Errorf("unknown column %q", heading)
		}
	}
	by, ok := Column(s, p.List.By)
	isOrdered := p.Order == Highest || p.Order == Lowest
	switch {
	case len(p.Measures) != 1 || p.Measures[0].Metric != Rows || !p.Measures[0].Plain() || len(p.Derived)+len(p.By)+len(p.Having)+len(p.Part)+len(p.WhatIf) > 0,
		p.Compare != nil, p.Share, p.Count, p.Each, p.Steps, p.Why, p.Nth > 0:
		return errors.New("a list has rows and no other figures, groups or comparisons")
	case p.List.By != "" && (!ok || by.Type == schema.Text || by.Type == schema.Truth), isOrdered != (p.List.By != ""):
		return fmt.Errorf("a list cannot be in order of %q", p.List.By)
	}
	return nil
}

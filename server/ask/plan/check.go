package plan

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"svc/server/schema"
)

// MaxNumber bounds the numbers of a plan: no shop reaches it, and what is computed with
// such numbers stays finite.
const MaxNumber = 1e15

func isNumber(f float64) bool { return f >= -MaxNumber && f <= MaxNumber }

// Bounds of a plan: the values of a filter, the groups of an answer, and the parts.
const (
	MaxValues = 500
	MaxLimit  = 1000

	maxBy      = 2
	maxFilters = 20
)

// Check returns an error if a plan does not fit its source: if a heading, part or operator
// does not exist, or a figure cannot be made. A plan that passes can be computed.
func Check(p Plan, s schema.Source) error {
	if p.Source != s.ID {
		return fmt.Errorf("plan: source %q is not %q", p.Source, s.ID)
	}
	s = Apply(p, s)
	checks := []func(Plan, schema.Source) error{checkMeasures, checkBy, checkFilters, checkPeriods, checkCustomers, checkDerived, checkThresholds, checkWhatIf, checkList, checkRest}
	for _, check := range checks {
		if err := check(p, s); err != nil {
			return fmt.Errorf("plan: %w", err)
		}
	}
	return nil
}

func checkBy(p Plan, s schema.Source) error {
	if len(p.By) > maxBy {
		return fmt.Errorf("at most %d dimensions are allowed", maxBy)
	}
	for _, d := range p.By {
		c, ok := Column(s, d.Column)
		if !ok {
			return fmt.Errorf("unknown column %q", d.Column)
		}
		if d.Part != Whole && (!slices.Contains(Parts, d.Part) || !hasPart(c, d.Part)) {
			return fmt.Errorf("%q has no %s", d.Column, d.Part)
		}
	}
	return nil
}

// hasPart reports whether a column's values have a part of time.
func hasPart(c schema.Column, p Part) bool {
	switch c.Type {
	case schema.Moment:
		return true
	case schema.Date:
		return p != Hour
	case schema.Time:
		return p == Hour
	}
	return false
}

func checkFilters(p Plan, s schema.Source) error {
	filters := p.Filters()
	if len(filters) > 3*maxFilters || len(p.Having) > maxFilters {
		return errors.New("there are too many filters")
	}
	for _, f := range filters {
		if err := checkFilter(f, s); err != nil {
			return err
		}
	}
	return nil
}

// filterParts are the parts of a time that a filter can select by.
var filterParts = []Part{Weekday, Hour, Month, Day, Year}

func checkFilter(f Filter, s schema.Source) error {
	c, ok := Column(s, f.Column)
	if !ok {
		return fmt.Errorf("unknown column %q", f.Column)
	}
	if f.Part != Whole && (!slices.Contains(filterParts, f.Part) || !hasPart(c, f.Part)) {
		return fmt.Errorf("%q cannot be filtered by its %s", f.Column, f.Part)
	}
	if f.Other != "" {
		return checkOther(f, c, s)
	}
	switch f.Op {
	case Blank, Filled:
		return nil
	case In, NotIn:
		if len(f.Values) == 0 || len(f.Values) > MaxValues {
			return fmt.Errorf("the filter of %q must have 1 to %d values", f.Column, MaxValues)
		}
	case Less, AtMost, More, AtLeast, Has, Before:
		if len(f.Values) != 1 {
			return fmt.Errorf("the filter of %q must have one value", f.Column)
		}
	default:
		return fmt.Errorf("unknown comparison %q", f.Op)
	}
	if f.Op == Before && (!isDay(f.Values[0]) || c.Type != schema.Date) {
		return fmt.Errorf("%q cannot be compared with the day %q", f.Column, f.Values[0])
	}
	return checkValues(f, c)
}

func checkOther(f Filter, c schema.Column, s schema.Source) error {
	other, ok := Column(s, f.Other)
	if !ok || other.Type != c.Type {
		return fmt.Errorf("%q cannot be compared with %q", f.Column, f.Other)
	}
	if !slices.Contains(ordering, f.Op) && f.Op != In {
		return fmt.Errorf("columns cannot be compared by %q", f.Op)
	}
	return nil
}

// checkValues refuses texts in place of numbers and days. A weekday is its English name, an
// hour is 0 to 23, a month 1 to 12.
func checkValues(f Filter, c schema.Column) error {
	isNumeric := f.Part != Whole || c.Type == schema.Number || c.Type == schema.Truth
	for _, v := range f.Values {
		n, err := strconv.ParseFloat(v, 64)
		switch {
		case f.Part == Weekday && !slices.Contains(Weekdays, v):
			return fmt.Errorf("unknown weekday %q", v)
		case f.Part == Day && !isDay(v):
			return fmt.Errorf("%q is not a day, in the filter of %q", v, f.Column)
		case f.Part != Weekday && f.Part != Day && isNumeric && (err != nil || !isNumber(n)):
			return fmt.Errorf("%q is not a number, in the filter of %q", v, f.Column)
		}
	}
	return nil
}

func isDay(v string) bool {
	_, err := time.Parse(time.DateOnly, v)
	return err == nil
}

// ordering are the comparisons of two numbers.
var ordering = []Op{Less, AtMost, More, AtLeast}

// Weekdays are the days of the week from Monday.
var Weekdays = []string{"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"}

func checkPeriods(p Plan, s schema.Source) error {
	periods := []*Period{p.Period, p.Compare, p.Whole}
	for _, m := range p.Measures {
		if m.Period != nil && p.Compare != nil {
			return errors.New("a figure with days of its own cannot be compared")
		}
		periods = append(periods, m.Period)
	}
	for _, period := range periods {
		if period == nil {
			continue
		}
		if _, ok := s.ByRole(schema.Day); !ok {
			return errors.New("a period needs a column of dates")
		}
		from, err1 := time.Parse(time.DateOnly, period.From)
		to, err2 := time.Parse(time.DateOnly, period.To)
		if err1 != nil || err2 != nil || to.Before(from) {
			return fmt.Errorf("invalid period %s to %s", period.From, period.To)
		}
	}
	if p.Compare != nil && p.Period == nil {
		return errors.New("a comparison needs a period to compare with")
	}
	return nil
}

// checkCustomers restricts the plans of repeat and new customers to those that compute can
// answer: no what-if, cause, part or average; in groups only new customers, by time and
// alone; and repeat customers in one period only.
func checkCustomers(p Plan, s schema.Source) error {
	if !p.ByCustomer() {
		return nil
	}
	if len(p.WhatIf) > 0 || p.Why || len(p.Part) > 0 || len(p.Derived) > 0 || slices.ContainsFunc(p.Measures, func(m Measure) bool { return m.Metric.ByCustomer() && !m.Plain() || m.Restricted() }) {
		return errors.New("new and repeat customers can only be counted")
	}
	byTime := !slices.ContainsFunc(p.By, func(d Dimension) bool {
		c, _ := Column(s, d.Column)
		return c.Role != schema.Day
	})
	switch {
	case p.NamesCustomers(s):
	case len(p.By) > 0 && (len(p.Measures) > 1 || p.Measures[0].Metric == RepeatCustomers || !byTime):
		return errors.New("new customers can only be grouped by time or named, without other measures")
	case p.Compare != nil && slices.ContainsFunc(p.Measures, func(m Measure) bool { return m.Metric == RepeatCustomers }):
		return errors.New("repeat customers can only be counted in one period")
	}
	return nil
}

func checkRest(p Plan, s schema.Source) error {
	if _, err := time.Parse(time.DateOnly, p.Day); err != nil && (p.Day != "" || s.SoldLast != "") {
		return fmt.Errorf("invalid day %q", p.Day)
	}
	switch {
	case p.Limit < 0 || p.Limit > MaxLimit:
		return fmt.Errorf("limit must be 0 to %d", MaxLimit)
	case !slices.Contains([]Order{"", ByLabel, Highest, Lowest, Grown, Shrunk}, p.Order):
		return fmt.Errorf("unknown order %q", p.Order)
	case (p.Order == Grown || p.Order == Shrunk || p.Why && !p.WhyOne()) && p.Compare == nil:
		return errors.New("a change needs a period to compare with")
	case p.Count && len(p.By) == 0:
		return errors.New("there are no groups to count")
	case (p.Why && !p.WhyOne() || len(p.Part) > 0) && len(p.By) > 0:
		return errors.New("causes and parts cannot have groups")
	case p.Steps && (len(p.By) != 1 || !p.By[0].Part.Series() || p.Compare != nil || p.Limit > 0 || len(p.Having) > 0 || p.Order != ByLabel && p.Order != ""):
		return errors.New("steps need one time series in order, without comparison, limit or threshold")
	case p.Nth != 0 && (p.Nth != p.Limit || len(p.By) == 0 || p.Each):
		return errors.New("nth must equal limit, with groups and without each")
	case p.Ends && (p.Limit == 0 || p.Order != Highest && p.Order != Lowest || p.Nth > 0 || p.Each || p.Count || p.Share || len(p.By) == 0 && p.List == nil):
		return errors.New("both ends need groups or a list with a limit, in the order of a figure")
	case p.Each && (len(p.By) != 2 || p.Limit == 0):
		return errors.New("each needs two dimensions and a limit")
	case p.Share && len(p.By) == 0 && len(p.Part) == 0 && len(p.Measures) != 2:
		return errors.New("a share needs groups, a part, or two measures")
	case len(p.Part) > 0 && !p.Share:
		return errors.New("a part needs share")
	}
	return nil
}

package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/server/schema"
)

// Say returns a plan as a question that package read reads as the same plan; false if the plan
// has a shape for which there is no such question: other days than the source's, a simulation, a list of rows, steps, causes,
// both ends or places of an order, limits within groups, kinds of days, figures of rows of their
// own, folds of parts, days between columns, shares of restricted rows, more than one bound,
// conditions other than of values and numbers, and most sets of several figures.
func Say(p Plan, s schema.Source) (question string, ok bool) {
	switch {
	case len(p.Measures) == 0, p.On != "", len(p.WhatIf) > 0, p.List != nil, p.Steps, p.Why, p.Ends, p.Nth > 0, p.Each,
		p.Share && len(p.Where) > 0, len(p.Having) > 1, len(p.Having) == 1 && len(p.By) == 0, len(p.Having) == 1 && (p.Having[0].Other != nil || p.Having[0].Measure > 0),
		p.Order == Grown, p.Order == Shrunk, p.OrderBy != p.Main(), len(p.Derived) > 1, p.Figures() > 2 && len(p.Derived) == 0,
		slices.ContainsFunc(p.By, func(d Dimension) bool { return d.Part == Daytype }), slices.ContainsFunc(p.Measures, unsayable),
		slices.ContainsFunc(p.Where, func(f Filter) bool { return !isSayable(f, s) }):
		return "", false
	}
	sayer := sayer{p, s}
	head, ok := sayer.head()
	text := head + sayer.scope()
	switch {
	case p.Compare != nil && p.Period != nil:
		text += During(p.Period) + " compared to" + strings.TrimPrefix(strings.TrimPrefix(During(p.Compare), " in"), " on")
	case p.Period != nil:
		text += During(p.Period)
	}
	if len(p.By) > 0 && p.Limit == 0 && !p.Count && p.Order == Lowest {
		text += ", lowest first"
	}
	return text, ok
}

// unsayable reports whether a figure is none that Say says.
func unsayable(m Measure) bool {
	return m.Restricted() || m.Fold != "" || m.Since != "" || m.Metric == StockValue || m.Metric.AsDay() || m.Metric.OfColumn() && m.Per != ""
}

// isSayable reports whether a condition is one that Say says: of values, of weekdays, and of a
// column of numbers.
func isSayable(f Filter, s schema.Source) bool {
	c, _ := Column(s, f.Column)
	switch f.Op {
	case In, NotIn:
		return f.Other == "" && len(f.Values) <= 4 && (f.Part == Whole && c.Type == schema.Text || f.Part == Weekday && f.Op == In)
	case Less, AtMost, More, AtLeast:
		return f.Other == "" && c.Type == schema.Number
	}
	return false
}

// Question returns what Say says as a whole sentence.
func Question(p Plan, s schema.Source) (question string, ok bool) {
	text, ok := Say(p, s)
	if counted, isCount := strings.CutPrefix(text, "number of "); isCount {
		return "How many " + counted + "?", ok
	}
	switch first, _, _ := strings.Cut(text, " "); first {
	case "which", "how", "what":
		return Capitalized(text) + "?", ok
	case "top", "bottom":
		return "What are the " + text + "?", ok
	}
	return "What is the " + text + "?", ok
}

// sayer says the parts of a plan.
type sayer struct {
	p Plan
	s schema.Source
}

// head says the figures and the groups.
func (y sayer) head() (string, bool) {
	p := y.p
	figure := y.figure()
	switch {
	case p.Count && len(p.By) == 1 && len(p.Having) == 0 && p.By[0].Part == Whole:
		return "how many different " + y.name(p.By[0]) + " are there", true
	case p.Count && len(p.By) == 1 && len(p.Having) == 1:
		return "how many " + y.name(p.By[0]) + " have " + y.bound(), p.By[0].Part == Whole
	case p.Count:
		return "", false
	case len(p.Part) == 1 && p.Share && len(p.By) == 0:
		return "what percentage of " + figure + " is " + FilterText(p.Part[0], y.s), p.Part[0].Op == In
	case len(p.Part) > 0:
		return "", false
	case len(p.Having) == 1:
		return "which " + y.name(p.By[0]) + " have " + y.bound(), len(p.By) == 1 && p.Limit == 0 && !p.Share
	case len(p.By) == 1 && p.Limit == 1:
		chosen := func(f Filter) bool { return f.Column == p.By[0].Column && f.Op == In }
		return "which " + y.name(p.By[0]) + " has the " + y.end("highest", "lowest") + " " + figure, !p.Share && !slices.ContainsFunc(p.Where, chosen)
	case len(p.By) == 1 && p.Limit > 1:
		return y.end("top ", "bottom ") + strconv.Itoa(p.Limit) + " " + y.name(p.By[0]) + " by " + figure, !p.Share
	case p.Limit > 0:
		return "", false
	case p.Share && len(p.By) == 1:
		figure = "share of " + figure
	case p.Share:
		return "", false
	}
	for i, d := range p.By {
		figure += map[bool]string{true: " by ", false: " and "}[i == 0] + y.name(d)
	}
	return figure, true
}

// figure says the figures.
func (y sayer) figure() string {
	p := y.p
	if len(p.Derived) == 0 {
		var titles []string
		for _, m := range p.Measures {
			titles = append(titles, y.measure(m))
		}
		return strings.Join(titles, " and ")
	}
	d := p.Derived[0]
	of, and := y.measure(p.Measures[d.Of]), y.measure(p.Measures[d.And])
	switch d.Kind {
	case Running:
		return "running total of " + of
	case Ratio:
		return "ratio of " + of + " to " + and
	case Difference:
		return "difference between " + of + " and " + and
	case ShareOf:
		return of + " as a percentage of " + and
	}
	return of + " plus " + and
}

// measure says one figure: what is counted by its number, and the ends of a column by other words
// than those for the ends of an order.
func (y sayer) measure(m Measure) string {
	title := Title(y.s, m)
	switch {
	case m.Metric == Orders || m.Metric == Customers, m.Metric == Distinct:
		if _, of := y.s.ByRole(schema.Order); m.Metric == Orders && !of {
			title = strings.Replace(title, "sales", "orders", 1)
		}
		if rest, isMean := strings.CutPrefix(title, "average "); isMean {
			return "average number of " + rest
		}
		return "number of " + title
	case m.Metric == Least && m.Since == "":
		return "minimum " + strings.TrimPrefix(title, "lowest ")
	case m.Metric == Most && m.Since == "":
		return "maximum " + strings.TrimPrefix(title, "highest ")
	}
	return title
}

// name says what groups are made by.
func (y sayer) name(d Dimension) string {
	if d.Part != Whole {
		return string(d.Part)
	}
	return pretty(d.Column)
}

func (y sayer) end(high, low string) string {
	if y.p.Order == Lowest {
		return low
	}
	return high
}

// bound says a threshold on the first figure.
func (y sayer) bound() string {
	h, m := y.p.Having[0], y.p.Measures[0]
	value := strconv.FormatFloat(h.Value, 'f', -1, 64)
	switch {
	case m.Metric == Distinct:
		than := map[Op]string{More: "more than", Less: "fewer than", AtLeast: "at least", AtMost: "at most"}
		return fmt.Sprintf("%s %s different %s", than[h.Op], value, pretty(m.Column))
	case m.Metric == Cost && m.Plain():
		return fmt.Sprintf("a cost of goods %s %s", OpText(h.Op), value)
	}
	return fmt.Sprintf("%s %s %s", y.measure(m), OpText(h.Op), value)
}

// scope says the filters.
func (y sayer) scope() string {
	var with, without, times, bounded string
	for _, f := range y.p.Where {
		text := FilterText(f, y.s)
		excluded, isNot := strings.CutPrefix(text, "not ")
		switch {
		case f.Part == Weekday && f.Op == In:
			times = " on " + text
			if !strings.HasSuffix(times, "s") {
				times += "s"
			}
		case isNot:
			without += " excluding " + excluded
		case f.Op == In && len(f.Values) > 1:
			with += " for " + strings.Join(f.Values, " and ") + " together"
		case f.Op == In:
			with += " for " + text
		default:
			bounded += " in rows with " + text
		}
	}
	return with + bounded + without + times
}

package plan

import (
	"slices"
	"strings"

	"svc/server/schema"
)

const (
	maxTargets   = 150
	targetValues = 20 // of a column
)

// TargetGroup are things of one kind that a word can be taught to mean.
type TargetGroup struct {
	Title  string // "Figures", "Columns" or a heading, whose values they are
	Values []string
}

// Targets lists what a word can be taught to mean in a source: the figures that it has, its
// headings, and the most frequent values of columns with a role. It is bounded, for people to
// choose from.
func Targets(s schema.Source) (all []string) {
	groups, _ := TargetGroups(s)
	for _, g := range groups {
		all = append(all, g.Values...)
	}
	return all
}

// TargetGroups are Targets by their kinds. isCut reports whether the source has more values.
func TargetGroups(s schema.Source) (groups []TargetGroup, isCut bool) {
	n := 0
	add := func(title string, values []string) {
		kept := values[:min(maxTargets-n, len(values))]
		isCut = isCut || len(kept) < len(values)
		if n += len(kept); len(kept) > 0 {
			groups = append(groups, TargetGroup{title, slices.Clone(kept)})
		}
	}
	var figures, headings []string
	for _, m := range Metrics {
		if _, err := FormulaOf(s, Measure{Metric: m}); err == nil && !m.OfColumn() {
			figures = append(figures, strings.ReplaceAll(string(m), "_", " "))
		}
	}
	for _, c := range s.Columns {
		headings = append(headings, c.Heading)
	}
	add("Figures", figures)
	add("Columns", headings)
	for _, c := range s.Columns {
		if c.Role != schema.None && c.Role != schema.Order {
			add(c.Heading, c.Values[:min(targetValues, len(c.Values))])
			isCut = isCut || len(c.Values) > targetValues || int64(len(c.Values)) < c.Distinct && c.Type == schema.Text
		}
	}
	return groups, isCut
}

package plan

import (
	"strings"

	"svc/server/schema"
)

const (
	maxTargets   = 150
	targetValues = 20 // of a column
)

// Targets lists what a word can be taught to mean in a source: the figures that it has, its
// headings, and the most frequent values of columns with a role. It is bounded, for people to
// choose from.
func Targets(s schema.Source) (all []string) {
	for _, m := range Metrics {
		if _, err := FormulaOf(s, Measure{Metric: m}); err == nil && !m.OfColumn() {
			all = append(all, strings.ReplaceAll(string(m), "_", " "))
		}
	}
	for _, c := range s.Columns {
		all = append(all, c.Heading)
	}
	for _, c := range s.Columns {
		if c.Role != schema.None && c.Role != schema.Order {
			all = append(all, c.Values[:min(targetValues, len(c.Values))]...)
		}
	}
	return all[:min(maxTargets, len(all))]
}

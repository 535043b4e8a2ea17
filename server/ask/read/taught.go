package read

import (
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// taughtAt returns the meaning of the longest phrase at i that the merchant has taught.
func (r *reading) taughtAt(i int) (mark, bool) {
	for n := min(maxPhrase, len(r.ts)-i); n > 0 && len(r.x.taught) > 0; n-- {
		if w, ok := r.x.taught[keyOf(r.ts[i:i+n])]; ok {
			return r.taughtMark(i, i+n, w)
		}
	}
	return mark{}, false
}

// taughtMark returns the meaning of a taught word; false if its target is gone.
func (r *reading) taughtMark(from, to int, w schema.Word) (mark, bool) {
	switch w.Kind {
	case schema.AMetric:
		m := plan.Metric(w.Target)
		return mark{from: from, to: to, sense: sense{kind: metric, metric: m}}, slices.Contains(plan.Metrics, m)
	case schema.AHeading:
		if at := r.x.columnOf(w.Target); at >= 0 {
			return r.columnMark(from, to, at), true
		}
	case schema.AValue:
		at := r.x.columnOf(w.Heading)
		if at < 0 {
			break
		}
		if v := slices.Index(r.x.source.Columns[at].Values, w.Target); v >= 0 {
			return mark{from: from, to: to, sense: sense{kind: value}, refs: []valueRef{{at, v}}}, true
		}
	}
	return mark{}, false
}

// columnOf returns the index of the column with a heading, or -1.
func (x *lexicon) columnOf(heading string) int {
	return slices.IndexFunc(x.source.Columns, func(c schema.Column) bool { return c.Heading == heading })
}

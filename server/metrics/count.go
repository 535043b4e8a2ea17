package metrics

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// table has what is counted by the values of two labels. It may be used concurrently.
type table[T any] struct {
	mu   sync.RWMutex
	rows map[[2]string]*T
}

// row returns the row of two values, which fresh makes if there is none yet.
func (t *table[T]) row(of [2]string, fresh func() *T) *T {
	t.mu.RLock()
	row, has := t.rows[of]
	t.mu.RUnlock()
	if has {
		return row
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if row, has = t.rows[of]; has {
		return row
	}
	if t.rows == nil {
		t.rows = map[[2]string]*T{}
	}
	row = fresh()
	t.rows[of] = row
	return row
}

// entry is a row with the values of its labels.
type entry[T any] struct {
	of  [2]string
	row *T
}

// all returns the rows in the order of their labels.
func (t *table[T]) all() (all []entry[T]) {
	t.mu.RLock()
	rows := maps.Clone(t.rows)
	t.mu.RUnlock()
	for of, row := range rows {
		all = append(all, entry[T]{of, row})
	}
	slices.SortFunc(all, func(a, b entry[T]) int {
		return cmp.Or(cmp.Compare(a.of[0], b.of[0]), cmp.Compare(a.of[1], b.of[1]))
	})
	return all
}

// histogram counts durations by the bucket that they fall in.
type histogram struct {
	bounds []time.Duration // ascending
	counts []atomic.Uint64 // one more than bounds: what is longer than all
	nanos  atomic.Int64    // the sum of all
}

func newHistogram(bounds []time.Duration) *histogram {
	return &histogram{bounds: bounds, counts: make([]atomic.Uint64, len(bounds)+1)}
}

func (h *histogram) observe(took time.Duration) {
	i := 0
	for i < len(h.bounds) && took > h.bounds[i] {
		i++
	}
	h.counts[i].Add(1)
	h.nanos.Add(int64(took))
}

// writeHistogram writes a row. The count is that of the buckets as they were read, so that
// it agrees with them whatever is observed meanwhile.
func (t *text) writeHistogram(name string, h *histogram, labels ...string) {
	var count uint64
	for i := range h.counts {
		count += h.counts[i].Load()
		le := "+Inf"
		if i < len(h.bounds) {
			le = number(h.bounds[i].Seconds())
		}
		t.sample(name+"_bucket", float64(count), append(slices.Clip(labels), "le", le)...)
	}
	t.sample(name+"_sum", time.Duration(h.nanos.Load()).Seconds(), labels...)
	t.sample(name+"_count", float64(count), labels...)
}

package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// phrase returns the first token of some words outside of values, or -1.
func (b *builder) phrase(words string) int {
	for i := range b.tokens {
		if b.says(i, words) && !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from <= i && i < f.to }) {
			return i
		}
	}
	return -1
}

// says reports whether some words begin at token i.
func (b *builder) says(i int, words string) bool {
	for w := range strings.SplitSeq(words, " ") {
		if i >= len(b.tokens) || b.tokens[i].Text != w {
			return false
		}
		i++
	}
	return true
}

// phraseOf reports whether one of some words is in the question outside of values.
func (b *builder) phraseOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return b.phrase(w) >= 0 })
}

// isOrders reports whether the groups are orders.
func (b *builder) isOrders() bool {
	order, ok := b.heading(schema.Order)
	return ok && slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == order })
}

package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// resolveReversals reads words of refunds and cancellations as figures, if the data tell
// them: orders that were cancelled, refunds by month. Beside other figures than orders they
// stay filters.
func (r *reading) resolveReversals() {
	at := slices.IndexFunc(r.marks, func(m mark) bool { return m.kind == refund || r.namesState(m) })
	isOther := func(m mark) bool { return m.kind == metric && m.metric != plan.Orders }
	if at < 0 || slices.ContainsFunc(r.marks, isOther) {
		return
	}
	figure := r.reversalFigure(r.marks[at])
	if !r.x.can(figure) {
		return
	}
	for i, m := range r.marks {
		if m.kind == metric || m.kind == refund || r.namesState(m) || m.kind == share && figure == plan.CancellationRate {
			r.marks[i].kind = harmless
		}
	}
	r.marks[at].sense = sense{kind: metric, metric: figure}
}

// namesState reports whether a mark is a value by which reversed sales are recognized.
func (r *reading) namesState(m mark) bool {
	return m.kind == value && len(m.refs) > 0 && !slices.ContainsFunc(m.refs, func(p valueRef) bool {
		c := r.x.source.Columns[p.column]
		return !slices.ContainsFunc(r.x.source.Reversals, func(rule schema.Reversal) bool {
			return rule.Column == c.Heading && slices.Contains(rule.Values, c.Values[p.value])
		})
	})
}

// isCancellation reports whether a phrase is of cancellations, and not of refunds.
func isCancellation(m mark) bool {
	return strings.Contains(m.text, "cancel") || strings.Contains(m.text, "void")
}

// stateWord returns what a phrase says of a sale.
func stateWord(m mark) string {
	if isCancellation(m) {
		return "cancelled"
	}
	return "refunded"
}

// reversalFigure returns the figure that a word of refunds or cancellations asks for:
// orders if they are counted, else money; of cancellations orders unless money is named.
func (r *reading) reversalFigure(m mark) plan.Metric {
	isRate := strings.Contains(m.text, "rate") || r.has(share) || r.hasWord("rate", "percentage")
	isMoney := r.has(howMuch, money) || r.hasWord("value", "worth", "amount")
	isCounted := r.has(howMany) || r.find(0, metric) >= 0 || strings.Contains(m.text, "order")
	switch {
	case isCancellation(m) && isRate:
		return plan.CancellationRate
	case isCancellation(m) && isMoney && !r.has(howMany):
		return plan.Cancellations
	case isCancellation(m):
		return plan.CancelledOrders
	case isRate:
		return plan.RefundRate
	case isCounted && !isMoney:
		return plan.RefundedOrders
	}
	return plan.Refunds
}

// stateFilter returns the filter of the sales that a rule recognizes by values of a column;
// false if there is none.
func (r *reading) stateFilter(m mark) (plan.Filter, bool) {
	kind := schema.RefundedSale
	if isCancellation(m) {
		kind = schema.CancelledSale
	}
	for _, rule := range r.x.source.Reversals {
		if rule.Kind == kind && len(rule.Values) > 0 {
			return plan.Filter{Column: rule.Column, Op: plan.In, Values: rule.Values}, true
		}
	}
	return plan.Filter{}, false
}

package compute

import (
	"fmt"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// settleScope decides which of the source's rows the statement reads: if all figures are of
// the same scope, those alone, so that a product whose only sale was refunded makes no
// group.
func (q *query) settleScope() error {
	scopes := map[plan.Scope]bool{}
	for _, m := range q.plan.Measures {
		f, err := plan.FormulaOf(q.source, m)
		if err != nil {
			return err
		}
		if m.Metric == plan.Rows && len(q.plan.Measures) > 1 {
			continue // the rows of the other figures
		}
		scopes[f.Top.Rows] = true
		if f.Bottom != nil {
			scopes[f.Bottom.Rows] = true
		}
	}
	switch {
	case len(scopes) == 2 && scopes[plan.NetRows] && scopes[plan.SoldRows]:
		q.whole = plan.NetRows
	case len(scopes) == 1:
		for only := range scopes {
			q.whole = only
		}
	}
	if q.zeroed(q.whole) && (len(q.plan.By) == 0 || q.plan.By[0].Part != plan.Whole) {
		q.whole = plan.AllRows // no refund is a figure too
	}
	return nil
}

// zeroed reports whether a sum over no row of the scope is 0, and not missing.
func (q *query) zeroed(rows plan.Scope) bool {
	return rows == plan.CancelledRows || rows == plan.RefundedRows
}

// within returns the condition that a row is of a scope; "" if all that are read are.
func (q *query) within(rows plan.Scope) string {
	if rows == q.whole || rows == plan.AllRows {
		return ""
	}
	return q.ofScope(rows)
}

// ofScope returns the condition that a row of the source is of a scope, "" if all are.
func (q *query) ofScope(rows plan.Scope) string {
	if text, ok := q.scopes[rows]; ok {
		return text
	}
	text := ""
	switch rows {
	case plan.NetRows:
		text = q.without(schema.CancelledSale, schema.MissedSale, schema.DraftSale, schema.RefundedSale)
	case plan.SoldRows:
		text = q.without(schema.CancelledSale, schema.MissedSale, schema.DraftSale, schema.RefundedSale, schema.Return)
	case plan.MadeRows:
		text = q.without(schema.CancelledSale, schema.MissedSale, schema.DraftSale, schema.Return)
	case plan.PlacedRows:
		text = q.without(schema.Return)
	case plan.CancelledRows:
		text = q.anyOf(schema.CancelledSale)
	case plan.RefundedRows:
		text = q.anyOf(schema.RefundedSale, schema.Return, schema.RefundPart)
	}
	q.scopes[rows] = text
	return text
}

// without returns the condition that no rule of the kinds recognizes a row.
func (q *query) without(kinds ...schema.ReversalKind) string {
	out := ""
	for _, kind := range kinds {
		for _, r := range q.source.Reversals {
			if r.Kind == kind && !r.Unused && r.Rows > 0 {
				out = conjunction(out, "("+q.recognizes(r)+") IS NOT TRUE")
			}
		}
	}
	return out
}

// anyOf returns the condition that a rule of the kinds recognizes a row.
func (q *query) anyOf(kinds ...schema.ReversalKind) string {
	var out []string
	for _, kind := range kinds {
		for _, r := range q.source.Reversals {
			if r.Kind == kind && !r.Unused {
				out = append(out, q.recognizes(r))
			}
		}
	}
	return "(" + strings.Join(append(out, "0"), " OR ") + ")"
}

// recognizes returns the condition of a rule.
func (q *query) recognizes(r schema.Reversal) string {
	c, _ := plan.Column(q.source, r.Column)
	return r.Condition(c, q.arg)
}

// unsigned returns the condition of returns if some have amounts above zero, else "".
func (q *query) unsigned() string {
	for _, r := range q.source.Reversals {
		if r.Kind == schema.Return && !r.Unused && r.Unsigned {
			return q.anyOf(schema.Return)
		}
	}
	return ""
}

// reversedSum returns the sum's expression in a row: 0 in rows outside of the scope.
func (q *query) reversedSum(expr string, rows plan.Scope) string {
	if rows == plan.RefundedRows {
		expr = "abs(" + expr + ")"
	}
	if within := q.within(rows); within != "" {
		expr = fmt.Sprintf("CASE WHEN %s THEN %s ELSE 0 END", within, expr)
	}
	return expr
}

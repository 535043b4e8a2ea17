package compute

import (
	"context"
	"fmt"
	"math/big"
	"strings"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Cell is the value of a column in one row: Text, or Number in whole units for a column of
// numbers. A blank cell has neither.
type Cell struct {
	Text   string
	Number *big.Rat
}

// list reads the rows that a plan lists, or those of both ends.
func list(ctx context.Context, t Table, s schema.Source, r *Result) error {
	p := r.Plan
	if p.List == nil {
		return nil
	}
	orders := []plan.Order{p.Order}
	if p.Ends {
		orders = append(orders, p.Order.Opposite())
	}
	for _, order := range orders {
		r.Ends = len(r.Listed)
		if err := listOrder(ctx, t, s, r, order); err != nil {
			return fmt.Errorf("compute: list: %w", err)
		}
	}
	return nil
}

// listOrder reads rows in an order. A row that equals the last one of a limit, by what the
// order is by, is listed as well.
func listOrder(ctx context.Context, t Table, s schema.Source, r *Result, order plan.Order) error {
	p := r.Plan
	q, err := compile(s, p, strategy{})
	if err != nil {
		return err
	}
	var columns []schema.Column
	var names []string
	for _, heading := range p.List.Columns {
		c, _ := plan.Column(s, heading)
		columns, names = append(columns, c), append(names, c.Name)
	}
	where, ordered := q.where, ""
	if by, ok := plan.Column(s, p.List.By); ok {
		names = append(names, by.Name)
		where = append(where[:len(where):len(where)], by.Name+" IS NOT NULL")
		ordered = "\nORDER BY " + by.Name + map[plan.Order]string{plan.Highest: " DESC"}[order]
	}
	limit := MaxGroups
	if p.Limit > 0 {
		limit = min(p.Limit+MaxTies, MaxGroups)
	}
	sql := selection(strings.Join(names, ", "), q.from, where, 0) + ordered + fmt.Sprintf("\nLIMIT %d", limit)
	found, err := t.Query(ctx, limit, sql, q.args...)
	if err != nil {
		return err
	}
	r.SQL = append(r.SQL, sql)
	for i, row := range found.Rows {
		if p.Limit > 0 && i >= p.Limit && (ordered == "" || row[len(row)-1] != found.Rows[p.Limit-1][len(row)-1]) {
			break
		}
		cells := make([]Cell, len(columns))
		for k, c := range columns {
			cells[k] = cellOf(c, row[k])
		}
		r.Listed = append(r.Listed, cells)
	}
	return nil
}

// cellOf returns a stored value as a cell.
func cellOf(c schema.Column, v any) Cell {
	n, ok := number(v)
	switch {
	case v == nil:
		return Cell{}
	case c.Type == schema.Number && ok:
		return Cell{Number: n.Quo(n, new(big.Rat).SetInt(power(c.Scale)))}
	}
	return Cell{Text: label(c, plan.Whole, v)}
}

package db

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"svc/db/engine"
)

// Rows of a dataset are numbered from 1 in the order of its files, without a gap, so that a
// page in that order begins at a number. In another order, and among rows that a search finds,
// a page is read by reading all rows.

// DataRow is a row of a dataset: its number, and an int64, a string or nil for each column that
// was asked for.
type DataRow struct {
	Number int64
	Values []any
}

// DataMatch is a condition on the rows of a dataset; the zero value is met by all. A row meets
// it if it meets one test of each group.
type DataMatch [][]DataTest

// DataTest is a condition on a column. One of the other fields is set.
type DataTest struct {
	Column string   // SQL name
	OneOf  []string // the column has one of these texts
	Begin  string   // its text begins with this, which has no wildcard
	Word   string   // its text has this word in the form FoldText, whatever its case and accents
	Equals *int64
	Faulty bool // of any column: the row has a cell that does not fit; the file must have the table
}

// FoldText returns a text in lower case and without accents, as searches compare it.
func FoldText(text string) string { return engine.FoldText(text) }

// never is the condition that no row meets.
const never = "0"

// where returns the condition as SQL, and its arguments, the first of which is numbered first.
func (m DataMatch) where(first int) (text string, args []any) {
	bind := func(value any) string {
		args = append(args, value)
		return fmt.Sprintf("?%d", first+len(args)-1)
	}
	groups := []string{"1"}
	for _, tests := range m {
		any := []string{never}
		for _, t := range tests {
			any = append(any, t.condition(bind))
		}
		groups = append(groups, "("+strings.Join(any, " OR ")+")")
	}
	return strings.Join(groups, " AND "), args
}

func (t DataTest) condition(bind func(any) string) string {
	switch {
	case t.Faulty:
		return "rowid IN (SELECT row FROM faulty)"
	case t.Equals != nil:
		return t.Column + " = " + bind(*t.Equals)
	case t.Begin != "":
		return fmt.Sprintf("%s GLOB %s", t.Column, bind(t.Begin+"*"))
	case t.Word != "":
		return fmt.Sprintf("%s(coalesce(%s, ''), %s)", engine.MentionsFunction, t.Column, bind(t.Word))
	}
	values, _ := json.Marshal(t.OneOf) // texts always have a JSON form
	return t.Column + " IN (SELECT value FROM json_each(" + bind(string(values)) + "))"
}

// DataRowsAfter reads at most limit rows that meet a condition in their order, from those with
// after < number ≤ last. It looks at last-after rows at most, and more is true if it has not
// looked at all of them.
func DataRowsAfter(ctx context.Context, q engine.Querier, columns []string, m DataMatch, after, last int64, limit int) (rows []DataRow, more bool, err error) {
	where, args := m.where(3)
	text := fmt.Sprintf("SELECT rowid, %s FROM rows WHERE rowid > ?1 AND rowid <= ?2 AND %s ORDER BY rowid", strings.Join(columns, ", "), where)
	found, err := q.Query(ctx, limit, text, append([]any{after, last}, args...)...)
	return dataRows(found), found.More, err
}

// DataOrder is an order of a dataset's rows by a column; rows without a value are last.
type DataOrder struct {
	Column string // SQL name
	Down   bool
	NoCase bool // letters of ASCII are equal in both cases; no index serves this
}

// DataRowsSorted reads at most limit rows that meet a condition in an order, without the first
// skip of them. It reads all rows unless an index begins with the column.
func DataRowsSorted(ctx context.Context, q engine.Querier, columns []string, m DataMatch, o DataOrder, skip, limit int) (rows []DataRow, more bool, err error) {
	where, args := m.where(3)
	collate, way := "", "ASC NULLS LAST"
	if o.NoCase {
		collate = " COLLATE NOCASE"
	}
	if o.Down {
		way = "DESC"
	}
	// Only numbers are sorted, so that the other columns are read of a page alone.
	text := fmt.Sprintf("SELECT rowid FROM rows WHERE %s ORDER BY %s%s %s, rowid LIMIT ?2 OFFSET ?1", where, o.Column, collate, way)
	found, err := q.Query(ctx, limit, text, append([]any{int64(skip), int64(limit + 1)}, args...)...)
	if err != nil {
		return nil, false, err
	}
	for _, number := range found.Rows {
		n := number[0].(int64)
		row, _, err := DataRowsAfter(ctx, q, columns, nil, n-1, n, 1)
		if err != nil {
			return nil, false, err
		}
		rows = append(rows, row...)
	}
	return rows, found.More, nil
}

// DataRowCount returns how many rows a dataset has.
func DataRowCount(ctx context.Context, q engine.Querier) (int64, error) {
	found, err := q.Query(ctx, 1, `SELECT coalesce(max(rowid), 0) FROM rows`)
	if err != nil {
		return 0, err
	}
	return found.Rows[0][0].(int64), nil
}

// FaultyRowCount returns how many rows of a dataset have cells that do not fit their columns; 0
// too for a dataset of a version that did not record them.
func FaultyRowCount(ctx context.Context, q engine.Querier) (int64, error) {
	has, err := q.Query(ctx, 1, `SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'faulty'`)
	if err != nil || len(has.Rows) == 0 {
		return 0, err
	}
	found, err := q.Query(ctx, 1, `SELECT count(DISTINCT row) FROM faulty`)
	if err != nil {
		return 0, err
	}
	return found.Rows[0][0].(int64), nil
}

// FaultsOf returns why cells of a row do not fit their columns. The dataset must have such rows.
func FaultsOf(ctx context.Context, q engine.Querier, number int64) (reasons []string, err error) {
	found, err := q.Query(ctx, maxFaults, `SELECT reason FROM faulty WHERE row = ?1 ORDER BY reason`, number)
	for _, row := range found.Rows {
		reasons = append(reasons, row[0].(string))
	}
	return reasons, err
}

// maxFaults bounds the reasons of a row that are read.
const maxFaults = 10

func dataRows(found engine.Rows) (rows []DataRow) {
	for _, values := range found.Rows {
		rows = append(rows, DataRow{values[0].(int64), values[1:]})
	}
	return rows
}

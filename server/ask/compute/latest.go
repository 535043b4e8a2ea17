package compute

import (
	"fmt"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// latestSQL returns the value that an expression of a running balance has in the newest of the rows that meet a
// condition: of the last day, and of those the last as the file has them.
func (q *query) latestSQL(a plan.Aggregate, expr, condition string) string {
	day, row := "''", "rowid"
	if c, ok := q.source.ByRole(schema.Day); ok {
		day = "coalesce(" + c.Name + ", '')"
	}
	if a.Terms[0].Factors[0].NewestFirst {
		row = "999999999999 - rowid"
	}
	const width = 19 + 12 // of a moment and a row's number
	newest := fmt.Sprintf("max(printf('%%-19s%%012d', %s, %s) || (%s))", day, row, expr)
	return fmt.Sprintf("CAST(substr(%s, %d) AS INTEGER)", filtered(newest, condition), width+1)
}

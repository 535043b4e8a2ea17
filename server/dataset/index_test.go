package dataset

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/server/sheet"
)

// The groups of a large table are read in order and from an index alone.
func TestQuestionsReadIndexesOnly(t *testing.T) {
	const text = "Order ID,Date,Product,Store,Qty,Total,Notes\nA1,2024-01-31,Tea,North,1,2,fine\nA2,2024-02-01,Bun,South,3,4,good\nA2,2024-02-01,Tea,South,1,2,well\n"
	path := filepath.Join(t.TempDir(), "rows.db")
	source, _, err := Build(t.Context(), "sales.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, path)
	if err != nil {
		t.Fatal(err)
	}
	indexes := indexesOf(source)
	if got := fmt.Sprint(indexes); got != "[[substr(c2, 1, 7) c2 c5 c6] [c3 c2 c5 c6] [c4 c2 c5 c6] [c1 c2 c5 c6]]" {
		t.Errorf("got indexes %s", got)
	}
	if err := db.IndexDataFile(t.Context(), path, indexes); err != nil {
		t.Fatal(err)
	}
	file, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, query := range []string{
		"SELECT substr(c2, 1, 7), sum(c6) FROM rows WHERE substr(c2, 1, 7) IS NOT NULL GROUP BY 1 ORDER BY 2 DESC LIMIT 10",
		"SELECT c3, sum(c6), sum(c5) FROM rows WHERE c3 IS NOT NULL GROUP BY 1 ORDER BY 2 DESC",
		"SELECT c4, sum(c6) FILTER (WHERE c2 >= '2024-02-01') FROM rows WHERE c2 >= '2024-01-01' GROUP BY 1",
		"SELECT sum(c6), count(DISTINCT c1) FROM rows",
	} {
		found, err := file.Query(t.Context(), 100, "EXPLAIN QUERY PLAN "+query)
		if err != nil {
			t.Fatal(err)
		}
		plan := fmt.Sprint(found.Rows)
		if !strings.Contains(plan, "COVERING INDEX") || strings.Contains(plan, "FOR GROUP BY") {
			t.Errorf("%s\n%s", query, plan)
		}
	}
}

package engine_test

import (
	"fmt"
	"math"
	"strings"
	"svc/db/engine"
	"testing"
)

// table opens an engine whose table rows has a text and a number in each row.
func table(t *testing.T, rows ...[]any) *engine.Engine {
	t.Helper()
	store := open(t)
	insert := engine.NewQuery("INSERT INTO rows VALUES ($1, $2)")
	update(t, store, func(tx *engine.Tx) error {
		for _, row := range rows {
			if _, err := tx.Exec(insert, row...); err != nil {
				return err
			}
		}
		return nil
	})
	return store
}

func TestGroups(t *testing.T) {
	t.Parallel()
	store := table(t, []any{"a", int64(1)}, []any{"b", nil}, []any{"a", int64(2)}, []any{nil, int64(5)})
	for call, want := range map[string]string{
		"groups10(c1, c2)":                      `[["a",2,3,2],["b",1,null,0],[null,1,5,1]]`,
		"groups20(c1, c2 IS NULL, c2)":          `[["a",0,2,3,2],["b",1,1,null,0],[null,0,1,5,1]]`,
		"groups10(c1)":                          `[["a",2],["b",1],[null,1]]`,
		"groups12(c2 IS NULL, c1, c2 > 10, c2)": `[[0,3,1,1,8,3],[1,1,1,0,null,0]]`,
	} {
		found, err := store.Query(t.Context(), 1, "SELECT "+call+" FROM rows")
		if err != nil || found.Rows[0][0] != want {
			t.Errorf("%s: %v %v, want %s", call, found.Rows, err, want)
		}
	}
}

func TestGroupsRefuses(t *testing.T) {
	t.Parallel()
	store := table(t, []any{"a", int64(math.MaxInt64)}, []any{"a", int64(1)})
	for call, want := range map[string]string{
		"groups10(c1, c2)":      "overflow",
		"groups10(c1, c1)":      "value is string",
		"groups20(c1)":          "1 arguments",
		"groups12(c1, c2)":      "2 arguments",
		"groups10(0.5 + c2)":    "key is float64",
		"groups11(1, 0.5 + c2)": "counted value is float64",
	} {
		if _, err := store.Query(t.Context(), 1, "SELECT "+call+" FROM rows"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
}

// Texts of all lengths, and many of them.
func TestGroupsCountsDifferentValues(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("nothing runs beside another here; run it without -short")
	}
	var rows [][]any
	for i := range 40_000 {
		rows = append(rows, []any{fmt.Sprintf("%0*d", 1+i%17, i%9_000), int64(i % 7)})
	}
	rows = append(rows, []any{"", int64(0)}, []any{"\x00", int64(0)}, []any{nil, int64(0)})
	store := table(t, rows...)
	for expr, key := range map[string]string{"c1": "c2", "c2": "1", "substr(c1, -3)": "c2"} {
		want, err := store.Query(t.Context(), 100, "SELECT json_group_array(json_array(k, n, d)) FROM (SELECT "+key+" AS k, count(*) AS n, count(DISTINCT "+expr+") AS d FROM rows GROUP BY 1)")
		if err != nil {
			t.Fatal(err)
		}
		got, err := store.Query(t.Context(), 100, "SELECT json_group_array(value) FROM (SELECT value FROM json_each((SELECT groups11("+key+", "+expr+") FROM rows)) ORDER BY value ->> 0)")
		if err != nil || strings.ReplaceAll(strings.ReplaceAll(got.Rows[0][0].(string), `"`, ""), " ", "") != want.Rows[0][0] {
			t.Errorf("%s by %s: got %v, %v\nwant %v", expr, key, got.Rows, err, want.Rows)
		}
	}
}

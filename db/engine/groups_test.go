package engine_test

import (
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
		"groups(1, c1, c2)":             `[["a",2,3,2],["b",1,null,0],[null,1,5,1]]`,
		"groups(2, c1, c2 IS NULL, c2)": `[["a",0,2,3,2],["b",1,1,null,0],[null,0,1,5,1]]`,
		"groups(1, c1)":                 `[["a",2],["b",1],[null,1]]`,
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
		"groups(1, c1, c2)":   "overflow",
		"groups(1, c1, c1)":   "value is string",
		"groups(0, c1)":       "number of keys",
		"groups(c1, c2)":      "number of keys",
		"groups(1, 0.5 + c2)": "key is float64",
	} {
		if _, err := store.Query(t.Context(), 1, "SELECT "+call+" FROM rows"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
}

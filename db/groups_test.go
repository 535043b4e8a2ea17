package db_test

import (
	"math"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
)

// table makes a data file of a text and a number in each row.
func table(t *testing.T, rows ...[]any) *db.DataFile {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.db")
	w, err := db.CreateDataFile(t.Context(), path, []db.DataType{db.DataText, db.DataInteger})
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if err := w.Append(row); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish(); err != nil {
		t.Fatal(err)
	}
	file, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestGroups(t *testing.T) {
	file := table(t, []any{"a", int64(1)}, []any{"b", nil}, []any{"a", int64(2)}, []any{nil, int64(5)})
	for call, want := range map[string]string{
		"groups(1, c1, c2)":             `[["a",2,3,2],["b",1,null,0],[null,1,5,1]]`,
		"groups(2, c1, c2 IS NULL, c2)": `[["a",0,2,3,2],["b",1,1,null,0],[null,0,1,5,1]]`,
		"groups(1, c1)":                 `[["a",2],["b",1],[null,1]]`,
	} {
		found, err := file.Query(t.Context(), 1, "SELECT "+call+" FROM rows")
		if err != nil || found.Rows[0][0] != want {
			t.Errorf("%s: %v %v, want %s", call, found.Rows, err, want)
		}
	}
}

func TestGroupsRefuses(t *testing.T) {
	file := table(t, []any{"a", int64(math.MaxInt64)}, []any{"a", int64(1)})
	for call, want := range map[string]string{
		"groups(1, c1, c2)":   "overflow",
		"groups(1, c1, c1)":   "value is string",
		"groups(0, c1)":       "number of keys",
		"groups(c1, c2)":      "number of keys",
		"groups(1, 0.5 + c2)": "key is float64",
	} {
		if _, err := file.Query(t.Context(), 1, "SELECT "+call+" FROM rows"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", call, err, want)
		}
	}
}

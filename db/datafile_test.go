package db_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"

	"svc/db"
)

// buildData makes a dataset with an integer and a text column.
func buildData(t *testing.T, rows ...[]any) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "data", "ds_1.db")
	w, err := db.CreateDataFile(t.Context(), path, []db.DataType{db.DataInteger, db.DataText})
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
	return path
}

func openData(t *testing.T, path string) *db.DataFile {
	t.Helper()
	f, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func numberedRows(n int) (rows [][]any) {
	for i := range n {
		rows = append(rows, []any{int64(i), "row"})
	}
	return rows
}

func TestDataFile(t *testing.T) {
	t.Parallel()
	t.Run("KeepsRows", func(t *testing.T) {
		f := openData(t, buildData(t, []any{int64(-5), "Chai"}, []any{nil, "Müsli"}, []any{int64(1 << 60), nil}))
		found, err := f.Query(t.Context(), 10, "SELECT c1, c2, 1.5 FROM rows ORDER BY rowid")
		want := [][]any{{int64(-5), "Chai", 1.5}, {nil, "Müsli", 1.5}, {int64(1 << 60), nil, 1.5}}
		if err != nil || found.More || !reflect.DeepEqual(found.Rows, want) {
			t.Errorf("%+v, %v", found, err)
		}
	})

	t.Run("KeepsManyRows", func(t *testing.T) { // more than one long insert
		for _, n := range []int{0, 1, 255, 256, 257, 1000} {
			f := openData(t, buildData(t, numberedRows(n)...))
			found, err := f.Query(t.Context(), 1, "SELECT count(*), coalesce(sum(c1), 0) FROM rows")
			if err != nil || !reflect.DeepEqual(found.Rows, [][]any{{int64(n), int64(n * (n - 1) / 2)}}) {
				t.Errorf("%d rows: %v, %v", n, found.Rows, err)
			}
		}
	})

	t.Run("IsPrivate", func(t *testing.T) {
		if runtime.GOOS == "windows" {
			t.Skip("Windows has no file modes")
		}
		path := buildData(t)
		for path, want := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	})

	t.Run("IsNeverWritten", func(t *testing.T) {
		f := openData(t, buildData(t, numberedRows(1)...))
		for _, text := range []string{"DELETE FROM rows", "CREATE TABLE t (a)", "UPDATE rows SET c1 = 2 RETURNING c1", "PRAGMA query_only = 0; DELETE FROM rows"} {
			if _, err := f.Query(t.Context(), 1, text); err == nil {
				t.Errorf("%s: no error", text)
			}
		}
		found, err := f.Query(t.Context(), 1, "SELECT c1 FROM rows")
		if err != nil || !reflect.DeepEqual(found.Rows, [][]any{{int64(0)}}) {
			t.Errorf("%v, %v", found.Rows, err)
		}
	})

	t.Run("ChecksTypes", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ds_1.db")
		w, err := db.CreateDataFile(t.Context(), path, []db.DataType{db.DataInteger})
		if err != nil {
			t.Fatal(err)
		}
		for range 600 {
			if err = w.Append([]any{"text"}); err != nil {
				break
			}
		}
		if err == nil {
			t.Error("a text in an integer column: no error")
		}
		w.Abandon()
		wantNoFile(t, path)
	})

	t.Run("AbandonRemovesFile", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "ds_1.db")
		w, err := db.CreateDataFile(t.Context(), path, []db.DataType{db.DataText})
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append([]any{"a"}); err != nil {
			t.Fatal(err)
		}
		if err := w.Append([]any{"a", "b"}); err == nil {
			t.Error("two values for one column: no error")
		}
		w.Abandon()
		wantNoFile(t, path)
	})

	t.Run("DoesNotReplaceFile", func(t *testing.T) {
		path := buildData(t, numberedRows(3)...)
		if _, err := db.CreateDataFile(t.Context(), path, []db.DataType{db.DataText}); err == nil {
			t.Error("no error")
		}
		found, err := openData(t, path).Query(t.Context(), 1, "SELECT count(*) FROM rows")
		if err != nil || found.Rows[0][0] != int64(3) {
			t.Errorf("%v, %v", found.Rows, err)
		}
	})

	t.Run("MissingFile", func(t *testing.T) {
		_, err := db.OpenDataFile(filepath.Join(t.TempDir(), "ds_1.db"))
		wantErr(t, err, db.ErrNotFound)
	})
}

func wantNoFile(t *testing.T, path string) {
	t.Helper()
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s: %v", path, err)
	}
}

func TestDataQuery(t *testing.T) {
	t.Parallel()
	f := openData(t, buildData(t, numberedRows(100)...))

	t.Run("ReadsAtMostLimit", func(t *testing.T) {
		for limit, more := range map[int]bool{99: true, 100: false, 101: false} {
			found, err := f.Query(t.Context(), limit, "SELECT c1 FROM rows")
			if err != nil || len(found.Rows) != min(limit, 100) || found.More != more {
				t.Errorf("limit %d: %d rows, more %v, %v", limit, len(found.Rows), found.More, err)
			}
		}
	})

	t.Run("BindsArguments", func(t *testing.T) {
		found, err := f.Query(t.Context(), 5, "SELECT c1 AS n FROM rows WHERE c1 > $1 AND c2 = $2", 97, "row")
		if err != nil || !reflect.DeepEqual(found.Rows, [][]any{{int64(98)}, {int64(99)}}) || found.Columns[0] != "n" {
			t.Errorf("%+v, %v", found, err)
		}
	})

	t.Run("EndsWithContext", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		defer cancel()
		_, err := f.Query(ctx, 1, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
		wantErr(t, err, context.DeadlineExceeded)
		if found, err := f.Query(t.Context(), 1, "SELECT count(*) FROM rows"); err != nil || found.Rows[0][0] != int64(100) {
			t.Errorf("after the interrupt: %v, %v", found.Rows, err)
		}
	})

	t.Run("RefusesUnknownColumn", func(t *testing.T) {
		if _, err := f.Query(t.Context(), 1, `SELECT "c3" FROM rows`); err == nil {
			t.Error("unknown column: no error")
		}
	})
}

func TestSummarise(t *testing.T) {
	t.Parallel()
	f := openData(t, buildData(t, []any{int64(1), "b"}, []any{int64(1), "a"}, []any{nil, "b"}, []any{int64(2), nil}, []any{nil, "c"}, []any{nil, nil}))
	for _, c := range []struct {
		column string
		listed bool
		limit  int
		want   db.Summary
	}{
		{"c1", false, 10, db.Summary{Rows: 6, Distinct: 2, Blank: 3}},
		{"c2", true, 10, db.Summary{Rows: 6, Distinct: 3, Blank: 2, Values: []string{"b", "a", "c"}}},
		{"c2", true, 2, db.Summary{Rows: 6, Distinct: 3, Blank: 2, Values: []string{"b", "a"}}},
	} {
		if got, err := db.Summarise(t.Context(), f, "rows", c.column, c.listed, c.limit); err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v", c.column, got, err)
		}
		described := []db.Described{{Name: "c1"}, {Name: c.column, Listed: c.listed}}
		got, extra, err := db.SummariseAll(t.Context(), f, "rows", described, c.limit, "max(c1)", "min(c2)")
		if err != nil || !reflect.DeepEqual(got[1], c.want) || got[0].Distinct != 2 || extra[0] != int64(2) || extra[1] != "a" {
			t.Errorf("%s with others: %+v, %v, %v", c.column, got, extra, err)
		}
	}
	empty := openData(t, buildData(t))
	if got, err := db.Summarise(t.Context(), empty, "rows", "c2", true, 10); err != nil || !reflect.DeepEqual(got, db.Summary{}) {
		t.Errorf("empty table: %+v, %v", got, err)
	}
	if got, _, err := db.SummariseAll(t.Context(), empty, "rows", []db.Described{{Name: "c2", Listed: true}}, 10); err != nil || !reflect.DeepEqual(got, []db.Summary{{}}) {
		t.Errorf("empty table: %+v, %v", got, err)
	}
}

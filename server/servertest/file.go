package servertest

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"
)

// Query reads rows from the database file, past the store: each row is its values with
// a space between them.
func (s *Server) Query(t testing.TB, statement string) (all []string) {
	t.Helper()
	file := openFile(t, s.Path)
	defer file.Close()
	rows, err := file.Query(statement)
	if err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values := make([]any, len(columns))
		for i := range values {
			values[i] = new(any)
		}
		if err := rows.Scan(values...); err != nil {
			t.Fatal(err)
		}
		for i := range values {
			values[i] = *values[i].(*any)
		}
		all = append(all, strings.TrimSuffix(fmt.Sprintln(values...), "\n"))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// Count returns the number that a query such as SELECT count(*) answers.
func (s *Server) Count(t testing.TB, statement string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(s.Query(t, statement)[0], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// Exec changes the database file past the store.
func (s *Server) Exec(t testing.TB, statement string) {
	t.Helper()
	file := openFile(t, s.Path)
	defer file.Close()
	if _, err := file.Exec(statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// SetVersion writes a schema version into a database file.
func SetVersion(t testing.TB, path string, version int) {
	t.Helper()
	file := openFile(t, path)
	defer file.Close()
	if _, err := file.Exec(fmt.Sprintf("PRAGMA user_version = %d", version)); err != nil {
		t.Fatal(err)
	}
}

func openFile(t testing.TB, path string) *sql.DB {
	t.Helper()
	file, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

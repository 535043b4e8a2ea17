package dbtest

import (
	"fmt"
	"reflect"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"

	"svc/db"
)

// Reprepared returns how often SQLite has prepared each statement of the transaction's
// connection again since it was first prepared, by its text.
func Reprepared(tx *db.Tx) (map[string]int, error) {
	return statementStatus(tx, sqlite3.SQLITE_STMTSTATUS_REPREPARE)
}

// Runs returns how often each statement of the transaction's connection was run, by its text.
func Runs(tx *db.Tx) (map[string]int, error) {
	return statementStatus(tx, sqlite3.SQLITE_STMTSTATUS_RUN)
}

func statementStatus(tx *db.Tx, counter int32) (counts map[string]int, err error) {
	counts = map[string]int{}
	err = tx.Raw(func(driverConn any) error {
		// The driver has no method for these counters, and does not export its handle.
		handle := reflect.ValueOf(driverConn).Elem().FieldByName("db")
		if !handle.IsValid() || !handle.CanUint() {
			return fmt.Errorf("%T has no handle of SQLite in its field db", driverConn)
		}
		tls := libc.NewTLS()
		defer tls.Close()
		connection := uintptr(handle.Uint())
		for statement := uintptr(0); ; {
			if statement = sqlite3.Xsqlite3_next_stmt(tls, connection, statement); statement == 0 {
				return nil
			}
			text := libc.GoString(sqlite3.Xsqlite3_sql(tls, statement))
			counts[text] += int(sqlite3.Xsqlite3_stmt_status(tls, statement, counter, 0))
		}
	})
	return counts, err
}

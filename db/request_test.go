package db_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// logged lists the ids of the log rows that are stored, oldest first.
func logged(t *testing.T, store *db.DB) (ids []string) {
	t.Helper()
	rows := get(t, store, func(tx *db.Tx) ([]db.Request, error) { return tx.Requests("acct_1", 10_000) })
	for i := range rows {
		ids = append(ids, rows[len(rows)-1-i].ID)
	}
	return ids
}

func wantLogged(t *testing.T, store *db.DB, want ...string) {
	t.Helper()
	if got := logged(t, store); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("stored log rows %v, want %v", got, want)
	}
}

func TestLogRequestIsStoredBeforeClose(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "svc.db")
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	for _, id := range []string{"req_1", "req_2"} {
		store.LogRequest(db.Request{ID: id, AccountID: "acct_1"})
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	wantLogged(t, dbtest.OpenAt(t, path, dbtest.NewClock()), "req_1", "req_2")
}

func TestRequests(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	at := dbtest.NewClock().Now()
	full := db.Request{
		ID: "req_2", AccountID: "acct_1", KeyID: "key_1", Method: "POST", Route: "/api/v1/scan", Status: 402,
		Duration: 1500 * time.Microsecond, ChargeCents: 3, ErrorCode: "insufficient_funds", ClientRequestID: "theirs", ReplayOf: "req_0", At: at,
	}
	dbtest.Update(t, store, func(tx *db.Tx) error {
		return errors.Join(
			tx.LogRequest(db.Request{ID: "req_1", AccountID: "acct_1", At: at.Add(-time.Hour), ClientRequestID: strings.Repeat("x", 1000)}),
			tx.LogRequest(db.Request{ID: "req_other", AccountID: "acct_2", At: at.Add(-time.Hour)}),
			tx.LogRequest(full),
		)
	})

	rows := get(t, store, func(tx *db.Tx) ([]db.Request, error) { return tx.Requests("acct_1", 10) })
	full.Seq = 3
	if len(rows) != 2 || rows[0] != full || rows[1].ID != "req_1" {
		t.Errorf("newest first and none of another account, got %+v", rows)
	} else if n := len(rows[1].ClientRequestID); n > 200 {
		t.Errorf("%d bytes of the client's id are stored, want at most 200", n)
	}

	var deleted int64
	for _, want := range []int64{1, 1, 0} { // at most one each
		dbtest.Update(t, store, func(tx *db.Tx) (err error) {
			deleted, err = tx.DeleteRequestsBefore(at, 1)
			return err
		})
		if deleted != want {
			t.Errorf("%d rows deleted, want %d", deleted, want)
		}
	}
	wantLogged(t, store, "req_2")
}

// TestSweepReadsNoWholeTable checks the query plans: callers wait for the writer while
// the sweep runs.
func TestSweepReadsNoWholeTable(t *testing.T) {
	t.Parallel()
	bounded := map[string]bool{
		"SCAN requests":                     true, // the oldest rows, up to the subquery's LIMIT
		"SCAN (subquery-1)":                 true,
		"SCAN calls USING INDEX calls_open": true, // the open calls
	}
	checkScans(t, db.SweepQueries(), bounded)
}

// TestBacklogReadsNoWholeTable checks the query plans of what each scrape of the metrics reads.
func TestBacklogReadsNoWholeTable(t *testing.T) {
	t.Parallel()
	checkScans(t, db.BacklogQueries(), map[string]bool{
		"SCAN CONSTANT ROW":                                     true,
		"SCAN calls USING COVERING INDEX calls_unknown":         true, // the calls of unknown outcome
		"SCAN d USING COVERING INDEX webhook_deliveries_queued": true, // those that wait, up to the LIMIT
		"SCAN (subquery-1)":                                     true,
		"SCAN (subquery-2)":                                     true,
	})
}

// checkScans fails for a step that reads a whole table or index, unless it is bounded.
func checkScans(t *testing.T, queries map[string]string, bounded map[string]bool) {
	t.Helper()
	store := dbtest.Open(t, dbtest.NewClock())
	for name, text := range queries {
		plan := get(t, store, func(tx *db.Tx) ([]string, error) { return tx.Plan(text) })
		for _, step := range plan {
			if strings.HasPrefix(step, "SCAN") && !bounded[step] {
				t.Errorf("%s: %s", name, step)
			}
		}
		if len(plan) == 0 {
			t.Errorf("%s has no plan", name)
		}
	}
}

package cmd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestPushSurvivesCrash kills the server while it stores the 501st of 1,000 sales. The same
// push again stores the rest: each sale is announced and lowers its stock once, and
// sync.completed is emitted once.
func TestPushSurvivesCrash(t *testing.T) {
	t.Parallel()
	f := folderFor(t, crashBinary)
	f.account(owner, "business", "0")
	_, key := f.key("live")
	sql := f.sql("svc.db")
	count := func(query string) (n int) {
		t.Helper()
		if err := sql.QueryRow(query).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	const (
		stored = `SELECT count(*) FROM sales`
		sold   = `SELECT count(*) FROM events WHERE kind = 'sale.created'`
		synced = `SELECT count(*) FROM events WHERE kind = 'sync.completed'`
		moved  = `SELECT 5000000 - stock_milli FROM items WHERE sku = 'C'`
	)
	p := f.serve()
	p.post("/data/push", key, `{"records":[{"type":"product","external_id":"p","name":"Coffee","sku":"C","stock_qty":5000}]}`)
	p.stop()

	var records []string
	for n := range 1000 {
		records = append(records, fmt.Sprintf(`{"type":"sale","external_id":"%d","occurred_at":%q,"items":[{"sku":"C","quantity":2,"price":4.5}]}`,
			n, time.Now().UTC().Format(time.RFC3339)))
	}
	body := `{"records":[` + strings.Join(records, ",") + `]}`
	p = f.with("SVC_CRASH_AT=sale-500").serve()
	r, err := http.NewRequest(http.MethodPost, p.url+"/data/push", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	if a, err := roundTrip(r); err == nil {
		t.Fatalf("the push was answered with %d: %s", a.status, a.body)
	}
	p.wait()
	n := count(stored)
	if n == 0 || n > 500 || count(sold) != n || count(moved) != 2000*n || count(synced) != 1 {
		t.Fatalf("after the crash %d sales, %d announced, stock lowered by %d, %d syncs", n, count(sold), count(moved), count(synced))
	}

	p = f.serve()
	got := p.post("/data/push", key, body)
	p.stop()
	if got["inserted"] != float64(1000-n) || got["unchanged"] != float64(n) || got["rejected"] != 0.0 {
		t.Errorf("the push again: %v, want %d unchanged", got, n)
	}
	if count(stored) != 1000 || count(sold) != 1000 || count(moved) != 2_000_000 || count(synced) != 2 {
		t.Errorf("in the end %d sales, %d announced, stock lowered by %d, %d syncs", count(stored), count(sold), count(moved), count(synced))
	}
}

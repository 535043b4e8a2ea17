package requestlog_test

import (
	"context"
	"database/sql"
	"path/filepath"
	"sync"
	"testing"
	"time"

	_ "modernc.org/sqlite"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/requestlog"
)

// The benchmarks print times as ratios to one that is measured in the same run.
//
//	go test -run '^$' -bench . -benchtime 20x ./server/requestlog

// million opens a store whose log has a million calls of 30 days: the even ones of one
// account with ten keys, the odd ones of a thousand accounts, and one in 20,000 of an account
// that is in every fifth block alone.
func million(b *testing.B) (*db.DB, *requestlog.Service) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "svc.db")
	store := dbtest.OpenAt(b, path, dbtest.NewClock())
	pool, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	_, err = pool.Exec(`
INSERT INTO requests (id, account_id, key_id, method, route, status, duration_us, charge_cents, error_code, client_request_id, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000)
SELECT printf('req_%026d', i),
  CASE WHEN i % 20000 = 7777 THEN 'acct_few' WHEN i % 2 = 0 THEN 'acct_half' ELSE printf('acct_%026d', i / 2 % 1000) END,
  printf('key_%026d', CASE WHEN i % 2 = 0 THEN i / 2 % 10 ELSE i / 2 % 1000 END), 'GET', '/api/v1/' || (i / 20 % 4),
  CASE WHEN i % 100000 = 2 THEN 500 WHEN i % 50 < 2 THEN 429 ELSE 200 END, 1000, 0, '', '', $1 + i * 2592
FROM n`, dbtest.NewClock().Now().AddDate(0, 0, -30).UnixMilli())
	if err != nil {
		b.Fatal(err)
	}
	s := requestlog.New(requestlog.Config{Store: store})
	if err := s.CountBlocks(context.Background()); err != nil {
		b.Fatal(err)
	}
	return store, s
}

// BenchmarkAmongMillion reads what a page shows of an account among a million calls. The
// ratio is to reading a million rows, which is what a page would do without blocks.
func BenchmarkAmongMillion(b *testing.B) {
	store, s := million(b)
	scan := func() {
		err := store.LongView(b.Context(), func(tx *db.Tx) error {
			_, err := tx.RequestsBetween(0, 1_000_000, db.RequestFilter{AccountID: "acct_none"}, 50)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	scan() // the first reads the file
	began := time.Now()
	scan()
	whole := time.Since(began)

	list := func(f db.RequestFilter, want int) func(b *testing.B) {
		return func(b *testing.B) {
			c, err := s.Calls(b.Context(), f, 0, 50)
			if err != nil || len(c.Requests) != want || c.Partial {
				b.Fatalf("%d calls, %v", len(c.Requests), err)
			}
		}
	}
	usage := func(account string) func(b *testing.B) {
		return func(b *testing.B) {
			u, err := s.Usage(b.Context(), db.Account{ID: account}, 30)
			if err != nil || u.Partial || len(u.Sums) == 0 {
				b.Fatalf("%v, %v", u, err)
			}
		}
	}
	uses := func(b *testing.B) {
		used, err := s.LastUses(b.Context(), "acct_half", 11) // one of which was never used
		if err != nil || len(used) != 10 {
			b.Fatalf("%v, %v", used, err)
		}
	}
	for _, one := range []struct {
		name string
		run  func(b *testing.B)
	}{
		{"LastUsesWithUnused", uses},
		{"ListOfBusy", list(db.RequestFilter{AccountID: "acct_half"}, 50)},
		{"ListOfUsual", list(db.RequestFilter{AccountID: "acct_00000000000000000000000007"}, 50)},
		{"ListOfQuiet", list(db.RequestFilter{AccountID: "acct_few"}, 50)},
		{"ListOfRareStatus", list(db.RequestFilter{AccountID: "acct_half", Status: 5}, 10)},
		{"UsageOfBusy", usage("acct_half")},
		{"UsageOfUsual", usage("acct_00000000000000000000000007")},
	} {
		b.Run(one.name, func(b *testing.B) {
			for b.Loop() {
				one.run(b)
			}
			took := b.Elapsed() / time.Duration(b.N)
			b.ReportMetric(float64(took.Microseconds())/1000, "ms")
			b.ReportMetric(float64(took)/float64(whole), "of-scan")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// BenchmarkCountBlock counts a block in which a thousand keys have calls. The ratio is to
// the time in which the admission of as many calls counts them, 50 at a time: it is what the
// blocks add to a call.
func BenchmarkCountBlock(b *testing.B) {
	path := filepath.Join(b.TempDir(), "svc.db")
	store := dbtest.OpenAt(b, path, dbtest.NewClock())
	account := dbtest.MustAccount(b, store, "shop@example.com", db.Business)
	keys := make([]db.Key, 1000)
	for i := range keys {
		keys[i], _ = dbtest.MustKey(b, store, account.ID, db.Test, db.AccountMode)
	}
	var counting sync.WaitGroup
	began := time.Now()
	for worker := range 50 {
		counting.Go(func() {
			for i := worker; i < db.RequestBlock; i += 50 {
				_ = store.RelaxedUpdate(context.Background(), func(tx *db.Tx) error {
					_, _, err := tx.Count(keys[i%1000].ID, db.Limits{Minute: 1 << 40, Month: db.Unlimited}, true)
					return err
				})
			}
		})
	}
	counting.Wait()
	calls := time.Since(began)
	dbtest.Update(b, store, func(tx *db.Tx) error {
		for i := range db.RequestBlock {
			row := db.Request{ID: "req", AccountID: account.ID, KeyID: keys[i%1000].ID, Route: "/", Status: 200, At: tx.Now()}
			if err := tx.LogRequest(row); err != nil {
				return err
			}
		}
		return nil
	})
	pool, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()

	s := requestlog.New(requestlog.Config{Store: store})
	for b.Loop() {
		if err := s.CountBlocks(context.Background()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if result, err := pool.Exec(`DELETE FROM request_blocks`); err != nil {
			b.Fatal(err)
		} else if n, _ := result.RowsAffected(); n != 1001 {
			b.Fatalf("%d sums of the block", n)
		}
		b.StartTimer()
	}
	took := b.Elapsed() / time.Duration(b.N)
	b.ReportMetric(float64(took.Microseconds())/1000, "ms")
	b.ReportMetric(float64(took)/float64(calls), "of-calls")
	b.ReportMetric(0, "ns/op")
}

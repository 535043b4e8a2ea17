package requestlog_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/requestlog"
	"svc/server/servertest"
)

// fillLog stores n calls of many accounts, 100 a minute up to now: acct_0 to acct_6 with
// three keys each, and once in 5000 a call of acct_rare with the status 502.
func fillLog(t testing.TB, s *servertest.Shop, n int) {
	t.Helper()
	s.Exec(t, fmt.Sprintf(`
INSERT INTO requests (id, account_id, key_id, method, route, status, duration_us, charge_cents, error_code, client_request_id, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %[1]d)
SELECT 'r' || i,
  CASE WHEN i %% 5000 = 77 THEN 'acct_rare' ELSE 'acct_' || (i %% 7) END,
  'key_' || (i %% 21), 'POST', CASE WHEN i %% 2 THEN '/api/v1/ask' ELSE '/api/v1/scan' END,
  CASE WHEN i %% 5000 = 77 THEN 502 WHEN i %% 10 = 3 THEN 402 WHEN i %% 10 = 4 THEN 429 ELSE 200 END,
  1000, CASE WHEN i %% 10 = 6 THEN 3 ELSE 0 END, '', CASE WHEN i %% 6001 = 0 THEN 'mine' ELSE '' END,
  %[2]d - (%[1]d - i) * 600
FROM n`, n, s.Clock.Now().UnixMilli()))
}

// matching reads all rows that a filter picks, newest first.
func matching(t *testing.T, s *servertest.Shop, f db.RequestFilter) (rows []db.Request) {
	t.Helper()
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		rows, err = tx.RequestsBetween(0, 1<<40, f, 1<<30)
		return err
	})
	return rows
}

func TestCalls(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	fillLog(t, s, 3*db.RequestBlock+1000)
	now := s.Clock.Now()
	check := func(state string) {
		t.Helper()
		for _, f := range []db.RequestFilter{
			{}, {KeyID: "key_7"}, {KeyID: "key_1"}, {Status: 402}, {Status: 4}, {Status: 5}, {Route: "/api/v1/ask", Status: 429},
			{KeyID: "key_7", Route: "/api/v1/scan"}, {ID: "mine"}, {From: now.Add(-2 * time.Hour), Until: now.Add(-time.Hour)},
		} {
			f.AccountID = "acct_0"
			want, got := ids(matching(t, s, f)), ""
			for before, pages := int64(0), 0; pages == 0 || before > 0; pages++ {
				c, err := s.App.Requests.Calls(t.Context(), f, before, 500)
				if err != nil || c.Partial || pages > 100 {
					t.Fatalf("%s: %+v, page %d: partial %v, %v", state, f, pages, c.Partial, err)
				}
				got, before = got+ids(c.Requests), c.Before
			}
			if got != want {
				t.Errorf("%s: %+v: got %d calls, want %d", state, f, strings.Count(got, " "), strings.Count(want, " "))
			}
		}
		c, err := s.App.Requests.Calls(t.Context(), db.RequestFilter{AccountID: "acct_rare"}, 0, 50)
		if err != nil || ids(c.Requests) != "r10077 r5077 r77 " || c.Before != 0 {
			t.Errorf("%s: rare calls: %q, %v", state, ids(c.Requests), err)
		}
	}
	check("not counted")
	if err := s.App.Requests.CountBlocks(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("counted")
}

// TestUsage compares the counts of blocks, some of them counted by two processes at once,
// with those of the rows, in a zone that is no whole hours from UTC.
// The last uses are the same whether blocks are counted or not, also of keys whose calls are
// far back.
func TestLastUses(t *testing.T) {
	t.Parallel()
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	fillLog(t, s, 18*db.RequestBlock+1000)
	s.Exec(t, `UPDATE requests SET key_id = 'key_old', account_id = 'acct_0' WHERE seq = 5; UPDATE requests SET account_id = 'acct_1' WHERE account_id = 'acct_rare' AND seq > 5000`)
	for _, state := range []string{"not counted", "counted"} {
		for _, account := range []string{"acct_0", "acct_1", "acct_rare", "acct_none"} {
			want := map[string]time.Time{}
			for _, r := range matching(t, s, db.RequestFilter{AccountID: account}) {
				if r.At.After(want[r.KeyID]) {
					want[r.KeyID] = r.At
				}
			}
			if account == "acct_0" && len(want) != 4 || account == "acct_rare" && len(want) != 1 {
				t.Fatalf("%s has %d keys", account, len(want))
			}
			got, err := s.App.Requests.LastUses(t.Context(), account, 100)
			if err != nil || !maps.EqualFunc(got, want, time.Time.Equal) {
				t.Errorf("%s: of %s %v, want %v; %v", state, account, got, want, err)
			}
		}
		if err := s.App.Requests.CountBlocks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

func TestUsage(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	fillLog(t, s, 2*db.RequestBlock+500)
	owner := db.Account{ID: s.LiveKey.AccountID, Profile: db.Profile{Timezone: "Asia/Kathmandu"}}
	s.Exec(t, fmt.Sprintf(`UPDATE requests SET account_id = '%s' WHERE account_id = 'acct_3'`, owner.ID))
	s.Exec(t, `UPDATE accounts SET timezone = 'Asia/Kathmandu'`)
	zone, err := time.LoadLocation(owner.Profile.Timezone)
	if err != nil {
		t.Fatal(err)
	}
	count := func() map[string]int64 {
		t.Helper()
		u, err := s.App.Requests.Usage(t.Context(), owner, 3)
		if err != nil || u.Partial || len(u.Days) != 3 || u.Days[2] != s.Clock.Now().In(zone).Format(time.DateOnly) {
			t.Fatalf("%v, %v", u.Days, err)
		}
		all := map[string]int64{}
		for _, sum := range u.Sums {
			key := fmt.Sprint(sum.Day, sum.KeyID, sum.Route, sum.Status)
			all[key] += sum.Calls
			all[key+" cents"] += sum.ChargeCents
		}
		return all
	}
	want := map[string]int64{}
	for _, r := range matching(t, s, db.RequestFilter{AccountID: owner.ID}) {
		key := fmt.Sprint(r.At.In(zone).Format(time.DateOnly), r.KeyID, r.Route, r.Status)
		want[key]++
		want[key+" cents"] += r.ChargeCents
	}
	if got := count(); len(want) < 10 || !maps.Equal(got, want) {
		t.Errorf("not counted: %v, want %v", got, want)
	}

	second := requestlog.New(requestlog.Config{Store: s.Store})
	failed := make(chan error, 1)
	go func() { failed <- second.CountBlocks(context.Background()) }()
	if err := errors.Join(s.App.Requests.CountBlocks(t.Context()), servertest.Receive(t, failed)); err != nil {
		t.Fatal(err)
	}
	if got := count(); !maps.Equal(got, want) {
		t.Errorf("counted: %v, want %v", got, want)
	}
}

func TestCall(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 1000)
	var sent []string
	for range 3 {
		sent = append(sent, s.Send(t, servertest.WithHeader("X-Request-Id", "mine")).Header.Get("X-Request-Id"))
		s.Clock.Advance(time.Hour)
	}
	fillLog(t, s, 50_000) // all are later than the second
	s.Exec(t, `UPDATE requests SET created_at = created_at + 3600000 * 10 WHERE id LIKE 'r%' AND id NOT LIKE 'req%'`)
	account := s.LiveKey.AccountID
	for _, id := range sent {
		if r, err := s.App.Requests.Call(t.Context(), account, id); err != nil || r.ID != id || r.ChargeCents != servertest.SendPrice {
			t.Errorf("%s: %+v, %v", id, r, err)
		}
	}
	var problem *fault.Error
	for _, row := range [][2]string{{"acct_other", sent[0]}, {account, "mine"}, {account, ""}, {account, db.NewID("req_", s.Clock.Now())}, {account, "req_" + strings.Repeat("!", 26)}} {
		if r, err := s.App.Requests.Call(t.Context(), row[0], row[1]); !errors.As(err, &problem) || problem.Code != fault.NotFound {
			t.Errorf("%s: %+v, %v", row, r, err)
		}
	}
}

// TestDropBlocks lets the sweep empty blocks: their counts go, and what is counted later is
// counted once.
func TestDropBlocks(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	fillLog(t, s, 2*db.RequestBlock+10)
	count := func() {
		t.Helper()
		if err := s.App.Requests.CountBlocks(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	blocks := func() (all []int64) {
		dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
			spans, err := tx.RequestSpans(db.RequestFilter{AccountID: ""}, 1<<40, 100)
			for _, s := range spans {
				all = append(all, db.BlockOf(s.First))
			}
			return err
		})
		return all
	}
	count()
	if got := blocks(); !slices.Equal(got, []int64{1, 0}) {
		t.Fatalf("counted %v", got)
	}
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		_, err := tx.DeleteRequestsBefore(tx.Now().Add(time.Hour), 1_000_000)
		return err
	})
	count()
	if got := blocks(); len(got) != 0 {
		t.Errorf("after the sweep, blocks %v are counted", got)
	}
	fillLog(t, s, db.RequestBlock)
	count()
	if got := blocks(); !slices.Equal(got, []int64{2}) {
		t.Errorf("after new calls, blocks %v are counted", got)
	}
	f := db.RequestFilter{AccountID: "acct_2"}
	if c, err := s.App.Requests.Calls(t.Context(), f, 0, 10_000); err != nil || ids(c.Requests) != ids(matching(t, s, f)) || len(c.Requests) < 500 {
		t.Errorf("%d calls, %v", len(c.Requests), err)
	}
}

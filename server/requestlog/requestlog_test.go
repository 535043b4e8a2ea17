package requestlog_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/server/servertest"
)

// ids returns the ids of rows with a space after each.
func ids(rows []db.Request) string {
	var all strings.Builder
	for _, r := range rows {
		all.WriteString(r.ID + " ")
	}
	return all.String()
}

// plant stores log rows of a key with these ids; those that end in x have status 500.
func plant(t *testing.T, s *servertest.Shop, keyID string, ids ...string) {
	t.Helper()
	err := s.Store.Update(t.Context(), func(tx *db.Tx) error {
		for _, id := range ids {
			r := db.Request{ID: id, AccountID: "acct_" + keyID, KeyID: keyID, Method: "GET", Route: "/", Status: 200, ClientRequestID: "mine-" + id, At: tx.Now()}
			if strings.HasSuffix(id, "x") {
				r.Status = 500
			}
			if err := tx.LogRequest(r); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestNewest(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	if p, err := s.App.Requests.Newest(t.Context(), db.RequestFilter{}, 10); err != nil || len(p.Requests) != 0 || p.Last != 0 || p.Partial {
		t.Errorf("empty log: %+v, %v", p, err)
	}
	plant(t, s, "k1", "a", "bx")
	plant(t, s, "k2", "c", "dx")
	for _, row := range []struct {
		filter db.RequestFilter
		limit  int
		want   string
	}{
		{db.RequestFilter{}, 10, "dx c bx a "},
		{db.RequestFilter{}, 2, "dx c "},
		{db.RequestFilter{KeyID: "k1"}, 10, "bx a "},
		{db.RequestFilter{KeyID: "k1"}, 1, "bx "},
		{db.RequestFilter{AccountID: "acct_k2"}, 10, "dx c "},
		{db.RequestFilter{Status: 500}, 10, "dx bx "},
		{db.RequestFilter{Status: 500, KeyID: "k2"}, 10, "dx "},
		{db.RequestFilter{ID: "c"}, 10, "c "},
		{db.RequestFilter{ID: "mine-a"}, 10, "a "},
		{db.RequestFilter{ID: "nothing"}, 10, ""},
	} {
		p, err := s.App.Requests.Newest(t.Context(), row.filter, row.limit)
		if err != nil || ids(p.Requests) != row.want || p.Last != 4 || p.Partial {
			t.Errorf("%+v, %d: %q, %+v, %v; want %q", row.filter, row.limit, ids(p.Requests), p, err, row.want)
		}
	}
}

// TestOrderOfCalls checks that calls are in the order in which they began, although the log
// has them in that in which they were stored.
func TestOrderOfCalls(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	plant(t, s, "k1", "first", "third", "second")
	s.Exec(t, `UPDATE requests SET created_at = CASE id WHEN 'first' THEN 1 WHEN 'second' THEN 2 ELSE 3 END`)
	p, err := s.App.Requests.Newest(t.Context(), db.RequestFilter{}, 10)
	if err != nil || ids(p.Requests) != "third second first " {
		t.Errorf("%q, %v", ids(p.Requests), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	err = s.App.Requests.Follow(ctx, db.RequestFilter{}, 0, func(found []db.Request) error {
		if ids(found) != "first second third " {
			t.Errorf("followed %q", ids(found))
		}
		cancel()
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestNewestOfMany searches over several chunks, and no further than the bound.
func TestNewestOfMany(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	plant(t, s, "k1", "rare")
	s.Exec(t, `
INSERT INTO requests (id, account_id, key_id, method, route, status, duration_us, charge_cents, error_code, client_request_id, created_at)
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 25000)
SELECT 'r' || i, 'acct', 'k', 'GET', '/', 200, 1, 0, '', '', 1 FROM n`)
	p, err := s.App.Requests.Newest(t.Context(), db.RequestFilter{KeyID: "k1"}, 5)
	if err != nil || ids(p.Requests) != "rare " || p.Partial {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err = s.App.Requests.Newest(t.Context(), db.RequestFilter{}, 12000); err != nil || len(p.Requests) != 12000 || p.Requests[11999].ID != "r13001" {
		t.Errorf("%d rows, %v", len(p.Requests), err)
	}

	s.Exec(t, `UPDATE requests SET seq = seq + 1000000 WHERE seq > 1`)
	p, err = s.App.Requests.Newest(t.Context(), db.RequestFilter{KeyID: "k1"}, 5)
	if err != nil || len(p.Requests) != 0 || !p.Partial {
		t.Errorf("beyond the bound: %+v, %v", p, err)
	}
}

func TestFollow(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 0)
	plant(t, s, "k1", "old")
	p, err := s.App.Requests.Newest(t.Context(), db.RequestFilter{}, 10)
	if err != nil {
		t.Fatal(err)
	}
	plant(t, s, "k1", "a", "b")
	plant(t, s, "k2", "c")

	ctx, cancel := context.WithCancel(t.Context())
	var seen []string
	err = s.App.Requests.Follow(ctx, db.RequestFilter{KeyID: "k1"}, p.Last, func(found []db.Request) error {
		seen = append(seen, ids(found))
		switch len(seen) {
		case 1:
			plant(t, s, "k1", "d")
		case 2: // the log is emptied, and its numbers begin anew
			s.Exec(t, `DELETE FROM requests`)
			plant(t, s, "k1", "e")
		case 3:
			cancel()
		}
		return nil
	})
	if err != nil || !slices.Equal(seen, []string{"a b ", "d ", "e "}) {
		t.Errorf("seen %q, %v", seen, err)
	}

	broken := errors.New("broken pipe")
	err = s.App.Requests.Follow(t.Context(), db.RequestFilter{}, 0, func([]db.Request) error { return fmt.Errorf("print: %w", broken) })
	if !errors.Is(err, broken) {
		t.Errorf("got %v, want the error of the caller", err)
	}
}

package db_test

import (
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// twoAccounts is a store with two accounts, opened twice.
type twoAccounts struct {
	store, other *db.DB
	clock        *dbtest.Clock
	path         string
	anna, ben    db.Account
}

func newTwoAccounts(t *testing.T) *twoAccounts {
	t.Helper()
	p := &twoAccounts{clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	p.store, p.other = dbtest.OpenAt(t, p.path, p.clock), dbtest.OpenAt(t, p.path, p.clock)
	p.anna = dbtest.MustAccount(t, p.store, "Anna@example.com", db.Free)
	p.ben = dbtest.MustAccount(t, p.store, "ben@example.com", db.Free)
	return p
}

// set returns one value from an Update.
func set[T any](t testing.TB, store *db.DB, change func(*db.Tx) (T, error)) (value T) {
	t.Helper()
	dbtest.Update(t, store, func(tx *db.Tx) (err error) {
		value, err = change(tx)
		return err
	})
	return value
}

// atOnce runs fn n times concurrently, on both stores, and counts the outcomes.
func (p *twoAccounts) atOnce(t *testing.T, n int, fn func(i int, tx *db.Tx) error) map[error]int {
	t.Helper()
	failed := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			store := []*db.DB{p.store, p.other}[i%2]
			var own error
			err := store.Update(background, func(tx *db.Tx) error {
				own = fn(i, tx)
				return nil // so that its changes commit
			})
			failed[i] = errors.Join(own, err)
		})
	}
	all.Wait()

	counted := map[error]int{}
	for _, err := range failed {
		switch {
		case err == nil:
			counted[nil]++
		case errors.Is(err, db.ErrNotFound):
			counted[db.ErrNotFound]++
		case errors.Is(err, db.ErrStale):
			counted[db.ErrStale]++
		case errors.Is(err, db.ErrWrongCode):
			counted[db.ErrWrongCode]++
		case errors.Is(err, db.ErrTooSoon):
			counted[db.ErrTooSoon]++
		default:
			t.Errorf("unexpected: %v", err)
		}
	}
	return counted
}

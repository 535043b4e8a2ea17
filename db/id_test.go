package db_test

import (
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestNewID(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)

	t.Run("Shape", func(t *testing.T) {
		const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"
		seen := map[byte]bool{}
		for range 1000 {
			rest, ok := strings.CutPrefix(db.NewID("acct_", at), "acct_")
			if !ok || len(rest) != 26 || strings.Trim(rest, alphabet) != "" {
				t.Fatalf("not an id: %q", rest)
			}
			for i := 10; i < len(rest); i++ { // random characters
				seen[rest[i]] = true
			}
		}
		if len(seen) != len(alphabet) {
			t.Errorf("only %d of the %d characters occur", len(seen), len(alphabet))
		}
	})

	t.Run("SortsByTime", func(t *testing.T) {
		last := db.NewID("key_", time.UnixMilli(0))
		for _, next := range []time.Time{
			time.UnixMilli(1), time.UnixMilli(31), time.UnixMilli(32), time.UnixMilli(1 << 32),
			at, at.Add(time.Millisecond), at.Add(time.Hour), at.AddDate(1000, 0, 0),
		} {
			id := db.NewID("key_", next)
			if id <= last {
				t.Errorf("%s of %v does not follow %s", id, next, last)
			}
			last = id
		}
	})

	t.Run("SameMillisecondSameHead", func(t *testing.T) {
		one, two := db.NewID("", at), db.NewID("", at.Add(999*time.Microsecond))
		if one[:9] != two[:9] {
			t.Errorf("%s and %s of one millisecond differ in time", one, two)
		}
	})

	t.Run("Unique", func(t *testing.T) {
		const many = 100_000
		seen := make(map[string]bool, many)
		for range many {
			seen[db.NewID("", at)] = true
		}
		if len(seen) != many {
			t.Errorf("%d ids of %d are different", len(seen), many)
		}
	})
}

// TestIDsOfOneMillisecondSort checks that rows of one millisecond are listed in the order
// in which they were made.
func TestIDsOfOneMillisecondSort(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	account := dbtest.MustAccount(t, store, "a@example.com", db.Free)
	last := ""
	for range 300 {
		dbtest.Update(t, store, func(tx *db.Tx) error {
			made, err := tx.CreatePurchase(db.Purchase{AccountID: account.ID, Amount: 1, Currency: "gbp", CreditCents: 1})
			if err == nil && made.ID <= last {
				t.Errorf("%s comes after %s", made.ID, last)
			}
			last = made.ID
			return err
		})
	}
}

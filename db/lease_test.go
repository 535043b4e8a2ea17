package db_test

import (
	"errors"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestLease(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("LastsToLastMillisecond", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, "idem"))
		s.clock.Advance(lease - time.Millisecond)
		s.endLeases(t, 0)
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			found, err := tx.CallOf(c.KeyID, c.IdemHash)
			if found.State != db.Running {
				t.Errorf("found %+v", found)
			}
			return err
		})
		s.clock.Advance(time.Millisecond)
		s.endLeases(t, 1)
	})

	t.Run("RunningCallMayRunAgain", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Running, price, "idem"))
		s.clock.Advance(lease)
		s.endLeases(t, 1)
		s.wantGone(t, c.ID)
		s.wantWallet(t, 10, 0)
		wantCount(t, s.store, c.KeyID, 0)
	})

	t.Run("CallingBecomesUnknown", func(t *testing.T) {
		s := newCallFixture(t, 10)
		c := s.open(t, s.call("req_1", db.Calling, price, "idem"))
		s.clock.Advance(lease)
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			found, err := tx.CallOf(c.KeyID, c.IdemHash)
			if found.State != db.Unknown || found.HoldCents != 0 {
				t.Errorf("found %+v", found)
			}
			return err
		})
		s.wantState(t, c.ID, db.Unknown)
		s.wantWallet(t, 10, 0)
		wantCount(t, s.store, c.KeyID, 0)
		s.endLeases(t, 0)
	})

	t.Run("EndsAfterClockWasSetBack", func(t *testing.T) {
		s := newCallFixture(t, 10)
		swept := s.open(t, s.call("req_1", db.Running, price, "swept"))
		found := s.open(t, s.call("req_2", db.Calling, price, "found"))
		s.clock.Advance(-time.Hour)
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			c, err := tx.CallOf(found.KeyID, found.IdemHash)
			if c.State != db.Unknown {
				t.Errorf("found %+v", c)
			}
			return err
		})
		s.endLeases(t, 1)
		s.wantGone(t, swept.ID)
		s.wantWallet(t, 10, 0)
	})

	t.Run("EndsAtMostLimit", func(t *testing.T) {
		s := newCallFixture(t, 100)
		for _, id := range []string{"req_1", "req_2", "req_3"} {
			s.open(t, s.call(id, db.Running, price, ""))
		}
		s.clock.Advance(lease)
		for _, want := range []int{2, 1, 0} {
			var ended int
			dbtest.Update(t, s.store, func(tx *db.Tx) (err error) {
				ended, err = tx.EndLeases(2)
				return err
			})
			if ended != want {
				t.Errorf("%d leases ended, want %d", ended, want)
			}
		}
		s.wantWallet(t, 100, 0)
	})
}

func TestStoredAnswer(t *testing.T) {
	t.Parallel()
	s := newCallFixture(t, 10)
	c := s.open(t, s.call("req_1", db.Running, price, "idem"))
	if _, err := s.settle(c, "answer"); err != nil {
		t.Fatal(err)
	}
	callOf := func() (found db.Call, err error) {
		err = s.store.Update(t.Context(), func(tx *db.Tx) error {
			var err error
			if found, err = tx.CallOf(c.KeyID, c.IdemHash); errors.Is(err, db.ErrNotFound) {
				return nil // so that CallOf's deletion commits
			}
			return err
		})
		return found, err
	}

	s.clock.Advance(keeping - time.Millisecond)
	if found, err := callOf(); err != nil || string(found.Answer) != "answer" {
		t.Errorf("before it expires: %+v, %v", found, err)
	}
	s.clock.Advance(time.Millisecond)
	if found, err := callOf(); err != nil || found.ID != "" {
		t.Errorf("after it expires: %+v, %v", found, err)
	}
	s.wantGone(t, c.ID)
	s.wantWallet(t, 7, 0)

	t.Run("DeletesAtMostLimit", func(t *testing.T) {
		for _, id := range []string{"req_2", "req_3"} {
			if _, err := s.settle(s.open(t, s.call(id, db.Running, 0, id)), "answer"); err != nil {
				t.Fatal(err)
			}
		}
		s.open(t, s.call("req_open", db.Running, price, ""))
		s.clock.Advance(keeping)
		for _, want := range []int64{1, 1, 0} {
			var deleted int64
			dbtest.Update(t, s.store, func(tx *db.Tx) (err error) {
				deleted, err = tx.DeleteExpiredAnswers(1)
				return err
			})
			if deleted != want {
				t.Errorf("%d answers deleted, want %d", deleted, want)
			}
		}
		s.wantState(t, "req_open", db.Running)
	})
}

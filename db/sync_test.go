package db_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// onFsync replaces the store's fsync, from the next batch on.
func onFsync(t *testing.T, store *db.DB, fn func(*os.File) error) {
	t.Helper()
	dbtest.Update(t, store, count("a")) // leaves the syncer idle
	if err := store.Tally(t.Context(), func(*db.Tx) error { store.OnFsync(fn); return nil }); err != nil {
		t.Fatal(err)
	}
}

func TestFsync(t *testing.T) {
	t.Run("OnePerUpdateAndNonePerTally", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		synced := 0
		onFsync(t, store, func(file *os.File) error {
			if synced++; !strings.HasSuffix(file.Name(), "-wal") {
				t.Errorf("%s was made durable, not the log", file.Name())
			}
			return file.Sync()
		})

		for range 3 {
			dbtest.Update(t, store, count("a"))
			if err := store.Tally(t.Context(), count("a")); err != nil {
				t.Fatal(err)
			}
		}

		if synced != 3 {
			t.Errorf("%d fsyncs for 3 updates and 3 tallies, want 3", synced)
		}
	})

	t.Run("EveryoneWaitsForItAndTheWriterDoesNot", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		begun, goOn := make(chan struct{}), make(chan struct{})
		onFsync(t, store, func(file *os.File) error {
			begun <- struct{}{}
			<-goOn
			return file.Sync()
		})

		update, tally, ran := make(chan error, 1), make(chan error, 1), make(chan struct{})
		go func() { update <- store.Update(t.Context(), count("a")) }()
		<-begun
		go func() {
			tally <- store.Tally(t.Context(), func(tx *db.Tx) error { defer close(ran); return count("a")(tx) })
		}()
		<-ran // the next batch, while the fsync is under way
		select {
		case <-update:
			t.Error("the update returned before its fsync")
		case <-tally:
			t.Error("the tally returned before the fsync of the update before it")
		default:
		}
		close(goOn)

		if err := errors.Join(<-update, <-tally); err != nil {
			t.Error(err)
		}
	})

	t.Run("FailureIsToldAndPasses", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		broken := true
		onFsync(t, store, func(file *os.File) error {
			if broken {
				return errors.New("input/output error")
			}
			return file.Sync()
		})

		wantErr(t, store.Update(t.Context(), count("a")), db.ErrUnavailable)
		wantErr(t, store.Tally(t.Context(), count("a")), nil)
		broken = false
		wantErr(t, store.Update(t.Context(), count("a")), nil)
	})
}

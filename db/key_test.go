package db_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// keyFixture is a store with one account and its key, which is cached.
type keyFixture struct {
	store   *db.DB
	account db.Account
	key     db.Key
	secret  db.Secret
}

func newKeyFixture(t *testing.T, store *db.DB) *keyFixture {
	t.Helper()
	s := &keyFixture{store: store, account: dbtest.MustAccount(t, store, "shop@example.com", db.Free)}
	s.key, s.secret = dbtest.MustKey(t, store, s.account.ID, db.Live, db.AccountMode)
	s.warm(t)
	return s
}

// warm makes sure that the key is cached.
func (s *keyFixture) warm(t *testing.T) {
	t.Helper()
	s.principal(t)
	if _, ok := s.store.RecentPrincipal(s.secret.Hash()); !ok {
		t.Fatal("a key is not cached after it was read")
	}
}

// principal finds the key as admission does.
func (s *keyFixture) principal(t *testing.T) (p db.Principal) {
	t.Helper()
	dbtest.Update(t, s.store, func(tx *db.Tx) (err error) {
		p, err = tx.Principal(s.secret.Hash())
		return err
	})
	return p
}

// want checks the principal in an Update and in a View.
func (s *keyFixture) want(t *testing.T, plan db.Plan, disabled bool) {
	t.Helper()
	want := db.Principal{
		KeyID: s.key.ID, AccountID: s.account.ID, Env: db.Live, Mode: db.AccountMode, Plan: plan, Disabled: disabled,
	}
	if got := s.principal(t); got != want {
		t.Errorf("an update sees %+v, want %+v", got, want)
	}
	viewed := get(t, s.store, func(tx *db.Tx) (db.Principal, error) { return tx.Principal(s.secret.Hash()) })
	if viewed != want {
		t.Errorf("a view sees %+v, want %+v", viewed, want)
	}
}

func (s *keyFixture) disable(tx *db.Tx) error { return tx.DisableKey(s.account.ID, s.key.ID) }
func (s *keyFixture) enable(tx *db.Tx) error  { return tx.EnableKey(s.account.ID, s.key.ID) }
func (s *keyFixture) upgrade(tx *db.Tx) error { return tx.SetPlan(s.account.ID, db.Business) }

func (s *keyFixture) addKey(tx *db.Tx) error {
	_, _, err := tx.CreateKey(db.Key{AccountID: s.account.ID, Env: db.Test, Mode: db.GenericMode})
	return err
}

func TestPrincipal(t *testing.T) {
	t.Parallel()
	t.Run("UnknownKey", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		hash := db.NewSecret(db.Live, db.AccountMode).Hash()
		for range 2 {
			err := store.Update(t.Context(), func(tx *db.Tx) error {
				_, err := tx.Principal(hash)
				return err
			})
			wantErr(t, err, db.ErrNotFound)
		}
		if _, ok := store.RecentPrincipal(hash); ok {
			t.Error("an unknown key is cached")
		}
	})

	t.Run("SeesEachChange", func(t *testing.T) {
		s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
		s.want(t, db.Free, false)
		steps := []struct {
			change   func(*db.Tx) error
			plan     db.Plan
			disabled bool
		}{
			{s.disable, db.Free, true},
			{s.upgrade, db.Business, true},
			{s.enable, db.Business, false},
			{s.addKey, db.Business, false},
		}
		for _, step := range steps {
			s.warm(t)
			dbtest.Update(t, s.store, step.change)
			if _, ok := s.store.RecentPrincipal(s.secret.Hash()); ok {
				t.Error("the cache was not emptied")
			}
			s.want(t, step.plan, step.disabled)
		}
	})

	t.Run("OtherWritesKeepCache", func(t *testing.T) {
		s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
		dbtest.Update(t, s.store, count("a"))
		if _, ok := s.store.RecentPrincipal(s.secret.Hash()); !ok {
			t.Error("the cache was emptied by a counter")
		}
	})

	t.Run("SeesOwnChange", func(t *testing.T) {
		s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			if err := errors.Join(s.disable(tx), s.upgrade(tx)); err != nil {
				return err
			}
			p, err := tx.Principal(s.secret.Hash())
			if !p.Disabled || p.Plan != db.Business {
				t.Errorf("after its own change the update sees %+v", p)
			}
			return err
		})
	})

	t.Run("RolledBackChangeIsNotCached", func(t *testing.T) {
		s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
		err := s.store.Update(t.Context(), func(tx *db.Tx) error {
			if err := errors.Join(s.disable(tx), s.upgrade(tx)); err != nil {
				return err
			}
			if _, err := tx.Principal(s.secret.Hash()); err != nil {
				return err
			}
			return errRefused
		})
		wantErr(t, err, errRefused)
		s.want(t, db.Free, false)
	})

	t.Run("WithinABatch", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
			var seen [5]db.Principal
			look := func(i int) func(*db.Tx) error {
				return func(tx *db.Tx) (err error) {
					seen[i], err = tx.Principal(s.secret.Hash())
					return err
				}
			}

			release := hold(s.store)
			for _, member := range []func(*db.Tx) error{
				look(0),
				func(tx *db.Tx) error { return errors.Join(s.disable(tx), look(1)(tx), errRefused) },
				look(2),
				s.disable,
				look(3),
				func(tx *db.Tx) error { return errors.Join(s.enable(tx), look(4)(tx), errRefused) },
			} {
				enqueue(t.Context(), s.store, member)
			}
			release()
			synctest.Wait()

			for i, disabled := range []bool{false, true, false, true, false} {
				if seen[i].Disabled != disabled {
					t.Errorf("look %d: disabled is %v, want %v", i, seen[i].Disabled, disabled)
				}
			}
			s.want(t, db.Free, true)
		})
	})

	t.Run("FailedBatchIsNotCached", func(t *testing.T) {
		s := newKeyFixture(t, dbtest.Open(t, dbtest.NewClock()))
		err := s.store.Update(t.Context(), func(tx *db.Tx) error {
			if err := s.disable(tx); err != nil {
				return err
			}
			if _, err := tx.Principal(s.secret.Hash()); err != nil {
				return err
			}
			return errors.Join(tx.SQL("PRAGMA query_only = 1"), count("a")(tx))
		})
		wantErr(t, err, db.ErrUnavailable)
		s.want(t, db.Free, false)
	})

	t.Run("SeesOtherProcessesChange", func(t *testing.T) {
		here, there := openTwice(t)
		s := newKeyFixture(t, here)
		for _, step := range []struct {
			change   func(*db.Tx) error
			plan     db.Plan
			disabled bool
		}{
			{s.disable, db.Free, true},
			{s.enable, db.Free, false},
			{s.upgrade, db.Business, false},
		} {
			s.warm(t)
			dbtest.Update(t, there, step.change)
			s.want(t, step.plan, step.disabled)
		}
	})
}

func TestKeys(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	account := dbtest.MustAccount(t, store, "shop@example.com", db.Growth)
	other := dbtest.MustAccount(t, store, "other@example.com", db.Growth)

	t.Run("SecretIsNotStored", func(t *testing.T) {
		key, secret := dbtest.MustKey(t, store, account.ID, db.Test, db.GenericMode)
		stored := get(t, store, func(tx *db.Tx) (db.Key, error) { return tx.Key(key.ID) })
		if stored != key {
			t.Errorf("stored %+v, returned %+v", stored, key)
		}
		if text := string(secret); key.Prefix+key.LastFour != "svc_generic_test_"+text[len(text)-4:] {
			t.Errorf("prefix %q and last four %q of %q", key.Prefix, key.LastFour, secret)
		}
	})

	t.Run("RefusesOtherAccountsKey", func(t *testing.T) {
		key, _ := dbtest.MustKey(t, store, account.ID, db.Live, db.AccountMode)
		wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.DisableKey(other.ID, key.ID) }), db.ErrNotFound)
		wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.EnableKey(other.ID, key.ID) }), db.ErrNotFound)

		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.DisableKey(account.ID, key.ID) })
		stored := get(t, store, func(tx *db.Tx) (db.Key, error) { return tx.Key(key.ID) })
		if stored.DisabledAt != clock.Now() {
			t.Errorf("disabled at %v, want %v", stored.DisabledAt, clock.Now())
		}
		keys := get(t, store, func(tx *db.Tx) ([]db.Key, error) { return tx.Keys(other.ID) })
		if len(keys) != 0 {
			t.Errorf("the other account has %+v", keys)
		}
	})

	t.Run("OldestFirst", func(t *testing.T) {
		store := dbtest.Open(t, clock)
		account := dbtest.MustAccount(t, store, "shop@example.com", db.Growth)
		var made []db.Key
		for range 3 {
			clock.Advance(time.Millisecond)
			key, _ := dbtest.MustKey(t, store, account.ID, db.Test, db.AccountMode)
			made = append(made, key)
		}
		keys := get(t, store, func(tx *db.Tx) ([]db.Key, error) { return tx.Keys(account.ID) })
		for i := range made {
			if len(keys) != len(made) || keys[i] != made[i] {
				t.Fatalf("listed %+v, made %+v", keys, made)
			}
		}
	})
}

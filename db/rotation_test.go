package db_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// rotated is a key that is rotated, in a file that two stores have open.
type rotated struct {
	clock       *dbtest.Clock
	here, there *db.DB
	key         db.Key
}

func newRotated(t *testing.T) (r *rotated, secret db.Secret) {
	t.Helper()
	r = &rotated{clock: dbtest.NewClock()}
	path := t.TempDir() + "/svc.db"
	r.here, r.there = dbtest.OpenAt(t, path, r.clock), dbtest.OpenAt(t, path, r.clock)
	account := dbtest.MustAccount(t, r.here, "shop@example.com", db.Free)
	r.key, secret = dbtest.MustKey(t, r.here, account.ID, db.Live, db.AccountMode)
	return r, secret
}

func (r *rotated) rotate(t *testing.T, grace time.Duration) (secret db.Secret) {
	t.Helper()
	dbtest.Update(t, r.here, func(tx *db.Tx) (err error) {
		var k db.Key
		k, secret, err = tx.RotateKey(r.key, grace)
		if err == nil && (k.ID != r.key.ID || k.LastFour != string(secret[len(secret)-4:])) {
			t.Errorf("rotated %+v, secret %s", k, secret)
		}
		return err
	})
	return secret
}

// want checks whether secrets are accepted, in updates and reads of both stores, twice so
// that the second look may come from the cache.
func (r *rotated) want(t *testing.T, accepted bool, secrets ...db.Secret) {
	t.Helper()
	for i, secret := range secrets {
		for _, store := range []*db.DB{r.here, r.there, r.here, r.there} {
			for _, begin := range []func(fn func(*db.Tx) error) error{
				func(fn func(*db.Tx) error) error { return store.Update(t.Context(), fn) },
				func(fn func(*db.Tx) error) error { return store.View(t.Context(), fn) },
			} {
				err := begin(func(tx *db.Tx) error {
					p, err := tx.Principal(secret.Hash())
					if err == nil && p.KeyID != r.key.ID {
						t.Errorf("secret %d is of %+v", i, p)
					}
					return err
				})
				if accepted && err != nil || !accepted && err != db.ErrNotFound {
					t.Errorf("secret %d: %v, want accepted %v", i, err, accepted)
				}
			}
			if _, ok := store.RecentPrincipal(secret.Hash()); ok != accepted {
				t.Errorf("secret %d: cached %v, want %v", i, ok, accepted)
			}
		}
	}
}

func TestRotateKey(t *testing.T) {
	t.Parallel()

	t.Run("OldSecretEndsAtItsTime", func(t *testing.T) {
		t.Parallel()
		r, old := newRotated(t)
		r.want(t, true, old)
		fresh := r.rotate(t, time.Hour)
		r.want(t, true, old, fresh)
		r.clock.Advance(time.Hour - time.Millisecond)
		r.want(t, true, old, fresh)
		r.clock.Advance(time.Millisecond)
		r.want(t, false, old)
		r.want(t, true, fresh)
	})

	t.Run("NoGrace", func(t *testing.T) {
		t.Parallel()
		r, first := newRotated(t)
		second := r.rotate(t, time.Hour)
		r.want(t, true, first, second)
		third := r.rotate(t, 0)
		r.want(t, false, first, second)
		r.want(t, true, third)
	})

	t.Run("EarlierSecretsEndNoLater", func(t *testing.T) {
		t.Parallel()
		r, first := newRotated(t)
		second := r.rotate(t, time.Hour)
		third := r.rotate(t, 2*time.Hour)
		r.clock.Advance(time.Hour)
		r.want(t, false, first)
		r.want(t, true, second, third)
		fourth := r.rotate(t, time.Minute)
		r.want(t, true, second, third, fourth)
		r.clock.Advance(time.Minute)
		r.want(t, false, first, second, third)
		r.want(t, true, fourth)
	})

	t.Run("OldSecretsAreEnded", func(t *testing.T) {
		t.Parallel()
		r, first := newRotated(t)
		second := r.rotate(t, time.Hour)
		third := r.rotate(t, time.Hour)
		r.want(t, true, first, second, third)
		for _, want := range []int64{2, 0} {
			n, err := db.Write(t.Context(), r.there, func(tx *db.Tx) (int64, error) { return tx.EndOldSecrets(r.key) })
			if err != nil || n != want {
				t.Errorf("%d ended, want %d (%v)", n, want, err)
			}
			r.want(t, false, first, second)
			r.want(t, true, third)
		}
	})

	t.Run("DisabledKey", func(t *testing.T) {
		t.Parallel()
		r, old := newRotated(t)
		dbtest.Update(t, r.there, func(tx *db.Tx) error { return tx.DisableKey(r.key.AccountID, r.key.ID) })
		fresh := r.rotate(t, time.Hour)
		for _, secret := range []db.Secret{old, fresh} {
			if p := get(t, r.here, func(tx *db.Tx) (db.Principal, error) { return tx.Principal(secret.Hash()) }); !p.Disabled {
				t.Errorf("principal %+v, want a disabled one", p)
			}
		}
	})

	t.Run("OfAnotherAccount", func(t *testing.T) {
		t.Parallel()
		r, old := newRotated(t)
		theirs := r.key
		theirs.AccountID = "acct_other"
		err := r.here.Update(t.Context(), func(tx *db.Tx) error {
			_, _, err := tx.RotateKey(theirs, time.Hour)
			return err
		})
		wantErr(t, err, db.ErrNotFound)
		r.want(t, true, old)
	})
}

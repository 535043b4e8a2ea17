package db_test

import (
	"errors"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// TestMadeWhileTheClockWasAhead sets the clock back after something was made: it must not
// outlive its limit.
func TestMadeWhileTheClockWasAhead(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	for _, back := range []struct {
		by   time.Duration
		live bool
	}{{30 * time.Second, true}, {time.Minute, true}, {time.Minute + time.Millisecond, false}, {365 * 24 * time.Hour, false}} {
		t.Run(back.by.String(), func(t *testing.T) {
			p := newTwoAccounts(t)
			_, cookie := p.start(t, p.anna)
			dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SetPasswordHash(p.anna.ID, "hash") }) // a link to a first password lasts longer
			link := p.link(t, db.ResetLink, p.anna.ID)
			code := set(t, p.store, func(tx *db.Tx) (string, error) { return tx.IssueCode("new@example.com") })
			p.clock.Advance(-back.by)

			p.wantSession(t, cookie, back.live)
			want, account := db.ErrNotFound, ""
			if back.live {
				want, account = nil, p.anna.ID
			}
			p.wantLink(t, db.ResetLink, link, account, want)
			_ = p.store.Update(background, func(tx *db.Tx) error {
				all, err := tx.Sessions(p.anna.ID)
				if err != nil || len(all) == 1 != back.live {
					t.Errorf("sessions %v, %v", all, err)
				}
				if _, err := tx.UseLink(db.ResetLink, link); !errors.Is(err, want) {
					t.Errorf("use link: %v, want %v", err, want)
				}
				if err := tx.GuessCode("new@example.com", code); errors.Is(err, db.ErrWrongCode) == back.live {
					t.Errorf("guess: %v", err)
				}
				return nil
			})
		})
	}
}

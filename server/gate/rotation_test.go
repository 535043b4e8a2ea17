package gate_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/server/account"
	"svc/server/servertest"
)

// A rotated key is the same key: its meter and its stored answers go on.
func TestRotatedKey(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 100)
	before := s.Send(t, servertest.WithIdempotencyKey("once"))
	before.Expect(t, 200, "")
	k, fresh, err := s.App.Accounts.RotateKey(t.Context(), account.Rotation{Key: account.KeyRef{ID: s.LiveKey.ID}, Grace: time.Hour})
	if err != nil || !k.OldEndsAt.Equal(s.Clock.Now().Add(time.Hour)) {
		t.Fatalf("key %+v, %v", k, err)
	}

	withFresh := servertest.WithKey(string(fresh))
	s.Send(t, servertest.WithIdempotencyKey("once"), withFresh).ExpectReplay(t, before)
	if a := s.Send(t, withFresh); a.Status != 200 || a.Remaining() != before.Remaining()-2 {
		t.Errorf("%d, %d calls remain, before %d", a.Status, a.Remaining(), before.Remaining())
	}
	s.Send(t).Expect(t, 200, "")

	stored := func(want string) {
		t.Helper()
		s.Sweep(t)
		if got := s.Query(t, "SELECT count(*) FROM old_key_secrets")[0]; got != want {
			t.Errorf("%s old secrets are stored, want %s", got, want)
		}
	}

	s.Clock.Advance(time.Hour - time.Millisecond)
	stored("1")
	s.Send(t).Expect(t, 200, "")
	s.Clock.Advance(time.Millisecond)
	s.Send(t).Expect(t, 401, "invalid_key")
	s.Send(t, withFresh).Expect(t, 200, "")
	stored("0")
	s.Send(t).Expect(t, 401, "invalid_key")
	s.ExpectWallet(t, 100-2*5, 0)
}

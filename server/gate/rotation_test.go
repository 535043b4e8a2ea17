package gate_test

import (
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// A rotated key is the same key: its meter and its stored answers go on.
func TestRotatedKey(t *testing.T) {
	servertest.Sequential(t)
	s := servertest.NewShop(t, db.Growth, 100)
	before := s.Send(t, servertest.WithIdempotencyKey("once"))
	before.Expect(t, 200, "")
	_, fresh, ends, err := s.App.Accounts.RotateKey(t.Context(), s.LiveKey.ID, time.Hour)
	if err != nil || !ends.Equal(s.Clock.Now().Add(time.Hour)) {
		t.Fatalf("ends %v, %v", ends, err)
	}

	withFresh := servertest.WithKey(string(fresh))
	s.Send(t, servertest.WithIdempotencyKey("once"), withFresh).ExpectReplay(t, before)
	if a := s.Send(t, withFresh); a.Status != 200 || a.Remaining() != before.Remaining()-2 {
		t.Errorf("%d, %d calls remain, before %d", a.Status, a.Remaining(), before.Remaining())
	}
	s.Send(t).Expect(t, 200, "")

	s.Clock.Advance(time.Hour - time.Millisecond)
	s.Send(t).Expect(t, 200, "")
	s.Clock.Advance(time.Millisecond)
	s.Send(t).Expect(t, 401, "invalid_key")
	s.Send(t, withFresh).Expect(t, 200, "")
	s.ExpectWallet(t, 100-2*5, 0)
}

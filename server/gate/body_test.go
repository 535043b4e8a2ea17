package gate_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

const scanPath = "/api/v1/scan"

// announce begins a scan with a body of a length of which only a few bytes are sent.
func (s *shop) announce(t *testing.T, secret string, length int) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	_, err = fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nx-api-key: %s\r\nContent-Length: %d\r\n\r\n{\"image\"", scanPath, secret, length)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func minuteUsed(t *testing.T, s *shop, keyID string) (used int64) {
	t.Helper()
	err := s.Store.View(t.Context(), func(tx *db.Tx) error {
		m, err := tx.Meter(keyID)
		used = m.WindowUsed
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return used
}

// TestAnnouncedBodiesDelayNobodyElse announces more than all large bodies may take together.
func TestAnnouncedBodiesDelayNobodyElse(t *testing.T) {
	s := newShop(t, db.Business, 0)
	key, secret := s.TestKey(t)
	other := s.Account(t, "other@example.com", string(db.Growth), 0)
	_, bystander := s.Key(t, other, db.Test, db.AccountMode)
	const attackers = 18
	for range attackers {
		s.announce(t, secret, 15<<19)
	}
	servertest.Until(t, "the attackers are counted", func() bool { return minuteUsed(t, s, key.ID) == attackers })

	a := s.Call(t, "POST", scanPath, map[string]string{"image": "/9j/" + strings.Repeat("A", 7<<20)}, servertest.WithKey(bystander))
	if a.Status != 200 {
		t.Errorf("a bystander gets %d %s", a.Status, a.Body)
	}
}

func TestBodyThatBreaksOffIsCounted(t *testing.T) {
	s := newShop(t, db.Free, 0) // 5 a minute
	key, secret := s.TestKey(t)
	for i := range int64(5) {
		c := s.announce(t, secret, 1<<20)
		servertest.Until(t, "the call is counted", func() bool { return minuteUsed(t, s, key.ID) == i+1 })
		c.Close()
	}
	a := s.Call(t, "POST", scanPath, map[string]string{"image": "/9j/4AAQ"}, servertest.WithKey(secret))
	a.Expect(t, 429, "rate_limited")
}

// TestSlowBodyIsCut sends a byte now and then: the connection ends long before the body.
func TestSlowBodyIsCut(t *testing.T) {
	t.Parallel()
	s := newShop(t, db.Business, 0)
	_, secret := s.TestKey(t)
	c := s.announce(t, secret, 15<<19)
	if err := c.SetReadDeadline(time.Now().Add(30 * time.Second)); err != nil { // the server allows 10
		t.Fatal(err)
	}
	answer, err := io.ReadAll(c)
	if err != nil || !strings.Contains(string(answer), " 400 ") {
		t.Errorf("%v; answer %s", err, answer)
	}
}

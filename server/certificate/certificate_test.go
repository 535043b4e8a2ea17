package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/seal"
)

// open returns the certificates of shop.test and www.shop.test, of a CA that nobody trusts, and
// counts who connects to it.
func open(t *testing.T) (s *Service, asked *atomic.Int64) {
	t.Helper()
	s, asked, _ = openAt(t)
	return s, asked
}

// openAt is open, with the clock.
func openAt(t *testing.T) (s *Service, asked *atomic.Int64, clock *dbtest.Clock) {
	t.Helper()
	asked = &atomic.Int64{}
	ca := httptest.NewUnstartedServer(http.NotFoundHandler())
	ca.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	ca.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			asked.Add(1)
		}
	}
	ca.StartTLS()
	t.Cleanup(ca.Close)
	clock = dbtest.NewClock()
	store := dbtest.Open(t, clock)
	s, err := New(Config{
		Store: store, Seal: seal.New(store.KeyPath(), nil), Domains: []string{"shop.test", "www.shop.test"},
		Directory: ca.URL, Clock: clock.Now, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	return s, asked, clock
}

// Strangers cannot make the server ask its CA, however they connect.
func TestHandshakesAskNoCA(t *testing.T) {
	s, asked := open(t)
	for _, d := range s.domains {
		d.first.Do(func() { close(d.tried) })
	}
	for name, wanted := range map[string]error{
		"shop.test": errNone, "SHOP.test.": errNone, "www.shop.test": errNone, "other.test": nil, "shop.test.evil.test": nil,
	} {
		if c, err := s.forHandshake(&tls.ClientHelloInfo{ServerName: name}); c != nil || !errors.Is(err, wanted) {
			t.Errorf("%s: certificate %v, %v, want %v", name, c, err, wanted)
		}
	}
	challenge := []string{acme.ALPNProto}
	if c, err := s.forHandshake(&tls.ClientHelloInfo{ServerName: "shop.test", SupportedProtos: challenge}); c != nil || err == nil {
		t.Errorf("a challenge that there is not: %v, %v", c, err)
	}
	if c, err := s.forHandshake(&tls.ClientHelloInfo{ServerName: "other.test", SupportedProtos: challenge}); c != nil || err != nil {
		t.Errorf("a challenge of another name: %v, %v", c, err)
	}
	if c, err := s.forHandshake(&tls.ClientHelloInfo{}); c != s.unnamed || err != nil {
		t.Errorf("without a name: %v, %v", c, err)
	}
	if n := asked.Load(); n > 0 {
		t.Errorf("the CA was called %d times", n)
	}
	if err := s.Renew(t.Context()); err == nil || !strings.Contains(err.Error(), "shop.test: no certificate: ") || asked.Load() == 0 {
		t.Errorf("Renew: %v after %d calls", err, asked.Load())
	}
}

// restart returns the service of another process on the same database.
func restart(t *testing.T, s *Service) *Service {
	t.Helper()
	again, err := New(s.Config)
	if err != nil {
		t.Fatal(err)
	}
	return again
}

// A server that is restarted after a try that failed leaves the CA alone for a while, but does not
// keep its clients waiting.
func TestRestartLeavesTheCAAlone(t *testing.T) {
	s, asked, clock := openAt(t)
	if err := s.Renew(t.Context()); err == nil || asked.Load() == 0 {
		t.Fatalf("Renew: %v after %d calls", err, asked.Load())
	}
	failed, err := s.Standings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	tries := asked.Load()
	clock.Advance(pause - time.Second)
	again := restart(t, s)
	if err := again.Renew(t.Context()); err != nil || asked.Load() != tries {
		t.Errorf("after a restart: %v, %d calls more", err, asked.Load()-tries)
	}
	if c, err := again.forHandshake(&tls.ClientHelloInfo{ServerName: "shop.test"}); c != nil || !errors.Is(err, errNone) {
		t.Errorf("handshake: %v, %v", c, err)
	}
	if now, err := again.Standings(t.Context()); err != nil || !slices.Equal(now, failed) || now[0].Problem == "" {
		t.Errorf("standings %+v, %v, want %+v", now, err, failed)
	}
	clock.Advance(time.Second)
	if err := again.Renew(t.Context()); err == nil || asked.Load() == tries {
		t.Errorf("after the pause: %v after no call", err)
	}
	tries = asked.Load()
	clock.Advance(-2 * pause) // set back
	if err := restart(t, s).Renew(t.Context()); err == nil || asked.Load() == tries {
		t.Errorf("after the clock was set back: %v after no call", err)
	}
}

// So does one that was killed while it asked.
func TestTryThatWasCutOff(t *testing.T) {
	s, asked, _ := openAt(t)
	ctx, kill := context.WithCancel(t.Context())
	s.manager.Client.HTTPClient.Transport = cutter{kill}
	if err := s.Renew(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("Renew: %v", err)
	}
	again := restart(t, s)
	if err := again.Renew(t.Context()); err != nil || asked.Load() != 0 {
		t.Errorf("after a restart: %v, %d calls", err, asked.Load())
	}
	if now, err := again.Standings(t.Context()); err != nil || now[0].Problem != begun {
		t.Errorf("standings %+v, %v", now, err)
	}
}

// cutter ends the context of Renew at the first call of the CA.
type cutter struct{ kill context.CancelFunc }

func (c cutter) RoundTrip(*http.Request) (*http.Response, error) {
	c.kill()
	return nil, errors.New("cut off")
}

// What is kept is sealed, for the CA and the name under which it is.
func TestCache(t *testing.T) {
	s, _ := open(t)
	ctx, other := t.Context(), s.kept
	other.directory = "https://other.test"
	if err := s.kept.Put(ctx, "shop.test", []byte("secret")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.kept.Get(ctx, "shop.test"); string(got) != "secret" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := other.Get(ctx, "shop.test"); err != autocert.ErrCacheMiss { // autocert compares, too
		t.Errorf("of another CA: %v", err)
	}
	if err := s.kept.Put(ctx, "shop.test", []byte("newer")); err != nil {
		t.Fatal(err)
	}
	if got, err := s.kept.Get(ctx, "shop.test"); string(got) != "newer" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if err := errors.Join(s.kept.Delete(ctx, "shop.test"), s.kept.Delete(ctx, "shop.test")); err != nil {
		t.Error(err)
	}
	if _, err := s.kept.Get(ctx, "shop.test"); err != autocert.ErrCacheMiss {
		t.Errorf("deleted: %v", err)
	}
}

// Without the key file the CA is asked anew, unless that would lose what else is sealed.
func TestLostKeyFile(t *testing.T) {
	s, _ := open(t)
	ctx := t.Context()
	put := func() error { return s.kept.Put(ctx, "shop.test", []byte("secret")) }
	if err := put(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.Store.KeyPath()); err != nil {
		t.Fatal(err)
	}
	if _, err := s.kept.Get(ctx, "shop.test"); err != autocert.ErrCacheMiss {
		t.Errorf("without the key file: %v", err)
	}
	all, err := s.Standings(ctx)
	if err != nil || len(all) != len(s.Domains) || !strings.Contains(all[0].Problem, seal.ErrNoKey.Error()) || !all[0].Until.IsZero() {
		t.Errorf("standings: %+v, %v", all, err)
	}
	if err := put(); err != nil {
		t.Errorf("only certificates were sealed: %v", err)
	}

	owner := dbtest.MustAccount(t, s.Store, "owner@example.com", db.Free)
	sealed, err := s.Seal.Seal("totp", "tfa_1")
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		return tx.BeginTwoFactor(db.TwoFactor{PersonID: owner.ID, ID: "tfa_1", Secret: sealed})
	})
	if err := os.Remove(s.Store.KeyPath()); err != nil {
		t.Fatal(err)
	}
	if err := put(); !errors.Is(err, seal.ErrNoKey) {
		t.Errorf("another secret was sealed: %v", err)
	}
}

func TestLate(t *testing.T) {
	const day = 24 * time.Hour
	until := time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct{ life, left time.Duration }{
		{90 * day, 22*day + 12*time.Hour}, {6 * day, 36 * time.Hour}, {398 * day, 22*day + 12*time.Hour},
	} {
		s := Standing{From: until.Add(-row.life), Until: until}
		if s.Late(until.Add(-row.left-time.Second)) || !s.Late(until.Add(-row.left)) {
			t.Errorf("a life of %s is not late when %s are left", row.life, row.left)
		}
	}
}

package servertest

import (
	"context"
	"net/netip"
	"sync"
	"testing"

	"svc/db/dbtest"
	"svc/server"
)

// Running is an appliance that [server.Run] serves on a port of its own.
type Running struct {
	App *server.App
	URL string
	// Stop ends it, as a signal does.
	Stop context.CancelFunc
	// Ended receives what server.Run returned.
	Ended chan error
}

// Run starts an appliance as svc serve does, background loops included. It is stopped
// at the end of the test.
func Run(t testing.TB, config server.Config) *Running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	t.Cleanup(stop)
	config.Addr = "127.0.0.1:0"
	r := &Running{Stop: stop, Ended: make(chan error, 1)}
	started := make(chan *server.App, 1)
	go func() {
		r.Ended <- server.Run(ctx, config, func(app *server.App) error {
			started <- app
			return nil
		})
	}()
	select {
	case r.App = <-started:
	case err := <-r.Ended:
		t.Fatalf("did not start: %v", err)
	}
	r.URL = r.App.URL()
	return r
}

// Sweep runs each background loop of the appliance once.
func (s *Server) Sweep(t testing.TB) {
	t.Helper()
	if err := s.App.Sweep(context.Background()); err != nil {
		t.Fatalf("sweep: %v", err)
	}
}

// BehindProxy trusts the test's own client to name the caller; see [From].
func BehindProxy(c *server.Config) {
	c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("10.0.0.0/8")}
}

// From sends X-Forwarded-For: the caller's address, and those of the proxies after it.
func From(addresses string) Option { return WithHeader("X-Forwarded-For", addresses) }

// Parallel runs n calls in parallel and counts what they return.
func Parallel(n int, call func(i int) int) map[int]int {
	results := make([]int, n)
	var calls sync.WaitGroup
	for i := range n {
		calls.Go(func() { results[i] = call(i) })
	}
	calls.Wait()
	count := map[int]int{}
	for _, r := range results {
		count[r]++
	}
	return count
}

// Sequential is [dbtest.Sequential].
func Sequential(t testing.TB) {
	t.Helper()
	dbtest.Sequential(t)
}

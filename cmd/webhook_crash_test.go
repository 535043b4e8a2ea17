package cmd_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"svc/db"
	"svc/db/event"
	"svc/server"
	"svc/server/webhook"
)

// hookReceiver counts the requests that arrived and those that were answered, by event.
type hookReceiver struct {
	*httptest.Server
	mu                sync.Mutex
	arrived, answered map[string]int
	hold              chan struct{} // nil, or closed when requests are answered
}

func newHookReceiver(t *testing.T) *hookReceiver {
	r := &hookReceiver{arrived: map[string]int{}, answered: map[string]int{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, from *http.Request) {
		id := from.Header.Get("webhook-id")
		_, _ = io.Copy(io.Discard, from.Body) // only then does the server see the line break
		r.mu.Lock()
		r.arrived[id]++
		hold := r.hold
		r.mu.Unlock()
		if hold != nil {
			select {
			case <-hold:
			case <-from.Context().Done(): // the sender is dead
				return
			}
		}
		r.mu.Lock()
		r.answered[id]++
		r.mu.Unlock()
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *hookReceiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.arrived)
}

func (r *hookReceiver) holdAll(hold chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.hold = hold
}

// TestWebhooksSurviveCrashes kills the server between the commit of events and their requests,
// and again while requests are under way. Events that are retried all arrive; no other
// arrives twice, and those that may have arrived are shown as failed.
func TestWebhooksSurviveCrashes(t *testing.T) {
	t.Parallel()
	const each = 6
	f := newFolder(t)
	f.account(owner, "business", "0")
	r := newHookReceiver(t)
	app, err := server.Open(t.Context(), server.Config{DB: f.path("svc.db"), WebhookAllow: []string{"loopback"}})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	account, err := app.Accounts.Find(t.Context(), owner)
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"sale.created", "brief.ready"} {
		if _, _, err := app.Webhooks.Create(t.Context(), account.ID, webhook.NewWebhook{URL: r.URL, Events: []string{kind}}); err != nil {
			t.Fatal(err)
		}
	}

	// Another process commits the events, so nothing wakes the server before it is killed.
	p := f.serve("--webhook-allow", "loopback", "--webhook-sweep", "1h")
	store, err := db.Open(t.Context(), db.Options{Path: f.path("svc.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	retried := map[string]bool{}
	err = store.Update(t.Context(), func(tx *db.Tx) error {
		for range each {
			sale, err := tx.Emit(account.ID, event.Sale{})
			if err != nil {
				return err
			}
			retried[sale.ID] = true
			if _, err := tx.Emit(account.ID, event.Brief{}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	p.kill()
	p.wait()
	if r.count() != 0 {
		t.Fatalf("%d events arrived before the first crash", r.count())
	}

	hold := make(chan struct{})
	defer close(hold)
	r.holdAll(hold)
	p = f.serve("--webhook-allow", "loopback", "--webhook-sweep", "1h")
	await(t, "requests of both webhooks arrive", func() bool { return r.count() >= 8 })
	p.kill()
	p.wait()
	r.holdAll(nil)

	f.exec("svc.db", `UPDATE webhook_deliveries SET due_at = 1 WHERE state = 'sending'`) // the leases end
	p = f.serve("--webhook-allow", "loopback", "--webhook-sweep", "1h")
	sql := f.sql("svc.db")
	open := func() (n int) {
		if err := sql.QueryRow(`SELECT count(*) FROM webhook_deliveries WHERE state IN ('queued', 'sending')`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	await(t, "all deliveries are done", func() bool { return open() == 0 })
	p.stop()

	r.mu.Lock()
	defer r.mu.Unlock()
	var failed int
	if err := sql.QueryRow(`SELECT count(*) FROM webhook_deliveries WHERE state = 'failed' AND once = 1 AND problem LIKE '%may have arrived%'`).Scan(&failed); err != nil {
		t.Fatal(err)
	}
	once := 0
	for id, n := range r.arrived {
		if retried[id] {
			continue
		}
		if once++; n != 1 {
			t.Errorf("%s arrived %d times", id, n)
		}
	}
	if once > each || once < each-failed || failed == 0 || failed > 4 {
		t.Errorf("%d of %d events that are sent once arrived, %d may have", once, each, failed)
	}
	for id := range retried {
		if r.answered[id] == 0 {
			t.Errorf("%s is lost", id)
		}
	}
}

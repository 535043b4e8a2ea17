package webhook_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/servertest"
)

// While a receiver keeps Deliver busy, claims that a crash has left still end.
func TestSweepWhileBusy(t *testing.T) {
	t.Parallel()
	s := newShop(t, func(c *server.Config) { c.WebhookSweep = time.Second })
	release, stuck, arrived := make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)
	free := sync.OnceFunc(func() { close(release) })
	slow := newReceiver(t, func(http.ResponseWriter, *http.Request) { stuck <- struct{}{}; <-release })
	fast := newReceiver(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
	t.Cleanup(free) // before the receivers close
	s.subscribe(t, slow.URL, event.StockLow)
	crashed, _ := s.subscribe(t, fast.URL, event.SaleCreated)
	s.emit(t, event.Sale{})
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		_, err := tx.ClaimDelivery(db.DueWebhook{AccountID: crashed.AccountID, ID: crashed.ID}, 2*time.Minute)
		return err
	})
	s.emit(t, event.Stock{})

	done := make(chan error, 1)
	go func() { done <- s.App.Webhooks.Deliver(context.Background()) }()
	servertest.Receive(t, stuck)
	s.Clock.Advance(2 * time.Minute)
	servertest.Receive(t, arrived)
	free()
	if err := servertest.Receive(t, done); err != nil {
		t.Error(err)
	}
}

// A webhook without a worker gets the place of a worker that ends its turn, before the
// webhooks that had one.
func TestPlacesGoInTurn(t *testing.T) {
	t.Parallel()
	const webhooks, turn = 9, 20 // one more than an account's places
	// Tries time out after 10 s. This backlog outlasts the time that the test waits.
	const backlog = 6
	s := newShop(t)
	release, arrived := make(chan struct{}), make(chan struct{}, 2*turn)
	free := sync.OnceFunc(func() { close(release) })
	var sent [webhooks - 1]atomic.Int32
	for i := range sent {
		// It answers one turn at once, and nothing after that.
		r := newReceiver(t, func(http.ResponseWriter, *http.Request) {
			if sent[i].Add(1) > turn {
				<-release
			}
		})
		s.subscribe(t, fmt.Sprintf("%s/%d", r.URL, i), event.SaleCreated)
		s.Clock.Advance(time.Millisecond) // lists are ordered by time
	}
	last := newReceiver(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
	t.Cleanup(free) // before the receivers close
	s.subscribe(t, last.URL, event.SaleCreated)
	for range turn + backlog {
		s.emit(t, event.Sale{})
	}

	done := make(chan error, 1)
	go func() { done <- s.App.Webhooks.Deliver(context.Background()) }()
	servertest.Receive(t, arrived)
	free()
	if err := servertest.Receive(t, done); err != nil {
		t.Error(err)
	}
	last.expect(t, turn+backlog)
}

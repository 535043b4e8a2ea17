package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/ask"
	"svc/server/dataset"
	"svc/server/fairqueue"
	"svc/server/inventory"
	"svc/server/push"
	"svc/server/servertest"
)

// heavyWork is work of each kind that the line of heavy work holds back.
type heavyWork struct {
	t         *testing.T
	owner     db.Account
	now       time.Time
	datasets  *dataset.Service
	inventory *inventory.Service
	pushes    *push.Service
	asks      *ask.Service
}

func (h *heavyWork) upload(ctx context.Context) error {
	_, err := h.datasets.Keep(ctx, h.owner.ID, "sales.csv", []byte("Date,Product,Total\n"+strings.Repeat("2026-01-02,Tea,4.50\n", 3000)))
	return err
}

func (h *heavyWork) preview(ctx context.Context) error {
	var list bytes.Buffer
	list.WriteString("SKU,Name,Price\n")
	for i := range 300 {
		fmt.Fprintf(&list, "S%d,Tea number %d,4.50\n", i, i)
	}
	_, err := h.inventory.PreviewFile(ctx, h.owner, inventory.File{Name: "items.csv", Content: bytes.NewReader(list.Bytes()), Size: int64(list.Len())})
	return err
}

// push parses a body of 100 kB.
func (h *heavyWork) push(ctx context.Context) error {
	records := strings.Repeat(`,{"type":"product","external_id":"p1","name":"`+strings.Repeat("tea ", 100)+`"}`, 230)
	req, err := h.pushes.Parse(ctx, []byte(`{"records":[`+records[1:]+`]}`), h.owner, h.now)
	if err == nil && (len(req.Records) != 230 || len(req.Errors) > 0) {
		h.t.Errorf("%d records and %d errors", len(req.Records), len(req.Errors))
	}
	return err
}

func (h *heavyWork) question(ctx context.Context) error {
	_, err := h.asks.Answer(ctx, h.owner, ask.Question{Text: "What is our revenue by product?"})
	return err
}

// newHeavyWork returns services that share a queue with one place.
func newHeavyWork(t *testing.T, queue *fairqueue.Queue) *heavyWork {
	s := servertest.NewShop(t, db.Growth, 1000)
	h := &heavyWork{t: t, now: s.Clock.Now()}
	dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
		h.owner, err = tx.Account(s.LiveKey.AccountID)
		return err
	})
	h.datasets = dataset.New(dataset.Config{Store: s.Store, Metrics: ask.Metrics(), Queue: queue})
	h.inventory = inventory.New(inventory.Config{Store: s.Store, Queue: queue})
	h.pushes = push.New(push.Config{Store: s.Store, Queue: queue})
	h.asks = ask.New(ask.Config{Store: s.Store, Data: h.datasets, Clock: s.Clock.Now, Queue: queue})
	return h
}

// While a photo has the only place, an import over HTTP waits for it, as long as its caller
// does. A small push does not.
func TestImportsTakeTheirTurn(t *testing.T) {
	queue := fairqueue.New(1)
	h := newHeavyWork(t, queue)
	for name, work := range map[string]func(context.Context) error{"upload": h.upload, "inventory": h.preview, "push": h.push} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			err := queue.Do(t.Context(), fairqueue.Photos, "another", func(context.Context) error {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go func() { done <- work(ctx) }()
				for queue.Waiting(fairqueue.Files) == 0 && len(done) == 0 {
					runtime.Gosched()
				}
				cancel()
				if err := <-done; !errors.Is(err, context.Canceled) {
					t.Errorf("got %v", err)
				}
				_, err := h.pushes.Parse(t.Context(), []byte(`{"records":[{"type":"product","external_id":"p1","name":"Tea"}]}`), h.owner, h.now)
				return err
			})
			if err != nil {
				t.Error(err)
			}
			if err := work(t.Context()); err != nil {
				t.Errorf("with a free place: %v", err)
			}
		})
	}
}

// Work of all kinds shares one place without waiting for itself.
func TestHeavyWorkSharesOnePlace(t *testing.T) {
	h := newHeavyWork(t, fairqueue.New(1))
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var all sync.WaitGroup
	for name, work := range map[string]func(context.Context) error{
		"upload": h.upload, "inventory": h.preview, "push": h.push, "question": h.question,
	} {
		all.Go(func() {
			for range 5 {
				if err := work(ctx); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	all.Wait()
}

package scan_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"svc/db"
	"svc/db/dbtest"
	"svc/server"
	"svc/server/llm/llmtest"
	"svc/server/servertest"
	"sync"
)

func TestScanTwins(t *testing.T) {
	for _, appliances := range []int{1, 2} {
		t.Run(fmt.Sprintf("On%dAppliancesAreOneCall", appliances), func(t *testing.T) {
			const n = 8
			s, held := newHeldModel(t, 1000)
			s.ollama.Answer(sees("Sencha", "", ""))
			counters := []*counter{s}
			if appliances == 2 {
				second := *s.Shop
				second.Server = servertest.Open(t, s.Path, s.Clock, seeing(held.url))
				counters = append(counters, &counter{Shop: &second})
			}
			answers, finished := make([]servertest.Answer, n), make(chan map[int]int)
			go func() {
				finished <- servertest.Parallel(n, func(i int) int {
					answers[i] = counters[i%len(counters)].scan(t, blank(t), withKeyK)
					return answers[i].Status
				})
			}()
			servertest.Receive(t, held.arrived)
			s.UntilCounted(t, n)
			held.open()
			servertest.Receive(t, finished)

			replays := 0
			for _, a := range answers {
				a.ExpectBody(t, 200, notInInventory("Sencha"))
				if a.Header.Get("Idempotency-Replayed") == "true" {
					replays++
				}
			}
			if asked := len(s.ollama.Questions()); replays != n-1 || asked != 1 || s.Debits(t) != 1 {
				t.Errorf("%d replays, %d questions, %d debits", replays, asked, s.Debits(t))
			}
			s.ExpectWallet(t, 1000-scanPrice, 0)
		})
	}
}

// Parallel scans share a few slots; each gets its own answer and is billed once.
func TestParallelScans(t *testing.T) {
	const n = 30
	s := newSeeingCounter(t, 1000)
	item := s.stock(t, book)
	s.ollama.Answer(sees("Sencha", "", ""))
	photos := [][]byte{photoOf(t, "ean13"), blank(t), photoOf(t, "ean13")[:4000]}
	want := []string{foundBook(item.ID), notInInventory("Sencha"), `{"error":"image: is not a complete JPEG"}` + "\n"}
	count := servertest.Parallel(n, func(i int) int {
		a := s.scan(t, photos[i%3])
		if string(a.Body) != want[i%3] {
			t.Errorf("photo %d: %d %s", i%3, a.Status, a.Body)
		}
		return a.Status
	})
	if count[200] != n*2/3 || count[400] != n/3 {
		t.Errorf("answers %v", count)
	}
	s.ExpectWallet(t, 1000-n*2/3*scanPrice, 0)
	if s.Debits(t) != n*2/3 {
		t.Errorf("%d debits", s.Debits(t))
	}
}

// A call that waits for the model uses no slot, so it does not delay other photos.
func TestSlowModelDoesNotDelayOtherScans(t *testing.T) {
	s, held := newHeldModel(t, 1000)
	item := s.stock(t, book)
	s.ollama.Answer(sees("Sencha", "", ""))
	var waiting []<-chan servertest.Answer
	for range max(runtime.GOMAXPROCS(0), 2) + 1 {
		waiting = append(waiting, s.scanAside(t, blank(t)))
	}
	servertest.Receive(t, held.arrived)
	servertest.Receive(t, held.arrived)
	s.UntilCounted(t, int64(len(waiting)))
	s.scan(t, photoOf(t, "ean13")).ExpectBody(t, 200, foundBook(item.ID))
	held.open()
	for _, w := range waiting {
		servertest.Receive(t, w).ExpectBody(t, 200, notInInventory("Sencha"))
	}
}

// A call whose client hangs up is settled once (B5).
func TestScanClientHangsUp(t *testing.T) {
	s, held := newHeldModel(t, 1000)
	s.ollama.Answer(sees("Sencha", "", ""))
	ctx, hangUp := context.WithCancel(context.Background())
	gone := s.scanAside(t, blank(t), withKeyK, servertest.WithContext(ctx))
	servertest.Receive(t, held.arrived)
	s.ExpectWallet(t, 1000, scanPrice)
	hangUp()
	if a := servertest.Receive(t, gone); a.Status != 0 {
		t.Errorf("the client that hung up got %d", a.Status)
	}
	held.open()
	servertest.Until(t, "the debit", func() bool { return s.Debits(t) == 1 })
	a := s.scan(t, blank(t), withKeyK)
	a.ExpectBody(t, 200, notInInventory("Sencha"))
	if a.Header.Get("Idempotency-Replayed") != "true" || len(s.ollama.Questions()) != 1 {
		t.Errorf("%d questions, headers %v", len(s.ollama.Questions()), a.Header)
	}
	s.ExpectWallet(t, 1000-scanPrice, 0)
}

// The lease of a scan covers the model's time. After a crash a retry runs again, since a
// scan has no effect outside (B5).
func TestScanLease(t *testing.T) {
	s, held := newHeldModel(t, 1000, func(c *server.Config) { c.Ollama.Timeout = 30 * time.Second })
	s.ollama.Answer(sees("Sencha", "", ""))
	first := s.scanAside(t, blank(t), withKeyK)
	servertest.Receive(t, held.arrived)
	idem := hashOf("k")
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		c, err := tx.PeekCall(s.LiveKey.ID, idem)
		if err == nil && (c.State != db.Running || c.LeaseUntil != tx.Now().Add(40*time.Second) || c.HoldCents != scanPrice) {
			t.Errorf("row during the model's call: %+v", c)
		}
		return err
	})
	held.open()
	servertest.Receive(t, first).ExpectBody(t, 200, notInInventory("Sencha"))
}

// heldModel is a proxy that holds questions to the model until open is called.
type heldModel struct {
	url     string
	arrived chan struct{} // receives one value per question
	open    func()
}

// newHeldModel opens a shop whose vision model is behind a heldModel.
func newHeldModel(t *testing.T, cents int64, change ...func(*server.Config)) (*counter, *heldModel) {
	t.Helper()
	ollama := llmtest.New(t)
	ollama.Add(seer, "completion", "vision")
	behind, err := url.Parse(ollama.URL)
	if err != nil {
		t.Fatal(err)
	}
	opened, proxy := make(chan struct{}), httputil.NewSingleHostReverseProxy(behind)
	d := &heldModel{arrived: make(chan struct{}, 100), open: sync.OnceFunc(func() { close(opened) })}
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			d.arrived <- struct{}{}
			<-opened
		}
		proxy.ServeHTTP(w, r)
	}))
	d.url = front.URL
	t.Cleanup(func() {
		d.open()
		front.Close()
	})
	s := newCounter(t, cents, append([]func(*server.Config){seeing(d.url)}, change...)...)
	s.ollama = ollama
	return s, d
}

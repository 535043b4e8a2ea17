package webhook_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/servertest"
	"svc/server/webhook"
)

// shop is an appliance with an account, whose webhooks may lead to this machine.
type shop struct {
	*servertest.Server
	account db.Account
}

func loopback(c *server.Config) { c.WebhookAllow = []string{"loopback"} }

func newShop(t testing.TB, change ...func(*server.Config)) *shop {
	t.Helper()
	s := &shop{Server: servertest.New(t, append([]func(*server.Config){loopback}, change...)...)}
	s.account = dbtest.MustAccount(t, s.Store, "shop@example.com", db.Growth)
	return s
}

// openAgain opens a second appliance on the shop's file.
func (s *shop) openAgain(t testing.TB) *shop {
	t.Helper()
	return &shop{servertest.Open(t, s.Path, s.Clock, loopback), s.account}
}

// request is a request that a receiver got.
type request struct {
	http.Header
	method, path string
	body         []byte
}

func (r request) id() string { return r.Get("webhook-id") }

// receiver is the server of a developer. It answers 200 unless answer is set.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	got    []request
	answer http.HandlerFunc
}

func newReceiver(t testing.TB, answer http.HandlerFunc) *receiver {
	t.Helper()
	r := &receiver{answer: answer}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, from *http.Request) {
	body, err := io.ReadAll(from.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.got = append(r.got, request{from.Header, from.Method, from.URL.Path, body})
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		answer(w, from)
	}
}

// answers sets how the next requests are answered.
func (r *receiver) answers(answer http.HandlerFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = answer
}

func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func (r *receiver) requests() []request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]request(nil), r.got...)
}

// expect returns the requests, of which there must be n.
func (r *receiver) expect(t testing.TB, n int) []request {
	t.Helper()
	all := r.requests()
	if len(all) != n {
		t.Fatalf("%d requests, want %d", len(all), n)
	}
	return all
}

// subscribe makes a webhook and returns it with its secret.
func (s *shop) subscribe(t testing.TB, url string, kinds ...event.Kind) (db.Webhook, string) {
	t.Helper()
	var names []string
	for _, k := range kinds {
		names = append(names, string(k))
	}
	w, secret, err := s.App.Webhooks.Create(t.Context(), s.account.ID, webhook.NewWebhook{URL: url, Events: names})
	if err != nil {
		t.Fatal(err)
	}
	return w, secret
}

// emit stores an event as another process does.
func (s *shop) emit(t testing.TB, p event.Payload) (e db.Event) {
	t.Helper()
	dbtest.Update(t, s.Store, func(tx *db.Tx) (err error) {
		e, err = tx.Emit(s.account.ID, p)
		return err
	})
	return e
}

// deliver sends what is due.
func (s *shop) deliver(t testing.TB) {
	t.Helper()
	if err := s.App.Webhooks.Deliver(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// deliveries lists those of a webhook, newest first.
func (s *shop) deliveries(t testing.TB, w db.Webhook) []db.Delivery {
	t.Helper()
	all, err := s.App.Webhooks.Deliveries(t.Context(), w.AccountID, w.ID, webhook.Filter{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// expectDelivery returns the newest delivery, and checks its state, its tries and the last
// status.
func (s *shop) expectDelivery(t testing.TB, w db.Webhook, state db.DeliveryState, attempts, code int) db.Delivery {
	t.Helper()
	all := s.deliveries(t, w)
	if len(all) == 0 {
		t.Fatal("no delivery")
	}
	d := all[0]
	if d.State != state || d.Attempts != attempts || d.Last.Code != code || (d.Last.Problem == "") != (state == db.DeliverySent) {
		t.Fatalf("delivery %s after %d attempts, code %d (%q); want %s after %d, %d", d.State, d.Attempts, d.Last.Code, d.Last.Problem, state, attempts, code)
	}
	return d
}

func (s *shop) find(t testing.TB, w db.Webhook) db.Webhook {
	t.Helper()
	found, err := s.App.Webhooks.Find(t.Context(), w.AccountID, w.ID)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// envelope parses the body of a request.
func envelope(t testing.TB, body []byte) (e event.Envelope) {
	t.Helper()
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// nextTry moves the clock to the next try of a delivery, and checks that it is due a pause
// after now, within a tenth.
func (s *shop) nextTry(t testing.TB, d db.Delivery, pause time.Duration) {
	t.Helper()
	wait := d.DueAt.Sub(s.Clock.Now())
	if wait < pause*9/10-time.Millisecond || wait > pause*11/10 {
		t.Fatalf("after attempt %d it waits %v, want %v within a tenth", d.Attempts, wait, pause)
	}
	s.Clock.Advance(wait - time.Millisecond)
	s.deliver(t)
	s.Clock.Advance(time.Millisecond)
}

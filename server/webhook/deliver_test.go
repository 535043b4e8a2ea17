package webhook_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server/fault"
	"svc/server/servertest"
	"svc/server/webhook"
)

// pauses are those of K5.
var pauses = []time.Duration{
	5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
}

func TestRetries(t *testing.T) {
	t.Parallel()
	t.Run("EightFailuresThenSuccess", func(t *testing.T) {
		s := newShop(t)
		r := newReceiver(t, status(500))
		w, secret := s.subscribe(t, r.URL, event.SaleCreated)
		s.emit(t, event.Sale{ID: "sale_1"})
		for tries, pause := range pauses[:8] {
			s.deliver(t)
			s.nextTry(t, s.expectDelivery(t, w, db.DeliveryQueued, tries+1, 500), pause)
			r.expect(t, tries+1)
		}
		if found := s.find(t, w); found.Failures != 8 {
			t.Errorf("%d failures", found.Failures)
		}
		r.answers(nil)
		s.deliver(t)
		s.expectDelivery(t, w, db.DeliverySent, 9, 200)
		all := r.expect(t, 9)
		for i, got := range all {
			if got.id() != all[0].id() || string(got.body) != string(all[0].body) || !verifies(t, secret, got.Header, got.body) {
				t.Errorf("request %d differs", i)
			}
		}
		if found := s.find(t, w); found.Failures != 0 || !found.FailingSince.IsZero() {
			t.Errorf("after a success: %+v", found)
		}
		s.Clock.Advance(48 * time.Hour)
		s.deliver(t)
		r.expect(t, 9)
	})

	t.Run("TenTriesAtMost", func(t *testing.T) {
		s := newShop(t)
		r := newReceiver(t, status(503))
		w, _ := s.subscribe(t, r.URL, event.StockLow)
		s.emit(t, event.Stock{})
		for tries, pause := range pauses {
			s.deliver(t)
			s.nextTry(t, s.expectDelivery(t, w, db.DeliveryQueued, tries+1, 503), pause)
		}
		s.deliver(t)
		s.expectDelivery(t, w, db.DeliveryFailed, 10, 503)
		s.Clock.Advance(10 * 24 * time.Hour)
		s.deliver(t)
		r.expect(t, 10)
	})

	t.Run("OtherKindsOnce", func(t *testing.T) {
		s := newShop(t)
		r := newReceiver(t, status(500))
		w, _ := s.subscribe(t, r.URL, event.Kinds...)
		for i, p := range []event.Payload{event.Pulse{}, event.Alert{}, event.Brief{}, event.Sync{}, event.ChurnScan{}} {
			s.emit(t, p)
			s.deliver(t)
			s.expectDelivery(t, w, db.DeliveryFailed, 1, 500)
			s.Clock.Advance(30 * time.Hour)
			s.deliver(t)
			r.expect(t, i+1)
		}
	})

	t.Run("TestEventOnce", func(t *testing.T) {
		s := newShop(t)
		r := newReceiver(t, status(500))
		w, secret := s.subscribe(t, r.URL, event.SaleCreated)
		for i, kind := range append([]event.Kind{""}, event.Kinds...) {
			if _, err := s.App.Webhooks.Test(t.Context(), s.account.ID, w.ID, string(kind)); err != nil {
				t.Fatal(err)
			}
			s.deliver(t)
			s.Clock.Advance(30 * time.Hour)
			s.deliver(t)
			got := r.expect(t, i+1)[i]
			e := envelope(t, got.body)
			if e.Type != cmp.Or(kind, event.SaleCreated) || !e.TestMode || e.ID != got.id() || e.Sequence != 0 || e.AccountID != s.account.ID {
				t.Errorf("test event %s", got.body)
			}
			if !verifies(t, secret, got.Header, got.body) {
				t.Error("it does not verify")
			}
			if d := s.expectDelivery(t, w, db.DeliveryFailed, 1, 500); d.Cause != db.CauseTest {
				t.Errorf("cause %s", d.Cause)
			}
		}
	})
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		header func(now time.Time) string
		want   time.Duration // 0: the pause of 5 s
	}{
		{"Seconds", func(time.Time) string { return "90" }, 90 * time.Second},
		{"Date", func(now time.Time) string { return now.Add(2 * time.Hour).UTC().Format(http.TimeFormat) }, 2 * time.Hour},
		{"TooLong", func(time.Time) string { return "9999999" }, 24 * time.Hour},
		{"Shorter", func(time.Time) string { return "1" }, 0},
		{"Past", func(now time.Time) string { return now.Add(-time.Hour).UTC().Format(http.TimeFormat) }, 0},
		{"Nonsense", func(time.Time) string { return "-5 soon" }, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			r := newReceiver(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Retry-After", row.header(s.Clock.Now()))
				w.WriteHeader(429)
			})
			w, _ := s.subscribe(t, r.URL, event.StockLow)
			s.emit(t, event.Stock{})
			s.deliver(t)
			d := s.expectDelivery(t, w, db.DeliveryQueued, 1, 429)
			if row.want == 0 {
				s.nextTry(t, d, pauses[0])
			} else if wait := d.DueAt.Sub(s.Clock.Now()); wait != row.want {
				t.Errorf("waits %v, want %v", wait, row.want)
			}
		})
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name    string
		answer  http.HandlerFunc
		state   db.DeliveryState
		code    int
		problem string
		kept    int // bytes of the answer
	}{
		{"NoContent", status(204), db.DeliverySent, 204, "", 0},
		{"Redirect", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}, db.DeliveryQueued, 307, "redirects are not followed", 0},
		{"NotModified", status(304), db.DeliveryQueued, 304, "redirects", 0},
		{"Unauthorized", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "who are you", http.StatusUnauthorized) }, db.DeliveryQueued, 401, "answered 401", 12},
		{"ClosesLine", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, db.DeliveryQueued, 0, "broke off", 0},
		{"NoHTTP", func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprint(conn, "SSH-2.0-OpenSSH_9.9\r\n")
				conn.Close()
			}
		}, db.DeliveryQueued, 0, "no valid answer", 0},
		{"TenMegabytes", func(w http.ResponseWriter, _ *http.Request) {
			for range 10 << 10 {
				if _, err := w.Write([]byte(strings.Repeat("é", 512))); err != nil {
					return
				}
			}
		}, db.DeliverySent, 200, "", 1024},
		{"NoText", func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("a\x00\xffb")) }, db.DeliverySent, 200, "", len("a\uFFFDb")},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := newShop(t)
			r := newReceiver(t, row.answer)
			w, _ := s.subscribe(t, r.URL, event.SaleCreated)
			s.emit(t, event.Sale{})
			s.deliver(t)
			d := s.expectDelivery(t, w, row.state, 1, row.code)
			if !strings.Contains(d.Last.Problem, row.problem) || row.kept > 0 && len(d.Last.Answer) != row.kept {
				t.Errorf("problem %q, want %q; %d bytes of the answer, want %d", d.Last.Problem, row.problem, len(d.Last.Answer), row.kept)
			}
			if got := r.expect(t, 1)[0]; got.path != "/" {
				t.Errorf("path %s", got.path)
			}
		})
	}
}

func TestGoneDisablesAtOnce(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, status(410))
	w, _ := s.subscribe(t, r.URL, event.SaleCreated)
	first := s.emit(t, event.Sale{})
	s.deliver(t)
	s.expectDelivery(t, w, db.DeliveryFailed, 1, 410)
	found := s.find(t, w)
	if found.Enabled || found.Reason != db.DisabledGone || !found.DisabledAt.Equal(s.Clock.Now()) {
		t.Errorf("webhook %+v", found)
	}
	if mails := s.Outbox(t, "shop@example.com"); len(mails) != 1 || !strings.Contains(mails[0].Text, "answered 410") || !strings.Contains(mails[0].Text, w.ID) {
		t.Errorf("mails %+v", mails)
	}
	second := s.emit(t, event.Sale{})
	s.deliver(t)
	r.expect(t, 1)

	// Enabled again, it gets what it has missed, once.
	r.answers(nil)
	enabled := true
	if _, err := s.App.Webhooks.RecoverSince(t.Context(), s.account.ID, w.ID, first.CreatedAt); !isConflict(err) {
		t.Errorf("recover while disabled: %v", err)
	}
	if _, err := s.App.Webhooks.Change(t.Context(), s.account.ID, w.ID, webhook.Change{Enabled: &enabled}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []int{2, 0} {
		n, err := s.App.Webhooks.RecoverSince(t.Context(), s.account.ID, w.ID, first.CreatedAt)
		if n != want || err != nil {
			t.Errorf("recovered %d, %v; want %d", n, err, want)
		}
		s.deliver(t)
	}
	got := map[string]bool{}
	for _, one := range r.expect(t, 3)[1:] {
		got[one.id()] = true
	}
	if !got[first.ID] || !got[second.ID] {
		t.Errorf("recovered %v", got)
	}
}

func isConflict(err error) bool {
	e, ok := errors.AsType[*fault.Error](err)
	return ok && e.Code == fault.Conflict
}

// A webhook that has failed for 5 days is disabled by the failure that is at least the 20th.
func TestFailingDisables(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, status(500))
	w, _ := s.subscribe(t, r.URL, event.BriefReady, event.SaleCreated)
	fail := func() db.Webhook {
		t.Helper()
		s.emit(t, event.Brief{})
		s.deliver(t)
		return s.find(t, w)
	}
	for range 25 {
		fail()
	}
	s.Clock.Advance(5*24*time.Hour - time.Millisecond)
	if !fail().Enabled {
		t.Fatal("disabled before 5 days")
	}
	r.answers(nil)
	if fail(); s.find(t, w).Failures != 0 {
		t.Fatal("a success does not end the series")
	}
	r.answers(status(500))
	fail()
	s.Clock.Advance(6 * 24 * time.Hour)
	for range 18 {
		fail()
	}
	if !s.find(t, w).Enabled || len(s.Outbox(t, "shop@example.com")) != 0 {
		t.Fatal("disabled by 19 failures")
	}
	if found := fail(); found.Enabled || found.Reason != db.DisabledFailing {
		t.Fatalf("after 20 failures and 6 days: %+v", found)
	}
	if mails := s.Outbox(t, "shop@example.com"); len(mails) != 1 || !strings.Contains(mails[0].Text, "All 20 tries") {
		t.Errorf("mails %+v", mails)
	}
	before := len(r.requests())
	fail()
	r.expect(t, before)
}

func TestDisabledAndDeletedGetNothing(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	off, _ := s.subscribe(t, r.URL, event.StockLow)
	gone, _ := s.subscribe(t, r.URL, event.StockLow)
	other, _ := s.subscribe(t, r.URL, event.SaleCreated)
	s.emit(t, event.Stock{})
	disabled := false
	if _, err := s.App.Webhooks.Change(t.Context(), s.account.ID, off.ID, webhook.Change{Enabled: &disabled}); err != nil {
		t.Fatal(err)
	}
	if err := s.App.Webhooks.Delete(t.Context(), s.account.ID, gone.ID); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	r.expect(t, 0)
	s.expectDelivery(t, off, db.DeliveryDropped, 0, 0)
	if len(s.deliveries(t, other)) != 0 {
		t.Error("a kind that is not subscribed is queued")
	}
	if _, err := s.App.Webhooks.Find(t.Context(), s.account.ID, gone.ID); err == nil {
		t.Error("the deleted webhook is found")
	}
	if _, err := s.App.Webhooks.Test(t.Context(), s.account.ID, off.ID, ""); !isConflict(err) {
		t.Errorf("test of a disabled webhook: %v", err)
	}
	d := s.deliveries(t, off)[0]
	if _, err := s.App.Webhooks.Resend(t.Context(), s.account.ID, off.ID, d.ID); !isConflict(err) {
		t.Errorf("resend to a disabled webhook: %v", err)
	}
}

func TestResend(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, _ := s.subscribe(t, r.URL, event.BriefReady, event.SaleCreated)
	resend := func(id string) db.Delivery {
		t.Helper()
		s.Clock.Advance(time.Millisecond) // lists are ordered by time
		d, err := s.App.Webhooks.Resend(t.Context(), s.account.ID, w.ID, id)
		if err != nil {
			t.Fatal(err)
		}
		s.deliver(t)
		return d
	}
	s.emit(t, event.Brief{})
	s.deliver(t)
	first := s.expectDelivery(t, w, db.DeliverySent, 1, 200)
	again := resend(first.ID)
	if d := s.expectDelivery(t, w, db.DeliverySent, 1, 200); d.ID != again.ID || d.Cause != db.CauseResend || d.ID == first.ID {
		t.Errorf("resent as %+v", d)
	}
	all := r.expect(t, 2)
	if all[0].id() != all[1].id() || string(all[0].body) != string(all[1].body) {
		t.Error("another event is sent")
	}

	// A test event is sent again as it was.
	if _, err := s.App.Webhooks.Test(t.Context(), s.account.ID, w.ID, "sale.created"); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	resend(s.expectDelivery(t, w, db.DeliverySent, 1, 200).ID)
	if all := r.expect(t, 4); string(all[2].body) != string(all[3].body) {
		t.Error("another test event is sent")
	}

	// What waits for its next try is tried now, and not queued twice.
	r.answers(status(500))
	s.emit(t, event.Sale{})
	s.deliver(t)
	waits := s.expectDelivery(t, w, db.DeliveryQueued, 1, 500)
	n := len(s.deliveries(t, w))
	r.answers(nil)
	resend(waits.ID)
	if s.expectDelivery(t, w, db.DeliverySent, 2, 200); len(s.deliveries(t, w)) != n {
		t.Error("it is queued twice")
	}

	for _, id := range []string{"", "dlv_none"} {
		if _, err := s.App.Webhooks.Resend(t.Context(), s.account.ID, w.ID, id); err == nil {
			t.Errorf("delivery %q is found", id)
		}
	}
	stranger := dbtest.MustAccount(t, s.Store, "eve@example.com", db.Free)
	if _, err := s.App.Webhooks.Resend(t.Context(), stranger.ID, w.ID, first.ID); err == nil {
		t.Error("another account resends it")
	}
}

func TestTwoSendersDeliverOnce(t *testing.T) {
	t.Parallel()
	const events = 150
	s := newShop(t)
	other := s.openAgain(t)
	r := newReceiver(t, nil)
	w, _ := s.subscribe(t, r.URL, event.SaleCreated)
	for range events {
		s.emit(t, event.Sale{})
	}
	var both sync.WaitGroup
	for _, sender := range []*shop{s, other} {
		both.Go(func() {
			if err := sender.App.Webhooks.Deliver(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	seen := map[string]int{}
	for _, got := range r.expect(t, events) {
		seen[got.id()]++
	}
	if len(seen) != events {
		t.Errorf("%d of %d events arrived", len(seen), events)
	}
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		sent, err := tx.Deliveries(s.account.ID, w.ID, "", db.DeliverySent, 2*events)
		if len(sent) != events {
			t.Errorf("%d sent", len(sent))
		}
		return err
	})
}

// A receiver that never answers does not hold up those of other accounts.
func TestSlowReceiverHoldsUpNobodyElse(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	release := make(chan struct{})
	stuck := make(chan struct{}, 100)
	slow := newReceiver(t, func(http.ResponseWriter, *http.Request) { stuck <- struct{}{}; <-release })
	arrived := make(chan struct{}, 10)
	fast := newReceiver(t, func(http.ResponseWriter, *http.Request) { arrived <- struct{}{} })
	other := *s
	other.account = dbtest.MustAccount(t, s.Store, "other@example.com", db.Growth)
	s.subscribe(t, slow.URL, event.SaleCreated)
	s.subscribe(t, slow.URL, event.SaleCreated)
	s.subscribe(t, slow.URL, event.SaleCreated)
	other.subscribe(t, fast.URL, event.SaleCreated)
	for range 30 {
		s.emit(t, event.Sale{})
	}

	done := make(chan error, 1)
	go func() { done <- s.App.Webhooks.Deliver(context.Background()) }()
	for range 8 {
		servertest.Receive(t, stuck)
	}
	other.emit(t, event.Sale{}) // by another process
	s.App.Webhooks.Wake()
	servertest.Receive(t, arrived)
	if n := len(slow.requests()); n != 8 {
		t.Errorf("%d requests to the slow receivers of one account at once, want 8", n)
	}
	close(release)
	if err := servertest.Receive(t, done); err != nil {
		t.Error(err)
	}
	slow.expect(t, 90)
}

// An update of the process wakes its sender once it is committed.
func TestEmitWakesSender(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, _ := s.subscribe(t, r.URL, event.SaleCreated)
	select {
	case <-s.App.Webhooks.Woken():
		t.Fatal("woken by nothing")
	default:
	}
	if _, err := s.App.Webhooks.Test(t.Context(), s.account.ID, w.ID, ""); err != nil {
		t.Fatal(err)
	}
	servertest.Receive(t, s.App.Webhooks.Woken())
}

// A crash after the claim: what is retried is sent again after the lease, all else is not.
func TestCrashAfterClaim(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	retried, _ := s.subscribe(t, r.URL+"/retried", event.SaleCreated)
	once, _ := s.subscribe(t, r.URL+"/once", event.BriefReady)
	s.emit(t, event.Sale{})
	s.emit(t, event.Brief{})
	for _, w := range []db.Webhook{retried, once} {
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			_, err := tx.ClaimDelivery(db.DueWebhook{AccountID: w.AccountID, ID: w.ID}, 2*time.Minute)
			return err
		})
	}
	s.Clock.Advance(2*time.Minute - time.Millisecond)
	s.deliver(t)
	r.expect(t, 0)
	s.Clock.Advance(time.Millisecond)
	s.deliver(t)
	if got := r.expect(t, 1)[0]; got.path != "/retried" {
		t.Errorf("sent to %s", got.path)
	}
	s.expectDelivery(t, retried, db.DeliverySent, 2, 200)
	if d := s.expectDelivery(t, once, db.DeliveryFailed, 1, 0); !strings.Contains(d.Last.Problem, "may have arrived, and is not sent again") {
		t.Errorf("problem %q", d.Last.Problem)
	}
}

// Without the key file nothing is sent, and nothing is lost.
func TestMissingKeyFile(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	r := newReceiver(t, nil)
	w, secret := s.subscribe(t, r.URL, event.BriefReady)
	key := s.Path + ".key"
	if info, err := os.Stat(key); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("key file: %v, %v", info, err)
	}
	if err := os.Rename(key, key+".away"); err != nil {
		t.Fatal(err)
	}
	s.emit(t, event.Brief{})
	for _, content := range []string{"", "short", strings.Repeat("k", 32)} {
		if content != "" {
			if err := os.WriteFile(key, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s.deliver(t)
		r.expect(t, 0)
		if d := s.deliveries(t, w)[0]; d.State != db.DeliveryQueued || d.Attempts != 0 || !strings.Contains(d.Last.Problem, "signing secret") {
			t.Errorf("delivery %+v", d)
		}
		if !strings.Contains(s.Log.String(), "restore it from a backup") {
			t.Errorf("log %s", s.Log)
		}
		_, _, err := s.App.Webhooks.Create(t.Context(), s.account.ID, webhook.NewWebhook{URL: r.URL, Events: []string{"stock.low"}})
		wantFault(t, err, fault.Unavailable, "signing secrets cannot be sealed")
		s.Clock.Advance(time.Minute)
	}
	if err := os.Rename(key+".away", key); err != nil {
		t.Fatal(err)
	}
	s.deliver(t)
	if got := r.expect(t, 1)[0]; !verifies(t, secret, got.Header, got.body) {
		t.Error("it does not verify")
	}
}

// BenchmarkDrain sends 10,000 events to one webhook.
func BenchmarkDrain(b *testing.B) {
	const events = 10_000
	for b.Loop() {
		b.StopTimer()
		s := newShop(b)
		r := newReceiver(b, nil)
		s.subscribe(b, r.URL, event.SaleCreated)
		for range events / 100 {
			dbtest.Update(b, s.Store, func(tx *db.Tx) error {
				for range 100 {
					if _, err := tx.Emit(s.account.ID, event.Sale{}); err != nil {
						return err
					}
				}
				return nil
			})
		}
		b.StartTimer()
		s.deliver(b)
		r.expect(b, events)
	}
	b.ReportMetric(events*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}

package insight_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"svc/db/event"
	"svc/server/servertest"
)

// post sends a body to a path, which must accept it.
func (r *reader) post(t *testing.T, path string, body any) {
	t.Helper()
	if a := r.Call(t, http.MethodPost, path, body, servertest.WithKey(r.key)); a.Status != http.StatusOK {
		t.Fatalf("POST %s: %d %s", path, a.Status, a.Body)
	}
}

// wantPulses sweeps, and checks the number of the account's pulse.updated.
func (r *reader) wantPulses(t *testing.T, when string, n int) {
	t.Helper()
	sweep(t, r.App)
	if got := len(r.events(t, event.PulseUpdated)); got != n {
		t.Errorf("%s: %d events, want %d", when, got, n)
	}
}

// TestPushedRowsAreData pushes rows without a type, and nothing else.
func TestPushedRowsAreData(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC") // 10:00 on 2 March
	push := func(ids ...int) {
		t.Helper()
		var records []any
		for _, id := range ids {
			records = append(records, map[string]any{"external_id": fmt.Sprint(id), "Date": "2026-03-01", "Product": "Tea", "Quantity": 1, "Total": 5 * id})
		}
		r.post(t, "/api/v1/data/push", map[string]any{"records": records})
	}
	push(1, 2)
	r.wantPulses(t, "the first rows", 1)
	if n := len(r.events(t, event.BriefReady)); n != 1 {
		t.Errorf("%d briefs, want 1", n)
	}
	r.pulse(t).want(t, "revenue_yesterday", known("15"))
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "nothing new", 1)
	push(3)
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "another row", 2)
}

// TestPulseUpdatedByCharges charges an account's merchant, who pays late or not at all.
func TestPulseUpdatedByCharges(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC")
	r.sell(t, "2026-03-02 09:00", 500)
	r.wantPulses(t, "first sale", 1)
	charge := func(cents int) {
		t.Helper()
		r.post(t, "/api/v1/charges", map[string]any{"merchant_email": "m@example.com", "amount_cents": cents, "currency": "gbp", "description": "x"})
	}
	charge(300)
	charge(400)
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "two charges", 2)
	r.Exec(t, fmt.Sprintf(`UPDATE charges SET status = 'approved', approved_at = %d WHERE amount = 300`, r.Clock.Now().UnixMilli()))
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "one is paid", 3)
	r.Exec(t, fmt.Sprintf(`UPDATE charges SET expires_at = %d`, r.Clock.Now().UnixMilli()))
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "the other has expired", 4)
	r.Clock.Advance(15 * time.Minute)
	r.wantPulses(t, "nothing new", 4)
}

// TestPulseUpdatedByTheDay lets midnight come in the account's zone: the sale of today is
// one of yesterday then.
func TestPulseUpdatedByTheDay(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "Pacific/Auckland") // 23:00 on 2 March
	r.sell(t, "2026-03-02 22:00", 500)
	r.wantPulses(t, "first sale", 1)
	r.Clock.Advance(59 * time.Minute)
	r.wantPulses(t, "23:59", 1)
	r.Clock.Advance(time.Minute)
	r.wantPulses(t, "midnight", 2)
	r.Clock.Advance(time.Hour)
	r.wantPulses(t, "01:00", 2)
}

package insight_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fairqueue"
	"svc/server/insight"
)

// Calls after each sale do not evaluate the rules each time; the sweep does.
func TestAlertsOfTheLastSecondsAreServed(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 1000)
	m.past(t, 20, usual...)
	scans := func() int { return m.Count(t, `SELECT lease FROM alert_scans`) }
	wants := func(when string, alerts, evaluations int) {
		t.Helper()
		if all := m.alertsNow(t); len(all) != alerts || scans() != evaluations {
			t.Errorf("%s: %d evaluations and %+v, want %d and %d", when, scans(), all, evaluations, alerts)
		}
	}
	wants("first call", 0, 1)
	m.setStock(t, "tea", 0)
	m.Clock.Advance(5*time.Second - time.Millisecond)
	wants("within 5 s", 0, 1)
	m.Clock.Advance(time.Millisecond)
	wants("after 5 s", 1, 2)
	m.Clock.Advance(time.Hour)
	wants("nothing has changed", 1, 2)
	m.sell(t, 0, usual...)
	m.Sweep(t)
	wants("after a sweep", 1, 3)
	m.sell(t, 0, usual...)
	m.Clock.Advance(-time.Minute) // it was ahead
	wants("after the clock was set", 1, 4)
}

// An evaluation waits for a slot of the queue of heavy work.
func TestEvaluationTakesItsTurn(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 0)
	m.past(t, 20, usual...)
	var owner db.Account
	dbtest.View(t, m.Store, func(tx *db.Tx) (err error) {
		owner, err = tx.Account(m.account)
		return err
	})
	full := insight.New(insight.Config{Store: m.Store, Clock: m.Clock.Now, Queue: fairqueue.New(0)})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := full.Alerts(ctx, owner)
		done <- err
	}()
	for range 100 { // time enough for an evaluation that does not wait
		m.Query(t, `SELECT count(*) FROM sales`)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Alerts without a free slot returned %v", err)
	}
	if n := m.Count(t, `SELECT count(*) FROM alert_scans`); n != 0 {
		t.Errorf("%d claims", n)
	}
}

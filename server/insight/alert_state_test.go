package insight_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// A shop without rows has no alert, and an account sees only its own.
func TestAlertsAreOfTheOwnShop(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	if all := m.alerts(t); len(all) != 0 {
		t.Errorf("an empty shop: %+v", all)
	}
	m.item(t, "tea", 0)
	m.past(t, 20, usual...)
	m.expect(t, "stock_out", "firing", 1)

	m.Account(t, "other@example.com", "business", 0)
	key, secret := m.Key(t, "other@example.com", db.Live, db.AccountMode)
	other := *m
	other.account, other.key = key.AccountID, secret
	if all := other.alerts(t); len(all) != 0 {
		t.Errorf("another account sees %+v", all)
	}
	other.item(t, "rum", 3)
	if all := other.alerts(t); len(all) != 1 || all[0].Kind != "low_stock" {
		t.Errorf("a shop without sales: %+v", all)
	}

	_, generic := m.Key(t, marketEmail, db.Live, db.GenericMode)
	_, test := m.Key(t, marketEmail, db.Test, db.AccountMode)
	for _, path := range []string{"/alerts", "/api/v1/alerts"} {
		m.Call(t, "GET", path, nil, servertest.WithKey(generic)).Expect(t, 403, "mode_forbidden")
		m.Call(t, "GET", path, nil).Expect(t, 401, "invalid_key")
		a, b := m.Call(t, "GET", path, nil, servertest.WithKey(m.key)), m.Call(t, "GET", path, nil, servertest.WithKey(test))
		a.Expect(t, 200, "")
		if string(a.Body) != string(b.Body) {
			t.Errorf("a test key gets %s, a live one %s", b.Body, a.Body)
		}
	}
}

// The rules run without a call, too: the event does not wait for one.
func TestSweepEvaluatesChangedShops(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 0)
	m.past(t, 20, usual...)
	m.Sweep(t)
	events := func() int { return m.Count(t, `SELECT count(*) FROM events WHERE kind = 'alert.triggered'`) }
	if events() != 1 {
		t.Fatalf("%d events", events())
	}
	seen := m.Query(t, `SELECT lease FROM alert_scans`)
	m.Sweep(t)
	if again := m.Query(t, `SELECT lease FROM alert_scans`); !slices.Equal(again, seen) {
		t.Errorf("an unchanged shop was evaluated again: lease %v, before %v", again, seen)
	}
	m.Clock.Advance(24 * time.Hour)
	m.Sweep(t)
	if again := m.Query(t, `SELECT lease FROM alert_scans`); slices.Equal(again, seen) || events() != 1 {
		t.Errorf("the next day: lease %v, %d events", again, events())
	}
	if body := m.Query(t, `SELECT body ->> '$.data.title' FROM events WHERE kind = 'alert.triggered'`); !slices.Equal(body, []string{m.alert(t, "stock_out").Title}) {
		t.Errorf("the event says %q", body)
	}
}

// Of two processes that find the same at the same time, one begins the alert.
func TestTwoProcessesBeginAnAlertOnce(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 100)
	m.past(t, 20, usual...)
	second := servertest.Open(t, m.Path, m.Clock)
	for n := range 5 {
		m.setStock(t, "tea", 0)
		m.Clock.Advance(time.Minute)
		var wait sync.WaitGroup
		for i := range 8 {
			app := []*servertest.Server{m.Server, second}[i%2]
			wait.Go(func() {
				owner, err := db.Read(context.Background(), app.Store, func(tx *db.Tx) (db.Account, error) { return tx.Account(m.account) })
				if err == nil {
					_, err = app.App.Insights.Alerts(context.Background(), owner)
				}
				if err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		m.expect(t, "stock_out", "firing", n+1)
		m.setStock(t, "tea", 100_000)
		m.expect(t, "stock_out", "resolved", n+1)
	}
	if n := m.Count(t, `SELECT count(*) FROM alerts`); n != 5 {
		t.Errorf("%d alerts", n)
	}
}

// A process that dies with the claim does not keep another from evaluating after its lease,
// and what it finds late is dropped.
func TestClaimOfADeadProcess(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 0)
	m.past(t, 20, usual...)
	var dead db.AlertScan
	dbtest.Update(t, m.Store, func(tx *db.Tx) (err error) {
		dead, err = tx.ClaimAlertScan(m.account)
		return err
	})
	m.expect(t, "stock_out", "", 0)
	m.Clock.Advance(5 * time.Minute)
	m.expect(t, "stock_out", "firing", 1)
	err := m.Store.Update(context.Background(), func(tx *db.Tx) error { return tx.StoreAlerts(dead, "late", nil) })
	if err == nil {
		t.Error("the late findings were stored")
	}
	m.expect(t, "stock_out", "firing", 1)
}

// A figure that wobbles between the two bounds changes nothing.
func TestWobbleBetweenTheBounds(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 100_000)
	m.item(t, "jam", 1000)
	for n := range 3 {
		m.order(t, fmt.Sprint("P", n), "jam", 1, 30+n, 25+n) // five days
	}
	m.past(t, 28, append([]lot{{name: "jam", pieces: 2}}, usual...)...)
	rate := float64(m.Count(t, `SELECT sum(quantity_milli) FROM sale_lines WHERE name = 'jam' AND sale_id IN
(SELECT id FROM sales WHERE sold_local >= '2026-02-03')`)) / 28
	r := rand.New(rand.NewPCG(1, 2))
	between := func() int64 { return int64(rate * 5 * (1.01 + 0.48*r.Float64())) }
	step := func(milli int64, status string, events int) alert {
		m.setStock(t, "jam", milli)
		m.Clock.Advance(time.Minute)
		return m.expect(t, "days_of_cover", status, events)
	}
	for range 20 {
		step(between(), "", 0)
	}
	first := step(int64(rate*5*0.99), "firing", 1)
	for range 20 {
		if a := step(between(), "firing", 1); a.ID != first.ID {
			t.Fatalf("another alert: %+v", a)
		}
	}
	step(int64(rate*5*1.51), "resolved", 1)
	for range 20 {
		step(between(), "resolved", 1)
	}
	if again := step(int64(rate*5*0.99), "firing", 2); again.ID == first.ID {
		t.Error("a new alert has the old id")
	}
}

// Many products make one alert, whose evidence is cut; its rows are those of the tables.
func TestOneAlertForManyProducts(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for n := range 25 {
		name := fmt.Sprintf("item %02d", n)
		m.item(t, name, 0)
		m.past(t, 5, lot{name: name, pieces: int64(n + 1)})
	}
	a := m.expect(t, "stock_out", "firing", 1)
	if a.Title != "25 products are out of stock" || a.Evidence.Total != 25 || len(a.Evidence.Rows) != 20 || a.Evidence.Currency != "gbp" {
		t.Fatalf("%s", a.raw)
	}
	want := m.Query(t, `
SELECT l.name || ' ' || (sum(l.quantity_milli) / 5000) || ' ' || (sum(l.amount) / 500) || ' ' || (i.stock_milli / 1000) || ' ' || substr(max(s.sold_local), 1, 10)
FROM sale_lines l JOIN sales s ON s.id = l.sale_id JOIN items i ON i.id = l.item_id GROUP BY l.name ORDER BY sum(l.amount) DESC LIMIT 20`)
	var got []string
	for _, row := range a.Evidence.Rows {
		got = append(got, fmt.Sprint(row["product"], " ", row["sold_per_day"], " ", row["revenue_per_day"], " ", row["stock_qty"], " ", row["last_sold"]))
	}
	if !slices.Equal(got, want) {
		t.Errorf("evidence\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// An acknowledged alert stays so until it concerns something new; a snoozed one until its
// time is over. Neither makes another event.
func TestAcknowledge(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	m := newMarket(t)
	for _, name := range []string{"tea", "jam", "rum"} {
		m.item(t, name, 1000)
		m.past(t, 20, lot{name: name, pieces: 1})
	}
	m.setStock(t, "tea", 0)
	a := m.expect(t, "stock_out", "firing", 1)
	owner := dbtest.MustAccount(t, m.Store, "stranger@example.com", db.Free)
	if _, err := m.App.Insights.Acknowledge(ctx, owner, a.ID); err == nil || !strings.Contains(err.Error(), "no alert") {
		t.Errorf("another account acknowledges: %v", err)
	}
	owner.ID, owner.Profile = m.account, db.Profile{Currency: "gbp", Timezone: "UTC"}
	if _, err := m.App.Insights.Acknowledge(ctx, owner, a.ID); err != nil {
		t.Fatal(err)
	}
	m.expect(t, "stock_out", "acknowledged", 1)
	m.sell(t, 0, lot{name: "jam", pieces: 1})
	m.expect(t, "stock_out", "acknowledged", 1)
	m.setStock(t, "jam", 0)
	if now := m.expect(t, "stock_out", "firing", 1); now.ID != a.ID || now.Evidence.Total != 2 {
		t.Errorf("%s", now.raw)
	}

	if _, err := m.App.Insights.Snooze(ctx, owner, a.ID, -time.Hour); err == nil {
		t.Error("a snooze of less than nothing")
	}
	if _, err := m.App.Insights.Snooze(ctx, owner, a.ID, time.Hour); err != nil {
		t.Fatal(err)
	}
	m.setStock(t, "rum", 0)
	if now := m.expect(t, "stock_out", "acknowledged", 1); now.Evidence.Total != 3 {
		t.Errorf("%s", now.raw)
	}
	m.Clock.Advance(time.Hour)
	m.expect(t, "stock_out", "firing", 1)
	for _, name := range []string{"tea", "jam", "rum"} {
		m.setStock(t, name, 50_000)
	}
	m.expect(t, "stock_out", "resolved", 1)
	if _, err := m.App.Insights.Acknowledge(ctx, owner, a.ID); err == nil || !strings.Contains(err.Error(), "is resolved") {
		t.Errorf("a resolved alert is acknowledged: %v", err)
	}
	m.Clock.Advance(31 * 24 * time.Hour)
	m.expect(t, "stock_out", "", 1)
}

// A week that is as weak as it was a year ago is no fall.
func TestSeasonExcusesAFall(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	for excused, days := range map[bool]int{false: 100, true: 440} {
		m := newMarket(t)
		m.item(t, "tea", 100_000)
		for n := days; n > 0; n-- {
			lots := usual
			if n <= 7 || n > 364 && n <= 371 {
				lots = usual[:2]
			}
			m.sell(t, n, lots...)
		}
		want := map[bool]string{false: "firing", true: ""}[excused]
		if a := m.alert(t, "sales_drop"); a.Status != want {
			t.Errorf("after %d days: %+v", days, a)
		}
	}
}

// The nightly scan lists who is silent for longer than the 95th percentile of their own
// gaps (K8), once a night in the account's zone, whatever number of processes runs it.
func TestChurnScan(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.Exec(t, `UPDATE accounts SET timezone = 'America/New_York'`)
	m.item(t, "tea", 100_000)
	for n := range 21 { // gaps of one day, and one of ten
		m.sell(t, 12+n, lot{name: "tea", pieces: 1, customer: "daily"})
	}
	for n := range 4 {
		m.sell(t, 12+10*n, lot{name: "tea", pieces: 1, customer: "silent"}, lot{name: "tea", pieces: 1, customer: "silent"})
		m.sell(t, 10+10*n, lot{name: "tea", pieces: 1, customer: "due"})
	}
	for n := range 3 {
		m.sell(t, 40+n, lot{name: "tea", pieces: 1, customer: "new"})
	}
	m.sell(t, 50, lot{name: "tea", pieces: 1, customer: "daily"})
	m.past(t, 60, usual...)
	second := servertest.Open(t, m.Path, m.Clock)
	sweep := func() {
		var wait sync.WaitGroup
		for _, s := range []*servertest.Server{m.Server, second, m.Server, second} {
			wait.Go(func() {
				if err := s.App.Insights.SweepChurn(context.Background()); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
	}
	scans := func() []string {
		return m.Query(t, `SELECT (body ->> '$.data.customers') || ' ' || (body ->> '$.data.customer_count') || ' ' || coalesce((
SELECT group_concat((value ->> '$.customer_id') || ' ' || (value ->> '$.silent_days') || ' ' || (value ->> '$.limit_days') || ' ' || (value ->> '$.purchases'), ', ')
FROM json_each(body, '$.data.silent')), '') FROM events WHERE kind = 'churn.scan.completed' ORDER BY seq`)
	}
	sweep() // 05:00 there
	first := "3 2 daily 12 1 22, silent 12 10 4"
	if got := scans(); len(got) != 1 || got[0] != first {
		t.Fatalf("%q, want %q", got, first)
	}
	m.Clock.Advance(20 * time.Hour) // 01:00 of the next day
	sweep()
	if got := scans(); len(got) != 1 {
		t.Fatalf("before the hour: %q", got)
	}
	m.Clock.Advance(time.Hour)
	sweep()
	sweep()
	if got := scans(); len(got) != 2 || !strings.HasPrefix(got[1], "3 3 ") {
		t.Fatalf("the next night: %q", got)
	}
}

package insight_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/servertest"
)

// market is an appliance with a shop whose days are made by the test.
type market struct {
	*servertest.Server
	account, key string
	items        map[string]db.Item
	sales        int
}

const marketEmail = "market@example.com"

func newMarket(t testing.TB) *market {
	t.Helper()
	s := servertest.New(t)
	s.Account(t, marketEmail, "business", 0)
	key, secret := s.Key(t, marketEmail, db.Live, db.AccountMode)
	s.Exec(t, `UPDATE accounts SET currency = 'gbp', timezone = 'UTC'`)
	return &market{Server: s, account: key.AccountID, key: secret, items: map[string]db.Item{}}
}

// item adds a product that sells for £10 and costs £6.
func (m *market) item(t testing.TB, name string, stock int64) db.Item {
	t.Helper()
	i := dbtest.MustItem(t, m.Store, m.account, db.ItemChange{
		Name: name, SKU: strings.ToUpper(name), Price: new(int64(1000)), CostPrice: new(int64(600)), StockMilli: new(stock * 1000),
	})
	m.items[name] = i
	return i
}

// lot is a sale of one product. Its price and cost are the item's unless they are set.
type lot struct {
	name        string
	pieces      int64
	price, cost int64
	customer    string
	status      db.SaleStatus
}

// sell records sales of a day, as far back from today.
func (m *market) sell(t testing.TB, daysAgo int, lots ...lot) {
	t.Helper()
	dbtest.Update(t, m.Store, func(tx *db.Tx) error { return m.put(tx, daysAgo, lots) })
}

// past records the same sales on each of the days before today.
func (m *market) past(t testing.TB, days int, lots ...lot) {
	t.Helper()
	dbtest.Update(t, m.Store, func(tx *db.Tx) error {
		for n := days; n > 0; n-- {
			if err := m.put(tx, n, lots); err != nil {
				return err
			}
		}
		return nil
	})
}

func (m *market) put(tx *db.Tx, daysAgo int, lots []lot) error {
	for _, l := range lots {
		m.sales++
		i, line := m.items[l.name], db.SaleLine{Name: l.name, QuantityMilli: l.pieces * 1000, Price: 1000, CostPrice: new(int64(600))}
		line.ItemID, line.SKU = i.ID, i.SKU
		if l.price > 0 {
			line.Price = l.price
		}
		if l.cost > 0 {
			line.CostPrice = &l.cost
		}
		_, _, err := tx.PutSale(db.Sale{
			AccountID: m.account, ExternalID: fmt.Sprintf("S%06d", m.sales), Currency: "gbp", Customer: l.customer, Status: l.status,
			SoldAt: m.Clock.Now().AddDate(0, 0, -daysAgo), Lines: []db.SaleLine{line},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// goOn records the same sales on each of the next days, of which the last ends.
func (m *market) goOn(t testing.TB, days int, lots ...lot) {
	t.Helper()
	for range days {
		m.sell(t, 0, lots...)
		m.Clock.Advance(24 * time.Hour)
	}
}

func (m *market) order(t testing.TB, id, item string, pieces int64, orderedAgo, receivedAgo int) {
	t.Helper()
	o := db.PurchaseOrder{
		AccountID: m.account, ExternalID: id, Supplier: "Hill", OrderedAt: m.Clock.Now().AddDate(0, 0, -orderedAgo),
		Lines: []db.PurchaseLine{{ItemID: m.items[item].ID, Name: item, QuantityMilli: pieces * 1000, CostPrice: 600}},
	}
	if receivedAgo >= 0 {
		o.ReceivedAt = m.Clock.Now().AddDate(0, 0, -receivedAgo)
	}
	dbtest.Update(t, m.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutPurchaseOrder(o)
		return err
	})
}

func (m *market) setStock(t testing.TB, name string, milli int64) {
	t.Helper()
	dbtest.MustItem(t, m.Store, m.account, db.ItemChange{Name: name, SKU: m.items[name].SKU, StockMilli: &milli})
}

type alert struct {
	ID, Kind, Verdict, Status, Title, Detail string
	Evidence                                 struct {
		Currency string
		Total    int
		Rows     []map[string]any
	}
	FirstSeen time.Time `json:"first_seen"`
	LastSeen  time.Time `json:"last_seen"`
	raw       string
}

// alerts calls GET /alerts a minute later, when the stored ones may be too old.
func (m *market) alerts(t testing.TB) []alert {
	t.Helper()
	m.Clock.Advance(time.Minute)
	return m.alertsNow(t)
}

// alertsNow calls GET /alerts.
func (m *market) alertsNow(t testing.TB) []alert {
	t.Helper()
	a := m.Call(t, "GET", "/alerts", nil, servertest.WithKey(m.key))
	a.Expect(t, 200, "")
	var body struct{ Alerts []json.RawMessage }
	if err := json.Unmarshal(a.Body, &body); err != nil || body.Alerts == nil {
		t.Fatalf("%v: %s", err, a.Body)
	}
	var all []alert
	for _, raw := range body.Alerts {
		one := alert{raw: string(raw)}
		if err := json.Unmarshal(raw, &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	return all
}

// alert returns the newest alert of a kind; its Status is empty if there is none.
func (m *market) alert(t testing.TB, kind string) alert {
	t.Helper()
	all := m.alerts(t)
	if n := slices.IndexFunc(all, func(a alert) bool { return a.Kind == kind }); n >= 0 {
		return all[n]
	}
	return alert{}
}

// expect checks the status of the alert of a kind, and how many events it has made.
func (m *market) expect(t testing.TB, kind, status string, events int) alert {
	t.Helper()
	a := m.alert(t, kind)
	if a.Status != status {
		t.Fatalf("%s is %q, want %q: %+v", kind, a.Status, status, m.alerts(t))
	}
	n := m.Count(t, fmt.Sprintf(`SELECT count(*) FROM events WHERE kind = 'alert.triggered' AND body ->> '$.data.kind' = '%s'`, kind))
	if n != events {
		t.Fatalf("%d events of %s, want %d", n, kind, events)
	}
	return a
}

// usual is a shop that sells four pieces of tea a day in four sales and has no alert.
var usual = []lot{{name: "tea", pieces: 1}, {name: "tea", pieces: 1}, {name: "tea", pieces: 1}, {name: "tea", pieces: 1}}

func times(n int, l lot) (all []lot) {
	for range n {
		all = append(all, l)
	}
	return all
}

// scene makes the alert of a kind fire, and resolves it.
type scene struct {
	kind, verdict string
	quiet         func(testing.TB, *market) // a usual shop, with what comes close to the bound
	fire          func(testing.TB, *market)
	band          func(testing.TB, *market) // back between the bounds; nil: the rule has a fact for a bound
	resolve       func(testing.TB, *market)
	figures       []string // SELECTs of texts that the alert has
}

var scenes = []scene{
	{
		kind: "stock_out", verdict: "problem",
		quiet: func(t testing.TB, m *market) {
			m.item(t, "jam", 100)
			m.past(t, 10, lot{name: "jam", pieces: 2})
		},
		fire:    func(t testing.TB, m *market) { m.setStock(t, "jam", 0) },
		band:    func(t testing.TB, m *market) { m.setStock(t, "jam", 1000) },
		resolve: func(t testing.TB, m *market) { m.setStock(t, "jam", 20_000) },
		figures: []string{
			`SELECT name || ' is out of stock' FROM items WHERE stock_milli <= 0`,
			`SELECT 'sold ' || (sum(l.quantity_milli) / 1000 / count(DISTINCT substr(s.sold_local, 1, 10))) || ' a day, worth £' ||
printf('%.2f', sum(l.amount) / 100.0 / count(DISTINCT substr(s.sold_local, 1, 10)))
FROM sale_lines l JOIN sales s ON s.id = l.sale_id WHERE l.name = 'jam'`,
		},
	},
	{
		kind: "days_of_cover", verdict: "act",
		quiet: func(t testing.TB, m *market) {
			m.item(t, "jam", 1000)
			for n := range 3 {
				m.order(t, fmt.Sprint("P", n), "jam", 1, 30+n, 25+n) // five days
			}
			m.past(t, 27, lot{name: "jam", pieces: 2})
			m.setStock(t, "jam", 12_000)
		},
		fire:    func(t testing.TB, m *market) { m.setStock(t, "jam", 8_000) },
		band:    func(t testing.TB, m *market) { m.setStock(t, "jam", 11_000) },
		resolve: func(t testing.TB, m *market) { m.order(t, "P9", "jam", 40, 0, -1) },
		figures: []string{
			`SELECT 'jam will run out in ' || round(8.0 / (sum(quantity_milli) / 1000.0 / 28), 1) || ' days' FROM sale_lines WHERE name = 'jam'`,
			`SELECT 'takes ' || CAST(avg(julianday(substr(received_local, 1, 10)) - julianday(substr(ordered_local, 1, 10))) AS INTEGER) || ' days to arrive'
FROM purchase_orders WHERE status = 'received'`,
		},
	},
	{
		kind: "low_stock", verdict: "act",
		quiet:   func(t testing.TB, m *market) { m.item(t, "urn", 6) }, // it never sold
		fire:    func(t testing.TB, m *market) { m.setStock(t, "urn", 5000) },
		resolve: func(t testing.TB, m *market) { m.setStock(t, "urn", 5500) },
		figures: []string{
			`SELECT name || ' is at or below the reorder point' FROM items WHERE stock_milli <= 5000`,
			`SELECT name || ': ' || (stock_milli / 1000) || ' in stock, nothing is on order, and the reorder point is 5.' FROM items WHERE stock_milli <= 5000`,
		},
	},
	{
		kind: "sales_drop", verdict: "act",
		quiet: func(t testing.TB, m *market) {},
		fire: func(t testing.TB, m *market) {
			m.goOn(t, 2, usual...)
			m.goOn(t, 5, usual[:2]...)
		},
		resolve: func(t testing.TB, m *market) { m.goOn(t, 7, usual...) },
		figures: []string{
			`SELECT '£' || printf('%.2f', sum(amount) / 100.0) || ' in the 7 days' FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE substr(sold_local, 1, 10) BETWEEN '2026-03-02' AND '2026-03-08'`,
			`SELECT 'against £' || printf('%.2f', sum(amount) / 800.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE substr(sold_local, 1, 10) BETWEEN '2026-01-05' AND '2026-03-01'`,
			`SELECT 'Sales are down ' || round(100 - 100 * sum(amount) FILTER (WHERE sold_local >= '2026-03-02') /
(sum(amount) FILTER (WHERE sold_local < '2026-03-02') / 8.0), 1) || ' %' FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE substr(sold_local, 1, 10) BETWEEN '2026-01-05' AND '2026-03-08'`,
		},
	},
	{
		kind: "margin_drop", verdict: "act",
		quiet:   func(t testing.TB, m *market) { m.goOn(t, 1, times(4, lot{name: "tea", pieces: 1, cost: 650})...) },
		fire:    func(t testing.TB, m *market) { m.goOn(t, 12, times(4, lot{name: "tea", pieces: 1, cost: 750})...) },
		resolve: func(t testing.TB, m *market) { m.goOn(t, 27, usual...) },
		figures: []string{
			`SELECT 'to ' || round(100.0 * sum(amount - cost) / sum(amount), 1) || ' %' FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE sold_local >= '2026-02-16'`,
			`SELECT 'against ' || CAST(100.0 * sum(amount - cost) / sum(amount) AS INTEGER) || ' %' FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE sold_local >= '2025-11-24' AND sold_local < '2026-02-16'`,
			`SELECT 'tea: £' || printf('%.2f', (sum(cost) - 0.6 * sum(amount)) / 100.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE sold_local >= '2026-02-16'`,
		},
	},
	{
		kind: "sold_below_cost", verdict: "problem",
		quiet:   func(t testing.TB, m *market) { m.sell(t, 0, times(4, lot{name: "fig", pieces: 1, price: 500})...) },
		fire:    func(t testing.TB, m *market) { m.sell(t, 0, lot{name: "fig", pieces: 1, price: 500}) },
		band:    func(t testing.TB, m *market) { m.sell(t, 0, lot{name: "fig", pieces: 2, price: 860}) },
		resolve: func(t testing.TB, m *market) { m.sell(t, 0, lot{name: "fig", pieces: 2}) },
		figures: []string{
			`SELECT 'brought £' || printf('%.2f', sum(amount) / 100.0) || ' in ' || count(*) || ' sales' FROM sale_lines WHERE name = 'fig'`,
			`SELECT 'a margin of ' || CAST(100 * sum(amount - cost) / sum(amount) AS INTEGER) || ' %' FROM sale_lines WHERE name = 'fig'`,
		},
	},
	{
		kind: "dead_stock", verdict: "watch",
		quiet: func(t testing.TB, m *market) {
			m.item(t, "urn", 5)
			m.item(t, "jar", 100)
			m.setStock(t, "tea", 40_000)
			m.setStock(t, "jar", 0)
			m.Clock.Advance(-89 * 24 * time.Hour)
			m.sell(t, 0, lot{name: "urn", pieces: 1})
			m.Clock.Advance(89 * 24 * time.Hour)
			m.setStock(t, "urn", 5_000)
			m.Exec(t, `UPDATE items SET created_at = created_at - 200 * 86400000`)
		},
		fire:    func(t testing.TB, m *market) { m.goOn(t, 2, usual...); m.setStock(t, "tea", 40_000) },
		band:    func(t testing.TB, m *market) { m.setStock(t, "tea", 50_000) },
		resolve: func(t testing.TB, m *market) { m.sell(t, 0, lot{name: "urn", pieces: 1}) },
		figures: []string{
			`SELECT '£' || printf('%.2f', stock_milli * cost_price / 100000.0) || ' of stock has not sold' FROM items WHERE name = 'urn'`,
			`SELECT round(100.0 * max(stock_milli) FILTER (WHERE name = 'urn') / sum(stock_milli), 1) || ' %' FROM items`,
		},
	},
	{
		kind: "refund_spike", verdict: "act",
		quiet: func(t testing.TB, m *market) { m.sell(t, 3, times(3, lot{name: "tea", pieces: -1})...) },
		fire: func(t testing.TB, m *market) {
			m.sell(t, 2, lot{name: "tea", pieces: 1, status: db.Cancelled}, lot{name: "tea", pieces: 1, status: db.Refunded})
		},
		band: func(t testing.TB, m *market) {
			m.sell(t, 1, times(16, lot{name: "tea", pieces: 1})...)
		},
		resolve: func(t testing.TB, m *market) { m.sell(t, 1, times(60, lot{name: "tea", pieces: 1})...) },
		figures: []string{
			`SELECT '£' || printf('%.2f', sum(abs(amount)) / 100.0) || ' in ' || count(*) || ' refunds'
FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE amount < 0 OR status = 'refunded'`,
			`SELECT 'Refunds are ' || printf('%g', round(100.0 * sum(abs(amount)) FILTER (WHERE amount < 0 OR status = 'refunded') / sum(amount) FILTER (WHERE amount > 0), 1)) || ' %'
FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE status <> 'cancelled' AND sold_local >= '2026-02-16' AND sold_local < '2026-03-02'`,
		},
	},
	{
		kind: "purchase_order_late", verdict: "act",
		quiet: func(t testing.TB, m *market) {
			for n := range 3 {
				m.order(t, fmt.Sprint("P", n), "tea", 1, 50+n, 46+n) // four days
			}
			m.order(t, "P8", "tea", 7, 6, -1)
		},
		fire:    func(t testing.TB, m *market) { m.goOn(t, 1, usual...) },
		resolve: func(t testing.TB, m *market) { m.order(t, "P8", "tea", 7, 7, 0) },
		figures: []string{
			`SELECT 'Purchase order ' || external_id || ' from ' || supplier || ' is late' FROM purchase_orders WHERE status = 'ordered'`,
			`SELECT CAST(julianday('2026-03-03') - julianday(substr(ordered_local, 1, 10)) AS INTEGER) || ' days ago' FROM purchase_orders WHERE status = 'ordered'`,
			`SELECT '£' || printf('%.2f', sum(l.amount) / 100.0) FROM purchase_order_lines l WHERE l.purchase_order_id =
(SELECT id FROM purchase_orders WHERE status = 'ordered')`,
		},
	},
	{
		kind: "customer_churn", verdict: "watch",
		quiet: func(t testing.TB, m *market) {
			for n := range 5 {
				m.sell(t, 27+10*n, lot{name: "tea", pieces: 3, customer: "C1"})
			}
			for n := range 3 {
				m.sell(t, 60+10*n, lot{name: "tea", pieces: 3, customer: "C2"}) // too few to tell
			}
			m.Clock.Advance(-10 * 24 * time.Hour)
		},
		fire:    func(t testing.TB, m *market) { m.Clock.Advance(10 * 24 * time.Hour) },
		resolve: func(t testing.TB, m *market) { m.sell(t, 0, lot{name: "tea", pieces: 1, customer: "C1"}) },
		figures: []string{
			`SELECT customer || ' has not bought for ' || CAST(julianday('2026-03-02') - julianday(substr(max(sold_local), 1, 10)) AS INTEGER) || ' days'
FROM sales WHERE customer = 'C1'`,
			`SELECT 'spent £' || printf('%.2f', sum(amount) / 100.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE customer = 'C1'`,
		},
	},
	{
		kind: "data_stale", verdict: "watch",
		quiet:   func(t testing.TB, m *market) { m.Clock.Advance(24 * time.Hour) },
		fire:    func(t testing.TB, m *market) { m.Clock.Advance(24 * time.Hour) },
		resolve: func(t testing.TB, m *market) { m.sell(t, 0, usual...) },
		figures: []string{
			`SELECT 'No sale has been recorded for ' || CAST(julianday('2026-03-04') - julianday(substr(max(sold_local), 1, 10)) AS INTEGER) || ' days' FROM sales`,
		},
	},
}

// Each kind fires once, on the figures of the shop, and resolves.
func TestEachKindFiresAndResolves(t *testing.T) {
	t.Parallel()
	for _, c := range scenes {
		t.Run(c.kind, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t)
			m.item(t, "tea", 100_000)
			m.past(t, 130, usual...)
			c.quiet(t, m)
			m.expect(t, c.kind, "", 0)

			c.fire(t, m)
			first := m.expect(t, c.kind, "firing", 1)
			if first.Verdict != c.verdict || len(first.Evidence.Rows) == 0 || first.Evidence.Total < len(first.Evidence.Rows) {
				t.Errorf("%+v", first)
			}
			for _, statement := range c.figures {
				if want := m.Query(t, statement); len(want) != 1 || len(want[0]) < 4 || !strings.Contains(first.Title+" "+first.Detail, want[0]) {
					t.Errorf("%q is not in %q, %q", want, first.Title, first.Detail)
				}
			}
			if again := m.expect(t, c.kind, "firing", 1); again.ID != first.ID || !again.FirstSeen.Equal(first.FirstSeen) {
				t.Errorf("%+v, before %+v", again, first)
			}
			if c.band != nil {
				c.band(t, m)
				if still := m.expect(t, c.kind, "firing", 1); still.ID != first.ID {
					t.Errorf("another alert: %+v", still)
				}
			}

			c.resolve(t, m)
			if gone := m.expect(t, c.kind, "resolved", 1); gone.ID != first.ID {
				t.Errorf("%+v, before %+v", gone, first)
			}
		})
	}
}

package insight_test

import (
	"context"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// BenchmarkEvaluate measures the rules over 100,000 sales of 18 months with 1,000 products
// and 2,000 customers, and the time of a plain sum over the lines of all sales.
func BenchmarkEvaluate(b *testing.B) {
	m := newMarket(b)
	m.item(b, "tea", 100)
	for _, statement := range []string{
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
INSERT INTO items (account_id, id, name, sku, price, cost_price, stock_milli, unit, category, version, created_at)
SELECT '` + m.account + `', 'item_' || i, 'product ' || i, 'P' || i, 1000, 600, 5000, '', '', 10 + i, 0 FROM n`,
		`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
INSERT INTO sales (account_id, id, external_id, customer, currency, sold_at, sold_local, created_at)
SELECT '` + m.account + `', 'sale_' || i, 's' || i, CASE WHEN i % 3 = 0 THEN 'c' || (i * 7919 % 2000) ELSE '' END, 'gbp', 0,
  datetime('2026-03-02 10:00:00', '-' || (i * 548 / 100000) || ' days'), 0 FROM n`,
		`INSERT INTO sale_lines (account_id, sale_id, line, item_id, name, sku, quantity_milli, price, discount, amount, cost_price, cost, moved_milli)
SELECT account_id, sales.id, line.value, 'item_' || (1 + abs(substr(sales.id, 6) * 31 + line.value * 17) % 1000), 'product', '', 1000, 1000, 0, 1000, 600, 600, 0
FROM sales, json_each('[1,2]') line`,
		`INSERT INTO shops VALUES ('` + m.account + `', 1)`,
	} {
		m.Exec(b, statement)
	}
	owner, err := db.Read(context.Background(), m.Store, func(tx *db.Tx) (db.Account, error) { return tx.Account(m.account) })
	if err != nil {
		b.Fatal(err)
	}
	evaluate := func() {
		m.Exec(b, `UPDATE shops SET version = version + 1`)
		if _, err := m.App.Insights.Alerts(context.Background(), owner); err != nil {
			b.Fatal(err)
		}
	}
	evaluate()
	var rules, scan time.Duration
	for b.Loop() {
		began := time.Now()
		evaluate()
		rules += time.Since(began)
		began = time.Now()
		plainScan(b, m.Server)
		scan += time.Since(began)
	}
	b.ReportMetric(float64(rules.Milliseconds())/float64(b.N), "ms/evaluation")
	b.ReportMetric(float64(rules)/float64(scan), "scans")
	b.Logf("%d alerts", len(m.alerts(b)))
}

func plainScan(b *testing.B, s *servertest.Server) {
	_, err := s.Store.Query(context.Background(), 1, `SELECT sum(l.amount) FROM sales s JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id`)
	if err != nil {
		b.Fatal(err)
	}
}

package insight_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"svc/server/servertest"
)

// The demo's shop has alerts of the loss and of the late order that it was given, and of what has
// come down to its reorder point. Their figures are those of its rows.
func TestDemoAlerts(t *testing.T) {
	servertest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	demo, err := s.App.FillDemo(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	m := &market{Server: s, key: string(demo.LiveKey)}
	all := m.alerts(t)
	var kinds []string
	for _, a := range all {
		kinds = append(kinds, a.Kind)
	}
	if want := []string{"sold_below_cost", "purchase_order_late", "low_stock"}; !slices.Equal(kinds, want) {
		t.Fatalf("%v, want %v", kinds, want)
	}
	if !strings.Contains(all[0].Detail, " sells at £32.00 and costs £33.80.") || strings.Contains(all[0].Detail, "inventory") {
		t.Errorf("the cost of the sales is not that of the inventory: %s", all[0].Detail)
	}
	for n, statement := range []string{
		`SELECT l.name || ' brought £' || printf('%.2f', sum(l.amount) / 100.0) || ' in ' || count(DISTINCT s.id) || ' sales in the 28 days to 2 March 2026 and cost £' ||
printf('%.2f', sum(l.cost) / 100.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE s.sold_local >= '2026-02-03' GROUP BY l.item_id HAVING sum(l.amount) < sum(l.cost)`,
		`SELECT 'Order ' || p.external_id || ' from ' || p.supplier || ', of £' || printf('%.2f', sum(l.amount) / 100.0) || ', was placed on 14 February 2026, ' ||
CAST(julianday('2026-03-02') - julianday(substr(p.ordered_local, 1, 10)) AS INTEGER) || ' days ago'
FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id WHERE p.status = 'ordered' GROUP BY p.id ORDER BY p.ordered_at LIMIT 1`,
		`SELECT name || ': ' || (stock_milli / 1000) || ' in stock, ' FROM items WHERE stock_milli <= coalesce(reorder_milli, 5000)`,
	} {
		if want := m.Query(t, statement); len(want) != 1 || !strings.HasPrefix(all[n].Detail, want[0]) {
			t.Errorf("%q, want %q", all[n].Detail, want)
		}
	}
}

// A product's cost by its sales may be another than the inventory's: the alert says whose it tells.
func TestBelowCostTellsWhoseCost(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "fig", 50)
	m.sell(t, 0, times(5, lot{name: "fig", pieces: 1, price: 500})...)
	if a := m.alert(t, "sold_below_cost"); !strings.HasSuffix(a.Detail, " On average it sells at £5.00 and costs £6.00.") {
		t.Errorf("with the same cost: %s", a.Detail)
	}
	m.Exec(t, `UPDATE items SET cost_price = 350 WHERE name = 'fig'`)
	m.sell(t, 0, lot{name: "fig", pieces: 1, price: 500})
	if a := m.alert(t, "sold_below_cost"); !strings.HasSuffix(a.Detail, " costs £6.00 by its sales; the inventory has a cost of £3.50.") {
		t.Errorf("with another cost: %s", a.Detail)
	}
}

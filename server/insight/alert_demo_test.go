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

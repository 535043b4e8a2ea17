package insight_test

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// The largest stock and the largest cost that are accepted make a value that no int64 holds.
func TestStockWorthMoreThanAnInt64(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	m.item(t, "tea", 100)
	dbtest.MustItem(t, m.Store, m.account, db.ItemChange{
		Name: "urn", SKU: "URN", CostPrice: new(int64(1_000_000_000_000)), StockMilli: new(int64(1_000_000_000_000)),
	})
	m.Exec(t, `UPDATE items SET created_at = created_at - 200 * 86400000`)
	m.past(t, 95, lot{name: "tea", pieces: 1})
	const worth = "10,000,000,000,000,000,0"
	a := m.expect(t, "dead_stock", "firing", 1)
	if want := "£10,000,000,000,000,000,000.00 of stock has not sold in 90 days"; a.Title != want || !strings.Contains(a.Detail, ": 100 % of the £"+worth) {
		t.Errorf("%s\n%s", a.Title, a.Detail)
	}
	if !strings.Contains(a.raw, `"value":10000000000000000000`) {
		t.Errorf("evidence: %s", a.raw)
	}

	r := &reader{Server: m.Server, key: m.key}
	value := r.pulse(t).card("stock_value").Value.String() // a sum of floating-point numbers
	if f, err := strconv.ParseFloat(value, 64); err != nil || math.Abs(f-1e19) > 1e7 {
		t.Errorf("the stock is worth %s", value)
	}
	if text := r.brief(t).text("Stock"); !strings.Contains(strings.ReplaceAll(text, ",", ""), "£"+value) {
		t.Errorf("brief: %s; pulse: %s", text, value)
	}
}

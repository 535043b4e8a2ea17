package push_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
)

// model is what pushes make of a shop, computed in the plainest way.
type model struct {
	stock    map[string]int64            // by SKU, in thousandths
	moved    map[string]map[string]int64 // by record, the moves by SKU
	amounts  map[string]int64            // by sale that counts
	said     map[string]string           // by record, its content
	news     int                         // sales that are announced
	received map[string]bool             // orders that are announced
}

// modelRecord is a record with its effect.
type modelRecord struct {
	key    string
	record object
	moves  map[string]int64
	sets   map[string]int64
	amount int64
}

// apply applies a record and returns its outcome.
func (m *model) apply(r modelRecord) db.Outcome {
	content := fmt.Sprint(r.record)
	before, isKnown := m.said[r.key]
	if isKnown && before == content {
		return db.Unchanged
	}
	m.said[r.key] = content
	for sku, milli := range m.moved[r.key] {
		m.stock[sku] -= milli
	}
	m.moved[r.key] = r.moves
	for sku, milli := range r.moves {
		m.stock[sku] += milli
	}
	for sku, milli := range r.sets {
		m.stock[sku] = milli
	}
	if r.record["type"] == "sale" {
		m.amounts[r.key] = r.amount
		if !isKnown && r.record["status"] == "completed" {
			m.news++
		}
	}
	if r.record["status"] == "received" {
		m.received[r.key] = true
	}
	if isKnown || r.record["type"] == "product" {
		return db.Updated // all products are in the inventory from the start
	}
	return db.Inserted
}

func randomRecord(r *rand.Rand, s *shop, skus []string) modelRecord {
	sku := skus[r.IntN(len(skus))]
	milli := int64(1+r.IntN(40)) * 250
	id := fmt.Sprint(r.IntN(8))
	const at = "2026-03-02T09:00:00Z" // so that some records are repeats
	out := modelRecord{moves: map[string]int64{}, sets: map[string]int64{}}
	switch r.IntN(5) {
	case 0:
		out.key = "product " + sku
		out.record = object{"type": "product", "external_id": "p-" + sku, "sku": sku, "stock_qty": float64(milli) / 1000}
		out.sets[sku] = milli
	case 1:
		out.key = "order " + id
		status := []string{"ordered", "received"}[r.IntN(2)]
		out.record = object{"type": "purchase_order", "external_id": id, "status": status, "supplier": "Hill", "ordered_at": at,
			"items": []object{{"sku": sku, "quantity": float64(milli) / 1000, "cost_price": 1}}}
		if status == "received" {
			out.moves[sku] = milli
		}
	default:
		out.key = "sale " + id
		status := []string{"completed", "completed", "completed", "refunded", "cancelled"}[r.IntN(5)]
		if r.IntN(6) == 0 {
			milli = -milli
		}
		out.record = s.sale(id, object{"sku": sku, "quantity": float64(milli) / 1000, "price": 4}, object{"sku": "unknown", "quantity": 1, "price": 3})
		out.record["status"], out.record["occurred_at"] = status, at
		if status == "completed" {
			out.moves[sku] = -milli
			out.amount = milli*400/1000 + 300
		}
	}
	return out
}

// TestPushModel compares random pushes with a plain model of stock, totals and events.
func TestPushModel(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.SetStock(s.tea, 7_000) })
	items := map[string]string{"C": s.coffee.ID, "T": s.tea.ID}
	m := &model{
		stock: map[string]int64{"C": 20_000, "T": 7_000}, moved: map[string]map[string]int64{}, amounts: map[string]int64{},
		said: map[string]string{}, received: map[string]bool{},
	}
	r := rand.New(rand.NewPCG(13, 3))
	for step := range 120 {
		var records []any
		var batch []modelRecord
		for range 1 + r.IntN(6) {
			one := randomRecord(r, s, []string{"C", "T"})
			batch, records = append(batch, one), append(records, one.record)
		}
		want := map[db.Outcome]int{}
		for i, one := range batch {
			isReplaced := false
			for _, later := range batch[i+1:] {
				isReplaced = isReplaced || later.key == one.key
			}
			if isReplaced {
				want[db.Unchanged]++
			} else {
				want[m.apply(one)]++
			}
		}
		got := s.push(records...)
		if got.Inserted != want[db.Inserted] || got.Updated != want[db.Updated] || got.Unchanged != want[db.Unchanged] {
			t.Fatalf("step %d: %s, want %v: %v", step, got, want, records)
		}
		for sku, id := range items {
			if stock := s.stock(id); stock != m.stock[sku] {
				t.Fatalf("step %d: the stock of %s is %d, want %d: %v", step, sku, stock, m.stock[sku], records)
			}
		}
		s.Clock.Advance(3 * time.Second)
	}
	s.wantTotals(m)
}

// wantTotals compares revenue and events with the model.
func (s *shop) wantTotals(m *model) {
	s.t.Helper()
	var want int64
	for _, amount := range m.amounts {
		want += amount
	}
	found, err := s.Store.Query(s.t.Context(), 1, "SELECT sum(revenue) FROM shop_sales WHERE account_id = $1 AND status = 'completed'", s.id)
	if err != nil {
		s.t.Fatal(err)
	}
	if got := found.Rows[0][0]; got != want {
		s.t.Errorf("revenue %v, want %d", got, want)
	}
	kinds := map[event.Kind]int{}
	for _, e := range s.events() {
		kinds[e.Kind]++
	}
	if kinds[event.SaleCreated] != m.news || kinds[event.PurchaseOrderReceived] != len(m.received) || kinds[event.SyncCompleted] != 120 || kinds[event.StockLow] > 2 {
		s.t.Errorf("events %v, want %d sales, %d orders, 120 syncs and at most 2 low stocks", kinds, m.news, len(m.received))
	}
}

package push_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/dataset"
	"svc/server/servertest"
)

const path = "/api/v1/data/push"

// shop is an appliance with a shop in London that sells coffee and tea.
type shop struct {
	*servertest.Server
	t       *testing.T
	id, key string
	test    string // a test key
	generic string
	coffee  db.Item // SKU C, barcode 9521234500018, stock 20, reorder point 8
	tea     db.Item // SKU T, stock unknown
}

func newShop(t *testing.T, change ...func(*server.Config)) *shop {
	t.Helper()
	s := &shop{Server: servertest.New(t, change...), t: t}
	email := s.Account(t, "shop@example.com", string(db.Business), 0)
	var key db.Key
	key, s.key = s.Key(t, email, db.Live, db.AccountMode)
	s.id = key.AccountID
	_, s.test = s.Key(t, email, db.Test, db.AccountMode)
	_, s.generic = s.Key(t, email, db.Live, db.GenericMode)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		return tx.SetProfile(s.id, db.Profile{BizType: "retail", Currency: "gbp", Timezone: "Europe/London"})
	})
	s.coffee = dbtest.MustItem(t, s.Store, s.id, db.ItemChange{
		Name: "Ground Coffee", SKU: "C", Barcodes: []string{"9521234500018"}, Aliases: []string{"house blend"},
		Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(20_000)), ReorderMilli: new(int64(8_000)),
	})
	s.tea = dbtest.MustItem(t, s.Store, s.id, db.ItemChange{Name: "Tea", SKU: "T"})
	return s
}

// object is a record, or a part of one.
type object = map[string]any

// now returns a time so long ago as records write it.
func (s *shop) now(ago time.Duration) string {
	return s.Clock.Now().Add(-ago).UTC().Format(time.RFC3339)
}

// sale returns a record of a sale of an hour ago.
func (s *shop) sale(id string, items ...object) object {
	return object{"type": "sale", "external_id": id, "occurred_at": s.now(time.Hour), "items": items}
}

func coffees(n float64) object { return object{"sku": "C", "quantity": n, "price": 4.5} }

// push pushes records, and fails the test unless the answer is a 200.
func (s *shop) push(records ...any) outcome {
	s.t.Helper()
	answer := s.Call(s.t, http.MethodPost, path, object{"records": append([]any{}, records...)}, servertest.WithKey(s.key))
	if answer.Status != http.StatusOK {
		s.t.Fatalf("push: %d %s", answer.Status, answer.Body)
	}
	return s.outcome(answer)
}

// outcome is the answer of a push.
type outcome struct {
	SyncID                                           string `json:"sync_id"`
	Received, Inserted, Updated, Unchanged, Rejected int
	Warnings                                         []struct {
		Index          int
		Field, Warning string
	}
	Errors []struct {
		Index        int
		Field, Error string
	}
}

func (s *shop) outcome(answer servertest.Answer) (o outcome) {
	s.t.Helper()
	if err := json.Unmarshal(answer.Body, &o); err != nil {
		s.t.Fatal(err)
	}
	return o
}

func (o outcome) String() string {
	text := fmt.Sprintf("%d received, %d inserted, %d updated, %d unchanged, %d rejected", o.Received, o.Inserted, o.Updated, o.Unchanged, o.Rejected)
	for _, e := range o.Errors {
		text += fmt.Sprintf("; %d %s: %s", e.Index, e.Field, e.Error)
	}
	return text
}

func (s *shop) wants(got outcome, want string) {
	s.t.Helper()
	if got.String() != want {
		s.t.Errorf("outcome: %s\nwant:    %s", got, want)
	}
}

// stock returns the stock of an item, and checks that it is the sum of its moves.
func (s *shop) stock(id string) (milli int64) {
	s.t.Helper()
	dbtest.View(s.t, s.Store, func(tx *db.Tx) error {
		item, err := tx.Item(s.id, id)
		if err != nil || item.StockMilli == nil {
			return err
		}
		milli = *item.StockMilli
		faults, err := tx.StockFaults(s.id)
		if len(faults) > 0 {
			s.t.Errorf("stock faults: %v", faults)
		}
		return err
	})
	return milli
}

func (s *shop) wantStock(milli int64) {
	s.t.Helper()
	if got := s.stock(s.coffee.ID); got != milli {
		s.t.Errorf("the stock is %d, want %d", got, milli)
	}
}

// events lists the kinds of the account's events.
func (s *shop) events() (all []db.Event) {
	s.t.Helper()
	dbtest.View(s.t, s.Store, func(tx *db.Tx) (err error) {
		all, err = tx.Events(s.id, 0, 1000)
		return err
	})
	return all
}

func (s *shop) wantEvents(want ...event.Kind) {
	s.t.Helper()
	var kinds []event.Kind
	for _, e := range s.events() {
		kinds = append(kinds, e.Kind)
	}
	if fmt.Sprint(kinds) != fmt.Sprint(want) {
		s.t.Errorf("events %v, want %v", kinds, want)
	}
}

// stored returns a stored sale.
func (s *shop) stored(id string) (sale db.Sale) {
	s.t.Helper()
	dbtest.View(s.t, s.Store, func(tx *db.Tx) (err error) {
		sale, err = tx.Sale(s.id, id)
		return err
	})
	return sale
}

func TestPushSale(t *testing.T) {
	t.Parallel()
	t.Run("LowersStock", func(t *testing.T) {
		s := newShop(t)
		got := s.push(s.sale("s1", coffees(1.5), object{"barcode": "9521234500018", "quantity": 1, "price": 4.5, "discount": 0.45}, object{"product_id": s.coffee.ID, "quantity": 1, "price": 0}))
		s.wants(got, "1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
		if !strings.HasPrefix(got.SyncID, "sync_") {
			t.Errorf("sync_id %q", got.SyncID)
		}
		s.wantStock(16_500)
		sale := s.stored("s1")
		if len(sale.Lines) != 3 || sale.Lines[1].Discount != 45 || *sale.Lines[1].CostPrice != 270 || sale.Lines[1].Name != "Ground Coffee" || sale.Currency != "gbp" {
			t.Errorf("%+v", sale)
		}
	})

	t.Run("RepeatIsUnchanged", func(t *testing.T) {
		s := newShop(t)
		record := s.sale("s1", coffees(2))
		s.push(record)
		s.wants(s.push(record), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wantStock(18_000)
		s.wantEvents(event.SaleCreated, event.SyncCompleted, event.SyncCompleted)
	})

	t.Run("RepeatIsUnchangedOnceItsProductIsKnown", func(t *testing.T) {
		s := newShop(t)
		record := s.sale("s1", object{"sku": "NEW", "quantity": 2, "price": 1})
		s.push(record, object{"type": "product", "external_id": "p", "sku": "NEW", "name": "New", "stock_qty": 9})
		s.wants(s.push(record), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
	})

	t.Run("CorrectionMovesDifference", func(t *testing.T) {
		s := newShop(t)
		s.push(s.sale("s1", coffees(2)))
		s.wants(s.push(s.sale("s1", coffees(5))), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
		s.wantStock(15_000)
		s.wantEvents(event.SaleCreated, event.SyncCompleted, event.SyncCompleted)
	})

	t.Run("LastOfOnePushWins", func(t *testing.T) {
		s := newShop(t)
		s.wants(s.push(s.sale("s1", coffees(2)), s.sale("s2", coffees(1)), s.sale("s1", coffees(4))), "3 received, 2 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wantStock(15_000)
	})

	t.Run("WithoutIDIsKnownByItsContent", func(t *testing.T) {
		s := newShop(t)
		at := s.now(time.Hour)
		first := fmt.Sprintf(`{"records":[{"type":"sale","occurred_at":%q,"items":[{"sku":"C","quantity":2,"price":4.50}]}]}`, at)
		same := fmt.Sprintf(`{"records":[{"items":[{"price":45e-1,"quantity":2.0,"sku":"\u0043"}], "occurred_at":%q,"type":"sale"}]}`, at)
		s.Call(t, http.MethodPost, path, first, servertest.WithKey(s.key))
		s.wants(s.outcome(s.Call(t, http.MethodPost, path, same, servertest.WithKey(s.key))), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wantStock(18_000)
	})

	t.Run("OfUnknownProductKeepsItsName", func(t *testing.T) {
		s := newShop(t)
		s.push(s.sale("s1", object{"sku": "X9", "name": "A  chat", "quantity": 1, "price": 5}, object{"product_id": "item_nope", "quantity": 1, "price": 5}, object{"sku": "T", "quantity": 3, "price": 2}))
		sale := s.stored("s1")
		if l := sale.Lines[0]; l.ItemID != "" || l.Name != "A chat" || l.SKU != "X9" {
			t.Errorf("%+v", l)
		}
		if l := sale.Lines[1]; l.ItemID != "" || l.Name != "item_nope" {
			t.Errorf("%+v", l)
		}
		if l := sale.Lines[2]; l.ItemID != s.tea.ID {
			t.Errorf("%+v", l)
		}
		s.wantStock(20_000)
	})

	t.Run("IsInTheShopsTime", func(t *testing.T) {
		s := newShop(t)
		for i, at := range []string{"2025-07-01T23:30:00Z", "2025-07-02T00:30:00", "2025-07-02 00:30:00+01:00", "2025-07-02t01:30:00.000+02:00"} {
			id := fmt.Sprint("s", i)
			record := s.sale(id, coffees(1))
			record["occurred_at"] = at
			s.push(record)
			if got := s.stored(id).SoldAt.Format(time.RFC3339); got != "2025-07-02T00:30:00+01:00" {
				t.Errorf("%s is %s", at, got)
			}
		}
	})

	t.Run("OfTestKeyIsReal", func(t *testing.T) {
		s := newShop(t)
		s.key = s.test
		s.push(s.sale("s1", coffees(2)))
		s.wantStock(18_000)
		for _, e := range s.events() {
			if !e.TestMode || !strings.Contains(string(e.Body), `"test_mode":true`) {
				t.Errorf("%s", e.Body)
			}
		}
		s.wantEvents(event.SaleCreated, event.SyncCompleted)
	})
}

// A discount may be the whole amount of its line, as that is rounded.
func TestPushDiscountOfAll(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	line := func(quantity, discount float64) object {
		return object{"name": "Nuts", "quantity": quantity, "price": 0.1, "discount": discount}
	}
	s.wants(s.push(s.sale("s1", line(0.24, 0.02), line(0.25, 0.03), line(-0.25, 0.03))), "1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
	found, err := s.Store.Query(t.Context(), 3, "SELECT revenue FROM shop_sales WHERE account_id = $1", s.id)
	if got := fmt.Sprint(found.Rows); err != nil || got != "[[0] [0] [0]]" {
		t.Errorf("amounts %s, %v", got, err)
	}
}

// Refunded and cancelled sales give their stock back (I4).
func TestPushRefund(t *testing.T) {
	t.Parallel()
	for _, status := range []string{"refunded", "cancelled"} {
		t.Run(status, func(t *testing.T) {
			s := newShop(t)
			record := s.sale("s1", coffees(5))
			s.push(record)
			s.wantStock(15_000)
			record["status"] = status
			s.wants(s.push(record), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
			s.wantStock(20_000)
			record["status"] = "completed"
			s.push(record)
			s.wantStock(15_000)
			fresh := s.sale("s2", coffees(5))
			fresh["status"] = status
			s.push(fresh)
			s.wantStock(15_000)
			s.wantEvents(event.SaleCreated, event.SyncCompleted, event.SyncCompleted, event.SyncCompleted, event.SyncCompleted)
		})
	}

	t.Run("ReturnRaisesStock", func(t *testing.T) {
		s := newShop(t)
		s.push(s.sale("s1", coffees(5)), s.sale("r1", object{"sku": "C", "quantity": -2, "price": 4.5, "discount": 0.9}))
		s.wantStock(17_000)
		if l := s.stored("r1").Lines[0]; l.QuantityMilli != -2000 || l.Discount != -90 {
			t.Errorf("%+v", l)
		}
	})
}

func TestPushProduct(t *testing.T) {
	t.Parallel()
	product := func(id string, fields object) object {
		record := object{"type": "product", "external_id": id}
		for name, value := range fields {
			record[name] = value
		}
		return record
	}
	t.Run("IsAdded", func(t *testing.T) {
		s := newShop(t)
		s.wants(s.push(product("p1", object{"name": "Oat Milk", "sku": "O", "barcodes": []string{"9521234500032"}, "price": 2.2, "cost_price": 1.35, "stock_qty": 12.5, "unit": "carton", "reorder_point": 3, "category": "Milk"})),
			"1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
		dbtest.View(t, s.Store, func(tx *db.Tx) error {
			i, err := tx.ItemByBarcode(s.id, "9521234500032")
			if i.Name != "Oat Milk" || i.SKU != "O" || *i.Price != 220 || *i.CostPrice != 135 || *i.StockMilli != 12_500 || i.Unit != "carton" || *i.ReorderMilli != 3_000 || i.Category != "Milk" {
				t.Errorf("%+v", i)
			}
			return err
		})
		s.wantEvents(event.SyncCompleted)
	})

	t.Run("SetsStock", func(t *testing.T) {
		s := newShop(t)
		record := product("p1", object{"sku": "C", "stock_qty": 30})
		s.wants(s.push(record), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
		s.wantStock(30_000)
		s.push(s.sale("s1", coffees(4)))
		s.wants(s.push(record), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wantStock(26_000)
		record["counted_at"] = s.now(0)
		s.push(record)
		s.wantStock(30_000)
	})

	t.Run("WithoutIDIsComparedWithTheLast", func(t *testing.T) {
		s := newShop(t)
		a, b := object{"type": "product", "sku": "C", "stock_qty": 10}, object{"type": "product", "sku": "C", "stock_qty": 12}
		s.push(a)
		s.push(a)
		s.push(b)
		s.wants(s.push(a), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
		s.wantStock(10_000)
	})

	t.Run("IsKnownByItsID", func(t *testing.T) {
		s := newShop(t)
		s.push(product("p1", object{"sku": "C"}))
		s.wants(s.push(product("p1", object{"sku": "C-2", "name": "Better Coffee"}), s.sale("s1", object{"product_id": "p1", "quantity": 1, "price": 1})), "2 received, 1 inserted, 1 updated, 0 unchanged, 0 rejected")
		s.wantStock(19_000)
		if l := s.stored("s1").Lines[0]; l.Name != "Better Coffee" || l.SKU != "C-2" {
			t.Errorf("%+v", l)
		}
	})

	t.Run("Conflicts", func(t *testing.T) {
		s := newShop(t)
		s.push(product("p1", object{"sku": "C"}))
		got := s.push(product("p2", object{"sku": "C"}), product("p1", object{"sku": "T"}), product("p3", object{"sku": "T", "barcodes": []string{"9521234500018"}}), product("p4", object{"sku": "new"}), product("p5", object{"name": "ok"}))
		s.wants(got, "5 received, 1 inserted, 0 updated, 0 unchanged, 4 rejected"+
			"; 0 external_id: the product of this SKU, barcode or name was pushed under another external_id"+
			"; 1 sku: the SKU, the barcodes or the name belong to other products of the inventory"+
			"; 2 sku: the SKU, the barcodes or the name belong to other products of the inventory"+
			"; 3 name: is required, since the inventory does not know the product")
	})

	t.Run("ComesBackAfterRemoval", func(t *testing.T) {
		s := newShop(t)
		record := product("p1", object{"sku": "C", "name": "Coffee"})
		s.push(record)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.RemoveItem(s.coffee) })
		s.wants(s.push(record), "1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
	})
}

func TestPushPurchaseOrder(t *testing.T) {
	t.Parallel()
	order := func(s *shop, status string) object {
		return object{"type": "purchase_order", "external_id": "po1", "status": status, "supplier": "Hill", "ordered_at": s.now(72 * time.Hour),
			"items": []object{{"sku": "C", "quantity": 6, "cost_price": 2.7}}}
	}
	t.Run("RaisesStockWhenReceived", func(t *testing.T) {
		s := newShop(t)
		s.push(order(s, "ordered"))
		s.wantStock(20_000)
		received := order(s, "received")
		s.push(received)
		s.wantStock(26_000)
		s.Clock.Advance(time.Hour)
		s.wants(s.push(received), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
		received["note"] = "the time of receipt stays"
		s.wants(s.push(received), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wantStock(26_000)
		s.wantEvents(event.SyncCompleted, event.PurchaseOrderReceived, event.SyncCompleted, event.SyncCompleted, event.SyncCompleted)
		s.push(order(s, "ordered"))
		s.wantStock(20_000)
		s.push(order(s, "received"))
		if n := len(s.events()); n != 7 {
			t.Errorf("%d events: one order was announced twice", n)
		}
	})

	t.Run("OfThePastIsNoNews", func(t *testing.T) {
		s := newShop(t)
		record := order(s, "received")
		record["received_at"] = s.now(49 * time.Hour)
		s.push(record)
		s.wantStock(26_000)
		s.wantEvents(event.SyncCompleted)
	})
}

func TestPushCustomer(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	record := object{"type": "customer", "external_id": "c1", "name": "Ann", "email": "ann@example.com", "phone": nil}
	s.wants(s.push(record), "1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
	s.wants(s.push(record), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
	record["region"] = "Hackney"
	s.wants(s.push(record), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
	record["age"] = 7
	s.wants(s.push(record), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
}

// sale.created is emitted for sales that are stored for the first time and are not older
// than 48 hours (K8).
func TestPushAnnouncesNewSales(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	old, young := s.sale("old", coffees(1)), s.sale("young", coffees(1))
	old["occurred_at"], young["occurred_at"] = s.now(48*time.Hour+time.Second), s.now(48*time.Hour)
	young["customer_id"] = "c1"
	s.push(old, young)
	all := s.events()
	if len(all) != 2 || all[0].Kind != event.SaleCreated {
		t.Fatalf("%d events", len(all))
	}
	var body struct{ Data event.Sale }
	if err := json.Unmarshal(all[0].Body, &body); err != nil {
		t.Fatal(err)
	}
	if d := body.Data; d.ExternalID != "young" || d.Total != 450 || *d.CustomerID != "c1" || *d.Items[0].ProductID != s.coffee.ID || d.Items[0].Quantity != 1 {
		t.Errorf("%s", all[0].Body)
	}
	var sync struct{ Data event.Sync }
	if err := json.Unmarshal(all[1].Body, &sync); err != nil {
		t.Fatal(err)
	}
	if d := sync.Data; d.Source != "push" || d.Received != 2 || d.Inserted != 2 || d.Rejected != 0 {
		t.Errorf("%s", all[1].Body)
	}
}

// stock.low is emitted when stock goes from above to at or below the reorder point, at most
// once a day for an item (K8).
func TestPushAnnouncesLowStock(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	low := func() (n int) {
		for _, e := range s.events() {
			if e.Kind == event.StockLow {
				n++
			}
		}
		return n
	}
	for i, step := range []struct {
		record any
		want   int
	}{
		{s.sale("s1", coffees(11)), 0}, // 9
		{s.sale("s2", coffees(1)), 1},  // 8 is the point
		{s.sale("s3", coffees(1)), 1},  // further below
		{object{"type": "product", "external_id": "p", "sku": "C", "stock_qty": 20}, 1}, // above
		{s.sale("s4", coffees(20)), 1}, // the second of the day
	} {
		if s.push(step.record); low() != step.want {
			t.Fatalf("step %d: %d events, want %d", i, low(), step.want)
		}
	}
	s.Clock.Advance(24 * time.Hour)
	s.push(object{"type": "product", "external_id": "p", "sku": "C", "stock_qty": 21})
	s.push(object{"type": "product", "external_id": "p", "sku": "C", "stock_qty": 6, "reorder_point": 6})
	if low() != 2 {
		t.Errorf("%d events, want the second a day later", low())
	}
	s.push(object{"type": "product", "external_id": "q", "name": "Jam", "stock_qty": 3}) // never was above
	s.push(object{"type": "product", "external_id": "r", "name": "Bun", "stock_qty": 6})
	s.push(s.sale("s5", object{"name": "bun", "quantity": 1, "price": 1})) // 5 is the point of items without one
	if low() != 3 {
		t.Errorf("%d events, want the one of the bun", low())
	}
	s.Clock.Advance(-365 * 24 * time.Hour) // it was ahead
	s.push(object{"type": "product", "external_id": "r", "name": "Bun", "stock_qty": 7}, object{"type": "product", "external_id": "r", "name": "Bun", "stock_qty": 6, "counted_at": "now"})
	s.push(s.sale("s6", object{"name": "bun", "quantity": 2, "price": 1}))
	if low() != 4 {
		t.Errorf("%d events, want another once the clock is set back", low())
	}
}

func TestPushRefuses(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	good := func() object { return s.sale("s1", coffees(1)) }
	with := func(record object, field string, value any) object {
		if value == nil {
			delete(record, field)
		} else {
			record[field] = value
		}
		return record
	}
	item := func(fields ...any) object {
		line := coffees(1)
		for i := 0; i < len(fields); i += 2 {
			with(line, fields[i].(string), fields[i+1])
		}
		return with(good(), "items", []object{line})
	}
	order := func() object {
		return object{"type": "purchase_order", "status": "ordered", "supplier": "Hill", "ordered_at": s.now(0), "items": []object{{"sku": "C", "quantity": 1, "cost_price": 1}}}
	}
	product := object{"type": "product", "name": "Jam"}
	clone := func(o object) object {
		c := object{}
		for name, value := range o {
			c[name] = value
		}
		return c
	}
	for _, row := range []struct {
		record      any
		field, says string
	}{
		{7, "record", "must be an object of valid JSON"},
		{nil, "record", "must be an object of valid JSON"},
		{[]any{}, "record", "must be an object of valid JSON"},
		{object{"type": "refund"}, "type", "must be sale, product, customer or purchase_order, or be left out for rows of your own"},
		{object{"type": 5}, "type", "must be a string"},
		{with(good(), "external_id", 5), "external_id", "must be a string"},
		{with(good(), "external_id", " "), "external_id", "must not be blank"},
		{with(good(), "external_id", strings.Repeat("x", 201)), "external_id", "must be at most 200 characters, not 201"},
		{with(good(), "occurred_at", nil), "occurred_at", "is required"},
		{with(good(), "occurred_at", "yesterday"), "occurred_at", "must be a time of RFC 3339, like 2026-03-01T14:05:00Z, or a day, like 2026-03-01"},
		{with(good(), "occurred_at", 1767225600), "occurred_at", "must be a string"},
		{with(good(), "occurred_at", "1970-01-01T00:00:00Z"), "occurred_at", "must not be before the year 2000"},
		{with(good(), "occurred_at", s.now(-25*time.Hour)), "occurred_at", "must not be more than 24 hours ahead"},
		{with(good(), "occurred_at", "2026-02-30T10:00:00Z"), "occurred_at", "must be a time of RFC 3339, like 2026-03-01T14:05:00Z, or a day, like 2026-03-01"},
		{with(good(), "currency", "zzz"), "currency", "must be an ISO 4217 code, like gbp"},
		{with(good(), "status", "lost"), "status", "must be completed, refunded or cancelled"},
		{with(good(), "items", nil), "items", "is required"},
		{with(good(), "items", []object{}), "items", "must not be empty"},
		{with(good(), "items", "C"), "items", "must be an array of objects"},
		{with(good(), "items", []any{1}), "items[0]", "must be an object"},
		{with(good(), "items", []object{coffees(1), {"quantity": 1, "price": 1}}), "items[1].name", "is required without a sku, a barcode and a product_id"},
		{item("quantity", nil), "items[0].quantity", "is required"},
		{item("quantity", 0), "items[0].quantity", "must not be 0"},
		{item("quantity", "1"), "items[0].quantity", "must be a number"},
		{item("quantity", 0.0001), "items[0].quantity", "must have at most 3 decimals"},
		{item("quantity", 1e10), "items[0].quantity", "is out of range"},
		{item("price", nil), "items[0].price", "is required"},
		{item("price", -1), "items[0].price", "must not be negative"},
		{item("price", 4.555), "items[0].price", "must have at most 2 decimals"},
		{item("price", json.Number("1e400")), "items[0].price", "is out of range"},
		{item("price", json.Number("1e-999999999999")), "items[0].price", "is out of range"},
		{item("price", json.Number("0.12345678901234567890")), "items[0].price", "is out of range"},
		{item("price", 9e9, "quantity", 9e8), "items[0].price", "times the quantity is out of range"},
		{item("cost_price", 9e9, "quantity", 9e8), "items[0].cost_price", "times the quantity is out of range"},
		{item("discount", 4.51), "items[0].discount", "must not exceed the price times the quantity"},
		{item("discount", 0.03, "price", 0.1, "quantity", 0.24), "items[0].discount", "must not exceed the price times the quantity"}, // 0.024, which is 0.02
		{item("discount", 0.03, "price", 0.1, "quantity", -0.24), "items[0].discount", "must not exceed the price times the quantity"},
		{item("discount", -1), "items[0].discount", "must not be negative"},
		{with(good(), "customer_id", 5), "customer_id", "must be a string"},
		{with(order(), "status", nil), "status", "is required"},
		{with(order(), "status", "lost"), "status", "must be ordered or received"},
		{with(order(), "supplier", nil), "supplier", "is required"},
		{with(order(), "ordered_at", nil), "ordered_at", "is required"},
		{with(order(), "received_at", s.now(0)), "received_at", "must be absent unless the status is received"},
		{with(with(order(), "status", "received"), "received_at", s.now(time.Hour)), "received_at", "must not be before ordered_at"},
		{with(order(), "items", []object{{"sku": "C", "quantity": -1, "cost_price": 1}}), "items[0].quantity", "must be above 0"},
		{with(order(), "items", []object{{"sku": "C", "quantity": 1}}), "items[0].cost_price", "is required"},
		{object{"type": "customer"}, "name", "is required"},
		{object{"type": "customer", "name": strings.Repeat("x", 501)}, "name", "must be at most 500 characters, not 501"},
		{object{"type": "product"}, "name", "is required"},
		{with(clone(product), "price", -0.01), "price", "must not be negative"},
		{with(clone(product), "price", "4.50"), "price", "must be a number"},
		{with(clone(product), "reorder_point", -1), "reorder_point", "must not be negative"},
		{with(clone(product), "stock_qty", true), "stock_qty", "must be a number"},
		{with(clone(product), "barcodes", "123"), "barcodes", "must be an array of strings"},
		{with(clone(product), "barcodes", []string{" "}), "barcodes", "must have from 1 to 100 characters each"},
	} {
		s.Clock.Advance(3 * time.Second) // 30 pushes a minute
		answer := s.Call(t, http.MethodPost, path, object{"records": []any{row.record}}, servertest.WithKey(s.key))
		o := s.outcome(servertest.Answer{Body: answer.Body[strings.Index(string(answer.Body), `{"error":`):]})
		if answer.Status != http.StatusBadRequest || len(o.Errors) != 1 || o.Errors[0].Field != row.field || o.Errors[0].Error != row.says {
			t.Errorf("%v: %d %s\nwant %s: %s", row.record, answer.Status, answer.Body, row.field, row.says)
		}
	}
	s.wantStock(20_000)
	s.wantEvents()
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		if _, err := tx.Sale(s.id, "s1"); err == nil {
			t.Error("a refused sale was stored")
		}
		return nil
	})
}

// One bad record does not keep the others out.
func TestPushStoresTheGoodRecords(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	bad := s.sale("bad", coffees(1))
	bad["occurred_at"] = "1970-01-01T00:00:00Z"
	s.wants(s.push(s.sale("s1", coffees(1)), bad, 5, s.sale("s2", coffees(1))), "4 received, 2 inserted, 0 updated, 0 unchanged, 2 rejected"+
		"; 1 occurred_at: must not be before the year 2000; 2 record: must be an object of valid JSON")
	s.wantStock(18_000)
}

func TestPushBody(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	for name, row := range map[string]struct {
		path, body, says string
		status           int
	}{
		"Missing":        {path, `{}`, "records: must be an array of objects", 400},
		"Null":           {path, `{"records":null}`, "records: must be an array of objects", 400},
		"NoArray":        {path, `{"records":{}}`, "records: must be an array of objects", 400},
		"NoJSON":         {path, `{"records":[`, "body: is not valid JSON", 400},
		"NotUTF8":        {path, "{\"records\":[{\"type\":\"\xff\"}]}", "records: is not valid UTF-8", 400},
		"TooMany":        {path, `{"records":[` + strings.Repeat("{},", 1000) + `{}]}`, "records: must have at most 1000 entries", 400},
		"TooLarge":       {path, `{"records":["` + strings.Repeat("x", 4<<20) + `"]}`, "body: must be at most 4 MiB", 400},
		"DryRun":         {path + "?dry_run=yes", `{"records":[]}`, "dry_run: must be 1 or 0", 400},
		"Empty":          {path, `{"records":[]}`, "", 200},
		"EmptyElsewhere": {"/data/push", `{"records":[]}`, "", 200},
	} {
		t.Run(name, func(t *testing.T) {
			answer := s.Call(t, http.MethodPost, row.path, row.body, servertest.WithKey(s.key))
			says, _ := answer.Field(t, "error").(string)
			if answer.Status != row.status || !strings.HasPrefix(says, row.says) {
				t.Errorf("%d %s", answer.Status, answer.Body)
			}
		})
	}
	if got := s.Call(t, http.MethodPost, path, `{"records":[]}`, servertest.WithKey(s.generic)); got.Status != http.StatusForbidden {
		t.Errorf("a generic key: %d %s", got.Status, got.Body)
	}
	s.wantEvents()
}

func TestPushDryRun(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	stored := s.sale("s1", coffees(1))
	s.push(stored)
	bad := s.sale("bad")
	changed := s.sale("s2", coffees(1))
	s.push(changed)
	changed = s.sale("s2", coffees(3))
	records := []any{stored, changed, bad, s.sale("s3", coffees(9)), object{"type": "product", "sku": "C", "stock_qty": 1}, object{"type": "product", "sku": "NEW"},
		object{"type": "customer", "external_id": "c", "name": "Ann"}}
	before := len(s.events())
	answer := s.Call(t, http.MethodPost, path+"?dry_run=1", object{"records": records}, servertest.WithKey(s.key))
	dry := s.outcome(answer)
	s.wantStock(18_000)
	if n := len(s.events()); n != before {
		t.Errorf("a dry run emitted %d events", n-before)
	}
	if real := s.push(records...); real.String() != dry.String() {
		t.Errorf("dry: %s\nreal: %s", dry, real)
	}
	s.wantStock(1_000)
}

// A push of another account neither sees nor changes this one's records.
func TestPushIsTheAccounts(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.push(s.sale("s1", coffees(1)))
	email := s.Account(t, "other@example.com", string(db.Business), 0)
	_, other := s.Key(t, email, db.Live, db.AccountMode)
	answer := s.Call(t, http.MethodPost, path, object{"records": []any{
		s.sale("s1", coffees(1)), s.sale("s2", object{"product_id": s.coffee.ID, "barcode": "9521234500018", "quantity": 1, "price": 1}),
		object{"type": "product", "external_id": "p", "sku": "C", "name": "Their coffee", "stock_qty": 1},
	}}, servertest.WithKey(other))
	s.wants(s.outcome(answer), "3 received, 3 inserted, 0 updated, 0 unchanged, 0 rejected")
	s.wantStock(19_000)
	s.wantEvents(event.SaleCreated, event.SyncCompleted)
}

// A push that was cut off after a part of its records is completed by the same push.
func TestPushCompletesAnInterruptedOne(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var records []any
	for i := range 200 {
		records = append(records, s.sale(fmt.Sprint("s", i), object{"sku": "C", "quantity": 0.01, "price": 1}))
	}
	s.push(records[:120]...)
	s.wants(s.push(records...), "200 received, 80 inserted, 0 updated, 120 unchanged, 0 rejected")
	s.wantStock(18_000)
}

// ask returns the answer to a question over the shop's data.
func (s *shop) ask(question string) string {
	s.t.Helper()
	s.Clock.Advance(time.Minute)
	answer := s.Call(s.t, http.MethodPost, "/api/v1/ask", object{"question": question}, servertest.WithKey(s.key))
	if answer.Status != http.StatusOK {
		s.t.Fatalf("%s: %d %s", question, answer.Status, answer.Body)
	}
	text, _ := answer.Field(s.t, "answer").(string)
	return text
}

// Answers over pushed sales are net of refunds and cancellations (I4).
func TestAskOverPushedSales(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	refunded, cancelled := s.sale("s2", coffees(2)), s.sale("s3", coffees(3))
	refunded["status"], cancelled["status"] = "refunded", "cancelled"
	s.push(object{"type": "customer", "external_id": "c1", "name": "Harbour Office"}, s.sale("s1", coffees(10)), refunded, cancelled, s.sale("s4", coffees(-1)))
	for question, want := range map[string]string{
		"what is our revenue?":             "£40.50",
		"gross revenue":                    "£67.50",
		"how much did we refund?":          "£13.50",
		"how many orders were cancelled?":  "1",
		"revenue of the cancelled orders?": "£13.50",
		"how many units did we sell?":      "9",
	} {
		if got := s.ask(question); !strings.Contains(got, want) {
			t.Errorf("%s\n%s\nwant %s", question, got, want)
		}
	}
}

// Records without a type are rows of a dataset, which ask reads.
func TestPushRows(t *testing.T) {
	t.Parallel()
	rows := func(from, to int) (all []any) {
		for n := from; n < to; n++ {
			all = append(all, object{"external_id": fmt.Sprint("r", n), "date": fmt.Sprintf("2026-02-%02d", n%28+1), "product": []string{"Rye", "Bun"}[n%2], "revenue": 1.125 * float64(1+n%2), "paid": true})
		}
		return all
	}
	t.Run("AreAsked", func(t *testing.T) {
		s := newShop(t)
		s.wants(s.push(rows(0, 40)...), "40 received, 40 inserted, 0 updated, 0 unchanged, 0 rejected")
		if got := s.ask("what is our revenue?"); !strings.Contains(got, "£67.50") {
			t.Error(got)
		}
		s.wants(s.push(rows(20, 60)...), "40 received, 20 inserted, 0 updated, 20 unchanged, 0 rejected")
		if got := s.ask("what is our revenue?"); !strings.Contains(got, "£101.25") {
			t.Error(got)
		}
		changed := rows(0, 1)[0].(object)
		changed["revenue"], changed["town"] = 100, "Leeds"
		s.wants(s.push(changed), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
		if got := s.ask("what is our revenue?"); !strings.Contains(got, "£200.13") && !strings.Contains(got, "£200.12") {
			t.Error(got)
		}
		if got := s.ask("revenue in Leeds"); !strings.Contains(got, "£100") {
			t.Error(got)
		}
		s.wantEvents(event.SyncCompleted, event.SyncCompleted, event.SyncCompleted)
	})

	t.Run("WithoutIDAreKnownByTheirContent", func(t *testing.T) {
		s := newShop(t)
		row := object{"date": "2026-02-01", "revenue": 5}
		s.wants(s.push(row, row, object{"revenue": 5, "date": "2026-02-02"}), "3 received, 2 inserted, 0 updated, 1 unchanged, 0 rejected")
		s.wants(s.push(row), "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected")
	})

	t.Run("DryRunStoresNone", func(t *testing.T) {
		s := newShop(t)
		answer := s.Call(t, http.MethodPost, path+"?dry_run=1", object{"records": rows(0, 5)}, servertest.WithKey(s.key))
		s.wants(s.outcome(answer), "5 received, 5 inserted, 0 updated, 0 unchanged, 0 rejected")
		s.wants(s.push(rows(0, 5)...), "5 received, 5 inserted, 0 updated, 0 unchanged, 0 rejected")
	})

	t.Run("Refused", func(t *testing.T) {
		s := newShop(t)
		many := object{}
		for n := range 101 {
			many[fmt.Sprint("f", n)] = n
		}
		s.wants(s.push(object{"a": 1}, object{}, object{"a": "", "b": nil}, object{"a": object{}}, object{"date": "1970-01-01"}, object{"occurred_at": "2027-05-01T00:00:00Z", "a": 1},
			object{" ": 1}, many, object{"a": 1, "b": strings.Repeat("x", 256<<10)}, object{"a": strings.Repeat("x", 2001)}, object{"born": "1969-05-01"}),
			"11 received, 2 inserted, 0 updated, 0 unchanged, 9 rejected; 1 record: must have a field with a value; 2 record: must have a field with a value"+
				"; 3 a: must be a text, a number, true, false or null; 4 date: must not be before the year 2000; 5 occurred_at: must not be more than 24 hours ahead"+
				"; 6 record: the name of a field must have from 1 to 100 characters; 7 record: must have at most 100 fields; 8 record: must be at most 256 KiB; 9 a: must be at most 2000 characters, not 2001")
	})

	t.Run("ThatAreNoTableLeaveTheDataset", func(t *testing.T) {
		s := newShop(t)
		s.push(object{"note": "hello"})
		s.ask("what is our revenue?")
		s.push(rows(0, 40)...)
		if got := s.ask("what is our revenue?"); !strings.Contains(got, "£67.50") {
			t.Error(got)
		}
	})
}

// The pushed dataset has a name of its own, is removed with its rows, and takes no file.
func TestPushedDataset(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	data := s.App.Datasets
	file := func(name string, mode dataset.Mode) dataset.File {
		text := "date,revenue\n2026-02-01,7\n2026-02-02,8\n"
		return dataset.File{Name: name, Content: strings.NewReader(text), Size: int64(len(text)), Mode: mode}
	}
	if _, _, err := data.Import(t.Context(), s.id, file("pushed.csv", dataset.Create)); err != nil {
		t.Fatal(err)
	}
	s.Clock.Advance(time.Minute)
	s.push(object{"date": "2026-02-01", "revenue": 5}, object{"date": "2026-02-03", "revenue": 6})
	names := func() (all []string) {
		list, err := data.List(t.Context(), s.id)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			all = append(all, fmt.Sprint(d.Name, " ", d.Rows))
		}
		return all
	}
	if got := fmt.Sprint(names()); got != "[pushed 2 2 pushed 2]" {
		t.Errorf("datasets %s", got)
	}
	for _, mode := range []dataset.Mode{dataset.Add, dataset.Replace} {
		if _, _, err := data.Import(t.Context(), s.id, file("pushed 2.csv", mode)); err == nil || !strings.Contains(err.Error(), "has the rows of POST /data/push") {
			t.Errorf("mode %d: %v", mode, err)
		}
	}
	if _, err := data.Remove(t.Context(), s.id, "pushed 2"); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(names()); got != "[pushed 2]" {
		t.Errorf("datasets after the removal %s", got)
	}
	s.wants(s.push(object{"date": "2026-02-01", "revenue": 5}), "1 received, 1 inserted, 0 updated, 0 unchanged, 0 rejected")
	s.Clock.Advance(time.Minute)
	if _, _, err := data.Import(t.Context(), s.id, file("later.csv", dataset.Create)); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(names()); got != "[later 2 pushed 2 1 pushed 2]" {
		t.Errorf("a file that was imported after the push must come first: %s", got)
	}
	s.wantEvents(event.SyncCompleted, event.SyncCompleted, event.SyncCompleted, event.SyncCompleted)
}

package db_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// saleFixture is a shop with one item in stock and one of unknown stock.
type saleFixture struct {
	testing.TB
	store         *db.DB
	shop          string
	coffee, tea   db.Item
	london, paris *time.Location
}

func newSaleFixture(t *testing.T) *saleFixture {
	s := &saleFixture{TB: t, store: dbtest.Open(t, dbtest.NewClock()), london: time.FixedZone("", 0), paris: time.FixedZone("", 3600)}
	s.shop = dbtest.MustAccount(t, s.store, "shop@example.com", db.Free).ID
	s.coffee = dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Coffee", SKU: "C", Category: "Drinks", StockMilli: new(int64(10_000)), CostPrice: new(int64(270)), ReorderMilli: new(int64(2_000))})
	s.tea = dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Tea", SKU: "T"})
	return s
}

func (s *saleFixture) sale(id string, lines ...db.SaleLine) db.Sale {
	return db.Sale{AccountID: s.shop, ExternalID: id, Customer: "c1", Currency: "gbp", SoldAt: time.Date(2026, 3, 1, 23, 30, 0, 0, s.paris), Lines: lines}
}

func (s *saleFixture) coffees(milli int64) db.SaleLine {
	return db.SaleLine{ItemID: s.coffee.ID, Name: "Coffee", SKU: "C", QuantityMilli: milli, Price: 450, CostPrice: new(int64(270))}
}

func (s *saleFixture) put(sale db.Sale) (stored db.Sale, outcome db.Outcome) {
	s.Helper()
	dbtest.Update(s, s.store, func(tx *db.Tx) (err error) {
		stored, outcome, err = tx.PutSale(sale)
		return err
	})
	return stored, outcome
}

func (s *saleFixture) order(p db.PurchaseOrder) (outcome db.Outcome) {
	s.Helper()
	dbtest.Update(s, s.store, func(tx *db.Tx) (err error) {
		_, outcome, err = tx.PutPurchaseOrder(p)
		return err
	})
	return outcome
}

// wantStock also checks that every stock is the sum of its moves.
func (s *saleFixture) wantStock(milli int64) {
	s.Helper()
	dbtest.View(s, s.store, func(tx *db.Tx) error {
		item, err := tx.Item(s.shop, s.coffee.ID)
		if err != nil {
			return err
		}
		if *item.StockMilli != milli {
			s.Errorf("the stock is %d, want %d", *item.StockMilli, milli)
		}
		faults, err := tx.StockFaults(s.shop)
		if len(faults) > 0 {
			s.Errorf("stock faults: %v", faults)
		}
		return err
	})
}

func (s *saleFixture) moves() string {
	s.Helper()
	found, err := s.store.Query(s.Context(), 100, "SELECT reason, change_milli FROM stock_moves WHERE account_id = $1 ORDER BY seq", s.shop)
	if err != nil {
		s.Fatal(err)
	}
	var all []string
	for _, row := range found.Rows {
		all = append(all, fmt.Sprint(row[0], " ", row[1]))
	}
	return strings.Join(all, ", ")
}

func TestSale(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("LowersStock", func(t *testing.T) {
		s := newSaleFixture(t)
		stored, outcome := s.put(s.sale("s1", s.coffees(1_500), s.coffees(500), db.SaleLine{ItemID: s.tea.ID, Name: "Tea", QuantityMilli: 1000, Price: 300}, db.SaleLine{Name: "A chat", QuantityMilli: 1000}))
		if outcome != db.Inserted || !strings.HasPrefix(stored.ID, "sale_") {
			t.Errorf("%s, %+v", outcome, stored)
		}
		s.wantStock(8_000)
		if got := s.moves(); got != "count 10000, sale -2000" {
			t.Errorf("moves: %s", got)
		}
	})

	t.Run("IsReadBack", func(t *testing.T) {
		s := newSaleFixture(t)
		want := s.sale("s1", s.coffees(1_500), db.SaleLine{Name: "A chat", QuantityMilli: -1000, Price: 5, Discount: 2})
		s.put(want)
		dbtest.View(t, s.store, func(tx *db.Tx) error {
			got, err := tx.Sale(s.shop, "s1")
			if !got.SoldAt.Equal(want.SoldAt) || got.SoldAt.Format(time.DateTime) != "2026-03-01 23:30:00" || !reflect.DeepEqual(got.Lines, want.Lines) || got.Customer != "c1" || got.Currency != "gbp" {
				t.Errorf("%+v", got)
			}
			return err
		})
	})

	t.Run("RepeatChangesNothing", func(t *testing.T) {
		s := newSaleFixture(t)
		first, _ := s.put(s.sale("s1", s.coffees(1_000)))
		again, outcome := s.put(s.sale("s1", s.coffees(1_000)))
		if outcome != db.Unchanged || again.ID != first.ID {
			t.Errorf("%s, %+v", outcome, again)
		}
		s.wantStock(9_000)
		if got := s.moves(); got != "count 10000, sale -1000" {
			t.Errorf("moves: %s", got)
		}
	})

	t.Run("CorrectionMovesDifference", func(t *testing.T) {
		s := newSaleFixture(t)
		first, _ := s.put(s.sale("s1", s.coffees(1_000)))
		second, outcome := s.put(s.sale("s1", s.coffees(3_000)))
		if outcome != db.Updated || second.ID != first.ID || !second.CreatedAt.Equal(first.CreatedAt) {
			t.Errorf("%s, %+v", outcome, second)
		}
		s.wantStock(7_000)
		s.put(s.sale("s1"))
		s.wantStock(10_000)
		if got := s.moves(); got != "count 10000, sale -1000, sale -2000, sale 3000" {
			t.Errorf("moves: %s", got)
		}
	})

	t.Run("CorrectedTimeMovesNoStock", func(t *testing.T) {
		s := newSaleFixture(t)
		sale := s.sale("s1", s.coffees(1_000))
		s.put(sale)
		sale.SoldAt = sale.SoldAt.In(s.london) // the same moment in another zone
		if _, outcome := s.put(sale); outcome != db.Updated {
			t.Errorf("%s", outcome)
		}
		s.wantStock(9_000)
		if got := s.moves(); got != "count 10000, sale -1000" {
			t.Errorf("moves: %s", got)
		}
	})

	t.Run("RevertsOnlyItsMoves", func(t *testing.T) {
		s := newSaleFixture(t)
		tea := db.SaleLine{ItemID: s.tea.ID, Name: "Tea", QuantityMilli: 2_000, Price: 300}
		s.put(s.sale("s1", tea)) // of unknown stock
		counted := dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Tea", SKU: "T", StockMilli: new(int64(5_000))})
		s.put(s.sale("s1"))
		dbtest.View(t, s.store, func(tx *db.Tx) error {
			item, err := tx.Item(s.shop, counted.ID)
			if *item.StockMilli != 5_000 {
				t.Errorf("the stock is %d", *item.StockMilli)
			}
			return err
		})
	})

	t.Run("OtherAccountsItemMovesNoStock", func(t *testing.T) {
		s := newSaleFixture(t)
		other := dbtest.MustAccount(t, s.store, "other@example.com", db.Free).ID
		theirs := s.sale("s1", s.coffees(1_000))
		theirs.AccountID = other
		s.put(theirs)
		s.wantStock(10_000)
		dbtest.View(t, s.store, func(tx *db.Tx) error {
			_, err := tx.Sale(s.shop, "s1")
			wantErr(t, err, db.ErrNotFound)
			return nil
		})
	})

	t.Run("TooLargeStoresNothing", func(t *testing.T) {
		s := newSaleFixture(t)
		err := s.store.Update(t.Context(), func(tx *db.Tx) error {
			_, _, err := tx.PutSale(s.sale("s1", s.coffees(1_000), db.SaleLine{Name: "A moon", QuantityMilli: 1 << 40, Price: 1 << 40}))
			return err
		})
		wantErr(t, err, db.ErrAmount)
		s.wantStock(10_000)
	})
}

func TestPurchaseOrder(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	s := newSaleFixture(t)
	placed := db.PurchaseOrder{AccountID: s.shop, ExternalID: "p1", Supplier: "Roastery", OrderedAt: time.Date(2026, 3, 1, 9, 0, 0, 0, s.london), Lines: []db.PurchaseLine{
		{ItemID: s.coffee.ID, Name: "Coffee", SKU: "C", QuantityMilli: 6_000, CostPrice: 260},
		{Name: "Pallet", QuantityMilli: 1_000, CostPrice: 1_000},
	}}
	received := placed
	received.ReceivedAt = placed.OrderedAt.Add(48 * time.Hour)
	for _, step := range []struct {
		order   db.PurchaseOrder
		outcome db.Outcome
		stock   int64
	}{
		{placed, db.Inserted, 10_000},
		{placed, db.Unchanged, 10_000},
		{received, db.Updated, 16_000},
		{received, db.Unchanged, 16_000},
		{placed, db.Updated, 10_000}, // corrects the state
	} {
		if got := s.order(step.order); got != step.outcome {
			t.Errorf("%s, want %s", got, step.outcome)
		}
		s.wantStock(step.stock)
	}
	if got := s.moves(); got != "count 10000, purchase_order 6000, purchase_order -6000" {
		t.Errorf("moves: %s", got)
	}
	s.order(received)
	dbtest.View(t, s.store, func(tx *db.Tx) error {
		got, err := tx.PurchaseOrder(s.shop, "p1")
		if !got.Received() || !got.ReceivedAt.Equal(received.ReceivedAt) || !reflect.DeepEqual(got.Lines, received.Lines) || got.Supplier != "Roastery" {
			t.Errorf("%+v", got)
		}
		return err
	})
}

func TestCustomer(t *testing.T) {
	t.Parallel()
	s := newSaleFixture(t)
	c := db.Customer{AccountID: s.shop, ExternalID: "c1", Name: "Ada", Email: "ada@example.com", Region: "Kent"}
	for _, want := range []db.Outcome{db.Inserted, db.Unchanged, db.Updated} {
		if want == db.Updated {
			c.Phone = "+44 1"
		}
		var got db.Customer
		var outcome db.Outcome
		dbtest.Update(t, s.store, func(tx *db.Tx) (err error) {
			got, outcome, err = tx.PutCustomer(c)
			return err
		})
		if outcome != want || got.Phone != c.Phone || !strings.HasPrefix(got.ID, "cust_") {
			t.Errorf("%s, want %s: %+v", outcome, want, got)
		}
	}
}

// TestShopViews checks that the views have only the account's rows, with exact amounts.
func TestShopViews(t *testing.T) {
	t.Parallel()
	s := newSaleFixture(t)
	weighed := db.SaleLine{Name: "Nuts", QuantityMilli: 333, Price: 1_050, Discount: 10, CostPrice: new(int64(500))}
	s.put(s.sale("s1", s.coffees(2_000), weighed))
	foreign := s.sale("s2", s.coffees(1_000))
	foreign.Currency = "eur"
	s.put(foreign)
	dbtest.Update(t, s.store, func(tx *db.Tx) error {
		_, _, err := tx.PutCustomer(db.Customer{AccountID: s.shop, ExternalID: "c1", Name: "Ada", Region: "Kent"})
		return err
	})
	s.order(db.PurchaseOrder{AccountID: s.shop, ExternalID: "p1", OrderedAt: time.Date(2026, 3, 1, 9, 0, 0, 0, s.london), Lines: []db.PurchaseLine{{ItemID: s.coffee.ID, Name: "Coffee", QuantityMilli: 6_000, CostPrice: 260}}})
	bought := db.PurchaseOrder{AccountID: s.shop, ExternalID: "p0", OrderedAt: time.Date(2026, 2, 1, 9, 0, 0, 0, s.london), Lines: []db.PurchaseLine{{ItemID: s.coffee.ID, Name: "Coffee", QuantityMilli: 1_000, CostPrice: 260}}}
	bought.ReceivedAt = bought.OrderedAt.Add(time.Hour)
	s.order(bought)
	other := dbtest.MustAccount(t, s.store, "other@example.com", db.Free).ID

	for _, c := range []struct {
		view  db.ShopView
		query string
		want  string
	}{
		{db.ShopSales, "product, quantity, price, discount, revenue, cost, customer, region, category, sold", "[[Coffee 2000 450 0 900 540 Ada Kent Drinks 2026-03-01 23:30:00] [Nuts 333 1050 10 340 167 Ada Kent <nil> 2026-03-01 23:30:00]]"},
		{db.ShopStock, "product, stock, reorder, incoming, unit_cost", "[[Coffee 8000 2000 6000 270] [Tea <nil> 5000 0 <nil>]]"},
		{db.ShopPurchases, "purchase, status, supplier, quantity, cost, received", "[[p0 received <nil> 1000 260 2026-02-01 10:00:00] [p1 ordered <nil> 6000 1560 <nil>]]"},
		{db.ShopCustomers, "customer, email, region", "[[Ada <nil> Kent]]"},
	} {
		for account, want := range map[string]string{s.shop: c.want, other: "[]"} {
			from, err := db.ShopFrom(c.view, account, "gbp")
			if err != nil {
				t.Fatal(err)
			}
			found, err := s.store.Query(t.Context(), 10, "SELECT "+c.query+" FROM "+from+" ORDER BY 1")
			if got := fmt.Sprint(found.Rows); err != nil || got != want {
				t.Errorf("%s: %s, %v", c.view, got, err)
			}
		}
	}
}

func TestShopFrom(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "acct_1' OR '1'='1", "acct_1)", "Acct", "a b"} {
		if _, err := db.ShopFrom(db.ShopSales, id, "gbp"); err == nil {
			t.Errorf("%q is accepted as an id", id)
		}
	}
	if _, err := db.ShopFrom(db.ShopSales, "acct_1", "gb'p"); err == nil {
		t.Error("an invalid currency is accepted")
	}
}

// TestShopIsOnlyRead checks that Query cannot change the store.
func TestShopIsOnlyRead(t *testing.T) {
	t.Parallel()
	s := newSaleFixture(t)
	for _, text := range []string{"DELETE FROM items", "UPDATE items SET name = 'x' RETURNING name", "DROP VIEW shop_sales"} {
		if _, err := s.store.Query(t.Context(), 1, text); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	s.wantStock(10_000)
}

// TestShopStamp checks that exactly the changes of an account's shop views change its
// stamp.
func TestShopStamp(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	s := newSaleFixture(t)
	other := dbtest.MustAccount(t, s.store, "other@example.com", db.Free).ID
	stamp := func(accountID string) (stamp db.ShopStamp) {
		dbtest.View(t, s.store, func(tx *db.Tx) (err error) {
			stamp, err = tx.ShopStamp(accountID)
			return err
		})
		return stamp
	}
	customer := func() {
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			_, _, err := tx.PutCustomer(db.Customer{AccountID: s.shop, ExternalID: "c1"})
			return err
		})
	}
	sell := func() { s.put(s.sale("s1", db.SaleLine{Name: "A chat", QuantityMilli: 1000, Price: 5})) }
	buy := func() {
		s.order(db.PurchaseOrder{AccountID: s.shop, ExternalID: "p1", OrderedAt: time.Date(2026, 3, 1, 9, 0, 0, 0, s.london)})
	}
	move := func() { s.put(s.sale("s2", s.coffees(1000))) }
	rename := func() { dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Green tea", SKU: "T"}) }
	count := func() {
		dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Coffee", SKU: "C", StockMilli: new(int64(5000))})
	}

	price := func() {
		dbtest.MustItem(t, s.store, s.shop, db.ItemChange{Name: "Coffee", SKU: "C", Price: new(int64(499))})
	}
	edit := func() {
		dbtest.Update(t, s.store, func(tx *db.Tx) error {
			item, err := tx.ItemBySKU(s.shop, "C")
			if err != nil {
				return err
			}
			item.CostPrice = nil
			return tx.EditItem(item)
		})
	}

	theirs := stamp(other)
	for name, change := range map[string]func(){"Customer": customer, "Sale": sell, "PurchaseOrder": buy, "Move": move, "Item": rename, "Count": count, "Price": price, "Edit": edit} {
		before := stamp(s.shop)
		if change(); stamp(s.shop) == before {
			t.Errorf("%s does not change the stamp", name)
		}
	}
	before := stamp(s.shop)
	for name, again := range map[string]func(){"Customer": customer, "Sale": sell, "PurchaseOrder": buy, "Price": price} {
		if again(); stamp(s.shop) != before {
			t.Errorf("%s again changes the stamp", name)
		}
	}
	if stamp(other) != theirs {
		t.Error("the stamp of another account has changed")
	}
}

// TestSnapshot checks that all queries of a snapshot see one state.
func TestSnapshot(t *testing.T) {
	t.Parallel()
	s := newSaleFixture(t)
	s.put(s.sale("s1", s.coffees(1_000)))
	from, err := db.ShopFrom(db.ShopSales, s.shop, "gbp")
	if err != nil {
		t.Fatal(err)
	}
	count := func(q db.Querier) string {
		found, err := q.Query(t.Context(), 1, "SELECT count(*) FROM "+from)
		if err != nil {
			t.Error(err)
		}
		return fmt.Sprint(found.Rows)
	}
	err = s.store.Snapshot(t.Context(), func(q db.Querier) error {
		before := count(q)
		s.put(s.sale("s2", s.coffees(1_000)))
		if got := count(q); before != "[[1]]" || got != before {
			t.Errorf("%s, then %s", before, got)
		}
		if _, err := q.Query(t.Context(), 1, "SELECT nothing"); err == nil {
			t.Error("no error")
		}
		if got := count(q); got != before {
			t.Errorf("after an error %s", got)
		}
		return nil
	})
	if got := count(s.store); err != nil || got != "[[2]]" {
		t.Errorf("%s %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := s.store.Snapshot(ctx, func(db.Querier) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

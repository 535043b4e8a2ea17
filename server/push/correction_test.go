package push_test

import (
	"fmt"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// A record that was stored while a product or its stock was unknown moved nothing, and what
// is counted later is the stock after it. So a correction moves only what it adds (I3).
func TestPushCorrectsWhatMovedNothing(t *testing.T) {
	t.Parallel()
	line := func(n float64) object {
		return object{"sku": "T", "name": "Tea", "quantity": n, "price": 2, "cost_price": 1}
	}
	sale := func(s *shop, items ...object) object { return s.sale("1", items...) }
	order := func(s *shop, items ...object) object {
		return object{"type": "purchase_order", "external_id": "1", "status": "received", "supplier": "Hill", "ordered_at": s.now(time.Hour), "items": items}
	}
	with := func(record object, field string, value any) object {
		record[field] = value
		return record
	}
	for name, row := range map[string]struct {
		first, again func(s *shop) object
		want         int64 // of the stock that was counted as 10
	}{
		"SaleOtherCustomer": {
			func(s *shop) object { return sale(s, line(3)) },
			func(s *shop) object { return with(sale(s, line(3)), "customer_id", "c1") }, 10_000,
		},
		"SaleSplitIntoLines": {
			func(s *shop) object { return sale(s, line(3)) },
			func(s *shop) object { return sale(s, line(1), line(2)) }, 10_000,
		},
		"SaleWithReturn": {
			func(s *shop) object { return sale(s, line(3), line(-1)) },
			func(s *shop) object { return with(sale(s, line(-1), line(3)), "customer_id", "c1") }, 10_000,
		},
		"SaleOfMore": {
			func(s *shop) object { return sale(s, line(3)) },
			func(s *shop) object { return sale(s, line(5)) }, 8_000,
		},
		"SaleOfLess": {
			func(s *shop) object { return sale(s, line(3)) },
			func(s *shop) object { return sale(s, line(1)) }, 10_000,
		},
		"SaleRefunded": {
			func(s *shop) object { return sale(s, line(3)) },
			func(s *shop) object { return with(sale(s, line(3)), "status", "refunded") }, 10_000,
		},
		"SaleOfAnotherProduct": { // whose stock it lowers
			func(s *shop) object { return sale(s, object{"sku": "typo", "quantity": 3, "price": 2}) },
			func(s *shop) object { return sale(s, line(3)) }, 7_000,
		},
		"SaleThatDidNotCount": {
			func(s *shop) object { return with(sale(s, line(3)), "status", "cancelled") },
			func(s *shop) object { return sale(s, line(3)) }, 7_000,
		},
		"OrderOtherSupplier": {
			func(s *shop) object { return order(s, line(3)) },
			func(s *shop) object { return with(order(s, line(3)), "supplier", "Dale") }, 10_000,
		},
		"OrderOfMore": {
			func(s *shop) object { return order(s, line(3)) },
			func(s *shop) object { return order(s, line(4)) }, 11_000,
		},
		"OrderThatWasNotReceived": {
			func(s *shop) object { return with(order(s, line(3)), "status", "ordered") },
			func(s *shop) object { return order(s, line(3)) }, 13_000,
		},
	} {
		for _, isKnown := range []bool{true, false} { // then only the stock is unknown
			t.Run(fmt.Sprintf("%s/%t", name, isKnown), func(t *testing.T) {
				s := newShop(t)
				if !isKnown {
					dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.RemoveItem(s.tea) })
				}
				s.push(row.first(s))
				tea := dbtest.MustItem(t, s.Store, s.id, db.ItemChange{Name: "Tea", SKU: "T", StockMilli: new(int64(10_000))})
				for _, round := range []string{"first", "second"} {
					s.wants(s.push(with(row.again(s), "note", round)), map[string]string{
						"first":  "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected",
						"second": "1 received, 0 inserted, 0 updated, 1 unchanged, 0 rejected",
					}[round])
					if got := s.stock(tea.ID); got != row.want {
						t.Errorf("after the %s correction the stock is %d, want %d", round, got, row.want)
					}
				}
			})
		}
	}
}

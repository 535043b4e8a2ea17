package push_test

import (
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// Sales and orders that were pushed before their product are its own once it is there, by SKU
// or, without one, by name; stock moves as if the count came after them (I2, I3).
func TestPushJoinsWhatCameBeforeTheProduct(t *testing.T) {
	t.Parallel()
	product := object{"type": "product", "external_id": "p-mug", "name": "Blue Mug", "sku": "MUG", "price": 8, "cost_price": 3, "stock_qty": 10, "category": "Homeware"}
	early := func(s *shop) {
		s.push(s.sale("1", object{"sku": "mug", "name": "mug blue", "quantity": 2, "price": 8}), s.sale("2", object{"name": "blue mug", "quantity": 1, "price": 8}),
			s.sale("3", object{"sku": "MUG-2", "name": "Blue Mug", "quantity": 1, "price": 9}), s.sale("4", object{"sku": "MUG", "quantity": -1, "price": 8, "cost_price": 2.5}),
			object{"type": "purchase_order", "external_id": "o", "status": "ordered", "supplier": "Hill", "ordered_at": s.now(0), "items": []object{{"sku": "MUG", "quantity": 5, "cost_price": 3}}})
	}
	for name, add := range map[string]func(s *shop){
		"Pushed": func(s *shop) { s.push(product) },
		"Edited": func(s *shop) {
			dbtest.Update(t, s.Store, func(tx *db.Tx) error {
				i, err := tx.AddItem(s.id, "Blue Mug")
				if err != nil {
					return err
				}
				i.SKU, i.Category, i.CostPrice = "MUG", "Homeware", new(int64(300))
				if err := tx.EditItem(i); err != nil {
					return err
				}
				return tx.SetStock(i, 10_000)
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newShop(t)
			early(s)
			if got := s.ask("What is our revenue for Homeware?"); strings.Contains(got, "£24") {
				t.Fatalf("before the product: %s", got)
			}
			add(s)
			want := []string{"1 | Blue Mug | MUG | joined | 600", "2 | Blue Mug | MUG | joined | 300", "3 | Blue Mug | MUG-2 |  | ", "4 | Blue Mug | MUG | joined | -250"}
			if name == "Edited" { // it had only a name when that was joined
				want[1] = "2 | Blue Mug |  | joined | "
			}
			got := s.Query(t, `SELECT s.external_id || ' | ' || l.name || ' | ' || l.sku || ' | ' || coalesce((SELECT 'joined' FROM items i WHERE i.id = l.item_id), '') || ' | ' || coalesce(l.cost, '')
FROM sale_lines l JOIN sales s ON s.id = l.sale_id ORDER BY s.external_id`)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("lines\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			var item db.Item
			dbtest.View(t, s.Store, func(tx *db.Tx) (err error) {
				item, err = tx.ItemBySKU(s.id, "MUG")
				return err
			})
			if n := s.stock(item.ID); n != 10_000 {
				t.Errorf("stock %d, want 10000", n)
			}
			if got := s.ask("What is our revenue for Homeware?"); !strings.Contains(got, "£16") { // 16 + 8 - 8
				t.Errorf("after it: %s", got)
			}
			if got := s.ask("how many Blue Mugs are on order?"); !strings.Contains(got, "come to 5") {
				t.Errorf("on order: %s", got)
			}
			s.wants(s.push(s.sale("1", object{"sku": "mug", "name": "mug blue", "quantity": 3, "price": 8})), "1 received, 0 inserted, 1 updated, 0 unchanged, 0 rejected")
			if n := s.stock(item.ID); n != 9_000 { // a correction moves what it adds
				t.Errorf("stock %d after a correction, want 9000", n)
			}
		})
	}
}

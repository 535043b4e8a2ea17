package inventory_test

import (
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
)

// A change by hand is taken back once, also after a sale, and only by its owner.
func TestUndo(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	item := dbtest.MustItem(t, s.Store, s.anna.ID, db.ItemChange{Name: "Mug", StockMilli: new(int64(10_000))})
	newest := func() int64 {
		t.Helper()
		_, moves, err := s.Find(t.Context(), s.anna.ID, item.ID, 1)
		if err != nil {
			t.Fatal(err)
		}
		return moves[0].Seq
	}
	refused := func(owner db.Account, seq int64, field string) {
		t.Helper()
		_, err := s.Undo(t.Context(), owner, item.ID, seq)
		if err == nil || field != "" && err.(*fault.Error).Field != field {
			t.Errorf("undo of %d: %v", seq, err)
		}
	}
	opening := newest()
	refused(s.anna, opening, "move")
	if _, err := s.Adjust(t.Context(), s.anna, item.ID, "-3", "broken"); err != nil {
		t.Fatal(err)
	}
	adjusted := newest()
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutSale(db.Sale{
			AccountID: s.anna.ID, ExternalID: "1", Currency: "gbp", SoldAt: s.clock.Now(),
			Lines: []db.SaleLine{{ItemID: item.ID, Name: item.Name, QuantityMilli: 2000, Price: 100}},
		})
		return err
	})
	refused(s.ben, adjusted, "")
	refused(s.anna, newest(), "move") // the sale
	if e, err := s.Undo(t.Context(), s.anna, item.ID, adjusted); err != nil || *e.StockMilli != 8000 {
		t.Fatalf("undone: %v %v", e.StockMilli, err)
	}
	refused(s.anna, adjusted, "move") // a form that is sent twice
	if e, err := s.Count(t.Context(), s.anna, item.ID, "20", ""); err != nil || *e.StockMilli != 20_000 {
		t.Fatal(err)
	}
	if e, err := s.Undo(t.Context(), s.anna, item.ID, newest()); err != nil || *e.StockMilli != 8000 {
		t.Errorf("the count undone: %v %v", e.StockMilli, err)
	}
	if faults, err := s.Verify(t.Context(), s.anna.ID); err != nil || len(faults) != 0 {
		t.Errorf("%v %v", faults, err)
	}
}

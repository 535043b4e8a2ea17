package inventory_test

import (
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/inventory"
	"svc/server/servertest"
)

// undone undoes an import and returns how far it is, with the names and problems of what stays.
func (s *shop) undone(t *testing.T, id string) (inventory.UndoneImport, string) {
	t.Helper()
	if err := s.UndoImport(db.WithActor(t.Context(), s.anna.ID), s.anna, id); err != nil {
		t.Fatal(err)
	}
	u, err := s.Undone(t.Context(), s.anna.ID, id)
	if err != nil {
		t.Fatal(err)
	}
	var kept []string
	for _, f := range u.Problems {
		kept = append(kept, f.Name+" "+string(f.Problem))
	}
	return u, strings.Join(kept, ", ")
}

// wantSound fails unless each stock is the sum of its moves.
func (s *shop) wantSound(t *testing.T) {
	t.Helper()
	if faults, err := s.Verify(t.Context(), s.anna.ID); err != nil || len(faults) > 0 {
		t.Errorf("stocks that contradict their moves: %v %v", faults, err)
	}
}

func TestUndoImport(t *testing.T) {
	t.Parallel()
	const before = "name,sku,barcode,price,cost_price,stock_qty,unit,reorder_point,category,aliases\n" +
		"Tea,t,4006381333931,4.00,2.00,3,bag,1,Drinks,char\nMug,m,,7,,,,,,\nJam,j,,2,,5,,,,\n"
	const after = "name,sku,barcode,price,cost_price,stock_qty,unit,reorder_point,category,aliases\n" +
		"Green tea,t,036000291452,5.00,2.50,30,box,4,Hot,brew\nMug,m,,7,3,8,,,Home,char\nJam,j,,2,,5,,,,\nIce,i,,1,,4,,,,\n"

	t.Run("RestoresEverything", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, before, false)
		was := s.summary(t, s.anna)
		r := s.mustImport(t, s.anna, after, false)
		if before, err := s.Undone(t.Context(), s.anna.ID, r.ID); err != nil || !before.Possible || before.Left != 3 {
			t.Errorf("%+v %v; want 3 rows, since the jam was the same", before, err)
		}
		u, kept := s.undone(t, r.ID)
		if u.State != db.UndoDone || u.Rows != 3 || kept != "" || u.Possible {
			t.Errorf("undone: %+v", u)
		}
		if now := s.summary(t, s.anna); now != was {
			t.Errorf("after the undo\n%s\nwant\n%s", now, was)
		}
		s.wantSound(t)
		_, moves, err := s.Find(t.Context(), s.anna.ID, "t", 9)
		if err != nil || len(moves) != 3 || moves[0].Note != "import undone" || moves[0].Actor != s.anna.ID || moves[0].ChangeMilli != -27000 {
			t.Errorf("moves of the tea: %+v %v", moves, err)
		}
		if again, _ := s.undone(t, r.ID); again.Rows != 3 || s.summary(t, s.anna) != was {
			t.Errorf("undone twice: %+v", again)
		}
	})

	t.Run("KeepsWhatWasChangedSince", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, before, false)
		r := s.mustImport(t, s.anna, after, false)
		if _, err := s.Set(t.Context(), s.anna, "t", inventory.Edit{Price: new("6")}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Adjust(t.Context(), s.anna, "m", "-1", "broken"); err != nil {
			t.Fatal(err)
		}
		u, kept := s.undone(t, r.ID)
		if kept != "Green tea changed, Mug counted" || u.Rows != 1 || u.Kept != 2 {
			t.Errorf("kept %q, %+v", kept, u)
		}
		if names := s.names(t, s.anna); names != "Green tea Jam Mug" {
			t.Errorf("items %s", names)
		}
		s.wantSound(t)
	})

	t.Run("KeepsWhatALaterImportListsAsItIs", func(t *testing.T) {
		s := newShop(t)
		first := s.mustImport(t, s.anna, before, false)
		s.mustImport(t, s.anna, before, false) // the same file again
		was := s.summary(t, s.anna)
		if u, _ := s.undone(t, first.ID); u.Rows != 0 || s.summary(t, s.anna) != was {
			t.Errorf("undone %d rows, left\n%s", u.Rows, s.summary(t, s.anna))
		}
	})

	t.Run("KeepsWhatWasCountedTwice", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, before, false)
		r := s.mustImport(t, s.anna, after, false)
		item, _, err := s.Find(t.Context(), s.anna.ID, "m", 1)
		if err != nil || item.StockMilli == nil {
			t.Fatal(item, err)
		}
		counted := strconv.FormatInt(*item.StockMilli/1000, 10)
		for _, stock := range []string{"1", counted} { // the moves cancel each other
			if _, err := s.Set(t.Context(), s.anna, "m", inventory.Edit{Stock: &stock}); err != nil {
				t.Fatal(err)
			}
		}
		if _, kept := s.undone(t, r.ID); kept != "Mug counted" {
			t.Errorf("kept %q", kept)
		}
	})

	t.Run("KeepsSalesSince", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, before, false)
		r := s.mustImport(t, s.anna, after, false)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			for _, sku := range []string{"t", "i"} {
				item, err := tx.ItemBySKU(s.anna.ID, sku)
				if err != nil {
					return err
				}
				sale := db.Sale{AccountID: s.anna.ID, ExternalID: "sale " + sku, Currency: "gbp", SoldAt: tx.Now(), Status: db.Completed,
					Lines: []db.SaleLine{{ItemID: item.ID, Name: item.Name, SKU: sku, QuantityMilli: 1000, Price: 500}}}
				if _, _, err := tx.PutSale(sale); err != nil {
					return err
				}
			}
			return nil
		})
		if _, kept := s.undone(t, r.ID); kept != "Ice sold" {
			t.Errorf("kept %q", kept)
		}
		tea, _, err := s.Find(t.Context(), s.anna.ID, "t", 1)
		if err != nil || *tea.StockMilli != 2000 || tea.Name != "Tea" {
			t.Errorf("the tea: %+v %v; want a stock of 3 less the one sold", tea, err)
		}
		s.wantSound(t)
	})

	t.Run("LastFirst", func(t *testing.T) {
		s := newShop(t)
		first := s.mustImport(t, s.anna, before, false)
		second := s.mustImport(t, s.anna, after, false)
		s.undone(t, second.ID)
		if _, kept := s.undone(t, first.ID); kept != "" || s.names(t, s.anna) != "" {
			t.Errorf("kept %q, items %s", kept, s.names(t, s.anna))
		}
	})

	t.Run("AfterACrash", func(t *testing.T) {
		s := newShop(t)
		s.mustImport(t, s.anna, before, false)
		was := s.summary(t, s.anna)
		r := s.mustImport(t, s.anna, after, false)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error { return tx.BeginUndo(s.anna.ID, r.ID) })
		s.open(t)
		if err := s.Sweep(t.Context()); err != nil || s.summary(t, s.anna) != was {
			t.Errorf("after the sweep: %v\n%s", err, s.summary(t, s.anna))
		}
	})

	t.Run("UntilItIsTooLate", func(t *testing.T) {
		s := newShop(t)
		r := s.mustImport(t, s.anna, before, false)
		hasCode(t, s.UndoImport(t.Context(), s.ben, r.ID), fault.NotFound)
		s.clock.Advance(30*24*time.Hour + time.Second)
		hasCode(t, s.UndoImport(t.Context(), s.anna, r.ID), fault.Conflict)
		if err := s.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		var kept int
		if err := s.raw(t).QueryRow(`SELECT count(*) FROM import_befores`).Scan(&kept); err != nil || kept != 0 {
			t.Errorf("%d rows kept, %v", kept, err)
		}
		hasCode(t, s.UndoImport(t.Context(), s.anna, r.ID), fault.Conflict)
	})
}

// A person undoes an import on its page, and sees what stays and why.
func TestUndoImportOnItsPage(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	_, other := s.Member(t, "other@example.com")
	at := sendList(t, b, "shop.csv", []byte("name,sku,price,stock\nTea,t,4,3\nMug,m,7,1\n"))
	b.Post(t, at+"/undo", nil).ExpectErrorPage(t, 404, "not_found", "There is no such import")
	b.Post(t, at+"/confirm", nil).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, "Undo this import", "This is possible until")
	other.Post(t, at+"/undo", nil).ExpectErrorPage(t, 404, "not_found", "There is no such import")
	b.Post(t, "/console/inventory/adjust", url.Values{"id": {"m"}, "how": {"take"}, "quantity": {"1"}, "reason": {"broken"}})
	b.Post(t, at+"/undo", nil).ExpectRedirect(t, at)
	b.Get(t, at).ExpectPage(t, 200, "<h1>Undone in part</h1>", "1 row undone", "1 could not be", "<bdi>Mug</bdi>", "its stock was counted, adjusted or set since")
	b.Post(t, at+"/undo", nil).ExpectRedirect(t, at)
	b.Get(t, "/console/inventory").ExpectPage(t, 200, "Mug", `<span class="hint">1 item, prices in GBP</span>`)
	b.Get(t, "/console/inventory/import").ExpectPage(t, 200, `<span class="tag">undone in part</span>`)
}

// An undo is called what it was: whole, none, or of an import that had changed nothing.
func TestUndoIsCalledWhatItWas(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	_, b := s.Member(t, "shop@example.com")
	imported := func(list string) (at string) {
		at = sendList(t, b, "shop.csv", []byte(list))
		b.Post(t, at+"/confirm", nil).ExpectRedirect(t, at)
		return at
	}
	undone := func(at, tag string, texts ...string) {
		t.Helper()
		b.Post(t, at+"/undo", nil).ExpectRedirect(t, at)
		b.Get(t, at).ExpectPage(t, 200, texts...)
		b.Get(t, "/console/inventory/import").ExpectPage(t, 200, `<span class="tag">`+tag+`</span>`)
	}
	const tea = "name,sku,price,stock\nTea,t,4,3\n"
	first := imported(tea)
	undone(imported(tea), "nothing to undo", "<h1>Nothing to undo</h1>", "Nothing to undo, since the import had changed no item")
	b.Post(t, "/console/inventory/adjust", url.Values{"id": {"t"}, "how": {"take"}, "quantity": {"1"}, "reason": {"broken"}})
	undone(first, "not undone", "<h1>Not undone</h1>", "No row was undone", "1 could not be")
	undone(imported("name,sku\nMug,m\n"), "undone", "<h1>Undone</h1>", "1 row undone")
}

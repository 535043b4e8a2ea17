package db_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func amount(n *int64) string {
	if n == nil {
		return "-"
	}
	return fmt.Sprint(*n)
}

// told describes an item for comparison, without its version.
func told(i db.Item) string {
	return strings.Join([]string{
		i.Name, i.SKU, amount(i.Price), amount(i.CostPrice), amount(i.StockMilli), i.Unit, i.Category, amount(i.ReorderMilli),
	}, "|")
}

func wantItem(t *testing.T, i db.Item, want string) {
	t.Helper()
	if got := told(i); got != want {
		t.Errorf("item %s, want %s", got, want)
	}
}

func (p *twoAccounts) item(t *testing.T, accountID, id string) db.Item {
	t.Helper()
	return get(t, p.other, func(tx *db.Tx) (db.Item, error) { return tx.Item(accountID, id) })
}

// names returns the item's barcodes and aliases.
func (p *twoAccounts) names(t *testing.T, i db.Item) (barcodes, aliases string) {
	t.Helper()
	dbtest.View(t, p.other, func(tx *db.Tx) error {
		codes, err := tx.Barcodes(i)
		if err != nil {
			return err
		}
		names, err := tx.Aliases(i)
		barcodes, aliases = strings.Join(codes, " "), strings.Join(names, ", ")
		return err
	})
	return barcodes, aliases
}

func (p *twoAccounts) wantNames(t *testing.T, i db.Item, barcodes, aliases string) {
	t.Helper()
	if codes, names := p.names(t, i); codes != barcodes || names != aliases {
		t.Errorf("%s has the barcodes %q and the aliases %q, want %q and %q", i.Name, codes, names, barcodes, aliases)
	}
}

func (p *twoAccounts) version(t *testing.T, accountID string) int64 {
	t.Helper()
	return get(t, p.other, func(tx *db.Tx) (int64, error) { return tx.InventoryVersion(accountID) })
}

// items lists the names of an account's items, oldest first.
func (p *twoAccounts) items(t *testing.T, accountID string) string {
	t.Helper()
	return namesOf(get(t, p.other, func(tx *db.Tx) ([]db.Item, error) { return tx.Items(accountID, "", 1000) }))
}

func namesOf(all []db.Item) string {
	names := make([]string, len(all))
	for i, item := range all {
		names[i] = item.Name
	}
	return strings.Join(names, " ")
}

func (p *twoAccounts) wantFaults(t *testing.T, accountID string, want ...string) {
	t.Helper()
	got := get(t, p.other, func(tx *db.Tx) ([]string, error) { return tx.StockFaults(accountID) })
	if !slices.Equal(got, want) {
		t.Errorf("stock faults: %v, want %v", got, want)
	}
}

// moves lists an account's stock moves as "seq item reason change after".
func (p *twoAccounts) moves(t *testing.T, accountID string) (all []string) {
	t.Helper()
	rows, err := rawOpen(t, p.path).Query(`
SELECT m.seq, i.name, m.reason, m.change_milli, m.stock_after_milli
FROM stock_moves m
JOIN items i ON i.account_id = m.account_id AND i.id = m.item_id
WHERE m.account_id = $1
ORDER BY m.seq`, accountID)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var seq, change, after int64
		var name, reason string
		if err := rows.Scan(&seq, &name, &reason, &change, &after); err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprintf("%d %s %s %+d %d", seq, name, reason, change, after))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

func (p *twoAccounts) wantMoves(t *testing.T, accountID string, want ...string) {
	t.Helper()
	if got := p.moves(t, accountID); !slices.Equal(got, want) {
		t.Errorf("moves %q, want %q", got, want)
	}
}

// tea is a change of every field.
func tea() db.ItemChange {
	return db.ItemChange{
		Name: "Tea", SKU: "tea-1", Barcodes: []string{"4006381333931", "96385074"}, Aliases: []string{"char", "brew"},
		Price: new(int64(450)), CostPrice: new(int64(270)), StockMilli: new(int64(24_500)),
		Unit: "bag", Category: "Drinks", ReorderMilli: new(int64(5000)),
	}
}

const toldTea = "Tea|tea-1|450|270|24500|bag|Drinks|5000"

func TestPutItem(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("AddsNewItem", func(t *testing.T) {
		p := newTwoAccounts(t)
		made := dbtest.MustItem(t, p.store, p.anna.ID, tea())
		wantItem(t, made, toldTea)
		wantItem(t, p.item(t, p.anna.ID, made.ID), toldTea)
		if !strings.HasPrefix(made.ID, "item_") || made.AccountID != p.anna.ID || !made.CreatedAt.Equal(p.clock.Now()) {
			t.Errorf("made %+v", made)
		}
		p.wantNames(t, made, "4006381333931 96385074", "brew, char")
	})

	t.Run("UnsetFieldsAreUnknown", func(t *testing.T) {
		p := newTwoAccounts(t)
		made := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Tea"})
		wantItem(t, made, "Tea||-|-|-|||-")
		p.wantNames(t, made, "", "")
		p.wantMoves(t, p.anna.ID)
	})

	t.Run("UnsetFieldsStay", func(t *testing.T) {
		p := newTwoAccounts(t)
		made := dbtest.MustItem(t, p.store, p.anna.ID, tea())
		p.clock.Advance(time.Hour)
		for _, c := range []db.ItemChange{{SKU: "tea-1"}, {Barcodes: []string{"96385074"}}, {Name: "Tea"}} {
			changed := dbtest.MustItem(t, p.store, p.anna.ID, c)
			wantItem(t, changed, toldTea)
			if changed.ID != made.ID || !changed.CreatedAt.Equal(made.CreatedAt) {
				t.Errorf("changed %+v, made %+v", changed, made)
			}
		}
		p.wantNames(t, made, "4006381333931 96385074", "brew, char")
	})

	t.Run("ChangesSetFields", func(t *testing.T) {
		p := newTwoAccounts(t)
		made := dbtest.MustItem(t, p.store, p.anna.ID, tea())
		zero := new(int64(0)) // zero differs from unknown
		changed := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{
			Name: "Green tea", SKU: "TEA-1", Barcodes: []string{"5012345678900"}, Aliases: []string{"sencha"},
			Price: zero, CostPrice: zero, StockMilli: zero, Unit: "box", Category: "Hot drinks", ReorderMilli: zero,
		})
		wantItem(t, changed, "Green tea|TEA-1|0|0|0|box|Hot drinks|0")
		if changed.ID != made.ID {
			t.Error("PutItem made another item")
		}
		p.wantNames(t, made, "4006381333931 5012345678900 96385074", "brew, char, sencha")
	})
}

func TestRefusedItemChangesNothing(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	made := dbtest.MustItem(t, p.store, p.anna.ID, tea())
	before := p.version(t, p.anna.ID)
	for _, wrong := range []db.ItemChange{
		{SKU: "tea-1", Name: "x", Price: new(int64(-1))},
		{SKU: "tea-1", Name: "x", CostPrice: new(int64(-1))},
		{SKU: "tea-1", Name: "x", ReorderMilli: new(int64(-1))},
		{SKU: "new", Name: "x", Price: new(int64(-1))},
	} {
		err := p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.PutItem(p.anna.ID, wrong, db.MovedByCount)
			return err
		})
		if err == nil || errors.Is(err, db.ErrUnavailable) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	wantItem(t, p.item(t, p.anna.ID, made.ID), toldTea)
	if all := p.items(t, p.anna.ID); all != "Tea" || p.version(t, p.anna.ID) != before {
		t.Errorf("items %s at version %d", all, p.version(t, p.anna.ID))
	}
}

func TestMatchItem(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	put := func(c db.ItemChange) string { return dbtest.MustItem(t, p.store, p.anna.ID, c).ID }
	tea := put(db.ItemChange{Name: "Tea", SKU: "tea-1", Barcodes: []string{"4006381333931", "96385074"}})
	mug := put(db.ItemChange{Name: "Mug", Barcodes: []string{"5012345678900"}})
	jam := put(db.ItemChange{Name: "Jam", SKU: "jam-1"})
	put(db.ItemChange{Name: "JAM", SKU: "jam-2"})
	loaf := put(db.ItemChange{Name: "Loaf"})

	for name, c := range map[string]struct {
		change db.ItemChange
		id     string // "": none
		err    error
	}{
		"BySKU":                     {db.ItemChange{SKU: "tea-1", Name: "x"}, tea, nil},
		"BySKUWithoutCase":          {db.ItemChange{SKU: "TEA-1"}, tea, nil},
		"ByBarcode":                 {db.ItemChange{Barcodes: []string{"5012345678900"}, Name: "Tea"}, mug, nil},
		"ByItsSecondBarcode":        {db.ItemChange{Barcodes: []string{"000", "96385074"}}, tea, nil},
		"ByBarcodeUnderANewSKU":     {db.ItemChange{SKU: "mug-1", Barcodes: []string{"5012345678900"}}, mug, nil},
		"BySKUWithANewBarcode":      {db.ItemChange{SKU: "jam-1", Barcodes: []string{"000"}}, jam, nil},
		"BySKUAndItsOwnBarcodes":    {db.ItemChange{SKU: "tea-1", Barcodes: []string{"96385074", "4006381333931"}}, tea, nil},
		"ByName":                    {db.ItemChange{Name: "Loaf"}, loaf, nil},
		"ByNameWithoutCase":         {db.ItemChange{Name: "LOAF"}, loaf, nil},
		"ByNameOfOneWithCodes":      {db.ItemChange{Name: "tea"}, tea, nil},
		"NotByNameWithASKU":         {db.ItemChange{Name: "Loaf", SKU: "loaf-1"}, "", db.ErrNotFound},
		"NotByNameWithABarcode":     {db.ItemChange{Name: "Loaf", Barcodes: []string{"000"}}, "", db.ErrNotFound},
		"NotByANameOfTwo":           {db.ItemChange{Name: "Jam"}, "", db.ErrConflict},
		"NotByPartOfAName":          {db.ItemChange{Name: "Loa"}, "", db.ErrNotFound},
		"NotByNothing":              {db.ItemChange{}, "", db.ErrNotFound},
		"NotByAnItemsMissingSKU":    {db.ItemChange{SKU: "", Barcodes: []string{"000"}}, "", db.ErrNotFound},
		"NotByABarcodeOfAnotherSKU": {db.ItemChange{SKU: "tea-2", Barcodes: []string{"96385074"}}, "", db.ErrConflict},
		"NeitherOfSKUAndBarcode":    {db.ItemChange{SKU: "jam-1", Barcodes: []string{"5012345678900"}}, "", db.ErrConflict},
		"NeitherOfTwoBarcodes":      {db.ItemChange{Barcodes: []string{"96385074", "5012345678900"}}, "", db.ErrConflict},
		"NeitherThoughOneIsUnknown": {db.ItemChange{SKU: "new", Barcodes: []string{"000", "96385074", "5012345678900"}}, "", db.ErrConflict},
	} {
		t.Run(name, func(t *testing.T) {
			var found db.Item
			err := p.other.View(background, func(tx *db.Tx) (err error) {
				found, err = tx.MatchItem(p.anna.ID, c.change)
				return err
			})
			wantErr(t, err, c.err)
			if found.ID != c.id && c.err == nil {
				t.Errorf("found %s, want %s", found.ID, c.id)
			}
			err = p.store.View(background, func(tx *db.Tx) error {
				_, err := tx.MatchItem(p.ben.ID, c.change)
				return err
			})
			wantErr(t, err, db.ErrNotFound)
		})
	}
}

// TestConflictStoresNothing checks that a caller may continue after a conflict, as an
// import does.
func TestConflictStoresNothing(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	dbtest.MustItem(t, p.store, p.anna.ID, tea())
	mug := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug", Barcodes: []string{"5012345678900"}})
	before := p.version(t, p.anna.ID)
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		_, err := tx.PutItem(p.anna.ID, db.ItemChange{
			Name: "x", SKU: "tea-1", Barcodes: []string{"5012345678900", "111"}, Aliases: []string{"y"}, StockMilli: new(int64(1)),
		}, db.MovedByImport)
		wantErr(t, err, db.ErrConflict)
		return nil
	})
	if all := p.items(t, p.anna.ID); all != "Tea Mug" || p.version(t, p.anna.ID) != before {
		t.Errorf("items %s at version %d", all, p.version(t, p.anna.ID))
	}
	p.wantNames(t, mug, "5012345678900", "")
	p.wantMoves(t, p.anna.ID, "1 Tea count +24500 24500")
}

func TestStockMoves(t *testing.T) {
	t.Parallel()
	t.Run("AddsRowForEachChange", func(t *testing.T) {
		p := newTwoAccounts(t)
		put := func(account db.Account, sku string, stock *int64, reason string) {
			t.Helper()
			item := set(t, p.store, func(tx *db.Tx) (db.Item, error) {
				return tx.PutItem(account.ID, db.ItemChange{Name: sku, SKU: sku, StockMilli: stock}, reason)
			})
			if stock != nil && amount(item.StockMilli) != amount(stock) {
				t.Errorf("stock %s, want %d", amount(item.StockMilli), *stock)
			}
		}
		put(p.anna, "tea", new(int64(5000)), db.MovedByImport)
		put(p.anna, "mug", nil, db.MovedByImport)
		put(p.ben, "tea", new(int64(7)), db.MovedByCount)
		put(p.anna, "tea", new(int64(3000)), db.MovedByCount)
		put(p.anna, "tea", new(int64(3000)), db.MovedByCount) // no change, so no row
		put(p.anna, "tea", nil, db.MovedByCount)
		put(p.anna, "mug", new(int64(0)), db.MovedByCount) // unknown became zero
		put(p.anna, "mug", new(int64(0)), db.MovedByCount)
		put(p.anna, "tea", new(int64(-500)), db.MovedByImport) // sold before it was counted
		put(p.anna, "tea", new(int64(0)), db.MovedByCount)
		p.wantMoves(t, p.anna.ID, "1 tea import +5000 5000", "2 tea count -2000 3000", "3 mug count +0 0", "4 tea import -3500 -500", "5 tea count +500 0")
		p.wantMoves(t, p.ben.ID, "1 tea count +7 7")
		p.wantFaults(t, p.anna.ID)
		p.wantFaults(t, p.ben.ID)
	})
}

func TestStockMoveRows(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("HaveTimeOfChange", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.clock.Advance(time.Hour)
		dbtest.MustItem(t, p.store, p.anna.ID, tea())
		var at int64
		if err := rawOpen(t, p.path).QueryRow(`SELECT created_at FROM stock_moves`).Scan(&at); err != nil || at != p.clock.Now().UnixMilli() {
			t.Errorf("moved at %d (%v), want %d", at, err, p.clock.Now().UnixMilli())
		}
	})

	t.Run("FailureLeavesNoGap", func(t *testing.T) {
		p := newTwoAccounts(t)
		for n, fails := range []bool{false, true, false} {
			c := tea()
			c.StockMilli = new(int64(n))
			err := p.store.Update(background, func(tx *db.Tx) error {
				_, err := tx.PutItem(p.anna.ID, c, db.MovedByCount)
				if err == nil && fails {
					err = errRefused
				}
				return err
			})
			if (err != nil) != fails {
				t.Fatal(err)
			}
		}
		p.wantMoves(t, p.anna.ID, "1 Tea count +0 0", "2 Tea count +2 2")
	})

	t.Run("HaveNoGapsConcurrently", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.atOnce(t, 60, func(i int, tx *db.Tx) error {
			_, err := tx.PutItem(p.anna.ID, db.ItemChange{Name: "x", SKU: fmt.Sprint(i % 3), StockMilli: new(int64(i + 1))}, db.MovedByCount)
			return err
		})
		moves := p.moves(t, p.anna.ID)
		for i, move := range moves {
			if !strings.HasPrefix(move, fmt.Sprintf("%d ", i+1)) {
				t.Errorf("row %d is %s", i+1, move)
			}
		}
		if len(moves) != 60 || p.items(t, p.anna.ID) != "x x x" {
			t.Errorf("%d rows, items %s", len(moves), p.items(t, p.anna.ID))
		}
		p.wantFaults(t, p.anna.ID)
	})
}

func TestStockFaults(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	for name, breaking := range map[string]string{
		"TheStockIsAnother":  `UPDATE items SET stock_milli = stock_milli + 1 WHERE sku = 'tea-1'`,
		"TheStockIsGone":     `UPDATE items SET stock_milli = NULL WHERE sku = 'tea-1'`,
		"AMoveIsGone":        `DELETE FROM stock_moves WHERE seq = 2`,
		"AllMovesAreGone":    `DELETE FROM stock_moves WHERE item_id = (SELECT id FROM items WHERE sku = 'tea-1')`,
		"AMoveIsAnother":     `UPDATE stock_moves SET change_milli = 0 WHERE seq = 1`,
		"AMoveIsOfAnother":   `UPDATE stock_moves SET item_id = 'item_none' WHERE seq = 1`,
		"AMoveIsOfNoAccount": `UPDATE stock_moves SET account_id = 'acct_none' WHERE seq = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			p := newTwoAccounts(t)
			broken := dbtest.MustItem(t, p.store, p.anna.ID, tea())
			dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{SKU: "tea-1", StockMilli: new(int64(7000))})
			dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug", StockMilli: new(int64(9))})
			dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Jam"})
			dbtest.MustItem(t, p.store, p.ben.ID, db.ItemChange{Name: "Tea"})
			p.wantFaults(t, p.anna.ID)
			mustExec(t, rawOpen(t, p.path), breaking)
			p.wantFaults(t, p.anna.ID, broken.ID)
			p.wantFaults(t, p.ben.ID)
		})
	}
}

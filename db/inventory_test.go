package db_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// since reads all changes since a version, in pages.
func (p *twoAccounts) since(t *testing.T, version int64, limit int) (seen string, upTo int64) {
	t.Helper()
	var all []db.Item
	for range 100 {
		var page []db.Item
		dbtest.View(t, p.other, func(tx *db.Tx) (err error) {
			page, _, version, err = tx.ItemsSince(p.anna.ID, version, limit)
			return err
		})
		all = append(all, page...)
		if len(page) < limit {
			return namesOf(all), version
		}
	}
	t.Fatal("the changes do not end")
	return "", 0
}

func (p *twoAccounts) wantSince(t *testing.T, version int64, want string, wantUpTo int64) {
	t.Helper()
	for _, limit := range []int{1, 2, 3, 100} {
		if seen, upTo := p.since(t, version, limit); seen != want || upTo != wantUpTo {
			t.Errorf("since %d in pages of %d: %q up to %d, want %q up to %d", version, limit, seen, upTo, want, wantUpTo)
		}
	}
}

func TestAliasMoves(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	for name, give := range map[string]func(tx *db.Tx, account string, to db.Item) error{
		"ByACorrection": func(tx *db.Tx, account string, to db.Item) error { return tx.AddAlias(account, to.ID, "brew") },
		"ByAnImport": func(tx *db.Tx, account string, to db.Item) error {
			_, err := tx.PutItem(account, db.ItemChange{Name: to.Name, Aliases: []string{"brew"}}, db.MovedByImport)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTwoAccounts(t)
			from := dbtest.MustItem(t, p.store, p.anna.ID, tea())
			dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug"})
			to := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Ale"})
			bens := dbtest.MustItem(t, p.store, p.ben.ID, tea())
			before, bens0 := p.version(t, p.anna.ID), p.version(t, p.ben.ID)

			dbtest.Update(t, p.store, func(tx *db.Tx) error { return give(tx, p.anna.ID, to) })
			p.wantNames(t, from, "4006381333931 96385074", "char")
			p.wantNames(t, to, "", "brew")
			p.wantNames(t, bens, "4006381333931 96385074", "brew, char")
			p.wantSince(t, before, "Tea Ale", before+2)

			// An alias that the item has already changes nothing.
			dbtest.Update(t, p.store, func(tx *db.Tx) error { return give(tx, p.anna.ID, to) })
			p.wantSince(t, before+2, "", before+2)
			if p.version(t, p.ben.ID) != bens0 {
				t.Error("the other account's inventory has changed")
			}
		})
	}

	t.Run("RefusesOtherAccountsItem", func(t *testing.T) {
		p := newTwoAccounts(t)
		mine := dbtest.MustItem(t, p.store, p.anna.ID, tea())
		before := p.version(t, p.anna.ID)
		for _, account := range []string{p.ben.ID, "acct_none", ""} {
			err := p.store.Update(background, func(tx *db.Tx) error { return tx.AddAlias(account, mine.ID, "x") })
			if err == nil {
				t.Errorf("account %q gave an alias", account)
			}
		}
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.AddAlias(p.anna.ID, "item_none", "brew") }), db.ErrNotFound)
		p.wantNames(t, mine, "4006381333931 96385074", "brew, char")
		if p.version(t, p.anna.ID) != before || p.version(t, p.ben.ID) != 0 {
			t.Error("a refused alias changed a version")
		}
	})
}

func TestAliasOfAnItem(t *testing.T) {
	t.Parallel()
	byAlias := func(t *testing.T, p *twoAccounts, account db.Account, alias, want string) {
		t.Helper()
		err := p.other.View(background, func(tx *db.Tx) error {
			i, err := tx.ItemByAlias(account.ID, alias)
			if i.ID != want {
				t.Errorf("%s of %s is %+v, want %s", alias, account.Email, i, want)
			}
			return err
		})
		if want == "" {
			wantErr(t, err, db.ErrNotFound)
		} else {
			wantErr(t, err, nil)
		}
	}
	remove := func(p *twoAccounts, account db.Account, item, alias string) error {
		return p.store.Update(background, func(tx *db.Tx) error { return tx.RemoveAlias(account.ID, item, alias) })
	}

	t.Run("FindsItemUntilRemoved", func(t *testing.T) {
		p := newTwoAccounts(t)
		mine, theirs := dbtest.MustItem(t, p.store, p.anna.ID, tea()), dbtest.MustItem(t, p.store, p.ben.ID, tea())
		mug := dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug"})
		byAlias(t, p, p.anna, "brew", mine.ID)
		byAlias(t, p, p.ben, "brew", theirs.ID)
		byAlias(t, p, p.anna, "96385074", "") // a barcode is not an alias
		byAlias(t, p, p.anna, "Tea", "")      // nor is its own name

		for _, err := range []error{
			remove(p, p.anna, mug.ID, "brew"), remove(p, p.ben, mine.ID, "brew"), remove(p, p.anna, mine.ID, "96385074"),
			remove(p, p.anna, mine.ID, "none"), remove(p, p.anna, "item_none", "brew"),
		} {
			wantErr(t, err, db.ErrNotFound)
		}
		before := p.version(t, p.anna.ID)
		p.wantSince(t, 0, "Tea Mug", before)
		wantErr(t, remove(p, p.anna, mine.ID, "brew"), nil)
		byAlias(t, p, p.anna, "brew", "")
		byAlias(t, p, p.ben, "brew", theirs.ID)
		p.wantNames(t, mine, "4006381333931 96385074", "char")
		p.wantSince(t, before, "Tea", before+1)
	})

	t.Run("RefusesOwnNameOfOtherItem", func(t *testing.T) {
		p := newTwoAccounts(t)
		mine := dbtest.MustItem(t, p.store, p.anna.ID, tea())
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "Mug"})
		dbtest.MustItem(t, p.store, p.ben.ID, db.ItemChange{Name: "Cup"})
		for alias, want := range map[string]error{"mug": db.ErrConflict, "tea": nil, "cup": nil} {
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.AddAlias(p.anna.ID, mine.ID, alias) }), want)
		}
		p.wantNames(t, mine, "4006381333931 96385074", "brew, char, cup, tea")
	})
}

func TestItemsSince(t *testing.T) {
	t.Parallel()
	t.Run("InOrderOfChanges", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.wantSince(t, 0, "", 0)
		for _, name := range []string{"a", "b", "c", "d"} {
			dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: name})
		}
		dbtest.MustItem(t, p.store, p.ben.ID, db.ItemChange{Name: "a"})
		p.wantSince(t, 0, "a b c d", 4)
		p.wantSince(t, 2, "c d", 4)
		p.wantSince(t, 4, "", 4)
		// Only changed names change the version.
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{
			Name: "c", Unit: "kg", Category: "x", Price: new(int64(1)), CostPrice: new(int64(1)), StockMilli: new(int64(1)), ReorderMilli: new(int64(1)),
		})
		p.wantSince(t, 4, "", 4)
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "B"})
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "a", Aliases: []string{"first"}})
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "d", Barcodes: []string{"000"}}) // a new item
		p.wantSince(t, 0, "c d B a d", 7)
		p.wantSince(t, 4, "B a d", 7)
		p.wantSince(t, 6, "d", 7)
		dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{SKU: "d-1", Barcodes: []string{"000"}})
		p.wantSince(t, 7, "d", 8)
	})
}

// TestItemsSinceWhileOthersWrite checks that a mirror which follows the pages equals the
// inventory at any time, without a gap or a repetition.
func TestItemsSinceWhileOthersWrite(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	var writers sync.WaitGroup
	for w, store := range []*db.DB{p.store, p.other} {
		writers.Go(func() {
			for i := range 60 {
				change := db.ItemChange{Name: fmt.Sprint(i * 7 % 11), Aliases: []string{fmt.Sprint((i + w) % 5)}}
				if err := store.RelaxedUpdate(background, func(tx *db.Tx) error {
					item, err := tx.PutItem(p.anna.ID, change, db.MovedByCount)
					if err == nil && i%4 == 0 {
						err = tx.RemoveItem(item)
					}
					return err
				}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	ended := make(chan struct{})
	go func() { writers.Wait(); close(ended) }()
	m := mirror{aliases: map[string]string{}}
	for running := true; running; {
		select {
		case <-ended:
			running = false
		default:
		}
		for pages := 0; !m.follow(t, p, 3); pages++ {
			if pages > 200 {
				t.Fatal("the changes do not end")
			}
		}
	}
	if len(m.aliases) == 0 || m.version != p.version(t, p.anna.ID) {
		t.Errorf("%d items at version %d", len(m.aliases), m.version)
	}
}

// mirror is a copy of the items that is kept by ItemsSince alone.
type mirror struct {
	version int64
	aliases map[string]string
}

// follow applies one page. After the last one it compares the mirror in the same snapshot.
func (m *mirror) follow(t *testing.T, p *twoAccounts, limit int) (done bool) {
	t.Helper()
	dbtest.View(t, p.store, func(tx *db.Tx) error {
		before := m.version
		page, removed, upTo, err := tx.ItemsSince(p.anna.ID, before, limit)
		if err != nil {
			return err
		}
		for _, id := range removed {
			delete(m.aliases, id)
		}
		for _, i := range page {
			names, err := tx.Aliases(i)
			if err != nil {
				return err
			}
			m.aliases[i.ID] = fmt.Sprint(names)
		}
		m.version, done = upTo, len(page) < limit
		if upTo < before+int64(len(page)) {
			t.Errorf("%d changes from version %d to %d", len(page), before, upTo)
		}
		if !done {
			return nil
		}
		all, err := tx.Items(p.anna.ID, "", 100)
		if len(all) != len(m.aliases) {
			t.Errorf("%d items, the mirror has %d", len(all), len(m.aliases))
		}
		for _, i := range all {
			names, err := tx.Aliases(i)
			if m.aliases[i.ID] != fmt.Sprint(names) || err != nil {
				t.Errorf("item %s has the names %s (%v), the mirror says %s", i.Name, names, err, m.aliases[i.ID])
			}
		}
		return err
	})
	return done
}

func TestItemsInPages(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	var want []string
	for i := range 5 {
		want = append(want, dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: fmt.Sprint(i)}).ID)
		dbtest.MustItem(t, p.store, p.ben.ID, db.ItemChange{Name: "ben's"})
	}
	dbtest.MustItem(t, p.store, p.anna.ID, db.ItemChange{Name: "0", Unit: "kg"}) // a change does not move it
	for _, limit := range []int{1, 2, 5, 6} {
		var got []string
		after, pages := "", 0
		for more := true; more && pages <= 6; pages++ {
			page := get(t, p.other, func(tx *db.Tx) ([]db.Item, error) { return tx.Items(p.anna.ID, after, limit) })
			for _, i := range page {
				got, after = append(got, i.ID), i.ID
			}
			more = len(page) == limit
		}
		if !slices.Equal(got, want) || pages != 5/limit+1 {
			t.Errorf("%d pages of %d: %v, want %v", pages, limit, got, want)
		}
	}
}

// TestInventoriesApart checks that two accounts may have the same SKU, barcode, name and
// alias.
func TestInventoriesApart(t *testing.T) {
	t.Parallel()
	p := newTwoAccounts(t)
	mine := dbtest.MustItem(t, p.store, p.anna.ID, tea())
	before := p.version(t, p.anna.ID)
	if same := p.found(t, p.ben.ID, mine); same != "" {
		t.Errorf("an account without items finds another's by %s", same)
	}
	if p.version(t, p.ben.ID) != 0 || p.items(t, p.ben.ID) != "" {
		t.Error("an account without items has some")
	}

	theirs := set(t, p.store, func(tx *db.Tx) (db.Item, error) {
		c := tea()
		c.Name, c.StockMilli = "TEA", new(int64(1))
		return tx.PutItem(p.ben.ID, c, db.MovedByImport)
	})
	if theirs.ID == mine.ID || theirs.AccountID != p.ben.ID {
		t.Errorf("the second account's item is %+v", theirs)
	}
	wantItem(t, p.item(t, p.anna.ID, mine.ID), toldTea)
	p.wantNames(t, mine, "4006381333931 96385074", "brew, char")
	p.wantNames(t, theirs, "4006381333931 96385074", "brew, char")
	p.wantMoves(t, p.anna.ID, "1 Tea count +24500 24500")
	p.wantMoves(t, p.ben.ID, "1 TEA import +1 1")
	if p.version(t, p.anna.ID) != before || p.version(t, p.ben.ID) != before {
		t.Error("one account's change raised the other's version")
	}
	for account, want := range map[string]string{p.anna.ID: "id sku barcode name list changes codes", p.ben.ID: ""} {
		if got := p.found(t, account, mine); got != want {
			t.Errorf("%s finds the item of %s by %q, want %q", account, p.anna.ID, got, want)
		}
	}
	for _, code := range []string{"", "char"} { // an alias is not a barcode, an empty text is not a SKU
		for _, find := range []func(*db.Tx, string, string) (db.Item, error){(*db.Tx).ItemBySKU, (*db.Tx).ItemByBarcode} {
			wantErr(t, p.store.View(background, func(tx *db.Tx) error {
				_, err := find(tx, p.anna.ID, code)
				return err
			}), db.ErrNotFound)
		}
	}
}

// found lists the ways in which an account finds the item.
func (p *twoAccounts) found(t *testing.T, accountID string, item db.Item) string {
	t.Helper()
	var ways []string
	dbtest.View(t, p.other, func(tx *db.Tx) error {
		try := func(way string, found db.Item, err error) {
			if err == nil && found.ID == item.ID {
				ways = append(ways, way)
			}
		}
		i, err := tx.Item(accountID, item.ID)
		try("id", i, err)
		i, err = tx.ItemBySKU(accountID, item.SKU)
		try("sku", i, err)
		i, err = tx.ItemByBarcode(accountID, "4006381333931")
		try("barcode", i, err)
		i, err = tx.MatchItem(accountID, db.ItemChange{Name: item.Name})
		try("name", i, err)

		all, err := tx.Items(accountID, "", 100)
		for _, i := range all {
			try("list", i, err)
		}
		all, _, _, err = tx.ItemsSince(accountID, 0, 100)
		for _, i := range all {
			try("changes", i, err)
		}
		codes, err := tx.Barcodes(db.Item{ID: item.ID, AccountID: accountID})
		if len(codes) > 0 {
			try("codes", item, err)
		}
		return nil
	})
	return strings.Join(ways, " ")
}

// TestItemQueriesUseIndexes checks the query plans: an inventory may have a hundred
// thousand items, and an import runs these queries for each row.
func TestItemQueriesUseIndexes(t *testing.T) {
	t.Parallel()
	raw, looked := rawOpen(t, newTwoAccounts(t).path), 0
	for _, declared := range declaredStatements(t) {
		text := declared.text
		ofItems := strings.Contains(text, "FROM items") || strings.Contains(text, "item_codes") || strings.Contains(text, "import_rows")
		whole := strings.Contains(text, "sum(") || strings.Contains(text, "count(*)")     // checks of all stocks and prices
		erases := strings.HasPrefix(text, "DELETE") && strings.Contains(text, "LIMIT $2") // a deleted account's, in chunks
		searches := strings.Contains(text, "mentions(")                                   // of a person, who waits for one page
		if !ofItems || whole || erases || searches {
			continue
		}
		looked++
		rows, err := raw.Query("EXPLAIN QUERY PLAN "+text, make([]any, 12)...)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
			var id, parent, unused int
			var step string
			if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
				t.Fatal(err)
			}
			// An index by account alone reads all of its items.
			if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "(account_id=?)") || strings.Contains(step, "B-TREE") {
				t.Errorf("%s in%s", step, text)
			}
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	if looked < 12 {
		t.Errorf("only %d statements checked", looked)
	}
}

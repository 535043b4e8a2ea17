package inventory_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/inventory"
	"svc/server/sheet"
)

// mustPreview is PreviewFile; it fails the test on an error.
func (s *shop) mustPreview(t *testing.T, owner db.Account, content string) inventory.Preview {
	t.Helper()
	p, err := s.PreviewFile(db.WithActor(t.Context(), owner.ID), owner, fileOf(content))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// staged returns the rows of a preview, one per line.
func (s *shop) preview(t *testing.T, p inventory.Preview, outcome string) string {
	t.Helper()
	found, err := s.Staged(t.Context(), s.anna.ID, p.ID, outcome, 0, 100)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, row := range found.Shown {
		fmt.Fprintf(&out, "%d %s %s:", row.Line, row.Outcome, row.Name)
		for _, c := range row.Changes {
			fmt.Fprintf(&out, " %s %s>%s", c.Field, c.From, c.To)
		}
		out.WriteString("\n")
	}
	return out.String()
}

func hasCode(t *testing.T, err error, code fault.Code) {
	t.Helper()
	var sorted *fault.Error
	if !errors.As(err, &sorted) || sorted.Code != code {
		t.Errorf("error %v, want %s", err, code)
	}
}

const newList = "name,sku,price,stock_qty\nTea,t,4.50,3\nMug,m,7,\nJam,j,2.00,9\n"

func TestPreviewAndConfirm(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku,price,stock_qty\nTea,t,4.00,3\nMug,m,7,1\n", false)
	s.mustImport(t, s.ben, "name,sku,price,stock_qty\nTea,t,1.00,3\n", false)

	p := s.mustPreview(t, s.anna, newList)
	want := "2 changed Tea: price 4.00>4.50\n3 same Mug:\n4 added Jam: sku >j price >2.00 stock_qty >9\n"
	if got := s.preview(t, p, ""); got != want || p.Added != 1 || p.Changed != 1 || p.Same != 1 || p.Columns["price"] != "price" {
		t.Errorf("preview\n%swant\n%s%+v", got, want, p)
	}
	if got := s.preview(t, p, inventory.RowAdded); got != "4 added Jam: sku >j price >2.00 stock_qty >9\n" {
		t.Errorf("added: %s", got)
	}
	if found := s.names(t, s.anna); found != "Mug Tea" {
		t.Errorf("stored before the confirmation: %s", found)
	}
	_, err := s.Confirm(t.Context(), s.ben, p.ID, 0)
	hasCode(t, err, fault.NotFound)
	_, err = s.Staged(t.Context(), s.ben.ID, p.ID, "", 0, 10)
	hasCode(t, err, fault.NotFound)
	_, err = s.Progress(t.Context(), s.anna.ID, p.ID)
	hasCode(t, err, fault.NotFound)

	s.open(t) // as after a restart
	if changed, err := s.Confirm(t.Context(), s.anna, p.ID, 0); err != nil || changed {
		t.Fatalf("confirm: changed %v, %v", changed, err)
	}
	if found := s.names(t, s.anna); found != "Jam Mug Tea" {
		t.Errorf("after the confirmation: %s", found)
	}
	if found := s.names(t, s.ben); found != "Tea" {
		t.Errorf("ben has: %s", found)
	}
	_, moves, err := s.Find(t.Context(), s.anna.ID, "j", 5)
	if err != nil || len(moves) != 1 || moves[0].Actor != s.anna.ID || moves[0].Reason != db.MovedByImport {
		t.Errorf("moves of jam: %+v %v", moves, err)
	}
	done, err := s.Progress(t.Context(), s.anna.ID, p.ID)
	if err != nil || done.Left != 0 || done.LeftOut != 0 || done.Added != 1 || done.EndedAt.IsZero() || done.File != "products.csv" || done.Actor != s.anna.ID {
		t.Errorf("progress: %+v %v", done, err)
	}
	_, err = s.Progress(t.Context(), s.ben.ID, p.ID)
	hasCode(t, err, fault.NotFound)
	all, err := s.PastImports(t.Context(), s.anna.ID, 5)
	if err != nil || len(all) != 2 || all[0].ID != p.ID || all[1].Added != 2 {
		t.Errorf("past imports: %+v %v", all, err)
	}
	_, err = s.Confirm(t.Context(), s.anna, p.ID, 0)
	hasCode(t, err, fault.NotFound)
}

// What would happen has changed between the preview and its confirmation.
func TestConfirmAfterAChange(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku,price,stock_qty\nTea,t,4.50,3\nMug,m,7,1\n", false)
	p := s.mustPreview(t, s.anna, newList)

	// A sale of tea: the file would set its stock back. A new jam: it would be changed.
	s.mustImport(t, s.anna, "name,sku,price,stock_qty\nTea,t,,2\nJam,j,1.50,9\n", false)
	if changed, err := s.Confirm(t.Context(), s.anna, p.ID, 0); err != nil || !changed {
		t.Fatalf("confirm: changed %v, %v", changed, err)
	}
	want := "2 changed Tea: stock_qty 2>3\n3 same Mug:\n4 changed Jam: price 1.50>2.00\n"
	if got := s.preview(t, p, ""); got != want {
		t.Errorf("preview\n%swant\n%s", got, want)
	}
	if found, err := s.Staged(t.Context(), s.anna.ID, p.ID, "", 0, 10); err != nil || found.Added != 0 || found.Changed != 2 || found.Same != 1 {
		t.Errorf("counts %+v %v", found.Preview, err)
	}
	// A further sale changes what the stock was before, not what becomes of it.
	s.mustImport(t, s.anna, "name,sku,stock_qty\nTea,t,1\n", false)
	if changed, err := s.Confirm(t.Context(), s.anna, p.ID, 0); err != nil || changed {
		t.Errorf("confirm again: changed %v, %v", changed, err)
	}
}

func TestConfirmAfterAConflict(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku\nTea,t\n", false)
	p := s.mustPreview(t, s.anna, "name,sku,price\n,t,2.00\n")
	if _, err := s.Remove(t.Context(), s.anna.ID, "t"); err != nil {
		t.Fatal(err)
	}
	_, err := s.Confirm(t.Context(), s.anna, p.ID, 0)
	hasCode(t, err, fault.Conflict)
	if !strings.Contains(err.Error(), "line 2 has no name") {
		t.Errorf("error: %v", err)
	}
	if found := s.names(t, s.anna); found != "" {
		t.Errorf("stored: %s", found)
	}
}

func TestPreviewWithFaults(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku,barcode\nTea,t,\nMug,m,4006381333931\n", false)
	for content, want := range map[string]string{
		"name,price\nTea,abc\n":                        "line 2",
		"name,sku,barcode\nTea,t,4006381333931\n":      "point to different items",
		"name,sku\n,unknown\n":                         "line 2: has no name",
		"name,sku,price\nTea,t,x\nMug,t,2\nJam,j,-1\n": "line 4",
	} {
		p := s.mustPreview(t, s.anna, content)
		if p.ID != "" || len(p.Errors) == 0 || !strings.Contains(fmt.Sprint(p.Errors), want) {
			t.Errorf("%q: %+v", content, p)
		}
	}
	_, err := s.PreviewFile(t.Context(), s.anna, fileOf("hello\n"))
	if fault, ok := errors.AsType[*sheet.Error](err); !ok {
		t.Errorf("no list: %v %v", err, fault)
	}
	var left int
	if err := s.raw(t).QueryRow(`SELECT (SELECT count(*) FROM imports) + (SELECT count(*) FROM import_rows)`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows left, %v", left, err)
	}
}

func TestPreviewsEnd(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var all []inventory.Preview
	for range 4 {
		all = append(all, s.mustPreview(t, s.anna, newList))
	}
	waits := func(p inventory.Preview) bool {
		_, err := s.Staged(t.Context(), s.anna.ID, p.ID, "", 0, 1)
		return err == nil
	}
	if waits(all[0]) || !waits(all[1]) || !waits(all[3]) {
		t.Error("not the newest three are kept")
	}
	_, err := s.Staged(t.Context(), s.ben.ID, all[3].ID, "", 0, 1)
	hasCode(t, err, fault.NotFound)
	hasCode(t, s.Discard(t.Context(), s.ben.ID, all[3].ID), fault.NotFound)
	if err := s.Discard(t.Context(), s.anna.ID, all[3].ID); err != nil || waits(all[3]) {
		t.Errorf("discard: %v", err)
	}
	s.clock.Advance(25 * 60 * 60 * 1e9)
	if err := s.Sweep(t.Context()); err != nil || waits(all[1]) {
		t.Errorf("after a day: %v", err)
	}
	_, err = s.Confirm(t.Context(), s.anna, all[1].ID, 0)
	hasCode(t, err, fault.NotFound)
}

// A file of several pages is staged, listed and applied as a whole, in its order.
func TestPreviewPages(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	var file strings.Builder
	file.WriteString("name,sku,price\n")
	for n := range 130 {
		fmt.Fprintf(&file, "Item %d,s%d,1.00\n", n, n)
	}
	p := s.mustPreview(t, s.anna, file.String())
	seen, pages := 0, 0
	for from := 0; ; pages++ {
		found, err := s.Staged(t.Context(), s.anna.ID, p.ID, inventory.RowAdded, from, 50)
		if err != nil {
			t.Fatal(err)
		}
		seen += len(found.Shown)
		if from = found.Next; from == 0 {
			break
		}
	}
	if seen != 130 || pages != 2 {
		t.Errorf("%d rows on %d further pages", seen, pages)
	}
	if changed, err := s.Confirm(t.Context(), s.anna, p.ID, 0); changed || err != nil {
		t.Fatal(changed, err)
	}
	again := s.mustPreview(t, s.anna, file.String())
	if again.Same != 130 {
		t.Errorf("again: %+v", again)
	}
	dbtest.View(t, s.Store, func(tx *db.Tx) error {
		counts, err := tx.CountItems(s.anna.ID, db.ItemFilter{})
		if counts.All != 130 {
			t.Errorf("%d items", counts.All)
		}
		return err
	})
}

// names returns the names of an account's items, in order.
func (s *shop) names(t *testing.T, owner db.Account) string {
	t.Helper()
	var names []string
	for _, e := range s.entries(t, owner) {
		names = append(names, e.Name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

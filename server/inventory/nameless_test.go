package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/inventory"
)

// A row without a name changes the item with its code, and is an error if there is none.
func TestImportWithoutNamesChangesKnownItems(t *testing.T) {
	store := dbtest.Open(t, dbtest.NewClock())
	s := inventory.New(inventory.Config{Store: store})
	owner := dbtest.MustAccount(t, store, "anna@example.com", db.Free)
	mustImport := func(content string) inventory.Report {
		t.Helper()
		r, err := s.Import(t.Context(), owner, inventory.File{Name: "x.csv", Content: strings.NewReader(content), Size: int64(len(content))}, false)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	mustImport("Name,SKU,EAN,Price\nTea,t1,,400\nMug,,4006381333931,900\n")

	r := mustImport("SKU,Price\nt1,450\nt2,100\n")
	if len(r.Errors) != 1 || r.Errors[0].Error() != "line 3: has no name, and the inventory does not know it" {
		t.Errorf("got %v, want an error on line 3", r.Errors)
	}
	if r := mustImport("Name,SKU,EAN,Price\n,t1,,450\n,,4006381333931,950\nJam,j1,,300\n"); len(r.Errors) > 0 {
		t.Errorf("got %v, want no errors", r.Errors)
	}
	var got []string
	err := s.Each(t.Context(), owner.ID, func(e inventory.Entry) error {
		got = append(got, fmt.Sprint(e.Name, " ", *e.Price))
		return nil
	})
	if want := "Tea 45000, Mug 95000, Jam 30000"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v: got %s, want %s", err, got, want)
	}

	unknown := "SKU,Price\n"
	for i := range 250 {
		unknown += fmt.Sprintf("u%d,1\n", i)
	}
	if r := mustImport(unknown); len(r.Errors) != 100 || !r.More {
		t.Errorf("got %d errors, more %v; want 100, true", len(r.Errors), r.More)
	}
}

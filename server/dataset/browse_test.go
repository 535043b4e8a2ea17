package dataset_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/server/dataset"
)

const browsed = "Date,Item,Qty,Unit price,Note\n2026-01-05,Crème brûlée,2,3.40,\n2026-02-06,Mug,10,12.00,gift wrapped\n2026-02-07,flat white,,3.40,gift\n2026-01-05,Tea,1,1204.50,\n"

// numbers returns the numbers of rows in their order.
func numbers(found dataset.Looked) (all []int64) {
	for _, row := range found.Rows {
		all = append(all, row.Number)
	}
	return all
}

// A look sorts by a column with blank cells last, and finds words, figures and days.
func TestBrowse(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	source := d.mustImport("till.csv", browsed)
	for _, c := range []struct {
		look dataset.Look
		want []int64
	}{
		{dataset.Look{}, []int64{1, 2, 3, 4}},
		{dataset.Look{Limit: 2}, []int64{1, 2}},
		{dataset.Look{After: 2}, []int64{3, 4}},
		{dataset.Look{Sort: "Qty"}, []int64{4, 1, 2, 3}},
		{dataset.Look{Sort: "-qty"}, []int64{2, 1, 4, 3}},
		{dataset.Look{Sort: "-Unit price"}, []int64{4, 2, 1, 3}},
		{dataset.Look{Sort: "-price"}, []int64{4, 2, 1, 3}}, // by its role
		{dataset.Look{Sort: "Item"}, []int64{1, 3, 2, 4}},
		{dataset.Look{Sort: "Date", Skip: 1, Limit: 2}, []int64{4, 2}},
		{dataset.Look{Search: "creme BRÛ"}, []int64{1}},
		{dataset.Look{Search: "gift"}, []int64{2, 3}},
		{dataset.Look{Search: "gift white"}, []int64{3}},
		{dataset.Look{Search: "gift", Sort: "-Date"}, []int64{3, 2}},
		{dataset.Look{Search: "gift", Limit: 1, After: 2}, []int64{3}},
		{dataset.Look{Search: "3.4"}, []int64{1, 3}},
		{dataset.Look{Search: "1,204.50"}, []int64{4}},
		{dataset.Look{Search: "2026-02"}, []int64{2, 3}},
		{dataset.Look{Search: "%"}, nil},
		{dataset.Look{Search: "\"flat white\""}, []int64{3}},
		{dataset.Look{Search: "\"white flat\""}, nil},
		{dataset.Look{Search: "“gift” white"}, []int64{3}},
		{dataset.Look{Search: "\"gift"}, []int64{2, 3}},
		{dataset.Look{Search: "6 Feb 2026"}, []int64{2}},
		{dataset.Look{Search: "february 2026 mug"}, []int64{2}},
		{dataset.Look{Search: "January 5, 2026 tea"}, []int64{4}},
		{dataset.Look{Search: "\"5 Jan 2026\""}, []int64{1, 4}},
		{dataset.Look{Search: "  "}, []int64{1, 2, 3, 4}},
		{dataset.Look{Search: "£1,204.50"}, []int64{4}},
		{dataset.Look{Search: "* ' OR"}, nil},
	} {
		if c.look.Limit == 0 {
			c.look.Limit = 50
		}
		found, err := d.service.Browse(t.Context(), d.owner.ID, source.ID, c.look)
		if err != nil || !slices.Equal(numbers(found), c.want) || found.Total != 4 {
			t.Errorf("%+v: rows %d, %v, want %d", c.look, numbers(found), err, c.want)
		}
	}
	if _, err := d.service.Browse(t.Context(), d.owner.ID, "", dataset.Look{Sort: "Price of tea", Limit: 1}); !errors.Is(err, dataset.ErrHeading) {
		t.Errorf("no such column: %v", err)
	}
	if _, err := d.service.Browse(t.Context(), d.owner.ID, "", dataset.Look{Sort: "Qty", Skip: 20_000, Limit: 1}); !errors.Is(err, dataset.ErrSkip) {
		t.Errorf("far behind: %v", err)
	}
	if _, err := d.service.Browse(t.Context(), "acct_other", source.ID, dataset.Look{Limit: 1}); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("another account: %v", err)
	}
}

// A search that has no time looks at a part, says so, and goes on from there to the end. So does
// an order, whose rows come in the order of the file.
func TestBrowseStopsInTime(t *testing.T) {
	t.Parallel()
	d := newFixture(t)
	var text strings.Builder
	text.WriteString("Date,Order,Total\n")
	const rows = 60_000
	for n := 1; n <= rows; n++ {
		fmt.Fprintf(&text, "2026-01-%02d,X%06d,%d.00\n", n%28+1, n, n%97)
	}
	source := d.mustImport("long.csv", text.String())
	look := dataset.Look{Search: "X0599", Limit: 50, Within: 1} // a nanosecond
	var all []int64
	looks := 0
	for more := true; more; looks++ {
		found, err := d.service.Browse(t.Context(), d.owner.ID, source.ID, look)
		if err != nil || found.Searched <= look.After || looks > 10 {
			t.Fatalf("from %d: %d searched, %v", look.After, found.Searched, err)
		}
		all, more, look.After = append(all, numbers(found)...), found.More, found.Searched
	}
	if len(all) != 100 || all[0] != 59_900 || all[99] != 59_999 || looks < 4 {
		t.Errorf("%d rows in %d looks", len(all), looks)
	}
	found, err := d.service.Browse(t.Context(), d.owner.ID, source.ID, dataset.Look{Sort: "Total", Limit: 3, Within: 1})
	if err != nil || !found.Unsorted || !slices.Equal(numbers(found), []int64{1, 2, 3}) {
		t.Errorf("an order without time: %d, %v, unsorted %v", numbers(found), err, found.Unsorted)
	}
	found, err = d.service.Browse(t.Context(), d.owner.ID, source.ID, dataset.Look{Sort: "-Total", Search: "2026-01-02", Limit: 3})
	if err != nil || found.Unsorted || len(found.Rows) != 3 || !found.More {
		t.Errorf("an order of what is found: %d, %v", numbers(found), err)
	}
}

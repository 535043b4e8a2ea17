package inventory_test

import (
	"errors"
	"strings"
	"testing"

	"svc/db"
	"svc/server/fault"
	"svc/server/inventory"
)

func TestAdd(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	add := func(e inventory.Edit) (inventory.Entry, error) {
		return s.Add(db.WithActor(t.Context(), s.anna.ID), s.anna, e)
	}
	tea, err := add(inventory.Edit{Name: new("Tea"), SKU: new("t-1"), Barcodes: new("4006381333931"), Price: new("4.50"), Stock: new("12"), ReorderPoint: new("3")})
	if err != nil || tea.Name != "Tea" || *tea.Price != 450 || *tea.StockMilli != 12_000 || *tea.ReorderMilli != 3_000 || len(tea.Barcodes) != 1 {
		t.Fatalf("added %+v, %v", tea, err)
	}
	if _, moves, err := s.Find(t.Context(), s.anna.ID, tea.ID, 5); err != nil || len(moves) != 1 || moves[0].Actor != s.anna.ID || moves[0].Reason != db.MovedByCount {
		t.Errorf("moves %+v, %v", moves, err)
	}
	if mug, err := add(inventory.Edit{Name: new(" Mug "), Stock: new("")}); err != nil || mug.Name != "Mug" || mug.StockMilli != nil {
		t.Errorf("a name alone: %+v, %v", mug, err)
	}
	if _, err := add(inventory.Edit{Name: new("Tea"), SKU: new("t-2")}); err != nil {
		t.Errorf("the same name with another SKU: %v", err)
	}
	for field, e := range map[string]inventory.Edit{
		"name":          {Name: new("mug"), Price: new("1")},
		"sku":           {Name: new("Jam"), SKU: new("T-1")},
		"barcodes":      {Name: new("Jam"), Barcodes: new("4006381333931")},
		"price":         {Name: new("Jam"), Price: new("-1")},
		"cost":          {Name: new("Jam"), CostPrice: new("x")},
		"stock":         {Name: new("Jam"), Stock: new("many")},
		"reorder-point": {Name: new("Jam"), ReorderPoint: new("-2")},
	} {
		_, err := add(e)
		if sorted, ok := errors.AsType[*fault.Error](err); !ok || sorted.Field != field {
			t.Errorf("%s: %v", field, err)
		}
	}
	if _, err := add(inventory.Edit{}); err == nil || !strings.Contains(err.Error(), "must not be blank") {
		t.Errorf("without a name: %v", err)
	}
	if got := s.names(t, s.anna); got != "Mug Tea Tea" {
		t.Errorf("stored: %s", got)
	}
}

func TestCountAndAddBarcode(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku,stock_qty\nTea,t,\nMug,m,1\n", false)
	for _, row := range []struct {
		stock, note, problem string
		want                 int64
	}{
		{"7.5", " shelf  count ", "", 7_500},
		{"-1", "", "", -1_000},
		{"", "", "stock", 0},
		{"many", "", "stock", 0},
		{"1", strings.Repeat("x", 201), "reason", 0},
	} {
		e, err := s.Count(db.WithActor(t.Context(), "anna"), s.anna, "t", row.stock, row.note)
		sorted, _ := errors.AsType[*fault.Error](err)
		if row.problem == "" && (err != nil || *e.StockMilli != row.want) || row.problem != "" && (sorted == nil || sorted.Field != row.problem) {
			t.Errorf("%q: %+v, %v", row.stock, e, err)
		}
	}
	_, moves, err := s.Find(t.Context(), s.anna.ID, "t", 5)
	if err != nil || len(moves) != 2 || moves[1].Note != "shelf count" || moves[1].Actor != "anna" {
		t.Errorf("moves %+v, %v", moves, err)
	}
	if _, err := s.Count(t.Context(), s.ben, "t", "1", ""); !errors.Is(err, db.ErrNotFound) {
		t.Errorf("ben counts: %v", err)
	}

	for _, code := range []string{"4006381333931", "4006381333931", "96385074"} {
		if _, err := s.AddBarcode(t.Context(), s.anna.ID, "t", code); err != nil {
			t.Errorf("%s: %v", code, err)
		}
	}
	if e, _, err := s.Find(t.Context(), s.anna.ID, "t", 1); err != nil || len(e.Barcodes) != 2 {
		t.Errorf("barcodes %v, %v", e.Barcodes, err)
	}
	for _, row := range [][2]string{{"m", "4006381333931"}, {"m", "4006381333932"}, {"m", ""}, {"m", "96385074 36000291452"}} {
		if _, err := s.AddBarcode(t.Context(), s.anna.ID, row[0], row[1]); err == nil {
			t.Errorf("%v was added", row)
		}
	}
}

func TestList(t *testing.T) {
	t.Parallel()
	s := newShop(t)
	s.mustImport(t, s.anna, "name,sku,stock_qty\nTea,t,\nMug,m,1\nJam,j,9\n", false)
	l, err := s.List(t.Context(), s.anna.ID, db.ItemFilter{}, 2)
	if err != nil || len(l.Items) != 2 || !l.More || l.Counts.All != 3 || l.Counts.Low != 1 {
		t.Errorf("first page %+v, %v", l, err)
	}
	l, err = s.List(t.Context(), s.anna.ID, db.ItemFilter{Offset: 2}, 2)
	if err != nil || len(l.Items) != 1 || l.More || l.Items[0].Name != "Tea" {
		t.Errorf("last page %+v, %v", l, err)
	}
	if l, err = s.List(t.Context(), s.ben.ID, db.ItemFilter{}, 2); err != nil || len(l.Items) != 0 {
		t.Errorf("ben's %+v, %v", l, err)
	}
}

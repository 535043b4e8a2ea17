package cmd_test

import (
	"fmt"
	"strings"
	"testing"
)

// stocked returns a folder with a shop that has the product list.
func stocked(t testing.TB) *folder {
	t.Helper()
	f := withShop(t)
	f.ok("inventory", "import", "products.csv")
	return f
}

func (f *folder) item(name string) map[string]any {
	f.Helper()
	return f.object("inventory", "show", name)
}

func TestInventorySet(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	id := f.item("COF-250")["id"].(string)
	contains(t, f.ok("inventory", "set", "cof-250", "--price", "£4.80", "--cost", "", "--stock", "30", "--name", "Ground  Coffee 500g", "--reorder-point", "1.5",
		"--barcodes", "96385074 036000291452", "--unit", "pack", "--category", "Beans"), "changed Ground Coffee 500g ("+id+")")
	made := f.item(id)
	if made["name"] != "Ground Coffee 500g" || made["price"] != 4.8 || made["cost_price"] != nil || made["stock_qty"] != 30.0 || made["reorder_point"] != 1.5 ||
		fmt.Sprint(made["barcodes"]) != "[0036000291452 96385074]" || made["unit"] != "pack" || made["category"] != "Beans" || made["sku"] != "COF-250" {
		t.Errorf("item %v", made)
	}
	if again := f.item("036000291452"); again["id"] != id { // found by a barcode
		t.Errorf("item %v", again)
	}
	contains(t, f.ok("inventory", "show", "COF-250"), "Ground Coffee 500g", "4.8", "count", "6  ", "import")
	if one := f.object("inventory", "set", id, "--sku", "", "--barcodes", ""); one["sku"] != nil || len(one["barcodes"].([]any)) != 0 || one["price"] != 4.8 {
		t.Errorf("item %v", one)
	}

	before := f.ok("inventory", "export")
	for line, want := range map[string]string{
		id + " --price 4.805":                  `price: "4.805" has more than 2 decimals`,
		id + " --price -1":                     `price: "-1" is negative`,
		id + " --cost cheap":                   `cost: "cheap" is not a number`,
		id + " --stock=":                       "stock: must be a number",
		id + " --name=":                        "name: must not be blank",
		"OAT-1 --barcodes 4006381333932":       "barcodes: ",
		id + " --stock 5 --price 99999999999m": "price: ",
	} {
		contains(t, f.fails(2, append([]string{"inventory", "set"}, strings.Fields(line)...)...), want)
	}
	contains(t, f.fails(1, "inventory", "set", id, "--sku", "oat-1"), "sku: another item has it")
	contains(t, f.fails(1, "inventory", "set", "none", "--price", "1"), `item "none": not found`)
	contains(t, f.fails(2, "inventory", "set", id), "say what to change, like --price 4.50")
	f.ok("inventory", "set", id, "--barcodes", "96385074")
	contains(t, f.fails(1, "inventory", "set", "OAT-1", "--barcodes", "96385074"), "barcodes: another item has one of them")
	f.ok("inventory", "set", id, "--barcodes", "")
	if after := f.ok("inventory", "export"); after != before {
		t.Errorf("after refusals\n%s\nbefore\n%s", after, before)
	}
	f.ok("inventory", "verify")

	// An item of another account is not found.
	f.account("second@example.com", "free", "0")
	for _, line := range []string{"show " + id, "set " + id + " --price 1", "adjust " + id + " +1 --reason x", "remove " + id + " --yes"} {
		contains(t, f.fails(1, append(append([]string{"inventory"}, strings.Fields(line)...), "--account", "second@example.com")...), "not found")
	}
}

func TestInventoryAdjust(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	contains(t, f.ok("inventory", "adjust", "COF-250", "-3", "--reason", "three bags  were torn"), "Ground Coffee 250g", "-3, so the stock is now 21")
	contains(t, f.ok("inventory", "adjust", "COF-250", "+5.5", "--reason", "-3 found again"), "so the stock is now 26.5")
	if one := f.object("inventory", "adjust", "--reason", "-1", "COF-250", "--account", owner, "-0.5"); one["stock_qty"] != 26.0 {
		t.Errorf("item %v", one)
	}
	moves := f.item("COF-250")["moves"].([]any)
	var got []string
	for _, m := range moves {
		m := m.(map[string]any)
		got = append(got, fmt.Sprint(m["reason"], " ", m["change"], " ", m["stock_qty"], " ", m["note"]))
	}
	want := []string{"adjustment -0.5 26 -1", "adjustment 5.5 26.5 -3 found again", "adjustment -3 21 three bags were torn", "import 24 24 <nil>"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("moves %q", got)
	}
	contains(t, f.ok("inventory", "show", "COF-250"), "adjustment", "three bags were torn")
	contains(t, f.ok("inventory", "adjust", "COF-250", "-326", "--reason", "mistyped"), "the stock is now -300; that is below zero: count it")
	contains(t, f.ok("inventory", "set", "COF-250", "--stock", "-1"), "below zero")
	if out := f.ok("inventory", "set", "COF-250", "--stock", "26"); strings.Contains(out, "below") {
		t.Errorf("printed %q", out)
	}
	f.ok("inventory", "verify")

	contains(t, f.fails(2, "inventory", "adjust", "COF-250", "-3"), "--reason is required")
	for change, want := range map[string]string{"0": "change: must not be 0", "many": "change: ", "0.0001": "change: "} {
		contains(t, f.fails(2, "inventory", "adjust", "COF-250", change, "--reason", "x"), want)
	}
	contains(t, f.fails(1, "inventory", "adjust", "COF-250", "9223372036854775", "--reason", "x"), "change: ")
	contains(t, f.fails(2, "inventory", "adjust", "COF-250", "1", "--reason", " "), "reason: must not be blank")
	mug := f.inventory()["Mug"]["id"].(string)
	contains(t, f.fails(1, "inventory", "adjust", mug, "-1", "--reason", "x"), "the stock of Mug is not known; set it first")
	if now := f.item("COF-250"); now["stock_qty"] != 26.0 {
		t.Errorf("item %v", now)
	}
}

func TestInventoryRemove(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	f.write("sales.csv", salesText)
	id := f.item("COF-250")["id"].(string)
	contains(t, f.fails(2, "inventory", "remove", "COF-250"), "Ground Coffee 250g ("+id+") is removed", "stock moves are kept. This cannot be undone; --yes confirms it")
	if len(f.inventory()) != 3 {
		t.Error("it was removed")
	}
	f.ok("inventory", "search", "filter coffee") // an index of its names
	contains(t, f.ok("inventory", "remove", "COF-250", "--yes"), "removed Ground Coffee 250g ("+id+"); its sales, orders and stock moves are kept")
	contains(t, f.fails(1, "inventory", "show", id), "not found")
	if all := f.objects(f.ok("inventory", "search", "filter coffee", "--json")); len(all) != 0 {
		t.Errorf("found %v", all)
	}
	var moves int
	if err := f.sql("svc.db").QueryRow(`SELECT count(*) FROM stock_moves WHERE item_id = $1`, id).Scan(&moves); err != nil || moves != 1 {
		t.Errorf("%d moves, %v", moves, err)
	}
	f.ok("inventory", "verify")
	f.ok("inventory", "import", "products.csv") // its SKU, barcode and aliases are free again
	if made := f.item("COF-250"); made["id"] == id || fmt.Sprint(made["aliases"]) != "[filter coffee house blend]" {
		t.Errorf("item %v", made)
	}
	if one := f.object("inventory", "remove", "4006381333931", "--yes"); one["removed"] != true || one["sku"] != "COF-250" {
		t.Errorf("removed %v", one)
	}
}

func TestInventorySearch(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	text := f.ok("inventory", "search", "coffee ground 250 g")
	contains(t, text, "SCORE", "STOCK", "Ground Coffee 250g", "24", "finds")
	for query, how := range map[string]string{"4006381333931": "this is its barcode", "cof-250": "this is its SKU", "House Blend": "this is its alias"} {
		all := f.objects(f.ok("inventory", "search", query, "--json"))
		if len(all) == 0 || all[0]["sku"] != "COF-250" || all[0]["accepted"] != true || all[0]["reason"] != how || all[0]["score"] != 1.0 || all[0]["stock_qty"] != 24.0 {
			t.Errorf("%s: %v", query, all)
		}
	}
	if all := f.objects(f.ok("inventory", "search", "ground coffee 500g", "--json")); len(all) == 0 || all[0]["accepted"] != false || all[0]["reason"] == "" {
		t.Errorf("another size: %v", all)
	}
	for query, want := range map[string]int{"coffee": 1, "BLEND ground": 1, "coffee oat": 0, "": 3, "40063": 1} {
		if n := len(f.inventory("--search", query)); n != want {
			t.Errorf("--search %q lists %d items, want %d", query, n, want)
		}
	}
}

// TestInventoryExport imports what export printed, over the same inventory and into an empty
// one, and finds no difference.
func TestInventoryExport(t *testing.T) {
	t.Parallel()
	for _, currency := range []string{"gbp", "jpy", "kwd"} {
		t.Run(currency, func(t *testing.T) {
			t.Parallel()
			f := newFolder(t)
			f.account(owner, "free", "0")
			f.ok("accounts", "set", owner, "--currency", currency)
			price := map[string]string{"gbp": "1234.50", "jpy": "1234", "kwd": "1.234"}[currency]
			f.write("odd.csv", `name,sku,barcode,price,cost_price,stock_qty,unit,reorder_point,category,aliases
"Tea, ""Earl"" Grey",007,96385074;4006381333931,`+price+`,0,1.234,kg,0.001,"A; B","Brew, hot;chá"
Crème brûlée,,036000291452,,,-2.5,,,,"one, two;"
=1+1,-5,,1,,1000,,,,"a, b;"
Total,x-1,,2,,,,,,
"  spaced   name ",,,,,,,,,
1234,n-1,,3,,12345678.9,,,,NA
`)
			f.ok("inventory", "import", "odd.csv")
			f.ok("inventory", "alias", "007", "a, b, c")
			made := f.inventory()
			if len(made) != 6 || fmt.Sprint(made[`Tea, "Earl" Grey`]["aliases"]) != "[Brew, hot a, b, c chá]" {
				t.Fatalf("items %v", made)
			}
			csv := f.ok("inventory", "export")
			contains(t, csv, "\n'=1+1,-5,") // no formula
			f.write("export.csv", csv)
			r := f.object("inventory", "import", "export.csv")
			if r["added"] != 0.0 || r["updated"] != 6.0 || r["skipped"] != 0.0 || len(r["ignored"].([]any)) != 0 {
				t.Errorf("import %v", r)
			}
			if again := f.ok("inventory", "export"); again != csv {
				t.Errorf("after the import\n%s\nbefore\n%s", again, csv)
			}

			const second = "second@example.com"
			f.account(second, "free", "0")
			f.ok("accounts", "set", second, "--currency", currency)
			f.ok("inventory", "import", "export.csv", "--account", second)
			if other := f.ok("inventory", "export", "--account", second); other != csv {
				t.Errorf("the copy\n%s\nthe original\n%s", other, csv)
			}
			for name, item := range f.inventory("--account", second) {
				delete(item, "id")
				delete(made[name], "id")
				if fmt.Sprint(item) != fmt.Sprint(made[name]) {
					t.Errorf("%v, the original %v", item, made[name])
				}
			}
			if all := f.objects(f.ok("inventory", "export", "--account", second, "--json")); len(all) != 6 {
				t.Errorf("%d objects", len(all))
			}
		})
	}
}

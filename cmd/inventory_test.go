package cmd_test

import (
	"bytes"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// products is a product list as a merchant writes it by hand.
const products = `name,sku,barcode,price,cost_price,stock_qty,unit,reorder_point,category,aliases
Ground Coffee 250g,COF-250,4006381333931,4.50,2.70,24,bag,6,Coffee,filter coffee;house blend
Oat Milk 1l,OAT-1,,2.1,,12.5,,,,
Mug,,,,,,,,,
`

// workbook writes an XLSX file with these rows.
func (f *folder) workbook(name string, rows ...[]any) {
	f.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for i, cells := range rows {
		cell, err := excelize.CoordinatesToCellName(1, i+1)
		if err == nil {
			err = book.SetSheetRow("Sheet1", cell, &cells)
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	var content bytes.Buffer
	if err := book.Write(&content); err != nil {
		f.Fatal(err)
	}
	f.write(name, content.String())
}

// inventory returns the items of `inventory list`, by name.
func (f *folder) inventory(args ...string) (byName map[string]map[string]any) {
	f.Helper()
	byName = map[string]map[string]any{}
	for _, item := range f.objects(f.ok(append([]string{"inventory", "list", "--json"}, args...)...)) {
		byName[item["name"].(string)] = item
	}
	return byName
}

// withShop returns a folder with one account and a product list.
func withShop(t testing.TB) *folder {
	t.Helper()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("products.csv", products)
	return f
}

func TestInventoryImport(t *testing.T) {
	t.Parallel()

	t.Run("AFileAndAgain", func(t *testing.T) {
		f := withShop(t)
		contains(t, f.ok("inventory", "import", "products.csv"), "imported 3 products: 3 new, 0 updated; prices in GBP\n")
		made := f.inventory()
		coffee := made["Ground Coffee 250g"]
		const fields = "aliases barcodes category cost_price id name price reorder_point sku stock_qty unit"
		if got := strings.Join(slices.Sorted(maps.Keys(coffee)), " "); got != fields {
			t.Errorf("fields %q", got)
		}
		if coffee["price"] != 4.5 || coffee["cost_price"] != 2.7 || coffee["stock_qty"] != 24.0 || coffee["reorder_point"] != 6.0 || coffee["sku"] != "COF-250" {
			t.Errorf("coffee %v", coffee)
		}
		if mug := made["Mug"]; len(made) != 3 || mug["price"] != nil || mug["stock_qty"] != nil || made["Oat Milk 1l"]["stock_qty"] != 12.5 {
			t.Errorf("items %v", made)
		}
		contains(t, f.ok("inventory", "list"), "ID", "STOCK", "BARCODES", "COF-250", "4006381333931", "12.5", "Mug                 -      -     -")

		f.write("prices.csv", "sku,name,price\ncof-250,Ground Coffee 250g,5\nTEA-1,Tea,1\n")
		contains(t, f.ok("inventory", "import", "prices.csv"), "imported 2 products: 1 new, 1 updated; prices in GBP\n")
		if changed := f.inventory()["Ground Coffee 250g"]; changed["id"] != coffee["id"] || changed["price"] != 5.0 || changed["stock_qty"] != 24.0 {
			t.Errorf("coffee %v", changed)
		}
		contains(t, f.ok("inventory", "verify"), "every stock is the sum of its moves")
	})

	t.Run("AWorkbook", func(t *testing.T) {
		f := withShop(t)
		f.workbook("products.xlsx", []any{"Name", "SKU", "Price", "Stock", "Barcode"}, []any{"Tea", "TEA-1", 3.25, 1.5, 4006381333931}, []any{"Jam", "007", 2, nil, nil})
		contains(t, f.ok("inventory", "import", "products.xlsx", "--account", "OWNER@example.com"), "imported 2 products: 2 new, 0 updated; prices in GBP\n")
		made := f.inventory()
		tea := made["Tea"]
		if tea["price"] != 3.25 || tea["stock_qty"] != 1.5 || tea["barcodes"].([]any)[0] != "4006381333931" || made["Jam"]["sku"] != "007" {
			t.Errorf("items %v", made)
		}
	})
}

func TestInventoryImportReports(t *testing.T) {
	t.Parallel()
	t.Run("DryRun", func(t *testing.T) {
		f := withShop(t)
		contains(t, f.ok("inventory", "import", "--dry-run", "products.csv"), "dry run: would import 3 products: 3 new, 0 updated; prices in GBP\n")
		r := f.object("inventory", "import", "--dry-run", "products.csv")
		if r["ok"] != true || r["dry_run"] != true || r["added"] != 3.0 || r["updated"] != 0.0 || len(f.inventory()) != 0 {
			t.Errorf("report %v, inventory %v", r, f.inventory())
		}
	})

	t.Run("JSON", func(t *testing.T) {
		f := withShop(t)
		f.write("odd.csv", "Title,Qty\nTea,-1\n,\nMug,2\n")
		contains(t, f.ok("inventory", "import", "--dry-run", "odd.csv"), `note: line 2, Qty: "-1" is negative`)
		r := f.object("inventory", "import", "odd.csv")
		if fields := strings.Join(slices.Sorted(maps.Keys(r)), " "); fields != "above added beyond columns dry_run errors faulty id ignored left_out ok skipped tables updated warnings" {
			t.Errorf("fields %q", fields)
		}
		warnings := r["warnings"].([]any)
		if r["ok"] != true || r["dry_run"] != false || r["added"] != 2.0 || len(r["errors"].([]any)) != 0 || len(warnings) != 1 ||
			r["columns"].(map[string]any)["stock_qty"] != "Qty" || warnings[0].(map[string]any)["line"] != 2.0 {
			t.Errorf("report %v", r)
		}
	})
}

func TestInventoryImportRefused(t *testing.T) {
	t.Parallel()

	t.Run("FaultsByLine", func(t *testing.T) {
		f := withShop(t)
		f.write("faulty.csv", "name,\"Unit\nprice\"\nTea,1\nMug,ch\x1beap\n,2\n")
		r := f.run("", "inventory", "import", "faulty.csv")
		contains(t, r.out, "line 4, Unit price:", "is not a number\n", "line 5, name: the product has no name\n")
		if r.status != 1 || strings.Count(r.out, "\n") != 3 || strings.Contains(r.out, "\x1b") {
			t.Errorf("status %d, %q", r.status, r.out)
		}
		contains(t, sentence(f, r.err), "faulty.csv: 2 faults; nothing was imported")

		r = f.run("", "inventory", "import", "faulty.csv", "--json")
		report := f.objects(r.out)
		if r.status != 1 || len(report) != 1 || report[0]["ok"] != false || len(report[0]["errors"].([]any)) != 2 {
			t.Errorf("status %d, %s", r.status, r.out)
		}
		contains(t, sentence(f, r.err), "nothing was imported")
		if len(f.inventory()) != 0 {
			t.Error("part of the file was imported")
		}
	})

	t.Run("FilesThatAreNone", func(t *testing.T) {
		f := withShop(t)
		f.write("letter.pdf", "%PDF-1.7\n")
		f.write("empty.csv", "")
		if err := os.Mkdir(f.path("folder"), 0o700); err != nil {
			t.Fatal(err)
		}
		for file, want := range map[string]string{
			"missing.csv": "open missing.csv: no such file or directory", "folder": "folder is no file",
			"letter.pdf": "it is a PDF; nothing was imported", "empty.csv": "; nothing was imported",
		} {
			contains(t, f.fails(1, "inventory", "import", file), want)
			contains(t, f.fails(1, "inventory", "import", file, "--json"), want)
		}
	})

	t.Run("OneOfSeveralAccounts", func(t *testing.T) {
		f := withShop(t)
		f.account("second@example.com", "free", "0")
		for _, line := range []string{"inventory import products.csv", "inventory list", "inventory alias x y", "inventory verify"} {
			contains(t, f.fails(2, words(line)...), "account: there are several")
			contains(t, f.fails(1, append(words(line), "--account", "nobody@example.com")...), "no account for nobody@example.com")
		}
		f.ok("inventory", "import", "products.csv", "--account", "second@example.com")
		if mine, theirs := f.inventory("--account", owner), f.inventory("--account", "second@example.com"); len(mine) != 0 || len(theirs) != 3 {
			t.Errorf("items %v and %v", mine, theirs)
		}
		f.ok("accounts", "set", owner, "--currency", "jpy") // which has no decimals
		r := f.run("", "inventory", "import", "products.csv", "--account", owner)
		contains(t, r.out, `line 2, price: "4.50" has decimals, and the currency has none`)
	})
}

func TestInventoryWrongUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"inventory":                            "",
		"inventory import":                     "usage: svc inventory import [--account EMAIL] FILE",
		"inventory import a.csv b.csv":         "usage: svc inventory import",
		"inventory import --dry-run=maybe a":   `must be true or false, not "maybe"`,
		"inventory import a.csv --nonsense":    "unknown flag: --nonsense",
		"inventory list extra":                 "usage: svc inventory list",
		"inventory alias one":                  "usage: svc inventory alias [--account EMAIL] ITEM NAME",
		"inventory alias one two three":        "usage: svc inventory alias",
		"inventory verify extra":               "usage: svc inventory verify",
		"inventory rename":                     `unknown command "rename"`,
		"inventory import products.csv --db= ": "--db is required",
	} {
		t.Run("WrongUsage/"+line, func(t *testing.T) {
			f := newFolder(t)
			if want == "" {
				contains(t, f.ok(words(line)...), "import", "verify")
				return
			}
			contains(t, f.fails(2, words(line)...), want)
		})
	}

	for _, line := range []string{"inventory import products.csv", "inventory list", "inventory alias x y", "inventory verify"} {
		t.Run("WithoutADatabase/"+line, func(t *testing.T) {
			f := newFolder(t)
			contains(t, f.fails(1, words(line)...), "no database at svc.db")
			if f.has("svc.db") {
				t.Error("the command created a database")
			}
		})
	}
}

// With --leave-out the good lines are imported, and without it none, whatever else is said.
func TestInventoryImportLeavesOut(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	f.write("list.csv", "name,sku,price\nTea,t,cheap\nMug,m,7\n,x9,1\n")
	r := f.run("", "inventory", "import", "list.csv")
	contains(t, sentence(f, r.err), "2 faults; nothing was imported; --leave-out imports the other 1 line")
	contains(t, r.out, "line 2, price:", "line 4: has no name")
	dry := f.object("inventory", "import", "list.csv", "--leave-out", "--dry-run")
	if dry["ok"] != true || dry["added"] != 1.0 || dry["faulty"] != 2.0 || len(dry["errors"].([]any)) != 2 || len(f.inventory()) != 0 {
		t.Errorf("dry run: %v", dry)
	}
	contains(t, f.ok("inventory", "import", "list.csv", "--leave-out"), `line 2, price: "cheap" is not a number`,
		"line 4: has no name", "imported 1 product: 1 new, 0 updated; 2 lines at fault left out")
	if all := f.inventory(); len(all) != 1 || all["Mug"] == nil {
		t.Errorf("items %v", all)
	}
	f.write("bad.csv", "name,price\nTea,cheap\n")
	if r = f.run("", "inventory", "import", "bad.csv", "--leave-out"); r.status != 1 || !strings.HasSuffix(sentence(f, r.err), "1 fault; nothing was imported") {
		t.Errorf("status %d, %s", r.status, r.err)
	}
}

// An import is undone as a whole, except for what was changed since.
func TestInventoryUndo(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	first := f.object("inventory", "import", "products.csv")["id"].(string)
	f.write("prices.csv", "sku,name,price,stock\nCOF-250,Coffee,5,7\nOAT-1,Oat,3,1\nNEW-1,Tea,1,2\n")
	second := f.object("inventory", "import", "prices.csv")["id"].(string)
	f.ok("inventory", "set", "OAT-1", "--price", "3.5")
	contains(t, f.ok("inventory", "undo", second), "Oat (item_", "it was changed since\n", "undone: 2 rows; 1 could not be\n")
	again := f.object("inventory", "undo", second)
	if again["undone"] != 2.0 || again["kept"] != 1.0 || again["left"] != 0.0 || len(again["items"].([]any)) != 1 {
		t.Errorf("again: %v", again)
	}
	all := f.inventory()
	coffee := all["Ground Coffee 250g"]
	if len(all) != 3 || coffee["price"] != 4.5 || coffee["stock_qty"] != 24.0 || all["Oat"]["price"] != 3.5 || all["Oat"]["stock_qty"] != 1.0 {
		t.Errorf("items %v", all)
	}
	contains(t, f.ok("inventory", "show", "COF-250"), "adjustment", "import undone")
	contains(t, f.ok("inventory", "verify"), "every stock is the sum of its moves")
	contains(t, f.ok("inventory", "undo", first), "undone: 2 rows; 1 could not be\n")
	if all = f.inventory(); len(all) != 1 || all["Oat"] == nil {
		t.Errorf("items %v", all)
	}
	contains(t, f.fails(1, "inventory", "undo", "imp_none"), "no such import")
	f.write("same.csv", "sku,name\nOAT-1,Oat\n")
	same := f.object("inventory", "import", "same.csv")["id"].(string)
	contains(t, f.ok("inventory", "undo", same), "nothing to undo: the import has changed no item\n")
}

func TestInventoryAlias(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	f.ok("inventory", "import", "products.csv")
	mug := f.inventory()["Mug"]["id"].(string)
	contains(t, f.ok("inventory", "alias", "cof-250", "morning roast"), "Ground Coffee 250g (item_", ") is also found as morning roast\n")
	coffee := f.inventory()["Ground Coffee 250g"]["id"]
	if made := f.object("inventory", "alias", mug, "house blend"); len(made) != 4 || made["taken_from"] != coffee || made["id"] != mug || made["name"] != "Mug" || made["alias"] != "house blend" {
		t.Errorf("made %v", made)
	}
	all := f.inventory()
	if got := all["Ground Coffee 250g"]["aliases"].([]any); !slices.Equal(got, []any{"filter coffee", "morning roast"}) {
		t.Errorf("aliases of the coffee %v", got)
	}
	if got := all["Mug"]["aliases"].([]any); !slices.Equal(got, []any{"house blend"}) {
		t.Errorf("aliases of the mug %v", got)
	}
	contains(t, f.ok("inventory", "alias", "COF-250", "house blend"), "also found as house blend, and Mug ("+mug+") no longer is\n")
	contains(t, f.ok("inventory", "alias", "--remove", "COF-250", "house blend"), "is no longer found as house blend\n")
	contains(t, f.fails(1, "inventory", "alias", "--remove", "COF-250", "house blend"), "no such alias")
	contains(t, f.fails(1, "inventory", "alias", "COF-250", "MUG"), "another item's own name")
	contains(t, f.fails(2, "inventory", "alias", "COF-250", ""), "must not be blank")
	if made := f.inventory(); len(made["Mug"]["aliases"].([]any)) != 0 || len(made["Ground Coffee 250g"]["aliases"].([]any)) != 2 {
		t.Errorf("items %v", made)
	}
	contains(t, f.fails(1, "inventory", "alias", "nothing", "x"), `item "nothing": not found`)
}

func TestInventoryVerify(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	f.ok("inventory", "import", "products.csv")
	if r := f.object("inventory", "verify"); len(r) != 1 || r["ok"] != true {
		t.Errorf("verify: %v", r)
	}
	f.exec("svc.db", `UPDATE items SET stock_milli = stock_milli + 1 WHERE sku = 'OAT-1'`)
	id := f.inventory()["Oat Milk 1l"]["id"].(string)
	contains(t, f.fails(1, "inventory", "verify"), "stock contradicts the moves of 1 item: "+id)
	f.exec("svc.db", `UPDATE items SET stock_milli = stock_milli + 1 WHERE sku = 'COF-250'`)
	contains(t, f.fails(1, "inventory", "verify"), "stock contradicts the moves of 2 items", id)
}

// TestInventoryBesideAServer imports with a command while a server runs on the same file.
func TestInventoryBesideAServer(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	f.ok("accounts", "plan", owner, "growth")
	_, key := f.key("test")
	p := f.serve()
	answers := make(chan []answer)
	go func() { answers <- together(20, key, "", p) }()
	contains(t, f.ok("inventory", "import", "products.csv"), "3 new")
	if all := <-answers; countStatus(all, 200) != len(all) {
		t.Errorf("answers %v", all)
	}
	contains(t, f.ok("inventory", "import", "products.csv"), "0 new, 3 updated")
	contains(t, f.ok("inventory", "verify"), "every stock")
	if a := p.send(key, ""); a.status != 200 || len(f.inventory()) != 3 {
		t.Errorf("status %d, inventory %v", a.status, f.inventory())
	}
	p.stop()

	// The next server that starts finishes what the command left unfinished.
	f.exec("svc.db", `
INSERT INTO imports (id, account_id, state, created_at) SELECT 'imp_1', id, 'ready', created_at FROM accounts;
INSERT INTO import_rows (import_id, seq, item) VALUES ('imp_1', 0, '{"Name":"Jam"}'), ('imp_1', 1, '{"Name":"Tea"}')`)
	f.serve()
	await(t, "the import is finished", func() bool { return len(f.inventory()) == 5 })
}

// A new currency converts no price, and the command says so.
func TestCurrencyOfStoredPrices(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	if out := f.ok("accounts", "set", owner, "--currency", "usd"); out != "changed "+owner+"\n" {
		t.Errorf("without prices: %q", out)
	}
	f.ok("inventory", "import", "products.csv") // two of the three items have a price
	contains(t, f.ok("accounts", "set", owner, "--currency", "EUR"),
		"changed "+owner+"; 2 items keep the figures of their prices, which were USD and are now read as EUR: nothing is converted")
	if out := f.ok("accounts", "set", owner, "--currency", "eur", "--region", "Kent"); out != "changed "+owner+"\n" {
		t.Errorf("with the currency that it has: %q", out)
	}
	if a := f.object("accounts", "set", owner, "--currency", "gbp"); a["kept_prices"] != 2.0 || a["currency"] != "gbp" {
		t.Errorf("printed %v", a)
	}
	if price := f.inventory()["Oat Milk 1l"]["price"]; price != 2.1 {
		t.Errorf("the price is %v, want 2.1", price)
	}
	if a := f.object("accounts", "set", owner, "--name", " Corner Shop "); a["name"] != "Corner Shop" {
		t.Errorf("printed %v", a)
	}
	f.account("second@example.com", "free", "0")
	f.write("one.csv", "name,price\nTea,2\n")
	f.ok("inventory", "import", "--account", "second@example.com", "one.csv")
	contains(t, f.ok("accounts", "set", "second@example.com", "--currency", "eur"), "; 1 item keeps the figures of its prices, which were GBP")
	contains(t, f.fails(1, "accounts", "set", owner, "--currency", "jpy"), "another number of decimals than GBP")
	contains(t, f.fails(2, "accounts", "set", owner, "--currency", "zzz"), "currency: must be the code of a currency")
}

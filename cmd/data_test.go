package cmd_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const salesText = "Order ID,Date,Item,Qty,Unit price,Total,Fee\n" +
	"A1,31/01/2024,Tea,2,£2.50,£5.00,1\nA2,01/02/2024,Bun,1,£3.00,£3.00,2\nA2,01/02/2024,Tea,1,£2.50,£2.50,3\nTotal,,,,,£10.50,6\n"

func TestData(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", salesText)
	contains(t, f.fails(1, words("data roles")...), owner+" has no dataset; import one with svc data import")

	f.write("fair.csv", "Date,Item,Total\n2024-05-04,Mug,7.00\n2024-05-04,Tea,3.00\n")
	contains(t, f.ok(words("data import fair.csv")...), "imported 2 rows as ds_", ", on 2024-05-04")
	contains(t, f.ok(words("data show fair")...), ", on 2024-05-04\n")
	f.ok(words("data remove fair")...)
	contains(t, f.ok(words("data import sales.csv")...), "imported 3 rows as ds_", "from 2024-01-31 to 2024-02-01; 1 row held no data", "revenue: Total", "product: Item")
	made := f.objects(f.ok(words("data import --json --name again sales.csv")...))
	if len(made) != 1 || made[0]["rows"] != 3.0 || made[0]["currency"] != "gbp" || made[0]["kind"] != "sales" || len(made[0]["columns"].([]any)) != 7 {
		t.Errorf("imported %v", made)
	}

	lines := f.objects(f.ok(words("data list --json")...))
	if len(lines) != 2 || lines[0]["state"] != "current" || lines[1]["state"] != "earlier" || lines[0]["id"] != made[0]["id"] || lines[0]["name"] != "again" || lines[0]["files"] != 1.0 || lines[0]["first"] != "2024-01-31" || lines[0]["last"] != "2024-02-01" {
		t.Errorf("roles %v", lines)
	}

	contains(t, f.ok(words("data roles")...), "Unit price", "price")
	changed := f.ok("data", "roles", "Fee=revenue", "Unit price=none")
	if strings.Count(changed, "revenue") != 1 || strings.Contains(changed, " price\n") {
		t.Errorf("changed %s", changed)
	}
	first := lines[1]["id"].(string)
	if again := f.ok("data", "roles", "--dataset", first); !strings.Contains(again, " price\n") {
		t.Errorf("the earlier table changed, too: %s", again)
	}
}

// TestDataImportTellsRefunds imports refunded and cancelled orders: the import says how it
// knew them, and so does show.
func TestDataImportTellsRefunds(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "business", "0")
	text := "Order,Date,Item,Total,Financial Status,Refunded Amount\n"
	for n, cells := range []string{"paid,", "refunded,10.00", "voided,", "refunded,10.00", "partially_refunded,2.50", "paid,"} {
		text += fmt.Sprintf("A%d,2024-01-%02d,Tea,10.00,%s\n", n, n+1, cells)
	}
	f.write("orders.csv", text)
	want := []string{
		"Financial Status: 1 voided, 2 refunded rows do not count as revenue", "Refunded Amount: the refunds in 1 row are subtracted from revenue",
	}
	contains(t, f.ok(words("data import orders.csv")...), "net: "+want[0], "net: "+want[1])
	contains(t, f.ok(words("data show orders")...), "net: "+want[0], "net: "+want[1])
	made := f.objects(f.ok(words("data import --json --name again orders.csv")...))
	var got []string
	for _, r := range made[0]["reversals"].([]any) {
		r := r.(map[string]any)
		got = append(got, r["heading"].(string)+": "+r["text"].(string))
	}
	if !slices.Equal(got, want) {
		t.Errorf("reversals %q, want %q", got, want)
	}
	contains(t, f.ok("ask", "what is our revenue?"), "Revenue came to £27.50. Net of refunds and cancellations.")
}

func TestDataRefusals(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", salesText)
	f.write("bad.csv", "Date,Total\n2024-01-01,5\n2024-01-02,5,6\n")
	f.write("empty.csv", "Date,Total\n")
	f.write("other.csv", "Item,Qty\nTea,1\n")
	f.write("notes.md", "# Notes\n\nWe sell tea\n1\n2\n")
	f.write("poem.txt", "The tea\nIs hot\nAnd so am I\n")
	f.ok(words("data import sales.csv")...)
	for line, want := range map[string]string{
		"data import bad.csv":                       "bad.csv: line 3: the row has 3 cells, but there are 2 headings",
		"data import empty.csv":                     "there is no row of data under the headings; nothing was imported",
		"data import nowhere.csv":                   "no such file",
		"data import .":                             "is no file",
		"data import sales.csv":                     `there is a dataset "sales" already; use --add to add the file to it, --replace`,
		"data import --add --name more sales.csv":   `there is no dataset "more" to change, but the file fits sales`,
		"data import --replace --name no bad.csv":   `there is no dataset "no" to change;`,
		"data import --add --name sales other.csv":  `line 1: the file does not fit sales: it has no column "Order ID", "Date", "Unit price" and 2 more`,
		"data import notes.md":                      `line 1: the row has no headings but "# Notes"`,
		"data import poem.txt":                      "no column has dates or numbers, so there is nothing to compute; nothing was imported",
		"data use nothing":                          "has no dataset nothing",
		"data show nothing":                         "has no dataset nothing",
		"data export nothing":                       "has no dataset nothing",
		"data remove nothing":                       "has no dataset nothing",
		"data import --account a@b.co sales.csv":    "no account for a@b.co",
		"data roles Item=revenue":                   `"Item" holds text, so it cannot be the revenue`,
		"data roles Nothing=revenue":                `no such column: "Nothing"`,
		"data roles --dataset ds1":                  "has no dataset ds1",
		"data roles --dataset ds1 Total=revenue":    "has no dataset ds1",
		"data roles --account a@b.co --dataset ds1": "no account for a@b.co",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(1, words(line)...), want)
		})
	}
	for line, want := range map[string]string{
		"data roles Item":                       `a correction is HEADING=ROLE, not "Item"`,
		"data roles Item=turnover":              `there is no role "turnover"; the roles are brand, cancelled`,
		"data roles =revenue":                   `a correction is HEADING=ROLE, not "=revenue"`,
		"data import":                           "usage: svc data import [--account EMAIL] FILE",
		"data list extra":                       "usage: svc data list",
		"data use":                              "usage: svc data use [--account EMAIL] NAME",
		"data use --newest a":                   "usage: svc data use",
		"data import --add --replace sales.csv": "--add and --replace exclude each other",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(2, words(line)...), want)
		})
	}
	contains(t, f.fails(2, "data", "import", "--name", "DS_1", "sales.csv"), "name: must not begin with ds_")
	if n := strings.Count(f.ok("data", "list", "--json"), "\n"); n != 1 {
		t.Errorf("%d tables after refusals, want 1", n)
	}
}

// TestDataList checks that the list marks the table that ask reads, for each account.
func TestDataList(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	if out := f.ok(words("data list --json")...); out != "" {
		t.Errorf("printed %s", out)
	}
	for _, name := range []string{"a.csv", "b.csv", "c.csv"} {
		f.ok("data", "import", f.write(name, salesText))
	}
	var shown []string
	for line := range strings.Lines(f.ok(words("data list")...)) {
		cells := strings.Fields(line)
		shown = append(shown, strings.Join([]string{cells[1], cells[2], cells[5], cells[len(cells)-1]}, " "))
	}
	if got := strings.Join(shown, ", "); got != "STATE ROWS FILES NAME, current 3 1 c, earlier 3 1 b, earlier 3 1 a" {
		t.Errorf("list %s", got)
	}

	f.exec("svc.db", `UPDATE datasets SET name = name || ' ' || id WHERE name = 'a'`) // as the upgrade does
	contains(t, f.ok(words("data list")...), "note: an upgrade has named a ds_", "since several datasets were called a and the newest kept the name")
	if all := f.objects(f.ok(words("data list --json")...)); all[2]["renamed"] != true || all[1]["renamed"] != nil {
		t.Errorf("list %v", all)
	}

	const second = "second@example.com"
	f.account(second, "free", "0")
	mine := f.objects(f.ok("data", "list", "--account", owner, "--json"))
	if len(mine) != 3 || f.ok("data", "list", "--account", second, "--json") != "" {
		t.Errorf("list of the account %v", mine)
	}
	for _, line := range []string{"data list", "data import a.csv", "data roles"} {
		contains(t, f.fails(2, words(line)...), "account: there are several")
	}
	id := mine[0]["id"].(string)
	contains(t, f.fails(1, "data", "roles", "--account", second, "--dataset", id, "Fee=revenue"), second+" has no dataset "+id)
	f.ok("data", "import", "a.csv", "--account", second)
	if all := f.objects(f.ok("data", "list", "--account", second, "--json")); len(all) != 1 || all[0]["state"] != "current" {
		t.Errorf("list %v", all)
	}
}

// TestDataNotes checks that an import names what it left out and what it assumed.
func TestDataNotes(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.ok("accounts", "set", owner, "--currency", "chf")
	for _, row := range []struct {
		name, text string
		says, not  []string
	}{
		{"whole.csv", salesText, []string{"imported 3 rows", "1 row held no data"}, []string{"note:"}},
		{"bare.csv", "Date,Product,Revenue\n2024-01-01,Tea,5.00\n", []string{"imported 1 row as", "no currency", "CHF"}, []string{"no column of days", "held no data"}},
		{"shelf.csv", "SKU,Desc,SOH,Last Rcvd\nA1,Tea,5,2024-01-01\nA2,Bun,6,2024-01-02\n", []string{"such as Last Rcvd"}, []string{"no column of days"}},
		{"timeless.csv", "Product,Revenue\nTea,£5.00\nBun,£6.00\n", []string{"no column of days"}, []string{"no currency", "no column of amounts"}},
		{"names.csv", "Product,Colour,Kind\nTea,green,1\nBun,brown,5\n", []string{"no column of amounts", "svc data roles"}, []string{"no currency"}},
	} {
		out := f.ok("data", "import", f.write(row.name, row.text))
		contains(t, out, row.says...)
		for _, text := range row.not {
			if strings.Contains(out, text) {
				t.Errorf("%s: want no %q in %s", row.name, text, out)
			}
		}
	}
	made := f.object("data", "import", f.write("again.csv", salesText))
	if made["skipped"] != 1.0 || made["blanked"] != 0.0 || len(made["warnings"].([]any)) != 0 || made["first"] != "2024-01-31" || made["last"] != "2024-02-01" {
		t.Errorf("imported %v", made)
	}
}

// TestDataDates imports days of January which may be the first of each month: the account's
// currency decides, or the flag, which the dataset keeps.
func TestDataDates(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	days := func(month int) string {
		text := "Date,Item,Total\n"
		for day := range 6 {
			text += fmt.Sprintf("%02d/%02d/2024,Tea,3.00\n", day+1, month)
		}
		return text
	}
	f.write("jan.csv", days(1))
	f.write("feb.csv", days(2))
	const byDay, byMonth = "from 2024-01-01 to 2024-01-06", "from 2024-01-01 to 2024-06-30"
	contains(t, f.ok(words("data import jan.csv")...), byDay, "they are read with the day first", "--dates month")
	f.ok("accounts", "set", owner, "--currency", "usd")
	contains(t, f.ok(words("data import jan.csv --name dollars")...), byMonth, "they are read with the month first", "--dates day")
	f.ok("accounts", "set", owner, "--timezone", "Europe/Berlin")
	contains(t, f.ok(words("data import jan.csv --name abroad")...), byDay)
	f.ok("accounts", "set", owner, "--timezone", "America/New_York")
	out := f.ok(words("data import jan.csv --name chosen --dates day")...)
	if contains(t, out, byDay); strings.Contains(out, "two ways") {
		t.Errorf("what was chosen is in doubt: %s", out)
	}
	contains(t, f.ok(words("data import feb.csv --name chosen --add")...), "from 2024-01-01 to 2024-02-06")
	contains(t, f.fails(2, words("data import jan.csv --name chosen --replace --dates year")...), "must be day or month")
}

// TestDataPayments adds an export of payments of which some are no sales: they are named, and not counted as
// new rows. One that was pending is new when it is completed.
func TestDataPayments(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	const head = "Date,Name,Type,Status,Currency,Gross,Fee,Net,Transaction ID\n"
	payment := func(id, kind, status string) string {
		return "2024-01-02,Ann," + kind + "," + status + ",GBP,10.00,0.00,10.00," + id + "\n"
	}
	f.write("one.csv", head+payment("A1", "Payment", "Completed")+payment("A2", "Payment", "Pending"))
	f.write("two.csv", head+payment("A1", "Payment", "Completed")+payment("A2", "Payment", "Completed")+payment("A3", "Account Hold", "Completed")+payment("A4", "Payment", "Declined")+payment("A5", "Payment", "Completed"))
	out := f.ok(words("data import one.csv --name paid")...)
	if contains(t, out, "note: 1 row is no sale, such as a pending payment", "imported 1 row as"); strings.Contains(out, "no data") {
		t.Errorf("an amount is no data: %s", out)
	}
	contains(t, f.ok(words("data import two.csv --name paid --add")...), "note: 2 rows are no sales", "added 3 rows to paid: 2 new, 0 updated, 1 known; it has 3 rows")
	contains(t, f.ok(words("data import two.csv --name paid --add")...), "added 3 rows to paid: 0 new, 0 updated, 3 known; it has 3 rows")
	contains(t, f.ok(words("data import one.csv --name paid --add")...), "added 2 rows to paid: 0 new, 1 updated, 1 known; it has 2 rows")
	if made := f.object("data", "import", "--name", "again", "two.csv"); made["rows"] != 3.0 || made["skipped"] != 2.0 || made["unsold"] != 2.0 {
		t.Errorf("imported %v", made)
	}
}

// TestDataRolesAtOnce sets several roles: all corrections are made, or none.
func TestDataRolesAtOnce(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", salesText)
	f.ok(words("data import sales.csv")...)
	roleOf := func() map[string]any {
		roles := map[string]any{}
		for _, c := range f.object("data", "roles")["columns"].([]any) {
			column := c.(map[string]any)
			roles[column["heading"].(string)] = column["role"]
		}
		return roles
	}
	contains(t, f.fails(1, "data", "roles", "Fee=cost", "Item=revenue"), `"Item" holds text`)
	if r := roleOf(); r["Fee"] == "cost" || r["Total"] != "revenue" || r["Item"] != "product" {
		t.Errorf("roles after a refusal: %v", r)
	}
	f.ok("data", "roles", "Fee=cost", "Order ID=none")
	if r := roleOf(); r["Fee"] != "cost" || r["Order ID"] != nil || r["Total"] != "revenue" {
		t.Errorf("roles %v", r)
	}
}

const (
	januaryText  = "Order ID,Date,Item,Total\nA1,2024-01-30,Tea,5.00\nA1,2024-01-30,Bun,3.00\nA2,2024-01-31,Tea,2.50\n"
	februaryText = "Order ID,Date,Item,Total\nA2,2024-01-31,Tea,2.00\nA3,2024-02-01,Tea,10.00\n"
)

// TestDataGrows imports one month after another into one dataset.
func TestDataGrows(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("january.csv", januaryText)
	f.write("february.csv", februaryText)
	f.ok(words("data import january.csv --name sales")...)
	f.ok("data", "roles", "Total=cost")

	contains(t, f.ok(words("data import february.csv --dry-run")...), "dry run: would import 2 rows as february", "note: the file fits sales; use --add --name sales")
	contains(t, f.ok(words("data import february.csv --name sales --add --dry-run")...), "dry run: would add 2 rows to sales: 1 new, 1 updated, 0 known; it has 4 rows")
	if shown := f.object("data", "show", "sales"); shown["rows"] != 3.0 || len(f.objects(f.ok(words("data list --json")...))) != 1 {
		t.Errorf("after dry runs: %v", shown)
	}

	made := f.object("data", "import", "february.csv", "--name", "sales", "--add")
	if made["change"] != "added" || made["added"] != 1.0 || made["updated"] != 1.0 || made["known"] != 0.0 || made["rows"] != 4.0 || made["dry_run"] != false {
		t.Errorf("added %v", made)
	}
	contains(t, f.ok(words("data import february.csv --name SALES --add")...), "added 2 rows to sales: 0 new, 0 updated, 2 known; it has 4 rows")
	contains(t, f.ok(words("data show sales")...), "4 rows of", "from 2024-01-30 to 2024-02-01", "file: january.csv, 3 rows, imported", "file: february.csv, 2 rows, imported")
	const merged = "Order ID,Date,Item,Total\nA1,2024-01-30,Tea,5.00\nA1,2024-01-30,Bun,3.00\nA2,2024-01-31,Tea,2.00\nA3,2024-02-01,Tea,10.00\n"
	if got := f.ok(words("data export sales")...); got != merged {
		t.Errorf("exported %s", got)
	}
	if rows := f.objects(f.ok(words("data export sales --json")...)); len(rows) != 4 || rows[3]["Order ID"] != "A3" || rows[3]["Total"] != "10.00" {
		t.Errorf("exported %v", rows)
	}
	for _, c := range f.object("data", "roles")["columns"].([]any) {
		if column := c.(map[string]any); column["heading"] == "Total" && column["role"] != "cost" {
			t.Errorf("the corrected role is lost: %v", column)
		}
	}

	contains(t, f.ok(words("data import february.csv --name sales --replace")...), "replaced the 4 rows of sales with 2 rows")
	if files := f.object("data", "show", "sales")["files"].([]any); len(files) != 1 {
		t.Errorf("files after --replace: %v", files)
	}
}

// TestDataUse fixes what ask reads, and removes a dataset.
func TestDataUse(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("january.csv", januaryText)
	f.write("february.csv", februaryText)
	current := func() string {
		t.Helper()
		list := f.objects(f.ok(words("data list --json")...))
		if len(list) == 0 || list[0]["state"] != "current" {
			t.Fatalf("list %v", list)
		}
		return list[0]["name"].(string)
	}
	f.ok(words("data import january.csv")...)
	contains(t, f.ok(words("data use January")...), "ask reads january")
	contains(t, f.ok(words("data import february.csv")...), "note: ask reads january, which is fixed")
	contains(t, f.ok("ask", "what is our revenue?"), "10.50")
	contains(t, f.ok("ask", "--dataset", "february", "what is our revenue?"), "£12.")
	if got := current(); got != "january" {
		t.Errorf("current is %s", got)
	}
	contains(t, f.ok(words("data use --newest")...), "ask reads february")
	contains(t, f.ok(words("data remove february")...), "removed february with 2 rows")
	if got := current(); got != "january" {
		t.Errorf("current is %s after a removal", got)
	}
	contains(t, f.fails(1, words("data remove february")...), owner+" has no dataset february")
}

// TestDataRows prints rows of a dataset, found and sorted.
func TestDataRows(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("january.csv", januaryText)
	contains(t, f.fails(1, words("data rows")...), "has no dataset")
	f.ok(words("data import january.csv --name sales")...)
	contains(t, f.ok(words("data rows")...), "row  Order ID  Date        Item  Total\n1    A1        2024-01-30  Tea   5.0\n")
	if rows := f.objects(f.ok(words("data rows sales --json --search tea --sort=-Total")...)); len(rows) != 2 || rows[0]["row"] != "1" || rows[1]["Total"] != "2.5" {
		t.Errorf("rows %v", rows)
	}
	if rows := f.objects(f.ok(words("data rows sales --json --limit 1 --after 1")...)); len(rows) != 1 || rows[0]["Item"] != "Bun" {
		t.Errorf("rows %v", rows)
	}
	contains(t, f.ok(words("data rows --limit 1")...), "note: looked at the first 1 of 3 rows; --after 1 goes on")
	contains(t, f.fails(2, words("data rows --sort Colour")...), `no such column: "Colour"; it has "Order ID", "Date", "Item", "Total"`)
	contains(t, f.ok(words("data rows --problems")...), "row  problem  Order ID")
	f.write("faulty.csv", "Date,Item,Qty\n2026-01-01,Tea,1\n2026-01-02,Tea,2\n2026-01-03,Tea,a few\n2026-01-04,Tea,4\n")
	f.ok(words("data import faulty.csv")...)
	if rows := f.objects(f.ok(words("data rows faulty --json --problems")...)); len(rows) != 1 || rows[0]["row"] != "3" || rows[0]["problem"] != `Qty: "a few" is not a number` {
		t.Errorf("rows with problems: %v", rows)
	}
	contains(t, f.fails(2, words("data rows --limit 0")...), "--limit must be from 1 to 10000")
	contains(t, f.fails(1, words("data rows nothing")...), "has no dataset nothing")
}

// TestDataExportKeys checks that equal headings do not hide one another's cells.
func TestDataExportKeys(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", "Date,Total,Tax\n2024-01-31,5,1\n")
	f.ok(words("data import sales.csv")...)
	for _, file := range f.dataFiles(".db") {
		f.exec("svc.db-data/"+file, `UPDATE raw SET cells = replace(cells, 'Tax', 'Total')`)
	}
	row := f.object(words("data export sales --json")...)
	if len(row) != 3 || row["Total"] != "5" || row["Total (2)"] != "1" {
		t.Errorf("row %v", row)
	}
}

package cmd_test

import (
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
	contains(t, f.fails(1, words("data roles")...), owner+" has no table; import one with svc data import")

	contains(t, f.ok(words("data import sales.csv")...), "imported 3 rows as ds_", "from 2024-01-31 to 2024-02-01; 1 row held no data", "revenue: Total", "product: Item")
	made := f.objects(f.ok(words("data import --json sales.csv")...))
	if len(made) != 1 || made[0]["rows"] != 3.0 || made[0]["currency"] != "gbp" || made[0]["kind"] != "sales" || len(made[0]["columns"].([]any)) != 7 {
		t.Errorf("imported %v", made)
	}

	lines := f.objects(f.ok(words("data list --json")...))
	if len(lines) != 2 || lines[0]["state"] != "current" || lines[1]["state"] != "earlier" || lines[0]["id"] != made[0]["id"] || lines[0]["name"] != "sales.csv" {
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

func TestDataRefusals(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("sales.csv", salesText)
	f.write("bad.csv", "Date,Total\n2024-01-01,5\n2024-01-02,5,6\n")
	f.write("empty.csv", "Date,Total\n")
	f.ok(words("data import sales.csv")...)
	for line, want := range map[string]string{
		"data import bad.csv":                       "bad.csv: line 3: the row has 3 cells, but there are 2 headings",
		"data import empty.csv":                     "there is no row of data under the headings; nothing was imported",
		"data import nowhere.csv":                   "no such file",
		"data import .":                             "is no file",
		"data import --account a@b.co sales.csv":    "no account for a@b.co",
		"data roles Item=revenue":                   `"Item" holds text, so it cannot be the revenue`,
		"data roles Item=turnover":                  `there is no role "turnover"; the roles are brand, category`,
		"data roles Nothing=revenue":                `no such column: "Nothing"`,
		"data roles --dataset ds1":                  "has no table ds1",
		"data roles --dataset ds1 Total=revenue":    "has no table ds1",
		"data roles --account a@b.co --dataset ds1": "no account for a@b.co",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(1, words(line)...), want)
		})
	}
	for line, want := range map[string]string{
		"data roles Item":     `a correction is HEADING=ROLE, not "Item"`,
		"data roles =revenue": `a correction is HEADING=ROLE, not "=revenue"`,
		"data import":         "usage: svc data import --account EMAIL FILE",
		"data list extra":     "usage: svc data list",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(2, words(line)...), want)
		})
	}
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
		shown = append(shown, strings.Join([]string{cells[1], cells[2], cells[len(cells)-1]}, " "))
	}
	if got := strings.Join(shown, ", "); got != "STATE ROWS NAME, current 3 c.csv, earlier 3 b.csv, earlier 3 a.csv" {
		t.Errorf("list %s", got)
	}

	const second = "second@example.com"
	f.account(second, "free", "0")
	mine := f.objects(f.ok("data", "list", "--account", owner, "--json"))
	if len(mine) != 3 || f.ok("data", "list", "--account", second, "--json") != "" {
		t.Errorf("list of the account %v", mine)
	}
	for _, line := range []string{"data list", "data import a.csv", "data roles"} {
		contains(t, f.fails(1, words(line)...), "account: there are several")
	}
	id := mine[0]["id"].(string)
	contains(t, f.fails(1, "data", "roles", "--account", second, "--dataset", id, "Fee=revenue"), second+" has no table "+id)
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
		{"timeless.csv", "Product,Revenue\nTea,£5.00\nBun,£6.00\n", []string{"no column of days"}, []string{"no currency", "no column of amounts"}},
		{"names.csv", "Product,Colour\nTea,green\nBun,brown\n", []string{"no column of amounts", "svc data roles"}, []string{"no currency"}},
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

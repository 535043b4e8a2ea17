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
		t.Errorf("%v", made)
	}

	lines := f.objects(f.ok(words("data list --json")...))
	if len(lines) != 2 || lines[0]["state"] != "current" || lines[1]["state"] != "earlier" || lines[0]["id"] != made[0]["id"] || lines[0]["name"] != "sales.csv" {
		t.Errorf("%v", lines)
	}

	contains(t, f.ok(words("data roles")...), "Unit price", "price")
	changed := f.ok("data", "roles", "Fee=revenue", "Unit price=none")
	if strings.Count(changed, "revenue") != 1 || strings.Contains(changed, " price\n") {
		t.Errorf("%s", changed)
	}
	first := lines[1]["id"].(string)
	if again := f.ok("data", "roles", "--dataset", first); !strings.Contains(again, " price\n") {
		t.Errorf("the table before has changed too: %s", again)
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

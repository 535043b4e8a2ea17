package cmd_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"
)

// page is a worksheet: its name and its rows.
type page struct {
	name string
	rows [][]any
}

// pages makes a workbook of several worksheets.
func (f *folder) pages(name string, all ...page) {
	f.Helper()
	book := excelize.NewFile()
	defer book.Close()
	for i, p := range all {
		var err error
		if i == 0 {
			err = book.SetSheetName("Sheet1", p.name)
		} else {
			_, err = book.NewSheet(p.name)
		}
		for n, row := range p.rows {
			if err == nil {
				err = book.SetSheetRow(p.name, fmt.Sprintf("A%d", n+1), &row)
			}
		}
		if err != nil {
			f.Fatal(err)
		}
	}
	if err := book.SaveAs(f.path(name)); err != nil {
		f.Fatal(err)
	}
}

// month returns a worksheet of sales with so many rows of 10.00.
func month(number, rows int) page {
	p := page{fmt.Sprintf("Month %d", number), [][]any{{"Date", "Item", "Total"}}}
	for i := range rows {
		p.rows = append(p.rows, []any{fmt.Sprintf("2024-%02d-%02d", number, 1+i%28), "Tea", 10})
	}
	return p
}

// TestDataImportMonths imports workbooks with a worksheet a month.
func TestDataImportMonths(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	summary := page{"Summary", [][]any{{"Month", "Takings"}, {"Month 1", 3520}}}
	f.pages("year.xlsx", summary, month(1, 352), month(2, 320), month(3, 328))

	report := []string{
		"note: read the sheet Month 1 (352 rows), the sheet Month 2 (320 rows), the sheet Month 3 (328 rows), which have equal headings, as one table",
		"note: left out the sheet Summary (1 row) with the headings Month, Takings; --sheet Summary takes it instead",
	}
	contains(t, f.ok(words("data import year.xlsx --dry-run")...), append(report, "dry run: would import 1,000 rows as year")...)
	contains(t, f.ok(words("data import year.xlsx")...), append(report, "imported 1,000 rows as ds_", "from 2024-01-01 to 2024-03-28")...)
	contains(t, f.ok("ask", "what is our total revenue?"), "10,000")

	contains(t, f.ok("data", "import", "year.xlsx", "--name", "two", "--sheet", "month 2"), "read the sheet Month 2 (320 rows)", "left out the sheet Month 1 (352 rows)", "imported 320 rows")
	contains(t, f.fails(1, words("data import year.xlsx --name four --sheet May")...), `the workbook has no worksheet "May"; it has "Summary", "Month 1", "Month 2", "Month 3"`)
	tables := f.object(words("data import year.xlsx --name again --json --dry-run")...)["tables"].([]any)
	if first, second := tables[0].(map[string]any), tables[1].(map[string]any); len(tables) != 4 || first["taken"] != false || first["name"] != "Summary" || second["taken"] != true || second["rows"] != 352.0 {
		t.Errorf("tables %v", tables)
	}

	f.pages("april.xlsx", summary, month(4, 30))
	contains(t, f.ok(words("data import april.xlsx --add --name year")...), "read the sheet Month 4 (30 rows)", "added 30 rows to year: 30 new", "it has 1,030 rows")

	double := month(1, 60)
	double.name = "Month 1 (2)"
	f.pages("copy.xlsx", month(1, 60), double, month(2, 60))
	contains(t, f.ok(words("data import copy.xlsx")...), "left out the sheet Month 1 (2): it has the same rows as Month 1", "imported 120 rows")

	f.pages("bad.xlsx", month(1, 60), page{"Month 2", [][]any{{"Date", "Item", "Total"}, {"2024-02-01", "Tea", "lots"}}})
	contains(t, f.ok(words("data import bad.xlsx")...), `note: Month 2, line 2, Total: the cell "lots" is not a number and is left blank`)
}

// TestDataImportOverlap imports workbooks whose worksheets have some sales twice.
func TestDataImportOverlap(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	sheets := func(head []any, row func(i int) []any) []page {
		return []page{{"Jan", [][]any{head, row(30), row(31), row(31)}}, {"Feb", [][]any{head, row(31), row(31), row(32)}}}
	}
	orders := sheets([]any{"Order", "Date", "Item", "Total"}, func(i int) []any { return []any{i, fmt.Sprintf("2024-%02d-%02d", 1+i/32, 1+i%31), "Tea", 10} })
	f.pages("overlap.xlsx", orders...)
	note := "note: 2 rows left out, since a later sheet has the same sales again"
	contains(t, f.ok(words("data import overlap.xlsx")...), note, "imported 4 rows")
	contains(t, f.ok("ask", "what is our total revenue?"), "£40.")
	contains(t, f.ok(words("data import overlap.xlsx --add")...), note, "0 new, 0 updated, 4 known; it has 4 rows")
	f.pages("first.xlsx", orders[0])
	f.ok(words("data import first.xlsx")...)
	contains(t, f.ok(words("data import overlap.xlsx --name first --add")...), note, "1 new, 0 updated, 3 known; it has 4 rows")

	f.pages("alike.xlsx", sheets([]any{"Date", "Item", "Total"}, func(i int) []any { return []any{fmt.Sprintf("2024-01-%02d", i-20), "Tea", 10} })...)
	contains(t, f.ok(words("data import alike.xlsx")...), "note: 2 rows equal to one of a later sheet; all count", "imported 6 rows")
}

// TestDataImportRenamed imports a workbook in which one heading of a worksheet is another.
func TestDataImportRenamed(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	march := month(3, 20)
	march.rows[0] = []any{"Date", "Item", "Takings"}
	f.pages("year.xlsx", month(1, 30), month(2, 30), march)
	contains(t, f.ok(words("data import year.xlsx")...), `--sheet 'Month 3' takes it instead; with "Total" in place of "Takings" in the file it is read with the others`, "imported 60 rows")
	contains(t, f.fails(1, "data", "import", "year.xlsx", "--sheet", "Month 3", "--add"),
		`the file does not fit year: it has no column "Total"; instead it has "Takings": if that is the same, give it the dataset's heading in the file`)
}

// TestDataImportRevenue names what the revenue is.
func TestDataImportRevenue(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	orders := "Name,Subtotal,Shipping,Taxes,Total,Created at,Billing Zip\n"
	lines := "Order,Date,Item,Price,Quantity,Discount\n"
	for n := range 10 {
		orders += fmt.Sprintf("#10%02d,%d.00,4.50,1.00,%d.50,2024-01-%02d 10:00:00 +0000,0812\n", n, 20+n, 24+n, n+1)
		lines += fmt.Sprintf("%d,2024-01-%02d,Tea,5.00,%d,1.50\n", n, n+1, 2+n)
	}
	f.write("orders.csv", orders)
	f.write("lines.csv", lines)
	contains(t, f.ok(words("data import orders.csv")...), "note: Total: it is the revenue and includes shipping, unlike Subtotal\n", "  revenue: Total\n")
	contains(t, f.ok(words("data import lines.csv")...), "  revenue: Price × Quantity - Discount\n")
}

// TestDataImportDays adds a file with days to a dataset without.
func TestDataImportDays(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.write("undated.csv", "Order,Item,Total\n1,Tea,5.00\n2,Bun,3.00\n")
	f.write("dated.csv", "Order,Date,Item,Total\n3,2024-01-01,Tea,5.00\n4,2024-01-02,Bun,3.00\n")
	f.ok(words("data import undated.csv")...)
	if out := f.ok(words("data import dated.csv --dry-run")...); strings.Contains(out, "fits") {
		t.Errorf("offered a dataset without days: %s", out)
	}
	contains(t, f.ok(words("data import dated.csv --name undated --add")...), "note: Date: the rows of earlier files have no day, so figures by time are without them", "it has 4 rows")
}

// TestDataImportReport imports a report with two tables under one another.
func TestDataImportReport(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	var trends strings.Builder
	trends.WriteString("Sales trends\nJan 1 - Feb 14\n\nPayment,Collected\nCash,$100.00\nCard,$300.00\nGift,$20.00\nOther,$30.00\n\nDate,Gross Sales,Orders\n")
	for i := range 45 {
		fmt.Fprintf(&trends, "2024-%02d-%02d,$10.00,%d\n", 1+i/28, 1+i%28, 1+i%3)
	}
	f.write("trends.csv", trends.String())
	contains(t, f.ok(words("data import trends.csv")...), "note: read the table in line 10 (45 rows)",
		"note: left out the table in line 4 (4 rows) with the headings Payment, Collected; --sheet 4 takes it instead", "imported 45 rows")
	contains(t, f.ok("ask", "what is our total revenue?"), "450")
	contains(t, f.ok(words("data import trends.csv --name payments --sheet 4")...), "read the table in line 4 (4 rows)", "2 rows above the headings not read", "imported 4 rows")
}

// TestInventoryImportSheets imports the products of a workbook with other worksheets.
func TestInventoryImportSheets(t *testing.T) {
	t.Parallel()
	f := withShop(t)
	f.pages("stock.xlsx", page{"Read me", [][]any{{"How to", "Use it"}, {"Step", 1}, {"Step", 2}, {"Step", 3}, {"Step", 4}}},
		page{"Food", [][]any{{"Name", "SKU", "Price"}, {"Bread", "B1", 3}}}, page{"Drinks", [][]any{{"SKU", "Name", "Price"}, {"T1", "Tea", "much"}}})
	contains(t, f.ok(words("inventory import stock.xlsx --sheet Food --dry-run")...), "read the sheet Food (1 row)", "left out the sheet Drinks (1 row)", "would import 1 product")
	if out := f.run("", "inventory", "import", "stock.xlsx"); out.status != 1 || !strings.Contains(out.out, `Drinks, line 2, Price: "much" is not a number`) {
		t.Errorf("got %+v", out)
	}
	f.pages("stock.xlsx", page{"Food", [][]any{{"Name", "SKU", "Price"}, {"Bread", "B1", 3}}}, page{"Drinks", [][]any{{"SKU", "Name", "Price"}, {"T1", "Tea", 2}}},
		page{"Notes", [][]any{{"Order more", "Soon"}}})
	contains(t, f.ok(words("inventory import stock.xlsx")...), "read the sheet Food (1 row), the sheet Drinks (1 row), which have equal headings, as one table",
		"left out the sheet Notes (0 rows) with the headings Order more, Soon", "imported 2 products")
	tables := f.object(words("inventory import stock.xlsx --json")...)["tables"].([]any)
	if len(tables) != 3 || tables[2].(map[string]any)["taken"] != false {
		t.Errorf("tables %v", tables)
	}
}

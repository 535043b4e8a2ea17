package dataset_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/datatest"
	"svc/server/fault"
	"svc/server/schema"
	"svc/server/sheet"
)

// add adds a text to the dataset "sales".
func (d *fixture) add(text string) (schema.Source, dataset.Report, error) {
	return d.importInto(dataset.File{Name: "more.csv", Content: strings.NewReader(text), Size: int64(len(text)), Dataset: "sales", Mode: dataset.Add})
}

func (d *fixture) mustAdd(text string) (schema.Source, dataset.Report) {
	d.Helper()
	source, report, err := d.add(text)
	if err != nil {
		d.Fatal(err)
	}
	return source, report
}

// exported returns the rows of a dataset as they were typed, sorted.
func (d *fixture) exported(name string) string {
	d.Helper()
	var rows []string
	keep := func(cells []string) error {
		rows = append(rows, strings.Join(cells, ","))
		return nil
	}
	if err := d.service.Export(d.Context(), d.owner.ID, name, keep, keep); err != nil {
		d.Fatal(err)
	}
	slices.Sort(rows[1:])
	return strings.Join(rows, "\n") + "\n"
}

func TestAdd(t *testing.T) {
	dbtest.Sequential(t)
	for name, c := range map[string]struct {
		first, more string
		counts      dataset.Merged
		want        string
	}{
		"OrderAndProduct": {
			"Order,Date,Product,Total\n1,2024-01-01,Bun,5\n1,2024-01-01,Tea,6\n2,2024-01-02,Tea,7\n",
			"Order,Date,Product,Total\n2,2024-01-02,Tea,8\n2,2024-01-02,Bun,9\n1,2024-01-01,Tea,6\n",
			dataset.Merged{Added: 1, Updated: 1, Known: 1},
			"Order,Date,Product,Total\n1,2024-01-01,Bun,5\n1,2024-01-01,Tea,6\n2,2024-01-02,Bun,9\n2,2024-01-02,Tea,8\n",
		},
		"OrderAndLine": {
			"Order,Line,Date,Product,Total\n1,1,2024-01-01,Tea,5\n1,2,2024-01-01,Tea,6\n",
			"Order,Line,Date,Product,Total\n1,2,2024-01-01,Bun,7\n",
			dataset.Merged{Updated: 1},
			"Order,Line,Date,Product,Total\n1,1,2024-01-01,Tea,5\n1,2,2024-01-01,Bun,7\n",
		},
		"SKUOfSeveralLines": { // the lines count in their order
			"Order,Date,SKU,Total\n1,2024-01-01,T,5\n1,2024-01-01,T,6\n",
			"Order,Date,SKU,Total\n1,2024-01-01,T,5\n1,2024-01-01,T,7\n1,2024-01-01,T,8\n",
			dataset.Merged{Added: 1, Updated: 1, Known: 1},
			"Order,Date,SKU,Total\n1,2024-01-01,T,5\n1,2024-01-01,T,7\n1,2024-01-01,T,8\n",
		},
		"OrderAlone": {
			"Order,Date,Total\n1,2024-01-01,5\n2,2024-01-02,6\n",
			"Order,Date,Total\n2,2024-01-02,7\n3,2024-01-03,8\n",
			dataset.Merged{Added: 1, Updated: 1},
			"Order,Date,Total\n1,2024-01-01,5\n2,2024-01-02,7\n3,2024-01-03,8\n",
		},
		"WholeRow": { // two equal sales of a day are two, in whichever file
			"Date,Product,Total\n2024-01-01,Tea,5\n2024-01-01,Tea,5\n2024-01-02,Tea,5\n",
			"Date,Product,Total\n2024-01-02,Tea,5\n2024-01-02,Tea,5\n2024-01-03,Tea,6\n",
			dataset.Merged{Added: 2, Known: 1},
			"Date,Product,Total\n2024-01-01,Tea,5\n2024-01-01,Tea,5\n2024-01-02,Tea,5\n2024-01-02,Tea,5\n2024-01-03,Tea,6\n",
		},
		"NumbersStartAnew": { // a till that counts from 1 each month
			"Receipt No,Date,Product,Total\n1,2024-01-01,Tea,5\n2,2024-01-02,Tea,6\n",
			"Receipt No,Date,Product,Total\n1,2024-02-01,Tea,7\n2,2024-02-02,Tea,8\n",
			dataset.Merged{Added: 2},
			"Receipt No,Date,Product,Total\n1,2024-01-01,Tea,5\n1,2024-02-01,Tea,7\n2,2024-01-02,Tea,6\n2,2024-02-02,Tea,8\n",
		},
		"InvoiceNumbersStartAnew": {
			"Invoice,Date,Total\n1,2024-01-01,5\n2,2024-01-02,6\n",
			"Invoice,Date,Total\n1,2024-02-01,5\n2,2024-02-02,6\n",
			dataset.Merged{Added: 2},
			"Invoice,Date,Total\n1,2024-01-01,5\n1,2024-02-01,5\n2,2024-01-02,6\n2,2024-02-02,6\n",
		},
		"RefundOfASale": { // the sale stays
			"Order,Date,SKU,Quantity,Total\n1,2024-01-01,T,1,20\n",
			"Order,Date,SKU,Quantity,Total\n1,2024-01-01,T,-1,-20\n",
			dataset.Merged{Added: 1},
			"Order,Date,SKU,Quantity,Total\n1,2024-01-01,T,-1,-20\n1,2024-01-01,T,1,20\n",
		},
		"WholeRowWithAFurtherColumn": {
			"Date,Product,Total\n2024-01-01,Tea,5\n2024-01-02,Bun,6\n",
			"Date,Product,Total,Channel\n2024-01-01,Tea,5,web\n2024-01-03,Jam,7,till\n",
			dataset.Merged{Added: 1, Updated: 1},
			"Date,Product,Total,Channel\n2024-01-01,Tea,5,web\n2024-01-02,Bun,6,\n2024-01-03,Jam,7,till\n",
		},
		"OrdersWithoutADay": { // nothing tells a new order from an old one
			"Order,Product,Total\n1,Tea,5\n2,Tea,6\n",
			"Order,Product,Total\n1,Bun,7\n2,Tea,6\n",
			dataset.Merged{Added: 1, Known: 1},
			"Order,Product,Total\n1,Bun,7\n1,Tea,5\n2,Tea,6\n",
		},
		"DaysAndNumbersOfAnotherSpelling": {
			"Order,Date,Product,Total\n1,2024-01-01,Tea,5\n2,2024-01-31,Bun,1006.5\n",
			"Order,Date,Product,Total\n1,1/1/2024,Tea,5.00\n2,1/31/2024,Bun,\"£1,006.50\"\n3,2/1/2024,Jam,7\n",
			dataset.Merged{Added: 1, Known: 2},
			"Order,Date,Product,Total\n1,1/1/2024,Tea,5.00\n2,1/31/2024,Bun,£1,006.50\n3,2/1/2024,Jam,7\n",
		},
		"DaysWithATime": {
			"Order,Date,Product,Total\n1,2024-01-01,Tea,5\n2,2024-01-02,Bun,6\n",
			"Order,Date,Product,Total\n1,2024-01-01 00:00:00,Tea,5\n2,2024-01-02 09:30:15,Bun,6\n",
			dataset.Merged{Updated: 1, Known: 1},
			"Order,Date,Product,Total\n1,2024-01-01 00:00:00,Tea,5\n2,2024-01-02 09:30:15,Bun,6\n",
		},
		"WholeRowOfAnotherSpelling": {
			"Date,Product,Total\n2024-01-30,Tea,5.5\n2024-01-31,Tea,5.5\n",
			"Date;Product;Total\n30.01.2024;Tea;5,50\n01.02.2024;Tea;6,50\n",
			dataset.Merged{Added: 1, Known: 1},
			"Date,Product,Total\n01.02.2024,Tea,6,50\n2024-01-31,Tea,5.5\n30.01.2024,Tea,5,50\n",
		},
		"OtherOrderOfColumns": {
			"Date,Product,Total\n2024-01-01,Tea,5\n2024-01-02,Bun,6\n",
			"total;PRODUCT;Date;Till\n6;Bun;2024-01-02;\n7;Jam;2024-01-03;2\n",
			dataset.Merged{Added: 1, Known: 1},
			"Date,Product,Total,Till\n2024-01-01,Tea,5,\n2024-01-02,Bun,6,\n2024-01-03,Jam,7,2\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.mustImport("sales.csv", c.first)
			source, report := d.mustAdd(c.more)
			if report.Merged != c.counts || int(source.Rows) != strings.Count(c.want, "\n")-1 {
				t.Errorf("%d rows, %+v, want %+v", source.Rows, report.Merged, c.counts)
			}
			if got := d.exported("sales"); got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			_, report = d.mustAdd(c.more)
			if known := strings.Count(c.more, "\n") - 1; report.Merged != (dataset.Merged{Known: known}) || d.exported("sales") != c.want {
				t.Errorf("added again: %+v", report.Merged)
			}
		})
	}
}

// Types hold for the rows of all files.
func TestAddDecidesTypesAnew(t *testing.T) {
	d := newFixture(t)
	d.mustImport("sales.csv", "Date,Product,Total\n01/02/2024,Tea,1000\n02/02/2024,Bun,2000\n")
	d.mustAdd("Date,Product,Total\n02/13/2024,Tea,7.25\n") // so the month comes first
	source, err := d.service.Find(t.Context(), d.owner.ID, "sales")
	if err != nil {
		t.Fatal(err)
	}
	file, err := d.service.Open(source)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if got := figure(t, source, file, "sum({revenue})"); got != "300725" || source.First != "2024-01-02" || source.Last != "2024-02-13" {
		t.Errorf("sum %s from %s to %s", got, source.First, source.Last)
	}
}

func TestAddKeepsCorrectedRoles(t *testing.T) {
	d := newFixture(t)
	first := d.mustImport("sales.csv", "Date,Total,Product,Extra\n2024-03-01,5,Tea,1\n2024-03-02,6,Bun,2\n")
	if _, err := d.service.SetRoles(t.Context(), d.owner.ID, first.ID, []dataset.Correction{{"Extra", schema.Revenue}, {"Product", "none"}}); err != nil {
		t.Fatal(err)
	}
	d.mustAdd("Date,Total,Product,Extra\n2024-03-03,5,Tea,1\n")
	source, err := d.service.Find(t.Context(), d.owner.ID, "")
	if got := rolesOf(source); err != nil || got != "date=Date revenue=Extra" || source.ID != first.ID || source.Rows != 3 {
		t.Errorf("%s of %s, %v", got, source.ID, err)
	}
	_, report := d.mustAdd("Date,Total,Product,Extra\n2024-03-04,5,Tea,none left\n2024-03-05,5,Tea,gone\n")
	if len(report.Warnings) == 0 || !strings.Contains(fmt.Sprint(report.Warnings), "its corrected role was not kept") {
		t.Errorf("warnings %+v", report.Warnings)
	}
}

// Texts that only the first row of an order has are copied to its other rows, in whichever
// file the order changes.
func TestAddToAnExport(t *testing.T) {
	dbtest.Sequential(t)
	d := newFixture(t)
	content, err := os.ReadFile("testdata/shopify_orders.csv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(content), "\n")
	half := len(lines) / 2
	whole := d.mustImport("whole.csv", string(content))
	d.mustImport("sales.csv", lines[0]+strings.Join(lines[1:half+1], ""))
	source, report := d.mustAdd(string(content))
	if report.Merged.Known != half || source.Rows != whole.Rows || rolesOf(source) != rolesOf(whole) {
		t.Errorf("%d rows, want %d; %+v", source.Rows, whole.Rows, report.Merged)
	}
	one, err := d.service.Open(whole)
	if err != nil {
		t.Fatal(err)
	}
	defer one.Close()
	found, err := d.service.Find(t.Context(), d.owner.ID, "sales")
	if err != nil {
		t.Fatal(err)
	}
	other, err := d.service.Open(found)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	for _, expression := range []string{"sum({price} * {quantity} - {discount})", "count(DISTINCT {order})", "count({city})", "sum({status} = 'paid')"} {
		if got, want := figure(t, found, other, expression), figure(t, whole, one, expression); got != want {
			t.Errorf("%s: got %s, want %s", expression, got, want)
		}
	}
}

// Read in the order of one file, the days of the other would be wrong.
func TestAddRefusesAnotherDateOrder(t *testing.T) {
	const dayFirst, monthFirst = "Date,Product,Total\n28/01/2024,Tea,5\n02/01/2024,Bun,6\n", "Date,Product,Total\n02/28/2024,Tea,5\n02/01/2024,Bun,6\n"
	for first, more := range map[string]string{dayFirst: monthFirst, monthFirst: dayFirst} {
		d := newFixture(t)
		d.mustImport("sales.csv", first)
		before := d.exported("sales")
		_, _, err := d.add(more)
		if refused, ok := errors.AsType[*sheet.Error](err); !ok || !strings.Contains(refused.Reason, "month first") || d.exported("sales") != before {
			t.Errorf("%v", err)
		}
	}
}

func TestAddRefusals(t *testing.T) {
	d := newFixture(t)
	d.mustImport("sales.csv", march)
	before := d.files()
	for name, text := range map[string]string{"LacksAColumn": "Date,Product\n2024-04-01,Tea\n", "BadRow": april + "2024-04-03,9,Tea,oops\n", "NoRows": "Date,Total,Product\n"} {
		t.Run(name, func(t *testing.T) {
			_, _, err := d.add(text)
			if _, ok := errors.AsType[*sheet.Error](err); !ok {
				t.Errorf("%v", err)
			}
			wantText(t, d.latest(), "sales 11")
			if after := d.files(); !slices.Equal(after, before) {
				t.Errorf("got files %v, want %v", after, before)
			}
		})
	}
	if _, err := d.importText("sales.csv", april); codeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "--add") || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("taken name: %v", err)
	}
}

func codeOf(err error) fault.Code {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return ""
}

// A file of an earlier version has no raw rows: it answers, but cannot grow.
func TestAddToAnEarlierVersion(t *testing.T) {
	d := newFixture(t)
	d.mustImport("sales.csv", march)
	d.dropRaw("sales")
	wantText(t, d.latest(), "sales 11")
	if got := d.exported("sales"); got != march {
		t.Errorf("exported %s", got)
	}
	if _, _, err := d.add(april); codeOf(err) != fault.Conflict || !strings.Contains(err.Error(), "--replace") {
		t.Errorf("%v", err)
	}
	wantText(t, d.latest(), "sales 11")
	if _, _, err := d.importInto(dataset.File{Name: "sales.csv", Content: strings.NewReader(march), Size: int64(len(march)), Mode: dataset.Replace}); err != nil {
		t.Fatal(err)
	}
	d.mustAdd(april)
	wantText(t, d.latest(), "sales 26")
}

// dropRaw makes the file of a dataset one of an earlier version.
func (d *fixture) dropRaw(name string) {
	d.Helper()
	source, err := d.service.Find(d.Context(), d.owner.ID, name)
	if err != nil {
		d.Fatal(err)
	}
	file, err := sql.Open("sqlite", d.store.DataPath(db.Dataset{File: source.File}))
	if err != nil {
		d.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec("DROP TABLE raw"); err != nil {
		d.Fatal(err)
	}
}

// Wherever an addition is cut off, the dataset stays as it was, and the sweep removes what
// the addition left.
func TestInterruptedAddIsSwept(t *testing.T) {
	for name, path := range map[string]func(d *fixture, half db.Dataset) string{
		"WhileItIsBuilt":    func(d *fixture, half db.Dataset) string { return d.store.DataTempPath(half) },
		"WhenItIsPublished": func(d *fixture, half db.Dataset) string { return d.store.DataPath(half) },
	} {
		t.Run(name, func(t *testing.T) {
			d := newFixture(t)
			d.mustImport("sales.csv", march)
			var half db.Dataset
			dbtest.Update(t, d.store, func(tx *db.Tx) (err error) {
				half, err = tx.BeginDataset(d.owner.ID, "sales")
				return err
			})
			if err := os.WriteFile(path(d, half), []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
			wantText(t, d.latest(), "sales 11")
			d.mustAdd(april)
			wantText(t, d.latest(), "sales 26")
			d.clock.Advance(25 * time.Hour)
			d.sweep()
			wantText(t, d.latest(), "sales 26")
			if all, err := d.service.List(t.Context(), d.owner.ID); err != nil || len(all) != 1 || len(d.files()) != 1 {
				t.Errorf("%+v, files %v, %v", all, d.files(), err)
			}
		})
	}
}

// A role that is corrected while a file is added is not lost: the addition is refused.
func TestAddMeetsACorrection(t *testing.T) {
	d := newFixture(t)
	source := d.mustImport("sales.csv", march)
	text := &hooked{Reader: strings.NewReader(april), hook: func() {
		if _, err := d.service.SetRoles(t.Context(), d.owner.ID, source.ID, []dataset.Correction{{"Total", schema.Cost}}); err != nil {
			t.Error(err)
		}
	}}
	_, _, err := d.importInto(dataset.File{Name: "more.csv", Content: text, Size: int64(len(april)), Dataset: "sales", Mode: dataset.Add})
	if codeOf(err) != fault.Conflict {
		t.Errorf("%v", err)
	}
	if now, err := d.service.Find(t.Context(), d.owner.ID, "sales"); err != nil || now.Rows != 2 || !strings.Contains(rolesOf(now), "cost=Total") || len(d.files()) != 1 {
		t.Errorf("%s, %v, files %v", rolesOf(now), err, d.files())
	}
}

// hooked calls its hook at the first read.
type hooked struct {
	*strings.Reader
	hook func()
}

func (h *hooked) ReadAt(p []byte, off int64) (int, error) {
	if h.hook != nil {
		h.hook()
		h.hook = nil
	}
	return h.Reader.ReadAt(p, off)
}

// What is no table is refused, and displaces nothing.
func TestTextIsNoTable(t *testing.T) {
	d := newFixture(t)
	d.mustImport("march.csv", march)
	for name, text := range map[string]string{
		"prose.txt":  "The tea\nIs hot\nAnd so am I\n",
		"title.md":   "# Tea house\n\nWe have\n12\n13\n",
		"list.md":    "- tea\n- bun\n- 3\n",
		"page.html":  "<html>\n<body>\n5\n</body>\n",
		"data.json":  "{\"a\": 1,\n\"b\": 2\n}\n",
		"names.csv":  "Name,Colour\nTea,green\nBun,brown\n",
		"shell.conf": "server {\n5\n6\n}\n",
	} {
		if _, err := d.importText(name, text); err == nil {
			t.Errorf("%s was imported", name)
		} else if _, ok := errors.AsType[*sheet.Error](err); !ok {
			t.Errorf("%s: %v", name, err)
		}
	}
	wantText(t, d.latest(), "march 11")
}

// Years and months are names of columns.
func TestPeriodsAreHeadings(t *testing.T) {
	d := newFixture(t)
	for name, text := range map[string]string{
		"years.csv":  "Product,2021,2022,2023\nTea,5,6,7\nBun,8,9,10\n",
		"months.csv": "Product,2024-01,2024-02,2024-03\nTea,5,6,7\nBun,8,9,10\n",
	} {
		if _, err := d.importText(name, text); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The real files are tables.
func TestRealFilesAreTables(t *testing.T) {
	datatest.SkipShort(t)
	d := newFixture(t)
	for _, name := range []string{
		"datasets/adidas/adidas_sales.csv", "datasets/breadbasket/BreadBasket_DMS.csv", "datasets/dirty_cafe/dirty_cafe_sales.csv",
		"datasets/electronics/Sales_January_2019.csv", "datasets/financial_sample/Financials.csv", "datasets/northwind/products.csv", "datasets/northwind/orders.csv",
		"datasets/northwind/order_details.csv", "datasets/shopify/orders_export_1.csv", "datasets/shopify/products_apparel.csv", "datasets/walmart_dollar/Walmart.csv",
	} {
		t.Run(name, func(t *testing.T) {
			content := string(datatest.Read(t, name))
			_, report, err := d.importInto(dataset.File{Name: name, Content: strings.NewReader(content), Size: int64(len(content)), Dataset: name, DryRun: true})
			if err != nil || report.Rows == 0 {
				t.Errorf("%+v, %v", report, err)
			}
		})
	}
}

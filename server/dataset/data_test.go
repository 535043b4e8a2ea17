package dataset_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/datatest"
	"svc/server/schema"
	"svc/server/sheet"
)

// buildFile imports a file and opens its dataset.
func buildFile(t testing.TB, path string) (schema.Source, dataset.Report, *db.DataFile) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "rows.db")
	source, report, err := dataset.Build(t.Context(), filepath.Base(path), f, info.Size(), sheet.Limits{}, to)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return source, report, open(t, to)
}

func open(t testing.TB, path string) *db.DataFile {
	t.Helper()
	file, err := db.OpenDataFile(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

var roleInBraces = regexp.MustCompile(`\{\w+\}`)

// figure computes an expression over the whole table; roles in braces are replaced by
// their columns.
func figure(t testing.TB, source schema.Source, file db.Querier, expression string) string {
	t.Helper()
	text := roleInBraces.ReplaceAllStringFunc(expression, func(role string) string {
		c, ok := source.ByRole(schema.Role(strings.Trim(role, "{}")))
		if !ok {
			t.Errorf("no column has the role %s", role)
		}
		return c.Name
	})
	var day []any
	if source.SoldLast != "" {
		day = append(day, source.SoldLast) // the parameter of From
	}
	found, err := file.Query(t.Context(), 1, "SELECT "+text+" FROM "+source.From, day...)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(found.Rows[0][0])
}

// expected is a line of messy_expect.jsonl.
type expected struct {
	File     string
	DataRows int64 `json:"data_rows"`
	Numbers  map[string]struct {
		Count, Missing int64
		Sum, Min, Max  json.Number
	}
	Dates map[string]struct {
		Count, Missing int64
		Min, Max       string
	}
}

// Counts, sums and extremes of the numbers and days in files that are hard to read.
func TestMessyFacts(t *testing.T) {
	datatest.SkipShort(t)
	f, err := os.Open(datatest.Path(t, "ask/messy_expect.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var want expected
		if err := json.Unmarshal(lines.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		name := strings.Replace(want.File, "electronics_keithgalli", "electronics", 1)
		t.Run(filepath.Base(name), func(t *testing.T) {
			source, _, file := buildFile(t, datatest.Path(t, name))
			checkFacts(t, want, source, file)
		})
	}
	if lines.Err() != nil {
		t.Fatal(lines.Err())
	}
}

func checkFacts(t *testing.T, want expected, source schema.Source, file *db.DataFile) {
	if source.Rows != want.DataRows {
		t.Errorf("%d rows, want %d", source.Rows, want.DataRows)
	}
	for _, c := range source.Columns {
		if n, ok := want.Numbers[c.Heading]; ok {
			cell := "CAST(" + c.Name + " AS INTEGER)" // order numbers are text
			got := fmt.Sprintf("%d filled, %d blank, sum %s, %s to %s", source.Rows-c.Blank, c.Blank,
				scaled(t, figure(t, source, file, "sum("+cell+")"), c), scaled(t, figure(t, source, file, "min("+cell+")"), c), scaled(t, figure(t, source, file, "max("+cell+")"), c))
			expect := fmt.Sprintf("%d filled, %d blank, sum %s, %s to %s", n.Count, n.Missing, exact(t, n.Sum), exact(t, n.Min), exact(t, n.Max))
			if got != expect {
				t.Errorf("%s: %s, want %s", c.Heading, got, expect)
			}
			delete(want.Numbers, c.Heading)
		}
		if n, ok := want.Dates[c.Heading]; ok {
			got := fmt.Sprintf("%d filled, %d blank, %.10s to %.10s", source.Rows-c.Blank, c.Blank, figure(t, source, file, "min("+c.Name+")"), figure(t, source, file, "max("+c.Name+")"))
			if expect := fmt.Sprintf("%d filled, %d blank, %s to %s", n.Count, n.Missing, n.Min, n.Max); got != expect {
				t.Errorf("%s: %s, want %s", c.Heading, got, expect)
			}
			delete(want.Dates, c.Heading)
		}
	}
	if len(want.Numbers)+len(want.Dates) > 0 {
		t.Errorf("columns are missing: %v %v", want.Numbers, want.Dates)
	}
}

// scaled returns stored units as a number of the file; a share of 12.5 % is 0.125 there.
func scaled(t *testing.T, units string, c schema.Column) string {
	n, ok := new(big.Rat).SetString(units)
	if !ok {
		t.Fatalf("%s: %q is no number", c.Heading, units)
	}
	places := c.Scale
	if c.Unit == schema.Percent {
		places += 2
	}
	power := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(places)), nil)
	return n.Quo(n, new(big.Rat).SetInt(power)).FloatString(4)
}

func exact(t *testing.T, n json.Number) string {
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%q is no number", n)
	}
	return r.FloatString(4)
}

// The roles of columns in merchants' files.
func TestRealRoles(t *testing.T) {
	datatest.SkipShort(t)
	const adidas = "date=Invoice_Date store=Retailer region=Region state=State city=City product=Product price=Price_per_Unit quantity=Units_Sold revenue=Total_Sales profit=Operating_Profit margin=Operating_Margin channel=Sales_Method"
	const financial = "segment=Segment country=Country product=Product quantity=Units_Sold price=Sale_Price gross=Gross_Sales discount=Discounts revenue=Sales cost=COGS profit=Profit date=Date"
	for _, c := range []struct {
		file  string
		kind  schema.Kind
		span  string
		money string
		roles string
	}{
		{"adidas/adidas_sales.csv", schema.Sales, "2020-01-01 2021-12-31", "", adidas},
		{"adidas/Adidas US Sales Datasets.xlsx", schema.Sales, "2020-01-01 2021-12-31", "", adidas},
		{"breadbasket/BreadBasket_DMS.csv", schema.Sales, "2016-10-30 2017-04-09", "", "date=Date time=Time order=Transaction product=Item"},
		{
			"coffee_shop_synthetic/coffee_shop_sales.csv", schema.Sales, "2024-01-01 2024-12-31", "",
			"order=transaction_id date=transaction_date time=transaction_time store=store_location category=product_category product=product_type price=unit_price quantity=quantity revenue=total_sales",
		},
		{"coffee_vending/index_1.csv", schema.Sales, "2024-03-01 2025-03-23", "", "date=datetime payment=cash_type customer=card revenue=money product=coffee_name"},
		{"coffee_vending/index_2.csv", schema.Sales, "2025-02-08 2025-03-23", "", "date=datetime payment=cash_type revenue=money product=coffee_name"},
		{
			"dirty_cafe/dirty_cafe_sales.csv", schema.Sales, "2023-01-01 2023-12-31", "",
			"order=Transaction_ID product=Item quantity=Quantity price=Price_Per_Unit revenue=Total_Spent payment=Payment_Method channel=Location date=Transaction_Date",
		},
		{"electronics/Sales_January_2019.csv", schema.Sales, "2019-01-01 2019-02-01", "", "order=Order_ID product=Product quantity=Quantity_Ordered price=Price_Each date=Order_Date city=Purchase_Address:_City state=Purchase_Address:_State"},
		{"financial_sample/Financials.csv", schema.Sales, "2013-09-01 2014-12-31", "usd", financial},
		{"financial_sample/Financial Sample.xlsx", schema.Sales, "2013-09-01 2014-12-31", "", financial},
		{"northwind/products.csv", schema.Stocklist, " ", "", "sku=ProductID product=ProductName supplier=SupplierID category=CategoryID price=UnitPrice stock=UnitsInStock incoming=UnitsOnOrder reorder=ReorderLevel"},
		{"northwind/orders.csv", schema.Sales, "1996-07-04 1998-05-06", "", "order=OrderID customer=CustomerID staff=EmployeeID date=OrderDate shipping=Freight city=ShipCity region=ShipRegion country=ShipCountry"},
		{"northwind/order_details.csv", schema.Sales, " ", "", "order=OrderID sku=ProductID price=UnitPrice quantity=Quantity discount=Discount"},
		{
			"shopify/orders_export_1.csv", schema.Sales, "2025-12-06 2025-12-06", "inr",
			"order=Name customer=Email status=Financial_Status shipping=Shipping tax=Taxes date=Created_at quantity=Lineitem_quantity product=Lineitem_name price=Lineitem_price sku=Lineitem_sku " +
				"city=Billing_City state=Billing_Province country=Billing_Country payment=Payment_Method brand=Vendor staff=Employee store=Location channel=Source discount=Lineitem_discount refund=Refunded_Amount owed=Outstanding_Balance",
		},
		{"shopify/orders_export_au_2014.csv", schema.Sales, "2014-09-04 2017-05-08", "", "order=Name shipping=Shipping tax=Taxes revenue=Total date=Created_at city=Billing_City state=Billing_Province country=Billing_Country"},
		{"shopify/products_apparel.csv", schema.Stocklist, " ", "", "product=Title brand=Vendor stock=Variant_Inventory_Qty price=Variant_Price"},
		{"shopify/products_home-and-garden.csv", schema.Stocklist, " ", "", "product=Title brand=Vendor category=Type stock=Variant_Inventory_Qty price=Variant_Price"},
		{"shopify/products_jewelery.csv", schema.Stocklist, " ", "", "product=Title brand=Vendor category=Type stock=Variant_Inventory_Qty price=Variant_Price"},
		{
			"walmart_dollar/Walmart.csv", schema.Sales, "2019-01-01 2023-12-31", "usd",
			"order=invoice_id store=Branch city=City category=category price=unit_price quantity=quantity date=date time=time payment=payment_method rating=rating margin=profit_margin",
		},
	} {
		t.Run(c.file, func(t *testing.T) {
			source, _, _ := buildFile(t, datatest.Path(t, "datasets/"+c.file))
			if source.Kind != c.kind || source.First+" "+source.Last != c.span || source.Currency != c.money {
				t.Errorf("got %s from %q to %q in %q", source.Kind, source.First, source.Last, source.Currency)
			}
			if got, want := rolesOf(source), sorted(c.roles); got != want {
				t.Errorf("got roles\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// describe returns a source with its columns as text.
func describe(s schema.Source) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s rows=%d %q %s..%s\n", s.Name, s.Kind, s.Rows, s.Currency, s.First, s.Last)
	for _, c := range s.Columns {
		fmt.Fprintf(&b, "  %-28q %-7s scale %d %-8s role=%-10s distinct %d blank %d %.60q\n",
			c.Heading, c.Type, c.Scale, c.Unit, c.Role, c.Distinct, c.Blank, c.Values[:min(3, len(c.Values))])
	}
	return b.String()
}

// Files of other countries and programs have no odd cell.
func TestSmallRealFiles(t *testing.T) {
	dbtest.Sequential(t)
	files, err := filepath.Glob(filepath.Join(datatest.Path(t, "csv/snippets"), "*.[ct]sv"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files", err)
	}
	for _, path := range files {
		source, report, _ := buildFile(t, path)
		if report.Odd > 0 {
			t.Errorf("%s: %+v", path, report)
		}
		t.Log(describe(source))
	}
}

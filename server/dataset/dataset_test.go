package dataset_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/sheet"
)

// buildText imports a text as a CSV file.
func buildText(t testing.TB, text string) (schema.Source, dataset.Report, *db.DataFile) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rows.db")
	source, report, err := dataset.Build(t.Context(), "shop.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, path)
	if err != nil {
		t.Fatal(err)
	}
	return source, report, open(t, path)
}

// table returns a CSV file of a heading and its cells, beside a column of words that keeps
// rows with a blank cell.
func table(title string, cells []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%q,Words\n", title)
	for _, cell := range cells {
		fmt.Fprintf(&b, "%q,word\n", cell)
	}
	return b.String()
}

// times repeats cells, so that odd ones are a small share.
func times(n int, cells ...string) (all []string) {
	for range n {
		all = append(all, cells...)
	}
	return all
}

func join(parts ...[]string) (all []string) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func TestColumns(t *testing.T) {
	dbtest.Sequential(t)
	for _, c := range []struct {
		name, title string
		cells       []string
		want        string // type, scale and unit
		values      string // of the first rows
		odd         int
	}{
		{"Text", "Notes", []string{"fine", "-", "n/a", "good"}, "text 0", "fine <nil> <nil> good", 0},
		{"WholeNumbers", "Guests", []string{"3", "1,200", "-4"}, "number 0", "3 1200 -4", 0},
		{"Decimals", "Weight", []string{"3", "1.5", "2.25"}, "number 2", "300 150 225", 0},
		{"BinaryNoise", "Weight", []string{"0.30000000000000004", "1.1", "2"}, "number 1", "3 11 20", 0},
		{"TooLargeForItsDecimals", "Weight", []string{"123456789012.123456", "2.5"}, "number 0", "123456789012 3", 0},
		{"DecimalComma", "Weight", []string{"1.234,5", "2,75", "1.500"}, "number 2", "123450 275 150000", 0},
		{"AmbiguousIsThousands", "Weight", []string{"1,234", "2,500.5"}, "number 1", "12340 25005", 0},
		{"Money", "Fee", []string{"$1,234.50", "($3.00)", "$ -"}, "number 1 money", "12345 -30 0", 0},
		{"LakhsOfRupees", "Fee", []string{"₹4,53,375.00", "₹1.00"}, "number 0 money", "453375 1", 0},
		{"NearlyNumbers", "Weight", join(times(40, "1.5"), []string{"heavy"}), "number 1", "15 15", 1},
		{"NotNearlyNumbers", "Weight", []string{"1", "2", "3", "heavy"}, "text 0", "1 2", 0},
		{"Percent", "Growth", []string{"12%", "12.5 %", "-3%"}, "number 1 percent", "120 125 -30", 0},
		{"PercentInHeading", "Growth %", []string{"12", "12.5", "0.5"}, "number 1 percent", "120 125 5", 0},
		{"FractionsOfMargin", "Profit margin", []string{"0.125", "0.3", "-1"}, "number 1 percent", "125 300 -1000", 0},
		{"FractionsOfDiscount", "Discount", []string{"0", "0.25", "0.05"}, "number 0 percent", "0 25 5", 0},
		{"AmountOfDiscount", "Discount", []string{"0", "2.25", "0.05"}, "number 2 money", "0 225 5", 0},
		{"TaxThatNamesItsRate", "Tax 5%", []string{"0.25", "0.5", "1"}, "number 2 money", "25 50 100", 0},
		{"NumbersOfCustomers", "Retailer ID", []string{"1185732", "1185732", "12"}, "text 0", "1185732 1185732 12", 0},
		{"Postcodes", "Depot", []string{"01234", "12345", "99999"}, "text 0", "01234 12345 99999", 0},
		{"SpreadsheetPrefixOfText", "Depot", []string{"'0812", "'0820", "x"}, "text 0", "0812 0820 x", 0},
		{"Barcodes", "Thing", []string{"4006381333931", "4006381333932", "9"}, "text 0", "4006381333931 4006381333932", 0},
		{"NumberedRows", "Pos", strings.Fields("1 2 3 4 5 6 7 8 9 10"), "text 0", "1 2 3 4", 0},
		{"FewThatCountUp", "Pos", []string{"1", "2", "3"}, "number 0", "1 2 3", 0},
		{"NumberOfGuests", "Number of guests", []string{"4", "2", "4"}, "number 0", "4 2 4", 0},
		{"Years", "Year", []string{"2024", "2023", "2024"}, "text 0", "2024 2023", 0},
		{"Months", "Order month", []string{"1", "12", "7"}, "text 0", "1 12 7", 0},
		{"Weeks", "Week", []string{"31", "32", "32"}, "text 0", "31 32", 0},
		{"GuestsPerDay", "Guests per day", []string{"31", "32", "32"}, "number 0", "31 32", 0},
		{"NAIsNamibiaUnderCountry", "Country", []string{"NA", "DE", "n/a"}, "text 0", "NA DE <nil>", 0},
		{"NAIsABlank", "Notes", []string{"NA", "fine"}, "text 0", "<nil> fine", 0},
		{"NDIsNotBlank", "Ship to", []string{"ND", "TX"}, "text 0", "ND TX", 0},
		{"PhonesByTheirPlus", "Contact", []string{"+1 555 123 456", "+1 555 123 457"}, "text 0", "+1 555 123 456", 0},
		{"ChangesWithAPlus", "Change", []string{"+5", "-3", "+1.25"}, "number 2", "500 -300 125", 0},
		{"Phones", "Phone", []string{"5551234", "5554321", "5554321"}, "text 0", "5551234", 0},
		{"Stores", "Store", []string{"1", "2", "45"}, "text 0", "1 2 45", 0},
		{"Dates", "Joined", []string{"31/12/2024", "1/2/2024", "ERROR"}, "date 0", "2024-12-31 2024-02-01 <nil>", 0},
		{"DatesOfTwoOrders", "Joined", join(times(40, "31/12/2024"), []string{"12/31/2024"}), "date 0", "2024-12-31", 1},
		{"MidnightIsNoTime", "Joined", []string{"1996-07-04 00:00:00.000", "1996-07-05 00:00:00.000"}, "date 0", "1996-07-04 1996-07-05", 0},
		{"Moments", "Joined", []string{"2024-01-31 10:00", "2024-02-01"}, "moment 0", "2024-01-31 10:00:00 2024-02-01 00:00:00", 0},
		{"CompactDates", "Order date", []string{"20240131", "20240201"}, "date 0", "2024-01-31 2024-02-01", 0},
		{"NumbersOfEightDigits", "Population", []string{"20240131", "20240201"}, "number 0", "20240131 20240201", 0},
		{"Times", "Opened", []string{"9:30 PM", "10:05", "n/a"}, "time 0", "21:30:00 10:05:00 <nil>", 0},
		{"YesAndNo", "Vegan", []string{"Yes", "no", "", "TRUE"}, "truth 0", "1 0 <nil> 1", 0},
		{"JaUndNein", "Vegan", []string{"ja", "nein"}, "truth 0", "1 0", 0},
		{"OneAndZero", "Discontinued", []string{"0", "1", "0"}, "truth 0", "0 1 0", 0},
		{"OnesAlone", "Guests", []string{"1", "1", "1"}, "number 0", "1 1 1", 0},
		{"QuantityOfOneAndZero", "Quantity", []string{"0", "1", "0"}, "number 0 count", "0 1 0", 0},
		{"Tons", "Unit", []string{"t", "t"}, "text 0", "t t", 0},
		{"LettersOfYesAndNo", "Vegan", []string{"Y", "N", "Y"}, "truth 0", "1 0 1", 0},
		{"NoneIsADiscountBand", "Discount Band", []string{"None", "High", "Low"}, "text 0", "None High Low", 0},
		{"NoneIsABlankProduct", "Item", []string{"NONE", "Bread", "Tea"}, "text 0", "<nil> Bread Tea", 0},
		{"NoneIsABlankNumber", "Weight", []string{"none", "1.5", "2"}, "number 1", "<nil> 15 20", 0},
		{"OnlyBlanks", "Notes", []string{"-", "n/a", ""}, "text 0", "<nil> <nil> <nil>", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, report, file := buildText(t, table(c.title, c.cells))
			column := source.Columns[0]
			if got := strings.TrimSpace(fmt.Sprintf("%s %d %s", column.Type, column.Scale, column.Unit)); got != c.want {
				t.Errorf("got column %s, want %s", got, c.want)
			}
			found, err := file.Query(t.Context(), 1000, "SELECT c1 FROM rows ORDER BY rowid")
			if err != nil {
				t.Fatal(err)
			}
			var values []string
			for _, row := range found.Rows {
				values = append(values, fmt.Sprint(row[0]))
			}
			if got := strings.Join(values, " "); !strings.HasPrefix(got, c.values) {
				t.Errorf("got values %s, want %s", got, c.values)
			}
			isWord := func(w dataset.Warning) bool { return strings.Contains(w.Reason, "read as empty") } // see TestWarnings
			doubts := slices.DeleteFunc(slices.Clone(report.Warnings), isWord)
			if report.Odd != c.odd || (c.odd > 0) != (len(doubts) > 0) && c.name != "NotNearlyNumbers" {
				t.Errorf("got %+v, want %d odd cells", report, c.odd)
			}
		})
	}
}

// An ambiguous comma is decimal in a file with semicolons between cells.
func TestCommaIsDecimalWithSemicolons(t *testing.T) {
	for text, want := range map[string]string{"Gewicht;Wort\n1,234;x\n2,500;y\n": "3734 3", "Weight,Word\n\"1,234\",x\n\"2,500\",y\n": "3734 0"} {
		source, _, file := buildText(t, text)
		if got := fmt.Sprint(figure(t, source, file, "sum(c1)"), " ", source.Columns[0].Scale); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestWarnings(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"OddCell", table("Weight", join(times(40, "1.5"), []string{"heavy"})), "42 Weight: the cell \"heavy\" is not a number and is left blank"},
		{"OddCells", table("Joined", join(times(80, "31/12/2024"), times(2, "12/31/2024"))), "82 Joined: 2 cells, the first \"12/31/2024\", are not a date and are left blank"},
		{"OddDates", table("Date", join(times(30, "31/12/2024"), times(20, "ask Jo"))), "32 Date: 20 cells, the first \"ask Jo\", are not a date and are left blank"},
		{"OddCellOfFew", table("Qty", []string{"1", "2", "three", "4"}), "4 Qty: the cell \"three\" is not a number and is left blank"},
		{"OddDayOfFew", table("Date", []string{"2024-01-31", "2024-02-01", "someday", "2024-02-03"}), "4 Date: the cell \"someday\" is not a date and is left blank"},
		{"WordForEmpty", table("Weight", join(times(40, "1.5"), []string{"n/a"})), "42 Weight: the cell \"n/a\" is read as empty; an export has them as they were typed"},
		{"WordsForEmpty", "Date,Item,Total\n2024-01-31,Tea,5\n2024-01-31,UNKNOWN,ERROR\n2024-02-01,,6\n2024-02-01,ERROR,unknown\n2024-02-01,ERROR,-\n2024-02-01,Tea,\n2024-02-01,Tea,4\n",
			"3 Item: 3 cells such as \"UNKNOWN\", \"ERROR\" are read as empty, and 1 is empty; an export has them as they were typed\n" +
				"3 Total: 2 cells such as \"ERROR\", \"unknown\" are read as empty, and 1 is empty; an export has them as they were typed"},
		{"MostlyNumbers", table("Weight", join(times(9, "1.5"), []string{"heavy"})), "11 Weight: 9 of 10 cells are numbers; the column is read as text"},
		{"MostlyDates", table("Joined", join(times(9, "2024-01-31"), []string{"later"})), "11 Joined: 9 of 10 cells are dates; the column is read as text"},
		{"TwoWays", table("Joined", []string{"05/05/2024", "05/05/2024"}), "0 Joined: the dates can be read in two ways; they are read with the day first"},
		{"LikelyOrder", table("Joined", []string{"01/02/2024", "02/02/2024", "03/02/2024"}), "0 Joined: the dates can be read in two ways; they are read with the day first"},
		{"ProvenElsewhere", "Ordered,Paid\n05/05/2024,05/13/2024\n05/05/2024,06/13/2024\n", ""},
		{"SeveralCurrencies", "Date,Total,Currency\n2024-01-31,5,GBP\n2024-01-31,5,EUR\n", "0 Currency: there are several currencies, whose amounts cannot be added up"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, report, _ := buildText(t, c.text)
			var all []string
			for _, w := range report.Warnings {
				all = append(all, fmt.Sprintf("%d %s: %s", w.Line, w.Heading, w.Reason))
			}
			if got := strings.Join(all, "\n"); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// Ambiguous dates are read in the order that the file shows elsewhere.
func TestAmbiguousDatesFollowTheFile(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"ByAnotherColumn", "Ordered,Paid\n05/05/2024,05/13/2024\n05/05/2024,06/13/2024\n06/05/2024,06/14/2024\n", "2024-06-05"},
		{"ByDollars", "Ordered,Fee\n05/06/2024,$5\n05/06/2024,$6\n", "2024-05-06"},
		{"ByPounds", "Ordered,Fee\n05/06/2024,£5\n05/06/2024,£6\n", "2024-06-05"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, file := buildText(t, c.text)
			found, err := file.Query(t.Context(), 1, "SELECT max(c1) FROM rows")
			if err != nil || found.Rows[0][0] != c.want {
				t.Errorf("got %v, %v; want %s", found.Rows, err, c.want)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	dbtest.Sequential(t)
	for _, c := range []struct{ name, text, want string }{
		{
			"PlainSales", "Date,Product,Qty,Price,Total\n2024-01-01,Tea,1,2,2\n2024-01-02,Bun,1,3,3\n",
			"sales date=Date price=Price product=Product quantity=Qty revenue=Total",
		},
		{
			"FeesOfPayments", "Date,Name,Gross,Fee,Net\n2024-01-01,Ann,10.00,-0.50,9.50\n2024-01-02,Bob,20.00,-0.80,19.20\n",
			"sales date=Date gross=Gross product=Name revenue=Net",
		},
		{
			"FeesOfPaymentsByFigures", "Date,Item,Gross,Fee,Net\n" + lines(8, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Tea %d,%d.00,-0.50,%d.50", i+1, i%3, 10+i, 9+i)
			}),
			"sales date=Date product=Item revenue=Net",
		},
		{
			"StatementOfABank", "Date,Type,Details,Amount,Balance\n2024-01-02,CARD,Acme,-120.50,879.50\n2024-01-13,BGC,Payout,450.00,1329.50\n2024-01-25,SO,Rent,-500.00,829.50\n",
			"other category=Type date=Date",
		},
		{
			"StatementWithTheNewestFirst", "Date,Description,Paid out,Paid in,Balance\n2024-01-25,Rent,500.00,,829.50\n2024-01-13,Payout,,450.00,1329.50\n2024-01-02,Acme,120.50,,879.50\n",
			"other date=Date",
		},
		{
			"BalancesOfInvoices", "Date,Invoice,Customer,Total,Paid,Balance\n2024-01-02,1,Ann,20.00,5.00,15.00\n2024-01-03,2,Bob,30.00,30.00,0.00\n2024-01-04,3,Cy,10.00,0.00,10.00\n",
			"sales customer=Customer date=Date order=Invoice owed=Balance paid=Paid revenue=Total",
		},
		{
			"ExpensesOfMonths", "Month,Rent,Wages\nJan 2024,500,1200\nFeb 2024,500,1250\n",
			"other cost=Total_costs date=Month",
		},
		{
			"PaidAfterTheSale", "Bill No,Bill Dt,Customer,Total,Date Paid\nB1,2024-01-01,Ann,2,2024-01-05\nB2,2024-01-02,Bob,3,\nB3,2024-01-04,Cy,5,2024-01-09\n",
			"sales customer=Customer date=Bill_Dt order=Bill_No revenue=Total",
		},
		{
			"AppointmentsByName", "Start Time,End Time,First Name,Last Name,Email,Type,Calendar,Price,Date Scheduled,Appointment ID\n" + lines(12, func(i int) string {
				return fmt.Sprintf("2025-03-%02d 10:00,2025-03-%02d 11:00,Ann,Lee %d,a%d@example.com,Massage,Jo,40.00,2025-02-%02d,%d", i+1, i+1, i%5, i%5, i+1, 900+i)
			}),
			"sales category=Type customer=Full_name date=Start_Time order=Appointment_ID price=Price staff=Calendar",
		},
		{
			"KitchenThatBuysPacks", "Item,Supplier,Pack price,In stock,Par,Used per week\nFlour,Mill,12.50,4,6,3\nYeast,Mill,3.20,9,2,1\nSalt,Hill,0.90,7,4,2\n",
			"stock product=Item reorder=Par stock=In_stock supplier=Supplier unit_cost=Pack_price",
		},
		{
			"HiredOutAndBack", "Ref,Boat,Hirer,Out,Back,Days,Rate per day,Total,Status\n" + lines(24, func(i int) string {
				return fmt.Sprintf("H%d,Boat %d,Ann %d,2025-03-%02d,2025-03-%02d,%d,20.00,%d.00,Returned", 100+i, i%3, i%7, i+1, i+2, 1+i%3, 20+20*(i%3))
			}),
			"sales customer=Hirer date=Out order=Ref price=Rate_per_day revenue=Total status=Status",
		},
		{
			"CustomersOfAWebShop", "Customer ID,First Name,Last Name,Email,City,Total Spent,Total Orders\n" + lines(12, func(i int) string {
				return fmt.Sprintf("77%d,Ann,Lee %d,a%d@example.com,Leeds,%d.50,%d", 10+i, i, i, 10+i, i%4)
			}),
			"customers city=City customer=Full_name",
		},
		{
			"StockBesideWhatSold", "Product,SKU,Supplier,Closing Inventory,Reorder Point,Reorder Amount,Items Sold,Avg. Cost\nA,1,Hill,4,2,6,9,1.50\nB,2,Vale,0,3,6,2,2.50\nC,3,Hill,9,2,6,0,1.00\n",
			"stock product=Product reorder=Reorder_Point sku=SKU stock=Closing_Inventory supplier=Supplier unit_cost=Avg._Cost",
		},
		{
			"ItemCostIsThePrice", "Order Number,Order Date,Full Name (Billing),Item Name,Quantity,Item Cost,Discount Amount,Order Line Total\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%d,2025-03-%02d,Ann %d,Tea %d,%d,5.50,%d.00,%d.00", 100+i, i+1, i%5, i%3, 2+2*(i%2), i%3, 11+11*(i%2)-i%3)
			}),
			"sales customer=Full_Name_(Billing) date=Order_Date discount=Discount_Amount order=Order_Number price=Item_Cost product=Item_Name quantity=Quantity revenue=Order_Line_Total",
		},
		{
			"NumbersOfInvoices", "Date,No.,Customer,Postal Code,Type,Goods,VAT,Amount,Open Balance,Issued By\n" + lines(12, func(i int) string {
				return fmt.Sprintf("2025-03-%02d,%d,Ann %d,LS%d,%s,%d.50,%d.10,%d.60,0.00,Jo", i+1, 400+i, i%5, i, []string{"INV", "INV", "CN"}[i%3], 50+i, 10+i, 60+2*i)
			}),
			"sales customer=Customer date=Date order=No. owed=Open_Balance revenue=Amount tax=VAT",
		},
		{
			"EarningsOfAHost", "Confirmation code,Status,Guest name,Start date,End date,Booked,Listing,Earnings\n" + lines(12, func(i int) string {
				return fmt.Sprintf("HM%d,Confirmed,Guest %d,2025-03-%02d,2025-03-%02d,2025-01-%02d,%s,£%d.20", i, i, i+1, i+3, i+1, []string{"Loft", "Barn"}[i%2], 90+i)
			}),
			"sales customer=Guest_name date=Start_date order=Confirmation_code product=Listing revenue=Earnings status=Status",
		},
		{
			"DayOfTheStay", "Confirmation code,Guest,Booked on,Check-in,Check-out,Guest total,Channel fee,Payout\n" + lines(8, func(i int) string {
				return fmt.Sprintf("C%d,Guest %d,2024-01-%02d,2024-02-%02d,2024-02-%02d,%d.50,%d.25,%d.25", i, i, i+1, i+1, i+2, 100+i, 10+i, 90)
			}),
			"sales customer=Guest date=Check-in order=Confirmation_code revenue=Guest_total",
		},
		{
			"DayOfTheDocument", "Invoice No,Invoice Date,Order Date,Contact,Total\nI1,2024-01-05,2024-01-01,Ann,2\nI2,2024-01-06,2024-01-02,Bob,3\n",
			"sales customer=Contact date=Invoice_Date order=Invoice_No revenue=Total",
		},
		{
			"DayOfTheJob", "Job Ref,Drop off,Promised,Collected,Customer,Total,Invoice No\nJ1,2024-01-01,2024-01-03,2024-01-04,Ann,2,I1\nJ2,2024-01-02,2024-01-05,,Bob,3,\n",
			"sales customer=Customer date=Drop_off order=Job_Ref revenue=Total",
		},
		{
			"StockInCasesAndSingles", "Wine,Cases,Singles,Total Btls,Cost/Case,Cost/Btl,Trade Price,RRP,Supplier\nMuga,2,3,15,60,10,14,18,Hill\nBandol,1,0,6,66,11,15,21,Vale\nRully,3,1,19,54,9,12,17,Hill\n",
			"stock price=RRP product=Wine stock=Total_Btls supplier=Supplier unit_cost=Cost/Btl",
		},
		{
			"QtyBesideMinQty", "Product,Category,Supplier,Date Received,Last Sold,Qty,Min Qty,Cost Price,Retail Price\nA,X,Hill,2024-01-02,2024-03-01,4,6,1.50,3.00\nB,Y,Vale,2024-01-05,,0,2,2.50,5.00\nC,X,Hill,2024-02-01,2024-03-09,9,3,1.00,2.40\n",
			"stock category=Category price=Retail_Price product=Product reorder=Min_Qty stock=Qty supplier=Supplier unit_cost=Cost_Price",
		},
		{
			"TradePriceBesideCost", "SKU,Wine,Qty In Stock,Cost Ex Duty,Retail Price,Trade Price,Supplier\nB1,Muga,5,8.10,14.00,11.50,Hill\nB2,Rully,7,9.20,17.00,13.10,Vale\nB3,Bandol,2,11.00,21.00,16.20,Hill\n",
			"stock price=Retail_Price product=Wine sku=SKU stock=Qty_In_Stock supplier=Supplier unit_cost=Cost_Ex_Duty",
		},
		{
			"NamesOfMembers", "Member No,Member Name,Date Joined,Plan,Monthly Fee,Status,Last Visit,Total Visits\n" + lines(8, func(i int) string {
				return fmt.Sprintf("%d,Member %d,2024-01-%02d,Adult,3%d.00,Active,2024-03-%02d,%d", 10000+i, i, i+1, i, i+1, 10*i)
			}),
			"customers customer=Member_Name date=Date_Joined status=Status",
		},
		{
			"BillsOfSuppliers", "Supplier,Invoice No,Invoice Date,Due Date,Item,Qty,Unit Cost,Net,VAT,Gross,Paid Date\nHill,I1,2024-01-02,2024-02-01,Cod,2,9.00,18.00,3.60,21.60,2024-02-01\nVale,I2,2024-01-05,2024-02-04,Kale,5,1.20,6.00,0.00,6.00,\n",
			"purchases cost=Net date=Invoice_Date order=Invoice_No product=Item quantity=Qty supplier=Supplier tax=VAT",
		},
		{
			"UserOfATill", "Date,Receipt Number,User,Product,Quantity,Total\n2024-01-01,1,Gem,Hat,1,2\n2024-01-02,2,Lu,Cap,1,3\n",
			"sales date=Date order=Receipt_Number product=Product quantity=Quantity revenue=Total staff=User",
		},
		{
			"GoodsOfAShopkeepersName", "Cheese,Dairy,Milk,In Stock,Cost\nBrie,Hill,Cow,4,2\nFeta,Hill,Ewe,3,3\nComte,Vale,Cow,5,4\n",
			"stock product=Cheese stock=In_Stock unit_cost=Cost",
		},
		{
			"RunTogether", "SALEDATE,ITEMNAME,QUANTITYSOLD,PRICEEACH,ORDERTOTAL,CUSTOMERNAME\n2024-01-01,Tea,1,2,2,Ann\n2024-01-02,Bun,1,3,3,Bob\n",
			"sales customer=CUSTOMERNAME date=SALEDATE price=PRICEEACH product=ITEMNAME quantity=QUANTITYSOLD revenue=ORDERTOTAL",
		},
		{
			"GermanSales", "Datum;Artikelbezeichnung;Menge;Einzelpreis;Umsatz;Kunde\n31.01.2024;Tee;2;2,50;5,00;Meier\n01.02.2024;Brot;1;3,00;3,00;Schulz\n",
			"sales customer=Kunde date=Datum price=Einzelpreis product=Artikelbezeichnung quantity=Menge revenue=Umsatz",
		},
		{
			"SpanishSales", "Fecha,Producto,Cantidad,Precio Unitario,Importe,Ciudad\n31/01/2024,Té,2,2.5,5,Lugo\n01/02/2024,Pan,1,3,3,Vigo\n",
			"sales city=Ciudad date=Fecha price=Precio_Unitario product=Producto quantity=Cantidad revenue=Importe",
		},
		{
			"AmountAndPriceByFigures", "Date,Product,Quantity,Amount,Value\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d", i+1, i, i+2, 3+i, (i+2)*(3+i)) }),
			"sales date=Date price=Amount product=Product quantity=Quantity revenue=Value",
		},
		{
			"PriceOfTheLine", "Date,Product,Quantity,Price,Each\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d", i+1, i, i+2, (i+2)*(3+i), 3+i) }),
			"sales date=Date price=Each product=Product quantity=Quantity revenue=Price",
		},
		{
			"AmountsOfSomethingElse", "Date,Product,Quantity,Price,Total,Base,Base total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Tea %d,%d,10,%d,%d,%d", i+1, i, i+2, (i+2)*10-3, 3+i, (i+2)*(3+i))
			}),
			"sales date=Date price=Price product=Product quantity=Quantity revenue=Total",
		},
		{
			"AmountsOfUnknownMeaning", "Date,Product,Quantity,Base,Base sum\n" + lines(8, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d", i+1, i, i+2, 3+i, (i+2)*(3+i))
			}),
			"sales date=Date product=Product quantity=Quantity",
		},
		{
			"CostOfOneUnit", "Date,Product,Quantity,Price,Total,Cost\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,10,%d,6", i+1, i, i+2, (i+2)*10) }),
			"sales date=Date price=Price product=Product quantity=Quantity revenue=Total unit_cost=Cost",
		},
		{
			"CostOfTheRow", "Date,Product,Quantity,Price,Total,Cost\n" + lines(8, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Tea %d,%d,10,%d,%d", i+1, i, i+2, (i+2)*10, (i+2)*6)
			}),
			"sales cost=Cost date=Date price=Price product=Product quantity=Quantity revenue=Total",
		},
		{
			"ProfitUnderAnotherName", "Date,Product,Sales,Costs,Left over\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d", i+1, i, 50+i, 20, 30+i) }),
			"sales cost=Costs date=Date product=Product profit=Left_over revenue=Sales",
		},
		{
			"MarginThatIsMoney", "Date,Product,Sales,Costs,Margin\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d", i+1, i, 50+i, 20, 30+i) }),
			"sales cost=Costs date=Date product=Product profit=Margin revenue=Sales",
		},
		{
			"MarginWithoutTax", "Date,Product,Sales Inc VAT,VAT,Sales Ex VAT,Cost,Margin,Margin %\n" + lines(8, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Tea %d,%d,%d,%d,%d,%d,%.1f", i+1, i, 60+6*i, 10+i, 50+5*i, 20, 30+5*i, 100*float64(30+5*i)/float64(50+5*i))
			}),
			"sales cost=Cost date=Date product=Product profit=Margin revenue=Sales_Inc_VAT tax=VAT",
		},
		{
			"OrderTotalOnEachLine", "Order ID,Date,Product,Quantity,Price,Order total,Shipping\n" + lines(20, func(i int) string {
				return fmt.Sprintf("%d,2024-01-%02d,Tea %d,1,%d,%d,4", 100+i/2, 1+i/2, i%2, 5+i%2, 11)
			}),
			"sales date=Date order=Order_ID price=Price product=Product quantity=Quantity shipping=Shipping_(once_an_order)",
		},
		{
			"AmountsOfTheLines", "Order ID,Date,Product,Quantity,Price,Line total,Shipping\n" + lines(20, func(i int) string {
				return fmt.Sprintf("%d,2024-01-%02d,Tea %d,1,%d,%d,%d", 100+i/2, 1+i/2, i%2, 5+i%2, 5+i%2, i%2)
			}),
			"sales date=Date order=Order_ID price=Price product=Product quantity=Quantity revenue=Line_total shipping=Shipping",
		},
		{
			"StockList", "SKU,Product name,Supplier,Qty,Reorder level,Cost\n001,Tea,Roastery,5,2,1.5\n002,Bun,Bakery,1,2,0.5\n",
			"stock product=Product_name reorder=Reorder_level sku=SKU stock=Qty supplier=Supplier unit_cost=Cost",
		},
		{
			"DayOnWhichItBegan", "Ticket No,Dropped off,Ready on,Collected on,Amt\n1,2024-01-03,2024-01-05,2024-01-06,9.75\n2,2024-01-04,2024-01-05,2024-01-09,4.50\n",
			"sales date=Dropped_off order=Ticket_No revenue=Amt",
		},
		{
			"Purchases", "Inv No,Buy Date,Merchant,Cost,Paid on\nP1,2024-01-03,Seaway,30.50,2024-02-01\nP2,2024-01-04,Looe,40,\n",
			"purchases cost=Cost date=Buy_Date order=Inv_No supplier=Merchant",
		},
		{
			"StockListByItsCodes", "SKU,Title,AskPrice,Qty\nB1,Songs,2.50,3\nB2,Roads,4.00,1\n",
			"stock price=AskPrice product=Title sku=SKU stock=Qty",
		},
		{
			"PaymentByItsValues", "Date,Pupil,Instr,Price,HowPaid\n2024-01-03,Ann,Dev,30,Cash\n2024-01-04,Bob,Mo,40,Bank transfer\n",
			"sales customer=Pupil date=Date payment=HowPaid price=Price staff=Instr",
		},
		{
			"WaysOfPaying", "Date,Pitch,CashTaken,CardTaken\n2024-01-03,Square,30.50,40\n2024-01-04,Campus,,40\n",
			"sales date=Date store=Pitch",
		},
		{
			"MinutesOfHours", "Date,Room,Price,Time taken\n2024-01-03,Vault,30,0:45\n2024-01-04,Vault,40,1:15\n",
			"sales date=Date price=Price",
		},
		{
			"DayOfWhatWasBooked", "Booking Ref,booked_date,PlayDate,Room\nA1,2024-01-01,2024-01-03,Vault\nA2,2024-01-02,2024-01-09,Vault\n",
			"sales date=PlayDate order=Booking_Ref",
		},
		{
			"Quotation", "Description,Qty,Unit price\nTea,5,2.5\nBun,1,3\n",
			"other price=Unit_price product=Description quantity=Qty",
		},
		{
			"Customers", "Customer name,Email,City,Joined\nAda,a@example.com,Leeds,2024-01-31\nBob,b@example.com,York,2024-02-01\n",
			"customers city=City customer=Customer_name date=Joined",
		},
		{
			"LocationOfChannels", "Date,Item,Total,Location\n2024-01-01,Tea,2,In-store\n2024-01-02,Bun,3,Takeaway\n",
			"sales channel=Location date=Date product=Item revenue=Total",
		},
		{
			"LocationOfStores", "Date,Item,Total,Location\n2024-01-01,Tea,2,High Street\n2024-01-02,Bun,3,Takeaway\n",
			"sales date=Date product=Item revenue=Total store=Location",
		},
		{
			"PlacesOfAddresses", "Date,Product,Total,Purchase Address\n2024-01-01,Tea,2,\"9 Elm St, Apt 4, Boston, MA 02215\"\n2024-01-02,Bun,3,\"1 Oak St, New York City, NY 10001-1234\"\n",
			"sales city=Purchase_Address:_City date=Date product=Product revenue=Total state=Purchase_Address:_State",
		},
		{
			"AddressesBesideCities", "Date,Product,Total,City,Purchase Address\n2024-01-01,Tea,2,Boston,\"9 Elm St, Boston, MA 02215\"\n2024-01-02,Bun,3,Boston,\"1 Oak St, Boston, MA 10001\"\n",
			"sales city=City date=Date product=Product revenue=Total",
		},
		{
			"OtherAddresses", "Date,Product,Total,Address\n2024-01-01,Tea,2,\"9 Elm St, Leeds, LS1 4AP\"\n2024-01-02,Bun,3,\"Rue 1, Paris\"\n",
			"sales date=Date product=Product revenue=Total",
		},
		{
			"CardsArePayments", "Date,Product,Total,Card\n2024-01-01,Tea,2,Visa\n2024-01-02,Bun,3,Amex\n",
			"sales date=Date payment=Card product=Product revenue=Total",
		},
		{
			"NoMoneyAtAll", "Label,Value\nTea,2\nBun,3\n",
			"other ",
		},
		{
			"ContradictedUnitCost", "Date,Product,Quantity,Price,Unit cost,COGS\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,10,3,%d", i+1, i, i+2, (i+2)*6) }),
			"sales cost=COGS date=Date price=Price product=Product quantity=Quantity",
		},
		{
			"UnitCostBesideCost", "Date,Product,Quantity,Price,Unit cost,COGS\n" + lines(8, func(i int) string { return fmt.Sprintf("2024-01-%02d,Tea %d,%d,10,6,%d", i+1, i, i+2, (i+2)*6) }),
			"sales cost=COGS date=Date price=Price product=Product quantity=Quantity unit_cost=Unit_cost",
		},
		{
			"CostOfEachOnABill", "Supplier,Inv No,Inv Date,Item,Qty,Cost ex,Disc %,Net,VAT %,Gross\n" + lines(8, func(i int) string {
				return fmt.Sprintf("Mill,B%d,2024-01-%02d,Oats %d,%d,10,10,%d,20,%d.%d", i, i+1, i, i+2, (i+2)*9, (i+2)*108/10, (i+2)*108%10)
			}),
			"purchases cost=Net date=Inv_Date discount=Disc_% order=Inv_No product=Item quantity=Qty supplier=Supplier tax=Tax unit_cost=Cost_ex",
		},
		{
			"ExactHeadingBeforeLoose", "Date,Product,Total sales (plan),Turnover\n2024-01-01,Tea,2,3\n2024-01-02,Bun,3,4\n",
			"sales date=Date product=Product revenue=Turnover",
		},
		{
			"Settlements", "settlement-id,posted-date,order-id,sku,quantity-purchased,amount\n1,2024-01-01,A,S,1,5\n1,2024-01-01,A,S,1,-2\n",
			"other date=posted-date order=order-id sku=sku",
		},
		{
			"MembersByName", "Member No,Name,Age,Monthly fee,Joined,Left\n1,Ann,30,20,2024-01-01,\n2,Bob,40,30,2024-01-02,2024-02-02\n",
			"customers customer=Name date=Joined",
		},
		{
			"PatronsByNumber", "patron_ref,full_name,seat,since,cancelled_on,yearly_price\nP1,Ann Orr,A,2024-01-01,,20\nP2,Bob Lee,B,2024-01-02,2024-02-02,30\n",
			"customers customer=full_name date=since",
		},
		{
			"PatronsOfOneName", "patron_ref,name,seat,since\nP1,Ann,A,2024-01-01\nP2,Ann,B,2024-01-02\n",
			"customers customer=patron_ref date=since",
		},
		{
			"TillInShort", "RcptNo,Date,PLU Desc,Amt\n1,2024-01-01,Ham,2\n1,2024-01-01,Pie,3\n",
			"sales date=Date order=RcptNo product=PLU_Desc revenue=Amt",
		},
		{
			"AccountsOfAWholesaler", "Inv No,Inv Date,Account Name,Net Amt\n1,2024-01-01,A Deli,2\n2,2024-01-02,B Deli,3\n3,2024-01-02,C Deli,3\n4,2024-01-02,D Deli,3\n5,2024-01-02,E Deli,3\n6,2024-01-02,F Deli,3\n7,2024-01-02,G Deli,3\n",
			"sales customer=Account_Name date=Inv_Date order=Inv_No revenue=Net_Amt",
		},
		{
			"NumbersOfWorkers", "employee_id,name,sold,price\n1,Ann,2024-01-01,2\n2,Bob,2024-01-02,3\n",
			"sales date=sold price=price product=name staff=employee_id",
		},
		{
			"AmountsInTheWordsOfATill", "sale_date,title,copies,disc_pct,amount_taken,bought_in_for\n2024-01-01,Dune,1,0,5,2\n2024-01-02,Emma,2,10,9,4\n",
			"sales cost=bought_in_for date=sale_date discount=disc_pct product=title quantity=copies revenue=amount_taken",
		},
		{
			"ColumnWithKindsIsTheProduct", "Ordered,Plant,Plant category,Line total\n2024-01-01,Acer,Trees,2.5\n2024-01-02,Thyme,Herbs,2\n",
			"sales category=Plant_category date=Ordered product=Plant revenue=Line_total",
		},
		{
			"ColumnOfNamesIsTheProduct", "when,coffee_name,money\n2024-01-01,Latte,2.5\n2024-01-02,Mocha,3\n",
			"sales date=when product=coffee_name revenue=money",
		},
		{
			"DayOfTheCustomer", "Order No,Customer Since,Invoiced,Customer,Total\n1,2020-01-01,2024-01-01,Ann,2\n2,2020-01-01,2024-01-02,Ann,3\n",
			"sales customer=Customer date=Invoiced order=Order_No revenue=Total",
		},
		{
			"DayOfRegistration", "Order No,Customer,Registered,Sold,Total\n1,Ann,2020-01-01,2024-01-01,2\n2,Bob,2020-01-02,2024-01-02,3\n",
			"sales customer=Customer date=Sold order=Order_No revenue=Total",
		},
		{
			"DayOfRegistrationAlone", "Order No,Customer,Registered,Total\n1,Ann,2020-01-01,2\n2,Bob,2020-01-02,3\n",
			"sales customer=Customer order=Order_No revenue=Total",
		},
		{
			"DayOfContract", "Customer,Contract Signed,Paid,Amount\nAnn,2020-01-01,2024-01-01,2\nAnn,2020-01-01,2024-01-02,3\n",
			"sales customer=Customer date=Paid revenue=Amount",
		},
		{
			"DayOfContractOnce", "Customer,Contract Signed,Paid,Amount\nAnn,2020-01-01,2024-01-01,2\nBob,2020-01-02,2024-01-02,3\n",
			"sales customer=Customer date=Paid revenue=Amount",
		},
		{
			"DayOfHarvest", "Harvested,Invoiced,Product,Total\n2024-01-01,2024-01-03,Kale,2\n2024-01-02,2024-01-04,Leek,3\n",
			"sales date=Invoiced product=Product revenue=Total",
		},
		{
			"TwoDaysOfEachOrder", "Order No,Measured,Fitted,Total\n1,2024-01-01,2024-01-03,2\n2,2024-01-02,2024-01-04,3\n",
			"sales order=Order_No revenue=Total",
		},
		{
			"TwoDaysOfEachSale", "Order No,Booked,Paid,Total\n1,2024-01-01,2024-01-03,2\n2,2024-01-02,2024-01-04,3\n",
			"sales order=Order_No revenue=Total",
		},
		{
			"OwnersOfPets", "Client Name,Name,Age,Total\nAnn,Rex,3,20\nBob,Tom,4,30\n",
			"other customer=Client_Name revenue=Total",
		},
		{
			"PeopleByEmail", "Email,Name,Age,Spend\na@example.com,Ann,30,20\nb@example.com,Bob,40,30\n",
			"customers customer=Name",
		},
		{
			"DayOfDelivery", "Delivery date,Customer,Product,Line total\n2024-01-01,A,Bun,2\n2024-01-03,B,Roll,3\n",
			"sales customer=Customer date=Delivery_date product=Product revenue=Line_total",
		},
		{
			"NoDayThatIsDue", "Delivery due,Customer,Product,Line total\n2024-01-01,A,Bun,2\n2024-01-03,B,Roll,3\n",
			"sales customer=Customer product=Product revenue=Line_total",
		},
		{
			"ChargedAndPaidBy", "Ticket,Date In,Fault,Charged,Paid\nT1,2024-01-01,Screen,40,Card\nT2,2024-01-02,Camera,30,Account\n",
			"sales date=Date_In order=Ticket payment=Paid revenue=Charged",
		},
		{
			"MembersByName", "Member,Joined,Tier,Referred by\n" + lines(8, func(i int) string {
				return fmt.Sprintf("Ann %d,2024-01-%02d,Gold,%s", i, i+1, []string{"Friend", "Wine fair"}[i%2])
			}),
			"customers customer=Member date=Joined",
		},
		{
			"TakenByCard", "Date,Location,Cash,Card,Total\n2024-01-01,Beach,10.50,20.25,30.75\n2024-01-02,Station,5.00,12.40,17.40\n",
			"sales date=Date revenue=Total store=Location",
		},
		{
			"AmountChargedBesideQuote", "Ticket,Date In,Tech,Quote,Amt Charged\nT1,2024-01-01,Al,40,45\nT2,2024-01-02,Bo,50,50\n",
			"sales date=Date_In order=Ticket revenue=Amt_Charged staff=Tech",
		},
		{
			"PriceOfABottleWithTax", "Date,Item,Btls,Price/Btl inc VAT\n2024-01-01,Merlot,2,9.50\n2024-01-02,Cava,1,12\n",
			"sales date=Date price=Price/Btl_inc_VAT product=Item quantity=Btls",
		},
		{
			"SalesOfAKindBesideWaysOfPaying", "Date,Session,Food Sales,Wet,Card,Cash\n" + lines(9, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,Lunch,%d,%d,%d.50,%d.50", i+1, 90+i, 41+3*i, 100+i, 30+3*i)
			}),
			"sales date=Date",
		},
		{
			"SalesOfTwoKinds", "Date,Food Sales,Bar Sales,Covers\n" + lines(9, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,%d.50,%d.20,%d", i+1, 90+7*i, 40+3*i, 10+i)
			}),
			"sales date=Date quantity=Covers",
		},
		{
			"SalesOfAllKinds", "Date,Food Sales,Bar Sales,Service Sales\n" + lines(9, func(i int) string {
				return fmt.Sprintf("2024-01-%02d,%d.50,%d.20,%d.70", i+1, 90+7*i, 40+3*i, 130+10*i)
			}),
			"sales date=Date revenue=Service_Sales",
		},
		{
			"SessionIsNoProduct", "Date,Service,Covers,Total\n2024-01-01,Lunch,20,400\n2024-01-01,Dinner,30,900\n",
			"sales date=Date quantity=Covers revenue=Total",
		},
		{
			"StockThatWasPotted", "Plant,Latin name,Supplier,Cost each,Sell price,Qty,Min qty,Potted on\nAcer,Acer palmatum,Hillier,9.50,28,4,5,2024-01-01\nHosta,Hosta sieboldiana,Bransford,2.40,6,12,5,2024-01-03\n",
			"stock price=Sell_price product=Plant reorder=Min_qty stock=Qty supplier=Supplier unit_cost=Cost_each",
		},
		{
			"OnlyDayThatEachOrderHas", "Job No,Completed,Booked In,Total\n1,,2024-01-01,2\n2,2024-01-03,2024-01-02,3\n",
			"sales date=Booked_In order=Job_No revenue=Total",
		},
		{
			"DayOfTheSaleThatEachOrderHas", "Job No,Completed,Booked In,Collected,Invoice total\n1,,2024-01-01,2024-01-02,2\n2,2024-01-03,2024-01-02,2024-01-04,3\n",
			"sales date=Booked_In order=Job_No revenue=Invoice_total",
		},
		{
			"MomentBeforeDay", "date,datetime,item,total\n2024-01-01,2024-01-01 09:30,Tea,2\n2024-01-02,2024-01-02 10:00,Bun,3\n",
			"sales date=datetime product=item revenue=total",
		},
		{
			"BlankColumnHasNoRole", "Date,Product,Receipt,Total\n2024-01-01,Tea,,2\n2024-01-02,Bun,,3\n",
			"sales date=Date product=Product revenue=Total",
		},
		{
			"DueDatesAreNotSales", "Product,Price,Due date\nTea,2,2024-01-01\nBun,3,2024-01-02\n",
			"other price=Price product=Product",
		},
		{
			"SameHeadingTwice", "Date,Total,Total,Product\n2024-01-01,2,9,Tea\n2024-01-02,3,8,Bun\n",
			"sales date=Date product=Product revenue=Total",
		},
		{
			"TillInShortWords", "Rct No.,Date,SKU Descr,Cat,€/kg,Tot €,Till\n1,2024-01-01,Feta,Cheese,19.50,4.10,1\n1,2024-01-01,Olives,Deli,12.00,3.05,1\n",
			"sales category=Cat date=Date order=Rct_No. price=€/kg product=SKU_Descr revenue=Tot_€",
		},
		{
			"ConsignmentsOfAnExporter", "Consignment No,Despatched,Buyer,Dest Ctry,Goods,FOB Value (EUR),Rep\nC1,2024-01-01,Ann,Chile,Wool,900.50,Bo\nC2,2024-01-02,Bob,Peru,Hides,800,Bo\n",
			"sales country=Dest_Ctry customer=Buyer date=Despatched order=Consignment_No product=Goods revenue=FOB_Value_(EUR) staff=Rep",
		},
		{
			"ValueOfAStock", "Item,Supplier,Qty,Value\nTea,Roastery,5,12.50\nBun,Bakery,1,3\n",
			"stock product=Item stock=Qty supplier=Supplier",
		},
		{
			"ValueBesideAnAmount", "Date,Item,Amount,Declared value\n2024-01-01,Tea,5,12.50\n2024-01-02,Bun,1,3\n",
			"sales date=Date product=Item revenue=Amount",
		},
		{
			"GrossWithTax", "Invoice No,Date,Trade Account,Net,GST,Gross\n" + lines(8, func(i int) string {
				return fmt.Sprintf("%d,2024-01-%02d,Shop %d,%d,%d,%d", i, i+1, i%3, 100+10*i, 10+i, 110+11*i)
			}),
			"sales customer=Trade_Account date=Date order=Invoice_No revenue=Net tax=GST",
		},
		{
			"AccountsOfABank", "Date,Account Name,Details,Amount\n2024-01-01,Current,Rent,5\n2024-01-02,Savings,Interest,3\n",
			"sales date=Date revenue=Amount",
		},
		{
			"CodesOfTwoKinds", "Receipt line name,UPC/PLU,Shelf price\nTEA BGS,01234,2.50\nBUN,04011,1\n",
			"other price=Shelf_price product=Receipt_line_name sku=UPC/PLU",
		},
		{
			"LinesOfASlip", "Slip,Dt,Tm,Fish,Kilos,€/kilo,Tot €\n" + lines(24, func(i int) string {
				return fmt.Sprintf("%d,2024-01-%02d,0%d:30,Cod %d,%d.5,%d,%d.%d", 880+i/2, 1+i/4, 8+i/2%2, i%3, i%5, 10+2*(i%2), (10+2*(i%2))*(2*(i%5)+1)/2, 0)
			}),
			"sales date=Dt order=Slip price=€/kilo product=Fish revenue=Tot_€ time=Tm",
		},
		{
			"ShortWordsOfATrader", "Bill Ref,Bill Dt,A/C Name,Goods Descr,No of Packs,Rate/pack,Ex VAT,VAT,Inc VAT\n1,2024-01-01,Hill,Oak,2,5,10,2,12\n2,2024-01-02,Vale,Ash,3,5,15,3,18\n",
			"sales customer=A/C_Name date=Bill_Dt order=Bill_Ref price=Rate/pack product=Goods_Descr quantity=No_of_Packs revenue=Ex_VAT tax=VAT",
		},
		{
			"MembersByFullName", "Member No,Full Name,Join Date,Left On,Monthly Fee\nM1,Ann,2024-01-01,,25\nM2,Bob,2024-01-02,2024-02-02,30\n",
			"customers customer=Full_Name date=Join_Date",
		},
		{
			"Subscribers", "Subscriber No,Name,Tier,Subscribed,Ended,Monthly price,Total spent\nS1,Ann,Gold,2024-01-01,,9.50,90\nS2,Bob,Tin,2024-01-02,2024-05-01,4.50,20\n",
			"customers customer=Name date=Subscribed",
		},
		{
			"Policies", "Policy No,Holder,Start date,Cancelled,Annual premium\nP1,Ann,2024-01-01,,310\nP2,Ann,2024-01-02,2024-05-01,200\n",
			"other cancelled=Cancelled date=Start_date",
		},
		{
			"StaysBetweenTwoDays", "Reservation No,Guest,Start date,End date,Nights,Total\nR1,Ann,2024-01-01,2024-01-03,2,200\nR2,Bob,2024-01-02,,1,90\n",
			"sales customer=Guest date=Start_date order=Reservation_No revenue=Total",
		},
		{
			"NumberedByAnotherName", "Placement No,Nanny,Began,Ended,Fee,Score (1-5)\nP1,Ann,2024-01-01,2024-01-03,200,4\nP2,Bob,2024-01-02,2024-02-01,90,5\n",
			"sales date=Began order=Placement_No rating=Score_(1-5) revenue=Fee",
		},
		{
			"PricesOfLines", "Order,Date,Item,Qty,Item price\n" + pricedLines(func(price, quantity int) int { return price * quantity }),
			"sales date=Date order=Order product=Item quantity=Qty revenue=Item_price",
		},
		{
			"PricesOfPieces", "Order,Date,Item,Qty,Item price\n" + pricedLines(func(price, _ int) int { return price }),
			"sales date=Date order=Order price=Item_price product=Item quantity=Qty",
		},
		{
			"NegativeDiscounts", "Date,Product,Net sales,Discount\n2024-01-01,Tea,2,-0.50\n2024-01-02,Bun,3,0\n",
			"sales date=Date product=Product revenue=Net_sales",
		},
		{
			"PacksInStock", "Felt,Maker,Sacks on Hand,Rolls on Order,Cost £/m3,Price per m3 £\nAsh,Oak & Co,4,0,2.10,5.20\nElm,Oak & Co,3,2,2.30,5.10\nFir,Oak & Co,5,2,2.40,5.70\n",
			"stock brand=Maker incoming=Rolls_on_Order price=Price_per_m3_£ product=Felt stock=Sacks_on_Hand unit_cost=Cost_£/m3",
		},
		{
			"PatientsAndMeals", "Bill No,Day,Px ID,Meals,Optom,Total\nB1,2024-01-01,P1,2,Ann,2.10\nB2,2024-01-02,P2,3,Bob,5.20\nB3,2024-01-03,P1,3,Bob,5.40\n",
			"sales customer=Px_ID date=Day order=Bill_No quantity=Meals revenue=Total staff=Optom",
		},
		{
			"PurchaseOrdersWithLaterInvoices", "PO Ref,Mill,Raised,Plank,Bundles,Cost per Bundle,Line Cost,Inv No,Finish (1-5)\nP1,Oak & Co,2024-01-01,Ash,1,2.00,2.00,K9,4\nP2,Oak & Co,2024-01-02,Elm,2,3.00,6.00,,5\nP3,Oak & Co,2024-01-03,Elm,2,3.50,7.00,K10,3\n",
			"purchases cost=Line_Cost date=Raised order=PO_Ref rating=Finish_(1-5) unit_cost=Cost_per_Bundle",
		},
		{
			"AmountsOfPurchaseOrders", "PO Number,Mill,Order Date,Item,Qty,Price each,Line total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("P%d,Oak & Co,2024-01-%02d,Ash %d,%d,%d,%d", i, i+1, i, i+2, 3+i, (i+2)*(3+i))
			}),
			"purchases cost=Line_total date=Order_Date order=PO_Number product=Item quantity=Qty unit_cost=Price_each",
		},
		{
			"SentBesideOrdered", "Docket,Supplied On,School,Item,Qty Ordered,Sent,Ret Qty,Price Each,Amount\n" + lines(8, func(i int) string {
				return fmt.Sprintf("D%d,2026-01-%02d,Hill,Oat %d,%d,%d,1,%d,%d", i, i+1, i, i+4, i+2, 3+i, (i+2)*(3+i))
			}),
			"sales date=Supplied_On order=Docket price=Price_Each product=Item quantity=Sent revenue=Amount",
		},
		{
			"SinglePieces", "Stock No,Guitar,Purchased On,Paid,List Price,Sold Date,Sold For\nG1,Strat,2026-01-02,100,200,2026-02-01,180\nG2,Tele,2026-01-03,120,240,,\nG3,Jumbo,2026-01-04,90,150,2026-03-01,140\n",
			"sales cost=Paid date=Sold_Date price=List_Price product=Guitar revenue=Sold_For sku=Stock_No",
		},
		{
			"PurchaseOrdersOfCustomers", "Invoice No,PO Number,Customer,Order Date,Product,Qty,Price,Total\nI1,P1,Ann,2024-01-01,Ash,1,2.00,2.00\nI2,P2,Bob,2024-01-02,Elm,2,3.00,6.00\n",
			"sales customer=Customer date=Order_Date order=Invoice_No price=Price product=Product quantity=Qty revenue=Total",
		},
		{
			"PurchaseOrdersOfAccounts", "PO Number,Account,Order Date,Product,Qty,Price,Total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("P%d,Deli %d,2024-01-0%d,Oil,%d,2.00,%d.00\n", i, i, i+1, i+1, 2*i+2)
			}),
			"sales customer=Account date=Order_Date order=PO_Number price=Price product=Product quantity=Qty revenue=Total",
		},
		{
			"StockByItsWords", "Style No,Shoe,Brand,Pairs OH,Re-order Pt,Cost ea,Retail,Vendor\n" + lines(8, func(i int) string {
				return fmt.Sprintf("S%d,Court %d,Acme,%d,2,10.50,%d.00,Lee Supplies\n", i, i, i, 30+i)
			}),
			"stock brand=Brand price=Retail product=Shoe reorder=Re-order_Pt sku=Style_No stock=Pairs_OH supplier=Vendor unit_cost=Cost_ea",
		},
		{
			"CutShort", "Chk No,Dt,Svr,Itm,Qnty,Prc,Disct,Net Sls\n" + lines(8, func(i int) string {
				return fmt.Sprintf("C%d,2024-01-0%d,Ann,Soup,%d,2.00,0.00,%d.00\n", i, i+1, i+1, 2*i+2)
			}),
			"sales date=Dt discount=Disct order=Chk_No price=Prc product=Itm quantity=Qnty revenue=Net_Sls staff=Svr",
		},
		{
			"GoodsReceived", "GRN,RCVD_DT,SUPPLIER,ORIGIN,WINE,L_ORD,L_RCVD,USD_L,LINE_USD\n" + lines(8, func(i int) string {
				return fmt.Sprintf("G%d,2024-01-0%d,Acme,%s,Red %d,%d,%d.5,4.00,%d.00\n", i, i+1, []string{"Spain", "Italy", "Greece"}[i%3], i, i+3, i+2, 4*i+10)
			}),
			"purchases cost=LINE_USD country=ORIGIN date=RCVD_DT order=GRN product=WINE quantity=L_RCVD supplier=SUPPLIER unit_cost=USD_L",
		},
		{
			"StatesByTheirValues", "Booking ref.,Booked on,Guest name,Room,Total price,State of booking\n" + lines(9, func(i int) string {
				return fmt.Sprintf("B%d,2024-01-0%d,Guest %d,Attic,%d.00,%s\n", i, i+1, i, 50+i, []string{"stayed", "cancelled", "no-show"}[i%3])
			}),
			"sales customer=Guest_name date=Booked_on order=Booking_ref. revenue=Total_price status=State_of_booking",
		},
		{
			"LabourAndPartsTogether", "Job No,Date In,Customer,Labour,Parts,Comes to £\n" + lines(8, func(i int) string {
				return fmt.Sprintf("J%d,2024-01-0%d,Ann %d,%d.00,%d.50,%d.50\n", i, i+1, i, 30+i, i+1, 31+2*i)
			}),
			"sales customer=Customer date=Date_In order=Job_No revenue=Comes_to_£",
		},
		{
			"WorkLessAnAllowance", "Job No,Date In,Customer,Bench,Stones,Setting,Scrap Allowance,Client Pays\n" + lines(12, func(i int) string {
				return fmt.Sprintf("J%d,2024-01-%02d,Ann %d,%d.00,%d.50,%d.00,%d.00,%d.50\n", i, i+1, i, 30+i, i+1, 7*(i%3), 5*(i%2), 31+2*i+7*(i%3)-5*(i%2))
			}),
			"sales customer=Customer date=Date_In order=Job_No revenue=Client_Pays",
		},
		{
			"TotalsOfACurrency", "Order No,Date,Product,Qty,USD_Total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("O%d,2024-01-0%d,Tea %d,%d,%d.00\n", i, i+1, i, i+1, 7*i+5)
			}),
			"sales date=Date order=Order_No product=Product quantity=Qty",
		},
		{
			"DepositsAreNoStates", "Hire No,Date,Item,Hire Fee,Deposit\n" + lines(8, func(i int) string {
				return fmt.Sprintf("H%d,2024-01-0%d,Tent %d,%d.00,%s\n", i, i+1, i%3, 20+i, []string{"Held", "Refunded"}[i%2])
			}),
			"sales date=Date order=Hire_No product=Item revenue=Hire_Fee",
		},
		{
			"DeliveredGoodsWithASupplier", "Order No,Order Date,Delivered,Product,Supplier,Qty,Price,Total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("O%d,2024-01-0%d,2024-01-1%d,Tea %d,Acme,%d,2.00,%d.00\n", i, i+1, i, i, i+1, 2*i+2)
			}),
			"sales date=Order_Date order=Order_No price=Price product=Product quantity=Qty revenue=Total supplier=Supplier",
		},
		{
			"BalancesAreNoTakings", "Ref No,Date,Customer,Opening £,Topup £,Closing £\n" + lines(8, func(i int) string {
				return fmt.Sprintf("R%d,2024-01-0%d,Ann %d,%d.00,5.00,%d.00\n", i, i+1, i, 10+i, 15+i)
			}),
			"customers customer=Customer date=Date",
		},
		{
			"NumbersAreNoStock", "Stock No,Shoe,Cost,Retail,VAT Rate,Days in Store\n" + lines(8, func(i int) string {
				return fmt.Sprintf("%d,Court %d,10.50,%d.00,%d,%d\n", 1000+7*i, i, 30+i, 5*(i%3), i+2)
			}),
			"other cost=Cost price=Retail sku=Stock_No",
		},
		{
			"CodesWithAPoint", "SKU,Product,Date,Total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("10%d.10,Tea %d,2024-01-0%d,%d.00\n", i, i, i+1, i+3)
			}),
			"sales date=Date product=Product revenue=Total sku=SKU",
		},
		{
			"CountsEndInNouns", "Job No,Date,Miles to Customer,Visits by Customer,OK,Check,Total\n" + lines(8, func(i int) string {
				return fmt.Sprintf("J%d,2024-01-0%d,%d,%d,%s,%s,%d.00\n", i, i+1, i+3, i+2, []string{"OK", "IN", "OR"}[i%3], []string{"passed", "failed"}[i%2], 20+i)
			}),
			"sales date=Date order=Job_No revenue=Total",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			source, _, _ := buildText(t, c.text)
			if got := string(source.Kind) + " " + rolesOf(source); got != c.want {
				t.Errorf("got %s\nwant %s\n%s", got, c.want, describe(source))
			}
		})
	}
}

func TestPlacesOfAddresses(t *testing.T) {
	source, _, file := buildText(t, "Date,Total,Purchase Address\n2024-01-01,2,\"9 Elm St, Apt 4, Boston, MA 02215\"\n"+
		"2024-01-02,3,\"1 Oak St, New York City, NY 10001-1234\"\n2024-01-02,3,\n")
	found, err := file.Query(t.Context(), 5, "SELECT c3, c4, c5 FROM rows")
	want := "[[9 Elm St, Apt 4, Boston, MA 02215 Boston MA] [1 Oak St, New York City, NY 10001-1234 New York City NY] [<nil> <nil> <nil>]]"
	if got := fmt.Sprint(found.Rows); err != nil || got != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	if city := source.Columns[3]; city.Name != "c4" || city.Distinct != 2 || city.Blank != 1 || len(city.Values) != 2 {
		t.Errorf("got column %+v", city)
	}
}

func lines(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i) + "\n")
	}
	return b.String()
}

func TestSource(t *testing.T) {
	source, report, _ := buildText(t, "Date,Product,Total\n31/01/2024,Tea,£2.50\n01/02/2024,Tea,£3\n01/02/2024,,£1\nTotal,,£6.50\n")
	want := schema.Source{
		Name: "shop", Kind: schema.Sales, From: "rows", Rows: 3, Currency: "gbp", First: "2024-01-31", Last: "2024-02-01", Recognized: 10,
		Columns: []schema.Column{
			{Heading: "Date", Name: "c1", Type: schema.Date, Role: schema.Day, Distinct: 2},
			{Heading: "Product", Name: "c2", Type: schema.Text, Role: schema.Product, Distinct: 1, Blank: 1, Values: []string{"Tea"}},
			{Heading: "Total", Name: "c3", Type: schema.Number, Scale: 1, Unit: schema.Money, Role: schema.Revenue, Distinct: 3},
		},
	}
	if !reflect.DeepEqual(source, want) {
		t.Errorf("got %+v\nwant %+v", source, want)
	}
	if report.Rows != 3 || report.Skipped.Totals != 1 {
		t.Errorf("got %+v, want 3 rows and a total", report)
	}
}

// A bad file is refused with line and reason, and leaves nothing behind.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		name, text string
		limits     sheet.Limits
		want       string
	}{
		{"Empty", "", sheet.Limits{}, "the file is empty"},
		{"NoRows", "Date,Total\n", sheet.Limits{}, "line 1: there is no row of data under the headings"},
		{"OnlyTotals", "Date,Total\nTotal,5\n", sheet.Limits{}, "line 1: there is no row of data under the headings"},
		{"RowTooWide", "Date,Total\n2024-01-01,5\n2024-01-02,5,6,oops\n", sheet.Limits{}, "line 3: the row has 4 cells, but there are 2 headings"},
		{"TooManyRows", "Date,Total\n2024-01-01,5\n2024-01-02,5\n", sheet.Limits{Rows: 1}, "line 3: the file has more than 1 rows"},
		{"TooLarge", "Date,Total\n2024-01-01,5\n", sheet.Limits{Bytes: 10}, "the file is larger than 10 bytes"},
		{"OneEndlessLine", "Date,Total\n" + strings.Repeat("x", 3<<20), sheet.Limits{}, "line 2"},
		{"TooManyColumns", "Date,Total\n" + strings.Repeat("5,", 1200) + "\n", sheet.Limits{}, "more than 1000 cells"},
		{"APicture", "\x89PNG\r\n\x1a\n", sheet.Limits{}, "it is a picture"},
		{"NoSales", "Date,Type,Status,Gross,Fee,Net,Transaction ID\n2024-01-01,General Withdrawal,Completed,5,0,5,T1\n", sheet.Limits{}, "none of the rows is a sale"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			_, _, err := dataset.Build(t.Context(), "x.csv", strings.NewReader(c.text), int64(len(c.text)), c.limits, filepath.Join(dir, "rows.db"))
			if _, ok := errors.AsType[*sheet.Error](err); !ok || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			wantEmpty(t, dir)
		})
	}
}

func wantEmpty(t *testing.T, dir string) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil || len(files) > 0 {
		t.Errorf("got files %v, %v; want none", files, err)
	}
}

func TestBuildStopsWhenContextIsCancelled(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	text := salesFile(10)
	_, _, err := dataset.Build(ctx, "x.csv", strings.NewReader(text), int64(len(text)), sheet.Limits{}, filepath.Join(dir, "rows.db"))
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	wantEmpty(t, dir)
}

func TestManyColumns(t *testing.T) {
	var head, row []string
	for i := range 500 {
		head, row = append(head, fmt.Sprintf("Measure %d", i)), append(row, fmt.Sprint(i*7))
	}
	source, _, file := buildText(t, strings.Join(head, ",")+"\n"+strings.Repeat(strings.Join(row, ",")+"\n", 3))
	if len(source.Columns) != 500 || figure(t, source, file, "sum(c500)") != fmt.Sprint(499*7*3) {
		t.Errorf("got %d columns, want 500", len(source.Columns))
	}
}

func TestOneColumn(t *testing.T) {
	source, _, _ := buildText(t, "Product\nTea\nBun\nTea\n")
	if len(source.Columns) != 1 || source.Rows != 3 || source.Columns[0].Distinct != 2 || source.Columns[0].Role != schema.Product {
		t.Errorf("%+v", source)
	}
}

// A clock time under "taken" is a duration only if the heading names no moment.
func TestTimesAndDurations(t *testing.T) {
	for heading, want := range map[string]schema.Type{"Time taken": schema.Number, "Duration": schema.Number, "Taken at": schema.Time, "Order taken": schema.Time, "Length": schema.Time} {
		source, _, _ := buildText(t, "Date,"+heading+",Total\n2024-01-01,14:35,2\n2024-01-02,15:10,3\n2024-01-03,9:05,3\n")
		if got := source.Columns[1].Type; got != want {
			t.Errorf("%s is %s, want %s", heading, got, want)
		}
	}
}

func TestWithRole(t *testing.T) {
	source, _, file := buildText(t, "Day,Other day,Product,Total,Extra,Share\n2024-01-01,2025-05-05,Tea,2,3,5%\n2024-01-02,2025-05-06,Bun,3,4,6%\n")
	before := rolesOf(source)
	for _, c := range []struct {
		heading string
		role    schema.Role
		want    string
		err     error
	}{
		{"Extra", schema.Revenue, "date=Day product=Product revenue=Extra", nil},
		{"extra", schema.Cost, "cost=Extra date=Day product=Product revenue=Total", nil},
		{"Total", "none", "date=Day product=Product", nil},
		{"Total", schema.None, "date=Day product=Product", nil},
		{"Other day", schema.Day, "date=Other_day product=Product revenue=Total", nil},
		{"Product", schema.Revenue, "", dataset.ErrRole},
		{"Total", schema.Product, "", dataset.ErrRole},
		{"Total", "turnover", "", dataset.ErrRole},
		{"Share", schema.Revenue, "", dataset.ErrRole},
		{"Nowhere", schema.Revenue, "", dataset.ErrHeading},
	} {
		got, err := dataset.WithRole(source, c.heading, c.role)
		if !errors.Is(err, c.err) || c.err == nil && rolesOf(got) != c.want {
			t.Errorf("%s as %s: got %s, %v; want %s, %v", c.heading, c.role, rolesOf(got), err, c.want, c.err)
		}
		if rolesOf(source) != before {
			t.Fatalf("the source was changed to %s", rolesOf(source))
		}
	}

	later, err := dataset.WithRole(source, "Other day", schema.Day)
	if err != nil {
		t.Fatal(err)
	}
	if later, err = dataset.Span(t.Context(), file, later); err != nil || later.First != "2025-05-05" || later.Last != "2025-05-06" {
		t.Errorf("got %s to %s, %v", later.First, later.Last, err)
	}
	money, err := dataset.WithRole(source, "Extra", schema.Revenue)
	if err != nil || money.Columns[4].Unit != schema.Money {
		t.Errorf("got column %+v, %v", money.Columns[4], err)
	}
}

// A yes or no that is called Disc. is no discount in a list of goods.
func TestFlagsAreNamed(t *testing.T) {
	for text, want := range map[string]string{
		"Item,Supplier,Qty,Disc.\nTea,Roastery,5,N\nBun,Bakery,1,Y\n":      "Discontinued",
		"Date,Item,Total,Disc\n2024-01-01,Tea,5,N\n2024-01-02,Bun,1,Y\n":   "Discounted",
		"Date,Item,Total,Disc\n2024-01-01,Tea,5,0.5\n2024-01-02,Bun,1,0\n": "",
	} {
		source, _, _ := buildText(t, text)
		if got := source.Columns[3].Named; got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

// pricedLines returns lines of sales of six products, one to three at a time, with what a function
// makes of the price of a piece and the quantity.
func pricedLines(amount func(price, quantity int) int) string {
	var out strings.Builder
	for i := range 36 {
		price, quantity := 10+7*(i%6), 1+i/6%3
		fmt.Fprintf(&out, "R%d,2024-01-%02d,Thing %c,%d,%d\n", i, 1+i%28, 'A'+rune(i%6), quantity, amount(price, quantity))
	}
	return out.String()
}

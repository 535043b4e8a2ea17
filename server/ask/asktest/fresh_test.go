package asktest_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"svc/db"
	"svc/server/ask/asktest"
	"svc/server/datatest"
)

// freshRounds are rounds of 25 or 50 questions, each written from the headings of a file alone and
// scored before anything was changed for it. They have shaped the reader since: what they
// test now is that it does not forget. The files of fourteen are made up; the others are what
// a database answers to a query.
var freshRounds = []struct {
	name     string
	database string // of query
	query    string
	headings []string
}{
	{name: "salon"}, {name: "hire"}, {name: "bakery"}, {name: "garage"}, {name: "nursery"}, {name: "cater"},
	{name: "florist"}, {name: "vet"}, {name: "kegs"}, {name: "museum_shop"}, {name: "print_jobs"}, {name: "drycleaner"}, {name: "driving"}, {name: "foodtruck"},
	{"reports", "datasets/northwind/northwind.sqlite", `SELECT o.OrderID, date(o.OrderDate), date(o.RequiredDate), coalesce(date(o.ShippedDate), ''), c.CompanyName, o.ShipCity, o.ShipCountry,
		e.FirstName || ' ' || e.LastName, s.CompanyName, p.ProductName, g.CategoryName, v.CompanyName, d.UnitPrice, d.Quantity, d.Discount
		FROM Orders o JOIN "Order Details" d USING (OrderID) JOIN Customers c USING (CustomerID) JOIN Employees e USING (EmployeeID) JOIN Shippers s ON s.ShipperID = o.ShipVia
		JOIN Products p ON p.ProductID = d.ProductID JOIN Categories g USING (CategoryID) JOIN Suppliers v USING (SupplierID) ORDER BY 1, p.ProductName`,
		[]string{"Order No", "Order Date", "Required By", "Shipped On", "Customer", "City", "Country", "Sales Rep", "Carrier", "Product", "Category", "Supplier", "Unit Price", "Qty", "Discount"}},
	{"music", "datasets/chinook/Chinook_Sqlite.sqlite", `SELECT i.InvoiceId, strftime('%d/%m/%Y', i.InvoiceDate), c.FirstName || ' ' || c.LastName, c.Email, i.BillingCity, i.BillingCountry,
		t.Name, a.Title, r.Name, g.Name, m.Name, t.Milliseconds / 1000, l.UnitPrice, l.Quantity, e.FirstName || ' ' || e.LastName
		FROM InvoiceLine l JOIN Invoice i USING (InvoiceId) JOIN Customer c USING (CustomerId) JOIN Employee e ON e.EmployeeId = c.SupportRepId JOIN Track t USING (TrackId)
		JOIN Album a USING (AlbumId) JOIN Artist r USING (ArtistId) JOIN Genre g USING (GenreId) JOIN MediaType m ON m.MediaTypeId = t.MediaTypeId ORDER BY l.InvoiceLineId`,
		[]string{"invoice", "date", "customer", "email", "city", "country", "track", "album", "artist", "genre", "format", "length_secs", "price", "qty", "account_manager"}},
}

// leastFresh is the required rate of each round, in per cent.
const leastFresh = 84

// TestFreshRounds asks the questions of all rounds.
func TestFreshRounds(t *testing.T) {
	datatest.SkipShort(t)
	for _, round := range freshRounds {
		t.Run(round.name, func(t *testing.T) {
			path := filepath.Join("testdata", "fresh", round.name+".csv")
			if round.database != "" {
				path = exported(t, datatest.Path(t, round.database), round.name, round.query, round.headings)
			}
			tally := askRound(t, path, filepath.Join("testdata", "fresh", round.name+".jsonl"))
			if tally.All.Right*100 < leastFresh*tally.All.Asked || len(tally.HighWrong) > 0 {
				t.Errorf("%s, want %d %% and none wrong at high", tally.Line(), leastFresh)
			}
		})
	}
}

// TestNewRounds asks the questions of the folder that ASK_ROUNDS names, of a file of rows and
// one of questions each, and requires nothing: a round is scored before it is read.
func TestNewRounds(t *testing.T) {
	files, _ := filepath.Glob(filepath.Join(os.Getenv("ASK_ROUNDS"), "*.jsonl"))
	if os.Getenv("ASK_ROUNDS") == "" || len(files) == 0 {
		t.Skip("ASK_ROUNDS names no folder of questions")
	}
	for _, path := range files {
		t.Run(filepath.Base(path), func(t *testing.T) { askRound(t, strings.TrimSuffix(path, ".jsonl")+".csv", path) })
	}
}

// askRound asks the questions of a file over the rows of another.
func askRound(t *testing.T, rows, asked string) *asktest.Tally {
	t.Helper()
	qs := questions(t, asked)
	all := &shops{t, map[string]*shop{}}
	if len(qs) > 0 {
		all.byFile[qs[0].File] = newShop(t, rows)
	}
	return report(t, all, qs, 0)
}

// exported writes the rows of a query to a file of comma-separated values.
func exported(t *testing.T, database, name, query string, headings []string) string {
	t.Helper()
	file, err := db.OpenDataFile(database)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	found, err := file.Query(t.Context(), 10_000, query)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), name+".csv")
	writeCSV(t, path, headings, found.Rows)
	return path
}

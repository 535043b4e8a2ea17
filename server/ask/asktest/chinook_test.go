package asktest_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"svc/db"
	"svc/server/ask/asktest"
	"svc/server/datatest"
)

// chinookSales is a row for each line of an invoice of the Chinook database: a shop of
// songs with customers in 24 countries.
const chinookSales = `FROM InvoiceLine l JOIN Invoice i USING (InvoiceId) JOIN Customer c USING (CustomerId)
	JOIN Track t USING (TrackId) JOIN Genre g USING (GenreId)`

// chinookQuestions have their gold as SQL over chinookSales. The reader was not changed
// for any of them.
var chinookQuestions = []struct{ kind, gold, question, sql string }{
	{"total", "number", "What was our total revenue in 2024?", `SELECT sum(l.UnitPrice * l.Quantity) ` + chinookSales + ` WHERE i.InvoiceDate LIKE '2024%'`},
	{"total", "number", "How many tracks did we sell in 2023?", `SELECT sum(l.Quantity) ` + chinookSales + ` WHERE i.InvoiceDate LIKE '2023%'`},
	{"total", "number", "What were our sales in March 2022?", `SELECT sum(l.UnitPrice * l.Quantity) ` + chinookSales + ` WHERE i.InvoiceDate LIKE '2022-03%'`},
	{"filter", "number", "How much did we earn in Germany in 2025?", `SELECT sum(l.UnitPrice * l.Quantity) ` + chinookSales + ` WHERE i.BillingCountry = 'Germany' AND i.InvoiceDate LIKE '2025%'`},
	{"filter", "number", "What is the revenue of the genre Jazz?", `SELECT sum(l.UnitPrice * l.Quantity) ` + chinookSales + ` WHERE g.Name = 'Jazz'`},
	{"top-n", "labels", "Which 5 countries had the most revenue?", `SELECT i.BillingCountry ` + chinookSales + ` GROUP BY 1 ORDER BY sum(l.UnitPrice * l.Quantity) DESC LIMIT 5`},
	{"top-n", "labels", "What are our top 3 genres by quantity?", `SELECT g.Name ` + chinookSales + ` GROUP BY 1 ORDER BY sum(l.Quantity) DESC LIMIT 3`},
	{"top-n", "labels", "Which customer spent the most in 2025?", `SELECT c.FirstName || ' ' || c.LastName ` + chinookSales + ` WHERE i.InvoiceDate LIKE '2025%' GROUP BY c.CustomerId ORDER BY sum(l.UnitPrice * l.Quantity) DESC LIMIT 1`},
	{"count distinct", "number", "How many different customers bought in 2024?", `SELECT count(DISTINCT c.CustomerId) ` + chinookSales + ` WHERE i.InvoiceDate LIKE '2024%'`},
	{"average", "number", "What is the average order value?", `SELECT sum(l.UnitPrice * l.Quantity) / count(DISTINCT i.InvoiceId) ` + chinookSales},
	{"share", "number", "What share of revenue comes from Rock?", `SELECT 100 * sum(l.UnitPrice * l.Quantity) FILTER (WHERE g.Name = 'Rock') / sum(l.UnitPrice * l.Quantity) ` + chinookSales},
	{"unanswerable", "none", "How many tracks are left in stock?", ""},
	{"unanswerable", "none", "What was our profit margin in 2024?", ""},
}

// TestChinook imports the sales of a database that the project ships, and asks questions
// whose gold the database itself computes.
func TestChinook(t *testing.T) {
	original, err := db.OpenDataFile(datatest.Path(t, "datasets/chinook/Chinook_Sqlite.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer original.Close()
	query := func(sql string) [][]any {
		t.Helper()
		found, err := original.Query(t.Context(), 10_000, sql)
		if err != nil {
			t.Fatal(err)
		}
		return found.Rows
	}

	path := filepath.Join(t.TempDir(), "chinook.csv")
	writeCSV(t, path, []string{"Invoice", "Invoice Date", "Customer", "Country", "City", "Track", "Genre", "Unit Price", "Quantity"}, query(
		`SELECT i.InvoiceId, date(i.InvoiceDate), c.FirstName || ' ' || c.LastName, i.BillingCountry, i.BillingCity, t.Name, g.Name, l.UnitPrice, l.Quantity `+chinookSales+` ORDER BY l.InvoiceLineId`))
	shop := newShop(t, path)
	var tally asktest.Tally
	for _, c := range chinookQuestions {
		q := asktest.Question{
			ID: c.question, Today: "2025-12-22", Currency: "USD", Question: c.question, Kind: c.kind,
			Standard: asktest.Standard{GoldType: c.gold, Tolerance: asktest.Tolerance{Rel: 0.005}, Ordered: true},
		}
		if c.sql != "" {
			q.Gold = gold(t, c.gold, query(c.sql))
		}
		a, err := shop.ask(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !tally.Add(q, response(t, a)) {
			t.Errorf("%q: %s: %s; gold %s; %s", c.question, a.Confidence, a.Answer, q.Gold, plan(a))
		}
	}
	if len(shop.ungrounded) > 0 {
		t.Errorf("numbers that were not computed: %q", shop.ungrounded)
	}
	t.Logf("\n%s", &tally)
}

// gold returns the one number, or the first cells of the rows as labels.
func gold(t *testing.T, kind string, rows [][]any) json.RawMessage {
	t.Helper()
	value := rows[0][0]
	if kind == "labels" {
		var labels []any
		for _, row := range rows {
			labels = append(labels, row[0])
		}
		value = labels
	}
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func writeCSV(t *testing.T, path string, headings []string, rows [][]any) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	w := csv.NewWriter(f)
	w.Write(headings)
	for _, row := range rows {
		var cells []string
		for _, cell := range row {
			cells = append(cells, fmt.Sprint(cell))
		}
		w.Write(cells)
	}
	if w.Flush(); w.Error() != nil {
		t.Fatal(w.Error())
	}
}

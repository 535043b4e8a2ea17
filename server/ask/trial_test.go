package ask_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// trial asks the demo's shop over HTTP, as a newcomer does.
type trial struct{ *books }

func newTrial(t *testing.T) trial {
	t.Helper()
	s := servertest.New(t)
	demo, err := s.App.FillDemo(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return trial{&books{&servertest.Shop{Server: s, Email: demo.Email, Secret: string(demo.LiveKey)}}}
}

// push pushes records, which are JSON.
func (s trial) push(t *testing.T, records ...string) {
	t.Helper()
	body := `{"records":[` + strings.Join(records, ",") + `]}`
	s.Call(t, "POST", "/data/push", json.RawMessage(body), servertest.WithKey(s.Secret)).Expect(t, 200, "")
}

// trialRow is a question with its answer: a statement over the store gives the figures or
// names that the answer has, or that a table under it has, in this order.
type trialRow struct {
	question, confidence string
	truth                string   // a statement, the rows of which are texts
	says                 []string // further parts of the answer
}

// expect asks the questions.
func (s trial) expect(t *testing.T, rows []trialRow) {
	t.Helper()
	for _, row := range rows {
		s.Clock.Advance(2 * time.Second) // below the plan's calls a minute
		r := s.ask(t, row.question)
		want := row.says
		if row.truth != "" {
			found := s.Query(t, row.truth)
			if len(found) == 0 {
				t.Errorf("%q: the statement has no rows", row.question)
			}
			want = append(found, want...)
		}
		ok := r.Confidence == row.confidence
		plain := func(text string) string { return strings.ReplaceAll(text, ",", "") } // 1,394.24
		rest := plain(r.Answer)
		for _, w := range want {
			w = plain(w)
			at := strings.Index(rest, w)
			if ok = ok && at >= 0; ok {
				rest = rest[at+len(w):]
			}
		}
		if !ok {
			t.Errorf("%q:\n got %s: %s\nwant %s: %q", row.question, r.Confidence, r.Answer, row.confidence, want)
		}
	}
}

// Profit where costs are known; see TestAskMoneyMadeWithoutCosts.
const leastProfit = `SELECT l.name || ' has the lowest profit: £' || printf('%.2f', sum(l.amount - l.cost) / 100.0)
FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' GROUP BY 1 COLLATE NOCASE ORDER BY sum(l.amount - l.cost) LIMIT 1`

func TestAskTrialMoneyMade(t *testing.T) {
	servertest.Sequential(t)
	newTrial(t).expect(t, []trialRow{
		{question: "which product makes me the least money", confidence: "medium", truth: strings.Replace(leastProfit, "GROUP BY 1 COLLATE NOCASE", "GROUP BY l.item_id", 1), says: []string{"By revenue it is", "was read as profit"}},
		{question: "Which product has the lowest profit?", confidence: "high"},
	})
}

// A question that names a state is of orders of that state, and of no other source.
func TestAskTrialStatesOfPurchaseOrders(t *testing.T) {
	servertest.Sequential(t)
	count := func(condition string) string {
		return `SELECT 'came to ' || count(*) || '.' FROM purchase_orders WHERE ` + condition
	}
	s := newTrial(t)
	s.expect(t, []trialRow{
		{question: "how many purchase orders are open", confidence: "medium", truth: count("status = 'ordered'")},
		{question: "how many purchase orders are outstanding?", confidence: "medium", truth: count("status = 'ordered'")},
		{question: "how many purchase orders are on order", confidence: "medium", truth: count("status = 'ordered'")},
		{question: "how many purchase orders have not arrived", confidence: "medium", truth: count("status = 'ordered'")},
		{question: "how many purchase orders are received", confidence: "high", truth: count("status = 'received'")},
		{question: "how many purchase orders are closed", confidence: "high", truth: count("status = 'received'")},
		{question: "how many purchase orders have arrived", confidence: "medium", truth: count("status = 'received'")},
		{question: "how many purchase orders were delivered last month", confidence: "medium", truth: count("received_local BETWEEN '2026-02-01' AND '2026-03-01'")},
		{question: "what is the value of open purchase orders", confidence: "medium", truth: `SELECT 'came to £' || printf('%.2f', sum(l.amount) / 100.0)
FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id WHERE p.status = 'ordered'`},
		{question: "which purchase orders are open", confidence: "medium", truth: `SELECT p.external_id FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id
WHERE p.status = 'ordered' GROUP BY p.id ORDER BY sum(l.amount) DESC`},
		{question: "how many purchase orders are draft", confidence: "low", says: []string{"draft"}},
		{question: "how many purchase orders are late", confidence: "low", says: []string{"late"}},
		{question: "how many purchase orders are cancelled", confidence: "low", says: []string{"your purchase orders"}},
		{question: "how many orders are open", confidence: "low", says: []string{"open"}}, // sales have no such state
	})
	s.Exec(t, `UPDATE purchase_orders SET status = 'received', received_at = ordered_at, received_local = ordered_local WHERE status = 'ordered'`)
	s.Exec(t, `UPDATE shops SET version = version + 1`)
	s.expect(t, []trialRow{{question: "how many purchase orders are open", confidence: "medium", truth: count("status = 'ordered'")}})
}

// What to order is asked of one supplier, or of all of them side by side.
func TestAskTrialOrdersFromSuppliers(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	s.push(t, `{"type":"product","external_id":"a","sku":"ESP-1KG","stock_qty":2}`, `{"type":"product","external_id":"b","sku":"OAT-1L","stock_qty":1}`)
	s.expect(t, []trialRow{
		{question: "what should I order", confidence: "high", says: []string{"3 products are at or below", "Oat Milk 1l (1 left, 48 on order)", "Espresso Beans 1kg (2 left, 20 on order)", "What is on order brings"}},
		{question: "what should I order from Hill Roasters?", confidence: "high", says: []string{"1 product for Hill Roasters is at or below the reorder point: Espresso Beans 1kg."}},
		{question: "what should I order from Meadow Wholesale", confidence: "high", says: []string{"2 products for Meadow Wholesale are at or below", "Oat Milk 1l (1 left, 48 on order)", "Paper Filters, 100 (3 left, 20 on order)"}},
		{question: "what should I order from my supplier", confidence: "high", says: []string{"3 products are at or below the reorder point.", "Meadow Wholesale: Oat Milk 1l (1 left, 48 on order)", "Paper Filters, 100 (3 left, 20 on order).", "Hill Roasters: Espresso Beans 1kg (2 left, 20 on order). What is on order brings"}},
		{question: "what do we need to reorder by supplier", confidence: "high", says: []string{"Meadow Wholesale: Oat Milk 1l", "Hill Roasters: Espresso"}},
		{question: "what should I order from Acme", confidence: "low", says: []string{"Acme"}},
		{question: "what is our revenue from acme", confidence: "low", says: []string{"acme"}}, // one slip from "came"
		{question: "which supplier is cheapest for oat milk", confidence: "medium", truth: `SELECT p.supplier || ' has the lowest cost of purchases per unit for Oat Milk 1l: £' || printf('%.2f', sum(l.amount) * 10.0 / sum(l.quantity_milli))
FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id WHERE l.name = 'Oat Milk 1l' GROUP BY p.supplier ORDER BY sum(l.amount) * 1.0 / sum(l.quantity_milli) LIMIT 1`},
		{question: "how much did we spend by supplier", confidence: "high", truth: `SELECT p.supplier FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id GROUP BY 1 ORDER BY sum(l.amount) DESC`},
		{question: "how many suppliers do we have", confidence: "high", truth: `SELECT 'There are ' || count(DISTINCT supplier) || ' suppliers.' FROM purchase_orders`},
	})
}

// A product is set against a category: both figures, and what is between them.
func TestAskTrialProductAgainstCategory(t *testing.T) {
	servertest.Sequential(t)
	// of sales that were completed, in February 2026
	figure := func(of, condition string) string {
		return `(SELECT ` + of + ` FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id
WHERE s.status = 'completed' AND s.sold_local BETWEEN '2026-02-01' AND '2026-03-01' AND ` + condition + `)`
	}
	money := func(condition string) string {
		return figure(`'£' || printf('%.2f', sum(l.amount) / 100.0)`, condition)
	}
	pieces := func(condition string) string { return figure(`' came to ' || sum(l.quantity_milli) / 1000`, condition) }
	croissant, coffee := `l.name = 'Almond Croissant'`, `i.category = 'Coffee'`
	both := `SELECT ` + money(croissant) + ` UNION ALL SELECT ` + money(coffee)
	newTrial(t).expect(t, []trialRow{
		{question: "did croissants sell better than coffee last month", confidence: "medium", truth: both, says: []string{"was taken for the Product Almond Croissant"}},
		{question: "did almond croissants outsell coffee last month?", confidence: "medium", truth: both},
		{question: "compare croissants and coffee last month", confidence: "medium", truth: both},
		{question: "croissants vs coffee in february", confidence: "medium", truth: both},
		{question: "did we sell more croissants than coffee last month", confidence: "medium", truth: `SELECT ` + pieces(croissant)},
		{question: "did coffee make more than croissants last month", confidence: "medium", truth: `SELECT ` + money(coffee) + ` UNION ALL SELECT ` + money(croissant)},
	})
}

// A total that is missing is computed exactly where quantity and price are there, if the file's
// own totals are that; the answer says how many were.
func TestAskComputesMissingTotals(t *testing.T) {
	b := newBooks(t, db.Business)
	file := func(headings, last string) string {
		text := headings + "\n"
		for i := range 40 {
			text += fmt.Sprintf("2026-02-%02d,%s,2,3.50,7.00%s\n", 1+i%20, []string{"Tea", "Mug"}[i%2], last)
		}
		return text
	}
	const headings = "Date,Item,Quantity,Price Per Unit,Total Spent"
	b.importFile(t, "totals.csv", file(headings, "")+"2026-02-21,Tea,3,1.25,ERROR\n2026-02-21,Tea,0.5,2.25,\n2026-02-21,Tea,,2.25,\n2026-02-21,Tea,1,,\n")
	r := b.ask(t, "What is our revenue?") // 280 + 3.75 + 1.125
	if want := "Revenue came to £284.88. 2 rows of totals have no Total Spent; it is computed as Quantity times Price Per Unit. The other rows without Total Spent are left out."; r.Answer != want {
		t.Errorf("got %s, want %s", r.Answer, want)
	}
	b.ask(t, "What is our revenue by item?").expectTable(t, [][]any{{"Tea", "144.88"}, {"Mug", "140"}})
	b.ask(t, "What is the average order value on 21 February?").expectSays(t, "£2.44") // 4.875 / 2
	if r := b.ask(t, "How many units did we sell?"); strings.Contains(r.Answer, "computed") {
		t.Errorf("units: %s", r.Answer)
	}
	b.importFile(t, "other.csv", strings.ReplaceAll(file(headings, ""), "7.00", "6.30")+"2026-02-21,Tea,3,1.25,\n") // less something that the file does not say
	b.ask(t, "What is our revenue?").expectSays(t, "£252")
	b.importFile(t, "less.csv", file(headings+",Discount", ",0.10")+"2026-02-21,Tea,3,1.25,,0.10\n")
	b.ask(t, "What is our revenue?").expectSays(t, "£280")
}

// Rows without a day are on no weekday; the answer says so, at medium.
func TestAskWeekdaysOfRowsWithoutDay(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	text := "Date,Item,Total\n"
	for i := range 300 {
		text += time.Date(2025, 6, 1+i%100, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + ",Tea,5.00\n"
	}
	b.importFile(t, "some.csv", text+strings.Repeat("ERROR,Tea,5.00\n", 40))
	for question, want := range map[string]string{
		"average Saturday revenue":          "£15",
		"average revenue per day":           "£15",
		"what was our revenue on Saturdays": "£210",
	} {
		r := b.ask(t, question)
		if !strings.Contains(r.Answer, want) || !strings.Contains(r.Answer, "40 rows without Date are left out, with £200 of revenue.") || r.Confidence != "medium" {
			t.Errorf("%s: %s: %s", question, r.Confidence, r.Answer)
		}
	}
}

// Of a file and the till, the one that has the days of a question answers it; if both have
// them, the answer says which it took.
func TestAskTrialFileBesideTill(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	account := s.Query(t, "SELECT id FROM accounts")[0]
	from := func(first string, n int) string {
		day, _ := time.Parse(time.DateOnly, first)
		text := "Date,Product,Revenue\n"
		for i := range n {
			text += day.AddDate(0, 0, i).Format(time.DateOnly) + ",Tea,10.00\n"
		}
		return text
	}
	importFor(t, s.Server, account, "old.csv", from("2023-01-01", 400)) // until 4 February 2024
	s.push(t, `{"type":"sale","external_id":"now","occurred_at":"2026-03-02T09:30:00Z","items":[{"sku":"OAT-1L","quantity":2,"price":2.2}]}`)
	money := func(condition string) string {
		return `SELECT '£' || printf('%.2f', sum(l.amount) / 100.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' AND ` + condition
	}
	s.expect(t, []trialRow{
		{question: "revenue today", confidence: "medium", truth: money("s.sold_local >= '2026-03-02'"), says: []string{"This is from your sales; old ends on 4 February 2024."}},
		{question: "revenue last month", confidence: "high", truth: money("s.sold_local BETWEEN '2026-02-01' AND '2026-03-01'")},
		{question: "revenue in June 2023", confidence: "high", says: []string{"£300"}},
		{question: "revenue in June 2022", confidence: "low"},
		{question: "what is our revenue", confidence: "medium", says: []string{"£4000", "This is from old alone, without your sales ("}}, // of the dataset in use
		{question: "revenue in 2024", confidence: "medium", says: []string{"£350", "old ends on 4 February 2024; some of these days are in your sales, too, and not counted here."}},
		{question: "how many units of oat milk did we sell", confidence: "medium", says: []string{"This is from your sales, since old cannot answer it."}},
	})
	s.Clock.Advance(time.Minute)
	importFor(t, s.Server, account, "new.csv", from("2026-01-01", 60)) // until 1 March 2026
	s.expect(t, []trialRow{
		{question: "revenue in February 2026", confidence: "medium", says: []string{"£280", "Both new and your sales have these days; this is from new alone."}},
		{question: "revenue today", confidence: "medium", truth: money("s.sold_local >= '2026-03-02'")},
	})
}

// A till that has only begun leaves the file its days: relative ones count from today for both, each
// answers for the days that it has, and says what the other has.
func TestAskTillThatHasBegun(t *testing.T) {
	servertest.Sequential(t)
	b := newBooks(t, db.Business)
	text := "Date,Product,Category,Customer,Revenue\n"
	first := time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range 80 { // until 18 February
		text += first.AddDate(0, 0, i).Format(time.DateOnly) + []string{",Rye,Bread", ",Brie,Cheese"}[i%2] + ",Ann,10.00\n"
	}
	b.importFile(t, "big.csv", text)
	b.sell(t, b.LiveKey.AccountID, "now", b.Clock.Now(), "Rye", 1000, 450) // 2 March
	const onlyFile = "This is from big alone, without your sales (2 March 2026)."
	for _, row := range []struct {
		question, confidence string
		says                 []string
	}{
		{"How much did we sell in December?", "high", []string{"Revenue in December 2025 came to £310."}},
		{"revenue in January", "high", []string{"£310."}},
		{"best selling category in January", "medium", []string{"Cheese has the highest revenue in January 2026"}},
		{"revenue in January for Rye", "medium", []string{"£150"}},
		{"sales last month", "medium", []string{"Revenue in February 2026 came to £180.", "The data only cover"}},
		{"revenue today", "medium", []string{"£4.50", "This is from your sales; big ends on 18 February 2026."}},
		{"revenue this month", "medium", []string{"£4.50", "This is from your sales; big ends on 18 February 2026."}},
		{"revenue in the last 30 days", "medium", []string{"£180", "big ends on 18 February 2026; some of these days are in your sales, too, and not counted here."}},
		{"How much did we sell?", "medium", []string{"£800", onlyFile}},
		{"revenue by month", "medium", []string{onlyFile}},
		{"which product sells best", "medium", []string{onlyFile}},
		{"revenue yesterday", "low", []string{"the data in big only cover 1 December 2025 to 18 February 2026. The data in your sales only cover 2 March 2026."}},
	} {
		r := b.ask(t, row.question)
		if r.Confidence != row.confidence {
			t.Errorf("%q: got %s, want %s: %s", row.question, r.Confidence, row.confidence, r.Answer)
		}
		r.expectSays(t, row.says...)
		if strings.Contains(row.question, "January") && r.says("your sales") {
			t.Errorf("%q: %s", row.question, r.Answer)
		}
	}
}

// Net profit is what is left after all expenses. From the cost of goods alone it is refused, and
// gross profit offered; a column of its own answers.
func TestAskNetProfit(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	for question, offer := range map[string]string{
		"Net profit last month":                    "What is the gross profit in February 2026?",
		"What was our bottom line in January?":     "What is the gross profit in January 2026?",
		"what is our operating profit":             "What is the gross profit?",
		"net income this year":                     "What is the gross profit in 2026?",
		"net margin by month":                      "What is the gross margin by month?",
		"our net monthly profit":                   "What is the gross profit by month?",
		"What was our profit before tax last year": "What is the gross profit in 2025?",
	} {
		s.Clock.Advance(2 * time.Second)
		r := s.ask(t, question)
		if r.Confidence != "low" || len(r.FollowUps) == 0 || r.FollowUps[0] != offer || !r.says("no wages, rent and other expenses in your sales") {
			t.Errorf("%q: got %s: %s: %q", question, r.Confidence, r.Answer, r.FollowUps)
		}
	}
	s.expect(t, []trialRow{
		{question: "gross profit last month", confidence: "high", says: []string{"Profit in February 2026"}},
		{question: "net sales last month", confidence: "high", says: []string{"Revenue in February 2026"}},
	})
	b := newBooks(t, db.Business)
	for headings, want := range map[string]string{
		"Date,Branch,Revenue,Net Profit":   "high",
		"Date,Branch,Revenue,Profit":       "medium",
		"Date,Branch,Revenue,Expenses":     "medium",
		"Date,Branch,Revenue,Gross Profit": "low",
		"Date,Branch,Revenue,COGS":         "low",
	} {
		text := headings + "\n"
		for i := range 40 {
			text += fmt.Sprintf("2026-02-%02d,%s,20.00,15.00\n", 1+i%28, []string{"North", "South"}[i%2])
		}
		b.Clock.Advance(time.Minute)
		b.importFile(t, strings.ToLower(headings)+".csv", text)
		if r := b.ask(t, "What was our net profit in February 2026?"); r.Confidence != want {
			t.Errorf("%s: got %s: %s", headings, r.Confidence, r.Answer)
		}
	}
}

// An answer that names another answer, or is of one of two times that may be meant, is not high.
func TestAskTrialRivals(t *testing.T) {
	servertest.Sequential(t)
	newTrial(t).expect(t, []trialRow{
		{question: "most popular product", confidence: "medium", says: []string{"has the most units sold", "By revenue it is"}},
		{question: "when are we busiest", confidence: "medium"},
		{question: "which product has the highest revenue", confidence: "high"},
		{question: "revenue last week", confidence: "high"},
		{question: "revenue in the last week", confidence: "medium"},
		{question: "orders over the past month", confidence: "medium"},
		{question: "revenue in the last week of January", confidence: "high"},
		{question: "is tea profitable", confidence: "medium", says: []string{"This is of all days from"}},
		{question: "do we make a profit on milk", confidence: "medium", says: []string{"This is of all days from"}},
		{question: "is tea profitable this year", confidence: "medium"},
		{question: "profit for tea", confidence: "high"},
		{question: "what stock do we have", confidence: "medium", says: []string{"6 products with Stock above 0"}},
		{question: "what coffee stock have we got", confidence: "medium", says: []string{"2 products for Coffee"}},
		{question: "list our stock", confidence: "medium", says: []string{"6 products"}},
		{question: "what stock do we have of oat milk", confidence: "medium", says: []string{"Stock for Oat Milk 1l comes to"}},
		{question: "what is our stock", confidence: "medium"},
	})
}

// What is on order is no reason to order again, and an amount is no number of products.
func TestAskTrialOrderedAlready(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	s.Exec(t, `UPDATE purchase_orders SET status = 'received', received_at = ordered_at, received_local = ordered_local WHERE status = 'ordered'`)
	s.push(t, `{"type":"product","external_id":"a","sku":"ESP-1KG","stock_qty":5}`, `{"type":"product","external_id":"b","sku":"OAT-1L","stock_qty":1}`, `{"type":"product","external_id":"c","sku":"FIL-100","stock_qty":3}`,
		`{"type":"purchase_order","external_id":"po","status":"ordered","supplier":"Hill Roasters","ordered_at":"2026-03-01","items":[{"sku":"OAT-1L","quantity":40,"cost_price":1.1}]}`)
	r := s.ask(t, "What should I order?")
	r.expectSays(t, "Oat Milk 1l (1 left, 40 on order). What is on order brings Oat Milk 1l above the reorder point.")
	if len(r.Recommendations) == 0 || !strings.HasPrefix(r.Recommendations[0], "Reorder ") || strings.Contains(r.Recommendations[0], "Oat Milk") {
		t.Errorf("%q", r.Recommendations)
	}
	low := s.Query(t, "SELECT count(*) FROM items WHERE stock_milli < reorder_milli")[0]
	r = s.ask(t, "How much would it cost to restock?")
	if r.verdict() != "act" || !strings.Contains(*r.VerdictSentence, low+" product") || !strings.Contains(r.Recommendations[0], low+" products (£") {
		t.Errorf("%s %q", *r.VerdictSentence, r.Recommendations)
	}
}

// Who bought one thing but not another, or in some days but not in others, are groups: as a
// filter of rows the second part would rule out nothing.
func TestAskTrialHadButNot(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	text := "Date,Customer,Product,Amount\n"
	for who, bought := range map[string][]string{
		"Ann": {"2025-03-03,Tea", "2025-04-03,Tea"}, "Ben": {"2025-03-04,Tea", "2025-03-05,Scone"}, "Cat": {"2025-04-04,Scone"}, "Dan": {"2025-03-06,Tea"},
	} {
		for _, row := range bought {
			day, product, _ := strings.Cut(row, ",")
			text += day + "," + who + "," + product + ",2.00\n"
		}
	}
	importFor(t, s.Server, s.Query(t, "SELECT id FROM accounts")[0], "visits.csv", text)
	s.expect(t, []trialRow{
		{question: "which customers bought tea but not scones", confidence: "medium", says: []string{"2 customers have sales for Tea but no sales for Scone: Ann and Dan."}},
		{question: "how many customers bought tea but not scones", confidence: "medium", says: []string{"2 customers have sales for Tea but no sales for Scone."}},
		{question: "who bought in March but not in April 2025", confidence: "medium", says: []string{"2 customers have sales in March 2025 but no sales in April 2025: Ben and Dan."}},
		{question: "how many customers came in March 2025 but not in April 2025", confidence: "medium", says: []string{"2 customers have sales in March 2025 but no sales in April 2025."}},
		{question: "which customers bought scones but not tea in March", confidence: "medium", says: []string{"No customer in March 2025 has sales for Scone but no sales for Tea."}},
	})
}

// A number after people is their age, where a column has it.
func TestAskTrialAges(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	text := "Date,Customer ID,Gender,Age,Product,Amount,Paid By\n"
	for i := range 40 {
		day := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, i).Format(time.DateOnly)
		text += fmt.Sprintf("%s,%d,%s,%d,%s,%d.00,%s\n", day, 100+i, [...]string{"Female", "Male"}[i%2], 20+i, [...]string{"Boots", "Hat", "Scarf"}[i%3], 15+i, [...]string{"Card", "Cash"}[i/20])
	}
	importFor(t, s.Server, s.Query(t, "SELECT id FROM accounts")[0], "people.csv", text)
	s.expect(t, []trialRow{
		{question: "how many people under 30", confidence: "medium", says: []string{"10 customers"}},
		{question: "how many customers are over 50", confidence: "medium", says: []string{"9"}},
		{question: "how much did women under 30 spend", confidence: "medium", says: []string{"£95"}}, // 15, 17, 19, 21 and 23
		{question: "revenue from under 25s", confidence: "medium", says: []string{"£85"}},
		{question: "average age of customers who paid with cash", confidence: "medium", says: []string{"49.5"}},
		{question: "customers who spent over 50", confidence: "medium", says: []string{"4 customers"}}, // money
	})
}

// revenueOf returns the statement for the revenue of completed sales.
func revenueOf(format, condition string) string {
	return `SELECT ` + strings.ReplaceAll(format, "$", "'£' || printf('%.2f', sum(l.amount) / 100.0)") + `
FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id WHERE s.status = 'completed' AND ` + condition
}

const (
	isWeekend = `strftime('%w', s.sold_local) IN ('0', '6')`
	openDays  = `(SELECT count(DISTINCT substr(sold_local, 1, 10)) FROM sales WHERE status = 'completed'`
)

// What was sold on some days is asked of the sales, and not of the stock that has a last sale then.
func TestAskTrialSoldOnDays(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	s.expect(t, []trialRow{
		{question: "how much did we sell yesterday?", confidence: "medium", truth: revenueOf("$", "s.sold_local BETWEEN '2026-03-01' AND '2026-03-02'")},
		{question: "how much did we sell on 27 February 2026", confidence: "medium", truth: revenueOf("$", "s.sold_local BETWEEN '2026-02-27' AND '2026-02-28'")},
	})
}

// The questions of a trial by newcomers, over the demo: each is right or is refused by name.
func TestAskTrialQuestions(t *testing.T) {
	servertest.Sequential(t)
	between := func(from, to string) string { return "s.sold_local >= '" + from + "' AND s.sold_local < '" + to + "'" }
	profit := func(condition string) string {
		return strings.Replace(revenueOf("$", condition), "sum(l.amount)", "sum(l.amount - l.cost)", 1)
	}
	monthly := func(of, order string) string {
		return `SELECT ` + of + ` FROM (SELECT substr(s.sold_local, 1, 7) AS m, sum(l.amount) / 100.0 AS r, count(DISTINCT s.id) AS n,
sum(l.amount) FILTER (WHERE i.category = 'Coffee') / 100.0 AS coffee FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id WHERE s.status = 'completed' GROUP BY 1) WHERE ` + order
	}
	newTrial(t).expect(t, []trialRow{
		{question: "profit in february compared to february last year", confidence: "medium", truth: profit(between("2026-02-01", "2026-03-01")) + " UNION ALL " + profit(between("2025-02-01", "2025-03-01"))},
		{question: "which products sell more at weekends than weekdays", confidence: "medium", truth: `SELECT product FROM (SELECT l.name AS product,
sum(l.amount) FILTER (WHERE ` + isWeekend + `) * 1.0 / ` + openDays + ` AND strftime('%w', sold_local) IN ('0', '6')) AS w,
sum(l.amount) FILTER (WHERE NOT ` + isWeekend + `) * 1.0 / ` + openDays + ` AND strftime('%w', sold_local) NOT IN ('0', '6')) AS d
FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' GROUP BY l.item_id) WHERE w > d ORDER BY w DESC`},
		{question: "how many oat milks per day on average", confidence: "medium", truth: `SELECT printf('%.2f', sum(l.quantity_milli) / 1000.0 / ` + openDays + `)) FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' AND l.name = 'Oat Milk 1l'`},
		{question: "did we do better in the summer than the winter", confidence: "high", truth: revenueOf("$", between("2025-12-01", "2026-03-01")) + " UNION ALL " + revenueOf("$", between("2025-06-01", "2025-09-01"))},
		{question: "how many days of oat milk left", confidence: "medium", says: []string{"Oat Milk 1l will last about", "at the rate of the last 90 days"}},
		{question: "should I stop selling assam", confidence: "low", says: []string{"What to stop or to keep is not computed"}},
		{question: "average sale value by month", confidence: "medium", truth: monthly(`printf('%.2f', max(r / n))`, "m > '2024-08'")},
		{question: "worst month and why", confidence: "medium", says: []string{"has the lowest revenue", "Furthest below the average of the other months", "not the reason"}},
		{question: "did we sell any oat milk on monday", confidence: "medium", truth: revenueOf("$", between("2026-02-23", "2026-02-24")+" AND l.name = 'Oat Milk 1l'")},
		{question: "last 30 days vs the 30 before", confidence: "medium", truth: revenueOf("$", between("2026-02-01", "2026-03-03")) + " UNION ALL " + revenueOf("$", between("2026-01-02", "2026-02-01"))},
		{question: "between 9 and 11 in the morning", confidence: "medium", truth: revenueOf("$", "substr(s.sold_local, 12, 2) IN ('09', '10')")},
		{question: "card or cash, which is bigger", confidence: "low", says: []string{"cash", "card"}},
		{question: "what time do people buy hot chocolate", confidence: "low", says: []string{"chocolate"}},
		{question: "what was the total on 3rd February", confidence: "medium", truth: revenueOf("$", between("2026-02-03", "2026-02-04"))},
		{question: "how many cups a day", confidence: "low", says: []string{"cups"}},
		{question: "which customers stopped buying", confidence: "medium", says: []string{"Every customer has sales", "who have bought nothing for 90 days"}},
		{question: "which purchase orders are late", confidence: "medium", truth: `SELECT external_id FROM purchase_orders WHERE status = 'ordered' ORDER BY ordered_at`, says: []string{"says when an order is due"}},
		{question: "everything under £20", confidence: "medium", truth: `SELECT count(*) || ' products' FROM items WHERE price < 2000`},
		{question: "which items have no cost price", confidence: "medium", says: []string{"No product"}},
		{question: "was yesterday a good day", confidence: "medium", truth: revenueOf("$", between("2026-03-01", "2026-03-02")) + " UNION ALL " + revenueOf("$", between("2026-02-22", "2026-02-23"))},
		{question: "what if I put espresso beans up by 10 %", confidence: "medium", truth: revenueOf("printf('%.2f', sum(l.amount * CASE l.name WHEN 'Espresso Beans 1kg' THEN 1.1 ELSE 1 END) / 100.0)", "1") + " UNION ALL " + revenueOf("$", "1")},
		{question: "how much does each store make per day on average", confidence: "low", says: []string{"stores"}},
		{question: "average Saturday revenue", confidence: "high", truth: revenueOf(`'£' || printf('%.2f', sum(l.amount) / 100.0 / count(DISTINCT substr(s.sold_local, 1, 10)))`, "strftime('%w', s.sold_local) = '6'")},
		{question: "which items sell less than 5 a day", confidence: "medium", truth: `SELECT count(*) || ' products' FROM (SELECT 1 FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed'
GROUP BY l.item_id HAVING sum(l.quantity_milli) / 1000.0 / ` + openDays + `) < 5)`},
		{question: "what percentage of revenue is coffee each month", confidence: "medium", truth: monthly(`printf('%.2f', max(100 * coffee / r))`, "1")},
		{question: "which retailers made more online than in store", confidence: "low", says: []string{"stores"}},
		{question: "running total of revenue by month", confidence: "high", truth: revenueOf("$", "1")},
		{question: "revenue of small orders", confidence: "low", says: []string{"small"}},
	})
}

// Stock is valued at the price that the question names, or not at all.
func TestAskTrialStockAtAPrice(t *testing.T) {
	servertest.Sequential(t)
	at := func(price, condition string) string {
		return `SELECT '£' || printf('%.2f', sum(stock_milli * ` + price + `) / 100000.0 + 0.0001) FROM items WHERE ` + condition
	}
	s := newTrial(t)
	s.expect(t, []trialRow{
		{question: "what's my stock worth at selling price", confidence: "high", truth: at("price", "1")},
		{question: "retail value of my stock", confidence: "high", truth: at("price", "1")},
		{question: "what is the retail value of my coffee stock", confidence: "medium", truth: at("price", "category = 'Coffee'")},
		{question: "at selling price, what is my stock worth", confidence: "high", truth: at("price", "1")},
		{question: "what would my stock sell for", confidence: "medium", truth: at("price", "1")},
		{question: "stock value at cost", confidence: "high", truth: at("cost_price", "1")},
		{question: "what is my stock worth", confidence: "high", truth: at("cost_price", "1")},
		{question: "value of stock at selling prices by category", confidence: "high", says: []string{"stock value at selling prices: £260.10. Then Tea (£136), Milk (£132)"}},
		{question: "stock value at average price", confidence: "medium"},
		{question: "stock value at net price", confidence: "low", says: []string{"net"}},
	})
	b := newBooks(t, db.Business)
	b.importFile(t, "stock.csv", "Product,Stock,Unit price\nTea,10,£5.00\nMug,4,£9.00\n")
	b.ask(t, "stock value at retail").expectSays(t, "£86")
	if r := b.ask(t, "what is my stock worth at cost"); r.Confidence != "low" || !strings.Contains(r.Answer, "unit costs") {
		t.Errorf("without costs: got %s: %s", r.Confidence, r.Answer)
	}
}

// Who has not bought is a list of customers, the longest away first.
func TestAskTrialCustomersGoneQuiet(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	s.Exec(t, `DELETE FROM sales WHERE sold_local >= '2025-10-01' AND customer IN (SELECT external_id FROM customers WHERE name = 'Canal Bookshop')`)
	s.Exec(t, `DELETE FROM sales WHERE sold_local >= '2026-01-20' AND customer IN (SELECT external_id FROM customers WHERE name = 'Studio Nine')`)
	s.Exec(t, `UPDATE shops SET version = version + 1`)
	month := []string{"2 customers have no sales from 2 February 2026", "Canal Bookshop", "September 2025", "Studio Nine", "January 2026"}
	long := []string{"1 customer has no sales from 2 December 2025", "Canal Bookshop", "bought nothing for 90 days"}
	s.expect(t, []trialRow{
		{question: "which customers have not bought anything for a month", confidence: "medium", says: month},
		{question: "who has not bought anything for a month", confidence: "medium", says: month},
		{question: "customers who have not bought for 40 days", confidence: "medium", says: []string{"from 21 January 2026", "Canal Bookshop", "Studio Nine"}},
		{question: "customers gone quiet", confidence: "medium", says: long},
		{question: "which customers have gone quiet", confidence: "medium", says: long},
		{question: "lapsed customers", confidence: "medium", says: long},
		{question: "who stopped buying", confidence: "medium", says: long},
		{question: "who hasn't ordered lately", confidence: "medium", says: long},
		{question: "customers by last purchase", confidence: "medium", says: []string{"has the latest day: 1 March 2026", "Canal Bookshop"}},
		{question: "which products have not sold for a month", confidence: "medium", says: []string{"Every product in stock has sold since 2 February 2026"}},
	})
}

// Each of these is answered or refused by name.
func TestAskTrialNamesWhatItLacks(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	s.expect(t, []trialRow{
		{question: "what sold better this month than last", confidence: "medium", says: []string{"2 products with revenue on 1 March 2026 above revenue on 1 February 2026"}},
		{question: "is the morning or afternoon busiest", confidence: "medium", says: []string{"Orders from 05:00 to 12:00 came to 1323, 231 less than orders from 12:00 to 17:00"}},
		{question: "is it busier in the morning or the afternoon", confidence: "medium", says: []string{"231 less"}},
		{question: "is it busier at weekends", confidence: "medium", says: []string{"orders per day, by kind of day"}},
		{question: "which drink sells best", confidence: "low", says: []string{"drink"}},
		{question: "what are our best selling drinks", confidence: "low", says: []string{"drinks"}},
		{question: "what coffee sells best", confidence: "medium", says: []string{"Espresso Beans 1kg has the highest revenue for Coffee", "By units sold it is"}},
		{question: "what's on the shelves", confidence: "medium", says: []string{"6 products with Stock above 0"}},
		{question: "how much cash", confidence: "low", says: []string{"paid in cash or by card"}},
		{question: "how many purchase orders did we place", confidence: "medium", truth: `SELECT 'came to ' || count(*) || '.' FROM purchase_orders`},
		{question: "who supplies oat milk", confidence: "medium", says: []string{"Meadow Wholesale"}},
		{question: "which supplier supplies oat milk", confidence: "medium", says: []string{"Meadow Wholesale"}},
	})
}

// A period says nothing of rows without a day; the answer does.
func TestAskPeriodsOfRowsWithoutDay(t *testing.T) {
	t.Parallel()
	b := newBooks(t, db.Business)
	text := "Date,Item,Total\n"
	for i := range 300 {
		text += time.Date(2025, 6, 1+i%100, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) + ",Tea,5.00\n"
	}
	b.importFile(t, "some.csv", text+strings.Repeat("ERROR,Tea,5.00\n", 40))
	r := b.ask(t, "revenue in July 2025")
	if !strings.Contains(r.Answer, "£465") || !strings.Contains(r.Answer, "40 rows without Date are left out, with £200 of revenue.") || r.Confidence != "medium" {
		t.Errorf("got %s: %s", r.Confidence, r.Answer)
	}
}

// Owners ask of speed, thresholds, deliveries and what will do in words that have other uses.
func TestAskTrialWordsWithOtherUses(t *testing.T) {
	servertest.Sequential(t)
	newTrial(t).expect(t, []trialRow{
		{question: "Which products sell fastest?", confidence: "high", says: []string{"units sold"}},
		{question: "fastest sellers last month", confidence: "medium", says: []string{"most units sold in February 2026"}},
		{question: "Which products sell over £10?", confidence: "medium", says: []string{"average Price above £10"}},
		{question: "Which products sell more than £10?", confidence: "medium", says: []string{"revenue above £10", "not on its price"}},
		{question: "What are our best sellers this year?", confidence: "medium", says: []string{"revenue in 2026"}},
		{question: "What is our slowest day of the week?", confidence: "medium", says: []string{"has the lowest revenue"}},
		{question: "Which products have a negative margin?", confidence: "medium", says: []string{"margin below 0"}},
		{question: "Do we have enough oat milk for the week?", confidence: "medium", says: []string{"Oat Milk 1l will last about"}},
		{question: "How long will the espresso beans last?", confidence: "medium", says: []string{"Espresso Beans 1kg will last about"}},
		{question: "How many days until we run out of ground coffee?", confidence: "medium", says: []string{"Ground Coffee 250g will last about"}},
		{question: "did we sell enough croissants", confidence: "low", says: []string{"enough"}},
		{question: "When does the next delivery arrive?", confidence: "low", says: []string{"says when this is"}},
		{question: "What are customers buying together with espresso?", confidence: "low", says: []string{"bought together"}},
		{question: "What are our running costs?", confidence: "low", says: []string{"overheads"}},
		{question: "When was the last delivery from Hill Roasters?", confidence: "medium", says: []string{"The days are those of Received."}},
		{question: "How much did we order last month?", confidence: "medium", says: []string{"Cost of purchases in February 2026"}},
		{question: "Which items cost us more than £2?", confidence: "medium", says: []string{"above £2: Loose Leaf Assam, Espresso Beans 1kg and Ground Coffee 250g"}},
		{question: "Which product do we have most of?", confidence: "high", says: []string{"the highest stock"}},
		{question: "How much do croissants cost?", confidence: "medium", says: []string{"Average Price for Almond Croissant"}},
		{question: "Has the cost of Assam gone up?", confidence: "medium", says: []string{"Cost per unit for Loose Leaf Assam"}},
		{question: "How often does Harbour Office order?", confidence: "medium", says: []string{"orders per month"}},
		{question: "How many orders did Canal Bookshop place last month?", confidence: "medium", says: []string{"Orders for Canal Bookshop"}},
		{question: "Year on year growth in January", confidence: "medium", says: []string{"January 2025"}},
		{question: "What was revenue and tax last month?", confidence: "medium", says: []string{"Tax cannot be computed: your sales do not have"}},
	})
}

// Advice to stock a product is left out where it is sold at a loss, whatever it is ranked by,
// and tells its figure as one says it.
func TestAskAdvisesNoLoss(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := []string{"Date,Product,Category,Quantity,Price,Unit cost,Total"}
	for n := range 40 {
		lines = append(lines, fmt.Sprintf("2026-02-%02d,Jam,Larder,4,5.00,5.40,20.00", 1+n%28), fmt.Sprintf("2026-02-%02d,Bun,Bakery,3,4.00,1.00,12.00", 1+n%28))
	}
	b.importFile(t, "sales.csv", strings.Join(lines, "\n")+"\n")
	for question, want := range map[string]string{
		"Which product has the highest revenue?":  "",
		"Which product sold the most units?":      "",
		"Which category has the most units sold?": "",
		"Which product has the highest margin?":   "Keep Bun well supplied: a margin of 75 %.",
		"Units sold by product without Jam":       "Keep Bun well supplied: 120 units sold.",
		"Which product brought the most profit?":  "Keep Bun well supplied: £360 of profit.",
	} {
		if got := strings.Join(b.ask(t, question).Recommendations, " "); want == "" && strings.Contains(got, "well supplied") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", question, got, want)
		}
	}
}

// The next questions split nothing by what the question is about alone, and no rows.
func TestAskNextQuestionsMakeSense(t *testing.T) {
	s := newTrial(t)
	for _, question := range []string{"How many units of Loose Leaf Assam did we sell?", "What is the margin of Loose Leaf Assam?", "How many rows by month?"} {
		s.Clock.Advance(2 * time.Second)
		all := s.ask(t, question).FollowUps
		if len(all) == 0 {
			t.Errorf("%q has no next questions", question)
		}
		for _, next := range all {
			if strings.Contains(next, "Assam") && (strings.Contains(next, "by product") || strings.Contains(next, "by category")) || strings.Contains(next, " rows") {
				t.Errorf("after %q: %q", question, next)
			}
		}
	}
}

// How the business does is asked without a figure, and of days without their words.
func TestAskTrialHowItGoes(t *testing.T) {
	servertest.Sequential(t)
	between := func(from, to string) string { return "s.sold_local >= '" + from + "' AND s.sold_local < '" + to + "'" }
	both := func(now, before string) string { return revenueOf("$", now) + " UNION ALL " + revenueOf("$", before) }
	const unnamed = "No figure is named"
	newTrial(t).expect(t, []trialRow{
		{question: "how did we do last month", confidence: "medium", truth: both(between("2026-02-01", "2026-03-01"), between("2026-01-01", "2026-02-01")), says: []string{unnamed}},
		{question: "how was january", confidence: "medium", truth: both(between("2026-01-01", "2026-02-01"), between("2025-12-01", "2026-01-01")), says: []string{unnamed}},
		{question: "how's business", confidence: "medium", truth: both(between("2026-02-01", "2026-03-03"), between("2026-01-02", "2026-02-01")), says: []string{unnamed}},
		{question: "how did saturday go", confidence: "medium", truth: both(between("2026-02-28", "2026-03-01"), between("2026-02-21", "2026-02-22"))},
		{question: "how were sales last month", confidence: "high", truth: revenueOf("$", between("2026-02-01", "2026-03-01"))},
		{question: "how is tea selling", confidence: "medium", truth: revenueOf("$", "i.category = 'Tea'")},
		{question: "revenue in the last 30 days against the previous 30 days", confidence: "medium", truth: both(between("2026-02-01", "2026-03-03"), between("2026-01-02", "2026-02-01"))},
		{question: "revenue in january compared with the period before", confidence: "high", truth: both(between("2026-01-01", "2026-02-01"), between("2025-12-01", "2026-01-01"))},
		{question: "summary of january", confidence: "medium", truth: both(between("2026-01-01", "2026-02-01"), between("2025-12-01", "2026-01-01")), says: []string{unnamed}},
		{question: "last month", confidence: "medium", truth: both(between("2026-02-01", "2026-03-01"), between("2026-01-01", "2026-02-01"))},
		{question: "sales w/c 9 february", confidence: "high", truth: revenueOf("$", between("2026-02-09", "2026-02-16"))},
		{question: "sales 10-16 feb", confidence: "high", truth: revenueOf("$", between("2026-02-10", "2026-02-17"))},
		{question: "sales on 12/2", confidence: "medium", truth: revenueOf("$", between("2026-02-12", "2026-02-13"))},
		{question: "which product has the biggest margin in £", confidence: "medium", truth: revenueOf("l.name", "1") + " GROUP BY l.item_id ORDER BY sum(l.amount - l.cost) DESC LIMIT 1"},
		{question: "how was last year", confidence: "medium", truth: revenueOf("$", between("2025-01-01", "2026-01-01"))},
		{question: "revenue last month vs the previous month", confidence: "high", truth: both(between("2026-02-01", "2026-03-01"), between("2026-01-01", "2026-02-01"))},
		{question: "revenue last month compared with the previous 2 weeks", confidence: "medium", says: []string{"not of one length"}},
		{question: "sales minus cost", confidence: "medium", truth: strings.Replace(revenueOf("$", "1"), "sum(l.amount)", "sum(l.amount - l.cost)", 1)},
		{question: "revenue minus discounts", confidence: "low", says: []string{"minus"}},
		{question: "sales since saturday", confidence: "medium", truth: revenueOf("$", "s.sold_local >= '2026-02-28'")},
		{question: "revenue yesterday morning", confidence: "medium", truth: revenueOf("$", between("2026-03-01 05", "2026-03-01 12"))},
		{question: "takings this afternoon", confidence: "low", says: []string{"2 March 2026"}},
		{question: "how many days were we open in february", confidence: "medium", truth: `SELECT 'are ' || count(DISTINCT substr(sold_local, 1, 10)) || ' days' FROM sales WHERE status = 'completed' AND sold_local >= '2026-02-01' AND sold_local < '2026-03-01'`},
	})
}

// The rows of what was sold, and the last of them.
func TestAskTrialWhatWasSold(t *testing.T) {
	servertest.Sequential(t)
	of := func(condition, order string) string {
		return `SELECT l.name FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' AND ` + condition + ` GROUP BY l.item_id ORDER BY ` + order
	}
	const yesterday = "s.sold_local >= '2026-03-01' AND s.sold_local < '2026-03-02'"
	last := func(n int, condition string) string {
		return fmt.Sprintf(`SELECT s.external_id FROM sales s LEFT JOIN customers c ON c.account_id = s.account_id AND c.external_id = s.customer
WHERE s.status = 'completed' AND %s ORDER BY s.sold_local DESC LIMIT %d`, condition, n)
	}
	newTrial(t).expect(t, []trialRow{
		{question: "what sold yesterday", confidence: "medium", truth: of(yesterday, "sum(l.amount) DESC")},
		{question: "what sold best yesterday", confidence: "medium", truth: of(yesterday, "sum(l.amount) DESC LIMIT 1")},
		{question: "last 5 sales", confidence: "medium", truth: last(5, "1")},
		{question: "the 3 most recent sales", confidence: "medium", truth: last(3, "1")},
		{question: "last 4 orders from studio nine", confidence: "medium", truth: last(4, "c.name = 'Studio Nine'")},
		{question: "total of the last 5 sales", confidence: "low", says: []string{"last"}},
		{question: "recent sales by product", confidence: "low", says: []string{"recent"}},
		{question: "which deliveries were late", confidence: "low", says: []string{"late"}},
		{question: "top category and how much did we make overall", confidence: "medium", truth: `SELECT i.category FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id WHERE s.status = 'completed'
GROUP BY 1 ORDER BY sum(l.amount) DESC LIMIT 1`, says: []string{"Revenue came to"}},
		{question: "what was our best month and how much profit did we make", confidence: "medium", truth: `SELECT printf('%.2f', sum(l.amount - l.cost) / 100.0) FROM sales s JOIN sale_lines l ON l.sale_id = s.id
WHERE s.status = 'completed' GROUP BY substr(s.sold_local, 1, 7) ORDER BY sum(l.amount) DESC LIMIT 1`},
		{question: "who are my best customers and what do they buy", confidence: "medium", says: []string{"Harbour Office", "“what do they buy” can be asked of one of them"}},
		{question: "what share of takings was refunded", confidence: "medium", says: []string{"Refund rate came to 0.1"}},
		{question: "is tea worth it", confidence: "low", says: []string{"What to stop or to keep is not computed"}},
		{question: "how much did we spend on stock in january", confidence: "medium", truth: `SELECT 'came to £' || printf('%.2f', sum(l.amount) / 100.0) FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id
WHERE p.ordered_local >= '2026-01-01' AND p.ordered_local < '2026-02-01'`},
		{question: "what should I buy this week", confidence: "high", says: []string{"reorder point"}},
	})
}

// Shares of orders and people, the best of each kind, and days of the week.
func TestAskTrialPortions(t *testing.T) {
	servertest.Sequential(t)
	portion := func(of, pass string) string {
		return `SELECT count(*) FILTER (WHERE ` + pass + `) || ' of the ' || count(*) FROM (SELECT sum(l.amount) / 100.0 AS r, sum(l.quantity_milli) / 1000.0 AS n
FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id WHERE s.status = 'completed' AND ` + of + ` <> '' GROUP BY ` + of + `)`
	}
	best := func(of, order string) string {
		return `SELECT name FROM (SELECT l.name, sum(l.amount) AS r, row_number() OVER (PARTITION BY ` + of + ` ORDER BY sum(l.amount) ` + order + `) AS place
FROM sales s JOIN sale_lines l ON l.sale_id = s.id JOIN items i ON i.id = l.item_id WHERE s.status = 'completed' GROUP BY ` + of + `, l.item_id) WHERE place = 1 ORDER BY r ` + order
	}
	newTrial(t).expect(t, []trialRow{
		{question: "what percentage of customers spent more than £1900", confidence: "medium", truth: portion("s.customer", "r > 1900")},
		{question: "what share of products sold more than 1000 units", confidence: "medium", truth: portion("l.item_id", "n > 1000")},
		{question: "what share of revenue comes from orders over 20", confidence: "low", says: []string{"not computed"}},
		{question: "how many orders have tea and croissants", confidence: "low", says: []string{"bought together"}},
		{question: "who buys less coffee", confidence: "low", says: []string{"compared"}},
		{question: "average takings on saturday vs sunday", confidence: "medium", says: []string{"By weekday"}},
		{question: "how many orders include croissants", confidence: "medium", truth: `SELECT 'came to ' || count(DISTINCT s.id) FROM sales s JOIN sale_lines l ON l.sale_id = s.id WHERE s.status = 'completed' AND l.name = 'Almond Croissant'`},
		{question: "how many orders include croissants and coffee", confidence: "low", says: []string{"bought together"}},
		{question: "best seller in each category", confidence: "medium", truth: best("i.category", "DESC")},
		{question: "worst seller in each category", confidence: "medium", truth: best("i.category", "ASC")},
		{question: "top seller by month", confidence: "medium", truth: best("substr(s.sold_local, 1, 7)", "DESC") + " LIMIT 5"},
		{question: "average takings on a saturday", confidence: "high", truth: revenueOf(`'£' || printf('%.2f', sum(l.amount) / 100.0 / count(DISTINCT substr(s.sold_local, 1, 10)))`, "strftime('%w', s.sold_local) = '6'")},
		{question: "average order on a saturday", confidence: "medium", says: []string{"Average revenue per order on Saturday"}},
		{question: "which products are selling less", confidence: "medium", says: []string{"revenue in February 2026 below revenue in January 2026"}},
		{question: "which customers spend less than £500", confidence: "medium", says: []string{"with revenue below £500"}},
		{question: "how much do we need to sell to break even", confidence: "low", says: []string{"break even"}},
		{question: "inventory turnover", confidence: "low", says: []string{"turns over"}},
		{question: "sales to walk ins", confidence: "low", says: []string{"walks in"}},
	})
}

// After a refusal the next questions are about what was understood.
func TestAskTrialNearest(t *testing.T) {
	servertest.Sequential(t)
	s := newTrial(t)
	for question, want := range map[string]string{
		"should I stop selling assam":         "What is our revenue by month for Loose Leaf Assam?",
		"how many cups of oat milk a day":     "What are our sales by month for Oat Milk 1l?",
		"revenue of small orders in february": "What is our revenue by product in February 2026?",
	} {
		r := s.ask(t, question)
		if r.Confidence != "low" || len(r.FollowUps) == 0 || r.FollowUps[0] != want {
			t.Errorf("%q: %s, next %q, want %q first", question, r.Confidence, r.FollowUps, want)
		}
		if next := s.ask(t, want); next.Confidence == "low" {
			t.Errorf("%q is refused: %s", want, next.Answer)
		}
	}
}

package ask_test

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/ask"
	"svc/server/dataset"
	"svc/server/schema"
	"svc/server/servertest"
	"svc/server/sheet"
)

// Which rows an answer is computed from, and how they come and go (H3, H6, H8, H10, I1).

// line is a row of a file of sales; amounts are in cents.
type line struct {
	day            string
	product, group string
	region         string
	units          int64
	price, cost    int64 // of one
}

func (l line) revenue() int64 { return l.units * l.price }
func (l line) profit() int64  { return l.units * (l.price - l.cost) }

// trade is what is sold on each of some days; the days differ by weekday alone.
func trade(from string, days int) (all []line) {
	first, err := time.Parse(time.DateOnly, from)
	if err != nil {
		panic(err)
	}
	for n := range days {
		day := first.AddDate(0, 0, n)
		date, more := day.Format(time.DateOnly), int64(day.Weekday())
		all = append(all,
			line{date, "Assam", "Tea", "North", 2 + more, 450, 270},
			line{date, "Mocha", "Coffee", "South", 1 + more, 815, 530},
		)
		if n%3 == 0 {
			all = append(all, line{date, "Scone", "Bakery", "North", 3, 210, 255}) // at a loss
		}
	}
	return all
}

// file writes lines as a merchant's file.
func file(lines []line) string {
	var b strings.Builder
	b.WriteString("Date,Product,Category,Region,Quantity,Unit price,Revenue,Cost\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%s,%s,%s,%s,%d,%s,%s,%s\n", l.day, l.product, l.group, l.region, l.units,
			cents(l.price), cents(l.revenue()), cents(l.units*l.cost))
	}
	return b.String()
}

// cents writes an amount without separators.
func cents(n int64) string { return big.NewRat(n, 100).FloatString(2) }

// total sums a figure over the lines that pass.
func total(lines []line, figure func(line) int64, passes func(line) bool) (sum int64) {
	for _, l := range lines {
		if passes(l) {
			sum += figure(l)
		}
	}
	return sum
}

func everyLine(line) bool { return true }

func in(month string) func(line) bool {
	return func(l line) bool { return strings.HasPrefix(l.day, month) }
}

func of(product string) func(line) bool { return func(l line) bool { return l.product == product } }

// bring imports a file for the shop.
func (b *books) bring(t *testing.T, name, content string) schema.Source {
	t.Helper()
	return bringTo(t, b.Server, b.LiveKey.AccountID, name, content)
}

func bringTo(t *testing.T, s *servertest.Server, accountID, name, content string) schema.Source {
	t.Helper()
	source, _, err := s.App.Datasets.Import(t.Context(), accountID, dataset.File{
		Name: name, Content: strings.NewReader(content), Size: int64(len(content)),
	})
	if err != nil {
		t.Fatalf("import %s: %v", name, err)
	}
	return source
}

var (
	written = regexp.MustCompile(`\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?`)
	dates   = regexp.MustCompile(`\b\d{4}-\d{2}(?:-\d{2})?\b|\b(?:\d{1,2} )?(?:January|February|March|April|May|June|July|August|September|October|November|December)(?: \d{4})?\b|\bQ\d \d{4}\b`)
)

// numbersOf are the numbers in a text, dates aside, as they are written.
func numbersOf(text string) []string {
	all := written.FindAllString(dates.ReplaceAllString(text, " "), -1)
	for i, n := range all {
		all[i] = strings.ReplaceAll(n, ",", "")
	}
	return all
}

// isWritten says that a number is this one, with the decimals that it is written with.
func isWritten(number string, n *big.Rat) bool {
	_, decimals, _ := strings.Cut(number, ".")
	want, ok := new(big.Rat).SetString(number)
	return ok && new(big.Rat).Abs(n).FloatString(len(decimals)) == want.FloatString(len(decimals))
}

// hundredths is an amount of n cents.
func hundredths(n int64) *big.Rat { return big.NewRat(n, 100) }

// expectFigures checks that people read these figures, in hundredths.
func (r reply) expectFigures(t *testing.T, amounts ...int64) {
	t.Helper()
	numbers := numbersOf(strings.Join(r.texts(), "\n"))
	for _, n := range amounts {
		if !slices.ContainsFunc(numbers, func(one string) bool { return isWritten(one, hundredths(n)) }) {
			t.Errorf("no %s in %q", cents(n), r.texts())
		}
	}
}

// sell records a sale of one line, in thousandths and cents.
func (b *books) sell(t *testing.T, accountID, id string, at time.Time, product string, milli, price int64) {
	t.Helper()
	dbtest.Update(t, b.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutSale(db.Sale{
			AccountID: accountID, ExternalID: id, Currency: "gbp", SoldAt: at,
			Lines: []db.SaleLine{{Name: product, SKU: product, QuantityMilli: milli, Price: price, CostPrice: new(price / 2)}},
		})
		return err
	})
}

// The latest complete file is asked, and nothing of the one before.
func TestAskLatestDataset(t *testing.T) {
	b := newBooks(t, db.Business)
	january, february := trade("2026-01-01", 31), trade("2026-02-01", 28)
	b.bring(t, "january.csv", file(january))
	b.ask(t, "What is our revenue?").expectFigures(t, total(january, line.revenue, everyLine))

	b.Clock.Advance(time.Minute)
	latest := b.bring(t, "february.csv", file(february))
	r := b.ask(t, "What is our revenue?")
	r.expectFigures(t, total(february, line.revenue, everyLine))
	if r.Explain.Source != "february" || r.Explain.Rows != int64(len(february)) {
		t.Errorf("explained by %+v", r.Explain)
	}

	b.Clock.Advance(time.Minute)
	bad := "Date,Product,Revenue\n2026-02-27,Tea,5\n2026-02-28,Tea,5,6\n"
	_, _, err := b.App.Datasets.Import(t.Context(), b.LiveKey.AccountID, dataset.File{
		Name: "bad.csv", Content: strings.NewReader(bad), Size: int64(len(bad)),
	})
	if _, ok := errors.AsType[*sheet.Error](err); !ok {
		t.Fatalf("bad file: %v", err)
	}
	if again := b.ask(t, "What is our revenue?"); again.Answer != r.Answer {
		t.Errorf("after a refused file: %q, before: %q", again.Answer, r.Answer)
	}
	if found, err := b.App.Datasets.Find(t.Context(), b.LiveKey.AccountID, ""); err != nil || found.ID != latest.ID {
		t.Errorf("latest is %s, %v", found.ID, err)
	}
}

// What a column is taken for is what is summed.
func TestAskCorrectedRole(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := trade("2026-01-01", 60)
	b.bring(t, "sales.csv", strings.Replace(file(lines), "Cost\n", "Takings net\n", 1))
	cost := func(l line) int64 { return l.units * l.cost }
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, line.revenue, everyLine))
	_, err := b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, "", []dataset.Correction{{Heading: "Takings net", Role: schema.Revenue}})
	if err != nil {
		t.Fatal(err)
	}
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, cost, everyLine))
	_, err = b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, "", []dataset.Correction{{Heading: "Region", Role: schema.Revenue}})
	if err == nil {
		t.Error("a column of names is taken for revenue")
	}
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, cost, everyLine))
}

// The shop's own sales are asked as they are at that moment.
func TestAskSalesOfTheShop(t *testing.T) {
	b := newBooks(t, db.Business)
	id := b.LiveKey.AccountID
	b.ask(t, "What is our revenue?").expectNothing(t)
	for n := range 40 {
		b.sell(t, id, fmt.Sprint("s", n), b.Clock.Now().Add(-time.Duration(n)*time.Hour), []string{"Assam", "Mocha"}[n%2], 2000, 450)
	}
	r := b.ask(t, "What is our revenue?")
	r.expectFigures(t, 40*2*450, 40*2*225)
	if r.Confidence != "high" || r.Explain.Rows != 40 {
		t.Errorf("confidence %s of %d rows", r.Confidence, r.Explain.Rows)
	}
	b.ask(t, "What is our revenue by product?").expectTable(t, [][]any{{"Assam", "180"}, {"Mocha", "180"}})

	b.sell(t, id, "s40", b.Clock.Now(), "Mocha", 1000, 450)
	b.ask(t, "What is our revenue?").expectFigures(t, 40*2*450+450)
	b.sell(t, id, "s40", b.Clock.Now(), "Mocha", 3000, 450) // the same sale, corrected
	b.ask(t, "What is our revenue?").expectFigures(t, 40*2*450+3*450)
	b.ask(t, "What are our best sellers by revenue?").expectTable(t, [][]any{{"Mocha", "193.5"}, {"Assam", "180"}})
}

// expectTable checks the rows; numbers are given as texts and compared as numbers.
func (r reply) expectTable(t *testing.T, want [][]any) {
	t.Helper()
	if r.Table == nil {
		t.Errorf("no table beside %q", r.Answer)
		return
	}
	text := func(rows [][]any) string {
		var b strings.Builder
		for _, row := range rows {
			for _, cell := range row {
				if n, ok := new(big.Rat).SetString(fmt.Sprint(cell)); ok {
					cell = n.RatString()
				}
				fmt.Fprint(&b, cell, "|")
			}
			b.WriteByte('\n')
		}
		return b.String()
	}
	if got := text(r.Table.Rows); got != text(want) {
		t.Errorf("table\n%swant\n%s", got, text(want))
	}
}

// shelves are goods with a stock, of which one is out and one is low.
func (b *books) shelves(t *testing.T) {
	t.Helper()
	for _, i := range []struct {
		name           string
		stock, reorder int64
	}{{"Assam", 0, 5}, {"Mocha", 3, 5}, {"Scone", 24, 5}} {
		dbtest.MustItem(t, b.Store, b.LiveKey.AccountID, db.ItemChange{
			Name: i.name, SKU: i.name + "-1", Price: new(int64(450)), CostPrice: new(int64(270)),
			StockMilli: new(i.stock * 1000), ReorderMilli: new(i.reorder * 1000),
		})
	}
}

func TestAskStockAndPurchases(t *testing.T) {
	b := newBooks(t, db.Business)
	b.shelves(t)
	r := b.ask(t, "What is out of stock?")
	r.expectSays(t, "Assam")
	if r.says("Mocha") || r.says("Scone") || r.Confidence != "high" || r.verdict() != "problem" {
		t.Errorf("%s, %s: %q", r.Confidence, r.verdict(), r.texts())
	}
	r = b.ask(t, "What should we reorder?")
	r.expectSays(t, "Assam", "Mocha")
	if r.says("Scone") {
		t.Errorf("%q", r.texts())
	}
	b.ask(t, "What is our stock worth?").expectFigures(t, 27*270)

	dbtest.Update(t, b.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutPurchaseOrder(db.PurchaseOrder{
			AccountID: b.LiveKey.AccountID, ExternalID: "po1", Supplier: "Hill Roasters", OrderedAt: b.Clock.Now(),
			Lines: []db.PurchaseLine{{Name: "Assam", SKU: "Assam-1", QuantityMilli: 40_000, CostPrice: 270}},
		})
		return err
	})
	r = b.ask(t, "What is our spend by supplier?")
	r.expectSays(t, "Hill Roasters")
	r.expectFigures(t, 40*270)

	dbtest.MustItem(t, b.Store, b.LiveKey.AccountID, db.ItemChange{Name: "Assam", SKU: "Assam-1", StockMilli: new(int64(9000))})
	if r := b.ask(t, "What is out of stock?"); r.verdict() != "" || r.says("Assam") {
		t.Errorf("after a delivery: %q", r.texts())
	}
}

// Relative days count from today while the data are fresh, and from their last day when
// they are old, which is said (H8).
func TestAskAsOf(t *testing.T) {
	lines := trade("2026-01-01", 60) // to 1 March
	for _, row := range []struct {
		now        time.Time
		month      string // that last month is
		isAsOf     bool
		confidence string
	}{
		{time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC), "2026-02", false, "high"},
		{time.Date(2026, 3, 5, 10, 0, 0, 0, time.UTC), "2026-02", false, "medium"},
		{time.Date(2026, 3, 8, 23, 0, 0, 0, time.UTC), "2026-02", false, "medium"},
		{time.Date(2026, 3, 9, 1, 0, 0, 0, time.UTC), "2026-02", true, "medium"},
		{time.Date(2027, 6, 9, 1, 0, 0, 0, time.UTC), "2026-02", true, "medium"},
	} {
		t.Run(row.now.Format(time.DateOnly), func(t *testing.T) {
			b := newBooks(t, db.Business)
			b.Clock.Set(row.now)
			b.bring(t, "sales.csv", file(lines))
			r := b.ask(t, "What were our sales last month?")
			r.expectFigures(t, total(lines, line.revenue, in(row.month)))
			if isAsOf := strings.Contains(strings.ToLower(r.Answer), "as of"); isAsOf != row.isAsOf || r.Confidence != row.confidence {
				t.Errorf("%s: %q", r.Confidence, r.Answer)
			}
			if r.Explain.AsOf != "2026-03-01" {
				t.Errorf("as of %s", r.Explain.AsOf)
			}
		})
	}

	t.Run("GivenDay", func(t *testing.T) {
		b := newBooks(t, db.Business)
		b.bring(t, "sales.csv", file(lines))
		told, err := b.answer(t, b.LiveKey.AccountID, ask.Question{Text: "What were our sales last month?", Today: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		reply{Answer: told.Answer}.expectFigures(t, total(lines, line.revenue, in("2026-01")))
	})
}

// The day is that of the shop's clock, and so is the day of a sale.
func TestAskTimezone(t *testing.T) {
	b := newBooks(t, db.Business)
	auckland, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Set(time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)) // there it is 2 o'clock of the 3rd
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, auckland)
	for n := range 10 {
		b.sell(t, b.LiveKey.AccountID, fmt.Sprint("s", n), noon.Add(time.Duration(n)*2*time.Hour), "Assam", 1000, 100<<n)
	}
	const upToMidnight, after = 100 * (1<<6 - 1), 100 * (1<<10 - 1<<6)
	for _, row := range []struct {
		zone, question string
		want           int64
	}{
		{"Pacific/Auckland", "sales yesterday", upToMidnight},
		{"Pacific/Auckland", "sales today", after},
		{"UTC", "sales today", upToMidnight},
	} {
		b.setProfile(t, db.Profile{BizType: "retail", Currency: "gbp", Timezone: row.zone})
		b.ask(t, row.question).expectFigures(t, row.want)
	}
}

// Money is the account's, unless the file says its own.
func TestAskCurrency(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := trade("2026-01-01", 60)
	b.bring(t, "sales.csv", file(lines))
	seen := map[string]bool{}
	for _, currency := range []string{"gbp", "usd", "eur"} {
		b.setProfile(t, db.Profile{BizType: "retail", Currency: currency, Timezone: "UTC"})
		r := b.ask(t, "What is our revenue?")
		r.expectFigures(t, total(lines, line.revenue, everyLine))
		seen[r.Answer] = true
	}
	if len(seen) != 3 {
		t.Errorf("three currencies are worded %v", seen)
	}
	b.bring(t, "signed.csv", "Date,Product,Revenue\n2026-03-01,Tea,$5.00\n2026-03-01,Bun,$7.50\n")
	r := b.ask(t, "What is our revenue?")
	r.expectFigures(t, 1250)
	if !r.says("$") || r.says("€") {
		t.Errorf("%q of a file in dollars", r.texts())
	}
}

// Amounts of several currencies are not added up; what is no amount still is.
func TestAskCurrenciesMixed(t *testing.T) {
	b := newBooks(t, db.Business)
	b.bring(t, "mixed.csv", "Date,Product,Quantity,Revenue\n2026-03-01,Tea,2,$5.00\n2026-03-01,Bun,3,£7.50\n")
	for _, question := range []string{"What is our revenue?", "What is our revenue by product?"} {
		r := b.ask(t, question)
		r.expectNothing(t)
		if r.says("12.5") {
			t.Errorf("%q", r.texts())
		}
	}
	b.ask(t, "How many units did we sell?").expectFigures(t, 500)
}

// With explain the plan, the SQL and the rows are told, and nothing else changes.
func TestAskExplain(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := trade("2026-01-01", 60)
	b.bring(t, "sales.csv", file(lines))
	for question, rows := range map[string]int64{
		"What is our revenue by product?":          int64(len(lines)),
		"What were our sales in January 2026?":     total(lines, func(line) int64 { return 1 }, in("2026-01")),
		"What is the revenue of Assam last month?": 28,
	} {
		r := b.ask(t, question)
		x := r.Explain
		if x.Rows != rows || x.Source != "sales" || x.AsOf != "2026-03-01" || len(x.SQL) == 0 || !strings.Contains(x.SQL[0], "SELECT") ||
			x.Text == "" || !strings.Contains(string(x.Plan), `"revenue"`) {
			t.Errorf("%s: want %d rows: %+v", question, rows, x)
		}
		if strings.Contains(strings.Join(x.SQL, ""), "Assam") {
			t.Errorf("a value stands in the SQL: %q", x.SQL)
		}
		plain := readReply(t, b.post(t, map[string]any{"question": question, "options": map[string]bool{"explain": false}}))
		if plain.Explain != nil || plain.Answer != r.Answer || fmt.Sprint(plain.Table) == "<nil>" != (r.Table == nil) {
			t.Errorf("%q without explain, %q with it", plain.Answer, r.Answer)
		}
	}
}

// Words for a financial officer have the same figures, in the same shape (H6).
func TestAskCFO(t *testing.T) {
	b := newBooks(t, db.Business)
	b.bring(t, "sales.csv", file(trade("2026-01-01", 60)))
	different := 0
	for _, question := range []string{
		"What is our revenue?", "What is our profit by category?", "How did last month do against the month before?",
		"Which products lost money?", "What is the share of Tea?",
	} {
		plain := readReply(t, b.post(t, map[string]any{"question": question}))
		cfo := readReply(t, b.post(t, map[string]any{"question": question, "options": map[string]any{"cfo_mode": true}}))
		if plain.texts()[0] != cfo.texts()[0] || fmt.Sprint(plain.Recommendations) != fmt.Sprint(cfo.Recommendations) {
			different++
		}
		if fmt.Sprint(plain.Cards) != fmt.Sprint(cfo.Cards) || plain.Confidence != cfo.Confidence || plain.verdict() != cfo.verdict() {
			t.Errorf("%s: %v, and for a financial officer %v", question, plain.Cards, cfo.Cards)
		}
		if plain.Table != nil && fmt.Sprint(*plain.Table) != fmt.Sprint(*cfo.Table) {
			t.Errorf("%s: %v, and for a financial officer %v", question, *plain.Table, *cfo.Table)
		}
		mine, theirs := numbersOf(plain.Answer), numbersOf(cfo.Answer)
		slices.Sort(mine)
		slices.Sort(theirs)
		if !slices.Equal(mine, theirs) {
			t.Errorf("%s: %q, and for a financial officer %q", question, plain.Answer, cfo.Answer)
		}
	}
	if different == 0 {
		t.Error("no answer is framed for a financial officer")
	}
}

// A change that the question states is computed, called simulated, and stored nowhere.
func TestAskSimulate(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := trade("2026-01-01", 60)
	b.bring(t, "sales.csv", file(lines))
	before := b.ask(t, "What is our revenue?")
	revenue := total(lines, line.revenue, everyLine)
	for _, options := range []map[string]any{{"simulate_mode": true}, {}} {
		r := readReply(t, b.post(t, map[string]any{"question": "What would revenue be if we raise prices 5 %?", "options": options}))
		r.expectFigures(t, (revenue*105+50)/100, revenue)
		if !strings.Contains(strings.ToLower(r.Answer), "simulated") || r.Confidence == "high" || r.Verdict != nil {
			t.Errorf("%s, %s: %q", r.Confidence, r.verdict(), r.Answer)
		}
	}
	if after := b.ask(t, "What is our revenue?"); after.Answer != before.Answer {
		t.Errorf("%q after a simulation, %q before", after.Answer, before.Answer)
	}
}

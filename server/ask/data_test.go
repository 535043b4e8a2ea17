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

// line is a row of a sales file; amounts are in cents.
type line struct {
	day            string
	product, group string
	region         string
	units          int64
	price, cost    int64 // per unit
}

func (l line) revenue() int64 { return l.units * l.price }

func (l line) profit() int64 { return l.units * (l.price - l.cost) }

// makeLines returns sales for some days in a row, which depend only on the weekday.
func makeLines(from string, days int) (all []line) {
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

// csvFile returns lines as a merchant's CSV file.
func csvFile(lines []line) string {
	var b strings.Builder
	b.WriteString("Date,Product,Category,Region,Quantity,Unit price,Revenue,Cost\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "%s,%s,%s,%s,%d,%s,%s,%s\n", l.day, l.product, l.group, l.region, l.units,
			cents(l.price), cents(l.revenue()), cents(l.units*l.cost))
	}
	return b.String()
}

// cents formats an amount of cents without separators.
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

// importFile imports a file for the shop.
func (b *books) importFile(t *testing.T, name, content string) schema.Source {
	t.Helper()
	return importFor(t, b.Server, b.LiveKey.AccountID, name, content)
}

func importFor(t *testing.T, s *servertest.Server, accountID, name, content string) schema.Source {
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

// numbersOf returns the numbers in a text, except those of dates, without separators.
func numbersOf(text string) []string {
	all := written.FindAllString(dates.ReplaceAllString(text, " "), -1)
	for i, n := range all {
		all[i] = strings.ReplaceAll(n, ",", "")
	}
	return all
}

// matchesNumber reports whether a number in a text is the absolute value of n, rounded to
// the decimals in the text.
func matchesNumber(number string, n *big.Rat) bool {
	_, decimals, _ := strings.Cut(number, ".")
	want, ok := new(big.Rat).SetString(number)
	return ok && new(big.Rat).Abs(n).FloatString(len(decimals)) == want.FloatString(len(decimals))
}

// hundredths returns n/100.
func hundredths(n int64) *big.Rat { return big.NewRat(n, 100) }

// expectFigures checks that the texts contain these figures, given in hundredths.
func (r reply) expectFigures(t *testing.T, amounts ...int64) {
	t.Helper()
	numbers := numbersOf(strings.Join(r.texts(), "\n"))
	for _, n := range amounts {
		if !slices.ContainsFunc(numbers, func(one string) bool { return matchesNumber(one, hundredths(n)) }) {
			t.Errorf("no %s in %q", cents(n), r.texts())
		}
	}
}

// sell records a sale of one line; quantity in thousandths, price in cents.
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

// Answers are from the latest complete file alone.
func TestAskUsesLatestDataset(t *testing.T) {
	b := newBooks(t, db.Business)
	january, february := makeLines("2026-01-01", 31), makeLines("2026-02-01", 28)
	b.importFile(t, "january.csv", csvFile(january))
	b.ask(t, "What is our revenue?").expectFigures(t, total(january, line.revenue, everyLine))

	b.Clock.Advance(time.Minute)
	latest := b.importFile(t, "february.csv", csvFile(february))
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

// A corrected column role is used from the next question.
func TestAskUsesCorrectedRoles(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", strings.Replace(csvFile(lines), "Cost\n", "Takings net\n", 1))
	cost := func(l line) int64 { return l.units * l.cost }
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, line.revenue, everyLine))
	_, err := b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, "", []dataset.Correction{{Heading: "Takings net", Role: schema.Revenue}})
	if err != nil {
		t.Fatal(err)
	}
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, cost, everyLine))
	_, err = b.App.Datasets.SetRoles(t.Context(), b.LiveKey.AccountID, "", []dataset.Correction{{Heading: "Region", Role: schema.Revenue}})
	if err == nil {
		t.Error("a column of names was accepted as revenue")
	}
	b.ask(t, "What is our revenue?").expectFigures(t, total(lines, cost, everyLine))
}

// Questions about the shop's own sales see the current rows.
func TestAskSalesOfTheShop(t *testing.T) {
	b := newBooks(t, db.Business)
	id := b.LiveKey.AccountID
	b.ask(t, "What is our revenue?").expectRefusal(t)
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

// expectTable checks the rows; numbers are given as strings and compared as numbers.
func (r reply) expectTable(t *testing.T, want [][]any) {
	t.Helper()
	if r.Table == nil {
		t.Errorf("no table with %q", r.Answer)
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

// plantStock stores three items, one of which is out of stock and one low.
func (b *books) plantStock(t *testing.T) {
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
	b.plantStock(t)
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

// Relative days count from today if the data are fresh, and otherwise from their last
// day, which the answer then states (H8).
func TestAskAsOf(t *testing.T) {
	servertest.Sequential(t)
	lines := makeLines("2026-01-01", 60) // to 1 March
	for _, row := range []struct {
		now        time.Time
		month      string // "last month"
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
			b.importFile(t, "sales.csv", csvFile(lines))
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
		b.importFile(t, "sales.csv", csvFile(lines))
		told, err := b.answer(t, b.LiveKey.AccountID, ask.Question{Text: "What were our sales last month?", Today: time.Date(2026, 2, 20, 0, 0, 0, 0, time.UTC)})
		if err != nil {
			t.Fatal(err)
		}
		reply{Answer: told.Answer}.expectFigures(t, total(lines, line.revenue, in("2026-01")))
	})
}

// Today and the day of a sale are in the account's time zone.
func TestAskTimezone(t *testing.T) {
	b := newBooks(t, db.Business)
	auckland, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	b.Clock.Set(time.Date(2026, 3, 2, 13, 0, 0, 0, time.UTC)) // 2 a.m. on the 3rd in Auckland
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

// The currency is the account's, unless the file has its own.
func TestAskCurrency(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	seen := map[string]bool{}
	for _, currency := range []string{"gbp", "usd", "eur"} {
		b.setProfile(t, db.Profile{BizType: "retail", Currency: currency, Timezone: "UTC"})
		r := b.ask(t, "What is our revenue?")
		r.expectFigures(t, total(lines, line.revenue, everyLine))
		seen[r.Answer] = true
	}
	if len(seen) != 3 {
		t.Errorf("want three answers for three currencies: %v", seen)
	}
	b.importFile(t, "signed.csv", "Date,Product,Revenue\n2026-03-01,Tea,$5.00\n2026-03-01,Bun,$7.50\n")
	r := b.ask(t, "What is our revenue?")
	r.expectFigures(t, 1250)
	if !r.says("$") || r.says("€") {
		t.Errorf("%q for a file in dollars", r.texts())
	}
}

// Amounts in several currencies are not added; quantities are.
func TestAskCurrenciesMixed(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "mixed.csv", "Date,Product,Quantity,Revenue\n2026-03-01,Tea,2,$5.00\n2026-03-01,Bun,3,£7.50\n")
	for _, question := range []string{"What is our revenue?", "What is our revenue by product?"} {
		r := b.ask(t, question)
		r.expectRefusal(t)
		if r.says("12.5") {
			t.Errorf("%q", r.texts())
		}
	}
	b.ask(t, "How many units did we sell?").expectFigures(t, 500)
}

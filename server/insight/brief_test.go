package insight_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/dataset"
	"svc/server/insight"
	"svc/server/money"
	"svc/server/servertest"
)

// brief is the body of GET /brief.
type brief struct {
	ID          *string
	Period      string
	GeneratedAt string `json:"generated_at"`
	Headline    string
	Sections    []struct{ Title, Text string }
	Actions     []string
	KPIs        []card
}

func (r *reader) brief(t *testing.T) brief { t.Helper(); return get[brief](t, r, "/brief") }

func (b brief) text(title string) string {
	for _, s := range b.Sections {
		if s.Title == title {
			return s.Text
		}
	}
	return ""
}

// events returns the account's events of a kind.
func (r *reader) events(t *testing.T, kind event.Kind) (bodies []string) {
	t.Helper()
	dbtest.View(t, r.Store, func(tx *db.Tx) error {
		all, err := tx.Events(r.owner.ID, 0, 1000)
		for _, e := range all {
			if e.Kind == kind {
				bodies = append(bodies, string(e.Body))
			}
		}
		return err
	})
	return bodies
}

// pounds writes cents as a sentence does.
func pounds(cents int64) string { return strings.TrimSuffix(money.Format(cents, "gbp"), ".00") }

// poundsOf writes a fraction of cents.
func poundsOf(cents, n int64) string {
	return strings.TrimSuffix("£"+big.NewRat(cents, 100*n).FloatString(2), ".00")
}

// against writes how two sums of cents, the second of n days, compare.
func against(now, before, n int64, words string) string {
	change := big.NewRat(100*(n*now-before), before)
	than := map[int]string{1: " % more than ", -1: " % less than "}[change.Sign()]
	return decimal(change.Abs(change), 1) + than + words + " (" + poundsOf(before, n) + ")"
}

// first returns the first row of a query whose columns are a number and a name.
func (r *reader) first(t *testing.T, query string) (n int64, name string) {
	t.Helper()
	row := r.Query(t, query)[0]
	number, name, _ := strings.Cut(row, " ")
	if _, err := fmt.Sscan(number, &n); err != nil {
		t.Fatal(err)
	}
	return n, name
}

func (b brief) want(t *testing.T, title string, sentences ...string) {
	t.Helper()
	if got, want := b.text(title), strings.Join(sentences, " "); got != want {
		t.Errorf("%s:\n got %s\nwant %s", title, got, want)
	}
}

// soldLines are the completed sales' lines of the demo.
const soldLines = `FROM sales s JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id WHERE s.status = 'completed' AND `

func TestBriefOfDemoShop(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	r := newDemo(t)
	b := r.brief(t)
	yesterday, sundays := r.sumsOf(t, between("2026-03-01", "2026-03-01")), r.sumsOf(t, onDays("24", "2026-02-22", "2026-02-15", "2026-02-08", "2026-02-01"))
	best, bestName := r.first(t, `SELECT sum(l.amount) AS n, l.name `+soldLines+between("2026-03-01", "2026-03-01")+` GROUP BY 2 ORDER BY n DESC`)
	b.want(t, "Yesterday",
		fmt.Sprintf("Sunday 1 March brought %s from %d orders, %s.", pounds(yesterday.revenue), yesterday.orders, against(yesterday.revenue, sundays.revenue, 4, "the average of the 4 Sundays before")),
		fmt.Sprintf("The best seller was %s with %s.", bestName, pounds(best)))

	days, before := between("2026-02-23", "2026-03-01"), between("2026-02-16", "2026-02-22")
	week, last := r.sumsOf(t, days), r.sumsOf(t, before)
	ranked := r.Query(t, `SELECT sum(l.amount) AS n, l.name `+soldLines+days+` GROUP BY 2 ORDER BY n DESC LIMIT 3`)
	var tops []string
	for i, row := range ranked {
		number, name, _ := strings.Cut(row, " ")
		var n int64
		if _, err := fmt.Sscan(number, &n); err != nil {
			t.Fatal(err)
		}
		tops = append(tops, map[bool]string{true: name + " has the highest revenue in these 7 days: " + pounds(n), false: name + " (" + pounds(n) + ")"}[i == 0])
	}
	moved := `SELECT coalesce(sum(l.amount) FILTER (WHERE ` + days + `), 0) - coalesce(sum(l.amount) FILTER (WHERE ` + before + `), 0) AS n, l.name ` +
		soldLines + `(` + days + ` OR ` + before + `) GROUP BY 2 ORDER BY n `
	gained, gainer := r.first(t, moved+"DESC")
	lost, loser := r.first(t, moved)
	b.want(t, "7 days to yesterday",
		fmt.Sprintf("The 7 days from 23 February to 1 March 2026 brought %s from %d orders, %s.", pounds(week.revenue), week.orders, against(week.revenue, last.revenue, 1, "the 7 days before")),
		fmt.Sprintf("An order was worth %s on average, after %s.", poundsOf(week.taken, week.sold), poundsOf(last.taken, last.sold)),
		fmt.Sprintf("%s. Then %s and %s.", tops[0], tops[1], tops[2]),
		fmt.Sprintf("%s gained most, %s more than in the 7 days before.", gainer, pounds(gained)),
		fmt.Sprintf("%s lost most, %s less than in the 7 days before.", loser, pounds(-lost)))

	margin := func(s sums) string { return decimal(big.NewRat(100*(s.costed-s.cost), s.costed), 1) + " %" }
	b.want(t, "Money",
		fmt.Sprintf("The gross margin of the 7 days was %s, after %s.", margin(week), margin(last)),
		fmt.Sprintf("Refunds of the 7 days came to %s, after %s.", pounds(week.refunds), pounds(last.refunds)))

	b.want(t, "Stock", stockOf(t, r)...)
	known, _ := r.first(t, `SELECT count(DISTINCT s.customer) FROM sales s WHERE s.customer <> '' AND s.status <> 'cancelled' AND `+days)
	spent, spender := r.first(t, `SELECT sum(l.amount) AS n, (SELECT name FROM customers WHERE external_id = s.customer) `+soldLines+`s.customer <> '' AND `+days+` GROUP BY s.customer ORDER BY n DESC`)
	b.want(t, "Customers", fmt.Sprintf("%d known customers bought in these 7 days.", known), fmt.Sprintf("%s spent most: %s.", spender, pounds(spent)))

	low := r.Count(t, `SELECT count(*) FROM items WHERE stock_milli <= coalesce(reorder_milli, 5000)`)
	change := big.NewRat(100*(4*yesterday.revenue-sundays.revenue), sundays.revenue)
	way := map[int]string{1: "above", -1: "below"}[change.Sign()]
	want := fmt.Sprintf("Sunday brought %s, %s %% %s the usual; %d product low on stock", pounds(yesterday.revenue), decimal(change.Abs(change), 1), way, low)
	if !strings.HasPrefix(b.Headline, want) {
		t.Errorf("headline: got %s, want %s", b.Headline, want)
	}
	if b.ID != nil || b.Period != "2026-03-01" || b.GeneratedAt != "2026-03-02T13:30:00.000Z" || len(b.KPIs) < 15 {
		t.Errorf("id %v, period %s, generated at %s, %d KPIs", b.ID, b.Period, b.GeneratedAt, len(b.KPIs))
	}
	details := get[struct{ Alerts []struct{ Detail string } }](t, r, "/alerts").Alerts
	if len(b.Actions) != len(details) || len(details) == 0 || !strings.HasSuffix(b.Headline, fmt.Sprintf("; %d things to do.", len(details))) {
		t.Fatalf("%d actions of %d alerts, headline %s", len(b.Actions), len(details), b.Headline)
	}
	for i, a := range b.Actions {
		if _, what, ok := strings.Cut(a, ": "); !ok || what != details[i].Detail {
			t.Errorf("action %q of %q", a, details[i].Detail)
		}
	}
}

// stockOf returns the sentences on the demo's stock, by SQL.
func stockOf(t *testing.T, r *reader) []string {
	t.Helper()
	value, _ := r.first(t, `SELECT CAST(round(sum(stock_milli * cost_price) / 1000.0) AS INTEGER) FROM items`)
	left, low := r.first(t, `SELECT stock_milli / 1000, name FROM items WHERE stock_milli <= coalesce(reorder_milli, 5000)`)
	tenths, next := r.first(t, `
SELECT CAST(round(10.0 * i.stock_milli * 90 / sum(l.quantity_milli)) AS INTEGER) AS n, i.name `+strings.Replace(soldLines, "WHERE", "JOIN items i ON i.id = l.item_id WHERE", 1)+
		`s.sold_local >= date('2026-03-02', '-89 days') GROUP BY i.id ORDER BY n`)
	orders, worth := r.first(t, `SELECT count(DISTINCT p.id), sum(l.amount) FROM purchase_orders p JOIN purchase_order_lines l ON l.purchase_order_id = p.id WHERE p.received_at IS NULL`)
	age, placed := r.first(t, `SELECT CAST(julianday('2026-03-02') - julianday(substr(min(ordered_local), 1, 10)) AS INTEGER), substr(min(ordered_local), 1, 10) FROM purchase_orders WHERE received_at IS NULL`)
	day, err := time.Parse(time.DateOnly, placed)
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		fmt.Sprintf("The stock is worth %s at cost.", pounds(value)),
		fmt.Sprintf("1 product is at or below the reorder point: %s (%d left).", low, left),
		fmt.Sprintf("%s ends next: what is there lasts %s days at the usual rate.", next, decimal(big.NewRat(tenths, 10), 1)),
		fmt.Sprintf("%d purchase orders of %s in all have not arrived: the oldest was placed on %s, %d days ago.", orders, pounds(cents(t, json.Number(worth))/100), day.Format("2 January"), age),
	}
}

func TestBriefOfImportedFile(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "Europe/London")
	rows := importSales(t, r, "2025-11-01", "2026-02-28")
	r.Clock.Set(time.Date(2026, time.June, 8, 9, 0, 0, 0, time.UTC)) // 100 days after the last row
	b := r.brief(t)
	week, last := sumRows(rows, "2026-02-22", "2026-02-28"), sumRows(rows, "2026-02-15", "2026-02-21")
	month, past := sumRows(rows, "2026-02-01", "2026-02-28"), sumRows(rows, "2026-01-01", "2026-01-28")
	b.want(t, "Newest sale", "The newest sale in sales is of Saturday 28 February 2026, 100 days ago, so all figures below end on that day.")
	if want := fmt.Sprintf("The 7 days from 22 to 28 February 2026 brought %s from %d orders, %s.", pounds(week.revenue), week.orders, against(week.revenue, last.revenue, 1, "the 7 days before")); !strings.HasPrefix(b.text("7 days to 28 February"), want) {
		t.Errorf("got %s, want %s", b.text("7 days to 28 February"), want)
	}
	if want := fmt.Sprintf("February 2026 brought %s until the 28th, %s.", pounds(month.revenue), against(month.revenue, past.revenue, 1, "the same days of January")); !strings.HasSuffix(b.text("Money"), want) {
		t.Errorf("got %s, want %s", b.text("Money"), want)
	}
	if want := fmt.Sprintf("No sale for 100 days; the 7 days to 28 February brought %s.", pounds(week.revenue)); b.Headline != want {
		t.Errorf("headline: got %s, want %s", b.Headline, want)
	}
	if b.Period != "2026-02-28" || b.text("Stock") != "" {
		t.Errorf("period %s, stock %q", b.Period, b.text("Stock"))
	}
}

func TestBriefOfLittle(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	r := newReader(t, s, "anna@example.com", "UTC")
	if b := r.brief(t); len(b.Sections) != 0 || b.Headline != "There is no data yet: 0 sales and 0 products." {
		t.Errorf("without data: %+v", b)
	}
	r.sell(t, "2026-03-01 12:00", 1234)
	b := r.brief(t)
	b.want(t, "Yesterday", "Sunday 1 March brought £12.34 from 1 order.", "The best seller was Tea with £12.34.")
	b.want(t, "7 days to yesterday", "The 7 days from 23 February to 1 March 2026 brought £12.34 from 1 order.", "An order was worth £12.34 on average.", "Tea has the highest revenue in these 7 days: £12.34.")
	if b.Headline != "Sunday brought £12.34." {
		t.Errorf("headline %s", b.Headline)
	}

	closed := newReader(t, s, "ben@example.com", "UTC")
	closed.sellDaily(t, "2025-12-01", "2026-02-28", 1000, time.Sunday)
	b = closed.brief(t)
	b.want(t, "Yesterday", "Nothing was sold on Sunday 1 March, as on the 4 Sundays before.")
	if want := "The 7 days to yesterday brought £60, as much as the 7 before."; b.Headline != want {
		t.Errorf("headline of a shop that was closed: %s, want %s", b.Headline, want)
	}
	s.Clock.Advance(24 * time.Hour)
	closed.brief(t).want(t, "Yesterday", "No sale of Monday 2 March is stored: the newest in your sales is of Saturday 28 February, 3 days ago.")
}

// The month of a brief ends with yesterday, whatever today has brought by now.
func TestBriefOfTheMonth(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	r := newReader(t, s, "anna@example.com", "UTC")
	s.Clock.Set(time.Date(2026, time.March, 10, 9, 0, 0, 0, time.UTC))
	r.sell(t, "2026-03-10 08:30", 3350)
	r.brief(t).want(t, "Money", "March has brought £0 up to the 9th.")
	r.sell(t, "2026-03-08 12:00", 1234)
	s.Clock.Advance(time.Minute)
	r.brief(t).want(t, "Money", "March has brought £12.34 up to the 9th.")
}

// importText imports a file of a reader's account.
func (r *reader) importText(t *testing.T, text string) {
	t.Helper()
	_, _, err := r.App.Datasets.Import(t.Context(), r.owner.ID, dataset.File{
		Name: "rows.csv", Content: strings.NewReader(text), Size: int64(len(text)),
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestBriefOfOtherFiles(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	for email, row := range map[string]struct{ file, headline string }{
		"noamount@example.com": {"Date,Order,Item\n2026-02-27,1,Bread\n2026-02-28,2,Scone\n2026-02-28,3,Bread\n", "rows has 3 rows, but no revenue by day in one currency."},
		"price@example.com":    {"Product,Stock,Price\nTea,4,2.50\nMug,2,8.00\n", "The stock is worth £26 at selling prices."},
		"mixed@example.com":    {"Date,Product,Total\n2026-02-27,Tea,£2.00\n2026-02-27,Mug,$3.00\n", "rows has 2 rows, but no revenue by day in one currency."},
	} {
		r := newReader(t, s, email, "UTC")
		r.importText(t, row.file)
		if b := r.brief(t); b.Headline != row.headline {
			t.Errorf("%s: %s, want %s", email, b.Headline, row.headline)
		}
		if p := r.pulse(t); p.Health.Score != nil || p.Health.Band != "unknown" {
			t.Errorf("%s: health %+v", email, p.Health)
		}
		if email == "price@example.com" {
			r.brief(t).want(t, "Stock", "The stock is worth £26 at selling prices.")
			r.pulse(t).want(t, "low_stock_items", known("null")) // the file has no reorder points
		}
	}
}

// TestPulseOfEuros has a file of another currency beside the shop's stock.
func TestPulseOfEuros(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC")
	dbtest.Update(t, r.Store, func(tx *db.Tx) error {
		_, err := tx.PutItem(r.owner.ID, db.ItemChange{Name: "Tea", CostPrice: new(int64(200)), StockMilli: new(int64(3000))}, db.MovedByCount)
		return err
	})
	r.pulse(t).want(t, "stock_value", known("6"))
	r.importText(t, "Date,Product,Total\n2026-02-28,Tea,€2.50\n2026-03-01,Mug,€3.25\n")
	p := r.pulse(t)
	p.want(t, "revenue_yesterday", known("3.25"))
	p.want(t, "stock_value", known("null"))
	if p.Currency != "eur" {
		t.Errorf("currency %s", p.Currency)
	}
}

// sweep runs the loops of an appliance.
func sweep(t *testing.T, apps ...*server.App) {
	t.Helper()
	for _, a := range apps {
		if err := a.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBriefIsStoredAtSeven sweeps around 07:00 in several zones, also on days on which
// clocks change.
func TestBriefIsStoredAtSeven(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, zone, seven string // 07:00 there, in UTC
	}{
		{"UTC", "UTC", "2026-03-02T07:00:00Z"},
		{"Winter", "Europe/London", "2026-03-28T07:00:00Z"},
		{"SummerBegins", "Europe/London", "2026-03-29T06:00:00Z"},
		{"WinterBegins", "Europe/London", "2026-10-25T07:00:00Z"},
		{"NewYork", "America/New_York", "2026-03-08T11:00:00Z"},
		{"Kathmandu", "Asia/Kathmandu", "2026-03-02T01:15:00Z"},
		{"Kiritimati", "Pacific/Kiritimati", "2026-03-01T17:00:00Z"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s := servertest.New(t)
			r := newReader(t, s, "anna@example.com", row.zone)
			seven, err := time.Parse(time.RFC3339, row.seven)
			if err != nil {
				t.Fatal(err)
			}
			s.Clock.Set(seven.Add(-time.Second))
			zone, _ := time.LoadLocation(row.zone)
			today := seven.In(zone)
			r.sell(t, today.AddDate(0, 0, -1).Format(time.DateOnly)+" 12:00", 500)
			sweep(t, s.App)
			if n := len(r.events(t, event.BriefReady)); n > 1 {
				t.Fatalf("%d briefs before 07:00", n)
			}
			b := r.brief(t)
			if b.ID != nil {
				t.Errorf("before 07:00 there is the brief %s of today", *b.ID)
			}
			before := len(r.events(t, event.BriefReady))
			s.Clock.Set(seven)
			sweep(t, s.App)
			sweep(t, s.App)
			if n := len(r.events(t, event.BriefReady)) - before; n != 1 {
				t.Errorf("%d briefs at 07:00, want 1", n)
			}
			b = r.brief(t)
			if b.ID == nil || b.Period != today.AddDate(0, 0, -1).Format(time.DateOnly) {
				t.Errorf("at 07:00: id %v of %s", b.ID, b.Period)
			}
		})
	}
}

// TestBriefOncePerDay runs two processes over days, some of them with the server off at
// 07:00.
func TestBriefOncePerDay(t *testing.T) {
	t.Parallel()
	s := servertest.New(t) // Monday, 10:00: the server was off at 07:00
	other := servertest.Open(t, s.Path, s.Clock)
	r := newReader(t, s, "anna@example.com", "UTC")
	r.sellDaily(t, "2026-02-20", "2026-03-12", 500)
	newReader(t, s, "empty@example.com", "UTC")
	ids := map[string]bool{}
	for _, hours := range []int{0, 1, 20, 1, 3, 72, 21} { // 10:00, 11:00, Tuesday 07:00, 08:00, 11:00, Friday 11:00, Saturday 08:00
		s.Clock.Advance(time.Duration(hours) * time.Hour)
		sweep(t, s.App, other.App)
		ids[*r.brief(t).ID] = true
	}
	ready := r.events(t, event.BriefReady)
	if len(ready) != 4 || len(ids) != 4 || s.Count(t, `SELECT count(*) FROM briefs`) != 4 {
		t.Errorf("%d events and %d briefs, %d rows; want 4 of each, and none of the account without data", len(ready), len(ids), s.Count(t, `SELECT count(*) FROM briefs`))
	}
	for _, body := range ready {
		id, _, _ := strings.Cut(body[strings.Index(body, `"brief_`)+1:], `"`)
		if !ids[id] {
			t.Errorf("an event of another brief: %s", body)
		}
	}
	s.Clock.Advance(89 * 24 * time.Hour)
	sweep(t, s.App)
	if n := s.Count(t, `SELECT count(*) FROM briefs WHERE created_at < `+fmt.Sprint(s.Clock.Now().AddDate(0, 0, -90).UnixMilli())); n != 0 {
		t.Errorf("%d briefs are older than 90 days", n)
	}
	if n := s.Count(t, `SELECT count(*) FROM briefs`); n != 3 { // of Friday, of Saturday and of today
		t.Errorf("%d briefs are left, want 3", n)
	}
}

// TestBriefAtOnce has two processes sweep at the same time.
func TestBriefAtOnce(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	other := servertest.Open(t, s.Path, s.Clock)
	r := newReader(t, s, "anna@example.com", "UTC")
	r.sell(t, "2026-03-01 12:00", 500)
	done := make(chan error)
	for _, app := range []*server.App{s.App, other.App, s.App, other.App} {
		go func() { done <- app.Insights.SweepBriefs(t.Context()) }()
		go func() { done <- app.Insights.SweepPulses(t.Context()) }()
	}
	for range 8 {
		if err := servertest.Receive(t, done); err != nil {
			t.Error(err)
		}
	}
	if briefs, pulses := r.events(t, event.BriefReady), r.events(t, event.PulseUpdated); len(briefs) != 1 || len(pulses) != 1 {
		t.Errorf("%d briefs and %d pulses, want 1 of each", len(briefs), len(pulses))
	}
}

func TestPulseUpdated(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	r := newReader(t, s, "anna@example.com", "UTC")
	newReader(t, s, "empty@example.com", "UTC")
	wantEvents := func(when string, n int) {
		t.Helper()
		sweep(t, s.App)
		if got := len(r.events(t, event.PulseUpdated)); got != n {
			t.Errorf("%s: %d events, want %d", when, got, n)
		}
	}
	wantEvents("no data", 0)
	r.sell(t, "2026-03-02 09:00", 500)
	wantEvents("first sale", 1)
	wantEvents("nothing new", 1)
	r.sell(t, "2026-03-02 09:30", 250)
	s.Clock.Advance(15*time.Minute - time.Millisecond)
	wantEvents("15 minutes are not over", 1)
	s.Clock.Advance(time.Millisecond)
	wantEvents("15 minutes later", 2)
	s.Clock.Advance(time.Hour)
	wantEvents("the shop has not changed", 2)
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutCustomer(db.Customer{AccountID: r.owner.ID, ExternalID: "c1", Name: "New"})
		return err
	})
	before := r.events(t, event.PulseUpdated)
	wantEvents("a customer changes no figure", 2)
	if n := s.Count(t, `SELECT count(*) FROM pulses`); n != 1 {
		t.Errorf("%d accounts have a pulse, want the one with data", n)
	}

	var body struct{ Data event.Pulse }
	if err := json.Unmarshal([]byte(before[1]), &body); err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(body.Data.Changed, func(f event.Figure) bool { return f.Key == "revenue_today" })
	if i < 0 || *body.Data.Changed[i].Value != 750 || *body.Data.Changed[i].Previous != 500 || body.Data.Currency != "gbp" {
		t.Errorf("the second event: %s", before[1])
	}
	if slices.ContainsFunc(body.Data.Changed, func(f event.Figure) bool { return f.Key == "stock_value" }) {
		t.Errorf("stock has not changed: %s", before[1])
	}
}

// What a person reads follows sales that come later in the day; what was stored stays.
func TestMorningFollowsTheData(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	r := newReader(t, s, "anna@example.com", "UTC")
	s.Clock.Set(time.Date(2026, time.March, 2, 7, 0, 0, 0, time.UTC))
	r.sell(t, "2026-03-01 12:00", 500)
	read := func() insight.Morning {
		t.Helper()
		m, err := s.App.Insights.Morning(t.Context(), r.owner)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := read(); m.Changed || !m.Stored.IsZero() {
		t.Errorf("before it is stored: %+v", m)
	}
	sweep(t, s.App)
	stored := r.brief(t)
	s.Clock.Advance(time.Hour)
	if m := read(); m.Changed || m.Stored.Hour() != 7 || !m.GeneratedAt.Equal(m.Stored) {
		t.Errorf("an hour later: %+v", m)
	}
	r.sell(t, "2026-03-01 13:00", 700)
	m := read()
	if !m.Changed || m.ID != nil || m.GeneratedAt.Hour() != 8 || m.Stored.Hour() != 7 || !strings.Contains(m.Sections[0].Text, "£12 from 2 orders") {
		t.Errorf("after a late sale: %+v", m)
	}
	if again := r.brief(t); *again.ID != *stored.ID || again.text("Yesterday") != stored.text("Yesterday") {
		t.Errorf("the stored brief changed: %+v", again)
	}
}

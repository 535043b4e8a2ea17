package insight_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/account"
	"svc/server/dataset"
	"svc/server/money"
	"svc/server/servertest"
)

// card is a KPI as a client reads it.
type card struct {
	Key, Label, Unit string
	Value, Previous  *json.Number
	ChangePct        *json.Number `json:"change_pct"`
	ComparedTo       *string      `json:"compared_to"`
}

// pulse is the body of GET /pulse.
type pulse struct {
	AsOf     string `json:"as_of"`
	Currency string
	Period   *struct{ From, To string }
	Health   struct {
		Score   *int
		Band    string
		Drivers []struct {
			Points       int
			Figure, Rule string
		}
	}
	KPIs      []card
	Freshness struct {
		Source     *string
		NewestSale *string `json:"newest_sale"`
		NewestDay  *string `json:"newest_day"`
		AgeDays    *int    `json:"age_days"`
		StaleAfter *int    `json:"stale_after_days"`
		Stale      *bool
	}
}

func (p pulse) card(key string) card {
	for _, c := range p.KPIs {
		if c.Key == key {
			return c
		}
	}
	return card{}
}

// text writes a KPI in short: "12.5 after 10 (25 %): the 7 days before".
func (c card) text() string {
	show := func(n *json.Number) string {
		if n == nil {
			return "null"
		}
		return n.String()
	}
	compared := "null"
	if c.ComparedTo != nil {
		compared = *c.ComparedTo
	}
	return fmt.Sprintf("%s after %s (%s): %s", show(c.Value), show(c.Previous), show(c.ChangePct), compared)
}

// reader is an account with a key that reads its pulse and its briefs.
type reader struct {
	*servertest.Server
	owner db.Account
	key   string
}

// newReader makes an account on a server.
func newReader(t *testing.T, s *servertest.Server, email, zone string) *reader {
	t.Helper()
	s.Account(t, email, "business", 0)
	r := &reader{Server: s}
	if err := s.App.Accounts.SetProfile(t.Context(), email, account.ProfileChange{Timezone: &zone}); err != nil {
		t.Fatal(err)
	}
	r.reload(t, email)
	_, r.key = s.Key(t, email, db.Live, db.AccountMode)
	return r
}

func (r *reader) reload(t *testing.T, email string) {
	t.Helper()
	dbtest.View(t, r.Store, func(tx *db.Tx) (err error) {
		r.owner, err = tx.AccountByEmail(email)
		return err
	})
}

// get decodes the answer of a path.
func get[T any](t *testing.T, r *reader, path string) (body T) {
	t.Helper()
	a := r.Call(t, http.MethodGet, path, nil, servertest.WithKey(r.key))
	if a.Status != http.StatusOK {
		t.Fatalf("GET %s: %d %s", path, a.Status, a.Body)
	}
	if err := json.Unmarshal(a.Body, &body); err != nil {
		t.Fatal(err)
	}
	return body
}

func (r *reader) pulse(t *testing.T) pulse { t.Helper(); return get[pulse](t, r, "/pulse") }

// sell stores a sale of some cents at a local time, YYYY-MM-DD HH:MM.
func (r *reader) sell(t *testing.T, at string, cents int64) {
	t.Helper()
	zone, err := time.LoadLocation(r.owner.Profile.Timezone)
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.ParseInLocation("2006-01-02 15:04", at, zone)
	if err != nil {
		t.Fatal(err)
	}
	dbtest.Update(t, r.Store, func(tx *db.Tx) error {
		_, _, err := tx.PutSale(db.Sale{
			AccountID: r.owner.ID, ExternalID: at + fmt.Sprint(cents), Currency: r.owner.Profile.Currency, SoldAt: when,
			Lines: []db.SaleLine{{Name: "Tea", QuantityMilli: 1000, Price: cents}},
		})
		return err
	})
}

// sellDaily stores a sale a day at noon, except on closed weekdays.
func (r *reader) sellDaily(t *testing.T, from, to string, cents int64, closed ...time.Weekday) {
	t.Helper()
	day, err := time.Parse(time.DateOnly, from)
	for ; err == nil && day.Format(time.DateOnly) <= to; day = day.AddDate(0, 0, 1) {
		open := true
		for _, c := range closed {
			open = open && day.Weekday() != c
		}
		if open {
			r.sell(t, day.Format(time.DateOnly)+" 12:00", cents)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
}

// want checks a KPI by its short text.
func (p pulse) want(t *testing.T, key, text string) {
	t.Helper()
	if got := p.card(key).text(); got != text {
		t.Errorf("%s: got %s, want %s", key, got, text)
	}
}

// sums are figures of a demo shop's days, in minor units, by SQL.
type sums struct{ revenue, orders, sold, taken, cost, costed, refunds int64 }

// sumsOf sums the sales of a condition on sold_local.
func (r *reader) sumsOf(t *testing.T, condition string) (s sums) {
	t.Helper()
	row := r.Query(t, fmt.Sprintf(`
SELECT coalesce(sum(l.amount) FILTER (WHERE s.status = 'completed'), 0),
  count(DISTINCT s.id) FILTER (WHERE l.quantity_milli > 0 AND s.status <> 'cancelled'),
  count(DISTINCT s.id) FILTER (WHERE l.quantity_milli > 0 AND s.status = 'completed'),
  coalesce(sum(l.amount) FILTER (WHERE l.quantity_milli > 0 AND s.status = 'completed'), 0),
  coalesce(sum(l.cost) FILTER (WHERE s.status = 'completed'), 0),
  coalesce(sum(l.amount) FILTER (WHERE l.cost IS NOT NULL AND s.status = 'completed'), 0),
  coalesce(sum(abs(l.amount)) FILTER (WHERE l.quantity_milli < 0 OR s.status = 'refunded'), 0)
FROM sales s JOIN sale_lines l ON l.account_id = s.account_id AND l.sale_id = s.id
WHERE s.account_id = '%s' AND %s`, r.owner.ID, condition))
	if _, err := fmt.Sscan(row[0], &s.revenue, &s.orders, &s.sold, &s.taken, &s.cost, &s.costed, &s.refunds); err != nil {
		t.Fatal(err)
	}
	return s
}

func between(from, to string) string {
	return fmt.Sprintf("s.sold_local >= '%s' AND s.sold_local < date('%s', '+1 day')", from, to)
}

// onDays selects days until a time.
func onDays(clock string, days ...string) string {
	var out []string
	for _, d := range days {
		out = append(out, fmt.Sprintf("(s.sold_local >= '%s' AND s.sold_local <= '%s %s')", d, d, clock))
	}
	return "(" + strings.Join(out, " OR ") + ")"
}

// decimal writes a fraction as the API does, rounded half away from zero.
func decimal(r *big.Rat, places int) string {
	text := r.FloatString(places)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if text == "-0" {
		return "0"
	}
	return text
}

// compared writes the short text of a KPI from two fractions.
func compared(now, before *big.Rat, places int, words string) string {
	change := "null"
	if before.Sign() > 0 {
		r := new(big.Rat).Sub(now, before)
		change = decimal(r.Mul(r.Quo(r, before), big.NewRat(100, 1)), 1)
	}
	return fmt.Sprintf("%s after %s (%s): %s", decimal(now, places), decimal(before, places), change, words)
}

func units(minor int64) *big.Rat { return big.NewRat(minor, 100) }

func known(value string) string { return value + " after null (null): null" }

// newDemo returns the demo's shop on Monday, 2 March 2026, 13:30 in London, with sales of
// today.
func newDemo(t *testing.T) *reader {
	t.Helper()
	s := servertest.New(t)
	s.Clock.Set(time.Date(2026, time.March, 2, 13, 30, 0, 0, time.UTC))
	demo, err := s.App.FillDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := &reader{Server: s, key: string(demo.LiveKey)}
	r.reload(t, demo.Email)
	for day, status := range map[int]db.SaleStatus{26: "refunded", 27: "cancelled", 20: "refunded"} { // of February
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			_, _, err := tx.PutSale(db.Sale{
				AccountID: r.owner.ID, ExternalID: fmt.Sprint(status, day), Currency: "gbp", Status: status, Customer: "C-01",
				SoldAt: time.Date(2026, time.February, day, 12, 0, 0, 0, time.UTC),
				Lines:  []db.SaleLine{{Name: "Ground Coffee 250g", SKU: "COF-250", QuantityMilli: 2000, Price: 450, CostPrice: new(int64(270))}},
			})
			return err
		})
	}
	r.sell(t, "2026-03-02 09:05", 1250)
	r.sell(t, "2026-03-02 13:30", 825)
	return r
}

func TestPulseOfDemoShop(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	r := newDemo(t)
	p := r.pulse(t)

	mondays := []string{"2026-02-23", "2026-02-16", "2026-02-09", "2026-02-02"}
	sundays := []string{"2026-02-22", "2026-02-15", "2026-02-08", "2026-02-01"}
	today, usual := r.sumsOf(t, onDays("13:30:00", "2026-03-02")), r.sumsOf(t, onDays("13:30:00", mondays...))
	yesterday, before := r.sumsOf(t, onDays("24", "2026-03-01")), r.sumsOf(t, onDays("24", sundays...))
	const todays, sunday = "the average of the 4 Mondays before until 13:30", "the average of the 4 Sundays before"
	p.want(t, "revenue_today", compared(units(today.revenue), big.NewRat(usual.revenue, 400), 2, todays))
	p.want(t, "orders_today", compared(big.NewRat(today.orders, 1), big.NewRat(usual.orders, 4), 3, todays))
	p.want(t, "revenue_yesterday", compared(units(yesterday.revenue), big.NewRat(before.revenue, 400), 2, sunday))
	p.want(t, "orders_yesterday", compared(big.NewRat(yesterday.orders, 1), big.NewRat(before.orders, 4), 3, sunday))

	week, last := r.sumsOf(t, between("2026-02-23", "2026-03-01")), r.sumsOf(t, between("2026-02-16", "2026-02-22"))
	const weeks = "the 7 days before"
	p.want(t, "revenue_7_days", compared(units(week.revenue), units(last.revenue), 2, weeks))
	p.want(t, "orders_7_days", compared(big.NewRat(week.orders, 1), big.NewRat(last.orders, 1), 3, weeks))
	p.want(t, "average_order_value", compared(big.NewRat(week.taken, 100*week.sold), big.NewRat(last.taken, 100*last.sold), 2, weeks))
	p.want(t, "gross_margin", compared(big.NewRat(100*(week.costed-week.cost), week.costed), big.NewRat(100*(last.costed-last.cost), last.costed), 1, weeks))
	p.want(t, "refunds_7_days", compared(units(week.refunds), units(last.refunds), 2, weeks))
	month, past := r.sumsOf(t, between("2026-03-01", "2026-03-01")), r.sumsOf(t, between("2026-02-01", "2026-02-01"))
	p.want(t, "revenue_month", compared(units(month.revenue), units(past.revenue), 2, "the same days of February"))

	count := func(query string) *big.Rat {
		return big.NewRat(int64(r.Count(t, query+" AND account_id = '"+r.owner.ID+"'")), 1)
	}
	p.want(t, "stock_value", known(decimal(new(big.Rat).Quo(count(`SELECT sum(stock_milli * cost_price) FROM items WHERE 1`), big.NewRat(100_000, 1)), 2)))
	p.want(t, "low_stock_items", known(decimal(count(`SELECT count(*) FROM items WHERE stock_milli <= coalesce(reorder_milli, 5000)`), 0)))
	p.want(t, "out_of_stock_items", known(decimal(count(`SELECT count(*) FROM items WHERE stock_milli <= 0`), 0)))
	p.want(t, "open_purchase_orders", known(decimal(count(`SELECT count(*) FROM purchase_orders WHERE received_at IS NULL`), 0)))
	p.want(t, "on_order_value", known(decimal(new(big.Rat).Quo(count(
		`SELECT sum(amount) FROM purchase_order_lines WHERE purchase_order_id IN (SELECT id FROM purchase_orders WHERE received_at IS NULL)`), big.NewRat(100, 1)), 2)))
	p.want(t, "charges_pending", known("null"))

	if p.AsOf != "2026-03-02T13:30:00.000Z" || p.Currency != "gbp" || p.Period == nil || p.Period.From != "2026-02-23" || p.Period.To != "2026-03-01" {
		t.Errorf("as of %s in %s over %v", p.AsOf, p.Currency, p.Period)
	}
	if f := p.Freshness; f.NewestSale == nil || *f.NewestSale != "2026-03-02T13:30:00.000Z" || *f.NewestDay != "2026-03-02" || *f.AgeDays != 0 || *f.Stale {
		t.Errorf("freshness: %+v", f)
	}
	points := 100
	for _, d := range p.Health.Drivers {
		points -= d.Points
		if d.Points <= 0 || d.Figure == "" || d.Rule == "" {
			t.Errorf("driver %+v", d)
		}
	}
	if p.Health.Score == nil || *p.Health.Score != points {
		t.Errorf("score %v, want 100 less the drivers' points, %d", p.Health.Score, points)
	}
}

func TestPulseOfCharges(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	r := newReader(t, s, "anna@example.com", "UTC")
	_, test := s.Key(t, r.owner.Email, db.Test, db.AccountMode)
	charge := func(key string, cents int, currency string) {
		t.Helper()
		a := s.Call(t, http.MethodPost, "/api/v1/charges", map[string]any{
			"merchant_email": "m@example.com", "amount_cents": cents, "currency": currency, "description": "x",
		}, servertest.WithKey(key))
		if a.Status != http.StatusOK {
			t.Fatalf("%d %s", a.Status, a.Body)
		}
	}
	charge(test, 700, "gbp") // a simulation
	r.pulse(t).want(t, "charges_pending", known("null"))
	for _, cents := range []int{100, 250, 1005, 2000} {
		charge(r.key, cents, "gbp")
	}
	charge(r.key, 9999, "usd") // another currency
	s.Exec(t, fmt.Sprintf(`UPDATE charges SET status = 'approved', approved_at = %d WHERE amount = 250`, s.Clock.Now().UnixMilli()))
	s.Exec(t, fmt.Sprintf(`UPDATE charges SET status = 'approved', approved_at = %d WHERE amount = 2000`, s.Clock.Now().AddDate(0, 0, -8).UnixMilli()))
	p := r.pulse(t)
	p.want(t, "charges_paid_7_days", known("2.5"))
	p.want(t, "charges_pending", known("11.05"))
	s.Clock.Advance(8 * 24 * time.Hour) // links have expired
	p = r.pulse(t)
	p.want(t, "charges_paid_7_days", known("0"))
	p.want(t, "charges_pending", known("0"))
}

func TestPulseWithoutData(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC")
	p := r.pulse(t)
	if p.Health.Score != nil || p.Health.Band != "unknown" || p.Period != nil || p.Freshness.Source != nil || p.Freshness.Stale != nil {
		t.Errorf("a pulse without data: %+v", p)
	}
	if len(p.KPIs) < 15 {
		t.Errorf("%d KPIs, want all of them", len(p.KPIs))
	}
	for _, c := range p.KPIs {
		p.want(t, c.Key, known("null"))
	}
}

func TestPulseOfOneSale(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC")
	r.sell(t, "2026-03-01 12:00", 1234)
	p := r.pulse(t)
	p.want(t, "revenue_today", known("null")) // nothing of today has arrived
	p.want(t, "revenue_yesterday", known("12.34"))
	p.want(t, "revenue_7_days", known("12.34")) // the 7 days before are not covered
	p.want(t, "average_order_value", known("12.34"))
	p.want(t, "gross_margin", known("null")) // its cost is unknown
	p.want(t, "stock_value", known("null"))
	if p.Health.Score == nil || *p.Health.Score != 100 || p.Health.Band != "good" {
		t.Errorf("health: %+v", p.Health)
	}
}

func TestPulseOfShopClosedOnSundays(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "UTC")
	r.sellDaily(t, "2025-12-01", "2026-02-28", 1000, time.Sunday)
	p := r.pulse(t) // on Monday, 2 March, 10:00
	p.want(t, "revenue_yesterday", "0 after 0 (null): the average of the 4 Sundays before")
	p.want(t, "revenue_7_days", "60 after 60 (0): the 7 days before")
	if f := p.Freshness; *f.Stale || *f.AgeDays != 2 || *f.StaleAfter != 3 {
		t.Errorf("freshness on Monday: %+v", f)
	}

	r.Clock.Advance(24 * time.Hour)
	p = r.pulse(t) // nothing of Monday has arrived
	p.want(t, "revenue_yesterday", known("null"))
	if *p.Freshness.Stale {
		t.Errorf("freshness on Tuesday: %+v", p.Freshness)
	}
	r.Clock.Advance(24 * time.Hour)
	p = r.pulse(t)
	if !*p.Freshness.Stale || p.Period.To != "2026-02-28" {
		t.Errorf("freshness on Wednesday: %+v, over %v", p.Freshness, p.Period)
	}
	if label := p.card("revenue_7_days").Label; label != "Revenue, 7 days to 28 February" {
		t.Errorf("label %q", label)
	}
}

// TestPulseInZone sells at midnight by two clocks.
func TestPulseInZone(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "Pacific/Auckland") // 23:00 on 2 March
	r.sell(t, "2026-03-02 00:00", 100)
	r.sell(t, "2026-03-01 23:59", 200)
	p := r.pulse(t)
	p.want(t, "revenue_today", known("1"))
}

func TestPulseIsOfItsAccountOnly(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	anna, ben := newReader(t, s, "anna@example.com", "UTC"), newReader(t, s, "ben@example.com", "UTC")
	anna.sell(t, "2026-03-01 12:00", 1234)
	for _, c := range ben.pulse(t).KPIs {
		if c.Value != nil {
			t.Errorf("ben sees %s of %s", c.Key, *c.Value)
		}
	}
	_, generic := s.Key(t, anna.owner.Email, db.Live, db.GenericMode)
	_, test := s.Key(t, anna.owner.Email, db.Test, db.AccountMode)
	for _, path := range []string{"/pulse", "/brief", "/api/v1/pulse", "/api/v1/brief"} {
		if a := s.Call(t, http.MethodGet, path, nil, servertest.WithKey(generic)); a.Status != http.StatusForbidden {
			t.Errorf("%s with a generic key: %d %s", path, a.Status, a.Body)
		}
		if a := s.Call(t, http.MethodGet, path, nil, servertest.WithKey(test)); a.Status != http.StatusOK || !strings.Contains(string(a.Body), "12.34") {
			t.Errorf("%s with a test key: %d %s", path, a.Status, a.Body)
		}
		if a := s.Call(t, http.MethodGet, path, nil, servertest.WithKey(ben.key)); strings.Contains(string(a.Body), "12.34") {
			t.Errorf("%s shows ben the sales of anna: %s", path, a.Body)
		}
	}
}

// TestPulseWindow calls 61 times within a minute, by two processes on one file.
func TestPulseWindow(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	s := servertest.New(t)
	other := servertest.Open(t, s.Path, s.Clock)
	r := newReader(t, s, "anna@example.com", "UTC")
	passed := 0
	for i := range 62 {
		server, path := []*servertest.Server{s, other}[i%2], []string{"/pulse", "/api/v1/pulse"}[i/2%2]
		if a := server.Call(t, http.MethodGet, path, nil, servertest.WithKey(r.key)); a.Status == http.StatusOK {
			passed++
		} else if a.Status != http.StatusTooManyRequests || i < 60 {
			t.Fatalf("call %d: %d %s", i, a.Status, a.Body)
		}
	}
	if passed != 60 {
		t.Errorf("%d calls passed, want 60", passed)
	}
	r.brief(t) // has windows of its own
	s.Clock.Advance(time.Minute)
	r.pulse(t)
}

// importSales imports a file of sales, two on each day but Sundays, of which each 20th was
// refunded, and returns its rows.
func importSales(t *testing.T, r *reader, from, to string) (rows []fileRow) {
	t.Helper()
	var file strings.Builder
	file.WriteString("Date,Order,Product,Customer,Quantity,Total,Cost,Status\n")
	day, err := time.Parse(time.DateOnly, from)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; day.Format(time.DateOnly) <= to; day = day.AddDate(0, 0, 1) {
		for i := range 2 {
			if day.Weekday() == time.Sunday {
				continue
			}
			n++
			row := fileRow{day.Format(time.DateOnly), []string{"Mug", "Plate", "Bowl"}[n%3], fmt.Sprint("C", n%5), int64(500 + n*7%300 + 100*i), 210, n%20 == 0}
			status := map[bool]string{true: "refunded", false: "paid"}[row.refunded]
			rows = append(rows, row)
			fmt.Fprintf(&file, "%s,%d,%s,%s,1,%s,%s,%s\n", row.day, n, row.product, row.customer, units(row.cents).FloatString(2), units(row.cost).FloatString(2), status)
		}
	}
	_, _, err = r.App.Datasets.Import(t.Context(), r.owner.ID, dataset.File{
		Name: "sales.csv", Content: strings.NewReader(file.String()), Size: int64(file.Len()),
	})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

type fileRow struct {
	day, product, customer string
	cents, cost            int64
	refunded               bool
}

// sumRows sums the rows of a run of days.
func sumRows(rows []fileRow, from, to string) (s sums) {
	for _, r := range rows {
		if r.day < from || r.day > to {
			continue
		}
		s.orders++ // one that was refunded was made
		if r.refunded {
			s.refunds += r.cents
			continue
		}
		s.revenue += r.cents
		s.taken += r.cents
		s.cost += r.cost
		s.sold++
	}
	return s
}

func TestPulseOfImportedFile(t *testing.T) {
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "Europe/London")
	rows := importSales(t, r, "2025-11-01", "2026-02-28") // Saturday; today is Monday
	p := r.pulse(t)
	week, last := sumRows(rows, "2026-02-23", "2026-03-01"), sumRows(rows, "2026-02-16", "2026-02-22")
	const weeks = "the 7 days before"
	p.want(t, "revenue_today", known("null"))
	p.want(t, "revenue_yesterday", "0 after 0 (null): the average of the 4 Sundays before")
	p.want(t, "revenue_7_days", compared(units(week.revenue), units(last.revenue), 2, weeks))
	p.want(t, "orders_7_days", compared(big.NewRat(week.orders, 1), big.NewRat(last.orders, 1), 3, weeks))
	p.want(t, "refunds_7_days", compared(units(week.refunds), units(last.refunds), 2, weeks))
	p.want(t, "average_order_value", compared(big.NewRat(week.taken, 100*week.sold), big.NewRat(last.taken, 100*last.sold), 2, weeks))
	p.want(t, "gross_margin", compared(big.NewRat(100*(week.revenue-week.cost), week.revenue), big.NewRat(100*(last.revenue-last.cost), last.revenue), 1, weeks))
	p.want(t, "stock_value", known("null"))
	if p.Health.Score != nil || p.Health.Band != "unknown" {
		t.Errorf("health of a file: %+v", p.Health)
	}
	if f := p.Freshness; *f.Source != "sales" || f.NewestSale != nil || *f.NewestDay != "2026-02-28" || *f.AgeDays != 2 || *f.Stale {
		t.Errorf("freshness: %+v", f)
	}

	r.Clock.Advance(100 * 24 * time.Hour)
	p = r.pulse(t)
	week, last = sumRows(rows, "2026-02-22", "2026-02-28"), sumRows(rows, "2026-02-15", "2026-02-21")
	p.want(t, "revenue_7_days", compared(units(week.revenue), units(last.revenue), 2, weeks))
	p.want(t, "revenue_yesterday", known("null"))
	if !*p.Freshness.Stale {
		t.Errorf("freshness after 100 days: %+v", p.Freshness)
	}
}

// A till that has pushed its first sale does not take the place of a file with months of them,
// until it tells four weeks itself.
func TestPulseOfAFileAndFirstSales(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	r := newReader(t, servertest.New(t), "anna@example.com", "Europe/London")
	rows := importSales(t, r, "2025-11-01", "2026-02-28")
	r.sell(t, "2026-03-02 09:00", 1234)
	p := r.pulse(t)
	week, last := sumRows(rows, "2026-02-23", "2026-03-01"), sumRows(rows, "2026-02-16", "2026-02-22")
	p.want(t, "revenue_7_days", compared(units(week.revenue), units(last.revenue), 2, "the 7 days before"))
	if *p.Freshness.Source != "sales" {
		t.Errorf("after a sale: %+v", p.Freshness)
	}
	r.Clock.Advance(28 * 24 * time.Hour)
	r.sell(t, "2026-03-29 09:00", 1000)
	r.sell(t, "2026-03-30 09:00", 1000)
	if p = r.pulse(t); *p.Freshness.Source == "sales" {
		t.Errorf("after four weeks: %+v", p.Freshness)
	}
	p.want(t, "revenue_yesterday", "10 after 0 (null): the average of the 3 Sundays before")
}

// Each product that the pulse counts as low stands in an alert, whatever it sold.
func TestAlertsNameWhatThePulseCountsAsLow(t *testing.T) {
	t.Parallel()
	m := newMarket(t)
	for name, stock := range map[string]int64{"rum": 5, "gin": 0, "ale": 6, "tea": 2, "jam": 0} {
		m.item(t, name, stock)
	}
	m.past(t, 20, lot{name: "tea", pieces: 1}, lot{name: "jam", pieces: 1})
	m.setStock(t, "tea", 2000)
	m.setStock(t, "jam", 0)
	named := map[string]bool{}
	for _, a := range m.alerts(t) {
		if a.Kind != "stock_out" && a.Kind != "days_of_cover" && a.Kind != "low_stock" {
			continue
		}
		for _, row := range a.Evidence.Rows {
			name := row["product"].(string)
			if named[name] {
				t.Errorf("%s stands in two alerts", name)
			}
			named[name] = true
		}
	}
	r := &reader{Server: m.Server, key: m.key}
	r.pulse(t).want(t, "low_stock_items", known("4"))
	if want := map[string]bool{"rum": true, "gin": true, "tea": true, "jam": true}; !maps.Equal(named, want) {
		t.Errorf("alerts name %v, want %v", named, want)
	}
}

// TestPulseAgreesWithAsk asks in words for the figure of a KPI.
func TestPulseAgreesWithAsk(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	r := newDemo(t)
	p := r.pulse(t)
	for question, key := range map[string]string{
		"What was revenue yesterday?": "revenue_yesterday",
		"What is our stock value?":    "stock_value",
	} {
		a := r.Call(t, http.MethodPost, "/ask", map[string]string{"question": question}, servertest.WithKey(r.key))
		want := money.Plain(cents(t, *p.card(key).Value), "gbp")
		if !strings.Contains(string(a.Body), strings.TrimSuffix(want, ".00")) {
			t.Errorf("%s: the pulse has %s, ask answers %s", question, want, a.Field(t, "answer"))
		}
	}
}

func cents(t *testing.T, n json.Number) int64 {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("%s is no number", n)
	}
	r.Mul(r, big.NewRat(100, 1))
	return r.Num().Int64()
}

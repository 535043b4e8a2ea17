package insight

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"svc/db"
)

// week is a week of sales_drop; the first is the one that fell.
type week struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Revenue any    `json:"revenue"`
	Sales   int64  `json:"sales"`
}

const (
	dropWeeks = 8
	weekDays  = 7
	yearDays  = 364 // of the same weekday
	mostDrop  = 80  // per cent: a shop of single large orders has no spread that tells
	spreads   = 2
)

// weeksBefore returns the revenue of the usual weeks before a day, the newest first, and
// the number of their sales.
func (s *facts) weeksBefore(day time.Time) (revenue []float64, sales int64) {
	for n := range dropWeeks {
		sum := s.sum(day.AddDate(0, 0, -weekDays*(n+1)), day.AddDate(0, 0, -weekDays*n))
		revenue, sales = append(revenue, float64(sum.Revenue())), sales+sum.Sales
	}
	return revenue, sales
}

func findSalesDrop(r rule, s *facts, m memory) (f finding, err error) {
	from := s.complete.AddDate(0, 0, -weekDays)
	before, sales := s.weeksBefore(from)
	usual := mean(before)
	known := sales >= r.least && !s.first.After(from.AddDate(0, 0, -weekDays*dropWeeks))
	if s.first.IsZero() || usual <= 0 || !known && !m[whole] {
		return f, nil
	}
	now := s.sum(from, s.complete)
	bound := min(max(r.fires, 100*spreads*spread(before)/usual), mostDrop)
	fall := func(expected float64) float64 { return 100 * (expected - float64(now.Revenue())) / expected }
	if !m.holds(whole, fall(usual) > bound, fall(usual) < r.clears*bound) {
		return f, nil
	}
	season, err := s.season(r, from)
	if err != nil {
		return f, err
	}
	expected := usual * season
	if !m.holds(whole, fall(expected) > bound, fall(expected) < r.clears*bound) {
		return f, nil
	}
	f = finding{subjects: []string{whole}, figure: "-" + percent(fall(expected)), title: "Sales are down " + percent(fall(expected))}
	f.detail = fmt.Sprintf("%s in the 7 days to %s, against %s in a usual week of the 8 before. A fall of up to %s would be chance.",
		s.money(now.Revenue()), upTo(s.complete), s.money(int64(expected)), percent(bound))
	if season < 1 {
		f.detail += fmt.Sprintf(" The usual week is lowered by %s, as this week was a year ago.", percent(100*(1-season)))
	}
	for n := range dropWeeks + 1 {
		start := from.AddDate(0, 0, -weekDays*n)
		sum := s.sum(start, start.AddDate(0, 0, weekDays))
		f.rows = append(f.rows, week{name(start), name(start.AddDate(0, 0, weekDays-1)), s.amount(sum.Revenue()), sum.Sales})
	}
	f.total = len(f.rows)
	return f, nil
}

// season returns what share of the 8 weeks before it the same week brought a year ago, at
// most 1, and 1 if that year has too few sales to tell.
func (s *facts) season(r rule, from time.Time) (float64, error) {
	from = from.AddDate(0, 0, -yearDays)
	to := from.AddDate(0, 0, weekDays)
	start := from.AddDate(0, 0, -weekDays*dropWeeks)
	if s.first.After(start) {
		return 1, nil
	}
	days, err := s.tx.TradeDays(s.span(start, to))
	if err != nil {
		return 1, err
	}
	past := &facts{days: map[string]db.TradeDay{}}
	for _, d := range days {
		past.days[d.Day] = d
	}
	before, sales := past.weeksBefore(from)
	now := float64(past.sum(from, to).Revenue())
	if sales < r.least || mean(before) <= 0 || now <= 0 {
		return 1, nil
	}
	return min(1, now/mean(before)), nil
}

// thinner is a product whose margin fell, or that sells at a lower one than the shop did.
type thinner struct {
	Product   string `json:"product"`
	SKU       string `json:"sku"`
	Revenue   any    `json:"revenue"`
	Cost      any    `json:"cost"`
	Margin    any    `json:"margin_pct"`
	Before    any    `json:"before_margin_pct"` // null if it did not sell before
	LostMoney any    `json:"lost_profit"`       // what it would have made at its margin before

	lost, now, before float64
}

func findMarginDrop(r rule, s *facts, m memory) (f finding, err error) {
	var now, before db.TradeSums
	for _, p := range s.products {
		now, before = addSums(now, p.TradeSums), addSums(before, p.Before)
	}
	from := s.until.AddDate(0, 0, -recentDays)
	start := from.AddDate(0, 0, -beforeDays)
	known := 2*now.Costed >= now.Amount && 2*before.Costed >= before.Amount && !s.first.After(start.AddDate(0, 0, recentDays)) &&
		s.sum(from, s.until).Sales >= r.least && s.sum(start, from).Sales >= r.least
	if now.Costed <= 0 || before.Costed <= 0 || !known && !m[whole] {
		return f, nil
	}
	margin, usual := marginOf(now), marginOf(before)
	bound, fall := max(r.fires, s.marginSpread(start, from)), usual-margin
	if !m.holds(whole, fall > bound, fall < r.clears*bound) {
		return f, nil
	}
	rows := s.thinner(usual)
	f = found(rows, func(t thinner) (string, string) { return "", t.Product })
	f.subjects, f.figure = []string{whole}, "-"+rounded(fall).String()+" points"
	f.title = fmt.Sprintf("Gross margin is down %s points to %s", rounded(fall), percent(margin))
	f.detail = fmt.Sprintf("%s over the 28 days to %s, against %s over the 84 days before.", percent(margin), upTo(s.until), percent(usual))
	if len(rows) > 0 {
		f.detail += fmt.Sprintf(" The most is lost on %s: %s.", rows[0].Product, s.money(int64(rows[0].lost)))
	}
	return f, nil
}

func addSums(a, b db.TradeSums) db.TradeSums {
	return db.TradeSums{
		Sales: a.Sales + b.Sales, Days: a.Days + b.Days, Milli: a.Milli + b.Milli,
		Amount: a.Amount + b.Amount, Costed: a.Costed + b.Costed, Cost: a.Cost + b.Cost,
	}
}

// marginOf returns the gross margin of the lines whose cost is known, in per cent.
func marginOf(t db.TradeSums) float64 { return share(t.Costed-t.Cost, t.Costed) }

// marginSpread returns the spread of the weekly margins of a span, in points.
func (s *facts) marginSpread(from, to time.Time) float64 {
	var weeks []float64
	for day := from; day.Before(to); day = day.AddDate(0, 0, weekDays) {
		if sum := s.sum(day, day.AddDate(0, 0, weekDays)); sum.Costed > 0 {
			weeks = append(weeks, share(sum.Costed-sum.Cost, sum.Costed))
		}
	}
	if len(weeks) < 2 {
		return 0
	}
	return spread(weeks)
}

// thinner lists the products on which profit is lost, compared with their own margin before
// or, if they are new, with the shop's.
func (s *facts) thinner(usual float64) (rows []thinner) {
	for _, p := range s.products {
		if p.Costed <= 0 {
			continue
		}
		t := thinner{
			Product: p.Name, SKU: p.SKU, Revenue: s.amount(p.Costed), Cost: s.amount(p.Cost), Margin: rounded(marginOf(p.TradeSums)),
			now: marginOf(p.TradeSums), before: usual,
		}
		if p.Before.Costed > 0 {
			t.before = marginOf(p.Before)
			t.Before = rounded(t.before)
		}
		t.lost = (t.before - t.now) / 100 * float64(p.Costed)
		t.LostMoney = s.amount(int64(t.lost))
		if t.lost >= 1 {
			rows = append(rows, t)
		}
	}
	slices.SortStableFunc(rows, func(a, b thinner) int { return cmp.Compare(b.lost, a.lost) })
	return rows
}

// belowCost is a product that sells at a loss.
type belowCost struct {
	Product  string `json:"product"`
	SKU      string `json:"sku"`
	Sales    int64  `json:"sales"`
	Quantity any    `json:"quantity"`
	Revenue  any    `json:"revenue"`
	Cost     any    `json:"cost"`
	Loss     any    `json:"loss"` // below zero: a profit that is too small to resolve the alert

	subject string
	itemID  string // empty: it is not in the inventory
	loss    int64
	milli   int64
	sums    db.TradeSums
}

func findBelowCost(r rule, s *facts, m memory) (f finding, err error) {
	var rows []belowCost
	var loss int64
	for _, p := range s.products {
		subject := cmp.Or(p.ItemID, p.Name)
		least := p.Sales >= r.least || m[subject]
		if !least || p.Costed <= 0 || !m.holds(subject, marginOf(p.TradeSums) < r.fires, marginOf(p.TradeSums) >= r.clears) {
			continue
		}
		loss += p.Cost - p.Costed
		rows = append(rows, belowCost{
			Product: p.Name, SKU: p.SKU, Sales: p.Sales, Quantity: quantity(p.Milli), Revenue: s.amount(p.Costed), Cost: s.amount(p.Cost),
			Loss: s.amount(p.Cost - p.Costed), subject: subject, itemID: p.ItemID, loss: p.Cost - p.Costed, milli: p.Milli, sums: p.TradeSums,
		})
	}
	if len(rows) == 0 {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b belowCost) int { return cmp.Compare(b.loss, a.loss) })
	f = productsFound(rows, func(b belowCost) (string, string) { return b.subject, b.Product })
	f.title, f.figure = isAre(f, "sold below cost"), s.money(-loss)
	first := rows[0]
	f.detail = fmt.Sprintf("%s brought %s in %s in the 28 days to %s and cost %s, a margin of %s.", first.Product, s.money(first.sums.Costed),
		counted(int(first.Sales), "sale"), upTo(s.until), s.money(first.sums.Cost), percent(marginOf(first.sums)))
	if each := first.each(); each != nil {
		elsewhere, err := s.otherCost(first.itemID, each[1])
		if err != nil {
			return f, err
		}
		f.detail += fmt.Sprintf(" On average it sells at %s and costs %s%s.", s.money(each[0]), s.money(each[1]), elsewhere)
	}
	if len(rows) > 1 {
		f.detail = fmt.Sprintf("%s: %s lost in all. %s", listed(f.names()), s.money(loss), f.detail)
	}
	return f, nil
}

// otherCost returns the end of a sentence on what a product costs by its sales: which cost the
// inventory has, if that is another one.
func (s *facts) otherCost(itemID string, cost int64) (string, error) {
	if itemID == "" {
		return "", nil
	}
	item, err := s.tx.Item(s.owner.ID, itemID)
	if err != nil || item.CostPrice == nil || *item.CostPrice == cost {
		return "", err
	}
	return " by its sales; the inventory has a cost of " + s.money(*item.CostPrice), nil
}

// each returns what a unit of the product brought and cost, nil if its cost is not always
// known.
func (b belowCost) each() []int64 {
	if b.milli <= 0 || b.sums.Amount != b.sums.Costed {
		return nil
	}
	of := func(amount int64) int64 { return int64(math.Round(float64(amount) * 1000 / float64(b.milli))) }
	return []int64{of(b.sums.Costed), of(b.sums.Cost)}
}

// refund is a sale of refund_spike.
type refund struct {
	Sale     string `json:"sale"`
	Day      string `json:"day"`
	Customer string `json:"customer_id"`
	Refunded any    `json:"refunded"`
}

const (
	refundDays      = 14
	leastRefunded   = 5.0 // per cent of sales
	salesForRefunds = 30
)

func findRefundSpike(r rule, s *facts, m memory) (f finding, err error) {
	from := s.complete.AddDate(0, 0, -refundDays)
	now, before := s.sum(from, s.complete), s.sum(from.AddDate(0, 0, -beforeDays), from)
	known := before.Sales >= salesForRefunds && now.Refunds >= r.least
	if now.Gross <= 0 || !known && !m[whole] {
		return f, nil
	}
	part, usual := share(now.Refunded, now.Gross), share(before.Refunded, before.Gross)
	// The bound below is less by the same factor as the one of the usual share.
	fires, clears := max(leastRefunded, r.fires*usual), max(leastRefunded*r.clears/r.fires, r.clears*usual)
	if !m.holds(whole, part > fires, part < clears) {
		return f, nil
	}
	span := s.span(from, s.complete)
	refunds, err := s.tx.TradeRefunds(span, maxRows)
	if err != nil {
		return f, err
	}
	for _, one := range refunds {
		f.rows = append(f.rows, refund{one.Sale, one.Day, one.Customer, s.amount(one.Amount)})
	}
	f.subjects, f.figure, f.total = []string{whole}, percent(part), int(now.Refunds)
	f.title = fmt.Sprintf("Refunds are %s of sales", percent(part))
	f.detail = fmt.Sprintf("%s in %s in the 14 days to %s, of sales of %s. In the 84 days before it was %s.", s.money(now.Refunded),
		counted(int(now.Refunds), "refund"), upTo(s.complete), s.money(now.Gross), percent(usual))
	return f, nil
}

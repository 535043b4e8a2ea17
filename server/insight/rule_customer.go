package insight

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"svc/db"
)

// silentCustomer is a customer who stays away longer than usual (K8).
type silentCustomer struct {
	CustomerID   string `json:"customer_id"`
	Name         string `json:"name"`
	LastPurchase string `json:"last_purchase"`
	SilentDays   any    `json:"silent_days"`
	LimitDays    any    `json:"limit_days"`
	Purchases    int    `json:"purchases"`
	Revenue      any    `json:"revenue"` // of the year up to now

	revenue int64
	rhythm
}

// rhythm is how often a customer buys.
type rhythm struct {
	customer  string
	last      time.Time
	purchases int     // days with a purchase
	limit     float64 // days: the 95th percentile of the gaps between them
	silent    float64 // days since the last one
}

const (
	rhythmDays = 730 // how far back purchases count
	lostAfter  = 90  // days after the alert
)

// rhythms returns those of the customers with enough purchases to tell (K8), by customer.
// Several purchases on a day are one.
func (s *facts) rhythms(least int) (all []rhythm, err error) {
	days, err := s.tx.CustomerDays(s.owner.ID, name(s.until.AddDate(0, 0, -rhythmDays)))
	if err != nil {
		return nil, err
	}
	for len(days) > 0 {
		n := 1
		for n < len(days) && days[n].Customer == days[0].Customer {
			n++
		}
		if own := days[:n]; n >= least {
			all = append(all, rhythmOf(own, s.until))
		}
		days = days[n:]
	}
	return all, nil
}

// rhythmOf returns the rhythm of a customer's days. until is the first day not to come.
func rhythmOf(days []db.CustomerDay, until time.Time) rhythm {
	r := rhythm{customer: days[0].Customer, last: parseDay(days[len(days)-1].Day), purchases: len(days)}
	var gaps []float64
	for n := range days[1:] {
		gaps = append(gaps, daysBetween(parseDay(days[n].Day), parseDay(days[n+1].Day)))
	}
	r.limit = percentile(gaps, 0.95)
	r.silent = daysBetween(r.last, until) - 1
	return r
}

// isSilent reports whether the silence is longer than the customer's own rhythm makes
// likely (K8).
func (r rhythm) isSilent() bool { return r.silent > r.limit }

func findChurn(r rule, s *facts, m memory) (f finding, err error) {
	all, err := s.rhythms(int(r.least))
	if err != nil {
		return f, err
	}
	var silent []rhythm
	for _, c := range all {
		bound := max(r.fires*c.limit, c.limit+weekDays)
		if c.silent <= bound+lostAfter && m.holds(c.customer, c.silent > bound, c.silent <= r.clears*c.limit) {
			silent = append(silent, c)
		}
	}
	if len(silent) == 0 {
		return f, nil
	}
	rows, err := s.silentCustomers(silent)
	if err != nil {
		return f, err
	}
	total := int64(0)
	for _, c := range rows {
		total += c.revenue
	}
	f = found(rows, func(c silentCustomer) (string, string) { return c.customer, c.Name })
	f.figure = counted(len(rows), "customer")
	first := rows[0]
	f.title = fmt.Sprintf("%s stay away: %s", counted(len(rows), "regular customer"), listed(f.names()))
	if len(rows) == 1 {
		f.title = fmt.Sprintf("%s has not bought for %s", first.Name, daysOf(first.silent))
	}
	f.detail = fmt.Sprintf("%s bought on %s, last on %s, and hardly ever stayed away longer than %s. They spent %s in the last year.", first.Name,
		daysOf(float64(first.purchases)), written(first.last), daysOf(first.limit), s.money(first.revenue))
	if len(rows) > 1 {
		f.detail = fmt.Sprintf("Together they spent %s in the last year. %s", s.money(total), f.detail)
	}
	return f, nil
}

// silentCustomers returns the customers with their names and revenue, the most valuable
// first.
func (s *facts) silentCustomers(silent []rhythm) ([]silentCustomer, error) {
	ids := []string{}
	for _, c := range silent {
		ids = append(ids, c.customer)
	}
	trade, err := s.tx.CustomerTrade(s.span(s.until.AddDate(-1, 0, 0), s.until), ids)
	byID := map[string]db.CustomerTrade{}
	for _, t := range trade {
		byID[t.Customer] = t
	}
	var rows []silentCustomer
	for _, c := range silent {
		t := byID[c.customer]
		rows = append(rows, silentCustomer{
			CustomerID: c.customer, Name: t.Name, LastPurchase: name(c.last), SilentDays: rounded(c.silent), LimitDays: rounded(c.limit),
			Purchases: c.purchases, Revenue: s.amount(t.Revenue), revenue: t.Revenue, rhythm: c,
		})
	}
	slices.SortStableFunc(rows, func(a, b silentCustomer) int { return cmp.Compare(b.revenue, a.revenue) })
	return rows, err
}

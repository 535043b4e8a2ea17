package insight

import (
	"cmp"
	"fmt"
	"slices"

	"svc/db"
)

// lateOrder is a purchase order that has not arrived.
type lateOrder struct {
	Order     string `json:"order"`
	Supplier  string `json:"supplier"`
	Ordered   string `json:"ordered"`
	OpenDays  any    `json:"open_days"`
	UsualDays any    `json:"usual_days"`
	Value     any    `json:"value"`
	Products  int64  `json:"products"`

	id         string
	open, lead float64
	value      int64
}

// What findLateOrders counts with, in days.
const (
	lateByAtLeast  = 2
	lateIfUnknown  = 14 // what an order usually takes, if no order of the shop tells
	forgottenAfter = 180
)

func findLateOrders(r rule, s *facts, m memory) (f finding, err error) {
	var rows []lateOrder
	for _, o := range s.orders {
		open, lead := daysBetween(parseDay(o.Ordered), s.today), s.leadToWait(o)
		if o.Received != "" || open > forgottenAfter || !m.holds(o.ID, isLate(open, lead), open <= r.clears*lead) {
			continue
		}
		rows = append(rows, lateOrder{
			Order: o.ExternalID, Supplier: o.Supplier, Ordered: o.Ordered, OpenDays: rounded(open), UsualDays: rounded(lead),
			Value: s.amount(o.Amount), Products: o.Products, id: o.ID, open: open, lead: lead, value: o.Amount,
		})
	}
	if len(rows) == 0 {
		return f, nil
	}
	slices.SortStableFunc(rows, func(a, b lateOrder) int { return cmp.Compare(b.open-b.lead, a.open-a.lead) })
	f = found(rows, func(o lateOrder) (string, string) { return o.id, o.Order })
	first := rows[0]
	from := ""
	if first.Supplier != "" {
		from = " from " + first.Supplier
	}
	f.title, f.figure = counted(len(rows), "purchase order")+" are late", counted(len(rows), "late order")
	if len(rows) == 1 {
		f.title = fmt.Sprintf("Purchase order %s%s is late", first.Order, from)
	}
	f.detail = fmt.Sprintf("Order %s%s, of %s, was placed on %s, %s ago; it usually takes %s.", first.Order, from, s.money(first.value),
		written(parseDay(first.Ordered)), daysOf(first.open), daysOf(first.lead))
	if len(rows) > 1 {
		f.detail = "The latest: " + f.detail
	}
	return f, nil
}

func isLate(open, lead float64) bool { return open > max(lateTimes*lead, lead+lateByAtLeast) }

// leadToWait returns how many days an order usually takes to arrive.
func (s *facts) leadToWait(o db.TradeOrder) float64 {
	if lead, ok := s.usualLead(o.Supplier, leastLeads); ok {
		return lead
	}
	return lateIfUnknown
}

// late reports whether an order that is on its way is late.
func (s *facts) late(o db.TradeOrder) bool {
	return isLate(daysBetween(parseDay(o.Ordered), s.today), s.leadToWait(o))
}

// usualLead returns the days that orders of the last year took to arrive: the median of the
// supplier's, or of all if those are fewer than least. It reports false if all are, too.
func (s *facts) usualLead(supplier string, least int) (float64, bool) {
	took := s.leads[supplier]
	if len(took) < least {
		took = s.allLeads
	}
	return median(took), len(took) >= least
}

// stale is the evidence of data_stale.
type stale struct {
	LastSale   string `json:"last_sale"`
	SilentDays any    `json:"silent_days"`
	UsualDays  any    `json:"usual_days"`
}

// findStale words what readFacts has decided.
func findStale(_ rule, s *facts, _ memory) (f finding, err error) {
	if !s.stale {
		return f, nil
	}
	silent, usual := daysBetween(s.last, s.today), s.usualGap()
	return finding{
		subjects: []string{whole}, figure: daysOf(silent),
		title: "No sale has been recorded for " + daysOf(silent),
		detail: fmt.Sprintf("The newest sale is of %s. Sales usually come at most %s apart. Other figures are as of that day.",
			written(s.last), daysOf(usual)),
		rows: []any{stale{name(s.last), rounded(silent), rounded(usual)}},
	}, nil
}

package insight

// A rule compares a shop with its own past, or with what it has said itself: its reorder
// points, its purchase orders. Each rule has
//
//   - a bound at which it fires and another, nearer to normal, at which it is resolved. A
//     figure between the two changes nothing, so an alert does not come and go with a figure
//     that wobbles. Where the rule is about several things, such as products, each of them
//     joins and leaves the alert by these bounds;
//   - the least evidence without which it does not fire: few sales vary much by chance. An
//     alert that is open does not need it: it ends when its figure is back, not when a day of
//     sales has become too old to count;
//   - a verdict as in ask (H9): problem is a loss or a stock-out now, act needs a decision,
//     watch does not yet;
//   - points, which it takes off the health score of 100 while its alert is open. They are
//     100 in all: what costs money now weighs most, what may wait weighs least.
//
// The reasons of the bounds:
//
//   - stock_out: an item counts if it sold on 4 days or more of the last 16 weeks; others may
//     have been dropped on purpose. A single piece that comes back is no stock: the item
//     leaves the alert when a day's sales are there again.
//   - days_of_cover: stock that lasts shorter than an order takes to arrive is too late to
//     order soon. The time is the supplier's own (the median of the last year), else the
//     shop's, else a week. What is on order counts as stock unless the order is late.
//   - sales_drop: the last 7 days against the 8 weeks before, so that each weekday counts
//     once. A fall within twice the usual spread of the weeks, or within 10 % (H9), is
//     chance. If last year's same week fell, too, this fall is the season's.
//   - margin_drop: 28 days against the 84 before, in percentage points. 3 points are what a
//     rise of costs of 5 % takes from a margin of 40 %; a shop whose weeks spread more than
//     that needs more.
//   - sold_below_cost: 28 days. It is a fact and needs no comparison; 5 sales tell it from a
//     clearance or a slip. It is resolved at a margin of 2 %.
//   - low_stock: the items that the pulse counts as low (K8), sold or not, except those of
//     stock_out and days_of_cover, which say more of them. It is resolved above the reorder
//     point, so that alerts and pulse agree.
//   - dead_stock: no sale in 90 days, a season, and no delivery either. Every shop has some:
//     it matters from 10 % of the value of the stock.
//   - refund_spike: 14 days against the 84 before. Twice the usual share, at least 5 % of
//     sales.
//   - purchase_order_late: half as long again as the supplier usually takes, and 2 days more
//     at least. Orders of half a year ago are not waited for.
//   - customer_churn: K8 calls a customer silent who stays away longer than the 95th
//     percentile of their own gaps. By chance a regular does so once in 20 visits, so the
//     alert waits for half as long again, a week at least, and is resolved at the
//     percentile. Who is silent for 90 days more is lost, and no news.
//   - data_stale: a day more than the shop's own closed days (95th percentile of the gaps
//     between days with sales), and 2 days at least. Meanwhile figures are as of the last
//     day with sales.
type rule struct {
	kind    string
	verdict string
	points  int
	fires   float64 // in the unit that the sentence says
	clears  float64
	least   int64  // evidence
	text    string // the rule in a sentence
	find    func(rule, *facts, memory) (finding, error)
}

// Verdicts (H9).
const (
	problem = "problem"
	act     = "act"
	watch   = "watch"
)

// What other rules ask of a rule.
const (
	kindStockOut = "stock_out" // days_of_cover leaves out its products
	kindStale    = "data_stale"
	staleAfter   = 1 // days more than usual
	staleUntil   = 0
	leastDays    = 14
	lateTimes    = 1.5 // the usual time
	leastLeads   = 3
	// leastPurchases tell a rhythm (K8).
	leastPurchases = 4
)

// rules are all rules, the gravest first.
var rules = []rule{
	{kindStockOut, problem, 15, 0, 1, 4, "a product that sold on 4 days or more of the last 112 has no stock, until it has a day's sales", findStockOut},
	{"sold_below_cost", problem, 12, 0, 2, 5, "a product with 5 sales or more in 28 days brought less than it cost, until its margin is 2 %", findBelowCost},
	{"sales_drop", act, 16, 10, 0.5, 60, "revenue of 7 days is below that of a usual week by more than 10 % and twice the spread of 8 weeks, until the fall is half of that", findSalesDrop},
	{"margin_drop", act, 12, 3, 0.5, 30, "the gross margin of 28 days is below that of the 84 days before by more than 3 points and the spread of its weeks, until the fall is half of that", findMarginDrop},
	{"refund_spike", act, 9, 2, 1.5, 4, "refunds of 14 days are more than twice the usual share of sales, and 5 % at least, until they are 1.5 times as much", findRefundSpike},
	{"days_of_cover", act, 8, 1, 1.5, 5, "the stock of a product that sold on 5 days or more of 28 lasts shorter than an order takes to arrive, until it lasts 1.5 times as long", findLowCover},
	{"purchase_order_late", act, 6, lateTimes, 1.25, leastLeads, "an order takes more than 1.5 times as long as usual, and 2 days longer at least, until it arrives", findLateOrders},
	{"low_stock", act, 4, 1, 1, 0, "a product is at or below its reorder point, which is 5 unless it has its own, until it is above it", findLowStock},
	{kindStale, watch, 8, staleAfter, staleUntil, leastDays, "no sale for a day longer than usual, and 2 days at least, until there is one", findStale},
	{"customer_churn", watch, 6, 1.5, 1, leastPurchases, "a customer with 4 purchases or more stays away 1.5 times as long as the 95th percentile of their own gaps, and a week longer at least, until they buy", findChurn},
	{"dead_stock", watch, 4, 10, 8, 30, "stock without a sale in 90 days is 10 % or more of the value of the stock, until it is below 8 %", findDeadStock},
}

// ruleOf returns the rule of a kind; the zero rule if an older svc had it.
func ruleOf(kind string) rule {
	for _, r := range rules {
		if r.kind == kind {
			return r
		}
	}
	return rule{}
}

// memory has the subjects of a rule's open alert.
type memory map[string]bool

// holds reports whether a subject belongs to the alert: it is past the bound at which the
// rule fires, or it was and is not yet back at the bound at which it is resolved.
func (m memory) holds(subject string, fires, cleared bool) bool {
	return fires || m[subject] && !cleared
}

// whole is the subject of a rule that is about the shop as a whole.
const whole = "shop"

// finding is what a rule has found. Without subjects it found nothing.
type finding struct {
	subjects              []string
	title, detail, figure string
	rows                  []any // the gravest first
	rowNames              []string
	total                 int // of the rows, if they are not all there
}

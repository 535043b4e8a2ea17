package insight

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

// Pages are the parts of the console that tell how a shop does.
type Pages struct {
	service *Service
	views   *views.Set
	told    recent[telling]
	// mornings are those of the brief's page.
	mornings recent[Morning]
}

// NewPages returns the pages of a service.
func NewPages(s *Service, set *views.Set) *Pages { return &Pages{service: s, views: set} }

const (
	overviewPath  = "/console"
	inventoryPath = "/console/inventory"
	askPath       = "/console/ask"
	dataPath      = "/console/data"
	messagesPath  = "/console/messages"
	orderPath     = "/console/messages/new"
)

// snooze is for how long the overview's button snoozes an alert.
const snooze = 7 * 24 * time.Hour

// Snooze handles POST /console/alerts/snooze.
func (p *Pages) Snooze(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if _, err := p.service.Snooze(r.Context(), v.Account, form.Value("id"), snooze); err != nil {
		return err
	}
	return w.Redirect(overviewPath + "?done=snoozed")
}

// Dismiss handles POST /console/alerts/dismiss.
func (p *Pages) Dismiss(w *web.Response, r *http.Request, v session.Visitor, form web.Form) error {
	if _, err := p.service.Acknowledge(r.Context(), v.Account, form.Value("id")); err != nil {
		return err
	}
	return w.Redirect(overviewPath + "?done=dismissed")
}

// Shop returns how the account's shop does now. asked reports whether the account has
// asked a question yet.
func (p *Pages) Shop(ctx context.Context, owner db.Account, asked bool) (views.Shop, error) {
	shop, err := p.shop(ctx, owner, asked)
	if errors.Is(err, db.ErrNotFound) { // an import may have exchanged the rows meanwhile
		shop, err = p.shop(ctx, owner, asked)
	}
	return shop, err
}

func (p *Pages) shop(ctx context.Context, owner db.Account, asked bool) (shop views.Shop, err error) {
	told, err := p.tell(ctx, owner)
	if err != nil {
		return shop, err
	}
	shop = views.Shop{Known: told.known, Sentence: told.sentence, More: told.more, Figures: told.figures, Chart: told.chart, Steps: firstSteps(told.stock, told.sales, asked)}
	if !shop.Known {
		return shop, nil
	}
	h, err := p.service.health(ctx, owner, told.sells)
	if err != nil {
		return shop, err
	}
	for _, a := range h.Drivers {
		link, text := wayOf(a)
		if a.Status != string(db.Firing) {
			shop.Quiet++
			shop.Drivers = append(shop.Drivers, views.Driver{
				Points: int64(a.Points), Title: a.Title, Detail: a.Detail, Rule: a.Rule, Link: link, LinkText: text,
			})
			continue
		}
		alert := views.ShopAlert{
			ID: a.ID, Verdict: a.Verdict, Tag: verdictTags[a.Verdict], Title: a.Title, Figure: a.Figure, Text: a.Detail,
			Rule: a.Rule, Link: link, LinkText: text, Since: a.FirstSeen,
		}
		if h.Score != nil {
			alert.Points = int64(a.Points)
		}
		shop.Alerts = append(shop.Alerts, alert)
	}
	if h.Score != nil {
		shop.Score = fmt.Sprint(*h.Score)
		shop.Band, shop.BandTag, shop.Why = scoreWords(h.Band, shop.Alerts, shop.Quiet)
	}
	if !asksToOrder(h.Drivers) {
		shop.Checks = told.checks
	}
	return shop, nil
}

// scoreWords returns the name of a score's band with the class of its tag, and what takes points
// off the score: the things to do, and those that were put off. A good score with a problem
// beside it says so.
func scoreWords(b Band, todo []views.ShopAlert, quiet int64) (name, tag, why string) {
	name, tag = string(b), bandTags[b]
	points, problems := int64(0), 0
	for _, a := range todo {
		points += a.Points
		if a.Verdict == problem {
			problems++
		}
	}
	if b == Good && problems > 0 {
		name, tag = "good, but for "+counted(problems, "problem"), bandTags[Watch]
	}
	var parts []string
	switch {
	case len(todo) == 1:
		parts = append(parts, "What is to do takes "+counted(int(points), "point")+" off.")
	case len(todo) > 1:
		parts = append(parts, fmt.Sprintf("The %d things to do take %s off.", len(todo), counted(int(points), "point")))
	}
	switch {
	case quiet == 1:
		parts = append(parts, "1 thing is snoozed or dismissed and still counts:")
	case quiet > 1:
		parts = append(parts, fmt.Sprintf("%d things are snoozed or dismissed and still count:", quiet))
	}
	if len(parts) == 0 {
		return name, tag, "Nothing takes points off."
	}
	return name, tag, strings.Join(parts, " ")
}

// The classes of tags.
var (
	bandTags    = map[Band]string{Good: "on", Watch: "warn", Act: "warn", Problem: "bad"}
	verdictTags = map[string]string{problem: "bad", act: "warn"}
)

// firstSteps returns what to do before there is anything to tell: none once there are sales
// and one of the other two.
func firstSteps(products, sales, asked bool) []views.Step {
	if sales && (products || asked) {
		return nil
	}
	return []views.Step{
		{Title: "Add your products", Text: "With their stock and prices, from a file or one by one.", Link: inventoryPath, LinkText: "Add products", Done: products},
		{Title: "Bring your sales", Text: "Drop a file of your till or shop: what sold, when, and for how much.", Link: dataPath, LinkText: "Bring sales", Done: sales},
		{Title: "Ask your first question", Text: "Like: what sold best last month?", Link: askPath, LinkText: "Ask", Done: asked},
	}
}

// morning tells the last day in a sentence, and what else is to be known of it.
func (p Pulse) morning(sh sources) (sentence, more string) {
	revenue, orders := p.kpi("revenue_yesterday"), p.kpi("orders_yesterday")
	value := p.kpi("stock_value")
	day := sh.today.AddDate(0, 0, -1).Weekday().String()
	switch {
	case sh.sales == nil && value.Value != nil && value.Value.Sign() > 0:
		return "Stock worth " + p.Text(value) + " " + valuedAt(*sh.stock), "There are no sales yet to compare with."
	case sh.sales == nil:
		return "", "There are no sales yet to tell of."
	case p.Freshness.Stale:
		return "No sale for " + counted(p.Freshness.AgeDays, "day"), fmt.Sprintf("The newest is of %s.", weekdayText(sh.newest, sh.today))
	case revenue.Value == nil || revenue.Value.Sign() == 0:
		sentence = "No sales on " + day
		if revenue.Value == nil {
			sentence = "No sales of " + day + " yet"
		}
		return sentence, ""
	}
	sentence = day + " " + p.Text(revenue)
	if change := revenue.Change(); change != nil {
		sentence += p.onUsual(revenue, change, day)
	}
	if orders.Value != nil {
		more = "From " + counted(int(compute.Rounded(orders.Value, 0).Int64()), "order") + "."
	}
	return sentence, more
}

// farMore is the change in per cent above which people are told amounts: "+2,363 %" says
// little of a day.
var farMore = big.NewRat(200, 1)

// onUsual compares the revenue of a day with the usual: ", +9 % on your usual Saturday".
func (p Pulse) onUsual(revenue KPI, change *big.Rat, day string) string {
	percent := compute.Rounded(change, 0)
	switch {
	case change.Cmp(farMore) > 0:
		return fmt.Sprintf("; your usual %s brings %s", day, p.text(revenue.Previous, revenue.Unit))
	case percent.Sign() == 0:
		return ", as on your usual " + day
	case percent.Sign() > 0:
		return fmt.Sprintf(", +%s %% on your usual %s", percent, day)
	}
	return fmt.Sprintf(", -%s %% on your usual %s", new(big.Int).Neg(percent), day)
}

// against is Against, but gives no per cent above farMore.
func (p Pulse) against(k KPI) string {
	if change := k.Change(); change != nil && k.Unit != Percent && change.Cmp(farMore) > 0 {
		return fmt.Sprintf("far more than %s (%s)", k.ComparedTo, p.text(k.Previous, k.Unit))
	}
	return p.Against(k)
}

// overviewKPIs are the figures of the overview, in their order.
var overviewKPIs = []string{"revenue_today", "revenue_7_days", "gross_margin", "revenue_month", "low_stock_items"}

// asking returns the address of a question.
func asking(question string) string { return askPath + "?question=" + url.QueryEscape(question) }

// behind returns the address of the page with what a figure is made of, or "".
func behind(key string, sh sources) string {
	switch key {
	case "revenue_today":
		return asking("What did we sell today?")
	case "revenue_7_days":
		return asking("What is our revenue by product from " + spanText(sh.week()) + "?")
	case "gross_margin":
		return asking("What is our margin by product from " + spanText(sh.week()) + "?")
	case "revenue_month":
		return asking("What is our revenue by day in " + sh.week().To.Format("January 2006") + "?")
	case "low_stock_items":
		if sh.stock != nil && sh.stock.File != "" {
			return asking("Which products are low on stock?")
		}
		return inventoryPath + "?stock=low"
	}
	return ""
}

// shortLabels name figures where the API says more.
var shortLabels = map[string]string{"low_stock_items": "Products low on stock"}

// shown returns those of the figures that are known. low names the products that are low on stock.
func (p Pulse) shown(keys []string, sh sources, low []string) (figures []views.ShopFigure) {
	for _, key := range keys {
		k := p.kpi(key)
		if k.Value == nil {
			continue
		}
		figure := views.ShopFigure{Label: cmp.Or(shortLabels[key], k.Label), Value: p.Text(k), Against: p.against(k), Link: behind(key, sh)}
		switch {
		case key != "low_stock_items":
		case k.Value.Sign() == 0:
			figure.Against = "all are above their reorder points"
		default:
			figure.Against = listed(low)
		}
		figures = append(figures, figure)
	}
	return figures
}

// stockChecks says that products are low on stock, if there are any.
func (p Pulse) stockChecks(sh sources) []views.Attention {
	low := p.kpi("low_stock_items").Value
	if low == nil || low.Sign() == 0 {
		return nil
	}
	n := int(compute.Rounded(low, 0).Int64())
	title := counted(n, "product") + map[bool]string{true: " is at its reorder point or below", false: " are at their reorder points or below"}[n == 1]
	return []views.Attention{{
		Title: title, Tag: "warn", Text: "Order before the stock runs out, or change the point at which it counts as low.",
		Link: behind("low_stock_items", sh), LinkText: "See the stock",
	}}
}

// asksToOrder reports whether one of the alerts is about stock that runs out. It names the
// products that sell, and its owner may have snoozed it.
func asksToOrder(open []Alert) bool {
	return slices.ContainsFunc(open, func(a Alert) bool { return strings.HasPrefix(ways[a.Kind].link, orderPath) })
}

// ways are where the things that alerts ask for are done.
var ways = map[string]struct{ link, text string }{
	"purchase_order_late": {messagesPath, "Message the supplier"},
	"customer_churn":      {asking("Which customers have not bought for long?"), "Ask who"},
	"sales_drop":          {asking("Which products sold less in the last 7 days?"), "Ask why"},
	"margin_drop":         {asking("What is our margin by product in the last 28 days?"), "Ask why"},
	"refund_spike":        {asking("What are our refunds by product in the last 14 days?"), "Ask why"},
	"data_stale":          {dataPath, "Bring sales"},
	"dead_stock":          {inventoryPath, "See the stock"},
	"sold_below_cost":     {inventoryPath, "See the prices"},
	kindStockOut:          {orderPath + "?item=low", "Order"},
	"low_stock":           {orderPath + "?item=low", "Order"},
	"days_of_cover":       {orderPath + "?item=low", "Order"},
}

// wayOf returns where the thing is done that an alert asks for: in an order of what it is
// about, or at its item if it is about one alone.
func wayOf(a Alert) (link, text string) {
	way, ok := ways[a.Kind]
	if !ok {
		return overviewPath, "Open"
	}
	var about struct {
		Rows []struct {
			ProductID string `json:"product_id"`
		} `json:"rows"`
	}
	if err := json.Unmarshal(a.Evidence, &about); err != nil {
		return way.link, way.text
	}
	var ids []string
	for _, row := range about.Rows {
		if row.ProductID != "" {
			ids = append(ids, row.ProductID)
		}
	}
	switch {
	case strings.HasPrefix(way.link, orderPath) && len(ids) > 0:
		return orderPath + "?" + url.Values{"item": ids}.Encode(), way.text
	case len(about.Rows) == 1 && len(ids) == 1:
		return inventoryPath + "?open=" + url.QueryEscape(ids[0]), way.text
	}
	return way.link, way.text
}

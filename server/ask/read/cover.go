package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/schema"
)

// deadStockDays is how many days without a sale make stock dead if a question does not
// say.
const deadStockDays = 90

// maxSlowMovers is how many slow movers are listed if a question does not say.
const maxSlowMovers = 10

// coverMarks are the words of function that ask for days of stock, and have no other effect.
var coverMarks = []link.Sense{"when", "never", "enough", "until", "before", "forecast", "howlong", "lasts"}

// daysOf are the days of a unit of time in the future.
var daysOf = map[plan.Part]int{plan.Day: 1, plan.Week: 7, plan.Month: 30, plan.Quarter: 91, plan.Year: 365}

// cover is how a question asks for stock together with sales.
type cover string

const (
	noCover   cover = ""
	daysLeft  cover = "days"   // how long the stock lasts
	runsOut   cover = "runout" // what will be gone
	deadStock cover = "unsold" // what has not sold
	slowStock cover = "slow"   // what sells least
)

// cover returns how a question asks for stock together with sales, if the source knows
// both.
func (b *builder) cover() cover {
	r := b.s.rank
	ahead := b.horizon() > 0
	switch {
	case !b.x.can(plan.Cover), b.asksCustomers():
		return noCover
	case b.asksHowLong():
		return daysLeft
	case b.s.has("unsold", "never") && !b.s.has("soldout"):
		return deadStock
	case b.s.has("runout"), b.s.has("soldout", "lowstock") && (ahead || b.s.has("when", "forecast")):
		return runsOut
	case slices.ContainsFunc(b.s.counts, func(n count) bool { return n.name != nil && n.name.part.Series() && b.wordAt(n.to, "of") }) && slices.ContainsFunc(b.coverFigures(), func(f figure) bool { return f.metric == plan.StockUnits }):
		return daysLeft // how many days of milk are left
	case slices.ContainsFunc(b.coverFigures(), func(f figure) bool { return f.metric == plan.Cover }),
		slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.unit == link.Days }):
		return daysLeft
	case r != nil && r.down && strings.HasPrefix(r.text, "slow") && len(b.s.periods)+len(b.s.figures) == 0 && len(b.s.groups) <= 1 && !b.ranksTime():
		return slowStock
	}
	return noCover
}

// asksHowLong reports whether the days of stock are asked for by what becomes of it: how long will the tea last,
// how many days until we run out of it, do we have enough of it for the week.
func (b *builder) asksHowLong() bool {
	ofTime := func(n count) bool { return n.name != nil && n.name.part.Series() }
	until := b.s.has("until", "before") && (b.s.has("howlong") || slices.ContainsFunc(b.s.counts, ofTime))
	switch {
	case b.s.has("sell", "buy", "money", "howmuch") && !b.s.has("runout"):
		return false
	case b.s.has("soldout", "runout"):
		return until
	case b.s.has("enough"):
		return b.ofGoods() && !b.hasWord("sell", "sold", "selling")
	}
	return b.s.has("howlong") && b.s.has("lasts") && (b.ofGoods() || len(b.coverFigures()) > 0)
}

// findLasting adds the verb of how long goods last.
func (c *chart) findLasting() {
	end := len(c.tokens) - 1
	if c.x.can(plan.Cover) && c.hasWord("long") && slices.Contains([]string{"last", "lasts"}, c.tokens[end].Text) {
		c.add(end, end+1, "lasts", 0, sketch{marks: []mark{{span: span{end, end + 1}, sense: "lasts"}}})
	}
}

// ofGoods reports whether conditions or groups are of what the shop sells.
func (b *builder) ofGoods() bool {
	isOf := func(r schema.Role) bool {
		return slices.Contains([]schema.Role{schema.Product, schema.SKU, schema.Category, schema.Brand}, r)
	}
	return slices.ContainsFunc(b.s.where, func(f cond) bool { return isOf(f.role) }) || slices.ContainsFunc(b.s.groups, func(g group) bool { return isOf(g.role) })
}

// ranksTime reports whether groups are parts of time: the slowest day of the week sells least, and is no slow mover.
func (b *builder) ranksTime() bool {
	return slices.ContainsFunc(b.s.groups, func(g group) bool { return g.part != plan.Whole }) || slices.ContainsFunc(b.s.names, func(n name) bool { return n.part != plan.Whole })
}

// coverFigures returns all figures of the sketch.
func (b *builder) coverFigures() []figure {
	all := slices.Clone(b.s.figures)
	for _, n := range b.s.counts {
		if n.figure != nil {
			all = append(all, *n.figure)
		}
	}
	for _, o := range b.s.bounds {
		if o.of != nil {
			all = append(all, *o.of)
		}
	}
	return all
}

// horizon returns how many days ahead a question looks, or 0.
func (b *builder) horizon() int {
	for _, n := range b.s.numbers {
		if n.Unit == link.Days {
			return int(n.Number)
		}
	}
	for _, o := range b.s.bounds {
		if o.unit == link.Days {
			return int(o.number)
		}
	}
	for _, s := range b.s.periods {
		if !s.To.Before(b.now.Today) && s.From.Year() > 1 && (s.Ahead || s.From.After(b.now.Today)) {
			return max(1, int(s.To.Sub(b.now.Today).Hours()/24))
		}
	}
	for _, g := range b.s.groups {
		if g.word == "a" && g.part.Series() {
			return daysOf[g.part]
		}
	}
	for _, n := range b.s.names {
		if n.part.Series() && b.wordAt(n.from-1, "a", "one", "next", "the") {
			return daysOf[n.part]
		}
	}
	return 0
}

// readCover makes the plan of a question of cover: products with their stock and what was
// sold of them.
func (b *builder) readCover(kind cover) error {
	if err := b.refuseBesideCover(kind); err != nil {
		return err
	}
	if err := b.readConditions(); err != nil {
		return err
	}
	for _, g := range b.s.groups {
		if g.part == plan.Whole && g.column != nil && g.column.Type == schema.Text && len(b.p.By) == 0 {
			b.groupBy(plan.Dimension{Column: g.column.Heading})
		}
	}
	if len(b.p.By) == 0 && !b.groupByProduct() {
		return b.missingRole(schema.Product)
	}
	b.relative = true
	b.cost -= gainCover
	stock, _ := b.heading(schema.Stock)
	onHand := plan.Filter{Column: stock, Op: plan.More, Values: []string{"0"}}
	b.p.Order = plan.Lowest
	switch kind {
	case deadStock:
		b.p.Where = addFilter(b.p.Where, onHand)
		if err := b.filterUnsold(); err != nil {
			return err
		}
		b.addIfGiven(plan.StockValue)
		b.addMeasure(plan.Measure{Metric: plan.StockUnits})
		b.addMeasure(plan.Measure{Metric: plan.LastDay})
		b.p.Order = plan.Highest
	case slowStock:
		b.p.Where = addFilter(b.p.Where, onHand)
		for _, m := range []plan.Metric{plan.SoldLately, plan.StockUnits, plan.LastDay} {
			b.addMeasure(plan.Measure{Metric: m})
		}
	default:
		for _, m := range []plan.Metric{plan.Cover, plan.StockUnits, plan.SoldLately} {
			b.addMeasure(plan.Measure{Metric: m})
		}
		if kind == runsOut {
			b.p.Where = addFilter(b.p.Where, onHand)
		}
		if !b.asksHowLong() {
			b.boundCover()
		}
	}
	b.limitCover(kind)
	b.s.numbers = nil
	b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return !slices.Contains(coverMarks, m.sense) })
	return nil
}

// refuseBesideCover refuses what cannot be combined with cover.
func (b *builder) refuseBesideCover(kind cover) error {
	if m := b.s.find("share", "trend", "steps", "versus", "grown", "shrunk", "change", "why", "if", "loss", "refund", "expensive", "cheap"); m != nil {
		return b.refuse(Unknown, "How “%s” goes with the days of stock is not clear, so this cannot be answered.", b.text(m.from, m.to))
	}
	for _, f := range b.coverFigures() {
		if f.column == nil && !slices.Contains([]plan.Metric{plan.Cover, plan.StockUnits, plan.StockValue, plan.Units}, f.metric) {
			return b.refuse(Unknown, "How “%s” goes with the days of stock is not clear, so this cannot be answered.", f.text)
		}
	}
	for _, s := range b.s.periods {
		if kind != deadStock && s.To.Before(b.now.Today) {
			return b.refuse(Unknown, "The days of cover are those of now: what stock there was before is not kept, so this cannot be answered.")
		}
	}
	return nil
}

// boundCover reads "within two weeks" and "less than 10 days of stock".
func (b *builder) boundCover() {
	days, op := float64(b.horizon()), plan.AtMost
	for _, o := range b.s.bounds {
		op = o.op
		if o.unit == link.Days {
			days = o.number
			break
		}
		times := 1
		if o.of != nil {
			for part, n := range daysOf {
				if strings.HasPrefix(o.of.text, string(part)) {
					times = n
				}
			}
		}
		days = o.number * float64(times)
	}
	if days > 0 {
		b.p.Having = append(b.p.Having, plan.Threshold{Op: op, Value: days})
	}
}

// filterUnsold adds the filter for what was last sold before a day, or never.
func (b *builder) filterUnsold() error {
	column, _ := b.heading(schema.LastSold)
	if b.hasWord("never") {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: column, Op: plan.Blank})
		return nil
	}
	since := b.now.Today.AddDate(0, 0, -deadStockDays)
	switch {
	case len(b.s.periods) > 0 && b.s.periods[0].To.Before(b.now.Today.AddDate(0, 0, -1)):
		return b.refuse(Unknown, "What did not sell in days that are over cannot be told from the stock. What has not sold since a day can be.")
	case len(b.s.periods) > 0 && b.s.periods[0].From.Year() > 1 && !b.s.periods[0].Ahead:
		since = b.s.periods[0].From
	case len(b.s.periods) > 0:
		return b.refuse(Unknown, "It is not clear since when nothing should have sold, so this cannot be answered.")
	case b.horizon() > 0:
		since = b.daysAgo(b.horizon())
	default:
		b.note("Stock counts as dead here when nothing of it has sold for " + strconv.Itoa(deadStockDays) + " days.")
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: column, Op: plan.Before, Values: []string{since.Format(time.DateOnly)}})
	return nil
}

// limitCover sets the number of products, or counts them.
func (b *builder) limitCover(kind cover) {
	r := b.s.rank
	switch {
	case r != nil && r.limit > 0:
		b.p.Limit = r.limit
	case kind == slowStock && r != nil && !r.plural && strings.HasPrefix(r.text, "slowest"):
		b.p.Limit = 1
	case kind == slowStock:
		b.p.Limit = maxSlowMovers
	case r != nil && !r.plural, b.hasWord("first", "soonest") && !slices.ContainsFunc(b.s.groups, func(g group) bool { return g.plural }):
		b.p.Limit = 1
	}
	counts := slices.ContainsFunc(b.s.counts, func(n count) bool { return n.name != nil && n.name.part == plan.Whole })
	if counts && len(b.p.By) == 1 {
		b.p.Count, b.p.Limit = true, 0
	}
}

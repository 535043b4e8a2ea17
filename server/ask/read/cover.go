package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// deadStockDays is how many days without a sale make stock dead if a question does not
// say.
const deadStockDays = 90

// maxSlowMovers is how many slow movers are listed if a question does not say.
const maxSlowMovers = 10

// coverMark returns the index of the mark that asks about stock together with sales, or
// -1.
func (r *reading) coverMark() int {
	for i, m := range r.marks {
		if m.kind == runOut || m.kind == unsold || m.kind == slowMoving || m.kind == metric && m.metric == plan.Cover {
			return i
		}
	}
	return -1
}

// resolveCover decides whether a question is about how long the stock lasts, or how long
// it has not sold. If the data cannot answer that, the words keep their other meanings.
func (r *reading) resolveCover() {
	if !r.x.can(plan.Cover) {
		r.resolveWithoutCover()
		return
	}
	days := r.horizon() > 0
	for i := range r.marks {
		m := &r.marks[i]
		switch {
		case (m.kind == soldOut || m.kind == lowStock) && (days || r.has(when) && !r.has(period) || r.has(forecast)):
			m.sense = sense{kind: runOut}
		case m.kind == worstSeller && strings.HasPrefix(m.text, "slow") && !r.has(period, metric, unit, series):
			m.sense = sense{kind: slowMoving}
		}
	}
	if r.coverMark() < 0 {
		return
	}
	r.cover = true
	var at int
	r.horizonDays = r.horizon()
	if r.durationCount, r.durationUnit, at = r.duration(); at >= 0 {
		for i := at; i < len(r.marks) && i <= at+1; i++ {
			if k := r.marks[i].kind; k == number || k == unit {
				r.marks[i].kind = harmless
			}
		}
	}
	r.unknown = slices.DeleteFunc(r.unknown, func(raw string) bool {
		return slices.Contains([]string{"next", "coming", "following", "last", "lasts", "first", "soonest", "ever", "long", "fortnight"}, strings.ToLower(raw))
	})
	for i := range r.marks {
		m := &r.marks[i]
		if m.kind == forecast || m.kind == when || m.kind == versusEarlier || r.has(runOut) && m.kind == period {
			m.kind = harmless
		}
	}
}

func (r *reading) resolveWithoutCover() {
	for i := range r.marks {
		m := &r.marks[i]
		switch {
		case m.kind == unsold && r.x.source.Kind != schema.Stocklist && slices.ContainsFunc(m.also, func(s sense) bool { return s.kind == worstSeller }):
			m.sense = sense{kind: worstSeller}
		case m.kind == unsold:
			m.sense = sense{kind: unavailable, arg: "what did not sell, which needs sales and stock together"}
		case m.kind == runOut && strings.HasPrefix(m.text, "do"):
			m.sense = sense{kind: soldOut}
		case m.kind == runOut:
			m.sense = sense{kind: forecast}
		}
	}
}

// daysOf are the days of a unit of time in the future.
var daysOf = map[plan.Part]int{plan.Day: 1, plan.Week: 7, plan.Month: 30, plan.Quarter: 91, plan.Year: 365}

// duration finds a number of days, weeks or months, a week, or the coming one.
func (r *reading) duration() (n int, unitOf plan.Part, at int) {
	for i, m := range r.marks {
		u, isUnit := unitWords[m.text[strings.LastIndex(m.text, " ")+1:]]
		if isUnit && m.kind == unit {
			if i > 0 && r.marks[i-1].kind == number && r.marks[i-1].number.kind == plainNumber {
				return int(r.marks[i-1].number.number), u, i - 1
			}
			if wordIs(r.ts, m.from-1, "a", "one", "the", "next") && wordIs(r.ts, m.from-2, "in", "within", "for", "under", "than", "the", "a", "over") {
				return 1, u, i
			}
		}
		if m.kind == period || m.kind == forecast {
			for _, t := range r.ts[m.from:m.to] {
				if t.kind == plainNumber && t.number < 1000 && isUnit {
					return int(t.number), u, i
				}
			}
			if wordIs(r.ts, m.from, "next", "coming") && isUnit {
				return 1, u, i
			}
			if m.text == "tomorrow" {
				return 1, plan.Day, i
			}
		}
	}
	return 0, plan.Whole, -1
}

// horizon returns how many days ahead a question looks, or 0.
func (r *reading) horizon() int {
	if slices.Contains(r.unknown, "fortnight") {
		return 14
	}
	n, u, at := r.duration()
	if at >= 0 && r.marks[at].kind != period {
		return n * daysOf[u]
	}
	for _, m := range r.marks {
		if m.kind == period && !m.span.to.Before(r.c.today) && !m.span.from.IsZero() && m.span.from.Year() > 1 && !strings.Contains(m.text, "since") && !strings.Contains(m.text, "last") {
			return max(1, int(m.span.to.Sub(r.c.today).Hours()/24))
		}
	}
	return 0
}

// buildCover makes the plan of a question of cover: products with their stock and what was
// sold of them.
func (r *reading) buildCover() error {
	part := r.marks[r.coverMark()]
	if err := r.refuseBesideCover(); err != nil {
		return err
	}
	if err := r.readFilters(); err != nil {
		return err
	}
	if err := r.groupCover(); err != nil {
		return err
	}
	stock, _ := r.heading(schema.Stock)
	onHand := plan.Filter{Column: stock, Op: plan.More, Values: []string{"0"}}
	switch part.kind {
	case unsold:
		r.p.Where = addFilter(r.p.Where, onHand)
		if err := r.filterUnsoldSince(part); err != nil {
			return err
		}
		r.addIfAvailable(plan.StockValue)
		r.addMeasure(plan.Measure{Metric: plan.StockUnits})
		r.addMeasure(plan.Measure{Metric: plan.LastDay})
		r.p.Order = plan.Highest
	case slowMoving:
		r.p.Where = addFilter(r.p.Where, onHand)
		r.addMeasure(plan.Measure{Metric: plan.SoldLately})
		r.addMeasure(plan.Measure{Metric: plan.StockUnits})
		r.addMeasure(plan.Measure{Metric: plan.LastDay})
		r.p.Order = plan.Lowest
	default:
		r.addMeasure(plan.Measure{Metric: plan.Cover})
		r.addMeasure(plan.Measure{Metric: plan.StockUnits})
		r.addMeasure(plan.Measure{Metric: plan.SoldLately})
		r.p.Order = plan.Lowest
		if part.kind == runOut {
			r.p.Where = addFilter(r.p.Where, onHand)
		}
		r.boundCover(part, r.horizonDays)
	}
	r.p.Limit = r.coverLimit(part)
	if r.has(howMany) && len(r.p.By) == 1 && !r.asksDays(part) {
		r.p.Count, r.p.Limit = true, 0
	}
	return r.refuseUnused()
}

// asksDays reports whether days are counted, as in "how many days of cover", and not
// products.
func (r *reading) asksDays(part mark) bool {
	next, j := r.after(r.find(0, howMany), link, different)
	return j >= 0 && (next.from == part.from || next.kind == unit || next.kind == number)
}

// refuseBesideCover refuses what cannot be combined with cover.
func (r *reading) refuseBesideCover() error {
	for _, m := range r.marks {
		switch m.kind {
		case share, trend, versusEarlier, compared, grown, shrunk, change, why, ifWord, would, series, perOrder, loss, refund, price, expensive, cheap:
			return r.refuse(Unknown, "How “%s” goes with the days of stock is not clear, so this cannot be answered.", m.text)
		case metric:
			if !slices.Contains([]plan.Metric{plan.Cover, plan.StockUnits, plan.StockValue, plan.Units}, m.metric) {
				return r.refuse(Unknown, "How “%s” goes with the days of stock is not clear, so this cannot be answered.", m.text)
			}
		case period:
			if r.has(unsold) || m.text == "right now" || m.text == "today" {
				continue
			}
			return r.refuse(Unknown, "The days of cover are those of now: what stock there was before is not kept, so this cannot be answered.")
		}
	}
	return nil
}

// groupCover groups by product, or by another text column that is named.
func (r *reading) groupCover() error {
	for i, m := range r.marks {
		c, ok := r.columnOf(m)
		if !ok || m.kind != dim && m.kind != column {
			continue
		}
		col := r.x.source.Columns[c]
		if prev, _ := r.before(i); col.Type == schema.Text && (prev.kind == by || prev.kind == which) {
			r.groupBy(plan.Dimension{Column: col.Heading})
			return nil
		}
	}
	r.groupByProduct()
	if len(r.p.By) == 0 {
		return r.missingRole(schema.Product)
	}
	return nil
}

// boundCover reads "within two weeks" and "less than 10 days of stock".
func (r *reading) boundCover(part mark, horizon int) {
	op := plan.AtMost
	for i, m := range r.marks {
		if m.kind != comparison {
			continue
		}
		if op = plan.Op(m.arg); horizon > 0 {
			break
		}
		times := daysOf[unitWords[strings.Fields(part.text)[0]]]
		if j := r.boundNumber(i); j >= 0 {
			r.marks[j].used = true
			horizon = int(r.marks[j].number.number) * max(1, times)
		} else if next, _ := r.after(i, by); next.from == part.from {
			horizon = times // as in "less than a week of stock"
		}
	}
	if horizon > 0 {
		r.p.Having = append(r.p.Having, plan.Threshold{Op: op, Value: float64(horizon)})
	}
}

// filterUnsoldSince adds the filter for what was last sold before a day, or never.
func (r *reading) filterUnsoldSince(part mark) error {
	column, _ := r.heading(schema.LastSold)
	if strings.HasPrefix(part.text, "never") {
		r.p.Where = addFilter(r.p.Where, plan.Filter{Column: column, Op: plan.Blank})
		return nil
	}
	since := r.c.today.AddDate(0, 0, -deadStockDays)
	p := r.find(0, period)
	switch n, u := r.durationCount, r.durationUnit; {
	case n > 0 && (u == plan.Month || u == plan.Quarter || u == plan.Year):
		since = addMonths(r.c.today, -n*map[plan.Part]int{plan.Month: 1, plan.Quarter: 3, plan.Year: 12}[u])
	case n > 0:
		since = r.c.today.AddDate(0, 0, -n*daysOf[u])
	case p >= 0 && r.marks[p].span.to.Before(r.c.today.AddDate(0, 0, -1)):
		return r.refuse(Unknown, "What did not sell in days that are over cannot be told from the stock. What has not sold since a day can be.")
	case p >= 0 && r.marks[p].span.from.Year() > 1 && !r.marks[p].span.ahead:
		since = r.marks[p].span.from
	case p >= 0:
		return r.refuse(Unknown, "It is not clear since when nothing should have sold, so this cannot be answered.")
	default:
		r.note("Stock counts as dead here when nothing of it has sold for " + strconv.Itoa(deadStockDays) + " days.")
	}
	r.p.Where = addFilter(r.p.Where, plan.Filter{Column: column, Op: plan.Before, Values: []string{since.Format(time.DateOnly)}})
	return nil
}

// coverLimit returns the number beside a superlative, or 1 for a singular noun, or 0.
func (r *reading) coverLimit(part mark) int {
	for i, m := range r.marks {
		if m.kind == number && !m.used && m.number.kind == plainNumber && m.number.number >= 1 && m.number.number <= plan.MaxLimit && r.isBeside(i, top, bottom, dim, slowMoving) {
			r.marks[i].used = true
			return int(m.number.number)
		}
	}
	switch {
	case part.kind == slowMoving && r.hasWord("slowest") && !r.asksPlural():
		return 1
	case part.kind == slowMoving:
		return maxSlowMovers
	case r.has(top, bottom) || r.hasWord("first", "soonest"):
		if !r.asksPlural() {
			return 1
		}
	}
	return 0
}

// refuseUnused refuses a question with a number or a negation that no step used.
func (r *reading) refuseUnused() error {
	for i, m := range r.marks {
		if m.kind == number && !m.used {
			return r.refuse(Unknown, "It is not clear what %s stands for in this question, so it cannot be answered.", m.text)
		}
		if next, j := r.after(i, link, by, and, or, dim); m.kind == not && (j < 0 || next.kind != value) {
			return r.refuse(Unknown, "It is not clear what “%s” rules out in this question, so it cannot be answered.", m.text)
		}
	}
	return nil
}

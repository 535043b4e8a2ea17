package read

import (
	"slices"
	"strconv"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// readGroups decides what the figures are grouped by.
func (r *reading) readGroups() error {
	if len(r.p.By) > 0 || r.has(share) && r.p.Measures[0].Metric == plan.RepeatCustomers {
		return nil
	}
	for i, m := range r.marks {
		switch m.kind {
		case series:
			r.groupByTime(m.part)
		case unit:
			if !r.comparesDaytypes() && r.groupsUnit(i, m) {
				r.groupByTime(m.part)
			}
		case dim, column:
			if c, ok := r.columnOf(m); ok && r.groupsName(i, m) {
				r.groupBy(plan.Dimension{Column: r.x.source.Columns[c].Heading, Part: r.partOf(r.x.source.Columns[c])})
			}
		}
	}
	if len(r.p.By) > 2 {
		return r.refuse(Unknown, "Figures can be split by two things at once, and no more, so this cannot be answered.")
	}
	r.groupByClaim()
	r.groupByImplied()
	if len(r.p.By) == 1 && r.has(compared) && r.p.By[0].Part != plan.Whole {
		r.groupByCompared()
	}
	r.eachGroup()
	return nil
}

// eachGroup reads "top product in each region": region comes first, and the limit applies
// within it.
func (r *reading) eachGroup() {
	if len(r.p.By) != 2 || !r.has(top, bottom, bestSeller, worstSeller) {
		return
	}
	for i, m := range r.marks {
		c, ok := r.columnOf(m)
		if m.kind == unit {
			h, _ := r.timeHeading(m.part)
			c, ok = slices.IndexFunc(r.x.source.Columns, func(c schema.Column) bool { return c.Heading == h }), h != ""
		}
		prev, has := r.before(i)
		if !ok || !has || prev.kind != by && m.kind != series {
			continue
		}
		if r.p.By[1].Column == r.x.source.Columns[c].Heading {
			r.p.By[0], r.p.By[1] = r.p.By[1], r.p.By[0]
		}
		r.p.Each = r.p.By[0].Column == r.x.source.Columns[c].Heading
		return
	}
}

func (r *reading) partOf(c schema.Column) plan.Part {
	if c.Type == schema.Date || c.Type == schema.Moment {
		return plan.Day
	}
	return plan.Whole
}

func (r *reading) groupBy(d plan.Dimension) {
	if !slices.Contains(r.p.By, d) {
		r.p.By = append(r.p.By, d)
	}
}

func (r *reading) groupByTime(p plan.Part) {
	if h, ok := r.timeHeading(p); ok {
		r.groupBy(plan.Dimension{Column: h, Part: p})
	}
}

// groupsUnit reports whether a unit of time makes groups: by month, which day, best week.
func (r *reading) groupsUnit(i int, m mark) bool {
	if len(r.p.Measures) > 0 && r.p.Measures[0].Per == string(m.part) {
		return false
	}
	if m.text == "time" || m.text == "date" && !r.has(which, top, bottom, by) {
		return r.has(top, bottom, which) && m.text != "date"
	}
	prev, ok := r.before(i, money, number)
	if ok && slices.Contains([]kind{by, which, top, bottom, bestSeller, worstSeller, rank, list, trend, change}, prev.kind) {
		return true
	}
	if ok && prev.kind == and && r.afterGroup(i) {
		return true
	}
	return r.has(top, bottom, bestSeller, worstSeller, rank) && !r.has(dim) || r.has(trend)
}

// groupsName reports whether a name makes groups and is not only mentioned: by store,
// which products, top five cities, list our suppliers.
func (r *reading) groupsName(i int, m mark) bool {
	col, _ := r.columnOf(m)
	c := r.x.source.Columns[col]
	if c.Type == schema.Number && (m.kind == column) && !isFlag(c) && r.measured(c) {
		return false
	}
	if isFlag(c) && m.kind == column {
		return false
	}
	if r.filtered(c.Heading) && !r.has(by, which, rank, compared) {
		return false
	}
	prev, ok := r.before(i, money, number, different, metric, sell, value, link)
	if ok && slices.Contains([]kind{by, which, top, bottom, bestSeller, worstSeller, rank, list, share, different, expensive, cheap, compared, soldOut, lowStock, grown, shrunk, change, loss, trend, price}, prev.kind) {
		return true
	}
	if r.has(howMany) && len(r.p.Measures) > 0 {
		return false
	}
	if r.has(top, bottom, bestSeller, worstSeller, rank, list, which, expensive, cheap, soldOut, lowStock, loss) {
		return true
	}
	return r.find(0, by) >= 0 && r.find(0, by) < i || !r.has(howMuch, share, perOrder, average) && len(r.p.WhatIf) == 0 && r.p.Compare == nil
}

// afterGroup reports whether a unit of time continues a list of groups: by store and
// month.
func (r *reading) afterGroup(i int) bool {
	named, ok := r.before(i, and)
	if !ok || r.find(0, by) < 0 || r.find(0, by) > i {
		return false
	}
	_, isName := r.columnOf(named)
	return isName || named.kind == unit || named.kind == series
}

func (r *reading) measured(c schema.Column) bool {
	return slices.ContainsFunc(r.p.Measures, func(m plan.Measure) bool { return m.Column == c.Heading })
}

func (r *reading) filtered(heading string) bool {
	return slices.ContainsFunc(r.p.Where, func(f plan.Filter) bool { return f.Column == heading && f.Op == plan.In })
}

// groupByImplied groups a question that asks for a name or a trend without saying by what:
// what sells best, who buys most, where, when.
func (r *reading) groupByImplied() {
	if len(r.p.By) > 0 || r.p.Count {
		return
	}
	if r.has(value) && len(r.p.WhatIf) == 0 && !r.has(share) {
		if r.groupByCompared(); len(r.p.By) > 0 {
			return
		}
	}
	inStock := len(r.p.Measures) > 0 && r.p.Measures[0].Metric == plan.StockUnits && slices.ContainsFunc(r.p.Where, func(f plan.Filter) bool { return f.Op == plan.More })
	switch {
	case inStock && r.has(which, list):
		r.groupByProduct()
	case r.has(soldOut, lowStock, loss) && !r.has(howMany, howMuch, share):
		r.groupByProduct()
	case r.has(who):
		r.groupByRole(schema.Customer, schema.Staff)
	case r.has(where):
		r.groupByRole(schema.Store, schema.City, schema.State, schema.Region, schema.Country)
	case r.has(when) && r.has(top, bottom, bestSeller, worstSeller):
		if _, ok := r.timeHeading(plan.Hour); ok {
			r.groupByTime(plan.Hour)
		} else {
			r.groupByTime(plan.Weekday)
		}
	case r.has(bestSeller, worstSeller) && !r.has(howMuch, howMany):
		r.groupByCompared()
		if len(r.p.By) == 0 {
			r.groupByProduct()
		}
	case r.has(compared, or, and) || r.comparesValues() || r.has(which) && r.has(top, bottom, comparison):
		r.groupByCompared()
	case r.has(trend) && r.p.Compare == nil:
		r.groupByTime(r.seriesUnit())
	}
	if len(r.p.By) == 0 && r.has(grown, shrunk) && r.has(top, bottom) && !r.has(howMuch, howMany) && len(r.p.WhatIf) == 0 {
		r.groupByProduct()
	}
}

func (r *reading) groupByRole(roles ...schema.Role) {
	for _, role := range roles {
		if h, ok := r.heading(role); ok {
			r.groupBy(plan.Dimension{Column: h})
			return
		}
	}
}

// groupByCompared groups by the column of compared values: Walmart vs Amazon. Values found
// by a part of their name are one thing and not compared.
func (r *reading) groupByCompared() {
	if r.comparesDaytypes() {
		r.groupByTime(plan.Daytype)
		return
	}
	count := map[int]int{}
	for i, m := range r.marks {
		if m.kind == value && r.filterOp(i) == plan.In && (!m.loose || r.has(compared, or)) {
			count[m.column]++
		}
		if m.kind == days && r.has(compared, or) && m.piece == plan.Weekday {
			h, _ := r.timeHeading(plan.Weekday)
			defer r.groupBy(plan.Dimension{Column: h, Part: plan.Weekday})
		}
	}
	for i, c := range r.x.source.Columns {
		if count[i] > 1 && !r.has(share) && len(r.p.WhatIf) == 0 {
			r.groupBy(plan.Dimension{Column: c.Heading})
			return
		}
	}
}

// seriesUnit returns the unit that shows a trend well: months, unless the days are few.
func (r *reading) seriesUnit() plan.Part {
	s := r.allDays()
	if r.p.Period != nil {
		s = spanOf(*r.p.Period)
	}
	switch days := int(s.to.Sub(s.from).Hours() / 24); {
	case days <= 35:
		return plan.Day
	case days <= 100:
		return plan.Week
	}
	return plan.Month
}

// readOrder decides the order of the groups and their number.
func (r *reading) readOrder() error {
	if len(r.p.By) == 0 || r.p.Count {
		return nil
	}
	low := r.has(bottom, worstSeller, cheap) || r.has(loss)
	high := r.has(top, bestSeller, expensive, rank)
	r.p.Limit = r.limit()
	r.readPlace()
	timed := r.p.By[0].Part != plan.Whole
	change := r.p.Compare != nil && r.has(grown, shrunk, change)
	switch {
	case change && r.has(shrunk) && !timed:
		r.p.Order = plan.Shrunk
	case change && !timed:
		r.p.Order = plan.Grown
	case low:
		r.p.Order = plan.Lowest
	case high:
		r.p.Order = plan.Highest
	case timed:
		r.p.Order = plan.ByLabel
	default:
		r.p.Order = plan.Highest
	}
	if timed && r.p.Limit == 0 && !low && !high {
		r.p.Order = plan.ByLabel
	}
	if len(r.p.By) == 1 && r.p.By[0].Part.Series() && r.p.Compare == nil && r.asksSteps() {
		r.p.Steps, r.p.Order, r.p.Limit = true, plan.ByLabel, 0
	}
	return nil
}

// readPlace reads second best and third largest.
func (r *reading) readPlace() {
	i := r.find(0, placeNo)
	if next, j := r.after(i); i < 0 || j < 0 || !slices.Contains([]kind{top, bottom, bestSeller, worstSeller, expensive, cheap}, next.kind) || r.p.Each || len(r.p.By) != 1 {
		return
	}
	r.p.Nth, _ = strconv.Atoi(r.consume(i).arg)
	r.p.Limit = r.p.Nth
}

// groupByClaim turns "is it true that Downtown sells most" into who sells most.
func (r *reading) groupByClaim() {
	i := r.find(0, value)
	if !r.has(claim) || i < 0 || r.find(i+1, value) >= 0 || r.has(dim) || !r.has(top, bottom, bestSeller, worstSeller) {
		return
	}
	h := r.x.source.Columns[r.marks[i].column].Heading
	r.p.Where = slices.DeleteFunc(r.p.Where, func(f plan.Filter) bool { return f.Column == h })
	r.groupBy(plan.Dimension{Column: h})
}

// limit returns the number beside a superlative, 1 for a singular noun, 10 for a plural,
// or 0 for all.
func (r *reading) limit() int {
	for i, m := range r.marks {
		if m.kind != number || m.number.kind != plainNumber || m.number.number < 1 || m.number.number > plan.MaxLimit {
			continue
		}
		if r.isBeside(i, top, bottom, bestSeller, worstSeller, expensive, cheap, dim, rank, unit, column) && !r.boundBefore(i) {
			r.marks[i].used = true
			return int(m.number.number)
		}
	}
	if !r.has(top, bottom, bestSeller, worstSeller, expensive, cheap) || r.has(rank, soldOut, lowStock, loss) || r.has(by) && r.groupedByWord() {
		return 0
	}
	if r.has(compared, or) && len(r.p.Where) > 0 && r.filtered(r.p.By[0].Column) {
		return 0
	}
	if r.asksPlural() {
		return 10
	}
	return 1
}

func (r *reading) isBeside(i int, kinds ...kind) bool {
	prev, ok := r.before(i)
	next, j := r.after(i)
	return ok && slices.Contains(kinds, prev.kind) && prev.kind != dim && prev.kind != unit && prev.kind != column || j >= 0 && slices.Contains(kinds, next.kind)
}

// groupedByWord reports whether "by" made the groups: the highest sales by store ranks all
// stores.
func (r *reading) groupedByWord() bool {
	for i, m := range r.marks {
		if m.kind != by || m.text != "by" {
			continue
		}
		next, j := r.after(i)
		if j >= 0 && (next.kind == dim || next.kind == unit || next.kind == column && r.x.source.Columns[next.column].Type != schema.Number) {
			return true
		}
	}
	return false
}

// asksPlural reports whether names are asked for in the plural.
func (r *reading) asksPlural() bool {
	for _, m := range r.marks {
		if m.kind == dim || m.kind == unit || m.kind == column || m.kind == bestSeller || m.kind == worstSeller {
			if t := r.ts[m.to-1]; t.text != t.stem {
				return m.kind != bestSeller && m.kind != worstSeller || m.text[len(m.text)-2:] == "rs"
			}
		}
	}
	return false
}

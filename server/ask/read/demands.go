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

// demand is a structure that words of a question call for. Without it in the plan two
// people would read the words apart.
type demand struct {
	name  string
	words []string              // runs of tokens, one of which calls for it; none: every question
	met   func(b *builder) bool // reports whether the plan has it
}

// demands are all demands. A word that is a value or a part of one calls for nothing.
var demands = []demand{
	{"two sides", []string{"vs", "versus", "v", "against", "difference", "differ", "beat", "beats", "outsell", "outsells", "outsold", "outperform", "better", "worse", "than"}, (*builder).setsApart},
	{"one value a side", []string{"vs", "versus", "difference"}, (*builder).hasSingleSides},
	{"filtered groups", []string{"more", "less", "fewer", "better", "worse", "growing", "grew", "grown", "rising", "rose", "increasing", "declining", "falling", "fell", "shrinking", "declined", "increased", "decreased", "improved", "improving", "dropping", "dropped", "losing"}, (*builder).filtersGroups},
	{"change", []string{"growing", "declining", "shrinking", "rising", "falling", "faster", "slower"}, (*builder).hasTwoTimes},
	{"average of a part of time", []string{"average", "avg", "mean", "median", "typical"}, (*builder).dividesByTime},
	{"price of stock", []string{"at"}, func(b *builder) bool {
		return !slices.ContainsFunc(b.s.figures, func(f figure) bool { return f.priced() != schema.None }) || !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.StockValue })
	}},
	{"sold goods", []string{"sold"}, func(b *builder) bool {
		return b.x.source.Kind != schema.Stocklist || len(b.p.Measures) == 0 || b.p.Measures[0].Metric != plan.StockUnits
	}},
	{"margin of one product", nil, func(b *builder) bool {
		return b.x.source.Kind != schema.Stocklist || len(b.p.By) > 0 || !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Margin })
	}},
	{"both values", []string{"both"}, (*builder).hasBoth},
	{"mean", []string{"average", "avg", "mean", "on average"}, (*builder).hasMean},
	{"rate", []string{"daily average", "average daily", "a day", "per day", "each day", "per weekday", "a week", "per week", "a month", "per month", "per hour", "an hour", "hourly", "per minute", "a minute"}, (*builder).hasRate},
	{"median of values", []string{"median", "middle"}, (*builder).hasMedian},
	{"no counted time", []string{"how many", "number of"}, (*builder).countsNamed},
	{"second figure", []string{"and what", "and how", "and which", "and who", "and when", "and their", "and its", "as well as", "along with"}, func(b *builder) bool { return len(b.p.Measures)+len(b.p.Derived) > 1 || b.p.Ends }},
	{"one sum", []string{"together", "altogether", "combined", "total of", "sum of", "total sales of", "total revenue of", "total profit of", "total units of", "share of top", "share of the top", "percentage of the top", "come from", "comes from", "came from"}, (*builder).showsSum},
	{"running total", []string{"running", "cumulative", "cumulatively"}, func(b *builder) bool { return len(b.p.Derived) > 0 }},
	{"counted times", []string{"once", "twice", "repeatedly", "regularly"}, (*builder).boundsCount},
	{"counted habit", []string{"often", "frequently", "usually", "typically", "most common", "commonest"}, (*builder).countsHabit},
	{"groups of each", []string{"each", "every"}, func(b *builder) bool { return b.isGrouped() || b.isDivided() || b.p.Steps || b.p.Compare != nil }},
	{"groups of per", []string{"per"}, func(b *builder) bool { return b.isGrouped() || b.isDivided() || len(b.p.Derived) > 0 }},
	{"limit", []string{"only"}, func(b *builder) bool { return len(b.p.Where) > 0 || len(b.p.Having) > 0 || b.p.Period != nil }},
	{"start", []string{"since"}, (*builder).hasDays},
	{"stock", []string{"left", "remaining", "on hand"}, (*builder).showsStock},
	{"never given", []string{"sells together", "sell together", "selling together", "sold together", "buy together", "bought together", "sell through", "sellthrough", "turnover rate", "stock turn"}, unused},
	{"share", []string{"how much of", "what part of", "what share", "proportion", "fraction"}, (*builder).hasShare},
	{"days", []string{"what day", "which day", "what days", "which days"}, func(b *builder) bool { return b.hasPart(plan.Day, plan.Weekday, plan.Daytype) }},
	{"weeks", []string{"what week", "which week", "which weeks"}, func(b *builder) bool { return b.hasPart(plan.Week, plan.Weekday) }},
	{"months", []string{"what month", "which month", "which months"}, func(b *builder) bool { return b.hasPart(plan.Month) }},
	{"hours", []string{"what hour", "which hour", "which hours"}, func(b *builder) bool { return b.hasPart(plan.Hour) }},
	{"discounts", []string{"discount", "discounts"}, (*builder).hasDiscount},
	{"things on order", []string{"what is on order", "products on order", "items on order"}, (*builder).isGrouped},
	{"purchases", []string{"we buy", "we bought", "we purchased", "we purchase"}, func(b *builder) bool { return b.x.source.Kind != schema.Stocklist }},
	{"returns", []string{"come back", "came back", "sent back", "send back", "coming back"}, (*builder).hasReturns},
	{"visits", []string{"visits"}, func(b *builder) bool { return b.x.names("visit") }},
	{"things that are sold", []string{"what do we sell", "what did we sell", "what do you sell", "what we sell", "what do i sell"}, (*builder).isGrouped},
	{"what people earn", []string{"earn", "earns", "earned", "paid", "get paid"}, (*builder).earnsNoWage},
	{"average of what", []string{"average per", "avg per", "mean per"}, func(b *builder) bool { return len(b.s.figures) > 0 }},
	{"goods that came back", []string{"return rate", "returns", "return"}, func(b *builder) bool {
		isCount := func(c schema.Column) bool {
			return c.Type == schema.Number && c.Role == schema.None && hasWord(c.Heading, "returned", "returns")
		}
		return !slices.ContainsFunc(b.x.source.Columns, isCount) || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return hasWord(m.Column, "returned", "returns") })
	}},
	{"money net of an amount", []string{"without", "excluding", "before", "ex", "minus"}, func(b *builder) bool { return b.s.pair != plan.Difference }},
	{"a price that adds up to nothing", nil, func(b *builder) bool {
		return b.x.source.Kind != schema.Stocklist || !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
			c, ok := plan.Column(b.x.source, m.Column)
			return ok && m.Metric == plan.Sum && (c.Role == schema.Price || c.Role == schema.UnitCost)
		})
	}},
	{"goods that have some", []string{"how many"}, func(b *builder) bool {
		counts := len(b.p.Measures) > 1 && (b.p.Measures[0].Metric == plan.Rows || b.p.Measures[0].Metric == plan.Distinct)
		return b.x.source.Kind != schema.Stocklist || !counts
	}},
	{"cost of what is on order", []string{"on order"}, func(b *builder) bool { return len(b.p.Measures) < 2 }},
	{"what ordering costs", []string{"cost to", "cost us to", "cost me to"}, unused},
	{"an average of sales or of days", []string{"takings", "income", "revenue", "turnover"}, (*builder).averagesSales},
	{"what is held", []string{"holding", "hold", "held"}, unused},
	{"both sides", []string{"vs", "versus", "v", "compared", "compare", "or"}, (*builder).showsBothSides},
	{"days between", []string{"days from", "days between", "days after"}, func(b *builder) bool {
		return slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Since != "" })
	}},
	{"orders of an order", nil, func(b *builder) bool {
		return !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Orders && m.Per == plan.PerOrder })
	}},
	{"a judgement", []string{"worth it", "worth doing", "worth having", "worth keeping", "worth the", "worth our", "worth my", "any good", "good idea"}, unused},
	{"what is used", []string{"use", "using", "used"}, func(b *builder) bool { return b.x.source.Kind != schema.Stocklist }},
	{"kinds in stock", []string{"do we stock", "do you stock", "do i stock"}, func(b *builder) bool {
		return !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.StockUnits })
	}},
	{"occasions", []string{"did we do", "did i do", "have we done"}, func(b *builder) bool {
		return !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Distinct })
	}},
	{"all conditions", nil, (*builder).usesConditions},
	{"hours or amounts", []string{"between"}, (*builder).boundsNoHours},
	{"both of two", []string{"how many", "number of"}, (*builder).countsEither},
	{"a figure beside another", nil, (*builder).namesCompared},
	{"bounded things", nil, (*builder).boundsThings},
	{"days that exist", nil, (*builder).hasNamedDay},
	{"the day of several", nil, (*builder).knowsDay},
	{"all periods", nil, (*builder).usesPeriods},
	{"values of periods", nil, (*builder).losesNoValue},
	{"named figure", nil, (*builder).namesFigure},
	{"groups of things", nil, func(b *builder) bool {
		isID := func(d plan.Dimension) bool { return hasWord(d.Column, idWords...) }
		return len(b.p.By) < 2 || !b.isOrders() && !slices.ContainsFunc(b.p.By, isID)
	}},
}

// readDemands makes a reading loose whose plan lacks what its words call for.
func (b *builder) readDemands() error {
	for _, d := range demands {
		asked := len(d.words) == 0 || slices.ContainsFunc(d.words, func(w string) bool { return b.phrase(w) >= 0 })
		if asked && !d.met(b) {
			b.loose = true
		}
	}
	return nil
}

// averagesSales reports whether an average of money is one of orders, or of rows of which a day has
// one: of a stall's lines it may be that of a day.
func (b *builder) averagesSales() bool {
	_, ordered := b.x.source.ByRole(schema.Order)
	day, dated := b.x.source.ByRole(schema.Day)
	ofRows := len(b.p.Measures) > 0 && b.p.Measures[0].Metric == plan.Revenue && b.p.Measures[0].Per == plan.PerOrder
	return !ofRows || ordered || !dated || 5*b.x.source.Rows <= 6*day.Distinct
}

// showsBothSides reports whether groups are not those of one value alone.
func (b *builder) showsBothSides() bool {
	return !slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool {
		return slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool {
			return f.Column == d.Column && f.Part == d.Part && f.Op == plan.In && len(f.Values) == 1
		})
	})
}

// phrase returns the first token of some words outside of values, or -1.
func (b *builder) phrase(words string) int {
	for i := range b.tokens {
		if b.says(i, words) && !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from <= i && i < f.to }) {
			return i
		}
	}
	return -1
}

// says reports whether some words begin at token i.
func (b *builder) says(i int, words string) bool {
	for w := range strings.SplitSeq(words, " ") {
		if i >= len(b.tokens) || b.tokens[i].Text != w {
			return false
		}
		i++
	}
	return true
}

// manyValues returns a filter for several values of one column, which may be sides, or nil.
func (b *builder) manyValues() *plan.Filter {
	for i, f := range b.p.Where {
		if f.Op == plan.In && len(f.Values) > 1 {
			return &b.p.Where[i]
		}
	}
	return nil
}

// setsApart reports whether two things are beside each other and not in one sum.
func (b *builder) setsApart() bool {
	ofBound := func(i int) bool {
		return slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.from <= i && i < o.to })
	}
	if i := b.phrase("than"); i >= 0 && ofBound(i) || len(b.p.Having) > 0 {
		return true
	}
	if slices.ContainsFunc(b.p.Measures, plan.Measure.Restricted) || len(b.p.Derived) > 0 {
		return true
	}
	if f := b.manyValues(); f != nil {
		return len(b.p.By) == 1 && b.p.By[0].Column == f.Column && (f.Part == b.p.By[0].Part || f.Part == plan.Whole)
	}
	if b.hasPart(plan.Daytype) {
		return len(b.p.By) == 1
	}
	return b.hasChange() || b.isGrouped() || len(b.p.Measures) > 1 || len(b.p.Where) > 0 && slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Op != plan.In && f.Op != plan.NotIn })
}

// hasSingleSides reports whether each side of a comparison is one value.
func (b *builder) hasSingleSides() bool {
	return !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.Op == plan.In && f.Part == plan.Whole && len(f.Values) > 1 })
}

// filtersGroups reports whether groups of which some do more than before are only those, or
// the groups are the two sides.
func (b *builder) filtersGroups() bool {
	if len(b.p.By) == 0 || b.isTimed() || b.s.rank != nil || b.p.Limit > 0 || len(b.p.Having)+len(b.s.bounds) > 0 || !b.phraseOf("which", "who", "what", "that") {
		return true
	}
	f := b.manyValues()
	return f != nil && slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == f.Column })
}

// hasTwoTimes reports whether figures are of two periods or of a run of them.
func (b *builder) hasTwoTimes() bool {
	return b.p.Compare != nil || b.p.Steps || b.isTimed() || len(b.p.Derived) > 0 || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Period != nil })
}

// phraseOf reports whether one of some words is in the question outside of values.
func (b *builder) phraseOf(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return b.phrase(w) >= 0 })
}

// hasPart reports whether groups, figures or rows are of one of some parts of time.
func (b *builder) hasPart(parts ...plan.Part) bool {
	return slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return slices.Contains(parts, d.Part) }) ||
		slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return slices.Contains(parts, plan.Part(m.Per)) || m.Metric.AsDay() })
}

// isDivided reports whether a figure is for each of something.
func (b *builder) isDivided() bool {
	return slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		return m.Per != "" || slices.Contains([]plan.Metric{plan.AveragePrice, plan.Margin, plan.Cover, plan.Average}, m.Metric)
	})
}

// orderWords are the words that name orders as what an average divides by.
var orderWords = []string{"order", "orders", "sale", "transaction", "transactions", "invoice", "invoices", "basket", "ticket", "bill", "receipt", "cart", "purchase", "aov", "visit", "booking", "check", "deal", "payment"}

// dividesByTime reports whether an average beside days is one of days: of weekends or of
// parts of time that make its groups.
func (b *builder) dividesByTime() bool {
	perOrder := slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Per == plan.PerOrder || m.Per == plan.PerRow })
	return !perOrder || b.phraseOf(orderWords...) || !b.hasPart(plan.Day, plan.Week, plan.Weekday, plan.Daytype) &&
		!slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return f.Part == plan.Weekday || f.Part == plan.Daytype })
}

// hasBoth reports whether two values are beside each other, or a group must have each.
func (b *builder) hasBoth() bool {
	f := b.manyValues()
	return f == nil || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == f.Column })
}

// hasMean reports whether a figure is divided by something.
func (b *builder) hasMean() bool {
	return b.isDivided() || len(b.p.Derived) > 0 || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		f, err := plan.FormulaOf(b.x.source, m)
		return err == nil && (f.Bottom != nil || f.Top.Fold == plan.FoldMean)
	})
}

// hasRate reports whether a figure is for each part of time.
func (b *builder) hasRate() bool {
	series := func(p string) bool { return slices.Contains(plan.Parts, plan.Part(p)) }
	divided := slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return series(m.Per) || m.Metric == plan.Cover })
	if divided {
		return len(b.s.where) == 0 || !slices.ContainsFunc(b.s.where, func(f cond) bool { return f.guessed && b.follows(f.span, "many") })
	}
	return b.isTimed() && !b.isDivided() && len(b.p.By) == 1 && !b.p.Count || b.phraseOf("by")
}

// follows reports whether a span comes after one of some words.
func (b *builder) follows(s span, words ...string) bool { return b.wordAt(s.from-1, words...) }

// hasMedian reports whether a median is of values, and not of a count of one or by order.
func (b *builder) hasMedian() bool {
	order, _ := b.heading(schema.Order)
	return !slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Per == plan.PerOrder && m.Metric == plan.Orders }) &&
		!slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == order && order != "" }) &&
		slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Fold == plan.FoldMedian })
}

// countsNamed reports whether what is counted is what the words name: no days of a value.
func (b *builder) countsNamed() bool {
	i := max(b.phrase("many"), b.phrase("number")+1)
	counted := slices.IndexFunc(b.s.where, func(f cond) bool { return f.from == i+1 && f.flag == nil })
	if counted < 0 {
		return true
	}
	countsTime := b.p.Count && b.isTimed() || b.p.Count && !b.isOrders()
	distinct := slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Distinct })
	return !countsTime && !distinct && (!b.s.where[counted].guessed || len(b.s.where[counted].Values) == 1)
}

// isOrders reports whether the groups are orders.
func (b *builder) isOrders() bool {
	order, ok := b.heading(schema.Order)
	return ok && slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == order })
}

// showsSum reports whether groups that are limited are not asked for as one sum.
func (b *builder) showsSum() bool {
	return b.p.Limit <= 1 || b.s.rank != nil && b.phrase("total") > b.s.rank.from
}

// boundsCount reports whether a bound is on something that is counted.
func (b *builder) boundsCount() bool {
	isCount := func(m plan.Measure) bool {
		return slices.Contains([]plan.Metric{plan.Orders, plan.Rows, plan.Units, plan.Distinct, plan.RepeatCustomers}, m.Metric)
	}
	if slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.RepeatCustomers }) {
		return true
	}
	return slices.ContainsFunc(b.p.Having, func(t plan.Threshold) bool { return t.Measure < len(b.p.Measures) && isCount(b.p.Measures[t.Measure]) })
}

// countsHabit reports whether the first figure counts or divides by time, and is no amount.
func (b *builder) countsHabit() bool {
	if len(b.p.Measures) == 0 {
		return false
	}
	m := b.p.Measures[0]
	return slices.Contains([]plan.Metric{plan.Orders, plan.Rows, plan.Units, plan.Distinct, plan.Customers}, m.Metric) && m.Per != plan.PerOrder
}

// hasDays reports whether the plan has days.
func (b *builder) hasDays() bool {
	return b.p.Period != nil || len(b.p.Where) > 0 && b.hasPart(plan.Day) || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Since != "" || m.Period != nil || m.Metric.AsDay() })
}

// showsStock reports whether a figure is of stock and none counts days with rows.
func (b *builder) showsStock() bool {
	return !b.p.Count && (b.x.source.Kind == schema.Stocklist || len(b.s.periods) > 0)
}

// hasDiscount reports whether a figure or condition is of discounts.
func (b *builder) hasDiscount() bool {
	of := func(heading string) bool { return hasWord(heading, "discount", "discounts", "discounted", "promo") }
	return len(b.p.WhatIf) > 0 || len(b.notes) > 0 && b.phraseOf("before", "after", "net", "without") ||
		slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Discounts || of(m.Column) }) ||
		slices.ContainsFunc(b.p.Where, func(f plan.Filter) bool { return of(f.Column) }) || slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return of(d.Column) })
}

// earnsNoWage reports whether what people earn is not theirs: the revenue of staff may be
// their sales or their pay.
func (b *builder) earnsNoWage() bool {
	staff, ok := b.heading(schema.Staff)
	return !ok || !slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == staff })
}

// periods returns all periods of the plan.
func (b *builder) periods() []plan.Period {
	var out []plan.Period
	for _, p := range []*plan.Period{b.p.Period, b.p.Compare, b.claim} {
		if p != nil {
			out = append(out, *p)
		}
	}
	for _, m := range b.p.Measures {
		if m.Period != nil {
			out = append(out, *m.Period)
		}
	}
	return out
}

// monthNamed returns the month with a name or its first three letters; 0: none.
func monthNamed(word string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if name := m.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return m
		}
	}
	return 0
}

// hasNamedDay reports whether a day of a month that the words name is an end of a period:
// 29 February of a common year is none.
func (b *builder) hasNamedDay() bool {
	for i, t := range b.tokens {
		month := monthNamed(t.Text)
		if month == 0 {
			continue
		}
		for _, k := range []int{i - 1, i + 1} {
			if k < 0 || k >= len(b.tokens) {
				continue
			}
			day, err := strconv.Atoi(strings.TrimRight(b.tokens[k].Text, "stndrh"))
			end := "-" + twoDigits(int(month)) + "-" + twoDigits(day)
			if err == nil && day > 28 && day <= 31 && !slices.ContainsFunc(b.periods(), func(p plan.Period) bool { return strings.HasSuffix(p.From, end) || strings.HasSuffix(p.To, end) }) {
				return false
			}
		}
	}
	return true
}

// usesPeriods reports whether a plan of two periods comes from no more than two in the
// words.
func (b *builder) usesPeriods() bool {
	return b.p.Compare == nil || len(b.s.days) <= 2 && len(b.s.periods)+len(b.s.earlier) <= 2
}

// losesNoValue reports whether no period took the words of a value, such as the city May.
func (b *builder) losesNoValue() bool {
	for _, d := range b.s.days {
		for i := d.from; i < d.to; i++ {
			if b.tokens[i].Unit == link.Unit("") && slices.ContainsFunc(b.starts[i], func(it *item) bool {
				return it.cat == valueCat && len(it.of) == 0 && len(it.s.where) == 1 && !it.s.where[0].guessed && it.s.where[0].Part == plan.Whole && it.s.where[0].role != schema.None && it.to <= d.to
			}) {
				return false
			}
		}
	}
	return true
}

// namesFigure reports whether a bound on a column that begins a question is not of the
// question's only figure: ratings below 5 by branch.
func (b *builder) namesFigure() bool {
	if len(b.s.figures) > 0 || len(b.s.counts) > 0 || b.p.Count || len(b.s.marks) > 0 && b.s.has("sell", "buy", "howmuch", "howmany", "row", "which", "list") {
		return true
	}
	return !slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.of != nil && o.of.column != nil && o.of.from == 0 })
}

// hasReturns reports whether a figure is of what was given back.
func (b *builder) hasReturns() bool {
	return slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool {
		return slices.Contains([]plan.Metric{plan.Refunds, plan.RefundRate, plan.RefundedOrders, plan.ReturnRate, plan.RepeatCustomers}, m.Metric) || hasWord(m.Column, "return", "returns", "returned", "refund", "refunded")
	})
}

// boundsThings reports whether no bound on a number of a value's things, as in more than 5
// jumpers, is one of money.
func (b *builder) boundsThings() bool {
	_, priced := b.heading(schema.Price)
	product, _ := b.productHeading()
	if priced && len(b.p.By) == 1 && b.p.By[0].Column == product && len(b.s.figures) == 0 && slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.of == nil && o.unit == link.Money && o.arg == "" }) && b.p.Measures[0].Metric == plan.Revenue {
		return false // items above 5 dollars
	}
	return !slices.ContainsFunc(b.p.Having, func(t plan.Threshold) bool {
		return t.Other == nil && t.Measure < len(b.p.Measures) && b.p.Measures[t.Measure].Metric == plan.Revenue &&
			slices.ContainsFunc(b.s.bounds, func(o bound) bool {
				return o.unit == "" && o.of == nil && slices.ContainsFunc(b.s.where, func(f cond) bool { return f.from == o.to })
			})
	})
}

// usesConditions reports whether each value and each bound of the words is in the plan.
func (b *builder) usesConditions() bool {
	if b.p.Why && !b.p.WhyOne() || len(b.p.WhatIf) > 0 {
		return true
	}
	filters := b.p.Filters()
	missing := func(f cond) bool {
		return !slices.ContainsFunc(filters, func(g plan.Filter) bool { return g.Column == f.Column }) && !slices.ContainsFunc(b.p.By, func(d plan.Dimension) bool { return d.Column == f.Column })
	}
	return !slices.ContainsFunc(b.s.where, missing) && !slices.ContainsFunc(b.s.contrast, missing)
}

// boundsNoHours reports whether bounds that may be hours are of a figure that the words name.
func (b *builder) boundsNoHours() bool {
	if _, timed := plan.TimeColumn(b.x.source, plan.Hour); !timed {
		return true
	}
	return !slices.ContainsFunc(b.s.bounds, func(o bound) bool {
		return (o.of == nil || o.of.metric == plan.Revenue || o.of.metric == plan.Orders) && o.name == nil && o.unit == link.Plain && o.measure == "" && o.number >= 0 && o.number <= 24
	})
}

// countsEither reports whether what has two values is not counted for each of them: cities
// with Walmart and Amazon have both.
func (b *builder) countsEither() bool {
	counts := b.p.Count || slices.ContainsFunc(b.p.Measures, func(m plan.Measure) bool { return m.Metric == plan.Distinct || m.Metric == plan.Customers })
	return !counts || b.manyValues() == nil || !slices.ContainsFunc(b.s.where, func(f cond) bool {
		return f.listed && slices.ContainsFunc(b.tokens[f.from:f.to], func(t link.Token) bool { return t.Text == "and" })
	})
}

// namesCompared reports whether the words name a figure, if columns of a row are compared.
func (b *builder) namesCompared() bool {
	return len(b.s.figures)+len(b.s.counts) > 0 || b.p.List != nil || b.isGrouped() || b.s.has("row", "howmany", "howmuch", "sell") || !slices.ContainsFunc(b.s.bounds, func(o bound) bool { return o.other != nil && !o.far })
}

func twoDigits(n int) string {
	if n < 10 {
		return "0" + strconv.Itoa(n)
	}
	return strconv.Itoa(n)
}

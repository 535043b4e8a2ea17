package tell

import (
	"fmt"
	"slices"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// Shape is the form of a result, which decides how it is presented.
type Shape string

// The shapes. All except the last four are of groups, or may be.
const (
	Given     Shape = "given"     // pairs of a question's context
	Unsold    Shape = "unsold"    // what is in stock and has not sold
	Lasting   Shape = "lasting"   // days of cover
	Slow      Shape = "slow"      // what is in stock and sold least
	Steps     Shape = "steps"     // each part of time beside the one before
	Causes    Shape = "causes"    // what made up a change
	Lacking   Shape = "lacking"   // groups without any of something
	Counted   Shape = "counted"   // the number of groups
	Simulated Shape = "simulated" // figures after a supposed change
	Parted    Shape = "parted"    // the share of a part
	Listed    Shape = "listed"    // groups that pass
	Rows      Shape = "rows"      // the rows themselves
	Ends      Shape = "ends"      // the first and the last groups
	Summed    Shape = "summed"    // a running total
	Series    Shape = "series"    // groups in the order of time
	Ranked    Shape = "ranked"    // groups in the order of a figure
	Related   Shape = "related"   // a figure that is made from others
	Compared  Shape = "compared"  // one figure in two periods
	Total     Shape = "total"     // one figure, or several
)

// presenter words the results of one shape. Without chart or table there is none.
type presenter struct {
	shape    Shape
	is       func(*verbalizer) bool
	sentence func(*verbalizer) string
	header   func(*verbalizer) string
	cards    func(*verbalizer) []Card
	chart    func(*verbalizer) *Chart
	table    func(*verbalizer) *Table
}

// presenters are all presenters; the first that is of the result's shape has it.
var presenters = []presenter{
	{Given, func(v *verbalizer) bool { return v.Options.Given && len(v.p.WhatIf) == 0 }, (*verbalizer).given, (*verbalizer).givenHeader, (*verbalizer).givenCards, nil, nil},
	{Rows, func(v *verbalizer) bool { return v.p.List != nil }, (*verbalizer).listed, (*verbalizer).listHeader, (*verbalizer).listCards, nil, (*verbalizer).listTable},
	{Unsold, (*verbalizer).isUnsold, (*verbalizer).deadStock, (*verbalizer).unsoldHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Lasting, (*verbalizer).ofCoverByGroup, (*verbalizer).cover, (*verbalizer).coverHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Slow, (*verbalizer).isSlow, (*verbalizer).slowMovers, always("Slow movers"), (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Steps, func(v *verbalizer) bool { return v.p.Steps }, (*verbalizer).steps, (*verbalizer).seriesHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Causes, func(v *verbalizer) bool { return v.p.Why && !v.p.WhyOne() }, (*verbalizer).causes, (*verbalizer).totalHeader, (*verbalizer).totalCards, (*verbalizer).periodsChart, nil},
	{Lacking, (*verbalizer).isLacking, (*verbalizer).lacking, (*verbalizer).countHeader, (*verbalizer).groupCards, nil, (*verbalizer).groupsTable},
	{Counted, func(v *verbalizer) bool { return v.p.Count }, (*verbalizer).groupsCounted, (*verbalizer).countHeader, (*verbalizer).groupCards, nil, nil},
	{Simulated, func(v *verbalizer) bool { return len(v.p.WhatIf) > 0 }, (*verbalizer).simulated, (*verbalizer).simulatedHeader, (*verbalizer).simulatedCards, nil, (*verbalizer).groupsTable},
	{Parted, func(v *verbalizer) bool { return v.p.Share && len(v.p.By) == 0 }, (*verbalizer).shareOfPart, (*verbalizer).shareHeader, (*verbalizer).shareCards, (*verbalizer).periodsChart, nil},
	{Summed, (*verbalizer).isSummed, (*verbalizer).summed, (*verbalizer).seriesHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Listed, func(v *verbalizer) bool { return len(v.p.By) > 0 && v.isList() }, (*verbalizer).listing, (*verbalizer).countHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Ends, func(v *verbalizer) bool { return v.p.Ends }, (*verbalizer).bothEnds, (*verbalizer).rankHeader, (*verbalizer).endCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Series, (*verbalizer).isSeries, (*verbalizer).series, (*verbalizer).seriesHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Ranked, func(v *verbalizer) bool { return len(v.p.By) > 0 }, (*verbalizer).ranked, (*verbalizer).rankHeader, (*verbalizer).groupCards, (*verbalizer).groupsChart, (*verbalizer).groupsTable},
	{Related, func(v *verbalizer) bool { return len(v.p.Derived) > 0 }, (*verbalizer).related, (*verbalizer).totalHeader, (*verbalizer).totalCards, (*verbalizer).relatedChart, nil},
	{Compared, func(v *verbalizer) bool { return v.p.Compare != nil }, (*verbalizer).comparedWith, (*verbalizer).totalHeader, (*verbalizer).totalCards, (*verbalizer).periodsChart, nil},
	{Total, func(*verbalizer) bool { return true }, (*verbalizer).total, (*verbalizer).totalHeader, (*verbalizer).totalCards, nil, nil},
}

// presenterOf returns the presenter of a result.
func presenterOf(v *verbalizer) presenter {
	return presenters[slices.IndexFunc(presenters, func(p presenter) bool { return p.is(v) })]
}

// always returns a header that is the same for each result.
func always(s string) func(*verbalizer) string { return func(*verbalizer) string { return s } }

func (v *verbalizer) isUnsold() bool { _, is := v.unsoldFilter(); return is }

func (v *verbalizer) ofCoverByGroup() bool { return v.ofCover() && len(v.p.By) > 0 }

func (v *verbalizer) isSlow() bool {
	return v.p.Measures[0].Metric == plan.SoldLately && len(v.p.By) > 0 && len(v.r.Groups) > 0
}

// isSeries reports whether the groups are parts of time in their order.
func (v *verbalizer) isSeries() bool {
	return len(v.p.By) > 0 && v.p.By[0].Part != plan.Whole && (v.p.Order == plan.ByLabel || v.p.Order == "")
}

// isSummed reports whether the answer is a running total in one series.
func (v *verbalizer) isSummed() bool {
	i := v.main - len(v.p.Measures)
	return len(v.p.By) == 1 && i >= 0 && v.p.Derived[i].Kind == plan.Running && v.isSeries()
}

func (v *verbalizer) unsoldHeader() string {
	return "Stock that has not sold: " + count(v.r.Count)
}

func (v *verbalizer) coverHeader() string {
	if len(v.p.Having) > 0 {
		return v.countHeader()
	}
	return "Days of cover"
}

func (v *verbalizer) countHeader() string {
	if share := countShare(v.r); share != nil {
		return fmt.Sprintf("%s of all by %s", v.show(share, schema.Percent), v.countedName())
	}
	return v.countedName() + ": " + count(v.r.Count)
}

// countedName returns what a list has: Product, Month.
func (v *verbalizer) countedName() string {
	if part := v.p.By[0].Part; part != plan.Whole {
		return plan.Capitalized(unitText(part))
	}
	return v.p.By[0].Column
}

func (v *verbalizer) shareHeader() string {
	return fmt.Sprintf("%s of %s", v.show(v.r.Groups[0].Share, schema.Percent), v.titles[0])
}

func (v *verbalizer) simulatedHeader() string {
	return fmt.Sprintf("Simulated %s: %s", v.titles[0], v.value(v.r.Total, 0))
}

func (v *verbalizer) seriesHeader() string {
	return fmt.Sprintf("%s by %s", plan.Capitalized(v.titles[v.main]), v.p.By[0].Part)
}

func (v *verbalizer) rankHeader() string {
	if len(v.r.Groups) == 0 {
		return ""
	}
	return fmt.Sprintf("%s %s %s", v.name(v.r.Groups[0]), v.superlative(), v.rankTitle())
}

func (v *verbalizer) totalHeader() string {
	return fmt.Sprintf("%s%s: %s", plan.Capitalized(v.titles[v.main]), v.during(v.p.Period), v.value(v.r.Total, v.main))
}

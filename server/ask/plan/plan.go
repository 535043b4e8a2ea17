// Package plan is the form of a computation that answers a question: the source, the
// figures, the rows, the groups and the comparison. A plan is small and flat, so that the
// reader of questions, a model under a JSON schema, and a test can each write one.
//
// It owns the vocabulary of that form, the table of metrics with the columns that each can
// be made from (Formula), and the check that a plan fits a source (Check). It reads no
// question, knows no SQL, and computes nothing. Columns are named by their headings; the
// values of filters are the only text in a plan that a caller chooses freely.
package plan

import (
	"reflect"
	"slices"

	"svc/server/schema"
)

// Plan is a question that was understood. The zero value of any field except the first two
// means that the question does not ask for it.
type Plan struct {
	Source   string      `json:"source"`            // schema.Source.ID
	Measures []Measure   `json:"measures"`          // the figures; at most 8
	Derived  []Derived   `json:"derived,omitempty"` // further figures, made from Measures; at most 8
	By       []Dimension `json:"by,omitempty"`      // one group for each value; at most two
	Where    []Filter    `json:"where,omitempty"`   // rows that pass all of them
	Part     []Filter    `json:"part,omitempty"`    // with Share: the part of the rows of Where
	Having   []Threshold `json:"having,omitempty"`  // groups that pass all of them
	Period   *Period     `json:"period,omitempty"`  // nil: all days of the source
	Compare  *Period     `json:"compare,omitempty"` // other days, for the same figures
	Whole    *Period     `json:"whole,omitempty"`   // the full period whose first days are Compare
	Order    Order       `json:"order,omitempty"`
	OrderBy  int         `json:"order_by,omitempty"` // index of the figure that Order is by: Measures, then Derived
	Limit    int         `json:"limit,omitempty"`    // groups; 0: all
	Share    bool        `json:"share,omitempty"`    // percentage of the whole, of each group or of Part
	WhatIf   []WhatIf    `json:"what_if,omitempty"`  // all at once; at most 4
	Each     bool        `json:"each,omitempty"`     // Limit applies within each group of the first dimension
	Count    bool        `json:"count,omitempty"`    // the number of groups is the answer
	Ends     bool        `json:"ends,omitempty"`     // the last groups of the order, or rows, beside the first: Limit of each
	Nth      int         `json:"nth,omitempty"`      // only the group at this place is asked for: the last of Limit
	Steps    bool        `json:"steps,omitempty"`    // each group of a time series beside the one before
	Why      bool        `json:"why,omitempty"`      // the groups that made up the change; needs Compare or WhyOne
	List     *Listing    `json:"list,omitempty"`     // the rows themselves, without groups; Measures count them
	On       string      `json:"on,omitempty"`       // heading of a column of days that periods count by, in place of the source's
	Day      string      `json:"day,omitempty"`      // YYYY-MM-DD, up to which sales of a stock list count; required if it has them
}

// ByCustomer reports whether a measure counts customers by all of their orders.
func (p Plan) ByCustomer() bool {
	return slices.ContainsFunc(p.Measures, func(m Measure) bool { return m.Metric.ByCustomer() })
}

// NamesCustomers reports whether new or repeat customers are named, and not counted.
func (p Plan) NamesCustomers(s schema.Source) bool {
	if len(p.By) != 1 || len(p.Measures) != 1 || p.Compare != nil || !p.ByCustomer() {
		return false
	}
	c, _ := Column(s, p.By[0].Column)
	return c.Role == schema.Customer && p.By[0].Part == Whole
}

// WhyOne reports whether Why asks what sets the first part of time of a ranking apart from the
// others, and not what changed over Compare.
func (p Plan) WhyOne() bool {
	return p.Why && p.Compare == nil && len(p.By) == 1 && p.By[0].Part.Series() && p.By[0].Part != Day && p.Limit == 1 && (p.Order == Highest || p.Order == Lowest) && !p.Ends && p.OrderBy == 0
}

// Measure is one figure.
type Measure struct {
	Metric Metric `json:"metric"`
	Column string `json:"column,omitempty"` // if Metric.OfColumn; of RetailValue a price in place of the selling price
	// Per divides by a count: of a part of time, of orders ("order"), rows ("row") or units
	// ("unit"), or of the different values of a column, by its heading. A part of time
	// counts if the shop sold anything in it, whatever the products; see Narrows.
	Per string `json:"per,omitempty"`
	// Fold is how the figures of Per's parts, or with Average the values of Column, become
	// one: FoldMean, which is the default, FoldMedian or Percentile; of parts also FoldLeast
	// and FoldMost.
	Fold Fold `json:"fold,omitempty"`
	// Since is the heading of a column of days: the values are the days from it to Column.
	Since string `json:"since,omitempty"`
	// In is the unit of measure that the numbers of Column are converted to: "h" of minutes.
	In     string   `json:"in,omitempty"`
	Where  []Filter `json:"where,omitempty"`  // rows of this figure alone, among those of the plan
	Period *Period  `json:"period,omitempty"` // days of this figure alone, within the plan's
}

// Plain reports whether the measure is a metric without division or rows of its own.
func (m Measure) Plain() bool {
	return m.Column == "" && m.Per == "" && m.Fold == "" && m.Since == "" && !m.Restricted()
}

// ValuesStock reports whether the measure values stock at the price that a column has, in place of the
// selling price: at trade price.
func (m Measure) ValuesStock() bool { return m.Metric == RetailValue && m.Column != "" }

// Restricted reports whether the measure has rows or days of its own.
func (m Measure) Restricted() bool { return len(m.Where) > 0 || m.Period != nil }

// Equal reports whether two measures are the same figure.
func (m Measure) Equal(n Measure) bool { return reflect.DeepEqual(m, n) }

// Derived is a figure that is made from two of the measures, or from one.
type Derived struct {
	Kind Derivation `json:"kind"`
	Of   int        `json:"of"`            // index in Measures
	And  int        `json:"and,omitempty"` // index in Measures; ignored by Running
}

// Derivation is how a derived figure is made.
type Derivation string

// The derivations.
const (
	Ratio      Derivation = "ratio"      // Of / And
	Difference Derivation = "difference" // Of - And
	Total      Derivation = "total"      // Of + And
	ShareOf    Derivation = "share"      // 100 * Of / And
	ChangeFrom Derivation = "change"     // 100 * (Of - And) / And
	Running    Derivation = "running"    // sum of Of over the groups up to this one in time
)

// Derivations are all derivations.
var Derivations = []Derivation{Ratio, Difference, Total, ShareOf, ChangeFrom, Running}

// Values of Per other than a Part and a heading.
const (
	PerUnit  = "unit"
	PerOrder = "order"
	PerRow   = "row"
)

// Part is a part of a day or a moment.
type Part string

// The parts. A plan names them by these texts.
const (
	Whole   Part = "" // the value itself
	Day     Part = "day"
	Week    Part = "week" // named by its Monday
	Month   Part = "month"
	Quarter Part = "quarter"
	Year    Part = "year"
	Weekday Part = "weekday" // in a filter: Weekdays
	Hour    Part = "hour"    // 0 to 23
	Daytype Part = "daytype" // weekday or weekend
)

// Parts are all parts except Whole.
var Parts = []Part{Day, Week, Month, Quarter, Year, Weekday, Hour, Daytype}

// Series reports whether groups of the part follow one another in time.
func (p Part) Series() bool {
	return p == Day || p == Week || p == Month || p == Quarter || p == Year
}

// Dimension is a column whose values, or parts of time, make groups.
type Dimension struct {
	Column string `json:"column"`
	Part   Part   `json:"part,omitempty"`
}

// Filter selects rows by one column.
type Filter struct {
	Column string   `json:"column"`
	Part   Part     `json:"part,omitempty"` // Weekday, Hour, Month (1 to 12), Day or Year of a time
	Op     Op       `json:"op"`
	Values []string `json:"values,omitempty"` // any number for In and NotIn, else one
	Other  string   `json:"other,omitempty"`  // heading of a column to compare with, in place of Values; In: both are equal
}

// Op is a comparison.
type Op string

// The comparisons.
const (
	In      Op = "in"
	NotIn   Op = "not in" // NULL passes
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
	Blank   Op = "blank"
	Filled  Op = "not blank"
	Has     Op = "has"    // the text contains the value, ignoring case
	Before  Op = "before" // a day before the value; NULL passes: it never happened
)

// Threshold selects groups by one of the plan's figures.
type Threshold struct {
	Measure int     `json:"measure"` // index of a figure: Measures, then Derived
	Op      Op      `json:"op"`      // Less, AtMost, More or AtLeast
	Value   float64 `json:"value"`
	Other   *int    `json:"other,omitempty"` // index of the figure to compare with, in place of Value
}

// Period is a run of days, both ends included, YYYY-MM-DD.
type Period struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Words string `json:"words,omitempty"` // in words: "March 2021"
}

// Order is the order of the groups.
type Order string

// The orders.
const (
	ByLabel Order = "label"   // by time or alphabet; the default of a time series
	Highest Order = "highest" // the default of all others
	Lowest  Order = "lowest"
	Grown   Order = "grown"  // largest gain over Compare first
	Shrunk  Order = "shrunk" // largest loss first
)

// Opposite returns the other end of an order by a figure.
func (o Order) Opposite() Order {
	if o == Lowest {
		return Highest
	}
	return Lowest
}

// WhatIf changes values of the rows before the figures are made (H6). Nothing else
// changes: a higher price loses no sale, and the answer says so.
type WhatIf struct {
	Change  Change   `json:"change"`
	Percent float64  `json:"percent,omitempty"` // -5: five per cent less
	Amount  float64  `json:"amount,omitempty"`  // of a unit's price or cost, in currency units
	Scope   []Filter `json:"scope,omitempty"`   // rows that change; empty: all of Where
}

// Change is what WhatIf changes.
type Change string

// The changes, with the figures that each changes.
const (
	Price  Change = "price"  // revenue and profit
	Volume Change = "volume" // units, revenue, cost and profit
	Costs  Change = "cost"   // cost and profit
)

// Changes are all changes.
var Changes = []Change{Price, Volume, Costs}

// Column returns the column with a heading.
func Column(s schema.Source, heading string) (schema.Column, bool) {
	for _, c := range s.Columns {
		if c.Heading == heading {
			return c, true
		}
	}
	return schema.Column{}, false
}

// TimeColumn returns the column that has a part of time. The hour may be in a column of
// its own.
func TimeColumn(s schema.Source, part Part) (schema.Column, bool) {
	day, ok := s.ByRole(schema.Day)
	if part == Hour && (!ok || day.Type != schema.Moment) {
		return s.ByRole(schema.DayTime)
	}
	return day, ok
}

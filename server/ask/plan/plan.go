// Package plan says what is to be computed for a question: which source, which
// figures, of which rows, grouped how, beside what. A plan is small and flat, so that
// the reader of questions, a model under a JSON schema, and a test write the same one.
//
// It owns the words of that form, which figures there are and of which columns each can
// be made (Formula), and whether a plan fits a source (Check). It reads no question,
// knows no SQL, and computes nothing. Columns are named by their headings; no text of
// a plan but the values of its filters is ever the caller's own.
package plan

import (
	"slices"

	"svc/server/schema"
)

// Plan is one question, understood. The zero value of each field but the first two
// means that the question does not say.
type Plan struct {
	Source   string      `json:"source"`            // catalog.Source.ID
	Measures []Measure   `json:"measures"`          // the first decides the order
	By       []Dimension `json:"by,omitempty"`      // one group for each; at most two
	Where    []Filter    `json:"where,omitempty"`   // rows that all of them let pass
	Part     []Filter    `json:"part,omitempty"`    // share: of the rows of Where, those
	Having   []Threshold `json:"having,omitempty"`  // groups that all of them let pass
	Period   *Period     `json:"period,omitempty"`  // nil: all the days there are
	Compare  *Period     `json:"compare,omitempty"` // the same figures of other days
	Whole    *Period     `json:"whole,omitempty"`   // all of a period of which Compare is the first days
	Order    Order       `json:"order,omitempty"`   //
	Limit    int         `json:"limit,omitempty"`   // groups; 0: all
	Share    bool        `json:"share,omitempty"`   // each group's, or Part's, percentage of the whole
	WhatIf   *WhatIf     `json:"what_if,omitempty"` //
	Each     bool        `json:"each,omitempty"`    // Limit holds within each group of the first dimension
	Count    bool        `json:"count,omitempty"`   // how many groups pass is the answer
	Nth      int         `json:"nth,omitempty"`     // the group at this place alone is asked for: the last of Limit
	Steps    bool        `json:"steps,omitempty"`   // each piece of time beside the one before
	Why      bool        `json:"why,omitempty"`     // what made up the change: needs Compare
	Day      string      `json:"day,omitempty"`     // YYYY-MM-DD, up to which sales of a stock list count; required if it has them
}

// ByCustomer reports whether a measure counts customers by all of their orders.
func (p Plan) ByCustomer() bool {
	return slices.ContainsFunc(p.Measures, func(m Measure) bool { return m.Metric.ByCustomer() })
}

// Measure is one figure.
type Measure struct {
	Metric Metric `json:"metric"`
	Column string `json:"column,omitempty"` // of Sum, Average, Least, Most and Distinct
	// Per divides by a count: a part of time that has rows, "order", "row", "unit", or
	// a heading, whose different values are counted.
	Per string `json:"per,omitempty"`
}

// PerOrder, PerRow and PerUnit are what Per may be beside a Part and a heading.
const (
	PerUnit  = "unit"
	PerOrder = "order"
	PerRow   = "row"
)

// Part is a piece of a day's or a moment's value.
type Part string

const (
	Whole   Part = "" // the value itself
	Day     Part = "day"
	Week    Part = "week" // named by its first day
	Month   Part = "month"
	Quarter Part = "quarter"
	Year    Part = "year"
	Weekday Part = "weekday" // Monday …
	Hour    Part = "hour"    // 0 to 23
	Daytype Part = "daytype" // weekday or weekend
)

// Parts are all pieces of time.
var Parts = []Part{Day, Week, Month, Quarter, Year, Weekday, Hour, Daytype}

// Series says that the part follows the calendar, so that its groups come in order.
func (p Part) Series() bool {
	return p == Day || p == Week || p == Month || p == Quarter || p == Year
}

// Dimension is what rows are grouped by: a column's values, or a part of a time.
type Dimension struct {
	Column string `json:"column"`
	Part   Part   `json:"part,omitempty"`
}

// Filter lets rows pass by one column.
type Filter struct {
	Column string   `json:"column"`
	Part   Part     `json:"part,omitempty"` // Weekday, Hour or Month (1 to 12) of a time
	Op     Op       `json:"op"`
	Values []string `json:"values,omitempty"` // of In and NotIn any number, else one
	Other  string   `json:"other,omitempty"`  // heading to compare with in place of a value
}

// Op compares.
type Op string

const (
	In      Op = "in"
	NotIn   Op = "not in" // NULL passes
	Less    Op = "<"
	AtMost  Op = "<="
	More    Op = ">"
	AtLeast Op = ">="
	Blank   Op = "blank"
	Has     Op = "has"    // the text holds the one value, in any case
	Before  Op = "before" // a day earlier than the one value, or none: it never was
)

// Threshold lets groups pass by one of the plan's measures.
type Threshold struct {
	Measure int     `json:"measure"` // index in Measures
	Op      Op      `json:"op"`      // none of In, NotIn and Blank
	Value   float64 `json:"value"`
}

// Period is a run of days, both ends included, YYYY-MM-DD.
type Period struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Words string `json:"words,omitempty"` // as people say it: "March 2021"
}

// Order is that of the groups.
type Order string

const (
	ByLabel Order = "label"   // calendar and alphabet; the rule for a series of time
	Highest Order = "highest" // the rule for all others
	Lowest  Order = "lowest"
	Grown   Order = "grown" // most gained on Compare first
	Shrunk  Order = "shrunk"
)

// WhatIf changes what is in the rows before the figures are made (H6). What is not
// changed stays: a higher price loses no sale, which whoever words it says.
type WhatIf struct {
	Change  Change   `json:"change"`
	Percent float64  `json:"percent,omitempty"` // -5: five per cent less
	Amount  float64  `json:"amount,omitempty"`  // of a unit's price or cost, in currency units
	Scope   []Filter `json:"scope,omitempty"`   // rows that change; all of Where when empty
}

// Change is what WhatIf changes.
type Change string

const (
	Price  Change = "price"  // revenue and profit
	Volume Change = "volume" // units, revenue, cost and profit
	Costs  Change = "cost"   // cost and profit
)

// Changes are all of them.
var Changes = []Change{Price, Volume, Costs}

// Column finds a column by its heading.
func Column(s schema.Source, heading string) (schema.Column, bool) {
	for _, c := range s.Columns {
		if c.Heading == heading {
			return c, true
		}
	}
	return schema.Column{}, false
}

// TimeColumn is the column that has a part of time: the hour may stand beside the day.
func TimeColumn(s schema.Source, part Part) (schema.Column, bool) {
	day, ok := s.ByRole(schema.Day)
	if part == Hour && (!ok || day.Type != schema.Moment) {
		return s.ByRole(schema.DayTime)
	}
	return day, ok
}

package plan

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"svc/server/header"
	"svc/server/schema"
)

// Scope is the rows of a source that an aggregate is of (I4). A source without reversals
// has one scope.
type Scope string

// The scopes.
const (
	AllRows       Scope = ""
	NetRows       Scope = "net"       // without sales that were cancelled or refunded; returns count below zero
	SoldRows      Scope = "sold"      // NetRows without returns
	MadeRows      Scope = "made"      // sales that were not cancelled, without returns: one that was refunded was made
	PlacedRows    Scope = "placed"    // all sales, whatever became of them, without returns
	CancelledRows Scope = "cancelled" // cancelled sales; a sum over none of them is 0
	RefundedRows  Scope = "refunded"  // refunded sales and returns; their amounts count above zero
)

// reversalMetrics are those of the sales that the others leave out.
var reversalMetrics = []Metric{Refunds, RefundRate, RefundedOrders, ReturnRate, CancelledOrders, CancellationRate, Cancellations}

// Apply returns the source with the rules that do not apply to a plan marked as unused. A
// plan that asks for cancelled or refunded sales itself, by a filter or as groups, is not
// without them, and neither is one about a column that only such sales have, like the reason
// of a return, nor one that CountsBookings. A refund of an order is not that of one of its
// products, and neither is another amount of it: its column has no role then. The column of the
// plan's On has the role of the day.
func Apply(p Plan, s schema.Source) schema.Source {
	s = p.onDays(s)
	ofLines := slices.ContainsFunc(p.headings(), func(h string) bool { return isOfLine(s, h) })
	if ofLines {
		s = withoutOrderAmounts(s)
	}
	if len(s.Reversals) == 0 {
		return s
	}
	s.Reversals = slices.Clone(s.Reversals)
	all := p.asksReversals(s) || p.CountsBookings(s)
	for i := range s.Reversals {
		r := &s.Reversals[i]
		r.Unused = all || r.Whole && ofLines
	}
	return s
}

// onDays returns the source with the days that the plan's periods count by.
func (p Plan) onDays(s schema.Source) schema.Source {
	if p.On == "" {
		return s
	}
	return s.With(schema.Day, p.On)
}

// asksReversals reports whether the plan asks for cancelled or refunded sales themselves.
func (p Plan) asksReversals(s schema.Source) bool {
	asked := slices.ContainsFunc(s.Reversals, func(r schema.Reversal) bool { return p.namesReversal(s, r) || p.isOnlyOf(s, r) })
	return asked && !slices.ContainsFunc(p.Measures, isReversal)
}

func isReversal(m Measure) bool { return slices.Contains(reversalMetrics, m.Metric) }

// bookings are what a row is that was made ahead, or taken in hand, and is in the list whether or not
// it came to an end. An order that was cancelled is no sale; a booking that was cancelled was booked.
var bookings = []string{
	"booking", "appointment", "appt", "reservation", "lesson", "session", "class", "event", "game", "visit", "consultation", "job", "repair", "rental", "hire", "stay", "treatment", "shift",
}

// isOfBookings reports whether each row is a booking by the heading of its number or of its day, or, where
// it has no number, since nobody came to some.
func isOfBookings(s schema.Source) bool {
	isNumber := func(c schema.Column) bool {
		return c.Role == schema.Order || c.Type == schema.Text && 10*c.Distinct >= 9*s.Rows
	}
	numbered := slices.ContainsFunc(s.Columns, isNumber)
	return slices.ContainsFunc(s.Columns, func(c schema.Column) bool {
		heading := strings.ToLower(c.Heading)
		tells := c.Role == schema.Day || c.Role == schema.Order || 10*c.Distinct >= 9*s.Rows
		return tells && slices.ContainsFunc(bookings, func(w string) bool { return strings.Contains(heading, w) }) || !numbered && c.Role == schema.Status && slices.ContainsFunc(c.Values, isMissed)
	})
}

// MissedStates are what columns of states call that nobody came.
var MissedStates = []string{"no show", "noshow", "did not attend", "dna"}

// isMissed reports whether a state is that nobody came, as happens to bookings alone.
func isMissed(value string) bool { return slices.Contains(MissedStates, header.Fold(value)) }

// CountsBookings reports whether the plan's figures are of all bookings, those that were
// cancelled among them: none is money, and the words that asked for it may leave them out.
func (p Plan) CountsBookings(s schema.Source) bool {
	isCancelled := func(r schema.Reversal) bool {
		return (r.Kind == schema.CancelledSale || r.Kind == schema.MissedSale || r.Kind == schema.DraftSale) && r.Rows > 0
	}
	if !slices.ContainsFunc(s.Reversals, isCancelled) || !isOfBookings(s) || len(p.Measures) == 0 || p.WhatIf != nil || p.asksReversals(s) {
		return false
	}
	return !slices.ContainsFunc(p.Measures, func(m Measure) bool {
		f, err := FormulaOf(s, m)
		return isReversal(m) || err != nil || f.Unit == schema.Money
	})
}

// withoutOrderAmounts returns the source without the roles of amounts of whole orders.
func withoutOrderAmounts(s schema.Source) schema.Source {
	s.Columns = slices.Clone(s.Columns)
	for i := range s.Columns {
		if c := &s.Columns[i]; c.Whole {
			c.Role, c.Lost = schema.None, c.Role
		}
	}
	return s
}

// LeftOut returns the columns with amounts of whole orders that a figure of lines does not
// have, given the source that Apply returned.
func LeftOut(s schema.Source, measures []Measure) (all []schema.Column) {
	for i, c := range s.Columns {
		if c.Lost == schema.None {
			continue
		}
		with := s
		with.Columns = slices.Clone(s.Columns)
		with.Columns[i].Role = c.Lost
		isOther := func(m Measure) bool {
			without, err := FormulaOf(s, m)
			whole, _ := FormulaOf(with, m)
			return err == nil && !reflect.DeepEqual(whole, without)
		}
		if slices.ContainsFunc(measures, isOther) {
			all = append(all, c)
		}
	}
	return all
}

// Filters returns all filters of the plan.
func (p Plan) Filters() []Filter {
	all := slices.Concat(p.Where, p.Part)
	for _, w := range p.WhatIf {
		all = append(all, w.Scope...)
	}
	for _, m := range p.Measures {
		all = append(all, m.Where...)
	}
	return all
}

// headings returns the columns by which the plan selects and groups rows.
func (p Plan) headings() (all []string) {
	for _, d := range p.By {
		all = append(all, d.Column)
	}
	for _, f := range p.Filters() {
		all = append(all, f.Column)
	}
	for _, m := range p.Measures {
		all = append(all, m.Per)
	}
	return all
}

// namesReversal reports whether the plan asks for the rows of a rule: groups by its column,
// or filters by one of its values.
func (p Plan) namesReversal(s schema.Source, r schema.Reversal) bool {
	c, _ := Column(s, r.Column)
	if isMark(c, r) && slices.ContainsFunc(p.By, func(d Dimension) bool { return d.Column == r.Column }) {
		return true
	}
	return slices.ContainsFunc(p.Filters(), func(f Filter) bool {
		switch {
		case f.Column != r.Column:
			return false
		case len(r.Values) > 0:
			return f.Op == Has || f.Op == In && slices.ContainsFunc(f.Values, func(v string) bool { return slices.Contains(r.Values, v) })
		case c.Type == schema.Number:
			return (f.Op == Less || f.Op == AtMost) && len(f.Values) == 1 && !isAbove(f.Values[0])
		}
		return f.Op != Blank
	})
}

// isOnlyOf reports whether the plan selects, groups or measures rows by a column that is blank
// in all others than those of a rule.
func (p Plan) isOnlyOf(s schema.Source, r schema.Reversal) bool {
	headings := p.headings()
	for _, m := range p.Measures {
		headings = append(headings, m.Column)
	}
	return r.Rows > 0 && slices.ContainsFunc(headings, func(h string) bool {
		c, ok := Column(s, h)
		return ok && c.Heading != r.Column && c.Blank > 0 && s.Rows-c.Blank <= r.Rows
	})
}

// isMark reports whether a column does nothing but tell what became of a sale.
func isMark(c schema.Column, r schema.Reversal) bool {
	return c.Heading == r.Column && (len(r.Values) > 0 || c.Type == schema.Date || c.Type == schema.Moment || r.Kind == schema.RefundPart)
}

// isAbove reports whether a text is a number above zero.
func isAbove(text string) bool {
	n, err := strconv.ParseFloat(text, 64)
	return err == nil && n > 0
}

// orderRoles are roles of columns that are alike in all lines of an order.
var orderRoles = []schema.Role{
	schema.Day, schema.DayTime, schema.Order, schema.Customer, schema.Segment, schema.Region, schema.State, schema.City, schema.Country,
	schema.Store, schema.Channel, schema.Payment, schema.Staff, schema.Status, schema.Cancelled, schema.Refund,
}

// isOfLine reports whether a column may differ between the lines of an order.
func isOfLine(s schema.Source, heading string) bool {
	c, ok := Column(s, heading)
	return ok && !c.Alike && !c.Whole && !slices.Contains(orderRoles, c.Role)
}

// hasReversal reports whether the source has a rule of one of the kinds, in use.
func hasReversal(s schema.Source, kinds ...schema.ReversalKind) bool {
	return slices.ContainsFunc(s.Reversals, func(r schema.Reversal) bool { return slices.Contains(kinds, r.Kind) && !r.Unused })
}

// refundTerms returns the money that was given back for a part of a sale; false if no
// column has it.
func refundTerms(s schema.Source) ([]Term, bool) {
	if !hasReversal(s, schema.RefundPart) {
		return nil, false
	}
	return product(schema.Refund).terms(s)
}

// lessRefunds subtracts what was given back of a row from its revenue or profit.
func lessRefunds(s schema.Source, m Metric, terms []Term) []Term {
	if refunds, ok := refundTerms(s); ok && (m == Revenue || m == Profit) {
		terms = append(terms, Term{Minus: true, Factors: refunds[0].Factors})
	}
	return terms
}

// reversed returns the formulas of what was refunded and cancelled.
func reversed(s schema.Source, d definition, missing error) (Formula, error) {
	kinds := []schema.ReversalKind{schema.RefundedSale, schema.RefundPart, schema.Return}
	if d.needs == cancelColumns {
		kinds = []schema.ReversalKind{schema.CancelledSale}
	}
	if !slices.ContainsFunc(s.Reversals, func(r schema.Reversal) bool { return slices.Contains(kinds, r.Kind) && !r.Unused && r.Rows > 0 }) {
		return Formula{}, missingReversal(s, d)
	}
	placed, ok := Terms(s, Gross)
	switch d.metric {
	case RefundedOrders, ReturnRate, CancelledOrders, CancellationRate:
		return reversedOrders(s, d)
	case Cancellations:
		if !ok {
			return Formula{}, missing
		}
		return Formula{Top: Aggregate{Fold: FoldSum, Terms: placed, Rows: CancelledRows}, Unit: d.unit}, nil
	}
	refunds, known := refunded(s)
	if !known || d.metric == RefundRate && !ok {
		return Formula{}, missing
	}
	f := Formula{Top: refunds, Unit: d.unit}
	if d.metric == RefundRate {
		f.Bottom = &Aggregate{Fold: FoldSum, Terms: placed, Rows: PlacedRows}
	}
	return f, nil
}

// missingReversal returns what a source lacks for a figure of refunds or cancellations.
func missingReversal(s schema.Source, d definition) error {
	isOfOrders := func(r schema.Reversal) bool { return r.Kind == schema.RefundPart && r.Whole && r.Unused }
	if d.needs == refundColumns && slices.ContainsFunc(s.Reversals, isOfOrders) {
		return &Missing{What: d.title, Needs: "refunds of each line, but of whole orders"}
	}
	return &Missing{What: d.title, Needs: d.needs}
}

// refunded returns the money that was given back: by the column of its amounts if there is
// one, since that has the refunds of whole sales too, else the amounts of those sales and of
// returns.
func refunded(s schema.Source) (Aggregate, bool) {
	if given, ok := refundTerms(s); ok {
		return Aggregate{Fold: FoldSum, Terms: given}, true
	}
	placed, ok := Terms(s, Gross)
	if s.Kind == schema.Purchases {
		placed, ok = Terms(s, Cost)
	}
	return Aggregate{Fold: FoldSum, Terms: placed, Rows: RefundedRows}, ok
}

// reversedOrders counts refunded or cancelled orders.
func reversedOrders(s schema.Source, d definition) (Formula, error) {
	placed, err := divisor(s, PerOrder)
	f := Formula{Top: placed, Unit: d.unit}
	f.Top.Rows = d.rows
	if d.metric == CancellationRate || d.metric == ReturnRate {
		placed.Rows = PlacedRows
		f.Bottom = &placed
	}
	return f, err
}

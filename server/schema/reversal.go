package schema

import "strings"

// Reversal is how rows of cancelled or refunded sales are recognized, by one column (I4).
// Values mark such rows; without values they are those in which a Date is not blank, a
// Number is below zero (a Refund: above or below), or a Text is a number after the letter C.
type Reversal struct {
	Kind   ReversalKind
	Column string   // heading
	Values []string `json:",omitempty"`
	Counts []int64  `json:",omitempty"` // rows of each value; one, of a Refund: those whose sale counts
	Rows   int64    // that are recognized; 0: the column could tell, and there are none
	// Unsigned is true if some of the rows that Return sales have amounts above zero.
	Unsigned bool `json:",omitempty"`
	// Within is true if most Return rows are lines of an order that sells something, too.
	Within bool `json:",omitempty"`
	// Whole is true if a Refund is that of an order and is in one of its lines.
	Whole bool `json:",omitempty"`
	// Unused is true in a plan to which the rule does not apply, see plan.Apply.
	Unused bool `json:"-"`
}

// ReversalKind is what the rows are.
type ReversalKind string

// The kinds.
const (
	// CancelledSale and RefundedSale are sales that count no more.
	CancelledSale ReversalKind = "cancelled"
	RefundedSale  ReversalKind = "refunded"
	// MissedSale is of bookings to which nobody came, and for which nobody paid.
	MissedSale ReversalKind = "missed"
	// DraftSale is of invoices and the like that were written and not sent, of quotes, and of orders of a
	// web shop that nobody paid.
	DraftSale ReversalKind = "draft"
	// RefundPart is of sales that count, less what the column says was given back.
	RefundPart ReversalKind = "amount"
	// RefundUnknown is of sales that were refunded in part, of which no column has the amount.
	// They count in full.
	RefundUnknown ReversalKind = "unknown"
	// Return is of rows that take an earlier sale back: credit notes, returns.
	Return ReversalKind = "return"
)

// Condition returns the SQL of the rows that a rule recognizes, given its column and a
// function that binds a value and returns its parameter.
func (r Reversal) Condition(c Column, bind func(any) string) string {
	switch {
	case len(r.Values) > 0:
		var values []string
		for _, v := range r.Values {
			if c.Type == Truth {
				values = append(values, bind(1))
			} else {
				values = append(values, bind(v))
			}
		}
		return c.Name + " IN (" + strings.Join(values, ", ") + ")"
	case c.Type == Date || c.Type == Moment:
		return c.Name + " IS NOT NULL"
	case c.Type == Number && r.Kind == RefundPart:
		return c.Name + " <> 0"
	case c.Type == Number:
		return c.Name + " < 0"
	}
	return c.Name + " GLOB '[Cc]*'"
}

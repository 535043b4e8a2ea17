// Package schema says what an account's data are made of: its sources, their columns,
// and what part each column plays (I1). Whoever reads a question looks here for what
// can be asked, and never sees a row; whoever computes looks here for the SQL.
//
// A source is one table in the sense of SQL: a dataset that was imported, or a view of
// the shop's own tables. It knows no account: who builds it has made sure whose it is.
package schema

import (
	"cmp"
	"slices"
)

// Type says how a column's values are stored.
type Type string

const (
	// Text is text, trimmed; a blank cell is NULL, as in all other columns.
	Text Type = "text"
	// Number is an integer of 10^-Scale, so that sums are exact.
	Number Type = "number"
	// Date is a day, YYYY-MM-DD.
	Date Type = "date"
	// Moment is a day with a time, YYYY-MM-DD HH:MM:SS, as the clock on the wall shows it.
	Moment Type = "moment"
	// Time is a time of day, HH:MM:SS.
	Time Type = "time"
	// Truth is 0 or 1.
	Truth Type = "truth"
)

// Unit says what a number counts.
type Unit string

const (
	Plain   Unit = ""        // a number of no known unit
	Money   Unit = "money"   // of the source's currency
	Percent Unit = "percent" // 12.5 means 12.5 %; a file's 0.125 is stored as 12.5
	Count   Unit = "count"   // pieces, orders, days
)

// Role is the part that a column plays. A source has at most one column of each role
// but None; who corrects a role takes it from the column that had it (I1).
type Role string

const (
	None Role = ""

	// When and what.
	Day      Role = "date"     // when it was sold; Date or Moment
	DayTime  Role = "time"     // Time, of a source whose Day is a Date
	Order    Role = "order"    // number of the sale; its lines share it
	Product  Role = "product"  // name
	SKU      Role = "sku"      // code
	Category Role = "category" // kind of product
	Brand    Role = "brand"    // maker, vendor
	Supplier Role = "supplier" // who is bought from
	Customer Role = "customer" // name, number or e-mail of who bought
	Segment  Role = "segment"  // kind of customer
	Region   Role = "region"   // wider than a state
	State    Role = "state"    // or province
	City     Role = "city"     //
	Country  Role = "country"  //
	Store    Role = "store"    // branch, location
	Channel  Role = "channel"  // online, in store; sales method
	Payment  Role = "payment"  // card, cash
	Staff    Role = "staff"    // who sold
	Status   Role = "status"   // paid, refunded, cancelled

	// How much, of one row.
	Quantity Role = "quantity"  // units sold
	Price    Role = "price"     // of one unit
	Revenue  Role = "revenue"   // of the row, after discount
	Gross    Role = "gross"     // of the row, before discount
	Cost     Role = "cost"      // of the row
	UnitCost Role = "unit_cost" // of one unit
	Profit   Role = "profit"    // of the row
	Margin   Role = "margin"    // of the row, Percent
	Discount Role = "discount"  // of the row, Money; or Percent
	Tax      Role = "tax"       //
	Shipping Role = "shipping"  //
	Rating   Role = "rating"    //

	// Stock lists.
	Stock    Role = "stock"     // units on hand
	Reorder  Role = "reorder"   // point at which to order again
	Incoming Role = "incoming"  // units on order
	LeadTime Role = "lead_time" // days

	// What was sold of the shop's own stock, beside it; no file's column is one of these.
	SoldLately Role = "sold_lately" // units, in the days that cover counts
	StockDays  Role = "stock_days"  // units on hand times those days; NULL: sold none
	LastSold   Role = "last_sold"   // day of the last sale; NULL: never sold
)

// Column is one column of a source.
type Column struct {
	Heading string // as the file has it, without the white space around it
	Name    string // in SQL; needs no quotes
	Type    Type
	Scale   int  // of a Number, 0 to 6
	Unit    Unit // of a Number
	Role    Role
	// Distinct and Blank count values and NULLs.
	Distinct, Blank int64
	// Values are the values of a Text column, the most frequent first, at most
	// MaxValues; names in a question are looked up among them.
	Values []string
}

// MaxValues is how many values of a column are kept.
const MaxValues = 20_000

// Kind says what one row of a source is.
type Kind string

const (
	Sales     Kind = "sales"     // something sold, at a time
	Stocklist Kind = "stock"     // a product with its stock, now
	Purchases Kind = "purchases" // something bought from a supplier
	Customers Kind = "customers" //
	Other     Kind = "other"     //
)

// Source is one table.
type Source struct {
	ID       string // ds_… of a dataset, or the name of a view of the shop
	Name     string // as people know it: the file's name, "your sales"
	Kind     Kind
	From     string // what stands behind FROM: a table, or a subquery in parentheses
	Columns  []Column
	Rows     int64
	Currency string // ISO 4217, lower case; empty: not known
	Mixed    bool   // its amounts are in several currencies
	// First and Last are the first and the last day of the Day column, YYYY-MM-DD;
	// empty without one.
	First, Last string
	// SoldFirst and SoldLast are the first and the last day of all the shop's sales, in a
	// stock list with a LastSold column; else empty. If they are set, From takes the
	// parameter ?1: the last day whose sales count.
	SoldFirst, SoldLast string `json:",omitempty"`
}

// ByRole finds the column that plays a role.
func (s Source) ByRole(r Role) (Column, bool) {
	for _, c := range s.Columns {
		if c.Role == r && r != None {
			return c, true
		}
	}
	return Column{}, false
}

// maxSourceBytes bounds the values of a source: they are kept in memory with what
// questions are read by.
const maxSourceBytes = 4 << 20

// Bounded is the source with the values of its columns as far as they have room, those
// of few and short values first: names are looked up among them rather than free text.
func (s Source) Bounded() Source {
	s.Columns = slices.Clone(s.Columns)
	bySize := make([]int, len(s.Columns))
	for i := range bySize {
		bySize[i] = i
	}
	size := func(i int) (bytes int) {
		for _, v := range s.Columns[i].Values {
			bytes += len(v)
		}
		return bytes
	}
	slices.SortStableFunc(bySize, func(a, b int) int { return cmp.Compare(size(a), size(b)) })
	left := maxSourceBytes
	for _, i := range bySize {
		if left -= size(i); left < 0 {
			s.Columns[i].Values = nil
		}
	}
	return s
}

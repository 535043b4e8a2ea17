// Package schema describes an account's data: its sources, their columns, and the role of
// each column (I1). A reader of questions learns here what can be asked, without seeing a
// row; compute finds here the SQL.
//
// A source is one table in the sense of SQL: a dataset that was imported, or a view of the
// shop's own tables. It carries no account: whoever builds a source makes sure that its
// rows are the account's own.
package schema

import (
	"cmp"
	"slices"
	"strings"

	"svc/server/header"
)

// Type is how a column's values are stored.
type Type string

const (
	// Text is trimmed text; a blank cell is NULL, as in all other columns.
	Text Type = "text"
	// Number is an integer of 10^-Scale, so that sums are exact.
	Number Type = "number"
	// Date is a day, YYYY-MM-DD.
	Date Type = "date"
	// Moment is a day with a time, YYYY-MM-DD HH:MM:SS, in the shop's local time.
	Moment Type = "moment"
	// Time is a time of day, HH:MM:SS.
	Time Type = "time"
	// Truth is 0 or 1.
	Truth Type = "truth"
)

// Unit is what a number counts.
type Unit string

// The units.
const (
	Plain   Unit = ""        // unknown
	Money   Unit = "money"   // in the source's currency
	Percent Unit = "percent" // 12.5 means 12.5 %; a file's 0.125 is stored as 12.5
	Count   Unit = "count"   // pieces, orders, days
)

// Role is what a column means to a shop. A source has at most one column of each role
// except None; correcting a role takes it from the column that had it (I1).
type Role string

// The roles.
const (
	None Role = ""

	// Time, names and places.
	Day      Role = "date"     // when it was sold; Date or Moment
	DayTime  Role = "time"     // Time, of a source whose Day is a Date
	Order    Role = "order"    // number of the sale; its lines share it
	Product  Role = "product"  // name
	SKU      Role = "sku"      // code
	Category Role = "category" // kind of product
	Brand    Role = "brand"    // maker, vendor
	Supplier Role = "supplier" // who sells to the shop
	Customer Role = "customer" // name, number or e-mail
	Segment  Role = "segment"  // kind of customer
	Region   Role = "region"   // wider than a state
	State    Role = "state"    // or province
	City     Role = "city"
	Country  Role = "country"
	Store    Role = "store"   // branch, location
	Channel  Role = "channel" // online, in store; sales method
	Payment  Role = "payment" // card, cash
	Staff    Role = "staff"   // who served the customer
	Status   Role = "status"  // paid, refunded, cancelled

	// Figures of one row.
	Quantity Role = "quantity"  // units sold
	Price    Role = "price"     // of one unit
	Revenue  Role = "revenue"   // of the row, after discount
	Gross    Role = "gross"     // of the row, before discount
	Cost     Role = "cost"      // of the row
	UnitCost Role = "unit_cost" // of one unit
	Profit   Role = "profit"    // of the row
	Margin   Role = "margin"    // of the row, Percent
	Discount Role = "discount"  // of the row, Money; or Percent
	Tax      Role = "tax"
	Shipping Role = "shipping"
	Rating   Role = "rating"
	Paid     Role = "paid" // of the row so far, where it may be less than its amount
	Owed     Role = "owed" // of the row, what is still to be paid

	// What was taken back of a sale (I4).
	Refund    Role = "refund"    // money given back, of the row or of its order
	Cancelled Role = "cancelled" // day of the cancellation; blank: none

	// Stock lists.
	Stock    Role = "stock"     // units on hand
	Reorder  Role = "reorder"   // point at which to order again
	Incoming Role = "incoming"  // units on order
	LeadTime Role = "lead_time" // days

	// Of the shop's own stock only: what was sold of each item. No file's column has
	// these.
	SoldLately Role = "sold_lately" // units, in the days that plan.Cover counts
	StockDays  Role = "stock_days"  // units on hand times those days; NULL: none sold
	LastSold   Role = "last_sold"   // day of the last sale; NULL: never sold
)

// Column is one column of a source.
type Column struct {
	Heading string // of the file, trimmed
	Name    string // in SQL, without need of quotes
	Type    Type
	Scale   int  // of a Number, 0 to 6
	Unit    Unit // of a Number
	Role    Role
	// Suffix is the unit of measure that the file has after each number, as it is written:
	// " kg".
	Suffix string `json:",omitempty"`
	// Named is what a heading that is cut short stands for, if its values tell: Discontinued, of a
	// Disc. that is yes or no.
	Named string `json:",omitempty"`
	// Factor is true if amounts of rows are prices times this column, which has no number of pieces:
	// kilos, nights.
	Factor bool `json:",omitempty"`
	// Place is true if the column has how many of the goods are in one of several places.
	Place bool `json:",omitempty"`
	// Running is true if the column is a balance after each row, of which the newest row has what is there now;
	// with NewestFirst that row is the first of its day.
	Running     bool `json:",omitempty"`
	NewestFirst bool `json:",omitempty"`
	// Whole is true if the amounts are those of orders, each in one of its lines.
	Whole bool `json:",omitempty"`
	// Alike is true of a text or a day without a role that is the same in all lines of an order, such as a discount code.
	Alike bool `json:",omitempty"`
	// Lost is the role that a Whole column does not have in a plan over lines, see plan.Apply.
	Lost Role `json:"-"`
	// Corrected is true if somebody gave the column its role, or took it away (I1).
	Corrected bool `json:",omitempty"`
	// Distinct and Blank count values and NULLs.
	Distinct, Blank int64
	// Values are the values of a Text column, the most frequent first, at most MaxValues.
	// Names in a question are looked up in them.
	Values []string
}

// HasSessions reports whether the values show at which time of the day something took place, as Lunch
// and Dinner do, and not what was sold.
func (c Column) HasSessions() bool {
	isOther := func(v string) bool { return !sessions[strings.ToLower(v)] }
	return c.Type == Text && len(c.Values) > 0 && !slices.ContainsFunc(c.Values, isOther)
}

// sessions are names of times of the day at which people eat, or come to a show.
var sessions = header.Set("breakfast brunch lunch lunchtime dinner supper morning afternoon evening night day am pm early late matinee midday overnight")

// MaxValues bounds the values of a column.
const MaxValues = 20_000

// Kind is what one row of a source is.
type Kind string

// The kinds.
const (
	Sales     Kind = "sales"     // something sold, at a time
	Stocklist Kind = "stock"     // a product with its stock, now
	Purchases Kind = "purchases" // something ordered from a supplier
	Customers Kind = "customers"
	Other     Kind = "other"
)

// Source is one table.
type Source struct {
	ID       string // ds_… of a dataset, or the name of a view of the shop
	File     string `json:"-"` // of a dataset: the file with its rows; a change of the rows makes another
	Name     string // for people: the file's name, "your sales"
	Kind     Kind
	From     string // SQL after FROM: a table, or a subquery in parentheses
	Args     []any  `json:"-"` // values of the parameters ?1 and so on of From
	Columns  []Column
	Rows     int64
	Currency string // ISO 4217, lower case; empty: unknown
	Mixed    bool   // its amounts are in several currencies
	// First and Last are the first and the last day of the Day column, YYYY-MM-DD;
	// empty without one. ByMonth: every row is of a whole month and has its first day, as in
	// a list of monthly totals; Last is the end of the last of these months.
	First, Last string
	ByMonth     bool `json:",omitempty"`
	// Reversals are how cancelled and refunded sales are recognized (I4); only sales have
	// any.
	Reversals []Reversal `json:",omitempty"`
	// Totals are those that are computed where rows leave them blank, see WithTotals; nil: none.
	Totals *Totals `json:",omitempty"`
	// Recognized is the version of the code that found reversals and totals; 0: none has.
	Recognized int `json:",omitempty"`
	// SoldFirst and SoldLast are the first and the last day of all the shop's sales, in a
	// stock list with a LastSold column; else empty. If they are set, From takes the
	// parameter ?1: the last day whose sales count.
	SoldFirst, SoldLast string `json:",omitempty"`
	// FromUnsold is From without SoldLately, StockDays and LastSold, and without the
	// parameter: it need not read the sales. Empty in sources without those columns.
	FromUnsold string `json:",omitempty"`
	// Words are those that the merchant has taught ask for this source.
	Words []Word `json:",omitempty"`
}

// Meaning is what a taught word names.
type Meaning string

// The meanings.
const (
	AMetric  Meaning = "metric"  // a figure that ask computes
	AHeading Meaning = "heading" // a column
	AValue   Meaning = "value"   // a value of a column of text
)

// Word is a word or a phrase that the merchant has taught ask. It means its target before
// anything else. The target was there when the word was taught; a later file may have
// other columns and values, and then the word has no effect.
type Word struct {
	Text    string // as typed, with single spaces; unique in a source regardless of case
	Kind    Meaning
	Target  string // the metric's name, the column's heading, or the value
	Heading string `json:",omitempty"` // of a value: the heading of its column
}

// ByRole returns the column with a role; false if there is none, or if the role is None.
func (s Source) ByRole(r Role) (Column, bool) {
	for _, c := range s.Columns {
		if c.Role == r && r != None {
			return c, true
		}
	}
	return Column{}, false
}

// maxSourceBytes bounds the values of a source, which are kept in memory to read
// questions.
const maxSourceBytes = 4 << 20

// Bounded returns the source with at most maxSourceBytes of values. Columns with few and
// short values are kept first: questions name those rather than free text.
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

// Tenders returns the columns of the money taken in each way of paying, such as Cash taken and
// Card taken, else for each kind of goods, such as Food Sales and Bar Sales, which add up to the
// revenue of a row; nil if there are fewer than two, or if a column has the revenue.
func (s Source) Tenders() []Column {
	var paid, sold []Column
	for _, c := range s.Columns {
		isAmount := c.Type == Number && c.Role == None && c.Unit != Percent && c.Unit != Count
		switch {
		case c.Role == Revenue || c.Role == Gross:
			return nil
		case isAmount && isTender(c.Heading):
			paid = append(paid, c)
		case isAmount && c.IsOfGoods():
			sold = append(sold, c)
		}
	}
	switch {
	case len(paid) > 1:
		return paid
	case len(sold) > 1:
		return sold
	}
	return nil
}

// IsOfGoods reports whether a heading names a kind of goods and what was taken for them, such as Food
// Sales and Drinks £, and nothing else.
func (c Column) IsOfGoods() bool {
	kinds, sums := 0, 0
	for w := range strings.FieldsSeq(header.Fold(c.Heading)) {
		switch {
		case goods[w]:
			kinds++
		case takings[w]:
			sums++
		default:
			return false
		}
	}
	return kinds > 0 && (sums > 0 || header.Currency(c.Heading) != "")
}

// goods are words for all goods of a kind that a shop keeps account of.
var goods = header.Set("labour labor parts food drink drinks beverage beverages wet dry bar kitchen cafe coffee alcohol beer wine restaurant takeaway retail service services product products treatment treatments merchandise merch equipment accommodation room rooms shop gift gifts hot cold bakery deli grocery and")

// ways are words for ways of paying, takings those that may stand beside them.
var (
	ways    = header.Set("cash card cards cheque cheques contactless online voucher vouchers paypal bank transfer bacs account sumup zettle")
	takings = header.Set("taken takings sales total paid payments received in amount by gbp usd eur")
)

// isTender reports whether a heading names a way of paying and nothing but what was taken.
func isTender(heading string) bool {
	way := false
	for w := range strings.FieldsSeq(header.Fold(heading)) {
		way = way || ways[w]
		if !ways[w] && !takings[w] {
			return false
		}
	}
	return way
}

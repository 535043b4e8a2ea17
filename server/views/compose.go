package views

import "strconv"

// Compose is `/console/messages/new`. Its form posts the fields, `template`, `once` and `act`
// to the same address: preview shows the message, add and remove-N change its lines, and send,
// with the `seen` of the preview, sends it. A line is an `item`, a `quantity` and a `price`.
type Compose struct {
	Frame
	Kinds                             []Group
	Template                          string // receipt or purchase_order
	Phone, Number, Supplier, By, Note string // as they were typed
	Lines                             []ComposeLine
	Goods                             []Good // of the inventory, to choose from
	Total                             string // of the lines, like "£18.50"; empty if it is not known
	Faults                            Faults
	Missing                           []string // what a form that is being filled in lacks
	Once                              string
	Currency                          string // of prices, like "GBP"
	Cost                              string // like "$0.02"
	Credit                            string // empty for staff
	Short                             bool   // the credit does not cover the cost
	NoSender                          bool   // the server sends nothing: the message is saved, for free
	Ready                             bool   // the form was filled in
	Added                             bool   // the last line was just added
	Preview                           *MessagePreview
}

// ComposeLine is a line of a message as it was typed.
type ComposeLine struct {
	Item, Quantity, Price string
	SKU                   string // of the item that the line is of; may be empty
	Stock                 string // of the item, like "3 bags in stock"; may be empty
}

// composeRow is a line in its place in the form, from 1.
type composeRow struct {
	ComposeLine
	N      int
	faults Faults
	focus  bool
}

// Rows are the lines in their places. A line that was just added has the focus.
func (c Compose) Rows() (all []composeRow) {
	for n, l := range c.Lines {
		all = append(all, composeRow{l, n + 1, c.Faults, c.Added && n == len(c.Lines)-1})
	}
	return all
}

// Good is an item of the inventory as the field of a line offers it. Price and Cost are as one
// types them, and may be empty.
type Good struct{ Name, Price, Cost, Text string }

// MessagePreview is a message as it will be sent.
type MessagePreview struct {
	To          string // the name of who gets it; empty if it is not known
	Phone, Text string
	Seen        string
	Length      int // characters
}

// Fault is a field that is to be corrected, by its name, and why.
type Fault struct{ Field, Text string }

// Faults are all that is to be corrected in a form.
type Faults []Fault

// of returns what is to be corrected in a field, and whether that is the first fault.
func (f Faults) of(field string) (text string, first bool) {
	for n, fault := range f {
		if fault.Field == field {
			return fault.Text, n == 0
		}
	}
	return "", false
}

// withFaults shows beside a field what is to be corrected in it, and focuses the first.
func withFaults(f Faults, in input) input {
	in.Problem, in.Autofocus = f.of(in.Name)
	return in
}

// field is a field of the row. Its fault is that of line-N-part.
func (r composeRow) field(part, label, value string) input {
	name := "line-" + strconv.Itoa(r.N) + "-" + part
	in := withFaults(r.faults, itemInput("message", name, label, value))
	in.Name, in.Optional = part, true
	return in
}

// ItemInput, QuantityInput and PriceInput are the fields of the row.
func (r composeRow) ItemInput() input {
	in := r.field("item", "Product", r.Item)
	in.ListID, in.Autofocus = "goods", in.Autofocus || r.focus
	return in
}

func (r composeRow) QuantityInput() input {
	return decimalInput(r.field("quantity", "How many", r.Quantity))
}

func (r composeRow) PriceInput() input { return decimalInput(r.field("price", "Price each", r.Price)) }

// ManyFaults reports whether there are several things to correct.
func (c Compose) ManyFaults() bool { return len(c.Faults) > 1 }

// GoodsFault is what is to be corrected in the lines as a whole.
func (c Compose) GoodsFault() string {
	text, _ := c.Faults.of("lines")
	return text
}

// Order reports whether it is a purchase order.
func (c Compose) Order() bool { return c.Template == "purchase_order" }

// Remove reports whether lines can be removed.
func (c Compose) Remove() bool { return len(c.Lines) > 1 }

func (Compose) template() string { return "console_compose" }

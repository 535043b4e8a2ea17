package views

import "time"

// Inventory is `/console/inventory`: the items of the account, and one of them beside the
// list. Its forms post to addresses below it, with the item's id as `id` and the query of the
// list as `list`.
type Inventory struct {
	Frame
	Search     string    // as it was typed
	Kept       []Pair    // what else the search form sends
	Groups     []Group   // of items by their stock
	Heads      []Head    // of the table's columns
	Items      []ItemRow // of this page
	Pager      Pager
	List       string // query of the list
	Add        string // address of the form of a new item
	Export     string // address of the file
	None       bool   // the inventory has no items at all
	Detail     *ItemDetail
	New        *ItemForm
	NewProblem string // that is about no field of New
}

// Pair is a name with a value.
type Pair struct{ Name, Value string }

// Group is a link to some of a list.
type Group struct {
	Title, Link string
	Count       string
	Chosen      bool
}

// ItemRow is an item in a list.
type ItemRow struct {
	ID, Name, SKU, Category, Price, Cost, Stock string
	Low, Out, Minus, BelowCost                  bool   // Minus: the stock is below zero, which Out is, too
	Link                                        string // to open it
	Open                                        bool
}

// ItemForm has the fields of an item as stored or as typed. Was are the stored ones, so that
// only what was changed is stored.
type ItemForm struct {
	Name, SKU, Barcodes, Price, Cost, Unit, Category, Reorder string
	Stock                                                     string // of a new item
	Was                                                       []Pair
	Field, Problem                                            string            // of the last try; both may be empty
	Wrong                                                     map[string]string // what is wrong with each field; may be nil
}

// ItemDetail is the open item.
type ItemDetail struct {
	ID, Name, Stock, Reorder string
	Price, CostText          string // like "£4.50"; may be empty
	Low, Out, Minus, Known   bool   // Known: the stock is; Minus: it is below zero
	BelowCost                bool
	Sales                    *ItemSales // nil: the account has no sales
	Notice                   string
	Undo                     string // number of the move that the notice is about; may be empty
	Problem                  string // that is about no field
	Close                    string // address of the list without it
	Order                    string // address of how to order it
	Form                     ItemForm
	Adjust                   AdjustForm
	Aliases                  []string
	Alias, AliasProblem      string // as typed
	Moves                    []Move
	MoreMoves                string // address
	List                     string
	Zone                     *time.Location
}

// ItemSales are the sales of an item over the last Days, like "30 days".
type ItemSales struct {
	Days, Units, Revenue string // no Units: none was sold
	Last                 string // a day; empty: not within a year
	Lasts                string // for how long the stock lasts; empty: not known
}

// Refused reports whether a field shows a problem, and so has the focus.
func (d ItemDetail) Refused() bool {
	return d.Form.Problem != "" || d.Adjust.Problem != "" || d.AliasProblem != ""
}

// AdjustForm changes the stock of an item: it posts `how` (add, take or count), `quantity` and
// `reason`.
type AdjustForm struct {
	How              []Option
	Quantity, Reason string
	Field, Problem   string
}

// Move is a change of a stock.
type Move struct {
	At              time.Time
	What, Note, Who string
	Change, After   string
	Down            bool
}

func (Inventory) template() string { return "console_inventory" }

// itemInput is a text field of an item or of its stock.
func itemInput(form, name, label, value string) input {
	return input{ID: form + "-" + name, Name: name, Label: label, Type: "text", Value: value, Autocomplete: "off"}
}

// optional marks a field that may stay empty.
func optional(in input) input {
	in.Optional = true
	return in
}

// decimalInput marks a field of a number that may have decimals.
func decimalInput(in input) input {
	in.InputMode, in.Verbatim = "decimal", true
	return in
}

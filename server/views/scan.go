package views

// Scan is `/console/inventory/scan`: a photo of a product, posted as `photo`, and what was
// seen on it, or an item that was typed as `q`. The forms of its choices post `id`, `read` and
// `code` to /console/inventory/teach, and those of the stock `id` and `change`, or `undo`,
// to /console/inventory/scan/stock.
type Scan struct {
	Frame
	Model  string // the vision model; empty: only barcodes are read
	Looked bool   // there is a result
	Steps  []ScanStep
	Item   *ScanItem // that was found
	// Unknown is what was identified but is not in the inventory.
	Unknown string
	// Read is the name that was read off the photo, and Code the barcode; either may be
	// empty. Both are kept when items are searched for.
	Read, Code string
	Search     string // for the item that it is
	Choices    []ScanChoice
	Add        string // address of the form of a new item
}

// ScanItem is the item that was found. Price and Cost may be empty.
type ScanItem struct {
	ID, Name, SKU, Price, Cost, Stock, Unit string
	Counted, Low, Out, Minus                bool   // Counted: its stock is known; Minus: it is below zero
	Link, Order                             string // addresses of it, and of an order of it
	Undo                                    string // number of the move that was just made; may be empty
}

// ScanStep is a step of a recognition. Score is like "93 %", empty if it matches nothing.
type ScanStep struct {
	Name, Text, Score, Took string
}

// ScanChoice is an item that a photo may show, or that was typed.
type ScanChoice struct {
	ID, Name, Detail string
}

// Teaches reports whether something was read that an item can be known by.
func (s Scan) Teaches() bool { return s.Read != "" || s.Code != "" }

func (Scan) template() string { return "console_scan" }

package views

// Found is a thing that a search found. Kind is what it is, like "Product".
type Found struct{ Name, Kind, Link string }

// Search is `/console/search`.
type Search struct {
	Frame
	Query string
	Found []Found
}

func (Search) template() string { return "console_search" }

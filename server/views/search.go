package views

// Found is a thing that a search found. Kind is what it is, like "Product".
type Found struct{ Name, Kind, Link string }

// Search is `/console/search`.
type Search struct {
	Frame
	Query string
	Found []Found
}

// Count is how many things were found, without the ways to more.
func (s Search) Count() (n int64) {
	for _, f := range s.Found {
		if f.Kind != "Show all" {
			n++
		}
	}
	return n
}

func (Search) template() string { return "console_search" }

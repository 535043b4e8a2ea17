package views

// Pager leads to other pages of a list; all addresses may be empty. Lists by time have Newest
// and Older, lists in another order First, Previous and Next.
type Pager struct {
	Range                 string // the rows that are shown, like "1–50 of 1,240 items"; may be empty
	Older, Newest         string
	First, Previous, Next string
}

// Head is the head of a column.
type Head struct {
	Title string
	Link  string // to the list sorted by the column; empty: it cannot be
	Sort  string // "ascending" or "descending"; empty: the list is not sorted by it
	Means string // what the column is taken for; may be empty
	// Number: figures, on the right. Aside: the column is left out beside an open row. Minor: it
	// is left out on a phone.
	Number, Aside, Minor bool
}

// ListColumn is a column of a list, from which Heads makes its head.
type ListColumn struct {
	Title string
	Order string // its name in an address; empty: the list is not sorted by it
	Down  bool   // the highest value comes first
	// See Head.
	Means         string
	Number, Aside bool
}

// Heads returns the heads of a list that is sorted by an order: the name of a column, with "-"
// before it if the highest value is first. A head leads to the address of the list sorted by it,
// and the head of the order itself to that of the other direction.
func Heads(columns []ListColumn, order string, address func(order string) string) (all []Head) {
	for _, c := range columns {
		head := Head{Title: c.Title, Means: c.Means, Number: c.Number, Aside: c.Aside}
		if c.Order != "" {
			up, down := c.Order, "-"+c.Order
			next := up
			switch {
			case order == up:
				head.Sort, next = "ascending", down
			case order == down:
				head.Sort = "descending"
			case c.Down:
				next = down
			}
			head.Link = address(next)
		}
		all = append(all, head)
	}
	return all
}

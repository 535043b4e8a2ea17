package sheet

// Brief is what people choose a table of a file by.
type Brief struct {
	Name  string // as Choice has it
	Rows  int    // of data, of which More are not counted
	More  bool
	Taken bool // it is read
	// Problem is why it is no table; empty: it can be chosen.
	Problem string
}

// Briefs describes tables.
func Briefs(tables []Table) (all []Brief) {
	for _, t := range tables {
		all = append(all, Brief{t.Name(), t.Rows, t.More, t.Taken, t.Problem})
	}
	return all
}

// Text returns the table's name and rows, like "May, 310 rows, read now".
func (b Brief) Text() string {
	text := grouped(b.Rows) + " rows"
	if b.Rows == 1 {
		text = "1 row"
	}
	if b.More {
		text = "more than " + text
	}
	if b.Taken {
		text += ", read now"
	}
	return b.Name + ", " + text
}

// Shown returns which of the tables to show as chosen: the only one that is read, or else
// what was chosen, which may be empty.
func Shown(all []Brief, chosen string) string {
	only, taken := "", 0
	for _, b := range all {
		if b.Taken {
			only, taken = b.Name, taken+1
		}
	}
	if taken == 1 {
		return only
	}
	return chosen
}

package views

import "time"

// Dataset is `/console/data/set/<id>`: the rows of a dataset, or another part of its page. The
// search gets the same page with `q` and `sort`. Its forms post, under its address, `role-N` of
// the column N to roles, `word` and `target` to words, `word` to forget, and nothing to use, undo
// and remove.
type Dataset struct {
	Frame
	Field string // that Problem is about: word or target; may be empty
	Part  string // columns or history; empty: the rows
	ID    string
	Name  string
	Kind  string // what a row is, like "sales"; may be empty
	// Period and Revenue may be empty; Made is what the revenue is made of, if it is no column.
	Period, Revenue, Made string
	Rows                  int64
	Current, Fixed        bool // Current: ask reads it; Fixed: also if another is newer
	Pushed                bool // its rows come from the API
	At                    time.Time
	JustChanged           bool // Undo is offered above the rows
	Browse                *DataRows
	Files                 []DataFile
	Columns               []DataColumn
	Net                   []string // how refunds are recognized
	Words                 []DataWord
	Targets               []string // what a word can mean
	Word, Target          string   // as they were typed
	// Undo is what the last import did, as a sentence; empty: it cannot be undone.
	Undo string
	Zone *time.Location
}

// DataRows are rows of a dataset.
type DataRows struct {
	Search, Sort string // as in the address
	From         int    // first column, from 0
	Heads        []Head
	Lines        []DataLine
	Range        string  // like "Rows 51–100 of 4,210"
	Parts        []Group // of the columns; none if all are shown
	Pager        Pager
	// Further is the address at which a search that was stopped goes on; may be empty.
	Further  string
	Unsorted bool // they were too many to be sorted
	Ends     bool // further rows of the order are not shown
	Wide     bool // the columns do not fit a screen
	Open     *OpenLine
	// Faulty is how many rows have cells that do not fit their columns; 0: none, or it is not
	// known. All and ShowFaulty are the addresses of all rows and of these, OnlyFaulty which are
	// shown.
	Faulty          int64
	All, ShowFaulty string
	OnlyFaulty      bool
}

// DataLine is a row of a dataset; Link opens it.
type DataLine struct {
	Number, Link string
	Problem      string // of its cells; empty: none, or all rows are shown
	Open         bool
	Cells        []DataCell
}

// DataCell is a value of a row.
type DataCell struct {
	Text string
	// Number: a figure, on the right. Minor: its column is left out on a phone.
	Number, Minor bool
}

// OpenLine is the open row, with all of its columns.
type OpenLine struct {
	Title, Close string
	Problem      string // of its cells; may be empty
	Facts        []DataFact
}

// DataFact is a column of the open row.
type DataFact struct{ Heading, Text string }

func (Dataset) template() string { return "console_dataset" }

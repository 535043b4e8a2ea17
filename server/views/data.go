package views

import "time"

// Data is `/console/data`. Its forms post a `file` to /console/data/upload and nothing to
// /console/data/sample and /console/data/newest.
type Data struct {
	Frame
	Field    string // that Problem is about: file; may be empty
	Datasets []DatasetRow
	Newest   bool          // ask reads the newest; false: one that was chosen
	Waiting  []WaitingFile // that were sent and are not used yet, the newest first
	MaxMB    int64
	Zone     *time.Location
}

// WaitingFile is a file that was sent and is not used yet.
type WaitingFile struct {
	Link, Name string
	Until      time.Time
}

// DatasetRow is a dataset in the list.
type DatasetRow struct {
	Link, Name, Period string
	Rows               int64
	Files              int64
	Current, Importing bool // Current: ask reads it
	At                 time.Time
}

// DataFile is a file of a dataset.
type DataFile struct {
	Name     string
	Rows     int64
	At       time.Time
	Replaced bool // by a later one
}

// DataColumn is a column with the roles that it can have.
type DataColumn struct {
	Heading, Holds string
	Roles          []Option
	Warnings       []string
}

// DataWord is a taught word.
type DataWord struct{ Text, Means string }

// DataPreview is `/console/data/upload/<id>`: what the use of a file would make. Its form
// posts `target`, `name`, `sheet`, `dates` and `role-N` to its own address, with `do`: look (nothing is
// used), create, add, replace or discard. N counts from the column `shown`; `from` is the first
// to show next.
type DataPreview struct {
	Frame
	Field string // that Problem is about: name, target or file; may be empty
	ID    string
	File  string
	Size  string // like "1.2 MB"
	Name  string // of a new dataset, as it was typed
	Until time.Time
	Zone  *time.Location
	// Targets are a new dataset and those that there are, Sheets the tables of the file.
	Targets, Sheets []Option
	Dates           []Option // orders of day and month; none if the file shows its own
	Target          string   // name of the chosen dataset; empty: a new one
	Before          int64    // its rows
	// What would be added to it, or why nothing can be.
	New, Updated, Known int64
	AddProblem          string
	Uncounted           bool // that is not known yet: the file is large
	Rows                int64
	Period, Revenue     string
	Made                string // what the revenue is made of
	Columns             []DataColumn
	From                int      // number of the first of these, from 0
	Pages               []Option // parts of all columns, by their first; none if all are shown
	Cells               [][]string
	Notes               []string
	Unreadable          string // why the file cannot be read as it was chosen
}

// ShownColumn is a column of a preview with its number among those that are shown.
type ShownColumn struct {
	DataColumn
	Index int
}

// InDoubt returns the columns with warnings, or those without.
func (p DataPreview) InDoubt(doubted bool) (all []ShownColumn) {
	for i, c := range p.Columns {
		if (len(c.Warnings) > 0) == doubted {
			all = append(all, ShownColumn{c, i})
		}
	}
	return all
}

// Doubts returns the number of columns with warnings.
func (p DataPreview) Doubts() int64 { return int64(len(p.InDoubt(true))) }

func (Data) template() string        { return "console_data" }
func (DataPreview) template() string { return "console_data_preview" }

// datasetNameInput is the field of a new dataset's name, with the problem if that is about it.
func datasetNameInput(value, field, problem string) input {
	in := input{
		ID: "preview-name", Name: "name", Label: "Name, if not that of the file", Type: "text", Value: value,
		Autocomplete: "off", Optional: true,
	}
	if field == "dataset-name" {
		in.Problem = problem
	}
	return in
}

// Number reports whether a column of Cells holds numbers, which are on the right.
func (p DataPreview) Number(column int) bool {
	return column < len(p.Columns) && p.Columns[column].Holds == "numbers"
}

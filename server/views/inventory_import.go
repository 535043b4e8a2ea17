package views

import "time"

// Import is `/console/inventory/import`: the form for a file, posted as `file`, what is wrong
// with the last one, and the imports before.
type Import struct {
	Frame
	File   string      // name of the file that was refused
	Faults []FileFault // of its rows, in their order
	More   bool        // there may be more
	Past   []PastImport
	Zone   *time.Location
	Fields []Pair // what a column may be, and how it may be called
}

// FileFault is what is wrong, or looks wrong, in a row of a file.
type FileFault struct{ Place, Column, Reason string }

// PastImport is an import that is done.
type PastImport struct {
	At                            time.Time
	File, Link, Who               string
	Added, Changed, Same, LeftOut string // numbers
	Undone                        string // how far it is undone, like "undone in part"; empty: not at all
}

// ImportPreview is `/console/inventory/imports/<id>`: what would become of a file, or how far
// its import is, or what became of it. Its forms post
// `sheet` to its own address, `leave_out` (Faulty) to …/confirm, and nothing to …/discard and …/undo.
type ImportPreview struct {
	Frame
	ID         string
	File       string
	State      string    // "waiting", "running" or "done"
	Until      time.Time // when a waiting one is dropped
	At         time.Time // when it was done
	Who        string
	Left       string     // rows, of a running one
	LeftOut    string     // rows, of one that is done; empty if none
	Faulty     int        // rows with problems, which are left out
	Problems   string     // address of their file; empty: it is no longer kept
	Undo       ImportUndo // of one that is done
	Differs    bool       // the groups are not those of the preview
	Groups     []Group
	Rows       []ImportRow
	FaultyRows []FaultyRow // in the place of Rows
	Next       string      // address of the next rows
	First      string      // address of the first rows, on a later page
	Columns    []Pair      // field and heading
	Ignored    []string
	Sheets     []Option // of the file; none: there is no choice
	Warnings   []FileFault
	Notes      []string // about the file, as sentences
	Nothing    bool     // there is nothing to import
	Button     string   // like "Import 42 items"
	Currency   string
	Zone       *time.Location
}

// ImportRow is what would become of a row of a file.
type ImportRow struct {
	Place, Name, Outcome, Tag string
	Link                      string // to the item; empty if it is new
	Changes                   []ImportChange
}

// FaultyRow is a row of a file that cannot be imported.
type FaultyRow struct{ Place, Name, Why string }

// ImportUndo is how far an import is undone: it posts nothing to …/undo.
type ImportUndo struct {
	Possible bool
	Until    time.Time
	Done     bool
	Title    string    // of one that is done, like "Undone in part"
	Nothing  bool      // the import had changed nothing
	At       time.Time // when it was undone
	Who      string
	Left     string      // rows that are still to be undone, while that goes on
	Rows     string      // that were undone, like "12 rows"; empty if none
	Kept     string      // rows that could not be; empty if none
	Problems []FaultyRow // the first of these; Place is the address of the item
}

// ImportChange is a field that a row changes. From is empty for a new value.
type ImportChange struct{ Field, From, To string }

func (Import) template() string        { return "console_import" }
func (ImportPreview) template() string { return "console_import_preview" }

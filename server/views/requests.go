package views

import "time"

// Requests is `/console/requests`: the account's calls of the API. Its form gets the same
// page with `key`, `route`, `status`, `day` and `id`.
type Requests struct {
	Frame
	Keys, Routes, Statuses []Option
	Day, ID                string // as they were typed
	Field                  string // that Problem is about; may be empty
	Filtered               bool
	HasKeys                bool
	Rows                   []Call
	Open                   *OpenCall // nil: none
	// Refresh is the address that the list is read from again and again; empty if it stays
	// as it is. Pause leads to this page without that, and Resume with it.
	Refresh, Pause, Resume string
	// Further leads on where the search has ended before the log did; may be empty.
	Further string
	Pager   Pager
	Total   string // how many calls the filter picks, in words; empty: not known
	Zone    *time.Location
}

// Filters returns how many of the folded filters are set.
func (r Requests) Filters() int64 {
	set := chosen(r.Keys, r.Routes, r.Statuses)
	if r.Day != "" {
		set++
	}
	return set
}

// Call is a row of the log.
type Call struct {
	Number                  int64 // of the row in the log
	ID, Link, Method, Route string
	Status                  int
	Tag                     string // class of the tag, warn or bad; empty: the call succeeded
	Why                     string // why it was refused, or that it was a replay, in a few words; may be empty
	Key, KeyLink, Cost      string // KeyLink is empty if the key is not known
	Took                    string
	Test                    bool // by a test key
	At                      time.Time
	Open                    bool // beside the list
}

// OpenCall is the call beside the list.
type OpenCall struct {
	Call
	Close  string // address of the page without it
	Answer string // what became of it, in a sentence
	Advice string // what to do about it; may be empty
	// Way and WayText are the link to where that can be done; may be empty.
	Way, WayText string
	CostText     string // why it cost what it did
	Entry        string // address of the debit in the ledger; empty if there is none
	First        bool   // no replay
	Original     string // id of the call whose answer was sent again, and its address
	OriginalLink string
	ClientID     string // the caller's own id; may be empty
	Curl         string
	Example      bool // Curl has a made-up body or query
}

// Usage is `/console/usage`: what the account's calls come to, and what its keys have left.
// Its form gets the same page with `key` and `days`.
type Usage struct {
	Frame
	Keys, Spans                    []Option
	Filtered                       bool
	HasKeys                        bool
	Calls, Refused, Failed, Spent  string
	SpentByPeople                  string // the part of Spent of messages sent in the console; empty: none
	CallsLink                      string // to the log, as are the next two
	RefusedLink, FailedLink        string
	Partial                        bool // the newest calls only: older ones are being counted
	ByDay, ByRoute, ByKey, ByState Chart
	Plan                           string
	Limits                         string // what the plan gives each key, in words
	Plans                          []PlanRow
	Meters                         []Meter // of the keys that are used most this month
	MoreKeys                       bool    // that have no meter
	Standings                      []KeyStanding
	MonthEnds                      time.Time
	// Window is the name of the key whose rolling windows are Windows; empty: none is chosen.
	Window  string
	Windows []WindowRow
	Zone    *time.Location
}

// MonthColumn reports whether the month of each key is a column: the meters do not say all.
func (u Usage) MonthColumn() bool { return u.MoreKeys || len(u.Meters) == 0 }

// KeyCount is how many keys the account has.
func (u Usage) KeyCount() int64 { return int64(len(u.Standings)) }

// PlanRow is a plan with the limits of each key.
type PlanRow struct {
	Name, Minute, Month string
	Current             bool
}

// KeyStanding is what a key has used of its plan's limits.
type KeyStanding struct {
	Name, Link, WindowsLink string
	Test, Disabled          bool
	Minute, Month           string // like "3 of 60"
	MonthTag, MonthWord     string // a tag if little is left; may be empty
	Chosen                  bool   // by the filter
}

// WindowRow is an endpoint with rolling windows and what a key has left there.
type WindowRow struct {
	Endpoint, Left string // Left is like "58 of 60"
	Full           bool
	NextAt         time.Time // when the next place is free, of a window that has calls
}

func (Requests) template() string { return "console_requests" }
func (Usage) template() string    { return "console_usage" }

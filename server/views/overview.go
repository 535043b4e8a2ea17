package views

import "time"

// Overview is `/console`. The forms of its alerts post `id` to /console/alerts/snooze and to
// /console/alerts/dismiss.
type Overview struct {
	Frame
	Day  string // today, like "Sunday 1 March"
	Shop Shop
	// Attention is what needs somebody, the gravest first.
	Attention []Attention
	Waiting   []Waiting
	More      int64 // requests that wait, too
	Pinned    []PinnedAnswer
	// Today is what the API's calls of today come to; nil for an account without keys.
	Today *CallsToday
	Zone  *time.Location
}

// Shop is how the account's shop does.
type Shop struct {
	// Known: there are products or sales. Otherwise there is nothing to tell, and Steps say
	// what to do first.
	Known    bool
	Sentence string // the last day in one sentence with its figure
	More     string // a second sentence; may be empty
	Steps    []Step // what to do first; empty once all is done
	Figures  []ShopFigure
	// Chart is the revenue of the last days; nil without sales.
	Chart *Chart
	// Score is out of 100, and Band its name with the class of its tag; empty: there are no
	// sales to judge by.
	Score, Band, BandTag string
	Why                  string   // what takes points off the score, in a sentence
	Drivers              []Driver // what takes points off it and is not in Alerts
	Alerts               []ShopAlert
	Checks               []Attention // what needs a look and has no alert
	Quiet                int64       // alerts that are snoozed or dismissed
}

// Step is a thing to do first.
type Step struct {
	Title, Text, Link, LinkText string
	Done                        bool
}

// ShopFigure is a figure with how it compares and the address of what is behind it; both
// may be empty.
type ShopFigure struct{ Label, Value, Against, Link string }

// Driver takes Points off the score.
type Driver struct {
	Points                              int64
	Title, Detail, Rule, Link, LinkText string
}

// ShopAlert is a thing to do.
type ShopAlert struct {
	ID, Verdict, Tag    string
	Title, Figure, Text string
	Rule                string // by which it is a thing to do; may be empty
	Points              int64  // that it takes off the score
	Link, LinkText      string // to do it
	Since               time.Time
}

// Attention is something that is not as it should be, with the link to where it is mended.
type Attention struct{ Title, Text, Link, LinkText, Tag string }

// PinnedAnswer is a pinned question with its answer.
type PinnedAnswer struct {
	Question, Answer, Link string
	Cards                  []ShopFigure
}

// CallsToday are the calls of a day.
type CallsToday struct {
	Calls, Refused, Failed, Spent, Balance string
	CallsLink, RefusedLink, FailedLink     string
	Meters                                 []Meter // of the key with the least left of its month
	Zone                                   *time.Location
}

func (Overview) template() string { return "console_overview" }

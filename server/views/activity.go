package views

import "time"

// Act is what somebody did to an account's credit, plan, keys, grants or settings.
type Act struct {
	At        time.Time
	Who, What string
	Of        string // the account's name, on the operator's list
	OfLink    string // to the account
	Link      string // to what it was done to; may be empty
}

// Activity is `/console/activity`: the audit log of an account or, for the operator, of All.
type Activity struct {
	Frame
	All    bool
	Search string // as it was typed
	Acts   []Act
	Pager  Pager
	Zone   *time.Location
}

func (Activity) template() string { return "console_activity" }

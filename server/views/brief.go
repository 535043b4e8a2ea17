package views

import "time"

// Brief is `/console/brief`: the report on a shop that its owner reads in the morning.
type Brief struct {
	Frame
	Day      string // that it reports on, like "Sunday 1 March"
	Headline string
	Figures  []ShopFigure
	Sections []BriefSection
	Actions  []BriefAction // what the open alerts ask for, the gravest first
	MadeAt   time.Time
	Zone     *time.Location
	Stored   time.Time // when that of the morning was made; zero if it is not yet
	Changed  bool      // data that came since have changed it, and it is of MadeAt
}

// BriefSection is a part of a brief.
type BriefSection struct{ Title, Text string }

// BriefAction is a thing to do, in a verb and its reason, with the address where it is done.
// Title and Link may be empty.
type BriefAction struct{ Title, Text, Link, LinkText string }

func (Brief) template() string { return "console_brief" }

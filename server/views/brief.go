package views

import "time"

// Brief is `/console/brief`: the report on a shop that its owner reads in the morning.
type Brief struct {
	Frame
	Day      string // that it reports on, like "Sunday 1 March"
	Headline string
	Sections []BriefSection
	Actions  []string // what the open alerts ask for, the gravest first
	MadeAt   time.Time
	Zone     *time.Location
	Stored   time.Time // when that of the morning was made; zero if it is not yet
	Changed  bool      // data that came since have changed it, and it is of MadeAt
}

// BriefSection is a part of a brief.
type BriefSection struct{ Title, Text string }

func (Brief) template() string { return "console_brief" }

package views

import (
	"regexp"
	"strings"
	"time"
)

// Brief is `/console/brief`: the report on a shop that its owner reads in the morning.
type Brief struct {
	Frame
	Day      string // that it reports on, like "Sunday 1 March"
	Headline string
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

// SentencePart is a part of a sentence: a figure or the words around it.
type SentencePart struct {
	Text   string
	Figure bool // an amount of money or a per cent
}

var briefFigure = regexp.MustCompile(`-?\p{Sc}[\d,.]*\d|-?\d[\d,.]* %`)

// figures cuts a text into its figures, save those in brackets, and the words around them.
func figures(text string) (all []SentencePart) {
	at := 0
	for _, m := range briefFigure.FindAllStringIndex(text, -1) {
		if strings.HasSuffix(text[:m[0]], "(") {
			continue // what a figure is compared with
		}
		all = append(all, SentencePart{Text: text[at:m[0]]}, SentencePart{Text: text[m[0]:m[1]], Figure: true})
		at = m[1]
	}
	return append(all, SentencePart{Text: text[at:]})
}

func (Brief) template() string { return "console_brief" }

package views

import "time"

// Meter is how much of a limit is used. The template "meters" shows several.
type Meter struct {
	Name, Link string
	Used       string // like "8,204 of 10,000 calls this month"
	Minute     string // like "3 of 60 this minute"; may be empty
	Limited    bool
	Share      float64 // that is used of the limit, in per cent
	// Tag is warn if little is left, and bad if nothing is.
	Tag    string
	Resets time.Time // zero: it is not said
}

// Width returns the width of the bar, of 100.
func (m Meter) Width() string { return decimal(min(100, max(0, m.Share))) }

// NewMeter returns the meter of a limit of which a part is used; a limit of 0 is none.
func NewMeter(name, link, text string, used, limit int64, resets time.Time) Meter {
	m := Meter{Name: name, Link: link, Used: text, Resets: resets}
	if limit <= 0 {
		return m
	}
	m.Limited, m.Share = true, 100*float64(used)/float64(limit)
	switch {
	case used >= limit:
		m.Tag = "bad"
	case m.Share >= fewLeft:
		m.Tag = "warn"
	}
	return m
}

// fewLeft is the part of a limit in per cent from which its meter is marked.
const fewLeft = 80

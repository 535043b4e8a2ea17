package when

import (
	"time"

	"svc/server/ask/plan"
)

// Span is a run of days, both ends included.
type Span struct {
	From, To time.Time // From is the year 1 if the span has no beginning, To is endless if it has no end
	Unit     plan.Part // if the span is one unit: a Month, say
	Words    string    // as asked
	Yearless bool      // a month, a day or a holiday without a year: the latest
	Relative bool      // counted from today
	Ahead    bool      // in the future
	SoFar    plan.Part // the unit whose first days these are, up to today
	Ends     []Span    // of a range: its two points
}

// endless is the last day of a span without an end.
var endless = date(9999, 12, 31)

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// Around returns the unit with a day in it; weeks begin on Monday.
func Around(day time.Time, unit plan.Part) Span {
	y, m := day.Year(), day.Month()
	switch unit {
	case plan.Week:
		from := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		return Span{From: from, To: from.AddDate(0, 0, 6), Unit: unit}
	case plan.Month:
		return Span{From: date(y, m, 1), To: date(y, m+1, 0), Unit: unit}
	case plan.Quarter:
		first := (m-1)/3*3 + 1
		return Span{From: date(y, first, 1), To: date(y, first+3, 0), Unit: unit}
	case plan.Year:
		return Span{From: date(y, 1, 1), To: date(y, 12, 31), Unit: unit}
	}
	return Span{From: day, To: day, Unit: plan.Day}
}

// Days returns the number of days.
func (s Span) Days() int { return int(s.To.Sub(s.From).Hours()/24) + 1 }

// wholeMonths reports whether a span begins and ends with a month.
func (s Span) wholeMonths() bool { return s.From.Day() == 1 && s.To.AddDate(0, 0, 1).Day() == 1 }

func (s Span) monthCount() int {
	return (s.To.Year()-s.From.Year())*12 + int(s.To.Month()-s.From.Month()) + 1
}

// Shift moves a span by n of its unit; without a unit by n times its length, in months if it
// consists of whole months, else in days.
func (s Span) Shift(n int) Span {
	if s.wholeMonths() {
		s = s.months(n * s.monthCount())
	} else {
		days := n * s.Days()
		s.From, s.To = s.From.AddDate(0, 0, days), s.To.AddDate(0, 0, days)
	}
	s.Words, s.SoFar, s.Ends = "", plan.Whole, nil
	return s
}

// YearBefore returns the same days one year earlier.
func (s Span) YearBefore() Span { return s.InYear(s.From.Year() - 1) }

// InYear returns the span moved to begin in a year.
func (s Span) InYear(y int) Span {
	s = s.months(12 * (y - s.From.Year()))
	s.Yearless, s.Words = false, ""
	return s
}

// months moves both ends by n months; the last day of a month stays the last.
func (s Span) months(n int) Span {
	s.From, s.To = addMonths(s.From, n), addMonths(s.To, n)
	if s.wholeMonths() {
		s.From = date(s.From.Year(), s.From.Month(), 1)
	}
	return s
}

func addMonths(day time.Time, n int) time.Time {
	last := date(day.Year(), day.Month()+time.Month(n)+1, 0)
	if day.AddDate(0, 0, 1).Day() == 1 || day.Day() > last.Day() {
		return last
	}
	return date(day.Year(), day.Month()+time.Month(n), day.Day())
}

// latest returns a span of any year in the last year in which it has begun.
func (n Now) latest(s Span) Span {
	out := s.InYear(n.Today.Year())
	if out.From.After(n.Today) {
		out = s.InYear(n.Today.Year() - 1)
	}
	out.Yearless = true
	return out
}

// trailing returns the n units up to today: days and weeks by the day, longer units by the
// calendar, without the current one (H8).
func (n Now) trailing(count int, unit plan.Part) Span {
	s := Span{To: n.Today, Relative: true}
	switch unit {
	case plan.Day:
		s.From = n.Today.AddDate(0, 0, 1-count)
	case plan.Week:
		s.From = n.Today.AddDate(0, 0, 1-7*count)
	default:
		now := Around(n.Today, unit)
		s.From, s.To = now.Shift(-count).From, now.From.AddDate(0, 0, -1)
	}
	return s
}

// Next returns the days from today to the one that is so many units away.
func (n Now) Next(count int, unit plan.Part) Span {
	s := Span{From: n.Today, Relative: true, Ahead: true}
	switch unit {
	case plan.Day:
		s.To = n.Today.AddDate(0, 0, count)
	case plan.Week:
		s.To = n.Today.AddDate(0, 0, 7*count)
	case plan.Quarter:
		s.To = addMonths(n.Today, 3*count)
	case plan.Year:
		s.To = addMonths(n.Today, 12*count)
	default:
		s.To = addMonths(n.Today, count)
	}
	return s
}

// soFar returns the days of the current unit up to today.
func (n Now) soFar(unit plan.Part) Span {
	s := Around(n.Today, unit)
	s.To, s.Unit, s.SoFar, s.Relative = n.Today, plan.Whole, unit, true
	return s
}

// Title returns a span in words: 2021, March 2021, Q3 2021, 5 March 2021, 1 March 2021 to
// 7 March 2021.
func (s Span) Title() string {
	switch {
	case s.From.Equal(s.To):
		return s.From.Format("2 January 2006")
	case !s.wholeMonths():
		return s.From.Format("2 January 2006") + " to " + s.To.Format("2 January 2006")
	}
	switch n := s.monthCount(); {
	case n == 1:
		return s.From.Format("January 2006")
	case n == 3 && (s.From.Month()-1)%3 == 0:
		return "Q" + string(rune('1'+(s.From.Month()-1)/3)) + " " + s.From.Format("2006")
	case n == 12 && s.From.Month() == time.January:
		return s.From.Format("2006")
	}
	return s.From.Format("January 2006") + " to " + s.To.Format("January 2006")
}

// Plan returns the span as a plan's period. A span without a beginning begins with the
// data, and one without an end ends with them.
func (s Span) Plan(now Now) *plan.Period {
	if s.To.Equal(endless) && now.Last.After(s.From) {
		s.To = now.Last
	}
	if s.From.Year() == 1 {
		s.From = now.First
		if s.To.Before(s.From) {
			s.From = s.To
		}
	}
	return &plan.Period{From: s.From.Format(time.DateOnly), To: s.To.Format(time.DateOnly), Words: s.Title()}
}

// Comparison is two periods of which one is asked about.
type Comparison struct {
	Now, Before Span
	Whole       *Span // the full period of which Before has the first days
	SoFar       bool  // Now has not ended, so that as many days of both are compared
}

// Compare returns how two periods are compared: the later one is asked about. A period
// without a year is in that of the other. If the later has not ended, its days so far are
// compared with as many days of the other (H8).
func (n Now) Compare(a, b Span) Comparison {
	a, b = n.sameYear(a, b)
	if b.From.After(a.From) {
		a, b = b, a
	}
	if a.SoFar != plan.Whole {
		words := a.Words
		a = Around(n.Today, a.SoFar)
		a.Words, a.Relative = words, true
	}
	until := n.Today
	if !a.To.Before(until) && n.Last.Before(until) && !n.Last.Before(a.From) {
		until = n.Last // the days without data have not been lost
	}
	if !a.To.After(until) || a.From.After(until) || a.Unit == plan.Whole || a.Unit == plan.Day {
		return Comparison{Now: a, Before: b}
	}
	gone := int(until.Sub(a.From).Hours() / 24)
	a.To = until
	c := Comparison{Now: a, Before: b, SoFar: true}
	if end := b.From.AddDate(0, 0, gone); end.Before(b.To) && a.Unit == b.Unit {
		whole := b
		c.Whole, c.Before.To = &whole, end
		if b.From.Day() == a.From.Day() && b.From.Month() == a.From.Month() {
			c.Before.To = addMonths(a.To, 12*(b.From.Year()-a.From.Year()))
		}
	}
	return c
}

// sameYear gives a period without a year that of the other, or the year before if it would
// be ahead. If that would be the other itself, it stays the latest.
func (n Now) sameYear(a, b Span) (Span, Span) {
	moved := func(s, to Span) Span {
		out := s.InYear(to.From.Year())
		if out.From.After(n.Today) {
			out = s.InYear(to.From.Year() - 1)
		}
		if out.From.Equal(to.From) && out.To.Equal(to.To) {
			return s // october against october 2020
		}
		out.Words = s.Words
		return out
	}
	switch {
	case a.Yearless && !b.Yearless && !b.Relative:
		a = moved(a, b)
	case b.Yearless && !a.Yearless && !a.Relative:
		b = moved(b, a)
	}
	return a, b
}

// Merge returns the span of two adjacent ones, "may and june"; false if they are not.
func Merge(a, b Span) (Span, bool) {
	if b.From.Before(a.From) {
		a, b = b, a
	}
	if !a.To.AddDate(0, 0, 1).Equal(b.From) {
		return Span{}, false
	}
	return Span{From: a.From, To: b.To, Yearless: a.Yearless && b.Yearless, Relative: a.Relative || b.Relative}, true
}

package read

import (
	"strings"
	"time"

	"svc/server/ask/plan"
)

// span is the range of days that words of a question mean.
type span struct {
	from, to time.Time
	unit     plan.Part // if it is one: a Month, say
	words    string
	yearless bool      // a month or a holiday without a year: the latest
	soFar    plan.Part // the unit whose first days these are, up to today
	ahead    bool      // in the future
	ends     []span    // of a range, its two points
}

// calendar reads days relative to one day (H8).
type calendar struct{ today time.Time }

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// unitAround returns the unit with a day in it; weeks begin on Monday.
func unitAround(day time.Time, unit plan.Part) span {
	y, m := day.Year(), day.Month()
	switch unit {
	case plan.Week:
		from := day.AddDate(0, 0, -(int(day.Weekday())+6)%7)
		return span{from: from, to: from.AddDate(0, 0, 6), unit: unit}
	case plan.Month:
		return span{from: date(y, m, 1), to: date(y, m+1, 0), unit: unit}
	case plan.Quarter:
		first := (m-1)/3*3 + 1
		return span{from: date(y, first, 1), to: date(y, first+3, 0), unit: unit}
	case plan.Year:
		return span{from: date(y, 1, 1), to: date(y, 12, 31), unit: unit}
	}
	return span{from: day, to: day, unit: plan.Day}
}

// shift moves a span by n of its unit; without a unit by n times its length, in months if
// it consists of whole months, else in days.
func (s span) shift(n int) span {
	switch {
	case s.unit == plan.Month || s.unit == plan.Quarter || s.unit == plan.Year:
		months := map[plan.Part]int{plan.Month: 1, plan.Quarter: 3, plan.Year: 12}[s.unit]
		s.from, s.to = s.months(n * months)
	case s.from.Day() == 1 && s.to.AddDate(0, 0, 1).Day() == 1:
		s.from, s.to = s.months(n * s.monthCount())
	default:
		days := n * (int(s.to.Sub(s.from).Hours()/24) + 1)
		s.from, s.to = s.from.AddDate(0, 0, days), s.to.AddDate(0, 0, days)
	}
	s.words = ""
	return s
}

func (s span) monthCount() int {
	return (s.to.Year()-s.from.Year())*12 + int(s.to.Month()-s.from.Month()) + 1
}

// months returns both ends moved by n months; the last day of a month stays the last.
func (s span) months(n int) (from, to time.Time) {
	return addMonths(s.from, n), addMonths(s.to, n)
}

func addMonths(day time.Time, n int) time.Time {
	last := date(day.Year(), day.Month()+time.Month(n)+1, 0)
	if day.AddDate(0, 0, 1).Day() == 1 || day.Day() > last.Day() {
		return last
	}
	return date(day.Year(), day.Month()+time.Month(n), day.Day())
}

// yearBefore returns the same days one year earlier.
func (s span) yearBefore() span {
	s.from, s.to = s.months(-12)
	s.words = ""
	return s
}

// inYear returns a yearless span in a year.
func (s span) inYear(y int) span {
	s.from, s.to = s.months(12 * (y - s.from.Year()))
	s.yearless = false
	return s
}

// latest returns a yearless span in the last year in which it has begun.
func (c calendar) latest(s span) span {
	out := s.inYear(c.today.Year())
	if out.from.After(c.today) {
		out = s.inYear(c.today.Year() - 1)
	}
	out.yearless = true
	return out
}

// holiday returns the date of a named day in a year.
type holiday func(year int) time.Time

func fixed(m time.Month, d int) holiday { return func(y int) time.Time { return date(y, m, d) } }

// nth returns the holiday that is plus days after the nth weekday of a month.
func nth(n int, w time.Weekday, m time.Month, plus int) holiday {
	return func(y int) time.Time {
		first := date(y, m, 1)
		skip := (int(w) - int(first.Weekday()) + 7) % 7
		return first.AddDate(0, 0, skip+7*(n-1)+plus)
	}
}

// easter returns Easter Sunday by the Gregorian calendar (algorithm of Gauss, by Meeus and
// Jones).
func easter(y int) time.Time {
	a, b, c := y%19, y/100, y%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 19*l) / 433
	month := (h + l - 7*m + 90) / 25
	return date(y, time.Month(month), (h+l-7*m+33*month+19)%32)
}

var holidays = map[string]holiday{
	"christmas": fixed(12, 25), "christmas day": fixed(12, 25), "xmas": fixed(12, 25), "christmas eve": fixed(12, 24),
	"boxing day": fixed(12, 26), "new years eve": fixed(12, 31), "new years day": fixed(1, 1), "new year": fixed(1, 1),
	"valentines day": fixed(2, 14), "valentines": fixed(2, 14), "halloween": fixed(10, 31), "independence day": fixed(7, 4),
	"st patricks day": fixed(3, 17), "thanksgiving": nth(4, time.Thursday, 11, 0), "black friday": nth(4, time.Thursday, 11, 1),
	"cyber monday": nth(4, time.Thursday, 11, 4), "easter": easter, "easter sunday": easter,
	"good friday":   func(y int) time.Time { return easter(y).AddDate(0, 0, -2) },
	"easter monday": func(y int) time.Time { return easter(y).AddDate(0, 0, 1) },
	"mothers day":   nth(2, time.Sunday, 5, 0), "memorial day": nth(5, time.Monday, 5, 0), "labor day": nth(1, time.Monday, 9, 0),
}

// seasons are those of the northern hemisphere, by their first month.
var seasons = map[string]time.Month{"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}

var monthNames = map[string]time.Month{}

func init() {
	for m := time.January; m <= time.December; m++ {
		name := strings.ToLower(m.String())
		monthNames[name], monthNames[name[:3]] = m, m
	}
	monthNames["sept"] = time.September
}

var weekdayNames = map[string]time.Weekday{
	"monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 0,
	"mon": 1, "tue": 2, "tues": 2, "wed": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 0,
}

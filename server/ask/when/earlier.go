package when

import "svc/server/ask/plan"

// Back says how days follow from those of another period. Exactly one field is set, or none
// for as many days directly before.
type Back struct {
	Year   int       // the same days in this year
	Years  int       // the same days this many years before
	Unit   plan.Part // the unit before the one of the period's first day
	Days   int       // this many days before the period
	Months int       // this many months before it
}

// Of returns the days before a period.
func (b Back) Of(s Span) Span {
	out := s
	switch {
	case b.Year > 0:
		out = s.InYear(b.Year)
	case b.Years > 0:
		out = s.InYear(s.From.Year() - b.Years)
	case b.Days > 0:
		out = Span{From: s.From.AddDate(0, 0, -b.Days), To: s.From.AddDate(0, 0, -1)}
	case b.Months > 0:
		out = Span{From: s.From.AddDate(0, -b.Months, 0), To: s.From.AddDate(0, 0, -1)}
	case b.Unit == plan.Year && s.Unit != plan.Year:
		out = s.YearBefore()
	case b.Unit == plan.Week && s.Days() < 7:
		out.From, out.To = s.From.AddDate(0, 0, -7), s.To.AddDate(0, 0, -7)
	case b.Unit == plan.Month && s.Days() < 31:
		out = s.months(-1) // of its first days so many
	default:
		out = s.Shift(-1)
	}
	out.Words = ""
	return out
}

// earlier reads the month before, the year before, a year earlier, the same month last year,
// the same months of 2004, the 30 before, the previous 30 days, the previous period, the period before.
func (r reader) earlier(i int) []Mention {
	found := func(n int, b Back) []Mention {
		return []Mention{{To: i + n, Kind: Earlier, Back: b, Likely: 1}}
	}
	j := i
	if r.is(j, "the", "a", "one") {
		j++
	}
	skip := j - i
	unit := units[r.at(j)]
	count, isCounted := r.number(j + 1)
	switch {
	case r.is(j, "same", "equivalent", "corresponding") || r.has(j, "this time") > 0:
		if n, b := r.same(j + 1); n > 0 {
			return found(skip+1+n, b)
		}
	case unit != plan.Whole && r.is(j+1, "before", "earlier", "prior", "previously"):
		if _, n := r.point(j + 2); n > 0 {
			return nil // the week before Christmas
		}
		n := skip + 2
		if r.is(i+n, "that", "it", "last") {
			n++
		}
		return found(n, Back{Unit: unit})
	case r.is(j, "previous", "preceding", "prior", "earlier") && r.is(j+1, "period", "one", "ones"), r.is(j, "period") && r.is(j+1, "before", "earlier"):
		return found(skip+2, Back{})
	case isCounted && r.isBeforeOther(j):
		return r.earlierDays(j+1, skip+1, count)
	case r.is(j, "previous", "preceding", "prior") && units[r.at(j+1)] != plan.Whole && skip > 0:
		return found(skip+2, Back{Unit: units[r.at(j+1)]})
	}
	if skip > 0 && r.is(j, "one") && r.is(j+1, "before", "previous") && r.at(j+2) == "" {
		return found(skip+2, Back{}) // than the one before
	}
	if count, ok := r.number(j); ok && skip > 0 {
		return r.earlierDays(j, skip, count)
	}
	return nil
}

// isBeforeOther reports whether word i is the previous of days before others that are named: the last 30 days
// against the previous 30.
func (r reader) isBeforeOther(i int) bool {
	isOther := func(k int) bool {
		_, counted := r.number(k + 1)
		return r.is(k, "last", "past", "this") && (counted || units[r.at(k+1)] != plan.Whole)
	}
	for k := range max(i, 0) {
		if isOther(k) {
			return r.is(i, "previous", "preceding", "prior")
		}
	}
	return false
}

// earlierDays reads the 30 before, the 30 days before that, the previous 7, the three months before
// those.
func (r reader) earlierDays(j, skip, count int) []Mention {
	n, back := 1, Back{Days: count}
	switch units[r.at(j+1)] {
	case plan.Day:
		n++
	case plan.Week:
		n, back = 2, Back{Days: 7 * count}
	case plan.Month:
		n, back = 2, Back{Months: count}
	case plan.Quarter:
		n, back = 2, Back{Months: 3 * count}
	case plan.Year:
		n, back = 2, Back{Months: 12 * count}
	}
	isBefore := r.is(j+n, "before", "earlier", "prior")
	if !isBefore && !r.isBeforeOther(j-1) {
		return nil
	}
	if isBefore {
		n++
	}
	if r.is(j+n, "that", "those", "it") {
		n++
	}
	return []Mention{{To: j + n, Kind: Earlier, Back: back, Likely: 1}}
}

// same reads the words after "same": month last year, period of 2004, time a year ago, point last month.
func (r reader) same(i int) (n int, b Back) {
	n = 1
	switch {
	case units[r.at(i)] == plan.Whole && r.is(i, "last", "previous"):
		n = 0 // against the same last year
	case units[r.at(i)] == plan.Whole && !r.is(i, "period", "periods", "time", "days", "dates", "point", "stage", "bit", "part", "stretch"):
		return 0, Back{}
	}
	if r.is(i+n, "of", "in", "from", "the") {
		n++
	}
	if y, ok := r.yearNumber(i + n); ok {
		return n + 1, Back{Year: y}
	}
	if last := date(r.now.Today.Year(), r.now.Today.Month()-1, 1); monthNames[r.at(i+n)] == last.Month() {
		return n + 1, Back{Unit: plan.Month} // in August, said in September
	}
	for _, phrase := range []string{"last year", "previous year", "prior year", "year before", "year earlier", "a year ago", "a year earlier", "one year ago"} {
		if k := r.has(i+n, phrase); k > 0 {
			return n + k, Back{Years: 1}
		}
	}
	for _, phrase := range []string{"last month", "previous month", "month before"} {
		if k := r.has(i+n, phrase); k > 0 {
			return n + k, Back{Unit: plan.Month}
		}
	}
	for _, phrase := range []string{"last week", "previous week", "week before"} {
		if k := r.has(i+n, phrase); k > 0 {
			return n + k, Back{Unit: plan.Week}
		}
	}
	return 0, Back{}
}

package when

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
)

// period reads days: a range, an open end, days beside others, and one point.
func (r reader) period(i int) []Mention {
	var out []Mention
	add := func(s Span, n int, likely float64) {
		if n == 0 {
			return
		}
		if s.Words == "" {
			s.Words = r.text(i, i+n)
		}
		s.Ahead = s.Ahead || s.From.After(r.now.Today)
		out = append(out, Mention{To: i + n, Kind: Period, Span: s, Likely: likely})
	}
	s, n := r.between(i)
	add(s, n, 1)
	s, n = r.openEnded(i)
	add(s, n, 1)
	s, n = r.beside(i)
	add(s, n, 1)
	s, n = r.lastOfThis(i)
	add(s, n, 1)
	s, n = r.toCome(i)
	add(s, n, 1)
	if r.is(i, "the") {
		return out // outwards adds the article
	}
	s, n = r.point(i)
	add(s, n, r.likely(i, n))
	if w, ok := weekdayNames[r.at(i)]; ok && len(r.words[i]) > 3 {
		likely := 0.4
		if r.is(i-1, "on") && !r.is(i-2, "sell", "sells", "sold", "make", "take") {
			likely = 0.7
		}
		add(r.latestWeekday(w, true), 1, likely) // who means today's says today
	}
	return out
}

// toCome reads upcoming, coming up: the days from today on.
func (r reader) toCome(i int) (Span, int) {
	for _, phrase := range []string{"upcoming", "forthcoming", "coming up", "still to come", "yet to come", "from now on"} {
		if n := r.has(i, phrase); n > 0 {
			return Span{From: r.now.Today, To: endless, Relative: true, Ahead: true}, n
		}
	}
	return Span{}, 0
}

// lastOfThis reads the last of "this month than last": the unit before that of "this".
func (r reader) lastOfThis(i int) (Span, int) {
	if !r.is(i, "last", "previous") || !r.is(i-1, "than", "vs", "v", "versus", "or", "to", "with", "against", "the", "and") || i+1 < len(r.words) && !r.is(i+1, "by", "for", "in", "at", "from") {
		return Span{}, 0
	}
	for j := i - 2; j > 0; j-- {
		if unit, ok := units[r.words[j]]; ok && r.is(j-1, "this") {
			s := Around(r.now.Today, unit).Shift(-1)
			s.Relative = true
			return s, 1
		}
	}
	return Span{}, 0
}

// likely returns how usual it is that a point is meant by its words: "may" and "march" are
// verbs, too, "sat" and "fall" no days, and 2000 may be a number.
func (r reader) likely(i, n int) float64 {
	if n != 1 {
		return 1
	}
	linked := r.is(i-1, "in", "of", "since", "for", "last", "this", "by", "vs", "v", "versus", "and", "to", "from", "during",
		"until", "before", "after", "between", "with", "than", "compare", "against", "on", "the") || r.is(i+1, "vs", "v", "versus", "compared", "and", "to")
	switch r.words[i] {
	case "may", "march", "mar", "dec", "jan", "sep", "jun", "fall", "spring":
		if !linked && i > 0 {
			return 0.3
		}
	}
	if _, isYear := r.yearNumber(i); isYear && r.is(i-1, "over", "than", "under", "above", "below", "top", "least", "most", "exactly") {
		return 0.2
	}
	return 1
}

// between reads two points with a word for "to": between May and June, from 1 to 15 October.
func (r reader) between(i int) (Span, int) {
	j := i
	and := r.is(i, "between")
	if and || r.is(i, "from") {
		j++
	}
	a, n := r.limit(j)
	if n == 0 || r.is(j, "the") && n == 1 {
		a, n = r.dayOfRange(j)
	}
	if n == 0 || !(r.is(j+n, "to", "until", "till", "through", "thru", "-") || and && r.is(j+n, "and")) {
		return Span{}, 0
	}
	b, m := r.limit(j + n + 1)
	if k := max(r.has(j+n+1, "now"), r.has(j+n+1, "date"), r.has(j+n+1, "present"), r.has(j+n+1, "the present")); k > 0 {
		b, m = Around(r.now.Today, plan.Day), k
	}
	if m == 0 {
		return Span{}, 0
	}
	first, last, ok := r.now.ordered(a, b)
	if !ok {
		return Span{}, 0
	}
	s := Span{From: first.From, To: last.To, Yearless: a.Yearless && b.Yearless, Relative: a.Relative || b.Relative, Ends: []Span{first, last}}
	if s.Yearless {
		s.Ends = []Span{a, b} // each the latest, if the two are compared
	}
	return s, j - i + n + 1 + m
}

// ordered gives the ends of a range the years that they lack, so that b is not before a;
// false if they have years and are in the wrong order. "Christmas and new year" at the end of
// December are those of now, although the new year has not begun.
func (n Now) ordered(a, b Span) (Span, Span, bool) {
	yearless := a.Yearless
	switch {
	case a.Yearless && !b.Yearless:
		a = a.InYear(b.From.Year())
	case b.Yearless && !a.Yearless:
		if b = b.InYear(a.From.Year()); b.To.Before(a.From) {
			b = b.InYear(a.From.Year() + 1)
		}
	}
	if !b.To.Before(a.From) {
		return a, b, true
	}
	if next := b.InYear(b.From.Year() + 1); b.Yearless && next.From.Before(n.Today.AddDate(0, 0, 31)) {
		return a, next, true
	}
	return a.InYear(a.From.Year() - 1), b, yearless
}

// dayOfRange reads the 1 of "1 to 15 October", whose month comes after the second day.
func (r reader) dayOfRange(i int) (Span, int) {
	skip := 0
	if r.is(i, "the") {
		skip = 1
	}
	first, ok := r.dayNumber(i + skip)
	last, isDay := r.dayNumber(i + skip + 2)
	end, n := r.point(i + skip + 2)
	if r.is(i+skip+2, "the") {
		last, isDay = r.dayNumber(i + skip + 3)
	}
	if !ok || !isDay || n < 2 || end.Unit != plan.Day || end.From.Day() != last || first >= last {
		return Span{}, 0
	}
	s := Around(date(end.From.Year(), end.From.Month(), first), plan.Day)
	s.Yearless = end.Yearless
	return s, 1 + skip
}

// openEnded reads since March, since Monday, before 2021, until last week, from June onwards.
func (r reader) openEnded(i int) (Span, int) {
	if r.is(i, "till") && r.is(i-1, "the", "our", "each", "a", "per", "every") {
		return Span{}, 0 // takings of the till last week
	}
	if !r.is(i, "since", "after", "before", "until", "till", "from", "starting", "prior", "up", "by") {
		return Span{}, 0
	}
	j := i + 1
	if r.is(i, "prior", "up") {
		if !r.is(j, "to", "until") {
			return Span{}, 0
		}
		j++
	}
	if r.is(i, "since") && r.is(j, "before") {
		j++ // not since before April
	}
	if r.is(j, "the", "in", "with") && !r.is(j+1, "last") {
		j++
	}
	p, n := r.limit(j)
	if w, ok := weekdayNames[r.at(j)]; ok && r.is(i, "since") {
		p, n = r.latestWeekday(w, true), 1
	}
	if n == 0 {
		return Span{}, 0
	}
	n += j - i
	s := Span{From: p.From, To: r.now.Today, Relative: p.Relative}
	switch r.words[i] {
	case "since":
		s.Ends = []Span{p, Around(r.now.Today, p.Unit)}
		if r.is(j, "end") {
			s.From = p.From.AddDate(0, 0, 1) // March has ended on the day before
		}
	case "from", "starting":
		switch {
		case r.is(i+n, "on", "onwards", "onward", "forward"):
			n++
		case !r.asksSteps():
			return Span{}, 0 // sales from March are those of March
		}
	case "after":
		s.From = p.To.AddDate(0, 0, 1)
	case "before", "prior":
		s.From, s.To = date(1, 1, 1), p.From.AddDate(0, 0, -1)
	default:
		s.From, s.To = date(1, 1, 1), p.To
		if r.is(i, "by") && !r.is(i+1, "the") {
			return Span{}, 0 // "by March" groups, or is rare
		}
	}
	if s.To.Before(s.From) {
		s.To, s.Ahead = s.From, true
	}
	return s, n
}

// asksSteps reports whether figures of one day, week or month after another are asked for.
func (r reader) asksSteps() bool {
	for i := range r.words {
		isUnit := r.is(i, "day", "week", "month", "quarter")
		if r.is(i, "daily", "weekly", "monthly", "cumulative", "running") || isUnit && (r.is(i-1, "by", "per", "each", "every") || r.is(i+1, "by")) {
			return true
		}
	}
	return false
}

// beside reads the week before Christmas, the month of May, Black Friday week, the first
// week of May.
func (r reader) beside(i int) (Span, int) {
	if r.is(i, "week", "month") && r.is(i+1, "before", "after", "of", "to") {
		if p, n := r.point(i + 2); n > 0 && p.Unit == plan.Day {
			return daysBeside(p, r.words[i], r.words[i+1]), 2 + n
		}
	}
	if r.is(i, "month", "year", "quarter") && r.is(i+1, "of") {
		if p, n := r.point(i + 2); n > 0 && p.Unit == units[r.words[i]] {
			return p, 2 + n
		}
	}
	for _, read := range []func(int) (Span, int){r.holidayWeek, r.halfMonth, r.sameDays, r.weekOfDay, r.daysOfMonth} {
		if s, n := read(i); n > 0 {
			return s, n
		}
	}
	return r.endWeeks(i)
}

// weekOfDay reads week commencing 12 October, w/c 12 Oct, week ending Sunday 18 October, w/e the 18th.
func (r reader) weekOfDay(i int) (Span, int) {
	begins := r.is(i, "week") && r.is(i+1, "commencing", "beginning", "starting", "from") || r.is(i, "w") && r.is(i+1, "c", "b")
	ends := r.is(i, "week") && r.is(i+1, "ending", "ended") || r.is(i, "w") && r.is(i+1, "e")
	j := i + 2
	if r.is(i, "wc") {
		begins, j = true, i+1
	}
	if !begins && !ends {
		return Span{}, 0
	}
	if _, named := weekdayNames[r.at(j)]; named {
		j++
	}
	p, n := r.point(j)
	if n == 0 || p.Unit != plan.Day {
		return Span{}, 0
	}
	s := Span{From: p.From, To: p.From.AddDate(0, 0, 6), Yearless: p.Yearless, Relative: p.Relative}
	if ends {
		s.From, s.To = p.From.AddDate(0, 0, -6), p.From
	}
	return s, j - i + n
}

// daysOfMonth reads 12-18 October.
func (r reader) daysOfMonth(i int) (Span, int) {
	first, last, ok := strings.Cut(r.at(i), "-")
	if !ok {
		return Span{}, 0
	}
	return reader{words: slices.Concat([]string{first, "to", last}, r.words[i+1:]), now: r.now}.betweenDays()
}

// betweenDays reads days of a month as between does, which are one word in the question.
func (r reader) betweenDays() (Span, int) {
	from, isFrom := r.dayNumber(0)
	to, isTo := r.dayNumber(2)
	s, n := r.between(0)
	if !isFrom || !isTo || from > to || n < 4 {
		return Span{}, 0
	}
	return s, n - 2
}

// sameDays reads the same days of August, beside days so far: those of the whole, of which as many are compared.
func (r reader) sameDays(i int) (Span, int) {
	isSoFar := slices.ContainsFunc([]string{"so far", "to date", "mtd", "ytd", "wtd"}, func(p string) bool { return strings.Contains(strings.Join(r.words, " "), p) })
	j := i + 2
	if r.is(j, "of", "in", "for", "from") {
		j++
	}
	if !isSoFar || !r.is(i, "same") || !r.is(i+1, "days", "dates", "bit", "part", "stretch", "point", "period", "stage", "time") {
		return Span{}, 0
	}
	p, n := r.point(j)
	if n == 0 || p.Relative { // the same period last year is an earlier one
		return Span{}, 0
	}
	return p, j - i + n
}

// halfMonth reads the first half of November: the days to the 15th.
func (r reader) halfMonth(i int) (Span, int) {
	if !r.is(i, "first", "second", "last") || !r.is(i+1, "half") || !r.is(i+2, "of") {
		return Span{}, 0
	}
	p, n := r.point(i + 3)
	if n == 0 || p.Unit != plan.Month {
		return Span{}, 0
	}
	middle := date(p.From.Year(), p.From.Month(), 15)
	s := Span{From: p.From, To: middle, Yearless: p.Yearless, Relative: p.Relative}
	if !r.is(i, "first") {
		s.From, s.To = middle.AddDate(0, 0, 1), p.To
	}
	return s, 3 + n
}

// endWeeks reads the first week of May, the last two weeks of 2020.
func (r reader) endWeeks(i int) (Span, int) {
	if !r.is(i, "first", "last") {
		return Span{}, 0
	}
	j, count := i+1, 1
	if n, ok := r.number(j); ok {
		count, j = n, j+1
	}
	unit := units[r.at(j)]
	if unit == plan.Whole || !r.is(j+1, "of", "in") {
		return Span{}, 0
	}
	p, n := r.point(j + 2)
	if now := units[r.at(j+3)]; n == 0 && r.is(j+2, "the") && now.Series() {
		p, n = Around(r.now.Today, now), 2 // this one
		p.Relative = true
	}
	if n == 0 || p.Unit == plan.Day || unit == p.Unit {
		return Span{}, 0
	}
	s := Span{From: p.From, Yearless: p.Yearless, Relative: p.Relative}
	switch unit {
	case plan.Day, plan.Week:
		days := count * map[plan.Part]int{plan.Day: 1, plan.Week: 7}[unit]
		s.To = p.From.AddDate(0, 0, days-1)
		if r.is(i, "last") {
			s.From, s.To = p.To.AddDate(0, 0, 1-days), p.To
		}
	default:
		months := count * map[plan.Part]int{plan.Month: 1, plan.Quarter: 3, plan.Year: 12}[unit]
		s.To = date(p.From.Year(), p.From.Month(), 1).AddDate(0, months, -1)
		if r.is(i, "last") {
			s.From, s.To = date(p.To.Year(), p.To.Month(), 1).AddDate(0, 1-months, 0), p.To
		}
	}
	return s, j - i + 2 + n
}

// holidayWeek reads Black Friday week, Easter weekend 2020.
func (r reader) holidayWeek(i int) (Span, int) {
	p, n := r.holiday(i)
	if n == 0 || p.Unit != plan.Day || !r.is(i+n, "week", "weekend") {
		return Span{}, 0
	}
	weekend := r.is(i+n, "weekend")
	n++
	if _, k := r.yearAfter(i + n); k > 0 {
		withYear := reader{words: slices.Concat(r.words[i:i+n-1], r.words[i+n:i+n+k]), now: r.now}
		p, _ = withYear.holiday(0)
		n += k
	}
	s := Around(p.From, plan.Week)
	s.Yearless = p.Yearless
	if weekend {
		s.From, s.Unit = s.To.AddDate(0, 0, -1), plan.Whole
	}
	return s, n
}

// daysBeside returns the 7 or 30 days before or after a day, or the unit with it.
func daysBeside(p Span, unit, side string) Span {
	n := map[string]int{"week": 7, "month": 30}[unit]
	s := Span{Yearless: p.Yearless, Relative: p.Relative}
	switch side {
	case "before", "to":
		s.From, s.To = p.From.AddDate(0, 0, -n), p.From.AddDate(0, 0, -1)
	case "after":
		s.From, s.To = p.To.AddDate(0, 0, 1), p.To.AddDate(0, 0, n)
	default:
		around := Around(p.From, units[unit])
		s.From, s.To, s.Unit = around.From, around.To, around.Unit
	}
	return s
}

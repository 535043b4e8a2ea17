package when

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"svc/server/ask/plan"
)

// limit is point, or the first or last day of one: the end of March, the start of the year.
func (r reader) limit(i int) (Span, int) {
	j := i
	if r.is(j, "the") {
		j++
	}
	if !r.is(j, "end", "start", "beginning") || !r.is(j+1, "of") {
		return r.point(i)
	}
	p, n := r.point(j + 2)
	if unit := units[r.at(j+3)]; n == 0 && r.is(j+2, "the") && unit.Series() {
		p, n = Around(r.now.Today, unit), 2 // this one
		p.Relative = true
	}
	if n == 0 {
		return Span{}, 0
	}
	day := p.From
	if r.is(j, "end") {
		day = p.To
	}
	s := Around(day, plan.Day)
	s.Yearless, s.Relative, s.Words = p.Yearless, p.Relative, r.text(i, j+2+n)
	return s, j - i + 2 + n
}

// point reads one run of days at word i, the longest that is there, and returns how many
// words it takes, or 0.
func (r reader) point(i int) (s Span, n int) {
	if i < 0 || i >= len(r.words) {
		return Span{}, 0
	}
	if r.is(i, "the") {
		i++
		defer func() {
			if n > 0 {
				n++
			}
		}()
	}
	if i == len(r.words) {
		return Span{}, 0
	}
	for _, read := range []func(int) (Span, int){r.numericDate, r.month, r.quarter, r.relative, r.ago, r.ahead, r.toDate, r.year, r.holiday, r.lastWeekday, r.dayAlone} {
		if found, k := read(i); k > n && i+k <= len(r.words) {
			s, n = found, k
		}
	}
	if n > 0 && s.Words == "" {
		s.Words = r.text(i, i+n)
	}
	return s, n
}

var (
	isoDay   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})[-/](\d{1,2})$`)
	isoMonth = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})$`)
	monthOf  = regexp.MustCompile(`^(\d{1,2})[-/](\d{4})$`)
	slashDay = regexp.MustCompile(`^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4}|\d\d)$`)
	yearless = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})$`)
)

// numericDate reads 2021-03-05, 2021-03, 3/2021, 5/3/2021, and 5/3 after a word for days. In the last
// two the day is first, as in most of the world, unless it cannot be.
func (r reader) numericDate(i int) (Span, int) {
	if m := isoDay.FindStringSubmatch(r.words[i]); m != nil {
		return day(m[1], m[2], m[3])
	}
	if m := isoMonth.FindStringSubmatch(r.words[i]); m != nil {
		return wholeMonth(m[1], m[2])
	}
	if m := monthOf.FindStringSubmatch(r.words[i]); m != nil {
		return wholeMonth(m[2], m[1])
	}
	if m := slashDay.FindStringSubmatch(r.words[i]); m != nil {
		if len(m[3]) == 2 {
			m[3] = "20" + m[3]
		}
		if s, n := day(m[3], m[2], m[1]); n > 0 {
			return s, n
		}
		return day(m[3], m[1], m[2])
	}
	if m := yearless.FindStringSubmatch(r.words[i]); m != nil && r.is(i-1, "on", "since", "from", "to", "until", "between", "and", "before", "after") {
		s, n := day("2000", m[2], m[1]) // a leap year
		if n == 0 {
			s, n = day("2000", m[1], m[2])
		}
		if n > 0 {
			return r.placed(s, i, i+1, false)
		}
	}
	return Span{}, 0
}

func day(year, month, dayOfMonth string) (Span, int) {
	y, _ := atoi(year)
	m, _ := atoi(month)
	d, _ := atoi(dayOfMonth)
	t := date(y, time.Month(m), d)
	if t.Day() != d || int(t.Month()) != m {
		return Span{}, 0
	}
	return Around(t, plan.Day), 1
}

func wholeMonth(year, month string) (Span, int) {
	y, _ := atoi(year)
	m, _ := atoi(month)
	if m < 1 || m > 12 || y < 1900 {
		return Span{}, 0
	}
	return Around(date(y, time.Month(m), 1), plan.Month), 1
}

// month reads March, March 2021, 5 March, March 5th 2021, the 5th of March, last March,
// March last year.
func (r reader) month(i int) (Span, int) {
	j := i
	last := r.is(i, "last", "previous", "past")
	if last || r.is(i, "this") {
		j++
	}
	dayOfMonth, dayFirst := r.dayNumber(j)
	if dayFirst {
		if j++; r.is(j, "of") {
			j++
		}
	}
	if j >= len(r.words) {
		return Span{}, 0
	}
	m, ok := monthNames[r.words[j]]
	if !ok || dayFirst && (last || dayOfMonth > date(2000, m+1, 0).Day()) {
		return Span{}, 0
	}
	j++
	if d, ok := r.dayNumber(j); ok && !dayFirst && !r.is(j, "04", "05", "06", "07", "08", "09") && d <= date(2000, m+1, 0).Day() {
		dayOfMonth = d
		j++
	}
	s := Around(date(2000, m, 1), plan.Month)
	if dayOfMonth > 0 {
		s = Around(date(2000, m, dayOfMonth), plan.Day)
	}
	return r.placed(s, i, j, last)
}

// placed puts a span that recurs each year into the year that is named at word j, else into
// the latest; last excludes the current one.
func (r reader) placed(s Span, i, j int, last bool) (Span, int) {
	exists := func(in Span) bool { return s.Unit != plan.Day || in.From.Day() == s.From.Day() } // 29 February
	if y, n := r.yearAfter(j); n > 0 {
		if !exists(s.InYear(y)) {
			return Span{}, 0
		}
		return s.InYear(y), j - i + n
	}
	leap := s
	s = r.now.latest(leap)
	for !exists(s) {
		s = leap.InYear(s.From.Year() - 1)
	}
	if last && !s.To.Before(r.now.Today) {
		s = s.InYear(s.From.Year() - 1)
	}
	s.Yearless, s.Relative = !last, last
	return s, j - i
}

// yearAfter reads the year after a month or a season: 2021, of 2021, '21, last year, this
// year.
func (r reader) yearAfter(j int) (year, n int) {
	skip := 0
	if r.is(j, "of", "in") {
		skip = 1
	}
	if y, ok := r.yearNumber(j + skip); ok {
		return y, skip + 1
	}
	if r.is(j+skip, "last", "this", "previous") && r.is(j+skip+1, "year") {
		y := r.now.Today.Year()
		if r.words[j+skip] != "this" {
			y--
		}
		return y, skip + 2
	}
	if skip > 0 || j >= len(r.words) {
		return 0, 0
	}
	w := strings.TrimPrefix(r.words[j], "'")
	if y, ok := atoi(w); ok && len(w) == 2 && (y > 31 || w[0] == '0' || w != r.words[j]) && y < 60 {
		return 2000 + y, 1
	}
	return 0, 0
}

// quarter reads Q3, Q3 2021, 2021 Q3, third quarter of 2021, the March quarter, H1, first half, last
// quarter of 2020.
func (r reader) quarter(i int) (Span, int) {
	j := i
	before, yearFirst := r.yearNumber(j)
	if yearFirst {
		j++
	}
	if j >= len(r.words) {
		return Span{}, 0
	}
	w := r.words[j]
	number, months := 0, 3
	switch n := ordinals[w]; {
	case len(w) == 2 && w[0] == 'q' && w[1] >= '1' && w[1] <= '4':
		number = int(w[1] - '0')
	case len(w) == 2 && w[0] == 'h' && (w[1] == '1' || w[1] == '2'):
		number, months = int(w[1]-'0'), 6
	case w == "quarter" && r.is(j+1, "1", "2", "3", "4", "one", "two", "three", "four"):
		number, _ = r.number(j + 1)
		j++
	case monthNames[w]%3 == 0 && monthNames[w] > 0 && r.is(j+1, "quarter", "qtr"):
		number = int(monthNames[w]) / 3 // the December quarter, which ends with it
		j++
	case n > 0 && r.is(j+1, "quarter", "qtr"):
		number = n
		j++
	case (n == 1 || n == 2 || w == "last") && r.is(j+1, "half") && !r.ofMonth(j+2):
		number, months = min(n, 2), 6
		j++
	}
	if number == 0 {
		return Span{}, 0
	}
	j++
	first := time.Month((number-1)*months + 1)
	s := Span{From: date(2000, first, 1), To: date(2000, first+time.Month(months), 0)}
	if months == 3 {
		s.Unit = plan.Quarter
	}
	if yearFirst {
		return s.InYear(before), j - i
	}
	if _, n := r.yearAfter(j); n == 0 && w == "last" {
		return Span{}, 0 // the quarter before this one
	}
	return r.placed(s, i, j, false)
}

// ofMonth reports whether a month follows: the first half of November.
func (r reader) ofMonth(j int) bool {
	_, ok := monthNames[r.at(j+1)]
	return ok && r.is(j, "of", "in")
}

// relative reads today, yesterday, this month, last week, next year, last weekend, and the day of
// this morning and last night.
func (r reader) relative(i int) (Span, int) {
	today := r.now.Today
	switch {
	case r.is(i, "today", "todays", "tonight"), r.namesDayOf(i, "this", "morning", "afternoon", "evening", "lunchtime"):
		return relative(Around(today, plan.Day)), 1
	case r.is(i, "yesterday", "yesterdays"), r.namesDayOf(i, "last", "night", "evening"):
		return relative(Around(today.AddDate(0, 0, -1), plan.Day)), 1
	case r.is(i, "tomorrow", "tomorrows"):
		s := relative(Around(today.AddDate(0, 0, 1), plan.Day))
		s.Ahead = true
		return s, 1
	case r.has(i, "day before yesterday") > 0:
		return relative(Around(today.AddDate(0, 0, -2), plan.Day)), 3
	}
	step, ok := map[string]int{"last": -1, "previous": -1, "prior": -1, "past": -1, "next": 1, "coming": 1, "this": 0, "current": 0}[r.words[i]]
	if !ok || i+1 >= len(r.words) {
		return Span{}, 0
	}
	if r.is(i+1, "weekend", "weekends") {
		s := Around(today, plan.Week)
		if step < 0 && !s.To.Before(today) || r.is(i, "next") {
			s = s.Shift(step)
		}
		s.From, s.Unit = s.To.AddDate(0, 0, -1), plan.Whole
		return relative(s), 2
	}
	name := r.words[i+1]
	if step < 0 && !r.is(i+2, "of", "before", "ago") {
		name = strings.TrimSuffix(name, "s") // "last months sales"
	}
	unit, ok := units[name]
	switch {
	case !ok || strings.HasSuffix(name, "s"):
		return Span{}, 0
	case r.is(i, "past") && unit != plan.Day:
		return r.now.trailing(1, unit), 2
	case step == 0 && (r.has(i+2, "so far") > 0 || r.has(i+2, "to date") > 0):
		return r.now.soFar(unit), 4
	}
	s := relative(Around(today, unit).Shift(step))
	s.Unit, s.Ahead = unit, step > 0
	return s, 2
}

// namesDayOf reports whether word i is the day of a part of the day that follows: the "this" of this
// morning, which is read by itself as hours.
func (r reader) namesDayOf(i int, day string, parts ...string) bool {
	return r.is(i, day) && r.is(i+1, parts...)
}

func relative(s Span) Span {
	s.Relative = true
	return s
}

// ago reads the last 30 days, past six weeks, the last fortnight, two months ago, a year ago.
func (r reader) ago(i int) (Span, int) {
	j := i
	last := r.is(j, "last", "past", "previous", "trailing", "recent", "latest", "prior", "preceding")
	if r.isBeforeOther(j) {
		return Span{}, 0 // the previous 30 days, beside the last 30
	}
	if last {
		j++
	}
	count, ok := r.number(j)
	switch {
	case last && r.is(j, "fortnight"):
		return r.now.trailing(2, plan.Week), j - i + 1
	case r.has(j, "couple of") > 0:
		count, j = 2, j+2
	case r.is(j, "a", "one") && !last:
		count, j = 1, j+1
	case !ok:
		return Span{}, 0
	default:
		j++
	}
	if r.is(j, "calendar", "full", "whole", "complete") {
		j++
	}
	if j >= len(r.words) {
		return Span{}, 0
	}
	unit, ok := units[r.words[j]]
	switch {
	case !ok:
		return Span{}, 0
	case last:
		return r.now.trailing(count, unit), j - i + 1
	case r.is(j+1, "ago"):
		s := relative(Around(r.now.Today, unit).Shift(-count))
		s.Unit = unit
		return s, j - i + 2
	}
	return Span{}, 0
}

// ahead reads the next 30 days, the coming two weeks: from today on.
func (r reader) ahead(i int) (Span, int) {
	j := i + 1
	if !r.is(i, "next", "coming", "following") {
		return Span{}, 0
	}
	count, ok := r.number(j)
	if n := r.has(j, "couple of"); n > 0 {
		count, ok, j = 2, true, j+n-1
	}
	unit, isUnit := units[r.at(j+1)]
	if !ok || !isUnit {
		return Span{}, 0
	}
	return r.now.Next(count, unit), j - i + 2
}

// toDate reads MTD, year to date, so far this year.
func (r reader) toDate(i int) (Span, int) {
	if unit, ok := map[string]plan.Part{"mtd": plan.Month, "ytd": plan.Year, "qtd": plan.Quarter, "wtd": plan.Week}[r.words[i]]; ok {
		return r.now.soFar(unit), 1
	}
	if unit, ok := units[r.words[i]]; ok && r.has(i+1, "to date") > 0 {
		return r.now.soFar(unit), 3
	}
	if r.has(i, "so far this") > 0 && i+3 < len(r.words) {
		if unit, ok := units[r.words[i+3]]; ok {
			return r.now.soFar(unit), 4
		}
	}
	return Span{}, 0
}

// year reads a year alone.
func (r reader) year(i int) (Span, int) {
	y, ok := r.yearNumber(i)
	if !ok {
		return Span{}, 0
	}
	return Around(date(y, 1, 1), plan.Year), 1
}

// holiday reads Christmas, Black Friday 2020, summer, last winter.
func (r reader) holiday(i int) (Span, int) {
	j, last := i, r.is(i, "last", "previous")
	if last || r.is(i, "this") {
		j++
	}
	for n := min(4, len(r.words)-j); n > 0; n-- {
		name := strings.ReplaceAll(strings.Join(r.words[j:j+n], " "), " 's", "s")
		on, isHoliday := holidays[name]
		first, isSeason := seasons[name]
		if !isHoliday && !isSeason {
			continue
		}
		in := func(y int) Span {
			if isHoliday {
				return Around(on(y), plan.Day)
			}
			return Span{From: date(y, first, 1), To: date(y, first+3, 0)}
		}
		if y, k := r.yearAfter(j + n); k > 0 {
			return in(y), j - i + n + k
		}
		s := in(r.now.Today.Year())
		if s.From.After(r.now.Today) || last && !s.To.Before(r.now.Today) {
			s = in(r.now.Today.Year() - 1)
		}
		s.Yearless, s.Relative = !last, last
		return s, j - i + n
	}
	return Span{}, 0
}

// dayAlone reads the 30th, a day of the month that the question names elsewhere: on 31 January than on
// the 30th. Without one it is the latest such day. A place in an order has no "on" before it.
func (r reader) dayAlone(i int) (Span, int) {
	d, ok := r.dayNumber(i)
	isLast := i+1 == len(r.words) || r.is(i+1, "and", "or", "than", "versus", "vs", "v", "compared", "to", "in", "was", "did", "with")
	isOn := r.is(i-1, "on") || r.is(i-1, "the") && r.is(i-2, "on", "than", "versus", "vs", "v", "and", "or", "to", "with")
	if _, bare := atoi(r.words[i]); !ok || bare || !isLast || !isOn {
		return Span{}, 0
	}
	for j := range r.words {
		if s, n := r.month(j); n > 0 && (j > i || j+n <= i) && s.Unit == plan.Day {
			day := date(s.From.Year(), s.From.Month(), d)
			if day.Month() != s.From.Month() {
				return Span{}, 0
			}
			s.From, s.To, s.Words = day, day, ""
			return s, 1
		}
	}
	if slices.ContainsFunc(r.words, func(w string) bool { _, ok := monthNames[w]; return ok }) {
		return Span{}, 0
	}
	month := date(r.now.Today.Year(), r.now.Today.Month(), 1)
	day := month.AddDate(0, 0, d-1)
	for day.After(r.now.Today) || day.Day() != d {
		month = month.AddDate(0, -1, 0)
		day = month.AddDate(0, 0, d-1)
	}
	return relative(Around(day, plan.Day)), 1
}

// lastWeekday reads last Friday, this Monday, next Tuesday.
func (r reader) lastWeekday(i int) (Span, int) {
	w, ok := weekdayNames[r.at(i+1)]
	if ok && r.is(i, "next", "coming") {
		return relative(Around(r.latestWeekday(w, false).From.AddDate(0, 0, 7), plan.Day)), 2
	}
	if !ok || !r.is(i, "last", "this", "past") {
		return Span{}, 0
	}
	return r.latestWeekday(w, r.is(i, "last")), 2
}

// latestWeekday returns the latest such day; before today if last.
func (r reader) latestWeekday(w time.Weekday, last bool) Span {
	back := (int(r.now.Today.Weekday()) - int(w) + 7) % 7
	if back == 0 && last {
		back = 7
	}
	return relative(Around(r.now.Today.AddDate(0, 0, -back), plan.Day))
}

// at returns word i, or "".
func (r reader) at(i int) string {
	if i < 0 || i >= len(r.words) {
		return ""
	}
	return r.words[i]
}

package read

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
)

var (
	isoDay   = regexp.MustCompile(`^(\d{4})-(\d{1,2})-(\d{1,2})$`)
	isoMonth = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})$`)
	monthOf  = regexp.MustCompile(`^(\d{1,2})/(\d{4})$`)
	slashDay = regexp.MustCompile(`^(\d{1,2})[/.-](\d{1,2})[/.-](\d{2,4})$`)
)

// numericDate reads 2021-03-05, 2021-03 and 5/3/2021. In the last form the day is first,
// as in most of the world, unless it cannot be.
func (c calendar) numericDate(ts []token, i int) (span, int) {
	w := ts[i].text
	num := func(s string) int { n, _ := strconv.Atoi(s); return n }
	if m := isoDay.FindStringSubmatch(w); m != nil {
		return dayOf(num(m[1]), num(m[2]), num(m[3]))
	}
	if m := isoMonth.FindStringSubmatch(w); m != nil && num(m[2]) <= 12 && num(m[2]) > 0 {
		return unitAround(date(num(m[1]), time.Month(num(m[2])), 1), plan.Month), 1
	}
	if m := monthOf.FindStringSubmatch(w); m != nil && num(m[1]) <= 12 && num(m[1]) > 0 {
		return unitAround(date(num(m[2]), time.Month(num(m[1])), 1), plan.Month), 1
	}
	if m := slashDay.FindStringSubmatch(w); m != nil {
		d, mo, y := num(m[1]), num(m[2]), num(m[3])
		if y < 100 {
			y += 2000
		}
		if mo > 12 {
			d, mo = mo, d
		}
		return dayOf(y, mo, d)
	}
	return span{}, 0
}

func dayOf(y, m, d int) (span, int) {
	day := date(y, time.Month(m), d)
	if day.Day() != d || int(day.Month()) != m {
		return span{}, 0
	}
	return unitAround(day, plan.Day), 1
}

// year reads 2021, '21 after a month, last year, this year. It returns the year as a
// function, since 0 means none.
func (c calendar) year(ts []token, i int) (func() int, int) {
	j := i
	if wordIs(ts, j, "of", "in") {
		j++
	}
	at := func(y int) func() int { return func() int { return y } }
	if j < len(ts) && isYear(ts[j]) {
		return at(int(ts[j].number)), j - i + 1
	}
	if wordIs(ts, j, "last", "this", "previous") && wordIs(ts, j+1, "year") {
		y := c.today.Year()
		if ts[j].text != "this" {
			y--
		}
		return at(y), j - i + 2
	}
	return at(0), 0
}

// isYear reports whether a token is a number of four digits from 1990 to 2049.
func isYear(t token) bool {
	return t.kind == plainNumber && len(t.text) == 4 && t.number >= 1990 && t.number < 2050
}

// monthName reads March, March 2021, 5 March, March 5th 2021, last March.
func (c calendar) monthName(ts []token, i int) (span, int) {
	j, dayNumber := i, 0
	if wordIs(ts, j, "last", "this", "previous") && j+1 < len(ts) {
		if m, ok := monthNames[ts[j+1].text]; ok {
			s := c.latest(unitAround(date(c.today.Year(), m, 1), plan.Month))
			if ts[j].text != "this" && !s.to.Before(c.today) {
				s = s.inYear(s.from.Year() - 1)
			}
			s.yearless = false
			return s, 2
		}
	}
	if k := ts[j].kind; (k == plainNumber || k == ordinalNumber) && ts[j].number >= 1 && ts[j].number <= 31 && j+1 < len(ts) {
		dayNumber = int(ts[j].number)
		j++
		if wordIs(ts, j, "of") {
			j++
		}
	}
	if j >= len(ts) {
		return span{}, 0
	}
	m, ok := monthNames[ts[j].text]
	if !ok || ts[j].text == "may" && dayNumber == 0 && !mayIsMonth(ts, j) {
		return span{}, 0
	}
	j++
	if dayNumber == 0 && j < len(ts) && (ts[j].kind == plainNumber || ts[j].kind == ordinalNumber) && ts[j].number >= 1 && ts[j].number <= 31 && !strings.HasPrefix(ts[j].text, "0") && !isShortYear(ts, j) {
		dayNumber = int(ts[j].number)
		j++
	}
	y, n := c.year(ts, j)
	if n == 0 && j < len(ts) && isShortYear(ts, j) {
		year := 2000 + int(ts[j].number)
		y, n = func() int { return year }, 1
	}
	j += n
	s := unitAround(date(2000, m, 1), plan.Month)
	if dayNumber > 0 {
		s = unitAround(date(2000, m, dayNumber), plan.Day)
	}
	if n > 0 {
		return s.inYear(y()), j - i
	}
	return c.latest(s), j - i
}

// isShortYear reports whether a number of two digits after a month is above 31 and so a
// year.
func isShortYear(ts []token, j int) bool {
	t := ts[j]
	return t.kind == plainNumber && len(t.text) == 2 && t.number > 31
}

// mayIsMonth reports whether "may" is the month and not the verb, by the words beside it.
func mayIsMonth(ts []token, i int) bool {
	if wordIs(ts, i-1, "in", "of", "since", "for", "last", "this", "by", "vs", "versus", "and", "to", "from", "during", "until", "before", "after", "between", "with", "than") {
		return true
	}
	return i+1 < len(ts) && isYear(ts[i+1]) || wordIs(ts, i+1, "vs", "versus", "compared")
}

var quarterNumber = map[string]int{"q1": 1, "q2": 2, "q3": 3, "q4": 4, "h1": 1, "h2": 2}

// quarter reads Q3, Q3 2021, 2021 Q3, third quarter, H1, first half of 2021.
func (c calendar) quarter(ts []token, i int) (span, int) {
	j, year := i, 0
	if isYear(ts[j]) {
		year = int(ts[j].number)
		j++
	}
	if j >= len(ts) {
		return span{}, 0
	}
	ordinal := map[string]int{"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4, "final": 4}
	months := 3
	number, ok := quarterNumber[ts[j].text]
	switch {
	case ok:
		if ts[j].text[0] == 'h' {
			months = 6
		}
		j++
	case ordinal[ts[j].text] > 0 && wordIs(ts, j+1, "quarter"):
		number = ordinal[ts[j].text]
		j += 2
	case ordinal[ts[j].text] > 0 && ordinal[ts[j].text] < 3 && wordIs(ts, j+1, "half"):
		number, months = ordinal[ts[j].text], 6
		j += 2
	default:
		return span{}, 0
	}
	first := time.Month((number-1)*months + 1)
	s := span{from: date(2000, first, 1), to: date(2000, first+time.Month(months), 0)}
	if months == 3 {
		s.unit = plan.Quarter
	}
	if year > 0 {
		return s.inYear(year), j - i
	}
	if y, n := c.year(ts, j); n > 0 {
		return s.inYear(y()), j - i + n
	}
	return c.latest(s), j - i
}

var unitWords = map[string]plan.Part{
	"day": plan.Day, "days": plan.Day, "week": plan.Week, "weeks": plan.Week, "month": plan.Month, "months": plan.Month,
	"quarter": plan.Quarter, "quarters": plan.Quarter, "year": plan.Year, "years": plan.Year, "yr": plan.Year, "mth": plan.Month,
}

// relative reads today, yesterday, this month, last week, next year.
func (c calendar) relative(ts []token, i int) (span, int) {
	switch {
	case wordIs(ts, i, "today"):
		return unitAround(c.today, plan.Day), 1
	case wordIs(ts, i, "yesterday"):
		return unitAround(c.today.AddDate(0, 0, -1), plan.Day), 1
	case wordIs(ts, i, "day") && wordIs(ts, i+1, "before") && wordIs(ts, i+2, "yesterday"):
		return unitAround(c.today.AddDate(0, 0, -2), plan.Day), 3
	}
	n := map[string]int{"last": -1, "previous": -1, "prior": -1, "past": -1, "next": 1}[ts[i].text]
	if n == 0 && !wordIs(ts, i, "this", "current") || i+1 >= len(ts) {
		return span{}, 0
	}
	if n == -1 && wordIs(ts, i+1, "weekend") || n == 0 && wordIs(ts, i+1, "weekend") {
		s := unitAround(c.today, plan.Week)
		s.from = s.to.AddDate(0, 0, -1)
		if n == -1 && !s.to.Before(c.today) {
			s.from, s.to = s.from.AddDate(0, 0, -7), s.to.AddDate(0, 0, -7)
		}
		s.unit = plan.Whole
		return s, 2
	}
	u, ok := unitWords[ts[i+1].text]
	if !ok || strings.HasSuffix(ts[i+1].text, "s") {
		return span{}, 0
	}
	if wordIs(ts, i, "past") && u != plan.Day {
		return c.trailing(1, u), 2
	}
	s := unitAround(c.today, u).shift(n)
	s.ahead = n > 0
	used := 2
	if n == 0 && wordIs(ts, i+2, "so") && wordIs(ts, i+3, "far") || n == 0 && wordIs(ts, i+2, "to") && wordIs(ts, i+3, "date") {
		s.to, used = c.today, 4
		s.unit, s.soFar = plan.Whole, u
	}
	return s, used
}

// trailing returns the n units up to today: days and weeks by the day, longer units by the
// calendar, without the current one (H8).
func (c calendar) trailing(n int, u plan.Part) span {
	switch u {
	case plan.Day:
		return span{from: c.today.AddDate(0, 0, 1-n), to: c.today}
	case plan.Week:
		return span{from: c.today.AddDate(0, 0, 1-7*n), to: c.today}
	}
	now := unitAround(c.today, u)
	first := now.shift(-n)
	return span{from: first.from, to: now.from.AddDate(0, 0, -1)}
}

// lastN reads the last 30 days, past six weeks, two months ago.
func (c calendar) lastN(ts []token, i int) (span, int) {
	j := i
	last := wordIs(ts, j, "last", "past", "previous", "trailing", "recent", "latest", "prior", "preceding")
	if last {
		j++
	}
	if wordIs(ts, j, "few") && last {
		return span{}, 0
	}
	n := 0
	switch {
	case wordIs(ts, j, "fortnight") && last:
		return c.trailing(2, plan.Week), j - i + 1
	case wordIs(ts, j, "couple") && wordIs(ts, j+1, "of"):
		n, j = 2, j+2
	case wordIs(ts, j, "a") && !last:
		n, j = 1, j+1
	case j < len(ts) && ts[j].kind == plainNumber && ts[j].number < 1000 && ts[j].number >= 1:
		n, j = int(ts[j].number), j+1
	default:
		return span{}, 0
	}
	if wordIs(ts, j, "calendar", "full", "whole", "complete") {
		j++
	}
	if j >= len(ts) {
		return span{}, 0
	}
	u, ok := unitWords[ts[j].text]
	switch {
	case !ok:
		return span{}, 0
	case last:
		return c.trailing(n, u), j - i + 1
	case wordIs(ts, j+1, "ago"):
		return unitAround(c.today, u).shift(-n), j - i + 2
	}
	return span{}, 0
}

// toDate reads MTD, year to date, so far this year.
func (c calendar) toDate(ts []token, i int) (span, int) {
	upTo := func(u plan.Part) span {
		s := unitAround(c.today, u)
		s.to, s.unit, s.soFar = c.today, plan.Whole, u
		return s
	}
	if u, ok := map[string]plan.Part{"mtd": plan.Month, "ytd": plan.Year, "qtd": plan.Quarter, "wtd": plan.Week}[ts[i].text]; ok {
		return upTo(u), 1
	}
	if u, ok := unitWords[ts[i].text]; ok && wordIs(ts, i+1, "to") && wordIs(ts, i+2, "date") {
		return upTo(u), 3
	}
	if wordIs(ts, i, "so") && wordIs(ts, i+1, "far") && wordIs(ts, i+2, "this") && i+3 < len(ts) {
		if u, ok := unitWords[ts[i+3].text]; ok {
			return upTo(u), 4
		}
	}
	return span{}, 0
}

// ofYear reads a year alone.
func (c calendar) ofYear(ts []token, i int) (span, int) {
	if !isYear(ts[i]) || wordIs(ts, i-1, "over", "than", "under", "above", "below", "top", "least", "most") {
		return span{}, 0
	}
	return unitAround(date(int(ts[i].number), 1, 1), plan.Year), 1
}

// holiday reads Christmas, Black Friday 2020, summer, last winter.
func (c calendar) holiday(ts []token, i int) (span, int) {
	j, last := i, wordIs(ts, i, "last", "previous")
	if last || wordIs(ts, i, "this") {
		j++
	}
	for n := min(3, len(ts)-j); n > 0; n-- {
		name := textOf(ts[j : j+n])
		f, isFeast := holidays[name]
		first, isSeason := seasons[name]
		if !isFeast && (!isSeason || name == "fall" && !wordIs(ts, j-1, "in", "last", "this", "during")) {
			continue
		}
		in := func(y int) span {
			if isFeast {
				return unitAround(f(y), plan.Day)
			}
			return span{from: date(y, first, 1), to: date(y, first+3, 0)}
		}
		n += j - i
		if y, k := c.year(ts, i+n); k > 0 {
			return in(y()), n + k
		}
		s := in(c.today.Year())
		if s.from.After(c.today) || last && !s.to.Before(c.today) {
			s = in(c.today.Year() - 1)
		}
		s.yearless = !last
		s.words = fmt.Sprintf("%s %d", name, s.from.Year())
		return s, n
	}
	return span{}, 0
}

// weekday reads last Friday, and a weekday in the singular after "on".
func (c calendar) weekday(ts []token, i int) (span, int) {
	j := i
	last := wordIs(ts, i, "last", "this", "past")
	if last {
		j++
	}
	if j >= len(ts) || !last && !wordIs(ts, i-1, "on") {
		return span{}, 0
	}
	w, ok := weekdayNames[ts[j].text]
	if !ok {
		return span{}, 0
	}
	back := (int(c.today.Weekday()) - int(w) + 7) % 7
	if back == 0 && wordIs(ts, i, "last") {
		back = 7
	}
	return unitAround(c.today.AddDate(0, 0, -back), plan.Day), j - i + 1
}

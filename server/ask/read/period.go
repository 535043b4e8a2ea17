package read

import (
	"slices"
	"strings"

	"svc/server/ask/plan"
)

// period reads the range of days at token i and returns how many tokens it takes, or 0.
func (c calendar) period(ts []token, i int) (span, int) {
	s, n := c.run(ts, i)
	if n == 0 {
		return span{}, 0
	}
	if s.words == "" {
		s.words = textOf(ts[i : i+n])
	}
	s.ahead = s.ahead || s.from.After(c.today)
	return s, n
}

func textOf(ts []token) string {
	var out []string
	for _, t := range ts {
		out = append(out, t.text)
	}
	return strings.Join(out, " ")
}

func wordIs(ts []token, i int, words ...string) bool {
	return i < len(ts) && i >= 0 && slices.Contains(words, ts[i].text)
}

// run reads a range or an open end, else one point.
func (c calendar) run(ts []token, i int) (span, int) {
	start := i
	if wordIs(ts, i, "between", "from") {
		start++
		if s, n := c.between(ts, start); n > 0 {
			return s, n + 1
		}
	}
	if s, n := c.between(ts, i); n > 0 {
		return s, n
	}
	if wordIs(ts, i, "since", "after", "before", "until", "till", "from", "starting") {
		if s, n := c.openEnded(ts, i); n > 0 {
			return s, n
		}
	}
	if s, n := c.nearDay(ts, i); n > 0 {
		return s, n
	}
	return c.point(ts, i)
}

// between reads two points with a word for "to".
func (c calendar) between(ts []token, i int) (span, int) {
	a, n := c.point(ts, i)
	if n == 0 {
		a, n = c.dayNumber(ts, i)
	}
	if n == 0 || !wordIs(ts, i+n, "to", "and", "until", "till", "through", "thru") {
		return span{}, 0
	}
	if wordIs(ts, i+n, "and") && !wordIs(ts, i-1, "between") {
		return span{}, 0
	}
	b, m := c.point(ts, i+n+1)
	if m == 0 {
		return span{}, 0
	}
	if a.yearless && !b.yearless {
		a = a.inYear(b.from.Year())
	}
	if b.yearless {
		b = b.inYear(a.from.Year())
	}
	if b.to.Before(a.from) && !a.yearless && !b.yearless {
		return span{}, 0
	}
	if b.to.Before(a.from) {
		a = a.inYear(a.from.Year() - 1)
	}
	return span{from: a.from, to: b.to, yearless: a.yearless && b.yearless, ends: []span{a, b}}, n + 1 + m
}

// dayNumber reads the 1 of "1 to 15 October", whose month comes after the second day.
func (c calendar) dayNumber(ts []token, i int) (span, int) {
	if i+2 >= len(ts) || ts[i].kind != plainNumber && ts[i].kind != ordinalNumber || ts[i].number < 1 || ts[i].number > 31 {
		return span{}, 0
	}
	end, n := c.point(ts, i+2)
	if n < 2 || end.unit != plan.Day || ts[i+2].kind == noNumber || end.from.Day() != int(ts[i+2].number) || int(ts[i].number) >= end.from.Day() {
		return span{}, 0
	}
	day := unitAround(date(end.from.Year(), end.from.Month(), int(ts[i].number)), plan.Day)
	day.yearless = end.yearless
	return day, 1
}

// openEnded reads since March, before 2021.
func (c calendar) openEnded(ts []token, i int) (span, int) {
	j := i + 1
	if wordIs(ts, j, "the", "in", "with") {
		j++
	}
	p, n := c.point(ts, j)
	if n == 0 {
		return span{}, 0
	}
	n += j - i
	s := span{from: p.from, to: c.today, words: textOf(ts[i : i+n])}
	switch ts[i].text {
	case "since":
		s.ends = []span{p, unitAround(c.today, p.unit)}
	case "from":
		if !wordIs(ts, i+n, "on", "onwards", "onward") {
			return span{}, 0
		}
		n++
	case "after":
		s.from = p.to.AddDate(0, 0, 1)
	case "before":
		s.from, s.to = date(1, 1, 1), p.from.AddDate(0, 0, -1)
	case "until", "till":
		s.from, s.to = date(1, 1, 1), p.to
	}
	if s.to.Before(s.from) {
		s.to = s.from
		s.ahead = true
	}
	return s, n
}

// nearDay reads the week before Christmas, Black Friday week, the first week of May.
func (c calendar) nearDay(ts []token, i int) (span, int) {
	j := i
	if wordIs(ts, j, "the") {
		j++
	}
	if wordIs(ts, j, "week", "month") && wordIs(ts, j+1, "before", "after", "of") {
		if f, n := c.point(ts, j+2); n > 0 && f.unit == plan.Day {
			return daysBeside(f, ts[j].text, ts[j+1].text), j - i + 2 + n
		}
	}
	if s, n := c.holidayWeek(ts, j); n > 0 {
		return s, j - i + n
	}
	if wordIs(ts, j, "first", "last") && wordIs(ts, j+1, "week") && wordIs(ts, j+2, "of", "in") {
		if f, n := c.point(ts, j+3); n > 0 && f.unit != plan.Day {
			s := span{from: f.from, to: f.from.AddDate(0, 0, 6), yearless: f.yearless}
			if wordIs(ts, j, "last") {
				s = span{from: f.to.AddDate(0, 0, -6), to: f.to, yearless: f.yearless}
			}
			return s, j - i + 3 + n
		}
	}
	return span{}, 0
}

// holidayWeek reads Black Friday week, Easter weekend 2020.
func (c calendar) holidayWeek(ts []token, i int) (span, int) {
	day, n := c.point(ts, i)
	if n == 0 || day.unit != plan.Day || !wordIs(ts, i+n, "week", "weekend") || wordIs(ts, i, "last", "this", "previous") {
		return span{}, 0
	}
	used := n + 1
	if _, k := c.year(ts, i+used); k > 0 {
		withYear := append(slices.Clone(ts[i:i+n]), ts[i+used:i+used+k]...)
		day, _ = c.point(withYear, 0)
		used += k
	}
	s := unitAround(day.from, plan.Week)
	s.yearless = day.yearless
	if wordIs(ts, i+n, "weekend") {
		s.from, s.unit = s.to.AddDate(0, 0, -1), plan.Whole
	}
	return s, used
}

func daysBeside(f span, unit, side string) span {
	n := map[string]int{"week": 7, "month": 30}[unit]
	switch side {
	case "before":
		return span{from: f.from.AddDate(0, 0, -n), to: f.from.AddDate(0, 0, -1), yearless: f.yearless}
	case "after":
		return span{from: f.to.AddDate(0, 0, 1), to: f.to.AddDate(0, 0, n), yearless: f.yearless}
	}
	s := unitAround(f.from, plan.Part(unit))
	s.yearless = f.yearless
	return s
}

// point reads one unit of time.
func (c calendar) point(ts []token, i int) (span, int) {
	if i >= len(ts) {
		return span{}, 0
	}
	if wordIs(ts, i, "the") {
		if s, n := c.point(ts, i+1); n > 0 {
			return s, n + 1
		}
		return span{}, 0
	}
	for _, read := range []func([]token, int) (span, int){
		c.numericDate, c.monthName, c.quarter, c.relative, c.lastN, c.toDate, c.ofYear, c.holiday, c.weekday,
	} {
		if s, n := read(ts, i); n > 0 {
			return s, n
		}
	}
	return span{}, 0
}

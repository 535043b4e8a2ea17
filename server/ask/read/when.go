package read

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/plan"
	"svc/server/schema"
)

// readPeriods decides which days are asked about, and which they are compared with.
func (r *reading) readPeriods() error {
	var spans []span
	var first int
	for i, m := range r.marks {
		if m.kind == period {
			if len(spans) == 0 {
				first = i
			}
			spans = append(spans, m.span)
		}
	}
	if len(spans) > 0 && r.x.source.Last == "" {
		return r.refuse(Missing, "There is no column of dates in %s, so it cannot be said what happened %s.", r.x.source.Name, withPreposition(spans[0].words))
	}
	if r.x.source.Last == "" {
		return nil
	}
	switch {
	case len(spans) == 1 && len(spans[0].ends) == 2 && r.comparesEnds():
		spans = []span{spans[0].ends[1], spans[0].ends[0]}
		r.comparePeriods(spans[0], spans[1])
	case len(spans) >= 2:
		r.twoPeriods(spans[0], spans[1])
	case len(spans) == 1 && r.everyYear(spans[0]):
	case len(spans) == 1:
		r.onePeriod(spans[0], first)
	default:
		if err := r.noPeriod(); err != nil {
			return err
		}
	}
	return r.checkCovered()
}

// everyYear reads "Q1 of each year" as a filter of months.
func (r *reading) everyYear(s span) bool {
	i := r.find(0, series, unit)
	whole := s.from.Day() == 1 && s.to.AddDate(0, 0, 1).Day() == 1 && s.monthCount() < 12
	if i < 0 || r.marks[i].part != plan.Year || !s.yearless || !whole {
		return false
	}
	day, _ := r.heading(schema.Day)
	var months []string
	for m := s.from; !m.After(s.to); m = m.AddDate(0, 1, 0) {
		months = append(months, strconv.Itoa(int(m.Month())))
	}
	r.p.Where = addFilter(r.p.Where, plan.Filter{Column: day, Part: plan.Month, Op: plan.In, Values: months})
	return true
}

func withPreposition(words string) string {
	if strings.HasPrefix(words, "last") || strings.HasPrefix(words, "this") || strings.HasPrefix(words, "yesterday") || strings.HasPrefix(words, "today") {
		return words
	}
	return "in " + words
}

// comparesEnds reports whether "from 2020 to 2021" is a change and not a range.
func (r *reading) comparesEnds() bool {
	return r.has(grown, shrunk, change, compared) && len(r.p.WhatIf) == 0 && !r.has(series, trend)
}

// twoPeriods compares two periods, "Q4 vs Q3"; the later one is asked about. A period
// without a year is in that of the other.
func (r *reading) twoPeriods(a, b span) {
	if a.yearless && !b.yearless {
		a = a.inYear(b.from.Year())
		if a.from.After(r.c.today) {
			a = a.inYear(b.from.Year() - 1)
		}
	}
	if b.yearless && !a.yearless {
		b = b.inYear(a.from.Year())
	}
	if a.from.Equal(b.from) && a.to.Equal(b.to) {
		r.setPeriod(a)
		return
	}
	if both, ok := r.mergedPeriod(a, b); ok {
		r.setPeriod(both)
		return
	}
	if !r.has(compared, than, and, or, grown, shrunk, change, comparison, versusEarlier, which) {
		if !a.from.After(b.from) && !a.to.Before(b.to) {
			r.setPeriod(b) // b is part of a
			return
		}
		if !b.from.After(a.from) && !b.to.Before(a.to) {
			r.setPeriod(a)
			return
		}
	}
	if b.from.After(a.from) {
		a, b = b, a
	}
	r.comparePeriods(a, b)
}

// comparePeriods sets the period and its comparison. If the period has not ended, its days
// so far are compared with as many days of the other.
func (r *reading) comparePeriods(a, b span) {
	if a.soFar != plan.Whole {
		words := a.words
		a = unitAround(r.c.today, a.soFar)
		a.words = words
	}
	if !a.to.After(r.c.today) || a.from.After(r.c.today) || a.unit == plan.Whole || a.unit == plan.Day {
		r.setPeriod(a)
		r.p.Compare = r.periodOf(b)
		return
	}
	gone := int(r.c.today.Sub(a.from).Hours() / 24)
	a.to = r.c.today
	named := b
	if end := b.from.AddDate(0, 0, gone); end.Before(b.to) && a.unit == b.unit {
		b.to = end
		if b.from.Day() == a.from.Day() && b.from.Month() == a.from.Month() {
			b.to = addMonths(a.to, 12*(b.from.Year()-a.from.Year()))
		}
	}
	whole := r.periodOf(named)
	r.setPeriod(a)
	if r.p.Compare = r.periodOf(b); *r.p.Compare != *whole {
		r.p.Whole = whole
	}
	r.note("The period has not ended, so as many days of both are compared.")
}

// onePeriod decides whether the one period is asked about or is the comparison.
func (r *reading) onePeriod(s span, i int) {
	kindOf := r.onYearArg()
	switch {
	case kindOf == "year":
		r.comparePeriods(s, s.yearBefore())
	case kindOf == "before":
		r.comparePeriods(s, s.shift(-1))
	case r.isReference(i):
		unit := s.unit
		if unit == plan.Whole {
			unit = plan.Month
		}
		r.comparePeriods(unitAround(r.c.today, unit), s)
	case r.asksChange():
		r.comparePeriods(s, s.shift(-1))
	default:
		r.setPeriod(s)
	}
}

func (r *reading) onYearArg() string {
	if i := r.find(0, versusEarlier); i >= 0 {
		return r.marks[i].arg
	}
	return ""
}

// isReference reports whether words of comparison come before the period: up on last year,
// compared to 2020, than last month.
func (r *reading) isReference(i int) bool {
	prev, ok := r.before(i)
	if !ok {
		return false
	}
	switch prev.kind {
	case compared, than, comparison:
		return true
	case link:
		return r.has(grown, shrunk, change) && (prev.text == "on" || prev.text == "from" || prev.text == "to") && strings.HasPrefix(r.marks[i].text, "last")
	}
	return false
}

// asksChange reports whether the question is about a change in time and not a supposed
// one.
func (r *reading) asksChange() bool {
	return len(r.p.WhatIf) == 0 && !r.comparesValues() && !r.asksSteps() && r.has(grown, shrunk, change, why) && !r.has(series, trend) && !r.asksFigures()
}

// asksSteps reports whether each unit of time is compared with the one before: growth by
// month, which month grew most.
func (r *reading) asksSteps() bool {
	if len(r.p.WhatIf) > 0 || !r.has(grown, shrunk, change) || r.asksFigures() || r.has(compared, than, versusEarlier, why, comparison, dim, column) {
		return false
	}
	for i, m := range r.marks {
		prev, _ := r.before(i, money, number)
		if m.kind == series && m.part.Series() || m.kind == unit && m.part.Series() && slices.Contains([]kind{by, which, top, bottom}, prev.kind) {
			return true
		}
	}
	return false
}

// comparesValues reports whether values of one column are compared with each other and not
// with earlier days: by how much one shop beat the other.
func (r *reading) comparesValues() bool {
	if !r.hasWord("beat", "beats", "outsell", "outsold", "ahead", "behind", "better", "worse", "more", "less") {
		return false
	}
	seen := map[int]bool{} // columns
	for i, m := range r.marks {
		if m.kind == value && r.filterOp(i) == plan.In {
			if seen[m.column] {
				return true
			}
			seen[m.column] = true
		}
	}
	return false
}

// mergedPeriod returns the period of two adjacent ones that are joined by "and" and not
// compared: in May and June.
func (r *reading) mergedPeriod(a, b span) (span, bool) {
	if b.from.Before(a.from) {
		a, b = b, a
	}
	i := r.find(0, period)
	next, j := r.after(i)
	adjacent := a.to.AddDate(0, 0, 1).Equal(b.from)
	if !adjacent || j < 0 || next.kind != and || r.has(compared, than, grown, shrunk, change, comparison, versusEarlier) || r.has(which, top, bottom) && !r.has(dim, column) {
		return span{}, false
	}
	return span{from: a.from, to: b.to}, true
}

// asksFigures reports whether a word of change asks for figures only: "how did stores
// perform".
func (r *reading) asksFigures() bool {
	i := r.find(0, change)
	if i < 0 || r.has(grown, shrunk, why) {
		return false
	}
	text := r.marks[i].text
	return text == "fare" || text == "difference" || text == "how did we do" || strings.HasPrefix(text, "perform")
}

// noPeriod chooses the periods of a question on change that names none: the last full year
// and the one before, or months if the data are of less than two years.
func (r *reading) noPeriod() error {
	arg := r.onYearArg()
	if arg == "" && !r.asksChange() || r.has(compared) && r.has(value) {
		return nil
	}
	all := r.allDays()
	unit := plan.Month
	if all.to.Sub(all.from).Hours() > 24*365*1.9 && len(r.p.WhatIf) == 0 {
		unit = plan.Year
	}
	for _, u := range []plan.Part{plan.Week, plan.Month, plan.Quarter, plan.Year} {
		if arg == "before" && strings.Contains(r.marks[r.find(0, versusEarlier)].text, string(u)) {
			unit = u
		}
	}
	if arg == "year" {
		unit = plan.Year
	}
	last := unitAround(r.c.today, unit)
	if last.to.After(r.c.today) {
		last = last.shift(-1)
	}
	if last.from.Before(all.from.AddDate(0, 0, -31)) {
		return r.refuse(Outside, "The data in %s begin on %s, which is too late for this to be compared with what was before.",
			r.x.source.Name, all.from.Format("2 January 2006"))
	}
	r.comparePeriods(last, last.shift(-1))
	return nil
}

// allDays returns all days of the data.
func (r *reading) allDays() span {
	return spanOf(plan.Period{From: r.x.source.First, To: r.x.source.Last})
}

func spanOf(p plan.Period) span {
	from, _ := time.Parse(time.DateOnly, p.From)
	to, _ := time.Parse(time.DateOnly, p.To)
	return span{from: from, to: to}
}

func (r *reading) setPeriod(s span) { r.p.Period = r.periodOf(s) }

// periodOf returns a span as a period; an open beginning becomes the first day of the
// data.
func (r *reading) periodOf(s span) *plan.Period {
	if all := r.allDays(); s.from.Year() == 1 {
		s.from = all.from
		if s.to.Before(s.from) {
			s.to = s.from
		}
	}
	return &plan.Period{From: s.from.Format(time.DateOnly), To: s.to.Format(time.DateOnly), Words: spanTitle(s)}
}

// spanTitle returns a span in words: 2021, March 2021, Q3 2021, 5 March 2021, 1 March 2021
// to 7 March 2021.
func spanTitle(s span) string {
	switch {
	case s.from.Equal(s.to):
		return s.from.Format("2 January 2006")
	case s.from.Day() == 1 && s.to.AddDate(0, 0, 1).Day() == 1:
		switch n := s.monthCount(); {
		case n == 1:
			return s.from.Format("January 2006")
		case n == 3 && (s.from.Month()-1)%3 == 0:
			return "Q" + string(rune('1'+(s.from.Month()-1)/3)) + " " + s.from.Format("2006")
		case n == 12 && s.from.Month() == 1:
			return s.from.Format("2006")
		}
		return s.from.Format("January 2006") + " to " + s.to.Format("January 2006")
	}
	return s.from.Format("2 January 2006") + " to " + s.to.Format("2 January 2006")
}

// checkCovered refuses a period without a day of the data.
func (r *reading) checkCovered() error {
	for _, p := range []*plan.Period{r.p.Period, r.p.Compare} {
		if p == nil {
			continue
		}
		if p.To < r.x.source.First || p.From > r.x.source.Last {
			all := r.allDays()
			return r.refuse(Outside, "There is no data for %s: the data in %s only cover %s to %s.", p.Words, r.x.source.Name,
				all.from.Format("2 January 2006"), all.to.Format("2 January 2006"))
		}
	}
	if _, ok := r.x.role(schema.Day); !ok && r.p.Period != nil {
		return r.missingRole(schema.Day)
	}
	return nil
}

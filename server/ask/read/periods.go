package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/ask/link"
	"svc/server/ask/plan"
	"svc/server/ask/when"
	"svc/server/schema"
)

// readPeriods decides which days are asked about, and which they are compared with.
func (b *builder) readPeriods() error {
	if m := b.countsChanged(); m != nil {
		return b.refuse(Unknown, "It is not clear what “%s” means of what is counted in this question, so it cannot be answered.", b.text(m.from, m.to))
	}
	spans := yearsSaidOnce(b.s.periods)
	b.s.periods = spans
	if one, ok := b.runOf(spans); ok {
		spans = []when.Span{one}
		b.s.periods = spans
	}
	if b.x.source.Last == "" {
		return b.undatedPeriods(spans)
	}
	spans = lastYearsMonth(b.tokens, monthsOfYears(spans))
	for _, s := range spans {
		b.relative = b.relative || s.Relative || s.Yearless
		if s.Ahead && !s.From.Before(b.now.Today) && !b.holdsAhead(s) {
			return b.refuse(Forecast, "The data in %s end on %s: there are no figures for %s yet.", b.x.source.Name, b.now.Today.Format("2 January 2006"), s.Words)
		}
	}
	switch {
	case len(spans) == 1 && len(spans[0].Ends) == 2 && b.comparesEnds():
		b.compare(b.latest(spans[0], 1), b.latest(spans[0], 0))
	case len(spans) > 2:
		return b.refuse(Unknown, "More than two periods cannot be set side by side in one question, so this cannot be answered. By month or year they can.")
	case len(spans) == 2 && spans[0].From.Equal(spans[1].From) && spans[0].To.Equal(spans[1].To) && b.s.has("versus", "than", "difference"):
		return b.refuse(Unknown, "Both of the periods in this are %s, so there is nothing to compare and it cannot be answered.", spans[0].Plan(b.now).Words)
	case len(spans) == 2 && b.s.has(butNot):
		b.setPeriodButNot(spans[0], spans[1])
	case len(spans) == 2:
		b.twoPeriods(spans[0], spans[1])
	case len(spans) == 0 && b.s.has("season"):
		if err := b.readSeason(); err != nil {
			return err
		}
	case len(spans) == 1 && b.everyYear(spans[0]):
	case len(spans) == 1:
		b.onePeriod(spans[0])
	default:
		if err := b.noPeriod(); err != nil {
			return err
		}
	}
	return b.checkCovered()
}

// undatedPeriods takes periods for those of another column of days, of a source whose rows have none.
func (b *builder) undatedPeriods(spans []when.Span) error {
	if len(spans) == 1 && b.x.source.Kind == schema.Stocklist {
		if isOfStock, err := b.stockPeriod(spans[0]); isOfStock || err != nil {
			return err
		}
	}
	if len(spans) == 1 && b.day != nil && !b.s.has("versus", "grown", "shrunk", "change", "why", "than") {
		b.filterDays(spans[0])
		return nil
	}
	if len(spans) == 1 && b.filterYears(spans[0]) {
		return nil
	}
	if len(spans) == 2 && b.day != nil && b.x.tellsOf(b.day, b.tokens) {
		b.twoPeriods(spans[0], spans[1])
		b.p.On = b.day.Heading
		b.note("The days are those of " + b.day.Heading + ".")
		return nil
	}
	if len(spans) > 0 {
		return b.refuse(Missing, "There is no column of dates in %s, so it cannot be said what happened %s.", b.x.source.Name, withPreposition(spans[0].Words))
	}
	return nil
}

// holdsAhead reports whether the rows are of days to come, too, such as stays that are booked, and notes that of a
// period among these only what is arranged by now is known.
func (b *builder) holdsAhead(s when.Span) bool {
	if s.From.After(b.now.Last) || !b.now.Last.After(b.now.Today) || !s.Ahead {
		return false
	}
	b.guessed = true
	b.note("Of the days to come, what stands in " + b.x.source.Name + " by now is counted.")
	return true
}

// monthsOfYears returns months in a row once in each of two years: July and August this year compared to last
// year, or to July and August last year.
func monthsOfYears(spans []when.Span) []when.Span {
	isYear := func(s when.Span) bool { return s.Unit == plan.Year }
	n := len(spans)
	if n < 3 {
		return spans
	}
	run, years := spans[:n-1], []int{0, spans[n-1].From.Year()}
	switch {
	case n == 4 && sameMonths(spans[0], spans[2]) && sameMonths(spans[1], spans[3]):
		run = spans[:2]
	case !isYear(spans[n-1]):
		return spans
	case isYear(run[n-2]):
		run, years[0] = run[:n-2], run[n-2].From.Year()
	}
	first, last := run[0], run[len(run)-1]
	if years[0] == 0 {
		years[0] = last.From.Year()
	}
	if len(run) < 2 || years[0] == years[1] || slices.ContainsFunc(run, func(s when.Span) bool { return s.Unit != plan.Month }) {
		return spans
	}
	for i, m := range run[1:] {
		if m.From.Month() != run[i].From.Month()+1 {
			return spans
		}
	}
	var all []when.Span
	for _, year := range years {
		span := first.InYear(year)
		span.To = last.InYear(year).To
		span.Unit, span.Words = plan.Whole, fmt.Sprintf("%s to %s", span.From.Format("January"), span.To.Format("January 2006"))
		all = append(all, span)
	}
	return all
}

// sameMonths reports whether two spans are the same month, of any year.
func sameMonths(a, b when.Span) bool {
	return a.Unit == plan.Month && b.Unit == plan.Month && a.From.Month() == b.From.Month()
}

// lastYearsMonth takes a month of last year for the last one, where it is set beside this one: this August against
// last August.
func lastYearsMonth(tokens []link.Token, spans []when.Span) []when.Span {
	says := func(word string) bool {
		for i, t := range tokens[:max(0, len(tokens)-1)] {
			if t.Text == word && months[tokens[i+1].Text] {
				return true
			}
		}
		return false
	}
	if len(spans) != 2 || !spans[0].From.Equal(spans[1].From) || !spans[0].To.Equal(spans[1].To) || !says("this") || !says("last") {
		return spans
	}
	return []when.Span{spans[0], spans[1].InYear(spans[1].From.Year() - 1)}
}

// months are the names of months.
var months = map[string]bool{"january": true, "february": true, "march": true, "april": true, "may": true, "june": true, "july": true, "august": true, "september": true, "october": true, "november": true, "december": true}

// yearsSaidOnce returns periods of which a year by itself is that of those without one: April to June
// sales 2025 compared with January to March.
func yearsSaidOnce(spans []when.Span) []when.Span {
	isYear := func(s when.Span) bool { return s.Unit == plan.Year && !s.Relative }
	at := slices.IndexFunc(spans, isYear)
	if at < 0 || len(spans) < 3 {
		return spans
	}
	var all []when.Span
	for i, s := range spans {
		switch {
		case i == at:
		case !s.Yearless:
			return spans
		default:
			all = append(all, s.InYear(spans[at].From.Year()))
		}
	}
	return all
}

// readSeason reads this season as all days of data that are of a year at most.
func (b *builder) readSeason() error {
	m := b.s.find("season")
	if b.now.Last.Sub(b.now.First) > 366*24*time.Hour {
		return b.refuse(Unknown, "It is not clear which days “%s” has in this question, so it cannot be answered.", b.text(m.from, m.to))
	}
	for i := m.from; i < m.to; i++ {
		b.taken[i] = true
	}
	b.note(fmt.Sprintf("“%s” was read as all days of the data.", b.text(m.from, m.to)))
	return nil
}

// runOf returns three or more periods that follow one another as one, if nothing sets them side by
// side: over the summer, so June, July and August.
func (b *builder) runOf(spans []when.Span) (when.Span, bool) {
	if len(spans) < 3 || b.s.has("versus", "than", "difference", "or", "change", "grown", "shrunk") {
		return when.Span{}, false
	}
	run := slices.SortedFunc(slices.Values(spans), func(x, y when.Span) int { return x.From.Compare(y.From) })
	one := run[0]
	for _, s := range run[1:] {
		if s.From.After(one.To.AddDate(0, 0, 1)) {
			return when.Span{}, false
		}
		if s.To.After(one.To) {
			one.To = s.To
		}
	}
	one.Words = one.From.Format("2 January 2006") + " to " + one.To.Format("2 January 2006")
	one.Ends = nil
	return one, true
}

// latest returns an end of a period without a year in the last year in which it has begun.
func (b *builder) latest(of when.Span, end int) when.Span {
	s := of.Ends[end]
	if !s.Yearless && !of.Yearless {
		return s
	}
	out := s.InYear(b.now.Today.Year())
	if out.From.After(b.now.Today) {
		out = s.InYear(b.now.Today.Year() - 1)
	}
	out.Yearless = true
	return out
}

// filterDays restricts the rows by a column of dates that has no role.
func (b *builder) filterDays(s when.Span) {
	p := s.Plan(b.now)
	if s.From.Year() > 1 {
		b.p.Where = addFilter(b.p.Where, plan.Filter{Column: b.day.Heading, Part: plan.Day, Op: plan.AtLeast, Values: []string{p.From}})
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: b.day.Heading, Part: plan.Day, Op: plan.AtMost, Values: []string{p.To}})
	b.relative = b.relative || s.Relative || s.Yearless
	b.note("The days are those of " + b.day.Heading + ".")
}

// filterYears restricts the rows by a column of years if the period is of whole years; it reports
// false otherwise, and if no row is of them.
func (b *builder) filterYears(s when.Span) bool {
	isWhole := s.From.YearDay() == 1 && (s.To.AddDate(0, 0, 1).YearDay() == 1 || s.To.Equal(b.now.Today))
	i := slices.IndexFunc(b.x.source.Columns, func(c schema.Column) bool { return isOfYears(c) || len(yearsOf(c)) > 0 })
	if i < 0 || !isWhole {
		return false
	}
	c := b.x.source.Columns[i]
	if c.Type == schema.Number {
		for op, year := range map[plan.Op]int{plan.AtLeast: s.From.Year(), plan.AtMost: s.To.Year()} {
			b.p.Where = addFilter(b.p.Where, plan.Filter{Column: c.Heading, Op: op, Values: []string{strconv.Itoa(year)}})
		}
		return true
	}
	chosen := plan.Filter{Column: c.Heading, Op: plan.In}
	for text, year := range yearsOf(c) {
		if s.From.Year() <= year && year <= s.To.Year() {
			chosen.Values = append(chosen.Values, text)
		}
	}
	if len(chosen.Values) == 0 || len(chosen.Values) > plan.MaxValues {
		return false
	}
	slices.Sort(chosen.Values)
	b.p.Where = addFilter(b.p.Where, chosen)
	return true
}

// yearsOf returns the years that the values of a column of text are, by their texts: 1996, or 96;
// none if one is no year, or the heading does not say so.
func yearsOf(c schema.Column) map[string]int {
	if c.Type != schema.Text || !hasWord(c.Heading, "year", "yr") {
		return nil
	}
	years := map[string]int{}
	for _, text := range c.Values {
		n, err := strconv.Atoi(text)
		switch {
		case err != nil || len(text) != 2 && len(text) != 4:
			return nil
		case len(text) == 2:
			n += 1900
		}
		years[text] = n
	}
	return years
}

func withPreposition(words string) string {
	for _, w := range []string{"last", "this", "yesterday", "today"} {
		if strings.HasPrefix(words, w) {
			return words
		}
	}
	return "in " + words
}

// everyYear reads "Q1 of each year" as a filter of months.
func (b *builder) everyYear(s when.Span) bool {
	byYear := slices.ContainsFunc(b.s.groups, func(g group) bool { return g.part == plan.Year })
	whole := s.From.Day() == 1 && s.To.AddDate(0, 0, 1).Day() == 1 && s.Days() < 360
	day, ok := b.x.source.ByRole(schema.Day)
	if !byYear || !s.Yearless || !whole || !ok {
		return false
	}
	var months []string
	for m := s.From; !m.After(s.To); m = m.AddDate(0, 1, 0) {
		months = append(months, strconv.Itoa(int(m.Month())))
	}
	b.p.Where = addFilter(b.p.Where, plan.Filter{Column: day.Heading, Part: plan.Month, Op: plan.In, Values: months})
	return true
}

// comparesEnds reports whether "from 2020 to 2021" is a change and not a range, in which other
// things are compared.
func (b *builder) comparesEnds() bool {
	sides := slices.ContainsFunc(b.s.where, func(f cond) bool { return f.listed })
	if (sides || len(b.s.contrast) > 0 || len(b.s.figures) > 1) && !b.s.has("change") {
		return false
	}
	return b.s.has("grown", "shrunk", "change", "versus") && len(b.s.earlier) == 0 && b.s.suppositionOf == nil && !b.s.has("trend") && !b.splitsTime()
}

// splitsTime reports whether the groups are parts of time.
func (b *builder) splitsTime() bool {
	return slices.ContainsFunc(b.s.groups, func(g group) bool { return g.part.Series() })
}

func (b *builder) setPeriod(s when.Span) { b.p.Period = s.Plan(b.now) }

func (b *builder) compare(a, with when.Span) {
	c := b.now.Compare(a, with)
	if c.Whole != nil && c.Before.To.Before(b.now.First) && !c.Whole.To.Before(b.now.First) {
		c.Before, c.Whole, c.SoFar = *c.Whole, nil, false
		b.note("Of both periods all days are compared that have data.")
	}
	b.setPeriod(c.Now)
	b.p.Compare = c.Before.Plan(b.now)
	if c.Whole != nil {
		b.p.Whole = c.Whole.Plan(b.now)
	}
	switch now, before := c.Now.Days(), c.Before.Days(); {
	case 5*max(now, before) > 6*min(now, before):
		b.guessed = true
		b.note(fmt.Sprintf("The two are not of one length: %d and %d days.", now, before))
	case c.SoFar:
		b.note("The period has not ended, so as many days of both are compared.")
	}
}

// twoPeriods compares two periods, joins adjacent ones, or takes the one that is part of
// the other: march last year.
func (b *builder) twoPeriods(x, y when.Span) {
	next := b.s.days[0].to
	compares := b.s.has("versus", "than", "grown", "shrunk", "change", "difference") || len(b.s.earlier) > 0 || b.wordAt(next, "or") || b.s.has("which") && !b.wordAt(next, "and")
	both, adjacent := when.Merge(x, y)
	inside := func(in, of when.Span) bool { return !of.From.After(in.From) && !of.To.Before(in.To) }
	switch {
	case x.From.Equal(y.From) && x.To.Equal(y.To):
		b.setPeriod(x)
	case adjacent && !compares && b.wordAt(next, "and"):
		b.setPeriod(both)
	case !compares && inside(y, x):
		b.setPeriod(y)
		b.assume(costNestedDays)
	case !compares && inside(x, y):
		b.setPeriod(x)
		b.assume(costNestedDays)
	default:
		if !compares {
			b.assume(costTwoPeriods)
		}
		b.compare(x, y)
	}
}

// onePeriod decides whether the one period is asked about or is the comparison.
func (b *builder) onePeriod(s when.Span) {
	switch {
	case len(b.s.earlier) > 0:
		s.Yearless = false
		b.compare(s, b.s.earlier[0].Of(s))
	case b.s.steps == plan.Year && slices.Contains([]plan.Part{plan.Day, plan.Week, plan.Month, plan.Quarter}, s.Unit):
		s.Yearless, b.s.steps = false, "" // year on year in October
		b.s.marks, _ = cut(b.s.marks, func(m mark) bool { return m.sense != "steps" })
		b.compare(s, s.InYear(s.From.Year()-1))
	case b.isReference():
		unit := s.Unit
		if unit == plan.Whole {
			unit = plan.Month
		}
		b.compare(when.Around(b.now.Today, unit), s)
		b.relative = true
	case b.asksChange():
		b.compare(s, s.Shift(-1))
	default:
		b.setPeriod(s)
	}
}

// isReference reports whether words of comparison come before the period: up on last year,
// compared to 2020, than last month.
func (b *builder) isReference() bool {
	if len(b.s.days) == 0 || b.listsValues() || len(b.s.contrast) > 0 {
		return false
	}
	at := b.s.days[0]
	for _, m := range b.s.marks {
		if (m.sense == "versus" || m.sense == "than") && m.to <= at.from && at.from-m.to <= 1 {
			return true
		}
	}
	for _, o := range b.s.bounds {
		if o.other == nil && o.number == 0 && o.to == at.from {
			return true
		}
	}
	if m := b.s.find("grown", "shrunk"); m != nil && b.wordAt(m.from, "ahead", "behind") && m.to <= at.from && at.from-m.to <= 1 {
		return true // ahead of May
	}
	on := b.wordAt(at.from, "on", "from") || b.wordAt(at.from-1, "on", "from", "since") || b.wordAt(at.from, "since")
	return on && b.s.has("grown", "shrunk") && (b.hasWord("last") || b.s.periods[0].Relative)
}

// listsValues reports whether values of one column are compared, so that words of
// comparison are theirs.
func (b *builder) listsValues() bool {
	return slices.ContainsFunc(b.s.where, func(f cond) bool { return f.listed })
}

// asksChange reports whether the question is about a change in time and not a supposed
// one.
func (b *builder) asksChange() bool {
	return b.s.suppositionOf == nil && !b.listsValues() && len(b.s.contrast) == 0 && !b.asksSteps() && b.s.has("grown", "shrunk", "change", "why") && !b.s.has("trend") && !b.splitsTime()
}

// asksSteps reports whether each unit of time is compared with the one before: growth by
// month, month on month.
func (b *builder) asksSteps() bool {
	if b.s.suppositionOf != nil || len(b.s.contrast) > 0 || b.s.has("versus", "than", "why", "running") {
		return false
	}
	return b.s.has("steps") || b.splitsTime() && b.s.has("grown", "shrunk", "change") && !b.performs()
}

// performs reports whether a word of change asks for figures only: how did stores perform.
func (b *builder) performs() bool {
	m := b.s.find("change")
	return m != nil && slices.ContainsFunc([]string{"perform", "fare", "do"}, func(w string) bool { return strings.Contains(m.arg, w) })
}

// noPeriod chooses the periods of a question on change that names none: the last full year
// and the one before, or months if the data are of less than two years.
func (b *builder) noPeriod() error {
	if len(b.s.earlier) == 0 && !b.asksChange() || b.s.has("versus") && len(b.s.where) > 0 {
		return nil
	}
	if b.s.has("why") && len(b.s.earlier) == 0 && !b.s.has("grown", "shrunk", "change", "more", "less", "than", "versus") {
		return b.refuse(Unknown, "Why something is as it is does not stand in the data. What changed between two periods could be shown.")
	}
	unit := plan.Month
	if b.now.Last.Sub(b.now.First).Hours() > 24*365*1.9 {
		unit = plan.Year
	}
	var back when.Back
	if len(b.s.earlier) > 0 {
		back = b.s.earlier[0]
		switch {
		case back.Unit != plan.Whole:
			unit = back.Unit
		case back.Years > 0 || back.Year > 0:
			unit = plan.Year
		}
	}
	last := when.Around(b.now.Today, unit)
	if last.To.After(b.now.Today) {
		last = last.Shift(-1)
	}
	if last.From.Before(b.now.First.AddDate(0, 0, -31)) {
		return b.refuse(Outside, "The data in %s begin on %s, which is too late for this to be compared with what was before.",
			b.x.source.Name, b.now.First.Format("2 January 2006"))
	}
	b.relative = true
	b.compare(last, last.Shift(-1))
	return nil
}

// Covered returns the days that data cover, YYYY-MM-DD, in words: one day is named once.
func Covered(first, last string) string {
	long := func(day string) string {
		t, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return day
		}
		return t.Format("2 January 2006")
	}
	if first == last {
		return long(first)
	}
	return long(first) + " to " + long(last)
}

// checkCovered refuses a period without a day of the data.
func (b *builder) checkCovered() error {
	for _, p := range []*plan.Period{b.p.Period, b.p.Compare} {
		if p != nil && (p.To < b.x.source.First || p.From > b.x.source.Last) {
			sentence := fmt.Sprintf("There is no data for %s: the data in %s only cover %s.", p.Words, b.x.source.Name, Covered(b.x.source.First, b.x.source.Last))
			return &Refusal{Reason: Outside, Sentence: sentence, Source: b.x.source, days: p}
		}
	}
	if _, ok := b.x.source.ByRole(schema.Day); !ok && b.p.Period != nil {
		return b.missingRole(schema.Day)
	}
	return nil
}

// readChange reads the order of gains and losses, steps and causes.
func (b *builder) readChange() error {
	timed := len(b.p.By) > 0 && b.p.By[0].Part != plan.Whole
	changes := b.p.Compare != nil && b.s.has("grown", "shrunk", "change", "more", "less")
	switch {
	case changes && len(b.p.By) > 0 && !timed && b.s.has("shrunk", "less"):
		b.p.Order = plan.Shrunk
	case changes && len(b.p.By) > 0 && !timed:
		b.p.Order = plan.Grown
	case len(b.p.By) == 1 && b.p.By[0].Part.Series() && b.p.Compare == nil && b.asksSteps():
		b.p.Steps, b.p.Order, b.p.Limit = true, plan.ByLabel, 0
	}
	if b.s.has("why") {
		if b.p.Why = true; b.p.WhyOne() && b.p.Measures[0].Plain() {
			return nil
		}
		b.p.Why = false
		if b.p.Compare == nil && b.s.rank != nil && len(b.p.By) > 0 {
			b.s.unused = join(b.s.unused, []int{b.s.find("why").from})
			return nil
		}
		if b.p.Compare == nil {
			return b.refuse(Unknown, "Why something is as it is does not stand in the data. What changed between two periods could be shown.")
		}
		b.p.Why = true
		b.p.By, b.p.Order, b.p.Limit, b.p.Each = nil, "", 0, false
	}
	return nil
}

var _ = link.Plain

package dataset

import (
	"strings"

	"svc/server/schema"
	"svc/server/sheet"
)

// profile is what the first pass observes of one column. Its size does not depend on the
// file's.
type profile struct {
	title     string
	isAddress bool
	as        schema.Role // of what the columns beside it show, against its heading; None if they do not
	isBlank   func(string) bool

	filled int    // cells that are not blank
	nones  int    // filled cells that are the word "none"
	truths [2]int // number of words for no and for yes
	letter bool   // all of those words are single letters
	dates  dates
	clocks int // times of day without a date

	numbers    sheet.Numbers
	numeric    int       // cells that are numbers
	extents    [2]extent // with a point, and with a comma, before the decimals of ambiguous cells
	percents   int       // numbers with a percent sign
	codes      int       // texts for which isCodeLike holds
	counted    int       // whole numbers that count up from 0 or 1
	serial     int       // whole numbers that repeat the one before, or are the next
	last       int64
	home       string // currency of the account; "" is not known
	currencies map[string]int
	zeros      int            // numbers that are 0 and name no currency
	bits       int            // numbers that are 0 or 1
	cents      int            // numbers written with two decimals
	measured   *profile       // of the numbers that have a unit of measure; nil: none has
	units      map[string]int // their units, as they are written
	addresses  int            // American addresses, under such a heading
	texts      spellings

	oddNumber, oddDate place // first row without a number, or without a date
}

// Cells with an ambiguous comma are read both ways.
var asPoint, asComma = &sheet.Numbers{Fallback: '.'}, &sheet.Numbers{Fallback: ','}

func newProfile(title, home string) *profile {
	return &profile{title: title, home: home, currencies: map[string]int{}, isAddress: isAddressHeading(title), isBlank: blankOf(hintOf(title))}
}

// observe counts one cell.
func (p *profile) observe(at place, text string) {
	if p.isBlank(text) {
		return
	}
	p.filled++
	if isNone(text) {
		p.nones++
		return
	}
	if p.isAddress {
		if _, _, ok := splitAddress(text); ok {
			p.addresses++
		}
	}
	p.observeTruth(text)
	if !p.observeNumber(text) {
		p.texts.observe(text)
		p.observeMeasure(text)
		if p.oddNumber.line == 0 {
			p.oddNumber = at
		}
	}
	if !p.observeDate(text) && p.oddDate.line == 0 {
		p.oddDate = at
	}
}

// longestTruth is the length of the longest of truths.
const longestTruth = 10

func (p *profile) observeTruth(text string) {
	if len(text) > longestTruth {
		return
	}
	switch is, ok := truths[strings.ToLower(text)]; {
	case !ok:
		return
	case is:
		p.truths[1]++
	default:
		p.truths[0]++
	}
	p.letter = len(text) == 1 && !strings.EqualFold(text, "y") && (p.letter || p.truths[0]+p.truths[1] == 1)
}

// isTruth reports whether the column is yes or no. Single letters other than y must be both,
// since t may also be tons; a y alone marks some rows, and a blank is no.
func (p *profile) isTruth(values int) bool {
	return nearlyAll(p.truths[0]+p.truths[1], values) && (!p.letter || p.truths[0] > 0 && p.truths[1] > 0)
}

func (p *profile) observeNumber(text string) bool {
	if isCodeLike(text) {
		p.codes++
	}
	if !mayBeNumber(text) {
		return false
	}
	point, err := asPoint.ParseDecimal(text)
	if err != nil {
		return false
	}
	comma := point
	if strings.ContainsAny(text, ".,") {
		p.numbers.Observe(text)
		if comma, err = asComma.ParseDecimal(text); err != nil {
			return false
		}
	}
	if strings.HasSuffix(text, "%") {
		p.percents++
		point, comma = hundredfold(point), hundredfold(comma)
	}
	p.extents[0].add(point, p.numeric == 0)
	p.extents[1].add(comma, p.numeric == 0)
	p.numeric++
	if n := len(text) - 3; n > 0 && (text[n] == '.' || text[n] == ',') {
		p.cents++
	}
	p.observeWhole(point)
	if code := currencyOf(text, p.home); code != "" {
		p.currencies[code]++
	} else if sign := foreignSign(text, p.home); sign != "" {
		p.currencies[sign]++
	} else if point.Mantissa == 0 {
		p.zeros++
	}
	return true
}

// observeWhole counts whole numbers that may be row numbers, or marks of yes and no.
func (p *profile) observeWhole(d sheet.Decimal) {
	n, err := d.Units(0)
	if err != nil {
		return
	}
	if n == 0 || n == 1 {
		p.bits++
	}
	if isFirst := p.numeric == 1 && (n == 0 || n == 1); isFirst || p.numeric > 1 && n == p.last+1 {
		p.counted++
	}
	if p.numeric == 1 || n == p.last || n == p.last+1 {
		p.serial++
	}
	p.last = n
}

func (p *profile) observeDate(text string) bool {
	m, ok := parseMoment(text)
	if !ok {
		if _, isCompact := parseCompact(text); isCompact {
			p.dates.compact++
		}
		return false
	}
	if !m.hasDate {
		p.clocks++
		return true
	}
	p.dates.add(m)
	return true
}

func hundredfold(d sheet.Decimal) sheet.Decimal {
	if d.Mantissa != 0 {
		d.Exponent += 2
	}
	return d
}

// extent returns the extent of the column's numbers as they will be read.
func (p *profile) extent(numbers sheet.Numbers) extent {
	if numbers.Point() == ',' || numbers.Point() == 0 && numbers.Fallback == ',' {
		return p.extents[1]
	}
	return p.extents[0]
}

// dates is what the dates of a column show about the order of day and month.
type dates struct {
	count   int
	compact int // numbers of eight digits that may be days
	timed   int // with a time that is not midnight
	open    int // may have the day or the month first
	proven  [2]int
	first   uint32 // numbers in the first place of open dates, as bits
	second  uint32
	paths   [2]daySequence
}

func (d *dates) add(m moment) {
	d.count++
	if m.seconds != 0 {
		d.timed++
	}
	if !m.isOpen {
		return
	}
	switch byDay, byMonth := m.fits(dayFirst), m.fits(monthFirst); {
	case byDay && !byMonth:
		d.proven[dayFirst]++
		return
	case byMonth && !byDay:
		d.proven[monthFirst]++
		return
	}
	d.open++
	d.first |= 1 << m.first
	d.second |= 1 << m.second
	d.paths[dayFirst].add(m.year, m.second, m.first)
	d.paths[monthFirst].add(m.year, m.first, m.second)
}

// daySequence is how the days of a column follow one another under one order.
type daySequence struct {
	from, to, last int
	up, down       int
}

// dayNumber numbers the days so that later ones have higher numbers, and no month more than 31.
func dayNumber(year, month, day int) int { return (year*12+month)*31 + day }

func (p *daySequence) add(year, month, day int) {
	at := dayNumber(year, month, day)
	switch {
	case p.last == 0:
		p.from, p.to = at, at
	case at > p.last:
		p.up++
	case at < p.last:
		p.down++
	}
	p.from, p.to, p.last = min(p.from, at), max(p.to, at), at
}

// disorder returns how often the days turn back; most files are sorted.
func (p daySequence) disorder() int { return min(p.up, p.down) }

// evidence is the certainty of a column's order.
type evidence int

const (
	open    evidence = iota // nothing shows it
	faint                   // the days are the first of some months of a year one way, and days of one month the other
	likely                  // the days are in order, or close together, one way only
	certain                 // a number over twelve, or no open date at all
)

// decide returns the order of a column from its own dates.
func (d *dates) decide() (dateOrder, evidence) {
	byDay, byMonth := d.paths[dayFirst], d.paths[monthFirst]
	daySpan, monthSpan := byDay.to-byDay.from, byMonth.to-byMonth.from
	switch {
	case d.proven[dayFirst] != d.proven[monthFirst]:
		return dateOrderIf(d.proven[monthFirst] > d.proven[dayFirst]), certain
	case d.open == 0:
		return dayFirst, certain
	case d.first == 1<<1 && d.second != 1<<1: // the first of each month, or days of January
		return dayFirst, d.firsts(byMonth)
	case d.second == 1<<1 && d.first != 1<<1:
		return monthFirst, d.firsts(byDay)
	case byDay.disorder() != byMonth.disorder():
		return dateOrderIf(byMonth.disorder() < byDay.disorder()), likely
	case daySpan != monthSpan:
		return dateOrderIf(monthSpan < daySpan), likely
	}
	return dayFirst, open
}

// firsts returns the evidence of days which are the first of months one way, and of January in
// the sequence: January alone of several years is unlikely.
func (d *dates) firsts(january daySequence) evidence {
	if january.to-january.from > 31 {
		return likely
	}
	return faint
}

func dateOrderIf(isMonthFirst bool) dateOrder {
	if isMonthFirst {
		return monthFirst
	}
	return dayFirst
}

package dataset

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"svc/server/header"
	"svc/server/money"
	"svc/server/schema"
	"svc/server/sheet"
)

const (
	// nearly is the percentage of the filled cells that decides the type of a column.
	nearly = 97
	// mostly is the percentage of numbers, or of dates, in a column of text that is worth
	// a warning.
	mostly = 80
	// leastNumbered is the number of cells counting up from 0 or 1 that make a column row
	// numbers.
	leastNumbered = 10
	// longestFigure has more digits than any figure of a shop; such numbers are codes.
	longestFigure = 1e11
)

// format is how the cells of a column are read and stored.
type format struct {
	kind        schema.Type
	scale       int
	percent     bool // the unit: 12.5 means 12.5 %
	shift       bool // fractions become per cents
	numbers     sheet.Numbers
	suffix      string // unit of measure after the numbers
	currency    string // of amounts that may have a sign; "": any
	duration    bool   // hours and minutes, kept as minutes: 1:30 is 90
	hours       bool   // whole hours of the day, kept as times: 13 is 13:00
	order       dateOrder
	compact     bool // days of eight digits
	noneIsBlank bool // "none" is a blank
	isBlank     func(string) bool
	usual       map[string]string // of texts, the spelling that is read for others; may be nil
}

// decide returns the format of a column, by its cells and its heading. With hasComma
// ambiguous numbers have a decimal comma.
func (p *profile) decide(hasComma bool) format {
	hint := typeHintOf(p.title)
	if p.as != schema.None {
		hint = p.as
	}
	f := format{kind: p.kind(hint), isBlank: p.isBlank}
	f.noneIsBlank = f.kind != schema.Text || noneIsBlankRoles[hint]
	switch f.kind {
	case schema.Text:
		if p.isSpelled(hint) {
			f.usual = p.texts.others()
		}
	case schema.Date, schema.Moment:
		f.order, _ = p.dates.decide()
		f.compact = p.dates.count < p.dates.compact
	case schema.Time:
		f.hours = p.isHours()
		if hasWord(p.title, durationWords) && !hasWord(p.title, momentWords) {
			f.kind, f.duration, f.suffix = schema.Number, true, " min"
		}
	case schema.Number:
		of := p
		if p.isMeasured(hint) {
			of, f.suffix = p.measured, p.unit()
		}
		f.numbers = of.numbers
		if hasComma {
			f.numbers.Fallback = ','
		}
		of.decideScale(&f, hint)
	}
	return f
}

// durationWords are in the headings of how long something took, of which 1:30 is no time of
// the day.
var durationWords = wordSet("duration taken took elapsed hrs hours dauer duree duracion duracao")

// momentWords are beside them in the headings of times of the day: taken at, order taken.
var momentWords = wordSet("at by order orders ordered booking bookings opening open")

// kind returns the type of enough cells. The word "none" does not count.
func (p *profile) kind(hint schema.Role) schema.Type {
	values := p.filled - p.nones
	switch {
	case values == 0:
		return schema.Text
	case p.isOfDays(hint) && p.dates.timed > 0:
		return schema.Moment
	case p.isOfDays(hint), nearlyAll(p.dates.compact, values) && hasWord(p.title, dayWords):
		return schema.Date
	case nearlyAll(p.clocks, values), p.isHours():
		return schema.Time
	case p.isTruth(values):
		return schema.Truth
	case p.isMeasured(hint):
		return schema.Number
	case !p.isOfNumbers(hint) || p.isCode(hint):
		return schema.Text
	case p.bits == p.numeric && p.extents[0].min < p.extents[0].max && (hint == schema.None || flagOf(p.title) != stands):
		return schema.Truth
	}
	return schema.Number
}

func (p *profile) decideScale(f *format, hint schema.Role) {
	reach := p.extent(f.numbers)
	f.scale = reach.fittingScale()
	switch {
	case p.percents > 0 && p.percents*2 > p.numeric:
		f.percent = true
	case isPercentHeading(p.title, hint):
		f.percent = true
		f.shift = reach.largest() <= 1 && reach.scale > 0
	case fractionHeadings[header.Loose(p.title)] && len(p.currencies) == 0 && reach.min >= 0 && reach.max < 1 && reach.max > 0:
		f.percent, f.shift = true, true
	}
	if f.shift {
		f.scale = max(0, f.scale-2)
	}
}

// fractionHeadings are headings under which fractions are shares.
var fractionHeadings = map[string]bool{"discount": true, "discount rate": true, "rabatt": true, "remise": true, "descuento": true, "desconto": true}

func nearlyAll(count, of int) bool { return count*100 >= of*nearly }

// leastNamed is the number of cells that prove what the heading of a column says. Other cells
// are left blank and named.
const leastNamed = 3

// isOfDays reports whether enough cells are dates: half of them under a heading of days, since
// without days nothing can be told by time, and answers say which rows they leave out.
func (p *profile) isOfDays(hint schema.Role) bool {
	values := p.filled - p.nones
	return nearlyAll(p.dates.count, values) || hint == schema.Day && p.dates.count >= leastNamed && p.dates.count*2 >= values
}

// hourHeadings are headings of the hour of the day.
var hourHeadings = wordSet("hour hr stunde heure hora")

// counterHeadings are headings of the numbers of tills.
var counterHeadings = wordSet("till terminal register lane")

// isHours reports whether the column has the hour of the day at which something took place, as a whole number.
func (p *profile) isHours() bool {
	reach := p.extents[0]
	const late = 12 // only times of the day go past noon; a shift is shorter
	return hourHeadings[strings.TrimSuffix(header.Fold(p.title), " of day")] && p.filled > 0 && p.numeric == p.filled && reach.scale == 0 && reach.min >= 0 && reach.max < 24 && reach.max > late
}

// isOfNumbers reports whether enough cells are numbers: under a heading of figures all but one
// of at least four, or nine in ten.
func (p *profile) isOfNumbers(hint schema.Role) bool {
	values := p.filled - p.nones
	others := values - p.numeric
	return nearlyAll(p.numeric, values) || isFigure(hint) && p.numeric >= leastNamed && (others == 1 || others*10 <= values)
}

// isCode reports whether the column's numbers are names, which are not added up.
func (p *profile) isCode(hint schema.Role) bool {
	priced := 0
	for _, n := range p.currencies {
		priced += n
	}
	switch {
	case nearlyAll(priced, p.numeric):
		return false // a Ticket of £720
	case hint == schema.Order && p.extents[0].scale == 2 && len(p.currencies) == 0:
		return false // or of 7.20
	case isTextRole(hint) && hint != schema.Order && hint != schema.SKU && p.extents[0].scale > 0:
		return false // what was paid by card, or what the goods came to
	case hint == schema.Order && header.Fold(p.title) == "ord" && !p.isSerial() && p.counted < p.filled:
		return false // how many were ordered
	case isTextRole(hint), hint == schema.Day, p.codes*100 > p.numeric, p.extents[0].largest() >= longestFigure && p.extents[0].scale == 0:
		return true
	case hint == schema.None && counterHeadings[header.Fold(p.title)] && p.extents[0].scale == 0:
		return true // takings of till 2
	case p.counted == p.filled && p.filled >= leastNumbered && hint == schema.None:
		return true
	case p.isSerial() && hint == schema.None:
		return true
	case hint == schema.None && isSizeOfWear(p.title):
		return true // nobody adds up sizes of shoes
	}
	return hint == schema.None && isCodeHeading(p.title)
}

// wearWords are beside the word size in headings of the sizes of what people wear.
var wearWords = wordSet("size sizes sz uk us usa eu eur shoe boot dress ring hat glove waist collar bra frame skate")

// isSizeOfWear reports whether a heading is that of the sizes of what people wear: UK size, Shoe Sz.
func isSizeOfWear(title string) bool {
	words := strings.Fields(header.Fold(title))
	isOther := func(w string) bool { return !wearWords[w] }
	return len(words) > 1 && hasWord(title, wordSet("size sizes sz")) && !slices.ContainsFunc(words, isOther)
}

// leastSerial is the least number that counts what other tables have already.
const leastSerial = 100

// isSerial reports whether the column has numbers that count up from line to line, as those of slips
// do, of which each may have some lines.
func (p *profile) isSerial() bool {
	reach := p.extents[0]
	return p.filled >= leastNumbered && nearlyAll(p.serial, p.filled) && reach.scale == 0 && reach.min >= leastSerial && reach.max-reach.min >= leastNumbered && len(p.currencies) == 0
}

// isCodeHeading reports whether a heading is that of codes: "Retailer ID", "Billing Zip"
// and "Order month", but not "Number of guests" or "Guests per day".
func isCodeHeading(title string) bool {
	words := strings.Fields(header.Fold(title))
	if len(words) == 0 || slices.ContainsFunc(words, func(w string) bool { return w == "per" || w == "last" || w == "this" || w == "previous" }) {
		return false
	}
	if measureWords[words[len(words)-1]] {
		return false // a day rate, a store total
	}
	return codeWords[words[len(words)-1]] || words[0] != "number" && words[0] != "no" && words[0] != "num" && codeWords[words[0]]
}

// measureWords end headings of figures, whatever comes before.
var measureWords = wordSet("rate rates fee fees charge charges price total totals cost costs amount amounts sales value revenue hours quantity qty deposit tip tips")

// isPercentHeading reports whether a heading is that of shares.
func isPercentHeading(title string, hint schema.Role) bool {
	if i := strings.IndexByte(title, '%'); i == 0 || i > 0 && !isDigits(title[i-1:i]) || hint == schema.Margin {
		return true // "Tax 5%" is an amount
	}
	return hasWord(title, percentWords)
}

var percentWords = wordSet("percent percentage pct margin prozent pourcentage porcentaje percentual")

// value returns what a cell holds; nil if it is blank. ok is false if the cell does not
// fit the column.
func (f *format) value(text string) (value any, ok bool) {
	if f.isBlank(text) || f.noneIsBlank && isNone(text) {
		return nil, true
	}
	switch f.kind {
	case schema.Number:
		return f.number(text)
	case schema.Date, schema.Moment, schema.Time:
		return f.moment(text)
	case schema.Truth:
		return truth(text)
	}
	if text[0] == '\'' && len(text) > 1 && text[1] >= '0' && text[1] <= '9' {
		text = text[1:] // a spreadsheet's prefix of text
	}
	return text, true
}

func (f *format) number(text string) (any, bool) {
	if f.duration {
		m, ok := parseMoment(text)
		return int64(m.seconds / 60), ok && m.hasTime && !m.hasDate
	}
	if f.suffix != "" {
		if number, _, ok := splitMeasure(text); ok {
			text = number
		}
	}
	d, err := f.numbers.ParseDecimal(text)
	if err != nil || f.isForeign(text) {
		return nil, false
	}
	if f.shift || f.percent && strings.HasSuffix(text, "%") {
		d = hundredfold(d)
	}
	n, ok := units(d, f.scale)
	if !ok {
		return nil, false
	}
	return n, true
}

func (f *format) moment(text string) (any, bool) {
	if f.hours {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		return fmt.Sprintf("%02d:00:00", n), err == nil && n >= 0 && n < 24
	}
	m, ok := parseMoment(text)
	if f.compact {
		m, ok = parseCompact(text)
	}
	switch {
	case !ok:
		return nil, false
	case f.kind == schema.Time:
		return m.clock(), m.hasTime
	}
	day, ok := m.date(f.order)
	switch {
	case !ok:
		return nil, false
	case f.kind == schema.Moment:
		return day + " " + m.clock(), true
	}
	return day, true
}

func truth(text string) (any, bool) {
	is, ok := truths[strings.ToLower(text)]
	switch {
	case text == "1", ok && is:
		return int64(1), true
	case text == "0", ok:
		return int64(0), true
	}
	return nil, false
}

// isForeign reports whether an amount has the sign of another currency than the others.
func (f *format) isForeign(text string) bool {
	return f.currency != "" && !isPlain(text) && money.Foreign(text, f.currency) != ""
}

// wanted returns in words what a cell that does not fit the column should be.
func (f *format) wanted(text string) string {
	switch f.kind {
	case schema.Number:
		if _, err := f.numbers.ParseDecimal(text); err == nil && f.isForeign(text) {
			return "in " + strings.ToUpper(f.currency)
		}
		return "a number"
	case schema.Time:
		return "a time"
	case schema.Truth:
		return "yes or no"
	}
	if f.order == monthFirst {
		return "a date with the month first"
	}
	return "a date"
}

// doubt returns in words what the importer should know about how a column was read, or "".
func (p *profile) doubt(f format) (at place, reason string) {
	values := p.filled - p.nones
	switch {
	case f.kind == schema.Text && p.numeric < values && p.numeric*100 >= values*mostly && !p.isCode(hintOf(p.title)):
		return p.oddNumber, fmt.Sprintf("%d of %d cells are numbers; the column is read as text", p.numeric, values)
	case f.kind == schema.Text && p.dates.count < values && p.dates.count*100 >= values*mostly:
		return p.oddDate, fmt.Sprintf("%d of %d cells are dates; the column is read as text", p.dates.count, values)
	}
	return place{}, ""
}

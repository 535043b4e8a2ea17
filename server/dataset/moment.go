package dataset

import (
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// moment is a date, a time of day, or both, as a cell has it. The offset of a time zone is
// ignored: the shop's local time is what counts.
type moment struct {
	year int
	// first and second are day and month in the order of the text. With isOpen the text
	// does not show which is which; otherwise first is the day.
	first, second    int
	isOpen           bool
	hasDate, hasTime bool
	seconds          int // of the day
}

// dateOrder is how a column's open dates are written.
type dateOrder int

const (
	dayFirst dateOrder = iota
	monthFirst
)

// date returns the day as YYYY-MM-DD; false if it is no date in that order.
func (m moment) date(o dateOrder) (string, bool) {
	if !m.hasDate || !m.fits(o) {
		return "", false
	}
	day, month := m.dayAndMonth(o)
	return fmt.Sprintf("%04d-%02d-%02d", m.year, month, day), true
}

func (m moment) dayAndMonth(o dateOrder) (day, month int) {
	if m.isOpen && o == monthFirst {
		return m.second, m.first
	}
	return m.first, m.second
}

// clock returns the time as HH:MM:SS.
func (m moment) clock() string {
	return fmt.Sprintf("%02d:%02d:%02d", m.seconds/3600, m.seconds/60%60, m.seconds%60)
}

// fits reports whether the moment is a date in that order.
func (m moment) fits(o dateOrder) bool {
	day, month := m.dayAndMonth(o)
	t := time.Date(m.year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	return m.year >= 1 && int(t.Month()) == month && t.Day() == day
}

// pivot is the first two-digit year that belongs to the 1900s.
const pivot = 70

// fullYear returns a year of two or four digits in full.
func fullYear(n, digits int) int {
	switch {
	case digits > 2:
		return n
	case n < pivot:
		return 2000 + n
	}
	return 1900 + n
}

// longestMoment is longer than any date with a time.
const longestMoment = 48

// parseMoment reads a date, a time, or a date with a time.
func parseMoment(text string) (moment, bool) {
	if len(text) < 4 || len(text) > longestMoment || !hasDigit(text) {
		return moment{}, false
	}
	c := cursor{rest: text}
	var m moment
	c.weekday()
	if !c.dateInto(&m) {
		m, c.rest = moment{}, text
		return m, c.clockInto(&m) && c.rest == ""
	}
	if c.rest == "" {
		return m, true
	}
	gap := len(c.rest)
	c.skip(" T,t\u00a0")
	if gap == len(c.rest) || !c.clockInto(&m) {
		return moment{}, false
	}
	return m, c.zone()
}

// parseCompact reads a day of eight digits, 20240131, which only the heading of a column
// can make a date.
func parseCompact(text string) (moment, bool) {
	if len(text) != 8 || !isDigits(text) {
		return moment{}, false
	}
	day, err := time.Parse("20060102", text)
	m := moment{year: day.Year(), first: day.Day(), second: int(day.Month()), hasDate: true}
	return m, err == nil && m.year >= 1900 && m.year < 2200
}

func hasDigit(text string) bool { return strings.ContainsAny(text, "0123456789") }

func isDigits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }

// cursor reads a text from its beginning.
type cursor struct{ rest string }

// number reads at most nine digits and returns how many there were.
func (c *cursor) number() (n, digits int) {
	for digits < len(c.rest) && digits < 9 && c.rest[digits] >= '0' && c.rest[digits] <= '9' {
		n = n*10 + int(c.rest[digits]-'0')
		digits++
	}
	c.rest = c.rest[digits:]
	return n, digits
}

// word reads letters and returns them in lower case.
func (c *cursor) word() string {
	end := strings.IndexFunc(c.rest, func(r rune) bool { return !unicode.IsLetter(r) })
	if end < 0 {
		end = len(c.rest)
	}
	word := c.rest[:end]
	c.rest = c.rest[end:]
	return strings.ToLower(word)
}

func (c *cursor) skip(set string) { c.rest = strings.TrimLeft(c.rest, set) }

// take reads one of the characters, or returns 0.
func (c *cursor) take(set string) rune {
	r, size := utf8.DecodeRuneInString(c.rest)
	if size == 0 || !strings.ContainsRune(set, r) {
		return 0
	}
	c.rest = c.rest[size:]
	return r
}

// weekday skips the name of a weekday.
func (c *cursor) weekday() {
	before := c.rest
	if word := c.word(); word == "" || !weekdays[word] {
		c.rest = before
		return
	}
	c.skip(" .,")
}

// dateInto reads a date.
func (c *cursor) dateInto(m *moment) bool {
	m.hasDate = true
	if r, _ := utf8.DecodeRuneInString(c.rest); unicode.IsLetter(r) {
		return c.monthFirst(m)
	}
	n, digits := c.number()
	switch {
	case digits == 4:
		return c.yearFirst(m, n)
	case digits < 1 || digits > 2:
		return false
	}
	c.ordinal()
	mark := c.take("/-.")
	if r, _ := utf8.DecodeRuneInString(c.rest); mark == 0 || mark == '.' && r == ' ' || unicode.IsLetter(r) {
		return c.dayMonth(m, n)
	}
	return c.numeric(m, n, mark)
}

// yearFirst reads what follows a year: 2024-01-31, 2024/1/31, 2024-01.
func (c *cursor) yearFirst(m *moment, year int) bool {
	mark := c.take("-/.")
	month, digits := c.number()
	if mark == 0 || digits < 1 || digits > 2 {
		return false
	}
	m.year, m.second, m.first = year, month, 1
	if c.rest == "" {
		return mark != '.' && digits == 2 && year >= 1900 && year < 2200 && m.fits(dayFirst)
	}
	if c.take(string(mark)) == 0 {
		return false
	}
	m.first, digits = c.number()
	return digits >= 1 && digits <= 2 && m.fits(dayFirst)
}

// numeric reads what follows 31/ in 31/1/24. The column decides which number is the day,
// except that between points the day is first.
func (c *cursor) numeric(m *moment, first int, mark rune) bool {
	second, digits := c.number()
	if digits < 1 || digits > 2 || c.take(string(mark)) == 0 {
		return false
	}
	year, digits := c.number()
	if digits != 2 && digits != 4 {
		return false
	}
	m.year, m.first, m.second, m.isOpen = fullYear(year, digits), first, second, mark != '.'
	return m.fits(dayFirst) || m.isOpen && m.fits(monthFirst)
}

// dayMonth reads what follows the day in 31 Jan 2024, 31-Jan-24, 3 de enero de 2024.
func (c *cursor) dayMonth(m *moment, day int) bool {
	c.filler()
	month, ok := months[c.word()]
	if !ok {
		return false
	}
	c.filler()
	year, digits := c.number()
	if digits != 2 && digits != 4 {
		return false
	}
	m.year, m.first, m.second = fullYear(year, digits), day, month
	return m.fits(dayFirst)
}

// monthFirst reads January 31, 2024, Jan-31-24, Jan 2024 and Jan-24.
func (c *cursor) monthFirst(m *moment) bool {
	month, ok := months[c.word()]
	if !ok {
		return false
	}
	mark := c.rest
	c.filler()
	mark = mark[:len(mark)-len(c.rest)]
	n, digits := c.number()
	m.second = month
	if c.rest == "" && (digits == 4 || digits == 2 && strings.ContainsAny(mark, "-/'’")) {
		m.year, m.first = fullYear(n, digits), 1
		return m.fits(dayFirst)
	}
	if digits < 1 || digits > 2 {
		return false
	}
	c.ordinal()
	isShort := mark == "-" && strings.HasPrefix(c.rest, "-") // eBay
	c.filler()
	year, digits := c.number()
	m.first, m.year = n, fullYear(year, digits)
	return (digits == 4 || isShort && digits == 2) && m.fits(dayFirst)
}

// ordinal skips the ending of a day: 1st, 2nd, 1er, 1º.
func (c *cursor) ordinal() {
	for _, suffix := range []string{"st", "nd", "rd", "th", "er", "º", "ª"} {
		if after, ok := strings.CutPrefix(c.rest, suffix); ok {
			c.rest = after
			return
		}
	}
}

// filler skips what is between the parts of a date in words.
func (c *cursor) filler() {
	for {
		before := c.rest
		c.skip(" .,-/'’\u00a0")
		after := c.rest
		if word := c.word(); word != "de" && word != "del" && word != "of" {
			c.rest = after
		}
		if c.rest == before {
			return
		}
	}
}

// clockInto reads a time of day: 9:30, 09:30:15.250, 9:30 PM, 14h05.
func (c *cursor) clockInto(m *moment) bool {
	hour, digits := c.number()
	if digits < 1 || digits > 2 || c.take(":hH") == 0 {
		return false
	}
	minute, digits := c.number()
	if digits != 2 {
		return false
	}
	second := 0
	if c.take(":") != 0 {
		if second, digits = c.number(); digits != 2 {
			return false
		}
		if c.take(".,") != 0 {
			c.skip("0123456789")
		}
	}
	hour, ok := c.halfDay(hour)
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return false
	}
	m.hasTime, m.seconds = true, hour*3600+minute*60+second
	return true
}

// halfDay reads AM or PM and returns the hour from 0 to 23.
func (c *cursor) halfDay(hour int) (int, bool) {
	before := c.rest
	c.skip(" \u00a0\u202f")
	word := c.word()
	if (word == "a" || word == "p") && strings.HasPrefix(c.rest, ".") {
		c.skip(".")
		word += c.word()
		c.skip(".")
	}
	switch {
	case word != "am" && word != "pm":
		c.rest = before
		return hour, true
	case hour < 1 || hour > 12:
		return 0, false
	case word == "am":
		return hour % 12, true
	}
	return hour%12 + 12, true
}

// zone skips an offset or the name of a zone and reports whether nothing follows.
func (c *cursor) zone() bool {
	c.skip(" ")
	if c.take("+-\u2212") != 0 {
		_, digits := c.number()
		if c.take(":") != 0 {
			c.number()
		}
		return digits > 0 && c.rest == ""
	}
	word := c.word()
	return c.rest == "" && len(word) <= 5
}

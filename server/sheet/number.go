package sheet

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"svc/server/money"
)

// Decimal is an exact decimal number, Mantissa × 10^Exponent. The mantissa of a
// parsed one does not end in a zero, so equal numbers are equal structs.
type Decimal struct {
	Mantissa int64
	Exponent int
}

var (
	// ErrPlaces: the number has more decimals than asked for.
	ErrPlaces = errors.New("too many decimals")
	// ErrRange: the number is too large.
	ErrRange = errors.New("the number is too large")
)

// Units is the number in units of 10^-places, such as cents for 2. It returns
// ErrPlaces where that is not whole, and ErrRange where it is no int64.
func (d Decimal) Units(places int) (int64, error) {
	n, shift := d.Mantissa, d.Exponent+places
	if n == 0 {
		return 0, nil
	}
	for ; shift < 0; shift++ {
		if n%10 != 0 {
			return 0, ErrPlaces
		}
		n /= 10
	}
	for ; shift > 0; shift-- {
		if n > math.MaxInt64/10 || n < math.MinInt64/10 {
			return 0, ErrRange
		}
		n *= 10
	}
	return n, nil
}

// Numbers is how one column writes its numbers. Most cells show by themselves
// whether a comma or a point comes before the decimals: 1.234,50, 18,5, 4,53,375.
// Only one separator with three digits behind it (1,234) can be read in two ways;
// such a cell is read as the others of its column show. So all cells are observed
// first, and parsed after. The zero value is ready for use.
type Numbers struct {
	// Fallback is the sign before the decimals, ',' or '.', of a column that
	// leaves it open. 0 is '.'.
	Fallback rune

	commas, points int
}

// Observe takes a cell as evidence. What is no number is none.
func (n *Numbers) Observe(text string) {
	switch w, err := parseWritten(text); {
	case err != nil:
	case w.point == ',':
		n.commas++
	case w.point == '.':
		n.points++
	}
}

// clearly is how many times the cells on one side must outnumber the other before
// the few are taken for slips.
const clearly = 10

// Point is the sign before the decimals as the column shows it: ',' or '.', and
// 0 where its cells leave it open or contradict one another.
func (n *Numbers) Point() rune {
	switch {
	case n.commas > 0 && n.commas >= clearly*n.points:
		return ','
	case n.points > 0 && n.points >= clearly*n.commas:
		return '.'
	}
	return 0
}

// ParseDecimal reads a cell: digits with or without a separator of thousands
// (1,234,567.8, 1.234,5, 1 234,5, 1'234.5, 4,53,375), a sign before or behind, parentheses
// for a loss, a currency's sign or code, a percent sign (20% is 0.2), an exponent
// (1.5E+3), a dash in place of the cents (12,-). An accountant's dash beside a
// currency is 0. The error says what is wrong with the text.
func (n *Numbers) ParseDecimal(text string) (Decimal, error) { return parseNumber(text, n) }

// parseNumber reads a cell by the evidence of n, or for nil by what it shows
// itself, a point being before the decimals where it shows nothing.
func parseNumber(text string, n *Numbers) (Decimal, error) {
	w, err := parseWritten(text)
	if err != nil {
		return Decimal{}, err
	}
	point := w.point
	if w.open != 0 {
		if point, err = n.resolve(text); err != nil {
			return Decimal{}, err
		}
	}
	d, err := w.decimal(point)
	if err != nil {
		return Decimal{}, fmt.Errorf("%s: %w", Quote(text), err)
	}
	return d, nil
}

// resolve decides on a cell that can be read in two ways.
func (n *Numbers) resolve(text string) (rune, error) {
	if n == nil {
		return '.', nil
	}
	if point := n.Point(); point != 0 {
		return point, nil
	}
	if n.commas+n.points > 0 {
		return 0, fmt.Errorf("%s can be read in two ways, since other cells of the column have a comma before the decimals, and others a point", Quote(text))
	}
	if n.Fallback != 0 {
		return n.Fallback, nil
	}
	return '.', nil
}

// written is a number as it is written.
type written struct {
	negative bool
	percent  bool
	exponent int
	body     string // digits and separators
	point    rune   // the sign before the decimals as the text itself shows it, or 0
	open     rune   // the one separator, which may be before the decimals or the thousands
}

// parseWritten takes the signs off and looks at the separators.
func parseWritten(text string) (written, error) {
	w, err := strip(text)
	if err != nil || w.body == "" {
		return w, err
	}
	dots, commas := strings.Count(w.body, "."), strings.Count(w.body, ",")
	others := strings.IndexFunc(w.body, isThin) >= 0
	switch {
	case dots > 0 && commas > 0:
		w.point = '.'
		if strings.LastIndexByte(w.body, ',') > strings.LastIndexByte(w.body, '.') {
			w.point = ','
		}
	case dots+commas == 0:
	case dots > 1:
		w.point = ','
	case commas > 1:
		w.point = '.'
	default:
		w.lookAtOne(others)
	}
	point := w.point
	if point == 0 {
		point = w.open
	}
	if _, _, ok := w.parts(point); !ok {
		return w, notNumber(text)
	}
	return w, nil
}

// lookAtOne decides on the one point or comma of the number: it is before the
// thousands only with three digits behind it and one to three before it.
func (w *written) lookAtOne(grouped bool) {
	at := strings.IndexAny(w.body, ".,")
	before, after := w.body[:at], w.body[at+1:]
	if !grouped && len(after) == 3 && len(before) >= 1 && len(before) <= 3 && before[0] != '0' {
		w.open = rune(w.body[at])
		return
	}
	w.point = rune(w.body[at])
}

// parts cuts the body at the sign before the decimals; false where the groups of
// what stands before it are none.
func (w *written) parts(point rune) (whole, fraction string, ok bool) {
	whole = w.body
	if i := strings.LastIndexByte(w.body, byte(point)); point != 0 && i >= 0 {
		whole, fraction = w.body[:i], w.body[i+1:]
	}
	if whole+fraction == "" || fraction != "" && !isDigits(fraction) {
		return "", "", false
	}
	whole, ok = ungroup(whole)
	return whole, fraction, ok
}

// ungroup removes the separators of thousands: one kind of them, with groups of
// three, or, as in India, of two before the last three.
func ungroup(whole string) (string, bool) {
	if whole == "" || isDigits(whole) {
		return whole, true
	}
	first := strings.IndexFunc(whole, func(r rune) bool { return r < '0' || r > '9' })
	mark, _ := utf8.DecodeRuneInString(whole[first:])
	groups := strings.Split(whole, string(mark))
	last := len(groups) - 1
	western, indian := true, mark == ',' && len(groups[0]) <= 2
	for i, group := range groups {
		if !isDigits(group) {
			return "", false
		}
		western = western && (len(group) == 3 || i == 0 && len(group) <= 3)
		indian = indian && (len(group) == 2 || i == 0 || i == last && len(group) == 3)
	}
	return strings.Join(groups, ""), western || indian && len(groups[last]) == 3
}

// maxDigits is what an int64 surely holds.
const maxDigits = 18

// decimal puts the number together.
func (w *written) decimal(point rune) (Decimal, error) {
	if w.body == "" {
		return Decimal{}, nil
	}
	whole, fraction, ok := w.parts(point)
	if !ok {
		return Decimal{}, errors.New("not a number")
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent := w.exponent - len(fraction)
	if w.percent {
		exponent -= 2
	}
	short := strings.TrimRight(digits, "0")
	exponent += len(digits) - len(short)
	if short == "" {
		return Decimal{}, nil
	}
	if len(short) > maxDigits {
		return Decimal{}, errors.New("the number has too many digits")
	}
	n, err := strconv.ParseInt(short, 10, 64)
	if err != nil {
		return Decimal{}, err
	}
	if w.negative {
		n = -n
	}
	return Decimal{n, exponent}, nil
}

// strip takes off everything around the digits.
func strip(text string) (written, error) {
	var m marks
	s := strings.TrimFunc(text, isSpace)
	for s != "" && !startsNumber(s) {
		n := m.take(s, true)
		if n == 0 {
			return written{}, notNumber(text)
		}
		s = s[n:]
	}
	if s == "" {
		if m.isDash() {
			return written{}, nil
		}
		return written{}, notNumber(text)
	}

	body, tail := cutBody(s)
	for tail != "" {
		n := m.take(tail, false)
		if n == 0 {
			return written{}, notNumber(text)
		}
		tail = tail[n:]
	}
	w := written{negative: m.minus+m.opened > 0, percent: m.percent > 0}
	if !m.agree() || !w.readBody(body) {
		return written{}, notNumber(text)
	}
	return w, nil
}

// noCents is how prices without cents end, in parts of Europe: 12,- or 5.–.
var noCents = regexp.MustCompile(`^[.,][-\x{2212}\x{2013}\x{2014}]+`)

// cutBody cuts a text that begins a number behind its last digit. The dash for no
// cents is the zeros that it stands for, and no minus.
func cutBody(s string) (body, tail string) {
	end := strings.LastIndexAny(s, "0123456789") + 1
	body, tail = s[:end], s[end:]
	switch dash := noCents.FindString(tail); {
	case dash != "":
		return body + tail[:1] + "00", tail[len(dash):]
	case tail != "" && (tail[0] == '.' || tail[0] == ',') && !strings.ContainsAny(body, ".,"):
		return s[:end+1], s[end+1:] // "5."
	}
	return body, tail
}

// startsNumber knows a digit, or a separator before one.
func startsNumber(s string) bool {
	return isDigit(rune(s[0])) || len(s) > 1 && (s[0] == '.' || s[0] == ',') && isDigit(rune(s[1]))
}

// marks counts what stands around a number.
type marks struct{ plus, minus, opened, closed, percent, money int }

// take is the length of the mark that s begins with, or 0 where it is none.
func (m *marks) take(s string, leading bool) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case isSpace(r):
	case isMinus(r):
		m.minus++
	case r == '+' && leading:
		m.plus++
	case r == '(' && leading:
		m.opened++
	case r == ')' && !leading:
		m.closed++
	case r == '%' && !leading:
		m.percent++
	default:
		size = money.Prefix(s)
		if size > 0 {
			m.money++
		}
	}
	return size
}

// isDash is the accountant's way to write nothing: a dash beside a currency.
func (m marks) isDash() bool { return m == marks{minus: 1, money: 1} }

// agree refuses two signs, two currencies, and brackets that do not match.
func (m marks) agree() bool {
	return m.plus+m.minus+m.opened <= 1 && m.opened == m.closed && m.percent+m.money <= 1
}

// readBody takes the exponent off; false unless only digits and separators are
// left.
func (w *written) readBody(body string) bool {
	if i := strings.IndexAny(body, "eE"); i >= 0 {
		n, err := strconv.Atoi(body[i+1:])
		if err != nil || n > 99 || n < -99 {
			return false
		}
		body, w.exponent = body[:i], n
	}
	w.body = body
	return !strings.ContainsFunc(body, func(r rune) bool {
		return !isDigit(r) && r != '.' && r != ',' && !isThin(r)
	})
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

func isMinus(r rune) bool { return r == '-' || r == '\u2212' || r == '\u2013' || r == '\u2014' }

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// isThin knows the separators of thousands that are never before decimals.
func isThin(r rune) bool {
	return r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == '\'' || r == '\u2019'
}

func notNumber(text string) error { return fmt.Errorf("%s is not a number", Quote(text)) }

// Quote is what a cell holds, shortened and in quotes, for an error.
func Quote(text string) string {
	const most = 40
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return strconv.Quote(text)
}

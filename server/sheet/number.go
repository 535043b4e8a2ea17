package sheet

import (
	"cmp"
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

// Decimal is an exact decimal number, Mantissa × 10^Exponent. The mantissa of a parsed
// number does not end in a zero, so equal numbers are equal structs.
type Decimal struct {
	Mantissa int64
	Exponent int
}

var (
	// ErrPlaces means that the number has more decimals than allowed.
	ErrPlaces = errors.New("too many decimals")
	// ErrRange means that the number is too large for an int64.
	ErrRange = errors.New("the number is too large")
)

// Units returns the number in units of 10^-places, such as cents for 2. It returns
// ErrPlaces if that is not an integer, and ErrRange if it is too large.
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

// Numbers parses the numbers of one column. In most cells the decimal point is clear:
// 1.234,50, 18,5, 4,53,375. Only a single separator with three digits after it (1,234) is
// ambiguous; such a cell is parsed like the others of its column. So all cells are
// observed first, and parsed after that. The zero value is ready to use.
type Numbers struct {
	// Fallback is the decimal point, ',' or '.', of a column with only ambiguous
	// numbers. 0 means '.'.
	Fallback rune

	commas, points int // observed cells with each decimal point
}

// Observe counts a cell as evidence for its decimal point. It ignores cells that are not
// numbers.
func (n *Numbers) Observe(text string) {
	switch w, err := parseWritten(text); {
	case err != nil:
	case w.point == ',':
		n.commas++
	case w.point == '.':
		n.points++
	}
}

// majority is how many times more cells one decimal point needs than the other, so that
// the others count as mistakes.
const majority = 10

// Point returns the decimal point of the column, ',' or '.', or 0 if its cells are
// ambiguous or contradict each other.
func (n *Numbers) Point() rune {
	switch {
	case n.commas > 0 && n.commas >= majority*n.points:
		return ','
	case n.points > 0 && n.points >= majority*n.commas:
		return '.'
	}
	return 0
}

// ParseDecimal parses a cell: digits with or without thousands separators (1,234,567.8,
// 1.234,5, 1 234,5, 1'234.5, 4,53,375), a sign before or after, parentheses for a loss, a
// currency sign or code, a percent sign (20% is 0.2), an exponent (1.5E+3), a dash in
// place of the cents (12,-). A dash with a currency is 0, as in accounting. The error is
// for the merchant.
func (n *Numbers) ParseDecimal(text string) (Decimal, error) {
	w, err := parseWritten(text)
	if err != nil {
		return Decimal{}, err
	}
	point := w.point
	if w.ambiguous != 0 {
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

// resolve returns the decimal point for an ambiguous cell.
func (n *Numbers) resolve(text string) (rune, error) {
	if point := n.Point(); point != 0 {
		return point, nil
	}
	if n.commas+n.points > 0 {
		return 0, fmt.Errorf("%s can be read in two ways, since other cells of the column have a comma before the decimals, and others a point", Quote(text))
	}
	return cmp.Or(n.Fallback, '.'), nil
}

// written is a number whose separators are not interpreted yet.
type written struct {
	negative  bool
	percent   bool
	exponent  int
	body      string // digits and separators
	point     rune   // the decimal point if it is clear, or 0
	ambiguous rune   // the only separator if it may be for decimals or thousands, or 0
}

// parseWritten removes signs and currencies, and classifies the separators.
func parseWritten(text string) (written, error) {
	w, err := stripAffixes(text)
	if err != nil || w.body == "" {
		return w, err
	}
	dots, commas := strings.Count(w.body, "."), strings.Count(w.body, ",")
	grouped := strings.IndexFunc(w.body, isThousandsOnly) >= 0
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
		w.classifySingle(grouped)
	}
	if _, _, ok := w.parts(cmp.Or(w.point, w.ambiguous)); !ok {
		return w, notNumber(text)
	}
	return w, nil
}

// classifySingle classifies the only point or comma of the number. It is ambiguous with
// three digits after it and one to three before it, unless other signs group the
// thousands; else it is the decimal point.
func (w *written) classifySingle(grouped bool) {
	at := strings.IndexAny(w.body, ".,")
	before, after := w.body[:at], w.body[at+1:]
	if !grouped && len(after) == 3 && len(before) >= 1 && len(before) <= 3 && before[0] != '0' {
		w.ambiguous = rune(w.body[at])
		return
	}
	w.point = rune(w.body[at])
}

// parts splits the body at the decimal point and removes the thousands separators. It
// returns false if the digits are not grouped correctly.
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

// ungroup removes thousands separators. It returns false unless there is one kind of
// them, with groups of three or, as in India, groups of two before the last three.
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

// maxDigits is the number of digits that fit into any int64.
const maxDigits = 18

// decimal returns the number, given its decimal point.
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

// stripAffixes parses everything before and after the digits.
func stripAffixes(text string) (written, error) {
	var a affixes
	s := strings.TrimFunc(text, isSpace)
	for s != "" && !startsNumber(s) {
		n := a.take(s, true)
		if n == 0 {
			return written{}, notNumber(text)
		}
		s = s[n:]
	}
	if s == "" {
		if a.isDash() {
			return written{}, nil
		}
		return written{}, notNumber(text)
	}

	body, tail := splitBody(s)
	for tail != "" {
		n := a.take(tail, false)
		if n == 0 {
			return written{}, notNumber(text)
		}
		tail = tail[n:]
	}
	w := written{negative: a.minus+a.opened > 0, percent: a.percent > 0}
	if !a.consistent() || !w.readBody(body) {
		return written{}, notNumber(text)
	}
	return w, nil
}

// noCents matches the end of prices without cents in parts of Europe: 12,- or 5.–.
var noCents = regexp.MustCompile(`^[.,][-\x{2212}\x{2013}\x{2014}]+`)

// splitBody splits a text that begins with a number after its last digit. It replaces a
// dash for no cents by zeros.
func splitBody(s string) (body, tail string) {
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

// startsNumber reports whether s begins with a digit, or with a point or comma before one.
func startsNumber(s string) bool {
	return isDigit(rune(s[0])) || len(s) > 1 && (s[0] == '.' || s[0] == ',') && isDigit(rune(s[1]))
}

// affixes counts the signs around a number.
type affixes struct{ plus, minus, opened, closed, percent, money int }

// take counts the sign that s begins with and returns its length, or 0 if it is not a
// valid sign there.
func (a *affixes) take(s string, leading bool) int {
	r, size := utf8.DecodeRuneInString(s)
	switch {
	case isSpace(r):
	case isMinus(r):
		a.minus++
	case r == '+' && leading:
		a.plus++
	case r == '(' && leading:
		a.opened++
	case r == ')' && !leading:
		a.closed++
	case r == '%' && !leading:
		a.percent++
	default:
		size = money.Prefix(s)
		if size > 0 {
			a.money++
		}
	}
	return size
}

// isDash reports whether the signs are a dash and a currency, which means zero in
// accounting.
func (a affixes) isDash() bool { return a == affixes{minus: 1, money: 1} }

// consistent reports whether there is at most one sign and one currency, and brackets
// match.
func (a affixes) consistent() bool {
	return a.plus+a.minus+a.opened <= 1 && a.opened == a.closed && a.percent+a.money <= 1
}

// readBody parses the exponent, and reports whether only digits and separators are left.
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
		return !isDigit(r) && r != '.' && r != ',' && !isThousandsOnly(r)
	})
}

func isDigit(r rune) bool { return r >= '0' && r <= '9' }

func isDigits(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !isDigit(r) })
}

func isMinus(r rune) bool { return r == '-' || r == '\u2212' || r == '\u2013' || r == '\u2014' }

func isSpace(r rune) bool { return unicode.IsSpace(r) || r == '\u200b' || r == '\ufeff' }

// isThousandsOnly reports whether r separates thousands but is never a decimal point.
func isThousandsOnly(r rune) bool {
	return r == ' ' || r == '\u00a0' || r == '\u202f' || r == '\u2009' || r == '\'' || r == '\u2019'
}

func notNumber(text string) error { return fmt.Errorf("%s is not a number", Quote(text)) }

// Quote returns the text of a cell in quotes, with at most 40 characters, for an error.
func Quote(text string) string {
	const most = 40
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return strconv.Quote(text)
}

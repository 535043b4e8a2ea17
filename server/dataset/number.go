package dataset

import (
	"errors"
	"math"
	"strings"

	"svc/server/money"
	"svc/server/sheet"
)

const (
	// maxScale bounds the decimals; more are noise of binary fractions.
	maxScale = 6
	// maxUnits bounds a stored number, so that the sum of a million rows is an int64.
	maxUnits = 1e12
)

// extent is the range and the number of decimals of a column's numbers.
type extent struct {
	scale    int
	min, max float64
}

func (e *extent) add(d sheet.Decimal, isFirst bool) {
	e.scale = max(e.scale, decimalsOf(d))
	value := float64(d.Mantissa) * math.Pow10(d.Exponent)
	if isFirst {
		e.min, e.max = value, value
		return
	}
	e.min, e.max = min(e.min, value), max(e.max, value)
}

// largest returns the largest absolute value.
func (e extent) largest() float64 { return max(e.max, -e.min) }

// fittingScale returns the scale at which the largest number can still be summed.
func (e extent) fittingScale() int {
	scale := e.scale
	for scale > 0 && e.largest()*math.Pow10(scale) > maxUnits {
		scale--
	}
	return scale
}

// decimalsOf returns how many decimals a number needs, at most maxScale.
func decimalsOf(d sheet.Decimal) int {
	if d.Exponent >= -maxScale {
		return max(0, -d.Exponent)
	}
	n, ok := units(d, maxScale)
	need := maxScale
	for ok && need > 0 && n%10 == 0 {
		n /= 10
		need--
	}
	return need
}

// units returns the number in units of 10^-scale, rounded half away from zero; false if it
// is too large.
func units(d sheet.Decimal, scale int) (int64, bool) {
	n, err := d.Units(scale)
	if err == nil {
		return n, true
	}
	if !errors.Is(err, sheet.ErrPlaces) {
		return 0, false
	}
	surplus := -(d.Exponent + scale)
	if surplus > 18 {
		return 0, true
	}
	power := int64(math.Pow10(surplus))
	half := power / 2
	if d.Mantissa < 0 {
		half = -half
	}
	return (d.Mantissa + half) / power, true
}

// mayBeNumber rules out quickly what cannot be a number: a number has digits or a dash,
// and no more letters than a currency and an exponent.
func mayBeNumber(text string) bool {
	const longest, mostLetters = 40, 5
	if len(text) > longest {
		return false
	}
	letters, isAny := 0, false
	for i := range len(text) {
		switch c := text[i]; {
		case c >= '0' && c <= '9' || c == '-':
			isAny = true
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters++
		case c == '/' || c == ':' || c == '_' || c == '@' || c == '#':
			return false
		}
	}
	return (isAny || len(text) > 1 && text[0] >= 0x80) && letters <= mostLetters
}

// isCodeLike reports whether a text of digits is not written as a number: 00123, '0812,
// +44 7700 900123.
func isCodeLike(text string) bool {
	const leastPhone = 8
	if strings.HasPrefix(text, "+") {
		return len(text) > leastPhone && !strings.ContainsAny(text, ".,")
	}
	text = strings.TrimPrefix(text, "'")
	return len(text) > 1 && text[0] == '0' && isDigits(text)
}

// currencyOf returns the currency that the cell of a number names, or "". A sign that may be
// that of the account's currency is.
func currencyOf(text, home string) string {
	if isPlain(text) {
		return ""
	}
	code := money.Find(text)
	if code != "" && home != "" && money.Foreign(text, home) == "" {
		return home
	}
	return code
}

// foreignSign returns the sign of a cell, such as kr, that belongs to several currencies but not to
// home, or "".
func foreignSign(text, home string) string {
	if home == "" || isPlain(text) {
		return ""
	}
	return money.Foreign(text, home)
}

// isPlain reports whether a text has only digits, separators and signs.
func isPlain(text string) bool { return strings.Trim(text, "0123456789.,-+ %()") == "" }

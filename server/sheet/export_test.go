package sheet

import (
	"io"
	"strconv"
	"strings"
)

// String returns the number with a decimal point, and with an exponent only if it is long.
func (d Decimal) String() string {
	sign, digits := "", strconv.FormatInt(d.Mantissa, 10)
	if d.Mantissa < 0 {
		sign, digits = "-", digits[1:]
	}
	switch {
	case d.Exponent > 18 || d.Exponent < -36:
		return sign + digits + "e" + strconv.Itoa(d.Exponent)
	case d.Exponent >= 0:
		return sign + digits + strings.Repeat("0", d.Exponent)
	}
	if n := -d.Exponent; len(digits) <= n {
		digits = strings.Repeat("0", n+1-len(digits)) + digits
	}
	whole := len(digits) + d.Exponent
	return sign + digits[:whole] + "." + digits[whole:]
}

// openBest opens the tables of a file that fit best.
func openBest(name string, r io.ReaderAt, size int64, limits Limits) (*Sheet, error) {
	return Open(name, r, size, limits, Choice{})
}

package tool

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"svc/server/money"
)

// maxDigits bounds the digits of a number before its point.
const maxDigits = 15

// parseDecimal reads a plain number that is not negative, like 12 or 12.50, in units of
// 10^-places. problem is empty if it is one.
func parseDecimal(text string, places int) (n int64, problem string) {
	whole, fraction, point := strings.Cut(text, ".")
	if !isDigits(whole) || point && !isDigits(fraction) {
		return 0, "must be a plain number that is not negative, like 12 or 12.50"
	}
	fraction = strings.TrimRight(fraction, "0")
	if len(fraction) > places {
		return 0, fmt.Sprintf("must have at most %d digits after the point", places)
	}
	whole = strings.TrimLeft(whole, "0")
	if len(whole) > maxDigits {
		return 0, "is too large"
	}
	n, err := strconv.ParseInt("0"+whole+fraction+strings.Repeat("0", places-len(fraction)), 10, 64)
	if err != nil {
		return 0, "is too large"
	}
	return n, ""
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// mulDiv returns a × num / den, rounded to the nearest integer, half away from zero. den is
// above zero and the others are not negative. The result must fit.
func mulDiv(a, num, den int64) int64 { return roundedRatio(product(a, num), big.NewInt(den)) }

func product(factors ...int64) *big.Int {
	p := big.NewInt(1)
	for _, f := range factors {
		p.Mul(p, big.NewInt(f))
	}
	return p
}

// roundedRatio is num / den, rounded half up. A negative ratio counts as zero.
func roundedRatio(num, den *big.Int) int64 {
	if num.Sign() <= 0 {
		return 0
	}
	twice := new(big.Int).Lsh(num, 1)
	return twice.Add(twice, den).Quo(twice, new(big.Int).Lsh(den, 1)).Int64()
}

// rateText writes a stored rate, like 1.0927.
func rateText(perEuro int64) string { return money.Number(perEuro, ratePlaces) }

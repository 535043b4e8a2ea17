// Package money has the one table of currencies: their codes, decimals and signs, and
// which of them Stripe accepts. It writes amounts, and finds the currency that a file
// writes beside them. Amounts are int64 minor units everywhere, as Stripe counts them.
package money

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// Format writes an amount in minor units, like "£1,234.50", "-$0.02" or "KRW 500" (E6).
func Format(amount int64, code string) string { return Mark(Plain(amount, code), code) }

// Mark puts the sign or the code of a currency before a number, after its minus.
func Mark(number, code string) string {
	digits, negative := strings.CutPrefix(number, "-")
	mark := Sign(code)
	if mark == "" {
		mark = strings.ToUpper(code) + " "
	}
	if negative {
		mark = "-" + mark
	}
	return mark + digits
}

// Plain is Format without the code, like "1,234.50".
func Plain(amount int64, code string) string {
	return Digits(amount, Decimals(code))
}

// Digits writes an integer that counts units of 10^-places, with a comma between
// thousands.
func Digits(n int64, places int) string { return grouped(strconv.FormatInt(n, 10), places) }

// BigDigits is Digits of an integer that may be larger than an int64, such as a sum of
// products of prices and quantities.
func BigDigits(n *big.Int, places int) string { return grouped(n.String(), places) }

func grouped(digits string, places int) string {
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	if len(digits) <= places {
		digits = strings.Repeat("0", places+1-len(digits)) + digits
	}
	whole, rest := digits[:len(digits)-places], digits[len(digits)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if rest == "" {
		return sign + whole
	}
	return sign + whole + "." + rest
}

// Decimal is Plain without commas, for files: "-1234.50".
func Decimal(amount int64, code string) string {
	return strings.ReplaceAll(Plain(amount, code), ",", "")
}

// Number writes an integer that counts units of 10^-places as JSON does: 450 with two
// places is 4.5.
func Number(n int64, places int) string { return number(Digits(n, places), places) }

// BigNumber is Number of an integer that may be larger than an int64.
func BigNumber(n *big.Int, places int) string { return number(BigDigits(n, places), places) }

func number(digits string, places int) string {
	digits = strings.ReplaceAll(digits, ",", "")
	if places == 0 {
		return digits
	}
	return strings.TrimRight(strings.TrimRight(digits, "0"), ".")
}

// Parse reads an amount as a person types it, in units of a currency: "12.50", "12,50",
// "1,234.50", "-3" or "£5" are exact numbers of minor units. The sign or the code of that very
// currency may be before it. A comma before three digits separates thousands; in a currency with
// three decimals a single one is refused. The errors are the predicate of a sentence about the
// amount.
func Parse(text, code string) (int64, error) {
	digits, negative := strings.CutPrefix(strings.TrimSpace(text), "-")
	if mark := Sign(code); mark != "" {
		digits = strings.TrimPrefix(digits, mark)
	}
	if rest, ok := strings.CutPrefix(strings.ToUpper(digits), strings.ToUpper(code)); ok {
		digits = rest
	}
	whole, part, pointed := strings.Cut(withPoint(strings.TrimSpace(digits)), ".")
	places := Decimals(code)
	if pointed && places == 0 {
		return 0, errors.New("must have no decimals")
	}
	if len(part) > places {
		return 0, fmt.Errorf("must have at most %d decimals", places)
	}
	if places > 2 && !pointed && strings.Count(whole, ",") == 1 {
		return 0, fmt.Errorf("may be two amounts: write it like %s or without the comma", Plain(1250, code))
	}
	if pointed && part == "" || !isGrouped(whole) || strings.Trim(part, "0123456789") != "" {
		return 0, fmt.Errorf("must be an amount like %s", Plain(1250, code))
	}
	n, err := strconv.ParseInt(strings.ReplaceAll(whole, ",", "")+part+strings.Repeat("0", places-len(part)), 10, 64)
	if err != nil {
		return 0, errors.New("is too large")
	}
	if negative {
		n = -n
	}
	return n, nil
}

// withPoint returns a number with a decimal comma, like 12,50 or 1.234,50, as it is written with
// a point. Only one or two digits after the last comma show that it is one.
func withPoint(digits string) string {
	whole, part, ok := strings.Cut(digits, ",")
	if !ok || len(part) == 0 || len(part) > 2 || strings.Contains(part, ".") {
		return digits
	}
	return strings.ReplaceAll(whole, ".", ",") + "." + part
}

// isGrouped reports whether a text is digits, with a comma between all thousands or none.
func isGrouped(text string) bool {
	groups := strings.Split(text, ",")
	for i, g := range groups {
		grouped := len(g) == 3 || i == 0 && len(g) > 0 && len(g) < 3
		if len(groups) > 1 && !grouped || g == "" || strings.Trim(g, "0123456789") != "" {
			return false
		}
	}
	return true
}

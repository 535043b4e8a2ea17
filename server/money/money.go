// Package money has the one table of currencies: their codes, decimals and signs, and
// which of them Stripe accepts. It writes amounts, and finds the currency that a file
// writes beside them. Amounts are int64 minor units everywhere, as Stripe counts them.
package money

import (
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

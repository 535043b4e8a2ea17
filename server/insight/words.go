package insight

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/money"
)

// amount writes minor units as a JSON number of currency units, as in scan.
func (s *facts) amount(minor int64) json.Number {
	return json.Number(money.Number(minor, money.Decimals(s.owner.Profile.Currency)))
}

// money writes minor units in words.
func (s *facts) money(minor int64) string { return money.Format(minor, s.owner.Profile.Currency) }

// bigAmount is amount for what may be larger than an int64.
func (s *facts) bigAmount(minor *big.Int) json.Number {
	return json.Number(money.BigNumber(minor, money.Decimals(s.owner.Profile.Currency)))
}

// bigMoney is money for what may be larger than an int64.
func (s *facts) bigMoney(minor *big.Int) string {
	code := s.owner.Profile.Currency
	return money.Mark(money.BigDigits(minor, money.Decimals(code)), code)
}

// quantity writes thousandths as a JSON number.
func quantity(milli int64) json.Number { return json.Number(money.Number(milli, 3)) }

// rounded writes a figure with one digit, as in the texts: both say the same.
func rounded(f float64) json.Number {
	n := strconv.FormatFloat(math.Round(f*10)/10, 'f', -1, 64)
	if n == "-0" {
		n = "0"
	}
	return json.Number(n)
}

func percent(f float64) string { return rounded(f).String() + " %" }

// counted writes a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return money.Digits(int64(n), 0) + " " + noun + "s"
}

func daysOf(f float64) string {
	if n := rounded(f).String(); n != "1" {
		return n + " days"
	}
	return "1 day"
}

// listed writes names: all of up to three, else two and the number of others.
func listed(names []string) string {
	switch n := len(names); {
	case n == 0:
		return ""
	case n == 1:
		return names[0]
	case n <= 3:
		return strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	default:
		return fmt.Sprintf("%s, %s and %d more", names[0], names[1], n-2)
	}
}

func written(day time.Time) string { return day.Format("2 January 2006") }

// upTo writes the last day before another.
func upTo(day time.Time) string { return written(day.AddDate(0, 0, -1)) }

func mean(all []float64) (sum float64) {
	for _, f := range all {
		sum += f
	}
	return sum / float64(len(all))
}

// spread returns the standard deviation of a sample of two or more.
func spread(all []float64) float64 {
	center, squares := mean(all), 0.0
	for _, f := range all {
		squares += (f - center) * (f - center)
	}
	return math.Sqrt(squares / float64(len(all)-1))
}

// percentile returns the least value that a share of all does not exceed, 0 of none.
func percentile(all []float64, share float64) float64 {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[max(0, int(math.Ceil(share*float64(len(sorted))))-1)]
}

func median(all []float64) float64 { return percentile(all, 0.5) }

// share returns a part in per cent, 0 of nothing.
func share(part, all int64) float64 {
	if all == 0 {
		return 0
	}
	return 100 * float64(part) / float64(all)
}

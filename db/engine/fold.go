package engine

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"modernc.org/sqlite"
)

// Further SQL functions for SELECTs over large tables.
const (
	// FoldFunction is the name of an aggregate function: fold(percent, value, parts) returns
	// the value with percent per cent of the values below it, by linear interpolation
	// between the two nearest, times 100: 0 is the least, 50 the median, 100 the most. Nulls
	// are left out. If parts is above the number of values, the others are 0.
	FoldFunction = "fold"
	// DaysFunction is the name of a function: days(text) returns the number of days from
	// Monday, 1 January of the year 1 to a day that begins a text, YYYY-MM-DD; else null.
	// days(text, since) returns the number of days from a day to another.
	DaysFunction = "days"
)

func init() {
	sqlite.MustRegisterFunction(FoldFunction, &sqlite.FunctionImpl{
		NArgs: 3, Deterministic: true,
		MakeAggregate: func(sqlite.FunctionContext) (sqlite.AggregateFunction, error) { return &folding{}, nil },
	})
	sqlite.MustRegisterFunction(DaysFunction, &sqlite.FunctionImpl{
		NArgs: -1, Deterministic: true, VolatileArgs: true,
		Scalar: func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) { return daysBetween(args) },
	})
}

// daysBetween returns the days from the second argument, if there is one, to the first.
func daysBetween(args []driver.Value) (driver.Value, error) {
	if len(args) == 0 || len(args) > 2 {
		return nil, errors.New("days: one argument or two")
	}
	var days [2]int64
	for i, arg := range args {
		text, _ := arg.(string)
		n, ok := daysOf(text)
		if !ok {
			return nil, nil
		}
		days[i] = n
	}
	return days[0] - days[1], nil
}

// folding is the state of one call of fold.
type folding struct {
	percent, parts int64
	values         []int64
	reals          []float64 // of all values, if one is no integer
}

// Step adds one value.
func (f *folding) Step(_ *sqlite.FunctionContext, args []driver.Value) error {
	percent, ok := args[0].(int64)
	if !ok || percent < 0 || percent > 100 {
		return errors.New("fold: the first argument is a percentage")
	}
	f.percent = percent
	if n, ok := args[2].(int64); ok {
		f.parts = n
	}
	switch v := args[1].(type) {
	case nil:
	case int64:
		f.values = append(f.values, v)
	case float64:
		f.reals = append(f.reals, v)
	default:
		return fmt.Errorf("fold: a value is %T", v)
	}
	return nil
}

// WindowInverse is called for moving windows only, which are not supported.
func (f *folding) WindowInverse(*sqlite.FunctionContext, []driver.Value) error {
	return errors.New("fold: not over a window")
}

// WindowValue returns the result. It is a float64 if a value was, or if it exceeds 64 bits.
func (f *folding) WindowValue(*sqlite.FunctionContext) (driver.Value, error) {
	for missing := f.parts - int64(len(f.values)+len(f.reals)); missing > 0; missing-- {
		f.values = append(f.values, 0)
	}
	if len(f.values)+len(f.reals) == 0 {
		return nil, nil
	}
	if len(f.reals) > 0 {
		for _, v := range f.values {
			f.reals = append(f.reals, float64(v))
		}
		slices.Sort(f.reals)
		low, high, part := around(f.reals, f.percent)
		return low*float64(100-part) + high*float64(part), nil
	}
	slices.Sort(f.values)
	low, high, part := around(f.values, f.percent)
	exact := new(big.Int).Mul(big.NewInt(low), big.NewInt(100-part))
	exact.Add(exact, new(big.Int).Mul(big.NewInt(high), big.NewInt(part)))
	if exact.IsInt64() {
		return exact.Int64(), nil
	}
	real, _ := new(big.Float).SetInt(exact).Float64()
	return real, nil
}

// Final has nothing to release.
func (f *folding) Final(*sqlite.FunctionContext) {}

// around returns the two values nearest to a percentile, and how far it is from the lower
// to the higher, in per cent.
func around[T any](sorted []T, percent int64) (low, high T, part int64) {
	place := int64(len(sorted)-1) * percent
	i := place / 100
	low, high = sorted[i], sorted[min(i+1, int64(len(sorted)-1))]
	return low, high, place % 100
}

// daysOf returns the number of days from 0001-01-01 to the day that begins a text.
func daysOf(text string) (int64, bool) {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return 0, false
	}
	year, month, day := int64(0), int64(0), int64(0)
	for i, c := range []byte(text[:10]) {
		switch {
		case i == 4 || i == 7:
		case c < '0' || c > '9':
			return 0, false
		case i < 4:
			year = 10*year + int64(c-'0')
		case i < 7:
			month = 10*month + int64(c-'0')
		default:
			day = 10*day + int64(c-'0')
		}
	}
	if month < 1 || month > 12 {
		return 0, false
	}
	if month < 3 { // count years from March, so that leap days are at their end
		year, month = year-1, month+12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 307, true
}

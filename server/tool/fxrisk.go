package tool

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc/server/fault"
	"svc/server/money"
)

const (
	leastPoints   = 60  // J4
	windowReturns = 250 // about a year of banking days
	maxHorizon    = 365
	staleDays     = 7 // the ECB's longest pause, at Easter, is five days
	// maxPosition bounds an amount, in units of its currency.
	maxPosition = 1_000_000_000_000
	// maxValue bounds its value in the quote currency, so that minor units do not overflow.
	maxValue = 1e15
)

// FXRequest is a position in base that is worth money in quote.
type FXRequest struct {
	Base, Quote string // in lower case
	Amount      int64  // minor units of base
	HorizonDays int
	Confidence  float64
	assumed     []string
}

// ParseFXRisk reads and checks the query of GET /tools/fx-risk. Every fault names its
// parameter. Which currencies are known depends on the rates.
func ParseFXRisk(q *Query) (r FXRequest, err error) {
	r.Base, r.Quote = strings.ToLower(q.text("base")), strings.ToLower(q.text("quote"))
	if r.Base == r.Quote {
		q.fail("quote", "must be another currency than base")
	}
	places := money.Decimals(r.Base)
	r.Amount = q.decimal("amount", q.text("amount"), places, maxPosition*pow10(places))
	if r.Amount == 0 {
		q.fail("amount", "must be above zero")
	}
	r.HorizonDays = int(q.integer("horizon_days", q.textOr("horizon_days", "30", "in banking days"), 1, maxHorizon))
	text := q.textOr("confidence", "0.95", "a loss above var_amount is expected in 5 % of such periods")
	millionths, problem := parseDecimal(text, 6)
	if problem != "" || millionths <= 500_000 || millionths > 999_900 {
		q.fail("confidence", "must be a fraction above 0.5 and at most 0.9999, like 0.95")
	}
	r.Confidence = float64(millionths) / 1e6
	r.assumed = q.assumed
	return r, q.err
}

func pow10(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}

// FXRisk is the risk of a position. Amounts are minor units of the quote currency.
type FXRisk struct {
	FXRequest
	Rate       float64 // quote for one base
	RateDate   string
	Source     string
	SigmaDaily float64
	Value      int64 // of the amount at Rate
	VaRAmount  int64
	VaRPercent float64
	Scenarios  []Scenario
	Steps      []Step
	Assumed    []string
}

// Scenario is what the position is worth at another rate.
type Scenario struct {
	Name          string
	Rate          float64
	Amount        int64 // minor units of the quote currency
	ChangePercent float64
	Day           string // of the move in the past that is repeated, or ""
}

// observation has the rates of a pair for one euro, in millionths, on a day.
type observation struct {
	day         string
	base, quote int64
}

// rate is the cross rate: quote for one base.
func (o observation) rate() float64 { return float64(o.quote) / float64(o.base) }

// move is the log return of a pair on a day, from the banking day before.
type move struct {
	before, day string
	log         float64
}

// logReturns are the daily log returns of a pair, the oldest first.
type logReturns []move

// returnsOf returns the daily log returns of a series. The move over a gap of more than
// staleDays, such as one between the rates in the binary and imported ones, is not daily and
// left out, one of gaps.
func returnsOf(series []observation) (daily, gaps logReturns) {
	daily = make(logReturns, 0, len(series))
	for i := range max(0, len(series)-1) {
		from, to := series[i], series[i+1]
		m := move{from.day, to.day, math.Log(to.rate() / from.rate())}
		if parseDay(m.day).Sub(parseDay(m.before)) > staleDays*24*time.Hour {
			gaps = append(gaps, m)
			continue
		}
		daily = append(daily, m)
	}
	return daily, gaps
}

// FXRisk computes the risk of a position from the stored rates.
func (s *Service) FXRisk(ctx context.Context, r FXRequest) (f FXRisk, err error) {
	t, err := s.table(ctx)
	if err != nil {
		return f, err
	}
	series, err := t.cross(r.Base, r.Quote)
	if err != nil {
		return f, err
	}
	returns, gaps := returnsOf(series)
	if err := t.enough(r, len(series), returns); err != nil {
		return f, err
	}
	newest := last(series)
	window := returns[max(0, len(returns)-windowReturns):]
	f = FXRisk{
		FXRequest: r, Rate: significant(newest.rate()), RateDate: newest.day, Source: t.source,
		SigmaDaily: significant(window.deviation()), Assumed: r.assumed,
	}
	f.Steps = []Step{
		{"rate", "quote per euro / base per euro", rateText(newest.quote) + " / " + rateText(newest.base), text(f.Rate)},
		{"sigma_daily", "√(Σ(u - mean of u)² / (n - 1)) with u = ln(rate of a day / rate of the day before)",
			fmt.Sprintf("√(%s / %d)", text(significant(window.squares())), len(window)-1), text(f.SigmaDaily)},
	}
	if err := f.measure(); err != nil {
		return f, err
	}
	f.addScenarios(returns)
	f.assume(window, gaps, s.Clock())
	return f, nil
}

// cross returns the rates of a pair on the days that have both currencies.
func (t table) cross(base, quote string) (series []observation, err error) {
	for _, side := range []struct{ name, code string }{{"base", base}, {"quote", quote}} {
		if len(t.of(side.code)) == 0 {
			return nil, fault.Invalid(side.name, "must be a currency with a rate: "+t.known())
		}
	}
	quotes := map[string]int64{}
	for _, p := range t.of(quote) {
		quotes[p.Day] = p.PerEuro
	}
	for _, p := range t.of(base) {
		if q, ok := quotes[p.Day]; ok {
			series = append(series, observation{p.Day, p.PerEuro, q})
		}
	}
	return series, nil
}

// enough reports a pair with rates of fewer days than leastPoints. One after a gap gives no daily
// return, so it does not count.
func (t table) enough(r FXRequest, days int, daily logReturns) error {
	points := min(days, len(daily)+1)
	if points >= leastPoints {
		return nil
	}
	short := "base"
	if len(t.of(r.Quote)) < len(t.of(r.Base)) {
		short = "quote"
	}
	return fault.Invalid(short, fmt.Sprintf("the pair has rates of %d days, but %d are needed", points, leastPoints))
}

// deviation is the sample standard deviation.
func (u logReturns) deviation() float64 { return math.Sqrt(u.squares() / float64(len(u)-1)) }

// squares is the sum of the squared differences from the mean.
func (u logReturns) squares() (squares float64) {
	mean := 0.0
	for _, m := range u {
		mean += m.log / float64(len(u))
	}
	for _, m := range u {
		squares += (m.log - mean) * (m.log - mean)
	}
	return squares
}

// significant rounds a number to eight significant digits.
func significant(x float64) float64 {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 8, 64), 64)
	if err != nil {
		return x
	}
	return rounded
}

// measure computes the value at risk and its steps.
func (f *FXRisk) measure() error {
	z := significant(math.Sqrt2 * math.Erfinv(2*f.Confidence-1))
	root := math.Sqrt(float64(f.HorizonDays))
	share := z * f.SigmaDaily * root
	if max(share, 2*f.SigmaDaily*root) >= 1 {
		return fault.Invalid("horizon_days", "is too long for this pair: by this formula the whole amount and more would be at risk")
	}
	units := f.units()
	if units*f.Rate > maxValue {
		return fault.Invalid("amount", "is too large at this rate")
	}
	f.Value = f.minor(units * f.Rate)
	f.VaRAmount = f.minor(units * f.Rate * share)
	f.VaRPercent = percent(share)
	amount, value, atRisk := money.Number(f.Amount, money.Decimals(f.Base)), f.number(f.Value), f.number(f.VaRAmount)
	f.Steps = append(f.Steps, []Step{
		{"value", "amount × rate", fmt.Sprintf("%s × %s", amount, text(f.Rate)), value},
		{"z", "√2 × erfinv(2 × confidence - 1)", fmt.Sprintf("√2 × erfinv(2 × %s - 1)", text(f.Confidence)), text(z)},
		{"var_pct", "100 × z × sigma_daily × √horizon_days",
			fmt.Sprintf("100 × %s × %s × √%d", text(z), text(f.SigmaDaily), f.HorizonDays), text(f.VaRPercent)},
		{"var_amount", "amount × rate × z × sigma_daily × √horizon_days",
			fmt.Sprintf("%s × %s × %s × %s × √%d", amount, text(f.Rate), text(z), text(f.SigmaDaily), f.HorizonDays), atRisk},
	}...)
	f.Scenarios = []Scenario{{Name: "value_at_risk", Rate: significant(f.Rate * (1 - share)), Amount: f.Value - f.VaRAmount, ChangePercent: -f.VaRPercent}}
	return nil
}

// units is the amount in whole units of base.
func (f *FXRisk) units() float64 { return float64(f.Amount) / float64(pow10(money.Decimals(f.Base))) }

// minor rounds an amount to minor units of the quote currency.
func (f *FXRisk) minor(units float64) int64 {
	return int64(math.Round(units * float64(pow10(money.Decimals(f.Quote)))))
}

func (f *FXRisk) number(amount int64) string { return money.Number(amount, money.Decimals(f.Quote)) }

func text(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }

// percent is a share in percent, to four digits after the point.
func percent(share float64) float64 { return math.Round(share*1e6) / 1e4 }

// addScenarios adds moves by the standard deviation of the horizon, and the largest daily
// moves of all stored days.
func (f *FXRisk) addScenarios(returns logReturns) {
	deviation := f.SigmaDaily * math.Sqrt(float64(f.HorizonDays))
	for _, s := range []struct {
		name string
		k    float64
	}{{"minus_2_sigma", -2}, {"minus_1_sigma", -1}, {"unchanged", 0}, {"plus_1_sigma", 1}, {"plus_2_sigma", 2}} {
		f.addScenario(s.name, s.k*deviation, "")
	}
	byLog := func(a, b move) int { return cmp.Compare(a.log, b.log) }
	worst, best := slices.MinFunc(returns, byLog), slices.MaxFunc(returns, byLog)
	f.addScenario("worst_day", math.Expm1(worst.log), worst.day)
	f.addScenario("best_day", math.Expm1(best.log), best.day)
}

func (f *FXRisk) addScenario(name string, change float64, day string) {
	f.Scenarios = append(f.Scenarios, Scenario{
		Name: name, Rate: significant(f.Rate * (1 + change)), Amount: f.minor(f.units() * f.Rate * (1 + change)),
		ChangePercent: percent(change), Day: day,
	})
}

// assume notes what the figures rest on.
func (f *FXRisk) assume(window, gaps logReturns, now time.Time) {
	f.Assumed = append(f.Assumed,
		fmt.Sprintf("sigma_daily is the sample standard deviation of the last %d daily log returns, from %s to %s", len(window), window[0].before, last(window).day),
		"horizon_days counts banking days, and the daily moves are independent and normally distributed with mean zero; real rates have large moves more often",
	)
	for _, gap := range gaps {
		if gap.day <= window[0].before {
			continue
		}
		f.Assumed = append(f.Assumed, fmt.Sprintf("there are no rates between %s and %s, and the move over these days is no daily one, so it is left out; the operator of the server can import them", gap.before, gap.day))
	}
	if f.SigmaDaily == 0 {
		f.Assumed = append(f.Assumed, "the rate did not move in these days, so that the risk of the end of a peg is not in the figures")
	}
	age := int(now.UTC().Sub(parseDay(f.RateDate)).Hours() / 24)
	if age > staleDays {
		f.Assumed = append(f.Assumed, fmt.Sprintf("the rate of %s is %d days old, and later moves are not in the figures; the operator of the server can import newer rates", f.RateDate, age))
	}
}

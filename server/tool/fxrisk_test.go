package tool_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/servertest"
)

// These tests recompute fx-risk (J4) from the file, with quantiles from a table.

const fxRisk = "/tools/fx-risk"

type risk struct {
	Base, Quote string
	Amount      float64
	Rate        float64
	RateDate    string `json:"rate_date"`
	Source      string
	SigmaDaily  float64 `json:"sigma_daily"`
	Value       float64
	VaRAmount   float64 `json:"var_amount"`
	VaRPct      float64 `json:"var_pct"`
	Scenarios   []struct {
		Name      string
		Rate      float64
		Amount    float64
		ChangePct float64 `json:"change_pct"`
		Day       *string
	}
	Steps []struct {
		Step, Formula, Calculation string
		Result                     float64
	}
	Assumed []string
}

func (d *desk) risk(t *testing.T, query string, changes ...string) (r risk) {
	t.Helper()
	a := d.get(t, fxRisk, with(query, changes...))
	a.Expect(t, 200, "")
	if err := json.Unmarshal(a.Body, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// quantiles are those of the standard normal distribution, from a printed table.
var quantiles = map[string]float64{
	"0.9": 1.2815516, "0.95": 1.6448536, "0.975": 1.9599640, "0.99": 2.3263479, "0.999": 3.0902323, "0.841344746": 1.0,
}

// crossRates reads the rates of a pair from a file, the oldest first.
func crossRates(t *testing.T, file, base, quote string) (days []string, rates []float64) {
	t.Helper()
	rows, err := csv.NewReader(strings.NewReader(file)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	perEuro := func(row []string, code string) (float64, bool) {
		if code == "EUR" {
			return 1, true
		}
		for i, heading := range rows[0] {
			if heading == code {
				rate, err := strconv.ParseFloat(row[i], 64)
				return rate, err == nil
			}
		}
		t.Fatalf("no %s", code)
		return 0, false
	}
	for i := len(rows) - 1; i > 0; i-- {
		b, okB := perEuro(rows[i], base)
		q, okQ := perEuro(rows[i], quote)
		if okB && okQ {
			days, rates = append(days, rows[i][0]), append(rates, q/b)
		}
	}
	return days, rates
}

func near(a, b, relative float64) bool { return math.Abs(a-b) <= relative*math.Abs(b) }

func TestFXRisk(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	file := madeRates(400)
	d.mustLoad(t, file)
	for _, c := range []struct {
		base, quote, amount, days, confidence string
		decimals                              float64
	}{
		{"USD", "GBP", "10000", "30", "0.95", 100},
		{"EUR", "JPY", "2500.75", "1", "0.99", 1},
		{"JPY", "EUR", "1", "250", "0.9", 100},
		{"GBP", "IDR", "1000000000000", "10", "0.975", 100},
		{"TRY", "USD", "0.01", "90", "0.95", 100},
		{"TRY", "USD", "750000", "90", "0.999", 100},
	} {
		t.Run(c.base+c.quote+c.amount, func(t *testing.T) {
			if c.base == "GBP" { // the value has more than 15 digits
				d.refuses(t, fxRisk, with("base=gbp&quote=idr&amount="+c.amount), "amount", "too large at this rate")
				c.amount = "1000000000"
			}
			days, rates := crossRates(t, file, c.base, c.quote)
			n := len(rates)
			var sum, squares float64
			for i := n - 250; i < n; i++ {
				u := math.Log(rates[i]) - math.Log(rates[i-1])
				sum, squares = sum+u, squares+u*u
			}
			sigma := math.Sqrt((squares - sum*sum/250) / 249)
			amount, _ := strconv.ParseFloat(c.amount, 64)
			horizon, _ := strconv.ParseFloat(c.days, 64)
			share := quantiles[c.confidence] * sigma * math.Sqrt(horizon)

			r := d.risk(t, "", "base", c.base, "quote", strings.ToLower(c.quote), "amount", c.amount, "horizon_days", c.days, "confidence", c.confidence)
			if !near(r.Rate, rates[n-1], 1e-7) || r.RateDate != days[n-1] || !near(r.SigmaDaily, sigma, 1e-7) {
				t.Errorf("rate %v of %s, sigma %v; want %v of %s, %v", r.Rate, r.RateDate, r.SigmaDaily, rates[n-1], days[n-1], sigma)
			}
			if want := amount * rates[n-1] * share; math.Abs(r.VaRAmount-want) > 0.5/c.decimals+1e-6*want {
				t.Errorf("var_amount %v, want %v", r.VaRAmount, want)
			}
			if math.Abs(r.VaRPct-100*share) > 1e-4 {
				t.Errorf("var_pct %v, want %v", r.VaRPct, 100*share)
			}
			// The rounded figures of the answer give exactly its var_amount.
			shown := math.Round(amount*r.Rate*quantiles[c.confidence]*r.SigmaDaily*math.Sqrt(horizon)*c.decimals) / c.decimals
			if r.VaRAmount != shown {
				t.Errorf("var_amount %v, but its steps give %v", r.VaRAmount, shown)
			}
			checkScenarios(t, r, sigma*math.Sqrt(horizon), share, days, rates)
			if len(r.Assumed) != 2 {
				t.Errorf("assumed %q, though nothing was left out", r.Assumed)
			}
		})
	}
}

func checkScenarios(t *testing.T, r risk, deviation, share float64, days []string, rates []float64) {
	t.Helper()
	worst, best := 1, 1
	for i := 1; i < len(rates); i++ {
		if rates[i]/rates[i-1] < rates[worst]/rates[worst-1] {
			worst = i
		}
		if rates[i]/rates[i-1] > rates[best]/rates[best-1] {
			best = i
		}
	}
	want := map[string]float64{
		"value_at_risk": -share, "minus_2_sigma": -2 * deviation, "minus_1_sigma": -deviation, "unchanged": 0, "plus_1_sigma": deviation,
		"plus_2_sigma": 2 * deviation, "worst_day": rates[worst]/rates[worst-1] - 1, "best_day": rates[best]/rates[best-1] - 1,
	}
	for _, s := range r.Scenarios {
		change, ok := want[s.Name]
		delete(want, s.Name)
		if !ok || math.Abs(s.ChangePct-100*change) > 2e-4 || !near(s.Rate, r.Rate*(1+change), 1e-6) {
			t.Errorf("scenario %+v, want a change of %v", s, change)
		}
		if math.Abs(s.Amount-r.Value*(1+change)) > 1.01+1e-6*r.Value {
			t.Errorf("scenario %+v of the value %v", s, r.Value)
		}
		if s.Name == "worst_day" && *s.Day != days[worst] || s.Name == "best_day" && *s.Day != days[best] || s.Name == "unchanged" && s.Day != nil {
			t.Errorf("scenario %s of %v", s.Name, s.Day)
		}
	}
	if len(want) > 0 {
		t.Errorf("no scenarios %v", want)
	}
}

func TestFXRiskDefaults(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, madeRates(100))
	const query = "base=usd&quote=gbp&amount=100"
	short, full := d.risk(t, query), d.risk(t, query, "horizon_days", "30", "confidence", "0.950")
	if short.VaRAmount != full.VaRAmount || len(short.Assumed) != 4 {
		t.Errorf("%v and %v, assumed %q", short.VaRAmount, full.VaRAmount, short.Assumed)
	}
	for i, prefix := range []string{"horizon_days: 30", "confidence: 0.95", "sigma_daily is the sample standard deviation of the last 99 daily log returns, from 2025-11-22 to 2026-03-01"} {
		if !strings.HasPrefix(short.Assumed[i], prefix) {
			t.Errorf("assumed %q, want %q…", short.Assumed[i], prefix)
		}
	}
	if short.Source != "ECB euro foreign exchange reference rates to 2026-03-01, imported on 2026-03-02" {
		t.Errorf("source %q", short.Source)
	}
	names := ""
	for _, s := range short.Steps {
		names += s.Step + " "
		if s.Formula == "" || s.Calculation == "" {
			t.Errorf("step %+v", s)
		}
	}
	if names != "rate sigma_daily value z var_pct var_amount " {
		t.Errorf("steps %s", names)
	}
	for _, path := range []string{fxRisk, "/api/v1" + fxRisk} {
		a := d.get(t, path, with(query))
		a.Expect(t, 200, "")
		if a.Field(t, "var_amount") != short.VaRAmount {
			t.Errorf("%s: %s", path, a.Body)
		}
	}
}

func TestFXRiskWarnsOfOldRates(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, madeRates(100))
	warned := func() bool {
		all := d.risk(t, "base=usd&quote=gbp&amount=100&horizon_days=1&confidence=0.99").Assumed
		return strings.Contains(all[len(all)-1], "2026-03-01 is ")
	}
	d.Clock.Set(newest.AddDate(0, 0, 8).Add(-time.Minute))
	if warned() {
		t.Error("a rate that is seven days old is called old")
	}
	d.Clock.Set(newest.AddDate(0, 0, 8))
	if !warned() {
		t.Error("no note of a rate that is eight days old")
	}
}

// A rate that never moves has no risk by the formula, and the answer tells why.
func TestFXRiskOfPeg(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var file strings.Builder
	file.WriteString("Date,DKK\n")
	for i := range 60 {
		fmt.Fprintf(&file, "%s,7.46\n", newest.AddDate(0, 0, -i).Format(time.DateOnly))
	}
	d.mustLoad(t, file.String())
	r := d.risk(t, "base=eur&quote=dkk&amount=100")
	if r.VaRAmount != 0 || r.SigmaDaily != 0 || r.Value != 746 || !strings.Contains(strings.Join(r.Assumed, "|"), "did not move") {
		t.Errorf("%+v", r)
	}
}

// The move over days without rates is no daily one, and the answer tells that it is left out.
func TestFXRiskLeavesGapsOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, madeRates(100))
	const query = "base=usd&quote=gbp&amount=100"
	before := d.risk(t, query)
	d.Clock.Set(newest.AddDate(0, 0, 31))
	d.mustLoad(t, "Date,USD,GBP\n"+newest.AddDate(0, 0, 30).Format(time.DateOnly)+",1.5,0.7\n")
	after := d.risk(t, query)
	if after.Rate == before.Rate || after.SigmaDaily != before.SigmaDaily {
		t.Errorf("rate %v and sigma %v, before %v and %v", after.Rate, after.SigmaDaily, before.Rate, before.SigmaDaily)
	}
	if !strings.Contains(strings.Join(after.Assumed, "|"), "there are no rates between 2026-03-01 and 2026-03-31") {
		t.Errorf("assumed %q", after.Assumed)
	}
	for _, s := range after.Scenarios {
		if s.Day != nil && *s.Day > before.RateDate {
			t.Errorf("scenario %s of %s", s.Name, *s.Day)
		}
	}
}

func TestFXRiskNeedsSixtyDays(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const query = "base=usd&quote=gbp&amount=100"
	d.get(t, fxRisk, with(query)).Expect(t, 503, "unavailable")
	d.mustLoad(t, madeRates(59))
	d.refuses(t, fxRisk, with(query), "base", "has rates of 59 days, but 60 are needed")
	d = newDesk(t)
	d.mustLoad(t, madeRates(60))
	d.risk(t, query)
	d.refuses(t, fxRisk, with(query, "quote", "try"), "quote", "54 days")
	d.refuses(t, fxRisk, with(query, "base", "try"), "base", "54 days")
}

func TestFXRiskRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, madeRates(100))
	const good = "base=usd&quote=gbp&amount=100&horizon_days=30&confidence=0.95"
	d.risk(t, good)
	for _, bad := range []struct{ name, value, problem string }{
		{"base", "-", "is required"}, {"base", "", "is required"}, {"base", "xyz", "eur, gbp, idr, jpy, try, usd"}, {"base", "hrk", "must be a currency with a rate"},
		{"base", "us", "must be a currency"}, {"base", "$", "must be a currency"}, {"base", strings.Repeat("x", 5000), "must be a currency"},
		{"quote", "-", "is required"}, {"quote", "usd", "another currency"}, {"quote", "USD", "another currency"}, {"quote", "btc", "must be a currency"},
		{"amount", "-", "is required"}, {"amount", "0", "above zero"}, {"amount", "0.00", "above zero"}, {"amount", "-1", "plain number"}, {"amount", "NaN", "plain number"},
		{"amount", "Inf", "plain number"}, {"amount", "1e308", "plain number"}, {"amount", "1,000", "plain number"}, {"amount", "0x10", "plain number"},
		{"amount", " 1", "plain number"}, {"amount", "1.", "plain number"}, {"amount", ".5", "plain number"}, {"amount", "٣", "plain number"},
		{"amount", "1.001", "at most 2 digits"}, {"amount", "1000000000000.01", "too large"}, {"amount", strings.Repeat("9", 400), "too large"},
		{"horizon_days", "0", "from 1 to 365"}, {"horizon_days", "-1", "from 1"}, {"horizon_days", "366", "to 365"}, {"horizon_days", "1.5", "integer"},
		{"horizon_days", "+5", "integer"}, {"horizon_days", "99999999999999999999", "integer"},
		{"confidence", "0", "fraction"}, {"confidence", "1", "fraction"}, {"confidence", "95", "fraction"}, {"confidence", "0.5", "fraction"}, {"confidence", "0.99991", "fraction"},
		{"confidence", "-0.95", "fraction"}, {"confidence", "NaN", "fraction"}, {"confidence", "0.95%", "fraction"}, {"confidence", "0.9500001", "fraction"},
	} {
		d.refuses(t, fxRisk, with(good, bad.name, bad.value), bad.name, bad.problem)
	}
	d.refuses(t, fxRisk, with(good, "base", "jpy", "amount", "1.5"), "amount", "at most 0 digits")
	twice := with(good)
	twice.Add("amount", "5")
	d.refuses(t, fxRisk, twice, "amount", "more than once")
	a := d.Call(t, "GET", fxRisk+"?base=%zz", nil, servertest.WithKey(d.secret))
	a.Expect(t, 400, "invalid_request")
}

// A horizon so long that the formula puts more than the amount at risk is refused.
func TestFXRiskRefusesAbsurdHorizon(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var file strings.Builder
	file.WriteString("Date,TRY\n")
	for i := range 60 {
		fmt.Fprintf(&file, "%s,%d\n", newest.AddDate(0, 0, -i).Format(time.DateOnly), 30+i%2*9)
	}
	d.mustLoad(t, file.String())
	const query = "base=try&quote=eur&amount=100"
	d.refuses(t, fxRisk, with(query), "horizon_days", "too long for this pair")
	d.risk(t, query, "horizon_days", "1")
}

// Live, test, account and generic keys get the same answer (J2).
func TestToolsServeEachKey(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, madeRates(100))
	for path, query := range map[string]string{fxRisk: "base=usd&quote=gbp&amount=100", landedCost: "goods_value=100&currency=gbp&duty_rate=4"} {
		want := d.get(t, path, with(query))
		for _, env := range []db.Env{db.Live, db.Test} {
			for _, mode := range []db.Mode{db.AccountMode, db.GenericMode} {
				_, secret := d.Key(t, "dev@example.com", env, mode)
				a := d.Call(t, "GET", path+"?"+query, nil, servertest.WithKey(secret))
				a.ExpectBody(t, 200, string(want.Body))
			}
		}
		d.Call(t, "GET", path+"?"+query, nil).Expect(t, 401, "invalid_key")
		d.Call(t, "POST", path, query, servertest.WithKey(d.secret)).Expect(t, 405, "method_not_allowed")
	}
}

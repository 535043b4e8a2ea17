package tool_test

import (
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/servertest"
	"svc/server/tool"
)

// desk is an appliance with a key that may call the tools.
type desk struct {
	*servertest.Server
	secret string
}

// newDesk returns one without any rates, as a binary is that was built without them.
func newDesk(t *testing.T) *desk {
	t.Helper()
	return newDeskWith(t, func(c *server.Config) { c.Rates = fstest.MapFS{} })
}

func newDeskWith(t *testing.T, change ...func(*server.Config)) *desk {
	t.Helper()
	s := servertest.New(t, change...)
	_, secret := s.Key(t, s.Account(t, "dev@example.com", "business", 0), db.Test, db.GenericMode)
	return &desk{s, secret}
}

// get calls a tool. The clock moves on, so that no limit is reached.
func (d *desk) get(t *testing.T, path string, query url.Values) servertest.Answer {
	t.Helper()
	d.Clock.Advance(20 * time.Second)
	return d.Call(t, "GET", path+"?"+query.Encode(), nil, servertest.WithKey(d.secret))
}

// refuses checks that a query is a 400 whose text begins with the parameter's name.
func (d *desk) refuses(t *testing.T, path string, query url.Values, name, problem string) {
	t.Helper()
	a := d.get(t, path, query)
	a.Expect(t, 400, "invalid_request")
	if text, _ := a.Field(t, "error").(string); !strings.HasPrefix(text, name+": ") || !strings.Contains(text, problem) {
		t.Errorf("%v: %q, want %s: … %s", query, text, name, problem)
	}
}

// with returns a copy of a query in which names have other values; "-" leaves one out.
func with(query string, changes ...string) url.Values {
	values, err := url.ParseQuery(query)
	if err != nil {
		panic(err)
	}
	for i := 0; i+1 < len(changes); i += 2 {
		values.Set(changes[i], changes[i+1])
		if changes[i+1] == "-" {
			values.Del(changes[i])
		}
	}
	return values
}

// newest is the last day of made rates, the day before the clock of a new appliance.
var newest = time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)

// madeRates is a file in the form of eurofxref-hist.csv, of rates that a fixed random walk
// made. TRY has no rate on each tenth day, HRK has none at all.
func madeRates(days int) string {
	random := rand.New(rand.NewPCG(1, 2))
	codes := []string{"USD", "JPY", "GBP", "TRY", "IDR"}
	rates := []float64{1.08, 161.4, 0.853, 38.2, 17650.4}
	lines := make([]string, days)
	for i := range days {
		line := newest.AddDate(0, 0, i+1-days).Format(time.DateOnly)
		for c := range codes {
			rates[c] *= 1 + 0.004*float64(c+1)/2*random.NormFloat64()
			if codes[c] == "TRY" && i%10 == 3 {
				line += ",N/A"
			} else {
				line += fmt.Sprintf(",%.5g", rates[c])
			}
		}
		lines[days-1-i] = line + ",N/A,"
	}
	return "Date," + strings.Join(codes, ",") + ",HRK,\n" + strings.Join(lines, "\n") + "\n"
}

// load imports a file of rates.
func (d *desk) load(t *testing.T, text string) (tool.RatesReport, error) {
	t.Helper()
	return d.App.Tools.ImportRates(t.Context(), tool.File{Name: "rates.csv", Content: strings.NewReader(text), Size: int64(len(text))})
}

func (d *desk) mustLoad(t *testing.T, text string) tool.RatesReport {
	t.Helper()
	r, err := d.load(t, text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

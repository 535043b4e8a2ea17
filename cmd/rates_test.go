package cmd_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// ratesFile is a file of the days up to yesterday, newest first.
func ratesFile(days int) string {
	var file strings.Builder
	file.WriteString("Date,USD,GBP,HRK,\n")
	for i := range days {
		fmt.Fprintf(&file, "%s,1.%02d,0.85,N/A,\n", time.Now().UTC().AddDate(0, 0, -1-i).Format(time.DateOnly), 8+i%3)
	}
	return file.String()
}

// The operator imports rates while a server runs, and the server answers with them.
func TestRates(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	_, key := f.key("test")
	p := f.serve()
	ask := func() string {
		t.Helper()
		request, err := http.NewRequest("GET", p.url+"/tools/fx-risk?base=gbp&quote=usd&amount=100", nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("x-api-key", key)
		a, err := roundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		return a.body
	}
	usd := func() map[string]any {
		t.Helper()
		for _, c := range f.objects(f.ok("rates", "list", "--json")) {
			if c["currency"] == "usd" {
				return c
			}
		}
		return nil
	}
	contains(t, ask(), `"source":"ECB euro foreign exchange reference rates to 2026-07-21, bundled with the program"`)
	contains(t, f.ok("rates", "list"), "CURRENCY  DAYS  FIRST       LAST        PER-EURO")
	if c := usd(); c["days"].(float64) < 700 {
		t.Errorf("before an import: %v", c)
	}

	f.write("eurofxref-hist.csv", ratesFile(70))
	contains(t, f.ok("rates", "import", "eurofxref-hist.csv"), "read 70 days of rates of 2 currencies, from ", ": 70 new, 0 changed, 0 as before")
	contains(t, ask(), ", imported on ")
	if again := f.object("rates", "import", "eurofxref-hist.csv"); again["unchanged"] != 70.0 || again["added"] != 0.0 || again["currencies"] != 2.0 {
		t.Errorf("again %v", again)
	}
	if c := usd(); c["per_euro"] != "1.08" {
		t.Errorf("after an import: %v", c)
	}
	if shown := f.objects(f.ok("rates", "show", "USD", "--limit", "2", "--json")); len(shown) != 2 || shown[0]["per_euro"] != "1.08" || shown[1]["per_euro"] != "1.09" {
		t.Errorf("show %v", shown)
	}

	f.write("bad.csv", "Date,USD\n2020-01-02,1.1\n2020-01-02,1.1\n")
	contains(t, f.fails(1, "rates", "import", "bad.csv"), "file: line 3: 2020-01-02 is in line 2, too")
	contains(t, f.fails(1, "rates", "import", "none.csv"), "none.csv")
	contains(t, f.fails(1, "rates", "show", "hrk"), "currency: has no rates; there are eur, aud, ")
	contains(t, f.fails(2, "rates", "import"), "usage: svc rates import FILE")
}

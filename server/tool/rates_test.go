package tool_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"svc/db/dbtest"
	"svc/server/fault"
	"svc/server/servertest"
	"svc/server/tool"
)

// oneDay is a file in the form of eurofxref.csv.
const oneDay = "Date, USD, JPY, GBP, \n02 March 2026, 1.0845, 161.33, 0.85210, \n"

func zipped(t *testing.T, files ...string) string {
	t.Helper()
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	for i, text := range files {
		w, err := archive.Create(fmt.Sprintf("file%d.csv", i))
		if err == nil {
			_, err = w.Write([]byte(text))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// stored is all days in the file, with the number of days.
func (d *desk) stored(t *testing.T) string {
	t.Helper()
	return strings.Join(d.Query(t, `SELECT day || ' ' || per_euro FROM rates ORDER BY day`), "\n")
}

func TestImportRates(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	r := d.mustLoad(t, madeRates(400))
	if want := (tool.RatesReport{Days: 400, Currencies: 5, First: "2025-01-26", Last: "2026-03-01", Added: 400}); r != want {
		t.Errorf("%+v, want %+v", r, want)
	}
	before := d.stored(t)

	t.Run("Again", func(t *testing.T) {
		if r := d.mustLoad(t, "\ufeff"+strings.ReplaceAll(madeRates(400), "\n", "\r\n")); r.Unchanged != 400 || r.Added+r.Changed > 0 {
			t.Errorf("%+v", r)
		}
		servertest.ExpectSame(t, before, d.stored(t))
	})
	t.Run("Zipped", func(t *testing.T) {
		if r := d.mustLoad(t, zipped(t, madeRates(400))); r.Unchanged != 400 {
			t.Errorf("%+v", r)
		}
	})
	t.Run("OneDay", func(t *testing.T) {
		near := strings.NewReplacer("1.0845", d.newestOf(t, "usd"), "161.33", d.newestOf(t, "jpy"), "0.85210", d.newestOf(t, "gbp")).Replace(oneDay)
		if r := d.mustLoad(t, near); r.Added != 1 || r.Currencies != 3 || r.First != "2026-03-02" {
			t.Errorf("%+v", r)
		}
		if got := d.risk(t, "base=usd&quote=gbp&amount=1"); got.RateDate != "2026-03-02" {
			t.Errorf("rate of %s", got.RateDate)
		}
	})
	t.Run("Correction", func(t *testing.T) {
		if r := d.mustLoad(t, "Date,USD\n2026-03-01,1.1\n2026-02-28,"+d.onDay(t, "2026-02-28", "usd")); r.Changed != 1 || r.Unchanged != 1 {
			t.Errorf("%+v", r)
		}
		if d.onDay(t, "2026-03-01", "usd") != "1.1" || d.onDay(t, "2026-03-01", "gbp") == "" {
			t.Errorf("the day is %s", d.Query(t, `SELECT per_euro FROM rates WHERE day = '2026-03-01'`))
		}
	})
}

// newestOf is the last rate of a currency, as the file had it.
func (d *desk) newestOf(t *testing.T, code string) string {
	t.Helper()
	points, err := d.App.Tools.History(t.Context(), code, 1)
	if err != nil {
		t.Fatal(err)
	}
	return points[0].Text()
}

func (d *desk) onDay(t *testing.T, day, code string) string {
	t.Helper()
	points, err := d.App.Tools.History(t.Context(), code, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range points {
		if p.Day == day {
			return p.Text()
		}
	}
	return ""
}

// Three years are kept, counted from the newest day, whatever the order of imports.
func TestImportRatesKeepsTheNewest(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if r := d.mustLoad(t, madeRates(1500)); r.Dropped != 403 || r.Added != 1097 {
		t.Errorf("%+v", r) // from 2023-03-01 on
	}
	if r := d.mustLoad(t, "Date,USD\n2023-03-01,1.07\n2023-02-28,1.06\n"); r.Dropped != 1 || r.Changed != 1 {
		t.Errorf("%+v", r)
	}
	if got := d.Count(t, `SELECT count(*) FROM rates`); got != 1097 {
		t.Errorf("%d days", got)
	}
	if d.risk(t, "base=usd&quote=gbp&amount=1").RateDate != "2026-03-01" {
		t.Error("an older file has moved the newest day")
	}
	d.Clock.Set(time.Date(2027, time.March, 1, 20, 0, 0, 0, time.UTC))
	d.mustLoad(t, "Date,USD\n2027-03-01,1.5\n")
	if got := d.Query(t, `SELECT min(day) FROM rates`); got[0] != "2024-03-01" {
		t.Errorf("the oldest day is %s", got)
	}
}

// A file with a fault names its line, and nothing of it is stored.
func TestImportRatesRefuses(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.mustLoad(t, "Date,USD,GBP\n2026-02-27,1.08,0.85\n")
	before := d.stored(t)
	const head, good = "Date,USD,GBP,\n", "2026-03-02,1.08,0.85,\n"
	for _, bad := range []struct{ name, file, problem string }{
		{"Empty", "", "a line of headings and a line of rates"},
		{"NoRates", head, "a line of headings and a line of rates"},
		{"OtherFile", "name,price\ntea,1\n", "line 1: the first heading must be Date"},
		{"Binary", "\x00\x01\x02\n\x03\n", "line 1: the first heading must be Date"},
		{"UnknownColumn", "Date,USD,XQX\n2026-03-02,1.08,1\n", `line 1: the heading "XQX" is no code`},
		{"Euro", "Date,EUR\n2026-03-02,1\n", `line 1: the heading "EUR" is no code`},
		{"LowerCase", "Date,usd\n2026-03-02,1\n", `line 1: the heading "usd" is no code`},
		{"ColumnTwice", "Date,USD,USD\n2026-03-02,1,1\n", "line 1: the heading USD is there twice"},
		{"NoHeading", "Date,USD,,GBP\n2026-03-02,1,,1\n", `line 1: the heading "" is no code`},
		{"Date", head + good + "02/03/2026,1.08,0.85,\n", `line 3: "02/03/2026" is no date`},
		{"NoSuchDay", head + "2026-02-30,1.08,0.85,\n", `line 2: "2026-02-30" is no date`},
		{"Future", head + "2026-03-04,1.08,0.85,\n", "line 2: 2026-03-04 is in the future"},
		{"DayTwice", head + good + "2026-03-01,1.08,0.85,\n" + good, "line 4: 2026-03-02 is in line 2, too"},
		{"TooFewCells", head + good + "2026-03-01,1.08\n", "line 3: has 2 cells, but the headings are 4"},
		{"TooManyCells", head + "2026-03-01,1.08,0.85,1,2\n", "line 2: has 5 cells"},
		{"CellWithoutHeading", head + "2026-03-01,1.08,0.85,7\n", "there is a rate without a heading"},
		{"Zero", head + good + "2026-03-01,1.08,0.0000,\n", "line 3: GBP: is zero"},
		{"Negative", head + "2026-03-01,-1.08,0.85,\n", "line 2: USD: must be a plain number"},
		{"Blank", head + "2026-03-01,,0.85,\n", "line 2: USD: must be a plain number"},
		{"Comma", head + "2026-03-01,\"1,08\",0.85,\n", "line 2: USD: must be a plain number"},
		{"Exponent", head + "2026-03-01,1e3,0.85,\n", "line 2: USD: must be a plain number"},
		{"Large", head + "2026-03-01,10000001,0.85,\n", "line 2: USD: is too large"},
		{"Digits", head + "2026-03-01,1.0800001,0.85,\n", "line 2: USD: must have at most 6 digits"},
		{"NoValues", head + "2026-03-01,N/A,N/A,\n", "line 2: has no rates"},
		{"Quote", head + "\"2026-03-01,1.08,0.85,\n", "line 2: "},
		{"JumpInFile", "Date,USD\n2026-03-02,2.17\n2026-03-01,1.08\n", "line 2: USD: is 2.17 on 2026-03-02, but 1.08 on 2026-03-01"},
		{"JumpFromStored", "Date,GBP,USD\n2026-03-02,1.08,0.4\n", "line 2: USD: is 0.4 on 2026-03-02, but 1.08 on 2026-02-27"},
		{"JumpToStored", "Date,USD\n2026-02-26,0.5\n", "line 2: USD: is 1.08 on 2026-02-27, but 0.5 on 2026-02-26"},
		{"NoCSVInZIP", zipped(t), "one CSV file in the archive, not 0"},
		{"TwoInZIP", zipped(t, oneDay, oneDay), "one CSV file in the archive, not 2"},
		{"DamagedZIP", zipped(t, oneDay)[:60], "a damaged ZIP archive"},
		{"HugeInZIP", zipped(t, strings.Repeat(" ", 17<<20)), "more than 16 MiB in the archive"},
		{"Huge", strings.Repeat(" ", 17<<20), "more than 16 MiB"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			_, err := d.load(t, bad.file)
			var f *fault.Error
			if !errors.As(err, &f) || f.Code != fault.InvalidRequest || !strings.Contains(f.Text(), bad.problem) {
				t.Errorf("%v, want %q", err, bad.problem)
			}
			servertest.ExpectSame(t, before, d.stored(t))
		})
	}
}

// A zipped file damaged in its middle fails its checksum.
func TestImportRatesChecksTheArchive(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	content := []byte(zipped(t, madeRates(300)))
	content[len(content)/2] ^= 0xff
	if _, err := d.load(t, string(content)); err == nil || d.stored(t) != "" {
		t.Errorf("a damaged archive: %v, stored %q", err, d.stored(t))
	}
}

// A long gap may hide any change, as when a currency is suspended.
func TestImportRatesAcceptsJumpsAfterGaps(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if r := d.mustLoad(t, "Date,ISK\n2026-03-01,300\n2026-02-18,124\n"); r.Added != 2 {
		t.Errorf("%+v", r)
	}
}

// The binary has rates of its own, so that fx-risk answers before anything was imported (J4).
// The amounts are those of 21 July 2026 by the ECB: 1.1418 dollars, 0.85205 pounds, 185.82 yen.
func TestRatesOfBinary(t *testing.T) {
	t.Parallel()
	d := newDeskWith(t)
	for pair, want := range map[string]float64{"base=eur&quote=usd": 114.18, "base=gbp&quote=eur": 117.36, "base=usd&quote=jpy": 16274} {
		r := d.risk(t, pair+"&amount=100")
		if r.Value != want || r.RateDate != "2026-07-21" || r.VaRAmount <= 0 || r.Source != "ECB euro foreign exchange reference rates to 2026-07-21, bundled with the program" {
			t.Errorf("%s: %v of %s, at risk %v, from %s", pair, r.Value, r.RateDate, r.VaRAmount, r.Source)
		}
	}
	all, err := d.App.Tools.Currencies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(all) != 30 {
		t.Errorf("%d currencies", len(all))
	}
	for _, c := range all {
		if c.Days < 600 || c.First != "2023-07-21" {
			t.Errorf("%s has %d days from %s", c.Code, c.Days, c.First)
		}
		d.risk(t, "base=eur&amount=100&quote="+c.Code)
	}
}

// Rates in the binary are used until newer ones are imported, and an import adds to them.
func TestBundledRates(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	service := tool.New(tool.Config{
		Store: dbtest.Open(t, clock), Clock: clock.Now,
		Bundled: fstest.MapFS{"NOTICE": {}, "eurofxref-hist.zip": {Data: []byte(zipped(t, madeRates(100)))}},
	})
	risk := func() tool.FXRisk {
		t.Helper()
		req, err := tool.ParseFXRisk(tool.ReadQuery("base=usd&quote=gbp&amount=100"))
		if err != nil {
			t.Fatal(err)
		}
		f, err := service.FXRisk(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	if f := risk(); f.Source != "ECB euro foreign exchange reference rates to 2026-03-01, bundled with the program" || f.VaRAmount == 0 {
		t.Errorf("%+v", f)
	}
	points, err := service.History(t.Context(), "USD", 1)
	if err != nil {
		t.Fatal(err)
	}
	file := "Date,USD,GBP\n2026-03-02," + points[0].Text() + ",0.88\n"
	r, err := service.ImportRates(t.Context(), tool.File{Content: strings.NewReader(file), Size: int64(len(file))})
	if err != nil || r.Added != 1 {
		t.Errorf("%+v, %v", r, err)
	}
	if f := risk(); f.RateDate != "2026-03-02" || !strings.HasSuffix(f.Source, "to 2026-03-02, imported on 2026-03-02") {
		t.Errorf("%s of %s", f.Source, f.RateDate)
	}
}

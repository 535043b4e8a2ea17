package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/fault"
)

const (
	euro = "eur"
	// keptYears is how long rates are kept, counted from the newest day.
	keptYears = 3
	// A rate that is more than maxJump times, or less than 1/maxJump of, that of a day at
	// most jumpDays before is refused. The largest change that the ECB's rates had within a
	// few days is below a third.
	maxJump  = 2
	jumpDays = 10
)

// New returns the service.
func New(c Config) *Service {
	s := &Service{Config: c}
	s.bundled = sync.OnceValues(func() ([]db.RateDay, error) { return readBundled(c.Bundled) })
	return s
}

// readBundled returns the days of the rates in the binary, none if it has no such file. They
// are used whatever the clock says: it may be slow.
func readBundled(files fs.FS) (days []db.RateDay, err error) {
	if files == nil {
		return nil, nil
	}
	names, err := fs.Glob(files, "eurofxref*")
	if err != nil || len(names) == 0 {
		return nil, err
	}
	content, err := fs.ReadFile(files, names[0])
	if err != nil {
		return nil, err
	}
	lines, err := readFile(File{Name: names[0], Content: bytes.NewReader(content), Size: int64(len(content))}, time.Time{})
	if err != nil {
		return nil, fmt.Errorf("bundled rates: %w", err)
	}
	for _, l := range lines {
		days = append(days, l.RateDay)
	}
	return days, nil
}

// table is all rates that a computation may use, the oldest day first.
type table struct {
	days   []db.RateDay
	source string // which table it is, for the answer
}

const publisher = "ECB euro foreign exchange reference rates"

var errNoRates = &fault.Error{
	Code:    fault.Unavailable,
	Message: "there are no exchange rates yet; the operator of the server imports them with: svc rates import eurofxref-hist.csv",
}

// table returns the imported rates, or those in the binary if nothing was imported or they
// are newer.
func (s *Service) table(ctx context.Context) (t table, err error) {
	if t.days, err = s.cache.read(ctx, s.Store); err != nil {
		return t, err
	}
	bundled, err := s.bundled()
	if err != nil {
		return t, err
	}
	if len(bundled) > 0 && (len(t.days) == 0 || last(t.days).Day < last(bundled).Day) {
		return table{bundled, fmt.Sprintf("%s to %s, bundled with the program", publisher, last(bundled).Day)}, nil
	}
	if len(t.days) == 0 {
		return t, errNoRates
	}
	t.source = fmt.Sprintf("%s to %s, imported on %s", publisher, last(t.days).Day, newestImport(t.days).UTC().Format(time.DateOnly))
	return t, nil
}

// ratesCache has the stored rates as of their version. Nobody changes the days.
type ratesCache struct {
	mu      sync.Mutex
	version string
	days    []db.RateDay
}

// read returns the stored rates. Reading all takes about 10 ms, so it reads them again only
// when they have changed.
func (c *ratesCache) read(ctx context.Context, store *db.DB) ([]db.RateDay, error) {
	var version string
	err := store.View(ctx, func(tx *db.Tx) (err error) {
		version, err = tx.RatesVersion()
		return err
	})
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if version == c.version {
		return c.days, nil
	}
	err = store.LongView(ctx, func(tx *db.Tx) (err error) {
		if version, err = tx.RatesVersion(); err != nil {
			return err
		}
		c.days, err = tx.Rates()
		return err
	})
	if err != nil {
		c.version = "" // days may be half read
		c.days = nil
		return nil, err
	}
	c.version = version
	return c.days, nil
}

func last[T any](all []T) T { return all[len(all)-1] }

func newestImport(days []db.RateDay) time.Time {
	return slices.MaxFunc(days, func(a, b db.RateDay) int { return a.ImportedAt.Compare(b.ImportedAt) }).ImportedAt
}

// RatesReport counts what an import did with the days of its file.
type RatesReport struct {
	Days, Currencies   int // in the file
	First, Last        string
	Added, Changed     int // days
	Unchanged, Dropped int // dropped: too old to be kept
}

// ImportRates stores the rates of a file: all of them, or none if a line is at fault. A
// rate in the file replaces the stored one of its day; other stored rates stay, except those
// of days that are keptYears older than the newest.
func (s *Service) ImportRates(ctx context.Context, f File) (r RatesReport, err error) {
	lines, err := readFile(f, s.Clock().AddDate(0, 0, 1)) // somewhere it is tomorrow
	if err != nil {
		return r, err
	}
	bundled, err := s.bundled()
	if err != nil {
		return r, err
	}
	m := &merger{lines: map[string]int{}}
	for _, l := range lines {
		m.lines[l.Day] = l.line
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		stored, err := tx.Rates()
		if err != nil {
			return err
		}
		m.merge(stored, bundled, lines)
		if err := m.checkJumps(); err != nil {
			return err
		}
		return tx.PutRates(m.changed, m.oldest)
	})
	m.report.describe(lines)
	return m.report, err
}

func (r *RatesReport) describe(lines []dayLine) {
	codes := map[string]bool{}
	for _, l := range lines {
		for code := range l.PerEuro {
			codes[code] = true
		}
	}
	r.Days, r.Currencies, r.First, r.Last = len(lines), len(codes), lines[0].Day, last(lines).Day
}

// merger puts the days of a file among those that are there.
type merger struct {
	lines   map[string]int // of the file, by day
	days    []db.RateDay   // all, in order
	changed []db.RateDay
	oldest  string // the oldest day to keep
	report  RatesReport
}

func (m *merger) merge(stored, bundled []db.RateDay, lines []dayLine) {
	byDay := map[string]map[string]int64{}
	for _, d := range stored {
		byDay[d.Day] = d.PerEuro
	}
	newest := last(lines).Day
	if len(stored) > 0 {
		newest = max(newest, last(stored).Day)
	}
	m.oldest = yearsBefore(newest, keptYears)
	for _, d := range bundled {
		if _, known := byDay[d.Day]; !known && d.Day >= m.oldest && m.lines[d.Day] == 0 {
			byDay[d.Day] = d.PerEuro
			m.changed = append(m.changed, d)
		}
	}
	for _, l := range lines {
		m.mergeDay(byDay, l.RateDay)
	}
	for _, day := range slices.Sorted(maps.Keys(byDay)) {
		m.days = append(m.days, db.RateDay{Day: day, PerEuro: byDay[day]})
	}
}

func (m *merger) mergeDay(byDay map[string]map[string]int64, d db.RateDay) {
	if d.Day < m.oldest {
		m.report.Dropped++
		return
	}
	rates := maps.Clone(byDay[d.Day])
	switch {
	case rates == nil:
		rates = map[string]int64{}
		m.report.Added++
	case contains(rates, d.PerEuro):
		m.report.Unchanged++
		return
	default:
		m.report.Changed++
	}
	maps.Copy(rates, d.PerEuro)
	byDay[d.Day] = rates
	m.changed = append(m.changed, db.RateDay{Day: d.Day, PerEuro: rates})
}

// contains reports whether rates has all of others.
func contains(rates, others map[string]int64) bool {
	for code, rate := range others {
		if rates[code] != rate {
			return false
		}
	}
	return true
}

// yearsBefore returns the day some years before a day of the store.
func yearsBefore(day string, years int) string {
	return parseDay(day).AddDate(-years, 0, 0).Format(time.DateOnly)
}

// parseDay reads a day of the store, which is always valid.
func parseDay(day string) time.Time {
	date, err := time.Parse(time.DateOnly, day)
	if err != nil {
		return time.Time{}
	}
	return date
}

// checkJumps refuses a file that has a rate which cannot be right beside that of the days
// before or after, such as one with swapped columns.
func (m *merger) checkJumps() error {
	type point struct {
		day  string
		rate int64
	}
	before := map[string]point{}
	for _, d := range m.days {
		for _, code := range slices.Sorted(maps.Keys(d.PerEuro)) {
			now, then := point{d.Day, d.PerEuro[code]}, before[code]
			before[code] = now
			if then.day == "" || parseDay(now.day).Sub(parseDay(then.day)) > jumpDays*24*time.Hour {
				continue
			}
			if now.rate <= maxJump*then.rate && then.rate <= maxJump*now.rate {
				continue
			}
			line := m.lines[now.day]
			if line == 0 {
				line = m.lines[then.day]
			}
			return fileFault(line, "%s: is %s on %s, but %s on %s", strings.ToUpper(code),
				rateText(now.rate), now.day, rateText(then.rate), then.day)
		}
	}
	return nil
}

// CurrencyRates describes the rates of one currency.
type CurrencyRates struct {
	Code        string
	Days        int
	First, Last string
	PerEuro     string // of the last day
	Source      string
}

// Currencies describes the rates of each currency, in the order of the codes.
func (s *Service) Currencies(ctx context.Context) (all []CurrencyRates, err error) {
	t, err := s.table(ctx)
	if errors.Is(err, errNoRates) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, code := range t.codes() {
		points := t.of(code)
		newest := last(points)
		all = append(all, CurrencyRates{
			Code: code, Days: len(points), First: points[0].Day, Last: newest.Day, PerEuro: rateText(newest.PerEuro), Source: t.source,
		})
	}
	return all, nil
}

// Point is the rate of a currency on a day.
type Point struct {
	Day     string
	PerEuro int64 // millionths
}

// Text writes the rate, like 1.0927.
func (p Point) Text() string { return rateText(p.PerEuro) }

// History returns the newest rates of a currency, the newest first.
func (s *Service) History(ctx context.Context, code string, limit int) ([]Point, error) {
	t, err := s.table(ctx)
	if err != nil {
		return nil, err
	}
	points := t.of(strings.ToLower(code))
	if len(points) == 0 {
		return nil, &fault.Error{Code: fault.NotFound, Field: "currency", Message: "has no rates; there are " + t.known()}
	}
	slices.Reverse(points)
	return points[:min(limit, len(points))], nil
}

// codes returns the codes of all currencies but the euro, in order.
func (t table) codes() []string {
	all := map[string]bool{}
	for _, d := range t.days {
		for code := range d.PerEuro {
			all[code] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// known lists all codes for an error.
func (t table) known() string { return strings.Join(append([]string{euro}, t.codes()...), ", ") }

// of returns the rates of a currency, the oldest first. The euro has one on each day.
func (t table) of(code string) (points []Point) {
	for _, d := range t.days {
		if rate, ok := d.PerEuro[code]; ok {
			points = append(points, Point{d.Day, rate})
		} else if code == euro {
			points = append(points, Point{d.Day, 1e6})
		}
	}
	return points
}

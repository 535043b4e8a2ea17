package insight

import (
	"context"
	"errors"
	"math/big"
	"time"

	"svc/db"
	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/schema"
	"svc/server/zone"
)

// Books gives exact figures of an account's rows, wherever they are: in its shop's tables
// or in a dataset. See ask.Figures.
type Books interface {
	Sources(ctx context.Context, owner db.Account) ([]schema.Source, error)
	Compute(ctx context.Context, owner db.Account, source schema.Source, plans ...plan.Plan) ([]compute.Result, error)
	Sentence(owner db.Account, r compute.Result) string
}

// Pulse is how a shop does at a moment (J3). A figure that the data do not give is nil.
type Pulse struct {
	AsOf      time.Time
	Currency  string // of all money, ISO 4217, lower case
	Period    *Span  // the days of the figures of 7 days; nil without sales
	Health    Health
	KPIs      []KPI
	Freshness Freshness
}

// Unit is what a KPI counts.
type Unit string

// The units.
const (
	Money   Unit = "money"   // in units of the currency, such as pounds
	Percent Unit = "percent" // 12.5 means 12.5 %
	Count   Unit = "count"
)

// KPI is a figure, with what it is compared with, like for like.
type KPI struct {
	Key        string
	Label      string
	Value      *big.Rat // nil: unknown
	Unit       Unit
	Previous   *big.Rat // nil: nothing to compare with
	ComparedTo string   // in words; empty without Previous
}

// Change returns the change from Previous in per cent; nil if there is none to give.
func (k KPI) Change() *big.Rat {
	if k.Value == nil || k.Previous == nil || k.Previous.Sign() <= 0 {
		return nil
	}
	return compute.Percent(new(big.Rat).Sub(k.Value, k.Previous), k.Previous)
}

// Freshness is how old the data are.
type Freshness struct {
	Source    string    // name of the source of the sales; empty without
	NewestDay string    // of the sales, YYYY-MM-DD in the account's zone; empty without
	NewestAt  time.Time // of the shop's newest sale; zero if it is in a file
	AgeDays   int       // from NewestDay to today
	// StaleAfter is the age in days above which the data are stale: a day more than the shop
	// is usually closed (95th percentile), and at least 2 (H4), as in the rule data_stale.
	StaleAfter int
	Stale      bool
}

// Span is a run of days, both included.
type Span struct{ From, To time.Time }

func (s Span) days() int { return int(s.To.Sub(s.From)/(24*time.Hour)) + 1 }

func (s Span) before() Span { return Span{s.From.AddDate(0, 0, -s.days()), s.From.AddDate(0, 0, -1)} }

func (s Span) period() *plan.Period {
	return &plan.Period{From: name(s.From), To: name(s.To), Words: spanText(s)}
}

// sources are an account's sources at a moment.
type sources struct {
	owner db.Account
	now   time.Time // in the account's zone
	today time.Time // midnight UTC of its day there; all days have this form

	sales, stock, purchases *schema.Source // nil: there is none in the currency
	stocked                 bool           // there are products, in any currency
	currency                string         // of all of them
	unused                  *schema.Source // sales without figures, or older than those of sales

	freshness Freshness
	newest    time.Time // day of the newest sale that is not in the future
	first     time.Time // day of the first sale
}

// lookAt finds the account's sources. Of several with sales it takes the one that isRather
// prefers, and the one that ask prefers if they are equally new.
func (s *Service) lookAt(ctx context.Context, owner db.Account) (sh sources, err error) {
	now := s.Clock().In(zone.Of(owner.Profile.Timezone))
	sh = sources{owner: owner, now: now, currency: owner.Profile.Currency, today: time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)}
	sources, err := s.Books.Sources(ctx, owner)
	if err != nil {
		return sh, err
	}
	for _, source := range sources {
		switch {
		case source.Kind == schema.Sales && tellsRevenue(source) && (sh.sales == nil || isRather(source, *sh.sales)):
			sh.sales = &source
		case source.Kind == schema.Sales && sh.unused == nil:
			sh.unused = &source
		case source.Kind == schema.Stocklist && sh.stock == nil:
			sh.stock = &source
		case source.Kind == schema.Purchases && source.File == "":
			sh.purchases = &source
		}
	}
	sh.stocked = sh.stock != nil
	if sh.sales == nil {
		return sh, nil
	}
	if other := sh.sales.Currency; other != "" && other != sh.currency {
		sh.currency, sh.stock, sh.purchases = other, nil, nil // a pulse has one currency
	}
	return sh, s.date(ctx, &sh)
}

// begunDays is how many days of sales a new source has before it takes the place of one with
// more, such as a till that pushes since this morning that of the file of last year.
const begunDays = 28

// toldDays is how many days before the newer sales the older ones may end to be told still: they
// have some of the last 7 days.
const toldDays = 7

// isRather reports whether the pulse is that of a's sales rather than of b's: of the newer
// ones, unless they have only begun where the others end.
func isRather(a, b schema.Source) bool {
	newer, older := a, b
	if a.Last < b.Last {
		newer, older = b, a
	}
	if newer.Last == older.Last {
		return false
	}
	days := func(from, to string) int {
		first, _ := time.Parse(time.DateOnly, from) // the store wrote them
		last, _ := time.Parse(time.DateOnly, to)
		return Span{first, last}.days() - 1
	}
	span := days(newer.First, newer.Last)
	hasBegun := span < begunDays && span < days(older.First, older.Last) && days(older.Last, newer.Last) <= toldDays
	return (newer.ID == a.ID) != hasBegun
}

// tellsRevenue reports whether a source has revenue by day in one currency.
func tellsRevenue(source schema.Source) bool {
	_, err := plan.FormulaOf(source, plan.Measure{Metric: plan.Revenue})
	_, dated := source.ByRole(schema.Day)
	return err == nil && dated && source.First != "" && !source.Mixed
}

const (
	// closedDays are the days up to the newest sale whose gaps between sales are usual.
	closedDays = 90
	// leastStale is the least age of stale data, in days (H4).
	leastStale = 2
	// usualShare is the share of the gaps that are usual.
	usualShare = 0.95
)

// date finds the days of the sales and whether they are stale.
func (s *Service) date(ctx context.Context, sh *sources) error {
	last, err := time.Parse(time.DateOnly, sh.sales.Last)
	if err == nil {
		sh.first, err = time.Parse(time.DateOnly, sh.sales.First)
	}
	if err != nil {
		return err
	}
	if last.After(sh.today) {
		last = sh.today
	}
	day, _ := sh.sales.ByRole(schema.Day)
	found, err := s.Books.Compute(ctx, sh.owner, *sh.sales, plan.Plan{
		Source: sh.sales.ID, Measures: []plan.Measure{{Metric: plan.Rows}}, By: []plan.Dimension{{Column: day.Heading, Part: plan.Day}},
		Period: Span{last.AddDate(0, 0, 1-closedDays), last}.period(),
	})
	if err != nil {
		return err
	}
	var gaps []float64
	for _, g := range found[0].Groups {
		next, err := time.Parse(time.DateOnly, g.Labels[0])
		if err != nil {
			return err
		}
		if !sh.newest.IsZero() {
			gaps = append(gaps, next.Sub(sh.newest).Hours()/24)
		}
		sh.newest = next
	}
	if sh.newest.IsZero() { // all are dated in the future
		sh.sales = nil
		return nil
	}
	f := Freshness{Source: sh.sales.Name, NewestDay: name(sh.newest), AgeDays: Span{sh.newest, sh.today}.days() - 1}
	f.StaleAfter = max(leastStale, int(percentile(gaps, usualShare))+1)
	f.Stale = f.AgeDays > f.StaleAfter
	sh.freshness = f
	if sh.sales.File != "" {
		return nil
	}
	sh.freshness.NewestAt, err = db.Read(ctx, s.Store, func(tx *db.Tx) (time.Time, error) { return tx.NewestSale(sh.owner) })
	return err
}

// week returns the last 7 complete days with data: to yesterday, or to the newest sale if
// the data are stale.
func (sh sources) week() Span {
	end := sh.today.AddDate(0, 0, -1)
	if sh.freshness.Stale {
		end = sh.newest
	}
	return Span{end.AddDate(0, 0, -6), end}
}

// weekName names the days of week. They are not the last 7 days of a question, which count from
// today (H8).
func (sh sources) weekName() string {
	if sh.freshness.Stale {
		return "7 days to " + dayText(sh.week().To, sh.today)
	}
	return "7 days to yesterday"
}

// sells reports whether the shop's own tables have sales.
func (sh sources) sells() bool { return sh.sales != nil && sh.sales.File == "" }

// covers reports whether the data begin before a span does.
func (sh sources) covers(s Span) bool { return !sh.first.After(s.From) }

// Pulse computes the account's pulse. An account without data has no figures.
func (s *Service) Pulse(ctx context.Context, owner db.Account) (Pulse, error) {
	p, err := s.pulse(ctx, owner)
	if errors.Is(err, db.ErrNotFound) { // an import may have exchanged the rows meanwhile
		p, err = s.pulse(ctx, owner)
	}
	return p, err
}

func (s *Service) pulse(ctx context.Context, owner db.Account) (Pulse, error) {
	sh, err := s.lookAt(ctx, owner)
	if err != nil {
		return Pulse{}, err
	}
	return s.pulseOf(ctx, sh)
}

// pulseOf computes the pulse of the sources.
func (s *Service) pulseOf(ctx context.Context, sh sources) (Pulse, error) {
	p, err := s.figures(ctx, sh)
	if err == nil {
		p.Health, err = s.health(ctx, sh.owner, sh.sells())
	}
	return p, err
}

// figures computes the pulse of the sources without its health.
func (s *Service) figures(ctx context.Context, sh sources) (p Pulse, err error) {
	p = Pulse{AsOf: sh.now, Currency: sh.currency, Freshness: sh.freshness}
	if sh.sales != nil {
		p.Period = new(sh.week())
	}
	for _, group := range []func(context.Context, sources) ([]KPI, error){s.dayKPIs, s.weekKPIs, s.stockKPIs, s.orderKPIs, s.chargeKPIs} {
		kpis, err := group(ctx, sh)
		if err != nil {
			return Pulse{}, err
		}
		p.KPIs = append(p.KPIs, kpis...)
	}
	return p, nil
}

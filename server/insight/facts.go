package insight

import (
	"fmt"
	"time"

	"svc/db"
)

// facts are what the rules know of an account's shop: its rows of the last weeks, read in one
// transaction. Days are midnights in UTC, whatever the shop's zone.
type facts struct {
	tx       *db.Tx
	owner    db.Account
	today    time.Time
	first    time.Time // day of the first sale; zero: there is none
	last     time.Time // day of the newest sale
	gaps     []float64 // days between days with sales, in the 90 days up to the last
	stale    bool      // data_stale holds
	until    time.Time // sales before this day count: tomorrow's, or the one after the last
	complete time.Time // until, without a day that has not ended
	days     map[string]db.TradeDay
	products []db.TradeProduct          // of recentDays and the days before
	sold     map[string]db.TradeProduct // those in the inventory, by item
	items    []db.Item
	orders   []db.TradeOrder
	orderOf  map[string]db.TradeOrder       // by id
	linesOf  map[string][]db.TradeOrderLine // by item
	leads    map[string][]float64           // days that orders took to arrive, by supplier
	allLeads []float64
	out      memory // subjects of stock_out
	ending   memory // subjects of days_of_cover
}

const (
	recentDays = 28
	beforeDays = 84
	orderDays  = 365 // how far back orders tell what is usual
	loadedDays = 130 // of days before the last one
	openDays   = 90
)

// readFacts reads the rows of the shop. memories has the subjects of the open alerts.
func readFacts(tx *db.Tx, owner db.Account, today time.Time, memories map[string]memory) (s *facts, err error) {
	s = &facts{tx: tx, owner: owner, today: today, days: map[string]db.TradeDay{}, sold: map[string]db.TradeProduct{}}
	first, last, err := tx.TradeEnds(owner.ID)
	if err != nil {
		return nil, err
	}
	s.last = earlier(parseDay(last), today) // a sale may be dated tomorrow
	if err := s.readDays(parseDay(first)); err != nil {
		return nil, err
	}
	s.until, s.complete = next(today), today
	if s.stale = s.isStale(memories[kindStale]); s.stale {
		s.until, s.complete = next(s.last), next(s.last)
	}
	s.products, err = tx.TradeProducts(s.span(s.until.AddDate(0, 0, -recentDays-beforeDays), s.until), name(s.until.AddDate(0, 0, -recentDays)))
	for _, p := range s.products {
		if p.ItemID != "" {
			s.sold[p.ItemID] = p
		}
	}
	if err == nil {
		err = s.readItems()
	}
	if err == nil {
		err = s.readOrders()
	}
	return s, err
}

// readItems reads the items whose stock is known.
func (s *facts) readItems() error {
	const page = 1000
	for after := ""; ; {
		items, err := s.tx.Items(s.owner.ID, after, page)
		if err != nil {
			return err
		}
		for _, i := range items {
			if after = i.ID; i.StockMilli != nil {
				s.items = append(s.items, i)
			}
		}
		if len(items) < page {
			return nil
		}
	}
}

func (s *facts) readOrders() error {
	orders, lines, err := s.tx.TradeOrders(s.owner.ID, name(s.today.AddDate(0, 0, -orderDays)))
	s.orders, s.orderOf, s.linesOf, s.leads = orders, map[string]db.TradeOrder{}, map[string][]db.TradeOrderLine{}, map[string][]float64{}
	for _, o := range orders {
		s.orderOf[o.ID] = o
		if o.Received != "" {
			took := daysBetween(parseDay(o.Ordered), parseDay(o.Received))
			s.leads[o.Supplier] = append(s.leads[o.Supplier], took)
			s.allLeads = append(s.allLeads, took)
		}
	}
	for _, l := range lines {
		s.linesOf[l.ItemID] = append(s.linesOf[l.ItemID], l)
	}
	return err
}

// readDays reads the days up to the last one with a sale.
func (s *facts) readDays(first time.Time) error {
	s.first = first
	days, err := s.tx.TradeDays(s.span(s.last.AddDate(0, 0, -loadedDays), next(s.last)))
	if err != nil {
		return err
	}
	var previous time.Time
	for _, d := range days {
		s.days[d.Day] = d
		day := parseDay(d.Day)
		if !previous.IsZero() && daysBetween(day, s.last) < openDays {
			s.gaps = append(s.gaps, daysBetween(previous, day))
		}
		previous = day
	}
	return nil
}

// isStale reports whether data_stale holds, on which the days of all other rules depend.
func (s *facts) isStale(m memory) bool {
	if len(s.gaps) < leastDays-1 {
		return false
	}
	silent, usual := daysBetween(s.last, s.today), s.usualGap()
	return m.holds(whole, silent > max(2, usual+staleAfter), silent <= max(1, usual+staleUntil))
}

// usualGap returns the 95th percentile of the gaps between days with sales.
func (s *facts) usualGap() float64 { return percentile(s.gaps, 0.95) }

func (s *facts) span(from, to time.Time) db.TradeSpan {
	return db.TradeSpan{AccountID: s.owner.ID, Currency: s.owner.Profile.Currency, From: name(from), To: name(to)}
}

// sum adds up the days from the first to before the other.
func (s *facts) sum(from, to time.Time) (all db.TradeDay) {
	for day := from; day.Before(to); day = next(day) {
		all = plus(all, s.days[name(day)])
	}
	return all
}

func plus(a, b db.TradeDay) db.TradeDay {
	return db.TradeDay{
		Sales: a.Sales + b.Sales, Gross: a.Gross + b.Gross, Refunded: a.Refunded + b.Refunded, Refunds: a.Refunds + b.Refunds,
		Costed: a.Costed + b.Costed, Cost: a.Cost + b.Cost,
	}
}

// parseDay returns the zero time for an empty text, and for one that is no day.
func parseDay(text string) time.Time {
	day, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return time.Time{}
	}
	return day
}

func name(day time.Time) string { return day.Format(time.DateOnly) }

func next(day time.Time) time.Time { return day.AddDate(0, 0, 1) }

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func daysBetween(from, to time.Time) float64 { return to.Sub(from).Hours() / 24 }

// token identifies the data that an evaluation is of.
func token(tx *db.Tx, owner db.Account, today time.Time) (string, error) {
	stamp, err := tx.ShopStamp(owner.ID)
	return fmt.Sprint(stamp, name(today), owner.Profile.Currency), err
}

package inventory

import (
	"context"
	"time"

	"svc/db"
	"svc/server/zone"
)

const (
	soldDays = 30  // that an item's sales are summed over
	leastOf  = 14  // days of sales from which a rate is told
	lookBack = 365 // days in which a last sale is looked for
)

// Sold is what an account sold of an item.
type Sold struct {
	db.ItemSales
	Known bool // the account has sales
	Days  int  // that Milli and Amount are of: fewer than soldDays if its sales begin later
	// Lasts is the number of days for which the stock lasts at that rate; nil if it cannot be
	// told.
	Lasts *int64
}

// SoldOf returns the sales of an item up to today in the account's zone. Today counts: what was
// sold today is no stock any more.
func (s *Service) SoldOf(ctx context.Context, owner db.Account, i db.Item) (sold Sold, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		first, _, err := tx.TradeEnds(owner.ID)
		if err != nil || first == "" {
			return err
		}
		today := tx.Now().In(zone.Of(owner.Profile.Timezone))
		day := func(back int) string { return today.AddDate(0, 0, -back).Format(time.DateOnly) }
		sold.Known, sold.Days = true, soldDays
		for sold.Days > 1 && day(sold.Days-1) < first {
			sold.Days--
		}
		span := db.TradeSpan{AccountID: owner.ID, Currency: owner.Profile.Currency, From: day(lookBack - 1), To: day(-1)}
		sold.ItemSales, err = tx.ItemSales(span, i.ID, day(soldDays-1))
		return err
	})
	if err == nil && sold.Days >= leastOf && sold.Milli > 0 && i.StockMilli != nil && *i.StockMilli > 0 {
		lasts := int64(float64(*i.StockMilli) / float64(sold.Milli) * float64(sold.Days))
		sold.Lasts = &lasts
	}
	return sold, err
}

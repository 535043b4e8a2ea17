package db

// ItemSales sums what was sold of an item in the account's currency, net of returns.
type ItemSales struct {
	Milli  int64 // since a day
	Amount int64
	Last   string // last day of sale in the span, or ""
}

var (
	sumItemSales = newQuery(`
SELECT coalesce(sum(l.quantity_milli) FILTER (WHERE s.sold_local >= $6), 0), coalesce(sum(l.amount) FILTER (WHERE s.sold_local >= $6), 0),
  coalesce(substr(max(s.sold_local) FILTER (WHERE l.quantity_milli > 0), 1, 10), '')` + tradeLines + `
  AND s.status = 'completed' AND l.item_id = $5`)
)

// ItemSales returns the completed sales of an item: what was sold since a day of a span, and
// when it was last sold in all of it. It reads the account's sales of the span: use it in a
// LongView.
func (tx *Tx) ItemSales(s TradeSpan, itemID, since string) (sold ItemSales, err error) {
	err = tx.row(sumItemSales, s.args(itemID, since), &sold.Milli, &sold.Amount, &sold.Last)
	return sold, err
}

package db

import (
	"time"

	"svc/db/event"
)

// The events that follow from rows are emitted here, in the transaction of their cause, so
// that they do not depend on who causes it: a push, a command, an import or the console.

const (
	// announcedFor is the age up to which a sale or a receipt of goods is news (K8). Older
	// ones are history that is being loaded.
	announcedFor = 48 * time.Hour
	// lowEvery is the least time between two events stock.low of an item (K8).
	lowEvery = 24 * time.Hour
	// DefaultReorderMilli is the reorder point of items that have none (K8), in thousandths:
	// of events, of the inventory, and, by ShopFrom, of every figure and question.
	DefaultReorderMilli = 5_000
	defaultReorderSQL   = "5000"
)

var (
	announceOrder = newQuery(`UPDATE purchase_orders SET announced = 1 WHERE account_id = $1 AND id = $2 AND announced = 0`)
	markLow       = newQuery(`UPDATE items SET low_at = $3 WHERE account_id = $1 AND id = $2 AND (low_at <= $4 OR low_at > $3)`)
)

// MarkPast makes the changes of this transaction emit no events: they are history, such as
// that of the demo's shop.
func (tx *Tx) MarkPast() { tx.isPast = true }

// isNews reports whether what happened at a time is announced.
func (tx *Tx) isNews(at time.Time) bool { return !tx.isPast && tx.Now().Sub(at) <= announcedFor }

// announceSale emits sale.created for a sale that was stored for the first time. One that
// came refunded or cancelled is no sale any more.
func (tx *Tx) announceSale(s Sale) error {
	if s.Status != Completed || !tx.isNews(s.SoldAt) {
		return nil
	}
	data := event.Sale{
		ID: s.ID, ExternalID: s.ExternalID, OccurredAt: s.SoldAt.UTC(), Currency: s.Currency, CustomerID: textOrNil(s.Customer),
		ItemCount: len(s.Lines), Items: []event.Line{},
	}
	for _, l := range s.Lines {
		amount, _, err := l.amounts()
		if err != nil {
			return err
		}
		data.Total += amount
		data.Items = append(data.Items, event.Line{
			ProductID: textOrNil(l.ItemID), SKU: textOrNil(l.SKU), Name: l.Name, Quantity: ofMilli(l.QuantityMilli),
			Price: &l.Price, CostPrice: l.CostPrice, Amount: amount,
		})
	}
	_, err := tx.Emit(s.AccountID, data)
	return err
}

// announceReceipt emits purchase_order.received, once for each order.
func (tx *Tx) announceReceipt(p PurchaseOrder) error {
	if !tx.isNews(p.ReceivedAt) {
		return nil
	}
	if n, err := tx.execCount(announceOrder, p.AccountID, p.ID); err != nil || n == 0 {
		return err
	}
	owner, err := tx.Account(p.AccountID)
	if err != nil {
		return err
	}
	data := event.PurchaseOrder{
		ID: p.ID, ExternalID: p.ExternalID, Supplier: p.Supplier, OrderedAt: p.OrderedAt.UTC(), ReceivedAt: p.ReceivedAt.UTC(),
		Currency: owner.Profile.Currency, ItemCount: len(p.Lines), Items: []event.Line{},
	}
	for _, l := range p.Lines {
		amount, ok := LineAmount(l.QuantityMilli, l.CostPrice)
		if !ok {
			return ErrAmount
		}
		data.Total += amount
		data.Items = append(data.Items, event.Line{
			ProductID: textOrNil(l.ItemID), SKU: textOrNil(l.SKU), Name: l.Name, Quantity: ofMilli(l.QuantityMilli),
			CostPrice: &l.CostPrice, Amount: amount,
		})
	}
	_, err = tx.Emit(p.AccountID, data)
	return err
}

// announceLow emits stock.low if a move took an item's stock from above its reorder point to
// that or below. Before is the item before the move. An item is announced once in lowEvery,
// by a sale, a count or any other move. If it was announced while the clock was ahead, it is
// announced again.
func (tx *Tx) announceLow(before Item, stockMilli int64, reason string) error {
	if tx.isPast || before.StockMilli == nil || *before.StockMilli <= stockMilli {
		return nil
	}
	item, err := tx.Item(before.AccountID, before.ID) // the same change may have set the reorder point
	if err != nil {
		return err
	}
	point := int64(DefaultReorderMilli)
	if item.ReorderMilli != nil {
		point = *item.ReorderMilli
	}
	if *before.StockMilli <= point || stockMilli > point {
		return nil
	}
	if n, err := tx.execCount(markLow, item.AccountID, item.ID, tx.nowMs(), tx.Now().Add(-lowEvery).UnixMilli()); err != nil || n == 0 {
		return err
	}
	_, err = tx.Emit(item.AccountID, event.Stock{
		ProductID: item.ID, SKU: textOrNil(item.SKU), Name: item.Name, Unit: textOrNil(item.Unit),
		StockQty: ofMilli(stockMilli), ReorderPoint: ofMilli(point), Reason: reason,
	})
	return err
}

// textOrNil returns nil for the empty text.
func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// ofMilli returns a quantity in thousandths as a number.
func ofMilli(milli int64) float64 { return float64(milli) / 1000 }

package db

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// PurchaseOrder is an order of the shop with a supplier, in the account's currency. It is
// placed, which moves no stock, and received once, which raises the stock of its items
// (I3). As with a sale, recording the same order again under its external id changes
// nothing, and recording another replaces it.
type PurchaseOrder struct {
	ID         string `json:"-"`
	AccountID  string `json:"-"`
	ExternalID string
	Supplier   string
	OrderedAt  time.Time // in the shop's zone
	ReceivedAt time.Time // zero if not received
	Lines      []PurchaseLine
	CreatedAt  time.Time `json:"-"`
	Digest     []byte    `json:"-"` // of a pushed record, as with Sale
}

// Received reports whether the goods have arrived.
func (p PurchaseOrder) Received() bool { return !p.ReceivedAt.IsZero() }

// PurchaseLine is a quantity of one product.
type PurchaseLine struct {
	ItemID        string // empty if it is not in the inventory
	Given         Label  `json:"-"` // as with SaleLine
	Name          string
	SKU           string
	QuantityMilli int64
	CostPrice     int64 // minor units, of one piece
}

const purchaseOrderColumns = `id, account_id, external_id, supplier, ordered_at, ordered_local, received_at, received_local, digest, created_at`

var (
	insertPurchaseOrder = newQuery(`
INSERT INTO purchase_orders (` + purchaseOrderColumns + `, status)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`)

	changePurchaseOrder = newQuery(`
UPDATE purchase_orders
SET supplier = $3, ordered_at = $4, ordered_local = $5, received_at = $6, received_local = $7, status = $8, digest = $9
WHERE account_id = $1 AND id = $2`)

	purchaseOrderByExternalID = newQuery(`
SELECT ` + purchaseOrderColumns + `
FROM purchase_orders
WHERE account_id = $1 AND external_id = $2`)

	insertPurchaseLine = newQuery(`
INSERT INTO purchase_order_lines (account_id, purchase_order_id, line, item_id, name, sku, quantity_milli, cost_price,
  amount, moved_milli)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	linesOfPurchaseOrder = newQuery(`
SELECT item_id, name, sku, quantity_milli, cost_price
FROM purchase_order_lines
WHERE account_id = $1 AND purchase_order_id = $2
ORDER BY line`)

	movesOfPurchaseOrder = newQuery(`
SELECT item_id, name, sku, quantity_milli, moved_milli
FROM purchase_order_lines
WHERE account_id = $1 AND purchase_order_id = $2`)

	deletePurchaseLines = newQuery(`DELETE FROM purchase_order_lines WHERE account_id = $1 AND purchase_order_id = $2`)
)

func scanPurchaseOrder(row scanner) (p PurchaseOrder, err error) {
	var ordered int64
	var orderedLocal, receivedLocal string
	var received sql.NullInt64
	err = row.Scan(&p.ID, &p.AccountID, &p.ExternalID, &p.Supplier, &ordered, &orderedLocal,
		&received, nullable(&receivedLocal), &p.Digest, timestamp(&p.CreatedAt))
	if err != nil {
		return p, err
	}
	if p.OrderedAt, err = shopTime(ordered, orderedLocal); err == nil && received.Valid {
		p.ReceivedAt, err = shopTime(received.Int64, receivedLocal)
	}
	return p, err
}

func scanPurchaseLine(row scanner) (l PurchaseLine, err error) {
	err = row.Scan(&l.ItemID, &l.Name, &l.SKU, &l.QuantityMilli, &l.CostPrice)
	return l, err
}

// PurchaseOrder finds the account's purchase order of an external id.
func (tx *Tx) PurchaseOrder(accountID, externalID string) (PurchaseOrder, error) {
	p, err := one(tx, purchaseOrderByExternalID, scanPurchaseOrder, accountID, externalID)
	if err != nil {
		return PurchaseOrder{}, err
	}
	p.Lines, err = collect(tx, linesOfPurchaseOrder, scanPurchaseLine, accountID, p.ID)
	return p, err
}

// PutPurchaseOrder records a purchase order of p.AccountID, placed or received, and moves
// the stock of its items. The first time that it is received emits purchase_order.received,
// unless that was longer ago than announcedFor. ErrAmount: a line is too large, and nothing
// was changed.
func (tx *Tx) PutPurchaseOrder(p PurchaseOrder) (PurchaseOrder, Outcome, error) {
	old, outcome, err := tx.ComparePurchaseOrder(p)
	if err == nil && (outcome != Unchanged || !bytes.Equal(old.Digest, p.Digest)) {
		p.ID, p.CreatedAt = old.ID, old.CreatedAt
		err = tx.storePurchaseOrder(&p, outcome, old.Received())
		if err == nil && p.Received() && !old.Received() {
			err = tx.announceReceipt(p)
		}
		old = p
	}
	if err != nil {
		return PurchaseOrder{}, "", fmt.Errorf("put purchase order: %w", err)
	}
	return old, outcome, nil
}

// ComparePurchaseOrder returns the stored order of p.ExternalID, the zero value if there is
// none, and what PutPurchaseOrder would do. It writes nothing.
func (tx *Tx) ComparePurchaseOrder(p PurchaseOrder) (PurchaseOrder, Outcome, error) {
	for _, l := range p.Lines {
		if _, ok := LineAmount(l.QuantityMilli, l.CostPrice); !ok {
			return PurchaseOrder{}, "", ErrAmount
		}
	}
	old, err := one(tx, purchaseOrderByExternalID, scanPurchaseOrder, p.AccountID, p.ExternalID)
	if err == nil && isRepeat(old.Digest, p.Digest) {
		return old, Unchanged, nil
	}
	if err == nil {
		old.Lines, err = collect(tx, linesOfPurchaseOrder, scanPurchaseLine, old.AccountID, old.ID)
	}
	outcome, err := outcomeOf(err, err == nil && sameRecord(old, p))
	return old, outcome, err
}

// storePurchaseOrder writes an order. One that is unchanged gets the digest of its record.
// moved reports whether the order that it replaces moved stocks.
func (tx *Tx) storePurchaseOrder(p *PurchaseOrder, outcome Outcome, moved bool) error {
	status, received, receivedLocal := "ordered", nullMillis(p.ReceivedAt), sql.NullString{}
	if p.Received() {
		status, receivedLocal = "received", nullString(p.ReceivedAt.Format(wallClock))
	}
	ordered, orderedLocal := p.OrderedAt.UnixMilli(), p.OrderedAt.Format(wallClock)
	if outcome != Inserted {
		err := tx.execOne(changePurchaseOrder, p.AccountID, p.ID, p.Supplier, ordered, orderedLocal,
			received, receivedLocal, status, p.Digest)
		if err != nil || outcome == Unchanged {
			return err
		}
	} else {
		p.ID, p.CreatedAt = tx.newID("po_"), tx.Now()
		err := tx.exec(insertPurchaseOrder, p.ID, p.AccountID, p.ExternalID, p.Supplier, ordered, orderedLocal,
			received, receivedLocal, p.Digest, tx.nowMs(), status)
		if err != nil {
			return err
		}
	}
	if err := tx.putPurchaseLines(*p, moved); err != nil {
		return err
	}
	return tx.bumpShopVersion(p.AccountID)
}

// MarshalJSON writes the order as it is stored.
func (p PurchaseOrder) MarshalJSON() ([]byte, error) {
	type plain PurchaseOrder
	c := plain(p)
	c.OrderedAt, c.ReceivedAt, c.Lines = asStored(p.OrderedAt), asStored(p.ReceivedAt), append([]PurchaseLine{}, p.Lines...)
	return json.Marshal(c)
}

func (tx *Tx) putPurchaseLines(p PurchaseOrder, replacesMoved bool) error {
	moves, err := tx.revertMoves(movesOfPurchaseOrder, deletePurchaseLines, p.AccountID, p.ID, replacesMoved)
	if err != nil {
		return err
	}
	for i, l := range p.Lines {
		amount, ok := LineAmount(l.QuantityMilli, l.CostPrice)
		if !ok {
			return ErrAmount
		}
		moved := int64(0)
		if p.Received() {
			if moved, err = tx.planMove(moves, p.AccountID, l.ItemID, l.Given, l.QuantityMilli); err != nil {
				return err
			}
		}
		err := tx.exec(insertPurchaseLine, p.AccountID, p.ID, i+1, l.ItemID, l.Name, l.SKU, l.QuantityMilli, l.CostPrice, amount, moved)
		if err != nil {
			return err
		}
	}
	return tx.applyMoves(p.AccountID, moves, cause{reason: MovedByPurchase, record: p.ExternalID})
}

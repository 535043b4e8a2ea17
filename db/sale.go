package db

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"
)

// Sale is one sale with its lines. Its external id comes from the account: recording the
// same sale again under it changes nothing, and recording another replaces the first
// (I2). A completed sale lowers the stock of its items by the quantities of its lines (I3),
// with a row for each item in stock_moves; one that is refunded or cancelled gives it back.
type Sale struct {
	ID         string `json:"-"`
	AccountID  string `json:"-"`
	ExternalID string
	Customer   string    // external id of the customer, who may be recorded later; empty if unknown
	Currency   string    // ISO 4217, lower case
	SoldAt     time.Time // in the shop's zone, whose local time is stored too
	Status     SaleStatus
	Lines      []SaleLine
	CreatedAt  time.Time `json:"-"`
	// Digest identifies a pushed record, which is not compared further if it comes again;
	// nil: the sale was not pushed.
	Digest []byte `json:"-"`
}

// SaleStatus is what became of a sale. Empty is Completed.
type SaleStatus string

// The states.
const (
	Completed SaleStatus = "completed"
	Refunded  SaleStatus = "refunded"  // the money and the goods went back
	Cancelled SaleStatus = "cancelled" // it never took place
)

// SaleLine is a quantity of one product.
type SaleLine struct {
	ItemID        string // empty if it is not in the inventory
	Given         Label  `json:"-"` // what Name and SKU are without an item; not stored
	Name          string
	SKU           string
	QuantityMilli int64  // thousandths; below zero for a return
	Price         int64  // minor units, of one piece
	Discount      int64  // minor units, of the line
	CostPrice     *int64 // minor units, of one piece
}

// Outcome is what recording a row did.
type Outcome string

// The outcomes.
const (
	Inserted  Outcome = "inserted"
	Updated   Outcome = "updated"
	Unchanged Outcome = "unchanged"
)

// outcomeOf returns what recording a row does. The arguments are the error of looking for
// its old state, and whether that is the same as the new one. Other errors are returned.
func outcomeOf(findErr error, same bool) (Outcome, error) {
	switch {
	case errors.Is(findErr, ErrNotFound):
		return Inserted, nil
	case findErr != nil:
		return "", findErr
	case same:
		return Unchanged, nil
	}
	return Updated, nil
}

// ErrAmount: a price times its quantity is too large to be stored.
var ErrAmount = errors.New("the amount is too large")

const saleColumns = `id, account_id, external_id, customer, currency, sold_at, sold_local, status, digest, created_at`

var (
	insertSale = newQuery(`
INSERT INTO sales (` + saleColumns + `)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`)

	changeSale = newQuery(`
UPDATE sales
SET customer = $3, currency = $4, sold_at = $5, sold_local = $6, status = $7, digest = $8
WHERE account_id = $1 AND id = $2`)

	saleByExternalID = newQuery(`SELECT ` + saleColumns + ` FROM sales WHERE account_id = $1 AND external_id = $2`)

	insertSaleLine = newQuery(`
INSERT INTO sale_lines (account_id, sale_id, line, item_id, name, sku, quantity_milli, price, discount, amount,
  cost_price, cost, moved_milli)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`)

	linesOfSale = newQuery(`
SELECT item_id, name, sku, quantity_milli, price, discount, cost_price
FROM sale_lines
WHERE account_id = $1 AND sale_id = $2
ORDER BY line`)

	movesOfSale = newQuery(`
SELECT item_id, name, sku, -quantity_milli, moved_milli
FROM sale_lines
WHERE account_id = $1 AND sale_id = $2`)

	deleteSaleLines = newQuery(`DELETE FROM sale_lines WHERE account_id = $1 AND sale_id = $2`)
)

// wallClock is the stored form of a shop's local time.
const wallClock = "2006-01-02 15:04:05"

func scanSale(row scanner) (s Sale, err error) {
	var sold int64
	var local string
	err = row.Scan(&s.ID, &s.AccountID, &s.ExternalID, &s.Customer, &s.Currency, &sold, &local, &s.Status, &s.Digest, timestamp(&s.CreatedAt))
	if err != nil {
		return s, err
	}
	s.SoldAt, err = shopTime(sold, local)
	return s, err
}

// shopTime combines a moment with the shop's local time at that moment.
func shopTime(ms int64, local string) (time.Time, error) {
	at := millis(ms)
	clock, err := time.Parse(wallClock, local)
	if err != nil {
		return time.Time{}, fmt.Errorf("shop time: %w", err)
	}
	offset := int(clock.Sub(at.Truncate(time.Second)).Seconds())
	return at.In(time.FixedZone("", offset)), nil
}

func scanSaleLine(row scanner) (l SaleLine, err error) {
	err = row.Scan(&l.ItemID, &l.Name, &l.SKU, &l.QuantityMilli, &l.Price, &l.Discount, &l.CostPrice)
	return l, err
}

// Sale finds the account's sale of an external id.
func (tx *Tx) Sale(accountID, externalID string) (Sale, error) {
	s, err := one(tx, saleByExternalID, scanSale, accountID, externalID)
	if err != nil {
		return Sale{}, err
	}
	s.Lines, err = collect(tx, linesOfSale, scanSaleLine, accountID, s.ID)
	return s, err
}

// PutSale records a sale of s.AccountID and moves the stock of its items. A sale that is new
// and not older than announcedFor emits sale.created. ErrAmount: a line is too large, and
// nothing was changed.
func (tx *Tx) PutSale(s Sale) (Sale, Outcome, error) {
	s.Status = cmp.Or(s.Status, Completed)
	old, outcome, err := tx.CompareSale(s)
	if err == nil && (outcome != Unchanged || !bytes.Equal(old.Digest, s.Digest)) {
		s.ID, s.CreatedAt = old.ID, old.CreatedAt
		err = tx.storeSale(&s, outcome, old.Status == Completed)
		old = s
	}
	if err != nil {
		return Sale{}, "", fmt.Errorf("put sale: %w", err)
	}
	return old, outcome, nil
}

// CompareSale returns the stored sale of s.ExternalID, the zero value if there is none, and
// what PutSale would do. It writes nothing.
func (tx *Tx) CompareSale(s Sale) (Sale, Outcome, error) {
	for _, l := range s.Lines {
		if _, _, err := l.amounts(); err != nil {
			return Sale{}, "", err
		}
	}
	old, err := one(tx, saleByExternalID, scanSale, s.AccountID, s.ExternalID)
	if err == nil && isRepeat(old.Digest, s.Digest) {
		return old, Unchanged, nil
	}
	if err == nil {
		old.Lines, err = collect(tx, linesOfSale, scanSaleLine, old.AccountID, old.ID)
	}
	s.Status = cmp.Or(s.Status, Completed)
	outcome, err := outcomeOf(err, err == nil && sameRecord(old, s))
	return old, outcome, err
}

// isRepeat reports whether a pushed record is the one that is stored.
func isRepeat(stored, pushed []byte) bool { return pushed != nil && bytes.Equal(stored, pushed) }

// storeSale writes a sale. One that is unchanged gets the digest of its record. moved reports
// whether the sale that it replaces moved stocks.
func (tx *Tx) storeSale(s *Sale, outcome Outcome, moved bool) error {
	sold, local := s.SoldAt.UnixMilli(), s.SoldAt.Format(wallClock)
	if outcome != Inserted {
		err := tx.execOne(changeSale, s.AccountID, s.ID, s.Customer, s.Currency, sold, local, s.Status, s.Digest)
		if err != nil || outcome == Unchanged {
			return err
		}
	} else {
		s.ID, s.CreatedAt = tx.newID("sale_"), tx.Now()
		err := tx.exec(insertSale, s.ID, s.AccountID, s.ExternalID, s.Customer, s.Currency, sold, local, s.Status, s.Digest, tx.nowMs())
		if err == nil {
			err = tx.announceSale(*s)
		}
		if err != nil {
			return err
		}
	}
	CrashPoint("sale-" + s.ExternalID)
	if err := tx.putSaleLines(*s, moved); err != nil {
		return err
	}
	return tx.bumpShopVersion(s.AccountID)
}

// sameRecord reports whether two records are equal apart from their ids. Times are
// compared as they are stored.
func sameRecord(a, b any) bool {
	one, err := json.Marshal(a)
	other, err2 := json.Marshal(b)
	return err == nil && err2 == nil && string(one) == string(other)
}

// MarshalJSON writes the sale as it is stored.
func (s Sale) MarshalJSON() ([]byte, error) {
	type plain Sale
	p := plain(s)
	p.SoldAt, p.Lines = asStored(s.SoldAt), append([]SaleLine{}, s.Lines...)
	return json.Marshal(p)
}

// asStored returns a time in the precision that the store keeps.
func asStored(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	_, offset := t.Zone()
	return t.Truncate(time.Millisecond).In(time.FixedZone("", offset))
}

// amounts returns the line's amount after its discount, and the cost of its pieces.
func (l SaleLine) amounts() (amount int64, cost *int64, err error) {
	amount, ok := LineAmount(l.QuantityMilli, l.Price)
	if !ok || l.Discount > math.MaxInt64/4 || l.Discount < -math.MaxInt64/4 {
		return 0, nil, ErrAmount
	}
	if l.CostPrice != nil {
		n, ok := LineAmount(l.QuantityMilli, *l.CostPrice)
		if !ok {
			return 0, nil, ErrAmount
		}
		cost = &n
	}
	return amount - l.Discount, cost, nil
}

func (tx *Tx) putSaleLines(s Sale, replacesMoved bool) error {
	moves, err := tx.revertMoves(movesOfSale, deleteSaleLines, s.AccountID, s.ID, replacesMoved)
	if err != nil {
		return err
	}
	for i, l := range s.Lines {
		amount, cost, err := l.amounts()
		if err != nil {
			return err
		}
		moved := int64(0)
		if s.Status == Completed {
			if moved, err = tx.planMove(moves, s.AccountID, l.ItemID, l.Given, -l.QuantityMilli); err != nil {
				return err
			}
		}
		err = tx.exec(insertSaleLine, s.AccountID, s.ID, i+1, l.ItemID, l.Name, l.SKU, l.QuantityMilli, l.Price, l.Discount,
			amount, l.CostPrice, cost, moved)
		if err != nil {
			return err
		}
	}
	return tx.applyMoves(s.AccountID, moves, cause{reason: MovedBySale, record: s.ExternalID})
}

// LineAmount returns a quantity in thousandths times a price, rounded half away from
// zero. It reports false if the product is too large.
func LineAmount(quantityMilli, price int64) (int64, bool) {
	if price != 0 && (quantityMilli > math.MaxInt64/4/max(price, -price) || quantityMilli < -math.MaxInt64/4/max(price, -price)) {
		return 0, false
	}
	product := quantityMilli * price
	half := int64(500)
	if product < 0 {
		half = -half
	}
	return (product + half) / 1000, true
}

package push

import (
	"cmp"
	"errors"

	"svc/db"
	"svc/server/gtin"
)

// maxAmount bounds a price and the amount of a line, in minor units, and maxQuantity a
// quantity, in thousandths, so that no sum of them overflows.
const (
	maxAmount   = 1_000_000_000_000
	maxQuantity = 1_000_000_000_000
)

// lineAmount returns the amount of a line without its sign, as it is stored, and reports
// whether it is at most maxAmount.
func lineAmount(quantityMilli, price int64) (int64, bool) {
	amount, ok := db.LineAmount(max(quantityMilli, -quantityMilli), price)
	return amount, ok && amount <= maxAmount
}

// ref is how an item of a sale or an order names its product.
type ref struct{ productID, sku, barcode, name string }

// find finds the product: by its id, which is the inventory's or its external_id, else by SKU,
// by barcode, or by its exact name or alias. A name that several products have finds none of
// them. Without a product it returns db.ErrNotFound.
func (r ref) find(tx *db.Tx, accountID string) (db.Item, error) {
	for _, by := range []struct {
		value string
		find  func(accountID, value string) (db.Item, error)
	}{
		{r.productID, tx.Item}, {r.productID, tx.ItemByExternalID}, {r.sku, tx.ItemBySKU},
		{gtin.Key(r.barcode), tx.ItemByBarcode}, {r.name, tx.ItemByName}, {r.name, tx.ItemByAlias},
	} {
		if by.value == "" {
			continue
		}
		item, err := by.find(accountID, by.value)
		if err == nil || !errors.Is(err, db.ErrNotFound) && !errors.Is(err, db.ErrConflict) {
			return item, err
		}
	}
	return db.Item{}, db.ErrNotFound
}

// shown returns the name and the SKU of a line: the product's, else those that were given.
func (r ref) shown(item db.Item) (name, sku string) {
	if item.ID != "" {
		return item.Name, item.SKU
	}
	return cmp.Or(r.name, r.sku, r.barcode, r.productID), r.sku
}

// lookUp is find, with the zero value for an unknown product, whose line keeps its name and
// moves no stock (I2).
func (r ref) lookUp(tx *db.Tx, accountID string) (db.Item, error) {
	item, err := r.find(tx, accountID)
	if errors.Is(err, db.ErrNotFound) {
		return db.Item{}, nil
	}
	return item, err
}

// sale is a record of a sale.
type sale struct {
	db.Sale
	refs []ref // of the lines
}

// resolve finds the products of the lines. A line without a cost has that of its product.
func (s *sale) resolve(tx *db.Tx, owner db.Account) error {
	for i, r := range s.refs {
		item, err := r.lookUp(tx, owner.ID)
		if err != nil {
			return err
		}
		line := &s.Lines[i]
		line.ItemID = item.ID
		line.Name, line.SKU = r.shown(item)
		line.Given.Name, line.Given.SKU = r.shown(db.Item{})
		if line.CostPrice == nil && s.Currency == owner.Profile.Currency && item.CostPrice != nil {
			if _, ok := lineAmount(line.QuantityMilli, *item.CostPrice); ok {
				line.CostPrice = item.CostPrice
			}
		}
	}
	return nil
}

func (s *sale) compare(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.CompareSale(s.Sale)
	return outcome, err
}

func (s *sale) put(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.PutSale(s.Sale)
	return outcome, err
}

func (s *sale) weight(webhooks int) int { return 2 + 2*len(s.Lines) + webhooks }

// order is a record of a purchase order.
type order struct {
	db.PurchaseOrder
	refs       []ref
	isReceived bool
}

// resolve finds the products. An order that is received without a time was received when it
// was first said to be.
func (o *order) resolve(tx *db.Tx, owner db.Account) error {
	for i, r := range o.refs {
		item, err := r.lookUp(tx, owner.ID)
		if err != nil {
			return err
		}
		line := &o.Lines[i]
		line.ItemID = item.ID
		line.Name, line.SKU = r.shown(item)
		line.Given.Name, line.Given.SKU = r.shown(db.Item{})
	}
	if !o.isReceived || o.Received() {
		return nil
	}
	old, err := tx.PurchaseOrder(owner.ID, o.ExternalID)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	o.ReceivedAt = old.ReceivedAt
	if !o.Received() {
		o.ReceivedAt = tx.Now().In(o.OrderedAt.Location())
	}
	return nil
}

func (o *order) compare(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.ComparePurchaseOrder(o.PurchaseOrder)
	return outcome, err
}

func (o *order) put(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.PutPurchaseOrder(o.PurchaseOrder)
	return outcome, err
}

func (o *order) weight(webhooks int) int { return 2 + 2*len(o.Lines) + webhooks }

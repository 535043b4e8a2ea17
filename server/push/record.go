package push

import (
	"errors"
	"fmt"

	"svc/db"
	"svc/server/fault"
)

// record is a record that is well-formed.
type record struct {
	index    int // in the push, from 0
	kind, id string
	content
}

// content is a record of one type.
type content interface {
	// resolve looks up what the record refers to.
	resolve(tx *db.Tx, owner db.Account) error
	// compare returns what put would do, and writes nothing.
	compare(tx *db.Tx) (db.Outcome, error)
	put(tx *db.Tx) (db.Outcome, error)
	// weight is about the number of rows that it writes, with an event for each of so many
	// webhooks if it may emit one.
	weight(webhooks int) int
}

func put(tx *db.Tx, r record) (db.Outcome, error)     { return r.put(tx) }
func compare(tx *db.Tx, r record) (db.Outcome, error) { return r.compare(tx) }

// key tells records apart that replace each other.
func (r record) key() string { return r.kind + " " + r.id }

// explain turns what the store refuses into a fault of the record.
func (r record) explain(err error) error {
	switch {
	case errors.Is(err, db.ErrAmount):
		return fault.Invalid("items", db.ErrAmount.Error())
	case errors.Is(err, db.ErrConflict):
		return fault.Invalid("sku", "the SKU, the barcodes or the name belong to other products of the inventory")
	case errors.Is(err, db.ErrNameless):
		return fault.Invalid("name", "is required, since the inventory does not know the product")
	case errors.Is(err, db.ErrTooManyRows):
		return fault.Invalid("record", fmt.Sprintf("the pushed dataset has %d rows, which is the most", db.MaxPushedRows))
	case errors.Is(err, db.ErrOtherProduct):
		return fault.Invalid("external_id", "the product of this SKU, barcode or name was pushed under another external_id")
	}
	return err
}

// product is a record of a product.
type product struct{ db.Product }

func (p *product) resolve(*db.Tx, db.Account) error { return nil }

func (p *product) compare(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.CompareProduct(p.Product)
	return outcome, err
}

func (p *product) put(tx *db.Tx) (db.Outcome, error) { return tx.PutProduct(p.Product) }
func (p *product) weight(webhooks int) int           { return 2 + len(p.Change.Barcodes) + webhooks }

// customer is a record of a customer.
type customer struct{ db.Customer }

func (c *customer) resolve(*db.Tx, db.Account) error { return nil }

func (c *customer) compare(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.CompareCustomer(c.Customer)
	return outcome, err
}

func (c *customer) put(tx *db.Tx) (db.Outcome, error) {
	_, outcome, err := tx.PutCustomer(c.Customer)
	return outcome, err
}

func (c *customer) weight(int) int { return 1 }

// row is a record without a type.
type row struct{ db.PushedRow }

func (r *row) resolve(*db.Tx, db.Account) error      { return nil }
func (r *row) compare(tx *db.Tx) (db.Outcome, error) { return tx.CompareRow(r.PushedRow) }
func (r *row) put(tx *db.Tx) (db.Outcome, error)     { return tx.PutRow(r.PushedRow) }
func (r *row) weight(int) int                        { return 1 }

package push

import (
	"fmt"

	"svc/db"
	"svc/server/money"
	"svc/server/web"
)

func readRef(in web.Object) ref {
	r := ref{
		productID: text(in, "product_id", maxID), sku: text(in, "sku", maxSKU),
		barcode: text(in, "barcode", maxSKU), name: text(in, "name", maxName),
	}
	in.Require(r != ref{}, "name", "is required without a sku, a barcode and a product_id")
	return r
}

func (p *parser) sale(in web.Object, id string, digest []byte) content {
	s := &sale{Sale: db.Sale{
		AccountID: p.owner.ID, ExternalID: id, Digest: digest,
		Customer: text(in, "customer_id", maxID), SoldAt: p.moment(in, "occurred_at"), Status: db.Completed,
	}}
	in.Require(!s.SoldAt.IsZero(), "occurred_at", "is required")
	var isKnown bool
	s.Currency, isKnown = money.Known(in.TextOr("currency", maxCode, p.owner.Profile.Currency))
	in.Require(isKnown, "currency", "must be an ISO 4217 code, like gbp")
	switch status := db.SaleStatus(in.TextOr("status", maxCode, string(db.Completed))); status {
	case db.Completed, db.Refunded, db.Cancelled:
		s.Status = status
	default:
		in.Require(false, "status", "must be completed, refunded or cancelled")
	}
	for i, item := range in.Objects("items", maxItems) {
		p.look(item, itemPath(i), knownSaleLine)
		r, line := saleLine(item, s.Currency)
		s.refs, s.Lines = append(s.refs, r), append(s.Lines, line)
	}
	return s
}

// itemPath is what stands before the name of a field of an item.
func itemPath(i int) string { return fmt.Sprintf("items[%d].", i) }

// saleLine reads an item of a sale. A quantity below zero is a return (I4), and its discount
// lessens what is given back.
func saleLine(in web.Object, currency string) (ref, db.SaleLine) {
	r := readRef(in)
	line := db.SaleLine{
		QuantityMilli: required(in, "quantity", number(in, "quantity", quantityScale, maxQuantity)),
		Price:         required(in, "price", amount(in, "price", currency)),
		CostPrice:     amount(in, "cost_price", currency),
	}
	in.Require(line.QuantityMilli != 0, "quantity", "must not be 0")
	total := boundedAmount(in, "price", line.QuantityMilli, line.Price)
	if line.CostPrice != nil {
		boundedAmount(in, "cost_price", line.QuantityMilli, *line.CostPrice)
	}
	if discount := amount(in, "discount", currency); discount != nil {
		in.Require(*discount <= total, "discount", "must not exceed the price times the quantity")
		line.Discount = *discount
		if line.QuantityMilli < 0 {
			line.Discount = -line.Discount
		}
	}
	return r, line
}

func (p *parser) order(in web.Object, id string, digest []byte) content {
	o := &order{PurchaseOrder: db.PurchaseOrder{
		AccountID: p.owner.ID, ExternalID: id, Digest: digest,
		Supplier: requiredText(in, "supplier", maxName), OrderedAt: p.moment(in, "ordered_at"), ReceivedAt: p.moment(in, "received_at"),
	}}
	in.Require(!o.OrderedAt.IsZero(), "ordered_at", "is required")
	switch in.Text("status", maxCode) {
	case "received":
		o.isReceived = true
	case "ordered":
		in.Require(!o.Received(), "received_at", "must be absent unless the status is received")
	default:
		in.Require(false, "status", "must be ordered or received")
	}
	in.Require(!o.Received() || !o.ReceivedAt.Before(o.OrderedAt), "received_at", "must not be before ordered_at")
	for i, item := range in.Objects("items", maxItems) {
		p.look(item, itemPath(i), knownOrderLine)
		r, line := orderLine(item, p.owner.Profile.Currency)
		o.refs, o.Lines = append(o.refs, r), append(o.Lines, line)
	}
	return o
}

func orderLine(in web.Object, currency string) (ref, db.PurchaseLine) {
	r := readRef(in)
	line := db.PurchaseLine{
		QuantityMilli: required(in, "quantity", number(in, "quantity", quantityScale, maxQuantity)),
		CostPrice:     required(in, "cost_price", amount(in, "cost_price", currency)),
	}
	in.Require(line.QuantityMilli > 0, "quantity", "must be above 0")
	boundedAmount(in, "cost_price", line.QuantityMilli, line.CostPrice)
	return r, line
}

// boundedAmount returns the amount of a line at a price, which the field has.
func boundedAmount(in web.Object, field string, quantityMilli, price int64) int64 {
	amount, ok := lineAmount(quantityMilli, price)
	in.Require(ok, field, "times the quantity is out of range")
	return amount
}

package push

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/gtin"
	"svc/server/money"
	"svc/server/sheet"
	"svc/server/web"
)

// The most characters of a text.
const (
	maxID    = 200
	maxName  = 500 // also of categories, suppliers and regions
	maxSKU   = 100
	maxUnit  = 50
	maxEmail = 254
	maxPhone = 64
	maxCode  = 16 // of a currency or a state, longer than any
	maxTime  = 64
)

const (
	maxRecord   = 256 << 10 // bytes
	maxItems    = 200       // of a sale or an order
	maxBarcodes = 50

	quantityScale = 3
)

// Dates outside of these are mistakes (I2).
var firstDate = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

const mostAhead = 24 * time.Hour

// parser parses the records of one account.
type parser struct {
	owner db.Account
	zone  *time.Location
	now   time.Time

	index    int // of the record, from 0
	warnings []RecordWarning
	warned   map[string]bool // the kinds of these, see look
}

// record parses a record. The error is a *fault.Error with the field at fault.
func (p *parser) record(index int, raw []byte) (record, error) {
	if len(raw) > maxRecord {
		return record{}, fault.Invalid("record", fmt.Sprintf("must be at most %d KiB", maxRecord>>10))
	}
	in := web.ReadObject(raw)
	if in.Err() != nil {
		return record{}, fault.Invalid("record", "must be an object of valid JSON")
	}
	r := record{index: index, kind: in.TextOr("type", maxName, "")}
	own := in.TextOr("external_id", maxID, "")
	if in.Err() != nil {
		return record{}, in.Err()
	}
	digest, err := digestOf(raw)
	if err != nil {
		return record{}, err
	}
	r.id = idOf(own, digest)
	p.index = index
	if k, ok := knownRecords[r.kind]; ok {
		p.look(in, "", k)
	}
	switch r.kind {
	case "sale":
		r.content = p.sale(in, r.id, digest)
	case "product":
		r.content = p.product(in, own, digest)
	case "customer":
		r.content = p.customer(in, r.id, digest)
	case "purchase_order":
		r.content = p.order(in, r.id, digest)
	case "":
		if r.content, err = p.row(in, raw, r.id, digest); err != nil {
			return record{}, err
		}
	default:
		return record{}, fault.Invalid("type", "must be sale, product, customer or purchase_order, or be left out for rows of your own")
	}
	return r, in.Err()
}

// text reads an optional text on one line.
func text(in web.Object, field string, limit int) string {
	return strings.Join(strings.Fields(in.TextOr(field, limit, "")), " ")
}

// requiredText reads a required text on one line.
func requiredText(in web.Object, field string, limit int) string {
	return strings.Join(strings.Fields(in.Text(field, limit)), " ")
}

// number reads an optional number in units of 10^-places; nil if it is missing.
func number(in web.Object, field string, places int, most int64) *int64 {
	text, ok := in.Number(field)
	if !ok {
		return nil
	}
	n, err := units(text, places)
	switch {
	case errors.Is(err, sheet.ErrPlaces):
		in.Require(false, field, fmt.Sprintf("must have at most %d decimals", places))
	case err != nil || n > most || n < -most:
		in.Require(false, field, "is out of range")
	}
	return &n
}

// units returns a JSON number in units of 10^-places.
func units(text string, places int) (int64, error) {
	d, err := new(sheet.Numbers).ParseDecimal(text)
	if err != nil {
		return 0, err
	}
	return d.Units(places)
}

// amount reads an optional price or cost in units of the currency.
func amount(in web.Object, field, currency string) *int64 {
	n := number(in, field, money.Decimals(currency), maxAmount)
	in.Require(n == nil || *n >= 0, field, "must not be negative")
	return n
}

// required returns a number that must be there.
func required(in web.Object, field string, n *int64) int64 {
	in.Require(n != nil, field, "is required")
	if n == nil {
		return 0
	}
	return *n
}

// moment reads an optional time of RFC 3339, or a day, which begins at midnight. Without an
// offset it is in the account's zone.
func (p *parser) moment(in web.Object, field string) time.Time {
	text := strings.ToUpper(in.TextOr(field, maxTime, ""))
	if text == "" {
		return time.Time{}
	}
	at, ok := parseMoment(text, p.zone)
	in.Require(ok, field, "must be a time of RFC 3339, like 2026-03-01T14:05:00Z, or a day, like 2026-03-01")
	p.checkBounds(in, field, at)
	return at.In(p.zone)
}

func (p *parser) checkBounds(in web.Object, field string, at time.Time) {
	in.Require(!at.Before(firstDate), field, "must not be before the year 2000")
	in.Require(!at.After(p.now.Add(mostAhead)), field, "must not be more than 24 hours ahead")
}

func parseMoment(text string, zone *time.Location) (time.Time, bool) {
	if len(text) > len(time.DateOnly) && text[len(time.DateOnly)] == ' ' {
		text = text[:len(time.DateOnly)] + "T" + text[len(time.DateOnly)+1:]
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02T15:04", time.DateOnly} {
		if at, err := time.ParseInLocation(layout, text, zone); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}

func (p *parser) product(in web.Object, externalID string, digest []byte) content {
	currency := p.owner.Profile.Currency
	change := db.ItemChange{
		Name: text(in, "name", maxName), SKU: text(in, "sku", maxSKU), Unit: text(in, "unit", maxUnit), Category: text(in, "category", maxName),
		Price: amount(in, "price", currency), CostPrice: amount(in, "cost_price", currency),
		StockMilli: number(in, "stock_qty", quantityScale, maxQuantity), ReorderMilli: number(in, "reorder_point", quantityScale, maxQuantity),
	}
	in.Require(change.ReorderMilli == nil || *change.ReorderMilli >= 0, "reorder_point", "must not be negative")
	if raw := string(in.Fields["barcodes"]); raw != "" && raw != "null" {
		change.Barcodes = barcodes(in)
	}
	in.Require(change.Name != "" || change.SKU != "" || len(change.Barcodes) > 0 || externalID != "", "name", "is required")
	return &product{db.Product{AccountID: p.owner.ID, ExternalID: externalID, Digest: digest, Change: change}}
}

func barcodes(in web.Object) (keys []string) {
	all := in.Texts("barcodes")
	in.Require(len(all) <= maxBarcodes, "barcodes", fmt.Sprintf("must have at most %d entries", maxBarcodes))
	for _, code := range all {
		key := gtin.Key(code)
		in.Require(key != "" && len(key) <= maxSKU, "barcodes", fmt.Sprintf("must have from 1 to %d characters each", maxSKU))
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (p *parser) customer(in web.Object, id string, digest []byte) content {
	email := text(in, "email", maxEmail)
	if email != "" && !emailaddr.IsOne(email) {
		p.warn("customer email", "email", "is not an e-mail address, and was stored as it is")
	}
	return &customer{db.Customer{
		AccountID: p.owner.ID, ExternalID: id, Digest: digest,
		Name: requiredText(in, "name", maxName), Email: email,
		Phone: text(in, "phone", maxPhone), Region: text(in, "region", maxName),
	}}
}

// Package scan identifies the product on a photo: POST /api/v1/scan (seed 4.2).
//
// Recognizers look at the photo, the cheapest first (recognizer.go). Each detection is
// looked up in the inventory of the caller, or of a merchant who has granted it
// (lookup.go, F5). The first item found is the answer. Decoding photos, reading
// barcodes, asking models and matching names are packages of their own; the gate owns
// the price. No photo is stored (F1).
package scan

import (
	"encoding/json"
	"errors"
	"time"

	"golang.org/x/sync/semaphore"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/photo"
)

const (
	// decodeMemory bounds what decoding takes in the process, in bytes: a photo that needs
	// much waits until others are done. It covers any photo that is allowed.
	decodeMemory = photo.MaxMemory
	// Grace is the time that a scan may take beside the model's: for decoding, barcodes
	// and waiting for a turn.
	Grace = 5 * time.Second
	// PriceCents is what a scan by API costs, in US cents (seed 1); one in the console is free
	// (F8).
	PriceCents = 3
)

// Service identifies products.
type Service struct {
	store       *db.DB
	recognizers []recognizer
	inventories *inventories
	queue       *fairqueue.Queue    // for decoding photos and reading barcodes
	memory      *semaphore.Weighted // of decoding, in bytes
}

// Config names what a Service works with.
type Config struct {
	Store  *db.DB
	Vision Vision           // the zero Vision: only barcodes are read
	Queue  *fairqueue.Queue // of all heavy work
}

// New returns the service.
func New(c Config) *Service {
	return &Service{
		store:       c.Store,
		recognizers: newRecognizers(c.Vision),
		inventories: newInventories(c.Store),
		queue:       c.Queue,
		memory:      semaphore.NewWeighted(decodeMemory),
	}
}

// invalidImage returns a photo.Error as an Invalid of the field image.
func invalidImage(err error) error {
	var refused *photo.Error
	if !errors.As(err, &refused) {
		return err
	}
	return fault.Invalid("image", refused.Problem).Because(refused)
}

// found is the product on a photo.
type found struct {
	owner  string // of the inventory that was searched; empty: none
	itemID string // empty: the inventory does not have it
	name   string // as identified
	read   string // the name that was read off the photo, if any
	code   string // the barcode on the photo that counts, as printed; empty: none
	test   bool

	merchantID string // of the merchant whose inventory it is, if the request names one
}

// Answer is the body of seed 2.3. Its numbers are exact decimals, not floats. An unknown
// cost price is left out, since seed 2.3 has no null there.
type Answer struct {
	Found             bool            `json:"found"`
	InventoryID       *string         `json:"inventory_id"`
	Name              string          `json:"name"`
	Price             json.RawMessage `json:"price"`
	CostPrice         json.RawMessage `json:"cost_price,omitempty"`
	StockQty          json.RawMessage `json:"stock_qty"`
	Unit              *string         `json:"unit"`
	LowBalanceWarning bool            `json:"low_balance_warning,omitempty"`
	BalanceCents      *int64          `json:"balance_cents,omitempty"`
	TestMode          bool            `json:"test_mode,omitempty"`
}

// answer returns the answer with the fields of the item, if there is one.
func (f found) answer(tx *db.Tx) (Answer, error) {
	a := Answer{Name: f.name}
	if f.itemID == "" {
		return a, nil
	}
	item, err := tx.Item(f.owner, f.itemID)
	if errors.Is(err, db.ErrNotFound) {
		return a, nil // it was removed a moment ago
	}
	if err != nil {
		return a, err
	}
	owner, err := tx.Account(f.owner)
	if err != nil {
		return a, err
	}
	decimals := money.Decimals(owner.Profile.Currency)
	a.Found, a.InventoryID, a.Name = true, &item.ID, item.Name
	a.Price, a.StockQty = number(item.Price, decimals), number(item.StockMilli, 3)
	if item.CostPrice != nil {
		a.CostPrice = number(item.CostPrice, decimals)
	}
	if item.Unit != "" {
		a.Unit = &item.Unit
	}
	return a, nil
}

// number returns a decimal in JSON, null for nil.
func number(n *int64, places int) json.RawMessage {
	if n == nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(money.Number(*n, places))
}

// Package scan says which product a photo shows: POST /api/v1/scan (seed 4.2).
//
// Recognizers look at the photo, the cheapest first (recognizer.go). What one
// of them sees is looked up in the inventory of the caller, or of a merchant who has
// granted it (lookup.go, F5), and the first that stands there is the answer. How a photo
// is taken in, a barcode read, a model asked and a name matched are packages of their
// own; what a call costs is the gate's.
//
// Nothing of a photo is kept (F1).
package scan

import (
	"encoding/json"
	"errors"
	"runtime"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/money"
	"svc/server/photo"
)

const (
	// maxAtOnce is how many photos are decoded at once on a machine of many cores: each
	// may take 330 MiB for a moment.
	maxAtOnce = 4
	// Grace is how much longer than a model a scan may take: for the photo and its
	// barcodes, with others waiting.
	Grace = 5 * time.Second
)

// Service identifies products.
type Service struct {
	store       *db.DB
	recognizers []recognizer
	inventories *inventories
	turns       *fairqueue.Queue // photos are decoded and read for barcodes a few at a time
}

// Config names what a Service works with.
type Config struct {
	Store  *db.DB
	Vision Vision // the zero Vision: only barcodes are read
}

// New returns the service.
func New(c Config) *Service {
	return &Service{
		store:       c.Store,
		recognizers: newRecognizers(c.Vision),
		inventories: newInventories(c.Store),
		turns:       fairqueue.New(min(max(runtime.GOMAXPROCS(0), 2), maxAtOnce)),
	}
}

// invalidImage names the field of a photo that is refused.
func invalidImage(err error) error {
	var refused *photo.Error
	if !errors.As(err, &refused) {
		return err
	}
	invalid := fault.Invalid("image", refused.Problem)
	invalid.Err = refused.Err
	return invalid
}

// found is what a photo shows.
type found struct {
	owner  string // of the inventory that was looked at; empty: none
	itemID string // empty: it does not stand there
	name   string // of what was identified
	test   bool
}

// Answer is the body of seed 2.3. Numbers are written as they are stored, without a
// detour over floating point. A cost price that is not known is left out, since seed 2.3
// has no null there.
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

// answer reads the item, if it is one.
func (f found) answer(tx *db.Tx) (Answer, error) {
	a := Answer{Name: f.name}
	if f.itemID == "" {
		return a, nil
	}
	item, err := tx.Item(f.owner, f.itemID)
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

// number is null for what is not known.
func number(n *int64, places int) json.RawMessage {
	if n == nil {
		return json.RawMessage("null")
	}
	return json.RawMessage(money.Number(*n, places))
}

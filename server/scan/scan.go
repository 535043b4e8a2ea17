// Package scan says which product a photo shows: POST /api/v1/scan (seed 4.2).
//
// A ladder of recognizers looks at the photo, the cheapest first (ladder.go). What one
// of them sees is looked up in the inventory of the caller, or of a merchant who has
// granted it (shelf.go, F5), and the first that stands there is the answer. How a photo
// is taken in, a barcode read, a model asked and a name matched are packages of their
// own; what a call costs is the gate's.
//
// Nothing of a photo is kept (F1).
package scan

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/money"
	"svc/server/photo"
	"svc/server/web"
)

const (
	// maxText is more than fits into a body: photo has the sentence for an image that is
	// too large, and an id of any length may be unknown.
	maxText = 8 << 20
	// maxAtOnce is how many photos are decoded at once on a machine of many cores: each
	// may take 330 MiB for a moment.
	maxAtOnce = 4
	// Grace is how much longer than a model a scan may take: for the photo and its
	// barcodes, with others waiting.
	Grace = 5 * time.Second
)

// Service identifies products.
type Service struct {
	store   *db.DB
	ladder  []rung
	shelves *shelves
	turns   *fairqueue.Queue // photos are decoded and read for barcodes a few at a time
}

// New makes the service. Without a vision model it reads barcodes only.
func New(store *db.DB, vision Vision) *Service {
	return &Service{
		store:   store,
		ladder:  newLadder(vision),
		shelves: newShelves(store),
		turns:   fairqueue.New(min(max(runtime.GOMAXPROCS(0), 2), maxAtOnce)),
	}
}

// Request is a valid request to scan.
type Request struct {
	Image      *photo.Upload // nil on a test key, whose picture is not looked at (F6)
	MerchantID string        // empty: the caller's own inventory
}

// ParseRequest reads and checks the body. Every fault names its field; that a photo is
// not whole shows only later.
func ParseRequest(c gate.Caller, body []byte) (req Request, err error) {
	object, err := web.ParseObject(body)
	if err != nil {
		return Request{}, err
	}
	image, err := object.Text("image", maxText)
	if err != nil {
		return Request{}, err
	}
	if req.MerchantID, err = object.TextOr("merchant_id", maxText, ""); err != nil {
		return Request{}, err
	}
	if c.Test() {
		return req, invalidImage(photo.Check(image))
	}
	req.Image, err = photo.OpenText(image)
	return req, invalidImage(err)
}

// invalidImage names the field of a photo that is refused.
func invalidImage(err error) error {
	var refused *photo.Error
	if !errors.As(err, &refused) {
		return err
	}
	fault := fault.Invalid("image", refused.Problem)
	fault.Err = refused.Err
	return fault
}

// Endpoint is the action of POST /api/v1/scan.
func (s *Service) Endpoint() gate.Endpoint {
	return gate.Action[Request, found]{Parse: ParseRequest, Allow: allow, Do: s.do, Settle: settle}
}

// allow checks the connection that a merchant_id needs. Why there is none is not told:
// an unknown merchant and one that has revoked look the same (F5).
func allow(tx *db.Tx, c gate.Caller, req Request) error {
	if c.Test() || req.MerchantID == "" {
		return nil
	}
	may, err := tx.MayAccess(c.KeyID, req.MerchantID, db.ReadInventory)
	if err == nil && !may {
		err = &fault.Error{Code: fault.Forbidden, Message: "merchant_id: no active connection of this key grants read_inventory"}
	}
	return err
}

// found is what a photo shows.
type found struct {
	owner  string // of the inventory that was looked at; empty: none
	itemID string // empty: it does not stand there
	name   string // of what was identified
	test   bool
}

func (s *Service) do(ctx context.Context, c gate.Caller, req Request) (found, error) {
	if c.Test() {
		return found{test: true}, nil
	}
	owner := req.MerchantID
	if owner == "" && c.Mode == db.AccountMode {
		owner = c.AccountID
	}
	return s.identify(ctx, look{upload: req.Image, payer: c.AccountID, owner: owner})
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

// canned is what every scan of a test key shows (F6).
var canned = Answer{
	Found: true, Name: "Ground Coffee 250g", Unit: new("bag"), TestMode: true,
	Price: json.RawMessage("4.5"), CostPrice: json.RawMessage("2.7"), StockQty: json.RawMessage("24"),
}

// settle answers with the item as it is by then.
func settle(tx *db.Tx, _ gate.Caller, f found, receipt db.Receipt) (any, error) {
	if f.test {
		return canned, nil
	}
	a, err := f.answer(tx)
	if err != nil {
		return nil, err
	}
	if receipt.LowBalance {
		a.LowBalanceWarning, a.BalanceCents = true, &receipt.BalanceCents
	}
	return a, nil
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

package scan

import (
	"context"
	"encoding/json"

	"svc/db"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/photo"
	"svc/server/web"
)

// maxText is more than fits into a body: package photo words the refusal of a large
// image, and an id of any length is just unknown.
const maxText = 8 << 20

// API answers POST /api/v1/scan.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

// Request is a valid request to scan.
type Request struct {
	Image      *photo.Upload // nil on a test key, whose photo is not decoded (F6)
	MerchantID string        // empty: the caller's own inventory
}

// ParseRequest reads and checks the body. Errors name their field. A photo that is cut
// off is found only when it is decoded.
func ParseRequest(c gate.Caller, body []byte) (req Request, err error) {
	in := web.ReadObject(body)
	image := in.Text("image", maxText)
	req.MerchantID = in.TextOr("merchant_id", maxText, "")
	if in.Err() != nil {
		return Request{}, in.Err()
	}
	if c.Test() {
		return req, invalidImage(photo.Check(image))
	}
	req.Image, err = photo.OpenText(image)
	return req, invalidImage(err)
}

// Scan is the action of POST /api/v1/scan.
func (a *API) Scan() gate.Endpoint {
	return gate.Action[Request, found]{Parse: ParseRequest, Allow: allow, Do: a.scan, Settle: settle}
}

// allow checks the connection that a merchant_id needs. Its error is the same for an
// unknown merchant and for one that has revoked (F5).
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

func (a *API) scan(ctx context.Context, c gate.Caller, req Request) (found, error) {
	if c.Test() {
		return found{test: true}, nil
	}
	owner := req.MerchantID
	if owner == "" && c.Mode == db.AccountMode {
		owner = c.AccountID
	}
	f, err := a.service.identify(ctx, task{upload: req.Image, payer: c.AccountID, owner: owner})
	f.merchantID = req.MerchantID
	return f, err
}

// canned is the answer to every scan of a test key (F6).
var canned = Answer{
	Found: true, Name: "Ground Coffee 250g", Unit: new("bag"), TestMode: true,
	Price: json.RawMessage("4.5"), CostPrice: json.RawMessage("2.7"), StockQty: json.RawMessage("24"),
}

// settle returns the answer with the item as it is at settlement.
func settle(tx *db.Tx, c gate.Caller, f found, receipt db.Receipt) (any, error) {
	if f.test {
		return canned, nil
	}
	if f.merchantID != "" {
		if err := tx.StampRead(c.KeyID, f.merchantID); err != nil {
			return nil, err
		}
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

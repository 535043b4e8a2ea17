// Package charge is how a developer asks a merchant for a payment: the app creates a
// charge (POST /api/v1/charges, seed 4.6), the merchant pays it from the confirmation
// page (E2), and the app polls for the outcome (seed 4.7). How a payment is made and
// proven is package checkout's.
package charge

import (
	"fmt"
	"net/http"
	"time"

	"svc/db"
	"svc/server/checkout"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/money"
	"svc/server/views"
	"svc/server/web"
)

// Limits of seed 8.2.
const (
	minAmount      = 100
	maxAmount      = 10_000_000
	maxDescription = 500
	maxListed      = 100
	maxEmail       = 254
	maxCode        = 16 // longer than any currency's code

	defaultCurrency = "gbp"
)

// Service owns charges.
type Service struct {
	Store      *db.DB
	Pages      *views.Set
	Payments   *checkout.Service
	ConsoleURL string
}

// Request is a valid request for a charge.
type Request struct {
	MerchantEmail string
	Amount        int64 // minor units
	Currency      string
	Description   string
}

// ParseRequest reads and checks the body of POST /api/v1/charges. Every fault names
// its field.
func ParseRequest(body []byte) (req Request, err error) {
	object, err := web.ParseObject(body)
	if err != nil {
		return Request{}, err
	}
	if req.MerchantEmail, err = object.Text("merchant_email", maxEmail); err != nil {
		return Request{}, err
	}
	if err := emailaddr.Check("merchant_email", req.MerchantEmail); err != nil {
		return Request{}, err
	}
	if req.Amount, err = object.Integer("amount_cents"); err != nil {
		return Request{}, err
	}
	if req.Amount < minAmount || req.Amount > maxAmount {
		return Request{}, fault.Invalid("amount_cents", fmt.Sprintf("must be from %d to %d", minAmount, maxAmount))
	}
	code, err := object.TextOr("currency", maxCode, defaultCurrency)
	if err != nil {
		return Request{}, err
	}
	var ok bool
	if req.Currency, ok = money.Currency(code); !ok {
		return Request{}, fault.Invalid("currency", "must be an ISO 4217 code that Stripe accepts, like gbp")
	}
	req.Description, err = object.Text("description", maxDescription)
	return req, err
}

// created is the charge of a POST's answer (E9).
type created struct {
	ID          string          `json:"id"`
	Status      db.ChargeStatus `json:"status"`
	AmountCents int64           `json:"amount_cents"`
	Currency    string          `json:"currency"`
	Description string          `json:"description"`
	KeyEnv      db.Env          `json:"key_env"`
	CreatedAt   web.Time        `json:"created_at"`
	ExpiresAt   web.Time        `json:"expires_at"`
}

// listed is a charge of a GET's answer (E9).
type listed struct {
	ID            string          `json:"id"`
	MerchantEmail string          `json:"merchant_email"`
	AmountCents   int64           `json:"amount_cents"`
	Currency      string          `json:"currency"`
	Description   string          `json:"description"`
	Status        db.ChargeStatus `json:"status"`
	KeyEnv        db.Env          `json:"key_env"`
	CreatedAt     web.Time        `json:"created_at"`
	ApprovedAt    *web.Time       `json:"approved_at"`
	ExpiresAt     web.Time        `json:"expires_at"`
}

type createAnswer struct {
	Charge          created `json:"charge"`
	ConfirmationURL string  `json:"confirmation_url"`
}

type listAnswer struct {
	Charges []listed `json:"charges"`
}

// Create is POST /api/v1/charges. The link is the developer's to pass on: it is
// never mailed (E5).
func (s *Service) Create(w *web.Response, r *http.Request, c gate.Caller, body []byte) error {
	req, err := ParseRequest(body)
	if err != nil {
		return err
	}

	var made db.Charge
	var token db.Token
	err = s.Store.Update(r.Context(), func(tx *db.Tx) (err error) {
		made, token, err = tx.CreateCharge(db.Charge{
			KeyID: c.KeyID, AccountID: c.AccountID, MerchantEmail: req.MerchantEmail,
			Amount: req.Amount, Currency: req.Currency, Description: req.Description, Env: c.Env,
		})
		return err
	})
	if err != nil {
		return err
	}

	return w.JSON(http.StatusOK, createAnswer{
		Charge: created{
			ID: made.ID, Status: made.StatusAt(made.CreatedAt), AmountCents: made.Amount, Currency: made.Currency,
			Description: made.Description, KeyEnv: made.Env,
			CreatedAt: web.Time(made.CreatedAt), ExpiresAt: web.Time(made.ExpiresAt),
		},
		ConfirmationURL: s.link(token),
	})
}

func (s *Service) link(token db.Token) string { return s.ConsoleURL + "/charges/" + string(token) }

// List is GET /api/v1/charges: the key's newest (E8).
func (s *Service) List(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	answer := listAnswer{Charges: []listed{}}
	err := s.Store.View(r.Context(), func(tx *db.Tx) error {
		all, err := tx.Charges(c.KeyID, maxListed)
		for _, one := range all {
			answer.Charges = append(answer.Charges, toListed(one, tx.Now()))
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, answer)
}

func toListed(c db.Charge, now time.Time) listed {
	return listed{
		ID: c.ID, MerchantEmail: c.MerchantEmail, AmountCents: c.Amount, Currency: c.Currency, Description: c.Description,
		Status: c.StatusAt(now), KeyEnv: c.Env,
		CreatedAt: web.Time(c.CreatedAt), ApprovedAt: web.NullTime(c.ApprovedAt), ExpiresAt: web.Time(c.ExpiresAt),
	}
}

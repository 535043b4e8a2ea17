package charge

import (
	"fmt"
	"net/http"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/gate"
	"svc/server/money"
	"svc/server/web"
)

// Limits of seed 8.2.
const (
	minAmount      = 100
	maxAmount      = 10_000_000
	maxDescription = 500
	maxEmail       = 254
	maxCode        = 16 // longer than any currency's code

	defaultCurrency = "gbp"
)

// API answers POST and GET /api/v1/charges.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(s *Service) *API { return &API{s} }

// ParseRequest reads and checks the body of POST /api/v1/charges. Every fault names
// its field.
func ParseRequest(body []byte) (req Request, err error) {
	in := web.ReadObject(body)
	req.MerchantEmail = in.Text("merchant_email", maxEmail)
	in.Keep(emailaddr.Check("merchant_email", req.MerchantEmail))
	req.Amount = in.Integer("amount_cents")
	fits := req.Amount >= minAmount && req.Amount <= maxAmount
	in.Require(fits, "amount_cents", fmt.Sprintf("must be from %d to %d", minAmount, maxAmount))
	var accepted bool
	req.Currency, accepted = money.Currency(in.TextOr("currency", maxCode, defaultCurrency))
	in.Require(accepted, "currency", "must be an ISO 4217 code that Stripe accepts, like gbp")
	req.Description = in.Text("description", maxDescription)
	return req, in.Err()
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

// Create is POST /api/v1/charges.
func (a *API) Create(w *web.Response, r *http.Request, c gate.Caller, body []byte) error {
	req, err := ParseRequest(body)
	if err != nil {
		return err
	}

	made, link, err := a.service.Create(r.Context(), c.Principal, req)
	if err != nil {
		return err
	}

	return w.JSON(http.StatusOK, createAnswer{
		Charge: created{
			ID: made.ID, Status: made.StatusAt(made.CreatedAt), AmountCents: made.Amount, Currency: made.Currency,
			Description: made.Description, KeyEnv: made.Env,
			CreatedAt: web.Time(made.CreatedAt), ExpiresAt: web.Time(made.ExpiresAt),
		},
		ConfirmationURL: link,
	})
}

// List is GET /api/v1/charges.
func (a *API) List(w *web.Response, r *http.Request, caller gate.Caller, _ []byte) error {
	all, err := a.service.List(r.Context(), caller.KeyID)
	if err != nil {
		return err
	}

	answer := listAnswer{Charges: []listed{}}
	for _, c := range all {
		answer.Charges = append(answer.Charges, listed{
			ID: c.ID, MerchantEmail: c.MerchantEmail, AmountCents: c.Amount, Currency: c.Currency, Description: c.Description,
			Status: c.Status, KeyEnv: c.Env,
			CreatedAt: web.Time(c.CreatedAt), ApprovedAt: web.NullTime(c.ApprovedAt), ExpiresAt: web.Time(c.ExpiresAt),
		})
	}
	return w.JSON(http.StatusOK, answer)
}

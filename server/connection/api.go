package connection

import (
	"net/http"
	"slices"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/gate"
	"svc/server/web"
)

const maxEmail = 254 // bytes

// API is the service's front end for apps.
type API struct{ service *Service }

// NewAPI returns the API of a service.
func NewAPI(service *Service) *API { return &API{service} }

// ParseRequest reads and checks the body of POST /api/v1/connections. Every fault
// names its field.
func ParseRequest(body []byte) (req Request, err error) {
	in := web.ReadObject(body)
	req.MerchantEmail = in.Text("merchant_email", maxEmail)
	in.Keep(emailaddr.Check("merchant_email", req.MerchantEmail))
	req.Scopes = db.AllScopes
	if in.Has("scopes") {
		req.Scopes = readScopes(in)
	}
	return req, in.Err()
}

// readScopes drops repeated names; null, [] and unknown ones are refused (A10).
func readScopes(in web.Object) (scopes []string) {
	names := in.Texts("scopes")
	in.Require(len(names) > 0, "scopes", "must name at least one scope; leave it out for all of them")
	for _, name := range names {
		in.Require(slices.Contains(db.AllScopes, name), "scopes", "knows only read_inventory")
		if !slices.Contains(scopes, name) {
			scopes = append(scopes, name)
		}
	}
	return scopes
}

// created is the connection in the answer to a POST (D11).
type created struct {
	ID            string              `json:"id"`
	MerchantEmail string              `json:"merchant_email"`
	Status        db.ConnectionStatus `json:"status"`
	Scopes        []string            `json:"scopes"`
	CreatedAt     web.Time            `json:"created_at"`
	ExpiresAt     web.Time            `json:"expires_at"`
	TestMode      bool                `json:"test_mode,omitempty"`
}

// listed is a connection in the answer to a GET (D11).
type listed struct {
	ID             string              `json:"id"`
	MerchantEmail  string              `json:"merchant_email"`
	MerchantUserID *string             `json:"merchant_user_id"`
	Status         db.ConnectionStatus `json:"status"`
	Scopes         []string            `json:"scopes"`
	CreatedAt      web.Time            `json:"created_at"`
	ApprovedAt     *web.Time           `json:"approved_at"`
	RevokedAt      *web.Time           `json:"revoked_at"`
	TestMode       bool                `json:"test_mode,omitempty"`
}

type createAnswer struct {
	Connection      created `json:"connection"`
	ConfirmationURL string  `json:"confirmation_url"`
}

type listAnswer struct {
	Connections []listed `json:"connections"`
}

// Create handles POST /api/v1/connections.
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
		Connection: created{
			ID: made.ID, MerchantEmail: made.MerchantEmail, Status: made.Status, Scopes: made.Scopes,
			CreatedAt: web.Time(made.CreatedAt), ExpiresAt: web.Time(made.ExpiresAt), TestMode: made.Test,
		},
		ConfirmationURL: link,
	})
}

// List handles GET /api/v1/connections.
func (a *API) List(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	all, err := a.service.List(r.Context(), c.Principal)
	if err != nil {
		return err
	}

	answer := listAnswer{Connections: []listed{}}
	for _, one := range all {
		answer.Connections = append(answer.Connections, listed{
			ID: one.ID, MerchantEmail: one.MerchantEmail, MerchantUserID: web.NullString(one.MerchantID),
			Status: one.Status, Scopes: one.Scopes, CreatedAt: web.Time(one.CreatedAt),
			ApprovedAt: web.NullTime(one.ApprovedAt), RevokedAt: web.NullTime(one.RevokedAt), TestMode: one.Test,
		})
	}
	return w.JSON(http.StatusOK, answer)
}

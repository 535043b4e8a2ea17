// Package connection is how a developer's app comes to a merchant's data: the app
// asks (POST /api/v1/connections, seed 4.4), the merchant decides on the consent page
// (D3–D7), and the app polls for the answer (seed 4.5).
package connection

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"slices"
	"time"

	"svc/db"
	"svc/server/emailaddr"
	"svc/server/fault"
	"svc/server/gate"
	"svc/server/mail"
	"svc/server/session"
	"svc/server/views"
	"svc/server/web"
)

const (
	maxListed = 200 // seed 8.2
	maxEmail  = 254
)

// Service owns connections.
type Service struct {
	Store      *db.DB
	Mails      *mail.Service
	Pages      *views.Set
	Sessions   *session.Sessions
	Accounts   Accounts
	ConsoleURL string
}

// Request is a valid request for a connection.
type Request struct {
	MerchantEmail string
	Scopes        []string
}

// ParseRequest reads and checks the body of POST /api/v1/connections. Every fault
// names its field.
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
	req.Scopes = db.AllScopes
	if object.Has("scopes") {
		req.Scopes, err = parseScopes(object)
	}
	return req, err
}

// parseScopes drops repeated names; null, [] and unknown ones are refused (A10).
func parseScopes(object web.Object) (scopes []string, err error) {
	names, err := object.Texts("scopes")
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fault.Invalid("scopes", "must name at least one scope; leave it out for all of them")
	}
	for _, name := range names {
		if !slices.Contains(db.AllScopes, name) {
			return nil, fault.Invalid("scopes", "knows only read_inventory")
		}
		if !slices.Contains(scopes, name) {
			scopes = append(scopes, name)
		}
	}
	return scopes, nil
}

// created is the connection of a POST's answer (D11).
type created struct {
	ID            string              `json:"id"`
	MerchantEmail string              `json:"merchant_email"`
	Status        db.ConnectionStatus `json:"status"`
	Scopes        []string            `json:"scopes"`
	CreatedAt     web.Time            `json:"created_at"`
	ExpiresAt     web.Time            `json:"expires_at"`
	TestMode      bool                `json:"test_mode,omitempty"`
}

// listed is a connection of a GET's answer (D11).
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

// Create is POST /api/v1/connections. A live key's request is mailed to the merchant
// (D8); a test key gets the fixture.
func (s *Service) Create(w *web.Response, r *http.Request, c gate.Caller, body []byte) error {
	req, err := ParseRequest(body)
	if err != nil {
		return err
	}
	if c.Test() {
		return s.createFixture(w, r, c)
	}

	var made db.Connection
	var token db.Token
	err = s.Store.Update(r.Context(), func(tx *db.Tx) (err error) {
		made, token, err = tx.CreateConnection(db.Connection{
			KeyID: c.KeyID, AccountID: c.AccountID, MerchantEmail: req.MerchantEmail, Requested: req.Scopes,
		})
		if err != nil {
			return err
		}
		return s.mailRequest(tx, made, s.link(token))
	})
	if errors.Is(err, db.ErrConflict) {
		return &fault.Error{
			Code:    fault.Conflict,
			Message: "this key has an active connection to that merchant_email already",
		}
	}
	if err != nil {
		return err
	}
	s.Mails.Wake()

	return w.JSON(http.StatusOK, createAnswer{
		Connection: created{
			ID: made.ID, MerchantEmail: made.MerchantEmail, Status: made.StatusAt(made.CreatedAt), Scopes: made.Scopes,
			CreatedAt: web.Time(made.CreatedAt), ExpiresAt: web.Time(made.ExpiresAt),
		},
		ConfirmationURL: s.link(token),
	})
}

func (s *Service) link(token db.Token) string { return s.ConsoleURL + "/connect/" + string(token) }

func (s *Service) mailRequest(tx *db.Tx, c db.Connection, link string) error {
	p, err := partiesOf(tx, c.KeyID)
	if err != nil {
		return err
	}
	return s.Mails.Queue(tx, c.MerchantEmail, c.ExpiresAt.Sub(c.CreatedAt), mail.Request{
		App: p.app.Name, Developer: p.developer.Name, To: c.MerchantEmail,
		Scopes: scopesInWords(c.Requested), Link: link, Expires: c.ExpiresAt, Zone: time.UTC,
	})
}

// List is GET /api/v1/connections: the key's newest (D10), or a test key's fixture.
func (s *Service) List(w *web.Response, r *http.Request, c gate.Caller, _ []byte) error {
	answer := listAnswer{Connections: []listed{}}
	err := s.Store.View(r.Context(), func(tx *db.Tx) error {
		if c.Test() {
			key, err := tx.Key(c.KeyID)
			answer.Connections = append(answer.Connections, fixtureOf(key).listed())
			return err
		}
		all, err := tx.Connections(c.KeyID, maxListed)
		for _, one := range all {
			answer.Connections = append(answer.Connections, toListed(one, tx.Now()))
		}
		return err
	})
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, answer)
}

func toListed(c db.Connection, now time.Time) listed {
	return listed{
		ID: c.ID, MerchantEmail: c.MerchantEmail, MerchantUserID: web.NullString(c.MerchantID),
		Status: c.StatusAt(now), Scopes: c.Scopes,
		CreatedAt: web.Time(c.CreatedAt), ApprovedAt: web.NullTime(c.ApprovedAt), RevokedAt: web.NullTime(c.RevokedAt),
	}
}

// fixture is the one connection of a test key, the same for ever (D9).
type fixture struct {
	id        string
	createdAt time.Time
}

const (
	fixtureEmail    = "sandbox-merchant@example.com"
	fixtureMerchant = "acct_sandbox_merchant"
	fixtureLife     = 7 * 24 * time.Hour
)

func fixtureOf(key db.Key) fixture {
	sum := sha256.Sum256([]byte(key.ID))
	return fixture{id: "conn_test_" + hex.EncodeToString(sum[:])[:12], createdAt: key.CreatedAt}
}

func (f fixture) created() created {
	return created{
		ID: f.id, MerchantEmail: fixtureEmail, Status: db.ConnectionApproved, Scopes: db.AllScopes,
		CreatedAt: web.Time(f.createdAt), ExpiresAt: web.Time(f.createdAt.Add(fixtureLife)), TestMode: true,
	}
}

func (f fixture) listed() listed {
	return listed{
		ID: f.id, MerchantEmail: fixtureEmail, MerchantUserID: web.NullString(fixtureMerchant),
		Status: db.ConnectionApproved, Scopes: db.AllScopes,
		CreatedAt: web.Time(f.createdAt), ApprovedAt: web.NullTime(f.createdAt), TestMode: true,
	}
}

// createFixture answers with the fixture; its link opens a preview of the consent
// page that decides nothing.
func (s *Service) createFixture(w *web.Response, r *http.Request, c gate.Caller) error {
	var f fixture
	var token db.Token
	err := s.Store.RelaxedUpdate(r.Context(), func(tx *db.Tx) error {
		key, err := tx.Key(c.KeyID)
		if err != nil {
			return err
		}
		f = fixtureOf(key)
		token, err = tx.CreatePreview(c.KeyID)
		return err
	})
	if err != nil {
		return err
	}
	return w.JSON(http.StatusOK, createAnswer{Connection: f.created(), ConfirmationURL: s.link(token)})
}

const sweepChunk = 200

// Sweep removes previews whose link is over, a chunk at a time. It returns when
// none is left: a test key may make them faster than one chunk a sweep.
func (s *Service) Sweep(ctx context.Context) error {
	for {
		var gone int64
		err := s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) (err error) {
			gone, err = tx.DeleteOldPreviews(sweepChunk)
			return err
		})
		if err != nil || gone == 0 {
			return err
		}
	}
}

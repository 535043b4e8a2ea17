// Package connection connects a developer's app to a merchant's data: the app asks
// (POST /api/v1/connections, seed 4.4), the merchant decides on the consent page
// (D3–D7), and the app polls for the answer (seed 4.5).
package connection

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/mail"
)

const maxListed = 200 // seed 8.2

// Config are the dependencies of a Service.
type Config struct {
	Store      *db.DB
	Mails      *mail.Service
	ConsoleURL string // where the links of consent pages begin
}

// Service owns connections.
type Service struct{ Config }

// New returns a service.
func New(c Config) *Service { return &Service{c} }

// Request is a valid request for a connection.
type Request struct {
	MerchantEmail string
	Scopes        []string
}

// Connection is a connection as the app that asked for it sees it.
type Connection struct {
	db.Connection
	Status db.ConnectionStatus // when it was read
	Test   bool                // the fixture of a test key (D9)
}

// Create makes a pending connection and returns the link of its consent page. A live
// key's request is mailed to the merchant (D8, L10); a test key gets the fixture, with a
// link to a preview of the page, which decides nothing. A Conflict: the key has an
// active connection to that merchant.
func (s *Service) Create(ctx context.Context, p db.Principal, req Request) (made Connection, link string, err error) {
	if p.Env == db.Test {
		return s.createPreview(ctx, p.KeyID)
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		c, token, err := tx.CreateConnection(db.Connection{
			KeyID: p.KeyID, AccountID: p.AccountID, MerchantEmail: req.MerchantEmail, Requested: req.Scopes,
		})
		if err != nil {
			return err
		}
		made, link = Connection{Connection: c, Status: c.StatusAt(c.CreatedAt)}, s.link(token)
		return s.mailRequest(tx, c, link)
	})
	if errors.Is(err, db.ErrConflict) {
		err = &fault.Error{Code: fault.Conflict, Message: "this key has an active connection to that merchant_email already"}
	}
	if err != nil {
		return Connection{}, "", err
	}
	s.Mails.Wake()
	return made, link, nil
}

func (s *Service) createPreview(ctx context.Context, keyID string) (made Connection, link string, err error) {
	err = s.Store.RelaxedUpdate(ctx, func(tx *db.Tx) error {
		key, err := tx.Key(keyID)
		if err != nil {
			return err
		}
		token, err := tx.CreatePreview(keyID)
		made, link = fixtureOf(key), s.link(token)
		return err
	})
	return made, link, err
}

func (s *Service) link(token db.Token) string { return s.ConsoleURL + "/connect/" + string(token) }

// mailRequest mails the link to the merchant, unless the merchant has had as many mails as
// this key may cause (L10).
func (s *Service) mailRequest(tx *db.Tx, c db.Connection, link string) error {
	err := tx.CountRequestMail(c)
	if errors.Is(err, db.ErrTooSoon) {
		return nil
	}
	if err != nil {
		return err
	}
	from, err := tx.Requester(c.KeyID)
	if err != nil {
		return err
	}
	return s.Mails.Queue(tx, c.MerchantEmail, c.ExpiresAt.Sub(c.CreatedAt), mail.Request{
		App: from.App.Name, Developer: from.Developer.Name, To: c.MerchantEmail,
		Scopes: scopesInWords(c.Requested), Link: link, Expires: c.ExpiresAt, Zone: time.UTC,
	})
}

// List returns the key's newest connections (D10), or a test key's fixture.
func (s *Service) List(ctx context.Context, p db.Principal) ([]Connection, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (all []Connection, err error) {
		if p.Env == db.Test {
			key, err := tx.Key(p.KeyID)
			return []Connection{fixtureOf(key)}, err
		}
		stored, err := tx.Connections(p.KeyID, maxListed)
		for _, c := range stored {
			all = append(all, Connection{Connection: c, Status: c.StatusAt(tx.Now())})
		}
		return all, err
	})
}

const (
	fixtureEmail    = "sandbox-merchant@example.com"
	fixtureMerchant = "acct_sandbox_merchant"
	fixtureLife     = 7 * 24 * time.Hour
)

// fixtureOf returns the one connection of a test key, which is always the same (D9).
func fixtureOf(key db.Key) Connection {
	sum := sha256.Sum256([]byte(key.ID))
	return Connection{
		Connection: db.Connection{
			ID: "conn_test_" + hex.EncodeToString(sum[:])[:12], KeyID: key.ID, AccountID: key.AccountID,
			MerchantEmail: fixtureEmail, MerchantID: fixtureMerchant, Requested: db.AllScopes, Scopes: db.AllScopes,
			CreatedAt: key.CreatedAt, ExpiresAt: key.CreatedAt.Add(fixtureLife), ApprovedAt: key.CreatedAt,
		},
		Status: db.ConnectionApproved,
		Test:   true,
	}
}

const sweepChunk = 200

// Sweep removes expired previews, a chunk at a time. It returns when none is left: a
// test key may make previews faster than one chunk a sweep.
func (s *Service) Sweep(ctx context.Context) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (done bool, err error) {
		gone, err := tx.DeleteOldPreviews(sweepChunk)
		return gone == 0, err
	})
}

package connection

import (
	"cmp"
	"context"
	"errors"
	"time"

	"svc/db"
	"svc/server/session"
	"svc/server/web"
)

// parties are who asks.
type parties struct {
	key       db.Key
	app       db.App // zero: the key is not grouped under an app
	developer db.Account
}

func partiesOf(tx *db.Tx, keyID string) (p parties, err error) {
	if p.key, err = tx.Key(keyID); err != nil {
		return p, err
	}
	if p.developer, err = tx.Account(p.key.AccountID); err != nil {
		return p, err
	}
	if p.key.AppID != "" {
		p.app, err = tx.App(p.key.AccountID, p.key.AppID)
	}
	return p, err
}

// appName is what the request goes by in a mail; it may be empty.
func (p parties) appName() string { return cmp.Or(p.app.Name, p.key.Label) }

// request is a connection as its link shows it, read in one transaction.
type request struct {
	db.Connection
	parties
	token   db.Token
	preview bool
	// elsewhere: another connection of the key to this merchant is active (D2).
	elsewhere bool
	items     []db.Item // of the merchant's own
	now       time.Time
}

const sampleRows = 3 // D7

// load reads the request of a link. db.ErrNotFound: there is none.
func load(tx *db.Tx, token db.Token, v session.Visitor) (q request, err error) {
	q.token, q.now = token, tx.Now()
	q.Connection, err = tx.ConnectionByToken(token)
	if errors.Is(err, db.ErrNotFound) {
		return loadPreview(tx, q)
	}
	if err != nil {
		return q, err
	}
	if q.parties, err = partiesOf(tx, q.KeyID); err != nil {
		return q, err
	}
	if q.StatusAt(q.now) == db.ConnectionPending {
		if q.elsewhere, err = tx.HasActiveConnection(q.KeyID, q.MerchantEmail); err != nil {
			return q, err
		}
	}
	if q.isAddressee(v) {
		q.items, err = tx.Items(v.Account.ID, "", sampleRows)
	}
	return q, err
}

func loadPreview(tx *db.Tx, q request) (request, error) {
	keyID, err := tx.PreviewKey(q.token)
	if err != nil {
		return q, err
	}
	q.preview = true
	q.parties, err = partiesOf(tx, keyID)
	f := fixtureOf(q.key)
	q.Connection = db.Connection{
		ID: f.id, KeyID: keyID, MerchantEmail: fixtureEmail, Requested: db.AllScopes, Scopes: db.AllScopes,
		CreatedAt: f.createdAt, ExpiresAt: f.createdAt.Add(fixtureLife),
	}
	return q, err
}

// isAddressee says whether the visitor is who was asked: by the verified e-mail
// until the decision, by the account that decided after it (D5).
func (q request) isAddressee(v session.Visitor) bool {
	if q.MerchantID != "" {
		return v.Account.ID == q.MerchantID
	}
	return v.SignedIn() && !v.Account.VerifiedAt.IsZero() && q.IsFor(v.Account.Email)
}

// step is what a visitor can do with a request; a page shows it, and an action is
// allowed only where its step is the one that fits.
type step int

const (
	previewed     step = iota // of a test key: nothing
	final                     // declined, revoked or expired: nothing
	ended                     // the developer's key is disabled: nothing
	existing                  // another one is active: nothing
	signIn                    // say who you are
	notTheVisitor             // somebody else is signed in
	decide                    // approve or decline
	manage                    // narrow or revoke
)

// stepFor finds the step that fits. Its order is that of what rules out the rest.
func (q request) stepFor(v session.Visitor) step {
	status := q.StatusAt(q.now)
	switch {
	case q.preview:
		return previewed
	case status != db.ConnectionPending && status != db.ConnectionApproved:
		return final
	case status == db.ConnectionPending && !q.key.DisabledAt.IsZero():
		return ended
	case q.elsewhere:
		return existing
	case !v.SignedIn():
		return signIn
	case !q.isAddressee(v):
		return notTheVisitor
	case status == db.ConnectionPending:
		return decide
	}
	return manage
}

func (s *Service) read(ctx context.Context, w *web.Response, v session.Visitor) (q request, err error) {
	token, ok := db.ParseToken(w.Params.ByName("token"))
	if !ok {
		return q, db.ErrNotFound
	}
	err = s.Store.View(ctx, func(tx *db.Tx) (err error) {
		q, err = load(tx, token, v)
		return err
	})
	return q, err
}

package connection

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
)

// Consent is a request for a connection as its link shows it, read in one transaction.
type Consent struct {
	db.Connection
	db.Requester
	handle  string // by which the page was opened: the link's token or the request's id
	preview bool
	// elsewhere: another connection of the key to this merchant is active (D2).
	elsewhere bool
	items     []db.Item // a sample of the merchant's own, if the merchant is the visitor
	now       time.Time
}

const sampleRows = 3 // D7

// load reads a request by the token of its link, which anybody may have, or by its id,
// which opens it only to whom it is for (D3), or a preview by the id of the visitor's app. visitor is the account that is signed in,
// zero for nobody. db.ErrNotFound: there is no such request.
func load(tx *db.Tx, handle string, visitor db.Account) (c Consent, err error) {
	c.handle, c.now = handle, tx.Now()
	if strings.HasPrefix(handle, appPrefix) {
		return loadAppPreview(tx, c, visitor)
	}
	token, isToken := db.ParseToken(handle)
	if isToken {
		c.Connection, err = tx.ConnectionByToken(token)
	} else {
		c.Connection, err = tx.ConnectionTo(visitor, handle)
	}
	if isToken && errors.Is(err, db.ErrNotFound) {
		return loadPreview(tx, c, token)
	}
	if err != nil {
		return c, err
	}
	return c, c.loadRest(tx, visitor)
}

// loadRest reads what a page shows beside the connection.
func (c *Consent) loadRest(tx *db.Tx, visitor db.Account) (err error) {
	if c.Requester, err = tx.Requester(c.KeyID); err != nil {
		return err
	}
	if c.StatusAt(c.now) == db.ConnectionPending {
		if c.elsewhere, err = tx.HasActiveConnection(c.KeyID, c.MerchantEmail); err != nil {
			return err
		}
	}
	if c.isAddressee(visitor) {
		c.items, err = tx.Items(visitor.ID, "", sampleRows)
	}
	return err
}

func loadPreview(tx *db.Tx, c Consent, token db.Token) (Consent, error) {
	keyID, err := tx.PreviewKey(token)
	if err != nil {
		return c, err
	}
	c.preview = true
	c.Requester, err = tx.Requester(keyID)
	c.Connection = fixtureOf(c.Key).Connection
	return c, err
}

// appPrefix begins the id of an app. As a handle it shows the app's owner, and nobody else,
// what merchants would see.
const appPrefix = "app_"

func loadAppPreview(tx *db.Tx, c Consent, visitor db.Account) (Consent, error) {
	app, err := tx.App(visitor.ID, c.handle)
	c.preview, c.Requester = true, db.Requester{App: app, Developer: visitor}
	c.Connection = fixtureOf(db.Key{AccountID: visitor.ID, CreatedAt: c.now}).Connection
	return c, err
}

// isAddressee reports whether the visitor is the merchant who was asked: known by the
// verified e-mail until the decision, by the account that decided after it (D5).
func (c Consent) isAddressee(visitor db.Account) bool {
	if c.MerchantID != "" {
		return visitor.ID == c.MerchantID
	}
	return visitor.ID != "" && !visitor.VerifiedAt.IsZero() && c.IsFor(visitor.Email)
}

// step is what a visitor can do with a request. A page shows it, and an action is
// allowed only at its own step.
type step int

const (
	previewed     step = iota // of a test key: nothing
	final                     // declined, revoked or expired: nothing
	ended                     // the developer's key or account is disabled: nothing
	existing                  // another one is active: nothing
	signIn                    // sign in or sign up
	notTheVisitor             // somebody else is signed in
	decide                    // approve or decline
	manage                    // narrow or revoke
)

// stepFor returns the step that fits. A case that rules out the later ones comes first.
func (c Consent) stepFor(visitor db.Account) step {
	status := c.StatusAt(c.now)
	switch {
	case c.preview:
		return previewed
	case status != db.ConnectionPending && status != db.ConnectionApproved:
		return final
	case status == db.ConnectionPending && !(c.Key.DisabledAt.IsZero() && c.Developer.DisabledAt.IsZero()):
		return ended
	case c.elsewhere:
		return existing
	case visitor.ID == "":
		return signIn
	case !c.isAddressee(visitor):
		return notTheVisitor
	case status == db.ConnectionPending:
		return decide
	}
	return manage
}

// Consent reads the request of a handle, which is a link's token or an id, for the account
// that is signed in, zero for nobody. db.ErrNotFound: there is no such request, or the id
// is of one for somebody else.
func (s *Service) Consent(ctx context.Context, handle string, visitor db.Account) (Consent, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (Consent, error) { return load(tx, handle, visitor) })
}

const maxWaiting = 50

// Waiting returns the newest requests that an account can decide now, one for each key.
func (s *Service) Waiting(ctx context.Context, a db.Account) (all []Consent, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		pending, err := tx.ConnectionsPending(a, maxWaiting)
		if err != nil {
			return err
		}
		for _, p := range pending {
			c := Consent{Connection: p, handle: p.ID, now: tx.Now()}
			if err := c.loadRest(tx, a); err != nil {
				return err
			}
			if c.stepFor(a) == decide {
				all = append(all, c)
			}
		}
		return nil
	})
	return all, err
}

// Decision is what a merchant decides about a request.
type Decision int

// The decisions. Approve and Decline are for a pending request, Narrow and Revoke for an
// approved one.
const (
	Approve Decision = iota + 1
	Decline
	Narrow
	Revoke
)

// Decide carries out a decision of the account that is signed in. Approve grants those of
// scopes that were requested, Narrow keeps those that are granted, so neither grants one
// more (D4). Check and change are one transaction: the first of two tabs wins. Decide
// returns the request as it was before. A *fault.Error: the request does not allow the
// decision. db.ErrNotFound: there is no such request.
func (s *Service) Decide(ctx context.Context, handle string, visitor db.Account, d Decision, scopes []string) (Consent, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (Consent, error) {
		c, err := load(tx, handle, visitor)
		if err != nil {
			return c, err
		}
		allowed := decide
		if d == Narrow || d == Revoke {
			allowed = manage
		}
		if at := c.stepFor(visitor); at != allowed {
			return c, c.refusal(at)
		}
		switch d {
		case Approve:
			err = tx.ApproveConnection(c.Connection, visitor.ID, common(c.Requested, scopes))
		case Decline:
			err = tx.DeclineConnection(c.Connection)
		case Narrow:
			err = tx.NarrowConnection(c.Connection, visitor.ID, common(c.Scopes, scopes))
		case Revoke:
			err = tx.RevokeConnection(c.Connection, visitor.ID)
		default:
			err = fmt.Errorf("connection: there is no decision %d", d)
		}
		return c, err
	})
}

// common returns the elements of from that are in chosen too.
func common(from, chosen []string) []string {
	return slices.DeleteFunc(slices.Clone(from), func(s string) bool { return !slices.Contains(chosen, s) })
}

// refusal returns the error for an action that this step does not allow.
func (c Consent) refusal(at step) *fault.Error {
	e := &fault.Error{Code: fault.Conflict, Message: "nothing was changed: the request had been answered before"}
	switch at {
	case signIn:
		e.Code, e.Message = fault.SignInRequired, "nothing was changed: sign in first"
	case notTheVisitor:
		e.Code, e.Message = fault.Forbidden, "nothing was changed: the request is for somebody else"
	case previewed:
		e.Message = "this is a preview; there is nothing to decide"
	case ended:
		e.Message = "nothing was changed: the request has ended"
	case existing:
		e.Message = "nothing was changed: the connection exists already"
	case final:
		if c.StatusAt(c.now) == db.ConnectionExpired {
			e.Code, e.Message = fault.Gone, "nothing was changed: the link has expired"
		}
	case decide:
		e.Message = "nothing was changed: the request is not approved"
	}
	return e
}

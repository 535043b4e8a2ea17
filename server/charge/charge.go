// Package charge is how a developer asks a merchant for a payment: the app creates a
// charge (POST /api/v1/charges, seed 4.6), the merchant pays it from the confirmation
// page (E2), and the app polls for the outcome (seed 4.7). Package checkout owns how a
// payment is made and proven.
package charge

import (
	"cmp"
	"context"
	"errors"

	"svc/db"
	"svc/server/checkout"
	"svc/server/fault"
)

const maxListed = 100 // seed 8.2

// Config names what a Service works with.
type Config struct {
	Store      *db.DB
	Payments   *checkout.Service
	ConsoleURL string // links to charges begin with it
}

// Service owns charges.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

// Request is a valid request for a charge.
type Request struct {
	MerchantEmail string
	Amount        int64 // minor units
	Currency      string
	Description   string
}

// Create makes a pending charge and returns its link. The link is the developer's to
// pass on: it is never mailed (E5).
func (s *Service) Create(ctx context.Context, caller db.Principal, req Request) (made db.Charge, link string, err error) {
	var token db.Token
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		made, token, err = tx.CreateCharge(db.Charge{
			KeyID: caller.KeyID, AccountID: caller.AccountID, MerchantEmail: req.MerchantEmail,
			Amount: req.Amount, Currency: req.Currency, Description: req.Description, Env: caller.Env,
		})
		return err
	})
	return made, s.link(string(token)), err
}

func (s *Service) link(handle string) string { return s.ConsoleURL + "/charges/" + handle }

// Listed is a charge with its status now.
type Listed struct {
	db.Charge
	Status db.ChargeStatus
}

// List returns the key's newest charges (E8).
func (s *Service) List(ctx context.Context, keyID string) ([]Listed, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (all []Listed, err error) {
		charges, err := tx.Charges(keyID, maxListed)
		for _, c := range charges {
			all = append(all, Listed{c, c.StatusAt(tx.Now())})
		}
		return all, err
	})
}

// All returns the newest charges that an account asked for or was asked for, at most
// limit; for the zero account, everybody's. It is for the operator.
func (s *Service) All(ctx context.Context, a db.Account, limit int) (all []Listed, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		charges, err := tx.ChargesWith(a, limit)
		for _, c := range charges {
			all = append(all, Listed{c, c.StatusAt(tx.Now())})
		}
		return err
	})
	return all, err
}

// Made is a charge of an account's key, as its developer sees it.
type Made struct {
	Listed
	Key string // the key's label, or its environment and last four characters
	// Link opens the charge for its merchant, who must be signed in; empty unless it is
	// live and waits. The link of the answer, which opens it for anybody, is not stored.
	Link string
}

// Made returns the newest charges of an account's keys, older than the one with the id before
// ("" for all); unless email is "", only those to that merchant.
func (s *Service) Made(ctx context.Context, accountID string, f db.ChargeFilter, limit int) (rows []Made, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, err := tx.ChargesOf(accountID, f, limit)
		for _, c := range all {
			row, err := s.made(tx, c)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return err
	})
	return rows, err
}

// MadeOne returns a charge of an account's key. A NotFound: there is none.
func (s *Service) MadeOne(ctx context.Context, accountID, id string) (row Made, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		c, err := tx.ChargeOf(accountID, id)
		if err == nil {
			row, err = s.made(tx, c)
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such charge"}
	}
	return row, err
}

func (s *Service) made(tx *db.Tx, c db.Charge) (Made, error) {
	from, err := tx.Requester(c.KeyID)
	row := Made{Listed: Listed{c, c.StatusAt(tx.Now())}, Key: cmp.Or(from.Key.Label, string(from.Key.Env)+" …"+from.Key.LastFour)}
	if row.Status == db.ChargePending && c.Env == db.Live {
		row.Link = s.link(c.ID)
	}
	return row, err
}

const maxShown = 100

// Addressed are the live charges that are addressed to an account, newest first.
type Addressed struct {
	Pending []Confirmation
	Over    []Listed // paid or expired
}

// Pending returns the newest live charges that are addressed to an account and can be
// paid, or will be once payments are set up.
func (s *Service) Pending(ctx context.Context, a db.Account) (all []Confirmation, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, err = s.pending(tx, a)
		return err
	})
	return all, err
}

func (s *Service) pending(tx *db.Tx, a db.Account) (all []Confirmation, err error) {
	charges, err := tx.ChargesPending(a, maxShown)
	if err != nil {
		return nil, err
	}
	for _, charge := range charges {
		c, err := s.load(tx, charge.ID, charge)
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	return all, nil
}

// Addressed returns the newest live charges that are addressed to an account.
func (s *Service) Addressed(ctx context.Context, a db.Account) (found Addressed, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		if found.Pending, err = s.pending(tx, a); err != nil {
			return err
		}
		all, err := tx.ChargesTo(a, maxShown)
		for _, c := range all {
			if status := c.StatusAt(tx.Now()); status != db.ChargePending {
				found.Over = append(found.Over, Listed{c, status})
			}
		}
		return err
	})
	return found, err
}

// Action is what can be done with a charge now.
type Action string

// The actions. A charge that is over has its status in their place.
const (
	Pay         Action = "pay"
	Simulate    Action = "simulate"    // a test key's (E5)
	Unavailable Action = "unavailable" // payments are not set up (E4)
	Processing  Action = "processing"  // the payment is on its way
)

// Confirmation is a charge as its link shows it, read in one transaction.
type Confirmation struct {
	db.Charge
	Handle string // by which the page was opened: the link's token or the charge's id
	From   string // name of the developer's account
	App    string // name of the app, empty if the key has none
	Status db.ChargeStatus
	Action Action
	// Awaited is Action for a payer who comes back from Stripe: as long as the payment
	// may be on its way it is Processing, also past the charge's end (E1).
	Awaited Action
}

// Confirmation reads a charge by the token of its link, which anybody may have, or by its
// id, which opens a live charge only to whom it is for. visitor is the account that is
// signed in, zero for nobody. db.ErrNotFound: there is none.
func (s *Service) Confirmation(ctx context.Context, handle string, visitor db.Account) (Confirmation, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (Confirmation, error) {
		c, err := find(tx, handle, visitor)
		if err != nil {
			return Confirmation{}, err
		}
		return s.load(tx, handle, c)
	})
}

func find(tx *db.Tx, handle string, visitor db.Account) (db.Charge, error) {
	if token, ok := db.ParseToken(handle); ok {
		return tx.ChargeByToken(token)
	}
	return tx.ChargeTo(visitor, handle)
}

// load reads what a page shows beside the charge.
func (s *Service) load(tx *db.Tx, handle string, charge db.Charge) (c Confirmation, err error) {
	c.Handle, c.Charge = handle, charge
	c.Status = c.StatusAt(tx.Now())
	requester, err := tx.Requester(c.KeyID)
	if err != nil {
		return c, err
	}
	c.From, c.App = requester.Developer.Name, requester.App.Name
	payment, err := checkout.LastState(tx, c.ID)
	if err != nil {
		return c, err
	}
	c.Action = s.action(c, payment)
	c.Awaited = c.Action
	if mayBePaid(payment) && (c.Action == Pay || c.Action == Action(db.ChargeExpired)) {
		c.Awaited = Processing
	}
	return c, nil
}

// action returns what can be done, given the state of the newest try to pay. A payment
// that is under way is waited for even when the charge has expired: it may still count
// (E1).
func (s *Service) action(c Confirmation, payment db.CheckoutState) Action {
	switch {
	case c.Status == db.ChargeApproved || c.Status == db.ChargeDeclined:
		return Action(c.Status)
	case payment == db.CheckoutProcessing:
		return Processing
	case c.Status == db.ChargeExpired:
		return Action(c.Status)
	case c.Env == db.Test:
		return Simulate
	case !s.Payments.Ready():
		return Unavailable
	}
	return Pay
}

// mayBePaid reports whether Stripe has yet to tell how a try to pay ended.
func mayBePaid(payment db.CheckoutState) bool {
	return payment == db.CheckoutCreating || payment == db.CheckoutOpen || payment == db.CheckoutProcessing
}

var errNotSetUp = &fault.Error{Code: fault.Conflict, Message: "payments are not set up here yet; nothing was paid"}

var errNotPending = &fault.Error{Code: fault.Conflict, Message: "nothing was changed: this cannot be done with this request, or not any more"}

// Pay makes a session at Stripe and returns the address of its page (E2). It approves
// nothing. visitor is the one for whom c was read. checkout.Problem words its errors.
func (s *Service) Pay(ctx context.Context, c Confirmation, visitor db.Account) (url string, err error) {
	switch c.Action {
	case Pay:
	case Unavailable:
		return "", errNotSetUp
	default:
		return "", errNotPending
	}
	return s.Payments.Begin(ctx, checkout.Subject{
		ID: c.ID, OwnerID: c.KeyID, Amount: c.Amount, Currency: c.Currency, Description: c.Description,
		ExpiresAt: c.ExpiresAt, SuccessURL: s.link(c.Handle) + "/return", CancelURL: s.link(c.Handle),
	}, func(tx *db.Tx) error {
		now, err := find(tx, c.Handle, visitor)
		if err == nil && now.StatusAt(tx.Now()) != db.ChargePending {
			err = errNotPending
		}
		return err
	})
}

// SimulateApproval approves a test key's charge (E5). After a Conflict the charge is
// returned as it is.
func (s *Service) SimulateApproval(ctx context.Context, token db.Token) (Confirmation, error) {
	return s.simulate(ctx, token, (*db.Tx).SimulateApproval)
}

// SimulateDecline declines a test key's charge, as SimulateApproval approves one.
func (s *Service) SimulateDecline(ctx context.Context, token db.Token) (Confirmation, error) {
	return s.simulate(ctx, token, (*db.Tx).SimulateDecline)
}

func (s *Service) simulate(ctx context.Context, token db.Token, do func(*db.Tx, db.Charge) error) (c Confirmation, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) (err error) {
		charge, err := tx.ChargeByToken(token)
		if err != nil {
			return err
		}
		if c, err = s.load(tx, string(token), charge); err != nil {
			return err
		}
		return do(tx, c.Charge)
	})
	if errors.Is(err, db.ErrStale) {
		err = errNotPending
	}
	return c, err
}

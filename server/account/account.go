// Package account owns what a business has with us: its account, sign-in, API keys, apps
// and wallet. The commands and the pages are its front ends: both make the same requests
// and get the same errors.
package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"svc/db"
	"svc/server/checkout"
	"svc/server/emailaddr"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/seal"
	"svc/server/throttle"
)

// Config are the dependencies of a Service.
type Config struct {
	Store      *db.DB
	Mails      *mail.Service
	Seal       *seal.Box // of the secrets of two-factor sign-in
	Payments   *checkout.Service
	Bundles    []Bundle // for sale
	Clock      func() time.Time
	ConsoleURL string // where links in mails begin
	// LastUses returns when an account's keys were last used, by id. keys is how many it
	// has.
	LastUses func(ctx context.Context, accountID string, keys int) (map[string]time.Time, error)
	// DropFiles removes the files of datasets that have no row any more.
	DropFiles func(context.Context) error
}

// Service owns accounts, sign-in to them, keys, apps and wallets.
type Service struct {
	Config
	tries *tries
	// codeTries counts wrong codes of two-factor sign-in.
	codeTries *tries
	hashing   *fairqueue.Queue
	// asked counts the mails that a network asked for (SendCode, SendReset).
	asked  *throttle.Limiter[netip.Addr]
	asking sync.Mutex // held from reading asked until the mail is counted
}

// New returns a service.
func New(c Config) *Service {
	return &Service{
		Config: c, tries: newTries("passwords", triesOfAccount), codeTries: newTries("codes", codesOfAccount), hashing: newHashing(), asked: throttle.New[netip.Addr](mailsOfNetwork, tryWindow, maxCounted),
	}
}

// defaultProfile is the profile of a new account. Charges have the same default currency
// (seed 4.6).
var defaultProfile = db.Profile{BizType: "retail", Currency: "gbp", Timezone: "UTC"}

// NewAccount is a request for an account.
type NewAccount struct {
	Email    string
	Name     string // empty: the part of the e-mail before the @
	Plan     string // empty: business for the first account, free for others (L9)
	Password string // empty: none, so no sign-in yet
	// Currency, Region and Timezone are those of the profile; empty: as of defaultProfile.
	Currency, Region, Timezone string
}

// profile returns the profile that is asked for.
func (req NewAccount) profile() (db.Profile, error) {
	given := func(text string) *string {
		if text == "" {
			return nil
		}
		return &text
	}
	return ProfileChange{Currency: given(req.Currency), Region: given(req.Region), Timezone: given(req.Timezone)}.apply(defaultProfile)
}

// Create makes an account. The first one is the operator's. Its e-mail counts as
// verified: the operator, who runs the commands, vouches for it (D5).
func (s *Service) Create(ctx context.Context, req NewAccount) (db.Account, error) {
	a, err := s.newAccount(ctx, req)
	if err != nil {
		return db.Account{}, err
	}
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return create(tx, a) })
}

// create stores an account. One without a plan gets that of L9: what the operator tries
// first must not end at the limits of the free plan.
func create(tx *db.Tx, a db.Account) (db.Account, error) {
	if a.Plan == "" {
		has, err := tx.HasAccounts()
		if err != nil {
			return db.Account{}, err
		}
		a.Plan = db.Free
		if !has {
			a.Plan = db.Business
		}
	}
	a.VerifiedAt = tx.Now()
	made, err := tx.CreateAccount(a)
	if errors.Is(err, db.ErrConflict) {
		return db.Account{}, fault.Invalid("email", a.Email+" has an account already").Because(err)
	}
	return made, err
}

// EnsureOperator makes the first account if there is none, else does nothing. It may run
// at every start, in several processes at once (L2).
func (s *Service) EnsureOperator(ctx context.Context, req NewAccount) error {
	has, err := s.Any(ctx)
	if err != nil || has {
		return err
	}
	a, err := s.newAccount(ctx, req)
	if err != nil {
		return err
	}
	return s.Store.Update(ctx, func(tx *db.Tx) error { return createFirst(tx, a) })
}

// createFirst makes an account if there is none.
func createFirst(tx *db.Tx, a db.Account) error {
	has, err := tx.HasAccounts()
	if err != nil || has {
		return err
	}
	_, err = create(tx, a)
	return err
}

// newAccount checks a request and hashes its password. Whoever sent it has proved the e-mail,
// or is the operator.
func (s *Service) newAccount(ctx context.Context, req NewAccount) (db.Account, error) {
	a, err := req.account()
	if err == nil && req.Password != "" {
		a.PasswordHash, err = s.hash(ctx, knownTurn(req.Email), req.Password)
	}
	return a, err
}

// Check returns why the account could not be made on any server.
func (req NewAccount) Check() error {
	_, err := req.account()
	if err == nil && req.Password != "" {
		err = checkPassword(req.Password)
	}
	return err
}

// account returns the account that is asked for, without the hash of its password.
func (req NewAccount) account() (a db.Account, err error) {
	a = db.Account{Email: req.Email, Name: strings.TrimSpace(req.Name), Profile: defaultProfile}
	if err := emailaddr.Check("email", req.Email); err != nil {
		return a, err
	}
	if a.Name == "" {
		unquoted := db.UnquoteEmail(req.Email)
		a.Name = unquoted[:strings.LastIndexByte(unquoted, '@')]
	}
	if a.Profile, err = req.profile(); err == nil && req.Plan != "" {
		a.Plan, err = parsePlan(req.Plan)
	}
	return a, err
}

// Any reports whether there is an account at all.
func (s *Service) Any(ctx context.Context) (bool, error) {
	return db.Read(ctx, s.Store, (*db.Tx).HasAccounts)
}

// List returns all accounts, oldest first.
func (s *Service) List(ctx context.Context) ([]db.Account, error) {
	return db.Read(ctx, s.Store, (*db.Tx).Accounts)
}

// Find returns the account of an e-mail, whatever its case. An empty e-mail means
// the only account, if there is exactly one.
func (s *Service) Find(ctx context.Context, email string) (db.Account, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return find(tx, email) })
}

// FindAny is Find, but also finds a deleted account, by its id.
func (s *Service) FindAny(ctx context.Context, email string) (db.Account, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return findAny(tx, email) })
}

// readOf returns the result of read for the account of an e-mail, or of a deleted one by its
// id: its money records can be read.
func readOf[T any](ctx context.Context, s *Service, email string, read func(tx *db.Tx, accountID string) (T, error)) (T, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (result T, err error) {
		a, err := findAny(tx, email)
		if err != nil {
			return result, err
		}
		return read(tx, a.ID)
	})
}

func find(tx *db.Tx, email string) (a db.Account, err error) {
	a, err = findAny(tx, email)
	if err == nil && !a.DeletedAt.IsZero() {
		return db.Account{}, errDeleted(a.ID)
	}
	return a, err
}

func errDeleted(id string) error {
	return &fault.Error{Code: fault.Conflict, Message: fmt.Sprintf("account %s was deleted; only its money records are kept", id)}
}

func findAny(tx *db.Tx, email string) (a db.Account, err error) {
	if email == "" {
		return findOnly(tx)
	}
	a, err = tx.AccountByEmail(email)
	if errors.Is(err, db.ErrNotFound) {
		return a, &fault.Error{Code: fault.NotFound, Message: fmt.Sprintf("no account for %s", email)}
	}
	return a, err
}

var errNoAccount = fault.Invalid("account", "there is none yet; name the first with --account you@example.com").Because(db.ErrNotFound)

func findOnly(tx *db.Tx) (db.Account, error) {
	all, err := tx.Accounts()
	switch {
	case err != nil:
		return db.Account{}, err
	case len(all) == 0:
		return db.Account{}, errNoAccount
	case len(all) > 1:
		return db.Account{}, fault.Invalid("account", "there are several; say which one with --account")
	}
	return all[0], nil
}

// change finds an account and changes it in one transaction.
func (s *Service) change(ctx context.Context, email string, fn func(tx *db.Tx, a db.Account) error) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		a, err := find(tx, email)
		if err != nil {
			return err
		}
		return fn(tx, a)
	})
}

// SetPlan changes the plan from the account's next call on (A11).
func (s *Service) SetPlan(ctx context.Context, email, name string) error {
	plan, err := parsePlan(name)
	if err != nil {
		return err
	}
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error { return tx.SetPlan(a.ID, plan) })
}

func parsePlan(name string) (db.Plan, error) {
	plan := db.Plan(name)
	if !slices.Contains(db.Plans, plan) {
		return "", fault.Invalid("plan", "must be one of free, growth, business")
	}
	return plan, nil
}

// SetPassword replaces the owner's password and ends all their sessions and links. It is
// for the operator and sends no mail.
func (s *Service) SetPassword(ctx context.Context, email, password string) error {
	hash, err := s.hash(ctx, knownTurn(email), password)
	if err != nil {
		return err
	}
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error {
		if err := tx.SetPasswordHash(a.ID, hash); err != nil {
			return err
		}
		if err := endAccess(tx, a.ID); err != nil {
			return err
		}
		return tx.EndOtherSessions(a.ID, "")
	})
}

package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc/db"
	"svc/server/fault"
)

const maxLabel = 100 // characters

// KeyRef names a key that exists.
type KeyRef struct {
	ID string
	// AccountID is the account that acts, for which only its own keys exist. Empty: the
	// operator, who may act on everybody's.
	AccountID string
}

// NewKey is a request for an API key.
type NewKey struct {
	ID      string // made by db.NewKeyID, so that the request can be made only once; empty: any
	Account string // e-mail; empty: the only account
	Env     string // empty: test
	Mode    string // empty: account
	Label   string
	App     string // name of one of the account's apps; empty: none
}

func (req NewKey) key() (k db.Key, err error) {
	k = db.Key{ID: req.ID, Env: cmp.Or(db.Env(req.Env), db.Test), Mode: cmp.Or(db.Mode(req.Mode), db.AccountMode)}
	switch {
	case !slices.Contains(db.Envs, k.Env):
		err = fault.Invalid("env", "must be test or live")
	case !slices.Contains(db.Modes, k.Mode):
		err = fault.Invalid("mode", "must be account or generic")
	default:
		k.Label, err = checkLabel(req.Label)
	}
	return k, err
}

func checkLabel(label string) (string, error) {
	label = strings.TrimSpace(label)
	if utf8.RuneCountInString(label) > maxLabel {
		return "", fault.Invalid("label", fmt.Sprintf("must have at most %d characters", maxLabel))
	}
	return label, nil
}

// CheckFirst returns why the key could not be made on a server that has no account yet, where
// it makes the first.
func (req NewKey) CheckFirst() error {
	if _, err := req.key(); err != nil {
		return err
	}
	switch {
	case req.Account == "":
		return errNoAccount
	case req.App != "":
		return errNoApp(req.App)
	}
	return NewAccount{Email: req.Account}.Check()
}

// CreateKey makes a key and returns its secret, which cannot be read again. If there is no
// account at all, it makes one of the e-mail, so that one command makes a new installation
// usable. A Conflict: there is a key with the request's ID.
func (s *Service) CreateKey(ctx context.Context, req NewKey) (k db.Key, secret db.Secret, err error) {
	wanted, err := req.key()
	if err != nil {
		return db.Key{}, "", err
	}
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		a, err := findOrCreateFirst(tx, req.Account)
		if err != nil {
			return err
		}
		wanted.AccountID = a.ID
		if wanted.AppID, err = appID(tx, a.ID, req.App); err != nil {
			return err
		}
		k, secret, err = tx.CreateKey(wanted)
		return err
	})
	if errors.Is(err, db.ErrConflict) {
		err = &fault.Error{Code: fault.Conflict, Message: "this key was made before", Err: err}
	}
	return k, secret, err
}

func findOrCreateFirst(tx *db.Tx, email string) (db.Account, error) {
	if email != "" {
		a, err := NewAccount{Email: email}.account()
		if err != nil {
			return db.Account{}, err
		}
		if err := createFirst(tx, a); err != nil {
			return db.Account{}, err
		}
	}
	return find(tx, email)
}

func appID(tx *db.Tx, accountID, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	app, err := tx.AppByName(accountID, name)
	if errors.Is(err, db.ErrNotFound) {
		return "", errNoApp(name)
	}
	return app.ID, err
}

func errNoApp(name string) error {
	return fault.Invalid("app", fmt.Sprintf("the account has no app named %q", name)).Because(db.ErrNotFound)
}

// tryLabel is the label of the test key that the console's page "Try it" makes.
const tryLabel = "Try it"

// TryKey makes a test key in account mode for the page "Try it", or gives the one that it made
// before a new secret: the old one ends.
func (s *Service) TryKey(ctx context.Context, accountID string) (secret db.Secret, err error) {
	err = s.Store.Update(ctx, func(tx *db.Tx) error {
		keys, err := tx.Keys(accountID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.Label == tryLabel && k.Env == db.Test && k.Mode == db.AccountMode && k.DisabledAt.IsZero() {
				_, secret, err = tx.RotateKey(k, 0)
				return err
			}
		}
		_, secret, err = tx.CreateKey(db.Key{AccountID: accountID, Env: db.Test, Mode: db.AccountMode, Label: tryLabel})
		return err
	})
	return secret, err
}

// NameKey names the account's key that has a secret. A NotFound: it has none, or the secret has
// ended.
func (s *Service) NameKey(ctx context.Context, accountID, secret string) (name string, err error) {
	none := &fault.Error{Code: fault.NotFound, Message: "there is no such key"}
	return db.Read(ctx, s.Store, func(tx *db.Tx) (string, error) {
		p, err := tx.Principal(db.Secret(secret).Hash())
		if errors.Is(err, db.ErrNotFound) || err == nil && p.AccountID != accountID {
			return "", none
		}
		if err != nil {
			return "", err
		}
		k, err := tx.Key(p.KeyID)
		return keyName(k), err
	})
}

// Keys lists an account's keys, oldest first.
func (s *Service) Keys(ctx context.Context, email string) ([]db.Key, error) {
	return readOf(ctx, s, email, (*db.Tx).Keys)
}

// KeyNames tells how to name keys to people, by id. It is for the operator.
func (s *Service) KeyNames(ctx context.Context, ids []string) (map[string]db.KeyName, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (map[string]db.KeyName, error) { return tx.KeyNames(ids) })
}

// SetKeyEnabled disables or enables a key from its next call on (A11).
func (s *Service) SetKeyEnabled(ctx context.Context, ref KeyRef, enabled bool) error {
	return s.changeKey(ctx, ref, func(tx *db.Tx, k db.Key) error {
		if enabled {
			return tx.EnableKey(k.AccountID, k.ID)
		}
		return tx.DisableKey(k.AccountID, k.ID)
	})
}

// LabelKey changes what a key is called.
func (s *Service) LabelKey(ctx context.Context, ref KeyRef, label string) error {
	label, err := checkLabel(label)
	if err != nil {
		return err
	}
	return s.changeKey(ctx, ref, func(tx *db.Tx, k db.Key) error { return tx.LabelKey(k.AccountID, k.ID, label) })
}

// EditKey changes what a key is called and to which of its account's apps it belongs, by
// name; empty: to none. Merchants see that app's name and logo from then on.
func (s *Service) EditKey(ctx context.Context, ref KeyRef, label, app string) error {
	label, err := checkLabel(label)
	if err != nil {
		return err
	}
	return s.changeKey(ctx, ref, func(tx *db.Tx, k db.Key) error {
		id, err := appID(tx, k.AccountID, app)
		if err != nil {
			return err
		}
		if label != k.Label {
			err = tx.LabelKey(k.AccountID, k.ID, label)
		}
		if err == nil && id != k.AppID {
			err = tx.MoveKey(k.AccountID, k.ID, id)
		}
		return err
	})
}

// maxGrace bounds how long a secret is accepted after it was rotated away.
const maxGrace = 30 * 24 * time.Hour

// Rotation is a request for a new secret of a key.
type Rotation struct {
	Key   KeyRef
	Grace time.Duration // for which the old secret works on; 0 ends all old ones at once
	// LastFour are those of the secret to replace, so that the request can be made only
	// once; empty: of any.
	LastFour string
}

// RotateKey gives a key a new secret, which cannot be read again (A11). k.OldEndsAt is when
// the old one ends. A Conflict: the key has another secret than the request says.
func (s *Service) RotateKey(ctx context.Context, req Rotation) (k db.Key, secret db.Secret, err error) {
	if req.Grace < 0 || req.Grace > maxGrace {
		return k, "", fault.Invalid("grace", "must be from 0 to 720h")
	}
	err = s.changeKey(ctx, req.Key, func(tx *db.Tx, found db.Key) (err error) {
		if req.LastFour != "" && req.LastFour != found.LastFour {
			return &fault.Error{Code: fault.Conflict, Message: "the key was rotated before"}
		}
		k, secret, err = tx.RotateKey(found, req.Grace)
		return err
	})
	return k, secret, err
}

// EndOldSecrets ends the secrets that a key had before it was rotated, and returns how many
// were still accepted. The key's own secret stays.
func (s *Service) EndOldSecrets(ctx context.Context, ref KeyRef) (k db.Key, ended int64, err error) {
	err = s.changeKey(ctx, ref, func(tx *db.Tx, found db.Key) (err error) {
		k = found
		ended, err = tx.EndOldSecrets(k)
		return err
	})
	return k, ended, err
}

// changeKey finds a key and changes it in one transaction. A Conflict: its account is
// deleted.
func (s *Service) changeKey(ctx context.Context, ref KeyRef, fn func(tx *db.Tx, k db.Key) error) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		k, err := tx.Key(ref.ID)
		if errors.Is(err, db.ErrNotFound) || err == nil && ref.AccountID != "" && ref.AccountID != k.AccountID {
			return &fault.Error{Code: fault.NotFound, Message: "no key " + ref.ID}
		}
		if err != nil {
			return err
		}
		a, err := tx.Account(k.AccountID)
		if err != nil {
			return err
		}
		if !a.DeletedAt.IsZero() {
			return errDeleted(a.ID)
		}
		return fn(tx, k)
	})
}

// canAsk reports whether an account has sales or a dataset to ask about.
func (s *Service) canAsk(ctx context.Context, owner db.Account) (bool, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (bool, error) {
		_, err := tx.LatestDataset(owner.ID)
		if !errors.Is(err, db.ErrNotFound) {
			return err == nil, err
		}
		sold, err := tx.NewestSale(owner)
		return !sold.IsZero(), err
	})
}

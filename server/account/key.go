package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"svc/db"
	"svc/server/fault"
)

const maxLabel = 100 // bytes

// NewKey is a request for an API key.
type NewKey struct {
	Account string // e-mail; empty: the only account
	Env     string // empty: test
	Mode    string // empty: account
	Label   string
	App     string // name of one of the account's apps; empty: none
}

func (req NewKey) key() (k db.Key, err error) {
	k = db.Key{
		Env: cmp.Or(db.Env(req.Env), db.Test), Mode: cmp.Or(db.Mode(req.Mode), db.AccountMode), Label: strings.TrimSpace(req.Label),
	}
	switch {
	case k.Env != db.Test && k.Env != db.Live:
		err = fault.Invalid("env", "must be test or live")
	case k.Mode != db.AccountMode && k.Mode != db.GenericMode:
		err = fault.Invalid("mode", "must be account or generic")
	case len(k.Label) > maxLabel:
		err = fault.Invalid("label", fmt.Sprintf("must be at most %d bytes", maxLabel))
	}
	return k, err
}

// CreateKey makes a key and returns its secret, which cannot be read again. If there is no
// account at all, it makes one of the e-mail, so that one command makes a new installation
// usable.
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
		return "", fault.Invalid("app", fmt.Sprintf("the account has no app named %q", name))
	}
	return app.ID, err
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
func (s *Service) SetKeyEnabled(ctx context.Context, id string, enabled bool) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		k, err := tx.Key(id)
		if errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.NotFound, Message: "no key " + id}
		}
		if err != nil {
			return err
		}
		if enabled {
			return tx.EnableKey(k.AccountID, k.ID)
		}
		return tx.DisableKey(k.AccountID, k.ID)
	})
}

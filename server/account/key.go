package account

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

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
	k = db.Key{Env: cmp.Or(db.Env(req.Env), db.Test), Mode: cmp.Or(db.Mode(req.Mode), db.AccountMode)}
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
	if len(label) > maxLabel {
		return "", fault.Invalid("label", fmt.Sprintf("must be at most %d bytes", maxLabel))
	}
	return label, nil
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
		return "", fault.Invalid("app", fmt.Sprintf("the account has no app named %q", name)).Because(err)
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
	return s.changeKey(ctx, id, func(tx *db.Tx, k db.Key) error {
		if enabled {
			return tx.EnableKey(k.AccountID, k.ID)
		}
		return tx.DisableKey(k.AccountID, k.ID)
	})
}

// LabelKey changes what a key is called.
func (s *Service) LabelKey(ctx context.Context, id, label string) error {
	label, err := checkLabel(label)
	if err != nil {
		return err
	}
	return s.changeKey(ctx, id, func(tx *db.Tx, k db.Key) error { return tx.LabelKey(k.AccountID, k.ID, label) })
}

// maxGrace bounds how long a secret is accepted after it was rotated away.
const maxGrace = 30 * 24 * time.Hour

// RotateKey gives a key a new secret, which cannot be read again (A11). k.OldEndsAt is when
// the old one ends. A grace time of 0 ends all old ones at once.
func (s *Service) RotateKey(ctx context.Context, id string, grace time.Duration) (k db.Key, secret db.Secret, err error) {
	if grace < 0 || grace > maxGrace {
		return k, "", fault.Invalid("grace", "must be from 0 to 720h")
	}
	err = s.changeKey(ctx, id, func(tx *db.Tx, found db.Key) (err error) {
		k, secret, err = tx.RotateKey(found, grace)
		return err
	})
	return k, secret, err
}

// EndOldSecrets ends the secrets that a key had before it was rotated, and returns how many
// were still accepted. The key's own secret stays.
func (s *Service) EndOldSecrets(ctx context.Context, id string) (k db.Key, ended int64, err error) {
	err = s.changeKey(ctx, id, func(tx *db.Tx, found db.Key) (err error) {
		k = found
		ended, err = tx.EndOldSecrets(k)
		return err
	})
	return k, ended, err
}

// changeKey finds a key by its id and changes it in one transaction. A Conflict: its account
// is deleted.
func (s *Service) changeKey(ctx context.Context, id string, fn func(tx *db.Tx, k db.Key) error) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error {
		k, err := tx.Key(id)
		if errors.Is(err, db.ErrNotFound) {
			return &fault.Error{Code: fault.NotFound, Message: "no key " + id}
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

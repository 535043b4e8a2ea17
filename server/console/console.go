// Package console owns the pages that belong to no capability: the home page, the
// overview of an account, and the operator's page.
package console

import (
	"context"

	"svc/db"
)

// Config are the dependencies of a Service.
type Config struct{ Store *db.DB }

// Service reads what the overview shows.
type Service struct{ store *db.DB }

// New returns a service.
func New(c Config) *Service { return &Service{store: c.Store} }

// Overview is what an account has.
type Overview struct {
	Wallet db.Wallet
	Keys   int // that are enabled
	Grants int // active connections to the account's data
}

// Overview reads what an account has.
func (s *Service) Overview(ctx context.Context, accountID string) (o Overview, err error) {
	err = s.store.View(ctx, func(tx *db.Tx) error {
		if o.Wallet, err = tx.Wallet(accountID); err != nil {
			return err
		}
		keys, err := tx.Keys(accountID)
		if err != nil {
			return err
		}
		for _, k := range keys {
			if k.DisabledAt.IsZero() {
				o.Keys++
			}
		}
		o.Grants, err = tx.ActiveGrants(accountID)
		return err
	})
	return o, err
}

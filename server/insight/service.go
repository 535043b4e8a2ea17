// Package insight watches an account's shop and reports how it does: the alerts that its
// figures raise, its pulse and its daily brief (J3).
//
// An alert belongs to a rule (rule.go). Rules compare the shop with its own past, so they
// need no configuration. Figures are computed by package db from the shop's rows; this
// package decides what they mean and words them.
package insight

import (
	"context"
	"time"

	"svc/db"
	"svc/server/fairqueue"
)

// Config names what a Service works with.
type Config struct {
	Books Books
	Store *db.DB
	Clock func() time.Time
	Queue *fairqueue.Queue // of all heavy work
}

// Service computes and stores what a shop's figures mean.
type Service struct{ Config }

// New returns the service.
func New(c Config) *Service { return &Service{c} }

func (s *Service) owner(ctx context.Context, accountID string) (db.Account, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return tx.Account(accountID) })
}

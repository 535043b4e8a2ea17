package connection

import (
	"context"
	"errors"

	"svc/db"
	"svc/server/fault"
)

const maxGrants = 200

var errNoGrant = &fault.Error{Code: fault.NotFound, Message: "there is no such grant"}

// Grant is a connection that a merchant has approved, as the merchant sees it.
type Grant struct {
	db.Connection
	Status         db.ConnectionStatus // when it was read
	Developer, App string              // names; App may be empty
}

// Grants returns the merchant's newest grants, also those revoked since.
func (s *Service) Grants(ctx context.Context, merchantID string) ([]Grant, error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) (grants []Grant, err error) {
		all, err := tx.Grants(merchantID, maxGrants)
		for _, c := range all {
			from, err := tx.Requester(c.KeyID)
			if err != nil {
				return nil, err
			}
			grants = append(grants, Grant{c, c.StatusAt(tx.Now()), from.Developer.Name, from.AppName()})
		}
		return grants, err
	})
}

// RevokeGrant ends one of the merchant's grants, unless it was revoked before. A
// NotFound: the merchant has no such grant.
func (s *Service) RevokeGrant(ctx context.Context, merchantID, id string) error {
	err := s.Store.Update(ctx, func(tx *db.Tx) error {
		c, err := tx.Grant(merchantID, id)
		if err != nil {
			return err
		}
		err = tx.RevokeConnection(c, merchantID)
		if errors.Is(err, db.ErrStale) {
			return nil // it was revoked before
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		return errNoGrant
	}
	return err
}

package connection

import (
	"context"
	"errors"
	"fmt"

	"svc/db"
	"svc/server/fault"
)

// All returns the newest connections that an account asked for or was asked for, at most
// limit; for the zero account, everybody's. It is for the operator.
func (s *Service) All(ctx context.Context, a db.Account, limit int) (all []Connection, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		stored, err := tx.ConnectionsWith(a, limit)
		for _, c := range stored {
			all = append(all, Connection{Connection: c, Status: c.StatusAt(tx.Now())})
		}
		return err
	})
	return all, err
}

// Revoke ends any connection as its merchant could, unless it was revoked before. It is
// for the operator. A NotFound: there is none with this id. A Conflict: nobody has
// approved it.
func (s *Service) Revoke(ctx context.Context, id string) (db.Connection, error) {
	return db.Write(ctx, s.Store, func(tx *db.Tx) (db.Connection, error) {
		c, err := tx.Connection(id)
		if errors.Is(err, db.ErrNotFound) {
			return c, &fault.Error{Code: fault.NotFound, Message: "no connection " + id}
		}
		if err != nil {
			return c, err
		}
		switch status := c.StatusAt(tx.Now()); status {
		case db.ConnectionRevoked:
			return c, nil
		case db.ConnectionApproved:
			return c, tx.RevokeConnection(c, c.MerchantID)
		default:
			return c, &fault.Error{
				Code:    fault.Conflict,
				Message: fmt.Sprintf("connection %s is %s; only an approved one can be revoked", id, status),
			}
		}
	})
}

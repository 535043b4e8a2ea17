package connection

import (
	"cmp"
	"context"
	"errors"

	"svc/db"
	"svc/server/fault"
)

// Asked is a connection that an account's key has asked for, as its developer sees it.
type Asked struct {
	db.Connection
	Status db.ConnectionStatus // when it was read
	Key    string              // the key's label, or its environment and last four characters
}

// Asked returns the newest connections that an account's keys have asked for, older than the
// one with the id before ("" for all); unless email is "", only to that merchant.
func (s *Service) Asked(ctx context.Context, accountID, before, email string, limit int) (rows []Asked, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, err := tx.ConnectionsOf(accountID, before, email, limit)
		for _, c := range all {
			row, err := asked(tx, c)
			if err != nil {
				return err
			}
			rows = append(rows, row)
		}
		return err
	})
	return rows, err
}

// AskedOne returns a connection that an account's key has asked for. A NotFound: there is none.
func (s *Service) AskedOne(ctx context.Context, accountID, id string) (row Asked, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		c, err := tx.ConnectionOf(accountID, id)
		if err == nil {
			row, err = asked(tx, c)
		}
		return err
	})
	if errors.Is(err, db.ErrNotFound) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such connection"}
	}
	return row, err
}

func asked(tx *db.Tx, c db.Connection) (Asked, error) {
	from, err := tx.Requester(c.KeyID)
	return Asked{c, c.StatusAt(tx.Now()), keyName(from.Key)}, err
}

// keyName is the label of a key, or its environment and last four characters.
func keyName(k db.Key) string { return cmp.Or(k.Label, string(k.Env)+" …"+k.LastFour) }

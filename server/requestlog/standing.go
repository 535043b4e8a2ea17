package requestlog

import (
	"context"

	"svc/db"
	"svc/server/fault"
)

// Standing is what a key has used of its plan's limits.
type Standing struct {
	Key   db.Key
	Meter db.Meter
}

// Window is what a key has left at an endpoint with rolling windows.
type Window struct {
	Endpoint string // as in db.WindowedEndpoints
	db.Rolling
}

// Standings returns what each of the account's keys has used, oldest first, and what one of
// them has left at the endpoints with rolling windows, if its id is not empty. A NotFound:
// the account has no key with the id.
func (s *Service) Standings(ctx context.Context, accountID, keyID string) (all []Standing, windows []Window, err error) {
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		all, windows = nil, nil
		keys, err := tx.Keys(accountID)
		if err != nil {
			return err
		}
		meters, err := tx.Meters(accountID)
		if err != nil {
			return err
		}
		unused, err := tx.Meter("") // no key has this id
		if err != nil {
			return err
		}
		found := keyID == ""
		for _, k := range keys {
			m, used := meters[k.ID]
			if !used {
				m = unused
			}
			all, found = append(all, Standing{k, m}), found || k.ID == keyID
		}
		if !found {
			return errNoKey
		}
		if keyID != "" {
			windows, err = windowsOf(tx, keyID)
		}
		return err
	})
	return all, windows, err
}

var errNoKey = &fault.Error{Code: fault.NotFound, Message: "there is no such key"}

func windowsOf(tx *db.Tx, keyID string) (all []Window, err error) {
	for _, endpoint := range db.WindowedEndpoints {
		r, err := tx.Rolling(keyID, endpoint)
		if err != nil {
			return nil, err
		}
		all = append(all, Window{endpoint, r})
	}
	return all, nil
}

// Keys lists the account's keys, oldest first.
func (s *Service) Keys(ctx context.Context, accountID string) (keys []db.Key, err error) {
	return db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Key, error) { return tx.Keys(accountID) })
}

// Debit returns the number of the entry in the account's ledger that a call caused, 0 if
// it caused none.
func (s *Service) Debit(ctx context.Context, r db.Request) (seq int64, err error) {
	if r.ChargeCents == 0 {
		return 0, nil
	}
	err = s.Store.LongView(ctx, func(tx *db.Tx) (err error) {
		seq, err = tx.DebitOf(r.AccountID, r.ID, r.At)
		return err
	})
	return seq, err
}

package account

import (
	"context"
	"errors"
	"fmt"

	"svc/db"
	"svc/server/fault"
)

// What ends an account (L1).
//
// Disable stops what the account itself does, until Enable: its keys get the 403 of a
// disabled key, its sessions end, nobody can sign in to it, and requests of its keys that
// are still pending cannot be approved. All that it has is kept, and what others do with
// what it made goes on: a charge can be paid, and an app that it granted access keeps it
// until somebody revokes that.
//
// Delete cannot be undone. In one transaction the sign-in, sessions, links and secrets of
// the keys go; connections in both directions are revoked, and pending requests and charges
// expire; e-mail, name, region, apps, labels of keys and mails to the address are removed.
// Inventory, sales, orders, customers, messages and datasets are removed after it, in chunks,
// by Delete or, if that is interrupted, by Sweep. Kept are, under the account's id, wallet,
// ledger, purchases and charges: they are money records, and what others paid or were asked
// to pay is theirs, too. So are connections, which tell the other side who had access. The
// address may open another account, which has nothing of the old one.
//
// The operator's account cannot be deleted, nor can the last one be disabled: nobody could
// run the server.

// Disable disables an account from its next call on.
func (s *Service) Disable(ctx context.Context, email string) error {
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error {
		if a.Operator {
			other, err := tx.HasOtherOperator(a.ID)
			if err != nil {
				return err
			}
			if !other {
				return &fault.Error{Code: fault.Conflict, Message: a.Email + " is the only operator's account; nobody else could run the server"}
			}
		}
		return tx.DisableAccount(a.ID)
	})
}

// Enable undoes Disable.
func (s *Service) Enable(ctx context.Context, email string) error {
	return s.change(ctx, email, func(tx *db.Tx, a db.Account) error { return tx.EnableAccount(a.ID) })
}

// CheckDelete reports whether an account may be deleted. A Conflict: it is an operator's.
func CheckDelete(a db.Account) error {
	if a.Operator {
		return &fault.Error{Code: fault.Conflict, Message: a.Email + " is the operator's account, which cannot be deleted"}
	}
	return nil
}

// Delete deletes an account and returns what it ended. If only the removal of its data
// fails, the account is deleted, and a running server goes on with that.
func (s *Service) Delete(ctx context.Context, email string) (ended db.Ended, err error) {
	var gone db.Account
	err = s.change(ctx, email, func(tx *db.Tx, a db.Account) error {
		if err := CheckDelete(a); err != nil {
			return err
		}
		if ended, err = tx.DeleteAccount(a); err != nil {
			return err
		}
		gone, err = tx.Account(a.ID)
		return err
	})
	if err != nil {
		return db.Ended{}, err
	}
	if err := errors.Join(s.erase(ctx, gone), s.DropFiles(ctx)); err != nil {
		return ended, fmt.Errorf("%s is deleted, and a running server will remove the rest of its data: %w", email, err)
	}
	return ended, nil
}

// eraseChunk is the number of rows that a transaction removes, which takes about 5 ms.
const eraseChunk = 200

func (s *Service) erase(ctx context.Context, a db.Account) error {
	return s.Store.InChunks(ctx, func(tx *db.Tx) (bool, error) { return tx.EraseAccount(a, eraseChunk) })
}

// eraseDeleted removes the data of deleted accounts that Delete left, or that was stored
// after it by what was running. The sweep of datasets removes their files.
func (s *Service) eraseDeleted(ctx context.Context) error {
	all, err := db.Read(ctx, s.Store, (*db.Tx).UnerasedAccounts)
	for _, a := range all {
		err = errors.Join(err, s.erase(ctx, a))
	}
	return err
}

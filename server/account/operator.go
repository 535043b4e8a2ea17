package account

import (
	"context"

	"svc/db"
	"svc/server/fault"
)

// Holders lists at most limit accounts whose e-mail or name has a text, oldest first, after
// the one with an id, empty for the first. more reports whether there are further ones. It is
// for the operator.
func (s *Service) Holders(ctx context.Context, text, after string, limit int) (found []db.Holder, more bool, err error) {
	found, err = db.Read(ctx, s.Store, func(tx *db.Tx) ([]db.Holder, error) { return tx.FindAccounts(text, after, limit+1) })
	if len(found) > limit {
		return found[:limit], true, err
	}
	return found, false, err
}

// Dossier is what the operator sees of one account.
type Dossier struct {
	db.Account
	Wallet  db.Wallet
	Keys    []db.Key
	LastAct int64 // the newest act on the account, see Act
	// TwoFactor are the people of the account who sign in with a code.
	TwoFactor []db.Person
}

// Dossier reads an account for the operator. A NotFound: there is none with the id.
func (s *Service) Dossier(ctx context.Context, id string) (d Dossier, err error) {
	err = s.Store.View(ctx, func(tx *db.Tx) error {
		if d.Account, err = holder(tx, id); err != nil {
			return err
		}
		if d.Wallet, err = tx.Wallet(id); err != nil {
			return err
		}
		if d.Keys, err = tx.Keys(id); err != nil {
			return err
		}
		if d.TwoFactor, err = twoFactorPeople(tx, d.Account); err != nil {
			return err
		}
		d.LastAct, err = tx.LastAct(id)
		return err
	})
	return d, err
}

// twoFactorPeople lists the people of an account who sign in with a code, its owner first.
func twoFactorPeople(tx *db.Tx, a db.Account) (with []db.Person, err error) {
	staff, err := tx.Staff(a.ID)
	if err != nil {
		return nil, err
	}
	for _, p := range append([]db.Person{a.Owner()}, staff...) {
		on, err := tx.HasTwoFactor(p.ID)
		if err != nil {
			return nil, err
		}
		if on {
			with = append(with, p)
		}
	}
	return with, nil
}

// holder finds an account that is not deleted by its id.
func holder(tx *db.Tx, id string) (db.Account, error) {
	a, err := ifThere(tx.Account(id))
	if err == nil && (a.ID == "" || !a.DeletedAt.IsZero()) {
		err = &fault.Error{Code: fault.NotFound, Message: "there is no such account"}
	}
	return a, err
}

// CreditSeen is Credit by somebody who has seen the account's acts up to lastAct. A Conflict:
// there are newer ones, such as the same form that was sent twice, so nothing is credited.
func (s *Service) CreditSeen(ctx context.Context, id string, lastAct, cents int64, note string) error {
	a, err := db.Read(ctx, s.Store, func(tx *db.Tx) (db.Account, error) { return holder(tx, id) })
	if err != nil {
		return err
	}
	_, err = s.credit(ctx, a.Email, cents, note, func(tx *db.Tx) error {
		if now, err := tx.LastAct(id); err != nil || now == lastAct {
			return err
		}
		return &fault.Error{Code: fault.Conflict, Field: "", Message: "something was done to this account since the page was loaded, perhaps this; look at it and send again"}
	})
	return err
}

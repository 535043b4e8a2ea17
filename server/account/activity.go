package account

import (
	"context"
	"errors"
	"strings"

	"svc/db"
)

// ActLine is a row of the audit log with what it refers to.
type ActLine struct {
	db.Act
	Of    db.Account // whose it is
	By    db.Account // whose owner did it; zero if somebody else did
	Staff string     // the e-mail of one of its staff who did it; empty if somebody else did
	Whom  string     // the e-mail of the person or the invitation that it was done to; may be empty
	Key   db.Key     // that it was done to; zero if none
	Grant string     // the name of the app of the connection that it was done to; may be empty
}

// ActLines are a part of the audit log, newest first.
type ActLines struct {
	Lines []ActLine
	Older int64 // the Seq before which the next part is; 0 after the last
}

// maxActsSearched is how many acts one search reads; Older leads to further ones.
const maxActsSearched = 2_000

// Activity reads at most limit acts on an account, or on all accounts if accountID is empty,
// which is for the operator (L11). before is the Older of the part before, 0 for the first.
func (s *Service) Activity(ctx context.Context, accountID string, before int64, limit int) (ActLines, error) {
	return s.FindActivity(ctx, accountID, before, limit, nil)
}

// FindActivity is Activity of the acts that match picks; nil picks all.
func (s *Service) FindActivity(ctx context.Context, accountID string, before int64, limit int, match func(ActLine) bool) (found ActLines, err error) {
	most := limit
	if match != nil {
		most = maxActsSearched
	}
	err = s.Store.LongView(ctx, func(tx *db.Tx) error {
		found = ActLines{}
		acts, err := actsOf(tx, accountID, before, most+1)
		if err != nil {
			return err
		}
		for i, act := range acts {
			if i == most || len(found.Lines) == limit {
				found.Older = acts[i-1].Seq
				return nil
			}
			line, err := readActLine(tx, act)
			if err != nil {
				return err
			}
			if match == nil || match(line) {
				found.Lines = append(found.Lines, line)
			}
		}
		return nil
	})
	return found, err
}

// actsOf reads acts on an account, or on all if its id is empty.
func actsOf(tx *db.Tx, accountID string, before int64, limit int) ([]db.Act, error) {
	if accountID == "" {
		return tx.AllActs(before, limit)
	}
	return tx.Acts(accountID, before, limit)
}

func readActLine(tx *db.Tx, act db.Act) (l ActLine, err error) {
	l.Act = act
	if l.Of, err = ifThere(tx.Account(act.AccountID)); err != nil {
		return l, err
	}
	if l.By, err = ifThere(tx.Account(act.Actor)); err != nil {
		return l, err
	}
	if l.By.ID == "" {
		if l.Staff, err = ifThere(tx.ActorEmail(act.Actor)); err != nil {
			return l, err
		}
	}
	switch {
	case strings.HasPrefix(act.Subject, "usr_"):
		l.Whom, err = ifThere(tx.ActorEmail(act.Subject))
	case strings.HasPrefix(act.Subject, "inv_"):
		l.Whom, err = ifThere(tx.InvitationEmail(act.AccountID, act.Subject))
	case strings.HasPrefix(act.Subject, "key_"):
		l.Key, err = ifThere(tx.Key(act.Subject))
	case strings.HasPrefix(act.Subject, "conn_"):
		var c db.Connection
		var asks db.Requester
		if c, err = ifThere(tx.Connection(act.Subject)); err != nil {
			return l, err
		}
		asks, err = ifThere(tx.Requester(c.KeyID))
		l.Grant = asks.AppName()
	}
	return l, err
}

// ifThere returns the zero value for what is not there.
func ifThere[T any](found T, err error) (T, error) {
	if errors.Is(err, db.ErrNotFound) {
		var zero T
		return zero, nil
	}
	return found, err
}

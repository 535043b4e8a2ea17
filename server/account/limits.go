package account

import (
	"context"
	"fmt"
	"strings"

	"svc/db"
	"svc/server/fault"
)

// LimitKey gives a key its own limits at an endpoint of seed 8.4, from its next call on.
func (s *Service) LimitKey(ctx context.Context, l db.KeyLimits) error {
	if _, err := defaultLimits(l.Endpoint); err != nil {
		return err
	}
	if l.Minute < 1 || l.Minute > db.MaxHourly {
		return fault.Invalid("per_minute", fmt.Sprintf("must be from 1 to %d", db.MaxHourly))
	}
	if l.Hour < l.Minute || l.Hour > db.MaxHourly {
		return fault.Invalid("per_hour", fmt.Sprintf("must be from the limit a minute, %d, to %d", l.Minute, db.MaxHourly))
	}
	return s.changeKey(ctx, KeyRef{ID: l.KeyID}, func(tx *db.Tx, _ db.Key) error { return tx.SetKeyLimits(l) })
}

// ResetKeyLimits makes the limits of seed 8.4 hold for a key again, and returns them.
func (s *Service) ResetKeyLimits(ctx context.Context, id, endpoint string) (db.EndpointLimits, error) {
	l, err := defaultLimits(endpoint)
	if err != nil {
		return l, err
	}
	return l, s.changeKey(ctx, KeyRef{ID: id}, func(tx *db.Tx, k db.Key) error { return tx.ResetKeyLimits(k.ID, endpoint) })
}

func defaultLimits(endpoint string) (db.EndpointLimits, error) {
	l, ok := db.DefaultLimits(endpoint)
	if !ok {
		return l, fault.Invalid("endpoint", "must be one of "+strings.Join(db.WindowedEndpoints, ", "))
	}
	return l, nil
}

// KeyLimits lists the limits of an account's keys that are not those of seed 8.4.
func (s *Service) KeyLimits(ctx context.Context, email string) ([]db.KeyLimits, error) {
	return readOf(ctx, s, email, (*db.Tx).KeyLimits)
}

package webhook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"svc/db"
	"svc/server/fault"
)

// Rotation says how to give a webhook a new secret.
type Rotation struct {
	Overlap time.Duration // for which the old secret signs too, 0 to MaxOverlap
	Version string        // of the webhook as it was shown (Version); empty: any
}

// RotateSecret makes a new secret and returns it. The one before signs beside it for the
// overlap. A Conflict: the webhook has another version.
func (s *Service) RotateSecret(ctx context.Context, accountID, id string, r Rotation) (db.Webhook, string, error) {
	if r.Overlap < 0 || r.Overlap > MaxOverlap {
		return db.Webhook{}, "", fault.Invalid("overlap_hours", fmt.Sprintf("must be from 0 to %.0f", MaxOverlap.Hours()))
	}
	if _, err := s.Find(ctx, accountID, id); err != nil {
		return db.Webhook{}, "", err
	}
	secret, sealed, err := s.newSealed(ctx, id)
	if err != nil {
		return db.Webhook{}, "", err
	}
	w, err := db.Write(ctx, s.Store, func(tx *db.Tx) (db.Webhook, error) {
		shown, err := find(tx, accountID, id)
		if err != nil {
			return db.Webhook{}, err
		}
		if r.Version != "" && r.Version != Version(shown) {
			return db.Webhook{}, outdated()
		}
		if err := tx.RotateWebhookSecret(accountID, id, sealed, tx.Now().Add(r.Overlap)); err != nil {
			return db.Webhook{}, err
		}
		return tx.Webhook(accountID, id)
	})
	if err != nil {
		return db.Webhook{}, "", err
	}
	return w, secret, nil
}

// newSealed makes a secret for a webhook and seals it.
func (s *Service) newSealed(ctx context.Context, id string) (secret string, sealed []byte, err error) {
	if err := s.checkKey(ctx); err != nil {
		return "", nil, err
	}
	secret = newSecret()
	sealed, err = s.Seal.Seal(secret, id)
	return secret, sealed, sealFault(err)
}

// checkKey makes the key file, or makes sure that it is the one that sealed the secrets of the
// store.
func (s *Service) checkKey(ctx context.Context) error {
	sealed, err := db.Read(ctx, s.Store, (*db.Tx).AnySealed)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	return sealFault(s.Seal.Prepare(sealed.Secret, sealed.Name))
}

// sealFault words an error of the key file. Its path is the operator's, for the log.
func sealFault(err error) error {
	if err == nil {
		return nil
	}
	return &fault.Error{Code: fault.Unavailable, Message: "signing secrets cannot be sealed or opened; the operator finds the reason in the log", Err: err}
}

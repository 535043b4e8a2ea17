package certificate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/crypto/acme/autocert"

	"svc/db"
	"svc/server/seal"
)

// cache is the autocert.Cache over the database. It logs its errors, since autocert drops some.
type cache struct {
	store     *db.DB
	seal      *seal.Box
	directory string
	log       *slog.Logger
}

// Get returns what is kept under a name. What cannot be opened counts as missing: the CA gives
// another, while a server without certificate would stay without.
func (c cache) Get(ctx context.Context, name string) ([]byte, error) {
	secret, err := c.read(ctx, name)
	switch {
	case errors.Is(err, db.ErrNotFound):
		return nil, autocert.ErrCacheMiss
	case isSealError(err):
		c.log.Warn("what was kept for certificates cannot be opened", "name", name, "cause", err)
		return nil, autocert.ErrCacheMiss
	}
	return secret, err
}

// read fails with db.ErrNotFound, an error of package seal, or one of the store.
func (c cache) read(ctx context.Context, name string) ([]byte, error) {
	sealed, err := db.Read(ctx, c.store, func(tx *db.Tx) ([]byte, error) { return tx.ACMESecret(c.directory, name) })
	if err != nil {
		return nil, err
	}
	secret, err := c.seal.Open(sealed, c.sealedName(name))
	return []byte(secret), err
}

func isSealError(err error) bool {
	for _, is := range []error{seal.ErrNoKey, seal.ErrWrongKey, seal.ErrBadKey, seal.ErrDamaged} {
		if errors.Is(err, is) {
			return true
		}
	}
	return false
}

func (c cache) sealedName(name string) string { return "acme " + c.directory + " " + name }

// Put keeps a secret under a name.
func (c cache) Put(ctx context.Context, name string, secret []byte) error {
	if err := c.put(ctx, name, secret); err != nil {
		c.log.Error("what a certificate needs was not kept, and a restart asks the CA again", "name", name, "cause", err)
		return err
	}
	return nil
}

func (c cache) put(ctx context.Context, name string, secret []byte) error {
	// Certificates themselves are not asked about: the key file may be made anew as long as
	// only they are sealed.
	other, err := db.Read(ctx, c.store, (*db.Tx).AnySealed)
	if err != nil && !errors.Is(err, db.ErrNotFound) {
		return err
	}
	if err := c.seal.Prepare(other.Secret, other.Name); err != nil {
		return err
	}
	sealed, err := c.seal.Seal(string(secret), c.sealedName(name))
	if err != nil {
		return err
	}
	return c.store.Update(ctx, func(tx *db.Tx) error { return tx.SetACMESecret(c.directory, name, sealed) })
}

// Delete removes what is kept under a name.
func (c cache) Delete(ctx context.Context, name string) error {
	err := c.store.Update(ctx, func(tx *db.Tx) error { return tx.DeleteACMESecret(c.directory, name) })
	if err != nil {
		return fmt.Errorf("delete %s: %w", name, err)
	}
	return nil
}

// Package dbtest is the store's test kit: a new store in a file of its own, a clock
// that only the test moves, and functions that store the rows a test starts from.
//
// The function given to Update or View runs on a goroutine of the store, where
// t.Fatal would end the store instead of the test: it must return its error.
package dbtest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"svc/db"
)

// Clock is a clock that only the test moves. It may be used from any goroutine.
type Clock struct {
	mu  sync.Mutex
	now time.Time
}

// NewClock returns a clock at 2026-03-02 10:00:00 UTC, a Monday.
func NewClock() *Clock { return &Clock{now: time.Date(2026, time.March, 2, 10, 0, 0, 0, time.UTC)} }

// Now returns the clock's time; it is meant for db.Options.Clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// Advance moves the clock by d, back when d is below zero.
func (c *Clock) Advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// Set moves the clock to t.
func (c *Clock) Set(t time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = t
}

// Sequential marks a test in which one call follows another: it is left out with
// -short, which is for the race detector. CI also runs all tests without -short.
func Sequential(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("one call follows another here; run it without -short")
	}
}

// Open opens a new store, which is closed when the test ends.
func Open(t testing.TB, clock *Clock) *db.DB {
	t.Helper()
	return OpenAt(t, filepath.Join(t.TempDir(), "svc.db"), clock)
}

// empty returns the content of a new store's file. Its migrations take ten times as long
// as to open it does, so the tests of a process run them once.
var empty = sync.OnceValues(func() ([]byte, error) {
	folder, err := os.MkdirTemp("", "dbtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)

	path := filepath.Join(folder, "svc.db")
	store, err := db.Open(context.Background(), db.Options{Path: path, Clock: NewClock().Now, Migrate: true})
	if err != nil {
		return nil, err
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})

// MustExist makes the file of a new store at path, unless there is one.
func MustExist(t testing.TB, path string) {
	t.Helper()
	if _, err := os.Stat(path); err == nil {
		return
	}
	content, err := empty()
	if err == nil {
		err = os.WriteFile(path, content, 0o600)
	}
	if err != nil {
		t.Fatalf("make store: %v", err)
	}
}

// OpenAt opens the store at path. A second call opens the same file again, as another
// process would. It migrates an older file.
func OpenAt(t testing.TB, path string, clock *Clock) *db.DB {
	t.Helper()
	MustExist(t, path)
	store, err := db.Open(context.Background(), db.Options{Path: path, Clock: clock.Now, Migrate: true})
	if err != nil {
		t.Fatalf("open store: %v", err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Errorf("close store: %v", err)
		}
	})
	return store
}

// Update runs fn in an update of the store and ends the test if it fails.
func Update(t testing.TB, store *db.DB, fn func(*db.Tx) error) {
	t.Helper()
	if err := store.Update(context.Background(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

// View runs fn in a view of the store and ends the test if it fails.
func View(t testing.TB, store *db.DB, fn func(*db.Tx) error) {
	t.Helper()
	if err := store.View(context.Background(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

// MustAccount stores a verified account of a shop that sells in pounds. The first
// account of a store is the operator's.
func MustAccount(t testing.TB, store *db.DB, email string, plan db.Plan) (account db.Account) {
	t.Helper()
	Update(t, store, func(tx *db.Tx) (err error) {
		account, err = tx.CreateAccount(db.Account{
			Email:      email,
			Name:       "Shop of " + email,
			Plan:       plan,
			VerifiedAt: tx.Now(),
			Profile:    db.Profile{BizType: "retail", Currency: "gbp", Timezone: "UTC"},
		})
		return err
	})
	return account
}

// MustKey stores a key and returns it with its secret.
func MustKey(t testing.TB, store *db.DB, accountID string, env db.Env, mode db.Mode) (key db.Key, secret db.Secret) {
	t.Helper()
	Update(t, store, func(tx *db.Tx) (err error) {
		key, secret, err = tx.CreateKey(db.Key{AccountID: accountID, Env: env, Mode: mode, Label: "test kit"})
		return err
	})
	return key, secret
}

// MustCredit adds cents to the account's wallet.
func MustCredit(t testing.TB, store *db.DB, accountID string, cents int64) {
	t.Helper()
	Update(t, store, func(tx *db.Tx) error {
		_, err := tx.Credit(db.Entry{AccountID: accountID, Kind: db.TopUp, AmountCents: cents, Note: "test kit"})
		return err
	})
}

// MustWallet reads the account's wallet.
func MustWallet(t testing.TB, store *db.DB, accountID string) (wallet db.Wallet) {
	t.Helper()
	View(t, store, func(tx *db.Tx) (err error) {
		wallet, err = tx.Wallet(accountID)
		return err
	})
	return wallet
}

// MustVerify ends the test if a wallet does not match its ledger or its holds.
func MustVerify(t testing.TB, store *db.DB) {
	t.Helper()
	var faults []db.WalletFault
	View(t, store, func(tx *db.Tx) (err error) {
		faults, _, err = tx.VerifyWallets()
		return err
	})
	if len(faults) > 0 {
		t.Fatalf("wallets: %+v", faults)
	}
}

// MustItem stores an item of the account, or changes it.
func MustItem(t testing.TB, store *db.DB, accountID string, change db.ItemChange) (item db.Item) {
	t.Helper()
	Update(t, store, func(tx *db.Tx) (err error) {
		item, err = tx.PutItem(accountID, change, db.MovedByCount)
		return err
	})
	return item
}

package db_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// actsOf returns the acts on an account as "actor action detail", oldest first.
func actsOf(t *testing.T, store *db.DB, accountID string) (all []string) {
	t.Helper()
	for _, a := range get(t, store, func(tx *db.Tx) ([]db.Act, error) { return tx.Acts(accountID, 0, 100) }) {
		all = append(all, strings.TrimSpace(a.Actor+" "+string(a.Action)+" "+a.Detail))
	}
	slices.Reverse(all)
	return all
}

// Each act on credit, plans, keys and grants leaves one row, with who did it.
func TestActsAreAudited(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	key, _ := dbtest.MustKey(t, store, shop.ID, db.Live, db.AccountMode)
	before := len(actsOf(t, store, shop.ID))

	do := func(act func(tx *db.Tx) error) {
		t.Helper()
		if err := store.Update(db.WithActor(t.Context(), "acct_boss"), act); err != nil {
			t.Fatal(err)
		}
	}
	do(func(tx *db.Tx) error { return tx.SetPlan(shop.ID, db.Growth) })
	do(func(tx *db.Tx) error { return tx.DisableKey(shop.ID, key.ID) })
	do(func(tx *db.Tx) error { return tx.EnableKey(shop.ID, key.ID) })
	do(func(tx *db.Tx) error { return tx.LabelKey(shop.ID, key.ID, "till of the owner") })
	do(func(tx *db.Tx) error { _, _, err := tx.RotateKey(key, 0); return err })
	do(func(tx *db.Tx) error {
		return tx.SetKeyLimits(db.KeyLimits{KeyID: key.ID, Endpoint: "pulse", EndpointLimits: db.EndpointLimits{Minute: 7, Hour: 70}})
	})
	do(func(tx *db.Tx) error {
		_, err := tx.Credit(db.Entry{AccountID: shop.ID, Kind: db.Adjustment, AmountCents: 250, Note: "for the owner"})
		return err
	})
	do(func(tx *db.Tx) error { return tx.DisableAccount(shop.ID) })
	do(func(tx *db.Tx) error { return tx.EnableAccount(shop.ID) })

	want := []string{
		"acct_boss plan.changed growth", "acct_boss key.disabled", "acct_boss key.enabled", "acct_boss key.labelled",
		"acct_boss key.rotated 2026-01-01T00:00:00Z", "acct_boss key.limits pulse 7 70", "acct_boss credit.added +250",
		"acct_boss account.disabled", "acct_boss account.enabled",
	}
	got := actsOf(t, store, shop.ID)[before:]
	for i := range got {
		if strings.Contains(got[i], "key.rotated") {
			got[i] = want[i] // its time is the clock's
		}
		if strings.Contains(got[i], "owner") {
			t.Errorf("%q has what a person wrote", got[i])
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("acts %q\nwant %q", got, want)
	}
}

// An act that fails leaves no row, and one without an actor is the server's.
func TestAuditIsOfTheTransaction(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	before := actsOf(t, store, shop.ID)
	failed := errors.New("after the act")
	err := store.Update(t.Context(), func(tx *db.Tx) error {
		return errors.Join(tx.SetPlan(shop.ID, db.Growth), failed)
	})
	if !errors.Is(err, failed) || !slices.Equal(actsOf(t, store, shop.ID), before) {
		t.Errorf("%v, %q", err, actsOf(t, store, shop.ID))
	}
	wantErr(t, store.Update(t.Context(), func(tx *db.Tx) error { return tx.DisableKey(shop.ID, "key_none") }), db.ErrNotFound)
	dbtest.Update(t, store, func(tx *db.Tx) error { return tx.SetPlan(shop.ID, db.Growth) })
	if got := actsOf(t, store, shop.ID); got[len(got)-1] != "server plan.changed growth" {
		t.Errorf("acts %q", got)
	}
}

// Not even a statement of another program edits the log (L11).
func TestAuditCannotBeEdited(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/svc.db"
	store := dbtest.OpenAt(t, path, dbtest.NewClock())
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	before := actsOf(t, store, shop.ID)
	raw := rawOpen(t, path)
	for _, statement := range []string{`UPDATE audit SET actor = 'nobody'`, `DELETE FROM audit`, `REPLACE INTO audit SELECT * FROM audit`} {
		if _, err := raw.Exec(statement); err == nil || !strings.Contains(err.Error(), "cannot be edited") {
			t.Errorf("%s: %v", statement, err)
		}
	}
	if got := actsOf(t, store, shop.ID); !slices.Equal(got, before) {
		t.Errorf("acts %q, were %q", got, before)
	}
}

// Pages of the log go on where the last one ended.
func TestActsHavePages(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	shop := dbtest.MustAccount(t, store, "shop@example.com", db.Free)
	for range 4 {
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.SetPlan(shop.ID, db.Growth) })
	}
	all := get(t, store, func(tx *db.Tx) ([]db.Act, error) { return tx.AllActs(0, 100) })
	var paged []db.Act
	for before := int64(0); ; before = paged[len(paged)-1].Seq {
		page := get(t, store, func(tx *db.Tx) ([]db.Act, error) { return tx.Acts(shop.ID, before, 2) })
		if len(page) == 0 {
			break
		}
		paged = append(paged, page...)
	}
	if !slices.Equal(paged, all) || len(all) < 5 {
		t.Errorf("%d acts, %d by pages", len(all), len(paged))
	}
}

package db_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func TestAccount(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	create := func(store *db.DB, email string) error {
		return store.Update(background, func(tx *db.Tx) error {
			_, err := tx.CreateAccount(db.Account{Email: email, Plan: db.Free})
			return err
		})
	}

	t.Run("FirstIsOperator", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		if has := get(t, store, (*db.Tx).HasAccounts); has {
			t.Error("a new store has accounts")
		}
		first := dbtest.MustAccount(t, store, "one@example.com", db.Free)
		second := dbtest.MustAccount(t, store, "two@example.com", db.Free)
		if !first.Operator || second.Operator {
			t.Errorf("operator: first %v, second %v", first.Operator, second.Operator)
		}
		if has := get(t, store, (*db.Tx).HasAccounts); !has {
			t.Error("HasAccounts is false after CreateAccount")
		}
	})

	t.Run("StoredAsGiven", func(t *testing.T) {
		clock := dbtest.NewClock()
		store := dbtest.Open(t, clock)
		given := db.Account{
			Email: "Anna.Smith@Example.com", Name: "Anna", Plan: db.Growth, PasswordHash: "$argon2id$", VerifiedAt: clock.Now(),
			Profile:      db.Profile{BizType: "exporter", Currency: "eur", Region: "Tyrol", Timezone: "Europe/Vienna"},
			WebhookMails: true, // until its owner turns them off
		}
		var made db.Account
		dbtest.Update(t, store, func(tx *db.Tx) (err error) {
			made, err = tx.CreateAccount(given)
			return err
		})
		given.ID, given.Operator, given.CreatedAt = made.ID, true, clock.Now()
		if made != given {
			t.Errorf("made %+v, given %+v", made, given)
		}
		for _, email := range []string{"anna.smith@example.com", "ANNA.SMITH@EXAMPLE.COM", given.Email} {
			found := get(t, store, func(tx *db.Tx) (db.Account, error) { return tx.AccountByEmail(email) })
			if found != given {
				t.Errorf("%s: found %+v, want %+v", email, found, given)
			}
		}
		if found := get(t, store, func(tx *db.Tx) (db.Account, error) { return tx.Account(made.ID) }); found != given {
			t.Errorf("found %+v, want %+v", found, given)
		}
	})

	t.Run("EmailConflictsInAnySpelling", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		if err := create(store, "anna@example.com"); err != nil {
			t.Fatal(err)
		}
		for _, email := range []string{"Anna@Example.COM", `"anna"@example.com`, `"an\na"@example.com`} {
			wantErr(t, create(store, email), db.ErrConflict)
			if found := get(t, store, func(tx *db.Tx) (db.Account, error) { return tx.AccountByEmail(email) }); found.Email != "anna@example.com" {
				t.Errorf("%s: found %+v", email, found)
			}
		}
		if all := get(t, store, (*db.Tx).Accounts); len(all) != 1 {
			t.Errorf("accounts: %+v", all)
		}
	})

	t.Run("Changes", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		want := dbtest.MustAccount(t, store, "one@example.com", db.Free)
		other := dbtest.MustAccount(t, store, "two@example.com", db.Free)
		want.Plan, want.PasswordHash = db.Business, "$argon2id$new"
		want.Profile = db.Profile{BizType: "distributor", Currency: "usd", Region: "Ohio", Timezone: "America/New_York"}
		dbtest.Update(t, store, func(tx *db.Tx) error {
			return errors.Join(
				tx.SetPlan(want.ID, want.Plan),
				tx.SetPasswordHash(want.ID, want.PasswordHash),
				tx.SetProfile(want.ID, want.Profile),
			)
		})
		if all := get(t, store, (*db.Tx).Accounts); !slices.Contains(all, want) || !slices.Contains(all, other) {
			t.Errorf("accounts %+v, want %+v and %+v", all, want, other)
		}
	})

	t.Run("ChangeOfUnknownAccount", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		for name, change := range map[string]func(*db.Tx) error{
			"SetPlan":         func(tx *db.Tx) error { return tx.SetPlan("acct_none", db.Free) },
			"SetName":         func(tx *db.Tx) error { return tx.SetName("acct_none", "n") },
			"SetProfile":      func(tx *db.Tx) error { return tx.SetProfile("acct_none", db.Profile{}) },
			"SetPasswordHash": func(tx *db.Tx) error { return tx.SetPasswordHash("acct_none", "$argon2id$") },
		} {
			if err := store.Update(t.Context(), change); !errors.Is(err, db.ErrNotFound) {
				t.Errorf("%s: %v", name, err)
			}
		}
	})

	t.Run("RefusesEmptyPassword", func(t *testing.T) {
		store := dbtest.Open(t, dbtest.NewClock())
		account := dbtest.MustAccount(t, store, "one@example.com", db.Free)
		if err := store.Update(t.Context(), func(tx *db.Tx) error { return tx.SetPasswordHash(account.ID, "") }); err == nil {
			t.Error("the account has an empty password")
		}
	})
}

func TestPlans(t *testing.T) {
	t.Parallel()
	want := map[db.Plan]db.Limits{ // seed 8.1
		db.Free:     {Month: 100, Minute: 5},
		db.Growth:   {Month: 10_000, Minute: 60},
		db.Business: {Month: -1, Minute: 120},
	}
	if len(db.Plans) != len(want) {
		t.Errorf("plans: %v", db.Plans)
	}
	for _, plan := range db.Plans {
		if plan.Limits() != want[plan] {
			t.Errorf("%s: %+v, want %+v", plan, plan.Limits(), want[plan])
		}
	}
}

func TestApp(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	owner := dbtest.MustAccount(t, store, "one@example.com", db.Free)
	other := dbtest.MustAccount(t, store, "two@example.com", db.Free)
	create := func(accountID, name string) (app db.App, err error) {
		err = store.Update(t.Context(), func(tx *db.Tx) (err error) {
			app, err = tx.CreateApp(db.App{AccountID: accountID, Name: name, Logo: []byte{1, 2}, LogoType: "image/png"})
			return err
		})
		return app, err
	}

	made, err := create(owner.ID, "Till")
	if err != nil {
		t.Fatal(err)
	}
	_, err = create(owner.ID, "Till")
	wantErr(t, err, db.ErrConflict)
	if _, err = create(other.ID, "Till"); err != nil {
		t.Errorf("name of another account's app: %v", err)
	}

	found := get(t, store, func(tx *db.Tx) (db.App, error) { return tx.AppByName(owner.ID, "Till") })
	if !reflect.DeepEqual(found, made) {
		t.Errorf("found %+v, made %+v", found, made)
	}
	if apps := get(t, store, func(tx *db.Tx) ([]db.App, error) { return tx.Apps(owner.ID) }); len(apps) != 1 || apps[0].ID != made.ID {
		t.Errorf("apps of the account: %+v", apps)
	}
	if apps := get(t, store, (*db.Tx).AllApps); len(apps) != 2 {
		t.Errorf("all apps: %+v", apps)
	}
}

func TestMessages(t *testing.T) {
	t.Parallel()
	clock := dbtest.NewClock()
	store := dbtest.Open(t, clock)
	add := func(accountID, text string) (m db.Message) {
		dbtest.Update(t, store, func(tx *db.Tx) error {
			m = db.Message{
				ID: db.NewID("msg_", tx.Now()), AccountID: accountID, KeyID: "key_1", RequestID: "req_1", Provider: "outbox",
				ProviderID: "p1", Phone: "+441", Template: "receipt", Text: text, CreatedAt: tx.Now(),
			}
			return tx.AddMessage(m)
		})
		clock.Advance(time.Minute)
		return m
	}

	want := []db.Message{add("acct_1", "one"), add("acct_1", ""), add("acct_1", "three")}
	add("acct_2", "of another account")
	slices.Reverse(want)
	for _, limit := range []int{2, 3, 10} {
		got := get(t, store, func(tx *db.Tx) ([]db.Message, error) { return tx.Messages("acct_1", limit) })
		if !slices.Equal(got, want[:min(limit, len(want))]) {
			t.Errorf("newest %d: %+v, want %+v", limit, got, want)
		}
	}
}

func TestSetting(t *testing.T) {
	t.Parallel()
	store := dbtest.Open(t, dbtest.NewClock())
	read := func() string {
		return get(t, store, func(tx *db.Tx) (string, error) { return tx.Setting("name") })
	}
	if value := read(); value != "" {
		t.Errorf("a new store has %q, want none", value)
	}
	for _, want := range []string{"one", "two", ""} {
		dbtest.Update(t, store, func(tx *db.Tx) error { return tx.SetSetting("name", want) })
		if value := read(); value != want {
			t.Errorf("got %q, want %q", value, want)
		}
	}
}

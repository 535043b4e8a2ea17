package db_test

import (
	"slices"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// staff adds a person to an account's staff.
func (p *twoAccounts) staff(t *testing.T, account db.Account, email string) db.Person {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Person, error) { return tx.AddStaff(account.ID, email, "hash") })
}

func TestPeople(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	byEmail := func(t *testing.T, p *twoAccounts, email string) (db.Person, error) {
		t.Helper()
		return db.Read(background, p.other, func(tx *db.Tx) (db.Person, error) { return tx.PersonByEmail(email) })
	}

	t.Run("OwnerIsTheAccount", func(t *testing.T) {
		p := newTwoAccounts(t)
		owner, err := byEmail(t, p, "anna@EXAMPLE.com")
		if err != nil || owner != p.anna.Owner() || owner.ID != p.anna.ID || owner.Role != db.Owner {
			t.Errorf("owner %+v, %v", owner, err)
		}
	})

	t.Run("StaffOfOneAccount", func(t *testing.T) {
		p := newTwoAccounts(t)
		made := p.staff(t, p.anna, "Sam@example.com")
		found, err := byEmail(t, p, "sam@example.com")
		if err != nil || found != made || found.AccountID != p.anna.ID || found.Role != db.Staff {
			t.Errorf("found %+v, %v, made %+v", found, err, made)
		}
		if of := get(t, p.store, func(tx *db.Tx) ([]db.Person, error) { return tx.Staff(p.anna.ID) }); !slices.Equal(of, []db.Person{made}) {
			t.Errorf("staff %+v", of)
		}
		if of := get(t, p.store, func(tx *db.Tx) ([]db.Person, error) { return tx.Staff(p.ben.ID) }); len(of) != 0 {
			t.Errorf("staff of the other account %+v", of)
		}
	})

	t.Run("AnEmailIsOnePersons", func(t *testing.T) {
		p := newTwoAccounts(t)
		p.staff(t, p.anna, "sam@example.com")
		add := func(account db.Account, email string) error {
			return p.store.Update(background, func(tx *db.Tx) error { _, err := tx.AddStaff(account.ID, email, "hash"); return err })
		}
		wantErr(t, add(p.anna, "SAM@example.com"), db.ErrConflict)
		wantErr(t, add(p.ben, "sam@example.com"), db.ErrConflict)
		wantErr(t, add(p.ben, "anna@example.com"), db.ErrConflict)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.CreateAccount(db.Account{Email: "Sam@example.com", Plan: db.Free})
			return err
		}), db.ErrConflict)
	})

	t.Run("OwnPassword", func(t *testing.T) {
		p := newTwoAccounts(t)
		sam := p.staff(t, p.anna, "sam@example.com")
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SetPasswordHash(sam.ID, "another") })
		if now, err := byEmail(t, p, "sam@example.com"); err != nil || now.PasswordHash != "another" {
			t.Errorf("staff %+v, %v", now, err)
		}
		if now, err := byEmail(t, p, "anna@example.com"); err != nil || now.PasswordHash != "" {
			t.Errorf("owner %+v, %v", now, err)
		}
	})

	t.Run("OwnLinks", func(t *testing.T) {
		p := newTwoAccounts(t)
		sam := p.staff(t, p.anna, "sam@example.com")
		owners, theirs := p.link(t, db.ResetLink, p.anna.ID), p.link(t, db.ResetLink, sam.ID)
		p.wantLink(t, db.ResetLink, owners, p.anna.ID, nil)
		p.wantLink(t, db.ResetLink, theirs, sam.ID, nil)
	})

	t.Run("OwnSessions", func(t *testing.T) {
		p := newTwoAccounts(t)
		sam := p.staff(t, p.anna, "sam@example.com")
		_, owners := p.start(t, p.anna)
		s, theirs := p.startOf(t, sam)
		if of := get(t, p.store, func(tx *db.Tx) ([]db.Session, error) { return tx.Sessions(sam.ID) }); !slices.Equal(of, []db.Session{s}) {
			t.Errorf("sessions %+v, want %+v", of, s)
		}
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession(p.anna.ID, s.ID) }), db.ErrNotFound)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndOtherSessions(p.anna.ID, "") })
		p.wantSession(t, owners, false)
		p.wantSession(t, theirs, true)
		_, owners = p.start(t, p.anna)
		if all := get(t, p.store, func(tx *db.Tx) ([]db.Session, error) { return tx.AccountSessions(p.anna.ID) }); len(all) != 2 {
			t.Errorf("sessions %+v", all)
		}
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.DisableAccount(p.anna.ID) })
		p.wantSession(t, owners, false)
		p.wantSession(t, theirs, false)
	})

	t.Run("Remove", func(t *testing.T) {
		p := newTwoAccounts(t)
		sam, eve := p.staff(t, p.anna, "sam@example.com"), p.staff(t, p.anna, "eve@example.com")
		_, owners := p.start(t, p.anna)
		_, theirs := p.startOf(t, sam)
		_, others := p.startOf(t, eve)
		link, browser := p.link(t, db.ResetLink, sam.ID), db.BrowserCaller(db.NewToken())
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RememberCaller(sam.ID, browser) })
		remove := func(account db.Account, id string) error {
			return p.store.Update(background, func(tx *db.Tx) error { return tx.RemoveStaff(account.ID, id) })
		}
		wantErr(t, remove(p.ben, sam.ID), db.ErrNotFound)
		wantErr(t, remove(p.anna, p.anna.ID), db.ErrNotFound)
		p.wantSession(t, theirs, true)
		if err := remove(p.anna, sam.ID); err != nil {
			t.Fatal(err)
		}
		wantErr(t, remove(p.anna, sam.ID), db.ErrNotFound)
		p.wantSession(t, theirs, false)
		p.wantSession(t, owners, true)
		p.wantSession(t, others, true)
		p.wantLink(t, db.ResetLink, link, "", db.ErrNotFound)
		if knows := get(t, p.store, func(tx *db.Tx) (bool, error) { return tx.KnowsCaller(sam.ID, browser) }); knows {
			t.Error("the browser is still known")
		}
		_, err := byEmail(t, p, "sam@example.com")
		wantErr(t, err, db.ErrNotFound)
		wantErr(t, p.store.View(background, func(tx *db.Tx) error { _, err := tx.Person(sam.ID); return err }), db.ErrNotFound)
		if name := get(t, p.store, func(tx *db.Tx) (string, error) { return tx.ActorEmail(sam.ID) }); name != "sam@example.com" {
			t.Errorf("named %q", name)
		}
		p.staff(t, p.ben, "sam@example.com") // the e-mail is free
	})

	t.Run("Audit", func(t *testing.T) {
		p := newTwoAccounts(t)
		before := len(actsOf(t, p.store, p.anna.ID))
		sam := p.staff(t, p.anna, "sam@example.com")
		if err := p.store.Update(db.WithActor(background, sam.ID), func(tx *db.Tx) error { return tx.SetPasswordHash(sam.ID, "x") }); err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RemoveStaff(p.anna.ID, sam.ID) })
		want := []string{"server person.joined", sam.ID + " password.changed", "server person.removed"}
		if got := actsOf(t, p.store, p.anna.ID)[before:]; !slices.Equal(got, want) {
			t.Errorf("acts %v, want %v", got, want)
		}
	})
}

func TestInvitations(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	type made struct {
		db.Invitation
		token db.Token
	}
	invite := func(t *testing.T, p *twoAccounts, account db.Account, email string) made {
		t.Helper()
		return set(t, p.store, func(tx *db.Tx) (m made, err error) {
			m.Invitation, m.token, err = tx.Invite(account.ID, email, true)
			return m, err
		})
	}
	want := func(t *testing.T, p *twoAccounts, m made, open bool) {
		t.Helper()
		found, err := db.Read(background, p.other, func(tx *db.Tx) (db.Invitation, error) { return tx.InvitationByToken(m.token) })
		if open && (err != nil || found != m.Invitation) {
			t.Errorf("found %+v, %v, made %+v", found, err, m)
		}
		if !open {
			wantErr(t, err, db.ErrNotFound)
		}
	}

	t.Run("SevenDays", func(t *testing.T) {
		p := newTwoAccounts(t)
		m := invite(t, p, p.anna, "Sam@example.com")
		p.clock.Advance(7*24*time.Hour - time.Millisecond)
		want(t, p, m, true)
		p.clock.Advance(time.Millisecond)
		want(t, p, m, false)
		if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteOldInvitations(10) }); n != 0 {
			t.Errorf("%d deleted", n)
		}
		p.clock.Advance(23 * 24 * time.Hour)
		if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteOldInvitations(10) }); n != 1 {
			t.Errorf("%d deleted, want 1", n)
		}
	})

	t.Run("OneForEachEmail", func(t *testing.T) {
		p := newTwoAccounts(t)
		m := invite(t, p, p.anna, "sam@example.com")
		other := invite(t, p, p.ben, "sam@example.com")
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, _, err := tx.Invite(p.anna.ID, "SAM@example.com", false)
			return err
		}), db.ErrConflict)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.WithdrawInvitation(p.ben.ID, m.ID) }), db.ErrNotFound)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.WithdrawInvitation(p.anna.ID, m.ID) })
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndInvitation(p.anna.ID, m.ID) }), db.ErrNotFound)
		want(t, p, m, false)
		want(t, p, other, true)
		want(t, p, invite(t, p, p.anna, "sam@example.com"), true)
	})

	t.Run("CountsMails", func(t *testing.T) {
		p := newTwoAccounts(t)
		for range 2 {
			m := invite(t, p, p.anna, "sam@example.com")
			dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndInvitation(p.anna.ID, m.ID) })
			p.clock.Advance(time.Hour)
		}
		for period, want := range map[time.Duration]int{time.Hour: 0, 2 * time.Hour: 1, 24 * time.Hour: 2} {
			mails := get(t, p.store, func(tx *db.Tx) ([]time.Time, error) { return tx.InvitationMails(p.anna.ID, "Sam@example.com", period) })
			sent := get(t, p.store, func(tx *db.Tx) (int, error) { return tx.InvitationsSince(p.anna.ID, period) })
			if len(mails) != want || sent != want {
				t.Errorf("%v: %v, %d, want %d", period, mails, sent, want)
			}
		}
	})
}

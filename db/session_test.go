package db_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

func (p *twoAccounts) start(t *testing.T, account db.Account) (s db.Session, token db.Token) {
	t.Helper()
	return p.startOf(t, account.Owner())
}

func (p *twoAccounts) startOf(t *testing.T, person db.Person) (s db.Session, token db.Token) {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) (err error) {
		s, token, err = tx.StartSession(db.Session{AccountID: person.AccountID, PersonID: person.ID, Address: "203.0.113.9", Browser: "Lynx"})
		return err
	})
	return s, token
}

func (p *twoAccounts) wantSession(t *testing.T, token db.Token, live bool) {
	t.Helper()
	want := db.ErrNotFound
	if live {
		want = nil
	}
	for _, store := range []*db.DB{p.store, p.other} {
		wantErr(t, store.View(background, func(tx *db.Tx) error {
			_, err := tx.SessionByToken(token)
			return err
		}), want)
	}
}

func (p *twoAccounts) touch(t *testing.T, id string) {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.TouchSession(id) })
}

func TestToken(t *testing.T) {
	t.Parallel()
	token := db.NewToken()
	if parsed, ok := db.ParseToken(string(token)); !ok || parsed != token || len(token) != 43 || token == db.NewToken() {
		t.Errorf("token %q, parsed %q, %v", token, parsed, ok)
	}
	last := string(token[:42])
	for _, bad := range []string{
		"", "x", string(token[:42]), string(token) + "A", string(token) + "=", " " + string(token), string(token) + "\n",
		last + "+", last + "/", last + "é", strings.Repeat("A", 44), strings.Repeat("A", 100_000), "\x00" + string(token[1:]),
	} {
		if _, ok := db.ParseToken(bad); ok {
			t.Errorf("%.60q is accepted as a token", bad)
		}
	}
	// The last letter has two bits that must be zero: only one of four texts with the same
	// bytes is a token.
	spellings := 0
	for _, letter := range "ABCD" {
		if _, ok := db.ParseToken(strings.Repeat("A", 42) + string(letter)); ok {
			spellings++
		}
	}
	if spellings != 1 {
		t.Errorf("%d texts are accepted for one token, want 1", spellings)
	}
}

func TestSession(t *testing.T) {
	dbtest.Sequential(t)
	t.Parallel()
	t.Run("FoundByToken", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		found := get(t, p.other, func(tx *db.Tx) (db.Session, error) { return tx.SessionByToken(token) })
		want := db.Session{
			ID: s.ID, AccountID: p.anna.ID, PersonID: p.anna.ID, Address: "203.0.113.9", Browser: "Lynx",
			CreatedAt: p.clock.Now(), SeenAt: p.clock.Now(), EndsAt: p.clock.Now().Add(12 * time.Hour),
		}
		if found != want || s != want || !strings.HasPrefix(s.ID, "ses_") {
			t.Errorf("found %+v, started %+v, want %+v", found, s, want)
		}
		p.wantSession(t, db.NewToken(), false)
		p.wantSession(t, db.Token(s.ID), false)
		p.wantSession(t, "", false)
	})

	t.Run("NeedsAPerson", func(t *testing.T) {
		p := newTwoAccounts(t)
		err := p.store.Update(background, func(tx *db.Tx) error {
			_, _, err := tx.StartSession(db.Session{AccountID: p.anna.ID})
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "person id") {
			t.Errorf("a session of nobody: %v", err)
		}
		if all := get(t, p.store, func(tx *db.Tx) ([]db.Session, error) { return tx.AccountSessions(p.anna.ID) }); len(all) != 0 {
			t.Errorf("sessions %+v", all)
		}
	})

	t.Run("StoresNoSecrets", func(t *testing.T) {
		p := newTwoAccounts(t)
		_, token := p.start(t, p.anna)
		link := set(t, p.store, func(tx *db.Tx) (db.Token, error) { return tx.CreateLink(db.ResetLink, p.anna.ID) })
		code := set(t, p.store, func(tx *db.Tx) (string, error) { return tx.IssueCode("new@example.com") })
		bytes := filesOf(t, p.path)
		hash := token.Hash()
		if !strings.Contains(bytes, string(hash[:])) {
			t.Fatal("the hash of the token is not in the searched files")
		}
		// A plain hash of a code could be reversed by a million tries.
		ofCode := sha256.Sum256([]byte(code))
		for what, secret := range map[string]string{
			"session": string(token), "link": string(link), "code": code, "hash of the code alone": string(ofCode[:]),
		} {
			if strings.Contains(bytes, secret) {
				t.Errorf("the %s is in the file", what)
			}
		}
	})

	t.Run("EndsWhenIdleFor12Hours", func(t *testing.T) {
		p := newTwoAccounts(t)
		_, token := p.start(t, p.anna)
		p.clock.Advance(12*time.Hour - time.Millisecond)
		p.wantSession(t, token, true)
		p.clock.Advance(time.Millisecond)
		p.wantSession(t, token, false)
	})

	t.Run("VisitRestartsIdleTime", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		p.clock.Advance(11 * time.Hour)
		p.touch(t, s.ID)
		found := get(t, p.store, func(tx *db.Tx) (db.Session, error) { return tx.SessionByToken(token) })
		if !found.SeenAt.Equal(p.clock.Now()) || !found.EndsAt.Equal(p.clock.Now().Add(12*time.Hour)) {
			t.Errorf("%+v", found)
		}
		p.clock.Advance(12*time.Hour - time.Millisecond)
		p.wantSession(t, token, true)
		p.clock.Advance(time.Millisecond)
		p.wantSession(t, token, false)
	})

	t.Run("EndsAfter7Days", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		end := p.clock.Now().Add(7 * 24 * time.Hour)
		for p.clock.Now().Add(6 * time.Hour).Before(end) {
			p.clock.Advance(6 * time.Hour)
			p.touch(t, s.ID)
			p.wantSession(t, token, true)
		}
		p.clock.Set(end.Add(-time.Millisecond))
		p.touch(t, s.ID)
		p.wantSession(t, token, true)
		p.clock.Set(end)
		p.touch(t, s.ID)
		p.wantSession(t, token, false)
	})

	t.Run("VisitDoesNotReviveEnded", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		p.clock.Advance(12 * time.Hour)
		p.touch(t, s.ID)
		p.wantSession(t, token, false)
	})

	t.Run("SeenAtNeverGoesBack", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		p.clock.Advance(time.Hour)
		p.touch(t, s.ID)
		before := get(t, p.store, func(tx *db.Tx) (db.Session, error) { return tx.SessionByToken(token) })
		p.clock.Advance(-30 * time.Minute)
		p.touch(t, s.ID)
		if after := get(t, p.store, func(tx *db.Tx) (db.Session, error) { return tx.SessionByToken(token) }); after != before {
			t.Errorf("%+v, before the clock was set back %+v", after, before)
		}
	})

	t.Run("EndedOnlyByOwner", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.anna)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession(p.ben.ID, s.ID) }), db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession("", s.ID) }), db.ErrNotFound)
		p.wantSession(t, token, true)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndSession(p.anna.ID, s.ID) })
		p.wantSession(t, token, false)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession(p.anna.ID, s.ID) }), db.ErrNotFound)
	})

	t.Run("EndOthersKeepsOne", func(t *testing.T) {
		p := newTwoAccounts(t)
		kept, keptToken := p.start(t, p.anna)
		_, otherToken := p.start(t, p.anna)
		bens, bensToken := p.start(t, p.ben)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndOtherSessions(p.anna.ID, kept.ID) })
		p.wantSession(t, keptToken, true)
		p.wantSession(t, otherToken, false)
		p.wantSession(t, bensToken, true)

		// Another account's session does not spare any.
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndOtherSessions(p.anna.ID, bens.ID) })
		p.wantSession(t, keptToken, false)
		p.wantSession(t, bensToken, true)

		_, again := p.start(t, p.anna)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndOtherSessions(p.anna.ID, "") })
		p.wantSession(t, again, false)
	})

	t.Run("OperatorEndsAny", func(t *testing.T) {
		p := newTwoAccounts(t)
		s, token := p.start(t, p.ben)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndAnySession(s.ID) })
		p.wantSession(t, token, false)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndAnySession(s.ID) }), db.ErrNotFound)
	})

	t.Run("ListsLiveSessions", func(t *testing.T) {
		p := newTwoAccounts(t)
		first, _ := p.start(t, p.anna)
		p.clock.Advance(time.Hour)
		second, _ := p.start(t, p.anna)
		p.clock.Advance(time.Hour)
		bens, _ := p.start(t, p.ben)
		list := func(accountID string) (ids []string) {
			all := get(t, p.store, func(tx *db.Tx) ([]db.Session, error) {
				if accountID == "" {
					return tx.AllSessions()
				}
				return tx.Sessions(accountID)
			})
			for _, s := range all {
				ids = append(ids, s.ID)
			}
			return ids
		}
		for account, want := range map[string][]string{
			p.anna.ID: {second.ID, first.ID}, p.ben.ID: {bens.ID}, "acct_none": nil, "": {bens.ID, second.ID, first.ID},
		} {
			if got := list(account); !slices.Equal(got, want) {
				t.Errorf("sessions of %q: %v, want %v", account, got, want)
			}
		}
		p.clock.Advance(10 * time.Hour) // the first has ended
		if got := list(""); !slices.Equal(got, []string{bens.ID, second.ID}) {
			t.Errorf("listed %v", got)
		}
		if got := list(p.anna.ID); !slices.Equal(got, []string{second.ID}) {
			t.Errorf("listed %v", got)
		}
	})

	t.Run("DeletesEnded", func(t *testing.T) {
		p := newTwoAccounts(t)
		for range 3 {
			p.start(t, p.anna)
		}
		p.clock.Advance(time.Hour)
		_, live := p.start(t, p.anna)
		p.clock.Advance(11 * time.Hour)
		for _, want := range []int64{2, 1, 0} {
			if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteEndedSessions(2) }); n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
		}
		p.wantSession(t, live, true)
	})
}

// filesOf returns the contents of the store's files.
func filesOf(t *testing.T, path string) (all string) {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) < 2 {
		t.Fatalf("files %v, %v", names, err)
	}
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all += string(content)
	}
	return all
}

package db_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

// people is a store with two accounts, opened twice.
type people struct {
	store, other *db.DB
	clock        *dbtest.Clock
	path         string
	anna, ben    db.Account
}

func newPeople(t *testing.T) *people {
	t.Helper()
	p := &people{clock: dbtest.NewClock(), path: filepath.Join(t.TempDir(), "svc.db")}
	p.store, p.other = dbtest.OpenAt(t, p.path, p.clock), dbtest.OpenAt(t, p.path, p.clock)
	p.anna = dbtest.MustAccount(t, p.store, "Anna@example.com", db.Free)
	p.ben = dbtest.MustAccount(t, p.store, "ben@example.com", db.Free)
	return p
}

// set returns one value from an Update.
func set[T any](t testing.TB, store *db.DB, change func(*db.Tx) (T, error)) (value T) {
	t.Helper()
	dbtest.Update(t, store, func(tx *db.Tx) (err error) {
		value, err = change(tx)
		return err
	})
	return value
}

// atOnce runs fn n times concurrently, on both stores, and counts the outcomes.
func (p *people) atOnce(t *testing.T, n int, fn func(i int, tx *db.Tx) error) map[error]int {
	t.Helper()
	failed := make([]error, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			store := []*db.DB{p.store, p.other}[i%2]
			var own error
			err := store.Update(background, func(tx *db.Tx) error {
				own = fn(i, tx)
				return nil // so that its changes commit
			})
			failed[i] = errors.Join(own, err)
		})
	}
	all.Wait()

	counted := map[error]int{}
	for _, err := range failed {
		switch {
		case err == nil:
			counted[nil]++
		case errors.Is(err, db.ErrNotFound):
			counted[db.ErrNotFound]++
		case errors.Is(err, db.ErrWrongCode):
			counted[db.ErrWrongCode]++
		case errors.Is(err, db.ErrTooSoon):
			counted[db.ErrTooSoon]++
		default:
			t.Errorf("unexpected: %v", err)
		}
	}
	return counted
}

func (p *people) start(t *testing.T, account db.Account) (s db.Session, token db.Token) {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) (err error) {
		s, token, err = tx.StartSession(db.Session{AccountID: account.ID, Address: "203.0.113.9", Browser: "Lynx"})
		return err
	})
	return s, token
}

func (p *people) wantSession(t *testing.T, token db.Token, live bool) {
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

func (p *people) touch(t *testing.T, id string) {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.TouchSession(id) })
}

func TestToken(t *testing.T) {
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
	t.Run("FoundByToken", func(t *testing.T) {
		p := newPeople(t)
		s, token := p.start(t, p.anna)
		found := get(t, p.other, func(tx *db.Tx) (db.Session, error) { return tx.SessionByToken(token) })
		want := db.Session{
			ID: s.ID, AccountID: p.anna.ID, Address: "203.0.113.9", Browser: "Lynx",
			CreatedAt: p.clock.Now(), SeenAt: p.clock.Now(), EndsAt: p.clock.Now().Add(12 * time.Hour),
		}
		if found != want || s != want || !strings.HasPrefix(s.ID, "ses_") {
			t.Errorf("found %+v, started %+v, want %+v", found, s, want)
		}
		p.wantSession(t, db.NewToken(), false)
		p.wantSession(t, db.Token(s.ID), false)
		p.wantSession(t, "", false)
	})

	t.Run("StoresNoSecrets", func(t *testing.T) {
		p := newPeople(t)
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
		p := newPeople(t)
		_, token := p.start(t, p.anna)
		p.clock.Advance(12*time.Hour - time.Millisecond)
		p.wantSession(t, token, true)
		p.clock.Advance(time.Millisecond)
		p.wantSession(t, token, false)
	})

	t.Run("VisitRestartsIdleTime", func(t *testing.T) {
		p := newPeople(t)
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
		p := newPeople(t)
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
		p := newPeople(t)
		s, token := p.start(t, p.anna)
		p.clock.Advance(12 * time.Hour)
		p.touch(t, s.ID)
		p.wantSession(t, token, false)
	})

	t.Run("SeenAtNeverGoesBack", func(t *testing.T) {
		p := newPeople(t)
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
		p := newPeople(t)
		s, token := p.start(t, p.anna)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession(p.ben.ID, s.ID) }), db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession("", s.ID) }), db.ErrNotFound)
		p.wantSession(t, token, true)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndSession(p.anna.ID, s.ID) })
		p.wantSession(t, token, false)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndSession(p.anna.ID, s.ID) }), db.ErrNotFound)
	})

	t.Run("EndOthersKeepsOne", func(t *testing.T) {
		p := newPeople(t)
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
		p := newPeople(t)
		s, token := p.start(t, p.ben)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndAnySession(s.ID) })
		p.wantSession(t, token, false)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.EndAnySession(s.ID) }), db.ErrNotFound)
	})

	t.Run("ListsLiveSessions", func(t *testing.T) {
		p := newPeople(t)
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
		p := newPeople(t)
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

func (p *people) link(t *testing.T, kind db.LinkKind, account string) db.Token {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Token, error) { return tx.CreateLink(kind, account) })
}

// wantLink checks Link, which must not use the link up.
func (p *people) wantLink(t *testing.T, kind db.LinkKind, token db.Token, account string, want error) {
	t.Helper()
	var got string
	err := p.other.View(background, func(tx *db.Tx) (err error) {
		got, err = tx.Link(kind, token)
		return err
	})
	wantErr(t, err, want)
	if got != account {
		t.Errorf("link of %q, want %q", got, account)
	}
}

func TestLink(t *testing.T) {
	t.Run("WorksOnce", func(t *testing.T) {
		p := newPeople(t)
		token := p.link(t, db.ResetLink, p.anna.ID)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil) // Link does not use it up
		if id := set(t, p.store, func(tx *db.Tx) (string, error) { return tx.UseLink(db.ResetLink, token) }); id != p.anna.ID {
			t.Errorf("link of %q", id)
		}
		p.wantLink(t, db.ResetLink, token, "", db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.UseLink(db.ResetLink, token)
			return err
		}), db.ErrNotFound)
	})

	t.Run("WorksOnceConcurrently", func(t *testing.T) {
		p := newPeople(t)
		token := p.link(t, db.SetupLink, "")
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			_, err := tx.UseLink(db.SetupLink, token)
			return err
		})
		if got[nil] != 1 || got[db.ErrNotFound] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("RolledBackUseKeepsLink", func(t *testing.T) {
		p := newPeople(t)
		token := p.link(t, db.ResetLink, p.anna.ID)
		boom := errors.New("boom")
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			if _, err := tx.UseLink(db.ResetLink, token); err != nil {
				return err
			}
			return boom
		}), boom)
		p.wantLink(t, db.ResetLink, token, p.anna.ID, nil)
	})

	t.Run("WorksFor30Minutes", func(t *testing.T) {
		p := newPeople(t)
		token := p.link(t, db.SetupLink, "")
		p.clock.Advance(30*time.Minute - time.Millisecond)
		p.wantLink(t, db.SetupLink, token, "", nil)
		p.clock.Advance(time.Millisecond)
		p.wantLink(t, db.SetupLink, token, "", db.ErrNotFound)
		wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
			_, err := tx.UseLink(db.SetupLink, token)
			return err
		}), db.ErrNotFound)
	})

	t.Run("HasOneKind", func(t *testing.T) {
		p := newPeople(t)
		setup, reset := p.link(t, db.SetupLink, ""), p.link(t, db.ResetLink, p.anna.ID)
		_, session := p.start(t, p.anna)
		for _, wrong := range []struct {
			kind  db.LinkKind
			token db.Token
		}{
			{db.ResetLink, setup}, {db.SetupLink, reset}, {db.SetupLink, session}, {db.ResetLink, session},
			{db.SetupLink, ""}, {db.SetupLink, setup + "x"}, {db.SetupLink, db.Token(strings.ToUpper(string(setup)))},
		} {
			p.wantLink(t, wrong.kind, wrong.token, "", db.ErrNotFound)
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error {
				_, err := tx.UseLink(wrong.kind, wrong.token)
				return err
			}), db.ErrNotFound)
		}
		p.wantLink(t, db.SetupLink, setup, "", nil)
		p.wantLink(t, db.ResetLink, reset, p.anna.ID, nil)
		p.wantSession(t, setup, false)
		p.wantSession(t, reset, false)
	})

	t.Run("NewReplacesOld", func(t *testing.T) {
		p := newPeople(t)
		setup, bens := p.link(t, db.SetupLink, ""), p.link(t, db.ResetLink, p.ben.ID)
		first := p.link(t, db.ResetLink, p.anna.ID)
		second := p.link(t, db.ResetLink, p.anna.ID)
		p.wantLink(t, db.ResetLink, first, "", db.ErrNotFound)
		p.wantLink(t, db.ResetLink, second, p.anna.ID, nil)
		p.wantLink(t, db.SetupLink, setup, "", nil)
		p.wantLink(t, db.ResetLink, bens, p.ben.ID, nil)

		again := p.link(t, db.SetupLink, "")
		p.wantLink(t, db.SetupLink, setup, "", db.ErrNotFound)
		p.wantLink(t, db.SetupLink, again, "", nil)
		p.wantLink(t, db.ResetLink, second, p.anna.ID, nil)
	})

	t.Run("OnlyResetHasAccount", func(t *testing.T) {
		p := newPeople(t)
		for kind, account := range map[db.LinkKind]string{db.ResetLink: "", db.SetupLink: p.anna.ID} {
			err := p.store.Update(background, func(tx *db.Tx) error {
				_, err := tx.CreateLink(kind, account)
				return err
			})
			if err == nil {
				t.Errorf("made a %s link of %q", kind, account)
			}
		}
	})

	t.Run("DeletesExpired", func(t *testing.T) {
		p := newPeople(t)
		p.link(t, db.ResetLink, p.anna.ID)
		p.link(t, db.SetupLink, "")
		p.clock.Advance(time.Minute)
		live := p.link(t, db.ResetLink, p.ben.ID)
		p.clock.Advance(29 * time.Minute)
		for _, want := range []int64{1, 1, 0} {
			if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteOldLinks(1) }); n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
		}
		p.wantLink(t, db.ResetLink, live, p.ben.ID, nil)
	})
}

const newcomer = "New@Example.com"

func (p *people) issue(t *testing.T, email string) string {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (string, error) { return tx.IssueCode(email) })
}

func (p *people) wantIssue(t *testing.T, email string, want error) {
	t.Helper()
	wantErr(t, p.other.Update(background, func(tx *db.Tx) error {
		_, err := tx.IssueCode(email)
		return err
	}), want)
}

// wantGuess guesses and commits a wrong guess, as callers must.
func (p *people) wantGuess(t *testing.T, email, code string, want error) {
	t.Helper()
	var got error
	dbtest.Update(t, p.other, func(tx *db.Tx) error {
		got = tx.GuessCode(email, code)
		return nil
	})
	wantErr(t, got, want)
}

// wrong returns another code.
func wrong(code string) string {
	if code == "000000" {
		return "000001"
	}
	return "000000"
}

func TestCode(t *testing.T) {
	t.Run("HasSixDigitsAndWorksOnce", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Errorf("code %q", code)
		}
		p.wantGuess(t, newcomer, code, nil)
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("BelongsToAddressWithoutCase", func(t *testing.T) {
		p := newPeople(t)
		code, other := p.issue(t, newcomer), p.issue(t, "other@example.com")
		for other == code { // one in a million
			p.clock.Advance(time.Minute)
			other = p.issue(t, "other@example.com")
		}
		p.wantGuess(t, "other@example.com", code, db.ErrWrongCode)
		p.wantGuess(t, "unasked@example.com", code, db.ErrWrongCode)
		p.wantGuess(t, "", code, db.ErrWrongCode)
		p.wantGuess(t, "nEW@eXAMPLE.COM", code, nil)
		p.wantGuess(t, "other@example.com", other, nil)
	})

	t.Run("AllowsFiveGuesses", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		for range 4 {
			p.wantGuess(t, newcomer, wrong(code), db.ErrWrongCode)
		}
		p.wantGuess(t, newcomer, code, nil) // the fifth

		p.clock.Advance(time.Minute)
		code = p.issue(t, newcomer)
		for _, guess := range []string{wrong(code), "", code + "0", " " + code, "x"} {
			p.wantGuess(t, newcomer, guess, db.ErrWrongCode)
		}
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	// The guesses run one after another; each counts itself.
	for wrongOnes, wantRight := range map[int]int{4: 1, 5: 0} {
		t.Run(fmt.Sprintf("Of%dWrongConcurrently", wrongOnes), func(t *testing.T) {
			p := newPeople(t)
			code := p.issue(t, newcomer)
			var guesses atomic.Int64
			got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
				if int(guesses.Add(1)) <= wrongOnes {
					return tx.GuessCode(newcomer, wrong(code))
				}
				return tx.GuessCode(newcomer, code)
			})
			if got[nil] != wantRight || got[db.ErrWrongCode] != 40-wantRight {
				t.Errorf("outcomes %v", got)
			}
		})
	}

	t.Run("RightOnceConcurrently", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error { return tx.GuessCode(newcomer, code) })
		if got[nil] != 1 || got[db.ErrWrongCode] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("ExpiresAfter10Minutes", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		p.clock.Advance(10*time.Minute - time.Millisecond)
		p.wantGuess(t, newcomer, wrong(code), db.ErrWrongCode)
		p.wantGuess(t, newcomer, code, nil)
		code = p.issue(t, newcomer)
		p.clock.Advance(10 * time.Minute)
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("EndsWhenSpent", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SpendCode("new@example.com") })
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("NewReplacesOld", func(t *testing.T) {
		p := newPeople(t)
		first := p.issue(t, newcomer)
		for range 5 {
			p.wantGuess(t, newcomer, wrong(first), db.ErrWrongCode)
		}
		p.clock.Advance(time.Minute)
		second := p.issue(t, newcomer)
		if first != second {
			p.wantGuess(t, newcomer, first, db.ErrWrongCode)
		}
		p.wantGuess(t, newcomer, second, nil) // with five guesses of its own
	})

	t.Run("OneMailPerMinute", func(t *testing.T) {
		p := newPeople(t)
		code := p.issue(t, newcomer)
		p.clock.Advance(time.Minute - time.Millisecond)
		p.wantIssue(t, newcomer, db.ErrTooSoon)
		p.wantIssue(t, "NEW@EXAMPLE.COM", db.ErrTooSoon)
		p.wantIssue(t, "other@example.com", nil)
		p.wantGuess(t, newcomer, code, nil) // a refusal keeps the last code
		p.clock.Advance(time.Millisecond)
		p.wantIssue(t, newcomer, nil)
	})

	t.Run("OneMailConcurrently", func(t *testing.T) {
		p := newPeople(t)
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			_, err := tx.IssueCode(newcomer)
			return err
		})
		if got[nil] != 1 || got[db.ErrTooSoon] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("FiveMailsPerHour", func(t *testing.T) {
		p := newPeople(t)
		begun := p.clock.Now()
		for range 5 {
			p.wantIssue(t, newcomer, nil)
			p.clock.Advance(time.Minute)
		}
		p.wantIssue(t, newcomer, db.ErrTooSoon)
		p.clock.Set(begun.Add(time.Hour - time.Millisecond))
		p.wantIssue(t, newcomer, db.ErrTooSoon)
		p.clock.Set(begun.Add(time.Hour))
		for range 5 {
			p.wantIssue(t, newcomer, nil)
			p.clock.Advance(time.Minute)
		}
		p.wantIssue(t, newcomer, db.ErrTooSoon)
	})

	// Mails of a forgotten password have the same limits, counted apart.
	t.Run("ResetMailsAreLimitedSeparately", func(t *testing.T) {
		p := newPeople(t)
		count := func(email string, want error) {
			t.Helper()
			wantErr(t, p.store.Update(background, func(tx *db.Tx) error { return tx.CountReset(email) }), want)
		}
		count(newcomer, nil)
		for _, guess := range []string{"", "000000"} {
			p.wantGuess(t, newcomer, guess, db.ErrWrongCode)
		}
		code := p.issue(t, newcomer)
		count("new@EXAMPLE.com", db.ErrTooSoon)
		p.clock.Advance(time.Minute)
		for range 4 {
			count(newcomer, nil)
			p.clock.Advance(time.Minute)
		}
		count(newcomer, db.ErrTooSoon)
		p.wantGuess(t, newcomer, code, nil)
		p.wantIssue(t, newcomer, nil)
		got := p.atOnce(t, 20, func(_ int, tx *db.Tx) error { return tx.CountReset("other@example.com") })
		if got[nil] != 1 || got[db.ErrTooSoon] != 19 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("ClockSetBackDoesNotBlockAddress", func(t *testing.T) {
		p := newPeople(t)
		for range 5 {
			p.wantIssue(t, newcomer, nil)
			p.clock.Advance(time.Minute)
		}
		p.clock.Advance(-48 * time.Hour)
		code := p.issue(t, newcomer)
		p.wantIssue(t, newcomer, db.ErrTooSoon) // but the limits still hold
		p.wantGuess(t, newcomer, code, nil)
	})

	t.Run("DeletesOldCodes", func(t *testing.T) {
		p := newPeople(t)
		for i := range 3 {
			p.issue(t, fmt.Sprintf("a%d@example.com", i))
		}
		for range 5 {
			p.wantIssue(t, newcomer, nil)
			p.clock.Advance(time.Minute)
		}
		p.clock.Advance(55*time.Minute + time.Millisecond) // one hour after the first
		for _, want := range []int64{2, 1, 0} {
			if n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteOldCodes(2) }); n != want {
				t.Errorf("%d removed, want %d", n, want)
			}
		}
	})
}

const mailLease = 2 * time.Minute

// add stores a mail with a subject and returns it as listed.
func (p *people) add(t *testing.T, subject string, state db.MailState) db.Mail {
	t.Helper()
	dbtest.Update(t, p.store, func(tx *db.Tx) error {
		return tx.AddMail(db.Mail{
			To: "jo@example.com", Subject: subject, Text: "text of " + subject, HTML: "<p>" + subject, State: state,
			ExpiresAt: tx.Now().Add(time.Hour),
		})
	})
	return p.mail(t, subject)
}

// mail reads a stored mail.
func (p *people) mail(t *testing.T, subject string) db.Mail {
	t.Helper()
	for _, m := range get(t, p.other, func(tx *db.Tx) ([]db.Mail, error) { return tx.Mails(1000) }) {
		if m.Subject == subject {
			return m
		}
	}
	t.Fatalf("no mail %s", subject)
	return db.Mail{}
}

func (p *people) claim(t *testing.T) db.Mail {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (db.Mail, error) { return tx.ClaimMail(mailLease) })
}

func (p *people) wantNoClaim(t *testing.T) {
	t.Helper()
	wantErr(t, p.other.Update(background, func(tx *db.Tx) error {
		_, err := tx.ClaimMail(mailLease)
		return err
	}), db.ErrNotFound)
}

func (p *people) wantMail(t *testing.T, subject string, state db.MailState, problem string, hasText bool) {
	t.Helper()
	m := p.mail(t, subject)
	if m.State != state || m.Problem != problem || (m.Text != "") != hasText || (m.HTML != "") != hasText {
		t.Errorf("mail %+v, want it %s (%q), with text: %v", m, state, problem, hasText)
	}
}

// wantStale checks that a claim that is over cannot change the mail.
func (p *people) wantStale(t *testing.T, m db.Mail) {
	t.Helper()
	before := p.mail(t, m.Subject)
	for _, change := range []func(*db.Tx) error{
		func(tx *db.Tx) error { return tx.RetryMail(m, tx.Now(), "again") },
		func(tx *db.Tx) error { return tx.EndMail(m, db.MailSent, "") },
	} {
		wantErr(t, p.store.Update(background, change), db.ErrNotFound)
	}
	if after := p.mail(t, m.Subject); after != before {
		t.Errorf("%+v, before %+v", after, before)
	}
}

func TestMail(t *testing.T) {
	t.Run("IsSent", func(t *testing.T) {
		p := newPeople(t)
		queued := p.add(t, "hello", db.MailQueued)
		want := db.Mail{
			ID: queued.ID, To: "jo@example.com", Subject: "hello", Text: "text of hello", HTML: "<p>hello", State: db.MailQueued,
			DueAt: p.clock.Now(), CreatedAt: p.clock.Now(), ExpiresAt: p.clock.Now().Add(time.Hour),
		}
		if queued != want || !strings.HasPrefix(queued.ID, "mail_") {
			t.Errorf("queued %+v, want %+v", queued, want)
		}
		claimed := p.claim(t)
		want.State, want.Tries, want.DueAt = db.MailSending, 1, p.clock.Now().Add(mailLease)
		if claimed != want {
			t.Errorf("claimed %+v, want %+v", claimed, want)
		}
		p.wantNoClaim(t)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(claimed, db.MailSent, "") })
		p.wantMail(t, "hello", db.MailSent, "", false)
		p.wantStale(t, claimed)
		p.clock.Advance(mailLease)
		p.wantNoClaim(t)
	})

	t.Run("KeepsTextUnlessSent", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "hello", db.MailQueued)
		m := p.claim(t)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, db.MailFailed, "a problem") })
		p.wantMail(t, "hello", db.MailFailed, "a problem", true)
		p.wantStale(t, m)
	})

	t.Run("LongestDueFirst", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "first", db.MailQueued)
		p.clock.Advance(time.Second)
		p.add(t, "second", db.MailQueued)
		m := p.claim(t)
		later := p.clock.Now().Add(time.Second)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.RetryMail(m, later, "busy") })
		p.wantMail(t, "first", db.MailQueued, "busy", true)
		p.clock.Advance(time.Minute)
		for _, want := range []string{"second", "first"} {
			if m := p.claim(t); m.Subject != want {
				t.Errorf("claimed %s, want %s", m.Subject, want)
			}
		}
	})

	t.Run("ClaimedOnceConcurrently", func(t *testing.T) {
		p := newPeople(t)
		for i := range 10 {
			p.add(t, fmt.Sprint(i), db.MailQueued)
		}
		var mu sync.Mutex
		claimed := map[string]int{}
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			m, err := tx.ClaimMail(mailLease)
			if err == nil {
				mu.Lock()
				claimed[m.ID]++
				mu.Unlock()
			}
			return err
		})
		if got[nil] != 10 || len(claimed) != 10 {
			t.Errorf("outcomes %v, claims %v", got, claimed)
		}
	})

	t.Run("ClaimEndsWithLease", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "hello", db.MailQueued)
		first := p.claim(t)
		p.clock.Advance(mailLease - time.Millisecond)
		p.wantNoClaim(t)
		p.clock.Advance(time.Millisecond)
		second := p.claim(t)
		if second.ID != first.ID || second.Tries != 2 {
			t.Errorf("claimed %+v, then %+v", first, second)
		}
		p.wantStale(t, first)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(second, db.MailSent, "") })
		p.wantStale(t, first)
	})

	t.Run("IsQueuedAgainIfItWasGivenUp", func(t *testing.T) {
		p := newPeople(t)
		resume := func(since time.Duration) int64 {
			return set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ResumeMails(tx.Now().Add(-since)) })
		}
		p.add(t, "late", db.MailUnknown)
		p.clock.Advance(time.Hour)
		p.add(t, "hello", db.MailUnknown)
		p.add(t, "failed", db.MailFailed)
		p.wantNoClaim(t)
		p.clock.Advance(time.Second)
		if n := resume(time.Second); n != 0 {
			t.Errorf("%d older ones resumed", n)
		}
		if n := resume(24 * time.Hour); n != 1 {
			t.Errorf("%d resumed, want 1", n)
		}
		if m := p.claim(t); m.Subject != "hello" {
			t.Errorf("claimed %+v", m)
		}
		p.wantMail(t, "late", db.MailUnknown, "", true)
		p.wantMail(t, "failed", db.MailFailed, "", true)
	})

	t.Run("IsNotSentOnceItIsWorthNothing", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "late", db.MailQueued)
		expire := func() int64 {
			return set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") })
		}
		p.clock.Advance(time.Hour - time.Millisecond)
		p.add(t, "fresh", db.MailQueued)
		if n := expire(); n != 0 {
			t.Errorf("%d expired", n)
		}
		p.clock.Advance(time.Millisecond)
		if m := p.claim(t); m.Subject != "fresh" {
			t.Errorf("claimed %+v", m)
		}
		p.wantNoClaim(t)
		if n := expire(); n != 1 {
			t.Errorf("%d expired, want 1", n)
		}
		p.wantMail(t, "late", db.MailFailed, "too late", true)
		p.wantMail(t, "fresh", db.MailSending, "", true)
	})

	t.Run("IsNotSentAgainOnceItIsWorthNothing", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "hello", db.MailQueued)
		m := p.claim(t)
		p.clock.Advance(time.Hour)
		p.wantNoClaim(t)
		if n := set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") }); n != 1 {
			t.Errorf("%d expired, want 1", n)
		}
		p.wantMail(t, "hello", db.MailFailed, "crashed", true)
		p.wantStale(t, m)
	})

	t.Run("IsNotTakenFromItsOwnerByItsEnd", func(t *testing.T) {
		p := newPeople(t)
		p.add(t, "hello", db.MailQueued)
		p.clock.Advance(time.Hour - time.Second)
		m := p.claim(t)
		p.clock.Advance(time.Second) // the mail has expired, the lease has not
		if n := set(t, p.other, func(tx *db.Tx) (int64, error) { return tx.ExpireMails("too late", "crashed") }); n != 0 {
			t.Errorf("%d expired", n)
		}
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, db.MailSent, "") })
		p.wantMail(t, "hello", db.MailSent, "", false)
	})

	t.Run("OutboxIsKept", func(t *testing.T) {
		p := newPeople(t)
		kept := p.add(t, "kept", db.MailKept)
		p.wantNoClaim(t)
		p.wantStale(t, kept)
		p.clock.Advance(24 * time.Hour)
		for _, end := range []func(*db.Tx) (int64, error){
			func(tx *db.Tx) (int64, error) { return tx.ExpireMails("x", "y") },
			func(tx *db.Tx) (int64, error) { return tx.ResumeMails(tx.Now().Add(-48 * time.Hour)) },
		} {
			if n := set(t, p.store, end); n != 0 {
				t.Errorf("%d mails of the outbox ended", n)
			}
		}
		p.wantMail(t, "kept", db.MailKept, "", true)
	})

	t.Run("IsDeletedWhenItIsOldAndDoneWith", func(t *testing.T) {
		p := newPeople(t)
		for _, state := range []db.MailState{db.MailSent, db.MailFailed} {
			p.add(t, string(state), db.MailQueued)
			m := p.claim(t)
			dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.EndMail(m, state, "") })
		}
		p.add(t, "unknown", db.MailUnknown)
		p.add(t, "kept", db.MailKept)
		p.add(t, "sending", db.MailQueued)
		p.claim(t)
		p.add(t, "queued", db.MailQueued)
		p.clock.Advance(time.Second)
		p.add(t, "young", db.MailKept)
		before := p.clock.Now()
		for _, want := range []int64{3, 1, 0} {
			n := set(t, p.store, func(tx *db.Tx) (int64, error) { return tx.DeleteMailsBefore(before, 3) })
			if n != want {
				t.Errorf("%d deleted, want %d", n, want)
			}
		}
		p.mail(t, "sending")
		p.mail(t, "queued")
		p.mail(t, "young")
	})

	t.Run("ListsNewest", func(t *testing.T) {
		p := newPeople(t)
		for i := range 3 {
			p.add(t, fmt.Sprint(i), db.MailKept)
			p.clock.Advance(time.Second)
		}
		all := get(t, p.store, func(tx *db.Tx) ([]db.Mail, error) { return tx.Mails(2) })
		if len(all) != 2 || all[0].Subject != "2" || all[1].Subject != "1" {
			t.Errorf("listed %+v", all)
		}
	})

	// The queue is read every few seconds, and the table holds a month of sent mails.
	t.Run("QueueQueriesUseIndexes", func(t *testing.T) {
		p := newPeople(t)
		raw, looked := rawOpen(t, p.path), 0
		for _, declared := range declaredStatements(t) {
			text := declared.text
			if !strings.Contains(text, "mails") || strings.Contains(text, "INSERT") || strings.Contains(text, "ORDER BY id DESC") {
				continue
			}
			looked++
			rows, err := raw.Query("EXPLAIN QUERY PLAN "+text, make([]any, 5)...)
			if err != nil {
				t.Fatal(err)
			}
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					t.Fatal(err)
				}
				if strings.HasPrefix(step, "SCAN") || strings.Contains(step, "B-TREE") {
					t.Errorf("%s in%s", step, text)
				}
			}
			if err := rows.Err(); err != nil {
				t.Fatal(err)
			}
		}
		if looked < 6 {
			t.Errorf("only %d statements checked", looked)
		}
	})
}

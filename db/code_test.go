package db_test

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
)

const newcomer = "New@Example.com"

func (p *twoAccounts) issue(t *testing.T, email string) string {
	t.Helper()
	return set(t, p.store, func(tx *db.Tx) (string, error) { return tx.IssueCode(email) })
}

func (p *twoAccounts) wantIssue(t *testing.T, email string, want error) {
	t.Helper()
	wantErr(t, p.other.Update(background, func(tx *db.Tx) error {
		_, err := tx.IssueCode(email)
		return err
	}), want)
}

// wantGuess guesses and commits a wrong guess, as callers must.
func (p *twoAccounts) wantGuess(t *testing.T, email, code string, want error) {
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
	t.Parallel()
	t.Run("HasSixDigitsAndWorksOnce", func(t *testing.T) {
		p := newTwoAccounts(t)
		code := p.issue(t, newcomer)
		if len(code) != 6 || strings.Trim(code, "0123456789") != "" {
			t.Errorf("code %q", code)
		}
		p.wantGuess(t, newcomer, code, nil)
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("BelongsToAddressWithoutCase", func(t *testing.T) {
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
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
			p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
		code := p.issue(t, newcomer)
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error { return tx.GuessCode(newcomer, code) })
		if got[nil] != 1 || got[db.ErrWrongCode] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("ExpiresAfter10Minutes", func(t *testing.T) {
		p := newTwoAccounts(t)
		code := p.issue(t, newcomer)
		p.clock.Advance(10*time.Minute - time.Millisecond)
		p.wantGuess(t, newcomer, wrong(code), db.ErrWrongCode)
		p.wantGuess(t, newcomer, code, nil)
		code = p.issue(t, newcomer)
		p.clock.Advance(10 * time.Minute)
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("EndsWhenSpent", func(t *testing.T) {
		p := newTwoAccounts(t)
		code := p.issue(t, newcomer)
		dbtest.Update(t, p.store, func(tx *db.Tx) error { return tx.SpendCode("new@example.com") })
		p.wantGuess(t, newcomer, code, db.ErrWrongCode)
	})

	t.Run("NewReplacesOld", func(t *testing.T) {
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
		got := p.atOnce(t, 40, func(_ int, tx *db.Tx) error {
			_, err := tx.IssueCode(newcomer)
			return err
		})
		if got[nil] != 1 || got[db.ErrTooSoon] != 39 {
			t.Errorf("outcomes %v", got)
		}
	})

	t.Run("FiveMailsPerHour", func(t *testing.T) {
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
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
		p := newTwoAccounts(t)
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

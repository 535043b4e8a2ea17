package fairqueue

import (
	"context"
	"slices"
	"testing"
)

type waiter struct {
	account string
	ready   chan struct{}
}

func (w waiter) served() bool {
	select {
	case <-w.ready:
		return true
	default:
		return false
	}
}

// fill takes all free slots and then adds a waiter for each letter of accounts.
func fill(q *Queue, accounts string) (all []waiter) {
	for q.free > 0 {
		q.enqueue("k", "busy")
	}
	for _, a := range accounts {
		all = append(all, waiter{string(a), q.enqueue("k", string(a))})
	}
	return all
}

// served returns the accounts of the waiters that have a slot, in the order of all.
func served(all []waiter) (accounts string) {
	for _, w := range all {
		if w.served() {
			accounts += w.account
		}
	}
	return accounts
}

func TestSlotsAreBounded(t *testing.T) {
	q := New(2)
	var served []bool
	for range 3 {
		served = append(served, waiter{ready: q.enqueue("k", "a")}.served())
	}
	if want := []bool{true, true, false}; !slices.Equal(served, want) {
		t.Errorf("served at once: got %v, want %v", served, want)
	}
}

// An account with several waiters does not delay accounts with one.
func TestAccountsAreServedRoundRobin(t *testing.T) {
	q := New(1)
	all := fill(q, "aaabc")
	var order string
	for range all {
		before := served(all)
		q.release()
		for i, w := range all {
			if w.served() && len(served(all)) == len(before)+1 {
				order += w.account
				all = slices.Delete(all, i, i+1)
				break
			}
		}
		if len(order) == 3 {
			break
		}
	}
	if order != "abc" {
		t.Errorf("order is %s, want abc first", order)
	}
}

// A kind with many accounts does not delay another kind.
func TestKindsAreServedRoundRobin(t *testing.T) {
	q := New(1)
	q.enqueue("k", "busy")
	photos := []chan struct{}{q.enqueue(Photos, "a"), q.enqueue(Photos, "b"), q.enqueue(Photos, "c")}
	question := q.enqueue(Questions, "d")
	q.release()
	q.release()
	if !(waiter{ready: photos[0]}).served() || !(waiter{ready: question}).served() || (waiter{ready: photos[1]}).served() {
		t.Error("want the first photo and the question to be served")
	}
	q.release()
	if !(waiter{ready: photos[1]}).served() {
		t.Error("want the second photo to be served")
	}
}

func TestReleaseWithoutWaitersFreesTheSlot(t *testing.T) {
	q := New(1)
	all := fill(q, "ab")
	for range 3 {
		q.release()
	}
	if served(all) != "ab" || q.free != 1 || len(q.lines) != 0 {
		t.Errorf("got %s served, %d free, %d lines, want ab, 1 and none", served(all), q.free, len(q.lines))
	}
}

func TestAbandon(t *testing.T) {
	q := New(1)
	all := fill(q, "abc")
	q.abandon("k", "a", all[0].ready)
	q.release()
	if served(all) != "b" {
		t.Errorf("served %q, want b", served(all))
	}

	// A waiter that abandons at the moment it is served passes the slot on.
	q.abandon("k", "b", all[1].ready)
	if served(all) != "bc" {
		t.Errorf("served %q, want bc", served(all))
	}
	q.abandon("k", "c", all[2].ready)
	if q.free != 1 {
		t.Errorf("%d free, want 1", q.free)
	}
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	q := New(1)
	release, err := q.Acquire(t.Context(), "k", "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.Acquire(ctx, "k", "b"); err != context.Canceled {
		t.Errorf("without a free slot: got %v, want context.Canceled", err)
	}
	release()
	if release, err = q.Acquire(t.Context(), "k", "b"); err != nil || q.free != 0 {
		t.Errorf("after the release: got %v and %d free, want nil and 0", err, q.free)
	}
	release()
}

// Beyond its bounds a kind refuses at once. An account that has filled its share does not
// keep others out, nor does a full kind another one.
func TestBoundedKinds(t *testing.T) {
	q := Bounded(1, map[Kind]Bounds{Passwords: {Waiting: 3, Each: 2}})
	q.enqueue(Passwords, "busy")
	var accepted string
	for _, account := range []string{"a", "a", "a", "b", "b", "c"} {
		if q.enqueue(Passwords, account) != nil {
			accepted += account
		}
	}
	if accepted != "aab" {
		t.Errorf("accepted %q, want aab", accepted)
	}
	if _, err := q.Acquire(t.Context(), Passwords, "d"); err != ErrFull {
		t.Errorf("got %v, want ErrFull", err)
	}
	if q.enqueue(KnownPasswords, "d") == nil {
		t.Error("a kind without bounds is full")
	}
	q.release()
	if q.enqueue(Passwords, "d") == nil {
		t.Error("there is no room after a waiter was served")
	}
	for range 5 {
		q.release()
	}
	if q.free != 1 || len(q.lines) != 0 {
		t.Errorf("%d free and %d lines, want 1 and none", q.free, len(q.lines))
	}
}

package fairqueue

import (
	"context"
	"slices"
	"testing"
)

// waiter is somebody who has entered the line.
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

// line fills all turns and then lets accounts wait, one for each letter.
func line(t *Line, accounts string) (all []waiter) {
	for t.free > 0 {
		t.enter("busy")
	}
	for _, a := range accounts {
		all = append(all, waiter{string(a), t.enter(string(a))})
	}
	return all
}

// served is who has got a turn, in the order in which they entered.
func served(all []waiter) (accounts string) {
	for _, w := range all {
		if w.served() {
			accounts += w.account
		}
	}
	return accounts
}

func TestTurnsAreBounded(t *testing.T) {
	turns := New(2)
	var served []bool
	for range 3 {
		served = append(served, waiter{ready: turns.enter("a")}.served())
	}
	if !slices.Equal(served, []bool{true, true, false}) {
		t.Errorf("served at once: %v", served)
	}
}

// Whoever sends many photos waits behind those who send one.
func TestTurnsGoRound(t *testing.T) {
	turns := New(1)
	all := line(turns, "aaabc")
	var order string
	for range all {
		before := served(all)
		turns.release()
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
		t.Errorf("served in the order %s, want abc first", order)
	}
}

func TestTurnsThatNobodyWantsAreFree(t *testing.T) {
	turns := New(1)
	all := line(turns, "ab")
	for range 3 {
		turns.release()
	}
	if served(all) != "ab" || turns.free != 1 || len(turns.waiting)+len(turns.order) != 0 {
		t.Errorf("served %s, %d free, %v wait", served(all), turns.free, turns.order)
	}
}

func TestTurnsAreGivenUp(t *testing.T) {
	turns := New(1)
	all := line(turns, "abc")
	turns.leave("a", all[0].ready)
	turns.release()
	if served(all) != "b" {
		t.Errorf("served %q, want b", served(all))
	}

	// One that leaves in the moment in which its turn comes hands it on.
	turns.leave("b", all[1].ready)
	if served(all) != "bc" {
		t.Errorf("served %q, want bc", served(all))
	}
	turns.leave("c", all[2].ready)
	if turns.free != 1 {
		t.Errorf("%d free, want 1", turns.free)
	}
}

func TestTakeEndsWithItsContext(t *testing.T) {
	turns := New(1)
	done, err := turns.Take(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := turns.Take(ctx, "b"); err != context.Canceled {
		t.Errorf("a turn that is taken: %v", err)
	}
	done()
	if done, err = turns.Take(t.Context(), "b"); err != nil || turns.free != 0 {
		t.Errorf("after it was given back: %v, %d free", err, turns.free)
	}
	done()
}

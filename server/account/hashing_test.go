package account

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"svc/db"
	"svc/db/dbtest"
	"svc/server/fairqueue"
)

// oneByOne makes argon2 wait for the test, which gets the password of each run, and hashing
// have one place.
func (d *desk) oneByOne(t *testing.T) (begun chan string, goOn chan struct{}) {
	t.Helper()
	begun, goOn = make(chan string), make(chan struct{})
	replaceHashing(t, func(password string) {
		begun <- password
		<-goOn
	})
	d.hashing = fairqueue.Bounded(1, hashBounds)
	return begun, goOn
}

// strangers sends sign-ins of nobody, each from another network. The channel has their
// errors, in the order of their ends.
func (d *desk) strangers(ctx context.Context, n int) <-chan error {
	ended := make(chan error, n)
	for i := range n {
		from := netip.AddrFrom4([4]byte{198, 51, byte(i >> 8), byte(i)})
		go func() {
			_, err := d.SignIn(ctx, fmt.Sprintf("nobody%d@example.com", i), "of a stranger", Caller{Address: from})
			ended <- err
		}()
	}
	return ended
}

// Of very many sign-ins a few wait, and the others are refused at once. They cost somebody
// whom the account knows two hashes.
func TestManySignInsDoNotDelayTheOwner(t *testing.T) {
	d := newDesk(t)
	begun, goOn := d.oneByOne(t)
	dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.RememberCaller(d.owner.ID, db.NetworkCaller(home)) })
	const many = 1000
	accepted := 1 + hashBounds[fairqueue.Passwords].Waiting
	ended := d.strangers(background, many)
	<-begun
	for range many - accepted {
		if err := <-ended; err != errBusy {
			t.Fatalf("got %v, want errBusy", err)
		}
	}

	owned := make(chan error, 1)
	go func() {
		_, err := d.SignIn(background, owner, password, Caller{Address: home})
		owned <- err
	}()
	untilWaiting(t, d.hashing, fairqueue.KnownPasswords)
	before := 0
	for who := ""; who != password; before++ {
		goOn <- struct{}{}
		who = <-begun
	}
	goOn <- struct{}{}
	if err := <-owned; err != nil {
		t.Errorf("owner: %v", err)
	}
	if before > 2 {
		t.Errorf("%d hashes were made before the owner's, want at most the one that ran and one more", before)
	}
	for range accepted - before {
		<-begun
		goOn <- struct{}{}
	}
	for range accepted {
		if err := <-ended; err != errWrongPassword {
			t.Errorf("of a stranger that waited: %v, want errWrongPassword", err)
		}
	}
}

// A caller who has gone takes no turn, and the try does not count.
func TestSignInEndsWithItsCaller(t *testing.T) {
	d := newDesk(t)
	begun, goOn := d.oneByOne(t)
	first := d.strangers(background, 1)
	<-begun
	ctx, cancel := context.WithCancel(background)
	gone := make(chan error)
	for range triesOfPair + 1 {
		ctx, cancel := context.WithCancel(ctx)
		go func() {
			_, err := d.SignIn(ctx, owner, password, Caller{Address: home})
			gone <- err
		}()
		untilWaiting(t, d.hashing, fairqueue.Passwords)
		cancel()
		if err := <-gone; !errors.Is(err, context.Canceled) {
			t.Fatalf("got %v, want context.Canceled", err)
		}
	}
	cancel()
	goOn <- struct{}{}
	if err := <-first; err != errWrongPassword {
		t.Errorf("the one that ran: %v", err)
	}
	go func() {
		_, err := d.SignIn(background, owner, password, Caller{Address: home})
		gone <- err
	}()
	<-begun
	goOn <- struct{}{}
	if err := <-gone; err != nil {
		t.Errorf("the owner: %v", err)
	}
}

// untilWaiting returns once somebody waits in the kind.
func untilWaiting(t *testing.T, q *fairqueue.Queue, kind fairqueue.Kind) {
	t.Helper()
	for range 30_000 {
		if q.Waiting(kind) > 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("nobody waits")
}

package account

import (
	"context"
	"errors"
	"net/netip"
	"runtime"
	"time"

	"svc/db"
	"svc/server/fairqueue"
	"svc/server/fault"
	"svc/server/throttle"
)

// Hashing a password keeps a core busy for about 40 ms and takes 19 MiB, and anybody may ask
// for it. It has places of its own, since in the places of questions and photos, of which
// two cores have one, a sign-in could wait behind a question for 15 s: nothing that runs
// there gives its place back early. Callers who are known and strangers take turns, so that
// a thousand strangers cost somebody known two hashes, and known callers who send the right
// password again and again do not keep strangers out.
var hashBounds = map[fairqueue.Kind]fairqueue.Bounds{
	fairqueue.Passwords:      {Waiting: 16, Each: 4},
	fairqueue.KnownPasswords: {Waiting: 256, Each: 16},
}

// maxHashPlaces bounds the memory of hashing, to 76 MiB.
const maxHashPlaces = 4

func newHashing() *fairqueue.Queue {
	return fairqueue.Bounded(min(max(runtime.GOMAXPROCS(0)/2, 1), maxHashPlaces), hashBounds)
}

// turn is where a caller waits for hashing.
type turn struct {
	kind fairqueue.Kind
	who  string
}

// knownTurn is for somebody whom the account knows, or who has proved the e-mail.
func knownTurn(email string) turn { return turn{fairqueue.KnownPasswords, db.FoldEmail(email)} }

// strangersTurn is for anybody else.
func strangersTurn(from netip.Addr) turn {
	return turn{fairqueue.Passwords, throttle.Network(from).String()}
}

// errBusy refuses a password while as many wait as the bounds allow.
var errBusy = &fault.Error{
	Code:       fault.Busy,
	Message:    "very many passwords are being checked right now, and yours was not; try again in a few seconds",
	RetryAfter: 2 * time.Second,
}

// inTurn calls hash once a place is free. It returns the error of ctx, or errBusy.
func (s *Service) inTurn(ctx context.Context, t turn, hash func()) error {
	release, err := s.hashing.Acquire(ctx, t.kind, t.who)
	if errors.Is(err, fairqueue.ErrFull) {
		return errBusy
	}
	if err != nil {
		return err
	}
	defer release()
	hash()
	return nil
}

// hash is HashPassword in its turn.
func (s *Service) hash(ctx context.Context, t turn, password string) (hash string, err error) {
	if err := checkPassword(password); err != nil {
		return "", err
	}
	waited := s.inTurn(ctx, t, func() { hash, err = HashPassword(password) })
	return hash, errors.Join(waited, err)
}

// matches is isPassword in its turn.
func (s *Service) matches(ctx context.Context, t turn, hash, password string) (is bool, err error) {
	err = s.inTurn(ctx, t, func() { is = isPassword(hash, password) })
	return is, err
}

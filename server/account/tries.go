package account

import (
	"errors"
	"net/netip"
	"sync"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/throttle"
)

// Limits of wrong passwords, and of wrong codes after a right one, in tryWindow (L3, L12),
// counted in the memory of each process.
// Strangers share the limits of their network and of the account, which they can use up. So
// a network from which the account was signed in to obeys only its own, and such a browser,
// which may be in the network of the stranger, has one for itself.
const (
	tryWindow      = 15 * time.Minute
	triesOfBrowser = 10  // that the account knows
	triesOfPair    = 10  // of one network for one account
	triesOfNetwork = 30  // for all accounts
	triesOfAccount = 200 // from all networks
	// codesOfAccount is less: nobody gets as far as a code without the password, so no
	// stranger can use these up, and there are only a million codes.
	codesOfAccount = 30
	// codesOfDay are the wrong codes that a person's strangers have in a day, stored. Of those
	// who know the password one in 3,300 guesses right with them.
	codesOfDay = 100
	// codesUntilMail is the wrong code of a day that the person is told of. Fewer are typing
	// errors.
	codesUntilMail = 5
	mailsOfNetwork = 60 // that it may ask for in tryWindow
	maxCounted     = 100_000
)

// tries counts wrong passwords, or wrong codes after a right one.
type tries struct {
	what     string     // is counted, in the plural
	mu       sync.Mutex // held from reading the counters until the try is counted
	browsers *throttle.Limiter[browserPair]
	pairs    *throttle.Limiter[pair]
	networks *throttle.Limiter[netip.Addr]
	accounts *throttle.Limiter[string]
}

type pair struct {
	email   string // folded
	network netip.Addr
}

type browserPair struct {
	email   string
	browser db.Caller
}

// attempt is a password that somebody tries for an account, or a code after it.
type attempt struct {
	pair
	browser      db.Caller // zero unless the account knows it
	knownNetwork bool
}

func (a attempt) knownBrowser() bool { return a.browser != db.Caller{} }

// known reports whether the account knows the browser or the network.
func (a attempt) known() bool { return a.knownBrowser() || a.knownNetwork }

// rememberIn makes the caller known to the person again, if it was.
func (a attempt) rememberIn(tx *db.Tx, personID string) (err error) {
	if a.knownBrowser() {
		err = tx.RememberCaller(personID, a.browser)
	}
	if a.knownNetwork {
		err = errors.Join(err, tx.RememberCaller(personID, db.NetworkCaller(a.network)))
	}
	return err
}

func newTries(what string, ofAccount int64) *tries {
	return &tries{
		what:     what,
		browsers: throttle.New[browserPair](triesOfBrowser, tryWindow, maxCounted),
		pairs:    throttle.New[pair](triesOfPair, tryWindow, maxCounted),
		networks: throttle.New[netip.Addr](triesOfNetwork, tryWindow, maxCounted),
		accounts: throttle.New[string](ofAccount, tryWindow, maxCounted),
	}
}

// spend counts a try before it is made, so that concurrent tries cannot exceed a limit.
// Over a limit it returns a TooManyTries with the time to wait.
func (t *tries) spend(a attempt, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var wait time.Duration
	for _, s := range t.limits(a, now) {
		if s.Remaining == 0 {
			wait = max(wait, s.Reset.Sub(now))
		}
	}
	if wait > 0 {
		message := "too many wrong " + t.what + "; wait a quarter of an hour and try again"
		return &fault.Error{Code: fault.TooManyTries, Message: message, RetryAfter: wait}
	}
	if a.knownBrowser() {
		t.browsers.Fail(browserPair{a.email, a.browser}, now)
		return nil
	}
	t.pairs.Fail(a.pair, now)
	t.networks.Fail(a.network, now)
	t.accounts.Fail(a.email, now)
	return nil
}

// limits returns what an attempt must obey.
func (t *tries) limits(a attempt, now time.Time) []throttle.Standing {
	switch {
	case a.knownBrowser():
		return []throttle.Standing{t.browsers.Standing(browserPair{a.email, a.browser}, now)}
	case a.knownNetwork:
		return []throttle.Standing{t.pairs.Standing(a.pair, now)}
	}
	return []throttle.Standing{
		t.pairs.Standing(a.pair, now), t.networks.Standing(a.network, now), t.accounts.Standing(a.email, now),
	}
}

// forgive takes back a try that was right, or was not made.
func (t *tries) forgive(a attempt, now time.Time) {
	if a.knownBrowser() {
		t.browsers.Undo(browserPair{a.email, a.browser}, now)
		return
	}
	t.pairs.Undo(a.pair, now)
	t.networks.Undo(a.network, now)
	t.accounts.Undo(a.email, now)
}

// forget clears the counters of the caller and of the account: a new password was chosen,
// and its owner may use it at once.
func (t *tries) forget(email string, from Caller) {
	t.browsers.Reset(browserPair{email, db.BrowserCaller(from.Browser)})
	t.pairs.Reset(pair{email, throttle.Network(from.Address)})
	t.accounts.Reset(email)
}

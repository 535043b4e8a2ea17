package account

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/crypto/argon2"

	"svc/db"
	"svc/db/dbtest"
	"svc/embed"
	"svc/server/fault"
	"svc/server/mail"
	"svc/server/session"
	"svc/server/web"
)

// These tests are in the package, since they count the runs of argon2.

const (
	owner    = "Owner@example.com"
	password = "correct horse"
)

var (
	background = context.Background()
	home       = netip.MustParseAddr("203.0.113.9")
)

// desk is a service over its own store, with one account that has a password.
type desk struct {
	*Service
	store *db.DB
	clock *dbtest.Clock
	owner db.Account
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	d := &desk{clock: dbtest.NewClock()}
	d.store = dbtest.Open(t, d.clock)
	composer, err := mail.NewComposer(embed.MailTemplates())
	if err != nil {
		t.Fatal(err)
	}
	mails := mail.New(mail.Config{Store: d.store, Composer: composer, Log: slog.New(slog.DiscardHandler)})
	d.Service = New(Config{Store: d.store, Mails: mails, Clock: d.clock.Now, ConsoleURL: "http://127.0.0.1:8080"})
	d.owner = d.account(t, owner, quickHash(password))
	return d
}

// account makes an account in the store; with an empty hash it has no password.
func (d *desk) account(t *testing.T, email, hash string) db.Account {
	t.Helper()
	a := dbtest.MustAccount(t, d.store, email, db.Free)
	if hash != "" {
		dbtest.Update(t, d.store, func(tx *db.Tx) error { return tx.SetPasswordHash(a.ID, hash) })
	}
	a.PasswordHash = hash
	return a
}

// quickHash returns a hash whose parameters make it cheap to check.
func quickHash(password string) string {
	salt := []byte("0123456789abcdef")
	key := argon2.IDKey([]byte(password), salt, 1, 8, 1, 32)
	return fmt.Sprintf("$argon2id$v=19$m=8,t=1,p=1$%s$%s", encodeHash.EncodeToString(salt), encodeHash.EncodeToString(key))
}

// countHashing counts the runs of argon2 since the last call of runs.
func countHashing(t *testing.T) (runs func() int) {
	t.Helper()
	var n atomic.Int64
	replaceHashing(t, func(string) { n.Add(1) })
	return func() int { return int(n.Swap(0)) }
}

// replaceHashing calls begin with the password before each run of argon2.
func replaceHashing(t *testing.T, begin func(password string)) {
	t.Helper()
	before := idKey
	t.Cleanup(func() { idKey = before })
	idKey = func(password, salt []byte, passes, memoryKiB uint32, lanes uint8, length uint32) []byte {
		begin(string(password))
		return argon2.IDKey(password, salt, passes, memoryKiB, lanes, length)
	}
}

// Every refused sign-in has the answer of a wrong password and hashes as often.
func TestSignInAlwaysHashesOnce(t *testing.T) {
	d := newDesk(t)
	d.account(t, "none@example.com", "")
	d.account(t, "damaged@example.com", encode([]byte("another salt...."), make([]byte, argonKey)))
	runs := countHashing(t)

	for _, try := range []struct{ name, email, password string }{
		{"Unknown", "nobody@example.com", password}, // the first of the process
		{"UnknownAgain", "nobody@example.com", password},
		{"WithoutAPassword", "none@example.com", password},
		{"WithoutAPasswordAndNone", "none@example.com", ""},
		{"Wrong", owner, password + "."},
		{"WrongOfFullCost", "damaged@example.com", password},
		{"WrongCase", owner, strings.ToUpper(password)},
		{"Empty", owner, ""},
		{"TooLong", owner, strings.Repeat("x", maxPassword+1)},
		{"TooLongOfNobody", "nobody@example.com", strings.Repeat("x", maxPassword+1)},
		{"NoEmail", "", password},
		{"NoEmailAndNoPassword", "", ""},
		{"LongEmail", strings.Repeat("x", 100_000) + "@example.com", password},
		{"HashAsPassword", owner, d.owner.PasswordHash},
	} {
		t.Run(try.name, func(t *testing.T) {
			a, err := d.SignIn(background, try.email, try.password, Caller{Address: home})
			if err != errWrongPassword || a.ID != "" {
				t.Errorf("%+v, %v", a, err)
			}
			if n := runs(); n != 1 {
				t.Errorf("argon2 ran %d times, want once", n)
			}
		})
		d.clock.Advance(tryWindow)
	}

	for _, email := range []string{owner, "OWNER@EXAMPLE.COM", "owner@example.com"} {
		a, err := d.SignIn(background, email, password, Caller{Address: home})
		if err != nil || a.ID != d.owner.ID {
			t.Errorf("%s: %+v, %v", email, a, err)
		}
		if n := runs(); n != 1 {
			t.Errorf("argon2 ran %d times for the right password, want once", n)
		}
	}

	// The hash that is compared if there is none costs as much as a real one.
	made, err := HashPassword(password)
	if err != nil {
		t.Fatal(err)
	}
	ours, err := parseHash(made)
	if err != nil {
		t.Fatal(err)
	}
	nobodys, err := parseHash(noHash)
	if err != nil || nobodys.passes != ours.passes || nobodys.memoryKiB != ours.memoryKiB || nobodys.lanes != ours.lanes ||
		len(nobodys.salt) != len(ours.salt) || len(nobodys.key) != len(ours.key) {
		t.Errorf("noHash has %+v (%v), a real hash %+v", nobodys, err, ours)
	}
}

// Anybody may send these requests, so they are refused before hashing, which costs much.
func TestRefusedRequestsDoNotHash(t *testing.T) {
	d := newDesk(t)
	dbtest.Update(t, d.store, func(tx *db.Tx) error {
		_, err := tx.IssueCode("new@example.com")
		return err
	})
	runs := countHashing(t)
	wrongLink := db.NewToken()
	for name, try := range map[string]func() error{
		"WrongResetLink": func() error { _, err := d.ResetPassword(background, wrongLink, password, Caller{}); return err },
		"WrongSetupLink": func() error {
			_, err := d.Setup(background, wrongLink, NewAccount{Email: "x@example.com", Password: password})
			return err
		},
		"WrongCode": func() error {
			_, err := d.SignUp(background, SignUp{Email: "new@example.com", Code: "wrong", Password: password})
			return err
		},
		"ShortPassword": func() error {
			return d.ChangePassword(background, d.owner.Owner(), "", password, "short", Caller{Address: home})
		},
	} {
		t.Run(name, func(t *testing.T) {
			if err := try(); err == nil {
				t.Error("no error")
			}
			if n := runs(); n != 0 {
				t.Errorf("argon2 ran %d times, want 0", n)
			}
		})
	}

	t.Run("Throttled", func(t *testing.T) {
		for range triesOfPair {
			if _, err := d.SignIn(background, owner, "wrong", Caller{Address: home}); err != errWrongPassword {
				t.Fatal(err)
			}
		}
		runs()
		for _, guess := range []string{"wrong", password} {
			_, err := d.SignIn(background, owner, guess, Caller{Address: home})
			wantThrottled(t, err, tryWindow)
		}
		if n := runs(); n != 0 {
			t.Errorf("argon2 ran %d times, want 0", n)
		}
	})
}

func wantThrottled(t *testing.T, err error, wait time.Duration) {
	t.Helper()
	var e *fault.Error
	if !errors.As(err, &e) || e.Code != fault.TooManyTries || e.RetryAfter != wait {
		t.Errorf("got %v, want TooManyTries with a wait of %v", err, wait)
	}
}

func TestTries(t *testing.T) {
	start := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	address := func(n int) netip.Addr {
		return netip.AddrFrom4([4]byte{203, 0, byte(n >> 8), byte(n)})
	}
	spent := func(tries *tries, n int, p func(i int) pair) (refused int) {
		for i := range n {
			if tries.spend(attempt{pair: p(i)}, start) != nil {
				refused++
			}
		}
		return refused
	}

	for _, row := range []struct {
		name    string
		allowed int
		of      func(i int) pair
		other   pair // is not refused
	}{
		{"OfOnePair", triesOfPair, func(int) pair { return pair{"a", address(0)} }, pair{"a", address(1)}},
		{"OfOneNetwork", triesOfNetwork, func(i int) pair { return pair{fmt.Sprint(i), address(0)} }, pair{"0", address(1)}},
		{"OfOneAccount", triesOfAccount, func(i int) pair { return pair{"a", address(i)} }, pair{"b", address(0)}},
	} {
		t.Run(row.name, func(t *testing.T) {
			tries := newTries("passwords", triesOfAccount)
			if refused := spent(tries, row.allowed+5, row.of); refused != 5 {
				t.Errorf("%d refused, want 5", refused)
			}
			if err := tries.spend(attempt{pair: row.other}, start); err != nil {
				t.Errorf("other pair: %v", err)
			}
		})

		// Each try is counted before it is made, so concurrent ones cannot exceed the limit.
		t.Run(row.name+"AtOnce", func(t *testing.T) {
			for range 50 {
				tries := newTries("passwords", triesOfAccount)
				var allowed atomic.Int64
				begin := make(chan struct{})
				var all sync.WaitGroup
				for worker := range 8 {
					all.Go(func() {
						<-begin
						for i := range row.allowed / 2 {
							if tries.spend(attempt{pair: row.of(worker*row.allowed + i)}, start) == nil {
								allowed.Add(1)
							}
						}
					})
				}
				close(begin)
				all.Wait()
				if n := allowed.Load(); n != int64(row.allowed) {
					t.Fatalf("%d allowed, want %d", n, row.allowed)
				}
			}
		})
	}

	t.Run("WaitForTheLongest", func(t *testing.T) {
		tries := newTries("passwords", triesOfAccount)
		for i := range triesOfNetwork - triesOfPair {
			if err := tries.spend(attempt{pair: pair{fmt.Sprint("x", i), address(0)}}, start.Add(5*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		// The pair's window begins later than the network's, and ends later.
		for range triesOfPair {
			if err := tries.spend(attempt{pair: pair{"a", address(0)}}, start.Add(10*time.Minute)); err != nil {
				t.Fatal(err)
			}
		}
		wantThrottled(t, tries.spend(attempt{pair: pair{"a", address(0)}}, start.Add(12*time.Minute)), 13*time.Minute)
		wantThrottled(t, tries.spend(attempt{pair: pair{"b", address(0)}}, start.Add(12*time.Minute)), 8*time.Minute)
	})

	t.Run("ForgivenOnceEach", func(t *testing.T) {
		tries := newTries("passwords", triesOfAccount)
		p := pair{"a", address(0)}
		spent(tries, triesOfPair, func(int) pair { return p })
		tries.forgive(attempt{pair: p}, start)
		if refused := spent(tries, 2, func(int) pair { return p }); refused != 1 {
			t.Errorf("%d of 2 refused, want 1", refused)
		}
	})
}

// Concurrent sign-ins cannot exceed the limit while one is being hashed.
func TestConcurrentSignInsKeepTheLimit(t *testing.T) {
	d := newDesk(t)
	var wrong, refused, busy atomic.Int64
	var all sync.WaitGroup
	for range 60 {
		all.Go(func() {
			_, err := d.SignIn(background, owner, "wrong password", Caller{Address: home})
			var e *fault.Error
			switch {
			case err == errWrongPassword:
				wrong.Add(1)
			case err == errBusy: // not a try
				busy.Add(1)
			case errors.As(err, &e) && e.Code == fault.TooManyTries:
				refused.Add(1)
			default:
				t.Errorf("got %v, want WrongPassword or TooManyTries", err)
			}
		})
	}
	all.Wait()
	if wrong.Load()+busy.Load() < triesOfPair || wrong.Load() > triesOfPair {
		t.Errorf("%d tries, %d refusals and %d that were not made, want %d tries", wrong.Load(), refused.Load(), busy.Load(), triesOfPair)
	}
}

func TestConcurrentMailRequestsKeepTheLimit(t *testing.T) {
	now := dbtest.NewClock().Now()
	for range 100 {
		s := New(Config{Mails: mail.New(mail.Config{})})
		var allowed atomic.Int64
		begin := make(chan struct{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				<-begin
				for range mailsOfNetwork / 2 {
					if s.countAsked(home, now) == nil {
						allowed.Add(1)
					}
				}
			})
		}
		close(begin)
		all.Wait()
		if n := allowed.Load(); n != mailsOfNetwork {
			t.Fatalf("%d allowed, want %d", n, mailsOfNetwork)
		}
	}
}

// A sign-in that fails because the store cannot be read does not count as a wrong password.
func TestStoreErrorCostsNoTry(t *testing.T) {
	d := newDesk(t)
	canceled, cancel := context.WithCancel(background)
	cancel()
	for range 2 * triesOfPair {
		// The store may read before it sees the cancelled context; then the sign-in succeeds.
		if _, err := d.SignIn(canceled, owner, password, Caller{Address: home}); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatalf("%v", err)
		}
	}
	if _, err := d.SignIn(background, owner, password, Caller{Address: home}); err != nil {
		t.Error(err)
	}
}

// A password takes long to check and may be replaced meanwhile. The old one then starts no
// session and cannot replace the new one.
func TestPasswordReplacedDuringSignIn(t *testing.T) {
	signedIn := func(t *testing.T) (d *desk, before db.Person) {
		t.Helper()
		d = newDesk(t)
		before, err := d.SignIn(background, owner, password, Caller{Address: home})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.SetPassword(background, owner, "battery staple"); err != nil {
			t.Fatal(err)
		}
		return d, before
	}

	t.Run("NoSession", func(t *testing.T) {
		d, before := signedIn(t)
		sessions, err := session.New(session.Config{Store: d.store, Clock: d.clock.Now, ConsoleURL: "http://127.0.0.1:8080"})
		if err != nil {
			t.Fatal(err)
		}
		recorder := httptest.NewRecorder()
		w := &web.Response{ResponseWriter: recorder, Address: home}
		err = sessions.Start(w, httptest.NewRequest(http.MethodPost, "/signin", nil), before)
		var e *fault.Error
		if !errors.As(err, &e) || e.Code != fault.WrongPassword || recorder.Header().Get("Set-Cookie") != "" {
			t.Errorf("got %v and headers %v, want WrongPassword and no cookie", err, recorder.Header())
		}
		if all, err := d.Sessions(background, d.owner.ID); err != nil || len(all) != 0 {
			t.Errorf("sessions %+v, %v", all, err)
		}
		now, err := d.SignIn(background, owner, "battery staple", Caller{Address: home})
		if err != nil {
			t.Fatal(err)
		}
		if err := sessions.Start(w, httptest.NewRequest(http.MethodPost, "/signin", nil), now); err != nil {
			t.Errorf("with the new password: %v", err)
		}
	})

	t.Run("NoOtherPassword", func(t *testing.T) {
		d, before := signedIn(t)
		if err := d.replacePassword(background, before, "", "of the thief", attempt{}); err != errNotCurrent {
			t.Errorf("replacePassword: got %v, want %v", err, errNotCurrent)
		}
		if _, err := d.SignIn(background, owner, "of the thief", Caller{Address: home}); err != errWrongPassword {
			t.Errorf("SignIn: got %v, want %v", err, errWrongPassword)
		}
		if mails, err := d.Mails.List(background, 10); err != nil || len(mails) != 0 {
			t.Errorf("mails %+v, %v", mails, err)
		}
	})
}

// Setup checks the link before it hashes, and checks again after.
func TestAccountMadeDuringSetup(t *testing.T) {
	d := &desk{clock: dbtest.NewClock()}
	d.store = dbtest.Open(t, d.clock)
	d.Service = New(Config{Store: d.store, Clock: d.clock.Now, ConsoleURL: "http://127.0.0.1:8080"})
	link, err := d.SetupLink(background)
	if err != nil {
		t.Fatal(err)
	}
	token := db.Token(link[strings.LastIndex(link, "/")+1:])

	hashing := make(chan struct{})
	replaceHashing(t, func(string) {
		hashing <- struct{}{}
		<-hashing
	})
	done := make(chan error, 1)
	go func() {
		_, err := d.Setup(background, token, NewAccount{Email: "late@example.com", Password: password})
		done <- err
	}()
	<-hashing // it has begun
	d.account(t, owner, "")
	hashing <- struct{}{}
	if err := <-done; !errors.Is(err, db.ErrNotFound) {
		t.Errorf("got %v, want %v", err, db.ErrNotFound)
	}
	if all, err := d.List(background); err != nil || len(all) != 1 || all[0].Email != owner {
		t.Errorf("accounts %+v, %v", all, err)
	}
}

// An account without a password accepts none, not even the password of noHash.
func TestNoHashMatchesNoPassword(t *testing.T) {
	d := newDesk(t)
	d.account(t, "none@example.com", "")
	before := noHash
	t.Cleanup(func() { noHash = before })
	noHash = quickHash(password)
	for _, email := range []string{"none@example.com", "nobody@example.com"} {
		if a, err := d.SignIn(background, email, password, Caller{Address: home}); err != errWrongPassword || a.ID != "" {
			t.Errorf("%s: %+v, %v", email, a, err)
		}
	}
}

func TestIsPassword(t *testing.T) {
	for _, row := range []struct {
		name     string
		password string
		ok       bool
	}{
		{"9", strings.Repeat("x", 9), false},
		{"10", strings.Repeat("x", 10), true},
		{"200", strings.Repeat("x", 200), true},
		{"201", strings.Repeat("x", 201), false},
		{"9CodePointsOf36Bytes", strings.Repeat("🍵", 9), false},
		{"10CodePoints", strings.Repeat("🍵", 10), true},
		{"200CodePointsOf800Bytes", strings.Repeat("🍵", 200), true},
		{"201CodePoints", strings.Repeat("ж", 201), false},
		{"Spaces", "          ", true},
		{"SpacesAround", "  correct horse  ", true},
	} {
		t.Run(row.name, func(t *testing.T) {
			hash, err := HashPassword(row.password)
			if (err == nil) != row.ok {
				t.Fatalf("%v", err)
			}
			if !row.ok {
				return
			}
			if !isPassword(hash, row.password) {
				t.Error("isPassword is false for its own hash")
			}
			for _, other := range []string{row.password + "x", row.password[:len(row.password)-1], strings.TrimSpace(row.password) + "y", ""} {
				if isPassword(quickHash(row.password), other) {
					t.Errorf("isPassword is true for %.20q", other)
				}
			}
		})
	}

	for _, damaged := range []string{
		"", "x", "$argon2id$", "$argon2i$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "$argon2id$v=18$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA",
		"$argon2id$v=19$m=8,t=0,p=1$MDEyMzQ1Njc4OWFiY2RlZg$AAAA", "$argon2id$v=19$m=8,t=1,p=0$MDEyMzQ1Njc4OWFiY2RlZg$AAAA",
		"$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg$", "$argon2id$v=19$m=8,t=1,p=1$MDEyMzQ1Njc4OWFiY2RlZg", "$argon2id$v=19$m=8,t=1,p=1$*$AAAA",
		noHash,
	} {
		for _, guess := range []string{password, "", strings.Repeat("x", 300)} {
			if isPassword(damaged, guess) {
				t.Errorf("isPassword is true for %q and the hash %q", guess, damaged)
			}
		}
	}
}

func TestSweepRemovesAllThatExpired(t *testing.T) {
	d := newDesk(t)
	const many = 2*sweepChunk + 1
	dbtest.Update(t, d.store, func(tx *db.Tx) error {
		for i := range many {
			if _, err := tx.IssueCode(fmt.Sprintf("a%d@example.com", i)); err != nil {
				return err
			}
			if _, _, err := tx.StartSession(db.Session{AccountID: d.owner.ID, PersonID: d.owner.ID}); err != nil {
				return err
			}
		}
		_, err := tx.CreateLink(db.ResetLink, d.owner.ID)
		return err
	})
	d.clock.Advance(12 * time.Hour)
	if err := d.Sweep(background); err != nil {
		t.Fatal(err)
	}
	dbtest.Update(t, d.store, func(tx *db.Tx) error {
		for what, remove := range map[string]func(int) (int64, error){
			"sessions": tx.DeleteEndedSessions, "links": tx.DeleteOldLinks, "codes": tx.DeleteOldCodes,
		} {
			if n, err := remove(many); err != nil || n != 0 {
				t.Errorf("%d %s are left (%v), want 0", n, what, err)
			}
		}
		return nil
	})
}

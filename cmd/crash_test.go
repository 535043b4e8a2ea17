package cmd_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// crash is one life of the server, which ends with a kill -9.
type crash struct {
	point string // a hook of the binary, "during" or "random"
	after int    // how many messages at the provider ("during") or events ("random") come first
}

// hookPoints are the steps of a call at which the binary of the crash test kills itself.
var hookPoints = []string{"before-claim", "after-claim", "after-answer", "after-commit"}

// crashes returns the server's lives in random order.
func crashes(rng *rand.Rand, each, random int) (all []crash) {
	for range each {
		for _, point := range hookPoints {
			all = append(all, crash{point: point})
		}
		all = append(all, crash{point: "during", after: 1 + rng.IntN(3)})
	}
	for range random {
		all = append(all, crash{point: "random", after: rng.IntN(12)})
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// TestCrashes kills the server over and over, at every step of a call and at random,
// while clients send with Idempotency-Keys. No message may be sent twice, and the wallet
// has paid for exactly the sends that were confirmed.
func TestCrashes(t *testing.T) {
	t.Parallel()
	each, random, clients := 5, 30, 6
	if testing.Short() {
		each, random = 1, 3
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)

	w := newWorkload(t)
	var done sync.WaitGroup
	for range clients {
		done.Go(w.client)
	}
	for i, c := range crashes(rand.New(rand.NewPCG(seed, 0)), each, random) {
		w.live(i, c)
	}
	last := w.begin("")
	w.over.Store(true)
	w.announce()
	done.Wait()
	w.resolveAll()

	w.checkJobs(each)
	w.checkReplays()
	w.checkWallet()
	last.stop()
	w.ok("wallet", "verify")
}

const (
	crashCredit = 100_000
	// crashThreshold is crossed by the third confirmed call. Its answer has the
	// low-balance warning, and so must its replay.
	crashThreshold = crashCredit - 5
	crashKeys      = 40 // no key reaches its limit of 120 a minute
	// twinPatience is how long a client waits during the crashes for an answer that
	// comes only when a lease ends.
	twinPatience = 200 * time.Millisecond
)

// workload is the messages that the clients send, and the state of the test.
type workload struct {
	*folder
	provider *provider
	address  string
	keys     []string
	over     atomic.Bool // set when no new jobs begin
	// events receives one value for each answer and each message at the provider.
	events chan struct{}
	// during receives each message of this life before it is answered.
	during atomic.Pointer[func()]

	mu   sync.Mutex
	jobs []*job
	life int           // of the server, counted from 1
	next chan struct{} // closed when the next life has begun
}

// job is one message that must go out once, under its own Idempotency-Key.
type job struct {
	key, name string
	cut       bool // a try ended without an answer
	settled   answer
}

func (j *job) confirmed() bool { return j.settled.status == 200 }

func newWorkload(t *testing.T) *workload {
	w := &workload{
		folder: folderFor(t, crashBinary), address: freeAddress(t),
		events: make(chan struct{}, 1000), next: make(chan struct{}),
	}
	w.provider = newProvider(t, w.onMessage)
	w.account(owner, "business", strconv.Itoa(crashCredit))
	w.ok("wallet", "threshold", owner, strconv.Itoa(crashThreshold))
	for range crashKeys {
		_, key := w.key("live")
		w.keys = append(w.keys, key)
	}
	return w
}

// freeAddress returns an address with a port below those of outgoing connections, so
// that it is free again each time the server restarts.
func freeAddress(t testing.TB) string {
	t.Helper()
	for range 100 {
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", 20_000+rand.IntN(10_000)))
		if err == nil {
			defer listener.Close()
			return listener.Addr().String()
		}
	}
	t.Fatal("no free port")
	return ""
}

// onMessage handles a message at the provider. A message of the previous life may still
// arrive; the path tells them apart.
func (w *workload) onMessage(path string) {
	w.event()
	life, _ := w.current()
	if tell := w.during.Load(); tell != nil && path == lifePath(life) {
		(*tell)()
	}
}

func lifePath(life int) string { return fmt.Sprintf("/life-%d", life) }

func (w *workload) event() {
	select {
	case w.events <- struct{}{}:
	default: // full: nobody waits for so many
	}
}

// live runs the server until the crash has happened.
func (w *workload) live(number int, c crash) {
	w.Helper()
	var hook string
	var crashed func(p *process)
	switch c.point {
	case "during":
		crashed = w.killDuring(c.after)
	case "random":
		crashed = func(p *process) { w.killAfterEvents(p, c.after) }
	default:
		hook = c.point + " 3"       // after some calls that pass
		crashed = func(*process) {} // the hook kills it
	}

	p := w.begin(hook)
	crashed(p)
	await(w, fmt.Sprintf("crash %d (%s) happens", number, c.point), p.ended)
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		w.Fatalf("crash %d (%s): ended with %v; stderr: %s", number, c.point, p.cmd.ProcessState, p.err)
	}
}

// killDuring returns a function that kills the server while the provider handles the
// n-th message from now on.
func (w *workload) killDuring(n int) func(*process) {
	var seen atomic.Int64
	reached, killed := make(chan struct{}), make(chan struct{})
	tell := func() {
		count := seen.Add(1)
		if count < int64(n) {
			return
		}
		if count == int64(n) {
			close(reached)
		}
		select {
		case <-killed:
		case <-w.Context().Done():
		}
	}
	w.during.Store(&tell)
	return func(p *process) {
		defer w.during.Store(nil)
		defer close(killed)
		await(w, "a message reaches the provider", func() bool {
			select {
			case <-reached:
				return true
			default:
				return false
			}
		})
		p.kill()
		<-p.exited
	}
}

// killAfterEvents kills the server after n more answers or messages.
func (w *workload) killAfterEvents(p *process, n int) {
	w.Helper()
	for len(w.events) > 0 {
		<-w.events
	}
	late := time.After(patience)
	for range n {
		select {
		case <-w.events:
		case <-late:
			w.Fatal("the clients make no progress")
		}
	}
	p.kill()
}

// begin starts the server's next life. The server may crash before it prints that it
// listens, because the clients do not wait for that line.
func (w *workload) begin(hook string) *process {
	w.Helper()
	w.mu.Lock()
	w.life++
	url := w.provider.URL + lifePath(w.life)
	w.mu.Unlock()

	p := w.with("SVC_CRASH_AT="+hook).start("--addr", w.address,
		"--messaging", "webhook", "--messaging-url", url, "--messaging-secret", providerSecret)
	await(w, "the server listens or has crashed", func() bool {
		return p.ended() || strings.Contains(p.out.String(), "\n")
	})
	w.announce()
	return p
}

// announce wakes the clients that wait for the server.
func (w *workload) announce() {
	w.mu.Lock()
	defer w.mu.Unlock()
	close(w.next)
	w.next = make(chan struct{})
}

func (w *workload) current() (life int, next <-chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.life, w.next
}

// client sends one job after another. A job whose answer comes only when a lease ends
// is left for resolveAll.
func (w *workload) client() {
	for !w.over.Load() {
		j := w.newJob()
		_, next := w.current()
		err := w.try(j, patience)
		for err != nil && !errors.Is(err, context.DeadlineExceeded) && !w.over.Load() {
			<-next
			_, next = w.current()
			err = w.try(j, twinPatience)
		}
	}
}

func (w *workload) newJob() *job {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := len(w.jobs)
	j := &job{key: w.keys[n%len(w.keys)], name: fmt.Sprintf("job-%d", n)}
	w.jobs = append(w.jobs, j)
	return j
}

var errInProgress = errors.New("in progress")

// try sends a job once. It returns nil when the job has its final outcome.
func (w *workload) try(j *job, limit time.Duration) error {
	a, err := w.request(j, limit)
	if err != nil {
		j.cut = true
		return err
	}
	w.event()
	switch code := a.header.Get("X-Error-Code"); {
	case a.status == 200, a.status == 502 && code == "outcome_unknown":
		j.settled = a
		return nil
	case a.status == 502 && code == "in_progress":
		return errInProgress
	}
	w.Errorf("%s: %d %s", j.name, a.status, a.body)
	return nil
}

func (w *workload) request(j *job, limit time.Duration) (answer, error) {
	body := fmt.Sprintf(`{"phone":"+447700900123","template":"receipt","text":%q}`, j.name)
	ctx, cancel := context.WithTimeout(w.Context(), limit)
	defer cancel()
	return roundTrip(newSend("http://"+w.address, j.key, j.name, body).WithContext(ctx))
}

// resolveAll sends again all jobs without an outcome. The server no longer crashes, so
// each gets one when its lease ends.
func (w *workload) resolveAll() {
	w.forEach(func(j *job) {
		for j.settled.status == 0 && !w.Failed() {
			if err := w.try(j, patience); err != nil && !errors.Is(err, errInProgress) {
				w.Errorf("%s: %v", j.name, err)
			}
		}
	})
}

// forEach calls fn for each job, several at once.
func (w *workload) forEach(fn func(*job)) {
	var all sync.WaitGroup
	var taken atomic.Int64
	for range 100 {
		all.Go(func() {
			for n := int(taken.Add(1)); n <= len(w.jobs); n = int(taken.Add(1)) {
				fn(w.jobs[n-1])
			}
		})
	}
	all.Wait()
}

// checkJobs checks the outcome of each job, and that every kind of crash had its effect.
func (w *workload) checkJobs(each int) {
	w.Helper()
	var confirmed, replayed, lostBefore, lostAfter int
	for _, j := range w.jobs {
		sent := w.provider.sent(j.name)
		switch {
		case sent > 1, j.confirmed() && sent != 1:
			w.Errorf("%s was sent %d times and answered %d", j.name, sent, j.settled.status)
		case j.confirmed() && j.cut && j.settled.header.Get("Idempotency-Replayed") == "true":
			replayed++
		case j.confirmed():
			confirmed++
		case sent == 0:
			lostBefore++
		default:
			lostAfter++
		}
	}
	w.Logf("%d lives, %d jobs: %d confirmed at once, %d by a replay after a crash, unknown: %d not sent, %d sent",
		w.life, len(w.jobs), confirmed, replayed, lostBefore, lostAfter)
	if confirmed == 0 || replayed < each || lostBefore < each || lostAfter < 2*each {
		w.Errorf("want at least %d replays (after-commit), %d unknown and not sent (after-claim), %d unknown and sent (during, after-answer)",
			each, each, 2*each)
	}
}

// checkReplays sends every job once more and compares the answers.
func (w *workload) checkReplays() {
	w.Helper()
	messages := w.provider.total()
	var crossings atomic.Int64
	w.forEach(func(j *job) {
		a, err := w.request(j, patience)
		if err != nil || a.status != j.settled.status || a.body != j.settled.body || a.header.Get("Idempotency-Replayed") != "true" {
			w.Errorf("%s: %d %s (%v), before %d %s", j.name, a.status, a.body, err, j.settled.status, j.settled.body)
		}
		if strings.Contains(a.body, "low_balance_warning") {
			crossings.Add(1)
		}
	})
	if n := w.provider.total(); n != messages {
		w.Errorf("replays sent %d messages", n-messages)
	}
	if n := crossings.Load(); n != 1 {
		w.Errorf("%d answers have the low-balance warning, want 1", n)
	}
}

// checkWallet compares the wallet with the confirmed sends.
func (w *workload) checkWallet() {
	w.Helper()
	var confirmed, debits, sum float64
	for _, j := range w.jobs {
		if j.confirmed() {
			confirmed++
		}
	}
	for _, entry := range w.objects(w.ok("wallet", "ledger", owner, "--json")) {
		sum += entry["amount_cents"].(float64)
		if entry["kind"] != "debit" {
			continue
		}
		debits++
		if entry["amount_cents"] != -2.0 {
			w.Errorf("debit of %v", entry["amount_cents"])
		}
	}
	if debits != confirmed {
		w.Errorf("%v debits for %v confirmed sends", debits, confirmed)
	}
	doubtful := w.objects(w.ok("messages", "unknown", "--account", owner, "--limit", "100000", "--json"))
	if want := len(w.jobs) - int(confirmed); len(doubtful) != want {
		w.Errorf("%d sends in doubt are listed, want %d", len(doubtful), want)
	}
	for _, v := range doubtful {
		if phone, _ := v["phone"].(string); !strings.HasPrefix(phone, "+44") {
			w.Errorf("a send in doubt names %q as its recipient", phone)
		}
	}
	wallet := w.object("wallet", "show", owner)
	if wallet["balance_cents"] != sum || sum != crashCredit-2*confirmed || wallet["held_cents"] != 0.0 {
		w.Errorf("wallet %v, ledger sum %v, %v confirmed sends", wallet, sum, confirmed)
	}
}

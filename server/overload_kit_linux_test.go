package server_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/proctest"
)

const (
	ownerEmail, ownerPassword = "owner@example.com", "correct horse battery"
	// bystanderKeys are enough that no key reaches its limit of a minute.
	bystanderKeys = 300
	watchers      = 2 // of each kind
	watchPause    = 5 * time.Millisecond
	patience      = 20 * time.Second // of a bystander
)

// overload is the scene: a binary, its folder and the keys of those who call.
type overload struct {
	binary, dir    string
	keys           []string // of bystanders, live
	turn           atomic.Int64
	asked          atomic.Int64 // answers that askers got
	attacker, free string       // a live and a test key of the attacker
	smallPhoto     string
	scene          time.Duration
	table          strings.Builder
}

func newOverload(t *testing.T) *overload {
	t.Helper()
	o := &overload{dir: t.TempDir(), scene: 12 * time.Second}
	if os.Getenv("CI") != "" {
		o.scene = 3 * time.Second
	}
	o.smallPhoto = photoBody(flatJPEG(t, 320, 240))
	o.binary = filepath.Join(o.dir, "svc")
	build := exec.Command("go", "build", "-trimpath", "-o", o.binary, ".")
	build.Dir, build.Env = "..", append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	o.fill(t)
	fmt.Fprintf(&o.table, "%-30s %-18s %9s %9s %9s %7s %7s\n", "attack", "bystanders' call", "p50", "p99", "calls/s", "answers", "failed")
	return o
}

// fill makes the accounts, their keys and a file with many different words.
func (o *overload) fill(t *testing.T) {
	t.Helper()
	ctx := context.Background()
	app, err := server.Open(ctx, server.Config{DB: filepath.Join(o.dir, "svc.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer app.Close()
	key := func(email string, env db.Env) string {
		_, secret, err := app.Accounts.CreateKey(ctx, account.NewKey{Account: email, Env: string(env)})
		if err != nil {
			t.Fatal(err)
		}
		return string(secret)
	}
	if _, err := app.Accounts.Create(ctx, account.NewAccount{Email: ownerEmail, Password: ownerPassword}); err != nil {
		t.Fatal(err)
	}
	for _, email := range []string{"shop@example.com", "attacker@example.com"} {
		_, err := app.Accounts.Create(ctx, account.NewAccount{Email: email, Plan: string(db.Business)})
		if err == nil {
			_, err = app.Accounts.Credit(ctx, email, 1_000_000, "test")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for range bystanderKeys {
		o.keys = append(o.keys, key("shop@example.com", db.Live))
	}
	o.attacker, o.free = key("attacker@example.com", db.Live), key("attacker@example.com", db.Test)
	if err := os.WriteFile(filepath.Join(o.dir, "sales.csv"), []byte(salesFile()), 0o600); err != nil {
		t.Fatal(err)
	}
	load := exec.Command(o.binary, "data", "import", "--account", "shop@example.com", "sales.csv")
	load.Dir = o.dir
	if out, err := load.CombinedOutput(); err != nil {
		t.Fatalf("svc data import: %v\n%s", err, out)
	}
}

// salesFile is a file of sales with large vocabularies. Its words are the same in each run.
func salesFile() string {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string {
		letters := make([]byte, 6+random.IntN(6))
		for i := range letters {
			letters[i] = "abcdefghijklmnoprstuvy"[random.IntN(22)]
		}
		return string(letters)
	}
	var file strings.Builder
	file.WriteString("Order ID,Date,Product,Customer,Town,Total\n")
	for i := range 20_000 {
		fmt.Fprintf(&file, "A%d,2024-01-%02d,%s %s,%s %s,%s,%d.50\n", i, i%28+1, word(), word(), word(), word(), word(), random.IntN(90)+5)
	}
	return file.String()
}

// next returns the key of the next bystander.
func (o *overload) next() string { return o.keys[int(o.turn.Add(1))%len(o.keys)] }

func (o *overload) row(scene, kind string, s seen) {
	fmt.Fprintf(&o.table, "%-30s %-18s %9v %9v %9.0f %7d %7d\n", scene, kind,
		s.p50.Round(100*time.Microsecond), s.p99.Round(100*time.Microsecond), s.rate, s.answered, s.failed)
}

// process is a running svc serve.
type process struct {
	o       *overload
	cmd     *exec.Cmd
	address string
	client  *http.Client
	stderr  *strings.Builder
	ended   chan struct{}
}

func (o *overload) serve(t *testing.T) *process { t.Helper(); return o.serveWith(t, 0) }

// serveWith starts svc serve with at most so many descriptors; 0: as many as the test may have.
func (o *overload) serveWith(t *testing.T, descriptors int) *process {
	t.Helper()
	args := []string{"serve", "--db", "svc.db", "--addr", "127.0.0.1:0", "--messaging", "outbox", "--trusted-proxies", "127.0.0.1"}
	p := &process{o: o, stderr: &strings.Builder{}, ended: make(chan struct{})}
	p.cmd = exec.Command(o.binary, args...)
	if descriptors > 0 {
		limited := fmt.Sprintf(`ulimit -n %d; exec "$0" "$@"`, descriptors)
		p.cmd = exec.Command("/bin/sh", append([]string{"-c", limited, o.binary}, args...)...)
	}
	p.cmd.Dir, p.cmd.Stderr = o.dir, p.stderr
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // Linux shares the cores between sessions
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	proctest.Start(t, p.cmd)
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	lines := bufio.NewReader(out)
	first, err := lines.ReadString('\n')
	if err != nil {
		t.Fatalf("svc serve: %v\n%s", err, p.stderr)
	}
	_, rest, _ := strings.Cut(first, "http://")
	p.address, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
	p.client = &http.Client{
		Transport:     &http.Transport{MaxIdleConnsPerHost: 100},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		_ = p.cmd.Wait() // the outcome is in ProcessState
		close(p.ended)
	}()
	return p
}

// stop sends SIGTERM and returns the exit code.
func (p *process) stop(t *testing.T) int {
	t.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	select {
	case <-p.ended:
	case <-time.After(time.Minute):
		_ = p.cmd.Process.Kill()
		<-p.ended
		t.Error("svc serve does not end")
	}
	return p.cmd.ProcessState.ExitCode()
}

// status reads a size in bytes from the kernel's account of the process.
func (p *process) status(t *testing.T, name string) int64 {
	t.Helper()
	all, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(all), "\n"+name)
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		t.Fatalf("no %s in\n%s", name, all)
	}
	n, err := strconv.ParseInt(fields[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}

func (p *process) dial(t *testing.T) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.address)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// call makes one call and returns its status.
func (p *process) call(ctx context.Context, method, path, key, body string, header http.Header) (int, error) {
	r, err := http.NewRequestWithContext(ctx, method, "http://"+p.address+path, strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	for name, values := range header {
		r.Header[name] = values
	}
	if key != "" {
		r.Header.Set("X-Api-Key", key)
	}
	answer, err := p.client.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return answer.StatusCode, err
}

// seen is what bystanders saw.
type seen struct {
	p50, p99         time.Duration
	rate             float64 // answers a second
	answered, failed int
	last             string // of the failures
}

// watch makes calls of two kinds for a scene, beside an attack, which then ends. It returns
// what was seen of each.
func (p *process) watch(t *testing.T, run func(context.Context, *testing.T, *process), kinds ...kind) (all []seen) {
	t.Helper()
	attack, end := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		if run != nil {
			run(attack, t, p)
		}
	}()
	scene, stop := context.WithTimeout(context.Background(), p.o.scene)
	defer stop()
	all = make([]seen, len(kinds))
	var watching sync.WaitGroup
	for i, k := range kinds {
		watching.Go(func() { all[i] = p.watchKind(scene, k) })
	}
	watching.Wait()
	end()
	<-done
	return all
}

// watchKind makes calls of one kind until the scene ends. A call that has begun is waited for.
func (p *process) watchKind(scene context.Context, k kind) (s seen) {
	var mu sync.Mutex
	var took []time.Duration
	began := time.Now()
	var watching sync.WaitGroup
	for range watchers {
		watching.Go(func() {
			for scene.Err() == nil {
				method, path, key, body, header := k.request(p.o, int(p.o.turn.Load()))
				sent := time.Now()
				ctx, cancel := context.WithTimeout(context.Background(), patience)
				status, err := p.call(ctx, method, path, key, body, header)
				cancel()
				if err == nil && status != k.status {
					err = fmt.Errorf("status %d", status)
				}
				mu.Lock()
				took = append(took, time.Since(sent))
				if err != nil {
					s.failed++
					s.last = err.Error()
				}
				mu.Unlock()
				time.Sleep(watchPause)
			}
		})
	}
	watching.Wait()
	slices.Sort(took)
	s.answered = len(took) - s.failed
	s.rate = float64(s.answered) / time.Since(began).Seconds()
	s.p50, s.p99 = took[len(took)/2], took[len(took)*99/100]
	return s
}

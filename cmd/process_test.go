package cmd_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	_ "modernc.org/sqlite" // the driver, to read a database file directly

	"svc/cmd"
	"svc/db/dbtest"
)

// These tests run the real binary in a folder, with arguments, variables and signals, and
// call it over HTTP.

// patience bounds every wait; only a test that fails needs so long.
const patience = 30 * time.Second

const (
	sendPath = "/api/v1/messaging/send"
	receipt  = `{"phone":"+447700900123","template":"receipt","text":"Thank you!"}`
	owner    = "owner@example.com"
)

var builds string // folder of the built binaries

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "svc-test-")
	if err != nil {
		panic(err)
	}
	builds = dir
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

var (
	plainBinary = sync.OnceValues(func() (string, error) { return build("plain") })
	crashBinary = sync.OnceValues(func() (string, error) { return build("crash", "-tags", "crashtest") })
)

// unlinked are sources of the binaries that the test itself does not import. The test
// reads them, so that its cached result is not used after they change.
var unlinked = []string{"../main.go", "../go.sum", "crash_on.go"}

// build builds the binary in a folder of its own, so that it can be named svc.
func build(folder string, flags ...string) (string, error) {
	for _, source := range unlinked {
		if _, err := os.Stat(source); err != nil {
			return "", err
		}
	}
	path := filepath.Join(builds, folder, "svc")
	c := exec.Command("go", append(append([]string{"build", "-trimpath", "-o", path}, flags...), ".")...)
	c.Dir = ".."
	c.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// folder is a working folder in which svc is run.
type folder struct {
	testing.TB
	dir    string
	binary string
	env    []string // added to PATH and HOME
}

func newFolder(t testing.TB) *folder {
	t.Helper()
	return folderFor(t, plainBinary)
}

func folderFor(t testing.TB, binary func() (string, error)) *folder {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return &folder{TB: t, dir: t.TempDir(), binary: path}
}

// with returns the same folder with more environment variables.
func (f *folder) with(variables ...string) *folder {
	other := *f
	other.env = append(slices.Clone(f.env), variables...)
	return &other
}

func (f *folder) path(name string) string { return filepath.Join(f.dir, name) }

// write makes a file and returns its path.
func (f *folder) write(name, content string) string {
	f.Helper()
	if err := os.WriteFile(f.path(name), []byte(content), 0o600); err != nil {
		f.Fatal(err)
	}
	return f.path(name)
}

func (f *folder) read(name string) string {
	f.Helper()
	content, err := os.ReadFile(f.path(name))
	if err != nil {
		f.Fatal(err)
	}
	return string(content)
}

func (f *folder) has(name string) bool {
	f.Helper()
	_, err := os.Stat(f.path(name))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Fatal(err)
	}
	return err == nil
}

// command returns a child process that does not outlive the test.
func (f *folder) command(program string, args ...string) *exec.Cmd {
	c := exec.CommandContext(f.Context(), program, args...)
	c.Dir = f.dir
	c.Env = append([]string{
		"PATH=" + filepath.Dir(f.binary) + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME=" + f.dir,
	}, f.env...)
	dieWithParent(c)
	return c
}

// result is the exit status and the output of a command.
type result struct {
	status   int
	out, err string
}

// run runs one command with the given standard input.
func (f *folder) run(stdin string, args ...string) result {
	f.Helper()
	c := f.command(f.binary, args...)
	var out, stderr bytes.Buffer
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(stdin), &out, &stderr
	err := c.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		f.Fatalf("svc %q: %v", args, err)
	}
	return result{c.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// ok runs a command that must succeed with an empty standard error. It returns the
// standard output.
func (f *folder) ok(args ...string) string {
	f.Helper()
	return f.okWith("", args...)
}

func (f *folder) okWith(stdin string, args ...string) string {
	f.Helper()
	r := f.run(stdin, args...)
	if r.status != 0 || r.err != "" {
		f.Fatalf("svc %q: status %d, stderr %q", args, r.status, r.err)
	}
	return r.out
}

// fails runs a command that must end with this status and an empty standard output. It
// returns the one sentence on standard error.
func (f *folder) fails(status int, args ...string) string {
	f.Helper()
	return refusal(f, status, args, f.run("", args...))
}

// refusal checks the result of a command that must fail and returns the one sentence on
// standard error.
func refusal(t testing.TB, status int, args []string, r result) string {
	t.Helper()
	if r.status != status || r.out != "" {
		t.Fatalf("svc %q: status %d, want %d; stdout %q, stderr %q", args, r.status, status, r.out, r.err)
	}
	return sentence(t, r.err)
}

// sentence checks that stderr is one line that begins with "svc: " and returns it.
func sentence(t testing.TB, stderr string) string {
	t.Helper()
	line, rest, ended := strings.Cut(stderr, "\n")
	text, named := strings.CutPrefix(line, "svc: ")
	if !named || !ended || rest != "" || strings.TrimSpace(text) == "" || strings.HasPrefix(text, "svc ") {
		t.Fatalf("stderr is not one sentence: %q", stderr)
	}
	return text
}

// objects parses an output that must have one JSON object a line and nothing else.
func (f *folder) objects(out string) (all []map[string]any) {
	f.Helper()
	for line := range strings.Lines(out) {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil || object == nil || !strings.HasSuffix(line, "\n") {
			f.Fatalf("not a JSON object on a line: %q", line)
		}
		all = append(all, object)
	}
	return all
}

// object runs a command with --json and returns the only object that it prints.
func (f *folder) object(args ...string) map[string]any {
	f.Helper()
	all := f.objects(f.ok(append(args, "--json")...))
	if len(all) != 1 {
		f.Fatalf("svc %q --json printed %d objects, want 1", args, len(all))
	}
	return all[0]
}

// runHere runs a command in the test's process, which takes a fifth of the time of a process of
// its own. The command has neither the folder nor its variables.
func runHere(t testing.TB, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel() // a server that was to be refused
	var out, stderr bytes.Buffer
	status := cmd.Execute(ctx, args, cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
	return result{status, out.String(), stderr.String()}
}

// okHere is ok of a command in the test's process.
func okHere(t testing.TB, args ...string) string {
	t.Helper()
	r := runHere(t, args...)
	if r.status != 0 || r.err != "" {
		t.Fatalf("svc %q: status %d, stderr %q", args, r.status, r.err)
	}
	return r.out
}

// wrongHere runs a wrong use in the test's process and returns the one sentence on standard
// error. It must not make a database.
func wrongHere(t testing.TB, args ...string) string {
	t.Helper()
	text := refusal(t, 2, args, runHere(t, args...))
	if _, err := os.Stat("svc.db"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("svc %q made a database (%v)", args, err)
	}
	return text
}

// account makes an account with credit, which most tests begin with.
func (f *folder) account(email, plan, cents string) {
	f.Helper()
	file := f.path("svc.db")
	dbtest.MustExist(f, file)
	okHere(f, "accounts", "create", "--db", file, "--email", email, "--plan", plan)
	if cents != "0" {
		okHere(f, "wallet", "credit", "--db", file, email, cents)
	}
}

// key makes a key and returns its id and its secret.
func (f *folder) key(env string) (id, secret string) {
	f.Helper()
	made := f.objects(okHere(f, "keys", "create", "--db", f.path("svc.db"), "--account", owner, "--env", env, "--json"))[0]
	return made["id"].(string), made["key"].(string)
}

// sql opens a database file of the folder directly.
func (f *folder) sql(name string) *sql.DB {
	f.Helper()
	pool, err := sql.Open("sqlite", "file:"+f.path(name)+"?_pragma=busy_timeout(5000)")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { pool.Close() })
	return pool
}

func (f *folder) exec(name, statement string) {
	f.Helper()
	pool := f.sql(name)
	defer pool.Close()
	if _, err := pool.Exec(statement); err != nil {
		f.Fatalf("%s: %v", statement, err)
	}
}

// output collects the output of a child process.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// process is a running `svc serve`.
type process struct {
	*folder
	url    string
	out    *output
	err    *output
	exited chan struct{}
	cmd    *exec.Cmd
}

// start starts `svc serve` and does not wait for it to listen.
func (f *folder) start(args ...string) *process {
	f.Helper()
	p := &process{folder: f, out: &output{}, err: &output{}, exited: make(chan struct{})}
	p.cmd = f.command(f.binary, append([]string{"serve"}, args...)...)
	p.cmd.Stdout, p.cmd.Stderr = p.out, p.err
	if err := p.cmd.Start(); err != nil {
		f.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // the outcome is in ProcessState
		close(p.exited)
	}()
	f.Cleanup(func() {
		p.kill()
		<-p.exited
	})
	return p
}

// serve starts `svc serve`, on a free port unless args name one, and waits until it
// listens.
func (f *folder) serve(args ...string) *process {
	f.Helper()
	p := f.start(append([]string{"--addr", "127.0.0.1:0"}, args...)...)
	line, _, _ := strings.Cut(p.until("\n"), "\n")
	address, ok := strings.CutPrefix(line, "svc listens on ")
	if !ok {
		f.Fatalf("first line is %q", line)
	}
	p.url, _, _ = strings.Cut(address, " ")
	return p
}

// until waits for a text on standard output and returns all output so far.
func (p *process) until(text string) (all string) {
	p.Helper()
	await(p, "svc serve prints "+text, func() bool {
		ended := p.ended()
		all = p.out.String()
		if ended && !strings.Contains(all, text) {
			p.Fatalf("svc serve ended with status %d before it printed %q; stderr: %s", p.cmd.ProcessState.ExitCode(), text, p.err)
		}
		return strings.Contains(all, text)
	})
	return all
}

func (p *process) ended() bool {
	select {
	case <-p.exited:
		return true
	default:
		return false
	}
}

// kill sends SIGKILL; it is no error if the process has ended already.
func (p *process) kill() { _ = p.cmd.Process.Kill() }

func (p *process) terminate() {
	p.Helper()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		p.Fatal(err)
	}
}

// wait waits for the end of the process and returns its exit status.
func (p *process) wait() int {
	p.Helper()
	await(p, "svc serve ends", p.ended)
	return p.cmd.ProcessState.ExitCode()
}

// stop sends SIGTERM and checks that the process ends with status 0.
func (p *process) stop() {
	p.Helper()
	p.terminate()
	if status := p.wait(); status != 0 {
		p.Errorf("status %d after SIGTERM; stderr: %s", status, p.err)
	}
}

// await waits until condition is true.
func await(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !condition(); time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s still waiting: %s", patience, what)
		}
	}
}

// answer is a response with its whole body.
type answer struct {
	status int
	header http.Header
	body   string
}

// client does not keep connections, because net/http may repeat a request on a kept one
// without telling the test.
var client = &http.Client{
	Transport: &http.Transport{DisableKeepAlives: true},
	Timeout:   2 * patience,
}

func roundTrip(r *http.Request) (answer, error) {
	response, err := client.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	return answer{response.StatusCode, response.Header, string(body)}, err
}

func newSend(url, key, idempotencyKey, body string) *http.Request {
	r, err := http.NewRequest(http.MethodPost, url+sendPath, strings.NewReader(body))
	if err != nil {
		panic(err) // the URL comes from a listener
	}
	r.Header.Set("x-api-key", key)
	if idempotencyKey != "" {
		r.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return r
}

// send sends a receipt. It is safe for concurrent use.
func (p *process) send(key, idempotencyKey string) answer {
	p.Helper()
	a, err := roundTrip(newSend(p.url, key, idempotencyKey, receipt))
	if err != nil {
		p.Errorf("send: %v", err)
	}
	return a
}

func (p *process) get(path string) answer {
	p.Helper()
	r, err := http.NewRequest(http.MethodGet, p.url+path, nil)
	if err != nil {
		p.Fatal(err)
	}
	a, err := roundTrip(r)
	if err != nil {
		p.Errorf("GET %s: %v", path, err)
	}
	return a
}

// together makes n sends at once, spread over the processes, and returns their answers.
func together(n int, key, idempotencyKey string, over ...*process) []answer {
	answers := make([]answer, n)
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { answers[i] = over[i%len(over)].send(key, idempotencyKey) })
	}
	all.Wait()
	return answers
}

func countStatus(answers []answer, status int) (n int) {
	for _, a := range answers {
		if a.status == status {
			n++
		}
	}
	return n
}

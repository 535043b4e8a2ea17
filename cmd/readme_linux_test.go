package cmd_test

import (
	"bytes"
	"encoding/csv"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"svc/server/datatest"
)

// These tests run the blocks of the README and of the documents that follow it, as they are
// in the files. The blocks that a user pastes run in bash, in their order, in a copy of the project without a
// database, and with real files in the place of the user's own. The port is the only part
// that is changed. Docker is not needed: a script in its place runs the binary with the
// variables and files of the docker command. Of the go test blocks only the names of the
// tests are checked, since .ci/run runs the tests.

// readme are the README and the documents that it leads to, in the order of reading.
var readme = []string{"../README.md", "../embed/guide.md", "../embed/production.md", "../embed/figures.md"}

// readmeBlocks returns the indented blocks of the documents whose first words are accepted.
func readmeBlocks(t *testing.T, accept func(firstWord string) bool) (blocks []string) {
	t.Helper()
	var text strings.Builder
	for _, path := range readme {
		document, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(document)
	}
	for _, paragraph := range regexp.MustCompile(`(?m)^ {4}.*\n(?:(?: {4}.*)?\n)*`).FindAllString(text.String(), -1) {
		block := strings.TrimSpace(regexp.MustCompile(`(?m)^ {4}`).ReplaceAllString(paragraph, ""))
		if accept(strings.Join(strings.Fields(block)[:2], " ")) {
			blocks = append(blocks, block)
		}
	}
	if len(blocks) == 0 {
		t.Fatal("the documents have no such block")
	}
	return blocks
}

func isDocker(start string) bool { return strings.HasPrefix(start, "docker ") }

func isGoTest(start string) bool { return start == "go test" }

func isDemo(start string) bool { return start == "go run" }

func isShell(start string) bool { return !isDocker(start) && !isGoTest(start) && !isDemo(start) }

// checkout returns a copy of the project as a user has it, with the files that the README
// calls the user's.
func checkout(t *testing.T) *folder {
	t.Helper()
	f := newFolder(t)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := f.path(strings.TrimPrefix(path, "../"))
		switch name := entry.Name(); {
		case path == "..":
			return nil
		case entry.IsDir() && (name == ".git" || strings.HasSuffix(name, "-data")):
			return fs.SkipDir
		case entry.IsDir():
			return os.Mkdir(to, 0o755)
		case name == "svc" || strings.Contains(name, ".db"):
			return nil // of somebody who tried the program here
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	photo, err := os.ReadFile(datatest.Path(t, "barcodes/ean8-1/1.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	f.write("photo.jpg", string(photo))
	f.write("sales.csv", northwindSales(t, "1997-01-01", "1998-02-16"))
	f.write("february.csv", northwindSales(t, "1998-02-01", "1998-03-01"))
	f.write("operator-password", password)
	f.write(".curlrc", "fail-with-body\n") // or a refusal would pass for a success
	return f
}

// northwindSales returns Northwind's order lines of some days as the sales file of a shop.
func northwindSales(t *testing.T, from, until string) string {
	t.Helper()
	read := func(name string) [][]string {
		rows, err := csv.NewReader(bytes.NewReader(datatest.Read(t, "datasets/northwind/"+name))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		return rows[1:]
	}
	days, products := map[string]string{}, map[string]string{}
	for _, order := range read("orders.csv") {
		days[order[0]], _, _ = strings.Cut(order[3], " ")
	}
	for _, product := range read("products.csv") {
		products[product[0]] = product[1]
	}
	var text strings.Builder
	out := csv.NewWriter(&text)
	out.Write([]string{"Order", "Date", "Product", "Unit price", "Quantity"})
	for _, line := range read("order_details.csv") {
		if day := days[line[0]]; from <= day && day < until {
			out.Write([]string{line[0], day, products[line[1]], line[2], line[3]})
		}
	}
	out.Flush()
	return text.String()
}

// shell is bash on a terminal of its own.
type shell struct {
	*folder
	user     *os.File // what is written to it is typed
	terminal *os.File
	out      *output
	exited   chan struct{}
	cmd      *exec.Cmd
	answered int // questions for a password
}

// bash starts bash on a terminal, with the port of address in the place of 8080.
func (f *folder) bash(t *testing.T, address string, args ...string) *shell {
	t.Helper()
	s := &shell{folder: f, out: &output{}, exited: make(chan struct{})}
	s.user, s.terminal = newTerminal(t)
	var cache strings.Builder
	goEnv := exec.Command("go", "env", "GOCACHE", "GOMODCACHE")
	goEnv.Stdout = &cache
	if err := goEnv.Run(); err != nil {
		t.Fatal(err)
	}
	folders := strings.Fields(cache.String())
	s.cmd = f.with("PATH="+os.Getenv("PATH"), "SVC_ADDR="+address, "TERM=dumb", "PS1=<<$?>> ", "PS2=<<more>> ",
		"GOCACHE="+folders[0], "GOMODCACHE="+folders[1], "GOFLAGS=-trimpath -buildvcs=false", "CGO_ENABLED=0").command("bash", args...)
	s.cmd.Stdin, s.cmd.Stdout, s.cmd.Stderr = s.terminal, s.terminal, s.terminal
	s.cmd.SysProcAttr.Setsid, s.cmd.SysProcAttr.Setctty = true, true
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = s.user.WriteTo(s.out) // until the terminal is closed
	}()
	go func() {
		_ = s.cmd.Wait() // the outcome is in ProcessState
		close(s.exited)
	}()
	t.Cleanup(s.end)
	return s
}

// end kills what the shell has started: all processes of its session.
func (s *shell) end() {
	session := strconv.Itoa(s.cmd.Process.Pid)
	all, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		s.Error(err)
	}
	for _, path := range all {
		stat, err := os.ReadFile(path)
		_, fields, _ := strings.Cut(string(stat), ") ")
		if err != nil || len(strings.Fields(fields)) < 4 || strings.Fields(fields)[3] != session {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended
		}
	}
	<-s.exited
}

// wait waits until done, and meanwhile types the password when it is asked for.
func (s *shell) wait(what string, done func() bool) {
	s.Helper()
	for deadline := time.Now().Add(5 * patience); !done(); time.Sleep(5 * time.Millisecond) {
		asked := len(regexp.MustCompile(`New password: |The same again: `).FindAllString(s.out.String(), -1))
		if asked > s.answered && !echoes(s.TB.(*testing.T), s.terminal) {
			s.answered = asked
			s.typed(password)
		}
		if time.Now().After(deadline) {
			s.Fatalf("still waiting: %s\n%s", what, s.out)
		}
	}
}

func (s *shell) typed(text string) {
	s.Helper()
	if _, err := s.user.WriteString(text); err != nil {
		s.Fatal(err)
	}
}

var shellPrompt = regexp.MustCompile(`<<(\d+|more)>> `)

// enter types a line and waits for the next prompt. It returns the status of the command,
// or "more" if it is not complete.
func (s *shell) enter(line string, during ...func()) string {
	s.Helper()
	before := len(shellPrompt.FindAllString(s.out.String(), -1))
	s.typed(line + "\n")
	for _, act := range during {
		act()
	}
	var prompts [][]string
	s.wait(line, func() bool {
		prompts = shellPrompt.FindAllStringSubmatch(s.out.String(), -1)
		return len(prompts) > before
	})
	return prompts[len(prompts)-1][1]
}

// scriptEnd is the last line that a script prints, if it does not fail.
const scriptEnd = "<<end>>"

// script writes a script that stops at the first failure.
func (f *folder) script(lines string) {
	f.Helper()
	f.write("blocks.sh", "set -eEuo pipefail\ntrap 'echo \"line $LINENO failed: $BASH_COMMAND\"' ERR\n"+lines+"\necho '"+scriptEnd+"'\n")
}

// finish waits for the end of a script, which must not fail.
func (s *shell) finish() *shell {
	s.Helper()
	s.wait("the script", func() bool {
		select {
		case <-s.exited:
			if s.cmd.ProcessState.ExitCode() != 0 {
				return true
			}
		default:
		}
		// The shell may end before its last line has been read from the terminal.
		return strings.Contains(s.out.String(), scriptEnd)
	})
	if !strings.Contains(s.out.String(), scriptEnd) {
		s.Fatalf("the script failed\n%s", s.out)
	}
	return s
}

// checkBlocks checks what the blocks have printed and stored.
func (s *shell) checkBlocks() {
	s.Helper()
	contains(s, s.out.String(), "\r\nok\r\n", `{"success":true}`, "imported 1 product: 1 new, 0 updated", `{"found":true,"inventory_id":"item_`,
		"the password of you@example.com is set", `"confidence":"`, "updated", `"confirmation_url":"`, "backed up svc.db to", "restored svc.db from")
	if n := len(s.objects(s.ok("messages", "list", "--json"))); n != 1 {
		s.Errorf("%d messages, want 1", n)
	}
	s.ok("wallet", "verify")
	if _, err := net.Dial("tcp", s.address()); err == nil {
		s.Error("the server still runs")
	}
}

func (s *shell) address() string {
	for _, setting := range s.cmd.Env {
		if address, ok := strings.CutPrefix(setting, "SVC_ADDR="); ok {
			return address
		}
	}
	return ""
}

// TestReadmeTyped types the blocks line by line, the demo first, into an interactive shell.
func TestReadmeTyped(t *testing.T) {
	needCurl(t)
	address := freeAddress(t)
	f := checkout(t)
	s := f.bash(t, address, "--noprofile", "--norc", "--noediting", "-i")
	s.wait("the first prompt", func() bool { return shellPrompt.MatchString(s.out.String()) })

	demo := readmeBlocks(t, isDemo)
	if len(demo) != 1 || strings.Contains(demo[0], "\n") {
		t.Fatalf("the demo is %q", demo)
	}
	s.enter(demo[0], func() {
		s.wait("the demo", func() bool {
			return strings.Contains(s.out.String(), " wallet ledger ") || len(shellPrompt.FindAllString(s.out.String(), -1)) > 1
		})
		s.typed("\x03")
	})
	contains(t, s.out.String(), "\r\ncurl -sS 'http://"+address)

	for _, block := range readmeBlocks(t, isShell) {
		for line := range strings.Lines(strings.ReplaceAll(block, "127.0.0.1:8080", address)) {
			if status := s.enter(strings.TrimRight(line, "\n")); status != "0" && status != "more" {
				t.Fatalf("%q: status %s\n%s", line, status, s.out)
			}
		}
	}
	s.checkBlocks()
}

// TestReadmeScript runs the blocks, all but the demo, as one script that stops at the first
// failure.
func TestReadmeScript(t *testing.T) {
	needCurl(t)
	address := freeAddress(t)
	f := checkout(t)
	blocks := strings.Join(readmeBlocks(t, isShell), "\n\n")
	f.script(strings.ReplaceAll(blocks, "127.0.0.1:8080", address))
	f.bash(t, address, "blocks.sh").finish().checkBlocks()
}

// dockerStandIn runs ./svc as the image would: with the variables of the Dockerfile and of
// -e, in which paths in the container are replaced by those of -v.
const dockerStandIn = `#!/usr/bin/env bash
set -euo pipefail
verb=$1; shift
case $verb in
build) go build -o image-svc . && grep -q '^ENTRYPOINT \["/svc"\]$' Dockerfile ;;
run)
  settings=$(sed -n 's/^ENV //p' Dockerfile | tr ' ' '\n'); volumes=""; name=""
  while [ $# -gt 0 ]; do
    case $1 in
    -d|--read-only) ;;
    --name) name=$2; shift ;;
    -p) settings+=$'\n'SVC_ADDR=$TEST_ADDR; [ "$2" = "127.0.0.1:8080:8080" ]; shift ;;
    -e) settings+=$'\n'$2; shift ;;
    -v) host=${2%%:*} path=${2#*:}; [ "${host#./}" = "$host" ] && mkdir -p "$host"
      volumes+="s#=${path%:ro}#=$PWD/${host#./}#;"; shift ;;
    --tmpfs|--stop-timeout) shift ;;
    svc) break ;;
    *) echo "docker run: $1?"; exit 2 ;;
    esac
    shift
  done
  sed "$volumes" <<<"$settings" >"$name.env"
  nohup env $(cat "$name.env") ./image-svc serve >log 2>&1 & ;;
exec) name=$1; [ "$2" = /svc ]; shift 2; env $(cat "$name.env") ./image-svc "$@" ;;
esac
`

// TestReadmeDocker runs the docker commands with a fake docker.
func TestReadmeDocker(t *testing.T) {
	f := checkout(t)
	f.write("docker", dockerStandIn)
	if err := os.Chmod(f.path("docker"), 0o700); err != nil {
		t.Fatal(err)
	}
	address := freeAddress(t)
	f.script("export PATH=.:$PATH TEST_ADDR=" + address + "\n" + strings.Join(readmeBlocks(t, isDocker), "\n\n"))
	s := f.bash(t, address, "blocks.sh").finish()
	if !regexp.MustCompile(`svc_live_\w+\r\n` + scriptEnd).MatchString(s.out.String()) {
		t.Errorf("printed %s", s.out)
	}
	if a := f.object("accounts", "list", "--db", "svc-data/svc.db"); a["email"] != "you@example.com" {
		t.Errorf("account %v", a)
	}
	p := &process{folder: f, url: "http://" + address}
	form := url.Values{"email": {"you@example.com"}, "password": {strings.TrimSpace(password)}}
	if a := p.submit("/signin", "", form); a.status != 303 || !strings.HasPrefix(a.header.Get("Set-Cookie"), "__Host-") {
		t.Errorf("sign in: %d %s", a.status, a.body)
	}
}

// TestReadmeTests checks that the tests and benchmarks that the README names exist.
func TestReadmeTests(t *testing.T) {
	for _, block := range readmeBlocks(t, isGoTest) {
		words, err := exec.Command("bash", "-c", `printf '%s\n' `+block).Output()
		if err != nil {
			t.Fatal(err)
		}
		args := strings.Split(strings.TrimSpace(string(words)), "\n")[2:]
		list := []string{"test", "-list", "^Benchmark"}
		var wanted []string
		if at := slices.Index(args, "-run"); at >= 0 && args[at+1] != "^$" {
			list[2], wanted = args[at+1], strings.Split(args[at+1], "|")
		}
		for _, arg := range args {
			if strings.HasPrefix(arg, "./") {
				list = append(list, arg)
			}
		}
		c := exec.Command("go", list...)
		c.Dir = ".."
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", block, err, out)
		}
		if wanted == nil {
			wanted = []string{"Benchmark"}
		}
		for _, name := range wanted {
			contains(t, string(out), name)
		}
	}
}

package cmd_test

import (
	"net"
	"net/http"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

func TestFirstStart(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	p := f.serve("--db", "my shop.db")
	hint := regexp.MustCompile(`(?m)^  (\S*svc accounts create .*)$`).FindStringSubmatch(p.until("outbox"))
	if hint == nil {
		t.Fatalf("the output does not tell how to make the operator's account: %s", p.out)
	}

	for _, path := range []string{"/api/v1/pricing", "/healthz", "/readyz"} {
		if a := p.get(path); a.status != 200 {
			t.Errorf("GET %s before there is an account: %d %s", path, a.status, a.body)
		}
	}
	a := p.send("", "")
	if a.status != 503 || a.header.Get("X-Error-Code") != "setup_required" {
		t.Errorf("send before there is an account: %d %s, want 503", a.status, a.body)
	}
	contains(t, a.body, "no account yet", "accounts create")

	create := f.command("bash", "-c", hint[1])
	create.Stdin = strings.NewReader(password)
	if out, err := create.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", hint[1], err, out)
	}
	if made := f.object("accounts", "list", "--db", "my shop.db"); made["operator"] != true {
		t.Errorf("account %v, want the operator's", made)
	}
	if a := p.send("", ""); a.status != 401 {
		t.Errorf("send once there is an account: %d %s, want 401", a.status, a.body)
	}

	p.stop()
	again := f.serve("--db", "my shop.db")
	if out := again.until("outbox"); strings.Contains(out, "There is no account") {
		t.Errorf("a later start prints %s", out)
	}
}

func TestServeJSON(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	p := f.start("--json", "--addr", "127.0.0.1:0")
	p.until("\n")
	p.url = f.objects(p.out.String())[0]["url"].(string)
	if a := p.get("/healthz"); a.status != 200 {
		t.Errorf("healthz: %d", a.status)
	}
	p.stop()
	if n := len(f.objects(p.out.String())); n != 1 {
		t.Errorf("%d objects on standard output, want 1", n)
	}
}

// TestServeMetrics checks that the address of the metrics is printed, and serves them only.
func TestServeMetrics(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	p := f.serve("--metrics-addr", "127.0.0.1:0")
	printed := regexp.MustCompile(`(?m)^Metrics are at (http://127\.0\.0\.1:\d+/metrics), `).FindStringSubmatch(p.until("outbox"))
	if printed == nil {
		t.Fatalf("printed %s", p.out)
	}
	if a := p.get("/metrics"); a.status == 200 || strings.Contains(a.body, "http_requests") {
		t.Errorf("metrics where the API is: %d", a.status)
	}
	metrics := &process{folder: f, url: strings.TrimSuffix(printed[1], "/metrics")}
	if a := metrics.get("/metrics"); a.status != 200 || !strings.HasPrefix(a.header.Get("Content-Type"), "text/plain; version=0.0.4") {
		t.Errorf("metrics: %d %s", a.status, a.header)
	} else {
		contains(t, a.body, `http_requests_total{method="GET",route="unmatched",status="5xx"} 1`, "svc_build_info{")
	}
	p.stop()

	again := f.with("SVC_METRICS_ADDR=127.0.0.1:0").start("--json", "--addr", "127.0.0.1:0")
	again.until("\n")
	metrics.url = strings.TrimSuffix(f.objects(again.out.String())[0]["metrics_url"].(string), "/metrics")
	if a := metrics.get("/metrics"); a.status != 200 {
		t.Errorf("metrics: %d", a.status)
	}
	again.stop()
	contains(t, f.fails(2, "serve", "--metrics-addr", "9090"), "--metrics-addr: must be a host and a port")
	contains(t, f.fails(2, "serve", "--addr", "127.0.0.1:8765", "--metrics-addr", "127.0.0.1:8765"), "--metrics-addr: must not be the address of --addr")
}

func TestOperatorFromVariables(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.write("password", password)
	settings := f.with("SVC_OPERATOR_EMAIL="+owner, "SVC_OPERATOR_PASSWORD_FILE=password")
	for range 2 { // the second start finds the account
		p := settings.serve()
		if out := p.until("outbox"); strings.Contains(out, "There is no account") {
			t.Errorf("printed %s", out)
		}
		if a := f.object("accounts", "list"); a["email"] != owner || a["operator"] != true {
			t.Errorf("account %v, want the operator's", a)
		}
		p.stop()
		if strings.Contains(p.out.String()+p.err.String(), strings.TrimSpace(password)) {
			t.Error("the password is in the output")
		}
	}
	contains(t, newFolder(t).with("SVC_OPERATOR_EMAIL="+owner, "SVC_OPERATOR_PASSWORD=short").
		fails(2, "serve", "--addr", "127.0.0.1:0"), "password: must have")
}

func TestPortInUse(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	f := newFolder(t)
	contains(t, f.fails(1, "serve", "--addr", listener.Addr().String()), "--addr: listen on "+listener.Addr().String(), "in use")
	if f.has("svc.db") {
		t.Error("a server that could not listen created a database")
	}
}

// TestUnusableDatabase checks that a file that is not our database is refused and unchanged.
func TestUnusableDatabase(t *testing.T) {
	t.Parallel()
	commands := []string{"serve --addr 127.0.0.1:0", "accounts create --email a@example.com", "accounts list", "migrate up"}
	for _, line := range commands {
		t.Run(line, func(t *testing.T) {
			f := newFolder(t)
			if err := os.Mkdir(f.path("folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			garbage := strings.Repeat("not a database ", 1000)
			f.write("garbage", garbage)

			contains(t, f.fails(1, append(words(line), "--db", "folder")...), "unable to open database file")
			contains(t, f.fails(1, append(words(line), "--db", "garbage")...), "file is not a database")
			f.fails(1, append(words(line), "--db", "no/such/folder.db")...)
			if f.read("garbage") != garbage {
				t.Error("the file was changed")
			}
			if entries, err := os.ReadDir(f.path("folder")); err != nil || len(entries) > 0 {
				t.Errorf("the folder has %v (%v), want nothing", entries, err)
			}
		})
	}
}

// TestGracefulShutdown checks that SIGTERM lets a running request finish.
func TestGracefulShutdown(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	free := sync.OnceFunc(func() { close(release) })
	defer free()
	sender := newProvider(t, func(string) {
		close(arrived)
		<-release
	})
	f := newFolder(t)
	f.account(owner, "growth", "500")
	_, key := f.key("live")
	p := f.serve(sender.flags()...)

	answers := make(chan answer)
	go func() { answers <- p.send(key, "slow") }()
	<-arrived
	p.terminate()
	await(t, "no new connection is accepted", func() bool {
		_, err := http.Get(p.url + "/healthz")
		return err != nil
	})
	if p.ended() {
		t.Error("the process did not wait for the request")
	}
	free()

	if a := <-answers; a.status != 200 || a.body != "{\"success\":true}\n" {
		t.Errorf("the request that was running: %d %s", a.status, a.body)
	}
	if status := p.wait(); status != 0 {
		t.Errorf("status %d; stderr: %s", status, p.err)
	}
	if f.has("svc.db-wal") || f.has("svc.db-shm") {
		t.Error("the WAL was not checkpointed into the file")
	}
	if w := f.object("wallet", "show", owner); w["balance_cents"] != 498.0 || w["held_cents"] != 0.0 {
		t.Errorf("wallet %v, want 498 and nothing held", w)
	}
	if n := len(f.objects(f.ok("messages", "list", "--json"))); n != 1 || sender.total() != 1 {
		t.Errorf("%d messages stored and %d sent, want 1", n, sender.total())
	}
}

// TestShutdownCutsSlowBodies checks that clients that never end their requests do not keep
// the process from stopping well.
func TestShutdownCutsSlowBodies(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	_, key := f.key("test")
	p := f.serve()
	host := strings.TrimPrefix(p.url, "http://")
	for _, begun := range []string{
		"POST " + sendPath + " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{",
		"POST " + sendPath + " HTTP/1.1\r\nHost: x\r\nx-api-key: " + key + "\r\nContent-Length: 1000\r\n\r\n{",
		"POST " + sendPath + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n",
		"POST " + sendPath + " HTTP/1.1\r\nHost: x\r\nContent-",
	} {
		c, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write([]byte(begun)); err != nil {
			t.Fatal(err)
		}
	}
	await(t, "the requests have begun", func() bool { return strings.Count(p.err.String(), sendPath) == 2 })
	p.terminate()
	if status := p.wait(); status != 0 {
		t.Errorf("status %d; stderr: %s", status, p.err)
	}
}

// TestSecondSignal checks that a second signal ends the process at once.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	sender := newProvider(t, func(string) {
		close(arrived)
		<-release
	})
	defer close(release)
	f := newFolder(t)
	f.account(owner, "growth", "100")
	_, key := f.key("live")
	p := f.serve(sender.flags()...)
	go func() { _, _ = roundTrip(newSend(p.url, key, "", receipt)) }() // cut off
	<-arrived
	p.terminate()
	await(t, "the first signal is seen", func() bool { return strings.Contains(p.err.String(), "stopping") })
	p.terminate()
	if status := p.wait(); status == 0 {
		t.Error("the exit status of a process that was cut off is 0")
	}
}

// TestLog checks what each level logs, and the units of a line in JSON.
func TestLog(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	id, key := f.key("test")
	for _, row := range []struct {
		level string
		want  string // the lines, in order
	}{
		{"debug", "serving /healthz " + sendPath + " stopping"},
		{"info", "serving " + sendPath + " stopping"},
		{"warn", ""},
		{"error", ""},
	} {
		p := f.serve("--log", "json", "--log-level", row.level)
		p.get("/healthz")
		a := p.send(key, "")
		p.stop()

		var lines []string
		for _, line := range f.objects(p.err.String()) {
			word, _, _ := strings.Cut(line["msg"].(string), ":")
			if word == "request" {
				word = line["route"].(string)
			}
			lines = append(lines, word)
			if word != sendPath {
				continue
			}
			if ms, ok := line["duration_ms"].(float64); !ok || ms <= 0 || ms > 60_000 {
				t.Errorf("duration_ms is %v", line["duration_ms"])
			}
			if line["key"] != id || !strings.HasPrefix(line["account"].(string), "acct_") || line["bytes"] != float64(len(a.body)) {
				t.Errorf("the line of a call: %v", line)
			}
		}
		if got := strings.Join(lines, " "); got != row.want {
			t.Errorf("--log-level %s: %q, want %q", row.level, got, row.want)
		}
	}
}

func TestServeNamesTheOperator(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "7")
	p := f.with("SVC_OPERATOR_CONTACT=help@tally.example").serve("--operator-name", "Tally Tools")
	contains(t, p.look("/recover", "").body,
		"This server sends no mail: if there is an account, Tally Tools (help@tally.example) then find a link on their page",
		"run by <bdi>Tally Tools</bdi>, the operator of this server. Contact: <bdi>help@tally.example</bdi>.")
}

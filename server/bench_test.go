package server

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/julienschmidt/httprouter"

	"svc/db"
	"svc/server/carrier"
)

// The benchmarks print each rate as a ratio to a ceiling that is measured in the
// same run: a bare httprouter that writes a constant answer of the same size,
// under the same 50 connections. p50 and p99 are latencies of the measured calls. cpu-µs
// is the CPU time of a call, the caller's part included: other work on the machine changes
// it less than the rate.
//
//	go test -run '^$' -bench . -benchtime 20000x ./server/

const (
	benchConnections = 50
	// benchKeys is the least number of keys; a longer run uses more, so that none
	// exceeds its limit for a minute.
	benchKeys           = 1000
	benchCallsPerKey    = 100
	benchKeysPerAccount = 10
	ceilingCalls        = 50_000
	benchSend           = "/api/v1/messaging/send"
	benchGet            = "/api/v1/connections"
	benchBody           = `{"phone":"+447700900123","template":"receipt","text":"Thank you! 2 x Ground Coffee 250g, total GBP 9.00"}`
	// benchFile is set in the second process of the benchmarks with two.
	benchFile = "SVC_BENCH_FILE"
)

// CPUTime is cpuTime for tests of another package.
var CPUTime = cpuTime

// instant is a provider that answers in 0 ms and counts as remote, so that the cost of
// every guarantee for a remote effect is measured.
type instant struct{ n atomic.Int64 }

func (*instant) Name() string { return "webhook" }
func (*instant) Remote() bool { return true }
func (c *instant) Send(context.Context, carrier.Message) (string, error) {
	return "provider-" + strconv.FormatInt(c.n.Add(1), 10), nil
}

// benchApp opens an appliance on path.
func benchApp(tb testing.TB, path string, change ...func(*Config)) *App {
	tb.Helper()
	config := Config{DB: path, Carrier: &instant{}}
	for _, c := range change {
		c(&config)
	}
	app, err := Open(context.Background(), config)
	if err != nil {
		tb.Fatal(err)
	}
	return app
}

// benchSecrets makes keys without a monthly limit, ten per account, each with a
// connection.
func benchSecrets(tb testing.TB, app *App, calls int) []string {
	tb.Helper()
	secrets := make([]string, max(benchKeys, calls/benchCallsPerKey))
	err := app.store.Update(context.Background(), func(tx *db.Tx) error {
		var account db.Account
		for i := range secrets {
			if i%benchKeysPerAccount == 0 {
				var err error
				if account, err = benchAccount(tx, i); err != nil {
					return err
				}
			}
			key, secret, err := tx.CreateKey(db.Key{AccountID: account.ID, Env: db.Live, Mode: db.AccountMode})
			if err != nil {
				return err
			}
			secrets[i] = string(secret)
			_, _, err = tx.CreateConnection(db.Connection{
				KeyID: key.ID, AccountID: account.ID, MerchantEmail: "shop@example.com", Requested: db.AllScopes,
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		tb.Fatal(err)
	}
	return secrets
}

func benchAccount(tx *db.Tx, n int) (db.Account, error) {
	account, err := tx.CreateAccount(db.Account{
		Email: fmt.Sprintf("bench-%d@example.com", n), Plan: benchPlan,
		Profile: db.Profile{BizType: "retail", Currency: "gbp", Timezone: "UTC"},
	})
	if err != nil {
		return db.Account{}, err
	}
	_, err = tx.Credit(db.Entry{AccountID: account.ID, Kind: db.TopUp, AmountCents: 1 << 40})
	return account, err
}

// benchPlan is the plan without a monthly quota; its minute is 120 calls.
const benchPlan = db.Business

// load is the measured speed of a server.
type load struct {
	rate     float64 // calls per second
	p50, p99 time.Duration
	cpu      time.Duration // of a call, in this process, with the caller's part
}

// drive sends calls over benchConnections connections, spread over the addresses,
// and fails on any status but 200.
func drive(tb testing.TB, addresses []string, calls int, request func(i int) []byte) load {
	tb.Helper()
	var next atomic.Int64
	took := make([]time.Duration, calls)
	var connections sync.WaitGroup
	started, cpu := time.Now(), cpuTime()
	for c := range benchConnections {
		connections.Go(func() {
			conn, err := net.Dial("tcp", addresses[c%len(addresses)])
			if err != nil {
				tb.Error(err)
				return
			}
			defer conn.Close()
			in := bufio.NewReader(conn)
			for i := int(next.Add(1)) - 1; i < calls; i = int(next.Add(1)) - 1 {
				raw := request(i)
				sent := time.Now()
				if _, err := conn.Write(raw); err != nil {
					tb.Error(err)
					return
				}
				if err := readAnswer(in); err != nil {
					tb.Error(err)
					return
				}
				took[i] = time.Since(sent)
			}
		})
	}
	connections.Wait()
	elapsed := time.Since(started)
	cpu = cpuTime() - cpu
	slices.Sort(took)
	return load{
		rate: float64(calls) / elapsed.Seconds(),
		p50:  took[calls/2], p99: took[calls*99/100],
		cpu: cpu / time.Duration(calls),
	}
}

// readAnswer reads an answer at minimal cost, so that the server is measured and not the
// client.
func readAnswer(in *bufio.Reader) error {
	status, err := in.ReadSlice('\n')
	if err != nil {
		return err
	}
	ok := bytes.HasPrefix(status, []byte("HTTP/1.1 200"))
	length := 0
	for {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if len(line) <= 2 {
			break
		}
		if value, found := bytes.CutPrefix(line, []byte("Content-Length: ")); found {
			if length, err = strconv.Atoi(strings.TrimSpace(string(value))); err != nil {
				return err
			}
		}
	}
	body := make([]byte, length)
	if _, err := io.ReadFull(in, body); err != nil {
		return err
	}
	if !ok {
		return fmt.Errorf("answer: %s", body)
	}
	return nil
}

func rawRequest(method, path, headers, body string) []byte {
	return fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: bench\r\n%sContent-Length: %d\r\n\r\n%s", method, path, headers, len(body), body)
}

// ceiling measures the rate of a router that writes a constant answer.
func ceiling(b *testing.B, raw []byte, answer string) float64 {
	b.Helper()
	router := httprouter.New()
	handle := func(w http.ResponseWriter, r *http.Request, _ httprouter.Params) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, answer)
	}
	router.GET(benchGet, handle)
	router.POST(benchSend, handle)
	server := httptest.NewServer(router)
	defer server.Close()
	return drive(b, []string{server.Listener.Addr().String()}, ceilingCalls, func(int) []byte { return raw }).rate
}

func report(b *testing.B, l load, ceilingRate float64) {
	b.ReportMetric(l.rate, "calls/s")
	b.ReportMetric(l.rate/ceilingRate, "of-ceiling")
	b.ReportMetric(float64(l.p50.Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(l.p99.Microseconds())/1000, "p99-ms")
	b.ReportMetric(float64(l.cpu.Nanoseconds())/1000, "cpu-µs")
	b.ReportMetric(0, "ns/op")
}

// benchListed is an answer of the same size as BenchmarkGet's.
const benchListed = `{"connections":[{"id":"conn_01m7y57chamyaqqpntk2gmck36","merchant_email":"shop@example.com",` +
	`"merchant_user_id":null,"status":"pending","scopes":["read_inventory"],"created_at":"2026-11-21T04:18:25.962Z",` +
	`"approved_at":null,"revoked_at":null}]}`

func BenchmarkGet(b *testing.B) { benchmark(b, 1, benchListed, getRequest) }

// BenchmarkGetWithMetrics is BenchmarkGet with --metrics-addr.
func BenchmarkGetWithMetrics(b *testing.B) {
	path := filepath.Join(b.TempDir(), "bench.db")
	benchmarkOn(b, path, 1, benchListed, getRequest, func(c *Config) { c.MetricsAddr = "127.0.0.1:9090" })
}

func BenchmarkSend(b *testing.B) { benchmark(b, 1, `{"success":true}`, sendRequest) }

func BenchmarkGetTwoProcesses(b *testing.B) { benchmark(b, 2, benchListed, getRequest) }

func BenchmarkSendTwoProcesses(b *testing.B) { benchmark(b, 2, `{"success":true}`, sendRequest) }

// BenchmarkSendAmongMillions is BenchmarkSend with a million more rows in each table that
// a send writes. Its ratio should be about the same.
func BenchmarkSendAmongMillions(b *testing.B) {
	if b.N == 1 {
		return // the testing package's first run; filling takes half a minute
	}
	path := filepath.Join(b.TempDir(), "bench.db")
	benchApp(b, path).Close()
	fill(b, path, 1_000_000)
	benchmarkOn(b, path, 1, `{"success":true}`, sendRequest)
}

// fill adds n rows of other accounts to the ledger, the calls, the messages and the
// request log.
func fill(b *testing.B, path string, n int) {
	b.Helper()
	pool, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		b.Fatal(err)
	}
	defer pool.Close()
	const numbers = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1) `
	for _, insert := range []string{
		`INSERT INTO ledger SELECT printf('acct_%026d', i % 1000), i, 'topup', 1, i, NULL, NULL, NULL, '', i FROM n`,
		`INSERT INTO calls SELECT printf('req_%026d', i), printf('key_%026d', i % 1000), 'acct', '/', randomblob(32),
		   randomblob(32), 'done', 0, 0, 0, 200, x'7b7d', i, 1 << 50, '' FROM n`,
		`INSERT INTO messages SELECT printf('acct_%026d', i % 1000), printf('msg_%026d', i), 'key', 'req', 'p', 'p', '+1', 'receipt', '', i FROM n`,
		`INSERT INTO requests SELECT i, printf('req_%026d', i), 'acct', 'key', 'POST', '/', 200, 1, 0, '', '', 1 << 50, '' FROM n`,
	} {
		if _, err := pool.Exec(numbers+insert, n); err != nil {
			b.Fatal(err)
		}
	}
}

func getRequest(secret string, _ int) []byte {
	return rawRequest("GET", benchGet, "x-api-key: "+secret+"\r\n", "")
}

func sendRequest(secret string, i int) []byte {
	return rawRequest("POST", benchSend, "x-api-key: "+secret+"\r\nIdempotency-Key: bench-"+strconv.Itoa(i)+"\r\n", benchBody)
}

func benchmark(b *testing.B, processes int, answer string, request func(secret string, i int) []byte) {
	benchmarkOn(b, filepath.Join(b.TempDir(), "bench.db"), processes, answer, request)
}

func benchmarkOn(b *testing.B, path string, processes int, answer string, request func(secret string, i int) []byte, change ...func(*Config)) {
	app := benchApp(b, path, change...)
	defer app.Close()
	secrets := benchSecrets(b, app, b.N)
	server := httptest.NewServer(app.Handler())
	defer server.Close()
	addresses := []string{server.Listener.Addr().String()}
	if processes == 2 {
		addresses = append(addresses, secondProcess(b, path))
	}

	limit := ceiling(b, request(secrets[0], 0), answer)
	drive(b, addresses, len(secrets), func(i int) []byte { return request(secrets[i], -1-i) }) // warm
	b.ResetTimer()
	l := drive(b, addresses, b.N, func(i int) []byte { return request(secrets[i%len(secrets)], i) })
	b.StopTimer()
	report(b, l, limit)
}

// secondProcess starts this test binary again to serve the same file.
func secondProcess(b *testing.B, path string) string {
	b.Helper()
	child := exec.Command(os.Args[0], "-test.run", "^TestBenchProcess$")
	child.Env = append(os.Environ(), benchFile+"="+path)
	in, err := child.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := child.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		in.Close() // which ends the process
		if err := child.Wait(); err != nil {
			b.Error(err)
		}
	})
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	return strings.TrimSpace(address)
}

// TestBenchProcess is the second process of a benchmark; otherwise it does nothing.
func TestBenchProcess(t *testing.T) {
	path := os.Getenv(benchFile)
	if path == "" {
		t.Skip("runs only as the second process of a benchmark")
	}
	app := benchApp(t, path)
	defer app.Close()
	server := httptest.NewServer(app.Handler())
	defer server.Close()
	fmt.Println(server.Listener.Addr())
	_, _ = io.Copy(io.Discard, os.Stdin) // until the benchmark ends
}

// BenchmarkGate measures admission and settlement of live sends without HTTP, with 50
// parallel callers.
func BenchmarkGate(b *testing.B) {
	app := benchApp(b, filepath.Join(b.TempDir(), "bench.db"))
	defer app.Close()
	secrets := benchSecrets(b, app, b.N)
	var next atomic.Int64
	b.SetParallelism(benchConnections / 2)
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			i := int(next.Add(1))
			r := httptest.NewRequest(http.MethodPost, benchSend, strings.NewReader(benchBody))
			r.Header.Set("X-Api-Key", secrets[i%len(secrets)])
			r.Header.Set("Idempotency-Key", strconv.Itoa(i))
			w := httptest.NewRecorder()
			app.Handler().ServeHTTP(w, r)
			if w.Code != http.StatusOK {
				b.Errorf("status %d: %s", w.Code, w.Body)
			}
		}
	})
}

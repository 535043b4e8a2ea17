package server_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"svc/db"
	"svc/db/dbtest"
	"svc/db/event"
	"svc/server"
	"svc/server/carrier"
	"svc/server/llm/llmtest"
	"svc/server/servertest"
	"svc/server/webhook"
)

// withMetrics turns metrics on. An appliance that does not run has no listener for them.
func withMetrics(c *server.Config) { c.MetricsAddr = "127.0.0.1:0" }

// scraped is what a scrape has found: its text, and each value by name and labels, as the
// text has them; of a histogram its count.
type scraped struct {
	text   string
	values map[string]float64
}

// scrape reads the metrics of an appliance as Prometheus does.
func scrape(t testing.TB, app *server.App) scraped {
	t.Helper()
	answer := httptest.NewRecorder()
	app.MetricsHandler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	if answer.Code != http.StatusOK {
		t.Fatalf("scrape: %d %s", answer.Code, answer.Body)
	}
	return parseMetrics(t, answer.Body.Bytes())
}

func parseMetrics(t testing.TB, text []byte) scraped {
	t.Helper()
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	s := scraped{string(text), map[string]float64{}}
	for name, family := range families {
		if isTotal := strings.HasSuffix(name, "_total"); family.GetHelp() == "" || isTotal != (family.GetType() == dto.MetricType_COUNTER) {
			t.Errorf("%s is a %s: %q", name, family.GetType(), family.GetHelp())
		}
		for _, m := range family.Metric {
			s.values[name+labelsOf(m)] = valueOf(m)
		}
	}
	return s
}

func labelsOf(m *dto.Metric) string {
	var all []string
	for _, l := range m.Label {
		all = append(all, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
	}
	if all == nil {
		return ""
	}
	return "{" + strings.Join(all, ",") + "}"
}

func valueOf(m *dto.Metric) float64 {
	switch {
	case m.Counter != nil:
		return m.Counter.GetValue()
	case m.Gauge != nil:
		return m.Gauge.GetValue()
	case m.Histogram != nil:
		return float64(m.Histogram.GetSampleCount())
	}
	return m.Summary.GetSampleSum()
}

// expect checks some values. A value of -1 must be missing.
func (s scraped) expect(t testing.TB, want map[string]float64) {
	t.Helper()
	for name, value := range want {
		if got, has := s.values[name]; has != (value >= 0) || has && got != value {
			t.Errorf("%s is %v (%v), want %v", name, got, has, value)
		}
	}
}

// Requests are counted by the pattern of their route, refusals by their code, and no label
// tells of a caller.
func TestMetricsOfRequests(t *testing.T) {
	t.Parallel()
	s := servertest.NewShop(t, db.Free, servertest.SendPrice, withMetrics, func(c *server.Config) { c.Version = "1.2 \"a\\b\"\n" })
	s.Send(t).ExpectBody(t, 200, servertest.Sent)
	s.Send(t).Expect(t, 402, "insufficient_funds")
	s.Send(t, servertest.WithKey("svc_live_wrong")).Expect(t, 401, "invalid_key")
	s.UseMinute(t)
	s.Send(t).Expect(t, 429, "rate_limited")
	s.Call(t, "GET", "/api/v1/"+s.LiveKey.ID, nil).Expect(t, 404, "not_found")
	s.Call(t, "PURGE", "/api/v1/"+servertest.Phone, nil).Expect(t, 404, "not_found")
	s.Call(t, "GET", "/metrics", nil).ExpectErrorPage(t, 404, "not_found")

	const send = `route="` + servertest.SendPath + `"`
	found := scrape(t, s.App)
	found.expect(t, map[string]float64{
		`http_requests_total{method="POST",` + send + `,status="2xx"}`:       1,
		`http_requests_total{method="POST",` + send + `,status="4xx"}`:       3,
		`http_requests_total{method="GET",route="unmatched",status="4xx"}`:   2,
		`http_requests_total{method="other",route="unmatched",status="4xx"}`: 1,
		`http_request_duration_seconds{method="POST",` + send + `}`:          4,
		`http_requests_in_flight`:                                                         0,
		`http_request_errors_total{code="insufficient_funds"}`:                            1,
		`http_request_errors_total{code="invalid_key"}`:                                   1,
		`http_request_errors_total{code="rate_limited"}`:                                  1,
		`http_request_errors_total{code="not_found"}`:                                     3,
		`http_request_errors_total{code="quota_exceeded"}`:                                0,
		`http_request_errors_total{code="busy"}`:                                          0,
		`svc_outbound_request_duration_seconds{outcome="ok",service="messages"}`:          1,
		`http_connections_open`:                                                           1,
		`http_connections_refused_total`:                                                  0,
		`svc_build_info{go_version="` + runtime.Version() + `",version="1.2 \"a\\b\"\n"}`: 1,
		`svc_database_readable`:                                                           1,
		`svc_work_waiting{kind="photos"}`:                                                 0,
	})
	for _, name := range []string{"go_goroutines", "process_start_time_seconds", "svc_database_size_bytes", "svc_disk_free_bytes"} {
		if found.values[name] <= 0 {
			t.Errorf("%s is %v", name, found.values[name])
		}
	}
	for _, secret := range []string{s.Secret, s.LiveKey.ID, s.LiveKey.AccountID, s.Email, servertest.Phone, s.Path, "PURGE", s.URL} {
		if strings.Contains(found.text, secret) {
			t.Errorf("%q is in the metrics", secret)
		}
	}
}

// Work in hand is read from the database when it is asked for.
func TestMetricsOfWork(t *testing.T) {
	t.Parallel()
	s := servertest.NewShop(t, db.Growth, 100, withMetrics)
	held := s.Provider.Hold(t)
	_, done := s.SendAside(t)
	held.Arrived()
	scrape(t, s.App).expect(t, map[string]float64{
		"http_requests_in_flight": 1, "svc_calls_open": 1, "svc_wallet_held_cents": servertest.SendPrice, "svc_calls_in_doubt": 0,
	})
	held.Answer(servertest.Doubt("did not answer"))
	<-done
	scrape(t, s.App).expect(t, map[string]float64{
		"http_requests_in_flight": 0, "svc_calls_open": 0, "svc_wallet_held_cents": 0, "svc_calls_in_doubt": 1, "svc_calls_overdue": 0,
		`svc_outbound_request_duration_seconds{outcome="unknown",service="messages"}`: 1,
		"svc_webhook_oldest_delivery_age_seconds":                                     0, "svc_webhook_delivery_delay_seconds": 0, "svc_mail_oldest_age_seconds": 0,
	})

	hook := webhook.NewWebhook{URL: "https://shop.example.com/in", Events: []string{string(event.SaleCreated)}}
	disabled := dbtest.MustAccount(t, s.Store, "gone@example.com", db.Growth)
	for _, account := range []string{s.LiveKey.AccountID, disabled.ID} {
		if _, _, err := s.App.Webhooks.Create(t.Context(), account, hook); err != nil {
			t.Fatal(err)
		}
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			_, err := tx.Emit(account, event.Sale{ID: "sale_1"})
			return err
		})
	}
	if err := s.App.Accounts.Disable(t.Context(), disabled.Email); err != nil {
		t.Fatal(err)
	}
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		return tx.AddMail(db.Mail{To: s.Email, State: db.MailQueued, ExpiresAt: tx.Now().Add(time.Hour)})
	})
	s.Clock.Advance(90 * time.Second)
	s.PlantCall(t, db.Call{ID: "req_dead", Endpoint: servertest.SendPath, State: db.Running, LeaseUntil: s.Clock.Now().Add(-time.Hour)}, "")
	scrape(t, s.App).expect(t, map[string]float64{
		"svc_webhook_deliveries_queued": 1, "svc_webhook_deliveries_sending": 0, "svc_webhook_oldest_delivery_age_seconds": 90,
		"svc_webhook_delivery_delay_seconds": 90, "svc_mails_waiting": 1, "svc_mail_oldest_age_seconds": 90,
		"svc_calls_open": 1, "svc_calls_overdue": 1,
	})
}

// Requests to other servers are counted by how they ended.
func TestMetricsOfOtherServers(t *testing.T) {
	t.Parallel()
	var fail atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if fail.Load() {
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	defer receiver.Close()
	s := servertest.NewCashier(t, withMetrics, func(c *server.Config) {
		c.SMTP, c.MailFrom = "smtp://127.0.0.1:1", "shop@example.com"
		c.WebhookAllow = []string{"loopback"}
	})
	s.Pay(t, s.MakeCharge(t, s.Live))

	account := s.LiveKey.AccountID
	if _, _, err := s.App.Webhooks.Create(t.Context(), account, webhook.NewWebhook{URL: receiver.URL, Events: []string{string(event.SaleCreated)}}); err != nil {
		t.Fatal(err)
	}
	for _, fails := range []bool{false, true} {
		fail.Store(fails)
		dbtest.Update(t, s.Store, func(tx *db.Tx) error {
			_, err := tx.Emit(account, event.Sale{ID: "sale_1"})
			return err
		})
		if err := s.App.Webhooks.Deliver(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	dbtest.Update(t, s.Store, func(tx *db.Tx) error {
		return tx.AddMail(db.Mail{To: s.Email, State: db.MailQueued, ExpiresAt: tx.Now().Add(time.Hour)})
	})
	if err := s.App.Mails.Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
	const of = "svc_outbound_request_duration_seconds"
	scrape(t, s.App).expect(t, map[string]float64{
		of + `{outcome="ok",service="stripe"}`:       1,
		of + `{outcome="ok",service="webhooks"}`:     1,
		of + `{outcome="retry",service="webhooks"}`:  1,
		of + `{outcome="failed",service="webhooks"}`: -1,
		of + `{outcome="down",service="mail"}`:       1,
	})
}

func TestMetricsOfModels(t *testing.T) {
	t.Parallel()
	ollama := llmtest.New(t)
	s := servertest.New(t, withMetrics, func(c *server.Config) {
		c.Ollama = server.Ollama{URL: ollama.URL, AskModel: "thinker:7b"} // which Ollama does not have
	})
	demo, err := s.App.FillDemo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a := s.Call(t, "POST", "/api/v1/ask", map[string]string{"question": "How much dosh did each gubbins fetch?"}, servertest.WithKey(string(demo.TestKey)))
	if a.Status != 200 {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	scrape(t, s.App).expect(t, map[string]float64{`svc_outbound_request_duration_seconds{outcome="missing",service="ollama"}`: 1})
}

// A database that cannot be read costs its own figures.
func TestMetricsWithoutTheDatabase(t *testing.T) {
	t.Parallel()
	s := servertest.New(t, withMetrics)
	s.Account(t, "shop@example.com", "growth", 0)
	s.Call(t, "GET", "/healthz", nil)
	if err := s.App.Close(); err != nil {
		t.Fatal(err)
	}
	scrape(t, s.App).expect(t, map[string]float64{
		"svc_database_readable": 0, "svc_calls_open": -1, "svc_mails_waiting": -1, "http_requests_in_flight": 0,
		`http_requests_total{method="GET",route="/healthz",status="2xx"}`: 1,
	})
	if !strings.Contains(s.Log.String(), "metrics: the database was not read") {
		t.Errorf("log %s", s.Log)
	}
}

func TestMetricsAreOffByDefault(t *testing.T) {
	t.Parallel()
	s := servertest.New(t)
	if s.App.MetricsHandler() != nil || s.App.MetricsURL() != "" {
		t.Error("there are metrics")
	}
}

// getMetrics reads the address of a running appliance.
func getMetrics(t testing.TB, url string) (status int, body []byte) {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	var read bytes.Buffer
	if _, err := read.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, read.Bytes()
}

// The metrics have a listener of their own, with nothing else, until all calls have ended.
func TestMetricsListener(t *testing.T) {
	t.Parallel()
	s := servertest.NewShop(t, db.Growth, 100)
	s.Exec(t, `ALTER TABLE previews RENAME TO lost`)
	held := s.Provider.Hold(t)
	r := servertest.Run(t, server.Config{DB: s.Path, Clock: s.Clock.Now, Carrier: s.Provider, MetricsAddr: "127.0.0.1:0"})
	for _, path := range []string{"", "/", "/healthz", "/console", "/metrics/"} {
		if status, _ := getMetrics(t, strings.TrimSuffix(r.App.MetricsURL(), "/metrics")+path); status != 404 {
			t.Errorf("%q: %d", path, status)
		}
	}
	var found scraped
	servertest.Until(t, "a run of each loop", func() bool {
		_, body := getMetrics(t, r.App.MetricsURL())
		found = parseMetrics(t, body)
		return found.values[`svc_loop_runs_total{loop="previews"}`] == 1 && found.values[`svc_loop_runs_total{loop="mail"}`] >= 1
	})
	found.expect(t, map[string]float64{
		`svc_loop_failures_total{loop="previews"}`: 1, `svc_loop_last_success_timestamp_seconds{loop="previews"}`: 0, `svc_loop_interval_seconds{loop="previews"}`: 60,
		`svc_loop_failures_total{loop="mail"}`: 0, `svc_loop_last_success_timestamp_seconds{loop="mail"}`: float64(s.Clock.Now().Unix()),
	})

	status := make(chan int)
	go func() {
		request, _ := http.NewRequest("POST", r.URL+servertest.SendPath, strings.NewReader(servertest.SendBody))
		request.Header.Set("X-Api-Key", s.Secret)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Error(err)
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	held.Arrived()
	r.Stop()
	untilClosed(t, r.URL)
	_, body := getMetrics(t, r.App.MetricsURL())
	parseMetrics(t, body).expect(t, map[string]float64{"http_requests_in_flight": 1, "svc_calls_open": 1})
	held.Answer(nil)
	if got := servertest.Receive(t, status); got != 200 {
		t.Errorf("the running call: %d, want 200", got)
	}
	if err := servertest.Receive(t, r.Ended); err != nil {
		t.Errorf("Run: %v", err)
	}
	if !isClosed(r.App.MetricsURL()) {
		t.Error("the metrics are still served")
	}
}

func untilClosed(t testing.TB, url string) {
	t.Helper()
	servertest.Until(t, "the listener to close", func() bool { return isClosed(url) })
}

func isClosed(url string) bool {
	conn, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/metrics"))
	if err == nil {
		conn.Close()
	}
	return err != nil
}

func TestMetricsAddress(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	const same = "--metrics-addr: must not be the address of --addr, "
	for _, row := range []struct{ name, addr, metrics, problem string }{
		{"NoPort", "127.0.0.1:0", "localhost", `--metrics-addr: must be a host and a port, like 127.0.0.1:8080 or :8080, not "localhost"`},
		{"NoSuchPort", "127.0.0.1:0", "127.0.0.1:99999", `--metrics-addr: must be a host and a port, like 127.0.0.1:8080 or :8080, not "127.0.0.1:99999"`},
		{"InUse", "127.0.0.1:0", taken.Addr().String(), "--metrics-addr: listen on " + taken.Addr().String() + ": "},
	} {
		t.Run(row.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "svc.db")
			err := server.Run(context.Background(), server.Config{DB: path, Addr: row.addr, MetricsAddr: row.metrics}, nil)
			if err == nil || !strings.HasPrefix(err.Error(), row.problem) {
				t.Errorf("%v, want %s", err, row.problem)
			}
			if db.Exists(path) {
				t.Error("there is a database")
			}
		})
	}
	for name, row := range map[string]struct{ addr, metrics, problem string }{
		"Same":              {"127.0.0.1:8080", "127.0.0.1:8080", same + "127.0.0.1:8080, "},
		"SameByDefault":     {"", "127.0.0.1:8080", same + "127.0.0.1:8080, "},
		"APIEverywhere":     {":8080", "127.0.0.1:8080", same + "0.0.0.0:8080, "},
		"MetricsEverywhere": {"127.0.0.1:8080", "[::]:8080", same + "127.0.0.1:8080, "},
		"PortByName":        {"127.0.0.1:80", "127.0.0.1:http", same + "127.0.0.1:80, "},
		"AnotherPort":       {"127.0.0.1:8080", ":9090", ""},
		"AnotherHost":       {"192.0.2.1:8080", "127.0.0.1:8080", ""},
		"AnyPort":           {"127.0.0.1:0", "127.0.0.1:0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := server.Config{Addr: row.addr, MetricsAddr: row.metrics, Messaging: carrier.Settings{Provider: "none"}}.Effective()
			switch {
			case row.problem == "" && err != nil:
				t.Error(err)
			case row.problem != "" && (err == nil || !strings.HasPrefix(err.Error(), row.problem)):
				t.Errorf("%v, want %s", err, row.problem)
			}
			if name == "AnotherPort" && config.MetricsAddr != "0.0.0.0:9090" {
				t.Errorf("address %s", config.MetricsAddr)
			}
		})
	}
}

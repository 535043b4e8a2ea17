package metrics_test

import (
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"svc/db/dbtest"
	"svc/server/fairqueue"
	"svc/server/job"
	"svc/server/metrics"
)

// scrape reads metrics as Prometheus does.
func scrape(t testing.TB, m *metrics.Metrics) map[string]*dto.MetricFamily {
	t.Helper()
	answer := get(m)
	if answer.Code != http.StatusOK {
		t.Fatalf("scrape: %d %s", answer.Code, answer.Body)
	}
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return families
}

func get(m *metrics.Metrics) *httptest.ResponseRecorder {
	answer := httptest.NewRecorder()
	m.Handler().ServeHTTP(answer, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return answer
}

func TestHistogram(t *testing.T) {
	t.Parallel()
	m := metrics.New("1.2.3")
	count := m.Outbound("mail")
	for _, took := range []time.Duration{0, 10 * time.Millisecond, 11 * time.Millisecond, time.Minute, 61 * time.Second} {
		count("not sent", took)
	}
	m.Outbound("stripe")("ok", time.Second)

	all := scrape(t, m)["svc_outbound_request_duration_seconds"].GetMetric()
	if len(all) != 2 {
		t.Fatalf("%d rows", len(all))
	}
	if labels := all[0].GetLabel(); labels[0].GetValue() != "not_sent" || labels[1].GetValue() != "mail" {
		t.Errorf("labels %v", labels)
	}
	h := all[0].GetHistogram()
	got := map[float64]uint64{}
	for _, b := range h.GetBucket() {
		got[b.GetUpperBound()] = b.GetCumulativeCount()
	}
	if len(got) != 13 || got[.01] != 2 || got[.025] != 3 || got[20] != 3 || got[60] != 4 || got[math.Inf(1)] != 5 {
		t.Errorf("buckets %v", got)
	}
	if h.GetSampleCount() != 5 || h.GetSampleSum() != 121.021 {
		t.Errorf("%d in %v s", h.GetSampleCount(), h.GetSampleSum())
	}
}

// Those that count at once, and while others read, lose nothing.
func TestCountsAtOnce(t *testing.T) {
	t.Parallel()
	const outcomes, workers = 100, 8
	m := metrics.New("1.2.3")
	var all sync.WaitGroup
	for range workers {
		all.Go(func() {
			count := m.Outbound("mail")
			for i := range outcomes {
				count(strconv.Itoa(i), time.Millisecond)
			}
		})
	}
	scrape(t, m)
	all.Wait()
	rows := scrape(t, m)["svc_outbound_request_duration_seconds"].GetMetric()
	if len(rows) != outcomes {
		t.Errorf("%d rows", len(rows))
	}
	for _, row := range rows {
		if n := row.GetHistogram().GetSampleCount(); n != workers {
			t.Errorf("%v: %d, want %d", row.GetLabel(), n, workers)
		}
	}
}

func TestGoFigures(t *testing.T) {
	t.Parallel()
	runtime.GC()
	found := scrape(t, metrics.New("1.2.3"))
	for name, family := range found {
		if of, is := strings.CutPrefix(name, "go_"); is && of != "gc_duration_seconds" {
			if m := family.GetMetric()[0]; m.GetGauge().GetValue()+m.GetCounter().GetValue() <= 0 {
				t.Errorf("%s is %v", name, m)
			}
		}
	}
	inUse := found["go_memstats_heap_inuse_bytes"].GetMetric()[0].GetGauge().GetValue()
	if of := found["go_memstats_sys_bytes"].GetMetric()[0].GetGauge().GetValue(); inUse < 1<<18 || inUse > of {
		t.Errorf("%v bytes of %v are in use", inUse, of)
	}
	pauses := found["go_gc_duration_seconds"].GetMetric()[0].GetSummary()
	quantiles := pauses.GetQuantile()
	if len(quantiles) != 5 || pauses.GetSampleCount() == 0 || quantiles[4].GetQuantile() != 1 || quantiles[4].GetValue() > pauses.GetSampleSum() {
		t.Errorf("pauses %v", pauses)
	}
}

// More scrapes than a few at a time are refused.
func TestScrapesAtOnce(t *testing.T) {
	t.Parallel()
	m := metrics.New("1.2.3")
	reading, proceed := make(chan struct{}), make(chan struct{})
	clock := dbtest.NewClock()
	m.Watch(metrics.Sources{
		Store: dbtest.Open(t, clock), Clock: clock.Now, Log: slog.New(slog.DiscardHandler),
		Jobs:        func() []job.State { return nil },
		Waiting:     func(fairqueue.Kind) int { return 0 },
		Connections: func() (open, refused int) { return 0, 0 },
		FreeBytes: func() (uint64, bool) {
			reading <- struct{}{}
			<-proceed
			return 0, false
		},
	})
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			if code := get(m).Code; code != http.StatusOK {
				t.Errorf("one of four: %d", code)
			}
		})
	}
	for range 4 {
		<-reading
	}
	if code := get(m).Code; code != http.StatusServiceUnavailable {
		t.Errorf("a fifth: %d", code)
	}
	close(proceed)
	all.Wait()
	all.Go(func() { <-reading })
	if found := scrape(t, m); found["svc_disk_free_bytes"] != nil || found["svc_loop_runs_total"] != nil || found["svc_database_readable"] == nil {
		t.Errorf("metrics %v", found)
	}
	all.Wait()
}

// Package metrics counts what the server does, and shows it in the text format of
// Prometheus (text.go). It has the names of all metrics; what they count belongs to others.
//
// The values of every label are few and fixed: the pattern of a route, a code, the name of a
// loop. None tells of a caller: no key, account, e-mail, phone number or address.
//
// A request costs a look-up, and a few additions to atomic numbers. All that can be read when
// somebody asks is read at a scrape (gauges.go, process.go).
package metrics

import (
	"maps"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"svc/server/fault"
	"svc/server/web"
)

// Metrics are the metrics of one server. A nil *Metrics counts nothing, at no cost.
type Metrics struct {
	version  string
	inFlight atomic.Int64
	requests table[requests]               // by method and route
	errors   map[fault.Code]*atomic.Uint64 // of every code from the start
	outbound table[histogram]              // by outcome and service
	sources  *Sources                      // nil: there are none yet
	scrapes  chan struct{}                 // one for each that is being answered
}

var _ web.Observer = (*Metrics)(nil)

// requests are those of a route.
type requests struct {
	byClass [len(classes)]atomic.Uint64
	took    *histogram
}

var (
	// requestBuckets end at these times: calls that touch the store take a few milliseconds,
	// those with a model up to its timeout.
	requestBuckets = milliseconds(1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000)
	// outboundBuckets end at these times.
	outboundBuckets = milliseconds(10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 20_000, 60_000)
)

func milliseconds(all ...float64) (bounds []time.Duration) {
	for _, ms := range all {
		bounds = append(bounds, time.Duration(ms*float64(time.Millisecond)))
	}
	return bounds
}

// New returns metrics that count from zero, with those of Go and of the process. The version
// is the binary's.
func New(version string) *Metrics {
	m := &Metrics{version: version, errors: map[fault.Code]*atomic.Uint64{}, scrapes: make(chan struct{}, maxScrapes)}
	for _, code := range append(web.Codes(), otherCode) {
		m.errors[code] = new(atomic.Uint64)
	}
	return m
}

// otherCode counts the codes that package web does not list.
const otherCode fault.Code = "other"

// Began implements web.Observer.
func (m *Metrics) Began() { m.inFlight.Add(1) }

// Ended implements web.Observer.
func (m *Metrics) Ended(w *web.Response, r *http.Request, took time.Duration) {
	m.inFlight.Add(-1)
	route, method := w.Route, r.Method
	if route == "" {
		route, method = "unmatched", knownMethod(method)
	}
	row := m.requests.row([2]string{method, route}, func() *requests { return &requests{took: newHistogram(requestBuckets)} })
	row.byClass[classOf(w.Status())].Add(1)
	row.took.observe(took)
	if code := w.Code(); code != "" {
		count, known := m.errors[code]
		if !known {
			count = m.errors[otherCode]
		}
		count.Add(1)
	}
}

// methods are those that a request for no route is counted by.
var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions,
}

// knownMethod returns a method, or "other" for one that a caller made up.
func knownMethod(method string) string {
	if slices.Contains(methods, method) {
		return method
	}
	return "other"
}

var classes = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx"}

// classOf returns the place of a status in classes.
func classOf(status int) int { return min(status/100, len(classes)-1) }

// maxScrapes is how many scrapes are answered at a time; others get a 503.
const maxScrapes = 4

// Handler answers with all metrics. What cannot be read is logged and left out.
func (m *Metrics) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		select {
		case m.scrapes <- struct{}{}:
			defer func() { <-m.scrapes }()
		default:
			http.Error(w, "The metrics are being read by several others.", http.StatusServiceUnavailable)
			return
		}
		var t text
		m.write(&t)
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(t.out) // a scraper that has left needs no answer
	})
}

func (m *Metrics) write(t *text) {
	t.metric("svc_build_info", "1, with the version of svc and of the Go that built it.", gaugeKind)
	t.sample("svc_build_info", 1, "go_version", runtime.Version(), "version", m.version)
	m.writeRequests(t)
	t.metric("svc_outbound_request_duration_seconds", "Time of requests to other servers, by how they ended.", histogramKind)
	for _, e := range m.outbound.all() {
		t.writeHistogram("svc_outbound_request_duration_seconds", e.row, "outcome", e.of[0], "service", e.of[1])
	}
	if m.sources != nil {
		m.sources.write(t)
	}
	t.writeGo()
	t.writeProcess()
}

func (m *Metrics) writeRequests(t *text) {
	t.metric("http_requests_in_flight", "Requests that are being answered.", gaugeKind)
	t.sample("http_requests_in_flight", float64(m.inFlight.Load()))
	all := m.requests.all()
	t.metric("http_requests_total", "Requests answered, by route and class of status (none: the connection was cut).", counterKind)
	for _, e := range all {
		for i, class := range classes {
			if n := e.row.byClass[i].Load(); n > 0 {
				t.sample("http_requests_total", float64(n), "method", e.of[0], "route", e.of[1], "status", class)
			}
		}
	}
	t.metric("http_request_duration_seconds", "Time from a request's header to the end of its answer.", histogramKind)
	for _, e := range all {
		t.writeHistogram("http_request_duration_seconds", e.row.took, "method", e.of[0], "route", e.of[1])
	}
	t.metric("http_request_errors_total", "Requests answered with an error, by its code (X-Error-Code), such as rate_limited, quota_exceeded, insufficient_funds or busy.", counterKind)
	for _, code := range slices.Sorted(maps.Keys(m.errors)) {
		t.sample("http_request_errors_total", float64(m.errors[code].Load()), "code", string(code))
	}
}

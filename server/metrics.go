package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"time"

	"svc/server/metrics"
)

// checkMetricsAddr refuses an address for metrics that cannot be used, or that is the API's.
func (c Config) checkMetricsAddr() error {
	if c.MetricsAddr == "" {
		return nil
	}
	if _, _, err := SplitAddr("--metrics-addr", c.MetricsAddr); err != nil {
		return err
	}
	host, _, port, _ := splitAddr(c.MetricsAddr)
	apiHost, _, apiPort, err := splitAddr(c.Addr)
	if err == nil && port == apiPort && port != 0 && (host == apiHost || isEverywhere(host) || isEverywhere(apiHost)) {
		return configError("--metrics-addr: must not be the address of --addr, %s, but one that only Prometheus can reach", shownAddr(c.Addr))
	}
	return nil
}

// isEverywhere reports whether to listen on the host is to listen on all addresses.
func isEverywhere(host string) bool {
	return host == "" || net.ParseIP(host).IsUnspecified()
}

// watch makes the clients count their calls.
func (o outside) watch(m *metrics.Metrics) outside {
	o.metrics = m
	o.carrier, o.payments = m.Carrier(o.carrier), m.Payments(o.payments)
	return o
}

// watchMetrics adds what is read at a scrape.
func (a *App) watchMetrics() {
	if a.outside.metrics == nil {
		return
	}
	a.outside.metrics.Watch(metrics.Sources{
		Store: a.store, Jobs: a.jobs.States, Waiting: a.heavy.Waiting, Connections: a.sockets.counts,
		FreeBytes: func() (uint64, bool) { return freeBytes(filepath.Dir(a.config.DB)) },
		Clock:     a.config.Clock, Log: a.config.Log,
	})
}

// MetricsHandler serves /metrics and nothing else. It is nil without Config.MetricsAddr.
func (a *App) MetricsHandler() http.Handler {
	if a.outside.metrics == nil {
		return nil
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", a.outside.metrics.Handler())
	return mux
}

// MetricsURL is the address of the metrics, once the appliance runs; empty: there are none.
func (a *App) MetricsURL() string {
	if a.config.MetricsAddr == "" {
		return ""
	}
	return "http://" + a.config.MetricsAddr + "/metrics"
}

// scrapeTime bounds a scrape.
const scrapeTime = 10 * time.Second

// serveMetrics serves them until stop is called. A nil listener serves nothing.
func (a *App) serveMetrics(listener net.Listener) (stop func()) {
	if listener == nil {
		return func() {}
	}
	server := &http.Server{
		Handler:           a.MetricsHandler(),
		ReadHeaderTimeout: scrapeTime,
		ReadTimeout:       scrapeTime,
		WriteTimeout:      2 * scrapeTime, // from the header on
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderRead,
		ErrorLog:          slog.NewLogLogger(a.config.Log.Handler(), slog.LevelDebug),
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			a.config.Log.Error("metrics are not served any more", "cause", err)
		}
	}()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
		defer cancel()
		if server.Shutdown(ctx) != nil {
			_ = server.Close()
		}
	}
}

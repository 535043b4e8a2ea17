package server

import (
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"svc/db"
	"svc/server/fault"
	"svc/server/web"
)

// listeners are the sockets of the appliance.
type listeners struct {
	main net.Listener
	// plain is that of http:// beside https://; nil: there is none, and plainFault says why if
	// there should be.
	plain      net.Listener
	plainFault error
	metrics    net.Listener // nil: there is none
}

// close closes what Run has not closed yet.
func (on *listeners) close() {
	for _, l := range []net.Listener{on.main, on.plain, on.metrics} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// listen opens the sockets before the appliance is built: only then is a port of 0 known, and
// links are made with it.
func listen(config Config) (on listeners, _ Config, err error) {
	if config, err = config.withAddr(); err != nil {
		return on, config, err
	}
	plain := cmp.Or(config.TLS.HTTPAddr, config.besideAddr())
	if on.main, config.Addr, err = listenOn("--addr", config.Addr); err != nil {
		return on, config, err
	}
	if config, err = on.listenPlain(config, plain); err == nil {
		config, err = on.listenMetrics(config)
	}
	if err != nil {
		on.close()
	}
	return on, config, err
}

// listenPlain opens the socket of http:// beside https://. That it cannot is an error only if the
// address was asked for.
func (on *listeners) listenPlain(config Config, addr string) (Config, error) {
	if !config.TLS.on() {
		return config, nil
	}
	asked := config.TLS.HTTPAddr != ""
	on.plain, config.TLS.HTTPAddr, on.plainFault = listenOn("--http-addr", addr)
	if asked {
		return config, on.plainFault
	}
	return config, nil
}

// listenMetrics opens the socket of metrics, if there are any.
func (on *listeners) listenMetrics(config Config) (_ Config, err error) {
	if config.MetricsAddr == "" {
		return config, nil
	}
	if err := config.checkMetricsAddr(); err != nil {
		return config, err
	}
	on.metrics, config.MetricsAddr, err = listenOn("--metrics-addr", config.MetricsAddr)
	return config, err
}

// listenOn opens a socket and returns its address with the port that it got. Its errors begin with
// the flag that gave the address.
func listenOn(flag, addr string) (net.Listener, string, error) {
	host, _, err := SplitAddr(flag, addr)
	if err != nil {
		return nil, addr, err
	}
	listener, err := net.Listen("tcp", addr)
	if errors.Is(err, fs.ErrPermission) {
		err = fmt.Errorf("%w (for ports below 1024 the process needs CAP_NET_BIND_SERVICE; %s names another)", err, flag)
	}
	if err != nil {
		return nil, addr, fmt.Errorf("%s: listen on %s: %w", flag, addr, err)
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		return nil, addr, errors.Join(err, listener.Close())
	}
	return listener, shownAddr(net.JoinHostPort(host, port)), nil
}

// HTTPServer returns a server for Handler with its limits of size and time.
func (a *App) HTTPServer() *http.Server {
	s := &http.Server{
		Handler:           a.Handler(),
		ReadHeaderTimeout: 10 * time.Second, // and of a TLS handshake
		ReadTimeout:       readTime,
		WriteTimeout:      readTime + twinTime + a.longest() + 15*time.Second, // from the header on
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    maxHeaderRead,
		ErrorLog:          slog.NewLogLogger(a.config.Log.Handler(), slog.LevelDebug),
	}
	a.connections.watch(s)
	a.sockets.watch(s)
	return s
}

// secured returns the main listener, over TLS if the server has domains.
func (a *App) secured(main net.Listener) net.Listener {
	if a.Certificates == nil {
		return main
	}
	return tls.NewListener(main, a.Certificates.TLS())
}

// plainTime bounds a request for http://, which is led on at once.
const plainTime = 10 * time.Second

// servePlain leads http:// to https://, and answers the CA there, until stop. It logs why it
// cannot: certificates do not need it.
func (a *App) servePlain(on listeners) (stop func()) {
	if on.plain == nil {
		if on.plainFault != nil {
			a.config.Log.Warn("http:// does not lead to https://, and the CA checks domains on port 443 alone", "cause", on.plainFault)
		}
		return func() {}
	}
	s := &http.Server{
		Handler:        a.Certificates.Challenges(a.leadOn()),
		ReadTimeout:    plainTime,
		WriteTimeout:   plainTime,
		MaxHeaderBytes: maxHeaderRead,
		ErrorLog:       slog.NewLogLogger(a.config.Log.Handler(), slog.LevelDebug),
	}
	s.SetKeepAlivesEnabled(false)
	a.sockets.watch(s) // all connections of the process have one limit
	go func() {
		if err := s.Serve(on.plain); !errors.Is(err, http.ErrServerClosed) {
			a.config.Log.Error("http:// is not answered any more", "cause", err)
		}
	}()
	a.config.Log.Info("http:// leads to https://", "address", a.config.TLS.HTTPAddr)
	return func() { _ = s.Close() }
}

// leadOn returns the handler that sends browsers from http:// to https://. What else comes, such as a
// call with a key and a body, is refused, so that whoever writes the client notices.
func (a *App) leadOn() http.Handler {
	frame := &web.Frame{
		Log: a.config.Log, Clock: a.config.Clock, NewID: newRequestID, Proxies: a.config.TrustedProxies,
		Translate: translate, BeforeHeader: func(*web.Response, *http.Request) {},
	}
	return frame.Handle(func(w *web.Response, r *http.Request) error {
		to := a.config.secureURL(r.Host)
		if !strings.HasPrefix(r.URL.RequestURI(), "/") {
			return &fault.Error{Code: fault.InvalidRequest, Message: "use " + to}
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			return &fault.Error{Code: fault.InvalidRequest, Message: "use " + to + "; nothing was done, and what was sent could be read on its way"}
		}
		w.Quiet = true
		w.SetHeader("Location", to+r.URL.RequestURI())
		w.WriteHeader(http.StatusMovedPermanently)
		return nil
	})
}

func newRequestID(at time.Time) string { return db.NewID("req_", at) }

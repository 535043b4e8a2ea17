// Package certificate has the certificates of the server's own domains. A CA gives them by
// ACME (RFC 8555), and they are kept in the database, sealed with the key file, so that a
// restart needs none and a backup has them.
//
// Package autocert talks to the CA, answers its challenges, and renews a certificate when a
// third of its life is left. This package decides when the CA is asked for one that is missing:
// Renew does, at the start and then seldom. A handshake never does, so that strangers cannot
// use up the tries that a CA allows. It also keeps the reasons of a CA, which autocert drops.
package certificate

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"svc/db"
	"svc/server/seal"
)

// LetsEncrypt is the directory of the CA that is asked if no other is named.
const LetsEncrypt = acme.LetsEncryptURL

const (
	// RetryEvery is the interval of Renew. A try can fail twice, once for each challenge, and
	// Let's Encrypt allows five failures of a domain in an hour.
	RetryEvery = 30 * time.Minute
	// pause is how long the CA is left alone after a try that gave no certificate, whatever
	// process made it: a server that is restarted again and again would use up its tries. It is
	// shorter than RetryEvery by more than a try takes, so that no run of Renew is passed over.
	pause = 25 * time.Minute
	// callTime bounds one call of the CA.
	callTime = 30 * time.Second
)

// Config are the dependencies of a Service.
type Config struct {
	Store *db.DB
	Seal  *seal.Box
	// Domains are names in lower case; the first is shown to clients that name none.
	Domains   []string
	Directory string // address of the CA's directory
	Contact   string // an e-mail that the CA gets; may be empty
	Version   string // of the binary, for the CA
	Clock     func() time.Time
	Log       *slog.Logger
}

// Service gets, keeps and shows the certificates of the domains.
type Service struct {
	Config
	kept    cache
	manager *autocert.Manager
	reasons *reasons
	domains map[string]*domain
	unnamed *tls.Certificate // of nobody, see withoutName
	wake    chan struct{}
}

// domain is what this process knows of a domain.
type domain struct {
	tried chan struct{} // closed after the first try
	first sync.Once
	has   atomic.Bool // whether autocert has its certificate at hand
	until time.Time   // end of the last one that was logged; Renew's
}

// New returns the certificates of the domains. It calls nobody.
func New(c Config) (*Service, error) {
	s := &Service{
		Config:  c,
		kept:    cache{store: c.Store, seal: c.Seal, directory: c.Directory, log: c.Log},
		reasons: newReasons(c.Log),
		domains: map[string]*domain{},
		wake:    make(chan struct{}, 1),
	}
	for _, name := range c.Domains {
		s.domains[name] = &domain{tried: make(chan struct{})}
	}
	s.manager = &autocert.Manager{
		Prompt:     autocert.AcceptTOS, // the operator accepts them by asking for certificates
		Cache:      s.kept,
		HostPolicy: s.allow,
		Email:      c.Contact,
		Client: &acme.Client{
			DirectoryURL: c.Directory,
			UserAgent:    strings.TrimSuffix("svc/"+c.Version, "/"),
			HTTPClient:   &http.Client{Timeout: callTime, Transport: s.reasons},
		},
	}
	var err error
	s.unnamed, err = selfSigned(c.Clock())
	return s, err
}

// allow refuses challenges for names that are not ours. A name may have a port behind it.
func (s *Service) allow(_ context.Context, host string) error {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if s.domains[strings.ToLower(host)] == nil {
		return fmt.Errorf("%q is none of this server's domains", host)
	}
	return nil
}

// Challenges returns a handler that answers what the CA asks on port 80, and leaves all else
// to rest. Without a call of it the CA is told to look at port 443 alone.
func (s *Service) Challenges(rest http.Handler) http.Handler { return s.manager.HTTPHandler(rest) }

// Woken signals that a pause has ended and Renew should run.
func (s *Service) Woken() <-chan struct{} { return s.wake }

// Renew asks the CA for the certificates that are missing, and reports those that were not
// renewed in time. It asks for none whose last try is shorter ago than a pause. It returns when
// ctx ends, although a call of the CA may go on for a while.
func (s *Service) Renew(ctx context.Context) error {
	faults := make([]error, len(s.Domains))
	var all sync.WaitGroup
	for i, name := range s.Domains {
		all.Go(func() { faults[i] = s.renew(ctx, name) }) // a domain that has one waits for no other
	}
	all.Wait()
	return errors.Join(faults...)
}

// renew makes sure that a domain has a certificate, and stores why it has not.
func (s *Service) renew(ctx context.Context, name string) error {
	d := s.domains[name]
	if !d.has.Load() {
		defer d.first.Do(func() { close(d.tried) })
		if ready, err := s.begin(ctx, name); err != nil || !ready {
			return err
		}
	}
	err := s.try(ctx, name)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	problem := ""
	if err != nil {
		problem = clean.Clean(err.Error())
		err = fmt.Errorf("%s: %s", name, problem)
	}
	return errors.Join(err, s.setProblem(ctx, name, problem))
}

func (s *Service) setProblem(ctx context.Context, name, problem string) error {
	return s.Store.Update(ctx, func(tx *db.Tx) error { return tx.SetCertificateProblem(s.Directory, name, problem) })
}

// begun is stored as the problem of a domain before the CA is asked, for a process that ends
// before it has the answer.
const begun = "the CA is being asked, or was when the server stopped"

// begin reports whether a domain without a certificate at hand may have its try now: it has one
// that is kept, or the CA was left alone for a pause. In the second case the try is noted.
func (s *Service) begin(ctx context.Context, name string) (ready bool, err error) {
	if has, err := s.hasKept(ctx, name); has || err != nil {
		return has, err
	}
	last, err := s.problem(ctx, name)
	if err != nil {
		return false, err
	}
	if left := last.At.Add(pause).Sub(s.Clock()); left > 0 && left <= pause { // a longer one: the clock was set back
		time.AfterFunc(left, s.wakeUp)
		s.Log.Info("the CA is not asked again yet", "domain", name, "at", s.Clock().Add(left), "problem", last.Problem)
		return false, nil
	}
	return true, s.setProblem(ctx, name, begun)
}

// hasKept reports whether a certificate is kept that is still valid.
func (s *Service) hasKept(ctx context.Context, name string) (bool, error) {
	kept, err := s.kept.Get(ctx, name)
	if errors.Is(err, autocert.ErrCacheMiss) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	leaf, err := leafOf(kept)
	return err == nil && s.Clock().Before(leaf.NotAfter), nil // another is made of what cannot be read
}

func (s *Service) wakeUp() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Service) try(ctx context.Context, name string) error {
	d := s.domains[name]
	if !d.has.Load() {
		s.reasons.forget(name)
	}
	certificate, err := s.get(ctx, name)
	if err != nil {
		return fmt.Errorf("no certificate: %w", s.reasons.explain(name, err))
	}
	d.has.Store(true)
	now := standingOf(name, certificate.Leaf)
	if !d.until.Equal(now.Until) {
		d.until = now.Until
		s.reasons.forget(name) // those of tries before it
		s.Log.Info("certificate", "domain", name, "issuer", now.Issuer, "until", now.Until)
	}
	if now.Late(s.Clock()) {
		return s.reasons.explain(name, errors.New("not renewed in time"))
	}
	return nil
}

// get returns the certificate at hand, the one that is kept, or a new one of the CA.
func (s *Service) get(ctx context.Context, name string) (*tls.Certificate, error) {
	type result struct {
		certificate *tls.Certificate
		err         error
	}
	done := make(chan result, 1)
	go func() { // autocert takes no context
		c, err := s.manager.GetCertificate(helloOf(name))
		done <- result{c, err}
	}()
	select {
	case r := <-done:
		return r.certificate, r.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

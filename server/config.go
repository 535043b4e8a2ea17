package server

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"svc/db"
	"svc/embed"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/emailaddr"
	"svc/server/llm"
	"svc/server/mail"
	"svc/server/outbound"
	"svc/server/stripe"
)

// Config is the settings of an appliance. The zero value of a field means its default.
type Config struct {
	// DB is the path of the database file; MustExist refuses to create it. Migrate brings an
	// older file to this binary's schema; Run always does, and nobody else should (L8).
	DB        string
	MustExist bool
	Migrate   bool

	// Addr is the address to listen on (default: 127.0.0.1:8080, and :443 with TLS). Links begin
	// with BaseURL and ConsoleURL (default: http://<addr>, and https://<domain> with TLS).
	Addr       string
	BaseURL    string
	ConsoleURL string
	TLS        TLS
	// MetricsAddr is where /metrics is served, without a password. If it is empty, /metrics
	// is not served.
	MetricsAddr string
	// TrustedProxies are the peers whose X-Forwarded-For is believed (A6).
	TrustedProxies []netip.Prefix

	// Memory is the soft limit of the process, in bytes, at least 64 MiB; 0: nine tenths of
	// the container's memory, or 512 MiB.
	Memory int64

	// MaxConnections bounds the connections to the server, of which one network has a quarter;
	// 0: what the limit of descriptors allows, at most 4096.
	MaxConnections int

	// KeepAnswers is the time for which an Idempotency-Key replays its answer, 1 h to
	// 30 d (B1).
	KeepAnswers time.Duration

	// Messaging names the provider (G1) and how to reach it; without one it follows
	// from the base URL.
	Messaging carrier.Settings
	// Carrier is used instead of the one that Messaging names.
	Carrier carrier.Carrier

	// Stripe takes payments; without a key there are none (E4).
	Stripe Stripe
	// Bundles are the amounts of wallet credit for sale; nil: account.DefaultBundles (C5).
	Bundles []account.Bundle

	// Ollama runs the models. Without it photos are read for barcodes only, and questions
	// by the built-in reader.
	Ollama Ollama

	// SMTP is the URL of the mail server; empty: mails stay in the outbox. MailFrom is
	// their sender.
	SMTP     string
	MailFrom string

	// WebhookAllow lists what webhooks may lead to beside public addresses: private,
	// loopback, networks and hosts (K6). WebhookSweep is the interval of the sweep that
	// sends what no wake-up has, 1 s to 1 h (K4).
	WebhookAllow []string
	WebhookSweep time.Duration
	// Resolver looks up the hosts of webhooks; nil: the system's.
	Resolver outbound.Resolver
	// WebhookRoots are the certificates that receivers may have; nil: the system's.
	WebhookRoots *x509.CertPool

	// SignupOpen lets anybody make an account. The addressee of a request for access can
	// make one in any case (D5).
	SignupOpen bool

	// Rates has the exchange rates that fx-risk uses until newer ones are imported (J4), as
	// tool.Config has them; nil: those in the binary.
	Rates fs.FS

	// Changelog is the text of /changelog, in Markdown: what CHANGELOG.md has (L7).
	Changelog string

	// Version is that of the binary, as svc version prints it; empty: unknown.
	Version string
	// OperatorName names who runs the server, and OperatorContact how to reach them; pages
	// show both. Each is a line of at most 100 characters, or empty.
	OperatorName    string
	OperatorContact string

	// OperatorEmail and OperatorPassword are those of the first account, which the start
	// makes if there is none (L2).
	OperatorEmail    string
	OperatorPassword string

	Log   *slog.Logger
	Clock func() time.Time
}

// Stripe is the access to an account at Stripe.
type Stripe struct {
	Key            string
	WebhookSecrets []string // any of them may sign an event: two while one replaces the other
	API            string   // another base URL
}

// Ollama is the server of the models and their names.
type Ollama struct {
	URL         string
	VisionModel string        // for photos; empty: none
	AskModel    string        // for questions; empty: none
	Timeout     time.Duration // of one answer (default 20 s)
}

const (
	defaultAddr        = "127.0.0.1:8080"
	defaultTLSAddr     = ":443"
	defaultKeepAnswers = 24 * time.Hour
	defaultModelTime   = 20 * time.Second
	defaultHookSweep   = time.Minute
	// maxModelTime is below the server's own limit for an answer.
	maxModelTime = 100 * time.Second
	maxLine      = 100 // characters of what pages say about the operator
)

// ConfigError is a setting that cannot be used. Its text names the flag.
type ConfigError struct{ Problem string }

func (e *ConfigError) Error() string { return e.Problem }

func configError(format string, args ...any) error {
	return &ConfigError{Problem: fmt.Sprintf(format, args...)}
}

// Effective returns the settings with their defaults, as Run would use them. It opens and
// calls nothing. A *ConfigError: Run would refuse them.
func (c Config) Effective() (Config, error) {
	c, err := c.withDefaults()
	if err != nil {
		return c, err
	}
	if c.TLS.on() {
		c.TLS.HTTPAddr = shownAddr(cmp.Or(c.TLS.HTTPAddr, c.besideAddr()))
	}
	c.Addr = shownAddr(c.Addr)
	c.MetricsAddr = shownAddr(c.MetricsAddr)
	c.Messaging.Provider = c.provider()
	_, err = c.connect()
	return c, err
}

// SplitAddr returns host and port of the address of a server. The error is a *ConfigError that
// names the flag.
func SplitAddr(flag, addr string) (host, port string, err error) {
	if host, port, _, err = splitAddr(addr); err != nil {
		return "", "", configError("%s: must be a host and a port, like 127.0.0.1:8080 or :8080, not %q", flag, addr)
	}
	return host, port, nil
}

// splitAddr returns host and port of an address, and the port as a number.
func splitAddr(addr string) (host, port string, number int, err error) {
	if host, port, err = net.SplitHostPort(addr); err == nil {
		number, err = net.LookupPort("tcp", port)
	}
	return host, port, number, err
}

// shownAddr returns an address to listen on as links and people have it. No host means everywhere,
// over IPv6, too, if the system has that.
func shownAddr(addr string) string {
	if strings.HasPrefix(addr, ":") {
		return "0.0.0.0" + addr
	}
	return addr
}

// withAddr returns the settings with where to listen. It may be called again.
func (c Config) withAddr() (_ Config, err error) {
	if c.TLS, err = c.TLS.checked(); err != nil {
		return c, err
	}
	if c.Addr == "" && c.TLS.on() {
		c.Addr = defaultTLSAddr
	}
	c.Addr = cmp.Or(c.Addr, defaultAddr)
	_, _, err = SplitAddr("--addr", c.Addr)
	return c, err
}

// besideAddr returns where http:// is answered beside Addr.
func (c Config) besideAddr() string {
	host, _, _ := net.SplitHostPort(c.Addr) // withAddr has checked it
	return net.JoinHostPort(host, "80")
}

// withDefaults returns the settings that Run uses. The error is a *ConfigError.
func (c Config) withDefaults() (Config, error) {
	c, err := c.withAddr()
	if err != nil {
		return c, err
	}
	c.BaseURL = strings.TrimSuffix(cmp.Or(c.BaseURL, c.defaultURL()), "/")
	c.ConsoleURL = strings.TrimSuffix(cmp.Or(c.ConsoleURL, c.BaseURL), "/")
	c.KeepAnswers = cmp.Or(c.KeepAnswers, defaultKeepAnswers)
	c.Ollama.Timeout = cmp.Or(c.Ollama.Timeout, defaultModelTime)
	c.WebhookSweep = cmp.Or(c.WebhookSweep, defaultHookSweep)
	if c.Bundles == nil {
		c.Bundles = account.DefaultBundles
	}
	if c.Rates == nil {
		c.Rates = embed.Rates()
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	return c, c.check()
}

// defaultURL returns what links begin with unless a setting says it.
func (c Config) defaultURL() string {
	if c.TLS.on() {
		return "https://" + c.TLS.Domains[0]
	}
	return "http://" + shownAddr(c.Addr)
}

// check returns what is wrong with settings that have their defaults, as a *ConfigError.
func (c Config) check() error {
	if err := c.checkMetricsAddr(); err != nil {
		return err
	}
	if c.Memory != 0 && c.Memory < minMemory {
		return configError("--memory: must be at least 64MiB")
	}
	if c.KeepAnswers < time.Hour || c.KeepAnswers > 30*24*time.Hour {
		return configError("--idempotency-ttl: must be from 1h to 720h")
	}
	if err := checkURL("--base-url", c.BaseURL); err != nil {
		return err
	}
	if err := checkURL("--console-url", c.ConsoleURL); err != nil {
		return err
	}
	if err := c.checkSecure(); err != nil {
		return err
	}
	if err := checkLine("--operator-name", c.OperatorName); err != nil {
		return err
	}
	if err := checkLine("--operator-contact", c.OperatorContact); err != nil {
		return err
	}
	if err := c.checkOperator(); err != nil {
		return err
	}
	if c.Ollama.VisionModel != "" && c.Ollama.URL == "" {
		return configError("--vision-model: needs --ollama")
	}
	if c.Ollama.AskModel != "" && c.Ollama.URL == "" {
		return configError("--ask-model: needs --ollama")
	}
	if c.Ollama.Timeout < time.Second || c.Ollama.Timeout > maxModelTime {
		return configError("--model-timeout: must be from 1s to 100s")
	}
	if c.WebhookSweep < time.Second || c.WebhookSweep > time.Hour {
		return configError("--webhook-sweep: must be from 1s to 1h")
	}
	if c.Stripe.Key == "" && len(c.Stripe.WebhookSecrets) > 0 {
		return configError("--stripe-webhook-secret: needs --stripe-key")
	}
	return nil
}

// payments returns the client for Stripe, nil if payments are not set up (E4).
func (c Config) payments() stripe.Provider {
	if c.Stripe.Key == "" {
		return nil
	}
	return stripe.New(stripe.Config{Key: c.Stripe.Key, API: c.Stripe.API})
}

// models returns the client for Ollama, nil if there is none.
func (c Config) models() (*llm.Client, error) {
	if c.Ollama.URL == "" {
		return nil, nil
	}
	client, err := llm.New(llm.Config{URL: c.Ollama.URL, Timeout: c.Ollama.Timeout, Log: c.Log, Now: c.Clock})
	if err != nil {
		return nil, configError("--ollama: must be like http://127.0.0.1:11434")
	}
	return client, nil
}

// hooks returns the client for the addresses of webhooks.
func (c Config) hooks() (*outbound.Client, error) {
	allow, err := outbound.ParseAllow(c.WebhookAllow)
	if err != nil {
		return nil, configError("--webhook-allow: %v", err)
	}
	return outbound.New(outbound.Config{Allow: allow, Resolver: c.Resolver, Clock: c.Clock, Roots: c.WebhookRoots}), nil
}

// smtp is nil when mails stay in the outbox.
func (c Config) smtp() (*mail.SMTP, error) {
	if c.SMTP == "" {
		return nil, nil
	}
	if c.MailFrom == "" {
		return nil, configError("--mail-from: is required with --smtp")
	}
	smtp, err := mail.ParseSMTP(c.SMTP, c.MailFrom)
	if err != nil {
		return nil, configError("--smtp, --mail-from: %v", err)
	}
	return smtp, nil
}

func checkURL(flag, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return configError("%s: must be like https://api.example.com, with no path", flag)
	}
	return nil
}

// checkOperator refuses the first account that there cannot be. A password is only that of an
// account that is to be made with its database.
func (c Config) checkOperator() error {
	if c.OperatorEmail == "" {
		return nil
	}
	if !emailaddr.IsOne(c.OperatorEmail) {
		return configError("--operator-email: must be one e-mail address, like name@example.com")
	}
	if db.Exists(c.DB) {
		return nil
	}
	return account.NewAccount{Email: c.OperatorEmail, Password: c.OperatorPassword}.Check()
}

// checkLine refuses a text that does not fit on a page as a part of a sentence.
func checkLine(flag, text string) error {
	if utf8.RuneCountInString(text) > maxLine || strings.ContainsFunc(text, unicode.IsControl) {
		return configError("%s: must be one line of at most %d characters", flag, maxLine)
	}
	return nil
}

// isLoopback reports whether only this machine can reach the base URL.
func isLoopback(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// provider returns the name of the message provider: if none is set, the outbox for a
// loopback base URL, and else none (G1).
func (c Config) provider() string {
	switch {
	case c.Messaging.Provider != "":
		return c.Messaging.Provider
	case isLoopback(c.BaseURL):
		return carrier.NameOutbox
	}
	return carrier.NameNone
}

// carrier returns the client for the message provider.
func (c Config) carrier() (carrier.Carrier, error) {
	if c.Carrier != nil {
		return c.Carrier, nil
	}
	m := c.Messaging
	m.Provider = c.provider()
	opened, err := carrier.Open(m)
	if err != nil {
		return nil, configError("%v", err)
	}
	return opened, nil
}

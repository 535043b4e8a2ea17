package server

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"svc/server/carrier"
)

// Config is everything that an appliance is made of. The zero value of a field
// means its default.
type Config struct {
	// DB is the path of the database file; MustExist refuses to create it.
	DB        string
	MustExist bool

	// Addr is where to listen, BaseURL and ConsoleURL what links are made with
	// (default: http://<addr>).
	Addr       string
	BaseURL    string
	ConsoleURL string
	// TrustedProxies may name the client in X-Forwarded-For (A6).
	TrustedProxies []netip.Prefix

	// KeepAnswers is how long an Idempotency-Key replays its answer, 1 h to 30 d (B1).
	KeepAnswers time.Duration

	Messaging Messaging
	// Carrier is used instead of the one that Messaging names.
	Carrier carrier.Carrier

	// OperatorEmail and OperatorPassword make the first account at start, if
	// there is none (L2).
	OperatorEmail    string
	OperatorPassword string

	Log   *slog.Logger
	Clock func() time.Time
}

// Messaging names the provider (G1) and how to reach it.
type Messaging struct {
	Provider string // none, outbox, whatsapp, twilio, webhook; empty: by the base URL
	WhatsApp carrier.WhatsApp
	Twilio   carrier.Twilio
	Webhook  carrier.Webhook
}

const (
	defaultAddr        = "127.0.0.1:8080"
	defaultKeepAnswers = 24 * time.Hour
)

// ConfigError is a setting that cannot be used. Its text names the flag.
type ConfigError struct{ Problem string }

func (e *ConfigError) Error() string { return e.Problem }

func configError(format string, args ...any) error {
	return &ConfigError{Problem: fmt.Sprintf(format, args...)}
}

func (c Config) withDefaults() (Config, error) {
	if c.Addr == "" {
		c.Addr = defaultAddr
	}
	if c.BaseURL == "" {
		c.BaseURL = "http://" + c.Addr
	}
	if c.ConsoleURL == "" {
		c.ConsoleURL = c.BaseURL
	}
	c.BaseURL, c.ConsoleURL = strings.TrimSuffix(c.BaseURL, "/"), strings.TrimSuffix(c.ConsoleURL, "/")
	if c.KeepAnswers == 0 {
		c.KeepAnswers = defaultKeepAnswers
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}

	if c.KeepAnswers < time.Hour || c.KeepAnswers > 30*24*time.Hour {
		return c, configError("--idempotency-ttl: must be from 1h to 720h")
	}
	if err := checkURL("--base-url", c.BaseURL); err != nil {
		return c, err
	}
	return c, checkURL("--console-url", c.ConsoleURL)
}

func checkURL(flag, raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || u.Path != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil {
		return configError("%s: must be like https://api.example.com, with no path", flag)
	}
	return nil
}

// isLoopback says whether only this machine can reach the base URL.
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

// carrier builds the message provider. Without one named, messages of a sandbox
// go to the outbox and those of a public server nowhere (G1).
func (c Config) carrier() (carrier.Carrier, error) {
	if c.Carrier != nil {
		return c.Carrier, nil
	}
	m := c.Messaging
	switch m.Provider {
	case "":
		if isLoopback(c.BaseURL) {
			return carrier.NewOutbox(), nil
		}
		return carrier.NewNone(), nil
	case "outbox":
		return carrier.NewOutbox(), nil
	case "none":
		return carrier.NewNone(), nil
	case "whatsapp":
		return carrier.NewWhatsApp(m.WhatsApp), required("whatsapp",
			setting{"--whatsapp-token", m.WhatsApp.Token}, setting{"--whatsapp-phone-id", m.WhatsApp.PhoneID})
	case "twilio":
		return carrier.NewTwilio(m.Twilio), required("twilio",
			setting{"--twilio-sid", m.Twilio.SID}, setting{"--twilio-token", m.Twilio.Token}, setting{"--twilio-from", m.Twilio.From})
	case "webhook":
		return carrier.NewWebhook(m.Webhook), required("webhook",
			setting{"--messaging-url", m.Webhook.URL}, setting{"--messaging-secret", m.Webhook.Secret})
	}
	return nil, configError("--messaging: must be one of none, outbox, whatsapp, twilio, webhook")
}

type setting struct{ flag, value string }

func required(provider string, settings ...setting) error {
	for _, s := range settings {
		if s.value == "" {
			return configError("%s: is required for --messaging %s", s.flag, provider)
		}
	}
	return nil
}

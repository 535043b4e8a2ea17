package cmd

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"net/netip"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"svc/server"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/money"
)

// settings are what the flags and variables of serve say. Those that are texts in another
// form than the configuration has are beside it.
type settings struct {
	server.Config
	proxies, signup, bundles string
	webhookAllow             string
	memory                   string
	log, logLevel            string
}

// Changelog is the text of /changelog, in Markdown. The package main sets it before Execute,
// since only it can embed CHANGELOG.md.
var Changelog string

// addFlags adds the flags, all but those of the demo.
func (s *settings) addFlags(c *cobra.Command) {
	config, flags := &s.Config, c.Flags()
	config.Changelog = Changelog
	addressFlags(flags, config)
	flags.StringVar(&config.TLS.Directory, "acme-directory", "", "another CA for --tls-domain, by the address of its ACME directory (default Let's Encrypt)")
	flags.StringVar(&config.TLS.HTTPAddr, "http-addr", "", "where --tls-domain leads http:// to https:// (default port 80, if it is free)")
	flags.StringVar(&config.MetricsAddr, "metrics-addr", "", "where to serve /metrics for Prometheus, without a password, like 127.0.0.1:9090 (default: nowhere)")
	flags.StringVar(&s.proxies, "trusted-proxies", "", "networks of proxies that may name the client, like 10.0.0.0/8,::1/128")
	flags.StringVar(&s.memory, "memory", "", "memory that the process should stay below, like 512MiB (default 90% of the container's, else 512MiB)")
	flags.DurationVar(&config.KeepAnswers, "idempotency-ttl", 0, "how long an Idempotency-Key replays its answer, 1h to 720h (default 24h)")
	flags.StringVar(&config.OperatorEmail, "operator-email", "", "make the first account with this e-mail if there is none")
	secretFlag(flags, &config.OperatorPassword, "operator-password", "password of --operator-email")
	flags.StringVar(&config.OperatorName, "operator-name", "", "who runs this server, as pages name them, like 'Corner Coffee Ltd'")
	flags.StringVar(&config.OperatorContact, "operator-contact", "", "how to reach them: an e-mail, a phone number or an address of a page")
	flags.StringVar(&s.signup, "signup", "closed", "open or closed: whether anybody can make an account (who is asked for access always can)")
	addStripeFlags(c)
	secretFlag(flags, new(string), "stripe-webhook-secret", "secret that signs Stripe's events, or two while one replaces the other, with a comma between")
	flags.StringVar(&s.bundles, "wallet-bundles", "", "credit for sale as price:credit in minor units and US cents, with commas between (default gbp:500:600,gbp:1000:1250,gbp:2500:3250)")
	ollamaFlags(flags, &config.Ollama)
	secretFlag(flags, &config.SMTP, "smtp", "server for mails: smtp://user:password@host:587 (STARTTLS) or smtps://…:465 (default: mails are kept in the outbox)")
	flags.StringVar(&config.MailFrom, "mail-from", "", "sender of mails, like 'Corner Shop <shop@example.com>'")
	flags.StringVar(&s.webhookAllow, "webhook-allow", "", webhookAllowUsage)
	flags.DurationVar(&config.WebhookSweep, "webhook-sweep", 0, "how often to look for events that were not sent at once, 1s to 1h (default 1m)")
	flags.StringVar(&s.log, "log", "text", "text or json, on standard error")
	flags.StringVar(&s.logLevel, "log-level", "info", "least level that is logged: debug (with probes), info, warn or error")
	addMessagingFlags(c, &config.Messaging)
}

// addressFlags adds the flags that links follow from. A command that prints a link has them,
// too, so that the server's own variables give it the server's address.
func addressFlags(flags *pflag.FlagSet, config *server.Config) {
	flags.StringVar(&config.Addr, "addr", "", "where to listen (default 127.0.0.1:8080, or :443 with --tls-domain)")
	tlsDomainFlag(flags, &config.TLS.Domains, "serve HTTPS for these domains, with commas between, and get certificates for them; accepts the terms of the CA")
	flags.StringVar(&config.BaseURL, "base-url", "", "address of the API in links (default http://<addr>, or https:// and the first of --tls-domain)")
	flags.StringVar(&config.ConsoleURL, "console-url", "", "address of the pages in links (default --base-url)")
}

func tlsDomainFlag(flags *pflag.FlagSet, domains *[]string, usage string) {
	flags.Var((*commaList)(domains), "tls-domain", usage)
}

// commaList is the value of a flag that lists things with commas between.
type commaList []string

func (l *commaList) String() string { return strings.Join(*l, ",") }

// Set replaces the list.
func (l *commaList) Set(text string) error {
	*l = splitList(text)
	return nil
}

// Type is how the help calls the value.
func (*commaList) Type() string { return "string" }

func addMessagingFlags(c *cobra.Command, m *carrier.Settings) {
	flags := c.Flags()
	flags.StringVar(&m.Provider, "messaging", "", oneOf(carrier.Names())+" (default outbox on a loopback base URL, else none)")
	secretFlag(flags, &m.WhatsApp.Token, "whatsapp-token", "access token of WhatsApp's Cloud API")
	flags.StringVar(&m.WhatsApp.PhoneID, "whatsapp-phone-id", "", "id of the sending WhatsApp number")
	flags.StringVar(&m.WhatsApp.API, "whatsapp-api", "", "another base URL of WhatsApp's Cloud API")
	flags.StringVar(&m.WhatsApp.TemplateLanguage, "whatsapp-template-language", "",
		"send WhatsApp templates named receipt and purchase_order in this language, like en (default: plain text, delivered only within 24 h of the recipient's last message)")
	flags.StringVar(&m.Twilio.SID, "twilio-sid", "", "Twilio account SID")
	secretFlag(flags, &m.Twilio.Token, "twilio-token", "Twilio auth token")
	flags.StringVar(&m.Twilio.From, "twilio-from", "", "sending number, or whatsapp:+…")
	flags.StringVar(&m.Twilio.API, "twilio-api", "", "another base URL of Twilio's API")
	flags.StringVar(&m.Webhook.URL, "messaging-url", "", "where --messaging webhook posts; it must answer 2xx with {\"id\":\"<of the message>\"}")
	secretFlag(flags, &m.Webhook.Secret, "messaging-secret", "secret that signs --messaging webhook")
}

// read returns the configuration of serve.
func (s *settings) read(c *cobra.Command) (config server.Config, err error) {
	config = s.Config
	if config.Memory, err = parseMemory(s.memory); err != nil {
		return config, err
	}
	if config.TrustedProxies, err = parseProxies(s.proxies); err != nil {
		return config, err
	}
	if config.Log, err = newLog(c.ErrOrStderr(), s.log, s.logLevel); err != nil {
		return config, err
	}
	if config.Bundles, err = parseBundles(s.bundles); err != nil {
		return config, err
	}
	config.WebhookAllow = splitList(s.webhookAllow)
	config.SignupOpen = s.signup == "open"
	config.Stripe = readStripe(c)
	config.DB, config.Version = flag(c, "db"), version
	return config, nil
}

// parseMemory parses a size like 512MiB, 1 GB or 500000000. An empty text is 0.
func parseMemory(text string) (int64, error) {
	if text == "" {
		return 0, nil
	}
	size, err := humanize.ParseBytes(text)
	if err != nil || size == 0 || size > math.MaxInt64 {
		return 0, usageError{fmt.Errorf("--memory: must be a size like 512MiB, not %q", text)}
	}
	return int64(size), nil
}

func parseProxies(list string) (all []netip.Prefix, err error) {
	for _, text := range splitList(list) {
		prefix, err := netip.ParsePrefix(text)
		if address, addressErr := netip.ParseAddr(text); addressErr == nil {
			prefix, err = netip.PrefixFrom(address, address.BitLen()), nil
		}
		if err != nil {
			return nil, usageError{fmt.Errorf("--trusted-proxies: %q is no network and no address", text)}
		}
		all = append(all, prefix.Masked())
	}
	return all, nil
}

// splitList returns the parts of a list with commas, without spaces around them and without empty ones.
func splitList(list string) (parts []string) {
	for part := range strings.SplitSeq(list, ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// newLog returns a log of a format and a level that checkChoices has accepted.
func newLog(out io.Writer, format, levelName string) (*slog.Logger, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(levelName)); err != nil {
		return nil, usageError{fmt.Errorf("--log-level: %w", err)}
	}
	options := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(out, options)), nil
	}
	return slog.New(slog.NewTextHandler(out, options)), nil
}

// parseBundles parses bundles like "gbp:1000:1250", separated by commas.
func parseBundles(list string) (all []account.Bundle, err error) {
	for _, text := range splitList(list) {
		b, err := parseBundle(text)
		if err != nil {
			return nil, usageError{fmt.Errorf("--wallet-bundles: %q must be like gbp:1000:1250", text)}
		}
		all = append(all, b)
	}
	return all, nil
}

func parseBundle(text string) (b account.Bundle, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return b, strconv.ErrSyntax
	}
	currency, ok := money.Currency(parts[0])
	if !ok {
		return b, strconv.ErrSyntax
	}
	b.Currency = currency
	if b.Amount, err = strconv.ParseInt(parts[1], 10, 64); err != nil {
		return b, err
	}
	b.CreditCents, err = strconv.ParseInt(parts[2], 10, 64)
	if err == nil && (b.Amount < 1 || b.CreditCents < 1) {
		err = strconv.ErrRange
	}
	return b, err
}

const webhookAllowUsage = "what webhooks may lead to beside public addresses, with commas between: private, loopback (also over http), networks like 10.1.0.0/16, hosts"

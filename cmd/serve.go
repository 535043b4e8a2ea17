package cmd

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"svc/server"
)

func newServe() *cobra.Command {
	var config server.Config
	var demo bool
	var proxies, logFormat string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if config.TrustedProxies, err = parseProxies(proxies); err != nil {
				return err
			}
			if config.Log, err = newLog(c.ErrOrStderr(), logFormat); err != nil {
				return err
			}
			config.DB = flag(c, "db")
			if demo && !c.Flags().Changed("db") {
				config.DB = defaultDemoDB
			}
			if demo {
				config.OperatorEmail = "" // the shop is the first account
				if err := server.CheckDemo(c.Context(), config.DB); err != nil {
					return err
				}
			}
			if demo && config.Messaging.Provider == "" {
				config.Messaging.Provider = "outbox"
			}
			return server.Run(c.Context(), config, func(app *server.App) error {
				if demo {
					return printDemo(c, app)
				}
				return greet(c, app)
			})
		},
	}
	flags := c.Flags()
	flags.BoolVar(&demo, "demo", false, "serve a filled shop on "+defaultDemoDB+" and print calls to try")
	flags.StringVar(&config.Addr, "addr", "127.0.0.1:8080", "where to listen")
	flags.StringVar(&config.BaseURL, "base-url", "", "address of the API in links (default http://<addr>)")
	flags.StringVar(&config.ConsoleURL, "console-url", "", "address of the pages in links (default --base-url)")
	flags.StringVar(&proxies, "trusted-proxies", "", "networks of proxies that may name the client, like 10.0.0.0/8,::1/128")
	flags.DurationVar(&config.KeepAnswers, "idempotency-ttl", 0, "how long an Idempotency-Key replays its answer, 1h to 720h (default 24h)")
	flags.StringVar(&config.OperatorEmail, "operator-email", "", "make the first account with this e-mail if there is none")
	secretFlag(flags, &config.OperatorPassword, "operator-password", "password of --operator-email")
	flags.StringVar(&logFormat, "log", "text", "text or json, on standard error")
	m := &config.Messaging
	flags.StringVar(&m.Provider, "messaging", "", "none, outbox, whatsapp, twilio or webhook (default outbox on a loopback base URL, else none)")
	secretFlag(flags, &m.WhatsApp.Token, "whatsapp-token", "access token of WhatsApp's Cloud API")
	flags.StringVar(&m.WhatsApp.PhoneID, "whatsapp-phone-id", "", "id of the sending WhatsApp number")
	flags.StringVar(&m.WhatsApp.API, "whatsapp-api", "", "another base URL of WhatsApp's Cloud API")
	flags.StringVar(&m.WhatsApp.TemplateLanguage, "whatsapp-template-language", "",
		"send WhatsApp templates named receipt and purchase_order in this language, like en (default: plain text, delivered only within 24 h of the recipient's last message)")
	flags.StringVar(&m.Twilio.SID, "twilio-sid", "", "Twilio account SID")
	secretFlag(flags, &m.Twilio.Token, "twilio-token", "Twilio auth token")
	flags.StringVar(&m.Twilio.From, "twilio-from", "", "sending number, or whatsapp:+…")
	flags.StringVar(&m.Twilio.API, "twilio-api", "", "another base URL of Twilio's API")
	flags.StringVar(&m.Webhook.URL, "messaging-url", "", "where --messaging webhook posts")
	secretFlag(flags, &m.Webhook.Secret, "messaging-secret", "secret that signs --messaging webhook")
	return c
}

func parseProxies(list string) (all []netip.Prefix, err error) {
	for _, text := range strings.Split(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
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

func newLog(out io.Writer, format string) (*slog.Logger, error) {
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(out, nil)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, nil)), nil
	}
	return nil, usageError{fmt.Errorf("--log: must be text or json, not %q", format)}
}

// startedJSON is what serve prints with --json when it answers; all but the
// first two are the demo's.
type startedJSON struct {
	URL     string `json:"url"`
	DB      string `json:"db"`
	Email   string `json:"email,omitempty"`
	LiveKey string `json:"live_key,omitempty"`
	TestKey string `json:"test_key,omitempty"`
}

func greet(c *cobra.Command, app *server.App) error {
	if wantsJSON(c) {
		return printJSON(c, startedJSON{URL: app.URL(), DB: app.DatabasePath()})
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "svc listens on http://%s\n", app.Addr())
	if app.URL() != "http://"+app.Addr() {
		fmt.Fprintf(out, "Links begin with %s\n", app.URL())
	}
	has, err := app.Accounts.Any(c.Context())
	if err != nil {
		return err
	}
	if !has {
		fmt.Fprintf(out, "There is no account yet. Make the operator's, in another terminal:\n"+
			"  %s accounts create --db %s --email you@example.com --password-stdin\n", program(), quote(app.DatabasePath()))
	}
	switch app.Carrier() {
	case "none":
		fmt.Fprintln(out, "Messages are refused until a provider is named with --messaging.")
	case "outbox":
		fmt.Fprintf(out, "Messages are not sent but kept in the outbox: %s messages list --db %s\n", program(), quote(app.DatabasePath()))
	}
	return nil
}

// printDemo prints calls that can be pasted as they are: each is one line that
// begins with curl.
func printDemo(c *cobra.Command, app *server.App) error {
	demo, err := app.FillDemo(c.Context())
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, startedJSON{
			URL: app.URL(), DB: app.DatabasePath(),
			Email: demo.Email, LiveKey: string(demo.LiveKey), TestKey: string(demo.TestKey),
		})
	}
	const receipt = `{"phone":"+447700900123","template":"receipt","text":"Thank you! 2 x Ground Coffee 250g, total GBP 9.00"}`
	send := app.URL() + "/api/v1/messaging/send"
	fmt.Fprintf(c.OutOrStdout(), `svc listens on http://%[11]s with the demo shop of %[2]s

What calls cost and what plans include:
curl -sS '%[1]s/api/v1/pricing'

Send a receipt with the live key (2 cents; messages go to: %[10]s):
curl -sS '%[3]s' -H 'x-api-key: %[4]s' -H 'Idempotency-Key: receipt-%[6]s' -d '%[5]s'

Paste the same line again: the same answer, no second message, no second debit.
The test key sends nothing and costs nothing:
curl -sS '%[3]s' -H 'x-api-key: %[7]s' -d '%[5]s'

A mistake is a 400 that names the field, and free:
curl -sS '%[3]s' -H 'x-api-key: %[4]s' -d '{"phone":"07700900123","template":"receipt","text":"Hello"}'

Look behind the scenes, in another terminal:
  %[9]s messages list --db %[8]s
  %[9]s wallet ledger %[2]s --db %[8]s

`, app.URL(), demo.Email, send, demo.LiveKey, receipt, string(demo.LiveKey[len(demo.LiveKey)-6:]), demo.TestKey, quote(app.DatabasePath()), program(), app.Carrier(), app.Addr())
	return nil
}

// quote writes a path so that a shell reads it as one word.
func quote(path string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// program is how the user can run another command: `go run .` builds a binary
// that is gone when it ends.
func program() string {
	path, err := os.Executable()
	if err == nil && strings.Contains(path, "go-build") {
		return "go run ."
	}
	if strings.Contains(os.Args[0], "/") {
		return quote(os.Args[0])
	}
	return "svc"
}

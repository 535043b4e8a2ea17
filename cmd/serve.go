package cmd

import (
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/account"
	"svc/server/carrier"
	"svc/server/money"
)

func newServe() *cobra.Command {
	var config server.Config
	var demo bool
	var proxies, logFormat, logLevel, signup, bundles string
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve the API",
		Args:  exactly(),
		RunE: func(c *cobra.Command, _ []string) (err error) {
			if config.TrustedProxies, err = parseProxies(proxies); err != nil {
				return err
			}
			if config.Log, err = newLog(c.ErrOrStderr(), logFormat, logLevel); err != nil {
				return err
			}
			if config.SignupOpen, err = parseSignup(signup); err != nil {
				return err
			}
			if config.Bundles, err = parseBundles(bundles); err != nil {
				return err
			}
			config.Stripe = readStripe(c)
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
				config.Messaging.Provider = carrier.NameOutbox
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
	flags.StringVar(&config.OperatorName, "operator-name", "", "who runs this server, as pages name them, like 'Corner Coffee Ltd'")
	flags.StringVar(&config.OperatorContact, "operator-contact", "", "how to reach them: an e-mail, a phone number or an address of a page")
	flags.StringVar(&signup, "signup", "closed", "open or closed: whether anybody can make an account (who is asked for access always can)")
	addStripeFlags(c)
	secretFlag(flags, new(string), "stripe-webhook-secret", "secret that signs Stripe's events, or two while one replaces the other, with a comma between")
	flags.StringVar(&bundles, "wallet-bundles", "", "credit for sale as price:credit in minor units and US cents, with commas between (default gbp:500:600,gbp:1000:1250,gbp:2500:3250)")
	ollamaFlags(flags, &config.Ollama)
	secretFlag(flags, &config.SMTP, "smtp", "server for mails: smtp://user:password@host:587 (STARTTLS) or smtps://…:465 (default: mails are kept in the outbox)")
	flags.StringVar(&config.MailFrom, "mail-from", "", "sender of mails, like 'Corner Shop <shop@example.com>'")
	flags.StringVar(&logFormat, "log", "text", "text or json, on standard error")
	flags.StringVar(&logLevel, "log-level", "info", "least level that is logged: debug (with probes), info, warn or error")
	m := &config.Messaging
	names := carrier.Names()
	last := len(names) - 1
	flags.StringVar(&m.Provider, "messaging", "", strings.Join(names[:last], ", ")+" or "+names[last]+" (default outbox on a loopback base URL, else none)")
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

var logLevels = map[string]slog.Level{
	"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
}

func newLog(out io.Writer, format, levelName string) (*slog.Logger, error) {
	level, ok := logLevels[levelName]
	if !ok {
		return nil, usageError{fmt.Errorf("--log-level: must be debug, info, warn or error, not %q", levelName)}
	}
	options := &slog.HandlerOptions{Level: level}
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(out, options)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(out, options)), nil
	}
	return nil, usageError{fmt.Errorf("--log: must be text or json, not %q", format)}
}

// startedJSON is what serve --json prints when it listens. Email, password and keys are
// those of the demo.
type startedJSON struct {
	URL      string `json:"url"`
	DB       string `json:"db"`
	Email    string `json:"email,omitempty"`
	Password string `json:"password,omitempty"`
	LiveKey  string `json:"live_key,omitempty"`
	TestKey  string `json:"test_key,omitempty"`
	SetupURL string `json:"setup_url,omitempty"` // of a server without an account
}

func parseSignup(value string) (open bool, err error) {
	if value != "open" && value != "closed" {
		return false, usageError{fmt.Errorf("--signup: must be open or closed, not %q", value)}
	}
	return value == "open", nil
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

func greet(c *cobra.Command, app *server.App) error {
	setup, err := setupLink(c, app)
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, startedJSON{URL: app.URL(), DB: app.DatabasePath(), SetupURL: setup})
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "svc listens on http://%s\n", app.Addr())
	if app.URL() != "http://"+app.Addr() {
		fmt.Fprintf(out, "Links begin with %s\n", app.URL())
	}
	if setup != "" {
		fmt.Fprintf(out, "There is no account yet. Make the operator's with this link, within 30 minutes:\n  %s\n"+
			"or in another terminal:\n  %s accounts create --db %s --email you@example.com --password-stdin\n",
			setup, program(), quote(app.DatabasePath()))
	}
	greetOutside(out, app)
	return nil
}

// setupLink returns the link that makes the first account (L2), or "" if one exists.
func setupLink(c *cobra.Command, app *server.App) (string, error) {
	has, err := app.Accounts.Any(c.Context())
	if err != nil || has {
		return "", err
	}
	return app.Accounts.SetupLink(c.Context())
}

// greetOutside prints which external services are set up, and which are not.
func greetOutside(out io.Writer, app *server.App) {
	if app.Mails.Outbox() {
		fmt.Fprintf(out, "Mails are not sent but kept in the outbox: %s mails list --db %s\n", program(), quote(app.DatabasePath()))
	}
	switch {
	case !app.Payments.Ready():
		fmt.Fprintln(out, "Payments are not set up; name a Stripe key with --stripe-key to take them.")
	case !app.Payments.ReceivesEvents():
		fmt.Fprintln(out, "Stripe's events are refused until --stripe-webhook-secret is set; until then svc charges reconcile asks Stripe.")
	}
	if model := app.AskModel(); model != "" {
		fmt.Fprintf(out, "Questions that the built-in reader does not understand are read by %s.\n", model)
	}
	if model := app.VisionModel(); model != "" {
		fmt.Fprintf(out, "Photos without a known barcode are looked at by %s.\n", model)
	} else {
		fmt.Fprintln(out, "Photos are read for barcodes only; name a model that looks at them with --ollama and --vision-model.")
	}
	switch app.Carrier() {
	case carrier.NameNone:
		fmt.Fprintln(out, "Messages are refused until a provider is named with --messaging.")
	case carrier.NameOutbox:
		fmt.Fprintf(out, "Messages are not sent but kept in the outbox: %s messages list --db %s\n", program(), quote(app.DatabasePath()))
	}
}

// printDemo fills the demo shop and prints calls that can be pasted as they are: each is
// one line that begins with curl.
func printDemo(c *cobra.Command, app *server.App) error {
	demo, err := app.FillDemo(c.Context())
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, startedJSON{
			URL: app.URL(), DB: app.DatabasePath(),
			Email: demo.Email, Password: demo.Password, LiveKey: string(demo.LiveKey), TestKey: string(demo.TestKey),
		})
	}
	const receipt = `{"phone":"+447700900123","template":"receipt","text":"Thank you! 2 x Ground Coffee 250g, total GBP 9.00"}`
	post := func(path string, key db.Secret, body, options string) string {
		return fmt.Sprintf("curl -sS '%s/api/v1/%s' -H 'x-api-key: %s'%s -d '%s'", app.URL(), path, key, options, body)
	}
	once := fmt.Sprintf(" -H 'Idempotency-Key: receipt-%s'", demo.LiveKey[len(demo.LiveKey)-6:])
	database := " --db " + quote(app.DatabasePath())
	for _, line := range []string{
		fmt.Sprintf("svc listens on http://%s with the demo shop of %s", app.Addr(), demo.Email), "",
		"What calls cost and what plans include:",
		fmt.Sprintf("curl -sS '%s/api/v1/pricing'", app.URL()), "",
		"Send a receipt with the live key (2 cents; messages go to: " + app.Carrier() + "):",
		post("messaging/send", demo.LiveKey, receipt, once), "",
		"Paste the same line again: the same answer, no second message, no second debit.",
		"The test key sends nothing and costs nothing:",
		post("messaging/send", demo.TestKey, receipt, ""), "",
		"A mistake is a 400 that names the field, and free:",
		post("messaging/send", demo.LiveKey, `{"phone":"07700900123","template":"receipt","text":"Hello"}`, ""), "",
		"Identify the product on a photo, a bag of coffee with a barcode (3 cents):",
		fmt.Sprintf(`curl -sS '%s' | base64 | tr -d '\n' | sed 's/.*/{"image":"&"}/' | `, demo.Photo) +
			fmt.Sprintf("curl -sS '%s/api/v1/scan' -H 'x-api-key: %s' -d @-", app.URL(), demo.LiveKey), "",
		"Ask a question in plain English, with either key (free):",
		post("ask", demo.TestKey, `{"question":"Which products lost money last quarter?"}`, ""), "",
		"Ask the shop for its inventory, then open confirmation_url, sign in and decide:",
		post("connections", demo.LiveKey, `{"merchant_email":"`+demo.Email+`","scopes":["read_inventory"]}`, ""),
		"  e-mail " + demo.Email + ", password " + demo.Password, "",
		"Create a charge with the test key, then open confirmation_url and simulate the payment:",
		post("charges", demo.TestKey, `{"merchant_email":"`+demo.Email+`","amount_cents":1250,"description":"Two bags of coffee"}`, ""), "",
		"Look behind the scenes at " + app.ConsoleURL() + "/console, or in another terminal:",
		"  " + program() + " messages list" + database,
		"  " + program() + " mails list" + database,
		"  " + program() + " inventory list" + database,
		"  " + program() + ` ask "What are our best selling products this year?"` + database,
		"  " + program() + " wallet ledger " + demo.Email + database, "",
	} {
		fmt.Fprintln(c.OutOrStdout(), line)
	}
	return nil
}

// quote returns a path so that a shell reads it as one word.
func quote(path string) string {
	plain := func(r rune) bool {
		return r == '/' || r == '.' || r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// program returns how the user can run another command. The binary that `go run .` builds
// is deleted when it ends, so its path is of no use.
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

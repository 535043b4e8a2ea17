package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"svc/db"
	"svc/server"
	"svc/server/carrier"
)

func newServe() *cobra.Command {
	var given settings
	var demo bool
	c := command("serve", "Serve the API", exactly(), func(c *cobra.Command, _ []string) error {
		config, err := given.read(c)
		if err != nil {
			return err
		}
		if demo {
			return serveDemo(c, config)
		}
		return server.Run(c.Context(), config, func(app *server.App) error { return greet(c, app) })
	})
	c.Flags().BoolVar(&demo, "demo", false, "serve a filled shop on "+defaultDemoDB+" and print calls to try")
	given.addFlags(c)
	return c
}

// serveDemo serves the demo's shop, which is the first account of its database.
func serveDemo(c *cobra.Command, config server.Config) error {
	if !c.Flags().Changed("db") {
		config.DB = defaultDemoDB
	}
	config.OperatorEmail = ""
	if err := server.CheckDemo(c.Context(), config.DB); err != nil {
		return err
	}
	if config.Messaging.Provider == "" {
		config.Messaging.Provider = carrier.NameOutbox
	}
	return server.Run(c.Context(), config, func(app *server.App) error { return printDemo(c, app) })
}

// startedJSON is what serve --json prints when it listens. Email, password and keys are
// those of the demo.
type startedJSON struct {
	URL      string `json:"url"`
	Metrics  string `json:"metrics_url,omitempty"` // with --metrics-addr
	DB       string `json:"db"`
	Email    string `json:"email,omitempty"`
	Password string `json:"password,omitempty"`
	LiveKey  string `json:"live_key,omitempty"`
	TestKey  string `json:"test_key,omitempty"`
	SetupURL string `json:"setup_url,omitempty"` // as long as nobody can sign in
}

func greet(c *cobra.Command, app *server.App) error {
	setup, email, err := app.Accounts.FirstLink(c.Context())
	if err != nil {
		return err
	}
	if wantsJSON(c) {
		return printJSON(c, startedJSON{URL: app.URL(), Metrics: app.MetricsURL(), DB: app.DatabasePath(), SetupURL: setup})
	}
	out := c.OutOrStdout()
	fmt.Fprintf(out, "svc listens on %s\n", app.ListenURL())
	if app.URL() != app.ListenURL() {
		fmt.Fprintf(out, "Links begin with %s\n", app.URL())
	}
	if domains := app.Domains(); len(domains) > 0 {
		fmt.Fprintf(out, "svc gets and renews the certificates of %s; the first takes some seconds.\n", strings.Join(domains, ", "))
	}
	if url := app.MetricsURL(); url != "" {
		fmt.Fprintf(out, "Metrics are at %s, for anyone who can reach it\n", url)
	}
	if setup != "" {
		printSetup(out, app, setup, email)
	}
	greetOutside(out, app)
	return nil
}

// printSetup prints how the operator gets in while nobody can sign in (L2). The e-mail is
// empty if there is no account.
func printSetup(out io.Writer, app *server.App, link, email string) {
	task, command := "There is no account yet. Make the operator's", "accounts create --email you@example.com"
	if email != "" {
		task, command = oneLine(email)+" has no password yet. Choose one", "accounts password "+quote(oneLine(email))
	}
	fmt.Fprintf(out, "%s with this link, within %.0f minutes:\n  %s\nor in another terminal:\n  %s %s --db %s\n",
		task, db.LinkLife.Minutes(), link, program(), command, quote(app.DatabasePath()))
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
			URL: app.URL(), Metrics: app.MetricsURL(), DB: app.DatabasePath(),
			Email: demo.Email, Password: demo.Password, LiveKey: string(demo.LiveKey), TestKey: string(demo.TestKey),
		})
	}
	const receipt = `{"phone":"+447700900123","template":"receipt","text":"Thank you! 2 x Ground Coffee 250g, total GBP 9.00"}`
	post := func(path string, key db.Secret, body, options string) string {
		return fmt.Sprintf("curl -sS '%s/api/v1/%s' -H 'x-api-key: %s'%s -d '%s'", app.URL(), path, key, options, body)
	}
	get := func(path string, key db.Secret) string {
		return fmt.Sprintf("curl -sS '%s/%s' -H 'x-api-key: %s'", app.URL(), path, key)
	}
	once := fmt.Sprintf(" -H 'Idempotency-Key: receipt-%s'", demo.LiveKey[len(demo.LiveKey)-6:])
	database := " --db " + quote(app.DatabasePath())
	ofShop := " --account " + demo.Email + database
	for _, line := range []string{
		fmt.Sprintf("svc listens on %s with the demo shop of %s", app.ListenURL(), demo.Email) + replaced(demo), "",
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
		"Push a count of the espresso and a sale that empties its shelf (free; the events are sale.created and stock.low):",
		post("data/push", demo.LiveKey, demoPush(time.Now()), ""), "",
		"Read how the shop does, what needs attention, and the brief of the day (free):",
		get("pulse", demo.LiveKey),
		get("alerts", demo.LiveKey),
		get("brief", demo.LiveKey), "",
		"Look behind the scenes at " + app.ConsoleURL() + "/console, or in another terminal:",
		"  " + program() + " messages list" + ofShop,
		"  " + program() + " mails list" + database,
		"  " + program() + " inventory list" + ofShop,
		"  " + program() + ` ask "What are our best selling products this year?"` + ofShop,
		"  " + program() + " wallet ledger " + demo.Email + database, "",
	} {
		fmt.Fprintln(c.OutOrStdout(), line)
	}
	return nil
}

// replaced returns what to know of an earlier start of the demo, on a line of its own.
func replaced(demo server.Demo) string {
	if !demo.Replaced {
		return ""
	}
	return "\nThe keys and the password of the last start no longer work; these do:"
}

// demoPush returns the body of a push of what happened in the demo shop just now.
func demoPush(now time.Time) string {
	at := now.UTC().Format(time.RFC3339)
	return `{"records":[` +
		`{"type":"product","external_id":"ESP-1KG","sku":"ESP-1KG","stock_qty":9,"counted_at":"` + at + `"},` +
		`{"type":"sale","external_id":"till-` + at + `","occurred_at":"` + at + `","items":[{"sku":"ESP-1KG","quantity":9,"price":16.90}]}]}`
}

// quote returns a text so that a shell reads it as one word.
func quote(text string) string {
	plain := func(r rune) bool {
		return strings.ContainsRune("/.-_@", r) || unicode.IsLetter(r) || unicode.IsDigit(r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
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

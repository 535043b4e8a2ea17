package cmd

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// examples are the command lines that the help of a command shows. A group shows those
// of its commands.
var examples = map[string]string{
	"svc":                  "svc serve --demo\nsvc accounts create --email you@example.com --password-stdin\nsvc keys create --account you@example.com",
	"svc serve":            "svc serve --addr 127.0.0.1:8080\nsvc serve --base-url https://api.example.com --messaging twilio\nsvc serve --tls-domain shop.example.com --operator-contact you@example.com",
	"svc accounts create":  "svc accounts create --email shop@example.com --name 'Corner Shop' --plan growth",
	"svc accounts list":    "svc accounts list",
	"svc accounts show":    "svc accounts show shop@example.com --json",
	"svc accounts set":     "svc accounts set shop@example.com --currency gbp --timezone Europe/London",
	"svc accounts plan":    "svc accounts plan shop@example.com growth",
	"svc accounts disable": "svc accounts disable shop@example.com",
	"svc accounts enable":  "svc accounts enable shop@example.com",
	"svc accounts delete":  "svc accounts delete shop@example.com --yes shop@example.com",
	"svc people list":      "svc people list --account shop@example.com",
	"svc people invite":    "svc people invite sam@example.com --account shop@example.com",
	"svc people remove":    "svc people remove sam@example.com --account shop@example.com",
	"svc keys create":      "svc keys create --account shop@example.com --env live --label 'front desk'",
	"svc keys list":        "svc keys list --account shop@example.com",
	"svc keys disable":     "svc keys disable key_01m81hkqkv0004vr53p75hp4pd",
	"svc keys enable":      "svc keys enable key_01m81hkqkv0004vr53p75hp4pd",
	"svc keys rotate":      "svc keys rotate key_01m81hkqkv0004vr53p75hp4pd --grace 1h\nsvc keys rotate key_01m81hkqkv0004vr53p75hp4pd --end-old",
	"svc keys limit":       "svc keys limit key_01m81hkqkv0004vr53p75hp4pd data/push 120 5000\nsvc keys limit key_01m81hkqkv0004vr53p75hp4pd data/push --default",
	"svc keys label":       "svc keys label key_01m81hkqkv0004vr53p75hp4pd 'front desk'",
	"svc alerts list":      "svc alerts list --account shop@example.com",
	"svc alerts ack":       "svc alerts ack alert_01m81hkqkv0004vr53p75hp4pd",
	"svc alerts snooze":    "svc alerts snooze alert_01m81hkqkv0004vr53p75hp4pd --for 72h",
	"svc apps create":      "svc apps create --account shop@example.com --name 'Till' --logo till.png",
	"svc apps list":        "svc apps list",
	"svc wallet show":      "svc wallet show shop@example.com",
	"svc wallet credit":    "svc wallet credit shop@example.com 500 --note 'welcome'\nsvc wallet credit --note 'undo' shop@example.com -- -500",
	"svc wallet threshold": "svc wallet threshold shop@example.com 100",
	"svc wallet ledger":    "svc wallet ledger shop@example.com",
	"svc wallet verify":    "svc wallet verify",

	"svc inventory import": "svc inventory import --account shop@example.com --dry-run products.csv",
	"svc inventory list":   "svc inventory list --account shop@example.com --search coffee",
	"svc inventory undo":   "svc inventory undo imp_01kjpzv280004ws5q8sw4exq50",
	"svc inventory show":   "svc inventory show --account shop@example.com SKU-17",
	"svc inventory set":    "svc inventory set --account shop@example.com SKU-17 --price 4.50 --reorder-point 6",
	"svc inventory adjust": "svc inventory adjust --account shop@example.com SKU-17 -3 --reason 'three bags were torn'",
	"svc inventory remove": "svc inventory remove --account shop@example.com SKU-17 --yes",
	"svc inventory search": "svc inventory search --account shop@example.com 'ground coffee 250 g'",
	"svc inventory export": "svc inventory export --account shop@example.com > products.csv",
	"svc inventory alias":  "svc inventory alias --account shop@example.com SKU-17 'house blend'",
	"svc inventory verify": "svc inventory verify --account shop@example.com",
	"svc data import":      "svc data import --account shop@example.com february.csv --name sales --add",
	"svc data rows":        "svc data rows sales --account shop@example.com --limit 20\nsvc data rows --account shop@example.com --search 'flat white' --sort -Total",
	"svc data export":      "svc data export sales --account shop@example.com > sales.csv",
	"svc data remove":      "svc data remove sales --account shop@example.com",
	"svc data show":        "svc data show sales --account shop@example.com",
	"svc data use":         "svc data use sales --account shop@example.com",
	"svc data list":        "svc data list --account shop@example.com",
	"svc data roles":       "svc data roles --account shop@example.com Total=revenue 'Unit cost=unit_cost'",
	"svc data words":       "svc data words --account shop@example.com takings = revenue\nsvc data words sales 'flat white' = 'Item: Coffee, flat white' --account shop@example.com\nsvc data words --remove takings --account shop@example.com",
	"svc scan":             "svc scan --account shop@example.com photo.jpg",
	"svc ask":              "svc ask --account shop@example.com 'What are our best sellers?'",
	"svc pulse":            "svc pulse --account shop@example.com",
	"svc brief":            "svc brief --account shop@example.com --json",

	"svc messages list":       "svc messages list --account shop@example.com --limit 10",
	"svc messages show":       "svc messages show msg_01m81hkqkv0004vr53p75hp4pd",
	"svc messages unknown":    "svc messages unknown --account shop@example.com",
	"svc connections list":    "svc connections list --account shop@example.com",
	"svc connections revoke":  "svc connections revoke conn_01m81hkqkv0004vr53p75hp4pd",
	"svc charges list":        "svc charges list --account shop@example.com",
	"svc charges reconcile":   "SVC_STRIPE_KEY_FILE=stripe.key svc charges reconcile",
	"svc charges mismatches":  "svc charges mismatches",
	"svc events kinds":        "svc events kinds\nsvc events kinds sale.created",
	"svc webhooks list":       "svc webhooks list --account shop@example.com",
	"svc webhooks create":     "svc webhooks create --account shop@example.com --url https://example.com/events --events sale.created,stock.low",
	"svc webhooks set":        "svc webhooks set wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com --events sale.created,stock.low",
	"svc webhooks deliveries": "svc webhooks deliveries wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com --status failed",
	"svc webhooks resend":     "svc webhooks resend wh_01m81hkqkv0004vr53p75hp4pd dlv_01m81hkqkv0004vr53p75hp4pd --account shop@example.com",
	"svc webhooks recover":    "svc webhooks recover wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com --since 24h",
	"svc webhooks rotate":     "svc webhooks rotate wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com --overlap 48h",
	"svc webhooks enable":     "svc webhooks enable wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com",
	"svc webhooks disable":    "svc webhooks disable wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com",
	"svc webhooks delete":     "svc webhooks delete wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com",
	"svc webhooks test":       "svc webhooks test wh_01m81hkqkv0004vr53p75hp4pd --account shop@example.com --event stock.low",
	"svc events trigger":      "svc events trigger stock.low --account shop@example.com",
	"svc events listen":       "svc events listen --account shop@example.com --forward-to http://127.0.0.1:3000/events\nsvc events listen --account shop@example.com --events sale.created,stock.low --json",
	"svc mails list":          "svc mails list --limit 5",
	"svc mails show":          "svc mails show mail_01m81hkqkv0004vr53p75hp4pd",
	"svc mails resend":        "svc mails resend mail_01m81hkqkv0004vr53p75hp4pd",
	"svc rates import":        "svc rates import eurofxref-hist.csv\nsvc rates import eurofxref.zip",
	"svc rates list":          "svc rates list",
	"svc rates show":          "svc rates show usd --limit 5",
	"svc requests":            "svc requests --status 402 --limit 10\nsvc requests --key key_01m81hkqkv0004vr53p75hp4pd --follow",
	"svc activity":            "svc activity --account shop@example.com --limit 20",
	"svc sessions list":       "svc sessions list --account shop@example.com",
	"svc sessions end":        "svc sessions end ses_01m81hkqkv0004vr53p75hp4pd",

	"svc accounts password":     "svc accounts password shop@example.com\nsvc accounts password shop@example.com --password-stdin < password.txt",
	"svc migrate status":        "svc migrate status",
	"svc migrate up":            "svc migrate up --db svc.db",
	"svc doctor":                "svc doctor --db svc.db --smtp smtp://shop:secret@mail.example.com:587 --mail-from shop@example.com",
	"svc healthcheck":           "svc healthcheck --addr 127.0.0.1:8080",
	"svc config show":           "svc config show --base-url https://api.example.com",
	"svc openapi":               "svc openapi > openapi.yaml\nsvc openapi --json > openapi.json",
	"svc version":               "svc version --json",
	"svc help":                  "svc help wallet credit",
	"svc completion bash":       "source <(svc completion bash)",
	"svc completion zsh":        "source <(svc completion zsh)",
	"svc completion fish":       "svc completion fish | source",
	"svc completion powershell": "svc completion powershell | Out-String | Invoke-Expression",

	"svc accounts two-factor-off": "svc accounts two-factor-off shop@example.com",
}

// describe completes the help of all commands: an example, and the variable of each flag.
func describe(root *cobra.Command) {
	eachCommand(root, func(c *cobra.Command) {
		if c.Example == "" {
			c.Example = indent(exampleOf(c))
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if names := variablesOf(f); names != nil {
				f.Usage += " [" + strings.Join(names, ", or better a file named by ") + "]"
			}
		})
	})
}

func exampleOf(c *cobra.Command) string {
	text := examples[c.CommandPath()]
	if text != "" {
		return text
	}
	var all []string
	for _, sub := range c.Commands() {
		if first, _, _ := strings.Cut(exampleOf(sub), "\n"); first != "" {
			all = append(all, first)
		}
	}
	return strings.Join(all, "\n")
}

func indent(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") }

// eachCommand calls fn with a command and all below it, parents first.
func eachCommand(c *cobra.Command, fn func(*cobra.Command)) {
	fn(c)
	for _, sub := range c.Commands() {
		eachCommand(sub, fn)
	}
}

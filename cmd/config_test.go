package cmd_test

import (
	"strings"
	"testing"
)

// settingsOf runs config show and returns "value source from" by setting.
func (f *folder) settingsOf(args ...string) map[string]string {
	f.Helper()
	all := map[string]string{}
	for _, row := range f.objects(f.ok(append([]string{"config", "show", "--json"}, args...)...)) {
		if fieldsOf(row) != "from name source value" {
			f.Fatalf("setting %v", row)
		}
		all[row["name"].(string)] = strings.Join([]string{row["value"].(string), row["source"].(string), row["from"].(string)}, " ")
	}
	return all
}

func TestConfigShow(t *testing.T) {
	t.Parallel()
	const secret = "sk_live_never_shown"
	f := newFolder(t)
	key := f.write("stripe.key", secret+"\n")
	got := f.with("SVC_BASE_URL=https://api.example.com", "SVC_STRIPE_KEY_FILE="+key, "SVC_DB=shop.db", "SVC_LOG=json", "SVC_METRICS_ADDR=:9464",
		"SVC_SMTP=smtp://me:"+secret+"@mail.example.com:587", "SVC_MAIL_FROM=shop@example.com",
		"SVC_OLLAMA=http://me:"+secret+"@models.example.com", "SVC_SIGNUP=",
		"SVC_MESSAGING_URL=https://hooks.example.com/in?token="+secret, "SVC_OPERATOR_NAME=Tea? Ltd").
		settingsOf("--addr", ":9090", "--log", "text")
	for name, want := range map[string]string{
		"addr":                  "0.0.0.0:9090 flag --addr",
		"base-url":              "https://api.example.com variable SVC_BASE_URL",
		"console-url":           "https://api.example.com default ",
		"db":                    "shop.db variable SVC_DB",
		"idempotency-ttl":       "24h0m0s default ",
		"log":                   "text flag --log",
		"messaging":             "none default ",
		"metrics-addr":          "0.0.0.0:9464 variable SVC_METRICS_ADDR",
		"messaging-url":         "https://hooks.example.com/in?******** variable SVC_MESSAGING_URL",
		"model-timeout":         "20s default ",
		"ollama":                "http://me:xxxxx@models.example.com variable SVC_OLLAMA",
		"operator-name":         "Tea? Ltd variable SVC_OPERATOR_NAME",
		"signup":                "closed default ",
		"smtp":                  "******** variable SVC_SMTP",
		"stripe-key":            "******** file " + key,
		"stripe-webhook-secret": " default ",
		"webhook-allow":         " default ",
		"webhook-sweep":         "1m0s default ",
		"wallet-bundles":        "gbp:500:600,gbp:1000:1250,gbp:2500:3250 default ",
	} {
		if got[name] != want {
			t.Errorf("%s: %q, want %q", name, got[name], want)
		}
	}
	for _, name := range []string{"help", "json", "demo"} {
		if _, has := got[name]; has {
			t.Errorf("%s is no setting", name)
		}
	}
	out := f.with("SVC_STRIPE_KEY="+secret).ok("config", "show")
	contains(t, out, "http://127.0.0.1:8080", "SVC_STRIPE_KEY", "outbox")
	if strings.Contains(out, secret) {
		t.Errorf("the secret is shown: %s", out)
	}
	if f.has("svc.db") || f.has("shop.db") {
		t.Error("a database was made")
	}
}

// TestConfigShowChecks checks that config show refuses what serve refuses.
func TestConfigShowChecks(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	contains(t, f.fails(2, "config", "show", "--base-url", "example.com"), "--base-url: must be like")
	contains(t, f.fails(2, "config", "show", "--addr", "here"), "--addr: ")
	contains(t, f.fails(2, "config", "show", "--metrics-addr", "here"), "--metrics-addr: must be a host and a port")
	contains(t, f.fails(2, "config", "show", "--metrics-addr", ":8080"), "--metrics-addr: must not be the address of --addr")
	contains(t, f.fails(2, "config", "show", "--operator-email", "x"), "--operator-email: must be")
	contains(t, f.fails(2, "config", "show", "--messaging", "twilio"), "--twilio-sid: is required")
	contains(t, f.fails(2, "config", "show", "--wallet-bundles", "x"), "--wallet-bundles")
	contains(t, f.with("SVC_LOG=xml").fails(2, "config", "show"), "--log: must be text or json")
	contains(t, f.with("SVC_SMTP_FILE=/nowhere").fails(1, "config", "show"), "SVC_SMTP_FILE")
}

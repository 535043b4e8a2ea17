package cmd_test

import (
	"os"
	"strings"
	"testing"
)

// These tests refuse a wrong use with status 2, and what cannot be done with status 1.

// Each wrong use is refused in the test's process, as TestRefusals shows it of processes.
func TestWrongUsage(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"nonsense":                              `unknown command "nonsense"`,
		"accounts nonsense":                     `unknown command "nonsense"`,
		"help nonsense":                         `unknown command "nonsense"`,
		"accounts list --nonsense":              "unknown flag: --nonsense",
		"accounts list extra":                   "usage: svc accounts list",
		"accounts create":                       "--email is required",
		"accounts create --email":               "flag needs an argument",
		"accounts show":                         "usage: svc accounts show EMAIL",
		"accounts plan a@example.com":           "usage: svc accounts plan EMAIL",
		"accounts password a@b.co":              "standard input is no terminal",
		"apps create":                           "--name is required",
		"keys disable":                          "usage: svc keys disable ID",
		"wallet credit a@example.com x1":        `CENTS must be a whole number, not "x1"`,
		"wallet credit a@example.com -5":        `a number below zero stands at the end, after "--": svc wallet credit … -- -5`,
		"wallet threshold a@b.co -12":           "svc wallet threshold … -- -12",
		"wallet credit a@example.com -x":        "unknown shorthand flag",
		"walet":                                 `unknown command "walet" for "svc"; did you mean wallet?`,
		"accounts lisst":                        `unknown command "lisst" for "svc accounts"; did you mean list?`,
		"help walet":                            `unknown command "walet" for "svc"; did you mean wallet?`,
		"help wallet shw":                       `unknown command "shw" for "svc wallet"; did you mean show?`,
		"keys create --acount a@b.co":           "unknown flag: --acount; did you mean --account?",
		"keys list --acc a@b.co":                "unknown flag: --acc; did you mean --account?",
		"accounts list --jsn":                   "unknown flag: --jsn; did you mean --json?",
		"accounts list --databse x":             "unknown flag: --databse; did you mean --db?",
		"accounts plan a@b.co busines":          `must be free, growth or business, not "busines"; did you mean business?`,
		"keys create --env liv":                 `--env: must be test or live, not "liv"; did you mean live?`,
		"accounts set a@b.co --currency gpb":    `--currency: there is no "gpb"; did you mean gbp?`,
		"accounts set a@b.co --biz-type retial": "did you mean retail?",
		"data roles Total=revenu":               `there is no role "revenu"; the roles are`,
		"data roles Total=Revenu":               "; did you mean revenue?",
		"serve --messaging twillio":             "did you mean twilio?",
		"serve --log jsn":                       "did you mean json?",
		"serve --signup opn":                    "--signup: must be open or closed, not \"opn\"; did you mean open?",
		"serve --stripe-kee x":                  "unknown flag: --stripe-kee; did you mean --stripe-key?",
		"completion tcsh":                       `unknown command "tcsh" for "svc completion"`,
		"completion bash extra":                 "usage: svc completion bash",
		"wallet threshold a@b.co 1.5":           `CENTS must be a whole number, not "1.5"`,
		"backup":                                "usage: svc backup FILE",
		"restore a b":                           "usage: svc restore FILE",
		"messages list --limit many":            `must be a whole number, not "many"`,
		"accounts list --json=perhaps":          `must be true or false, not "perhaps"`,
		"accounts list --db=":                   "--db is required",
		"serve extra":                           "usage: svc serve",
		"serve --log xml":                       "--log: must be text or json",
		"serve --log-level loud":                "--log-level: must be debug, info, warn or error",
		"serve --idempotency-ttl 5":             "must be a duration, like 30s",
		"serve --webhook-sweep 1ms":             "--webhook-sweep: must be from 1s to 1h",
		"serve --webhook-allow a/b":             "--webhook-allow: \"a/b\" is not private",
		"serve --idempotency-ttl 1m":            "--idempotency-ttl: must be from 1h to 720h",
		"serve --memory much":                   "--memory: must be a size like 512MiB, not \"much\"",
		"serve --memory 0":                      "--memory: must be a size like 512MiB",
		"serve --memory 1MiB":                   "--memory: must be at least 64MiB",
		"serve --trusted-proxies here":          "--trusted-proxies",
		"messages list --limit 0":               "--limit must be at least 1",
		"serve --base-url example.com":          "--base-url: must be like",
		"serve --messaging pigeon":              "--messaging: must be ",
		"serve --messaging webhook":             "--messaging-url: is required",
		"healthcheck --addr nowhere":            "--addr: must be a host and a port",
		"serve --addr 99999":                    `--addr: must be a host and a port, like 127.0.0.1:8080 or :8080, not "99999"`,
		"serve --addr :99999":                   "--addr: must be a host and a port",
		"serve --addr 127.0.0.1":                "--addr: must be a host and a port",
		"serve --addr [::1":                     "--addr: must be a host and a port",
		"config show --addr 99999":              "--addr: must be a host and a port",
		"healthcheck --addr :http-":             "--addr: must be a host and a port",
		"serve --smtp smtp://mail":              "--mail-from: is required with --smtp",
		"serve --operator-email nobody":         "--operator-email: must be one e-mail address",
		"accounts create --email nobody":        "email: must be one e-mail address",
		"keys create --account nobody":          "email: must be one e-mail address",
	} {
		t.Run(line, func(t *testing.T) {
			args := words(line)
			if args[0] == "serve" && !strings.Contains(line, "--addr") {
				args = append(args, "--addr", "127.0.0.1:0")
			}
			contains(t, wrongHere(t, args...), want)
		})
	}
}

// A command that cannot succeed on an empty database makes none.
func TestRefusalsMakeNoDatabase(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	contains(t, f.fails(2, "serve", "--log", "xml"), "--log: must be text or json")
	for line, want := range map[string]string{
		"keys create": "there is none yet; name the first with --account",
		"keys create --account owner@example.com --app Till": `no app named "Till"`,
		"accounts list":                        "no database at svc.db",
		"webhooks list --account a@b.co":       "no database at svc.db",
		"inventory import --account a@b.co no": "no database at svc.db",
	} {
		contains(t, f.fails(1, words(line)...), want)
	}
	r := f.run("short\n", "accounts", "create", "--email", owner, "--password-stdin")
	if r.status != 2 {
		t.Errorf("a short password: status %d, %q", r.status, r.err)
	}
	contains(t, r.err, "password: must have")
	contains(t, f.with("SVC_OPERATOR_EMAIL="+owner, "SVC_OPERATOR_PASSWORD=short").
		fails(2, "serve", "--addr", "127.0.0.1:0"), "password: must have")
	if left, err := os.ReadDir(f.dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v (%v)", left, err)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "10")
	f.account("second@example.com", "free", "0")
	f.write("logo.svg", "<svg/>")
	for line, want := range map[string]string{
		"accounts create --email OWNER@example.com":                        "has an account already",
		"accounts show nobody@example.com":                                 "no account for nobody@example.com",
		"apps create --account owner@example.com --name A --logo no":       "no such file",
		"apps create --account owner@example.com --name A --logo logo.svg": "logo: must be a PNG",
		"keys create --account nobody@example.com":                         "no account for nobody@example.com",
		"keys create --account owner@example.com --app Till":               `no app named "Till"`,
		"keys disable nonsense":                                            "no key nonsense",
		"keys enable nonsense":                                             "no key nonsense",
		"scan --account owner@example.com logo.svg":                        "image: must be a JPEG",
		"wallet show a@example.com":                                        "no account for a@example.com",
		"wallet credit owner@example.com -- -11":                           "takes back more than the wallet has free",
		"healthcheck --addr 127.0.0.1:1":                                   "no healthy server",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(1, words(line)...), want)
		})
	}
	for line, want := range map[string]string{
		"accounts create --email nobody":                      "email: must be one e-mail address",
		"accounts create --email c@example.com --plan gold":   "--plan: must be free, growth or business, not \"gold\"",
		"accounts plan owner@example.com gold":                "accounts plan: must be free, growth or business, not \"gold\"",
		"accounts set owner@example.com --timezone Mars/Base": "timezone: must be an IANA zone",
		"keys create --account owner@example.com --env prod":  "--env: must be test or live, not \"prod\"",
		"keys create --account owner@example.com --mode any":  "--mode: must be account or generic, not \"any\"",
		"keys create":                    "account: there are several",
		"keys list":                      "account: there are several",
		"messages list":                  "account: there are several",
		"keys rotate key_1 --grace 721h": "grace: must be from 0 to 720h",
		"keys label key_1 " + strings.Repeat("x", 101): "label: must have at most 100 characters",
		"apps create --account a@b.co --name _":        "name: is required",
		"requests --limit x":                           "--limit: must be a whole number, not \"x\"",
		"keys rotate key_1 --grace 5":                  "--grace: must be a duration, like 30s or 24h, not \"5\"",
		"accounts list --json=please":                  "--json: must be true or false, not \"please\"",
		"accounts set owner@example.com":               "say what to change, like --currency gbp",
		"wallet credit owner@example.com 0":            "cents: must be a whole number",
	} {
		t.Run(line, func(t *testing.T) {
			here := *f
			here.TB = t
			contains(t, here.fails(2, words(line)...), want)
		})
	}
	if n := strings.Count(f.ok("accounts", "list", "--json"), "\n"); n != 2 {
		t.Errorf("%d accounts after refusals, want 2", n)
	}
}

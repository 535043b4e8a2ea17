package cmd_test

import (
	"image"
	"image/png"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
)

// words splits a command line of a table; "_" means a space within an argument.
func words(line string) []string {
	args := strings.Fields(line)
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], "_", " ")
	}
	return args
}

func contains(t testing.TB, text string, wanted ...string) {
	t.Helper()
	for _, w := range wanted {
		if !strings.Contains(text, w) {
			t.Errorf("no %q in %q", w, text)
		}
	}
}

const password = "correct horse battery staple\n"

// TestEveryCommand runs each command, in the order in which a user might need them, and
// checks its text and the fields of its JSON.
func TestEveryCommand(t *testing.T) {
	var logo strings.Builder
	if err := png.Encode(&logo, image.NewGray(image.Rect(0, 0, 8, 8))); err != nil {
		t.Fatal(err)
	}
	t.Parallel()
	const (
		accountFields = "biz_type created_at currency email id name operator plan region status timezone"
		appFields     = "account_id created_at email id logo_type name"
		entryFields   = "amount_cents balance_after_cents created_at kind note seq"
		keyFields     = "created_at env id key label mode"
		walletFields  = "balance_cents held_cents low_balance_cents"
		some          = -1
	)
	texts, objects := newFolder(t), newFolder(t)
	for _, row := range []struct {
		line   string
		text   string // part of the output
		fields string // of each object with --json
		count  int    // of objects
	}{
		{"accounts create --email owner@example.com --name Corner_Shop --password-stdin", "on the business plan", "email id plan", 1},
		{"accounts create --email third@example.com", "made account third@example.com (acct_", "email id plan", 1},
		{"accounts create --email second@example.com --plan growth", "on the growth plan", "email id plan", 1},
		{"accounts show OWNER@example.com", "Corner Shop", accountFields, 1},
		{"accounts set owner@example.com --biz-type exporter --currency EUR --region Kent --timezone Europe/Paris", "changed owner@example.com", accountFields, 1},
		{"accounts plan owner@example.com business", "owner@example.com is on the business plan", "email plan", 1},
		{"accounts password owner@example.com --password-stdin", "the password of owner@example.com is set", "email", 1},
		{"accounts list", "second@example.com", accountFields, 3},
		{"apps create --account owner@example.com --name Till --logo logo.png", "made app Till (app_", appFields, 1},
		{"apps list --account owner@example.com", "image/png", appFields, 1},
		{"keys create --account owner@example.com --env live --mode generic --label front_desk", "svc_generic_live_", "env id key label mode", 1},
		{"keys list --account owner@example.com", "front desk", keyFields, 1},
		{"wallet credit owner@example.com 500 --note welcome", "credited 500; the balance is 500 usd_cents", entryFields, 1},
		{"wallet threshold owner@example.com 42", "threshold 42", walletFields, 1},
		{"wallet show owner@example.com", "balance 500, held 0, low-balance threshold 42", walletFields, 1},
		{"wallet ledger owner@example.com", "welcome", entryFields, 1},
		{"wallet verify", "wallets checked: 3; all agree with their ledgers", "faults ok wallets", 1},
		{"messages list --account owner@example.com", "TIME", "", 0},
		{"migrate status", "true", "applied file version", some},
		{"migrate up", "true", "applied file version", some},
		{"doctor", "whole, schema version", "check detail verdict", some},
		{"backup b.tar", "verified: 3 wallets, 1 ledger row, 0 datasets", "bytes created_at datasets file ledger_rows schema wallets", 1},
		{"restore b.tar", "What was there is kept at svc.db.replaced-", "bytes created_at datasets db file kept ledger_rows schema wallets", 1},
		{"version", "svc dev (commit ", "commit go version", 1},
		{"--version", "svc dev (commit ", "commit go version", 1},
	} {
		t.Run(row.line, func(t *testing.T) {
			for _, f := range []*folder{texts, objects} {
				f.TB = t
				f.write("logo.png", logo.String())
			}
			contains(t, texts.okWith(password, words(row.line)...), row.text)

			all := objects.objects(objects.okWith(password, append(words(row.line), "--json")...))
			if len(all) != row.count && (row.count != some || len(all) == 0) {
				t.Errorf("%d objects, want %d", len(all), row.count)
			}
			for _, object := range all {
				if fields := strings.Join(slices.Sorted(maps.Keys(object)), " "); fields != row.fields {
					t.Errorf("fields %q, want %q", fields, row.fields)
				}
			}
		})
	}
}

func TestOpenAPI(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	contains(t, f.ok("openapi"), "openapi: 3.1", sendPath)
	f.account(owner, "free", "0")
	p := f.serve("--base-url", "http://127.0.0.1:8080")
	served := p.get("/openapi.json").body
	p.stop()
	if described := f.ok("openapi", "--json"); described != served+"\n" {
		t.Errorf("--json is not what the server describes: %.80q, want %.80q", described, served)
	}
}

// TestMissingDatabase checks that only commands that can begin an installation create
// the file.
func TestMissingDatabase(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"accounts list", "accounts show a@example.com", "accounts set a@example.com --name A", "accounts plan a@example.com free",
		"apps create --name Till", "apps list", "keys list", "keys disable key_1", "keys enable key_1",
		"wallet show a@example.com", "wallet credit a@example.com 5", "wallet threshold a@example.com 5",
		"wallet ledger a@example.com", "wallet verify", "messages list", "migrate status", "backup b.tar", "doctor",
	} {
		t.Run(line, func(t *testing.T) {
			f := newFolder(t)
			contains(t, f.fails(1, words(line)...), "no database at svc.db")
			if entries, err := os.ReadDir(f.dir); err != nil || len(entries) > 0 {
				t.Errorf("the folder has %v (%v), want nothing", entries, err)
			}
		})
	}
	for _, line := range []string{
		"accounts create --email a@example.com", "keys create --account a@example.com", "migrate up",
	} {
		t.Run(line, func(t *testing.T) {
			f := newFolder(t)
			f.ok(words(line)...)
			info, err := os.Stat(f.path("svc.db"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("database file: %v, %v; want mode 0600", info, err)
			}
		})
	}
}

func TestKeysCreate(t *testing.T) {
	t.Parallel()

	t.Run("FirstAccountIsMade", func(t *testing.T) {
		f := newFolder(t)
		lines := strings.Split(strings.TrimSuffix(f.ok("keys", "create", "--account", owner), "\n"), "\n")
		secret := lines[len(lines)-1]
		if !strings.HasPrefix(secret, "svc_test_") || strings.ContainsAny(secret, " \t") {
			t.Errorf("last line is %q, want a test key alone", secret)
		}
		if a := f.object("accounts", "list"); a["email"] != owner || a["operator"] != true {
			t.Errorf("account %v, want the operator's", a)
		}
		if p := f.serve(); p.send(secret, "").status != 200 {
			t.Error("the printed key is not accepted")
		}
	})

	t.Run("OnlyAccountAndDefaults", func(t *testing.T) {
		f := newFolder(t)
		f.account(owner, "free", "0")
		made := f.object("keys", "create")
		if made["env"] != "test" || made["mode"] != "account" || made["label"] != "" {
			t.Errorf("made %v, want a test key in account mode without a label", made)
		}
		if listed := f.object("keys", "list"); listed["id"] != made["id"] {
			t.Errorf("listed %v, made %v", listed, made)
		}
	})

	t.Run("SecretIsShownOnce", func(t *testing.T) {
		f := newFolder(t)
		f.account(owner, "free", "0")
		_, secret := f.key("live")
		random := secret[len("svc_live_") : len(secret)-4]
		for _, line := range []string{"keys list", "keys list --json", "accounts show owner@example.com"} {
			if out := f.ok(words(line)...); strings.Contains(out, random[:8]) || strings.Contains(out, random[len(random)-8:]) {
				t.Errorf("svc %s shows the key: %s", line, out)
			}
		}
		contains(t, f.ok("keys", "list"), "svc_live_…"+secret[len(secret)-4:])
		if strings.Contains(f.read("svc.db"), random) {
			t.Error("the file has the key in clear")
		}
	})

	t.Run("App", func(t *testing.T) {
		f := newFolder(t)
		f.account(owner, "free", "0")
		app := f.object("apps", "create", "--name", "Till")
		f.ok("keys", "create", "--app", "Till")
		if listed := f.object("keys", "list"); listed["app_id"] != app["id"] {
			t.Errorf("key of app %v, want %v", listed["app_id"], app["id"])
		}
	})
}

// TestTrustedProxyByAddress names a proxy by its address; X-Forwarded-For then counts.
func TestTrustedProxyByAddress(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.ok("keys", "create", "--account", owner)
	p := f.serve("--trusted-proxies", "10.0.0.0/8, 127.0.0.1")
	p.send("svc_live_wrong", "")
	if a := p.get("/api/v1/pricing"); a.header.Get("X-RateLimit-Remaining") != "59" {
		t.Errorf("the proxy has %s calls left, want 59", a.header.Get("X-RateLimit-Remaining"))
	}
	r, err := http.NewRequest(http.MethodGet, p.url+"/api/v1/pricing", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Forwarded-For", "203.0.113.9")
	a, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	if left := a.Header.Get("X-RateLimit-Remaining"); left != "60" {
		t.Errorf("the client behind the proxy has %s calls left, want 60", left)
	}
}

func TestVariables(t *testing.T) {
	t.Parallel()
	f := newFolder(t)

	named := f.with("SVC_DB=named.db", "SVC_JSON=true", "SVC_EMAIL="+owner, "SVC_PLAN=growth")
	if made := f.objects(named.ok("accounts", "create"))[0]; made["email"] != owner || made["plan"] != "growth" {
		t.Errorf("made %v from variables", made)
	}
	contains(t, named.ok("accounts", "list", "--json=false", "--db", "named.db"), "growth")
	contains(t, named.fails(1, "accounts", "list", "--db", "other.db"), "no database at other.db")
	if f.has("svc.db") {
		t.Error("SVC_DB was ignored")
	}

	contains(t, f.with("SVC_LIMIT=many").fails(2, "messages", "list"), "SVC_LIMIT")
	contains(t, f.with("SVC_JSON=perhaps").fails(2, "version"), "SVC_JSON")
	contains(t, f.with("SVC_JSON=", "SVC_DB=").fails(1, "accounts", "list"), "no database at svc.db")
}

func TestSecretFiles(t *testing.T) {
	t.Parallel()
	sender := newProvider(t, nil)
	f := newFolder(t)
	f.account(owner, "growth", "100")
	_, key := f.key("live")
	file := f.write("secret", providerSecret+"\n")
	settings := f.with("SVC_MESSAGING=webhook", "SVC_MESSAGING_URL="+sender.URL)

	// The fake provider checks the signature, so only the right secret gets a 200.
	works := func(f *folder, args ...string) {
		t.Helper()
		p := f.serve(args...)
		if a := p.send(key, ""); a.status != 200 {
			t.Errorf("send: %d %s", a.status, a.body)
		}
		p.stop()
		if strings.Contains(p.out.String()+p.err.String(), providerSecret) {
			t.Error("the secret is in the output")
		}
	}
	works(settings.with("SVC_MESSAGING_SECRET_FILE=" + file))
	works(settings.with("SVC_MESSAGING_SECRET="+providerSecret, "SVC_MESSAGING_SECRET_FILE=/nowhere"))
	works(settings.with("SVC_MESSAGING_SECRET=wrong"), "--messaging-secret", providerSecret)

	contains(t, settings.with("SVC_MESSAGING_SECRET_FILE=/dev/null").fails(1, "serve", "--addr", "127.0.0.1:0"), "SVC_MESSAGING_SECRET_FILE", "is empty")
	contains(t, settings.with("SVC_MESSAGING_SECRET_FILE=/nowhere").fails(1, "serve", "--addr", "127.0.0.1:0"), "SVC_MESSAGING_SECRET_FILE")
	contains(t, settings.with("SVC_MESSAGING_URL_FILE="+file).fails(2, "serve", "--addr", "127.0.0.1:0"), "--messaging-secret: is required")
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for stdin, status := range map[string]int{"": 2, "\n": 2, "short\n": 2, password: 0} {
		if r := f.run(stdin, "accounts", "create", "--email", owner, "--password-stdin"); r.status != status {
			t.Errorf("password %q: status %d, want %d; %s", stdin, r.status, status, r.err)
		}
	}
	hash := func() (hash string) {
		t.Helper()
		if err := f.sql("svc.db").QueryRow(`SELECT password_hash FROM accounts`).Scan(&hash); err != nil {
			t.Fatal(err)
		}
		return hash
	}
	before := hash()
	contains(t, before, "$argon2id$")
	f.okWith("another long password\n", "accounts", "password", owner, "--password-stdin")
	if hash() == before {
		t.Error("the password did not change")
	}
}

func TestWallet(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "300")
	f.ok("wallet", "credit", owner, "--", "-100")
	if w := f.object("wallet", "show", owner); w["balance_cents"] != 200.0 || w["held_cents"] != 0.0 || w["low_balance_cents"] != 100.0 {
		t.Errorf("wallet %v, want 200 free and a threshold of 100", w)
	}
	ledger := f.objects(f.ok("wallet", "ledger", owner, "--json"))
	if len(ledger) != 2 || ledger[0]["kind"] != "topup" || ledger[1]["kind"] != "adjustment" || ledger[1]["balance_after_cents"] != 200.0 {
		t.Errorf("ledger %v", ledger)
	}

	f.exec("svc.db", `UPDATE wallets SET balance_cents = balance_cents + 1`)
	r := f.run("", "wallet", "verify", "--json")
	report := f.objects(r.out)
	if r.status != 1 || len(report) != 1 || report[0]["ok"] != false || len(report[0]["faults"].([]any)) != 1 {
		t.Errorf("verify after tampering: status %d, %s", r.status, r.out)
	}
	contains(t, sentence(f, r.err), "1 of 1 wallets contradict their ledgers")
	r = f.run("", "wallet", "verify")
	if r.status != 1 {
		t.Errorf("verify after tampering: status %d", r.status)
	}
	contains(t, r.out, owner, "balance is 201, the ledger sums to 200")
}

// TestMessagesList checks that a text with line breaks stays in its row.
func TestMessagesList(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "100")
	_, key := f.key("live")
	p := f.serve()
	const body = `{"phone":"+447700900123","template":"receipt","text":"one\ntwo\tthree \u001b[31mred"}`
	for range 2 {
		if a, err := roundTrip(newSend(p.url, key, "", body)); err != nil || a.status != 200 {
			t.Fatalf("send: %v %v", a, err)
		}
	}

	out := f.ok("messages", "list")
	if strings.Count(out, "\n") != 3 || strings.ContainsAny(out, "\t\x1b") {
		t.Errorf("want a header and two rows: %q", out)
	}
	all := f.objects(f.ok("messages", "list", "--json", "--limit", "1"))
	if len(all) != 1 || all[0]["text"] != "one\ntwo\tthree \x1b[31mred" || all[0]["provider"] != "outbox" {
		t.Errorf("messages %v", all)
	}
}

func TestHealthcheck(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	p := f.serve()
	address := strings.TrimPrefix(p.url, "http://")
	contains(t, f.ok("healthcheck", "--addr", address), "ok")
	_, port, _ := strings.Cut(address, ":")
	if out := f.with("SVC_ADDR=0.0.0.0:" + port).object("healthcheck"); out["status"] != "ok" {
		t.Errorf("healthcheck printed %v", out)
	}
	p.stop()
	contains(t, f.fails(1, "healthcheck", "--addr", address), "no healthy server")
}

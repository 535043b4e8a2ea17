package cmd_test

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	subcommand = regexp.MustCompile(`(?m)^  ([a-z]+) +\S`)
	flagLine   = regexp.MustCompile(`(?m)^ +(?:-h, )?--([a-z-]+)( .*)$`)
)

// part returns the paragraph of a help text under a heading, "" if it has none.
func part(help, heading string) string {
	_, rest, _ := strings.Cut(help, "\n"+heading+":\n")
	text, _, _ := strings.Cut(rest, "\n\n")
	return text
}

// TestHelp checks the help of every command: it has examples that the command line
// accepts, and names the variable of each flag.
func TestHelp(t *testing.T) {
	t.Parallel()
	commands, flags := 0, 0
	var walk func(path []string)
	walk = func(path []string) {
		commands++
		help := okHere(t, append(slices.Clone(path), "--help")...)
		line := strings.Join(append([]string{"svc"}, path...), " ")
		examples := part(help, "Examples")
		if !strings.Contains(examples, line) {
			t.Errorf("%s: no example in %q", line, examples)
		}
		for example := range strings.Lines(examples) {
			checkExample(t, strings.TrimSpace(example))
		}
		if usage := part(help, "Usage"); strings.Contains(strings.ReplaceAll(usage, "[--account EMAIL]", ""), "--account") {
			t.Errorf("%s: --account is optional, but the usage is %q", line, usage)
		}
		for _, f := range flagLine.FindAllStringSubmatch(help, -1) {
			flags++
			variable := "[SVC_" + strings.ToUpper(strings.ReplaceAll(f[1], "-", "_"))
			if hasNone := f[1] == "help" || f[1] == "version"; strings.Contains(f[2], variable) == hasNone {
				t.Errorf("%s: flag --%s: %s", line, f[1], f[2])
			}
		}
		for _, sub := range subcommand.FindAllStringSubmatch(part(help, "Available Commands"), -1) {
			walk(append(slices.Clone(path), sub[1]))
		}
	}
	walk(nil)
	if commands < 50 || flags < 150 {
		t.Errorf("only %d commands and %d flags were found", commands, flags)
	}
	contains(t, okHere(t, "help"), "completion", "--version")
	contains(t, okHere(t, "serve", "--help"), "[SVC_ADDR]", "[SVC_STRIPE_KEY, or better a file named by SVC_STRIPE_KEY_FILE]")
}

// checkExample checks that svc knows the command and the flags of an example.
func checkExample(t *testing.T, example string) {
	t.Helper()
	_, line, _ := strings.Cut(example, "svc ")
	line, _, _ = strings.Cut(strings.TrimSuffix(line, ")"), " | ")
	line, _, _ = strings.Cut(line, " <")
	line, _, _ = strings.Cut(line, " >")
	words, err := exec.Command("bash", "-c", `printf '%s\n' `+line).Output()
	if err != nil {
		t.Errorf("example %q is no shell command: %v", example, err)
	}
	args := strings.Split(strings.TrimSpace(string(words)), "\n")
	at := slices.IndexFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "-") })
	if at < 0 {
		at = len(args)
	}
	if args[0] == "help" {
		okHere(t, args...)
		return
	}
	okHere(t, slices.Insert(args, at, "--help")...)
}

func TestAccountMayBeLeftOut(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	for _, line := range []string{
		"keys create", "keys list", "people list", "apps create --name Till", "inventory list", "inventory export", "inventory verify", "data list",
		"messages list", "messages unknown", "alerts list", "pulse", "brief", "webhooks list", "events trigger stock.low",
		"webhooks create --url https://example.com/events --events stock.low", "charges list", "connections list", "sessions list",
	} {
		if r := f.run("", words(line)...); r.status != 0 {
			t.Errorf("%s: status %d, %q", line, r.status, r.err)
		}
	}
}

// TestMisspeltVariables checks that a variable that is nearly ours is warned about, and
// others are left alone.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for setting, meant := range map[string]string{
		"SVC_ADRR=127.0.0.1:1": "there is no variable SVC_ADRR; did you mean SVC_ADDR?",
		"SVC_STRIPE_KEY_FIL=k": "there is no variable SVC_STRIPE_KEY_FIL; did you mean SVC_STRIPE_KEY_FILE?",
		"SVC_DATABSE=x.db":     "there is no variable SVC_DATABSE; did you mean SVC_DB?",
		"SVC_ADRR=":            "", // a compose file passes unset ones as empty
		"SVC_PORT=tcp://x:80":  "", // Kubernetes
		"SVC_SERVICE_HOST=x":   "",
		"SVC_VERSION=1.2.3":    "",
		"SVC_JSON=true":        "",
		"SCV_ADDR=x":           "",
	} {
		r := f.with(setting).run("", "version")
		if meant == "" && r.err != "" || meant != "" && r.err != "svc: warning: "+meant+"\n" {
			t.Errorf("%s: stderr %q, want %q", setting, r.err, meant)
		}
		if r.status != 0 || !strings.Contains(r.out, "dev") {
			t.Errorf("%s: status %d, %q", setting, r.status, r.out)
		}
	}
}

func TestCompletion(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		script := f.ok("completion", shell)
		contains(t, script, "__complete", "svc")
		if o := f.object("completion", shell); o["shell"] != shell || o["script"] != script {
			t.Errorf("%s: --json has another script than without", shell)
		}
	}
	script := f.write("script", f.ok("completion", "bash"))
	if out, err := f.command("bash", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("bash: %v\n%s", err, out)
	}
	for words, want := range map[string]string{"svc wal": "wallet", "svc keys create --env l": "live", "svc keys create --env=l": ""} {
		if got := f.completedByBash(script, words); got != want {
			t.Errorf("bash: %s: %q, want %q", words, got, want)
		}
	}
	r := f.run("", "__complete", "wallet", "")
	contains(t, r.out, "credit\t", "ledger\t", "show\t")
}

// completedByBash returns what bash without the package bash-completion offers for the last
// word. It must print nothing else.
func (f *folder) completedByBash(script, line string) string {
	f.Helper()
	const press = `compopt() { :; }; source "$1"; COMP_WORDS=(${2//=/ = }) COMP_CWORD=$((${#COMP_WORDS[@]} - 1)) COMP_LINE=$2 COMP_TYPE=9; __start_svc; echo "${COMPREPLY[*]}"`
	out, err := f.command("bash", "--norc", "-c", press, "bash", script, line).CombinedOutput()
	if err != nil {
		f.Errorf("bash: %s: %v", line, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

// completed returns what a shell is offered for the last word, without the texts beside.
func (f *folder) completed(args ...string) string {
	f.Helper()
	r := f.run("", append([]string{"__complete"}, args...)...)
	if r.status != 0 || strings.Contains(r.err, "svc:") {
		f.Errorf("svc __complete %q: status %d, %q", args, r.status, r.err)
	}
	var all []string
	for line := range strings.Lines(r.out) {
		word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, word)
	}
	return strings.Join(all, " ")
}

const noFiles, files = ":4", ":0" // the last line of an answer: whether file names fit, too

func TestCompletionOfValues(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for line, want := range map[string]string{
		"accounts plan a@b.co _":      "free growth business",
		"accounts create --plan _":    "free growth business",
		"keys create --env _":         "test live",
		"keys create --mode _":        "account generic",
		"keys limit key_1 _":          "pulse alerts brief ask data/push tools/fx-risk tools/landed-cost",
		"accounts set --biz-type _":   "retail ecommerce distributor exporter",
		"serve --signup _":            "open closed",
		"serve --messaging _":         "none outbox whatsapp twilio webhook",
		"serve --log _":               "text json",
		"serve --log-level _":         "debug info warn error",
		"accounts list extra _":       "",
		"accounts show _":             "", // there is no database
		"keys list --account _":       "",
		"inventory alias a b c d e _": "",
	} {
		args := append(words(strings.TrimSuffix(line, "_")), "")
		if got := f.completed(args...); got != strings.TrimSpace(want+" "+noFiles) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	for _, line := range []string{"scan", "data import", "backup"} {
		if got := f.completed(append(words(line), "")...); got != files {
			t.Errorf("%s: %q, want names of files", line, got)
		}
	}
	contains(t, f.completed("accounts", "set", "--currency", ""), "eur", "gbp", "usd")
	if entries, err := os.ReadDir(f.dir); err != nil || len(entries) > 0 {
		t.Errorf("completion made %v (%v)", entries, err)
	}
}

func TestCompletionFromTheDatabase(t *testing.T) {
	t.Parallel()
	const second = "second@example.com"
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.account(second, "free", "0")
	first, _ := f.key("live")
	other := f.object("keys", "create", "--account", second, "--label", "front desk")["id"].(string)
	f.ok("apps", "create", "--account", owner, "--name", "Till")
	f.write("p.csv", "name,sku,price\nEspresso,ESP-1,6.50\n")
	f.ok("inventory", "import", "--account", owner, "p.csv")
	f.write("sales.csv", "date,product,quantity,price\n2026-01-02,Tea,1,2\n2026-01-03,Milk,2,3\n")
	f.ok("data", "import", "--account", owner, "sales.csv")
	for line, want := range map[string]string{
		"accounts show _":                              owner + " " + second,
		"wallet credit _":                              owner + " " + second,
		"wallet credit " + owner + " _":                "",
		"keys list --account _":                        owner + " " + second,
		"keys disable _":                               first + " " + other,
		"keys rotate _":                                first + " " + other,
		"requests --key _":                             first + " " + other,
		"requests --account " + owner + " --key _":     first,
		"keys create --account " + owner + " --app _":  "Till",
		"keys create --account " + second + " --app _": "",
		"inventory alias --account " + owner + " _":    "ESP-1",
		"data show _":                                  "sales",
		"data show --account " + second + " _":         "",
		"data show --account " + "no@b.co" + " _":      "",
		"ask --dataset _":                              "sales",
		"data import sales.csv --name _":               "sales",
		"sessions end _":                               "",
		"mails show _":                                 "",
		"messages show _":                              "",
		"connections revoke _":                         "",
		"accounts show --db elsewhere.db _":            "",
	} {
		args := append(words(strings.TrimSuffix(line, "_")), "")
		if got := f.completed(args...); got != strings.TrimSpace(want+" "+noFiles) {
			t.Errorf("%s: %q, want %q", line, got, want)
		}
	}
	contains(t, f.run("", "__complete", "keys", "enable", "").out, other+"\tsvc_test_…", "front desk\n")
	if got := f.with("SVC_DB=elsewhere.db").completed("accounts", "show", ""); got != noFiles || f.has("elsewhere.db") {
		t.Errorf("SVC_DB: %q", got)
	}
	f.exec("svc.db", "PRAGMA user_version = 1000000")
	f.write("other.db", "no database")
	for _, file := range []string{"svc.db", "other.db"} {
		if got := f.completed("accounts", "show", "--db", file, ""); got != noFiles {
			t.Errorf("%s: %q, want nothing", file, got)
		}
	}
}

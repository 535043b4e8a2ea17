package cmd_test

import (
	"bytes"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"svc/cmd"
)

// execute runs a command in this process. It must succeed with an empty stderr.
func execute(t *testing.T, args ...string) string {
	t.Helper()
	var out, stderr bytes.Buffer
	status := cmd.Execute(t.Context(), args, cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
	if status != 0 || stderr.Len() > 0 {
		t.Fatalf("svc %q: status %d, stderr %q", args, status, stderr.String())
	}
	return out.String()
}

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
		help := execute(t, append(slices.Clone(path), "--help")...)
		line := strings.Join(append([]string{"svc"}, path...), " ")
		examples := part(help, "Examples")
		if !strings.Contains(examples, line) {
			t.Errorf("%s: no example in %q", line, examples)
		}
		for example := range strings.Lines(examples) {
			checkExample(t, strings.TrimSpace(example))
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
	contains(t, execute(t, "help"), "completion", "--version")
	contains(t, execute(t, "serve", "--help"), "[SVC_ADDR]", "[SVC_STRIPE_KEY, or better a file named by SVC_STRIPE_KEY_FILE]")
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
		execute(t, args...)
		return
	}
	execute(t, slices.Insert(args, at, "--help")...)
}

// TestMisspeltVariables checks that a variable that is nearly ours is warned about, and
// others are left alone.
func TestMisspeltVariables(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	for setting, meant := range map[string]string{
		"SVC_ADRR=127.0.0.1:1": "there is no variable SVC_ADRR; did you mean SVC_ADDR?",
		"SVC_STRIPE_KEY_FIL=k": "there is no variable SVC_STRIPE_KEY_FIL; did you mean SVC_STRIPE_KEY_FILE?",
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
		contains(t, f.ok("completion", shell), "__complete", "svc")
	}
	script := f.write("script", f.ok("completion", "bash"))
	if out, err := f.command("bash", "-n", script).CombinedOutput(); err != nil {
		t.Errorf("bash: %v\n%s", err, out)
	}
	r := f.run("", "__complete", "wallet", "")
	contains(t, r.out, "credit\t", "ledger\t", "show\t")
}

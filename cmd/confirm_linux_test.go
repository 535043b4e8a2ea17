package cmd_test

import (
	"os"
	"strings"
	"testing"
)

// answering runs a command on a terminal, types a line once it asks, and returns its exit
// status, stdout and stderr. An empty line is Ctrl-C.
func (f *folder) answering(t *testing.T, line string, args ...string) result {
	t.Helper()
	user, terminal := newTerminal(t)
	c := f.command(f.binary, args...)
	var out, stderr output
	c.Stdin, c.Stdout, c.Stderr = terminal, &out, &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	await(t, "the question", func() bool { return strings.HasSuffix(stderr.String(), " to go on: ") })
	var err error
	if line == "" {
		err = c.Process.Signal(os.Interrupt)
	} else {
		_, err = user.WriteString(line + "\n")
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = c.Wait() // the status tells
	return result{c.ProcessState.ExitCode(), out.String(), stderr.String()}
}

func TestConfirmOnATerminal(t *testing.T) {
	t.Parallel()
	f := stocked(t)
	for line, want := range map[string]string{"no": "svc: not confirmed; nothing was changed\n", "": "svc: "} {
		r := f.answering(t, line, "inventory", "remove", "COF-250")
		contains(t, r.err, "Ground Coffee 250g", "This cannot be undone.\nType yes to go on: ", want)
		if r.status != 1 || r.out != "" {
			t.Errorf("%q: %+v", line, r)
		}
	}
	if len(f.inventory()) != 3 {
		t.Error("it was removed")
	}
	r := f.answering(t, "yes", "inventory", "remove", "COF-250")
	contains(t, r.out, "removed Ground Coffee 250g")
	if r.status != 0 || len(f.inventory()) != 2 {
		t.Errorf("%+v", r)
	}
}

func TestAccountsDeleteAsks(t *testing.T) {
	t.Parallel()
	const second = "second@example.com"
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.account(second, "free", "0")
	if r := f.answering(t, "yes", "accounts", "delete", second); r.status != 1 || !strings.Contains(r.err, "not confirmed") {
		t.Errorf("%+v", r)
	}
	r := f.answering(t, second, "accounts", "delete", second)
	contains(t, r.err, "Type "+second+" to go on: ")
	contains(t, r.out, "deleted "+second)
}

package cmd_test

import (
	"context"
	"strings"
	"testing"

	"svc/cmd"
)

func TestRequestsCommand(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "100")
	f.account("second@example.com", "free", "0")
	made := f.object("keys", "create", "--account", owner, "--env", "live", "--label", "front desk")
	id, key := made["id"].(string), made["key"].(string)
	_, other := f.key("test")
	p := f.serve()
	sent := p.send(key, "")
	p.send(other, "")
	p.postJSON(sendPath, key, `{"phone":"1"}`)
	p.stop() // all rows are stored

	all := f.objects(f.ok("requests", "--json"))
	if len(all) != 3 || all[0]["status"] != 400.0 || all[2]["id"] != sent.header.Get("X-Request-Id") {
		t.Fatalf("requests %v", all)
	}
	if fieldsOf(all[2]) != "charge_cents created_at duration_ms email id key_id key_label method route status" ||
		all[2]["charge_cents"] != 2.0 || all[2]["email"] != owner || all[2]["key_label"] != "front desk" || all[2]["route"] != sendPath {
		t.Errorf("the paid call: %v", all[2])
	}
	contains(t, f.ok("requests"), "TIME", "STATUS", owner, "front desk", "invalid_request", sendPath)
	for line, want := range map[string]int{
		"--key " + id: 2, "--status 400": 1, "--status 402": 0, "--limit 2": 2,
		"--id " + sent.header.Get("X-Request-Id"): 1, "--key " + id + " --status 200": 1,
		"--account " + owner: 3, "--account second@example.com": 0,
	} {
		if n := len(f.objects(f.ok(append([]string{"requests", "--json"}, strings.Fields(line)...)...))); n != want {
			t.Errorf("svc requests %s: %d rows, want %d", line, n, want)
		}
	}
	contains(t, f.fails(1, "requests", "--account", "nobody@example.com"), "no account for nobody@example.com")
	contains(t, f.fails(1, "requests", "--key", "key_none"), "no key key_none")
	contains(t, f.fails(2, "requests", "--status", "42"), "--status must be from 100 to 599")
	contains(t, f.fails(2, "requests", "--limit", "0"), "--limit must be at least 1")
	contains(t, f.fails(2, "requests", "list"), "usage: svc requests")
}

// TestRequestsFollow checks that new calls are printed as they come, oldest first, until
// the context ends as Ctrl-C ends it.
func TestRequestsFollow(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	_, key := f.key("test")
	p := f.serve()
	first := p.send(key, "").header.Get("X-Request-Id")
	await(t, "the first call is logged", func() bool { return strings.Contains(f.ok("requests"), first) })

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var out, stderr output
	status := make(chan int)
	go func() {
		args := []string{"requests", "--follow", "--db", f.path("svc.db")}
		status <- cmd.Execute(ctx, args, cmd.Streams{In: strings.NewReader(""), Out: &out, Err: &stderr})
	}()
	await(t, "the first call is shown", func() bool { return strings.Contains(out.String(), first) })
	second := p.send(key, "").header.Get("X-Request-Id")
	await(t, "the second call is shown", func() bool { return strings.Contains(out.String(), second) })
	third := p.send(key, "").header.Get("X-Request-Id")
	await(t, "the third call is shown", func() bool { return strings.Contains(out.String(), third) })
	cancel()
	if got := <-status; got != 0 || stderr.String() != "" {
		t.Errorf("ended with %d and %q", got, stderr.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "TIME") {
		t.Fatalf("printed %q", lines)
	}
	for i, id := range []string{first, second, third} {
		contains(t, lines[i+1], id)
	}
}

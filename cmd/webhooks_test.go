package cmd_test

import (
	"strings"
	"testing"
)

func TestWebhooksCommand(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	f.account("second@example.com", "free", "0")
	mine := func(args ...string) []string {
		return append(append([]string{"webhooks"}, args...), "--account", owner)
	}
	made := f.object(mine("create", "--url", "https://hooks.example.com/svc", "--events", "stock.low,sale.created")...)
	id, secret := made["id"].(string), made["secret"].(string)
	if !strings.HasPrefix(secret, "whsec_") || made["enabled"] != true {
		t.Errorf("made %v", made)
	}
	out := f.ok(mine("list")...)
	contains(t, out, id, "sale.created,stock.low", "enabled")
	if strings.Contains(out, "whsec_") {
		t.Errorf("the secret is shown again: %s", out)
	}

	contains(t, f.fails(2, mine("set", id)...), "say what to change")
	contains(t, f.fails(2, mine("set", id, "--events", "moon.full")...), "events: has the unknown kind")
	contains(t, f.fails(1, "webhooks", "set", id, "--description", "mine", "--account", "second@example.com"), "no webhook "+id)
	contains(t, f.ok(mine("set", id, "--url", "https://hooks.example.com/new", "--description", "till")...), "changed "+id)
	contains(t, f.ok(mine("list")...), "https://hooks.example.com/new", "sale.created,stock.low", "till")

	contains(t, f.ok("events", "trigger", "stock.low", "--account", owner), "queued for 1 webhook")
	contains(t, f.ok(mine("test", id, "--event", "brief.ready")...), "queued dlv_")
	log := f.objects(f.ok(mine("deliveries", id, "--json")...))
	if len(log) != 2 || log[0]["cause"] != "test" || log[1]["event"] != "stock.low" || log[1]["status"] != "queued" {
		t.Fatalf("deliveries %v", log)
	}
	contains(t, f.ok(mine("resend", id, log[1]["id"].(string))...), log[1]["id"].(string))
	contains(t, f.ok(mine("disable", id)...), "disabled "+id)
	contains(t, f.fails(1, mine("recover", id, "--since", "1h")...), "enable it first")
	contains(t, f.ok(mine("enable", id)...), "enabled "+id)
	contains(t, f.ok(mine("recover", id, "--since", "1h")...), "queued 1 event")
	contains(t, f.ok(mine("rotate", id)...), "signs beside the new one until", "\nwhsec_")
	contains(t, f.ok(mine("rotate", id, "--overlap", "0s")...), "the old secret has ended")

	contains(t, f.fails(1, "webhooks", "deliveries", id, "--account", "second@example.com"), "no webhook "+id)
	contains(t, f.fails(1, "webhooks", "delete", id, "--account", "second@example.com"), "no webhook "+id)
	contains(t, f.fails(2, mine("create", "--events", "stock.low")...), "--url is required")
	contains(t, f.fails(2, mine("create", "--url", "http://127.0.0.1:9000/x", "--events", "stock.low")...), "url: must")
	contains(t, f.ok(mine("create", "--url", "http://127.0.0.1:9000/x", "--events", "stock.low", "--webhook-allow", "loopback")...), "whsec_")
	contains(t, f.fails(2, mine("recover", id, "--since", "yesterday")...), "--since: must be a time")
	contains(t, f.fails(2, mine("deliveries", id, "--status", "lost")...), "status: must be one of")
	contains(t, f.ok(mine("delete", id)...), "deleted "+id)
	contains(t, f.fails(1, mine("delete", id)...), "no webhook "+id)
}

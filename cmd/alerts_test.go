package cmd_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestAlertsCommands(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "growth", "0")
	f.account("second@example.com", "free", "0")
	key := f.object("keys", "create", "--account", owner, "--env", "live")["key"].(string)
	list := []string{"alerts", "list", "--account", owner}
	if out := f.ok(append(list, "--json")...); out != "" {
		t.Errorf("an empty shop: %q", out)
	}

	var records []string
	for n := range 5 {
		records = append(records, fmt.Sprintf(`{"type":"sale","external_id":"%d","occurred_at":%q,"items":[{"name":"Fig","quantity":1,"price":5,"cost_price":6}]}`,
			n, time.Now().UTC().Format(time.RFC3339)))
	}
	p := f.serve()
	if a := p.postJSON("/data/push", key, `{"records":[`+strings.Join(records, ",")+`]}`); a.status != 200 {
		t.Fatalf("push: %d %s", a.status, a.body)
	}
	p.stop()

	all := f.objects(f.ok(append(list, "--json")...))
	if len(all) != 1 || all[0]["kind"] != "sold_below_cost" || all[0]["status"] != "firing" ||
		fieldsOf(all[0]) != "detail evidence first_seen id kind last_seen points rule status title verdict" {
		t.Fatalf("%v", all)
	}
	id := all[0]["id"].(string)
	table := f.ok(list...)
	contains(t, table, "VERDICT", id, "problem", "firing", "Fig is sold below cost")
	if bare := f.ok("alerts", "--account", owner); bare != table {
		t.Errorf("svc alerts: %q, want what svc alerts list prints: %q", bare, table)
	}
	contains(t, f.ok("alerts", "ack", id), "acknowledged "+id+": Fig is sold below cost")
	contains(t, f.ok("alerts", "ack", id, "--account", owner), "acknowledged "+id)
	contains(t, f.fails(1, "alerts", "ack", id, "--account", "second@example.com"), "no alert "+id)
	contains(t, f.fails(1, "alerts", "snooze", id, "--account", "second@example.com"), "no alert "+id)
	contains(t, f.ok(list...), "acknowledged")
	if snoozed := f.object("alerts", "snooze", id, "--for", "72h"); snoozed["status"] != "acknowledged" || snoozed["snoozed_until"] == nil {
		t.Errorf("%v", snoozed)
	}
	if out := f.ok("alerts", "list", "--account", "second@example.com", "--json"); out != "" {
		t.Errorf("another account: %q", out)
	}
	contains(t, f.fails(1, "alerts", "ack", "alert_none"), "no alert alert_none")
	contains(t, f.fails(2, "alerts", "snooze", id, "--for", "9999h"), "for: must be from a moment to 90 days")
	contains(t, f.fails(1, "alerts", "list", "--account", "nobody@example.com"), "no account")
	contains(t, f.fails(2, "alerts", "ack"), "usage: svc alerts ack [--account EMAIL] ID")
}

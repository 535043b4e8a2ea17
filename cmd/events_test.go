package cmd_test

import (
	"strings"
	"testing"
)

func TestEventsKinds(t *testing.T) {
	t.Parallel()
	f := newFolder(t) // without a database
	out := f.ok("events", "kinds")
	contains(t, out, "KIND", "sale.created", "The nightly scan")
	all := f.objects(f.ok("events", "kinds", "--json"))
	if len(all) != 8 || fieldsOf(all[0]) != "kind retried sample schema summary when" {
		t.Fatalf("%d kinds: %v", len(all), all[0])
	}
	for i, want := range []bool{true, true, true, false, false, false, false, false} {
		if all[i]["retried"] != want {
			t.Errorf("%v is retried: %v", all[i]["kind"], all[i]["retried"])
		}
	}
	one := f.object("events", "kinds", "stock.low")
	if sample := one["sample"].(map[string]any); sample["type"] != "stock.low" || one["schema"].(map[string]any)["title"] != "stock.low" {
		t.Errorf("stock.low: %v", one)
	}
	contains(t, f.ok("events", "kinds", "stock.low"), "at most once a day", "tried 10 times", `"reorder_point": 5`, "json-schema.org/draft/2020-12")
	contains(t, f.ok("events", "kinds", "brief.ready"), "It is sent once")

	contains(t, f.fails(2, "events", "kinds", "sale.create"), "did you mean sale.created?")
	contains(t, f.fails(2, "events", "kinds", "stock.low", "brief.ready"), "usage: svc events kinds [KIND]")
	if got := f.completed("events", "kinds", ""); !strings.HasPrefix(got, "sale.created purchase_order.received ") || !strings.HasSuffix(got, noFiles) {
		t.Errorf("completed %q", got)
	}
}

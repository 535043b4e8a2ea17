package cmd_test

import (
	"strings"
	"testing"
)

func TestPulseAndBriefOfFile(t *testing.T) {
	t.Parallel()
	f := withSales(t) // until Saturday, 3 February 2024

	t.Run("Pulse", func(t *testing.T) {
		out := f.ok("pulse")
		contains(t, out, "health: unknown\n", "Revenue, 7 days to 3 February", "£1,274.50\n", "\nnewest sale: 2024-02-03, ", " days ago, stale, in sales\n")
		if strings.Contains(out, "null") || strings.Contains(out, "today") {
			t.Errorf("shows figures that are not known: %s", out)
		}
	})

	t.Run("PulseJSON", func(t *testing.T) {
		got := f.object("pulse")
		if len(got) != 6 || got["as_of"] == nil || got["currency"] != "gbp" || len(got["kpis"].([]any)) < 15 {
			t.Errorf("pulse %v", got)
		}
	})

	t.Run("Brief", func(t *testing.T) {
		contains(t, f.ok("brief"), "No sale for ", "\n\nNewest sale\n  The newest sale in sales is of Saturday 3 February 2024, ",
			"\n\n7 days to 3 February 2024\n  The 7 days from 28 January to 3 February 2024 brought £1,274.50 from 5 orders.", "£1,234.50")
	})

	t.Run("BriefJSON", func(t *testing.T) {
		got := f.object("brief")
		if len(got) != 8 || got["id"] != nil || got["period"] != "2024-02-03" || len(got["sections"].([]any)) < 3 {
			t.Errorf("brief %v", got)
		}
	})
}

func TestPulseAndBriefWithoutData(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	f.account(owner, "free", "0")
	if got, want := f.ok("pulse"), "health: unknown\nno sales are stored yet\n"; got != want {
		t.Errorf("pulse: %q, want %q", got, want)
	}
	if got, want := f.ok("brief"), "There is no data yet: 0 sales and 0 products.\n"; got != want {
		t.Errorf("brief: %q, want %q", got, want)
	}
}

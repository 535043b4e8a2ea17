package dataset_test

import (
	"testing"

	"svc/db/dbtest"
)

// Sales are not ahead of the clock, which is of 2 March 2026; what is booked may be.
func TestOpenDatesAreNotAhead(t *testing.T) {
	t.Parallel()
	dbtest.Sequential(t)
	d := newFixture(t)
	for name, c := range map[string]struct{ text, want string }{
		"DaysOfJanuary": {"Date,Item,Total\n10/01/2026,Tea,3\n11/01/2026,Tea,3\n12/01/2026,Tea,3\n", "2026-01-10 2026-01-12"},
		"OneDay":        {"Date,Item,Total\n01/04/2026,Tea,3\n", "2026-01-04 2026-01-04"},
		"OneDayBooked":  {"Booking date,Item,Total\n01/04/2026,Tea,3\n", "2026-04-01 2026-04-01"},
		"Past":          {"Date,Item,Total\n01/02/2026,Tea,3\n", "2026-02-01 2026-02-01"},
	} {
		if source := d.mustImport(name+".csv", c.text); source.First+" "+source.Last != c.want {
			t.Errorf("%s: from %s to %s, want %s", name, source.First, source.Last, c.want)
		}
	}
}

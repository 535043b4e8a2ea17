package zone

import (
	"slices"
	"testing"
)

func TestNamesAreZones(t *testing.T) {
	all := Names()
	for _, name := range all {
		if err := Check("timezone", name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if len(all) < 400 || !slices.IsSorted(all) || len(slices.Compact(all)) != len(Names()) || !slices.Contains(all, "Europe/London") {
		t.Errorf("%d names: %q", len(all), all)
	}
}

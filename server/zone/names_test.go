package zone

import (
	"path"
	"slices"
	"strings"
	"testing"
)

func TestFind(t *testing.T) {
	for text, want := range map[string]string{
		"Europe/London": "Europe/London", "london": "Europe/London", " New  York ": "America/New_York", "europe/berlin": "Europe/Berlin",
		"utc": "UTC", "GB": "GB", "Buenos Aires": "America/Argentina/Buenos_Aires",
	} {
		if got, err := Find("timezone", text); got != want || err != nil {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", " ", "Local", "Londonn", "Europe", "../etc/passwd"} {
		if got, err := Find("timezone", text); err == nil {
			t.Errorf("%q: %q, want an error", text, got)
		}
	}
	seen := map[string]string{}
	for _, name := range Names() {
		city := strings.ToLower(path.Base(name))
		if other := seen[city]; other != "" {
			t.Errorf("%s and %s have the same city", other, name)
		}
		seen[city] = name
	}
}

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

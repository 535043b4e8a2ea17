package unit_test

import (
	"testing"

	"svc/server/unit"
)

func TestQuantityAgreesWithItsUnit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		milli      int64
		unit, want string
	}{
		{1000, "bag", "1 bag"}, {3000, "bag", "3 bags"}, {0, "bag", "0 bags"}, {1500, "box", "1.5 boxes"}, {1000, "boxes", "1 box"},
		{-1000, "loaf", "-1 loaf"}, {2000, "Loaf", "2 loaves"}, {3000, "kg", "3 kg"}, {2000, "each", "2 each"}, {2000, "", "2"}, {2000, "Stück", "2 Stück"},
	} {
		if got := unit.Quantity(&c.milli, c.unit); got != c.want {
			t.Errorf("%d of %q: %q, want %q", c.milli, c.unit, got, c.want)
		}
	}
	if got := unit.Quantity(nil, "bag"); got != "–" {
		t.Errorf("an unknown stock is %q", got)
	}
}

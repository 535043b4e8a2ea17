package engine

import (
	"fmt"
	"testing"
	"time"
)

func TestDaysCountsFromMonday(t *testing.T) {
	first := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	for day := first; day.Year() < 2500; day = day.AddDate(0, 0, 97) {
		want := int64(day.Sub(first)/time.Hour) / 24
		if day.Year() > 290 { // a Duration holds 292 years
			want = (day.Unix() - first.Unix()) / 86400
		}
		if n, ok := daysOf(day.Format("2006-01-02 15:04:05")); !ok || n != want || n%7 != int64(day.Weekday()+6)%7 {
			t.Fatalf("%s: got %d, %v, want %d", day.Format(time.DateOnly), n, ok, want)
		}
	}
	for _, text := range []string{"", "2024", "2024-1-01", "2024-13-01", "abcd-ef-gh"} {
		if n, ok := daysOf(text); ok {
			t.Errorf("%q: got %d, want none", text, n)
		}
	}
}

func TestFold(t *testing.T) {
	for _, c := range []struct {
		percent, parts int64
		values         []int64
		want           string
	}{
		{50, 0, []int64{3, 1, 2}, "200"},
		{50, 0, []int64{1, 2}, "150"},
		{25, 0, []int64{0, 10}, "250"},
		{90, 0, []int64{10, 20}, "1900"},
		{0, 0, []int64{5, -7}, "-700"},
		{100, 0, []int64{5, 7}, "700"},
		{50, 5, []int64{4, 8}, "0"},
		{100, 3, []int64{-4}, "0"},
		{50, 1, []int64{4, 8}, "600"},
		{50, 0, nil, "<nil>"},
		{100, 0, []int64{1 << 62}, "4.611686018427388e+20"},
	} {
		f := &folding{percent: c.percent, parts: c.parts, values: c.values}
		if got, err := f.WindowValue(nil); err != nil || fmt.Sprint(got) != c.want {
			t.Errorf("%+v: got %v, %v", c, got, err)
		}
	}
}

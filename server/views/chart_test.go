package views

import (
	"math"
	"slices"
	"strings"
	"testing"
)

func drawn(t *testing.T, c Chart) string {
	t.Helper()
	var out strings.Builder
	tmpl := newSet(t).pages[Overview{}.template()]
	if err := tmpl.ExecuteTemplate(&out, "chart", c); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// Columns stand on the line of 0, and the highest and the lowest touch the ends.
func TestColumns(t *testing.T) {
	c := Bars("sales", "Sales", "Day", "Revenue", []Point{
		{Label: "1 May", Text: "£30", Value: 30}, {Label: "2 May", Text: "£0", Value: 0}, {Label: "3 May", Text: "-£10", Value: -10}, {Label: "4 May", Text: "1p", Value: 0.01, Part: true},
	})
	var got []string
	for _, r := range c.Columns() {
		got = append(got, r.Y+" "+r.Height)
	}
	if want := []string{"0.00 75.00", "75.00 0.00", "75.00 25.00", "74.97 1.00"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if c.Peak().Text != "£30" || !slices.Equal(c.Ends(), []string{"1 May", "2 May", "4 May"}) {
		t.Errorf("%v %v", c.Peak(), c.Ends())
	}
	for _, n := range []int{0, 1, 2} {
		if got := (Chart{Points: c.Points[:n]}).Ends(); len(got) != n {
			t.Errorf("%d points: %q", n, got)
		}
	}
}

// Point.Bad is drawn at the foot of its column, at least one unit high, and listed in the table.
// The legend is shown only if a point has it.
func TestChartMarksWhatIsBad(t *testing.T) {
	points := []Point{{Label: "1 May", Text: "200", Value: 200, Bad: 50, BadText: "50"}, {Label: "2 May", Text: "100", Value: 100, BadText: "0"}, {Label: "3 May", Text: "200", Value: 200, Bad: 1, BadText: "1"}}
	c := Bars("calls", "Calls", "Day", "Calls", points)
	c.BadUnit = "Refused"
	var got []string
	for _, r := range c.Columns() {
		got = append(got, r.FootY+" "+r.Foot)
	}
	if want := []string{"75.00 25.00", " ", "99.00 1.00"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	for _, want := range []string{"1 May: 50 refused", `<td class="num">50</td>`, `legend">Refused`} {
		if text := drawn(t, c); !strings.Contains(text, want) {
			t.Errorf("no %s in %s", want, text)
		}
	}
	c.Points = points[1:2]
	if text := drawn(t, c); strings.Contains(text, "legend") || !strings.Contains(text, "Refused") {
		t.Error(text)
	}
}

func TestChartShowsItsTable(t *testing.T) {
	points := []Point{{Label: "<b>Oat milk", Text: "12", Value: 12, Link: "/console/inventory?open=item_1"}, {Label: "Beans", Text: "3", Value: 3}}
	for name, c := range map[string]Chart{
		"columns": Bars("c", "Sold", "Product", "Units", points),
		"ranking": Ranking("r", "Sold", "Product", "Units", points),
	} {
		text := drawn(t, c)
		for _, want := range []string{"Sold", "&lt;b&gt;Oat milk", `href="/console/inventory?open=item_1"`, "Beans", "<rect"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s in %s", name, want, text)
			}
		}
	}
	if text := drawn(t, Bars("c", "Sold", "Day", "Units", []Point{{Label: "Monday", Text: "0", Value: 0}})); !strings.Contains(text, "Nothing yet") {
		t.Error(text)
	}
}

// Figures that cannot be drawn are not drawn, and break nothing.
func TestChartOfOddFigures(t *testing.T) {
	for _, v := range []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64} {
		text := drawn(t, Bars("c", "Odd", "Day", "Units", []Point{{Label: "a", Text: "?", Value: v}, {Label: "b", Text: "1", Value: 1}}))
		if strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%v: %s", v, text)
		}
	}
}

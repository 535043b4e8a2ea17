package dataset_test

import (
	"slices"
	"strings"
	"testing"
)

// Texts that differ in case and spaces alone are one, in the spelling that most cells have, else in
// that with capitals and small letters. Codes and columns of very many texts stay as they are.
func TestSpellings(t *testing.T) {
	t.Parallel()
	const head = "Date,Category,Owner,Order ID\n"
	row := func(category, owner, order string) string {
		return "2026-01-02," + category + "," + owner + "," + order + "\n"
	}
	source, report, file := buildText(t, head+row("beer", "ann  lee", "aB1")+row("Beer", "Ann Lee", "Ab1")+row("Beer", "ANN LEE", "AB1")+row("BEER", "Bob", "x")+row("Café", "Bob", "y")+row("Cafe", "Bob", "z"))
	values := func(heading string) []string {
		for _, c := range source.Columns {
			if c.Heading == heading {
				return slices.Sorted(slices.Values(c.Values))
			}
		}
		return nil
	}
	for heading, want := range map[string]string{"Category": "Beer Cafe Café", "Owner": "Ann Lee Bob", "Order ID": "AB1 Ab1 aB1 x y z"} {
		if got := strings.Join(values(heading), " "); got != want {
			t.Errorf("%s has %q, want %q", heading, got, want)
		}
	}
	if got := figure(t, source, file, "count(*) FILTER (WHERE c2 = 'Beer')"); got != "4" || report.Respelled != 4 {
		t.Errorf("%s rows are of Beer, %d cells are read as others", got, report.Respelled)
	}

	var many strings.Builder
	many.WriteString(head)
	for i := range 501 {
		name := "Beer " + strings.Repeat("i", i%50) + string(rune('a'+i/50))
		many.WriteString(row(name, name, "x"))
	}
	many.WriteString(row("beer a", "BEER A", "x"))
	if _, report, _ := buildText(t, many.String()); report.Respelled != 0 {
		t.Errorf("of more than 500 texts %d are read as others", report.Respelled)
	}
}

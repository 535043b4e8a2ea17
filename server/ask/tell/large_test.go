package tell_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"svc/server/ask/compute"
	"svc/server/ask/tell"
)

// days returns 1,500 days of sales: the best is the 1,401st, the worst the 1,451st.
func days() string {
	var b strings.Builder
	b.WriteString("Order Date,Product,Total Sales,Cost\n")
	day := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := range 1500 {
		total, cost := 100, 60
		switch i {
		case 1400:
			total = 999
		case 1450:
			total = 5
		}
		fmt.Fprintf(&b, "%s,Thing %04d,%d,%d\n", day.AddDate(0, 0, i).Format(time.DateOnly), i, total, cost)
	}
	return b.String()
}

// The best, the worst and a loss are of all groups, not only of those in the table.
func TestExtremesAreOfAllGroups(t *testing.T) {
	s := open(t, days())
	a, r := s.ask(t, "sales by day", tell.Options{Currency: "usd"})
	if len(r.Groups) != compute.MaxGroups || !strings.Contains(a.Answer, "highest for 1 November 2023 ($999) and lowest for 21 December 2023 ($5)") {
		t.Errorf("got %d groups: %s", len(r.Groups), a.Answer)
	}
	if !strings.Contains(a.Answer, "the first 1,000 of 1,500") || !strings.Contains(a.Table.Headers[0], "first 1,000 of 1,500") {
		t.Errorf("no note on the truncated table: %s %q", a.Answer, a.Table.Headers)
	}
	if a.KPICards[0].Value != "1 November 2023" {
		t.Errorf("got cards %+v", a.KPICards)
	}
	if bad := tell.Grounded(a.Answer, tell.FiguresOf(r)); len(bad) > 0 {
		t.Errorf("not computed: %v in %q", bad, a.Answer)
	}

	a, r = s.ask(t, "profit by product", tell.Options{Currency: "usd"})
	if a.Verdict == nil || *a.Verdict != "problem" || !strings.Contains(*a.VerdictSentence, "Thing 1450") {
		t.Errorf("got verdict %v, %v", a.Verdict, a.VerdictSentence)
	}
	if bad := tell.Grounded(a.Answer+*a.VerdictSentence, tell.FiguresOf(r)); len(bad) > 0 {
		t.Errorf("not computed: %v in %q %q", bad, a.Answer, *a.VerdictSentence)
	}
}

package ask_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"svc/db"
	"svc/db/dbtest"
)

// The option explain adds the plan, the SQL and the row count, and changes nothing else.
func TestAskExplain(t *testing.T) {
	dbtest.Sequential(t)
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	for question, rows := range map[string]int64{
		"What is our revenue by product?":          int64(len(lines)),
		"What were our sales in January 2026?":     total(lines, func(line) int64 { return 1 }, in("2026-01")),
		"What is the revenue of Assam last month?": 28,
	} {
		r := b.ask(t, question)
		x := r.Explain
		if x.Rows != rows || x.Source != "sales" || x.AsOf != "2026-03-01" || len(x.SQL) == 0 || !strings.Contains(x.SQL[0], "SELECT") ||
			x.Text == "" || !strings.Contains(string(x.Plan), `"revenue"`) {
			t.Errorf("%s: want %d rows: %+v", question, rows, x)
		}
		if strings.Contains(strings.Join(x.SQL, ""), "Assam") {
			t.Errorf("the SQL contains a value: %q", x.SQL)
		}
		plain := readReply(t, b.post(t, map[string]any{"question": question, "options": map[string]bool{"explain": false}}))
		if plain.Explain != nil || plain.Answer != r.Answer || fmt.Sprint(plain.Table) == "<nil>" != (r.Table == nil) {
			t.Errorf("%q without explain, %q with it", plain.Answer, r.Answer)
		}
	}
}

// In CFO mode the wording differs, but not the figures and fields (H6).
func TestAskCFO(t *testing.T) {
	b := newBooks(t, db.Business)
	b.importFile(t, "sales.csv", csvFile(makeLines("2026-01-01", 60)))
	different := 0
	for _, question := range []string{
		"What is our revenue?", "What is our profit by category?", "How did last month do against the month before?",
		"Which products lost money?", "What is the share of Tea?",
	} {
		plain := readReply(t, b.post(t, map[string]any{"question": question}))
		cfo := readReply(t, b.post(t, map[string]any{"question": question, "options": map[string]any{"cfo_mode": true}}))
		if plain.texts()[0] != cfo.texts()[0] || fmt.Sprint(plain.Recommendations) != fmt.Sprint(cfo.Recommendations) {
			different++
		}
		if fmt.Sprint(plain.Cards) != fmt.Sprint(cfo.Cards) || plain.Confidence != cfo.Confidence || plain.verdict() != cfo.verdict() {
			t.Errorf("%s: %v, in CFO mode %v", question, plain.Cards, cfo.Cards)
		}
		if plain.Table != nil && fmt.Sprint(*plain.Table) != fmt.Sprint(*cfo.Table) {
			t.Errorf("%s: %v, in CFO mode %v", question, *plain.Table, *cfo.Table)
		}
		mine, theirs := numbersOf(plain.Answer), numbersOf(cfo.Answer)
		slices.Sort(mine)
		slices.Sort(theirs)
		if !slices.Equal(mine, theirs) {
			t.Errorf("%s: %q, in CFO mode %q", question, plain.Answer, cfo.Answer)
		}
	}
	if different == 0 {
		t.Error("no answer differs in CFO mode")
	}
}

// A change stated in the question is computed, marked as simulated, and not stored.
func TestAskSimulate(t *testing.T) {
	b := newBooks(t, db.Business)
	lines := makeLines("2026-01-01", 60)
	b.importFile(t, "sales.csv", csvFile(lines))
	before := b.ask(t, "What is our revenue?")
	revenue := total(lines, line.revenue, everyLine)
	for _, options := range []map[string]any{{"simulate_mode": true}, {}} {
		r := readReply(t, b.post(t, map[string]any{"question": "What would revenue be if we raise prices 5 %?", "options": options}))
		r.expectFigures(t, (revenue*105+50)/100, revenue)
		if !strings.Contains(strings.ToLower(r.Answer), "simulated") || r.Confidence == "high" || r.Verdict != nil {
			t.Errorf("%s, %s: %q", r.Confidence, r.verdict(), r.Answer)
		}
	}
	if after := b.ask(t, "What is our revenue?"); after.Answer != before.Answer {
		t.Errorf("%q after a simulation, %q before", after.Answer, before.Answer)
	}
}

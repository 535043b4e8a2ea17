package asktest_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"svc/server/datatest"
)

// leastAlike is the share of paraphrases, in per cent, that must have their group's plan.
const leastAlike = 95

// TestParaphrasesHaveOnePlan reads groups of questions that mean the same, and checks that
// questions of different groups have different plans.
func TestParaphrasesHaveOnePlan(t *testing.T) {
	datatest.SkipShort(t)
	text, err := os.ReadFile("testdata/paraphrases.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := &shops{t, map[string]*shop{}}
	var s *shop
	var today time.Time
	asked, alike := 0, 0
	groups := map[string]string{} // plan → the first question of its group
	for _, group := range strings.Split(string(text), "\n\n") {
		lines := strings.Split(strings.TrimSpace(group), "\n")
		if file, ok := strings.CutPrefix(lines[0], "["); ok {
			file, day, _ := strings.Cut(strings.TrimSuffix(file, "]"), " ")
			s = all.open(file)
			today, _ = time.Parse(time.DateOnly, day)
		}
		if s == nil || strings.HasPrefix(lines[0], "#") || strings.HasPrefix(lines[0], "[") {
			continue
		}
		first := planText(s, lines[0], today)
		if other, taken := groups[first]; taken {
			t.Errorf("%q has the plan of %q: %s", lines[0], other, first)
		}
		groups[first] = lines[0]
		for _, line := range lines {
			asked++
			if got := planText(s, line, today); got == first {
				alike++
			} else {
				t.Logf("DIFFERS %q\n   %s\n   %q\n   %s", line, got, lines[0], first)
			}
		}
	}
	t.Logf("%d of %d paraphrases have the plan of their group", alike, asked)
	if asked == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("the files of the questions are not here")
		}
		t.Skip("the files of the questions are not here")
	}
	if alike*100 < leastAlike*asked {
		t.Errorf("%d of %d paraphrases have the plan of their group, want %d %%", alike, asked, leastAlike)
	}
}

// planText returns a question's plan without its words, or the refusal.
func planText(s *shop, question string, today time.Time) string {
	reading, err := s.reader.Read(question, today)
	if err != nil {
		return err.Error()
	}
	p := reading.Plan
	if p.Period != nil {
		p.Period.Words = ""
	}
	if p.Compare != nil {
		p.Compare.Words = ""
	}
	text, err := json.Marshal(p)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

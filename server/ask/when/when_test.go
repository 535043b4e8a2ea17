package when_test

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"svc/server/ask/plan"
	"svc/server/ask/when"
)

var (
	day = func(s string) time.Time { t, _ := time.Parse(time.DateOnly, s); return t }
	now = when.Now{Today: day("2024-03-15"), First: day("2022-01-01"), Last: day("2024-03-15"), Time: true}
)

// text returns a reading as the corpus writes it.
func text(m when.Mention) string {
	parts := []string{string(m.Kind)}
	if m.Kind == when.Period {
		parts = append(parts, m.Span.From.Format(time.DateOnly), m.Span.To.Format(time.DateOnly))
	}
	if m.Part != "" {
		parts = append(parts, string(m.Part))
	}
	parts = append(parts, m.Values...)
	if m.Bare {
		parts = append(parts, "bare")
	}
	switch b := m.Back; {
	case b.Year > 0:
		parts = append(parts, fmt.Sprint("year ", b.Year))
	case b.Years > 0:
		parts = append(parts, fmt.Sprint("years ", b.Years))
	case b.Days > 0:
		parts = append(parts, fmt.Sprint("days ", b.Days))
	case b.Unit != "":
		parts = append(parts, "unit "+string(b.Unit))
	}
	return strings.Join(parts, " ")
}

func TestCorpus(t *testing.T) {
	f, err := os.Open("testdata/corpus.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	cases := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		phrase, wants, ok := strings.Cut(lines.Text(), " = ")
		if !ok || strings.HasPrefix(phrase, "#") {
			continue
		}
		cases++
		t.Run(phrase, func(t *testing.T) {
			words, from, to := marked(phrase)
			readings := map[string]bool{}
			for _, m := range when.Find(words, now) {
				if m.From == from && m.To == to {
					readings[text(m)] = true
					readings[string(m.Kind)] = true
				}
			}
			for _, want := range strings.Split(wants, ";") {
				want, absent := strings.CutPrefix(strings.TrimSpace(want), "!")
				if want != "" && readings[want] == absent {
					t.Errorf("Find(%q) has the readings %v; is %q one of them? got %t", phrase, readings, want, absent)
				}
			}
		})
	}
	if cases < 80 {
		t.Errorf("the corpus has %d cases, want at least 80", cases)
	}
}

// marked returns the words of a phrase and the range of those between its bars.
func marked(phrase string) (words []string, from, to int) {
	parts := strings.Split(phrase, "|")
	words = strings.Fields(strings.Join(parts, " "))
	switch len(parts) {
	case 1:
		return words, 0, len(words)
	case 2:
		if strings.HasSuffix(parts[0], " ") && !strings.HasPrefix(parts[1], " ") {
			return words, len(strings.Fields(parts[0])), len(words)
		}
		return words, 0, len(strings.Fields(parts[0]))
	}
	from = len(strings.Fields(parts[0]))
	return words, from, from + len(strings.Fields(parts[1]))
}

func TestVerbIsLessLikelyThanMonth(t *testing.T) {
	likely := func(question string) (best float64) {
		for _, m := range when.Find(strings.Fields(question), now) {
			if m.Kind == when.Period {
				best = max(best, m.Likely)
			}
		}
		return best
	}
	if verb, month := likely("which items may run out"), likely("revenue in may"); verb >= month {
		t.Errorf("the verb is as likely (%v) as the month (%v)", verb, month)
	}
	if bound, year := likely("orders over 2000 units"), likely("orders in 2000"); bound >= year {
		t.Errorf("the bound is as likely (%v) as the year (%v)", bound, year)
	}
}

func TestCompareCutsUnfinishedPeriod(t *testing.T) {
	this, last := when.Around(now.Today, plan.Month), when.Around(day("2024-02-01"), plan.Month)
	c := now.Compare(last, this)
	if got := c.Now.Title() + " / " + c.Before.Title(); got != "1 March 2024 to 15 March 2024 / 1 February 2024 to 15 February 2024" || !c.SoFar {
		t.Errorf("compared %s, so far %t", got, c.SoFar)
	}
	if c.Whole == nil || c.Whole.Title() != "February 2024" {
		t.Errorf("the whole period is %v, want February 2024", c.Whole)
	}
}

// A month without a year is not compared with itself, and "may to april" are the latest.
func TestCompareKeepsTheLatest(t *testing.T) {
	february := when.Around(day("2024-02-01"), plan.Month)
	february.Yearless = true
	for before, want := range map[string]string{
		"2023-02-01": "February 2024 / February 2023",
		"2022-03-01": "March 2022 / February 2022",
	} {
		c := now.Compare(february, when.Around(day(before), plan.Month))
		if got := c.Now.Title() + " / " + c.Before.Title(); got != want {
			t.Errorf("february compared with %s is %s, want %s", before, got, want)
		}
	}
}

func TestCompareEndsWithTheData(t *testing.T) {
	friday := when.Now{Today: day("2024-03-17"), First: day("2022-01-01"), Last: day("2024-03-15")}
	c := friday.Compare(when.Around(day("2024-03-15"), plan.Week), when.Around(day("2024-03-08"), plan.Week))
	if got := c.Now.Title() + " / " + c.Before.Title(); got != "11 March 2024 to 15 March 2024 / 4 March 2024 to 8 March 2024" {
		t.Errorf("compared %s", got)
	}
}

func TestYearEndIsThatOfNow(t *testing.T) {
	december := when.Now{Today: day("2024-12-31"), First: day("2022-01-01"), Last: day("2024-12-31")}
	words := strings.Fields("between christmas and new year")
	for _, m := range when.Find(words, december) {
		if m.Kind == when.Period && m.From == 0 && m.To == len(words) && m.Span.Title() != "25 December 2024 to 1 January 2025" {
			t.Errorf("got %s", m.Span.Title())
		}
	}
}

func TestEarlierOf(t *testing.T) {
	may := when.Around(day("2023-05-01"), plan.Month)
	range5 := when.Span{From: day("2023-01-01"), To: day("2023-05-31")}
	last30 := when.Span{From: day("2024-02-15"), To: day("2024-03-15")}
	for _, test := range []struct {
		back when.Back
		of   when.Span
		want string
	}{
		{when.Back{Unit: plan.Month}, may, "April 2023"},
		{when.Back{Unit: plan.Year}, may, "May 2022"},
		{when.Back{Years: 1}, may, "May 2022"},
		{when.Back{Year: 2022}, range5, "January 2022 to May 2022"},
		{when.Back{Days: 30}, last30, "16 January 2024 to 14 February 2024"},
		{when.Back{}, last30, "16 January 2024 to 14 February 2024"},
	} {
		if got := test.back.Of(test.of).Title(); got != test.want {
			t.Errorf("%+v of %s = %s, want %s", test.back, test.of.Title(), got, test.want)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("between 9 and 11 in the morning of last monday 's sales")
	f.Add("the 30 before that since 2004 to q4")
	f.Fuzz(func(t *testing.T, question string) {
		words := strings.Fields(strings.ToLower(question))
		if len(words) > 120 {
			return
		}
		for _, m := range when.Find(words, now) {
			if m.From < 0 || m.To > len(words) || m.From >= m.To || m.Kind == when.Period && m.Span.To.Before(m.Span.From) {
				t.Fatalf("Find(%q) returned %+v", words, m)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	words := strings.Fields("how much revenue did we make between january and may 2023 compared with the same months of 2022")
	for b.Loop() {
		when.Find(words, now)
	}
}

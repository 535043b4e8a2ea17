package asktest_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"svc/db"
	"svc/server/ask/asktest"
	"svc/server/ask/compute"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/dataset"
	"svc/server/datatest"
	"svc/server/schema"
	"svc/server/sheet"
)

// leastRight is the required rate of each set, in per cent.
const leastRight = 90

// shop is a dataset to ask questions about.
type shop struct {
	source schema.Source
	file   *db.DataFile
	reader *read.Reader

	ungrounded []string // numbers of texts that were not computed
}

// shops imports each file once for all sets of questions.
type shops struct {
	t      *testing.T
	byFile map[string]*shop
}

// open returns the shop of a file, or nil if the file is not here.
func (s *shops) open(path string) *shop {
	t := s.t
	t.Helper()
	if got := s.byFile[path]; got != nil {
		return got
	}
	found, ok := datatest.Lookup(t, path)
	if !ok {
		return nil
	}
	s.byFile[path] = newShop(t, found)
	return s.byFile[path]
}

// newShop imports a file.
func newShop(t *testing.T, path string) *shop {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(t.TempDir(), "rows.db")
	source, _, err := dataset.Build(t.Context(), filepath.Base(path), f, info.Size(), sheet.Limits{}, to)
	if err != nil {
		t.Fatal(err)
	}
	file, err := db.OpenDataFile(to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &shop{source: source, file: file, reader: read.New([]schema.Source{source})}
}

// ask answers one question, as the service does.
func (s *shop) ask(ctx context.Context, q asktest.Question) (tell.Answer, error) {
	today, err := time.Parse(time.DateOnly, q.Today)
	if err != nil {
		today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
	}
	o := tell.Options{Today: today, Explain: true, Reads: func(text string) bool {
		_, err := s.reader.Read(text, today)
		return err == nil
	}}
	if len(q.Currency) == 3 {
		o.Currency = q.Currency
	}
	reading, err := s.reader.Read(q.Question, today)
	if refusal, ok := err.(*read.Refusal); ok {
		return tell.Refuse(refusal, o), nil
	}
	result, err := compute.Run(ctx, s.file, reading.Source, reading.Plan)
	if err != nil {
		return tell.Answer{}, err
	}
	a := tell.Tell(result, reading, o)
	if reading.Next != nil {
		next, err := compute.Run(ctx, s.file, reading.Next.Source, reading.Next.Plan)
		if err != nil {
			return tell.Answer{}, err
		}
		return tell.Join(a, tell.Tell(next, *reading.Next, o)), nil
	}
	for _, text := range texts(a) {
		if bad := tell.Grounded(text, tell.FiguresOf(result)); len(bad) > 0 {
			s.ungrounded = append(s.ungrounded, fmt.Sprintf("%s %q: %v in %q", q.ID, q.Question, bad, text))
		}
	}
	return a, nil
}

// texts returns all that a person reads in an answer.
func texts(a tell.Answer) []string {
	out := append([]string{a.Answer}, a.Recommendations...)
	for _, s := range []*string{a.InsightHeader, a.VerdictSentence} {
		if s != nil {
			out = append(out, *s)
		}
	}
	for _, c := range a.KPICards {
		out = append(out, c.Value)
	}
	return out
}

func questions(t *testing.T, path string) []asktest.Question {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out []asktest.Question
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var q asktest.Question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, q)
	}
	return out
}

func response(t *testing.T, a tell.Answer) asktest.Response {
	t.Helper()
	body, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var r asktest.Response
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestQuestions asks every question of both sets whose file is here, and reports how
// many answers are right.
func TestQuestions(t *testing.T) {
	datatest.SkipShort(t)
	all := &shops{t, map[string]*shop{}}
	sets, _ := filepath.Glob("testdata/*.jsonl")
	if path, ok := datatest.Lookup(t, "ask/ask_questions.jsonl"); ok {
		sets = append(sets, path)
	}
	for _, path := range sets {
		t.Run(filepath.Base(path), func(t *testing.T) { report(t, all, questions(t, path), leastRight) })
	}
}

// othersRates are the least rates, in per cent, of the datasets of the second set. All have shaped
// the reader, the last three only after their questions had been put aside for a forecast.
var othersRates = map[string]int{"shopping": 90, "wholesaler": 90, "cars": 90, "retail_store": 75, "pharmacy": 60, "movies": 88}

// leastCertain is the share of the answers with high confidence, in per cent, that must be
// right (H4).
const leastCertain = 95

// grossGolds are questions whose golds count cancelled orders as revenue, which decision I4
// ended. They are not asked.
var grossGolds = []string{"W02", "W03", "W13", "W16", "W17", "W20", "W21", "W25"}

// TestOthersQuestions asks the questions of others over tables that are in part no shops,
// and reports a rate for each.
func TestOthersQuestions(t *testing.T) {
	datatest.SkipShort(t)
	path := datatest.Path(t, "ask2/ask_questions.jsonl")
	all := &shops{t, map[string]*shop{}}
	byDataset := map[string][]asktest.Question{}
	for _, q := range questions(t, path) {
		if slices.Contains(grossGolds, q.ID) {
			continue
		}
		q.File = "ask2/" + q.File
		byDataset[q.Dataset] = append(byDataset[q.Dataset], q)
	}
	var high, wrong int
	for _, name := range slices.Sorted(maps.Keys(byDataset)) {
		t.Run(name, func(t *testing.T) {
			tally := report(t, all, byDataset[name], othersRates[name])
			high, wrong = high+tally.High.Asked, wrong+len(tally.HighWrong)
		})
	}
	t.Logf("of %d answers with high confidence %d are wrong", high, wrong)
	if wrong*100 > (100-leastCertain)*high {
		t.Errorf("%d of %d answers with high confidence are wrong, want at most %d %%", wrong, high, 100-leastCertain)
	}
}

// report asks questions, logs the wrong answers and the rate, and fails below a least rate
// in per cent.
func report(t *testing.T, all *shops, qs []asktest.Question, least int) *asktest.Tally {
	var tally asktest.Tally
	var took []time.Duration
	for _, q := range qs {
		s := all.open(q.File)
		if s == nil {
			continue
		}
		start := time.Now()
		a, err := s.ask(t.Context(), q)
		took = append(took, time.Since(start))
		if err != nil {
			t.Errorf("%s %q: %v", q.ID, q.Question, err)
			continue
		}
		if !tally.Add(q, response(t, a)) {
			t.Logf("WRONG %s (%s) %q\n   %s: %s\n   gold %s\n   %s", q.ID, q.Kind, q.Question, a.Confidence, a.Answer, clip(string(q.Gold)), plan(a))
		}
	}
	for _, s := range all.byFile {
		for _, line := range s.ungrounded {
			t.Errorf("number that was not computed: %s", line)
		}
		s.ungrounded = nil
	}
	if slices.Sort(took); len(took) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("none of the files with questions are here")
		}
		t.Skip("none of the files with questions are here")
	}
	if tally.All.Right*100 < least*tally.All.Asked || len(tally.Answered) > 0 && least > 0 {
		t.Errorf("%d of %d are right, want %d %%; %v have no answer in the data and got one", tally.All.Right, tally.All.Asked, least, tally.Answered)
	}
	t.Logf("%d of %d questions asked\n%stime: median %v, 95th %v", len(took), len(qs), &tally, took[len(took)/2], took[len(took)*95/100])
	return &tally
}

func clip(s string) string {
	if len(s) > 160 {
		return s[:160] + "…"
	}
	return s
}

func plan(a tell.Answer) string {
	if a.Explain == nil {
		return ""
	}
	return fmt.Sprintf("%s | %s", a.Explain.Text, strings.Join(strings.Fields(strings.Join(a.Explain.SQL, " ; ")), " "))
}

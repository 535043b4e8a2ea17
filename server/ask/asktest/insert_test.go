package asktest_test

import (
	"bufio"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"svc/embed"
	askplan "svc/server/ask/plan"
	"svc/server/datatest"
)

// shopTalk returns the words of the vocabulary, which may be fillers or say what a question says
// already: a graph of sales, people buy.
func shopTalk(t *testing.T) map[string]bool {
	t.Helper()
	text, err := fs.ReadFile(embed.Ask(), "vocabulary.txt")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{"person": true}
	for _, w := range strings.FieldsFunc(string(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
		for _, end := range []string{"", "s", "d", "ed"} {
			known[strings.TrimSuffix(w, end)] = true
		}
	}
	return known
}

// unknownWords returns words that are nouns or adjectives most of all, of the 24,000 that are
// common, without those of the vocabulary and their forms.
func unknownWords(t *testing.T) (words []string) {
	t.Helper()
	known := shopTalk(t)
	f, err := os.Open(datatest.Path(t, "words/words.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		cells := strings.Split(lines.Text(), "\t")
		count := func(i int) int { n, _ := strconv.Atoi(cells[i]); return n }
		if len(cells) < 7 || cells[1] != cells[2] || len(cells[1]) < 5 || slices.ContainsFunc([]string{"", "s", "d", "ed"}, func(end string) bool { return known[strings.TrimSuffix(cells[1], end)] }) {
			continue
		}
		all := count(3) + count(4) + count(5) + count(6)
		if n := max(count(3), count(5)); n > 3 && n > 4*(all-n) {
			words = append(words, cells[1])
		}
	}
	return words
}

// A noun or an adjective that is put into a question that is answered at high changes its plan or the
// confidence: it is never dropped in silence.
func TestInsertedWordIsNeverDropped(t *testing.T) {
	datatest.SkipShort(t)
	unknown := unknownWords(t)
	all := &shops{t, map[string]*shop{}}
	asked := 0
	for i, q := range append(questions(t, "testdata/shops.jsonl"), questions(t, datatest.Path(t, "ask/ask_questions.jsonl"))...) {
		s := all.open(q.File)
		if s == nil {
			continue
		}
		today, err := time.Parse(time.DateOnly, q.Today)
		if err != nil {
			today = time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC)
		}
		before, err := s.reader.Read(q.Question, today)
		if err != nil || !before.Certain || before.Rival != nil || len(before.Unused) > 0 || before.Next != nil {
			continue
		}
		r := rand.New(rand.NewPCG(uint64(i), 3))
		words := strings.Fields(q.Question)
		for range 12 {
			at := r.IntN(len(words) + 1)
			word := unknown[r.IntN(len(unknown))]
			if strings.Contains(strings.ToLower(q.Question), word) {
				continue // a word said twice adds nothing
			}
			question := strings.Join(append(append(append([]string{}, words[:at]...), word), words[at:]...), " ")
			asked++
			after, err := s.reader.Read(question, today)
			if err == nil && after.Certain && after.Rival == nil && len(after.Unused) == 0 && askplan.Same(before.Plan, after.Plan, s.source) {
				t.Errorf("%q dropped in %q: %s", word, question, askplan.Sentence(after.Plan, s.source))
			}
		}
	}
	if t.Logf("%d questions with a word too many", asked); asked < 500 {
		t.Errorf("%d questions with a word too many, want at least 500", asked)
	}
}

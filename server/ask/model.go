package ask

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"svc/server/ask/compute"
	"svc/server/ask/plan"
	"svc/server/ask/read"
	"svc/server/ask/tell"
	"svc/server/llm"
	"svc/server/schema"
)

// Model is the language model that helps; the zero value is none.
type Model struct {
	Model   llm.Model
	Name    string // as Ollama lists it
	Prompts fs.FS  // with ask-read.txt and ask-word.txt
	Timeout time.Duration
}

// read has the model read a question that the built-in reader did not understand. Where
// that did, it has the last word, so the model is not asked (H2). The model sees headings, types and the day, and no row; what it answers is a
// plan, which must fit the source, and is said to be a guess.
func (m Model) read(ctx context.Context, q Question, today time.Time, failed error) (read.Reading, bool) {
	var refusal *read.Refusal
	if m.Model == nil || !errors.As(failed, &refusal) || refusal.Reason != read.Unknown {
		return read.Reading{}, false
	}
	source := refusal.Source
	asOf, stale := read.AsOf(source, today)
	p, err := m.plan(ctx, q.Text, source, asOf)
	if err != nil {
		return read.Reading{}, false
	}
	return read.Reading{
		Plan: p, Source: source, AsOf: asOf, Stale: stale, Relative: p.Period != nil, Loose: true,
		Notes: []string{"A model read the question as: " + plan.Sentence(p, source) + "."},
	}, true
}

// columnInfo is a column as the model gets it.
type columnInfo struct {
	Heading string      `json:"heading"`
	Type    schema.Type `json:"type"`
	Unit    schema.Unit `json:"unit,omitempty"`
	Role    schema.Role `json:"role,omitempty"`
}

func (m Model) plan(ctx context.Context, question string, s schema.Source, asOf time.Time) (p plan.Plan, err error) {
	columns := make([]columnInfo, len(s.Columns))
	for i, c := range s.Columns {
		columns[i] = columnInfo{c.Heading, c.Type, c.Unit, c.Role}
	}
	shape, err := plan.Schema(s)
	if err != nil {
		return p, err
	}
	answer, err := m.ask(ctx, "ask-read.txt", shape, map[string]any{
		"question": question, "today": asOf.Format(time.DateOnly), "first_day": s.First, "last_day": s.Last,
		"source": s.ID, "columns": columns,
	})
	if err != nil {
		return p, err
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return p, fmt.Errorf("ask: plan of the model: %w", err)
	}
	if s.SoldLast != "" {
		p.Day = asOf.Format(time.DateOnly)
	}
	return p, plan.Check(p, s)
}

// maxRewordedBytes is how long a text of the model may be, in bytes.
const maxRewordedBytes = 2000

var rewordSchema = []byte(`{"type":"object","properties":{"answer":{"type":"string","maxLength":1500}},"required":["answer"],"additionalProperties":false}`)

// reword has the model word the answer. Each sentence is kept only if its figures were
// computed and stand in the own words or cards, sign and currency included (H1); a
// sentence with another makes the answer less sure, one without any says nothing, and where nothing is left the own words
// stay. Whatever the words, they end with what stands behind the figures.
func (m Model) reword(ctx context.Context, q Question, told tell.Answer, r compute.Result) tell.Answer {
	if m.Model == nil || told.Confidence == tell.Low {
		return told
	}
	answer, err := m.ask(ctx, "ask-word.txt", rewordSchema, map[string]any{
		"question": q.Text, "answer": told.Answer, "for_finance": q.CFO, "verdict": told.VerdictSentence,
	})
	var worded struct {
		Answer string `json:"answer"`
	}
	if err != nil || json.Unmarshal(answer, &worded) != nil || len(worded.Answer) > maxRewordedBytes || !isPlain(worded.Answer) {
		return told
	}
	own := told.Answer
	for _, card := range told.KPICards {
		own += " " + card.Value
	}
	kept, invented := grounded(worded.Answer, own, tell.FiguresOf(r))
	if kept == "" {
		return told
	}
	if invented {
		told.Confidence = lowerConfidence(told.Confidence)
	}
	told.Answer = kept
	for _, caveat := range told.Caveats {
		if !strings.Contains(kept, caveat) {
			told.Answer += " " + caveat
		}
	}
	return told
}

var (
	sentences = regexp.MustCompile(`[^.!?]*(?:[.!?](?:\d|[^\s.!?])[^.!?]*)*[.!?]+\s*|.+$`)
	// figure is a number as an answer writes it, with its sign and its currency.
	figure = regexp.MustCompile(`(?:[-−+]\s?)?(?:[A-Z]{3}\s?|\p{Sc}\s?)?\d[\d,]*(?:\.\d+)?(?:\s?%)?`)
	// numberWords are numbers that no figure shows.
	numberWords = regexp.MustCompile(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|[mb]illions?|dozens?|half|halved|doubled?|tripled?|twice|thrice|quarter of|third of)\b`)
	// markup is what could be more than words to whoever shows it: tags, links, addresses.
	markup = regexp.MustCompile(`(?i)[<>\x60@]|\]\(|//|www\.|[a-z0-9]\.[a-z]{2}`)
)

// isPlain refuses markup, and digits that cannot be checked.
func isPlain(text string) bool {
	odd := func(r rune) bool { return r > unicode.MaxASCII && unicode.IsNumber(r) }
	return strings.TrimSpace(text) != "" && !markup.MatchString(text) && !strings.ContainsAny(text, "\x00\r\x1b") &&
		!strings.ContainsFunc(text, odd)
}

// grounded keeps the sentences that have figures, all of which were computed and stand in
// the own text.
func grounded(text, own string, computed tell.Figures) (kept string, invented bool) {
	known := figures(own)
	var b strings.Builder
	for _, sentence := range sentences.FindAllString(text, -1) {
		said := figures(sentence)
		foreign := slices.ContainsFunc(numberWords.FindAllString(sentence, -1), func(w string) bool {
			return !strings.Contains(strings.ToLower(own), strings.ToLower(w))
		})
		for f := range said {
			foreign = foreign || !known[f]
		}
		foreign = foreign || len(tell.Grounded(sentence, computed)) > 0
		invented = invented || foreign
		if !foreign && len(said) > 0 {
			b.WriteString(sentence)
		}
	}
	return strings.TrimSpace(b.String()), invented
}

// figures are the numbers of a text, each in one spelling.
func figures(text string) map[string]bool {
	all := map[string]bool{}
	for _, f := range figure.FindAllString(text, -1) {
		all[strings.NewReplacer(" ", "", "−", "-", "+", "").Replace(strings.TrimRight(f, ", "))] = true
	}
	return all
}

func lowerConfidence(confidence string) string {
	if confidence == tell.High {
		return tell.Medium
	}
	return tell.Low
}

// ask puts data beside what a file says that is to be done with them. They stand in
// JSON, apart from it: texts of the question and of the data are data (H7).
func (m Model) ask(ctx context.Context, file string, shape []byte, data map[string]any) (json.RawMessage, error) {
	system, err := fs.ReadFile(m.Prompts, file)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	return m.Model.Ask(ctx, llm.Request{Model: m.Name, System: string(system), Prompt: string(text), Schema: shape, NumPredict: 700})
}

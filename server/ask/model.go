package ask

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"svc/server/ask/compute"
	"svc/server/ask/tell"
	"svc/server/fairqueue"
	"svc/server/llm"
)

// Model is the language model that helps to read questions (draft.go) and words answers;
// the zero value has none.
type Model struct {
	Model   llm.Model
	Name    string // in Ollama
	Prompts fs.FS  // has ask-read.txt and ask-word.txt
	Timeout time.Duration
}

// maxRewordedBytes bounds a text of the model.
const maxRewordedBytes = 2000

var rewordSchema = []byte(`{"type":"object","properties":{"answer":{"type":"string","maxLength":1500}},"required":["answer"],"additionalProperties":false}`)

// reword has the model word the answer. A sentence is kept only if it has figures and all
// of them were computed and are in the built-in text or cards, with sign and currency
// (H1). A sentence with another figure lowers the confidence. If no sentence is left, the
// built-in text stays. The caveats are always added.
func (m Model) reword(ctx context.Context, q Question, a tell.Answer, r compute.Result) tell.Answer {
	if m.Model == nil || a.Confidence == tell.Low {
		return a
	}
	answer, err := m.ask(ctx, "ask-word.txt", rewordSchema, map[string]any{
		"question": q.Text, "answer": a.Answer, "for_finance": q.CFO, "verdict": a.VerdictSentence,
	})
	var worded struct {
		Answer string `json:"answer"`
	}
	if err != nil || json.Unmarshal(answer, &worded) != nil || len(worded.Answer) > maxRewordedBytes || !isPlain(worded.Answer) {
		return a
	}
	own := a.Answer
	for _, card := range a.KPICards {
		own += " " + card.Value
	}
	kept, invented := grounded(worded.Answer, own, tell.FiguresOf(r))
	if kept == "" {
		return a
	}
	if invented {
		a.Confidence = lowerConfidence(a.Confidence)
	}
	a.Answer = kept
	for _, caveat := range a.Caveats {
		if !strings.Contains(kept, caveat) {
			a.Answer += " " + caveat
		}
	}
	return a
}

var (
	sentences = regexp.MustCompile(`[^.!?]*(?:[.!?](?:\d|[^\s.!?])[^.!?]*)*[.!?]+\s*|.+$`)
	// figure matches a number as answers write it, with sign and currency.
	figure = regexp.MustCompile(`(?:[-−+]\s?)?(?:[A-Z]{3}\s?|\p{Sc}\s?)?\d[\d,]*(?:\.\d+)?(?:\s?%)?`)
	// numberWords matches numbers in words.
	numberWords = regexp.MustCompile(`(?i)\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen|` +
		`twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|hundreds?|thousands?|[mb]illions?|dozens?|half|halved|doubled?|tripled?|twice|thrice|quarter of|third of)\b`)
	// markup matches what a page or a mail could show as more than text: tags, links,
	// addresses.
	markup = regexp.MustCompile(`(?i)[<>\x60@]|\]\(|//|www\.|[a-z0-9]\.[a-z]{2}`)
)

// isPlain reports whether a text has no markup, and no digits outside ASCII, which cannot
// be checked.
func isPlain(text string) bool {
	odd := func(r rune) bool { return r > unicode.MaxASCII && unicode.IsNumber(r) }
	return strings.TrimSpace(text) != "" && !markup.MatchString(text) && !strings.ContainsAny(text, "\x00\r\x1b") &&
		!strings.ContainsFunc(text, odd)
}

// grounded keeps the sentences that have figures, all of them computed and in the built-in
// text; invented reports whether a sentence had another.
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

// figures returns the numbers of a text, each in one spelling.
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

// ask sends data to the model beside the instructions of a file. The data are JSON, apart
// from the instructions, since texts of the question and of the rows are data (H7).
func (m Model) ask(ctx context.Context, file string, shape []byte, data map[string]any) (json.RawMessage, error) {
	system, err := fs.ReadFile(m.Prompts, file)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(data)
	if err != nil {
		return nil, err
	}
	var answer json.RawMessage
	waited := fairqueue.Outside(ctx, func() {
		answer, err = m.Model.Ask(ctx, llm.Request{Model: m.Name, System: string(system), Prompt: string(text), Schema: shape, NumPredict: 700})
	})
	return answer, errors.Join(err, waited)
}

package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// speech is what a model said, put together from however many parts.
type speech struct {
	content    []byte
	thinking   []byte
	done       bool
	doneReason string
	metrics    api.Metrics
}

func (s *speech) add(content, thinking string, done bool, doneReason string, metrics api.Metrics) {
	s.content = append(s.content, content...)
	s.thinking = append(s.thinking, thinking...)
	if done {
		s.done, s.doneReason, s.metrics = true, doneReason, metrics
	}
}

// text is the answer. Of a plain prompt, models with a parser of their own have
// it in their thoughts, even if they were told not to think.
func (s *speech) text() string {
	if text := strings.TrimSpace(string(s.content)); text != "" {
		return text
	}
	return strings.TrimSpace(string(s.thinking))
}

// isProse says whether the model spoke and its answer neither is an object nor
// begins as one that was cut off.
func (s *speech) isProse() bool {
	if !s.done {
		return false
	}
	_, kind, err := s.object()
	return err != nil && (kind == Malformed || !strings.HasPrefix(s.text(), "{"))
}

// object is the answer if there is a whole one, and else says what it is instead.
func (s *speech) object() (json.RawMessage, Kind, error) {
	text := s.text()
	switch {
	case !s.done && text == "":
		return nil, Malformed, errors.New("the answer is empty")
	case !s.done:
		return nil, CutOff, errors.New("the answer has no end")
	case s.doneReason == "length":
		return nil, CutOff, fmt.Errorf("no end after %d tokens", s.metrics.EvalCount)
	case s.doneReason != "stop":
		return nil, Malformed, errors.New("the answer did not end by itself")
	case text == "":
		return nil, Malformed, errors.New("the model said nothing")
	case !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)):
		return nil, Malformed, errors.New("the answer is not an object in JSON")
	}
	return json.RawMessage(text), 0, nil
}

// spent is what a question took, over all of its calls.
type spent struct {
	calls        int
	promptTokens int
	answerTokens int
	load         time.Duration
}

func (s *spent) add(m api.Metrics) {
	s.promptTokens += m.PromptEvalCount
	s.answerTokens += m.EvalCount
	s.load += m.LoadDuration
}

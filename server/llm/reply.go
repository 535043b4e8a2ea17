package llm

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/ollama/ollama/api"
)

// reply is what a model wrote, joined from the parts of Ollama's answer.
type reply struct {
	content    []byte
	thinking   []byte
	done       bool // the last part has arrived
	doneReason string
	metrics    api.Metrics
}

func (r *reply) add(content, thinking string, done bool, doneReason string, metrics api.Metrics) {
	r.content = append(r.content, content...)
	r.thinking = append(r.thinking, thinking...)
	if done {
		r.done, r.doneReason, r.metrics = true, doneReason, metrics
	}
}

// text returns the content, or the thinking if the content is blank: for a plain
// prompt, models with a parser of their own put the answer there, even if they were
// told not to think.
func (r *reply) text() string {
	if text := strings.TrimSpace(string(r.content)); text != "" {
		return text
	}
	return strings.TrimSpace(string(r.thinking))
}

// isProse reports whether the reply is complete and neither an object nor the
// beginning of one that was cut off.
func (r *reply) isProse() bool {
	if !r.done {
		return false
	}
	_, kind, err := r.object()
	return err != nil && (kind == Malformed || !strings.HasPrefix(r.text(), "{"))
}

// object returns the reply if it is a complete JSON object, or else an error and its
// kind.
func (r *reply) object() (json.RawMessage, Kind, error) {
	text := r.text()
	switch {
	case !r.done && text == "":
		return nil, Malformed, errors.New("the answer is empty")
	case !r.done:
		return nil, CutOff, errors.New("the answer is incomplete")
	case r.doneReason == "length":
		return nil, CutOff, fmt.Errorf("the answer is incomplete after %d tokens", r.metrics.EvalCount)
	case r.doneReason != "stop":
		return nil, Malformed, errors.New("the model did not end its answer by itself")
	case text == "":
		return nil, Malformed, errors.New("the model wrote nothing")
	case !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)):
		return nil, Malformed, errors.New("the answer is not a JSON object")
	}
	return json.RawMessage(text), 0, nil
}

// usage is what a question cost, over all of its calls.
type usage struct {
	calls        int
	promptTokens int
	answerTokens int
	load         time.Duration // to load the model
}

func (u *usage) add(m api.Metrics) {
	u.promptTokens += m.PromptEvalCount
	u.answerTokens += m.EvalCount
	u.load += m.LoadDuration
}

// Package llm asks a language model that runs in Ollama, with or without pictures.
// Answers are JSON objects.
//
// The package owns the protocol: the options of a question, when an answer is
// complete, and the kinds of failures (Kind). It does not know what is asked, with one
// exception, which is here because its validation belongs to it: Identify, which names
// the product on a photo.
//
// The model that writes an answer has read texts of strangers. An answer is certain to
// be a JSON object and nothing more: the caller validates each value.
//
// Pictures, prompts and answers are never stored, logged or quoted in errors.
package llm

import (
	"context"
	"encoding/json"
)

// Request is a question to a model.
type Request struct {
	Model  string // as `ollama list` shows it
	System string // the model's task
	Prompt string // the input of the task

	// Images are upright JPEG or PNG files, with both sides at least 64 pixels and
	// the longer one about 1280: models crash on small pictures and choke on large
	// ones. A model without vision is not asked about images.
	Images [][]byte

	// Schema is the JSON schema of the answer. It is sent byte for byte, since the
	// model writes its fields in that order. Each string in it needs a maxLength of
	// at most 2000, and each property is best required. Empty means any object. The
	// model does not see the schema: the prompt has to name the fields as well.
	Schema json.RawMessage

	// NumPredict is the most tokens that the answer may have (default 512). A longer
	// answer is CutOff.
	NumPredict int
}

// Model answers questions.
type Model interface {
	// Ask returns the answer: a valid JSON object that is not checked against the
	// schema. It may be called concurrently. It returns when ctx ends, and its errors
	// are *Error.
	Ask(ctx context.Context, r Request) (json.RawMessage, error)
}

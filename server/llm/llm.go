// Package llm asks a language model that runs in Ollama, with a picture or
// without, and takes JSON alone for an answer.
//
// It owns the protocol: which options go with a question, when an answer counts,
// and which of the ways to fail a failure was (Kind). It knows nothing of what is
// asked, but for one task that stands here because its validation belongs with
// it: Identify, which names the product on a photo.
//
// What comes back was written by a model that has read texts of strangers. It is
// an object in JSON and no more than that: who asks checks each value.
//
// Pictures, prompts and answers are never kept or logged, and stand in no error.
package llm

import (
	"context"
	"encoding/json"
)

// Request is a question to a model.
type Request struct {
	Model  string // as `ollama list` shows it
	System string // what the model is to do
	Prompt string // what it is to do it with

	// Images are JPEG or PNG files, upright. Both sides have at least 64 pixels
	// and the longest about 1280: models crash on small ones and choke on large
	// ones. With an image, a model that cannot see is not asked.
	Images [][]byte

	// Schema is the JSON schema of the answer, byte for byte as it was written,
	// since its order is the order in which the model thinks. Each string in it
	// needs a maxLength of at most 2000, each property is best required. Empty
	// stands for any object. The model does not see it: the prompt has to name
	// the fields as well.
	Schema json.RawMessage

	// NumPredict is how many tokens the answer may have; 512 unless set. A longer
	// one is CutOff.
	NumPredict int
}

// Model answers questions.
type Model interface {
	// Ask returns the answer: an object in JSON, valid, and not checked against
	// the schema. It may be called concurrently, gives up when ctx does, and
	// fails with an *Error.
	Ask(ctx context.Context, r Request) (json.RawMessage, error)
}

package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

const (
	// crashSide is the shortest side of a picture that crashes no model.
	crashSide = 32
	// imageTokens is about the number of tokens of a picture.
	imageTokens = 256
	// defaultCtx is the context size without num_ctx.
	defaultCtx = 4096
	// maxMaxLength is the highest bound that Ollama's grammar supports.
	maxMaxLength = 2000
)

// ask handles /api/chat and /api/generate: it records the request, refuses what Ollama
// refuses, and runs the next script.
func (o *Ollama) ask(w http.ResponseWriter, r *http.Request) {
	asked, f := o.read(r)
	o.record(asked)
	if f != nil {
		refuse(w, f.status, f.message)
		return
	}
	capabilities, ok := o.find(w, asked.Model)
	if !ok {
		return
	}
	if asked.loads() {
		done := "load"
		if asked.KeepAlive != nil && *asked.KeepAlive == 0 {
			done = "unload"
		}
		write(w, http.StatusOK, reply{}.line(asked, "", done))
		return
	}
	if f := check(asked, capabilities); f != nil {
		refuse(w, f.status, f.message)
		return
	}

	next := o.next()
	if next == nil {
		o.t.Errorf("fake Ollama: no answer is prepared for a question to %s", asked.Model)
		refuse(w, http.StatusInternalServerError, crashed)
		return
	}
	next(w, r, asked)
}

// check returns the error that Ollama gives for a question, or nil.
func check(asked Request, capabilities []string) *fault {
	verb := "generate"
	if asked.Path == "/api/chat" {
		verb = "chat"
	}
	if asked.Think != nil && *asked.Think && !slices.Contains(capabilities, "thinking") {
		return &fault{http.StatusBadRequest, fmt.Sprintf("%q does not support thinking", asked.Model)}
	}
	if !slices.Contains(capabilities, "completion") {
		return &fault{http.StatusBadRequest, fmt.Sprintf("%q does not support %s", asked.Model, verb)}
	}
	if f := checkFormat(asked.Format); f != nil {
		return f
	}
	if asked.Truncate != nil && !*asked.Truncate && asked.promptTokens() > asked.context() {
		return &fault{http.StatusBadRequest, "the input length exceeds the context length"}
	}
	if slices.Contains(capabilities, "vision") {
		return checkImages(asked.Images)
	}
	return nil // Ollama ignores the pictures
}

func (r Request) context() int {
	if n, ok := r.Options["num_ctx"]; ok {
		return int(n)
	}
	return defaultCtx
}

func (r Request) promptTokens() int {
	return tokens(r.System) + tokens(r.Prompt) + imageTokens*len(r.Images)
}

func checkImages(images []Image) *fault {
	for _, picture := range images {
		if _, _, err := image.Decode(bytes.NewReader(picture.Bytes)); err != nil {
			return &fault{http.StatusInternalServerError, "failed to process inputs: " + err.Error()}
		}
		if min(picture.Width, picture.Height) < crashSide {
			return &fault{http.StatusInternalServerError, crashed}
		}
	}
	return nil
}

var (
	badSchema  = &fault{http.StatusInternalServerError, "invalid JSON schema in format"}
	badGrammar = &fault{http.StatusInternalServerError, "failed to load model vocabulary required for format"}
	anchored   = regexp.MustCompile(`^\^.*\$$`)
	typeNames  = []string{"object", "array", "string", "number", "integer", "boolean", "null"}
)

// checkFormat returns Ollama's error for the mistakes that our schemas could have.
func checkFormat(format json.RawMessage) *fault {
	text := strings.TrimSpace(string(format))
	switch {
	case text == "", text == "null", text == `""`, text == `"json"`:
		return nil
	case !strings.HasPrefix(text, "{"):
		return &fault{http.StatusInternalServerError, fmt.Sprintf("invalid format: %q; expected \"json\" or a valid JSON Schema object", text)}
	}
	var schema map[string]any
	if err := json.Unmarshal(format, &schema); err != nil {
		return badSchema
	}
	return checkSchema(schema)
}

func checkSchema(schema map[string]any) *fault {
	if _, ok := schema["not"]; ok {
		return badSchema
	}
	if name, ok := schema["type"].(string); ok && !slices.Contains(typeNames, name) {
		return badSchema
	}
	if pattern, ok := schema["pattern"].(string); ok && !anchored.MatchString(pattern) {
		return badSchema
	}
	for _, bound := range []string{"maxLength", "maxItems"} {
		if n, ok := schema[bound].(float64); ok && n > maxMaxLength {
			return badGrammar
		}
	}
	for _, below := range children(schema) {
		if f := checkSchema(below); f != nil {
			return f
		}
	}
	return nil
}

// children returns the schemas directly within a schema.
func children(schema map[string]any) []map[string]any {
	var all []map[string]any
	add := func(value any) {
		if below, ok := value.(map[string]any); ok {
			all = append(all, below)
		}
	}
	add(schema["items"])
	for _, key := range []string{"properties", "$defs"} {
		named, _ := schema[key].(map[string]any)
		for _, value := range named {
			add(value)
		}
	}
	for _, key := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := schema[key].([]any)
		for _, value := range list {
			add(value)
		}
	}
	return all
}

// reply is what the model writes.
type reply struct {
	content, thinking string
	parts             []string // instead of content, one for each line
	doneReason        string   // empty for an answer without an end
}

// send writes a reply, on one line unless the request or parts ask for a stream.
func (p reply) send(w http.ResponseWriter, asked Request) {
	if p.parts == nil && asked.Stream != nil && !*asked.Stream {
		write(w, http.StatusOK, p.line(asked, p.content, p.doneReason))
		return
	}

	parts := p.parts
	if parts == nil && p.content != "" {
		middle := len(p.content) / 2
		for middle > 0 && p.content[middle]&0xc0 == 0x80 {
			middle-- // not within a character
		}
		parts = []string{p.content[:middle], p.content[middle:]}
	}
	w.Header().Set("Content-Type", "application/x-ndjson")
	lines := json.NewEncoder(w)
	for _, part := range parts {
		if lines.Encode(p.line(asked, part, "")) != nil {
			return // the client has closed the connection
		}
		http.NewResponseController(w).Flush()
	}
	if p.doneReason != "" {
		lines.Encode(p.line(asked, "", p.doneReason))
	}
}

// line returns a line of an answer: the last line if doneReason is not empty.
func (p reply) line(asked Request, content, doneReason string) map[string]any {
	line := map[string]any{"model": asked.Model, "created_at": "2026-01-02T03:04:05.678901Z", "done": doneReason != ""}
	if asked.Path == "/api/chat" {
		message := map[string]any{"role": "assistant", "content": content}
		if p.thinking != "" {
			message["thinking"] = p.thinking
		}
		line["message"] = message
	} else {
		line["response"] = content
		if p.thinking != "" {
			line["thinking"] = p.thinking
		}
	}
	if doneReason != "" {
		line["done_reason"] = doneReason
	}
	if doneReason == "stop" || doneReason == "length" {
		line["total_duration"] = 20_000_000
		line["load_duration"] = 1_000_000
		line["prompt_eval_count"] = min(asked.promptTokens(), asked.context())
		line["eval_count"] = tokens(p.content + strings.Join(p.parts, ""))
	}
	return line
}

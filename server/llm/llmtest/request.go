package llmtest

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	_ "image/png" // Ollama takes PNG as well
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// Request is a recorded call of /api/chat, /api/generate or /api/show. Calls while the
// server is Down are not recorded.
type Request struct {
	Path   string
	Header http.Header
	Model  string

	System   string // for /api/chat: the messages with the role system
	Prompt   string // for /api/chat: all other messages
	Messages int    // for /api/chat: their number; 0 only loads the model
	Images   []Image
	Format   json.RawMessage // byte for byte; nil if absent

	Options   map[string]float64
	KeepAlive *time.Duration // negative: for ever; nil if absent
	Think     *bool
	Stream    *bool
	Truncate  *bool
	Shift     *bool
}

// Image is a picture of a request.
type Image struct {
	Bytes         []byte
	Format        string // jpeg or png; empty if it is not a picture
	Width, Height int
}

// Requests returns the calls so far, including failed ones.
func (o *Ollama) Requests() []Request {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.requests)
}

// Questions returns the Requests of /api/chat and /api/generate that do not just load
// the model.
func (o *Ollama) Questions() []Request {
	return slices.DeleteFunc(o.Requests(), func(r Request) bool {
		return r.Path == "/api/show" || r.loads()
	})
}

func (o *Ollama) record(r Request) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests = append(o.requests, r)
}

// loads reports whether the request only loads or unloads the model.
func (r Request) loads() bool {
	if r.Path == "/api/chat" {
		return r.Messages == 0
	}
	return r.Prompt == "" && len(r.Images) == 0
}

// body is the JSON of a question.
type body struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"` // for /api/chat
	System   string    `json:"system"`   // this and the next two for /api/generate
	Prompt   string    `json:"prompt"`
	Images   []string  `json:"images"`

	Format    json.RawMessage            `json:"format"`
	Options   map[string]json.RawMessage `json:"options"`
	KeepAlive json.RawMessage            `json:"keep_alive"`
	Think     *bool                      `json:"think"`
	Stream    *bool                      `json:"stream"`
	Truncate  *bool                      `json:"truncate"`
	Shift     *bool                      `json:"shift"`
}

type message struct {
	Role    string   `json:"role"`
	Content string   `json:"content"`
	Images  []string `json:"images"`
}

// fault is an error answer.
type fault struct {
	status  int
	message string
}

// read decodes a question. It checks fields in the same order as Ollama.
func (o *Ollama) read(r *http.Request) (Request, *fault) {
	request := Request{Path: r.URL.Path, Header: r.Header.Clone()}
	var sent body
	switch err := json.NewDecoder(r.Body).Decode(&sent); {
	case errors.Is(err, io.EOF):
		return request, &fault{http.StatusBadRequest, "missing request body"}
	case err != nil:
		return request, &fault{http.StatusBadRequest, err.Error()}
	}

	request.Model = sent.Model
	request.Messages = len(sent.Messages)
	request.System, request.Prompt = sent.System, sent.Prompt
	request.Format = sent.Format
	request.Think, request.Stream, request.Truncate, request.Shift = sent.Think, sent.Stream, sent.Truncate, sent.Shift
	images := sent.Images
	var system, prompt []string
	for _, m := range sent.Messages {
		switch m.Role {
		case "system":
			system = append(system, m.Content)
		default:
			prompt = append(prompt, m.Content)
		}
		images = append(images, m.Images...)
	}
	if r.URL.Path == "/api/chat" {
		request.System, request.Prompt = strings.Join(system, "\n"), strings.Join(prompt, "\n")
	}

	var f *fault
	if request.Images, f = readImages(images); f != nil {
		return request, f
	}
	if request.KeepAlive, f = readKeepAlive(sent.KeepAlive); f != nil {
		return request, f
	}
	request.Options, f = o.readOptions(sent.Options)
	return request, f
}

func readImages(encoded []string) ([]Image, *fault) {
	var all []Image
	for _, text := range encoded {
		content, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			return nil, &fault{http.StatusBadRequest, err.Error()}
		}
		picture := Image{Bytes: content}
		if config, format, err := image.DecodeConfig(bytes.NewReader(content)); err == nil {
			picture.Format, picture.Width, picture.Height = format, config.Width, config.Height
		}
		all = append(all, picture)
	}
	return all, nil
}

// readKeepAlive accepts seconds and Go durations, as Ollama does.
func readKeepAlive(sent json.RawMessage) (*time.Duration, *fault) {
	if len(sent) == 0 || string(sent) == "null" {
		return nil, nil
	}
	var value any
	if err := json.Unmarshal(sent, &value); err != nil {
		return nil, &fault{http.StatusBadRequest, err.Error()}
	}
	switch v := value.(type) {
	case float64:
		return new(time.Duration(v * float64(time.Second))), nil
	case string:
		d, err := time.ParseDuration(v)
		if err != nil {
			return nil, &fault{http.StatusBadRequest, err.Error()}
		}
		return &d, nil
	}
	return nil, &fault{http.StatusBadRequest, fmt.Sprintf("Unsupported type: '%T'", value)}
}

// options are the options of Ollama that this project may use. Ollama silently ignores
// unknown ones.
var options = []string{
	"temperature", "seed", "num_predict", "num_ctx", "num_thread", "num_gpu", "num_batch",
	"top_k", "top_p", "min_p", "repeat_penalty", "repeat_last_n",
}

func (o *Ollama) readOptions(sent map[string]json.RawMessage) (map[string]float64, *fault) {
	all := map[string]float64{}
	for name, value := range sent {
		if !slices.Contains(options, name) {
			o.t.Errorf("fake Ollama: unknown option %q", name)
		}
		var number float64
		if err := json.Unmarshal(value, &number); err != nil {
			return nil, &fault{http.StatusInternalServerError, fmt.Sprintf("option %q must be of type float32", name)}
		}
		all[name] = number
	}
	return all, nil
}

// Photo returns a valid JPEG of the given size in pixels.
func Photo(t testing.TB, width, height int) []byte {
	t.Helper()
	picture := image.NewGray(image.Rect(0, 0, width, height))
	for i := range picture.Pix {
		picture.Pix[i] = byte(i * 7)
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, picture, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

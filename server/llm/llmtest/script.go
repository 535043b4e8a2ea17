package llmtest

import (
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// script answers one question that passes check.
type script func(w http.ResponseWriter, r *http.Request, asked Request)

// Each of the following methods prepares the answer to one question. Questions get the
// answers in the order of the calls; the last answer is repeated. A question is a valid
// call of /api/chat or /api/generate for a model that exists. Loading a model is not a
// question and always succeeds.

// Answer makes the model write text, in most tests a JSON object.
func (o *Ollama) Answer(text string) { o.reply(reply{content: text, doneReason: "stop"}) }

// Thinking makes the model write text as its thinking, with empty content. Some models
// answer /api/generate that way.
func (o *Ollama) Thinking(text string) { o.reply(reply{thinking: text, doneReason: "stop"}) }

// Prose makes the model ignore the schema.
func (o *Ollama) Prose() {
	o.Answer("Sure! On this photo I can see a packet of coffee. Would you like to know more?")
}

// HalfJSON makes the model end its answer within an object.
func (o *Ollama) HalfJSON() { o.Answer(`{"name": "Ground Coff`) }

// CutOff makes the model write text and reach num_predict.
func (o *Ollama) CutOff(text string) { o.reply(reply{content: text, doneReason: "length"}) }

// Stream makes the model write each part on a line of its own, even if the question
// does not ask for a stream.
func (o *Ollama) Stream(parts ...string) { o.reply(reply{parts: parts, doneReason: "stop"}) }

// StreamCut is Stream without the last line.
func (o *Ollama) StreamCut(parts ...string) { o.reply(reply{parts: parts}) }

// Status answers with the given status and body. A body that begins with { is sent as
// JSON.
func (o *Ollama) Status(code int, body string) {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		if strings.HasPrefix(body, "{") {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	})
}

// Busy answers that Ollama's queue is full.
func (o *Ollama) Busy() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		refuse(w, http.StatusServiceUnavailable, "server busy, please try again.  maximum pending requests exceeded")
	})
}

// crashed is Ollama's error after the process of a model died.
const crashed = "model runner has unexpectedly stopped, this may be due to resource limitations " +
	"or an internal error, check ollama server logs for details"

// Crash answers as Ollama does when the process of the model died.
func (o *Ollama) Crash() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		refuse(w, http.StatusInternalServerError, crashed)
	})
}

// Redirect answers with a redirect to another address.
func (o *Ollama) Redirect(to string) {
	o.add(func(w http.ResponseWriter, r *http.Request, _ Request) {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	})
}

// CutConnection sends the beginning of an answer and closes the connection.
func (o *Ollama) CutConnection() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", "500")
		io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":"{\"name\":`)
		http.NewResponseController(w).Flush()
		cut(w)
	})
}

// Hang does not answer: the connection is closed once the client gives up, by Release,
// or at the end of the test. Each such question is sent to arrived, which need not be
// read.
func (o *Ollama) Hang() (arrived <-chan Request) {
	arrivals := make(chan Request, 100)
	o.add(func(w http.ResponseWriter, r *http.Request, asked Request) {
		o.mu.Lock()
		released := o.released
		o.mu.Unlock()
		select {
		case arrivals <- asked:
		default:
		}
		select {
		case <-r.Context().Done():
		case <-released:
		case <-o.done:
		}
		cut(w)
	})
	return arrivals
}

// Release closes the connections of hanging questions. Later questions hang again,
// unless another answer was prepared.
func (o *Ollama) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.released)
	o.released = make(chan struct{})
}

// Down closes every connection from now on without recording the call.
func (o *Ollama) Down() { o.setDown(true) }

// Up ends the effect of Down.
func (o *Ollama) Up() { o.setDown(false) }

func (o *Ollama) setDown(down bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.down = down
}

func (o *Ollama) add(s script) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.scripts = append(o.scripts, s)
}

func (o *Ollama) reply(p reply) {
	o.add(func(w http.ResponseWriter, r *http.Request, asked Request) { p.send(w, asked) })
}

// next returns the script for a question.
func (o *Ollama) next() script {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.scripts) > 0 {
		o.last, o.scripts = o.scripts[0], o.scripts[1:]
	}
	return o.last
}

// up wraps a handler that is not called while the server is down.
func (o *Ollama) up(serve http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		down := o.down
		o.mu.Unlock()
		if down {
			cut(w)
			return
		}
		serve(w, r)
	}
}

// cut closes the connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has closed it already
	}
	conn.Close()
}

// tokens returns about the number of tokens of a text.
func tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

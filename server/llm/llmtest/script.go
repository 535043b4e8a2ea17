package llmtest

import (
	"io"
	"net/http"
	"strings"
	"unicode/utf8"
)

// script is what becomes of one question that Ollama would answer.
type script func(w http.ResponseWriter, r *http.Request, asked Request)

// Each of the following stands for one question, in the order of their calls; the
// last one stands for all that follow, until there is another. A question is a
// call of /api/chat or /api/generate that finds its model and no fault with
// itself; loading a model is none, and is always granted.

// Answer has the model say this, which is JSON in most tests.
func (o *Ollama) Answer(text string) { o.say(reply{content: text, doneReason: "stop"}) }

// Thought is Answer in the thoughts of the model, with nothing said. Some models
// answer /api/generate so.
func (o *Ollama) Thought(text string) { o.say(reply{thinking: text, doneReason: "stop"}) }

// Prose has the model heed no schema.
func (o *Ollama) Prose() {
	o.Answer("Sure! On this photo I can see a packet of coffee. Would you like to know more?")
}

// HalfJSON has the model end by itself amid an object.
func (o *Ollama) HalfJSON() { o.Answer(`{"name": "Ground Coff`) }

// CutOff has the model say this and reach num_predict.
func (o *Ollama) CutOff(text string) { o.say(reply{content: text, doneReason: "length"}) }

// Stream has the model say these parts one by one, each on a line of its own,
// whatever the question says of streaming.
func (o *Ollama) Stream(parts ...string) { o.say(reply{parts: parts, doneReason: "stop"}) }

// StreamCut is Stream without the line that ends it.
func (o *Ollama) StreamCut(parts ...string) { o.say(reply{parts: parts}) }

// Status answers with this status and body in place of Ollama. A body that begins
// with { is JSON.
func (o *Ollama) Status(code int, body string) {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		if strings.HasPrefix(body, "{") {
			w.Header().Set("Content-Type", "application/json; charset=utf-8")
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	})
}

// Busy answers that the queue is full.
func (o *Ollama) Busy() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		refuse(w, http.StatusServiceUnavailable, "server busy, please try again.  maximum pending requests exceeded")
	})
}

// crashed is how Ollama says that the process of a model died.
const crashed = "model runner has unexpectedly stopped, this may be due to resource limitations " +
	"or an internal error, check ollama server logs for details"

// Crash answers as Ollama does when the process of the model died.
func (o *Ollama) Crash() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		refuse(w, http.StatusInternalServerError, crashed)
	})
}

// Redirect sends the client elsewhere.
func (o *Ollama) Redirect(to string) {
	o.add(func(w http.ResponseWriter, r *http.Request, _ Request) {
		http.Redirect(w, r, to, http.StatusTemporaryRedirect)
	})
}

// CutLine answers with the first bytes of a whole answer, and cuts the connection.
func (o *Ollama) CutLine() {
	o.add(func(w http.ResponseWriter, _ *http.Request, _ Request) {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", "500")
		io.WriteString(w, `{"model":"m","message":{"role":"assistant","content":"{\"name\":`)
		http.NewResponseController(w).Flush()
		cut(w)
	})
}

// Hang keeps the question until its client gives up, or Release or the end of the
// test cuts it. Each call that it keeps is sent to arrived, which need not be read.
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
		case <-o.ended:
		}
		cut(w)
	})
	return arrivals
}

// Release cuts what hangs. Questions that come later hang again, until there is
// another script.
func (o *Ollama) Release() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.released)
	o.released = make(chan struct{})
}

// Down cuts every connection from now on, before the call is recorded.
func (o *Ollama) Down() { o.setDown(true) }

// Up ends Down.
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

func (o *Ollama) say(p reply) {
	o.add(func(w http.ResponseWriter, r *http.Request, asked Request) { p.send(w, asked) })
}

// next is the script of a question.
func (o *Ollama) next() script {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.scripts) > 0 {
		o.last, o.scripts = o.scripts[0], o.scripts[1:]
	}
	return o.last
}

// up serves unless the stand-in is down.
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

// cut ends the connection.
func cut(w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the client has gone already
	}
	conn.Close()
}

// tokens is about how many a text has.
func tokens(text string) int { return (utf8.RuneCountInString(text) + 3) / 4 }

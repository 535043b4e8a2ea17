package llm

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"unicode"

	"svc/server/redact"
)

// Kind sorts failures by what to do about them.
type Kind int

const (
	// Down: there is no server at the address.
	Down Kind = iota + 1
	// NotOllama: the server at the address is not Ollama.
	NotOllama
	// Missing: Ollama does not have the model.
	Missing
	// Slow: the time was over before there was an answer. A model that takes too long
	// to load stays Slow, since Ollama stops loading when the question ends; Preload
	// waits for it.
	Slow
	// Busy: Ollama's queue was full at each try.
	Busy
	// Malformed: the answer is not what was asked for.
	Malformed
	// CutOff: the answer is incomplete, by NumPredict or because the connection broke.
	CutOff
	// NoVision: the model has no vision, so the picture was not sent.
	NoVision
	// Canceled: the caller gave up. That is no fault of the model.
	Canceled
	// Failed: any other failure; the cause tells which.
	Failed
)

// kinds has the name of each kind for the log, and the sentence for callers.
var kinds = [...]struct{ name, reason string }{
	Down:      {"down", "There is no Ollama server at ADDRESS."},
	NotOllama: {"not Ollama", "The server in Ollama's place is no Ollama."},
	Missing:   {"missing", `Ollama does not have the model MODEL; "ollama pull MODEL" fetches it.`},
	Slow:      {"slow", "The model MODEL did not answer in time."},
	Busy:      {"busy", "The Ollama server is busy. Please try again in a moment."},
	Malformed: {"malformed", "The model MODEL gave no usable answer."},
	CutOff:    {"cut off", "The answer of the model MODEL was cut off."},
	NoVision:  {"no vision", "The model MODEL cannot see pictures."},
	Canceled:  {"canceled", "The question to the model MODEL was withdrawn."},
	Failed:    {"failed", "The model MODEL could not be asked."},
}

// String returns the name of the kind for the log.
func (k Kind) String() string {
	if k >= Down && int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("kind %d", int(k))
}

// reason returns the sentence for callers.
func (k Kind) reason(model, address string) string {
	return strings.NewReplacer("MODEL", model, "ADDRESS", address).Replace(kinds[k].reason)
}

// Error is why there is no answer. Its texts never contain the credentials of Ollama's
// address, nor any part of the question or of the model's reply.
type Error struct {
	Kind   Kind
	Model  string // as in the Request, cleaned
	Reason string // a sentence for callers
	Err    error  // the cause, for the log
}

// Error returns the model, the kind and the cause for the log. Callers are shown the
// Reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("model %s: %v", e.Model, e.Kind)
	}
	return fmt.Sprintf("model %s: %v: %v", e.Model, e.Kind, e.Err)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf returns the kind of an *Error, or 0 for any other error.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

const (
	// maxTextRunes bounds what is kept of a text from outside, maxTextBytes what is
	// read of it.
	maxTextRunes = 300
	maxTextBytes = 2000
	// quoteLen is the number of letters of the question from which on an error is
	// taken to quote it: few, but Ollama's own words do not match them by chance.
	// Questions shorter than minQuoteLen are not looked for.
	quoteLen    = 16
	minQuoteLen = 4
)

// longWord matches what is no word of a message: a digest, or a picture in base64.
var longWord = regexp.MustCompile(`\S{65,}`)

// redactor makes errors without secrets and without parts of the question.
type redactor struct {
	redact.Redactor
	address string // Ollama's, without path and credentials
}

func newRedactor(u *url.URL) redactor {
	return redactor{redact.New(maxTextRunes, secrets(u.User)...), u.Scheme + "://" + u.Host}
}

// secrets returns the forms in which Ollama may repeat the credentials of its address.
// Without a password the name is the secret.
func secrets(u *url.Userinfo) []string {
	if u == nil {
		return nil
	}
	name := u.Username()
	password, ok := u.Password()
	if !ok || password == "" {
		password = name
	}
	_, escaped, _ := strings.Cut(u.String(), ":")
	basic := base64.StdEncoding.EncodeToString([]byte(name + ":" + password))
	return []string{password, escaped, u.String(), basic}
}

// newError returns the error of a failure to answer r.
func (d redactor) newError(kind Kind, r Request, cause error) *Error {
	model := d.Clean(r.Model)
	return &Error{Kind: kind, Model: model, Reason: kind.reason(model, d.address), Err: d.cause(r, cause)}
}

// cause returns the error for the log. It keeps Ollama's own words, which are about
// memory and drivers, unless they quote the question.
func (d redactor) cause(r Request, err error) error {
	text := err.Error()
	text = text[:min(len(text), maxTextBytes)]
	if quotes(text, r.Prompt) || quotes(text, r.System) {
		return errors.New("(its text repeats the question)")
	}
	return d.Cause(reworded{longWord.ReplaceAllString(text, "…"), err})
}

// reworded is an error with another text.
type reworded struct {
	text string
	err  error
}

func (e reworded) Error() string { return e.text }

func (e reworded) Unwrap() error { return e.err }

// quotes reports whether text contains a piece of the question, ignoring spaces,
// punctuation and case.
func quotes(text, question string) bool {
	text, question = letters(text), letters(question)
	piece := min(quoteLen, len(question))
	if piece < minQuoteLen {
		return false
	}
	for i := 0; i+piece <= len(text); i++ {
		if strings.Contains(question, text[i:i+piece]) {
			return true
		}
	}
	return false
}

// letters returns the letters and digits of a text in lower case.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}

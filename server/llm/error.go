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
	// Down: no Ollama answers at the address.
	Down Kind = iota + 1
	// NotOllama: what answers at the address is another server.
	NotOllama
	// Missing: Ollama does not have the model.
	Missing
	// Slow: the time was over before there was an answer. A model that is not in
	// memory is Slow again and again, as Ollama gives up loading it together with
	// the question; Preload waits for it.
	Slow
	// Busy: Ollama's queue is full, and was so each time.
	Busy
	// Malformed: there was an answer, and it is not what was asked for.
	Malformed
	// CutOff: the answer has no end, by NumPredict or because the line broke.
	CutOff
	// NoVision: the model cannot see, so the picture was not sent.
	NoVision
	// Canceled: the caller gave up. It says nothing of the model.
	Canceled
	// Failed: any other answer. The cause says which.
	Failed
)

// String is the kind as a log names it.
func (k Kind) String() string {
	switch k {
	case Down:
		return "down"
	case NotOllama:
		return "not Ollama"
	case Missing:
		return "missing"
	case Slow:
		return "slow"
	case Busy:
		return "busy"
	case Malformed:
		return "malformed"
	case CutOff:
		return "cut off"
	case NoVision:
		return "no vision"
	case Canceled:
		return "canceled"
	case Failed:
		return "failed"
	}
	return fmt.Sprintf("kind %d", int(k))
}

// reason is the sentence for callers.
func (k Kind) reason(model, address string) string {
	switch k {
	case Down:
		return fmt.Sprintf("There is no Ollama server at %s.", address)
	case NotOllama:
		return "The server in Ollama's place is no Ollama."
	case Missing:
		return fmt.Sprintf("Ollama does not have the model %s; \"ollama pull %[1]s\" fetches it.", model)
	case Slow:
		return fmt.Sprintf("The model %s did not answer in time.", model)
	case Busy:
		return "The Ollama server is busy. Please try again in a moment."
	case Malformed:
		return fmt.Sprintf("The model %s gave no usable answer.", model)
	case CutOff:
		return fmt.Sprintf("The answer of the model %s was cut off.", model)
	case NoVision:
		return fmt.Sprintf("The model %s cannot see pictures.", model)
	case Canceled:
		return fmt.Sprintf("The question to the model %s was withdrawn.", model)
	}
	return fmt.Sprintf("The model %s could not be asked.", model)
}

// Error says why there is no answer. None of its texts holds the credentials of
// Ollama's address, nor anything of the question or of what a model said.
type Error struct {
	Kind   Kind
	Model  string // that was asked
	Reason string // a sentence for callers
	Err    error  // the cause, for the log
}

// Error names the model, the kind and the cause. It is for the log; a caller gets
// the Reason.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("model %s: %v", e.Model, e.Kind)
	}
	return fmt.Sprintf("model %s: %v: %v", e.Model, e.Kind, e.Err)
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

// KindOf is the kind of an error of this package, and 0 of any other.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return 0
}

const (
	// maxTextRunes bounds what is kept of a text from outside, and maxTextBytes
	// what is looked at.
	maxTextRunes = 300
	maxTextBytes = 2000
	// quoted is how many letters of the question tell that an error repeats it.
	// They are few, and still Ollama's own words do not match them by chance. Of
	// a question with less than leastQuoted nothing can be told.
	quoted      = 16
	leastQuoted = 4
)

// longWord is no word of a message: a digest, or a picture in base64.
var longWord = regexp.MustCompile(`\S{65,}`)

// redactor words errors without what they must not hold.
type redactor struct {
	redact.Redactor
	address string // of Ollama, without path and credentials
}

func newRedactor(u *url.URL) redactor {
	return redactor{redact.New(maxTextRunes, secrets(u.User)...), u.Scheme + "://" + u.Host}
}

// secrets are the forms in which credentials may come back. Without a password
// the name is the secret.
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

// newError words a failure to answer r.
func (d redactor) newError(kind Kind, r Request, cause error) *Error {
	model := d.Clean(r.Model)
	return &Error{Kind: kind, Model: model, Reason: kind.reason(model, d.address), Err: d.cause(r, cause)}
}

// cause is what the log gets. Ollama's own words are worth having, as they tell
// of memory and drivers. Words that repeat the question are not.
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

// quotes says whether text holds a piece of the question, however it is set.
func quotes(text, question string) bool {
	text, question = letters(text), letters(question)
	piece := min(quoted, len(question))
	if piece < leastQuoted {
		return false
	}
	for i := 0; i+piece <= len(text); i++ {
		if strings.Contains(question, text[i:i+piece]) {
			return true
		}
	}
	return false
}

// letters is what is left of a text without spaces, punctuation and case.
func letters(text string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, text)
}

package web

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"svc/server/fault"
)

// ReadBody reads the request's body of at most limit bytes. A longer one is an
// Invalid of the field `body` (A10), and its connection is closed after the answer.
func ReadBody(w *Response, r *http.Request, limit int64) ([]byte, error) {
	return ReadBodyIn(w, r, limit, func(int64) error { return nil })
}

// ReadBodyIn is ReadBody for a large body: it calls take for the room of the bytes as they
// arrive, and returns its error.
func ReadBodyIn(w *Response, r *http.Request, limit int64, take func(bytes int64) error) ([]byte, error) {
	return readBody(w, r, limit, take, fault.Invalid("body", "must be at most "+size(limit)))
}

// readBody is ReadBodyIn, with the error for a body that is too long.
func readBody(w *Response, r *http.Request, limit int64, take func(bytes int64) error, tooLong error) ([]byte, error) {
	arrival := &counted{from: http.MaxBytesReader(w.ResponseWriter, r.Body, limit), take: take}
	body, err := io.ReadAll(arrival)
	if arrival.refused != nil {
		return nil, arrival.refused
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, tooLong
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "body", Message: "could not be read to its end", Err: err}
	}
	return body, nil
}

// counted takes room for the bytes that are read.
type counted struct {
	from    io.Reader
	take    func(bytes int64) error
	refused error // of take
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	if n > 0 {
		if c.refused = c.take(int64(n)); c.refused != nil {
			return n, c.refused
		}
	}
	return n, err
}

func size(bytes int64) string {
	if bytes%1_000_000 == 0 {
		return fmt.Sprintf("%d MB", bytes/1_000_000)
	}
	if bytes%(1<<20) != 0 && bytes%(1<<19) == 0 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// Object is a JSON object whose fields are read one by one. It keeps the first fault,
// which names its field; what is read after a fault is not valid. Unknown fields are
// ignored, names are exact, and the last of two equal names counts (A10).
type Object struct {
	Fields map[string]json.RawMessage
	path   string // before the name of a field in a fault
	err    *error // the first fault, shared with inner objects
}

// ReadObject reads exactly one JSON object, whatever the Content-Type said.
func ReadObject(body []byte) Object {
	fields, err := parseObject(body)
	return Object{Fields: fields, err: &err}
}

func parseObject(body []byte) (object map[string]json.RawMessage, err error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, fault.Invalid("body", "must be a JSON object, not empty")
	}
	err = json.Unmarshal(body, &object)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) || err == nil && object == nil {
		return nil, fault.Invalid("body", "must be a JSON object")
	}
	if err != nil {
		return nil, fault.Invalid("body", "is not valid JSON: "+problem(err))
	}
	if !utf8.Valid(body) {
		return nil, fault.Invalid(fieldAtFault(object), "is not valid UTF-8")
	}
	return object, nil
}

// fieldAtFault names the field whose value is not valid UTF-8, or the body when
// it is a name.
func fieldAtFault(object map[string]json.RawMessage) string {
	for name, raw := range object {
		if name != "" && !utf8.Valid(raw) && !strings.ContainsRune(name, utf8.RuneError) && len(name) <= 64 {
			return name
		}
	}
	return "body"
}

func problem(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Sprintf("%v (byte %d)", err, syntax.Offset)
	}
	return err.Error()
}

// Err returns the first fault, nil if there is none.
func (o Object) Err() error { return *o.err }

// Keep keeps an error unless there was a fault before.
func (o Object) Keep(err error) {
	if *o.err == nil {
		*o.err = err
	}
}

// Require keeps an Invalid of the field if ok is false.
func (o Object) Require(ok bool, field, problem string) {
	if !ok {
		o.fail(field, problem)
	}
}

func (o Object) fail(field, problem string) { o.Keep(fault.Invalid(o.path+field, problem)) }

// Has reports whether the field was sent, even as null.
func (o Object) Has(field string) bool {
	_, ok := o.Fields[field]
	return ok
}

// hasValue reports whether the field was sent and is not null (A10).
func (o Object) hasValue(field string) bool {
	return o.Has(field) && string(o.Fields[field]) != "null"
}

// Text reads a required string of at most limit Unicode code points. Null and
// white space alone count as missing.
func (o Object) Text(field string, limit int) string { return o.text(field, limit, "is required") }

// TextOr is Text with a value for a field that is missing or null.
func (o Object) TextOr(field string, limit int, otherwise string) string {
	if !o.hasValue(field) {
		return otherwise
	}
	return o.text(field, limit, "must not be blank")
}

func (o Object) text(field string, limit int, ifBlank string) (text string) {
	if o.hasValue(field) {
		text = o.parseText(field, o.Fields[field])
	}
	o.Require(strings.TrimSpace(text) != "", field, ifBlank)
	if n := utf8.RuneCountInString(text); n > limit {
		o.fail(field, fmt.Sprintf("must be at most %d characters, not %d", limit, n))
	}
	return text
}

// Integer reads a required number that is written as an integer: 100, but not
// 100.0, 1e2 or "100" (A10).
func (o Object) Integer(field string) int64 {
	n, err := strconv.ParseInt(string(o.Fields[field]), 10, 64)
	switch {
	case !o.hasValue(field):
		o.fail(field, "is required")
	case errors.Is(err, strconv.ErrRange):
		o.fail(field, "is out of range")
	case err != nil:
		o.fail(field, "must be an integer, written as one")
	}
	return n
}

// Texts reads a required array of strings.
func (o Object) Texts(field string) (texts []string) {
	var all []json.RawMessage
	err := json.Unmarshal(o.Fields[field], &all)
	o.Require(err == nil && all != nil, field, "must be an array of strings")
	for _, raw := range all {
		o.Require(raw[0] == '"', field, "must be an array of strings")
		texts = append(texts, o.parseText(field, raw))
	}
	return texts
}

// Number reads an optional number and returns it as it is written, for a parser that keeps
// its digits. It reports false if it is missing or null.
func (o Object) Number(field string) (text string, ok bool) {
	if !o.hasValue(field) {
		return "", false
	}
	raw := o.Fields[field]
	isNumber := raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
	o.Require(isNumber, field, "must be a number")
	return string(raw), isNumber
}

// Objects reads a required array of at most limit objects.
func (o Object) Objects(field string, limit int) (all []Object) {
	var raw []json.RawMessage
	if !o.hasValue(field) {
		o.fail(field, "is required")
		return nil
	}
	if json.Unmarshal(o.Fields[field], &raw) != nil {
		o.fail(field, "must be an array of objects")
		return nil
	}
	o.Require(len(raw) > 0, field, "must not be empty")
	o.Require(len(raw) <= limit, field, fmt.Sprintf("must have at most %d entries, not %d", limit, len(raw)))
	for i, text := range raw[:min(len(raw), limit)] {
		inner := Object{path: fmt.Sprintf("%s%s[%d]", o.path, field, i), err: o.err}
		o.Require(text[0] == '{' && json.Unmarshal(text, &inner.Fields) == nil, fmt.Sprintf("%s[%d]", field, i), "must be an object")
		inner.path += "."
		all = append(all, inner)
	}
	return all
}

// Flag reads an optional boolean; one that is missing or null is false.
func (o Object) Flag(field string) bool {
	raw := string(o.Fields[field])
	o.Require(raw == "true" || raw == "false" || !o.hasValue(field), field, "must be true or false")
	return raw == "true"
}

// FlagOr is Flag of a field that may be missing or null, which is the fallback.
func (o Object) FlagOr(field string, fallback bool) bool {
	if !o.hasValue(field) {
		return fallback
	}
	return o.Flag(field)
}

// Object reads an optional object; one that is missing or null has no fields.
func (o Object) Object(field string) Object {
	inner := Object{path: o.path + field + ".", err: o.err}
	if raw := o.Fields[field]; o.hasValue(field) {
		o.Require(raw[0] == '{' && json.Unmarshal(raw, &inner.Fields) == nil, field, "must be an object")
	}
	return inner
}

func (o Object) parseText(field string, raw json.RawMessage) (text string) {
	switch {
	case raw[0] != '"' || json.Unmarshal(raw, &text) != nil:
		o.fail(field, "must be a string")
	case hasHalfSurrogate(raw, text):
		o.fail(field, "has half of a surrogate pair")
	case strings.ContainsRune(text, 0):
		o.fail(field, "must not contain NUL characters")
	}
	return text
}

// hasHalfSurrogate reports whether an escape in a JSON string is half of a surrogate
// pair. The decoder replaces such an escape by U+FFFD, so text then has more of them
// than raw has, written out or escaped.
func hasHalfSurrogate(raw json.RawMessage, text string) bool {
	const replacement = "\ufffd"
	found := strings.Count(text, replacement)
	if found == 0 {
		return false
	}
	written := strings.ReplaceAll(strings.ToLower(string(raw)), `\\`, "")
	return found > strings.Count(written, replacement)+strings.Count(written, `\ufffd`)
}

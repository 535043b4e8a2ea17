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
	body, err := io.ReadAll(http.MaxBytesReader(w.ResponseWriter, r.Body, limit))
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return nil, fault.Invalid("body", "must be at most "+size(limit))
	}
	if err != nil {
		return nil, &fault.Error{Code: fault.InvalidRequest, Field: "body", Message: "could not be read to its end", Err: err}
	}
	return body, nil
}

func size(bytes int64) string {
	if bytes%(1<<20) != 0 && bytes%(1<<19) == 0 {
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	}
	if bytes >= 1<<20 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}

// Object is a JSON object whose fields are looked at one by one, so that each
// fault can name its field. Unknown fields are ignored, names are exact, and the
// last of two equal names counts (A10).
type Object map[string]json.RawMessage

// ParseObject reads exactly one JSON object, whatever the Content-Type said.
func ParseObject(body []byte) (Object, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil, fault.Invalid("body", "must be a JSON object, not empty")
	}
	var object Object
	err := json.Unmarshal(body, &object)
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
func fieldAtFault(object Object) string {
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

// has reports whether the field is there and not null (A10).
func (o Object) has(field string) bool {
	raw, ok := o[field]
	return ok && string(raw) != "null"
}

// Text reads a required string of at most limit Unicode code points. Null and
// white space alone count as missing.
func (o Object) Text(field string, limit int) (string, error) {
	if !o.has(field) {
		return "", fault.Invalid(field, "is required")
	}
	text, err := parseText(field, o[field])
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(text) == "" {
		return "", fault.Invalid(field, "is required")
	}
	if n := utf8.RuneCountInString(text); n > limit {
		return "", fault.Invalid(field, fmt.Sprintf("must be at most %d characters, not %d", limit, n))
	}
	return text, nil
}

// TextOr is Text with a value for a field that is missing or null.
func (o Object) TextOr(field string, limit int, otherwise string) (string, error) {
	if !o.has(field) {
		return otherwise, nil
	}
	if text, err := parseText(field, o[field]); err == nil && strings.TrimSpace(text) == "" {
		return "", fault.Invalid(field, "must not be blank")
	}
	return o.Text(field, limit)
}

// Integer reads a required number that is written as an integer: 100, but not
// 100.0, 1e2 or "100" (A10).
func (o Object) Integer(field string) (int64, error) {
	if !o.has(field) {
		return 0, fault.Invalid(field, "is required")
	}
	n, err := strconv.ParseInt(string(o[field]), 10, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fault.Invalid(field, "is out of range")
	}
	if err != nil {
		return 0, fault.Invalid(field, "must be an integer, written as one")
	}
	return n, nil
}

// Texts reads a required array of strings.
func (o Object) Texts(field string) ([]string, error) {
	var all []json.RawMessage
	if err := json.Unmarshal(o[field], &all); err != nil || all == nil {
		return nil, fault.Invalid(field, "must be an array of strings")
	}
	texts := make([]string, 0, len(all))
	for _, raw := range all {
		if raw[0] != '"' {
			return nil, fault.Invalid(field, "must be an array of strings")
		}
		text, err := parseText(field, raw)
		if err != nil {
			return nil, err
		}
		texts = append(texts, text)
	}
	return texts, nil
}

// Flag reads an optional boolean; one that is missing or null is false.
func (o Object) Flag(field string) (bool, error) {
	if !o.has(field) {
		return false, nil
	}
	switch string(o[field]) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fault.Invalid(field, "must be true or false")
}

// Object reads an optional object; one that is missing or null has no fields.
func (o Object) Object(field string) (Object, error) {
	if !o.has(field) {
		return Object{}, nil
	}
	var inner Object
	if o[field][0] != '{' || json.Unmarshal(o[field], &inner) != nil {
		return nil, fault.Invalid(field, "must be an object")
	}
	return inner, nil
}

// Has reports whether the field was sent, even as null.
func (o Object) Has(field string) bool {
	_, ok := o[field]
	return ok
}

func parseText(field string, raw json.RawMessage) (text string, err error) {
	if raw[0] != '"' {
		return "", fault.Invalid(field, "must be a string")
	}
	if err := json.Unmarshal(raw, &text); err != nil {
		return "", fault.Invalid(field, "must be a string")
	}
	if hasHalfSurrogate(raw, text) {
		return "", fault.Invalid(field, "has half of a surrogate pair")
	}
	if strings.ContainsRune(text, 0) {
		return "", fault.Invalid(field, "must not contain NUL characters")
	}
	return text, nil
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

package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"
)

const formLimit = 64 << 10 // bytes, A10

// Form is a posted HTML form.
type Form struct{ values url.Values }

// ReadForm reads the form in the request's body; what stands in the address is no
// part of it.
func ReadForm(w *Response, r *http.Request) (Form, error) {
	body, err := ReadBody(w, r, formLimit)
	if err != nil {
		return Form{}, err
	}
	values, err := url.ParseQuery(string(body))
	if err != nil {
		return Form{}, Invalid("body", "must be a form")
	}
	for name, all := range values {
		for _, value := range all {
			if !utf8.ValidString(value) || strings.ContainsRune(value, 0) {
				return Form{}, Invalid(name, "is not valid text")
			}
		}
	}
	return Form{values}, nil
}

// Value is a field as it was typed, empty if there is none.
func (f Form) Value(name string) string { return f.values.Get(name) }

// All are the values of a field that may be there several times, like checkboxes.
func (f Form) All(name string) []string { return f.values[name] }

// CheckText refuses a text, typed in a form or given in a flag, that is blank or
// longer than limit code points.
func CheckText(field, text string, limit int) error {
	if strings.TrimSpace(text) == "" {
		return Invalid(field, "is required")
	}
	if utf8.RuneCountInString(text) > limit {
		return Invalid(field, fmt.Sprintf("must be at most %d characters", limit))
	}
	return nil
}
